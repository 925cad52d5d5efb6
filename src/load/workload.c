#include "load/workload.h"

#include <stdlib.h>
#include <string.h>

#include "load/dialect.h"
#include "load/server_tokens.h"
#include "stats/random.h"

/* Everyday words of one or two syllables; what they say does not matter. */
static const char *const words[] = {
    "river", "stone",  "window", "market", "garden", "letter", "summer", "winter",
    "paper", "bridge", "forest", "ocean",  "silver", "copper", "table",  "corner",
    "music", "number", "signal", "engine", "yellow", "purple", "little", "narrow",
    "early", "heavy",  "quiet",  "simple", "open",   "under",  "across", "between",
};

/* Each prompt has a stream of its own (F83), whatever the number of requests. */
static uint64_t prompt_stream(uint64_t seed, pp_phase phase, int64_t index)
{
    uint64_t state = seed;
    uint64_t mixed = pp_random_next(&state);

    state = mixed ^ ((uint64_t)index << 1 | (phase == PP_PHASE_MEASURED));
    return pp_random_next(&state);
}

/* Text of at least `words_wanted` words; the number in front sets prompts apart at once. */
static void make_text(uint64_t *random, int64_t words_wanted, pp_buf *text)
{
    pp_buf_printf(text, "%016llx", (unsigned long long)pp_random_next(random));
    for (int64_t i = 0; i < words_wanted; i++) {
        pp_buf_append_char(text, ' ');
        pp_buf_append_text(text, words[pp_random_next(random) % PP_COUNT_OF(words)]);
    }
}

/* The context of a slot, where the server tells it: a request that cannot fit is refused before the
 * start and not by each reply. */
static pp_status check_context(pp_server_tokens *server, const pp_workload_options *options,
                               pp_error *err)
{
    pp_maybe_int n_ctx = {0};
    pp_status st = pp_server_context(server, &n_ctx, err);

    if (st == PP_OK && n_ctx.known && n_ctx.value < options->prompt_tokens + options->output_tokens)
        return pp_fail(err, PP_ERR_DOMAIN,
                       "%lld prompt and %lld output tokens do not fit the server's context of "
                       "%lld tokens per slot",
                       (long long)options->prompt_tokens, (long long)options->output_tokens,
                       (long long)n_ctx.value);
    return st;
}

/* ---- making requests ------------------------------------------------------------------------- */

/* More words are tried until the text has enough tokens; a word is a token or more, except in
 * vocabularies that join words. */
static pp_status prompt_ids(pp_server_tokens *server, pp_arena *scratch, uint64_t stream,
                            int64_t wanted, int64_t **ret_ids, pp_error *err)
{
    pp_token_list list = {0};

    for (int64_t n_words = wanted; n_words <= 16 * wanted; n_words *= 2) {
        uint64_t random = stream;
        pp_buf text;
        pp_status st;

        pp_buf_init(&text, PP_HTTP_CONTROL_MAX_BYTES);
        make_text(&random, n_words, &text);
        st = pp_buf_check(&text, "prompt", err);
        if (st == PP_OK)
            st = pp_server_tokenize(server, scratch, (pp_text){pp_buf_text(&text), text.size},
                                    false, &list, err);
        pp_buf_done(&text);
        *ret_ids = list.ids;
        if (st != PP_OK || (int64_t)list.count >= wanted)
            return st;
    }
    return pp_fail(err, PP_ERR_PEER,
                   "the server cuts %lld words into only %zu tokens, expected %lld or more",
                   (long long)(16 * wanted), list.count, (long long)wanted);
}

static pp_status write_body(const pp_workload_options *options, const int64_t *ids, pp_buf *body,
                            pp_error *err)
{
    pp_dialect dialect = {
        .endpoint = PP_ENDPOINT_COMPLETION,
        .kind = PP_SERVER_LLAMA_SERVER,
        .cache = PP_PROMPT_CACHE_OFF,
        .seed = options->seed,
    };

    pp_dialect_begin(&dialect, options->output_tokens, body);
    for (int64_t i = 0; i < options->prompt_tokens; i++)
        pp_buf_printf(body, i == 0 ? "[%lld" : ",%lld", (long long)ids[i]);
    pp_buf_append_char(body, ']');
    pp_dialect_end(&dialect, options->output_tokens, body);
    return pp_buf_check(body, "request body", err);
}

