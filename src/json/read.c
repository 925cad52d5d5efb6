/* Reading: Jansson parses, our own tree is what everyone sees. What is plain takes a shorter way.
 */
#include <jansson.h>
#include <string.h>

#include "base/files.h"
#include "json/json.h"
#include "json/plain.h"
#include "json/value.h"

static pp_json *convert(pp_arena *arena, const json_t *from, int depth, bool *too_deep);

static void convert_array(pp_arena *arena, const json_t *from, int depth, bool *too_deep,
                          pp_json *array)
{
    size_t count = json_array_size(from);

    pp_json_reserve_items(arena, array, count);
    for (size_t i = 0; i < count && !*too_deep; i++)
        pp_json_add(arena, array, convert(arena, json_array_get(from, i), depth + 1, too_deep));
}

static void convert_object(pp_arena *arena, const json_t *from, int depth, bool *too_deep,
                           pp_json *object)
{
    json_t *unconst = (json_t *)from; /* json_object_iter takes no const object, but changes none */

    pp_json_reserve_members(arena, object, json_object_size(from));
    for (void *iter = json_object_iter(unconst); iter != NULL && !*too_deep;
         iter = json_object_iter_next(unconst, iter)) {
        const char *key = json_object_iter_key(iter);
        pp_json *value = convert(arena, json_object_iter_value(iter), depth + 1, too_deep);

        pp_json_append_member(arena, object, pp_text_of(key), value);
    }
}

static pp_json *convert(pp_arena *arena, const json_t *from, int depth, bool *too_deep)
{
    pp_json *value = NULL;

    if (depth > PP_JSON_MAX_DEPTH) {
        *too_deep = true;
        return NULL;
    }
    switch (json_typeof(from)) {
    case JSON_NULL:
        return pp_json_new_null(arena);
    case JSON_TRUE:
    case JSON_FALSE:
        return pp_json_new_bool(arena, json_is_true(from));
    case JSON_INTEGER:
        return pp_json_new_int(arena, json_integer_value(from));
    case JSON_REAL:
        return pp_json_new_real(arena, json_real_value(from));
    case JSON_STRING:
        return pp_json_new_text(arena,
                                (pp_text){json_string_value(from), json_string_length(from)});
    case JSON_ARRAY:
        value = pp_json_new_array(arena);
        if (value != NULL)
            convert_array(arena, from, depth, too_deep, value);
        return value;
    case JSON_OBJECT:
        value = pp_json_new_object(arena);
        if (value != NULL)
            convert_object(arena, from, depth, too_deep, value);
        return value;
    }
    return NULL;
}

/* Jansson's own words, without the tail that quotes the input: it may hold anything. */
static pp_status fail_syntax(pp_error *err, const char *name, const json_error_t *from)
{
    char reason[JSON_ERROR_TEXT_LENGTH];
    char *near;

    (void)snprintf(reason, sizeof reason, "%s", from->text);
    near = strstr(reason, " near ");
    if (near != NULL)
        *near = '\0';
    if (from->line < 0)
        return pp_fail(err, PP_ERR_SYNTAX, "'%s': not strict JSON: %s", name, reason);
    return pp_fail(err, PP_ERR_SYNTAX, "'%s': line %d, column %d: not strict JSON: %s", name,
                   from->line, from->column, reason);
}

bool pp_json_has_mark(const char *bytes, size_t size)
{
    return size >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0;
}

pp_status pp_json_parse(pp_arena *arena, const char *name, const char *bytes, size_t size,
                        const pp_json **ret_root, pp_error *err)
{
    const size_t flags = JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL | JSON_DECODE_ANY;
    json_error_t json_error;
    json_t *loaded;
    pp_json *root;
    bool too_deep = false;

    if (size > PP_JSON_MAX_BYTES)
        return pp_fail(err, PP_ERR_LIMIT, "'%s': %zu bytes, expected at most %zu", name, size,
                       PP_JSON_MAX_BYTES);
    if (pp_json_has_mark(bytes, size))
        return pp_fail(err, PP_ERR_SYNTAX,
                       "'%s': line 1, column 1: not strict JSON: a byte-order mark, which some "
                       "editors put in front; save the file as UTF-8 without one",
                       name);
    root = size > PP_JSON_PLAIN_MAX_BYTES ? NULL : pp_json_read_plain(arena, bytes, size);
    if (root != NULL) {
        *ret_root = root;
        return PP_OK;
    }
    loaded = json_loadb(size == 0 ? "" : bytes, size, flags, &json_error);
    if (loaded == NULL)
        return fail_syntax(err, name, &json_error);
    root = convert(arena, loaded, 0, &too_deep);
    json_decref(loaded);
    if (too_deep)
        return pp_fail(err, PP_ERR_LIMIT, "'%s': nested deeper than %d levels", name,
                       PP_JSON_MAX_DEPTH);
    if (root == NULL || root->broken)
        return pp_fail(err, PP_ERR_MEMORY, "'%s': out of memory while reading", name);
    *ret_root = root;
    return pp_arena_check(arena, err);
}

pp_status pp_json_read_file(pp_arena *arena, const char *path, pp_buf *ret_bytes,
                            const pp_json **ret_root, pp_error *err)
{
    pp_buf own;
    pp_buf *bytes = ret_bytes;
    pp_status st;

    pp_buf_init(&own, PP_JSON_MAX_BYTES);
    if (bytes == NULL)
        bytes = &own;
    st = pp_file_read(path, bytes, err);
    if (st == PP_OK)
        st = pp_json_parse(arena, path, pp_buf_text(bytes), bytes->size, ret_root, err);
    pp_buf_done(&own);
    return st;
}
