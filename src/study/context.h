/* context.h - inside study/ only: what the parts of a running study share. */
#ifndef PP_STUDY_CONTEXT_H
#define PP_STUDY_CONTEXT_H

#include "engine/gguf.h"
#include "engine/probe.h"
#include "evidence/step_log.h"
#include "machine/host.h"
#include "machine/watch.h"
#include "model/load_plan.h"
#include "model/policy_set.h"
#include "model/serve_config.h"
#include "model/suite.h"
#include "net/http_client.h"
#include "proc/child.h"
#include "study/journal.h"
#include "study/run.h"

/* A file beside the plan. */
typedef struct pp_study_file {
    const char *bundle_name;
    const char *bytes; /* NULL: the plan has none */
    size_t size;
    const pp_json *root;
} pp_study_file;

/* The gateway of one candidate. */
typedef struct pp_study_serve {
    pp_study_file file; /* its configuration; no bytes: the candidate is none */
    pp_serve_config config;
    bool starts_servers; /* some back end is started by it */
    bool needs_others;   /* some back end runs already */
    pp_origin weights;   /* the worst of the models that it starts */
} pp_study_serve;

typedef struct pp_study {
    pp_arena *arena;
    const pp_study_options *options;
    pp_study_plan plan;
    pp_buf plan_bytes; /* the file as it was read */
    char plan_sha256[PP_SHA256_HEX_SIZE];
    pp_study_file suite_file, load_plan_file, policies_file;
    pp_suite suite;         /* of that file */
    pp_load_plan load_plan; /* of that file */
    pp_study_serve *serves; /* one for each candidate of the plan */
    bool goes_on;           /* it was begun in an earlier session */
    pp_study_steps steps;
    pp_step_log log;    /* what happened so far, in earlier sessions and in this one */
    bool *changed;      /* of each step: it was done, but its files are not what they were */
    pp_engine *engines; /* one for each engine of the plan */
    const char **recorded_folders; /* of these, of a study that goes on; NULL: it begins */
    const char *plan_folder;       /* paths of the plan are relative to it */
    const char *model_folder;
    const char **model_paths; /* one for each model of the plan */
    pp_gguf *models;
    pp_host_facts host;
    const char *folder; /* where files go: a staging folder, then the output folder */
    pp_journal *journal;
    pp_http_loop *loop;
    int64_t began_ns;
    bool is_beside_steps; /* what runs now is no step */
    pp_study_phase phase; /* of the step that was begun last */
} pp_study;

/* What came of a step. */
typedef struct pp_study_outcome {
    pp_step_outcome outcome;
    const char *failure; /* NULL when complete */
    const char *verdict; /* of the noise watch; NULL when nothing was measured */
    bool disturbed;
    const pp_json *exit; /* of the measured program; NULL when none ran */
} pp_study_outcome;

/* prepare.c */
/** The plan, where its models are, its steps, and a log in which nothing has happened. */
PP_MUST_CHECK pp_status pp_study_load(pp_study *study, pp_error *err);
/** Paths of the models, by the options as they are now. */
PP_MUST_CHECK pp_status pp_study_resolve_models(pp_study *study, pp_error *err);
/** Read the facts of this machine, and check them. */
PP_MUST_CHECK pp_status pp_study_check_this_host(pp_study *study, pp_error *err);
/** Fails with PP_ERR_UNAVAILABLE on an emulated CPU, unless that is allowed. */
PP_MUST_CHECK pp_status pp_study_check_host(const pp_host_facts *host, bool allow_emulated,
                                            pp_error *err);
PP_MUST_CHECK pp_status pp_study_verify_models(pp_study *study, pp_error *err);
/** Documents that say what was measured, where and with what: the step "verify". */
PP_MUST_CHECK pp_status pp_study_write_inputs(pp_study *study, pp_error *err);

/* engines.c */
/** Find and ask every engine of the plan. */
PP_MUST_CHECK pp_status pp_study_probe(pp_study *study, pp_error *err);
/** The same, but an engine that no command line is made for may be absent: a line in `notes`. */
PP_MUST_CHECK pp_status pp_study_probe_for_lines(pp_study *study, pp_buf *notes, pp_error *err);
const pp_engine *pp_study_engine(const pp_study *study, const pp_plan_candidate *candidate);
/** Where a file of an engine stands in the bundle. */
const char *pp_study_engine_file(const pp_study *study, size_t engine, const char *name);
PP_MUST_CHECK pp_status pp_study_write_engines(pp_study *study, pp_error *err);
/** The folders that the bundle has recorded are those in which engines are looked for. */
PP_MUST_CHECK pp_status pp_study_recall_engines(pp_study *study, pp_error *err);
/**
 * Does a log of this candidate's engine say what the plan wants it to say, and nothing that it
 * forbids? Fails with PP_ERR_PEER naming log, marker and line.
 */
