/* What relates the values of one sample, and how evaluations are written. */
#include "model/load_evaluation.h"

#include <stdio.h>

#include "model/tables.h"
#include "stats/close.h"

/* How far the latency may be from the difference of the instants: clocks were read twice. */
#define CLOCK_SLACK_RELATIVE 1e-6
#define CLOCK_SLACK_MS       0.05

const char *pp_load_slo_failure_name(pp_load_slo_failure failure)
{
    return pp_words_slo_failure[failure];
}

/* ---- samples ----------------------------------------------------------------------------------
 */

static const char *outcome_fault(const pp_load_sample *s, int64_t output_tokens,
                                 const char **ret_key, char text[PP_LOAD_FAULT_MAX])
{
    *ret_key = "ttft_ms";
    if (s->completed && !s->ttft_ms.known)
        return "expected a number in a completed request, got null";
    *ret_key = "generated_tokens";
    if (s->completed && s->generated_tokens != output_tokens) {
        (void)snprintf(text, PP_LOAD_FAULT_MAX,
                       "expected %lld tokens in a completed request, got %lld",
                       (long long)output_tokens, (long long)s->generated_tokens);
        return text;
    }
    *ret_key = "error";
    if (s->completed && s->error.data != NULL)
        return "expected null in a completed request";
    if (!s->completed && pp_text_is_blank(s->error))
        return "expected why the request failed";
    if (pp_text_character_count(s->error) > PP_LOAD_MAX_ERROR_CHARACTERS)
        return "expected at most 512 characters";
    return NULL;
}

static const char *time_fault(const pp_load_sample *s, const char **ret_key,
                              char text[PP_LOAD_FAULT_MAX])
{
    double elapsed_ms = (s->finished_at_seconds - s->started_at_seconds) * 1000.0;

    *ret_key = "started_at_seconds";
    if (!(s->started_at_seconds >= 0))
        return "expected at least 0";
    *ret_key = "finished_at_seconds";
    if (!(s->finished_at_seconds > s->started_at_seconds))
        return "expected an instant after started_at_seconds";
    *ret_key = "e2e_latency_ms";
    if (!(s->e2e_latency_ms > 0))
        return "expected more than 0";
    if (!pp_close(s->e2e_latency_ms, elapsed_ms, CLOCK_SLACK_RELATIVE, CLOCK_SLACK_MS)) {
        (void)snprintf(text, PP_LOAD_FAULT_MAX,
                       "expected the time from start to finish, %.15g, got %.15g", elapsed_ms,
                       s->e2e_latency_ms);
        return text;
    }
    *ret_key = "ttft_ms";
    if (s->ttft_ms.known && !(s->ttft_ms.value >= 0))
        return "expected at least 0";
    if (s->ttft_ms.known && s->ttft_ms.value > s->e2e_latency_ms) {
        (void)snprintf(text, PP_LOAD_FAULT_MAX, "expected at most e2e_latency_ms, %.15g, got %.15g",
                       s->e2e_latency_ms, s->ttft_ms.value);
        return text;
    }
    return NULL;
}

const char *pp_load_sample_fault(const pp_load_sample *sample, int64_t output_tokens,
                                 const char **ret_key, char text[PP_LOAD_FAULT_MAX])
{
    const char *fault;

    *ret_key = "generated_tokens";
    if (sample->generated_tokens < 0 || sample->generated_tokens > output_tokens) {
        (void)snprintf(text, PP_LOAD_FAULT_MAX, "expected 0 to %lld tokens, as asked, got %lld",
                       (long long)output_tokens, (long long)sample->generated_tokens);
        return text;
    }
    fault = outcome_fault(sample, output_tokens, ret_key, text);
    return fault == NULL ? time_fault(sample, ret_key, text) : fault;
}

/* ---- writing ----------------------------------------------------------------------------------
 */

