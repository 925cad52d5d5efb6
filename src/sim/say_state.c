/* What the server says about itself: /props, /slots, /metrics, /v1/models, tokens. */
#include "sim/say.h"

#include <string.h>

#include "sim/say_parts.h"
#include "sim/words.h"

/* Twice the percent signs: it stands in a format. */
#define TEMPLATE                                                                                   \
    "{%%- for message in messages -%%}\\n  {{- '<|im_start|>' + message.role + '\\n' + "           \
    "message.content + '<|im_end|>\\n' -}}\\n{%%- endfor -%%}\\n{{- '<|im_start|>assistant\\n' "   \
    "-}}"

static int64_t or_else(int64_t quirk, int64_t value)
{
    return quirk > 0 ? quirk : value;
}

void pp_sim_say_props(const pp_sim_state *s, const pp_sim_quirks *q, pp_buf *out)
{
    const char *model = q->foreign ? "/srv/other.gguf" : s->model;

    pp_buf_append_text(out, "{\"default_generation_settings\":{\"params\":{");
    pp_sim_put_settings(-1, 0, false, false, out);
    pp_buf_printf(out, "},\"n_ctx\":%lld},\"total_slots\":%lld,",
                  (long long)or_else(q->n_ctx, s->n_ctx),
                  (long long)or_else(q->total_slots, s->slot_count));
    pp_sim_put_text(out, "model_alias", pp_text_of(model));
    pp_buf_append_text(out, ",\"model_ftype\":\"simulated\",");
    pp_sim_put_text(out, "model_path", pp_text_of(model));
    pp_buf_printf(
        out,
        ",\"modalities\":{\"vision\":false,\"video\":false,\"audio\":false},\"media_marker\":\"\","
        "\"endpoint_slots\":true,\"endpoint_props\":false,\"endpoint_metrics\":true,\"ui\":false,"
        "\"ui_settings\":{},\"chat_template\":\"" TEMPLATE "\",\"chat_template_caps\":{"
        "\"supports_object_arguments\":false,\"supports_parallel_tool_calls\":false,"
        "\"supports_preserve_reasoning\":false,\"supports_reasoning_effort\":false,"
        "\"supports_string_content\":true,\"supports_system_role\":true,"
        "\"supports_tool_calls\":false,\"supports_tools\":false,"
        "\"supports_typed_content\":false},\"bos_token\":\"\",\"eos_token\":\"\","
        "\"build_info\":\"%s\",\"is_sleeping\":%s,\"cors_proxy_enabled\":false",
        q->foreign ? "b1-foreign" : "simulated", q->sleeping ? "true" : "false");
    pp_buf_append_text(out, q->foreign ? "}" : ",\"simulated\":true}");
}

static void say_slot(const pp_sim_state *s, const pp_sim_quirks *q, int64_t n, pp_buf *out)
{
    const pp_sim_slot_state *slot = &s->slots[n];
    bool processing = slot->is_processing || q->slots == PP_SIM_SLOTS_BUSY;

    pp_buf_printf(out, "{\"id\":%lld,\"n_ctx\":%lld,\"speculative\":%s,\"is_processing\":%s",
                  (long long)n, (long long)or_else(q->n_ctx, s->n_ctx),
                  s->speculative ? "true" : "false", processing ? "true" : "false");
    if (slot->request > 0) {
        pp_buf_printf(out,
                      ",\"id_task\":%lld,\"n_prompt_tokens\":%lld,"
                      "\"n_prompt_tokens_processed\":%lld,\"n_prompt_tokens_cache\":0,\"params\":{",
                      (long long)slot->request, (long long)slot->prompt_tokens,
                      (long long)slot->prompt_tokens);
        pp_sim_put_settings(slot->decoded + slot->left, 0, false, false, out);
        pp_buf_printf(out,
                      "},\"next_token\":[{\"has_next_token\":%s,\"has_new_line\":false,"
                      "\"n_remain\":%lld,\"n_decoded\":%lld}]",
                      processing ? "true" : "false", (long long)slot->left,
                      (long long)slot->decoded);
    }
    pp_buf_append_char(out, '}');
}

void pp_sim_say_slots(const pp_sim_state *s, const pp_sim_quirks *q, pp_buf *out)
{
    pp_buf_append_char(out, '[');
    for (int64_t i = 0; i < s->slot_count; i++) {
        if (i > 0)
            pp_buf_append_char(out, ',');
        say_slot(s, q, i, out);
    }
    pp_buf_append_char(out, ']');
}

/* ---- /metrics ---------------------------------------------------------------------------------
 */

typedef struct metric {
    const char *name, *kind, *help;
    double value;
    bool is_ours; /* not llama-server's */
} metric;

static double rate(int64_t tokens, int64_t ns)
{
    return ns > 0 ? (double)tokens * 1e9 / (double)ns : 0;
}

