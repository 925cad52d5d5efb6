#include "model/sample.h"

#include <stddef.h>
#include <string.h>

static const char *const source_names[] = {"none",      "timings",      "usage",
                                           "predicted", "token-arrays", "events"};

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
    int64_t min;
} row;

#define ROW(key, kind, field, min)                                                                 \
    {                                                                                              \
        key, kind, offsetof(pp_sample, field), min                                                 \
    }

static const row top_rows[] = {
    ROW("pass", ROW_INT, id.pass, 1),
    ROW("index", ROW_INT, id.index, 1),
    ROW("scheduled_ns", ROW_INT, scheduled_ns, 0),
    ROW("started_ns", ROW_INT, started_ns, 0),
    ROW("connect_ns", ROW_MAYBE_INT, connect_ns, 0),
    ROW("ttft_ns", ROW_MAYBE_INT, ttft_ns, 0),
    ROW("first_answer_ns", ROW_MAYBE_INT, first_answer_ns, 0),
    ROW("e2e_ns", ROW_MAYBE_INT, e2e_ns, 0),
    ROW("stream_end_ns", ROW_INT, stream_end_ns, 0),
    ROW("text_event_count", ROW_INT, text_event_count, 0),
    ROW("event_count", ROW_INT, event_count, 0),
    ROW("ping_count", ROW_INT, ping_count, 0),
    ROW("events_per_read_max", ROW_INT, events_per_read_max, 0),
    ROW("kernel_arrival_count", ROW_INT, kernel_arrival_count, 0),
    ROW("user_arrival_count", ROW_INT, user_arrival_count, 0),
    ROW("client_lag_ns_p99", ROW_MAYBE_INT, client_lag_ns_p99, 0),
    ROW("client_lag_ns_max", ROW_MAYBE_INT, client_lag_ns_max, 0),
    ROW("http_status", ROW_MAYBE_INT, http_status, 100),
    ROW("text_bytes", ROW_INT, text_bytes, 0),
};

static const row token_rows[] = {
    ROW("asked", ROW_INT, asked_tokens, 0),
    ROW("prompt", ROW_MAYBE_INT, prompt_tokens, 0),
    ROW("cached", ROW_MAYBE_INT, cached_tokens, 0),
    ROW("generated", ROW_MAYBE_INT, generated_tokens, 0),
};

static const row server_rows[] = {
    ROW("prompt_ms", ROW_MAYBE_REAL, server_prompt_ms, 0),
    ROW("predicted_ms", ROW_MAYBE_REAL, server_predicted_ms, 0),
    ROW("draft_tokens", ROW_MAYBE_INT, draft_tokens, 0),
    ROW("draft_accepted_tokens", ROW_MAYBE_INT, draft_accepted_tokens, 0),
};

static const char *const top_keys[] = {
    "candidate",
    "pass",
    "phase",
    "index",
    "prompt_id",
    "request_sha256",
    "scheduled_ns",
    "started_ns",
    "connect_ns",
    "ttft_ns",
    "first_answer_ns",
    "e2e_ns",
    "stream_end_ns",
    "gaps_ns",
    "text_event_count",
    "event_count",
    "ping_count",
    "events_per_read_max",
    "kernel_arrival_count",
    "user_arrival_count",
    "client_lag_ns_p99",
    "client_lag_ns_max",
    "tokens",
    "server",
    "finish",
    "status",
    "failure",
    "flags",
    "http_status",
    "text_bytes",
    "text_sha256",
};
static const char *const token_keys[] = {"asked", "prompt", "cached", "generated", "source"};
static const char *const server_keys[] = {"prompt_ms", "predicted_ms", "draft_tokens",
                                          "draft_accepted_tokens"};
static const char *const failure_keys[] = {"class", "text"};

/* ---- writing --------------------------------------------------------------------------------- */

