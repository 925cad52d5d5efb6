#include "json/plain.h"

#include <stdlib.h>
#include <string.h>

#include "base/word_scan.h"
#include "json/value.h"

#define MAX_DEPTH         32
#define MAX_MEMBERS       64 /* keys are compared one by one */
#define MAX_DIGITS        18 /* of an integer: fits int64 in any case */
#define MAX_NUMBER_LENGTH 40

typedef struct reader {
    pp_arena *arena;
    const char *at;
    const char *end;
    int depth;
} reader;

static pp_json *read_value(reader *r);

static void skip_white(reader *r)
{
    while (r->at < r->end && (*r->at == ' ' || *r->at == '\n' || *r->at == '\r' || *r->at == '\t'))
        r->at++;
}

static bool take(reader *r, char c)
{
    if (r->at == r->end || *r->at != c)
        return false;
    r->at++;
    return true;
}

static bool take_word(reader *r, const char *word, size_t size)
{
    if ((size_t)(r->end - r->at) < size || memcmp(r->at, word, size) != 0)
        return false;
    r->at += size;
    return true;
}

/* ---- texts ----------------------------------------------------------------------------------- */

/* The character that a backslash and `c` stand for; 0 when it takes more to tell. */
static char unescaped(char c)
{
    static const char names[] = "\"\\/bfnrt";
    static const char meant[] = "\"\\/\b\f\n\r\t";
    const char *at = c == '\0' ? NULL : strchr(names, c);

    return at == NULL ? '\0' : meant[at - names];
}

/* Plain characters up to what must be looked at: a quote, a backslash, a control, a byte beyond
 * ASCII; or up to the last few. */
static void skip_plain(reader *r)
{
    while ((size_t)(r->end - r->at) >= sizeof(uint64_t)) {
        uint64_t word = pp_word_load(r->at);
        uint64_t special = pp_word_equal(word, '"') | pp_word_equal(word, '\\') |
                           pp_word_below(word, 0x20) | (word & PP_WORD_HIGHS);

        if (special != 0) {
            r->at += pp_word_first(special);
            return;
        }
        r->at += sizeof word;
    }
}

/* Bytes up to the closing quote, escapes included; behind it is the end. */
static bool span_text(reader *r, size_t *ret_size, bool *ret_escaped)
{
    const char *begin = r->at;

    *ret_escaped = false;
    skip_plain(r);
    while (r->at < r->end && *r->at != '"') {
        unsigned char c = (unsigned char)*r->at;
        size_t step = 1;

        if (c < 0x20)
            return false;
        if (c == '\\') {
            if (r->end - r->at < 2 || unescaped(r->at[1]) == '\0')
                return false;
            *ret_escaped = true;
            step = 2;
        } else if (c >= 0x80 && pp_utf8_next(r->at, (size_t)(r->end - r->at), &step) < 0) {
            return false;
        }
        r->at += step;
    }
    *ret_size = (size_t)(r->at - begin);
    return take(r, '"');
}

static size_t unescape(char *text, size_t size)
{
    size_t to = 0;

    for (size_t from = 0; from < size; from++) {
        if (text[from] == '\\')
            text[to++] = unescaped(text[++from]);
        else
            text[to++] = text[from];
    }
    text[to] = '\0';
    return to;
}

/* Behind the opening quote. */
static bool read_text(reader *r, pp_text *ret_text)
{
    const char *begin = r->at;
    size_t size;
    bool escaped;
    char *copy;

    if (!span_text(r, &size, &escaped))
        return false;
    copy = pp_arena_dup(r->arena, begin, size);
    if (copy == NULL)
        return false;
    if (escaped)
        size = unescape(copy, size);
    *ret_text = (pp_text){copy, size};
    return true;
}

static pp_json *read_string(reader *r)
{
    pp_json *value = pp_json_new_value(r->arena, PP_JSON_STRING);

    return value != NULL && read_text(r, &value->text) ? value : NULL;
}

/* ---- numbers --------------------------------------------------------------------------------- */

static size_t take_digits(reader *r)
{
    const char *begin = r->at;

    while (r->at < r->end && *r->at >= '0' && *r->at <= '9')
        r->at++;
    return (size_t)(r->at - begin);
}

