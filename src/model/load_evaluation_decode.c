/* Reading evaluations: what was measured and declared. */
#include <string.h>

#include "model/load_evaluation.h"
#include "model/tables.h"

static void copy_sha256(const pp_json *object, const char *key, char to[PP_SHA256_HEX_SIZE])
{
    memcpy(to, pp_checked_text(object, key).data, PP_SHA256_HEX_SIZE - 1);
    to[PP_SHA256_HEX_SIZE - 1] = '\0';
}

static pp_maybe_real maybe_number(const pp_json *object, const char *key)
{
    const pp_json *value = pp_json_find(object, key);

    return value->kind == PP_JSON_NULL ? (pp_maybe_real){0} : pp_known_real(pp_checked_real(value));
}

/* ---- samples ----------------------------------------------------------------------------------
 */

static pp_status decode_sample(const pp_json *from, int64_t output_tokens,
                               pp_load_sample *ret_sample, pp_error *err)
{
    const pp_json *error = pp_json_find(from, "error");
    pp_load_sample sample = {
        .completed = pp_checked_bool(from, "completed"),
        .ttft_ms = maybe_number(from, "ttft_ms"),
        .e2e_latency_ms = pp_checked_number(from, "e2e_latency_ms"),
        .generated_tokens = pp_checked_int(from, "generated_tokens"),
        .started_at_seconds = pp_checked_number(from, "started_at_seconds"),
        .finished_at_seconds = pp_checked_number(from, "finished_at_seconds"),
    };
    char text[PP_LOAD_FAULT_MAX];
    const char *fault;
    const char *key;

    if (error->kind == PP_JSON_STRING)
        sample.error = error->text;
    fault = pp_load_sample_fault(&sample, output_tokens, &key, text);
    if (fault != NULL)
        return pp_json_fail(pp_json_find(from, key), err, "%s", fault);
    *ret_sample = sample;
    return PP_OK;
}

pp_status pp_load_sample_decode(const pp_json *from, int64_t output_tokens,
                                pp_load_sample *ret_sample, pp_error *err)
{
    pp_status st = pp_fields_check(from, &pp_load_sample_fields, err);

    return st == PP_OK ? decode_sample(from, output_tokens, ret_sample, err) : st;
}

static pp_status decode_samples(pp_arena *arena, const pp_json *list, const pp_load_method *method,
                                pp_load_row *row, pp_error *err)
{
    pp_status st;

    if ((int64_t)list->array.count != method->measured_count)
        return pp_json_fail(list, err, "expected measured_requests_per_level, %lld, got %zu items",
                            (long long)method->measured_count, list->array.count);
    row->sample_count = list->array.count;
    row->samples = PP_ARENA_NEW(arena, pp_load_sample, row->sample_count);
    st = pp_arena_check(arena, err);
    for (size_t i = 0; st == PP_OK && i < row->sample_count; i++)
        st = decode_sample(list->array.items[i], method->output_tokens, &row->samples[i], err);
    return st;
}

/* `rows` has method.level_count items. */
static pp_status decode_rows(pp_arena *arena, pp_json *const *rows, pp_load_evaluation *e,
                             pp_error *err)
{
    pp_status st = PP_OK;

    e->candidate_id = pp_checked_text(rows[0], "candidate_id");
    for (size_t i = 0; st == PP_OK && i < e->method.level_count; i++) {
        e->rows[i].concurrency = e->method.levels[i];
        e->rows[i].peak_rss_mib = maybe_number(rows[i], "peak_rss_mib");
        st = decode_samples(arena, pp_checked_list(rows[i], "samples"), &e->method, &e->rows[i],
                            err);
    }
    return st;
}

/* ---- methodology and limits -------------------------------------------------------------------
 */

static pp_status decode_prompts(pp_arena *arena, const pp_json *list, pp_load_method *method,
                                pp_error *err)
{
    pp_status st;

    method->prompt_count = list->array.count;
    method->prompts = PP_ARENA_NEW(arena, pp_load_prompt, method->prompt_count);
    st = pp_arena_check(arena, err);
    for (size_t i = 0; st == PP_OK && i < method->prompt_count; i++) {
        pp_load_prompt *prompt = &method->prompts[i];

        prompt->text = pp_checked_text(list->array.items[i], "text");
        st = pp_sha256_of(prompt->text.data, prompt->text.size, prompt->sha256, err);
    }
    return st == PP_OK ? pp_load_method_check_prompts(arena, method, list, err) : st;
}

