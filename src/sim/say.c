#include "sim/say.h"

#include <string.h>

#include "sim/say_parts.h"

#define FINGERPRINT "simulated"

static bool is_chat(const pp_sim_reply *r)
{
    return r->ask->dialect == PP_SIM_DIALECT_CHAT;
}

static bool is_llama(const pp_sim_reply *r)
{
    return r->ask->dialect == PP_SIM_DIALECT_LLAMA;
}

static const char *finish_word(const pp_sim_reply *r)
{
    return r->eos ? "stop" : "length";
}

/* What stands behind the choices of chats and completions, without braces. */
static void put_tail(const pp_sim_reply *r, bool is_chunk, pp_buf *out)
{
    pp_buf_printf(out, "\"created\":%lld,\"id\":\"chatcmpl-simulated%lld\",\"model\":\"",
                  (long long)r->created_s, (long long)r->serial);
    pp_sim_say_text(out, pp_text_of(r->model));
    pp_buf_printf(out, "\",\"system_fingerprint\":\"" FINGERPRINT "\",\"object\":\"%s%s\"",
                  is_chat(r) ? "chat.completion" : "text_completion",
                  is_chat(r) && is_chunk ? ".chunk" : "");
}

/* vLLM has none. */
static void put_more_timings(const pp_sim_reply *r, pp_buf *out)
{
    if (r->profile == PP_SIM_PROFILE_VLLM)
        return;
    pp_buf_append_char(out, ',');
    pp_sim_put_timings(r, out);
}

/* ---- choices ----------------------------------------------------------------------------------
 */

static void open_choice(const char *finish, pp_buf *out)
{
    pp_buf_append_text(out, "{\"choices\":[{\"finish_reason\":");
    if (finish == NULL)
        pp_buf_append_text(out, "null");
    else
        pp_buf_printf(out, "\"%s\"", finish);
    pp_buf_append_text(out, ",\"index\":0,");
}

static void put_nulls(const pp_sim_reply *r, pp_buf *out)
{
    if (r->quirks->nulls)
        pp_buf_append_text(out, ",\"tool_calls\":null,\"function_call\":null,\"refusal\":null");
}

static void put_reasoning(const pp_sim_reply *r, pp_text text, pp_buf *out)
{
    pp_sim_reasoning_name name = r->quirks->reasoning_name;

    if (name != PP_SIM_REASONING_PLAIN)
        pp_sim_put_text(out, "reasoning_content", text);
    if (name == PP_SIM_REASONING_BOTH)
        pp_buf_append_char(out, ',');
    if (name == PP_SIM_REASONING_PLAIN || name == PP_SIM_REASONING_BOTH)
        pp_sim_put_text(out, "reasoning", text);
}

static void put_tool_call(const pp_sim_reply *r, pp_text text, bool named, pp_buf *out)
{
    pp_buf_append_text(out, "\"tool_calls\":[{\"index\":0,");
    if (named)
        pp_buf_printf(out, "\"id\":\"call_%lld\",\"type\":\"function\",", (long long)r->serial);
    pp_buf_append_text(out, "\"function\":{");
    if (named)
        pp_buf_append_text(out, "\"name\":\"simulated\",");
    pp_sim_put_text(out, "arguments", text);
    pp_buf_append_text(out, "}}]");
}

/* The members of a delta that brings text. */
static void put_delta(const pp_sim_reply *r, pp_text piece, bool is_reasoning, pp_buf *out)
{
    if (r->quirks->tool_calls) {
        put_tool_call(r, piece, r->text.size == piece.size, out);
        return;
    }
    if (is_reasoning)
        put_reasoning(r, piece, out);
    else
        pp_sim_put_text(out, "content", piece);
    put_nulls(r, out);
}

/* Text, or null, and the rest of a choice up to its end. */
static void put_choice(const pp_sim_reply *r, const pp_text *piece, bool is_reasoning,
                       int64_t first_token, pp_buf *out)
{
    bool probs = r->ask->n_probs > 0 && piece != NULL;

    if (is_chat(r)) {
        pp_buf_append_text(out, "\"delta\":{");
        if (piece == NULL)
            pp_buf_append_text(out, "\"content\":null");
        else
            put_delta(r, *piece, is_reasoning, out);
        pp_buf_append_char(out, '}');
    } else {
        pp_sim_put_text(out, "text", piece == NULL ? (pp_text){"", 0} : *piece);
    }
    if (probs) {
        pp_buf_append_text(out, ",\"logprobs\":{\"content\":");
        pp_sim_put_probabilities(r, *piece, first_token, out);
        pp_buf_append_char(out, '}');
    } else if (!is_chat(r) || r->quirks->nulls) {
        pp_buf_append_text(out, ",\"logprobs\":null");
    }
    pp_buf_append_text(out, "}],");
}

/* ---- events -----------------------------------------------------------------------------------
 */