PP_MUST_CHECK pp_status pp_study_check_markers(pp_study *study, const pp_plan_candidate *candidate,
                                               const char *log, pp_error *err);
/** command.c: lines that are given start the programs and models that the plan names beside them.
 * Fails with PP_ERR_DOMAIN, PP_ERR_IO. */
PP_MUST_CHECK pp_status pp_study_check_lines(pp_study *study, pp_error *err);
/** Digests of all programs are what they were when they were asked. */
PP_MUST_CHECK pp_status pp_study_check_engines_unchanged(pp_study *study, pp_error *err);

/** target.c: the keys of servers that run already are there. Fails with PP_ERR_UNAVAILABLE,
 * PP_ERR_USAGE. */
PP_MUST_CHECK pp_status pp_study_check_keys(pp_study *study, pp_error *err);

/** Names of the variables that hold keys of endpoints, NULL at the end: no program that we start
 * needs them. NULL when memory is short, which the arena remembers. */
const char *const *pp_study_key_variables(const pp_study *study);

/* serve.c: gateways that are candidates */
/** Their configurations are where the plan says, unchanged, and their models can be read. Fails
 * with PP_ERR_DOMAIN, PP_ERR_IO, and as pp_gguf_load. */
PP_MUST_CHECK pp_status pp_study_check_serves(pp_study *study, pp_error *err);

/* start.c: from nothing to an output folder with a journal whose step "verify" is done */
PP_MUST_CHECK pp_status pp_study_start(pp_study *study, pp_error *err);

/* walk.c */
/** One step, whether it is done or not: an earlier attempt is set aside. `result` is filled by the
 * last one. */
PP_MUST_CHECK pp_status pp_study_do_step(pp_study *study, size_t step, pp_study_result *result,
                                         pp_error *err);
/** Every step that is not done, in order, block by block; a disturbed block again as often as the
 * plan allows. Fails with PP_ERR_INTERRUPTED after a stop. */
PP_MUST_CHECK pp_status pp_study_walk(pp_study *study, pp_study_result *ret_result, pp_error *err);

/* run.c: let go of what a study holds; its results stay in the arena */
void pp_study_done(pp_study *study);

/* attempts.c: what an earlier attempt left */
/** Move the files of a step's last attempt below attempts/, so that the next one finds none. */
PP_MUST_CHECK pp_status pp_study_set_aside(pp_study *study, size_t step, pp_error *err);
/** Remove files that a crash left half written under a temporary name. */
PP_MUST_CHECK pp_status pp_study_remove_temporaries(pp_study *study, pp_error *err);

/* finish.c: the last lines, the status and the checksums of a session */
PP_MUST_CHECK pp_status pp_study_finish(pp_study *study, pp_error *err);
/** What was measured stays, and the bundle is consistent with itself. Failures are not said: the
 * cause is the error that counts. */
void pp_study_close_partial(pp_study *study, const pp_error *cause);

/* result.c */
/** Counts and sentences about the runs that count, as the derived set has them. */
PP_MUST_CHECK pp_status pp_study_fill_result(pp_study *study, const pp_derived *derived,
                                             pp_study_result *ret_result, pp_error *err);

/* preflight.c: starts a candidate once and checks settings and markers */
PP_MUST_CHECK pp_status pp_study_preflight(pp_study *study, const pp_study_step *step,
                                           pp_error *err);

/* throughput.c, requests.c: one run. What the measured program does wrong is an outcome; a failure
 * is ours, and nothing is said about the run then. */
PP_MUST_CHECK pp_status pp_study_run_throughput(pp_study *study, const pp_study_step *step,
                                                pp_study_outcome *ret_outcome, pp_error *err);
PP_MUST_CHECK pp_status pp_study_run_requests(pp_study *study, const pp_study_step *step,
                                              pp_study_outcome *ret_outcome, pp_error *err);

/* load_phase.c */
PP_MUST_CHECK pp_status pp_study_run_load(pp_study *study, const pp_study_step *step,
                                          pp_study_outcome *ret_outcome, pp_error *err);

/* profile.c: a command beside each server, when everything is measured */
/** Fails with PP_ERR_USAGE, PP_ERR_DOMAIN where a command is asked for that cannot be run. */
PP_MUST_CHECK pp_status pp_study_check_profile(const pp_study *study, pp_error *err);
/** Run it beside every server that the study starts and that has no record of such a run; nothing
 * without a command. What command or server do wrong is noted there, and is no failure. */