/* The bytes of a request that has a phase and an index. */
static pp_status keep_body(pp_arena *arena, const pp_buf *body, pp_workload_request *request,
                           pp_error *err)
{
    pp_status st = pp_sha256_of(pp_buf_text(body), body->size, request->body_sha256, err);

    if (st != PP_OK)
        return st;
    request->body.data = (unsigned char *)pp_arena_dup(arena, pp_buf_text(body), body->size);
    request->body.size = body->size;
    request->prompt_id = pp_text_of(pp_arena_printf(
        arena, "%s-%05lld", pp_phase_name(request->phase), (long long)request->index));
    return pp_arena_check(arena, err);
}

static pp_status make_request(pp_server_tokens *server, pp_arena *arena,
                              const pp_workload_options *options, pp_workload_request *request,
                              int64_t **ret_ids, pp_error *err)
{
    pp_arena scratch = {0};
    int64_t *ids = NULL;
    size_t ids_bytes = (size_t)options->prompt_tokens * sizeof *ids;
    pp_buf body;
    pp_status st =
        prompt_ids(server, &scratch, prompt_stream(options->seed, request->phase, request->index),
                   options->prompt_tokens, &ids, err);

    pp_buf_init(&body, PP_HTTP_CONTROL_MAX_BYTES);
    if (st == PP_OK)
        st = write_body(options, ids, &body, err);
    if (st == PP_OK)
        st = keep_body(arena, &body, request, err);
    if (st == PP_OK) {
        *ret_ids = (int64_t *)(void *)pp_arena_dup(arena, (const char *)ids, ids_bytes);
        st = pp_arena_check(arena, err);
    }
    pp_buf_done(&body);
    pp_arena_done(&scratch);
    return st;
}

/* ---- how much prompts have in common -----------------------------------------------------------
 */

typedef struct prompt {
    const int64_t *ids;
    int64_t n;
} prompt;

static int64_t shared_prefix(const prompt *a, const prompt *b)
{
    int64_t n = 0;

    while (n < a->n && n < b->n && a->ids[n] == b->ids[n])
        n++;
    return n;
}

static int compare_prompts(const void *left, const void *right)
{
    const prompt *a = left;
    const prompt *b = right;
    int64_t at = shared_prefix(a, b);

    if (at == a->n || at == b->n)
        return (a->n > b->n) - (a->n < b->n);
    return (a->ids[at] > b->ids[at]) - (a->ids[at] < b->ids[at]);
}

/* In sorted order the longest common beginning stands between neighbours. */
static int64_t longest_shared_prefix(prompt *prompts, size_t n)
{
    int64_t longest = 0;

    qsort(prompts, n, sizeof *prompts, compare_prompts);
    for (size_t i = 1; i < n; i++) {
        int64_t shared = shared_prefix(&prompts[i - 1], &prompts[i]);

        if (shared > longest)
            longest = shared;
    }
    return longest;
}

static pp_status make_all(pp_server_tokens *server, pp_arena *arena, pp_workload *w, pp_error *err)
{
    prompt *prompts = PP_ARENA_NEW(arena, prompt, w->request_count);
    pp_status st = pp_arena_check(arena, err);

    for (size_t i = 0; i < w->request_count && st == PP_OK; i++) {
        bool warmup = (int64_t)i < w->options.warmup_count;
        int64_t *ids = NULL;

        w->requests[i].phase = warmup ? PP_PHASE_WARMUP : PP_PHASE_MEASURED;
        w->requests[i].index = (int64_t)i + 1 - (warmup ? 0 : w->options.warmup_count);
        st = make_request(server, arena, &w->options, &w->requests[i], &ids, err);
        prompts[i] = (prompt){ids, w->options.prompt_tokens};
    }
    if (st == PP_OK)
        w->shared_prefix_tokens_max = longest_shared_prefix(prompts, w->request_count);
    return st;
}

static pp_status check_options(const pp_workload_options *o, pp_error *err)
{
    if (o->measured_count < 1 || o->warmup_count < 0 ||
        o->measured_count > PP_WORKLOAD_MAX_REQUESTS || o->warmup_count > PP_WORKLOAD_MAX_REQUESTS)
        return pp_fail(err, PP_ERR_RANGE,
                       "expected 1 to %d measured and 0 to %d warm-up requests, got %lld and %lld",
                       PP_WORKLOAD_MAX_REQUESTS, PP_WORKLOAD_MAX_REQUESTS,
                       (long long)o->measured_count, (long long)o->warmup_count);
    if (o->prompt_tokens < 1 || o->prompt_tokens > PP_WORKLOAD_MAX_PROMPT_TOKENS)
        return pp_fail(err, PP_ERR_RANGE, "expected 1 to %lld prompt tokens, got %lld",
                       (long long)PP_WORKLOAD_MAX_PROMPT_TOKENS, (long long)o->prompt_tokens);
    if (o->output_tokens < 0 || o->output_tokens > PP_WORKLOAD_MAX_PROMPT_TOKENS)
        return pp_fail(err, PP_ERR_RANGE, "expected 0 to %lld output tokens, got %lld",
                       (long long)PP_WORKLOAD_MAX_PROMPT_TOKENS, (long long)o->output_tokens);
    return PP_OK;
}

