#include "model/load_plan.h"

#include <string.h>

#include "model/document.h"
#include "model/name_index.h"
#include "model/tables.h"

/* ---- levels and counts ------------------------------------------------------------------------
 */

static pp_status decode_level(const pp_json *from, pp_load_method *method, pp_error *err)
{
    int64_t level = from->integer;
    int64_t before = method->level_count == 0 ? 0 : method->levels[method->level_count - 1];

    if (level == 3)
        return pp_json_fail(from, err, "expected a level of 1, 2 or 4, got 3");
    if (level <= before)
        return pp_json_fail(from, err, "expected a level above %lld, got %lld", (long long)before,
                            (long long)level);
    method->levels[method->level_count++] = level;
    return PP_OK;
}

static pp_status check_measured_count(const pp_json *from, const pp_load_method *method,
                                      pp_error *err)
{
    const pp_json *count = pp_json_find(from, "measured_requests_per_level");
    int64_t most = method->levels[method->level_count - 1];

    if (method->measured_count < most)
        return pp_json_fail(count, err, "expected at least %lld, the largest level, got %lld",
                            (long long)most, (long long)method->measured_count);
    for (size_t i = 0; i < method->level_count; i++) {
        if (method->measured_count % method->levels[i] != 0)
            return pp_json_fail(count, err, "expected a multiple of the level %lld, got %lld",
                                (long long)method->levels[i], (long long)method->measured_count);
    }
    return PP_OK;
}

pp_status pp_load_method_decode_counts(const pp_json *from, pp_load_method *method, pp_error *err)
{
    const pp_json *levels = pp_checked_list(from, "concurrency_levels");
    pp_status st = PP_OK;

    method->output_tokens = pp_checked_int(from, "output_tokens");
    method->warmup_count = pp_checked_int(from, "warmup_requests_per_level");
    method->measured_count = pp_checked_int(from, "measured_requests_per_level");
    method->level_count = 0;
    for (size_t i = 0; st == PP_OK && i < levels->array.count; i++)
        st = decode_level(levels->array.items[i], method, err);
    return st == PP_OK ? check_measured_count(from, method, err) : st;
}

size_t pp_load_method_find_level(const pp_load_method *method, int64_t concurrency)
{
    size_t i = 0;

    while (i < method->level_count && method->levels[i] != concurrency)
        i++;
    return i;
}

/* ---- prompts ----------------------------------------------------------------------------------
 */

pp_status pp_load_method_check_prompts(pp_arena *arena, const pp_load_method *method,
                                       const pp_json *list, pp_error *err)
{
    pp_name_index texts;
    pp_status st = pp_name_index_init(arena, method->prompt_count, &texts, err);
    size_t twice;

    if (st != PP_OK)
        return st;
    for (size_t i = 0; i < method->prompt_count; i++)
        texts.entries[i] = (pp_name_entry){method->prompts[i].text, i};
    pp_name_index_sort(&texts);
    twice = pp_name_index_duplicate(&texts);
    if (twice != PP_NOT_FOUND)
        return pp_json_fail(list->array.items[twice], err, "this prompt is there twice");
    return PP_OK;
}

static pp_status decode_prompts(pp_arena *arena, const pp_json *list, pp_load_method *method,
                                pp_error *err)
{
    pp_status st;

    method->prompt_count = list->array.count;
    method->prompts = PP_ARENA_NEW(arena, pp_load_prompt, method->prompt_count);
    st = pp_arena_check(arena, err);
    for (size_t i = 0; st == PP_OK && i < method->prompt_count; i++) {
        pp_load_prompt *prompt = &method->prompts[i];

        prompt->text = list->array.items[i]->text;
        st = pp_sha256_of(prompt->text.data, prompt->text.size, prompt->sha256, err);
    }
    return st == PP_OK ? pp_load_method_check_prompts(arena, method, list, err) : st;
}

/* ---- limits -----------------------------------------------------------------------------------
 */

pp_status pp_load_slo_decode_checked(const pp_json *from, pp_load_slo *ret_slo, pp_error *err)
{
    const pp_json *ttft = pp_json_find(from, "max_ttft_ms_p95");
    pp_load_slo slo = {
        .min_completion_rate = pp_checked_number(from, "min_completion_rate"),
        .max_e2e_latency_ms_p95 = pp_checked_number(from, "max_e2e_latency_ms_p95"),
    };

    if (ttft->kind != PP_JSON_NULL)
        slo.max_ttft_ms_p95 = pp_known_real(pp_checked_real(ttft));
    if (slo.max_ttft_ms_p95.known && slo.max_ttft_ms_p95.value > slo.max_e2e_latency_ms_p95)
        return pp_json_fail(ttft, err, "expected at most max_e2e_latency_ms_p95, %g, got %g",
                            slo.max_e2e_latency_ms_p95, slo.max_ttft_ms_p95.value);
    *ret_slo = slo;
    return PP_OK;
}

pp_status pp_load_slo_decode(const pp_json *from, pp_load_slo *ret_slo, pp_error *err)
{
    pp_status st = pp_fields_check(from, &pp_load_slo_fields, err);

    return st == PP_OK ? pp_load_slo_decode_checked(from, ret_slo, err) : st;
}

/* ---- plan -------------------------------------------------------------------------------------
 */

pp_status pp_load_plan_decode(pp_arena *arena, const pp_json *root, pp_load_plan *ret_plan,
                              pp_error *err)
{
    pp_load_plan plan = {0};
    pp_status st = pp_fields_check(root, &pp_load_plan_fields, err);

    if (st == PP_OK)
        st = pp_load_method_decode_counts(root, &plan.method, err);
    if (st == PP_OK)
        st = decode_prompts(arena, pp_checked_list(root, "prompts"), &plan.method, err);
    if (st == PP_OK)
        st = pp_load_slo_decode_checked(pp_checked_object(root, "slo"), &plan.slo, err);
    if (st != PP_OK)
        return st;
    plan.timeout_seconds = pp_checked_number(root, "timeout_seconds");
    *ret_plan = plan;
    return PP_OK;
}

pp_status pp_load_plan_load(pp_arena *arena, const char *path, pp_load_plan *ret_plan,
                            char ret_sha256[PP_SHA256_HEX_SIZE], pp_error *err)
{
    const pp_json *root;
    pp_status st = pp_document_read(arena, path, &root, ret_sha256, err);

    if (st == PP_OK)
        st = pp_load_plan_decode(arena, root, ret_plan, err);
    return pp_wrap(err, st, "reading load plan '%s'", path);
}

/* ---- comparing --------------------------------------------------------------------------------
 */

bool pp_load_method_equal(const pp_load_method *a, const pp_load_method *b)
{
    bool same = a->prompt_count == b->prompt_count && a->output_tokens == b->output_tokens &&
                a->warmup_count == b->warmup_count && a->measured_count == b->measured_count &&
                a->level_count == b->level_count &&
                memcmp(a->levels, b->levels, a->level_count * sizeof a->levels[0]) == 0;

    for (size_t i = 0; same && i < a->prompt_count; i++)
        same = pp_text_equal(a->prompts[i].text, b->prompts[i].text);
    return same;
}

bool pp_load_slo_equal(const pp_load_slo *a, const pp_load_slo *b)
{
    return a->min_completion_rate == b->min_completion_rate &&
           a->max_ttft_ms_p95.known == b->max_ttft_ms_p95.known &&
           (!a->max_ttft_ms_p95.known || a->max_ttft_ms_p95.value == b->max_ttft_ms_p95.value) &&
           a->max_e2e_latency_ms_p95 == b->max_e2e_latency_ms_p95;
}
