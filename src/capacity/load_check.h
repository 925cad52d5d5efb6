/* load_check.h - load evaluations read strictly: every member that follows from the samples and the
 * command lines is made again and must be the one that was written. Pure. */
#ifndef PP_CAPACITY_LOAD_CHECK_H
#define PP_CAPACITY_LOAD_CHECK_H

#include "model/load_evaluation.h"

/**
 * Read a parsed document and check it. Texts are borrowed from `root`.
 * Fails with PP_ERR_SCHEMA "$.path: expected ..., got ..." for the first member that differs,
 * PP_ERR_DOMAIN "$.evidence_binding: ..." when its command lines cannot be of one server.
 */
PP_MUST_CHECK pp_status pp_load_evaluation_read(pp_arena *arena, const pp_json *root,
                                                pp_load_evaluation *ret_evaluation, pp_error *err);
PP_MUST_CHECK pp_status pp_combined_load_evaluation_read(pp_arena *arena, const pp_json *root,
                                                         pp_combined_load_evaluation *ret_combined,
                                                         pp_error *err);

/**
 * Whether the command lines of a binding are what the two bound files hold, judged by the digests
 * that files of the original have. The documents do not say it, so an unequal digest may also mean
 * that a file was laid out otherwise. Fails with PP_ERR_MEMORY only.
 */
PP_MUST_CHECK pp_status pp_load_binding_proves_argv(const pp_load_binding *binding,
                                                    bool *ret_proves, pp_error *err);

#endif
