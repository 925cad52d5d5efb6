/* passport_check_parts.h - inside decide/ only: what the parts of the check share. All values have
 * passed their table, so kinds are certain here. */
#ifndef PP_DECIDE_PASSPORT_CHECK_PARTS_H
#define PP_DECIDE_PASSPORT_CHECK_PARTS_H

#include "base/maybe.h"
#include "decide/passport_check.h"
#include "decide/passport_parts.h"
#include "model/fields.h"

typedef struct pp_passport_view {
    const pp_json *passport;
    const pp_json *objective;
    const pp_json *ladder;
    pp_direction direction;
    pp_name_index by_id; /* position in the ladder of each candidate */
    size_t selected;     /* position; set by pp_passport_check_ladder, as is the next */
    size_t baseline;
} pp_passport_view;

/** Stage at a position, from 0. */
const pp_json *pp_view_stage(const pp_passport_view *view, size_t position);

/** Stage of a candidate; NULL when there is none of this id. */
const pp_json *pp_view_stage_of(const pp_passport_view *view, pp_text id);

/** Member that may be null. */
pp_maybe_real pp_checked_maybe(const pp_json *object, const char *key);

/** A computed number: close to `want`, and null exactly when `want` is not finite. */
PP_MUST_CHECK pp_status pp_passport_check_number(const pp_json *object, const char *key,
                                                 double want, pp_error *err);

/** "absolute" and "percent_of_boundary" of a distance. */
PP_MUST_CHECK pp_status pp_passport_check_distance(const pp_json *distance, double absolute,
                                                   double boundary, pp_error *err);

/** A flag that follows from something else. */
PP_MUST_CHECK pp_status pp_passport_check_flag(const pp_json *object, const char *key, bool want,
                                               const char *because, pp_error *err);

PP_MUST_CHECK pp_status pp_passport_check_change(const pp_json *change, pp_error *err);
PP_MUST_CHECK pp_status pp_passport_check_ladder(pp_arena *arena, pp_passport_view *view,
                                                 pp_error *err);
PP_MUST_CHECK pp_status pp_passport_check_objective(const pp_passport_view *view, pp_error *err);
PP_MUST_CHECK pp_status pp_passport_check_closest_outside(const pp_passport_view *view,
                                                          pp_error *err);
PP_MUST_CHECK pp_status pp_passport_check_alternative(pp_arena *arena, const pp_passport_view *view,
                                                      pp_error *err);

#endif
