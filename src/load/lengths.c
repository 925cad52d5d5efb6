#include "load/lengths.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "stats/random.h"

#define TRIES 1000 /* each succeeds at least once in two, as the mean is 1 or more */

pp_lengths pp_lengths_fixed(int64_t tokens)
{
    return (pp_lengths){.kind = PP_LENGTHS_FIXED, .low = tokens, .high = tokens};
}

static pp_status wrong_form(const char *text, const char *what, pp_error *err)
{
    return pp_fail(err, PP_ERR_USAGE,
                   "%s: expected a number, uniform:A..B or normal:MEAN,SD, got '%s'", what, text);
}

/* The part in front of `mark`, which is taken away, and the part behind it. */
static bool split(char *text, const char *mark, const char **ret_behind)
{
    char *at = strstr(text, mark);

    if (at == NULL)
        return false;
    *at = '\0';
    *ret_behind = at + strlen(mark);
    return true;
}

/* `whole` is what the user wrote, `text` the part behind the colon. */
static pp_status parse_uniform(const char *whole, char *text, const char *what, pp_lengths *lengths,
                               pp_error *err)
{
    const char *high;
    pp_status st;

    if (!split(text, "..", &high))
        return wrong_form(whole, what, err);
    lengths->kind = PP_LENGTHS_UNIFORM;
    st = pp_parse_int(text, what, 1, PP_LENGTHS_MAX, &lengths->low, err);
    if (st == PP_OK)
        st = pp_parse_int(high, what, 1, PP_LENGTHS_MAX, &lengths->high, err);
    if (st == PP_OK && lengths->high < lengths->low)
        return pp_fail(err, PP_ERR_RANGE, "%s: expected A..B with A <= B, got %lld..%lld", what,
                       (long long)lengths->low, (long long)lengths->high);
    return st;
}

/* A decimal number such as 12 or 12.5; independent of the locale. */
static bool parse_decimal(const char *text, double *ret_value)
{
    double value = 0, unit = 1;
    const char *at = text;

    if (strspn(text, "0123456789") == 0 || strlen(text) > 32)
        return false;
    for (; *at >= '0' && *at <= '9'; at++)
        value = 10 * value + (*at - '0');
    if (*at == '.') {
        if (strspn(++at, "0123456789") == 0)
            return false;
        for (; *at >= '0' && *at <= '9'; at++) {
            value = 10 * value + (*at - '0');
            unit *= 10;
        }
    }
    *ret_value = value / unit;
    return *at == '\0';
}

static pp_status parse_normal(const char *whole, char *text, const char *what, pp_lengths *lengths,
                              pp_error *err)
{
    const char *sd;

    if (!split(text, ",", &sd))
        return wrong_form(whole, what, err);
    lengths->kind = PP_LENGTHS_NORMAL;
    if (!parse_decimal(text, &lengths->mean) || lengths->mean < 1 ||
        lengths->mean > (double)PP_LENGTHS_MAX)
        return pp_fail(err, PP_ERR_RANGE, "%s: expected a mean from 1 to %lld, got '%s'", what,
                       (long long)PP_LENGTHS_MAX, text);
    if (!parse_decimal(sd, &lengths->sd) || lengths->sd > (double)PP_LENGTHS_MAX)
        return pp_fail(err, PP_ERR_RANGE,
                       "%s: expected a standard deviation from 0 to %lld, got '%s'", what,
                       (long long)PP_LENGTHS_MAX, sd);
    return PP_OK;
}

pp_status pp_lengths_parse(const char *text, const char *what, pp_lengths *ret_lengths,
                           pp_error *err)
{
    pp_lengths lengths = {0};
    char copy[128];
    pp_status st;

    if (strlen(text) >= sizeof copy)
        return wrong_form(text, what, err);
    strcpy(copy, text);
    if (strncmp(copy, "uniform:", 8) == 0) {
        st = parse_uniform(text, copy + 8, what, &lengths, err);
    } else if (strncmp(copy, "normal:", 7) == 0) {
        st = parse_normal(text, copy + 7, what, &lengths, err);
    } else if (strspn(copy, "0123456789") == 0) {
        st = wrong_form(text, what, err);
    } else {
        st = pp_parse_int(copy, what, 0, PP_LENGTHS_MAX, &lengths.low, err);
        lengths.high = lengths.low;
    }
    if (st == PP_OK)
        *ret_lengths = lengths;
    return st;
}

int64_t pp_lengths_max(const pp_lengths *lengths)
{
    double high;

    if (lengths->kind != PP_LENGTHS_NORMAL)
        return lengths->high;
    high = ceil(lengths->mean + 6 * lengths->sd);
    return high < (double)PP_LENGTHS_MAX ? (int64_t)high : PP_LENGTHS_MAX;
}

static int64_t draw_normal(const pp_lengths *lengths, uint64_t *state)
{
    for (int i = 0; i < TRIES; i++) {
        double drawn = floor(lengths->mean + lengths->sd * pp_random_normal(state) + 0.5);

        if (drawn >= 1 && drawn <= (double)PP_LENGTHS_MAX)
            return (int64_t)drawn;
    }
    return (int64_t)floor(lengths->mean + 0.5);
}

int64_t pp_lengths_draw(const pp_lengths *lengths, uint64_t stream)
{
    uint64_t state = stream;

    switch (lengths->kind) {
    case PP_LENGTHS_UNIFORM:
        return lengths->low +
               (int64_t)pp_random_below(&state, (uint64_t)(lengths->high - lengths->low) + 1);
    case PP_LENGTHS_NORMAL:
        return draw_normal(lengths, &state);
    case PP_LENGTHS_FIXED:
        break;
    }
    return lengths->low;
}
