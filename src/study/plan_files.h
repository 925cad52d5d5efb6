/* plan_files.h - inside study/ only: files that a plan names beside itself. */
#ifndef PP_STUDY_PLAN_FILES_H
#define PP_STUDY_PLAN_FILES_H

#include "study/context.h"

/**
 * All of them, checked: suite, load plan, policies and configurations of gateways, each from its
 * place or, in a study that goes on, from the bundle; nothing where the plan has null. Fails with
 * PP_ERR_DOMAIN when one has another digest, PP_ERR_IO, PP_ERR_SYNTAX, PP_ERR_SCHEMA; the member of
 * the plan is named.
 */
PP_MUST_CHECK pp_status pp_study_read_plan_files(pp_study *study, pp_error *err);

/** Into the bundle, byte for byte. */
PP_MUST_CHECK pp_status pp_study_write_plan_files(pp_study *study, pp_error *err);

#endif
