#include "cli/api_key.h"

#include <stdlib.h>

#include "base/files.h"

#define KEY_MAX_BYTES ((size_t)64 << 10)

/* The key as a header line. Blanks and line ends around it are none of it. */
static pp_status take_key(pp_arena *arena, pp_api_key *out, const char *from, pp_text key,
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
    out->headers[0] = pp_arena_printf(arena, "Authorization: Bearer %.*s", (int)key.size, key.data);
    out->header_count = 1;
    out->key = pp_text_dup(arena, key);
    return pp_arena_check(arena, err);
}

static pp_status read_file(pp_arena *arena, const char *path, pp_api_key *out, pp_error *err)
{
    pp_buf bytes;
    pp_status st;

    pp_buf_init(&bytes, KEY_MAX_BYTES);
    st = pp_file_read(path, &bytes, err);
    if (st == PP_OK)
        st = take_key(arena, out, path, (pp_text){pp_buf_text(&bytes), bytes.size}, err);
    pp_buf_done(&bytes);
    return pp_wrap(err, st, "--api-key-file");
}

pp_status pp_api_key_read(pp_arena *arena, const pp_args *args, pp_api_key *ret_key, pp_error *err)
{
    const char *path = pp_args_value(args, "api-key-file");
    const char *name = pp_args_value(args, "api-key-env");
    const char *value;

    *ret_key = (pp_api_key){0};
    if (path != NULL && name != NULL)
        return pp_fail(err, PP_ERR_USAGE, "--api-key-file and --api-key-env exclude each other");
    if (path != NULL)
        return read_file(arena, path, ret_key, err);
    if (name == NULL)
        return PP_OK;
    value = getenv(name);
    if (value == NULL)
        return pp_fail(err, PP_ERR_USAGE, "--api-key-env: '%s' is not set", name);
    return pp_wrap(err, take_key(arena, ret_key, name, pp_text_of(value), err), "--api-key-env");
}
