/* exchange_sample.c - a stream held against what was asked and against its transport. */
#include <stdlib.h>
#include <string.h>

#include "intake/server_stream.h"
#include "stats/percentile.h"

/* More than one event with text in five sharing a read with the one before: gaps are not the
 * server's any more (F30). */
#define GATHERED_ONE_IN 5

static int64_t since_start(const pp_exchange *x, int64_t at_ns)
{
    return at_ns > x->started_ns ? at_ns - x->started_ns : 0;
}

static int64_t arrival_ns(const pp_exchange *x, size_t index)
{
    return since_start(x, index < x->arrival_count ? x->arrivals[index].at_ns : x->ended_ns);
}

/* ---- times ----------------------------------------------------------------------------------- */

static void take_text_times(pp_arena *arena, const pp_exchange *x, const pp_server_stream *s,
                            pp_sample *out)
{
    size_t last = s->text_event_count - 1;

    if (s->text_event_count == 0 || s->not_streamed) /* one object at the end has no first token */
        return;
    out->ttft_ns = pp_known_int(arrival_ns(x, s->text_arrivals[0]));
    out->e2e_ns = pp_known_int(arrival_ns(x, s->text_arrivals[last]));
    if (s->has_answer)
        out->first_answer_ns = pp_known_int(arrival_ns(x, s->first_answer_arrival));
    out->gap_count = last;
    out->gaps_ns = PP_ARENA_NEW(arena, int64_t, last);
    for (size_t i = 0; i < last && out->gaps_ns != NULL; i++)
        out->gaps_ns[i] =
            arrival_ns(x, s->text_arrivals[i + 1]) - arrival_ns(x, s->text_arrivals[i]);
    if (out->e2e_ns.value > out->stream_end_ns)
        out->stream_end_ns = out->e2e_ns.value;
}

static void count_shared_reads(const pp_server_stream *s, pp_sample *out)
{
    size_t shared = 0;
    int64_t run = 0;

    for (size_t i = 0; i < s->text_event_count; i++) {
        bool same = i > 0 && s->text_arrivals[i] == s->text_arrivals[i - 1];

        shared += same;
        run = same ? run + 1 : 1;
        if (run > out->events_per_read_max)
            out->events_per_read_max = run;
    }
    if (s->text_event_count > 1 && shared * GATHERED_ONE_IN > s->text_event_count - 1)
        out->flags |= PP_SAMPLE_GATHERED;
}

static int compare_lags(const void *a, const void *b)
{
    const int64_t *left = a;
    const int64_t *right = b;

    return (*left > *right) - (*left < *right);
}

/* Nearest rank: below 100 reads the p99 is the largest. */
static void take_lags(pp_arena *arena, const pp_exchange *x, pp_sample *out)
{
    int64_t *lags = PP_ARENA_NEW(arena, int64_t, x->arrival_count);
    size_t n = 0;

    for (size_t i = 0; i < x->arrival_count && lags != NULL; i++)
        if (x->arrivals[i].from_kernel)
            lags[n++] = x->arrivals[i].lag_ns;
    out->kernel_arrival_count = (int64_t)n;
    out->user_arrival_count = (int64_t)(x->arrival_count - n);
    if (n == 0 || lags == NULL)
        return;
    qsort(lags, n, sizeof *lags, compare_lags);
    out->client_lag_ns_p99 = pp_known_int(lags[pp_percentile_rank(n, 99) - 1]);
    out->client_lag_ns_max = pp_known_int(lags[n - 1]);
}

/* ---- counts ---------------------------------------------------------------------------------- */

/* Best first (F35); not known when nothing was counted. */
static pp_maybe_int generated_by(const pp_server_stream *s, pp_token_source *ret_source)
{
    const struct {
        pp_maybe_int count;
        pp_token_source source;
    } best_first[] = {
        {s->counts.predicted_n, PP_TOKEN_SOURCE_TIMINGS},
        {s->counts.usage_completion_tokens, PP_TOKEN_SOURCE_USAGE},
        {s->tokens_predicted, PP_TOKEN_SOURCE_PREDICTED},
        {{s->token_array_total > 0, s->token_array_total}, PP_TOKEN_SOURCE_TOKEN_ARRAYS},
        {{s->text_event_count > 0 && !s->not_streamed, (int64_t)s->text_event_count},
         PP_TOKEN_SOURCE_EVENTS},
    };
    size_t i = 0;

    while (i < PP_COUNT_OF(best_first) - 1 && !best_first[i].count.known)
        i++;
    *ret_source = best_first[i].source;
    return best_first[i].count;
}

static void take_generated(const pp_server_stream *s, pp_sample *out)
{
    pp_token_source source;
    pp_maybe_int count = generated_by(s, &source);

    if (count.known)
        pp_sample_set_generated(out, count.value, source);
}

/* Although no text came. */
static bool counts_tokens(const pp_server_stream *s)
{
    pp_token_source source;
    pp_maybe_int count = generated_by(s, &source);

    return count.known && count.value > 0;
}

