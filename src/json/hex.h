/* hex.h - bytes in JSON, which holds nothing but text: two lower-case hexadecimal digits each. */
#ifndef PP_JSON_HEX_H
#define PP_JSON_HEX_H

#include "json/json.h"

pp_json *pp_json_new_hex(pp_arena *arena, pp_bytes bytes);

/** The bytes of a string, which live in `arena`. Fails with PP_ERR_SCHEMA at the value's place. */
PP_MUST_CHECK pp_status pp_json_get_hex(pp_arena *arena, const pp_json *value, pp_bytes *ret_bytes,
                                        pp_error *err);

#endif
