/* bundle.h - what a page about a whole bundle knows beside its documents, as finished facts: what
 * `verify` said in the same call, the plan, and the runs with their samples and their noise.
 *
 * Somebody else reads and checks the files; this module only shows what it is given. */
#ifndef PP_REPORT_BUNDLE_H
#define PP_REPORT_BUNDLE_H

#include "base/maybe.h"
#include "model/study_plan.h"

typedef struct pp_report_finding {
    const char *rule; /* "file-digest" */
    const char *path; /* in the bundle */
    const char *expected, *found;
} pp_report_finding;

typedef struct pp_report_verification {
    bool is_verified;
    const char *verdict; /* "verified", "differs" or "undecided" */
    const char *why;     /* undecided: because ...; else NULL */
    const char *sums_sha256;
    const char *plan_sha256;    /* NULL when there is no plan, as the next */
    const char *journal_sha256; /* of its last line, which the others hang on */
    const char *derivation_version;
    size_t listed_count, hashed_count, journal_line_count, derived_count;
    const pp_report_finding *findings;
    size_t finding_count;
} pp_report_verification;

/* One measured request. Times are NAN where they were not measured. */
typedef struct pp_report_request {
    double ttft_ms, e2e_ms;
    bool failed;
} pp_report_request;

/* One attempt at a measuring step: a program ran, and the noise watch ran beside it. */
typedef struct pp_report_run {
    pp_text candidate_id;
    pp_text phase;   /* "throughput", "requests", "load", "load-plan" */
    int64_t pass;    /* 0: the phase has none */
    int64_t attempt; /* from 1 */
    bool counts;     /* false: a later attempt replaced it */
    bool failed;
    int64_t started_unix_ms;
    int64_t duration_ns;
    const pp_json *watch; /* docs/formats/doctor.md, "watch"; NULL when it could not be read */
    const pp_report_request *requests; /* the measured ones of a "requests" run, in their order */
    size_t request_count;
} pp_report_run;

typedef struct pp_report_bundle {
    pp_text name; /* of its folder, for commands */
    pp_report_verification verification;
    const pp_study_plan *plan; /* NULL when plan.json cannot be read */
    const pp_report_run *runs; /* by start, those of one instant by phase, candidate and pass */
    size_t run_count;
    const char
        *unread; /* a file of the bundle that lacks here, because it cannot be read; or NULL */
} pp_report_bundle;

#endif
