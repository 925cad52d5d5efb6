/* layout.h - where each file of a bundle stands. docs/formats/bundle.md is the list for people.
 *
 * Names are the original's wherever it has the same file. Patterns take a candidate or model id and
 * a pass number (from 1). */
#ifndef PP_EVIDENCE_LAYOUT_H
#define PP_EVIDENCE_LAYOUT_H

#include "model/study_plan.h"

#define PP_BUNDLE_STATUS  "status.json"
#define PP_BUNDLE_PLAN    "plan.json"
#define PP_BUNDLE_JOURNAL "journal.jsonl"
/* Step and number of an attempt that was made again; below it, files under their old paths. */
#define PP_BUNDLE_ATTEMPT "attempts/%s/attempt-%lld"

#define PP_BUNDLE_HOST             "environment/paretopilot-doctor.json"
/* Names in the folder of an engine, see pp_bundle_engine_file. */
#define PP_BUNDLE_ENGINE_NAME      "engine.json"
#define PP_BUNDLE_SERVER_HELP_NAME "llama-server.help.txt"
#define PP_BUNDLE_BENCH_HELP_NAME  "llama-bench.help.txt"
#define PP_BUNDLE_MODEL            "models/%s.json"

#define PP_BUNDLE_PREFLIGHT_COMMAND  "preflight/%s/server-command.json"
#define PP_BUNDLE_PREFLIGHT_STDOUT   "preflight/%s/server.stdout.log"
#define PP_BUNDLE_PREFLIGHT_STDERR   "preflight/%s/server.stderr.log"
#define PP_BUNDLE_PREFLIGHT_ENDPOINT "preflight/%s/endpoint.json"
/* A folder, as those of the other phases below: access log, logs of the servers it started. */
#define PP_BUNDLE_PREFLIGHT_GATEWAY  "preflight/%s/gateway"

#define PP_BUNDLE_CANDIDATES     "experiment/candidates"
#define PP_BUNDLE_SETTINGS       PP_BUNDLE_CANDIDATES "/%s/settings.json"
#define PP_BUNDLE_SERVE_CONFIG   PP_BUNDLE_CANDIDATES "/%s/serve-config.json"
#define PP_BUNDLE_BENCH_COMMAND  PP_BUNDLE_CANDIDATES "/%s/throughput-command.json"
#define PP_BUNDLE_BENCH_ROWS     PP_BUNDLE_CANDIDATES "/%s/raw/pass-%d.jsonl"
#define PP_BUNDLE_BENCH_STDERR   PP_BUNDLE_CANDIDATES "/%s/raw/pass-%d.stderr.log"
#define PP_BUNDLE_BENCH_RUN      PP_BUNDLE_CANDIDATES "/%s/throughput-run-pass-%d.json"
#define PP_BUNDLE_SERVER_COMMAND PP_BUNDLE_CANDIDATES "/%s/server-command-pass-%d.json"
#define PP_BUNDLE_ENDPOINT       PP_BUNDLE_CANDIDATES "/%s/endpoint-pass-%d.json"
#define PP_BUNDLE_SERVER_STDOUT  PP_BUNDLE_CANDIDATES "/%s/server-pass-%d.stdout.log"
#define PP_BUNDLE_SERVER_STDERR  PP_BUNDLE_CANDIDATES "/%s/server-pass-%d.stderr.log"
#define PP_BUNDLE_GATEWAY        PP_BUNDLE_CANDIDATES "/%s/gateway-pass-%d"
#define PP_BUNDLE_SAMPLES        PP_BUNDLE_CANDIDATES "/%s/samples-pass-%d.jsonl"
#define PP_BUNDLE_BODIES         PP_BUNDLE_CANDIDATES "/%s/raw/requests-pass-%d"
#define PP_BUNDLE_SUITE_REPLIES  PP_BUNDLE_CANDIDATES "/%s/raw/suite-pass-%d.jsonl"
#define PP_BUNDLE_RESOURCES      PP_BUNDLE_CANDIDATES "/%s/resource-measurement-pass-%d.json"
#define PP_BUNDLE_SERVER_RUN     PP_BUNDLE_CANDIDATES "/%s/requests-run-pass-%d.json"

#define PP_BUNDLE_SUITE          "experiment/evaluation-suite.json" /* as the plan's folder had it */
#define PP_BUNDLE_QUALITY_REPORT "experiment/quality-report.json"
#define PP_BUNDLE_LOAD_COMMAND   PP_BUNDLE_CANDIDATES "/%s/load-server-command.json"
#define PP_BUNDLE_LOAD_ENDPOINT  PP_BUNDLE_CANDIDATES "/%s/load-endpoint.json"
#define PP_BUNDLE_LOAD_STDOUT    PP_BUNDLE_CANDIDATES "/%s/load-server.stdout.log"
#define PP_BUNDLE_LOAD_STDERR    PP_BUNDLE_CANDIDATES "/%s/load-server.stderr.log"
#define PP_BUNDLE_LOAD_GATEWAY   PP_BUNDLE_CANDIDATES "/%s/load-gateway"
#define PP_BUNDLE_LOAD_SAMPLES   PP_BUNDLE_CANDIDATES "/%s/load-samples.jsonl"
#define PP_BUNDLE_LOAD_REPORT    PP_BUNDLE_CANDIDATES "/%s/load-report.json"
#define PP_BUNDLE_LOAD_RUN       PP_BUNDLE_CANDIDATES "/%s/load-run.json"

