#include "sim/say_parts.h"

#include <math.h>

#include "sim/words.h"

static void append_escaped(pp_buf *out, unsigned char c)
{
    if (c == '"' || c == '\\')
        pp_buf_printf(out, "\\%c", c);
    else if (c == '\n')
        pp_buf_append_text(out, "\\n");
    else
        pp_buf_printf(out, "\\u%04x", c);
}

/* A surrogate in the form that UTF-8 would give it: ED A0..BF 80..BF. */
static bool is_surrogate(const unsigned char *at, size_t left)
{
    return left >= 3 && at[0] == 0xed && at[1] >= 0xa0 && at[1] <= 0xbf && at[2] >= 0x80 &&
           at[2] <= 0xbf;
}

void pp_sim_say_text(pp_buf *out, pp_text text)
{
    const unsigned char *at = (const unsigned char *)text.data;
    size_t from = 0;

    for (size_t i = 0; i < text.size; i++) {
        bool surrogate = is_surrogate(at + i, text.size - i);

        if (!surrogate && at[i] >= 0x20 && at[i] != '"' && at[i] != '\\')
            continue;
        pp_buf_append(out, at + from, i - from);
        if (surrogate) {
            pp_buf_printf(out, "\\u%04x", 0xd000u | (at[i + 1] & 0x3fu) << 6 | (at[i + 2] & 0x3fu));
            i += 2;
        } else {
            append_escaped(out, at[i]);
        }
        from = i + 1;
    }
    if (from < text.size)
        pp_buf_append(out, at + from, text.size - from);
}

void pp_sim_put_text(pp_buf *out, const char *key, pp_text text)
{
    pp_buf_printf(out, "\"%s\":\"", key);
    pp_sim_say_text(out, text);
    pp_buf_append_char(out, '"');
}

/* ---- timings and usage ------------------------------------------------------------------------
 */

static double ms_of(int64_t ns)
{
    return (double)ns / 1e6;
}

/* "x_ms", "x_per_token_ms", "x_per_second" for `count` tokens. */
static void put_rates(pp_buf *out, const char *what, int64_t ns, int64_t count)
{
    double per_token = count > 0 ? ms_of(ns) / (double)count : 0;

    pp_buf_printf(out, ",\"%s_ms\":%.6f,\"%s_per_token_ms\":%.9f,\"%s_per_second\":%.9f", what,
                  ms_of(ns), what, per_token, what, per_token > 0 ? 1000 / per_token : 0);
}

void pp_sim_put_timings(const pp_sim_reply *r, pp_buf *out)
{
    int64_t prompt_n = r->ask->prompt_tokens - r->cached_n;

    pp_buf_printf(out, "\"timings\":{\"cache_n\":%lld,\"prompt_n\":%lld", (long long)r->cached_n,
                  (long long)prompt_n);
    put_rates(out, "prompt", r->prompt_ns, prompt_n);
    pp_buf_printf(out, ",\"predicted_n\":%lld", (long long)r->tokens);
    put_rates(out, "predicted", r->predicted_ns, r->tokens - 1); /* the first ends the prefill */
    if (r->has_draft || r->quirks->draft_fields)
        pp_buf_printf(out, ",\"draft_n\":%lld,\"draft_n_accepted\":%lld", (long long)r->draft_n,
                      (long long)r->draft_accepted_n);
    pp_buf_append_char(out, '}');
}

void pp_sim_put_usage(const pp_sim_reply *r, pp_buf *out)
{
    const char *point = r->quirks->usage == PP_SIM_USAGE_FLOATS ? ".0" : "";
    int64_t reasoning = r->quirks->reasoning > 0 ? r->quirks->reasoning - 1 : 0;
    long long p = r->ask->prompt_tokens;

    pp_buf_printf(out,
                  "\"usage\":{\"completion_tokens\":%lld%s,\"prompt_tokens\":%lld%s,"
                  "\"total_tokens\":%lld%s,\"prompt_tokens_details\":",
                  (long long)r->tokens, point, p, point, p + (long long)r->tokens, point);
    if (r->quirks->usage == PP_SIM_USAGE_NULLS || r->quirks->nulls)
        pp_buf_append_text(out, "null,\"completion_tokens_details\":null}");
    else if (reasoning > 0)
        pp_buf_printf(out,
                      "{\"cached_tokens\":%lld%s},\"completion_tokens_details\":"
                      "{\"reasoning_tokens\":%lld%s}}",
                      (long long)r->cached_n, point,
                      (long long)(reasoning < r->tokens ? reasoning : r->tokens), point);
    else
        pp_buf_printf(out, "{\"cached_tokens\":%lld%s}}", (long long)r->cached_n, point);
}

/* ---- tokens -----------------------------------------------------------------------------------
 */

static pp_text take_token(pp_text *piece)
{
    pp_text token = {piece->data, pp_sim_token_size(*piece)};

    piece->data += token.size;
    piece->size -= token.size;
    return token;
}

