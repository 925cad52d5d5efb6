#include "quality/score.h"

#include "stats/binomial.h"
#include "stats/certify.h"
#include "stats/percentile.h"

/* ---- gaps ----------------------------------------------------------------------------------- */

static const struct {
    const char *name, *meaning;
} gaps[PP_SCORE_GAP_COUNT] = {
    {NULL, NULL},
    {"request-failed", "at least one request got no answer"},
    {"synthetic-weights", "answers of random weights mean nothing"},
};

const char *pp_score_gap_name(pp_score_gap gap)
{
    return gaps[gap].name;
}

const char *pp_score_gap_meaning(pp_score_gap gap)
{
    return gaps[gap].meaning;
}

/* ---- counting ------------------------------------------------------------------------------- */

static size_t failed_requests(const pp_suite_results *results, size_t number)
{
    size_t count = 0;

    for (size_t pass = 0; pass < results->pass_count; pass++)
        count += pp_result_of(results, pass, number)->outcome == PP_OUTCOME_FAILED;
    return count;
}

static void count_case(pp_score_part *part, const pp_suite_results *results, size_t number)
{
    pp_case_state state = pp_case_state_of(results, number);

    part->total++;
    part->passed += state == PP_CASE_PASSED;
    part->missed += state == PP_CASE_MISSED;
    part->open += state == PP_CASE_OPEN;
    part->flipped += pp_case_flipped(results, number);
    part->failed_request_count += failed_requests(results, number);
}

/* What follows from the counts. */
static void finish_part(pp_score_part *part, pp_origin origin)
{
    double total = (double)part->total;
    pp_share_interval interval;

    if (origin == PP_ORIGIN_SYNTHETIC_WEIGHTS) {
        part->gap = PP_SCORE_SYNTHETIC_WEIGHTS;
        return;
    }
    part->score_min = pp_known_real((double)part->passed / total);
    part->score_max = pp_known_real((double)(part->passed + part->open) / total);
    if (part->failed_request_count > 0) {
        part->gap = PP_SCORE_REQUEST_FAILED;
        return;
    }
    interval =
        pp_share_interval_of((int64_t)part->passed, (int64_t)part->total, PP_SCORE_CONFIDENCE);
    part->score = part->score_min;
    part->lower = pp_known_real(interval.lower);
    part->upper = pp_known_real(interval.upper);
}

/* ---- groups --------------------------------------------------------------------------------- */

static pp_score_part *group_of(pp_score *score, pp_text group)
{
    for (size_t i = 0; i < score->group_count; i++) {
        if (pp_text_equal(score->groups[i].group, group))
            return &score->groups[i];
    }
    score->groups[score->group_count].group = group;
    return &score->groups[score->group_count++];
}

static void count_all(pp_score *score, const pp_suite_results *results)
{
    const pp_suite *suite = results->suite;

    for (size_t i = 0; i < suite->case_count; i++) {
        count_case(&score->whole, results, i);
        if (suite->cases[i].group.size > 0)
            count_case(group_of(score, suite->cases[i].group), results, i);
        if (pp_case_flipped(results, i))
            score->flipped[score->whole.flipped - 1] = i;
        score->changed_count += pp_case_answers_differ(results, i);
        for (size_t pass = 0; pass < results->pass_count; pass++)
            score->passed_by_pass[pass] +=
                pp_result_of(results, pass, i)->outcome == PP_OUTCOME_MATCHED;
    }
}

pp_status pp_score_of(pp_arena *arena, const pp_suite_results *results, pp_origin origin,
                      pp_score *ret_score, pp_error *err)
{
    size_t n = results->suite->case_count;
    pp_score score = {
        .groups = PP_ARENA_NEW(arena, pp_score_part, n),
        .passed_by_pass = PP_ARENA_NEW(arena, size_t, results->pass_count),
        .pass_count = results->pass_count,
        .flipped = PP_ARENA_NEW(arena, size_t, n),
    };
    pp_status st = pp_arena_check(arena, err);

    if (st != PP_OK)
        return st;
    count_all(&score, results);
    finish_part(&score.whole, origin);
    for (size_t i = 0; i < score.group_count; i++)
        finish_part(&score.groups[i], origin);
    *ret_score = score;
    return PP_OK;
}

/* ---- floor ---------------------------------------------------------------------------------- */

pp_floor_statement pp_floor_of(const pp_score_part *part, double floor)
{
    int64_t total = (int64_t)part->total;
    int64_t passed = (int64_t)part->passed;
    pp_floor_statement out = {
        .floor = floor,
        .passes_needed = pp_passes_needed(total, floor, PP_SCORE_CONFIDENCE),
    };

    if (!part->score.known)
        return out;
    out.met = pp_known_bool(part->score.value >= floor);
    out.chance = pp_known_real(pp_binomial_at_least(total, floor, passed));
    out.certified = pp_known_bool(out.passes_needed.known && passed >= out.passes_needed.value);
    if (!out.certified.value)
        out.cases_needed = pp_cases_needed(passed, total, floor, PP_SCORE_CONFIDENCE);
    return out;
}

/* ---- latency -------------------------------------------------------------------------------- */

static pp_maybe_real tail_value(const double *sorted, size_t n, double percent)
{
    pp_tail tail = pp_tail_of(sorted, n, percent);

    return (pp_maybe_real){tail.rank > 0, tail.value};
}

pp_status pp_answer_latency_of(pp_arena *arena, const pp_suite_results *results,
                               pp_answer_latency *ret_latency, pp_error *err)
{
    size_t n = results->pass_count * results->suite->case_count;
    double *ms = PP_ARENA_NEW(arena, double, n);
    pp_answer_latency out = {0};

    if (ms == NULL)
        return pp_arena_check(arena, err);
    for (size_t i = 0; i < n; i++) {
        const pp_case_result *result = &results->results[i];

        if (result->outcome != PP_OUTCOME_FAILED && result->latency_ns.known)
            ms[out.count++] = (double)result->latency_ns.value / 1e6;
    }
    pp_samples_sort(ms, out.count);
    out.ms_p50 = tail_value(ms, out.count, 50);
    out.ms_p95 = tail_value(ms, out.count, 95);
    out.p95_is_maximum = out.count > 0 && pp_tail_of(ms, out.count, 95).is_maximum;
    *ret_latency = out;
    return PP_OK;
}
