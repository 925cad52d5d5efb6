#include "model/sample.h"

#include <stddef.h>
#include <string.h>

#include "model/tables.h"
#include "json/lines.h"

/* A server may finish a character that spans several tokens (F43). */
#define OVER_LENGTH_MAX 3

static const char *const source_names[] = {"none",         "timings",   "usage", "predicted",
                                           "token-arrays", "tokenized", "events"};

static const char *const flag_names[PP_SAMPLE_FLAG_COUNT] = {
    "no-end-mark",     "not-streamed",  "gathered",          "bad-utf8",         "split-character",
    "over-length",     "wrong-length",  "prompt-cached",     "tokens-estimated", "cumulative-text",
    "several-choices", "clock-was-set", "connection-reused", "no-answer",
};

const char *pp_token_source_name(pp_token_source source)
{
    return (size_t)source < PP_COUNT_OF(source_names) ? source_names[source] : "unknown";
}

const char *pp_sample_flag_name(size_t n)
{
    return n < PP_COUNT_OF(flag_names) ? flag_names[n] : "unknown";
}

bool pp_sample_is_ok(const pp_sample *sample)
{
    return sample->failure == PP_FAILURE_NONE;
}

static unsigned length_flag(const pp_sample *s)
{
    int64_t over = s->generated_tokens.value - s->asked_tokens;

    if (!pp_sample_is_ok(s) || s->asked_tokens == 0 || s->token_source == PP_TOKEN_SOURCE_EVENTS ||
        over == 0)
        return 0;
    return over > 0 && over <= OVER_LENGTH_MAX ? PP_SAMPLE_OVER_LENGTH : PP_SAMPLE_WRONG_LENGTH;
}

void pp_sample_set_generated(pp_sample *sample, int64_t count, pp_token_source source)
{
    sample->generated_tokens = pp_known_int(count);
    sample->token_source = source;
    sample->flags &=
        ~(unsigned)(PP_SAMPLE_TOKENS_ESTIMATED | PP_SAMPLE_OVER_LENGTH | PP_SAMPLE_WRONG_LENGTH);
    if (source == PP_TOKEN_SOURCE_EVENTS)
        sample->flags |= PP_SAMPLE_TOKENS_ESTIMATED;
    sample->flags |= length_flag(sample);
}

pp_maybe_real pp_sample_time_per_token_ns(const pp_sample *sample)
{
    if (!pp_sample_is_ok(sample) || !sample->ttft_ns.known || !sample->e2e_ns.known ||
        !sample->generated_tokens.known || sample->generated_tokens.value < 2)
        return (pp_maybe_real){0};
    return pp_known_real((double)(sample->e2e_ns.value - sample->ttft_ns.value) /
                         (double)(sample->generated_tokens.value - 1));
}

pp_maybe_real pp_sample_generation_tokens_per_second(const pp_sample *sample)
{
    pp_maybe_real each_ns = pp_sample_time_per_token_ns(sample);

    if (!each_ns.known || each_ns.value <= 0) /* all in one read: no window, no rate (F75) */
        return (pp_maybe_real){0};
    return pp_known_real(1e9 / each_ns.value);
}

/* ---- the document as rows -------------------------------------------------------------------- */

typedef enum row_kind { ROW_INT, ROW_MAYBE_INT, ROW_MAYBE_REAL } row_kind;

typedef struct row {
    const char *key;
    row_kind kind;
    size_t offset;
} row;

#define ROW(key, kind, field)                                                                      \
    {                                                                                              \
        key, kind, offsetof(pp_sample, field)                                                      \
    }

static const row top_rows[] = {
    ROW("pass", ROW_INT, id.pass),
    ROW("index", ROW_INT, id.index),
    ROW("scheduled_ns", ROW_INT, scheduled_ns),
    ROW("started_ns", ROW_INT, started_ns),
    ROW("connect_ns", ROW_MAYBE_INT, connect_ns),
    ROW("ttft_ns", ROW_MAYBE_INT, ttft_ns),
    ROW("first_answer_ns", ROW_MAYBE_INT, first_answer_ns),
    ROW("e2e_ns", ROW_MAYBE_INT, e2e_ns),
    ROW("stream_end_ns", ROW_INT, stream_end_ns),
    ROW("text_event_count", ROW_INT, text_event_count),
    ROW("event_count", ROW_INT, event_count),
    ROW("ping_count", ROW_INT, ping_count),
    ROW("events_per_read_max", ROW_INT, events_per_read_max),
    ROW("kernel_arrival_count", ROW_INT, kernel_arrival_count),
    ROW("user_arrival_count", ROW_INT, user_arrival_count),
    ROW("client_lag_ns_p99", ROW_MAYBE_INT, client_lag_ns_p99),
    ROW("client_lag_ns_max", ROW_MAYBE_INT, client_lag_ns_max),
    ROW("http_status", ROW_MAYBE_INT, http_status),
    ROW("text_bytes", ROW_INT, text_bytes),
};

