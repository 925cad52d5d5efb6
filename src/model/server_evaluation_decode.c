/* Reading server evaluations: what they say, each value alone checked by the tables. */
#include <string.h>

#include "model/server_evaluation.h"
#include "model/tables.h"

static pp_match_mode decode_mode(const pp_json *from)
{
    size_t mode = 0;

    while (!pp_text_is(pp_checked_text(from, "match_mode"), pp_words_evaluation_mode[mode]))
        mode++;
    return (pp_match_mode)mode;
}

static pp_status decode_case(pp_arena *arena, const pp_json *from, pp_evaluation_case *c,
                             pp_error *err)
{
    const pp_json *accepted = pp_checked_list(from, "accepted_answers");
    const pp_json *answer = pp_json_find(from, "matched_answer");

    c->id = pp_checked_text(from, "id");
    c->prompt = pp_checked_text(from, "prompt");
    c->match_mode = decode_mode(from);
    c->response = pp_checked_text(from, "response");
    c->matched = pp_checked_bool(from, "matched");
    if (answer->kind == PP_JSON_STRING)
        c->matched_answer = answer->text;
    if (c->matched && answer->kind != PP_JSON_STRING)
        return pp_json_fail(answer, err, "expected the answer that matched, got null");
    c->accepted_count = accepted->array.count;
    c->accepted = PP_ARENA_NEW(arena, pp_text, c->accepted_count);
    for (size_t i = 0; c->accepted != NULL && i < c->accepted_count; i++)
        c->accepted[i] = accepted->array.items[i]->text;
    return pp_arena_check(arena, err);
}

static pp_status decode_quality(pp_arena *arena, const pp_json *from, pp_server_evaluation *e,
                                pp_error *err)
{
    const pp_json *list = pp_checked_list(from, "cases");
    pp_status st;

    e->score = pp_checked_number(from, "score");
    e->passed_count = (size_t)pp_checked_int(from, "passed");
    e->case_count = list->array.count;
    e->cases = PP_ARENA_NEW(arena, pp_evaluation_case, e->case_count);
    st = pp_arena_check(arena, err);
    for (size_t i = 0; st == PP_OK && i < e->case_count; i++)
        st = decode_case(arena, list->array.items[i], &e->cases[i], err);
    return st;
}

static pp_status decode_latency(pp_arena *arena, const pp_json *from, pp_server_evaluation *e,
                                pp_error *err)
{
    const pp_json *list = pp_checked_list(from, "samples");

    e->ttft_ms_p50 = pp_checked_number(from, "ttft_ms_p50");
    e->ttft_ms_p95 = pp_checked_number(from, "ttft_ms_p95");
    e->e2e_latency_ms_p50 = pp_checked_number(from, "e2e_latency_ms_p50");
    e->e2e_latency_ms_p95 = pp_checked_number(from, "e2e_latency_ms_p95");
    e->sample_count = list->array.count;
    e->samples = PP_ARENA_NEW(arena, pp_evaluation_sample, e->sample_count);
    for (size_t i = 0; e->samples != NULL && i < e->sample_count; i++) {
        const pp_json *sample = list->array.items[i];

        e->samples[i] = (pp_evaluation_sample){
            .ttft_ms = pp_checked_number(sample, "ttft_ms"),
            .e2e_latency_ms = pp_checked_number(sample, "e2e_latency_ms"),
            .event_count = pp_checked_int(sample, "event_count"),
            .predicted_tokens = pp_checked_int(sample, "predicted_tokens"),
            .content = pp_checked_text(sample, "content"),
        };
    }
    return pp_arena_check(arena, err);
}

static void decode_suite(const pp_json *from, pp_server_evaluation *e)
{
    e->suite_id = pp_checked_text(from, "id");
    e->suite_license = pp_checked_text(from, "license");
    memcpy(e->suite_sha256, pp_checked_text(from, "sha256").data, PP_SHA256_HEX_SIZE - 1);
    e->repetitions = pp_checked_int(from, "performance_repetitions");
    e->warmups = pp_checked_int(from, "performance_warmups");
    e->generation_tokens = pp_checked_int(from, "generation_tokens");
}

/* Constants that are no words. */
static pp_status check_constants(const pp_json *suite, pp_error *err)
{
    int64_t seed = pp_checked_int(suite, "seed");
    double temperature = pp_checked_number(suite, "temperature");

    if (pp_checked_bool(suite, "cache_prompt"))
        return pp_json_fail(pp_json_find(suite, "cache_prompt"), err, "expected false, got true");
    if (seed != PP_SUITE_1_0_SEED)
        return pp_json_fail(pp_json_find(suite, "seed"), err, "expected %d, got %lld",
                            PP_SUITE_1_0_SEED, (long long)seed);
    if (temperature != 0)
        return pp_json_fail(pp_json_find(suite, "temperature"), err, "expected 0, got %g",
                            temperature);
    return PP_OK;
}

pp_status pp_server_evaluation_decode(pp_arena *arena, const pp_json *root,
                                      pp_server_evaluation *ret_evaluation, pp_error *err)
{
    pp_server_evaluation e = {0};
    pp_status st = pp_fields_check(root, &pp_server_evaluation_fields, err);

    if (st == PP_OK)
        st = check_constants(pp_checked_object(root, "suite"), err);
    if (st != PP_OK)
        return st;
    e.candidate_id = pp_checked_text(root, "candidate_id");
    e.synthetic = pp_checked_bool(root, "synthetic");
    decode_suite(pp_checked_object(root, "suite"), &e);
    st = decode_quality(arena, pp_checked_object(root, "quality"), &e, err);
    if (st == PP_OK)
        st = decode_latency(arena, pp_checked_object(root, "latency"), &e, err);
    if (st == PP_OK)
        *ret_evaluation = e;
    return st;
}