PP_MUST_CHECK pp_status pp_study_profile(pp_study *study, pp_error *err);

/* assemble.c */
PP_MUST_CHECK pp_status pp_study_assemble(pp_study *study, pp_study_result *ret_result,
                                          pp_error *err);

/** The result of a study whose documents are there already; nothing is written. */
PP_MUST_CHECK pp_status pp_study_derive_again(pp_study *study, pp_study_result *ret_result,
                                              pp_error *err);

/* files.c: paths and small files of the bundle */
const pp_plan_candidate *pp_study_candidate(const pp_study *study, const pp_study_step *step);
/** Number of the attempt at this step that was begun last. */
int64_t pp_study_attempt(const pp_study *study, const pp_study_step *step);
/** "q4, pass 1 of 2", "q4", "documents": for people */
const char *pp_study_what(const pp_study *study, const pp_study_step *step);
const char *pp_study_model_path(const pp_study *study, const pp_plan_candidate *candidate);
PP_MUST_CHECK pp_status pp_study_ensure_folder(pp_study *study, const char *path, pp_error *err);
PP_MUST_CHECK pp_status pp_study_save_json(pp_study *study, const char *path, const pp_json *value,
                                           pp_error *err);
/** The same for an object that lacks "schema_version" and "document": they are added. */
PP_MUST_CHECK pp_status pp_study_save_document(pp_study *study, const char *path, const char *name,
                                               pp_json *value, pp_error *err);
PP_MUST_CHECK pp_status pp_study_write_status(pp_study *study, bool complete, const char *reason,
                                              pp_error *err);

/* pause.c: what happens before a run */
typedef struct pp_study_pause_facts {
    bool known; /* the plan waits until the machine is idle; the rest is zeroed otherwise */
    int64_t waited_ms;
    bool gave_up;                  /* it did not become idle in time */
    pp_maybe_real foreign_percent; /* of one core, by others, over the last whole look */
} pp_study_pause_facts;

/** Wait as the plan says. Fails with PP_ERR_INTERRUPTED, PP_ERR_UNAVAILABLE as pp_watch_start. */
PP_MUST_CHECK pp_status pp_study_pause(pp_study *study, pp_study_pause_facts *ret_facts,
                                       pp_error *err);
pp_json *pp_study_pause_to_json(pp_arena *arena, const pp_study_pause_facts *facts);

/* record.c: the record of a run */
typedef struct pp_study_record {
    const pp_study_step *step;
    pp_study_pause_facts pause;
    int64_t started_unix_ms;
    int64_t started_ns;
    pp_watch *watch;
    const char *failure; /* NULL: complete */
    bool interrupted;    /* the failure is that we were asked to stop */
    const pp_json *exit; /* of the measured program; NULL until it ended */
    int64_t duration_ns;
    pp_watch_result watched;
} pp_study_record;

/** Pause as the plan says, then start the watch. */
PP_MUST_CHECK pp_status pp_study_record_begin(pp_study *study, const pp_study_step *step,
                                              pp_study_record *ret_record, pp_error *err);
/** Note an error of the measured program as the failure of this run. */
void pp_study_record_failure(pp_study *study, pp_study_record *record, const pp_error *failure);
/** Is an error of a run ours? Then nothing is said about the measured program, and the run can be
 * made again once the cause is gone: a file that cannot be written, missing memory, a full disk. */
bool pp_study_is_our_failure(const pp_study *study, pp_error *failure);
/**
 * What a run returns once its files are written: the failure of its measurement where that is ours,
 * else what came of writing them.
 *
 * failure   of `measured`; not looked at when that is PP_OK
 * saved     of writing; its error stands in `err` already
 */
PP_MUST_CHECK pp_status pp_study_first_failure(const pp_study *study, pp_status measured,
                                               pp_error *failure, pp_status saved, pp_error *err);
/** The object `exit` of a run. */
pp_json *pp_study_exit_to_json(pp_arena *arena, const pp_child_exit *ended);
void pp_study_record_exit(pp_study *study, pp_study_record *record, const pp_child_exit *ended);
/** Stop the watch and write the record. */
PP_MUST_CHECK pp_status pp_study_record_end(pp_study *study, pp_study_record *record,
                                            const char *path, pp_study_outcome *ret_outcome,
                                            pp_error *err);

/* progress.c */
/** `note` is what came out of the step that has just ended; NULL at its begin. */
void pp_study_report(pp_study *study, pp_study_phase phase, const char *what, const char *note);

PP_MUST_CHECK pp_status pp_study_check_stop(const pp_study *study, pp_error *err);

#endif