static void put_name(const metric *m, const pp_sim_quirks *q, pp_buf *out)
{
    size_t size = strlen(m->name);

    if (q->metrics == PP_SIM_METRICS_RENAMED && size > 6 &&
        strcmp(m->name + size - 6, "_total") == 0)
        size -= 6;
    pp_buf_append_text(out, m->is_ours ? "paretopilot_sim:" : "llamacpp:");
    pp_buf_append(out, m->name, size);
}

static void put_metric(const metric *m, const pp_sim_quirks *q, pp_buf *out)
{
    bool gauge = strcmp(m->kind, "gauge") == 0;

    pp_buf_append_text(out, "# HELP ");
    put_name(m, q, out);
    pp_buf_printf(out, " %s\n# TYPE ", m->help);
    put_name(m, q, out);
    pp_buf_printf(out, " %s\n", m->kind);
    put_name(m, q, out);
    if (q->metrics == PP_SIM_METRICS_NAN && gauge)
        pp_buf_append_text(out, m->value > 0 ? " nan\n" : " -nan\n");
    else if (m->value == (double)(int64_t)m->value)
        pp_buf_printf(out, " %lld\n", (long long)m->value);
    else
        pp_buf_printf(out, " %.9g\n", m->value);
}

static void put_metrics(const pp_sim_state *s, const pp_sim_quirks *q, pp_buf *out)
{
    const metric metrics[] = {
        {"prompt_tokens_total", "counter", "prompt tokens processed, without cached ones",
         (double)s->prompt_tokens, false},
        {"prompt_tokens_cached_total", "counter", "prompt tokens from the cache",
         (double)s->cached_tokens, false},
        {"prompt_seconds_total", "counter", "declared time of prompts", (double)s->prompt_ns / 1e9,
         false},
        {"tokens_predicted_total", "counter", "tokens generated", (double)s->predicted_tokens,
         false},
        {"tokens_predicted_seconds_total", "counter", "declared time of generation",
         (double)s->predicted_ns / 1e9, false},
        {"n_decode_total", "counter", "steps", (double)s->decode_count, false},
        {"n_tokens_max", "counter", "longest prompt and answer", (double)s->longest, false},
        {"spec_decode_num_draft_tokens_total", "counter", "draft tokens", (double)s->draft_tokens,
         false},
        {"spec_decode_num_accepted_tokens_total", "counter", "draft tokens accepted",
         (double)s->draft_accepted, false},
        {"spec_decode_num_drafts_total", "counter", "drafts", (double)s->draft_count, false},
        {"prompt_tokens_seconds", "gauge", "prompt tokens a second",
         rate(s->prompt_tokens, s->prompt_ns), false},
        {"predicted_tokens_seconds", "gauge", "generated tokens a second",
         rate(s->predicted_tokens, s->predicted_ns), false},
        {"requests_processing", "gauge", "requests in a slot", (double)s->processing, false},
        {"requests_deferred", "gauge", "requests that wait", (double)s->deferred, false},
        {"n_busy_slots_per_decode", "gauge", "busy slots of a step",
         s->decode_count > 0 ? (double)s->busy_slots_sum / (double)s->decode_count : 0, false},
        {"requests_total", "counter", "requests for an answer", (double)s->requests, true},
        {"open_requests", "gauge", "requests for an answer under way", (double)s->open_requests,
         true},
        {"open_requests_max", "counter", "most of them at once", (double)s->open_requests_max,
         true},
        {"connections_total", "counter", "connections accepted", (double)s->connections, true},
        {"open_connections_max", "counter", "most of them at once", (double)s->open_connections_max,
         true},
    };

    for (size_t i = 0; i < PP_COUNT_OF(metrics); i++)
        put_metric(&metrics[i], q, out);
}

/* The gauges that tell whether it works; https://docs.vllm.ai/en/stable/usage/metrics/ */
static void put_vllm_gauge(const pp_sim_state *s, const char *name, const char *help, int64_t value,
                           pp_buf *out)
{
    pp_buf_printf(out, "# HELP vllm:%s %s\n# TYPE vllm:%s gauge\nvllm:%s{engine=\"0\",", name, help,
                  name, name);
    pp_buf_append_text(out, "model_name=\"");
    pp_sim_say_text(out, pp_text_of(s->model));
    pp_buf_printf(out, "\"} %lld.0\n", (long long)value);
}

static void put_vllm_metrics(const pp_sim_state *s, pp_buf *out)
{
    put_vllm_gauge(s, "num_requests_running", "requests that are worked on", s->processing, out);
    put_vllm_gauge(s, "num_requests_waiting", "requests that wait", s->deferred, out);
}

void pp_sim_say_metrics(const pp_sim_state *s, const pp_sim_quirks *q, pp_buf *out)
{
    pp_buf text;

    if (s->profile == PP_SIM_PROFILE_VLLM) {
        put_vllm_metrics(s, out);
        return;
    }
    if (q->metrics != PP_SIM_METRICS_STRING) {
        put_metrics(s, q, out);
        return;
    }
    pp_buf_init(&text, out->max_bytes);
    put_metrics(s, q, &text);
    pp_buf_append_char(out, '"');
    pp_sim_say_text(out, (pp_text){pp_buf_text(&text), text.size});
    pp_buf_append_char(out, '"');
    pp_buf_done(&text);
}

