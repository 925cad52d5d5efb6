#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json/json.h"

const char *pp_json_kind_name(const pp_json *value)
{
    static const char *const names[] = {
        [PP_JSON_NULL] = "null",     [PP_JSON_BOOL] = "boolean",  [PP_JSON_INTEGER] = "integer",
        [PP_JSON_REAL] = "number",   [PP_JSON_STRING] = "string", [PP_JSON_ARRAY] = "array",
        [PP_JSON_OBJECT] = "object",
    };

    return value == NULL ? "nothing" : names[value->kind];
}

static bool is_plain_word(pp_text key)
{
    if (key.size == 0 || key.size > 128)
        return false;
    for (size_t i = 0; i < key.size; i++) {
        char c = key.data[i];

        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
              (i > 0 && ((c >= '0' && c <= '9') || c == '-'))))
            return false;
    }
    return true;
}

static size_t write_path(const pp_json *value, char *out, size_t room)
{
    char escaped[160];
    size_t used;
    int length;

    if (value->parent == NULL) {
        (void)snprintf(out, room, "$");
        return 1;
    }
    used = write_path(value->parent, out, room);
    if (used + 1 >= room)
        return used;
    if (value->parent->kind == PP_JSON_ARRAY) {
        length = snprintf(out + used, room - used, "[%zu]", value->index);
    } else if (is_plain_word(value->key)) {
        length = snprintf(out + used, room - used, ".%s", value->key.data);
    } else {
        pp_text_escape_controls(value->key.data, value->key.size, escaped, sizeof escaped);
        length = snprintf(out + used, room - used, "[\"%s\"]", escaped);
    }
    used += length < 0 ? 0 : (size_t)length;
    return used < room ? used : room - 1;
}

const char *pp_json_path(const pp_json *value, char out[PP_JSON_PATH_MAX])
{
    if (value == NULL)
        (void)snprintf(out, PP_JSON_PATH_MAX, "$");
    else
        (void)write_path(value, out, PP_JSON_PATH_MAX);
    return out;
}

pp_status pp_json_fail(const pp_json *at, pp_error *err, const char *format, ...)
{
    char path[PP_JSON_PATH_MAX];
    char sentence[PP_ERROR_TEXT_MAX / 2];
    va_list args;

    va_start(args, format);
    (void)vsnprintf(sentence, sizeof sentence, format, args);
    va_end(args);
    return pp_fail(err, PP_ERR_SCHEMA, "%s: %s", pp_json_path(at, path), sentence);
}

pp_json *pp_json_find_text(const pp_json *object, pp_text key)
{
    if (object == NULL || object->kind != PP_JSON_OBJECT)
        return NULL;
    for (size_t i = 0; i < object->object.count; i++) {
        const pp_json_member *member = &object->object.members[i];

        /* Most differ in length: no call for those. */
        if (member->key.size == key.size && pp_text_equal(member->key, key))
            return member->value;
    }
    return NULL;
}

static bool is_among(pp_text key, const char *const *keys, size_t n_keys)
{
    for (size_t i = 0; i < n_keys; i++) {
        if (pp_text_is(key, keys[i]))
            return true;
    }
    return false;
}

static int compare_keys(const void *a, const void *b)
{
    return pp_text_compare(((const pp_json_member *)a)->key, ((const pp_json_member *)b)->key);
}

/* "'a', 'b'" of the unknown members, sorted */
static void list_unknown(const pp_json *object, const char *const *keys, size_t n_keys, pp_buf *out)
{
    pp_json_member *sorted = malloc(object->object.count * sizeof *sorted);

    if (sorted == NULL)
        return;
    memcpy(sorted, object->object.members, object->object.count * sizeof *sorted);
    qsort(sorted, object->object.count, sizeof *sorted, compare_keys);
    for (size_t i = 0; i < object->object.count; i++) {
        char escaped[128];

        if (is_among(sorted[i].key, keys, n_keys))
            continue;
        pp_text_escape_controls(sorted[i].key.data, sorted[i].key.size, escaped, sizeof escaped);
        pp_buf_printf(out, "%s'%s'", out->size == 0 ? "" : ", ", escaped);
    }
    free(sorted);
}

pp_status pp_json_only_keys(const pp_json *object, const char *const *keys, size_t n_keys,
                            pp_error *err)
{
    pp_buf unknown;
    pp_buf known;
    pp_status st = pp_json_expect(object, PP_JSON_OBJECT, err);
    size_t i = 0;

    if (st != PP_OK)
        return st;
    while (i < object->object.count && is_among(object->object.members[i].key, keys, n_keys))
        i++;
    if (i == object->object.count)
        return PP_OK;
    pp_buf_init(&unknown, 512);
    pp_buf_init(&known, 512);
    list_unknown(object, keys, n_keys, &unknown);
    for (i = 0; i < n_keys; i++)
        pp_buf_printf(&known, "%s%s", i == 0 ? "" : ", ", keys[i]);
    st = pp_json_fail(object, err, "unknown key %s; expected only: %s", pp_buf_text(&unknown),
                      pp_buf_text(&known));
    pp_buf_done(&unknown);
    pp_buf_done(&known);
    return st;
}

