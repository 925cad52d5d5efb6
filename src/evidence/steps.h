/* steps.h - what a study does, as an ordered list that follows from its plan alone.
 *
 * Who runs a study, who continues one and who checks one read the same list. A step that is
 * measured belongs to a block: all candidates of one phase in one pass (a load has none), which
 * are compared with each other and therefore repeated together. */
#ifndef PP_EVIDENCE_STEPS_H
#define PP_EVIDENCE_STEPS_H

#include "model/study_plan.h"

typedef enum pp_study_phase {
    PP_STUDY_VERIFY,     /* plan, models and llama.cpp as they were found are written down */
    PP_STUDY_PREFLIGHT,  /* every candidate started once */
    PP_STUDY_THROUGHPUT, /* llama-bench */
    PP_STUDY_REQUESTS,   /* llama-server and streamed requests */
    PP_STUDY_LOAD,       /* a server and many requests at once */
    PP_STUDY_LOAD_PLAN,  /* the same as a load plan of the original says */
    PP_STUDY_ASSEMBLE,   /* derived documents and report */
    PP_STUDY_PHASE_COUNT
} pp_study_phase;

/** "verify", "preflight", ... */
const char *pp_study_phase_name(pp_study_phase phase);

typedef struct pp_study_step {
    const char *id; /* "verify", "preflight/q4", "throughput/q4/pass-1": stable, names a folder */
    pp_study_phase phase;
    bool has_candidate;
    size_t candidate; /* index into the plan */
    int64_t pass;     /* from 1; 0 where the phase has none */
    size_t block;     /* index into the blocks */
} pp_study_step;

typedef struct pp_study_block {
    const char *id;      /* "preflight", "requests/pass-1" */
    size_t first, count; /* its steps stand together */
    bool repeats;        /* measured: a disturbance in one of its runs spoils the comparison */
} pp_study_block;

typedef struct pp_study_steps {
    pp_study_step *items;
    size_t count;
    pp_study_block *blocks;
    size_t block_count;
} pp_study_steps;

/** The steps of a plan in the order in which they are carried out. Everything lives in `arena`. */
PP_MUST_CHECK pp_status pp_study_steps_list(pp_arena *arena, const pp_study_plan *plan,
                                            pp_study_steps *ret_steps, pp_error *err);

/** llama-bench runs for this candidate. */
bool pp_study_runs_bench(const pp_study_plan *plan, size_t candidate);

/** Index of the step with this id; false when there is none. */
bool pp_study_steps_find(const pp_study_steps *steps, pp_text id, size_t *ret_index);

/** The same for a block. */
bool pp_study_blocks_find(const pp_study_steps *steps, pp_text id, size_t *ret_index);

#endif
