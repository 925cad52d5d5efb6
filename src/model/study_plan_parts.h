/* study_plan_parts.h - inside model/ only: the parts of a study plan, each decoded in a file of its
 * own. All expect that the table of the plan has been checked. */
#ifndef PP_MODEL_STUDY_PLAN_PARTS_H
#define PP_MODEL_STUDY_PLAN_PARTS_H

#include "model/study_plan.h"

/** Texts of a checked list; they stay in the document. */
pp_text *pp_plan_texts(pp_arena *arena, const pp_json *list, size_t *ret_count);

/* study_plan_inputs.c */
PP_MUST_CHECK pp_status pp_plan_decode_engines(pp_arena *arena, const pp_json *root,
                                               pp_study_plan *plan, pp_error *err);
PP_MUST_CHECK pp_status pp_plan_decode_models(pp_arena *arena, const pp_json *root,
                                              pp_study_plan *plan, pp_error *err);

/* study_plan_candidates.c, after engines and models */
PP_MUST_CHECK pp_status pp_plan_decode_candidates(pp_arena *arena, const pp_json *root,
                                                  pp_study_plan *plan, pp_error *err);

/* study_plan_stages.c, after candidates */
PP_MUST_CHECK pp_status pp_plan_decode_stages(pp_arena *arena, const pp_json *root,
                                              pp_study_plan *plan, pp_error *err);

/* study_plan_work.c */
PP_MUST_CHECK pp_status pp_plan_decode_work(pp_arena *arena, const pp_json *root,
                                            pp_study_plan *plan, pp_error *err);

/* study_plan_quality.c, at the end */
PP_MUST_CHECK pp_status pp_plan_check_quality(const pp_study_plan *plan, pp_error *err);

#endif