static pp_json *sample_to_json(pp_arena *arena, const pp_load_method *method, size_t i,
                               const pp_load_sample *s)
{
    pp_json *out = pp_json_new_object(arena);
    size_t prompt = i % method->prompt_count;

    pp_json_set_int(arena, out, "index", (int64_t)i + 1);
    pp_json_set_int(arena, out, "prompt_index", (int64_t)prompt + 1);
    pp_json_set_string(arena, out, "prompt_sha256", method->prompts[prompt].sha256);
    pp_json_set_bool(arena, out, "completed", s->completed);
    pp_json_set_maybe_real(arena, out, "ttft_ms", s->ttft_ms);
    pp_json_set_real(arena, out, "e2e_latency_ms", s->e2e_latency_ms);
    pp_json_set_int(arena, out, "generated_tokens", s->generated_tokens);
    if (s->completed)
        pp_json_set_null(arena, out, "error");
    else
        pp_json_set_text(arena, out, "error", s->error);
    pp_json_set_real(arena, out, "started_at_seconds", s->started_at_seconds);
    pp_json_set_real(arena, out, "finished_at_seconds", s->finished_at_seconds);
    return out;
}

static pp_json *failures_to_json(pp_arena *arena, const pp_load_row *row)
{
    pp_json *out = pp_json_new_array(arena);

    for (size_t i = 0; i < row->slo_failure_count; i++)
        pp_json_add(arena, out,
                    pp_json_new_string(arena, pp_load_slo_failure_name(row->slo_failures[i])));
    return out;
}

static pp_json *row_to_json(pp_arena *arena, const pp_load_evaluation *e, const pp_load_row *row)
{
    pp_json *out = pp_json_new_object(arena);
    pp_json *samples = pp_json_new_array(arena);

    for (size_t i = 0; i < row->sample_count; i++)
        pp_json_add(arena, samples, sample_to_json(arena, &e->method, i, &row->samples[i]));
    pp_json_set_text(arena, out, "candidate_id", e->candidate_id);
    pp_json_set_int(arena, out, "concurrency", row->concurrency);
    pp_json_set_int(arena, out, "request_count", (int64_t)row->sample_count);
    pp_json_set_int(arena, out, "completed_requests", (int64_t)row->completed_count);
    pp_json_set_int(arena, out, "failed_requests",
                    (int64_t)(row->sample_count - row->completed_count));
    pp_json_set_real(arena, out, "completion_rate", row->completion_rate);
    pp_json_set_real(arena, out, "error_rate", row->error_rate);
    pp_json_set_real(arena, out, "wall_time_seconds", row->wall_time_seconds);
    pp_json_set_real(arena, out, "requests_per_second", row->requests_per_second);
    pp_json_set_real(arena, out, "generated_tokens_per_second", row->generated_tokens_per_second);
    pp_json_set_maybe_real(arena, out, "ttft_ms_p50", row->ttft_ms_p50);
    pp_json_set_maybe_real(arena, out, "ttft_ms_p95", row->ttft_ms_p95);
    pp_json_set_maybe_real(arena, out, "e2e_latency_ms_p50", row->e2e_latency_ms_p50);
    pp_json_set_maybe_real(arena, out, "e2e_latency_ms_p95", row->e2e_latency_ms_p95);
    pp_json_set_maybe_real(arena, out, "peak_rss_mib", row->peak_rss_mib);
    pp_json_set_bool(arena, out, "slo_met", row->slo_failure_count == 0);
    pp_json_set(arena, out, "slo_failures", failures_to_json(arena, row));
    pp_json_set(arena, out, "samples", samples);
    return out;
}

static pp_json *levels_to_json(pp_arena *arena, const int64_t *levels, size_t count)
{
    pp_json *out = pp_json_new_array(arena);

    for (size_t i = 0; i < count; i++)
        pp_json_add(arena, out, pp_json_new_int(arena, levels[i]));
    return out;
}

