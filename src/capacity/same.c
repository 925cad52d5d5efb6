#include "capacity/same.h"

#include <stdio.h>

#include "base/buffer.h"
#include "base/text.h"

static bool is_number(const pp_json *value)
{
    return value->kind == PP_JSON_INTEGER || value->kind == PP_JSON_REAL;
}

static double number(const pp_json *value)
{
    return value->kind == PP_JSON_INTEGER ? (double)value->integer : value->real;
}

/* As it stands in a document, cut where it is long. */
static void show(const pp_json *value, char *out, size_t size)
{
    pp_error ignored = {0};
    pp_buf text;

    pp_buf_init(&text, 1 << 20);
    if (pp_json_write(value, PP_JSON_COMPACT, &text, &ignored) == PP_OK)
        pp_text_escape_controls(pp_buf_text(&text), text.size, out, size);
    else
        (void)snprintf(out, size, "%s", pp_json_kind_name(value));
    pp_buf_done(&text);
}

static pp_status fail_different(const pp_json *got, const pp_json *want, const char *source,
                                pp_error *err)
{
    char expected[120];
    char found[120];

    show(want, expected, sizeof expected);
    show(got, found, sizeof found);
    return pp_json_fail(got, err, "expected %s, which follows from %s, got %s", expected, source,
                        found);
}

static pp_status same_lists(const pp_json *got, const pp_json *want, const char *source,
                            pp_error *err)
{
    pp_status st = PP_OK;

    if (got->array.count != want->array.count)
        return fail_different(got, want, source, err);
    for (size_t i = 0; st == PP_OK && i < got->array.count; i++)
        st = pp_json_same(got->array.items[i], want->array.items[i], source, err);
    return st;
}

static pp_status same_objects(const pp_json *got, const pp_json *want, const char *source,
                              pp_error *err)
{
    pp_status st = PP_OK;

    for (size_t i = 0; st == PP_OK && i < want->object.count; i++) {
        const pp_json_member *member = &want->object.members[i];
        const pp_json *value = pp_json_find_text(got, member->key);

        if (value == NULL)
            return pp_json_fail(got, err, "required key '%.80s' is missing", member->key.data);
        st = pp_json_same(value, member->value, source, err);
    }
    if (st == PP_OK && got->object.count != want->object.count)
        return pp_json_fail(got, err, "expected %zu members, got %zu", want->object.count,
                            got->object.count);
    return st;
}

pp_status pp_json_same(const pp_json *got, const pp_json *want, const char *source, pp_error *err)
{
    if (want->kind == PP_JSON_ARRAY && got->kind == PP_JSON_ARRAY)
        return same_lists(got, want, source, err);
    if (want->kind == PP_JSON_OBJECT && got->kind == PP_JSON_OBJECT)
        return same_objects(got, want, source, err);
    if (is_number(want) && is_number(got) && number(want) == number(got))
        return PP_OK;
    return pp_json_equal(got, want) ? PP_OK : fail_different(got, want, source, err);
}
