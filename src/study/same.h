/* same.h - inside study/ only: is a study that goes on still the one that began? */
#ifndef PP_STUDY_SAME_H
#define PP_STUDY_SAME_H

#include "study/context.h"

/** The plan in `folder`, whose digest is `sha256`, is the one that the journal began with. */
PP_MUST_CHECK pp_status pp_study_check_plan(const char *folder, const pp_step_log *log,
                                            const char *sha256, pp_error *err);

/** Documents of the step "verify" are as they were recorded; they say what the rest is held
 * against. */
PP_MUST_CHECK pp_status pp_study_check_documents(pp_study *study, pp_error *err);

/** Both programs of every engine have the recorded digests. */
PP_MUST_CHECK pp_status pp_study_check_engines(pp_study *study, pp_error *err);

/** Architecture, model and number of CPUs are the recorded ones. */
PP_MUST_CHECK pp_status pp_study_check_machine(pp_study *study, pp_error *err);

/** The recorded document of one engine. */
PP_MUST_CHECK pp_status pp_study_read_engine(pp_study *study, size_t engine,
                                             const pp_json **ret_engine, pp_error *err);

#endif