static pp_status decode_declared(pp_arena *arena, const pp_json *root, pp_load_evaluation *e,
                                 pp_error *err)
{
    const pp_json *from = pp_checked_object(root, "methodology");
    pp_status st = pp_load_method_decode_counts(from, &e->method, err);

    e->synthetic = pp_checked_bool(root, "synthetic");
    if (st == PP_OK)
        st = decode_prompts(arena, pp_checked_list(from, "prompts"), &e->method, err);
    if (st == PP_OK)
        st = pp_load_slo_decode_checked(pp_checked_object(root, "slo"), &e->slo, err);
    return st;
}

static bool is_permutation(const pp_load_method *method, const pp_json *order)
{
    bool seen[PP_LOAD_MAX_LEVELS] = {false};

    if (order->array.count != method->level_count)
        return false;
    for (size_t i = 0; i < method->level_count; i++) {
        size_t at = pp_load_method_find_level(method, order->array.items[i]->integer);

        if (at == method->level_count || seen[at])
            return false;
        seen[at] = true;
    }
    return true;
}

static pp_status decode_order(const pp_json *root, pp_load_evaluation *e, pp_error *err)
{
    const pp_json *order = pp_json_find(root, "execution_order");
    bool other = false;

    memcpy(e->execution_order, e->method.levels, sizeof e->execution_order);
    if (order == NULL)
        return PP_OK;
    if (!is_permutation(&e->method, order))
        return pp_json_fail(order, err, "expected each of concurrency_levels once");
    for (size_t i = 0; i < e->method.level_count; i++) {
        e->execution_order[i] = order->array.items[i]->integer;
        other = other || e->execution_order[i] != e->method.levels[i];
    }
    if (!other)
        return pp_json_fail(order, err,
                            "expected another order than concurrency_levels: a load in "
                            "that order is of schema 1.0 and names none");
    return PP_OK;
}

/* ---- binding ----------------------------------------------------------------------------------
 */

static pp_status decode_argv(pp_arena *arena, const pp_json *list, pp_server_argv *argv,
                             pp_error *err)
{
    argv->count = list->array.count;
    argv->items = PP_ARENA_NEW(arena, pp_text, argv->count);
    for (size_t i = 0; argv->items != NULL && i < argv->count; i++)
        argv->items[i] = list->array.items[i]->text;
    return pp_arena_check(arena, err);
}

static pp_status decode_server(pp_arena *arena, const pp_json *from,
                               pp_server_configuration *server, pp_error *err)
{
    pp_status st =
        decode_argv(arena, pp_checked_list(from, "load_server_argv"), &server->load.argv, err);

    copy_sha256(from, "load_server_command_sha256", server->load.command_sha256);
    copy_sha256(from, "canonical_server_command_sha256", server->canonical.command_sha256);
    if (st != PP_OK)
        return st;
    return decode_argv(arena, pp_checked_list(from, "canonical_server_argv"),
                       &server->canonical.argv, err);
}

static pp_status decode_binding(pp_arena *arena, const pp_json *root, pp_load_evaluation *e,
                                pp_error *err)
{
    const pp_json *from = pp_json_find(root, "evidence_binding");

    if (from->kind == PP_JSON_NULL)
        return PP_OK;
    e->is_bound = true;
    copy_sha256(from, "plan_sha256", e->binding.plan_sha256);
    e->binding.request_base_url = pp_checked_text(from, "request_base_url");
    return decode_server(arena, pp_checked_object(from, "server_configuration"), &e->binding.server,
                         err);
}

/* ---- one evaluation ---------------------------------------------------------------------------
 */

pp_status pp_load_evaluation_decode(pp_arena *arena, const pp_json *root,
                                    pp_load_evaluation *ret_evaluation, pp_error *err)
{
    const pp_field_type type = {.kind = PP_FIELD_CHOICE, .choices = pp_load_evaluation_choices};
    pp_load_evaluation e = {0};
    const pp_json *rows;
    pp_status st = pp_field_check(root, &type, err);

    if (st == PP_OK)
        st = decode_declared(arena, root, &e, err);
    if (st == PP_OK)
        st = decode_order(root, &e, err);
    if (st != PP_OK)
        return st;
    rows = pp_checked_list(root, "rows");
    if (rows->array.count != e.method.level_count)
        return pp_json_fail(rows, err, "expected %zu, one for each of concurrency_levels, got %zu",
                            e.method.level_count, rows->array.count);
    st = decode_rows(arena, rows->array.items, &e, err);
    if (st == PP_OK)
        st = decode_binding(arena, root, &e, err);
    if (st != PP_OK)
        return st;
    e.candidate_id = pp_checked_text(root, "candidate_id");
    *ret_evaluation = e;
    return PP_OK;
}

