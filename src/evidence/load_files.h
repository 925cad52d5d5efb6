/* load_files.h - what a bundle holds of the load of each candidate. */
#ifndef PP_EVIDENCE_LOAD_FILES_H
#define PP_EVIDENCE_LOAD_FILES_H

#include "evidence/cross_checks.h"
#include "model/study_plan.h"

/* Which of the two loads. */
typedef enum pp_load_kind { PP_LOAD_OF_STUDY, PP_LOAD_OF_ORIGINAL } pp_load_kind;

/* Of one candidate; NULLs where its load was never carried out. */
typedef struct pp_load_files {
    const pp_json *run;    /* the record */
    const pp_json *report; /* made again from its own statements of what was asked and observed, and
                              from the samples; NULL when the run failed before it had any */
    const char *report_path; /* in the bundle */
    bool is_complete;
    const pp_sample *samples;
    size_t sample_count;
    pp_maybe_int slot_count; /* as its server said */
} pp_load_files;

/**
 * Read run, report and samples of one candidate, and make the report again. Everything lives in
 * `arena`. Fails with PP_ERR_SCHEMA, PP_ERR_SYNTAX or PP_ERR_DOMAIN naming the file.
 */
PP_MUST_CHECK pp_status pp_load_files_read(pp_arena *arena, const char *folder, pp_load_kind kind,
                                           const pp_plan_candidate *candidate,
                                           pp_load_files *ret_files, pp_error *err);

/* What follows from a load plan of the original: one evaluation for each candidate, NULL where its
 * load is not complete, and all of them together, NULL unless there are two or more. */
typedef struct pp_load_evaluations {
    pp_json **of_candidates;
    pp_json *combined;
} pp_load_evaluations;

/**
 * Evaluations are bound to the command lines of the preflight where those of all candidates allow
 * it, else none is. `synthetic`: one for each candidate. Fails as pp_load_evaluation_build.
 */
PP_MUST_CHECK pp_status pp_load_evaluations_make(pp_arena *arena, const char *folder,
                                                 const pp_study_plan *plan,
                                                 const pp_load_files *files, const bool *synthetic,
                                                 pp_load_evaluations *ret_evaluations,
                                                 pp_error *err);

/** Compare what its server says of each level with what the client saw. `what`: "load". */
void pp_load_files_cross_check(pp_arena *arena, const pp_load_files *files, const char *what,
                               pp_cross_checks *checks);

/** [{number, loop, clients, rate_per_second, ...}] of the report, for the set; null where the run
 * is not complete. */
pp_json *pp_load_files_summary(pp_arena *arena, const pp_load_files *files);

#endif
