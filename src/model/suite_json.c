/* JSON in answers. The original takes whole numbers of any size, unpaired surrogates and keys with
 * a NUL; our reader does not. So these are marked: written as values that no other value becomes,
 * in a text that is JSON only where the original was. */
#include <string.h>

#include "model/suite_answers.h"

#define LONG_DIGITS 19   /* fewer fit into 64 bits */
#define MOST_DIGITS 4300 /* more are no number to the original */

/* ---- whole numbers ----------------------------------------------------------------------------
 */

static bool is_number_byte(char c)
{
    return (c >= '0' && c <= '9') || c == '-' || c == '+' || c == '.' || c == 'e' || c == 'E';
}

static bool is_long_integer(const char *at, size_t size)
{
    if (size > 0 && at[0] == '-') {
        at++;
        size--;
    }
    if (size < LONG_DIGITS || size > MOST_DIGITS || at[0] == '0')
        return false;
    for (size_t i = 0; i < size; i++) {
        if (at[i] < '0' || at[i] > '9')
            return false;
    }
    return true;
}

static size_t number_size(const char *at, size_t size)
{
    size_t i = 0;

    while (i < size && is_number_byte(at[i]))
        i++;
    return i;
}

/* ---- strings: an "s" in front; "~" begins a mark and is "~0" itself ----------------------------
 */

/* Code unit of an escape \uXXXX, -1 where there is none. */
static long unit_at(const char *at, size_t size)
{
    long unit = 0;

    if (size < 6 || at[0] != '\\' || at[1] != 'u')
        return -1;
    for (size_t i = 2; i < 6; i++) {
        const char *digits = "0123456789abcdef";
        char c = at[i] >= 'A' && at[i] <= 'F' ? (char)(at[i] - 'A' + 'a') : at[i];
        const char *digit = c == '\0' ? NULL : strchr(digits, c);

        if (digit == NULL)
            return -1;
        unit = 16 * unit + (digit - digits);
    }
    return unit;
}

static bool is_high(long unit)
{
    return unit >= 0xd800 && unit <= 0xdbff;
}

static bool is_low(long unit)
{
    return unit >= 0xdc00 && unit <= 0xdfff;
}

/* Returns the bytes taken. */
static size_t mark_escape(const char *at, size_t size, pp_buf *out)
{
    long unit = unit_at(at, size);
    size_t taken = size < 2 ? size : 2;

    if (unit >= 0)
        taken = is_high(unit) && is_low(unit_at(at + 6, size - 6)) ? 12 : 6;
    if (unit == '~')
        pp_buf_append_text(out, "~0");
    else if (unit == 0 || (taken == 6 && (is_high(unit) || is_low(unit))))
        pp_buf_printf(out, "~u%04lx", (unsigned long)unit);
    else
        pp_buf_append(out, at, taken);
    return taken;
}

/* `at` is its quote. Returns the bytes taken: to the end where it is not closed. */
static size_t mark_string(const char *at, size_t size, pp_buf *out)
{
    size_t i = 1;

    pp_buf_append_text(out, "\"s");
    while (i < size && at[i] != '"') {
        if (at[i] == '\\') {
            i += mark_escape(at + i, size - i, out);
        } else if (at[i] == '~') {
            pp_buf_append_text(out, "~0");
            i++;
        } else {
            pp_buf_append_char(out, at[i++]);
        }
    }
    if (i < size)
        pp_buf_append_char(out, at[i++]);
    return i;
}

/* ---- values -----------------------------------------------------------------------------------
 */

/* A long integer becomes ["i", its digits]: no other list holds a string without an "s". */
static void mark(pp_text text, pp_buf *out)
{
    for (size_t i = 0; i < text.size;) {
        const char *at = text.data + i;
        size_t left = text.size - i;
        size_t size = number_size(at, left);

        if (*at == '"') {
            size = mark_string(at, left, out);
        } else if (is_long_integer(at, size)) {
            pp_buf_append_text(out, "[\"i\",\"");
            pp_buf_append(out, at, size);
            pp_buf_append_text(out, "\"]");
        } else {
            size += size == 0;
            pp_buf_append(out, at, size);
        }
        i += size;
    }
}

/* The same in one form: keys sorted, no blanks. `why` says what is no JSON. */
static pp_status write_again(pp_text marked, pp_buf *out, pp_error *why)
{
    pp_arena scratch = {0};
    const pp_json *root;
    pp_status st = pp_json_parse(&scratch, "answer", marked.data, marked.size, &root, why);

    if (st == PP_OK)
        st = pp_json_write(root, PP_JSON_COMPACT, out, why);
    pp_arena_done(&scratch);
    return st;
}

pp_status pp_suite_json_form(pp_text text, pp_buf *out, bool *ret_is_json, pp_error *err)
{
    pp_error why = {0};
    pp_buf marked;
    pp_status st;

    pp_buf_init(&marked, PP_JSON_MAX_BYTES);
    mark(pp_text_strip(text), &marked);
    st = pp_buf_check(&marked, "an answer", &why);
    if (st == PP_OK)
        st = write_again((pp_text){pp_buf_text(&marked), marked.size}, out, &why);
    pp_buf_done(&marked);
    *ret_is_json = st == PP_OK;
    return st == PP_ERR_MEMORY ? pp_fail(err, st, "%s", why.text) : PP_OK;
}
