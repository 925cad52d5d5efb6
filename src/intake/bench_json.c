/* JSONL and JSON. */
#include <string.h>

#include "intake/bench_reader.h"

/* ---- one object ---------------------------------------------------------------------------- */

/* Length of a bare nan or inf, with or without a sign, at the start of `at`; 0 when there is none.
 */
static size_t bare_word_size(const char *at, size_t size)
{
    static const char *const words[] = {"nan", "inf",      "-nan",     "-inf",
                                        "NaN", "Infinity", "-Infinity"};
    size_t longest = 0;

    for (size_t i = 0; i < PP_COUNT_OF(words); i++) {
        size_t length = strlen(words[i]);

        if (length <= size && memcmp(at, words[i], length) == 0 && length > longest)
            longest = length;
    }
    return longest;
}

/* A copy of the object with null in place of every bare nan and inf outside strings. */
static bool replace_bare_words(const char *bytes, size_t size, pp_buf *out)
{
    bool in_string = false;
    bool replaced = false;

    for (size_t i = 0; i < size; i++) {
        size_t word = in_string ? 0 : bare_word_size(bytes + i, size - i);

        if (word > 0) {
            pp_buf_append_text(out, "null");
            replaced = true;
            i += word - 1;
            continue;
        }
        if (bytes[i] == '"')
            in_string = !in_string;
        else if (bytes[i] == '\\' && in_string && i + 1 < size)
            pp_buf_append_char(out, bytes[i++]);
        pp_buf_append_char(out, bytes[i]);
    }
    return replaced;
}

pp_status pp_bench_parse_object(pp_bench_reader *r, const char *bytes, size_t size,
                                const pp_json **ret_fields, pp_error *err)
{
    pp_error ignored = {0};
    pp_buf repaired;
    pp_status st;

    if (size > PP_BENCH_MAX_LINE_BYTES)
        return pp_fail(err, PP_ERR_LIMIT, "a row of %zu bytes, expected at most %zu", size,
                       PP_BENCH_MAX_LINE_BYTES);
    st = pp_json_parse(r->arena, "row", bytes, size, ret_fields, err);
    if (st != PP_ERR_SYNTAX || r->strict)
        return st;
    pp_buf_init(&repaired, 2 * PP_BENCH_MAX_LINE_BYTES);
    if (replace_bare_words(bytes, size, &repaired) && repaired.status == PP_OK &&
        pp_json_parse(r->arena, "row", pp_buf_text(&repaired), repaired.size, ret_fields,
                      &ignored) == PP_OK)
        st = PP_OK;
    pp_buf_done(&repaired);
    return st;
}

/* ---- JSONL --------------------------------------------------------------------------------- */

static pp_status read_object_line(pp_bench_reader *r, const pp_bench_line *line, pp_error *err)
{
    const pp_json *fields;
    pp_status st = pp_bench_parse_object(r, line->data, line->size, &fields, err);

    if (st == PP_ERR_SYNTAX && !line->ended && !r->strict)
        return pp_bench_break_off(r, err); /* the writer was stopped in the middle of it */
    if (st == PP_OK)
        st = pp_json_expect(fields, PP_JSON_OBJECT, err);
    return st == PP_OK ? pp_bench_add_row(r, r->line, fields, err) : st;
}

pp_status pp_bench_read_jsonl(pp_bench_reader *r, pp_error *err)
{
    pp_bench_line line;
    pp_status st = PP_OK;

    while (st == PP_OK && pp_bench_next_line(r, &line)) {
        pp_text text = pp_bench_trim((pp_text){line.data, line.size});

        if (pp_bench_line_is_blank(&line))
            continue;
        st = text.size > 0 && text.data[0] == '{' ? read_object_line(r, &line, err)
                                                  : pp_bench_skip_line(r, &line, err);
    }
    return st;
}

/* ---- JSON: an array of objects, each printed as soon as it was measured ---------------------- */

/* Bytes of the object at `at`, its last brace included; 0 when it does not end. */
static size_t object_size(const char *at, size_t size)
{
    bool in_string = false;
    size_t depth = 0;

    for (size_t i = 0; i < size; i++) {
        if (in_string && at[i] == '\\')
            i++;
        else if (at[i] == '"')
            in_string = !in_string;
        else if (!in_string && (at[i] == '{' || at[i] == '['))
            depth++;
        else if (!in_string && (at[i] == '}' || at[i] == ']') && --depth == 0)
            return i + 1;
    }
    return 0;
}

/* Where the array stands between two objects. */
typedef enum array_state { BEFORE, OPENED, AFTER_OBJECT, AFTER_COMMA, CLOSED } array_state;

static bool takes_mark(array_state state, char mark, array_state *ret_next)
{
    if (mark == '[' && state == BEFORE)
        *ret_next = OPENED;
    else if (mark == ']' && (state == OPENED || state == AFTER_OBJECT))
        *ret_next = CLOSED;
    else if (mark == ',' && state == AFTER_OBJECT)
        *ret_next = AFTER_COMMA;
    else
        return false;
    return true;
}

static void count_lines(pp_bench_reader *r, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        r->line += r->bytes[r->at + i] == '\n';
    r->at += bytes;
}

static pp_status read_array_object(pp_bench_reader *r, array_state *state, pp_error *err)
{
    const char *at = r->bytes + r->at;
    size_t size = object_size(at, r->size - r->at);
    const pp_json *fields;
    pp_status st;

    if (size == 0) {
        r->at = r->size;
        return pp_bench_break_off(r, err);
    }
    if (r->strict && *state != OPENED && *state != AFTER_COMMA)
        return pp_fail(err, PP_ERR_SYNTAX, "expected a comma or the end of the array, got a row");
    st = pp_bench_parse_object(r, at, size, &fields, err);
    if (st == PP_OK)
        st = pp_bench_add_row(r, r->line, fields, err);
    if (st == PP_OK)
        count_lines(r, size);
    *state = AFTER_OBJECT;
    return st;
}

/* Whatever stands here to the end of its line. */
static pp_status skip_rest(pp_bench_reader *r, pp_error *err)
{
    pp_bench_line line;
    size_t number = r->line;
    pp_status st;

    if (!pp_bench_next_line(r, &line))
        return PP_OK;
    r->line = number;
    st = pp_bench_skip_line(r, &line, err);
    if (st == PP_OK && line.ended)
        r->line++;
    return st;
}

pp_status pp_bench_read_json(pp_bench_reader *r, pp_error *err)
{
    array_state state = BEFORE;
    pp_status st = PP_OK;

    r->line = 1;
    while (st == PP_OK && r->at < r->size) {
        char c = r->bytes[r->at];

        if (c == ' ' || c == '\t' || c == '\r' || c == '\n' || takes_mark(state, c, &state))
            count_lines(r, 1);
        else if (c == '{')
            st = read_array_object(r, &state, err);
        else
            st = skip_rest(r, err);
    }
    if (st == PP_OK && state != CLOSED && state != BEFORE)
        return pp_bench_break_off(r, err);
    return st;
}