static const row token_rows[] = {
    ROW("asked", ROW_INT, asked_tokens),
    ROW("prompt", ROW_MAYBE_INT, prompt_tokens),
    ROW("cached", ROW_MAYBE_INT, cached_tokens),
    ROW("generated", ROW_MAYBE_INT, generated_tokens),
};

static const row server_rows[] = {
    ROW("prompt_ms", ROW_MAYBE_REAL, server_prompt_ms),
    ROW("predicted_ms", ROW_MAYBE_REAL, server_predicted_ms),
    ROW("draft_tokens", ROW_MAYBE_INT, draft_tokens),
    ROW("draft_accepted_tokens", ROW_MAYBE_INT, draft_accepted_tokens),
};

/* ---- writing --------------------------------------------------------------------------------- */

static void put_rows(pp_arena *arena, pp_json *object, const pp_sample *sample, const row *rows,
                     size_t n_rows)
{
    for (size_t i = 0; i < n_rows; i++) {
        const void *field = (const char *)sample + rows[i].offset;

        if (rows[i].kind == ROW_INT)
            pp_json_set_int(arena, object, rows[i].key, *(const int64_t *)field);
        else if (rows[i].kind == ROW_MAYBE_INT)
            pp_json_set_maybe_int(arena, object, rows[i].key, *(const pp_maybe_int *)field);
        else
            pp_json_set_maybe_real(arena, object, rows[i].key, *(const pp_maybe_real *)field);
    }
}

static pp_json *failure_json(pp_arena *arena, const pp_sample *sample)
{
    pp_json *failure;

    if (pp_sample_is_ok(sample))
        return pp_json_new_null(arena);
    failure = pp_json_new_object(arena);
    pp_json_set_string(arena, failure, "class", pp_failure_name(sample->failure));
    pp_json_set_text(arena, failure, "text", sample->failure_text);
    return failure;
}

static pp_json *flags_json(pp_arena *arena, unsigned flags)
{
    pp_json *list = pp_json_new_array(arena);

    for (size_t i = 0; i < PP_SAMPLE_FLAG_COUNT; i++)
        if ((flags & 1u << i) != 0)
            pp_json_add(arena, list, pp_json_new_string(arena, flag_names[i]));
    return list;
}

pp_json *pp_sample_to_json(pp_arena *arena, const pp_sample *sample)
{
    pp_json *top = pp_json_new_object(arena);
    pp_json *tokens = pp_json_new_object(arena);
    pp_json *server = pp_json_new_object(arena);
    pp_json *gaps = pp_json_new_array(arena);

    pp_json_set_text(arena, top, "candidate", sample->id.candidate);
    if (sample->id.level.known)
        pp_json_set_int(arena, top, "level", sample->id.level.value);
    pp_json_set_string(arena, top, "phase", pp_phase_name(sample->id.phase));
    pp_json_set_text(arena, top, "prompt_id", sample->id.prompt_id);
    pp_json_set_string(arena, top, "request_sha256", sample->id.request_sha256);
    put_rows(arena, top, sample, top_rows, PP_COUNT_OF(top_rows));
    for (size_t i = 0; i < sample->gap_count; i++)
        pp_json_add(arena, gaps, pp_json_new_int(arena, sample->gaps_ns[i]));
    pp_json_set(arena, top, "gaps_ns", gaps);
    put_rows(arena, tokens, sample, token_rows, PP_COUNT_OF(token_rows));
    pp_json_set_string(arena, tokens, "source", pp_token_source_name(sample->token_source));
    pp_json_set(arena, top, "tokens", tokens);
    put_rows(arena, server, sample, server_rows, PP_COUNT_OF(server_rows));
    pp_json_set(arena, top, "server", server);
    pp_json_set_maybe_text(arena, top, "finish", sample->finish);
    pp_json_set_string(arena, top, "status", pp_sample_is_ok(sample) ? "ok" : "failed");
    pp_json_set(arena, top, "failure", failure_json(arena, sample));
    pp_json_set(arena, top, "flags", flags_json(arena, sample->flags));
    pp_json_set_maybe_text(arena, top, "text_sha256", pp_text_of(sample->text_sha256));
    return top;
}

