#include "cli/serve_keys.h"

#include <string.h>

#include "cli/api_key.h"

const char *pp_serve_path(pp_arena *arena, const char *folder, pp_text path)
{
    if ((path.size > 0 && path.data[0] == '/') || strcmp(folder, ".") == 0)
        return pp_arena_dup(arena, path.data, path.size);
    return pp_arena_printf(arena, "%s/%.*s", folder, (int)path.size, path.data);
}

static pp_status read_one(pp_arena *arena, const pp_serve_backend *row, const char *folder,
                          pp_text *ret_key, pp_error *err)
{
    const char *name;

    *ret_key = (pp_text){"", 0};
    if (row->kind != PP_SERVE_ENDPOINT)
        return PP_OK;
    if (row->api_key_file.size > 0) {
        name = pp_serve_path(arena, folder, row->api_key_file);
        return name == NULL ? pp_arena_check(arena, err)
                            : pp_api_key_from_file(arena, name, ret_key, err);
    }
    if (row->endpoint.api_key_env.size == 0)
        return PP_OK;
    name = pp_arena_dup(arena, row->endpoint.api_key_env.data, row->endpoint.api_key_env.size);
    return name == NULL ? pp_arena_check(arena, err)
                        : pp_api_key_from_variable(arena, name, ret_key, err);
}

pp_status pp_serve_keys_read(pp_arena *arena, const pp_serve_config *config, const char *folder,
                             const pp_text **ret_keys, pp_error *err)
{
    pp_text *keys = PP_ARENA_NEW(arena, pp_text, config->backend_count);
    pp_status st = keys == NULL ? pp_arena_check(arena, err) : PP_OK;

    for (size_t i = 0; st == PP_OK && i < config->backend_count; i++) {
        pp_text id = config->backends[i].id;

        st = pp_wrap(err, read_one(arena, &config->backends[i], folder, &keys[i], err),
                     "key of back end '%.*s'", (int)id.size, id.data);
    }
    *ret_keys = keys;
    return st;
}