pp_status pp_workload_prepare(pp_arena *arena, pp_http_loop *loop, const char *base_url,
                              const char *const *headers, size_t header_count,
                              const pp_workload_options *options, pp_workload *ret_workload,
                              pp_error *err)
{
    pp_server_tokens server = {0};
    pp_workload w = {.endpoint = PP_ENDPOINT_COMPLETION, .options = *options};
    pp_status st = check_options(options, err);

    if (st == PP_OK)
        st = pp_server_tokens_init(&server, loop, base_url, headers, header_count, err);
    if (st == PP_OK)
        st = check_context(&server, options, err);
    if (st == PP_OK) {
        w.request_count = (size_t)(options->warmup_count + options->measured_count);
        w.requests = PP_ARENA_NEW(arena, pp_workload_request, w.request_count);
        st = pp_arena_check(arena, err);
    }
    if (st == PP_OK)
        st = make_all(&server, arena, &w, err);
    if (st == PP_OK)
        *ret_workload = w;
    pp_server_tokens_done(&server);
    return pp_wrap(err, st, "preparing the requests");
}

/* ---- words ------------------------------------------------------------------------------------
 */

static pp_status write_words(const pp_dialect *dialect, const pp_workload_options *options,
                             const pp_workload_request *request, pp_buf *body, pp_error *err)
{
    uint64_t random = prompt_stream(options->seed, request->phase, request->index);
    pp_buf text;
    pp_status st;

    pp_buf_init(&text, PP_HTTP_CONTROL_MAX_BYTES);
    make_text(&random, options->prompt_tokens - 1, &text);
    pp_dialect_begin(dialect, options->output_tokens, body);
    st = pp_buf_check(&text, "prompt", err);
    if (st == PP_OK)
        st = pp_dialect_write_text(dialect, (pp_text){pp_buf_text(&text), text.size}, body, err);
    pp_dialect_end(dialect, options->output_tokens, body);
    pp_buf_done(&text);
    return st == PP_OK ? pp_buf_check(body, "request body", err) : st;
}

static void number_requests(pp_workload *w)
{
    for (size_t i = 0; i < w->request_count; i++) {
        bool warmup = (int64_t)i < w->options.warmup_count;

        w->requests[i].phase = warmup ? PP_PHASE_WARMUP : PP_PHASE_MEASURED;
        w->requests[i].index = (int64_t)i + 1 - (warmup ? 0 : w->options.warmup_count);
    }
}

static pp_status make_all_words(pp_arena *arena, const pp_dialect *dialect, pp_workload *w,
                                pp_error *err)
{
    pp_status st = PP_OK;

    number_requests(w);
    for (size_t i = 0; st == PP_OK && i < w->request_count; i++) {
        pp_buf body;

        pp_buf_init(&body, PP_HTTP_CONTROL_MAX_BYTES);
        st = write_words(dialect, &w->options, &w->requests[i], &body, err);
        if (st == PP_OK)
            st = keep_body(arena, &body, &w->requests[i], err);
        pp_buf_done(&body);
    }
    return st;
}

pp_status pp_workload_prepare_words(pp_arena *arena, const pp_dialect *dialect,
                                    const pp_workload_options *options, pp_workload *ret_workload,
                                    pp_error *err)
{
    pp_dialect seeded = *dialect;
    pp_workload w = {.options = *options, .of_words = true, .endpoint = dialect->endpoint};
    pp_status st = check_options(options, err);

    seeded.seed = options->seed;
    if (st == PP_OK)
        st = pp_dialect_check(&seeded, err);
    if (st == PP_OK) {
        w.request_count = (size_t)(options->warmup_count + options->measured_count);
        w.requests = PP_ARENA_NEW(arena, pp_workload_request, w.request_count);
        st = pp_arena_check(arena, err);
    }
    if (st == PP_OK)
        st = make_all_words(arena, &seeded, &w, err);
    if (st == PP_OK)
        *ret_workload = w;
    return pp_wrap(err, st, "preparing the requests");
}
