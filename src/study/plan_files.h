/* plan_files.h - inside study/ only: files that a plan names beside itself. */
#ifndef PP_STUDY_PLAN_FILES_H
#define PP_STUDY_PLAN_FILES_H

#include "study/context.h"

/**
 * A JSON file of the plan, from its place or, in a study that goes on, from the bundle; nothing
 * where the plan has null. Fails with PP_ERR_DOMAIN when it has another digest, PP_ERR_IO,
 * PP_ERR_SYNTAX; the member of the plan is named.
 */
PP_MUST_CHECK pp_status pp_study_read_plan_file(pp_study *study, const pp_plan_file *file,
                                                const char *member, const char *bundle_name,
                                                pp_study_file *ret_file, pp_error *err);

/** All of them, checked. */
PP_MUST_CHECK pp_status pp_study_read_plan_files(pp_study *study, pp_error *err);

/** Into the bundle, byte for byte. */
PP_MUST_CHECK pp_status pp_study_write_plan_files(pp_study *study, pp_error *err);

#endif
