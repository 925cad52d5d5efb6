#include "json/differences.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- the list ------------------------------------------------------------------------------- */

static bool has_room(pp_arena *arena, pp_json_differences *d)
{
    size_t capacity = d->capacity == 0 ? 16 : 2 * d->capacity;
    pp_text *texts;

    if (d->count < d->capacity)
        return true;
    texts = PP_ARENA_NEW(arena, pp_text, capacity);
    if (texts == NULL)
        return false;
    if (d->count > 0)
        memcpy(texts, d->texts, d->count * sizeof texts[0]);
    d->texts = texts;
    d->capacity = capacity;
    return true;
}

void pp_json_differs(pp_arena *arena, pp_json_differences *differences, const pp_json *at,
                     const char *format, ...)
{
    char sentence[PP_ERROR_TEXT_MAX / 2];
    pp_error err = {0};
    va_list args;

    va_start(args, format);
    (void)vsnprintf(sentence, sizeof sentence, format, args);
    va_end(args);
    if (!has_room(arena, differences))
        return;
    (void)pp_json_fail(at, &err, "%s", sentence); /* puts the path in front and escapes controls */
    differences->texts[differences->count++] = pp_text_dup(arena, pp_text_of(err.text));
}

/* ---- comparing ------------------------------------------------------------------------------ */

typedef struct comparison {
    pp_arena *arena;
    const char *source;
    pp_json_differences *differences;
} comparison;

#define SHOWN_MAX 120 /* of a value in a text */

/* As it stands in a document, cut where it is long. */
static void show(const pp_json *value, char out[SHOWN_MAX])
{
    pp_error ignored = {0};
    pp_buf text;

    if (value->kind == PP_JSON_ARRAY || value->kind == PP_JSON_OBJECT) {
        (void)snprintf(out, SHOWN_MAX, "%s of %zu", pp_json_kind_name(value),
                       value->kind == PP_JSON_ARRAY ? value->array.count : value->object.count);
        return;
    }
    pp_buf_init(&text, PP_JSON_MAX_BYTES);
    if (pp_json_write(value, PP_JSON_COMPACT, &text, &ignored) == PP_OK)
        pp_text_escape_controls(pp_buf_text(&text), text.size, out, SHOWN_MAX);
    else
        (void)snprintf(out, SHOWN_MAX, "%s", pp_json_kind_name(value));
    pp_buf_done(&text);
}

static void differ(const comparison *c, const pp_json *got, const pp_json *want)
{
    char expected[SHOWN_MAX];
    char found[SHOWN_MAX];

    show(want, expected);
    show(got, found);
    pp_json_differs(c->arena, c->differences, got, "expected %s, which follows from %s, got %s",
                    expected, c->source, found);
}

static void compare(const comparison *c, const pp_json *got, const pp_json *want);

static void compare_lists(const comparison *c, const pp_json *got, const pp_json *want)
{
    if (got->array.count != want->array.count)
        differ(c, got, want);
    for (size_t i = 0; i < got->array.count && i < want->array.count; i++)
        compare(c, got->array.items[i], want->array.items[i]);
}

static void compare_objects(const comparison *c, const pp_json *got, const pp_json *want)
{
    for (size_t i = 0; i < want->object.count; i++) {
        const pp_json_member *member = &want->object.members[i];
        const pp_json *value = pp_json_find_text(got, member->key);

        if (value != NULL)
            compare(c, value, member->value);
        else
            pp_json_differs(c->arena, c->differences, got, "required key '%.80s' is missing",
                            member->key.data);
    }
    for (size_t i = 0; i < got->object.count; i++) {
        if (pp_json_find_text(want, got->object.members[i].key) == NULL)
            pp_json_differs(c->arena, c->differences, got->object.members[i].value,
                            "does not follow from %s", c->source);
    }
}

static bool is_number(const pp_json *value)
{
    return value->kind == PP_JSON_INTEGER || value->kind == PP_JSON_REAL;
}

static double number(const pp_json *value)
{
    return value->kind == PP_JSON_INTEGER ? (double)value->integer : value->real;
}

/* Depth: both are as deep as the reader allows at most. */
static void compare(const comparison *c, const pp_json *got, const pp_json *want)
{
    if (got->kind == PP_JSON_ARRAY && want->kind == PP_JSON_ARRAY)
        compare_lists(c, got, want);
    else if (got->kind == PP_JSON_OBJECT && want->kind == PP_JSON_OBJECT)
        compare_objects(c, got, want);
    else if (is_number(got) && is_number(want) ? number(got) != number(want)
                                               : !pp_json_equal(got, want))
        differ(c, got, want);
}

void pp_json_compare(pp_arena *arena, const pp_json *got, const pp_json *want, const char *source,
                     pp_json_differences *differences)
{
    comparison c = {arena, source, differences};

    /* What could not be made is not compared; the arena says that memory was short. */
    if (got != NULL && want != NULL)
        compare(&c, got, want);
}