static pp_json *method_to_json(pp_arena *arena, const pp_load_method *method)
{
    pp_json *out = pp_json_new_object(arena);
    pp_json *prompts = pp_json_new_array(arena);

    for (size_t i = 0; i < method->prompt_count; i++) {
        pp_json *prompt = pp_json_new_object(arena);

        pp_json_set_int(arena, prompt, "index", (int64_t)i + 1);
        pp_json_set_text(arena, prompt, "text", method->prompts[i].text);
        pp_json_set_string(arena, prompt, "sha256", method->prompts[i].sha256);
        pp_json_add(arena, prompts, prompt);
    }
    pp_json_set(arena, out, "concurrency_levels",
                levels_to_json(arena, method->levels, method->level_count));
    pp_json_set(arena, out, "prompts", prompts);
    pp_json_set_int(arena, out, "output_tokens", method->output_tokens);
    pp_json_set_int(arena, out, "warmup_requests_per_level", method->warmup_count);
    pp_json_set_int(arena, out, "measured_requests_per_level", method->measured_count);
    pp_json_set_string(arena, out, "prompt_schedule", "round-robin");
    pp_json_set_string(arena, out, "client_scheduler", "bounded thread pool");
    return out;
}

static pp_json *slo_to_json(pp_arena *arena, const pp_load_slo *slo)
{
    pp_json *out = pp_json_new_object(arena);

    pp_json_set_real(arena, out, "min_completion_rate", slo->min_completion_rate);
    pp_json_set_maybe_real(arena, out, "max_ttft_ms_p95", slo->max_ttft_ms_p95);
    pp_json_set_real(arena, out, "max_e2e_latency_ms_p95", slo->max_e2e_latency_ms_p95);
    return out;
}

typedef struct side_keys {
    const char *command_sha256, *argv, *runtime_path, *model_path, *parallel, *host, *port;
} side_keys;

#define SIDE_KEYS(side)                                                                            \
    {                                                                                              \
        side "_server_command_sha256", side "_server_argv", side "_runtime_path",                  \
            side "_model_path", side "_parallel", side "_host", side "_port"                       \
    }
static const side_keys load_keys = SIDE_KEYS("load");
static const side_keys canonical_keys = SIDE_KEYS("canonical");

static void set_side(pp_arena *arena, pp_json *out, const side_keys *keys,
                     const pp_server_side *from)
{
    pp_json *argv = pp_json_new_array(arena);

    for (size_t i = 0; i < from->argv.count; i++)
        pp_json_add(arena, argv, pp_json_new_text(arena, from->argv.items[i]));
    pp_json_set_string(arena, out, keys->command_sha256, from->command_sha256);
    pp_json_set(arena, out, keys->argv, argv);
    pp_json_set_text(arena, out, keys->runtime_path, from->runtime_path);
    pp_json_set_text(arena, out, keys->model_path, from->model_path);
    pp_json_set_int(arena, out, keys->parallel, from->parallel);
    pp_json_set_text(arena, out, keys->host, from->host);
    pp_json_set_int(arena, out, keys->port, from->port);
}

static pp_json *options_to_json(pp_arena *arena, const char *const *options, size_t count)
{
    pp_json *out = pp_json_new_array(arena);

    for (size_t i = 0; i < count; i++)
        pp_json_add(arena, out, pp_json_new_string(arena, options[i]));
    return out;
}

static pp_json *server_to_json(pp_arena *arena, const pp_server_configuration *server)
{
    static const char *const allowed[] = {"--host", "--port"};
    pp_json *out = pp_json_new_object(arena);

    set_side(arena, out, &load_keys, &server->load);
    set_side(arena, out, &canonical_keys, &server->canonical);
    pp_json_set(arena, out, "allowed_binding_options", options_to_json(arena, allowed, 2));
    pp_json_set(arena, out, "differing_binding_options",
                options_to_json(arena, server->differing, server->differing_count));
    pp_json_set_bool(arena, out, "argv_equivalent_except_binding", true);
    return out;
}

static pp_json *binding_to_json(pp_arena *arena, const pp_load_binding *binding)
{
    pp_json *out = pp_json_new_object(arena);

    pp_json_set_string(arena, out, "plan_sha256", binding->plan_sha256);
    pp_json_set_text(arena, out, "request_base_url", binding->request_base_url);
    pp_json_set(arena, out, "server_configuration", server_to_json(arena, &binding->server));
    return out;
}

