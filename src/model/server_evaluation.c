/* What relates the values of one sample, and how server evaluations are written. */
#include "model/server_evaluation.h"

#include <stdio.h>

#include "model/tables.h"

/* ---- samples ----------------------------------------------------------------------------------
 */

const char *pp_evaluation_sample_fault(const pp_evaluation_sample *sample,
                                       int64_t generation_tokens, const char **ret_key,
                                       char text[PP_EVALUATION_FAULT_MAX])
{
    *ret_key = "ttft_ms";
    if (!(sample->ttft_ms > 0))
        return "expected more than 0";
    *ret_key = "e2e_latency_ms";
    if (!(sample->e2e_latency_ms >= sample->ttft_ms)) {
        (void)snprintf(text, PP_EVALUATION_FAULT_MAX, "expected at least ttft_ms, %.15g, got %.15g",
                       sample->ttft_ms, sample->e2e_latency_ms);
        return text;
    }
    *ret_key = "event_count";
    if (sample->event_count < 1)
        return "expected at least 1";
    *ret_key = "predicted_tokens";
    if (sample->predicted_tokens != generation_tokens) {
        (void)snprintf(text, PP_EVALUATION_FAULT_MAX, "expected %lld tokens, as asked, got %lld",
                       (long long)generation_tokens, (long long)sample->predicted_tokens);
        return text;
    }
    *ret_key = "content";
    return pp_text_is_blank(sample->content) ? "expected text, got only white space" : NULL;
}

/* ---- writing ----------------------------------------------------------------------------------
 */

static pp_json *suite_to_json(pp_arena *arena, const pp_server_evaluation *e)
{
    pp_json *out = pp_json_new_object(arena);

    pp_json_set_text(arena, out, "id", e->suite_id);
    pp_json_set_text(arena, out, "license", e->suite_license);
    pp_json_set_string(arena, out, "sha256", e->suite_sha256);
    pp_json_set_int(arena, out, "quality_case_count", (int64_t)e->case_count);
    pp_json_set_int(arena, out, "performance_repetitions", e->repetitions);
    pp_json_set_int(arena, out, "performance_warmups", e->warmups);
    pp_json_set_int(arena, out, "generation_tokens", e->generation_tokens);
    pp_json_set_bool(arena, out, "cache_prompt", false);
    pp_json_set_int(arena, out, "seed", PP_SUITE_1_0_SEED);
    pp_json_set_int(arena, out, "temperature", 0);
    return out;
}

static pp_json *case_to_json(pp_arena *arena, const pp_evaluation_case *c)
{
    pp_json *out = pp_json_new_object(arena);
    pp_json *accepted = pp_json_new_array(arena);

    for (size_t i = 0; i < c->accepted_count; i++)
        pp_json_add(arena, accepted, pp_json_new_text(arena, c->accepted[i]));
    pp_json_set_text(arena, out, "id", c->id);
    pp_json_set_text(arena, out, "prompt", c->prompt);
    pp_json_set(arena, out, "accepted_answers", accepted);
    pp_json_set_string(arena, out, "match_mode", pp_match_mode_name(c->match_mode));
    pp_json_set_text(arena, out, "response", c->response);
    pp_json_set_bool(arena, out, "matched", c->matched);
    if (c->matched)
        pp_json_set_text(arena, out, "matched_answer", c->matched_answer);
    else
        pp_json_set_null(arena, out, "matched_answer");
    return out;
}

static pp_json *quality_to_json(pp_arena *arena, const pp_server_evaluation *e)
{
    pp_json *out = pp_json_new_object(arena);
    pp_json *cases = pp_json_new_array(arena);

    for (size_t i = 0; i < e->case_count; i++)
        pp_json_add(arena, cases, case_to_json(arena, &e->cases[i]));
    pp_json_set_string(arena, out, "method", pp_words_evaluation_quality[0]);
    pp_json_set_real(arena, out, "score", e->score);
    pp_json_set_int(arena, out, "passed", (int64_t)e->passed_count);
    pp_json_set_int(arena, out, "total", (int64_t)e->case_count);
    pp_json_set(arena, out, "cases", cases);
    return out;
}

static pp_json *sample_to_json(pp_arena *arena, size_t i, const pp_evaluation_sample *s)
{
    pp_json *out = pp_json_new_object(arena);

    pp_json_set_int(arena, out, "index", (int64_t)i + 1);
    pp_json_set_real(arena, out, "ttft_ms", s->ttft_ms);
    pp_json_set_real(arena, out, "e2e_latency_ms", s->e2e_latency_ms);
    pp_json_set_int(arena, out, "event_count", s->event_count);
    pp_json_set_int(arena, out, "predicted_tokens", s->predicted_tokens);
    pp_json_set_text(arena, out, "content", s->content);
    return out;
}

static pp_json *latency_to_json(pp_arena *arena, const pp_server_evaluation *e)
{
    pp_json *out = pp_json_new_object(arena);
    pp_json *samples = pp_json_new_array(arena);

    for (size_t i = 0; i < e->sample_count; i++)
        pp_json_add(arena, samples, sample_to_json(arena, i, &e->samples[i]));
    pp_json_set_string(arena, out, "method", pp_words_evaluation_latency[0]);
    pp_json_set_real(arena, out, "ttft_ms_p50", e->ttft_ms_p50);
    pp_json_set_real(arena, out, "ttft_ms_p95", e->ttft_ms_p95);
    pp_json_set_real(arena, out, "e2e_latency_ms_p50", e->e2e_latency_ms_p50);
    pp_json_set_real(arena, out, "e2e_latency_ms_p95", e->e2e_latency_ms_p95);
    pp_json_set(arena, out, "samples", samples);
    return out;
}

pp_json *pp_server_evaluation_to_json(pp_arena *arena, const pp_server_evaluation *e)
{
    pp_json *out = pp_json_new_object(arena);

    pp_json_set_string(arena, out, "schema_version", "1.0");
    pp_json_set_text(arena, out, "candidate_id", e->candidate_id);
    pp_json_set_bool(arena, out, "synthetic", e->synthetic);
    pp_json_set(arena, out, "suite", suite_to_json(arena, e));
    pp_json_set(arena, out, "quality", quality_to_json(arena, e));
    pp_json_set(arena, out, "latency", latency_to_json(arena, e));
    return out;
}
