#include "quality/quality_gate.h"

#include <string.h>

static const char *const failure_names[] = {
    [PP_QUALITY_SCORE_BELOW_MINIMUM] = "quality_score_below_minimum",
    [PP_QUALITY_RETENTION_BELOW_MINIMUM] = "quality_retention_below_minimum",
    [PP_QUALITY_OUTCOMES_CHANGED] = "quality_outcomes_changed_across_parallel_levels",
};

const char *pp_quality_failure_name(pp_quality_failure failure)
{
    return failure_names[failure];
}

/* ---- what belongs together --------------------------------------------------------------------
 */

/* NULL when there is none. */
static const pp_quality_source *find(const pp_quality_source *sources, size_t count,
                                     pp_text candidate_id, int64_t server_parallel)
{
    for (size_t i = 0; i < count; i++) {
        if (sources[i].server_parallel == server_parallel &&
            pp_text_equal(sources[i].candidate_id, candidate_id))
            return &sources[i];
    }
    return NULL;
}

static bool same_cases(const pp_quality_source *a, const pp_quality_source *b)
{
    if (a->outcome_count != b->outcome_count)
        return false;
    for (size_t i = 0; i < a->outcome_count; i++) {
        if (!pp_text_equal(a->outcomes[i].case_id, b->outcomes[i].case_id))
            return false;
    }
    return true;
}

static pp_status fail_at_source(const pp_quality_source *source, const char *why, pp_error *err)
{
    return pp_fail(err, PP_ERR_DOMAIN, "%.200s/p%lld: %s", source->candidate_id.data,
                   (long long)source->server_parallel, why);
}

static pp_status check_source(const pp_quality_gate *gate, const pp_quality_source *sources,
                              size_t count, size_t at, pp_error *err)
{
    const pp_quality_source *s = &sources[at];

    if (find(sources, count, s->candidate_id, s->server_parallel) != s)
        return fail_at_source(s, "is there twice", err);
    if (s->outcome_count == 0)
        return fail_at_source(s, "has no case", err);
    if (!pp_text_equal(s->suite_id, sources[0].suite_id) ||
        strcmp(s->suite_sha256, sources[0].suite_sha256) != 0)
        return fail_at_source(s, "was asked another suite than the first", err);
    if (!same_cases(s, &sources[0]))
        return fail_at_source(s, "was asked other cases than the first", err);
    if (find(sources, count, s->candidate_id, 1) == NULL)
        return fail_at_source(s, "the same candidate with one slot is missing", err);
    if (find(sources, count, gate->reference_candidate_id, s->server_parallel) == NULL)
        return fail_at_source(s, "the reference candidate with as many slots is missing", err);
    return PP_OK;
}

/* ---- judging ----------------------------------------------------------------------------------
 */

static size_t passed_count(const pp_quality_source *source)
{
    size_t n = 0;

    for (size_t i = 0; i < source->outcome_count; i++)
        n += source->outcomes[i].matched;
    return n;
}

static double score(const pp_quality_source *source)
{
    return (double)passed_count(source) / (double)source->outcome_count;
}

static void judge(const pp_quality_gate *gate, pp_quality_check *check)
{
    const pp_maybe_real *retention = &check->retention_vs_reference;
    bool is_reference = pp_text_equal(check->source->candidate_id, gate->reference_candidate_id);

    if (check->score < gate->minimum_score)
        check->failures[check->failure_count++] = PP_QUALITY_SCORE_BELOW_MINIMUM;
    if (!is_reference &&
        (!retention->known || retention->value < gate->minimum_retention_vs_reference))
        check->failures[check->failure_count++] = PP_QUALITY_RETENTION_BELOW_MINIMUM;
    if (!check->outcomes_match_candidate_reference)
        check->failures[check->failure_count++] = PP_QUALITY_OUTCOMES_CHANGED;
}

static pp_status check_one(const pp_quality_gate *gate, const pp_quality_source *sources,
                           size_t count, const pp_quality_source *s, pp_quality_check *ret_check,
                           pp_error *err)
{
    const pp_quality_source *one_slot = find(sources, count, s->candidate_id, 1);
    double reference =
        score(find(sources, count, gate->reference_candidate_id, s->server_parallel));

    *ret_check = (pp_quality_check){
        .source = s,
        .passed_count = passed_count(s),
        .score = score(s),
        .outcomes_match_candidate_reference = pp_outcomes_equal(
            s->outcomes, s->outcome_count, one_slot->outcomes, one_slot->outcome_count),
    };
    if (reference > 0)
        ret_check->retention_vs_reference = pp_known_real(ret_check->score / reference);
    judge(gate, ret_check);
    return pp_outcomes_sha256(s->outcomes, s->outcome_count, ret_check->outcomes_sha256, err);
}

pp_status pp_quality_checks(pp_arena *arena, const pp_quality_gate *gate,
                            const pp_quality_source *sources, size_t count,
                            pp_quality_check **ret_checks, pp_error *err)
{
    pp_quality_check *checks = PP_ARENA_NEW(arena, pp_quality_check, count);
    pp_status st = pp_arena_check(arena, err);

    for (size_t i = 0; st == PP_OK && i < count; i++)
        st = check_source(gate, sources, count, i, err);
    for (size_t i = 0; st == PP_OK && i < count; i++)
        st = check_one(gate, sources, count, &sources[i], &checks[i], err);
    if (st == PP_OK)
        *ret_checks = checks;
    return pp_wrap(err, st, "checking quality");
}

/* ---- writing ----------------------------------------------------------------------------------
 */

pp_json *pp_quality_check_to_json(pp_arena *arena, const pp_quality_check *check)
{
    const pp_quality_source *s = check->source;
    pp_json *out = pp_json_new_object(arena);
    pp_json *failures = pp_json_new_array(arena);

    for (size_t i = 0; i < check->failure_count; i++)
        pp_json_add(arena, failures,
                    pp_json_new_string(arena, pp_quality_failure_name(check->failures[i])));
    pp_json_set_text(arena, out, "candidate_id", s->candidate_id);
    pp_json_set_int(arena, out, "server_parallel", s->server_parallel);
    pp_json_set_text(arena, out, "suite_id", s->suite_id);
    pp_json_set_string(arena, out, "suite_sha256", s->suite_sha256);
    pp_json_set_real(arena, out, "score", check->score);
    pp_json_set_int(arena, out, "passed", (int64_t)check->passed_count);
    pp_json_set_int(arena, out, "total", (int64_t)s->outcome_count);
    pp_json_set_maybe_real(arena, out, "retention_vs_reference", check->retention_vs_reference);
    pp_json_set_bool(arena, out, "outcomes_match_candidate_reference",
                     check->outcomes_match_candidate_reference);
    pp_json_set_string(arena, out, "outcomes_sha256", check->outcomes_sha256);
    pp_json_set_bool(arena, out, "gate_met", check->failure_count == 0);
    pp_json_set(arena, out, "failure_reasons", failures);
    pp_json_set_string(
        arena, out, "source_label",
        pp_arena_printf(arena, "%s/p%lld", s->candidate_id.data, (long long)s->server_parallel));
    pp_json_set_string(arena, out, "input_sha256", s->input_sha256);
    pp_json_set_string(arena, out, "source_content_sha256", s->source_content_sha256);
    pp_json_set_string(arena, out, "evaluation_sha256", s->evaluation_sha256);
    return out;
}