pp_status pp_json_require(const pp_json *object, const char *key, const pp_json **ret_value,
                          pp_error *err)
{
    pp_status st = pp_json_expect(object, PP_JSON_OBJECT, err);

    if (st != PP_OK)
        return st;
    *ret_value = pp_json_find(object, key);
    if (*ret_value == NULL)
        return pp_json_fail(object, err, "required key '%s' is missing", key);
    return PP_OK;
}

static pp_status fail_kind(const pp_json *value, const char *expected, pp_error *err)
{
    return pp_json_fail(value, err, "expected %s, got %s", expected, pp_json_kind_name(value));
}

pp_status pp_json_expect(const pp_json *value, pp_json_kind kind, pp_error *err)
{
    pp_json example = {.kind = kind};

    if (value != NULL && value->kind == kind)
        return PP_OK;
    return fail_kind(value, pp_json_kind_name(&example), err);
}

pp_status pp_json_get_bool(const pp_json *value, bool *ret_value, pp_error *err)
{
    if (value->kind != PP_JSON_BOOL)
        return fail_kind(value, "true or false", err);
    *ret_value = value->boolean;
    return PP_OK;
}

pp_status pp_json_get_int(const pp_json *value, int64_t min, int64_t max, int64_t *ret_value,
                          pp_error *err)
{
    if (value->kind != PP_JSON_INTEGER)
        return fail_kind(value, "an integer", err);
    if (value->integer < min || value->integer > max)
        return pp_json_fail(value, err, "expected an integer from %lld to %lld, got %lld",
                            (long long)min, (long long)max, (long long)value->integer);
    *ret_value = value->integer;
    return PP_OK;
}

pp_status pp_json_get_number(const pp_json *value, double *ret_value, pp_error *err)
{
    if (value->kind == PP_JSON_INTEGER)
        *ret_value = (double)value->integer;
    else if (value->kind == PP_JSON_REAL)
        *ret_value = value->real;
    else
        return fail_kind(value, "a number", err);
    return PP_OK;
}

pp_status pp_json_get_text(const pp_json *value, pp_text *ret_text, pp_error *err)
{
    if (value->kind != PP_JSON_STRING)
        return fail_kind(value, "a string", err);
    *ret_text = value->text;
    return PP_OK;
}

pp_status pp_json_get_filled_text(const pp_json *value, pp_text *ret_text, pp_error *err)
{
    pp_status st = pp_json_get_text(value, ret_text, err);

    if (st == PP_OK && pp_text_is_blank(*ret_text))
        return pp_json_fail(value, err, "expected text, got %s",
                            ret_text->size == 0 ? "an empty string" : "only white space");
    return st;
}

pp_status pp_json_member_bool(const pp_json *object, const char *key, bool *ret_value,
                              pp_error *err)
{
    const pp_json *value;
    pp_status st = pp_json_require(object, key, &value, err);

    return st == PP_OK ? pp_json_get_bool(value, ret_value, err) : st;
}

pp_status pp_json_member_int(const pp_json *object, const char *key, int64_t min, int64_t max,
                             int64_t *ret_value, pp_error *err)
{
    const pp_json *value;
    pp_status st = pp_json_require(object, key, &value, err);

    return st == PP_OK ? pp_json_get_int(value, min, max, ret_value, err) : st;
}

pp_status pp_json_member_number(const pp_json *object, const char *key, double *ret_value,
                                pp_error *err)
{
    const pp_json *value;
    pp_status st = pp_json_require(object, key, &value, err);

    return st == PP_OK ? pp_json_get_number(value, ret_value, err) : st;
}

pp_status pp_json_member_filled_text(const pp_json *object, const char *key, pp_text *ret_text,
                                     pp_error *err)
{
    const pp_json *value;
    pp_status st = pp_json_require(object, key, &value, err);

    return st == PP_OK ? pp_json_get_filled_text(value, ret_text, err) : st;
}

pp_status pp_json_member_of(const pp_json *object, const char *key, pp_json_kind kind,
                            const pp_json **ret_value, pp_error *err)
{
    pp_status st = pp_json_require(object, key, ret_value, err);

    return st == PP_OK ? pp_json_expect(*ret_value, kind, err) : st;
}
