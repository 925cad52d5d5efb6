/* suite_report.h - the document `suite-report`: what a suite asked, what came back, what follows.
 *
 * Everything that follows is computed anew from the recorded answers by pp_suite_report_again, so
 * that a report that was edited is found. Pure. docs/formats/suite-report.md. */
#ifndef PP_QUALITY_SUITE_REPORT_H
#define PP_QUALITY_SUITE_REPORT_H

#include "digest/sha256.h"
#include "quality/pairing.h"
#include "json/json.h"

typedef struct pp_suite_endpoint {
    pp_text name;                      /* unique among the endpoints */
    pp_text url;                       /* without user, password, query and fragment */
    pp_text server_kind, model, build; /* as the server told; empty: it did not */
    pp_origin origin;
    pp_maybe_bool speculation; /* as the server told of itself; drafted tokens overrule it */
    pp_suite_results results;
    const pp_json
        *fidelity; /* part `fidelity` (quality/agreement.h), put in as it is; NULL: none */
} pp_suite_endpoint;

typedef struct pp_suite_report {
    pp_text tool_version;
    int64_t started_unix_ms;
    bool is_partial; /* not all that was asked was done; what was never asked is a failed result */
    const pp_suite *suite;
    char suite_sha256[PP_SHA256_HEX_SIZE];         /* of the file */
    char suite_content_sha256[PP_SHA256_HEX_SIZE]; /* of its canonical form */
    /* Of the system prompt that was sent, the suite's or another in its place; empty: none was. */
    char system_prompt_sha256[PP_SHA256_HEX_SIZE];
    pp_suite_endpoint *endpoints; /* all with the same number of passes */
    size_t endpoint_count;
    bool has_reference;
    size_t reference;    /* number of the endpoint that the others are compared with */
    pp_maybe_real floor; /* asked for; above 0, below 1 */
} pp_suite_report;

/** Neither empty nor with a user, password, query or fragment, which may hold a key. */
bool pp_suite_url_is_bare(pp_text url);

/** The document. Fails with PP_ERR_DOMAIN when a name stands twice, an address holds what it must
 * not, passes differ in number, or an outcome does not fit its texts; PP_ERR_MEMORY. */
PP_MUST_CHECK pp_status pp_suite_report_to_json(pp_arena *arena, const pp_suite_report *report,
                                                pp_json **ret_document, pp_error *err);

/** What was recorded, without what follows (a part `fidelity` is made again); the suite knows ids,
 * groups and token limits of its cases and the sampling, no more. Texts are borrowed from `root`.
 * Fails with PP_ERR_SCHEMA
 * "$.path: ...", also for results that do not belong to the cases of the report. */
PP_MUST_CHECK pp_status pp_suite_report_decode(pp_arena *arena, const pp_json *root,
                                               pp_suite_report *ret_report, pp_error *err);

/* The suite of a report as its own file says it. */
typedef struct pp_suite_source {
    const pp_suite *suite;
    const char *sha256, *content_sha256;
} pp_suite_source;

/**
 * Every place where a report does not say what follows from its recorded answers: each derived
 * figure is computed anew and, where `source` is given, each answer is matched anew and the suite's
 * identity is compared. An empty list: nothing differs.
 *
 * source           NULL: outcomes are taken as recorded
 * ret_differences  texts "$.path: expected ..., which follows from ..., got ..."
 *
 * Fails as pp_suite_report_decode, and with PP_ERR_MEMORY.
 */
PP_MUST_CHECK pp_status pp_suite_report_again(pp_arena *arena, const pp_json *root,
                                              const pp_suite_source *source,
                                              pp_text **ret_differences, size_t *ret_count,
                                              pp_error *err);

/** One row per endpoint, pass and case; RFC 4180, see base/csv.h. Fails as pp_buf_check. */
PP_MUST_CHECK pp_status pp_suite_results_csv(const pp_suite_report *report, pp_buf *csv,
                                             pp_error *err);

#endif
