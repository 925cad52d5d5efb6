/* suite_session.h - asks the cases of a suite of one endpoint after the other and judges what came.
 */
#ifndef PP_CLI_SUITE_SESSION_H
#define PP_CLI_SUITE_SESSION_H

#include "cli/load_endpoint.h"
#include "cli/progress.h"
#include "cli/suite_options.h"
#include "quality/suite_report.h"

typedef struct pp_suite_target {
    pp_load_endpoint endpoint; /* what it says of itself */
    pp_server_kind kind;
    pp_origin origin;
    pp_suite_asked asked; /* every byte that was sent and came; no replies: it was never its turn */
    pp_suite_results results;
} pp_suite_target;

typedef struct pp_suite_session {
    pp_arena arena;
    pp_suite_command command;
    pp_suite_target targets[PP_SUITE_ENDPOINTS_MAX]; /* beside command.places */
    const volatile sig_atomic_t *stop, *cut_now;
    pp_progress_view view;
    int64_t started_unix_ms, began_ns;
    bool interrupted;

    size_t place;  /* whose turn it is */
    pp_status st;  /* of what was done when a reply came */
    pp_error *err; /* */
} pp_suite_session;

/** Ask every endpoint what it is, before anything is measured. Fails as pp_load_endpoint_ask, and
 * where a --model-file cannot be read. */
PP_MUST_CHECK pp_status pp_suite_session_prepare(pp_suite_session *session, pp_error *err);

/** Ask all cases. Failed requests are results; so is an interruption, which the session notes.
 * Fails as pp_suite_ask. */
PP_MUST_CHECK pp_status pp_suite_session_run(pp_suite_session *session, pp_error *err);

/** How one endpoint is asked. */
pp_suite_ask_options pp_suite_session_options(pp_suite_session *session, size_t place);

/** What is reported; it points into the session. `fidelity` parts are for the caller to add. */
PP_MUST_CHECK pp_status pp_suite_session_report(pp_suite_session *session,
                                                pp_suite_report *ret_report, pp_error *err);

#endif
