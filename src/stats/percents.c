#include "stats/percents.h"

#include <stdlib.h>
#include <string.h>

#define LONGEST 10 /* 100.000000 */

/* digits, optionally a point and 1 to 6 digits */
static bool is_plain(const char *text)
{
    size_t digits = strspn(text, "0123456789");
    size_t more;

    if (digits == 0 || digits > 3)
        return false;
    if (text[digits] == '\0')
        return true;
    more = text[digits] == '.' ? strspn(text + digits + 1, "0123456789") : 0;
    return more >= 1 && more <= 6 && text[digits + 1 + more] == '\0';
}

pp_status pp_percent_parse(const char *text, const char *what, double *ret_percent, pp_error *err)
{
    double value;

    if (!is_plain(text))
        return pp_fail(err, PP_ERR_USAGE, "%s: expected a percentile such as 95 or 99.9, got '%s'",
                       what, text);
    value = strtod(text, NULL);
    if (value > 0 && value < 1)
        return pp_fail(err, PP_ERR_USAGE,
                       "%s: expected a percentile from 1 to 100, got '%s'; percent, not a share: "
                       "%g is written %g",
                       what, text, value, value * 100);
    if (value < 1 || value > 100)
        return pp_fail(err, PP_ERR_USAGE, "%s: expected a percentile from 1 to 100, got '%s'", what,
                       text);
    *ret_percent = value;
    return PP_OK;
}

bool pp_percents_add(pp_percents *percents, double percent)
{
    size_t at = 0;

    while (at < percents->count && percents->values[at] < percent)
        at++;
    if (at < percents->count && percents->values[at] == percent)
        return true;
    if (percents->count == PP_PERCENTS_MAX)
        return false;
    memmove(&percents->values[at + 1], &percents->values[at],
            (percents->count - at) * sizeof percents->values[0]);
    percents->values[at] = percent;
    percents->count++;
    return true;
}

static pp_status add_text(const char *text, size_t size, const char *what, pp_percents *percents,
                          pp_error *err)
{
    char one[LONGEST + 1];
    double percent;
    pp_status st;

    if (size > LONGEST)
        return pp_fail(err, PP_ERR_USAGE,
                       "%s: expected a percentile such as 95 or 99.9, got '%.*s'", what, (int)size,
                       text);
    memcpy(one, text, size);
    one[size] = '\0';
    st = pp_percent_parse(one, what, &percent, err);
    if (st == PP_OK && !pp_percents_add(percents, percent))
        return pp_fail(err, PP_ERR_USAGE, "%s: more than %d percentiles", what, PP_PERCENTS_MAX);
    return st;
}

pp_status pp_percents_parse(const char *text, const char *what, pp_percents *percents,
                            pp_error *err)
{
    pp_percents found = *percents;
    pp_status st = PP_OK;

    for (const char *at = text; st == PP_OK; at++) {
        size_t size = strcspn(at, ",");

        st = add_text(at, size, what, &found, err);
        at += size;
        if (*at == '\0')
            break;
    }
    if (st == PP_OK)
        *percents = found;
    return st;
}