pp_status pp_sample_write(const pp_sample *sample, pp_buf *lines, pp_error *err)
{
    pp_arena arena = {0};
    pp_status st = pp_json_write(pp_sample_to_json(&arena, sample), PP_JSON_COMPACT, lines, err);

    pp_arena_done(&arena);
    if (st != PP_OK)
        return pp_wrap(err, st, "writing a sample");
    pp_buf_append_char(lines, '\n');
    return pp_buf_check(lines, "samples", err);
}

/* ---- reading --------------------------------------------------------------------------------- */

static void get_row(const pp_json *object, const row *r, pp_sample *sample)
{
    void *field = (char *)sample + r->offset;
    const pp_json *value = pp_json_find(object, r->key);

    if (r->kind == ROW_INT)
        *(int64_t *)field = value->integer;
    else if (value->kind == PP_JSON_NULL)
        return; /* absent, as the zeroed struct says */
    else if (r->kind == ROW_MAYBE_INT)
        *(pp_maybe_int *)field = pp_known_int(value->integer);
    else
        *(pp_maybe_real *)field = pp_known_real(pp_checked_real(value));
}

static void get_rows(const pp_json *object, const row *rows, size_t n_rows, pp_sample *sample)
{
    for (size_t i = 0; i < n_rows; i++)
        get_row(object, &rows[i], sample);
}

static pp_text text_or_empty(const pp_json *object, const char *key)
{
    const pp_json *value = pp_json_find(object, key);

    return value->kind == PP_JSON_NULL ? (pp_text){0} : value->text;
}

static void copy_digest(pp_text digest, char out[PP_SHA256_HEX_SIZE])
{
    if (digest.size > 0)
        memcpy(out, digest.data, PP_SHA256_HEX_SIZE);
}

static void get_id(const pp_json *top, pp_sample *sample)
{
    const pp_json *level = pp_json_find(top, "level");

    sample->id.candidate = pp_checked_text(top, "candidate");
    if (level != NULL)
        sample->id.level = pp_known_int(level->integer);
    sample->id.prompt_id = pp_checked_text(top, "prompt_id");
    PP_ASSERT(pp_phase_find(pp_checked_text(top, "phase"), &sample->id.phase));
    copy_digest(pp_checked_text(top, "request_sha256"), sample->id.request_sha256);
}

static pp_status get_gaps(pp_arena *arena, const pp_json *gaps, pp_sample *sample, pp_error *err)
{
    sample->gap_count = gaps->array.count;
    sample->gaps_ns = PP_ARENA_NEW(arena, int64_t, sample->gap_count);
    for (size_t i = 0; sample->gaps_ns != NULL && i < sample->gap_count; i++)
        sample->gaps_ns[i] = gaps->array.items[i]->integer;
    return pp_arena_check(arena, err);
}

static void get_tokens_and_server(const pp_json *top, pp_sample *sample)
{
    const pp_json *tokens = pp_checked_object(top, "tokens");
    pp_text source = pp_checked_text(tokens, "source");
    size_t i = 0;

    get_rows(tokens, token_rows, PP_COUNT_OF(token_rows), sample);
    while (i < PP_COUNT_OF(source_names) && !pp_text_is(source, source_names[i]))
        i++;
    PP_ASSERT(i < PP_COUNT_OF(source_names));
    sample->token_source = (pp_token_source)i;
    get_rows(pp_checked_object(top, "server"), server_rows, PP_COUNT_OF(server_rows), sample);
}

static pp_status get_failure(const pp_json *top, pp_sample *sample, pp_error *err)
{
    const pp_json *failure = pp_json_find(top, "failure");
    bool is_ok = pp_text_is(pp_checked_text(top, "status"), "ok");

    if (is_ok != (failure->kind == PP_JSON_NULL))
        return pp_json_fail(pp_json_find(top, "status"), err,
                            "expected \"ok\" without a failure or \"failed\" with one");
    if (is_ok)
        return PP_OK;
    PP_ASSERT(pp_failure_find(pp_checked_text(failure, "class"), &sample->failure));
    sample->failure_text = pp_checked_text(failure, "text");
    return PP_OK;
}

static pp_status get_flag(const pp_json *value, unsigned *flags, pp_error *err)
{
    size_t i = 0;

    while (i < PP_SAMPLE_FLAG_COUNT && !pp_text_is(value->text, flag_names[i]))
        i++;
    PP_ASSERT(i < PP_SAMPLE_FLAG_COUNT);
    if (*flags >> i != 0)
        return pp_json_fail(value, err, "flags stand once each and in their order");
    *flags |= 1u << i;
    return PP_OK;
}

static pp_status get_flags(const pp_json *flags, pp_sample *sample, pp_error *err)
{
    pp_status st = PP_OK;

    for (size_t i = 0; st == PP_OK && i < flags->array.count; i++)
        st = get_flag(flags->array.items[i], &sample->flags, err);
    return st;
}