void pp_sim_put_ids(pp_text piece, pp_buf *out)
{
    const char *comma = "";

    pp_buf_append_char(out, '[');
    while (piece.size > 0) {
        pp_text token = take_token(&piece);

        pp_buf_printf(out, "%s%lld", comma, (long long)pp_sim_token_id(token.data, token.size));
        comma = ",";
    }
    pp_buf_append_char(out, ']');
}

static void put_one(pp_buf *out, pp_text token, double logprob)
{
    const char *comma = "";

    pp_buf_printf(out, "{\"id\":%lld,", (long long)pp_sim_token_id(token.data, token.size));
    pp_sim_put_clean(out, "token", token);
    pp_buf_append_text(out, ",\"bytes\":[");
    for (size_t i = 0; i < token.size; i++, comma = ",")
        pp_buf_printf(out, "%s%u", comma, (unsigned char)token.data[i]);
    pp_buf_printf(out, "],\"logprob\":%.9f", logprob);
}

#define WORD_COUNT (26 * 26) /* a blank and two letters (words.h) */

/* The n-th other word: all words in turn, from one by rule on, without the token itself. */
static pp_text other_word(const pp_sim_reply *r, pp_text token, int64_t number, int64_t n,
                          char out[PP_SIM_TOKEN_MAX_BYTES])
{
    pp_text word = {out, PP_SIM_TOKEN_MAX_BYTES};
    int64_t first, place;

    pp_sim_word(r->seed ^ 1, r->ask->prompt_hash, number, out);
    first = (out[1] - 'a') + 26 * (out[2] - 'a');
    for (int64_t step = 0; n > 0; step++) {
        place = (first + step) % WORD_COUNT;
        out[1] = (char)('a' + place % 26);
        out[2] = (char)('a' + place / 26);
        n -= !pp_text_equal(word, token);
    }
    return word;
}

/* The chosen token first; the others halve what is left. */
static void put_token(const pp_sim_reply *r, pp_text token, int64_t number, pp_buf *out)
{
    double chance = pp_sim_chance(r->seed, r->ask->prompt_hash, number - 1);
    bool zero = r->quirks->zero_logprobs;
    int64_t count = r->ask->n_probs < WORD_COUNT ? r->ask->n_probs : WORD_COUNT;
    double left = 1 - chance;

    put_one(out, token, zero ? 0 : log(chance));
    pp_buf_append_text(out, ",\"top_logprobs\":[");
    for (int64_t i = 0; i < count; i++) {
        char word[PP_SIM_TOKEN_MAX_BYTES];
        pp_text shown = i == 0 ? token : other_word(r, token, number, i, word);

        put_one(out, shown, zero ? 0 : log(i == 0 ? chance : left / 2));
        pp_buf_append_text(out, i + 1 < count ? "}," : "}");
        if (i > 0)
            left /= 2;
    }
    pp_buf_append_text(out, "]}");
}

void pp_sim_put_probabilities(const pp_sim_reply *r, pp_text piece, int64_t first, pp_buf *out)
{
    pp_buf_append_char(out, '[');
    for (int64_t number = first; piece.size > 0; number++) {
        put_token(r, take_token(&piece), number, out);
        if (piece.size > 0)
            pp_buf_append_char(out, ',');
    }
    pp_buf_append_char(out, ']');
}

void pp_sim_put_settings(int64_t token_max, int64_t n_probs, bool ignore_eos, bool stream,
                         pp_buf *out)
{
    pp_buf_printf(
        out,
        "\"seed\":4294967295,\"temperature\":0.0,\"dynatemp_range\":0.0,\"dynatemp_exponent\":1.0,"
        "\"top_k\":1,\"top_p\":1.0,\"min_p\":0.0,\"top_n_sigma\":-1.0,\"xtc_probability\":0.0,"
        "\"xtc_threshold\":0.1,\"typical_p\":1.0,\"repeat_last_n\":0,\"repeat_penalty\":1.0,"
        "\"presence_penalty\":0.0,\"frequency_penalty\":0.0,\"dry_multiplier\":0.0,"
        "\"dry_base\":1.75,\"dry_allowed_length\":2,\"dry_penalty_last_n\":0,\"mirostat\":0,"
        "\"mirostat_tau\":5.0,\"mirostat_eta\":0.1,\"adaptive_target\":-1.0,\"adaptive_decay\":0.9,"
        "\"max_tokens\":%lld,\"n_predict\":%lld,\"n_keep\":0,\"n_discard\":0,\"ignore_eos\":%s,"
        "\"stream\":%s,\"n_probs\":%lld,\"min_keep\":0,\"chat_format\":\"Content-only\","
        "\"reasoning_format\":\"none\",\"reasoning_in_content\":false,\"generation_prompt\":\"\","
        "\"samplers\":[\"temperature\"],\"speculative.types\":\"none\",\"timings_per_token\":false,"
        "\"post_sampling_probs\":false,\"backend_sampling\":false,\"lora\":[]",
        (long long)token_max, (long long)token_max, ignore_eos ? "true" : "false",
        stream ? "true" : "false", (long long)n_probs);
}
