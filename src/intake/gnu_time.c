#include "intake/gnu_time.h"

#include <string.h>

#include "base/text.h"

#define ECHO_BEGIN "Command being timed: \""
#define PEAK       "Maximum resident set size (kbytes)"
#define STATUS     "Exit status"

/* The lines of -v behind the command, in the order of the format of GNU time 1.9. */
static const char *const labels[] = {
    "User time (seconds)",
    "System time (seconds)",
    "Percent of CPU this job got",
    "Elapsed (wall clock) time (h:mm:ss or m:ss)",
    "Average shared text size (kbytes)",
    "Average unshared data size (kbytes)",
    "Average stack size (kbytes)",
    "Average total size (kbytes)",
    PEAK,
    "Average resident set size (kbytes)",
    "Major (requiring I/O) page faults",
    "Minor (reclaiming a frame) page faults",
    "Voluntary context switches",
    "Involuntary context switches",
    "Swaps",
    "File system inputs",
    "File system outputs",
    "Socket messages sent",
    "Socket messages received",
    "Signals delivered",
    "Page size (bytes)",
    STATUS,
};

typedef struct reader {
    const char *at, *end;
    size_t line_number; /* of the line that was read last, from 1 */
    size_t next_label;  /* the first that may still come */
    bool has_peak, has_status;
    int64_t said_status; /* in the line before the command */
    pp_gnu_time time;
} reader;

/* ---- lines -------------------------------------------------------------------------------------
 */

static bool next_line(reader *r, pp_text *ret_line)
{
    const char *end = r->at == r->end ? NULL : memchr(r->at, '\n', (size_t)(r->end - r->at));

    if (end == NULL)
        return false;
    *ret_line = (pp_text){.data = r->at, .size = (size_t)(end - r->at)};
    r->at = end + 1;
    r->line_number++;
    return true;
}

static bool begins(pp_text line, const char *with)
{
    return line.size >= strlen(with) && memcmp(line.data, with, strlen(with)) == 0;
}

static pp_text after(pp_text line, size_t count)
{
    return (pp_text){.data = line.data + count, .size = line.size - count};
}

static pp_text without_indent(pp_text line)
{
    while (line.size > 0 && (line.data[0] == '\t' || line.data[0] == ' '))
        line = after(line, 1);
    return line;
}

static pp_status fail_at(const reader *r, pp_text found, const char *expected, pp_error *err)
{
    char shown[96];

    pp_text_escape_controls(found.data, found.size, shown, sizeof shown);
    return pp_fail(err, PP_ERR_SYNTAX, "line %zu: expected %s, got '%s'", r->line_number, expected,
                   shown);
}

static pp_status take_number(const reader *r, pp_text text, int64_t min, int64_t *ret_value,
                             pp_error *err)
{
    int64_t value = 0;
    bool is_number = text.size > 0 && text.size <= 18;

    for (size_t i = 0; is_number && i < text.size; i++) {
        is_number = text.data[i] >= '0' && text.data[i] <= '9';
        value = value * 10 + (text.data[i] - '0');
    }
    if (!is_number || value < min)
        return fail_at(r, text, min == 0 ? "a whole number" : "a whole number of 1 or more", err);
    *ret_value = value;
    return PP_OK;
}

/* ---- how it ended, and the command -------------------------------------------------------------
 */

static const char *const killed = "Command terminated by signal ";
static const char *const stopped = "Command stopped by signal ";
static const char *const failed = "Command exited with non-zero status ";

static pp_status take_ending(reader *r, pp_text line, bool *ret_is_ending, pp_error *err)
{
    const bool by_signal = begins(line, killed) || begins(line, stopped);
    const size_t prefix = strlen(begins(line, killed) ? killed : stopped);

    *ret_is_ending = by_signal || begins(line, failed);
    if (by_signal) {
        r->time.signal.known = true;
        return take_number(r, after(line, prefix), 1, &r->time.signal.value, err);
    }
    return *ret_is_ending ? take_number(r, after(line, strlen(failed)), 1, &r->said_status, err)
                          : PP_OK;
}

static bool ends_with_quote(pp_text line)
{
    return line.size > 0 && line.data[line.size - 1] == '"';
}