/* ---- several ----------------------------------------------------------------------------------
 */

static pp_status decode_candidates(pp_arena *arena, const pp_json *rows,
                                   const pp_load_evaluation *declared,
                                   pp_combined_load_evaluation *combined, pp_error *err)
{
    size_t levels = declared->method.level_count;
    pp_status st;

    combined->count = rows->array.count / levels;
    if (rows->array.count % levels != 0 || combined->count < PP_LOAD_MIN_COMBINED ||
        combined->count > PP_LOAD_MAX_COMBINED)
        return pp_json_fail(rows, err,
                            "expected %zu for each of 2 to 32 candidates, one for each level, got "
                            "%zu in all",
                            levels, rows->array.count);
    combined->candidates = PP_ARENA_NEW(arena, pp_load_evaluation, combined->count);
    st = pp_arena_check(arena, err);
    for (size_t i = 0; st == PP_OK && i < combined->count; i++) {
        pp_load_evaluation *e = &combined->candidates[i];

        *e = *declared;
        st = decode_rows(arena, rows->array.items + i * levels, e, err);
        if (st == PP_OK && i > 0 && pp_text_compare(e[-1].candidate_id, e->candidate_id) >= 0)
            st = pp_json_fail(pp_json_find(rows->array.items[i * levels], "candidate_id"), err,
                              "expected an id behind \"%s\" in the order of code points, got "
                              "\"%s\"",
                              e[-1].candidate_id.data, e->candidate_id.data);
    }
    return st;
}

static pp_status require_each(const pp_json *map, const pp_combined_load_evaluation *combined,
                              pp_error *err)
{
    const pp_json *ignored;
    pp_status st = PP_OK;

    if (map->object.count != combined->count)
        return pp_json_fail(map, err, "expected one member for each of %zu candidates, got %zu",
                            combined->count, map->object.count);
    for (size_t i = 0; st == PP_OK && i < combined->count; i++)
        st = pp_json_require(map, combined->candidates[i].candidate_id.data, &ignored, err);
    return st;
}

static pp_status decode_bindings(pp_arena *arena, const pp_json *root,
                                 pp_combined_load_evaluation *combined, pp_error *err)
{
    const pp_json *from = pp_json_find(root, "evidence_bindings");
    const pp_json *servers;
    const pp_json *urls;
    pp_status st;

    if (from->kind == PP_JSON_NULL)
        return PP_OK;
    servers = pp_checked_object(from, "candidate_server_configurations");
    urls = pp_checked_object(from, "candidate_request_base_urls");
    st = require_each(servers, combined, err);
    if (st == PP_OK)
        st = require_each(urls, combined, err);
    for (size_t i = 0; st == PP_OK && i < combined->count; i++) {
        pp_load_evaluation *e = &combined->candidates[i];
        const char *id = e->candidate_id.data;

        e->is_bound = true;
        copy_sha256(from, "plan_sha256", e->binding.plan_sha256);
        e->binding.request_base_url = pp_checked_text(urls, id);
        st = decode_server(arena, pp_checked_object(servers, id), &e->binding.server, err);
    }
    return st;
}

pp_status pp_combined_load_evaluation_decode(pp_arena *arena, const pp_json *root,
                                             pp_combined_load_evaluation *ret_combined,
                                             pp_error *err)
{
    pp_combined_load_evaluation combined = {0};
    pp_load_evaluation declared = {0};
    pp_status st = pp_fields_check(root, &pp_combined_load_evaluation_fields, err);

    if (st == PP_OK)
        st = decode_declared(arena, root, &declared, err);
    if (st != PP_OK)
        return st;
    memcpy(declared.execution_order, declared.method.levels, sizeof declared.execution_order);
    st = decode_candidates(arena, pp_checked_list(root, "rows"), &declared, &combined, err);
    if (st == PP_OK)
        st = require_each(pp_checked_object(root, "highest_slo_concurrency"), &combined, err);
    if (st == PP_OK)
        st = decode_bindings(arena, root, &combined, err);
    if (st == PP_OK)
        *ret_combined = combined;
    return st;
}