/* Where the locale has another decimal point, strtod stops at ours; Jansson knows what to do. */
static pp_json *read_real(reader *r, const char *begin)
{
    char text[MAX_NUMBER_LENGTH + 1] = "";
    size_t size = (size_t)(r->at - begin);
    double value;
    char *end;

    if (size > MAX_NUMBER_LENGTH)
        return NULL;
    memcpy(text, begin, size);
    value = strtod(text, &end);
    return end == text + size ? pp_json_new_real(r->arena, value) : NULL;
}

static pp_json *read_number(reader *r)
{
    const char *begin = r->at;
    bool minus = take(r, '-');
    const char *first = r->at;
    size_t digits = take_digits(r);
    int64_t integer = 0;

    if (digits == 0 || digits > MAX_DIGITS || (*first == '0' && digits > 1))
        return NULL;
    if (take(r, '.')) {
        if (take_digits(r) == 0)
            return NULL;
        if (r->at == r->end || (*r->at != 'e' && *r->at != 'E'))
            return read_real(r, begin);
        return NULL;
    }
    if (r->at < r->end && (*r->at == 'e' || *r->at == 'E'))
        return NULL;
    for (const char *c = first; c < r->at; c++)
        integer = integer * 10 + (*c - '0');
    return pp_json_new_int(r->arena, minus ? -integer : integer);
}

/* ---- arrays and objects ---------------------------------------------------------------------- */

/* Is there another item? False at the closing bracket, and where neither stands. */
static bool goes_on(reader *r, char closing, bool *ret_closed)
{
    skip_white(r);
    *ret_closed = take(r, closing);
    return !*ret_closed && take(r, ',');
}

static pp_json *read_array(reader *r)
{
    pp_json *array = pp_json_new_array(r->arena);
    bool closed;

    skip_white(r);
    closed = take(r, ']');
    while (array != NULL && !closed) {
        pp_json *item;

        skip_white(r);
        item = read_value(r);
        if (item == NULL)
            return NULL;
        pp_json_add(r->arena, array, item);
        if (!goes_on(r, ']', &closed) && !closed)
            return NULL;
    }
    return array;
}

static bool read_member(reader *r, pp_json *object)
{
    pp_json *value;
    pp_text key;

    skip_white(r);
    if (object->object.count == MAX_MEMBERS || !take(r, '"') || !read_text(r, &key) ||
        pp_json_find_text(object, key) != NULL)
        return false;
    skip_white(r);
    if (!take(r, ':'))
        return false;
    skip_white(r);
    value = read_value(r);
    if (value == NULL)
        return false;
    pp_json_take_member(r->arena, object, key, value);
    return true;
}

static pp_json *read_object(reader *r)
{
    pp_json *object = pp_json_new_object(r->arena);
    bool closed;

    skip_white(r);
    closed = take(r, '}');
    while (object != NULL && !closed) {
        if (!read_member(r, object) || (!goes_on(r, '}', &closed) && !closed))
            return NULL;
    }
    return object;
}

static pp_json *read_nested(reader *r, pp_json *(*read)(reader *))
{
    pp_json *value;

    if (r->depth == MAX_DEPTH)
        return NULL;
    r->depth++;
    value = read(r);
    r->depth--;
    return value;
}

static pp_json *read_value(reader *r)
{
    if (take(r, '"'))
        return read_string(r);
    if (take(r, '{'))
        return read_nested(r, read_object);
    if (take(r, '['))
        return read_nested(r, read_array);
    if (take_word(r, "true", 4))
        return pp_json_new_bool(r->arena, true);
    if (take_word(r, "false", 5))
        return pp_json_new_bool(r->arena, false);
    if (take_word(r, "null", 4))
        return pp_json_new_null(r->arena);
    return read_number(r);
}

pp_json *pp_json_read_plain(pp_arena *arena, const char *bytes, size_t size)
{
    reader r = {.arena = arena, .at = bytes, .end = bytes + size};
    pp_json *root;

    skip_white(&r);
    root = read_value(&r);
    skip_white(&r);
    return r.at == r.end && root != NULL && !root->broken && !arena->failed ? root : NULL;
}
