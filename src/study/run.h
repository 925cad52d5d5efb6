/* run.h - carries out a study plan and leaves a bundle.
 *
 * plan -> models and engine verified -> preflight of every candidate -> throughput passes ->
 * request passes -> a profiling command beside each server, if asked for -> derived documents ->
 * checksums: the steps of evidence/steps.h. The journal has each of them before anything of it is
 * started, and its files when it has ended, so that a study which was stopped or killed goes on at
 * the first step that is not done. Nothing stays under the output folder's name unless the
 * preflight has passed or was cut off; from then on everything measured is kept, whatever happens.
 *
 * Call from the main thread: children are tied to the thread that starts them. */
#ifndef PP_STUDY_RUN_H
#define PP_STUDY_RUN_H

#include <signal.h>

#include "evidence/derive.h"
#include "evidence/steps.h"

typedef struct pp_study_progress {
    pp_study_phase phase;
    const char *what;     /* "q4, pass 1 of 2" */
    const char *note;     /* what came out of the step that has just ended; NULL at its begin */
    size_t done, total;   /* steps of the whole study */
    int64_t elapsed_ns;   /* of all sessions */
    int64_t remaining_ns; /* estimate from the steps measured so far; -1 while unknown */
} pp_study_progress;

typedef struct pp_study_options {
    const char *plan_path;
    const char *output_dir; /* must not exist */
    const char *model_dir;  /* model paths are relative to it; NULL: the plan's folder, or the
                               recorded one when a study is resumed */
    const char *llama_dir;  /* NULL: found as pp_engine_find says, or the recorded one */
    const char *tool_version;
    const char *profile_command; /* run beside each server, unmeasured; NULL: none */
    bool allow_emulated;         /* measure on an emulated CPU; every figure then says so */
    const volatile sig_atomic_t *stop;
    void (*progress)(void *user, const pp_study_progress *progress); /* may be NULL */
    void *user;
} pp_study_options;

typedef struct pp_study_result {
    const pp_derived *derived; /* set and decision; NULL when the study did not get that far */
    bool was_complete;         /* resumed, and there was nothing left to do */
    size_t run_count;          /* throughput and request runs that count: the last attempts */
    size_t disturbed_count;    /* of these */
    size_t failed_count;
    const char **disturbed; /* one sentence for each disturbed run */
    const char **failed;    /* one sentence for each failed run, with the file that says it */
    const char **troubled;  /* one for each run of which single requests failed */
    size_t troubled_count;
    size_t block_count;    /* blocks that may be repeated */
    size_t repeated_count; /* of these, measured more than once because of a disturbance */
    int64_t step_ns[PP_STUDY_PHASE_COUNT];
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

/**
 * Carry a study on in the folder options->output_dir, which a stop or a crash left; plan_path is
 * not looked at. The step that was cut off is made again under a new attempt number; steps that are
 * done are not. A study that is complete is left as it is.
 *
 * Fails as pp_study_run does. With nothing written: PP_ERR_DOMAIN when plan, models, llama.cpp,
 * machine or a document of the study are not those that it began with, or another process works on
 * it.
 */
PP_MUST_CHECK pp_status pp_study_resume(pp_arena *arena, const pp_study_options *options,
                                        pp_study_result *ret_result, pp_error *err);

/**
 * The commands that pp_study_run would start, in its order, as shell lines with comments; free
 * ports are shown as 0. Nothing is started but --version and --help of the engines.
 *
 * notes   a line for each engine that is not there, but whose candidates' lines are all given word
 *         for word, so that it is not needed to print them
 */
PP_MUST_CHECK pp_status pp_study_print_plan(pp_arena *arena, const pp_study_options *options,
                                            pp_buf *out, pp_buf *notes, pp_error *err);

#endif
