/* suite_evaluation.h - the original's server evaluation: one pass of answers and latencies, or
 * several passes pooled. */
#ifndef PP_CLI_SUITE_EVALUATION_H
#define PP_CLI_SUITE_EVALUATION_H

#include "cli/suite_session.h"

/**
 * Send the latency requests of the suite to the one endpoint of a session whose cases have been
 * asked, and make the evaluation. One request that failed or whose count of tokens is not what was
 * asked, warm-ups included, and there is no evaluation.
 *
 * Fails with PP_ERR_PEER naming case or request, PP_ERR_INTERRUPTED, and as pp_evaluation_build.
 */
PP_MUST_CHECK pp_status pp_suite_evaluation_make(pp_suite_session *session, pp_json **ret_document,
                                                 pp_error *err);

/** Pool the evaluations of --pool. Fails with PP_ERR_USAGE when a file stands there twice, and as
 * pp_server_evaluation_read and pp_evaluation_pool. */
PP_MUST_CHECK pp_status pp_suite_evaluations_pool(pp_arena *arena, const pp_args *args,
                                                  pp_json **ret_document, pp_error *err);

#endif
