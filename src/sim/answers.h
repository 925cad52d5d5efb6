/* answers.h - answers from a file: a document that says what is answered to which prompt. */
#ifndef PP_SIM_ANSWERS_H
#define PP_SIM_ANSWERS_H

#include "json/json.h"

typedef struct pp_sim_answer {
    pp_text contains; /* the prompt must hold this text; empty fits every prompt */
    pp_text answer;
} pp_sim_answer;

typedef struct pp_sim_answers {
    pp_sim_answer *items;
    size_t count;
} pp_sim_answers;

/** Decode a parsed document of docs/formats/sim-answers.md; texts point into it. PP_ERR_SCHEMA. */
PP_MUST_CHECK pp_status pp_sim_answers_read(pp_arena *arena, const pp_json *root,
                                            pp_sim_answers *ret_answers, pp_error *err);

/** The first answer whose text stands in the prompt; NULL when none does. */
const pp_sim_answer *pp_sim_answers_find(const pp_sim_answers *answers, pp_text prompt);

#endif
