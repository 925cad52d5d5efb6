#include "quality/evaluation.h"

#include <math.h>
#include <string.h>

#include "quality/match.h"
#include "stats/percentile.h"

/* ---- deriving ---------------------------------------------------------------------------------
 */

static pp_status match_cases(pp_arena *arena, const pp_suite *suite, pp_server_evaluation *e,
                             pp_error *err)
{
    pp_status st = PP_OK;

    e->passed_count = 0;
    for (size_t i = 0; st == PP_OK && i < e->case_count; i++) {
        pp_evaluation_case *c = &e->cases[i];
        pp_match match = {0};

        st = pp_match_answer(arena, &suite->cases[i], c->response, &match, err);
        c->matched = match.matched;
        c->matched_answer = match.matched ? match.matched_answer : (pp_text){0};
        e->passed_count += match.matched;
    }
    e->score = (double)e->passed_count / (double)e->case_count;
    return st;
}

static pp_status percentiles(double *values, size_t n, double *ret_p50, double *ret_p95,
                             pp_error *err)
{
    pp_status st;

    pp_samples_sort(values, n);
    st = pp_percentile(values, n, 50, ret_p50, err);
    if (st == PP_OK)
        st = pp_percentile(values, n, 95, ret_p95, err);
    if (st == PP_OK && !isfinite(*ret_p50))
        st = pp_fail(err, PP_ERR_DOMAIN, "latencies: their median is beyond the largest number");
    return st;
}

pp_status pp_evaluation_derive_latency(pp_arena *arena, pp_server_evaluation *e, pp_error *err)
{
    double *values = PP_ARENA_NEW(arena, double, e->sample_count);
    pp_status st = pp_arena_check(arena, err);

    for (size_t i = 0; st == PP_OK && i < e->sample_count; i++)
        values[i] = e->samples[i].ttft_ms;
    if (st == PP_OK)
        st = percentiles(values, e->sample_count, &e->ttft_ms_p50, &e->ttft_ms_p95, err);
    for (size_t i = 0; st == PP_OK && i < e->sample_count; i++)
        values[i] = e->samples[i].e2e_latency_ms;
    if (st == PP_OK)
        st = percentiles(values, e->sample_count, &e->e2e_latency_ms_p50, &e->e2e_latency_ms_p95,
                         err);
    return st;
}

pp_status pp_evaluation_derive(pp_arena *arena, const pp_suite *suite,
                               pp_server_evaluation *evaluation, pp_error *err)
{
    pp_status st = match_cases(arena, suite, evaluation, err);

    return st == PP_OK ? pp_evaluation_derive_latency(arena, evaluation, err) : st;
}

/* ---- building ---------------------------------------------------------------------------------
 */

static pp_status check_candidate_id(pp_text id, pp_error *err)
{
    if (pp_text_is_blank(id))
        return pp_fail(err, PP_ERR_DOMAIN, "candidate id: blank");
    if (pp_text_character_count(id) > PP_EVALUATION_MAX_ID_CHARACTERS)
        return pp_fail(err, PP_ERR_DOMAIN, "candidate id: expected at most %d characters, got %zu",
                       PP_EVALUATION_MAX_ID_CHARACTERS, pp_text_character_count(id));
    return PP_OK;
}

static pp_status check_source(const pp_evaluation_source *s, pp_error *err)
{
    if (s->origin == PP_ORIGIN_SYNTHETIC_WEIGHTS)
        return pp_fail(err, PP_ERR_DOMAIN,
                       "the model has random weights: its answers mean nothing, and there is no "
                       "score to write down");
    if (!s->suite->original || !s->suite->has_performance)
        return pp_fail(err, PP_ERR_DOMAIN,
                       "suite \"%.80s\": expected one of schema 1.0, which says what latencies are "
                       "measured with",
                       s->suite->id.data);
    if (s->answer_count != s->suite->case_count)
        return pp_fail(err, PP_ERR_DOMAIN, "expected an answer to each of %zu cases, got %zu",
                       s->suite->case_count, s->answer_count);
    if ((int64_t)s->sample_count != s->suite->repetitions)
        return pp_fail(err, PP_ERR_DOMAIN,
                       "expected %lld measured requests, as the suite says, got %zu",
                       (long long)s->suite->repetitions, s->sample_count);
    return check_candidate_id(s->candidate_id, err);
}

static pp_status check_samples(const pp_evaluation_source *s, pp_error *err)
{
    for (size_t i = 0; i < s->sample_count; i++) {
        char text[PP_EVALUATION_FAULT_MAX];
        const char *key;
        const char *fault =
            pp_evaluation_sample_fault(&s->samples[i], s->suite->generation_tokens, &key, text);

        if (fault != NULL)
            return pp_fail(err, PP_ERR_DOMAIN, "measured request %zu: %s: %s", i + 1, key, fault);
    }
    return PP_OK;
}

static pp_status take_cases(pp_arena *arena, const pp_evaluation_source *s, pp_server_evaluation *e,
                            pp_error *err)
{
    e->case_count = s->suite->case_count;
    e->cases = PP_ARENA_NEW(arena, pp_evaluation_case, e->case_count);
    for (size_t i = 0; e->cases != NULL && i < e->case_count; i++) {
        const pp_suite_case *from = &s->suite->cases[i];

        PP_ASSERT(from->rule_count == 1 && from->rules[0].mode <= PP_MATCH_JSON_EXACT);
        e->cases[i] = (pp_evaluation_case){
            .id = from->id,
            .prompt = from->prompt,
            .accepted = from->rules[0].accepted,
            .accepted_count = from->rules[0].accepted_count,
            .match_mode = from->rules[0].mode,
            .response = s->answers[i],
        };
    }
    return pp_arena_check(arena, err);
}

static pp_status take_samples(pp_arena *arena, const pp_evaluation_source *s,
                              pp_server_evaluation *e, pp_error *err)
{
    e->sample_count = s->sample_count;
    e->samples = PP_ARENA_NEW(arena, pp_evaluation_sample, e->sample_count);
    if (e->samples != NULL)
        memcpy(e->samples, s->samples, e->sample_count * sizeof *e->samples);
    return pp_arena_check(arena, err);
}

pp_status pp_evaluation_build(pp_arena *arena, const pp_evaluation_source *source,
                              pp_server_evaluation *ret_evaluation, pp_error *err)
{
    pp_server_evaluation e = {
        .candidate_id = source->candidate_id,
        .synthetic = source->origin != PP_ORIGIN_MEASURED,
        .suite_id = source->suite->id,
        .suite_license = source->suite->license,
        .repetitions = source->suite->repetitions,
        .warmups = source->suite->warmups,
        .generation_tokens = source->suite->generation_tokens,
    };
    pp_status st = check_source(source, err);

    PP_ASSERT(strlen(source->suite_sha256) == PP_SHA256_HEX_SIZE - 1);
    memcpy(e.suite_sha256, source->suite_sha256, PP_SHA256_HEX_SIZE);
    if (st == PP_OK)
        st = check_samples(source, err);
    if (st == PP_OK)
        st = take_cases(arena, source, &e, err);
    if (st == PP_OK)
        st = take_samples(arena, source, &e, err);
    if (st == PP_OK)
        st = pp_evaluation_derive(arena, source->suite, &e, err);
    if (st == PP_OK)
        *ret_evaluation = e;
    return pp_wrap(err, st, "evaluating a server");
}