static void take_prompt(const pp_server_stream *s, pp_sample *out)
{
    out->cached_tokens = pp_reply_cached_tokens(&s->counts);
    out->prompt_tokens = pp_reply_prompt_tokens(&s->counts);
    if (!out->prompt_tokens.known)
        out->prompt_tokens = s->tokens_evaluated;
    if (out->cached_tokens.known && out->cached_tokens.value > 0)
        out->flags |= PP_SAMPLE_PROMPT_CACHED;
}

static void flag_stream(const pp_server_stream *s, pp_sample *out)
{
    const struct {
        bool set;
        unsigned flag;
    } flags[] = {
        {!s->end_mark && s->finish.size > 0, PP_SAMPLE_NO_END_MARK},
        {s->not_streamed, PP_SAMPLE_NOT_STREAMED},
        {s->bad_utf8, PP_SAMPLE_BAD_UTF8},
        {s->split_character, PP_SAMPLE_SPLIT_CHARACTER},
        {s->cumulative_text, PP_SAMPLE_CUMULATIVE_TEXT},
        {s->several_choices, PP_SAMPLE_SEVERAL_CHOICES},
        {s->text_event_count > 0 && !s->has_answer, PP_SAMPLE_NO_ANSWER},
    };

    for (size_t i = 0; i < PP_COUNT_OF(flags); i++)
        if (flags[i].set)
            out->flags |= flags[i].flag;
}

/* ---- failures -------------------------------------------------------------------------------- */

static void fail_sample(pp_arena *arena, pp_sample *out, pp_failure failure, const char *text)
{
    out->failure = failure;
    out->failure_text = pp_text_dup(arena, pp_text_of(text));
}

static void judge(pp_arena *arena, const pp_exchange *x, const pp_server_stream *s, pp_sample *out)
{
    if (s->failure == PP_FAILURE_STREAM_ERROR || x->failure == PP_FAILURE_NONE) {
        out->failure = s->failure;
        out->failure_text = s->failure_text;
    } else {
        out->failure = x->failure;
        out->failure_text = x->failure_text;
    }
    if (!pp_sample_is_ok(out))
        return;
    if (!s->end_mark && s->finish.size == 0)
        fail_sample(arena, out, PP_FAILURE_PREMATURE_END,
                    "the stream ended without an end mark and without a finish reason");
    else if (s->text.size == 0 && x->asked_tokens > 0)
        fail_sample(arena, out, PP_FAILURE_NOTHING_GENERATED,
                    counts_tokens(s) ? "no text came although the server counted generated tokens"
                                     : "the reply holds no generated text");
}

/* ---- the whole ------------------------------------------------------------------------------- */

static pp_status take_stream(pp_arena *arena, const pp_exchange *x, pp_sample *out, pp_error *err)
{
    pp_server_stream s;
    pp_status st = pp_server_stream_read(arena, x->body, x->arrivals, x->arrival_count,
                                         x->content_type, &s, err);

    if (st != PP_OK)
        return st;
    take_text_times(arena, x, &s, out);
    count_shared_reads(&s, out);
    out->text_event_count = (int64_t)s.text_event_count;
    out->event_count = s.event_count;
    out->ping_count = s.ping_count;
    take_prompt(&s, out);
    out->server_prompt_ms = s.counts.prompt_ms;
    out->server_predicted_ms = s.counts.predicted_ms;
    out->draft_tokens = s.counts.draft_n;
    out->draft_accepted_tokens = s.counts.draft_n_accepted;
    out->finish = s.finish;
    out->text = s.text;
    out->text_bytes = (int64_t)s.text.size;
    judge(arena, x, &s, out);
    take_generated(&s, out);
    flag_stream(&s, out);
    return s.text.size == 0 ? PP_OK : pp_sha256_of(s.text.data, s.text.size, out->text_sha256, err);
}

pp_status pp_sample_of_exchange(pp_arena *arena, const pp_exchange *exchange, pp_sample *ret_sample,
                                pp_error *err)
{
    const pp_exchange *x = exchange;
    pp_sample out = {
        .id = x->id,
        .scheduled_ns = x->scheduled_ns,
        .started_ns = x->started_ns,
        .stream_end_ns = since_start(x, x->ended_ns),
        .asked_tokens = x->asked_tokens,
        .failure = x->failure,
        .failure_text = x->failure_text,
        .http_status = x->http_status,
    };
    pp_status st = PP_OK;

    if (x->connected_ns.known)
        out.connect_ns = pp_known_int(since_start(x, x->connected_ns.value));
    if (x->connection_reused)
        out.flags |= PP_SAMPLE_CONNECTION_REUSED;
    if (x->clock_was_set)
        out.flags |= PP_SAMPLE_CLOCK_WAS_SET;
    take_lags(arena, x, &out);
    if (x->failure == PP_FAILURE_HTTP_STATUS)
        out.failure_text = pp_reply_error_page(arena, x->failure_text, x->body);
    else if (x->http_status.known)
        st = take_stream(arena, x, &out, err);
    else if (x->failure == PP_FAILURE_NONE)
        fail_sample(arena, &out, PP_FAILURE_PROTOCOL, "there is no reply");
    if (st == PP_OK)
        st = pp_arena_check(arena, err);
    if (st == PP_OK)
        *ret_sample = out;
    return pp_wrap(err, st, "making a sample");
}
