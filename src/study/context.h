/* context.h - inside study/ only: what the parts of a running study share. */
#ifndef PP_STUDY_CONTEXT_H
#define PP_STUDY_CONTEXT_H

#include "engine/gguf.h"
#include "engine/probe.h"
#include "machine/host.h"
#include "machine/watch.h"
#include "net/http_client.h"
#include "proc/child.h"
#include "study/journal.h"
#include "study/run.h"

/* One measured run: a candidate in one pass of one phase. */
typedef struct pp_study_part {
    pp_study_step step; /* PP_STUDY_THROUGHPUT or PP_STUDY_REQUESTS */
    int64_t pass;       /* from 1 */
    size_t candidate;   /* index into the plan */
} pp_study_part;

typedef struct pp_study {
    pp_arena *arena;
    const pp_study_options *options;
    pp_study_plan plan;
    pp_buf plan_bytes; /* the file as it was read */
    char plan_sha256[PP_SHA256_HEX_SIZE];
    pp_engine engine;
    const char **model_paths; /* one for each model of the plan */
    pp_gguf *models;
    pp_host_facts host;
    const char *folder; /* where files go: a staging folder, then the output folder */
    pp_journal *journal;
    pp_http_loop *loop;
    int64_t began_ns;

    size_t parts_done, parts_total;
    int64_t step_ns[PP_STUDY_STEP_COUNT];
    size_t step_parts[PP_STUDY_STEP_COUNT]; /* parts ended so far, for the estimate */

    size_t run_count, disturbed_count, failed_count;
    const char **disturbed;
} pp_study;

/* prepare.c */
PP_MUST_CHECK pp_status pp_study_load(pp_study *study, pp_error *err);
/** Fails with PP_ERR_UNAVAILABLE on an emulated CPU, unless that is allowed. */
PP_MUST_CHECK pp_status pp_study_check_host(const pp_host_facts *host, bool allow_emulated,
                                            pp_error *err);
PP_MUST_CHECK pp_status pp_study_probe(pp_study *study, pp_error *err);
PP_MUST_CHECK pp_status pp_study_verify_models(pp_study *study, pp_error *err);
PP_MUST_CHECK pp_status pp_study_write_inputs(pp_study *study, pp_error *err);

/* preflight.c: starts every candidate once and checks settings and markers */
PP_MUST_CHECK pp_status pp_study_preflight(pp_study *study, pp_error *err);

/* throughput.c, requests.c: one part; a failure of the measured program is recorded, not returned
 */
PP_MUST_CHECK pp_status pp_study_run_throughput(pp_study *study, const pp_study_part *part,
                                                pp_error *err);
PP_MUST_CHECK pp_status pp_study_run_requests(pp_study *study, const pp_study_part *part,
                                              pp_error *err);

/* assemble.c */
PP_MUST_CHECK pp_status pp_study_assemble(pp_study *study, pp_study_result *ret_result,
                                          pp_error *err);

/* files.c: paths and small files of the bundle */
const pp_plan_candidate *pp_study_candidate(const pp_study *study, const pp_study_part *part);
const char *pp_study_model_path(const pp_study *study, const pp_plan_candidate *candidate);
PP_MUST_CHECK pp_status pp_study_ensure_folder(pp_study *study, const char *path, pp_error *err);
PP_MUST_CHECK pp_status pp_study_save_json(pp_study *study, const char *path, const pp_json *value,
                                           pp_error *err);
/** The same for an object that lacks "schema_version" and "document": they are added. */
PP_MUST_CHECK pp_status pp_study_save_document(pp_study *study, const char *path, const char *name,
                                               pp_json *value, pp_error *err);
PP_MUST_CHECK pp_status pp_study_write_status(pp_study *study, bool complete, const char *reason,
                                              pp_error *err);

/* record.c: the record of a run */
typedef struct pp_study_record {
    const pp_study_part *part;
    int64_t started_unix_ms;
    int64_t started_ns;
    pp_watch *watch;
    const char *failure; /* NULL: complete */
    const pp_json *exit; /* of the measured program; NULL until it ended */
    int64_t duration_ns;
    pp_watch_result watched;
} pp_study_record;

PP_MUST_CHECK pp_status pp_study_record_begin(pp_study *study, const pp_study_part *part,
                                              pp_study_record *ret_record, pp_error *err);
/** Note an error of the measured program as the failure of this run. */
void pp_study_record_failure(pp_study *study, pp_study_record *record, const pp_error *failure);
void pp_study_record_exit(pp_study *study, pp_study_record *record, const pp_child_exit *ended);
/** Stop the watch and write the record and its journal line. */
PP_MUST_CHECK pp_status pp_study_record_end(pp_study *study, pp_study_record *record,
                                            const char *path, pp_error *err);

/* progress.c */
void pp_study_report_begin(pp_study *study, pp_study_step step, const char *what);
void pp_study_report_end(pp_study *study, pp_study_step step, const char *what, const char *note);

/** Sleep for the plan's settle time. Fails with PP_ERR_INTERRUPTED. */
PP_MUST_CHECK pp_status pp_study_settle(pp_study *study, pp_error *err);
PP_MUST_CHECK pp_status pp_study_check_stop(const pp_study *study, pp_error *err);

#endif
