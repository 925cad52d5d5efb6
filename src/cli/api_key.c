#include "cli/api_key.h"

#include <stdlib.h>

#include "base/files.h"

#define KEY_MAX_BYTES ((size_t)64 << 10)

/* Blanks and line ends around it are none of it. */
static pp_status check_key(pp_arena *arena, const char *from, pp_text key, pp_text *ret_key,
                           pp_error *err)
{
    key = pp_text_strip(key);
    if (key.size == 0)
        return pp_fail(err, PP_ERR_USAGE, "'%s' holds no key", from);
    for (size_t i = 0; i < key.size; i++)
        if ((unsigned char)key.data[i] <= ' ' || (unsigned char)key.data[i] > '~')
            return pp_fail(err, PP_ERR_USAGE,
                           "'%s': byte %zu of the key is no printable ASCII character", from,
                           i + 1);
    *ret_key = pp_text_dup(arena, key);
    return pp_arena_check(arena, err);
}

pp_status pp_api_key_from_file(pp_arena *arena, const char *path, pp_text *ret_key, pp_error *err)
{
    pp_buf bytes;
    pp_status st;

    pp_buf_init(&bytes, KEY_MAX_BYTES);
    st = pp_file_read(path, &bytes, err);
    if (st == PP_OK)
        st = check_key(arena, path, (pp_text){pp_buf_text(&bytes), bytes.size}, ret_key, err);
    pp_buf_done(&bytes);
    return st;
}

pp_status pp_api_key_from_variable(pp_arena *arena, const char *name, pp_text *ret_key,
                                   pp_error *err)
{
    const char *value = getenv(name);

    if (value == NULL)
        return pp_fail(err, PP_ERR_USAGE, "'%s' is not set", name);
    return check_key(arena, name, pp_text_of(value), ret_key, err);
}

pp_status pp_api_key_read(pp_arena *arena, const pp_args *args, pp_api_key *ret_key, pp_error *err)
{
    const char *path = pp_args_value(args, "api-key-file");
    const char *name = pp_args_value(args, "api-key-env");
    pp_status st;

    *ret_key = (pp_api_key){0};
    if (path != NULL && name != NULL)
        return pp_fail(err, PP_ERR_USAGE, "--api-key-file and --api-key-env exclude each other");
    if (path == NULL && name == NULL)
        return PP_OK;
    if (path != NULL)
        st = pp_wrap(err, pp_api_key_from_file(arena, path, &ret_key->key, err), "--api-key-file");
    else
        st = pp_wrap(err, pp_api_key_from_variable(arena, name, &ret_key->key, err),
                     "--api-key-env");
    if (st != PP_OK)
        return st;
    ret_key->headers[0] = pp_arena_printf(arena, "Authorization: Bearer %.*s",
                                          (int)ret_key->key.size, ret_key->key.data);
    ret_key->header_count = 1;
    return pp_arena_check(arena, err);
}
