/* suite_fidelity.h - how close the next-token distributions of endpoints are to the reference's. */
#ifndef PP_CLI_SUITE_FIDELITY_H
#define PP_CLI_SUITE_FIDELITY_H

#include "cli/suite_session.h"
#include "quality/agreement.h"

/**
 * Ask every endpoint about the contexts of the suite and compare all but the reference with it.
 *
 * ret_agreements   beside the endpoints; that of the reference is zeroed
 *
 * A request that fails, or a server that cannot be compared, is a gap. Fails with
 * PP_ERR_INTERRUPTED when a signal came, and as pp_fidelity_ask.
 */
PP_MUST_CHECK pp_status pp_suite_fidelity_ask(pp_suite_session *session,
                                              pp_agreement **ret_agreements, pp_error *err);

/** The part `fidelity` of each compared endpoint of a report. */
PP_MUST_CHECK pp_status pp_suite_fidelity_put(pp_arena *arena, const pp_agreement *agreements,
                                              pp_suite_report *report, pp_error *err);

/** A table with a row for each compared endpoint, and why there are no figures where there are
 * none. */
PP_MUST_CHECK pp_status pp_suite_fidelity_print(pp_arena *arena, const pp_agreement *agreements,
                                                const pp_suite_report *report, FILE *out,
                                                pp_error *err);

#endif
