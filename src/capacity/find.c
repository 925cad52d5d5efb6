/* Up by the factor until something fails, down until something passes, then the geometric middle of
 * the pair. What is undecided lies where pass turns into fail: it is closed in from both sides. */
#include "capacity/find.h"

#include <math.h>

static const char *const end_names[] = {"goes-on",      "resolved",     "undecided",
                                        "never-failed", "never-passed", "probes-spent"};

const char *pp_find_end_name(pp_find_end end)
{
    return (size_t)end < PP_COUNT_OF(end_names) ? end_names[end] : "unknown";
}

pp_find_options pp_find_options_default(bool whole)
{
    return (pp_find_options){
        .first = 1,
        .min = whole ? 1 : 1.0 / 1024,
        .max = whole ? 65536 : 1048576,
        .factor = 2,
        .resolution_ratio = 1.1,
        .probe_count_max = 20,
        .whole = whole,
    };
}

static bool is_whole(double value)
{
    return value == floor(value);
}

pp_status pp_find_options_check(const pp_find_options *o, pp_error *err)
{
    if (!(o->min > 0) || !(o->max >= o->min) || !isfinite(o->max))
        return pp_fail(err, PP_ERR_USAGE, "search: expected 0 < lowest <= highest, got %g and %g",
                       o->min, o->max);
    if (!(o->first >= o->min && o->first <= o->max))
        return pp_fail(err, PP_ERR_USAGE, "search: expected a first load from %g to %g, got %g",
                       o->min, o->max, o->first);
    if (!(o->factor > 1) || !isfinite(o->factor))
        return pp_fail(err, PP_ERR_USAGE, "search: expected a factor above 1, got %g", o->factor);
    if (!(o->resolution_ratio > 1) || !isfinite(o->resolution_ratio))
        return pp_fail(err, PP_ERR_USAGE, "search: expected a resolution above 1, got %g",
                       o->resolution_ratio);
    if (o->probe_count_max < 1 || o->probe_count_max > PP_FIND_PROBES_MAX)
        return pp_fail(err, PP_ERR_USAGE, "search: expected 1 to %d probes, got %lld",
                       PP_FIND_PROBES_MAX, (long long)o->probe_count_max);
    if (o->whole && !(is_whole(o->first) && is_whole(o->min) && is_whole(o->max)))
        return pp_fail(err, PP_ERR_USAGE, "search: expected whole numbers of clients");
    return PP_OK;
}

/* ---- what the probes say -------------------------------------------------------------------- */

static bool is_superseded(const pp_find_probe *probes, size_t n, size_t i)
{
    for (size_t j = i + 1; j < n; j++)
        if (probes[j].load == probes[i].load)
            return true;
    return false;
}

static void add_undecided(pp_find_answer *answer, double load)
{
    size_t at = answer->undecided_count++;

    for (; at > 0 && answer->undecided[at - 1] > load; at--)
        answer->undecided[at] = answer->undecided[at - 1];
    answer->undecided[at] = load;
}

static void read_probes(const pp_find_probe *probes, size_t n, pp_find_answer *answer)
{
    double highest = 0;

    for (size_t i = 0; i < n; i++) {
        if (is_superseded(probes, n, i))
            continue;
        if (probes[i].verdict == PP_SLO_UNDECIDED)
            add_undecided(answer, probes[i].load);
        if (probes[i].verdict == PP_SLO_PASS)
            highest = fmax(highest, probes[i].load);
        if (probes[i].verdict == PP_SLO_FAIL &&
            (!answer->lowest_fail.known || probes[i].load < answer->lowest_fail.value))
            answer->lowest_fail = pp_known_real(probes[i].load);
    }
    answer->is_contradictory = answer->lowest_fail.known && highest > answer->lowest_fail.value;
    for (size_t i = 0; i < n; i++) {
        if (probes[i].verdict != PP_SLO_PASS || is_superseded(probes, n, i) ||
            (answer->lowest_fail.known && probes[i].load > answer->lowest_fail.value))
            continue;
        if (!answer->highest_pass.known || probes[i].load > answer->highest_pass.value)
            answer->highest_pass = pp_known_real(probes[i].load);
    }
}