/* Gaps are differences of what ttft and e2e are, so they must add up. */
static pp_status check_gaps(const pp_json *top, const pp_sample *s, pp_error *err)
{
    int64_t want = s->text_event_count > 0 && s->ttft_ns.known ? s->text_event_count - 1 : 0;
    const pp_json *gaps = pp_json_find(top, "gaps_ns");
    int64_t left;

    if ((int64_t)s->gap_count != want)
        return pp_json_fail(gaps, err, "expected %lld gaps for %lld events with text, got %zu",
                            (long long)want, (long long)s->text_event_count, s->gap_count);
    if (!s->ttft_ns.known)
        return PP_OK;
    left = s->e2e_ns.value - s->ttft_ns.value;
    for (size_t i = 0; i < s->gap_count; i++) {
        if (s->gaps_ns[i] > left)
            return pp_json_fail(gaps, err, "gaps add up to more than e2e_ns - ttft_ns");
        left -= s->gaps_ns[i];
    }
    return left == 0 ? PP_OK : pp_json_fail(gaps, err, "gaps add up to less than e2e_ns - ttft_ns");
}

static pp_status check_times(const pp_json *top, const pp_sample *s, pp_error *err)
{
    if (s->ttft_ns.known != s->e2e_ns.known)
        return pp_json_fail(top, err, "ttft_ns and e2e_ns are known together or not at all");
    if (s->ttft_ns.known && s->ttft_ns.value > s->e2e_ns.value)
        return pp_json_fail(top, err, "ttft_ns is after e2e_ns");
    if (s->e2e_ns.known && s->e2e_ns.value > s->stream_end_ns)
        return pp_json_fail(top, err, "e2e_ns is after stream_end_ns");
    if (s->first_answer_ns.known &&
        (!s->ttft_ns.known || s->first_answer_ns.value < s->ttft_ns.value ||
         s->first_answer_ns.value > s->e2e_ns.value))
        return pp_json_fail(top, err, "first_answer_ns is not between ttft_ns and e2e_ns");
    if (s->generated_tokens.known != (s->token_source != PP_TOKEN_SOURCE_NONE))
        return pp_json_fail(top, err, "tokens.generated needs tokens.source, and the reverse");
    if ((s->text_sha256[0] != '\0') != (s->text_bytes > 0))
        return pp_json_fail(top, err, "text_sha256 needs text_bytes above 0, and the reverse");
    return check_gaps(top, s, err);
}

pp_status pp_sample_decode(pp_arena *arena, const pp_json *root, pp_sample *ret_sample,
                           pp_error *err)
{
    pp_sample sample = {0};
    pp_status st = pp_fields_check(root, &pp_sample_fields, err);

    if (st != PP_OK)
        return st;
    get_id(root, &sample);
    get_rows(root, top_rows, PP_COUNT_OF(top_rows), &sample);
    get_tokens_and_server(root, &sample);
    sample.finish = text_or_empty(root, "finish");
    copy_digest(text_or_empty(root, "text_sha256"), sample.text_sha256);
    st = get_gaps(arena, pp_checked_list(root, "gaps_ns"), &sample, err);
    if (st == PP_OK)
        st = get_failure(root, &sample, err);
    if (st == PP_OK)
        st = get_flags(pp_checked_list(root, "flags"), &sample, err);
    if (st == PP_OK)
        st = check_times(root, &sample, err);
    if (st == PP_OK)
        *ret_sample = sample;
    return st;
}

static pp_status read_line(pp_arena *arena, const pp_line_reader *lines, pp_text line,
                           pp_sample *ret_sample, pp_error *err)
{
    const pp_json *root;
    pp_status st = pp_lines_parse(arena, lines, line, &root, err);

    if (st != PP_OK)
        return st;
    return pp_wrap(err, pp_sample_decode(arena, root, ret_sample, err), "%s line %zu", lines->name,
                   lines->number);
}

pp_status pp_samples_parse(pp_arena *arena, const char *name, pp_bytes bytes,
                           pp_sample **ret_samples, size_t *ret_count, pp_error *err)
{
    pp_line_reader lines;
    pp_sample *samples;
    pp_text line;
    pp_status st;
    size_t count;

    pp_lines_init(&lines, name, bytes);
    count = pp_lines_count(&lines);
    samples = PP_ARENA_NEW(arena, pp_sample, count);
    st = pp_arena_check(arena, err);
    while (st == PP_OK && pp_lines_next(&lines, &line))
        st = read_line(arena, &lines, line, &samples[lines.number - 1], err);
    if (st == PP_OK) {
        *ret_samples = samples;
        *ret_count = count;
    }
    return st;
}