static bool ran_in_another_order(const pp_load_evaluation *e)
{
    for (size_t i = 0; i < e->method.level_count; i++) {
        if (e->execution_order[i] != e->method.levels[i])
            return true;
    }
    return false;
}

static void add_rows(pp_arena *arena, pp_json *rows, const pp_load_evaluation *e)
{
    for (size_t i = 0; i < e->method.level_count; i++)
        pp_json_add(arena, rows, row_to_json(arena, e, &e->rows[i]));
}

pp_json *pp_load_evaluation_to_json(pp_arena *arena, const pp_load_evaluation *e)
{
    pp_json *out = pp_json_new_object(arena);
    pp_json *rows = pp_json_new_array(arena);
    bool ordered = ran_in_another_order(e);

    add_rows(arena, rows, e);
    pp_json_set_string(arena, out, "schema_version", ordered ? "1.1" : "1.0");
    if (ordered)
        pp_json_set(arena, out, "execution_order",
                    levels_to_json(arena, e->execution_order, e->method.level_count));
    pp_json_set_text(arena, out, "candidate_id", e->candidate_id);
    pp_json_set_bool(arena, out, "synthetic", e->synthetic);
    pp_json_set(arena, out, "methodology", method_to_json(arena, &e->method));
    pp_json_set(arena, out, "slo", slo_to_json(arena, &e->slo));
    pp_json_set(arena, out, "rows", rows);
    pp_json_set_maybe_int(arena, out, "highest_slo_concurrency", e->highest_slo_concurrency);
    pp_json_set(arena, out, "evidence_binding",
                e->is_bound ? binding_to_json(arena, &e->binding) : pp_json_new_null(arena));
    return out;
}

/* ---- writing several --------------------------------------------------------------------------
 */

static pp_json *bindings_to_json(pp_arena *arena, const pp_combined_load_evaluation *combined)
{
    pp_json *out = pp_json_new_object(arena);
    pp_json *servers = pp_json_new_object(arena);
    pp_json *urls = pp_json_new_object(arena);

    for (size_t i = 0; i < combined->count; i++) {
        const pp_load_evaluation *e = &combined->candidates[i];

        pp_json_set_text_key(arena, servers, e->candidate_id,
                             server_to_json(arena, &e->binding.server));
        pp_json_set_text_key(arena, urls, e->candidate_id,
                             pp_json_new_text(arena, e->binding.request_base_url));
    }
    pp_json_set_string(arena, out, "plan_sha256", combined->candidates[0].binding.plan_sha256);
    pp_json_set(arena, out, "candidate_server_configurations", servers);
    pp_json_set(arena, out, "candidate_request_base_urls", urls);
    return out;
}

pp_json *pp_combined_load_evaluation_to_json(pp_arena *arena,
                                             const pp_combined_load_evaluation *combined)
{
    const pp_load_evaluation *first = &combined->candidates[0];
    pp_json *out = pp_json_new_object(arena);
    pp_json *rows = pp_json_new_array(arena);
    pp_json *highest = pp_json_new_object(arena);

    for (size_t i = 0; i < combined->count; i++) {
        const pp_load_evaluation *e = &combined->candidates[i];
        pp_maybe_int level = e->highest_slo_concurrency;

        add_rows(arena, rows, e);
        pp_json_set_text_key(arena, highest, e->candidate_id,
                             level.known ? pp_json_new_int(arena, level.value)
                                         : pp_json_new_null(arena));
    }
    pp_json_set_string(arena, out, "schema_version", "1.0");
    pp_json_set_bool(arena, out, "synthetic", first->synthetic);
    pp_json_set(arena, out, "methodology", method_to_json(arena, &first->method));
    pp_json_set(arena, out, "slo", slo_to_json(arena, &first->slo));
    pp_json_set(arena, out, "rows", rows);
    pp_json_set(arena, out, "highest_slo_concurrency", highest);
    pp_json_set(arena, out, "evidence_bindings",
                first->is_bound ? bindings_to_json(arena, combined) : pp_json_new_null(arena));
    return out;
}
