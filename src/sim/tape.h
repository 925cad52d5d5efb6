/* tape.h - bytes and pauses from a file, for replies that no rule makes.
 *
 *     # what is in front of the first section is for each request
 *     for each request
 *     for request 3
 *     for path /metrics
 *         send "HTTP/1.1 200 OK\r\n" "Content-Length: 2\r\n\r\n"
 *         pause 100ms
 *         chunk "data: x\n\n"      the bytes as one HTTP chunk
 *         last-chunk
 *         repeat 10
 *             chunk ": ping\n\n"
 *         end
 *         close                    reset and hold end a section, too
 *
 * docs/formats/tape.md has the whole. Reading is strict: every message names file and line. */
#ifndef PP_SIM_TAPE_H
#define PP_SIM_TAPE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/text.h"

/* Larger files are no scripts; tests of long streams repeat. */
#define PP_SIM_TAPE_MAX_BYTES   ((size_t)64 << 20)
#define PP_SIM_TAPE_REPEAT_MAX  1000000
#define PP_SIM_TAPE_MAX_NESTING 8

typedef enum pp_sim_tape_act {
    PP_SIM_TAPE_SEND,
    PP_SIM_TAPE_PAUSE,
    PP_SIM_TAPE_REPEAT,
    PP_SIM_TAPE_END, /* of a repeat */
    PP_SIM_TAPE_CLOSE,
    PP_SIM_TAPE_RESET,
    PP_SIM_TAPE_HOLD /* stay silent until the client leaves */
} pp_sim_tape_act;

typedef struct pp_sim_tape_step {
    pp_sim_tape_act act;
    pp_bytes bytes; /* SEND; as they go out, chunk lines included */
    int64_t number; /* PAUSE: nanoseconds; REPEAT: how often, at least 1 */
    size_t partner; /* REPEAT: the step of its end; END: that of its repeat */
} pp_sim_tape_step;

typedef struct pp_sim_tape_section {
    int64_t request; /* its number, from 1; 0: each */
    pp_text path;    /* empty: the end points that generate */
    pp_sim_tape_step *steps;
    size_t step_count;
} pp_sim_tape_section;

typedef struct pp_sim_tape {
    pp_sim_tape_section *sections;
    size_t section_count;
} pp_sim_tape;

/** Parse; everything lives in `arena`. Fails with PP_ERR_SYNTAX "NAME: line 3: ...". */
PP_MUST_CHECK pp_status pp_sim_tape_parse(pp_arena *arena, const char *name, pp_text text,
                                          pp_sim_tape *ret_tape, pp_error *err);

/** The section for request number `request` (from 1, of those for this path or of those for
 * answers): that of its number, else that for each; NULL when there is none.
 * path   of the request; is_answer: it is for an end point that generates */
const pp_sim_tape_section *pp_sim_tape_find(const pp_sim_tape *tape, pp_text path, bool is_answer,
                                            int64_t request);

/* Where a reply stands in its section. A zeroed one is at the front. */
typedef struct pp_sim_tape_place {
    size_t step;
    int64_t left[PP_SIM_TAPE_MAX_NESTING]; /* rounds of the open repeats */
    size_t depth;
} pp_sim_tape_place;

/** The next step to do (never a REPEAT or an END), NULL behind the last. */
const pp_sim_tape_step *pp_sim_tape_next(const pp_sim_tape_section *section,
                                         pp_sim_tape_place *place);

#endif