/* ---- what to try next ----------------------------------------------------------------------- */

static void end_with(pp_find_answer *answer, pp_find_end end)
{
    answer->end = end;
    answer->next = 0;
}

static bool is_near(const pp_find_options *o, double low, double high)
{
    return high <= low * o->resolution_ratio || (o->whole && high - low <= 1);
}

static double middle(const pp_find_options *o, double low, double high)
{
    double load = sqrt(low) * sqrt(high);

    if (!o->whole)
        return load;
    return fmin(fmax(round(load), low + 1), high - 1);
}

/* Undecided loads strictly between the pair: the outermost ones. */
static size_t between(const pp_find_answer *answer, double low, double high, double *ret_first,
                      double *ret_last)
{
    size_t count = 0;

    for (size_t i = 0; i < answer->undecided_count; i++) {
        if (answer->undecided[i] <= low || answer->undecided[i] >= high)
            continue;
        if (count++ == 0)
            *ret_first = answer->undecided[i];
        *ret_last = answer->undecided[i];
    }
    return count;
}

static void close_in(const pp_find_options *o, pp_find_answer *answer)
{
    double low = answer->highest_pass.value;
    double high = answer->lowest_fail.value;
    double first = high;
    double last = low;

    if (is_near(o, low, high)) {
        end_with(answer, PP_FIND_RESOLVED);
    } else if (between(answer, low, high, &first, &last) == 0) {
        answer->next = middle(o, low, high);
    } else if (!is_near(o, low, first) && first / low >= high / last) {
        answer->next = middle(o, low, first);
    } else if (!is_near(o, last, high)) {
        answer->next = middle(o, last, high);
    } else if (!is_near(o, low, first)) {
        answer->next = middle(o, low, first);
    } else {
        end_with(answer, PP_FIND_UNDECIDED);
    }
}

/* Beyond everything that was tried on this side, in steps; `end` when the bound was tried. */
static void go_up(const pp_find_options *o, double highest, pp_find_answer *answer)
{
    double next = fmin(o->max, highest * o->factor);

    if (highest >= o->max)
        end_with(answer, answer->highest_pass.known ? PP_FIND_NEVER_FAILED : PP_FIND_UNDECIDED);
    else
        answer->next = o->whole ? fmin(o->max, ceil(next)) : next;
}

static void go_down(const pp_find_options *o, double lowest, pp_find_answer *answer)
{
    double next = fmax(o->min, lowest / o->factor);

    if (lowest <= o->min)
        end_with(answer, answer->lowest_fail.known ? PP_FIND_NEVER_PASSED : PP_FIND_UNDECIDED);
    else
        answer->next = o->whole ? fmax(o->min, floor(next)) : next;
}

static void tried(const pp_find_probe *probes, size_t n, double *ret_lowest, double *ret_highest)
{
    *ret_lowest = *ret_highest = probes[0].load;
    for (size_t i = 1; i < n; i++) {
        *ret_lowest = fmin(*ret_lowest, probes[i].load);
        *ret_highest = fmax(*ret_highest, probes[i].load);
    }
}

pp_find_answer pp_find_next(const pp_find_options *o, const pp_find_probe *probes, size_t n)
{
    pp_find_answer answer = {.end = PP_FIND_GOES_ON, .next = o->first};
    double lowest, highest;

    PP_ASSERT(n <= PP_FIND_PROBES_MAX);
    if (n == 0)
        return answer;
    read_probes(probes, n, &answer);
    tried(probes, n, &lowest, &highest);
    if (answer.highest_pass.known && answer.lowest_fail.known)
        close_in(o, &answer);
    else if (answer.lowest_fail.known || (!answer.highest_pass.known && lowest > o->min))
        go_down(o, lowest, &answer);
    else
        go_up(o, highest, &answer);
    if (answer.end == PP_FIND_GOES_ON && (int64_t)n >= o->probe_count_max)
        end_with(&answer, PP_FIND_PROBES_SPENT);
    return answer;
}
