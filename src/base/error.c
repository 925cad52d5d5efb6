#include "base/error.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/* Write `raw` into err->text with control characters escaped, cutting at the end with "...". */
static void set_text(pp_error *err, const char *raw)
{
    pp_text_escape_controls(raw, strlen(raw), err->text, sizeof err->text);
}

static void format_cause(pp_error *err, pp_status status, const char *file, int line,
                         const char *format, va_list args, const char *suffix)
{
    char raw[PP_ERROR_TEXT_MAX];
    size_t used;

    if (err == NULL)
        return;
    (void)vsnprintf(raw, sizeof raw, format, args); /* cut texts are still useful */
    used = strlen(raw);
    if (suffix != NULL)
        (void)snprintf(raw + used, sizeof raw - used, ": %s", suffix);
    err->status = status;
    err->file = file;
    err->line = line;
    set_text(err, raw);
}

pp_status pp_fail_at(pp_error *err, pp_status status, const char *file, int line,
                     const char *format, ...)
{
    va_list args;

    PP_ASSERT(status != PP_OK);
    va_start(args, format);
    format_cause(err, status, file, line, format, args, NULL);
    va_end(args);
    return status;
}

pp_status pp_fail_errno_at(pp_error *err, pp_status status, int errnum, const char *file, int line,
                           const char *format, ...)
{
    char reason[256];
    va_list args;

    PP_ASSERT(status != PP_OK);
    /* strerror of a C program that never calls setlocale is English and needs no lock here: the
     * text is copied at once. */
    (void)snprintf(reason, sizeof reason, "%s", strerror(errnum));
    va_start(args, format);
    format_cause(err, status, file, line, format, args, reason);
    va_end(args);
    return status;
}

pp_status pp_wrap(pp_error *err, pp_status st, const char *format, ...)
{
    char raw[PP_ERROR_TEXT_MAX];
    char old[PP_ERROR_TEXT_MAX];
    va_list args;
    size_t used;

    if (st == PP_OK || err == NULL)
        return st;
    memcpy(old, err->text, sizeof old);
    va_start(args, format);
    (void)vsnprintf(raw, sizeof raw, format, args);
    va_end(args);
    used = strlen(raw);
    (void)snprintf(raw + used, sizeof raw - used, ": %s", old); /* the outermost part is kept */
    set_text(err, raw);
    return st;
}

const char *pp_status_name(pp_status st)
{
    static const char *const names[] = {
        [PP_OK] = "ok",
        [PP_ERR_USAGE] = "usage",
        [PP_ERR_IO] = "io",
        [PP_ERR_SYNTAX] = "syntax",
        [PP_ERR_SCHEMA] = "schema",
        [PP_ERR_DOMAIN] = "domain",
        [PP_ERR_RANGE] = "range",
        [PP_ERR_LIMIT] = "limit",
        [PP_ERR_EXISTS] = "exists",
        [PP_ERR_NO_WINNER] = "no-winner",
        [PP_ERR_UNAVAILABLE] = "unavailable",
        [PP_ERR_TIMEOUT] = "timeout",
        [PP_ERR_PEER] = "peer",
        [PP_ERR_INTERRUPTED] = "interrupted",
        [PP_ERR_MEMORY] = "memory",
        [PP_ERR_BUG] = "bug",
    };

    return (size_t)st < PP_COUNT_OF(names) ? names[st] : "unknown";
}

void pp_assert_failed(const char *condition, const char *file, int line)
{
    (void)fprintf(stderr, "paretopilot: bug: %s:%d: %s\n", file, line, condition);
    abort();
}