/* ---- profiles ---------------------------------------------------------------------------------
 */

static const char *const profile_names[] = {"llama-server", "vllm"};

const char *pp_sim_profile_name(size_t profile)
{
    return profile < PP_COUNT_OF(profile_names) ? profile_names[profile] : NULL;
}

/* ---- the small ones ---------------------------------------------------------------------------
 */

void pp_sim_say_models(const pp_sim_state *s, int64_t created_s, pp_buf *out)
{
    pp_buf_append_text(out, "{\"models\":[{");
    pp_sim_put_text(out, "name", pp_text_of(s->model));
    pp_buf_append_char(out, ',');
    pp_sim_put_text(out, "model", pp_text_of(s->model));
    pp_buf_append_text(
        out, ",\"modified_at\":\"\",\"size\":\"\",\"digest\":\"\",\"type\":\"model\","
             "\"description\":\"\",\"tags\":[\"\"],\"capabilities\":[\"completion\"],"
             "\"parameters\":\"\",\"details\":{\"parent_model\":\"\",\"format\":\"simulated\","
             "\"family\":\"\",\"families\":[\"\"],\"parameter_size\":\"\","
             "\"quantization_level\":\"\"}}],\"object\":\"list\",\"data\":[{");
    pp_sim_put_text(out, "id", pp_text_of(s->model));
    pp_buf_append_text(out, ",\"aliases\":[");
    pp_buf_append_char(out, '"');
    pp_sim_say_text(out, pp_text_of(s->model));
    pp_buf_printf(out,
                  "\"],\"tags\":[],\"object\":\"model\",\"architecture\":{"
                  "\"input_modalities\":[\"text\"],\"output_modalities\":[\"text\"]},"
                  "\"created\":%lld,\"owned_by\":\"simulated\",\"meta\":{\"vocab_type\":0,"
                  "\"n_vocab\":%d,\"n_ctx\":%lld,\"n_ctx_train\":%lld,\"n_embd\":0,\"n_params\":0,"
                  "\"size\":0,\"ftype\":\"simulated\"}}]}",
                  (long long)created_s, PP_SIM_VOCABULARY, (long long)s->n_ctx,
                  (long long)s->n_ctx);
}

void pp_sim_say_vllm_tokens(const pp_sim_state *s, pp_text prompt, pp_buf *out)
{
    pp_text rest = prompt;
    int64_t count = 0;

    while (rest.size > 0) {
        size_t size = pp_sim_token_size(rest);

        rest.data += size;
        rest.size -= size;
        count++;
    }
    pp_buf_printf(out, "{\"count\":%lld,\"max_model_len\":%lld,\"tokens\":", (long long)count,
                  (long long)s->n_ctx);
    pp_sim_put_ids(prompt, out);
    pp_buf_append_text(out, ",\"token_strs\":null}");
}

/* A piece that is no UTF-8 is the list of its bytes. */
static void put_piece(pp_text token, pp_buf *out)
{
    pp_buf_printf(out, "{\"id\":%lld,", (long long)pp_sim_token_id(token.data, token.size));
    if (pp_utf8_is_valid(token.data, token.size)) {
        pp_sim_put_text(out, "piece", token);
    } else {
        pp_buf_append_text(out, "\"piece\":[");
        for (size_t i = 0; i < token.size; i++)
            pp_buf_printf(out, i == 0 ? "%u" : ",%u", (unsigned char)token.data[i]);
        pp_buf_append_char(out, ']');
    }
    pp_buf_append_char(out, '}');
}

void pp_sim_say_tokens(pp_text content, bool with_pieces, pp_buf *out)
{
    pp_buf_append_text(out, "{\"tokens\":");
    if (!with_pieces) {
        pp_sim_put_ids(content, out);
    } else {
        pp_buf_append_char(out, '[');
        while (content.size > 0) {
            pp_text token = {content.data, pp_sim_token_size(content)};

            put_piece(token, out);
            content.data += token.size;
            content.size -= token.size;
            if (content.size > 0)
                pp_buf_append_char(out, ',');
        }
        pp_buf_append_char(out, ']');
    }
    pp_buf_append_char(out, '}');
}

void pp_sim_put_clean(pp_buf *out, const char *key, pp_text content)
{
    pp_buf_printf(out, "\"%s\":\"", key);
    while (content.size > 0) {
        size_t size = 1;
        long code = pp_utf8_next(content.data, content.size, &size);

        pp_sim_say_text(out, code < 0 ? pp_text_of("\xef\xbf\xbd") : (pp_text){content.data, size});
        content.data += size;
        content.size -= size;
    }
    pp_buf_append_char(out, '"');
}

void pp_sim_say_content(const char *key, pp_text content, pp_buf *out)
{
    pp_buf_append_char(out, '{');
    pp_sim_put_clean(out, key, content);
    pp_buf_append_char(out, '}');
}