static void put_rows(pp_arena *arena, pp_json *object, const pp_sample *sample, const row *rows,
                     size_t n_rows)
{
    for (size_t i = 0; i < n_rows; i++) {
        const void *field = (const char *)sample + rows[i].offset;
        const pp_maybe_int *integer = field;
        const pp_maybe_real *real = field;

        if (rows[i].kind == ROW_INT)
            pp_json_set_int(arena, object, rows[i].key, *(const int64_t *)field);
        else if (rows[i].kind == ROW_MAYBE_INT && integer->known)
            pp_json_set_int(arena, object, rows[i].key, integer->value);
        else if (rows[i].kind == ROW_MAYBE_REAL && real->known)
            pp_json_set_real(arena, object, rows[i].key, real->value);
        else
            pp_json_set_null(arena, object, rows[i].key);
    }
}

static void put_text_or_null(pp_arena *arena, pp_json *object, const char *key, pp_text text)
{
    if (text.size == 0)
        pp_json_set_null(arena, object, key);
    else
        pp_json_set_text(arena, object, key, text);
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
    put_text_or_null(arena, top, "finish", sample->finish);
    pp_json_set_string(arena, top, "status", pp_sample_is_ok(sample) ? "ok" : "failed");
    pp_json_set(arena, top, "failure", failure_json(arena, sample));
    pp_json_set(arena, top, "flags", flags_json(arena, sample->flags));
    put_text_or_null(arena, top, "text_sha256", pp_text_of(sample->text_sha256));
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

static pp_status get_row(const pp_json *object, const row *r, pp_sample *sample, pp_error *err)
{
    void *field = (char *)sample + r->offset;
    pp_maybe_int *integer = field;
    pp_maybe_real *real = field;
    const pp_json *value = NULL;
    pp_status st = pp_json_require(object, r->key, &value, err);

    if (st != PP_OK)
        return st;
    if (r->kind == ROW_INT)
        return pp_json_get_int(value, r->min, INT64_MAX, field, err);
    if (value->kind == PP_JSON_NULL)
        return PP_OK; /* absent, as the zeroed struct says */
    if (r->kind == ROW_MAYBE_INT) {
        integer->known = true;
        return pp_json_get_int(value, r->min, INT64_MAX, &integer->value, err);
    }
    real->known = true;
    return pp_json_get_number(value, &real->value, err);
}

static pp_status get_rows(const pp_json *object, const row *rows, size_t n_rows, pp_sample *sample,
                          pp_error *err)
{
    pp_status st = PP_OK;

    for (size_t i = 0; i < n_rows && st == PP_OK; i++)
        st = get_row(object, &rows[i], sample, err);
    return st;
}

/* An object member with exactly the keys given. */
static pp_status member_object(const pp_json *top, const char *key, const char *const *keys,
                               size_t n_keys, const pp_json **ret_object, pp_error *err)
{
    pp_status st = pp_json_member_of(top, key, PP_JSON_OBJECT, ret_object, err);

    return st == PP_OK ? pp_json_only_keys(*ret_object, keys, n_keys, err) : st;
}

static pp_status member_text(const pp_json *object, const char *key, pp_text *ret_text,
                             pp_error *err)
{
    const pp_json *value = NULL;
    pp_status st = pp_json_require(object, key, &value, err);

    return st == PP_OK ? pp_json_get_text(value, ret_text, err) : st;
}

/* Text, or null for an empty one. */
static pp_status member_text_or_null(const pp_json *object, const char *key, pp_text *ret_text,
                                     pp_error *err)
{
    const pp_json *value = NULL;
    pp_status st = pp_json_require(object, key, &value, err);

    if (st == PP_OK && value->kind != PP_JSON_NULL)
        st = pp_json_get_filled_text(value, ret_text, err);
    return st;
}

static pp_status copy_digest(const pp_json *object, const char *key, pp_text text,
                             char out[PP_SHA256_HEX_SIZE], pp_error *err)
{
    if (text.size != PP_SHA256_HEX_SIZE - 1)
        return pp_json_fail(pp_json_find(object, key), err, "expected 64 hexadecimal digits");
    for (size_t i = 0; i < text.size; i++)
        if (strchr("0123456789abcdef", text.data[i]) == NULL || text.data[i] == '\0')
            return pp_json_fail(pp_json_find(object, key), err,
                                "expected 64 lower-case hexadecimal digits");
    memcpy(out, text.data, text.size);
    out[text.size] = '\0';
    return PP_OK;
}

static pp_status get_id(const pp_json *top, pp_sample *sample, pp_error *err)
{
    pp_text phase = {0};
    pp_text digest = {0};
    pp_status st = member_text(top, "candidate", &sample->id.candidate, err);

    if (st == PP_OK)
        st = member_text(top, "prompt_id", &sample->id.prompt_id, err);
    if (st == PP_OK)
        st = member_text(top, "phase", &phase, err);
    if (st == PP_OK && !pp_phase_find(phase, &sample->id.phase))
        st = pp_json_fail(pp_json_find(top, "phase"), err, "expected 'warmup' or 'measured'");
    if (st == PP_OK)
        st = member_text(top, "request_sha256", &digest, err);
    if (st == PP_OK)
        st = copy_digest(top, "request_sha256", digest, sample->id.request_sha256, err);
    return st;
}

static pp_status get_gaps(pp_arena *arena, const pp_json *top, pp_sample *sample, pp_error *err)
{
    const pp_json *gaps = NULL;
    pp_status st = pp_json_member_of(top, "gaps_ns", PP_JSON_ARRAY, &gaps, err);

    if (st != PP_OK)
        return st;
    if (gaps->array.count > PP_SAMPLE_MAX_GAPS)
        return pp_json_fail(gaps, err, "expected at most %zu gaps", PP_SAMPLE_MAX_GAPS);
    sample->gap_count = gaps->array.count;
    sample->gaps_ns = PP_ARENA_NEW(arena, int64_t, sample->gap_count);
    st = pp_arena_check(arena, err);
    for (size_t i = 0; i < sample->gap_count && st == PP_OK; i++)
        st = pp_json_get_int(gaps->array.items[i], 0, INT64_MAX, &sample->gaps_ns[i], err);
    return st;
}

static pp_status get_tokens_and_server(const pp_json *top, pp_sample *sample, pp_error *err)
{
    const pp_json *tokens = NULL;
    const pp_json *server = NULL;
    pp_text source = {0};
    pp_status st = member_object(top, "tokens", token_keys, PP_COUNT_OF(token_keys), &tokens, err);

    if (st == PP_OK)
        st = get_rows(tokens, token_rows, PP_COUNT_OF(token_rows), sample, err);
    if (st == PP_OK)
        st = member_text(tokens, "source", &source, err);
    for (size_t i = 0; st == PP_OK && i <= PP_COUNT_OF(source_names); i++) {
        if (i == PP_COUNT_OF(source_names))
            return pp_json_fail(pp_json_find(tokens, "source"), err, "unknown source of counts");
        if (pp_text_is(source, source_names[i])) {
            sample->token_source = (pp_token_source)i;
            break;
        }
    }
    if (st == PP_OK)
        st = member_object(top, "server", server_keys, PP_COUNT_OF(server_keys), &server, err);
    if (st == PP_OK)
        st = get_rows(server, server_rows, PP_COUNT_OF(server_rows), sample, err);
    return st;
}

static pp_status get_failure(const pp_json *top, pp_sample *sample, pp_error *err)
{
    const pp_json *failure = NULL;
    pp_text status = {0};
    pp_text class = {0};
    pp_status st = member_text(top, "status", &status, err);

    if (st == PP_OK)
        st = pp_json_require(top, "failure", &failure, err);
    if (st != PP_OK)
        return st;
    if (pp_text_is(status, "ok") && failure->kind == PP_JSON_NULL)
        return PP_OK;
    if (!pp_text_is(status, "failed"))
        return pp_json_fail(pp_json_find(top, "status"), err,
                            "expected 'ok' without a failure or 'failed' with one");
    st = member_object(top, "failure", failure_keys, PP_COUNT_OF(failure_keys), &failure, err);
    if (st == PP_OK)
        st = member_text(failure, "class", &class, err);
    if (st == PP_OK && (!pp_failure_find(class, &sample->failure) || pp_sample_is_ok(sample)))
        st = pp_json_fail(pp_json_find(failure, "class"), err, "unknown class of failure");
    if (st == PP_OK)
        st = member_text(failure, "text", &sample->failure_text, err);
    return st;
}

static pp_status get_flag(const pp_json *value, unsigned *flags, pp_error *err)
{
    pp_text name = {0};
    pp_status st = pp_json_get_text(value, &name, err);

    for (size_t i = 0; st == PP_OK && i < PP_SAMPLE_FLAG_COUNT; i++) {
        if (!pp_text_is(name, flag_names[i]))
            continue;
        if (*flags >> i != 0)
            return pp_json_fail(value, err, "flags stand once each and in their order");
        *flags |= 1u << i;
        return PP_OK;
    }
    return st == PP_OK ? pp_json_fail(value, err, "unknown flag") : st;
}

static pp_status get_flags(const pp_json *top, pp_sample *sample, pp_error *err)
{
    const pp_json *flags = NULL;
    pp_status st = pp_json_member_of(top, "flags", PP_JSON_ARRAY, &flags, err);

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
    pp_text digest = {0};
    pp_status st = pp_json_expect(root, PP_JSON_OBJECT, err);

    if (st == PP_OK)
        st = pp_json_only_keys(root, top_keys, PP_COUNT_OF(top_keys), err);
    if (st == PP_OK)
        st = get_id(root, &sample, err);
    if (st == PP_OK)
        st = get_rows(root, top_rows, PP_COUNT_OF(top_rows), &sample, err);
    if (st == PP_OK)
        st = get_gaps(arena, root, &sample, err);
    if (st == PP_OK)
        st = get_tokens_and_server(root, &sample, err);
    if (st == PP_OK)
        st = member_text_or_null(root, "finish", &sample.finish, err);
    if (st == PP_OK)
        st = get_failure(root, &sample, err);
    if (st == PP_OK)
        st = get_flags(root, &sample, err);
    if (st == PP_OK)
        st = member_text_or_null(root, "text_sha256", &digest, err);
    if (st == PP_OK && digest.size > 0)
        st = copy_digest(root, "text_sha256", digest, sample.text_sha256, err);
    if (st == PP_OK)
        st = check_times(root, &sample, err);
    if (st == PP_OK)
        *ret_sample = sample;
    return st;
}

static size_t count_lines(pp_bytes bytes)
{
    size_t count = 0;

    for (size_t i = 0; i < bytes.size; i++)
        count += bytes.data[i] == '\n';
    return count + (bytes.size > 0 && bytes.data[bytes.size - 1] != '\n');
}

static pp_status parse_line(pp_arena *arena, const char *name, size_t number, const char *line,
                            size_t size, pp_sample *ret_sample, pp_error *err)
{
    const char *place = pp_arena_printf(arena, "%s line %zu", name, number);
    const pp_json *root = NULL;
    pp_status st = pp_arena_check(arena, err);

    if (st == PP_OK)
        st = pp_json_parse(arena, place, line, size, &root, err);
    if (st != PP_OK)
        return st;
    return pp_wrap(err, pp_sample_decode(arena, root, ret_sample, err), "%s", place);
}

pp_status pp_samples_parse(pp_arena *arena, const char *name, pp_bytes bytes,
                           pp_sample **ret_samples, size_t *ret_count, pp_error *err)
{
    size_t count = count_lines(bytes);
    pp_sample *samples = PP_ARENA_NEW(arena, pp_sample, count);
    const char *at = (const char *)bytes.data;
    const char *end = at + bytes.size;
    pp_status st = pp_arena_check(arena, err);

    for (size_t i = 0; i < count && st == PP_OK; i++) {
        const char *line_end = memchr(at, '\n', (size_t)(end - at));

        if (line_end == NULL)
            line_end = end;
        st = parse_line(arena, name, i + 1, at, (size_t)(line_end - at), &samples[i], err);
        at = line_end < end ? line_end + 1 : end;
    }
    if (st == PP_OK) {
        *ret_samples = samples;
        *ret_count = count;
    }
    return st;
}