void pp_sim_say_role(const pp_sim_reply *r, pp_buf *out)
{
    open_choice(NULL, out);
    pp_buf_append_text(out, "\"delta\":{\"role\":\"assistant\",\"content\":null");
    put_nulls(r, out);
    pp_buf_append_text(out, "}}],");
    put_tail(r, true, out);
    pp_buf_append_text(out, r->quirks->nulls ? ",\"usage\":null}" : "}");
}

void pp_sim_say_null(const pp_sim_reply *r, pp_buf *out)
{
    open_choice(NULL, out);
    put_choice(r, NULL, false, 0, out);
    put_tail(r, true, out);
    pp_buf_append_char(out, '}');
}

void pp_sim_say_progress(const pp_sim_reply *r, int64_t done, pp_buf *out)
{
    if (is_llama(r)) {
        pp_buf_printf(out,
                      "{\"index\":0,\"content\":\"\",\"tokens\":[],\"stop\":false,\"id_slot\":%lld,"
                      "\"tokens_predicted\":0,\"tokens_evaluated\":%lld",
                      (long long)r->slot, (long long)r->ask->prompt_tokens);
    } else {
        open_choice(NULL, out);
        put_choice(r, NULL, false, 0, out);
        put_tail(r, true, out);
    }
    pp_buf_printf(out,
                  ",\"prompt_progress\":{\"total\":%lld,\"cache\":%lld,\"processed\":%lld,"
                  "\"time_ms\":%lld}}",
                  (long long)r->ask->prompt_tokens, (long long)r->cached_n, (long long)done,
                  (long long)(r->prompt_ns / 1000000));
}

static void say_llama_piece(const pp_sim_reply *r, pp_text piece, int64_t first_token, pp_buf *out)
{
    pp_buf_append_text(out, "{\"index\":0,");
    pp_sim_put_text(out, "content", piece);
    pp_buf_append_text(out, ",\"tokens\":");
    pp_sim_put_ids(r->ask->return_tokens ? piece : (pp_text){"", 0}, out);
    pp_buf_printf(out,
                  ",\"stop\":false,\"id_slot\":%lld,\"tokens_predicted\":%lld,"
                  "\"tokens_evaluated\":%lld",
                  (long long)r->slot, (long long)r->tokens, (long long)r->ask->prompt_tokens);
    if (r->ask->n_probs > 0) {
        pp_buf_append_text(out, ",\"completion_probabilities\":");
        pp_sim_put_probabilities(r, piece, first_token, out);
    }
}

void pp_sim_say_piece(const pp_sim_reply *r, size_t from, int64_t first_token, bool is_last,
                      pp_buf *out)
{
    pp_sim_usage_form usage = r->quirks->usage;
    bool is_reasoning = from < r->reasoning_bytes;
    pp_text piece = {pp_buf_text(&r->text) + from, r->text.size - from};

    if (r->quirks->cumulative)
        piece = (pp_text){r->text.data, r->text.size};
    if (is_llama(r)) {
        say_llama_piece(r, piece, first_token, out);
    } else {
        open_choice(is_last && usage == PP_SIM_USAGE_WITH_TEXT ? finish_word(r) : NULL, out);
        put_choice(r, &piece, is_reasoning, first_token, out);
        put_tail(r, true, out);
        if (usage == PP_SIM_USAGE_EVERY || (is_last && usage == PP_SIM_USAGE_WITH_TEXT)) {
            pp_buf_append_char(out, ',');
            pp_sim_put_usage(r, out);
        }
    }
    if (r->ask->timings_per_token)
        put_more_timings(r, out);
    pp_buf_append_char(out, '}');
}

/* ---- ends -------------------------------------------------------------------------------------
 */

/* The last event of /completion, and its whole reply, which has the text as well. */
static void say_llama_end(const pp_sim_reply *r, bool whole, pp_buf *out)
{
    const pp_sim_ask *ask = r->ask;
    pp_text text = {pp_buf_text(&r->text), r->text.size};

    pp_buf_append_text(out, "{\"index\":0,");
    pp_sim_put_text(out, "content", whole ? text : (pp_text){"", 0});
    pp_buf_append_text(out, ",\"tokens\":");
    pp_sim_put_ids(whole && ask->return_tokens ? text : (pp_text){"", 0}, out);
    pp_buf_printf(out, ",\"id_slot\":%lld,\"stop\":true,", (long long)r->slot);
    pp_sim_put_text(out, "model", pp_text_of(r->model));
    pp_buf_printf(out,
                  ",\"tokens_predicted\":%lld,\"tokens_evaluated\":%lld,\"generation_settings\":{",
                  (long long)r->tokens, (long long)ask->prompt_tokens);
    pp_sim_put_settings(ask->token_max, ask->n_probs, ask->ignore_eos, ask->stream, out);
    pp_buf_append_text(out, ",\"dry_sequence_breakers\":[],\"stop\":[],\"logit_bias\":[],"
                            "\"grammar\":\"\",\"grammar_lazy\":false,\"grammar_triggers\":[],"
                            "\"preserved_tokens\":[]},");
    pp_sim_put_clean(out, "prompt", ask->prompt);
    pp_buf_printf(out,
                  ",\"has_new_line\":%s,\"truncated\":false,\"stop_type\":\"%s\","
                  "\"stopping_word\":\"\",\"tokens_cached\":%lld,",
                  text.size > 0 && memchr(text.data, '\n', text.size) != NULL ? "true" : "false",
                  r->eos ? "eos" : "limit",
                  (long long)(ask->prompt_tokens + (r->tokens > 0 ? r->tokens - 1 : 0)));
    if (whole && ask->n_probs > 0) {
        pp_buf_append_text(out, "\"completion_probabilities\":");
        pp_sim_put_probabilities(r, text, 1, out);
        pp_buf_append_char(out, ',');
    }
    pp_sim_put_timings(r, out);
    pp_buf_append_char(out, '}');
}

