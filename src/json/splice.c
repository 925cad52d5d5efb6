#include "json/splice.h"

#include <string.h>

typedef struct walker {
    const unsigned char *bytes;
    size_t end;
    size_t at;
} walker;

static bool is_white(unsigned char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static void skip_white(walker *w)
{
    while (w->at < w->end && is_white(w->bytes[w->at]))
        w->at++;
}

static bool take(walker *w, unsigned char c)
{
    if (w->at == w->end || w->bytes[w->at] != c)
        return false;
    w->at++;
    return true;
}

/* From the opening quote to behind the closing one. */
static void skip_string(walker *w)
{
    w->at++;
    while (w->at < w->end && w->bytes[w->at] != '"')
        w->at += w->bytes[w->at] == '\\' ? 2 : 1;
    w->at = w->at < w->end ? w->at + 1 : w->end;
}

/* An object or an array, with all in it; depth needs no memory, for only the count matters. */
static void skip_nested(walker *w)
{
    size_t depth = 0;

    while (w->at < w->end) {
        unsigned char c = w->bytes[w->at];

        if (c == '"') {
            skip_string(w);
            continue;
        }
        w->at++;
        if (c == '{' || c == '[')
            depth++;
        else if ((c == '}' || c == ']') && --depth == 0)
            return;
    }
}

static void skip_word(walker *w)
{
    while (w->at < w->end && !is_white(w->bytes[w->at]) &&
           memchr(",:{}[]\"", w->bytes[w->at], 7) == NULL)
        w->at++;
}

static pp_json_span take_value(walker *w)
{
    size_t begin = w->at;

    if (w->at == w->end)
        return (pp_json_span){0, 0};
    if (w->bytes[w->at] == '"')
        skip_string(w);
    else if (w->bytes[w->at] == '{' || w->bytes[w->at] == '[')
        skip_nested(w);
    else
        skip_word(w);
    return (pp_json_span){begin, w->at};
}

pp_json_span pp_json_span_root(pp_bytes text)
{
    walker w = {text.data, text.size, 0};

    skip_white(&w);
    return take_value(&w);
}

/* ---- keys ------------------------------------------------------------------------------------ */

/* Four hexadecimal digits; -1 for anything else. */
static long hex4(const unsigned char *at, size_t size)
{
    long value = 0;

    if (size < 4)
        return -1;
    for (size_t i = 0; i < 4; i++) {
        unsigned char c = at[i];
        int digit = c >= '0' && c <= '9'                 ? c - '0'
                    : (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 'a' + 10
                                                         : -1;

        if (digit < 0)
            return -1;
        value = value * 16 + digit;
    }
    return value;
}

/* The byte that an escape at `at` (behind its backslash) means; -1 when that is no single byte of
 * ASCII. ret_size: bytes of the escape. Keys that are looked for are of ASCII. */
static int escaped_byte(const unsigned char *at, size_t size, size_t *ret_size)
{
    static const char names[] = "\"\\/bfnrt";
    static const char meant[] = "\"\\/\b\f\n\r\t";
    const char *name;
    long code;

    *ret_size = 1;
    if (size == 0)
        return -1;
    if (at[0] == 'u') {
        code = hex4(at + 1, size - 1);
        *ret_size = 5;
        return code >= 0 && code < 0x80 ? (int)code : -1;
    }
    name = at[0] == '\0' ? NULL : strchr(names, at[0]);
    return name == NULL ? -1 : meant[name - names];
}

/* Does the string at `span`, quotes included, mean this key? */
static bool key_is(const walker *w, pp_json_span span, const char *key)
{
    const unsigned char *at = w->bytes + span.begin + 1;
    size_t size = span.end - span.begin < 2 ? 0 : span.end - span.begin - 2;
    size_t done = 0;

    while (done < size) {
        size_t taken = 1;
        int c = at[done++];

        if (c == '\\') {
            c = escaped_byte(at + done, size - done, &taken);
            done += taken;
        }
        if (*key == '\0' || c != (unsigned char)*key)
            return false;
        key++;
    }
    return *key == '\0';
}

pp_json_span pp_json_span_member(pp_bytes text, pp_json_span object, const char *key)
{
    const pp_json_span none = {0, 0};
    walker w = {text.data, object.end, object.begin};

    if (object.begin >= object.end || object.end > text.size || !take(&w, '{'))
        return none;
    for (;;) {
        pp_json_span name, value;

        skip_white(&w);
        if (w.at == w.end || w.bytes[w.at] != '"')
            return none;
        name = take_value(&w);
        skip_white(&w);
        if (!take(&w, ':'))
            return none;
        skip_white(&w);
        value = take_value(&w);
        if (key_is(&w, name, key))
            return value;
        skip_white(&w);
        if (!take(&w, ','))
            return none;
    }
}

/* ---- changes --------------------------------------------------------------------------------- */

pp_json_edit pp_json_edit_replace(pp_json_span value, pp_text json)
{
    return (pp_json_edit){.at = value, .with = json};
}

pp_json_edit pp_json_edit_insert(pp_bytes text, pp_json_span object, pp_text members)
{
    walker w = {text.data, object.end, object.begin + 1};
    pp_json_edit edit = {.at = {w.at, w.at}, .with = members};

    skip_white(&w);
    if (w.at < w.end && w.bytes[w.at] != '}')
        edit.after = pp_text_of(",");
    return edit;
}

static void sort(pp_json_edit *edits, size_t n)
{
    for (size_t i = 1; i < n; i++)
        for (size_t j = i; j > 0 && edits[j].at.begin < edits[j - 1].at.begin; j--) {
            pp_json_edit swapped = edits[j];

            edits[j] = edits[j - 1];
            edits[j - 1] = swapped;
        }
}

void pp_json_splice(pp_bytes text, pp_json_edit *edits, size_t n_edits, pp_buf *out)
{
    size_t at = 0;

    sort(edits, n_edits);
    for (size_t i = 0; i < n_edits; i++) {
        PP_ASSERT(edits[i].at.begin >= at && edits[i].at.end >= edits[i].at.begin &&
                  edits[i].at.end <= text.size);
        pp_buf_append(out, text.data + at, edits[i].at.begin - at);
        pp_buf_append(out, edits[i].with.data, edits[i].with.size);
        pp_buf_append(out, edits[i].after.data, edits[i].after.size);
        at = edits[i].at.end;
    }
    pp_buf_append(out, text.data + at, text.size - at);
}
