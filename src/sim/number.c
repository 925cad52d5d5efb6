#include "sim/number.h"

#include <stdlib.h>
#include <string.h>

#include "base/units.h"

pp_status pp_sim_number_parse(const char *text, const char *what, double min, double max,
                              double *ret_value, pp_error *err)
{
    size_t digits = strspn(text, "0123456789");
    size_t length = digits;
    double value;

    if (digits > 0 && text[digits] == '.')
        length += 1 + strspn(text + digits + 1, "0123456789");
    value = strtod(text, NULL); /* digits and a point only, once the length fits */
    if (digits == 0 || length > 30 || text[length] != '\0' || text[length - 1] == '.' ||
        value < min || value > max)
        return pp_fail(err, PP_ERR_USAGE, "%s: expected a number from %g to %g, got '%s'", what,
                       min, max, text);
    *ret_value = value;
    return PP_OK;
}

pp_status pp_sim_two_durations_parse(const char *text, const char *what, int64_t *ret_first_ns,
                                     int64_t *ret_second_ns, pp_error *err)
{
    char first[32];
    size_t length = strcspn(text, ":");
    pp_status st;

    if (length >= sizeof first || text[length] != ':')
        return pp_fail(err, PP_ERR_USAGE, "%s: expected two times such as 10s:2s, got '%s'", what,
                       text);
    memcpy(first, text, length);
    first[length] = '\0';
    st = pp_parse_duration(first, what, ret_first_ns, err);
    if (st == PP_OK)
        st = pp_parse_duration(text + length + 1, what, ret_second_ns, err);
    return st;
}