/* Of the original's load plan, where the original has them. */
#define PP_BUNDLE_LOAD_PLAN     "extensions/load-plan.json"
#define PP_BUNDLE_PLAN_COMMAND  "extensions/load/%s/server-command.json"
#define PP_BUNDLE_PLAN_ENDPOINT "extensions/load/%s/endpoint.json"
#define PP_BUNDLE_PLAN_STDOUT   "extensions/load/%s/server.stdout.log"
#define PP_BUNDLE_PLAN_STDERR   "extensions/load/%s/server.stderr.log"
#define PP_BUNDLE_PLAN_GATEWAY  "extensions/load/%s/gateway"
#define PP_BUNDLE_PLAN_SAMPLES  "extensions/load/%s/samples.jsonl"
#define PP_BUNDLE_PLAN_REPORT   "extensions/load/%s/load-report.json"
#define PP_BUNDLE_PLAN_RUN      "extensions/load/%s/run.json"
#define PP_BUNDLE_EVALUATION    "extensions/load/%s/load-evaluation.json"
#define PP_BUNDLE_EVALUATIONS   "extensions/load-evaluation.json"
#define PP_BUNDLE_POLICIES      "extensions/policy-config.json"

/* Beside the measurements; no figure comes from them. */
#define PP_BUNDLE_CONTEXT            "context/%s"
#define PP_BUNDLE_CONTEXT_ATTEMPT    "attempts/profile/%s/attempt-%lld/context/%s"
#define PP_BUNDLE_PROFILE_RUN        PP_BUNDLE_CONTEXT "/profile.json"
#define PP_BUNDLE_PROFILE_STDOUT     PP_BUNDLE_CONTEXT "/profile.stdout.log"
#define PP_BUNDLE_PROFILE_STDERR     PP_BUNDLE_CONTEXT "/profile.stderr.log"
#define PP_BUNDLE_PROFILE_COMMAND    PP_BUNDLE_CONTEXT "/server-command.json"
#define PP_BUNDLE_PROFILE_SERVER_OUT PP_BUNDLE_CONTEXT "/server.stdout.log"
#define PP_BUNDLE_PROFILE_SERVER_ERR PP_BUNDLE_CONTEXT "/server.stderr.log"
#define PP_BUNDLE_PROFILE_GATEWAY    PP_BUNDLE_CONTEXT "/gateway"

/* What else follows from the set. */
#define PP_BUNDLE_PASSPORT  "extensions/decision-passport.json"
#define PP_BUNDLE_RECEIPT   "extensions/optimization-receipt.md"
#define PP_BUNDLE_PROFILES  "extensions/policy-profiles.json"
#define PP_BUNDLE_PASS_SET  "extensions/benchmark-set-pass-%d.json"
#define PP_BUNDLE_STABILITY "extensions/repeat-stability.json"

#define PP_BUNDLE_BENCHMARK_SET  "experiment/benchmark-set.json"
#define PP_BUNDLE_CONSTRAINTS    "experiment/constraints.json"
#define PP_BUNDLE_RECOMMENDATION "experiment/recommendation.json"
#define PP_BUNDLE_DETAILS        "experiment/decision-details.json"
#define PP_BUNDLE_REPORT         "experiment/report.html"

/** "<folder>/<name>" for one of the patterns above; NULL when memory is short. */
char *pp_bundle_path(pp_arena *arena, const char *folder, const char *pattern, ...) PP_PRINTF(3, 4);

/**
 * The same for a pattern that is not known before the program runs.
 *
 * folder   "": the path within the bundle
 * id       NULL: of a pattern that takes a pass alone
 * pass     not looked at by a pattern that takes none
 */
char *pp_bundle_fill(pp_arena *arena, const char *folder, const char *pattern, const char *id,
                     int64_t pass);

/** Where a file of one engine of a plan stands: "environment/<name>" when there is one engine,
 * "environment/engines/<id>/<name>" when there are several. */
char *pp_bundle_engine_file(pp_arena *arena, const pp_study_plan *plan, size_t engine,
                            const char *name);

/** Does a path that somebody else wrote down lead to a file of the bundle, and is it the only way
 * to write it? Relative, without empty, "." and ".." parts, backslashes, CR, LF and NUL. */
bool pp_bundle_is_path(const char *path, size_t size);

#endif
