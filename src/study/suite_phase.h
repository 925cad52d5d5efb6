/* suite_phase.h - inside study/ only: a study asks its quality suite. */
#ifndef PP_STUDY_SUITE_PHASE_H
#define PP_STUDY_SUITE_PHASE_H

#include "study/context.h"
#include "study/target.h"

/** Refuse a baseline whose answers cannot be judged although the constraints want them judged;
 * after the models were read. */
PP_MUST_CHECK pp_status pp_study_check_baseline(const pp_study *study, pp_error *err);

/* What came of asking. */
typedef struct pp_suite_tally {
    size_t asked_count; /* cases and contexts */
    size_t failed_count;
} pp_suite_tally;

/**
 * Ask the cases of the suite, then its contexts, one request after the other, and keep every reply
 * below `path`.
 *
 * target   the server of this run; its key is in no file
 * Fails with PP_ERR_INTERRUPTED after a stop, when what came is kept; PP_ERR_IO. A request that
 * fails is a result.
 */
PP_MUST_CHECK pp_status pp_study_ask_suite(pp_study *study, const pp_study_target *target,
                                           const char *path, pp_suite_tally *ret_tally,
                                           pp_error *err);

#endif