/* The echo ends with the last line that ends with a quote: no line of a figure does. */
static pp_status skip_echo(reader *r, pp_text line, pp_error *err)
{
    reader ahead = *r;
    bool has_end;
    pp_text next;

    if (!begins(without_indent(line), ECHO_BEGIN))
        return fail_at(r, line, "'Command being timed: \"', as GNU time -v writes it", err);
    has_end = ends_with_quote(after(without_indent(line), strlen(ECHO_BEGIN)));
    while (next_line(&ahead, &next)) {
        if (ends_with_quote(next)) {
            r->at = ahead.at;
            r->line_number = ahead.line_number;
            has_end = true;
        }
    }
    return has_end ? PP_OK
                   : pp_fail(err, PP_ERR_SYNTAX,
                             "the command's closing quote is missing: the text "
                             "broke off");
}

/* ---- figures -----------------------------------------------------------------------------------
 */

static bool find_label(const reader *r, pp_text line, size_t *ret_label)
{
    for (size_t i = r->next_label; i < PP_COUNT_OF(labels); i++) {
        const size_t size = strlen(labels[i]);

        if (begins(line, labels[i]) && begins(after(line, size), ": ")) {
            *ret_label = i;
            return true;
        }
    }
    return false;
}

static pp_status take_figure(reader *r, pp_text line, pp_error *err)
{
    size_t label;
    pp_text value;

    if (!find_label(r, without_indent(line), &label))
        return fail_at(r, line, "a line of GNU time -v that may stand here", err);
    value = after(without_indent(line), strlen(labels[label]) + 2);
    r->next_label = label + 1;
    if (strcmp(labels[label], PEAK) == 0) {
        r->has_peak = true;
        return take_number(r, value, 1, &r->time.peak_rss_kib, err);
    }
    if (strcmp(labels[label], STATUS) == 0) {
        r->has_status = true;
        return take_number(r, value, 0, &r->time.exit_status, err);
    }
    return PP_OK;
}

static pp_status check_whole(const reader *r, pp_error *err)
{
    if (!r->has_peak)
        return pp_fail(err, PP_ERR_SYNTAX, "line %zu: no line '%s: N' behind the command",
                       r->line_number, PEAK);
    if (!r->has_status || r->at != r->end)
        return pp_fail(err, PP_ERR_SYNTAX,
                       "line %zu: the last line is not '%s: N': the text broke off", r->line_number,
                       STATUS);
    if (r->time.exit_status != r->said_status)
        return pp_fail(err, PP_ERR_SYNTAX,
                       "line %zu: exit status %lld, and the first line says %lld", r->line_number,
                       (long long)r->time.exit_status, (long long)r->said_status);
    return PP_OK;
}

/* ---- the whole ---------------------------------------------------------------------------------
 */

bool pp_gnu_time_is(const char *data, size_t size)
{
    const pp_text text = {.data = data, .size = size};

    return begins(without_indent(text), ECHO_BEGIN) || begins(text, killed) ||
           begins(text, stopped) || begins(text, failed);
}

pp_status pp_gnu_time_parse(const char *data, size_t size, pp_gnu_time *ret_time, pp_error *err)
{
    reader r = {.at = data, .end = data + size};
    bool is_ending = false;
    pp_text line = {.data = "", .size = 0};
    pp_status st;

    if (!pp_utf8_is_valid(data, size))
        return pp_fail(err, PP_ERR_SYNTAX, "expected UTF-8");
    if (!next_line(&r, &line))
        return pp_fail(err, PP_ERR_SYNTAX, "line 1 does not end: the text broke off");
    st = take_ending(&r, line, &is_ending, err);
    if (st == PP_OK && is_ending && !next_line(&r, &line))
        st = pp_fail(err, PP_ERR_SYNTAX, "the text broke off behind line 1");
    if (st == PP_OK)
        st = skip_echo(&r, line, err);
    while (st == PP_OK && next_line(&r, &line))
        st = take_figure(&r, line, err);
    if (st == PP_OK)
        st = check_whole(&r, err);
    if (st == PP_OK)
        *ret_time = r.time;
    return st;
}
