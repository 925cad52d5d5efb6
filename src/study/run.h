/* run.h - carries out a study plan and leaves a bundle.
 *
 * plan -> models and engine verified -> preflight of every candidate -> throughput passes ->
 * request passes -> derived documents -> checksums. Nothing appears under the output folder's name
 * before the preflight has passed; from then on everything measured is kept, whatever happens.
 *
 * Call from the main thread: children are tied to the thread that starts them. */
#ifndef PP_STUDY_RUN_H
#define PP_STUDY_RUN_H

#include <signal.h>

#include "evidence/derive.h"

typedef enum pp_study_step {
    PP_STUDY_VERIFY,     /* model files hashed */
    PP_STUDY_PREFLIGHT,  /* every candidate started once */
    PP_STUDY_THROUGHPUT, /* llama-bench */
    PP_STUDY_REQUESTS,   /* llama-server and streamed requests */
    PP_STUDY_ASSEMBLE,   /* derived documents, report, checksums */
    PP_STUDY_STEP_COUNT
} pp_study_step;

/** "verify", "preflight", ... */
const char *pp_study_step_name(pp_study_step step);

typedef struct pp_study_progress {
    pp_study_step step;
    const char *what;     /* "q4, pass 1 of 2" */
    const char *note;     /* what came out of the part that has just ended; NULL at its begin */
    size_t done, total;   /* parts of the whole study */
    int64_t elapsed_ns;   /* since the study began */
    int64_t remaining_ns; /* estimate from the parts measured so far; -1 while unknown */
} pp_study_progress;

typedef struct pp_study_options {
    const char *plan_path;
    const char *output_dir; /* must not exist */
    const char *model_dir;  /* model paths are relative to it; NULL: the plan's folder */
    const char *llama_dir;  /* NULL: found as pp_engine_find says */
    const char *tool_version;
    bool allow_emulated; /* measure on an emulated CPU; every figure then says so */
    const volatile sig_atomic_t *stop;
    void (*progress)(void *user, const pp_study_progress *progress); /* may be NULL */
    void *user;
} pp_study_options;

typedef struct pp_study_result {
    const pp_derived *derived; /* set and decision; NULL when the study did not get that far */
    size_t run_count;          /* throughput and request runs carried out */
    size_t disturbed_count;
    size_t failed_count;
    const char **disturbed; /* one sentence for each disturbed run */
    int64_t step_ns[PP_STUDY_STEP_COUNT];
    const char *report_path;
} pp_study_result;

/**
 * Run the whole study. Results live in `arena`.
 *
 * Fails with the usual input errors, and nothing written, before the first measurement; likewise
 * with PP_ERR_UNAVAILABLE when something is missing or the CPU is emulated; with
 * PP_ERR_INTERRUPTED after a stop, when what was measured is saved and marked partial in
 * status.json. A failing run (a server that dies, a bench that exits) is recorded in its place and
 * the study goes on. No eligible candidate is a result.
 */
PP_MUST_CHECK pp_status pp_study_run(pp_arena *arena, const pp_study_options *options,
                                     pp_study_result *ret_result, pp_error *err);

/** The commands that pp_study_run would start, in its order, as shell lines with comments; ports
 * are shown as 0. Nothing is started but the engine's --version and --help. */
PP_MUST_CHECK pp_status pp_study_print_plan(pp_arena *arena, const pp_study_options *options,
                                            pp_buf *out, pp_error *err);

#endif
