/* load_files.h - inside evidence/ only: what a bundle holds of the load of each candidate. */
#ifndef PP_EVIDENCE_LOAD_FILES_H
#define PP_EVIDENCE_LOAD_FILES_H

#include "model/study_plan.h"
#include "json/json.h"

/* Of one candidate; NULLs where its load was never carried out. */
typedef struct pp_load_files {
    const pp_json *run;    /* the record */
    const pp_json *report; /* made again from its own statements of what was asked and observed, and
                              from the samples; NULL when the run failed before it had any */
    bool is_complete;
} pp_load_files;

/**
 * Read run, report and samples of one candidate, and make the report again. Everything lives in
 * `arena`. Fails with PP_ERR_SCHEMA, PP_ERR_SYNTAX or PP_ERR_DOMAIN naming the file.
 */
PP_MUST_CHECK pp_status pp_load_files_read(pp_arena *arena, const char *folder,
                                           const pp_plan_candidate *candidate,
                                           pp_load_files *ret_files, pp_error *err);

/** [{number, loop, clients, rate_per_second, ...}] of the report, for the set; null where the run
 * is not complete. */
pp_json *pp_load_files_summary(pp_arena *arena, const pp_load_files *files);

#endif
