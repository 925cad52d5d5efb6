/* value.h - inside json/ only: how the reader grows a tree it knows the size of. */
#ifndef PP_JSON_VALUE_H
#define PP_JSON_VALUE_H

#include "json/json.h"

/** Make room so that the next `count` additions do not grow the array or object again. */
void pp_json_reserve_items(pp_arena *arena, pp_json *array, size_t count);
void pp_json_reserve_members(pp_arena *arena, pp_json *object, size_t count);

/** As pp_json_set_text_key, for a key known to be new. */
void pp_json_append_member(pp_arena *arena, pp_json *object, pp_text key, const pp_json *value);

#endif