static bool usage_follows(const pp_sim_reply *r)
{
    pp_sim_usage_form usage = r->quirks->usage;

    if (usage == 0)
        return r->ask->include_usage;
    return usage != PP_SIM_USAGE_NEVER && usage != PP_SIM_USAGE_WITH_TEXT &&
           usage != PP_SIM_USAGE_EVERY;
}

void pp_sim_say_finish(const pp_sim_reply *r, pp_buf *out)
{
    if (is_llama(r)) {
        say_llama_end(r, false, out);
        return;
    }
    open_choice(finish_word(r), out);
    if (is_chat(r)) {
        pp_buf_append_text(out, "\"delta\":{}}],");
    } else {
        pp_buf_append_text(out, "\"text\":\"\",\"logprobs\":null}],");
    }
    put_tail(r, true, out);
    if (!usage_follows(r) && r->quirks->usage != PP_SIM_USAGE_NEVER)
        put_more_timings(r, out);
    pp_buf_append_char(out, '}');
}

bool pp_sim_say_usage(const pp_sim_reply *r, pp_buf *out)
{
    if (is_llama(r) || !usage_follows(r))
        return false;
    pp_buf_append_char(out, '{');
    if (r->quirks->usage == PP_SIM_USAGE_NULL_CHOICES)
        pp_buf_append_text(out, "\"choices\":null,");
    else if (r->quirks->usage == PP_SIM_USAGE_FULL_CHOICES)
        pp_buf_append_text(out, "\"choices\":[{\"finish_reason\":null,\"index\":0,\"delta\":{}}],");
    else if (r->quirks->usage != PP_SIM_USAGE_NO_CHOICES)
        pp_buf_append_text(out, "\"choices\":[],");
    put_tail(r, true, out);
    pp_buf_append_char(out, ',');
    pp_sim_put_usage(r, out);
    put_more_timings(r, out);
    pp_buf_append_char(out, '}');
    return true;
}

static void put_message(const pp_sim_reply *r, pp_buf *out)
{
    pp_text text = {pp_buf_text(&r->text), r->text.size};
    pp_text reasoning = {text.data, r->reasoning_bytes};
    pp_text answer = {text.data + reasoning.size, text.size - reasoning.size};

    pp_buf_append_text(out, "\"message\":{\"role\":\"assistant\",");
    if (r->quirks->tool_calls) {
        pp_buf_append_text(out, "\"content\":null,");
        put_tool_call(r, text, true, out);
    } else {
        if (reasoning.size > 0) {
            put_reasoning(r, reasoning, out);
            pp_buf_append_char(out, ',');
        }
        pp_sim_put_text(out, "content", answer);
        put_nulls(r, out);
    }
    pp_buf_append_char(out, '}');
}

void pp_sim_say_whole(const pp_sim_reply *r, pp_buf *out)
{
    pp_text text = {pp_buf_text(&r->text), r->text.size};

    if (is_llama(r)) {
        say_llama_end(r, true, out);
        return;
    }
    open_choice(finish_word(r), out);
    if (is_chat(r))
        put_message(r, out);
    else
        pp_sim_put_text(out, "text", text);
    if (r->ask->n_probs > 0) {
        pp_buf_append_text(out, ",\"logprobs\":{\"content\":");
        pp_sim_put_probabilities(r, text, 1, out);
        pp_buf_append_char(out, '}');
    } else if (!is_chat(r)) {
        pp_buf_append_text(out, ",\"logprobs\":null");
    }
    pp_buf_append_text(out, "}],");
    put_tail(r, false, out);
    if (r->quirks->usage != PP_SIM_USAGE_NEVER) {
        pp_buf_append_char(out, ',');
        pp_sim_put_usage(r, out);
    }
    put_more_timings(r, out);
    pp_buf_append_char(out, '}');
}

void pp_sim_say_error(int status, const char *type, const char *message, pp_buf *out)
{
    pp_buf_printf(out, "{\"error\":{\"code\":%d,", status);
    pp_sim_put_text(out, "message", pp_text_of(message));
    pp_buf_append_char(out, ',');
    pp_sim_put_text(out, "type", pp_text_of(type));
    pp_buf_append_text(out, "}}");
}
