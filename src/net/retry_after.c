#include "net/retry_after.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "net/http_syntax.h"

/* "Wednesday, 30-Nov-94 08:49:37 GMT" has 33 bytes. */
#define DATE_MAX_BYTES 40

static pp_maybe_int read_seconds(pp_text value)
{
    int64_t seconds = 0;

    for (size_t i = 0; i < value.size; i++) {
        int digit = value.data[i] - '0';

        if (digit < 0 || digit > 9 || __builtin_mul_overflow(seconds, 10, &seconds) ||
            __builtin_add_overflow(seconds, digit, &seconds))
            return (pp_maybe_int){0};
    }
    return value.size > 0 ? pp_known_int(seconds) : (pp_maybe_int){0};
}

static int month_of(const char *name)
{
    static const char names[12][4] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                      "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

    for (int i = 0; i < 12; i++)
        if (strcmp(name, names[i]) == 0)
            return i;
    return -1;
}

/* The form of today, that of RFC 850, and that of asctime. `end` says that all of it was read. */
static bool scan_date(const char *text, struct tm *ret, char month[4], bool *ret_short_year)
{
    size_t size = strlen(text);
    int end = -1;

    *ret_short_year = false;
    (void)sscanf(text, "%*3[A-Za-z], %2d %3[A-Za-z] %4d %2d:%2d:%2d GMT%n", &ret->tm_mday, month,
                 &ret->tm_year, &ret->tm_hour, &ret->tm_min, &ret->tm_sec, &end);
    if (end == (int)size)
        return true;
    (void)sscanf(text, "%*9[A-Za-z], %2d-%3[A-Za-z]-%2d %2d:%2d:%2d GMT%n", &ret->tm_mday, month,
                 &ret->tm_year, &ret->tm_hour, &ret->tm_min, &ret->tm_sec, &end);
    *ret_short_year = end == (int)size;
    if (*ret_short_year)
        return true;
    (void)sscanf(text, "%*3[A-Za-z] %3[A-Za-z] %2d %2d:%2d:%2d %4d%n", month, &ret->tm_mday,
                 &ret->tm_hour, &ret->tm_min, &ret->tm_sec, &ret->tm_year, &end);
    return end == (int)size;
}

static bool is_in_range(const struct tm *t)
{
    return t->tm_mday >= 1 && t->tm_mday <= 31 && t->tm_hour >= 0 && t->tm_hour <= 23 &&
           t->tm_min >= 0 && t->tm_min <= 59 && t->tm_sec >= 0 && t->tm_sec <= 60 &&
           t->tm_year >= 0;
}

/* A year of two digits that seems more than 50 years ahead was in the last century. */
static int whole_year(int two_digits, int64_t now_unix_s)
{
    struct tm now = {0};
    time_t at = (time_t)now_unix_s;
    int year;

    if (gmtime_r(&at, &now) == NULL)
        return 1900 + two_digits;
    year = (now.tm_year + 1900) / 100 * 100 + two_digits;
    return year > now.tm_year + 1900 + 50 ? year - 100 : year;
}

static pp_maybe_int read_date(pp_text value, int64_t now_unix_s)
{
    char text[DATE_MAX_BYTES + 1];
    char month[4] = "";
    struct tm date = {0};
    bool short_year;
    int64_t at;

    if (value.size > DATE_MAX_BYTES || memchr(value.data, '\0', value.size) != NULL)
        return (pp_maybe_int){0};
    memcpy(text, value.data, value.size);
    text[value.size] = '\0';
    if (!scan_date(text, &date, month, &short_year) || !is_in_range(&date) || month_of(month) < 0)
        return (pp_maybe_int){0};
    date.tm_mon = month_of(month);
    date.tm_year = (short_year ? whole_year(date.tm_year, now_unix_s) : date.tm_year) - 1900;
    at = (int64_t)timegm(&date);
    return pp_known_int(at > now_unix_s ? at - now_unix_s : 0);
}

pp_maybe_int pp_http_retry_after_s(pp_text value, int64_t now_unix_s)
{
    pp_text stripped = pp_http_without_blanks(value);

    if (stripped.size == 0)
        return (pp_maybe_int){0};
    if (stripped.data[0] >= '0' && stripped.data[0] <= '9')
        return read_seconds(stripped);
    return read_date(stripped, now_unix_s);
}
