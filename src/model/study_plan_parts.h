/* study_plan_parts.h - inside model/ only: the parts of a study plan, each decoded in a file of its
 * own. All expect that the table of the plan has been checked. */
#ifndef PP_MODEL_STUDY_PLAN_PARTS_H
#define PP_MODEL_STUDY_PLAN_PARTS_H

#include "model/study_plan.h"

/* ---- shared with the configuration of `serve` ------------------------------------------------ */

/** Texts of a checked list; they stay in the document. */
pp_text *pp_plan_texts(pp_arena *arena, const pp_json *list, size_t *ret_count);

/** Engines of a checked list; fails when an id is used twice or a variable is llama.cpp's. */
PP_MUST_CHECK pp_status pp_plan_decode_engine_list(pp_arena *arena, const pp_json *list,
                                                   pp_plan_engine **ret_engines, size_t *ret_count,
                                                   pp_error *err);
/** Models of a checked list; fails when an id is used twice. A digest that is absent or null is
 * empty, a size 0. */
PP_MUST_CHECK pp_status pp_plan_decode_model_list(pp_arena *arena, const pp_json *list,
                                                  pp_plan_model **ret_models, size_t *ret_count,
                                                  pp_error *err);
/** Index of the engine or model with this id. `at` is the value that names it; fails with "expected
 * the id of an item of `list_path`". */
PP_MUST_CHECK pp_status pp_plan_find_engine(const pp_plan_engine *engines, size_t count,
                                            const pp_json *at, size_t *ret_index, pp_error *err);
PP_MUST_CHECK pp_status pp_plan_find_model(const pp_plan_model *models, size_t count,
                                           const char *list_path, const pp_json *at,
                                           size_t *ret_index, pp_error *err);
/** Words for the end of llama-server's command line; `list` may be NULL. Fails on one that a
 * setting stands for, or that would break its line. */
PP_MUST_CHECK pp_status pp_plan_decode_extra_arguments(pp_arena *arena, const pp_json *list,
                                                       pp_plan_words *ret_words, pp_error *err);
/** Address of a server: http or https, no key in it. */
PP_MUST_CHECK pp_status pp_plan_check_url(const pp_json *url, pp_error *err);

/* ---- of the plan alone ----------------------------------------------------------------------- */

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
