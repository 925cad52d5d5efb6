/* value.h - inside json/ only: how the reader grows a tree it knows the size of. */
#ifndef PP_JSON_VALUE_H
#define PP_JSON_VALUE_H

#include "json/json.h"

/** Zeroed, of this kind; NULL when memory is short. */
pp_json *pp_json_new_value(pp_arena *arena, pp_json_kind kind);

/** Make room so that the next `count` additions do not grow the array or object again. */
void pp_json_reserve_items(pp_arena *arena, pp_json *array, size_t count);
void pp_json_reserve_members(pp_arena *arena, pp_json *object, size_t count);

/** As pp_json_set_text_key, for a key known to be new. */
void pp_json_append_member(pp_arena *arena, pp_json *object, pp_text key, const pp_json *value);

/** The same for a key that lives in the arena already. */
void pp_json_take_member(pp_arena *arena, pp_json *object, pp_text key, const pp_json *value);

#endif
