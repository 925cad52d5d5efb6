#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "json/float_text.h"
#include "json/json.h"

typedef struct writer {
    pp_json_form form;
    pp_buf *out;
    pp_error *err;
} writer;

static bool is_compact(pp_json_form form)
{
    return form == PP_JSON_COMPACT || form == PP_JSON_COMPACT_ASCII;
}

static void line_break(writer *w, int depth)
{
    if (is_compact(w->form))
        return;
    pp_buf_append_char(w->out, '\n');
    for (int i = 0; i < depth; i++)
        pp_buf_append(w->out, "  ", 2);
}

static void write_unicode_escape(writer *w, long code)
{
    if (code >= 0x10000) {
        code -= 0x10000;
        pp_buf_printf(w->out, "\\u%04lx\\u%04lx", (unsigned long)(0xd800 + (code >> 10)),
                      (unsigned long)(0xdc00 + (code & 0x3ff)));
    } else {
        pp_buf_printf(w->out, "\\u%04lx", (unsigned long)code);
    }
}

/* The two-letter escape of a character, or NULL */
static const char *short_escape(unsigned char c)
{
    switch (c) {
    case '"':
        return "\\\"";
    case '\\':
        return "\\\\";
    case '\b':
        return "\\b";
    case '\t':
        return "\\t";
    case '\n':
        return "\\n";
    case '\f':
        return "\\f";
    case '\r':
        return "\\r";
    default:
        return NULL;
    }
}

static bool is_raw(const writer *w, unsigned char c)
{
    if (c < 0x20 || c == '"' || c == '\\')
        return false;
    return c < 0x7f || (w->form != PP_JSON_ASCII && w->form != PP_JSON_COMPACT_ASCII);
}

static pp_status write_text(writer *w, pp_text text)
{
    size_t at = 0;

    if (!pp_utf8_is_valid(text.data, text.size))
        return pp_fail(w->err, PP_ERR_DOMAIN, "cannot write text that is not UTF-8 as JSON");
    pp_buf_append_char(w->out, '"');
    while (at < text.size) {
        size_t run = at;
        const char *escape;

        while (run < text.size && is_raw(w, (unsigned char)text.data[run]))
            run++;
        pp_buf_append(w->out, text.data + at, run - at);
        at = run;
        if (at == text.size)
            break;
        escape = short_escape((unsigned char)text.data[at]);
        if (escape != NULL) {
            pp_buf_append(w->out, escape, 2);
            at++;
        } else {
            size_t step;
            long code = pp_utf8_next(text.data + at, text.size - at, &step);

            write_unicode_escape(w, code);
            at += step;
        }
    }
    pp_buf_append_char(w->out, '"');
    return PP_OK;
}

static int compare_members(const void *a, const void *b)
{
    return pp_text_compare(((const pp_json_member *)a)->key, ((const pp_json_member *)b)->key);
}

static pp_status write_value(writer *w, const pp_json *value, int depth);

static pp_status write_array(writer *w, const pp_json *value, int depth)
{
    pp_status st = PP_OK;

    if (value->array.count == 0) {
        pp_buf_append(w->out, "[]", 2);
        return PP_OK;
    }
    pp_buf_append_char(w->out, '[');
    for (size_t i = 0; st == PP_OK && i < value->array.count; i++) {
        if (i > 0)
            pp_buf_append_char(w->out, ',');
        line_break(w, depth + 1);
        st = write_value(w, value->array.items[i], depth + 1);
    }
    line_break(w, depth);
    pp_buf_append_char(w->out, ']');
    return st;
}

static pp_status write_object(writer *w, const pp_json *value, int depth)
{
    size_t count = value->object.count;
    pp_json_member *sorted;
    pp_status st = PP_OK;

    if (count == 0) {
        pp_buf_append(w->out, "{}", 2);
        return PP_OK;
    }
    sorted = malloc(count * sizeof *sorted);
    if (sorted == NULL)
        return pp_fail(w->err, PP_ERR_MEMORY, "out of memory while writing JSON");
    memcpy(sorted, value->object.members, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, compare_members);
    pp_buf_append_char(w->out, '{');
    for (size_t i = 0; st == PP_OK && i < count; i++) {
        if (i > 0)
            pp_buf_append_char(w->out, ',');
        line_break(w, depth + 1);
        st = write_text(w, sorted[i].key);
        pp_buf_append_text(w->out, is_compact(w->form) ? ":" : ": ");
        if (st == PP_OK)
            st = write_value(w, sorted[i].value, depth + 1);
    }
    line_break(w, depth);
    pp_buf_append_char(w->out, '}');
    free(sorted);
    return st;
}

static pp_status write_real(writer *w, const pp_json *value)
{
    char text[PP_FLOAT_TEXT_MAX];
    char path[PP_JSON_PATH_MAX];

    if (!isfinite(value->real))
        return pp_fail(w->err, PP_ERR_DOMAIN, "%s: %s cannot be written as JSON",
                       pp_json_path(value, path), isnan(value->real) ? "NaN" : "an infinity");
    pp_buf_append(w->out, text, pp_float_text(value->real, text));
    return PP_OK;
}

static pp_status write_value(writer *w, const pp_json *value, int depth)
{
    if (value->broken)
        return pp_fail(w->err, PP_ERR_MEMORY, "out of memory while building JSON");
    switch (value->kind) {
    case PP_JSON_NULL:
        pp_buf_append(w->out, "null", 4);
        return PP_OK;
    case PP_JSON_BOOL:
        pp_buf_append_text(w->out, value->boolean ? "true" : "false");
        return PP_OK;
    case PP_JSON_INTEGER:
        pp_buf_printf(w->out, "%lld", (long long)value->integer);
        return PP_OK;
    case PP_JSON_REAL:
        return write_real(w, value);
    case PP_JSON_STRING:
        return write_text(w, value->text);
    case PP_JSON_ARRAY:
        return write_array(w, value, depth);
    case PP_JSON_OBJECT:
        return write_object(w, value, depth);
    }
    return pp_fail(w->err, PP_ERR_BUG, "JSON value of kind %d", (int)value->kind);
}

pp_status pp_json_write(const pp_json *value, pp_json_form form, pp_buf *buf, pp_error *err)
{
    writer w = {form, buf, err};
    pp_status st;

    if (value == NULL)
        return pp_fail(err, PP_ERR_MEMORY, "out of memory while building JSON");
    st = write_value(&w, value, 0);
    if (!is_compact(form))
        pp_buf_append_char(buf, '\n');
    return st == PP_OK ? pp_buf_check(buf, "JSON text", err) : st;
}

pp_status pp_json_save_new(const pp_json *value, const char *path, pp_error *err)
{
    pp_buf text;
    pp_status st;

    pp_buf_init(&text, PP_JSON_MAX_BYTES);
    st = pp_json_write(value, PP_JSON_FILE, &text, err);
    if (st == PP_OK)
        st = pp_file_write_new(path, text.data, text.size, err);
    pp_buf_done(&text);
    return pp_wrap(err, st, "writing '%s'", path);
}
