#include "base/units.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"

typedef struct unit {
    const char *suffix;
    double factor;
} unit;

/* digits, optionally a point and digits: no sign, no exponent, no blanks, no hexadecimal */
static size_t plain_number_length(const char *text)
{
    size_t digits = strspn(text, "0123456789");
    size_t more;

    if (digits == 0 || text[digits] != '.')
        return digits;
    more = strspn(text + digits + 1, "0123456789");
    return more == 0 ? 0 : digits + 1 + more;
}

static pp_status parse_with_unit(const char *text, const char *what, const unit *units,
                                 size_t n_units, const char *examples, int64_t *ret_value,
                                 pp_error *err)
{
    size_t length = plain_number_length(text);

    for (size_t i = 0; length > 0 && i < n_units; i++) {
        double value;

        if (strcmp(text + length, units[i].suffix) != 0)
            continue;
        value = strtod(text, NULL) * units[i].factor;
        if (!(value < 9.0e18))
            return pp_fail(err, PP_ERR_USAGE, "%s: '%s' is too large", what, text);
        *ret_value = (int64_t)llround(value);
        return PP_OK;
    }
    return pp_fail(err, PP_ERR_USAGE, "%s: expected a number with its unit such as %s, got '%s'",
                   what, examples, text);
}

pp_status pp_parse_duration(const char *text, const char *what, int64_t *ret_ns, pp_error *err)
{
    static const unit units[] = {
        {"ms", 1e6}, {"s", 1e9}, {"m", 60e9}, {"h", 3600e9}, {"us", 1e3}, {"ns", 1},
    };

    return parse_with_unit(text, what, units, PP_COUNT_OF(units), "250ms, 30s or 5m", ret_ns, err);
}

pp_status pp_parse_size(const char *text, const char *what, int64_t *ret_bytes, pp_error *err)
{
    static const unit units[] = {
        {"B", 1}, {"KiB", 1024}, {"MiB", 1048576}, {"GiB", 1073741824}, {"TiB", 1099511627776.0},
    };

    return parse_with_unit(text, what, units, PP_COUNT_OF(units), "512B, 4096MiB or 4GiB",
                           ret_bytes, err);
}

pp_status pp_parse_int(const char *text, const char *what, int64_t min, int64_t max,
                       int64_t *ret_value, pp_error *err)
{
    size_t sign = text[0] == '-' ? 1 : 0;
    size_t digits = strspn(text + sign, "0123456789");
    long long value;

    errno = 0;
    value = strtoll(text, NULL, 10);
    if (digits == 0 || text[sign + digits] != '\0' || errno == ERANGE || value < min || value > max)
        return pp_fail(err, PP_ERR_USAGE, "%s: expected an integer from %lld to %lld, got '%s'",
                       what, (long long)min, (long long)max, text);
    *ret_value = value;
    return PP_OK;
}

pp_status pp_parse_number(const char *text, const char *what, double min, double max,
                          double *ret_value, pp_error *err)
{
    size_t length = plain_number_length(text);
    double value = length == 0 ? 0 : strtod(text, NULL);

    if (length == 0 || text[length] != '\0' || !(value >= min && value <= max))
        return pp_fail(err, PP_ERR_USAGE, "%s: expected a number from %g to %g, got '%s'", what,
                       min, max, text);
    *ret_value = value;
    return PP_OK;
}

pp_status pp_parse_percent(const char *text, const char *what, double *ret_percent, pp_error *err)
{
    size_t length = plain_number_length(text);

    if (length == 0 || strcmp(text + length, "%") != 0 || !isfinite(strtod(text, NULL)))
        return pp_fail(err, PP_ERR_USAGE,
                       "%s: expected a number with its unit such as 3%% or 0.5%%, got '%s'", what,
                       text);
    *ret_percent = strtod(text, NULL);
    return PP_OK;
}
