#include "load/run.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "intake/server_stream.h"
#include "shared.h"
#include "tape_server.h"
#include "json/json.h"

#define MS PP_NS_PER_MS

static void reply_json(pp_buf *reply, const char *body, size_t size)
{
    pp_buf_printf(
        reply, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %zu\r\n\r\n",
        size);
    pp_buf_append(reply, body, size);
}

static void props(const char *request, pp_buf *reply)
{
    static const char body[] = "{\"default_generation_settings\":{\"n_ctx\":64}}";

    (void)request;
    reply_json(reply, body, sizeof body - 1);
}

/* A tokenizer of its own kind: 1 in front, then one token for each byte of the first word and one
 * for each further word (its length), as vocabularies without the number would cut it. */
static void tokenize(const char *request, pp_buf *reply)
{
    const char *text = strstr(request, "\"content\":\"");
    bool in_first = true;
    pp_buf body;

    pp_buf_init(&body, 1 << 20);
    pp_buf_append_text(&body, "{\"tokens\":[1");
    for (text = text == NULL ? "" : text + 11; *text != '\0' && *text != '"'; text++) {
        if (*text == ' ') {
            in_first = false;
            pp_buf_printf(&body, ",%zu", 1000 + strcspn(text + 1, " \""));
        } else if (in_first) {
            pp_buf_printf(&body, ",%d", *text);
        }
    }
    pp_buf_append_text(&body, "]}");
    reply_json(reply, pp_buf_text(&body), body.size);
    pp_buf_done(&body);
}

#define CHUNKED                                                                                    \
    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
#define EVENT "data: {\"content\":\" a\"}\n\n"
#define FIRST "18\r\n" EVENT "\r\n"
#define LAST_EVENT                                                                                 \
    "data: "                                                                                       \
    "{\"content\":\"\",\"stop\":true,\"stop_type\":\"limit\",\"timings\":{\"cache_n\":0,"          \
    "\"prompt_n\":24,\"predicted_n\":2,\"prompt_ms\":1.5}}\n\n"
#define LAST "7c\r\n" LAST_EVENT "\r\n0\r\n\r\n"

static const tape_piece good[] = {{0, CHUNKED, 0}, {30, FIRST, 0}, {20, FIRST, 0}, {5, LAST, 0}};
static const tape_piece bad[] = {
    {0, "HTTP/1.1 500 Oops\r\nContent-Type: text/html\r\nContent-Length: 9\r\n\r\n<p>no</p>", 0}};
static const tape_piece refusal[] = {
    {0, "HTTP/1.1 400 No\r\nContent-Type: text/html\r\nContent-Length: 9\r\n\r\n<p>no</p>", 0}};
static const tape_piece broken[] = {{0, CHUNKED, 0}, {5, FIRST, 0}};
static const tape_piece silent[] = {{0, CHUNKED, 0}};

#define ON(path_, pieces_, end_)                                                                   \
    {                                                                                              \
        (path_), (pieces_), sizeof(pieces_) / sizeof((pieces_)[0]), (end_), NULL                   \
    }

static const tape tapes[] = {
    {"/props", NULL, 0, TAPE_KEEP, props}, {"/tokenize", NULL, 0, TAPE_KEEP, tokenize},
    ON("/completion", good, TAPE_KEEP),    ON("/completion", bad, TAPE_CLOSE),
    ON("/completion", broken, TAPE_RESET), ON("/completion", silent, TAPE_HOLD),
    ON("/completion", good, TAPE_KEEP),
};

typedef struct setting {
    pp_arena arena;
    tape_server *server;
    pp_http_loop *loop;
    volatile sig_atomic_t stop;
    char base[128];
    pp_workload workload;
    size_t last_write; /* number of the server's write after which to stop */
} setting;

static void set_up(setting *s, const tape *from, size_t n)
{
    pp_error err = {0};

    memset(s, 0, sizeof *s);
    s->server = tape_server_start(from, n);
    (void)snprintf(s->base, sizeof s->base, "%s", tape_server_url(s->server, ""));
    assert_ok(pp_http_loop_new(&s->stop, &s->loop, &err), err);
}

static pp_status prepare(setting *s, pp_workload_options options, pp_error *err)
{
    return pp_workload_prepare(&s->arena, s->loop, s->base, NULL, 0, &options, &s->workload, err);
}

static void tear_down(setting *s)
{
    pp_http_loop_free(s->loop);
    tape_server_stop(s->server);
    pp_arena_done(&s->arena);
}

/* Every byte of it: hashes of bodies stand in the samples of published studies. */
static void assert_body_around_prompt(pp_arena *arena, pp_bytes body)
{
    const char *text = pp_arena_dup(arena, (const char *)body.data, body.size);
    const char *begin =
        "{\"cache_prompt\":false,\"ignore_eos\":true,\"n_predict\":2,\"prompt\":[1,";

    assert_memory_equal(text, begin, strlen(begin));
    assert_non_null(strchr(text, ']'));
    assert_string_equal(strchr(text, ']'), "],\"seed\":7,\"stream\":true,\"temperature\":0.0,"
                                           "\"timings_per_token\":false}");
}

static void prompts_have_the_tokens_asked_and_begin_apart(void **state)
{
    setting s;
    pp_error err = {0};
    const pp_workload_request *r;
    char first_digest[PP_SHA256_HEX_SIZE];

    (void)state;
    set_up(&s, tapes, PP_COUNT_OF(tapes));
    assert_ok(prepare(&s, (pp_workload_options){2, 10, 24, 2, 7}, &err), err);
    assert_int_equal(s.workload.request_count, 12);
    for (size_t i = 0; i < 12; i++) {
        const pp_json *root = NULL;

        r = &s.workload.requests[i];
        assert_ok(
            pp_json_parse(&s.arena, "body", (const char *)r->body.data, r->body.size, &root, &err),
            err);
        assert_int_equal(pp_json_find(root, "prompt")->array.count, 24);
        assert_int_equal(pp_json_find(root, "prompt")->array.items[0]->integer, 1);
        assert_int_equal(pp_json_find(root, "n_predict")->integer, 2);
        assert_false(pp_json_find(root, "cache_prompt")->boolean);
        assert_true(pp_json_find(root, "stream")->boolean);
        assert_body_around_prompt(&s.arena, r->body);
        assert_int_equal(r->phase, i < 2 ? PP_PHASE_WARMUP : PP_PHASE_MEASURED);
    }
    /* 12 numbers of 16 digits: five equal digits in front have a chance of 66 / 16^5. */
    assert_in_range(s.workload.shared_prefix_tokens_max, 1, 5);
    assert_string_equal(s.workload.requests[2].prompt_id.data, "measured-00001");
    memcpy(first_digest, s.workload.requests[2].body_sha256, sizeof first_digest);
    assert_ok(prepare(&s, (pp_workload_options){0, 3, 24, 2, 7}, &err), err);
    assert_string_equal(s.workload.requests[0].body_sha256, first_digest); /* F83 */
    assert_ok(prepare(&s, (pp_workload_options){0, 3, 24, 2, 8}, &err), err);
    assert_string_not_equal(s.workload.requests[0].body_sha256, first_digest);
    tear_down(&s);
}

static void what_cannot_fit_is_refused_before_the_start(void **state)
{
    static const struct {
        pp_workload_options options;
        pp_status want;
        const char *text;
    } rows[] = {
        {{0, 1, 60, 5, 1}, PP_ERR_DOMAIN, "context of 64 tokens"},
        {{0, 0, 8, 4, 1}, PP_ERR_RANGE, "measured"},
        {{-1, 1, 8, 4, 1}, PP_ERR_RANGE, "warm-up"},
        {{0, 1, 0, 4, 1}, PP_ERR_RANGE, "prompt tokens"},
        {{0, 1, 8, -1, 1}, PP_ERR_RANGE, "output tokens"},
    };
    setting s;

    (void)state;
    set_up(&s, tapes, PP_COUNT_OF(tapes));
    for (size_t i = 0; i < PP_COUNT_OF(rows); i++) {
        pp_error err = {0};

        assert_int_equal(prepare(&s, rows[i].options, &err), rows[i].want);
        assert_contains(err.text, rows[i].text);
    }
    tear_down(&s);
}

static void assert_reply(const pp_bytes *reply, const char *want)
{
    assert_int_equal(reply->size, strlen(want));
    assert_memory_equal(reply->data, want, reply->size);
}

/* B042, B043, B012, B045: one bad request never ends the run, and leaves its elapsed time. */
static void a_bad_request_is_a_failed_sample_and_the_run_goes_on(void **state)
{
    static const pp_failure want[] = {PP_FAILURE_NONE, PP_FAILURE_HTTP_STATUS, PP_FAILURE_RESET,
                                      PP_FAILURE_FIRST_BYTE_TIMEOUT, PP_FAILURE_NONE};
    static const char *const replies[] = {EVENT EVENT LAST_EVENT, "<p>no</p>", EVENT, "",
                                          EVENT EVENT LAST_EVENT};
    setting s;
    pp_load_options options;
    pp_load_run run;
    pp_error err = {0};

    (void)state;
    set_up(&s, tapes, PP_COUNT_OF(tapes));
    assert_ok(prepare(&s, (pp_workload_options){1, 4, 24, 2, 7}, &err), err);
    pp_load_options_default(&options);
    options.sample_of = pp_sample_of_exchange;
    options.base_url = s.base;
    options.candidate = pp_text_of("q4");
    options.limits.first_byte_ns = 200 * MS;
    assert_ok(pp_load_run_sequential(&s.arena, &s.workload, &options, &s.stop, &run, &err), err);
    assert_int_equal(run.sample_count, 5);
    assert_false(run.interrupted);
    for (size_t i = 0; i < 5; i++) {
        pp_sample sample = run.samples[i];

        if (sample.failure != want[i])
            fail_msg("request %zu: %s, want %s", i, pp_failure_name(sample.failure),
                     pp_failure_name(want[i]));
        assert_true(sample.stream_end_ns > 0);
        assert_true(sample.scheduled_ns <= sample.started_ns);
        assert_string_equal(sample.id.request_sha256, s.workload.requests[i].body_sha256);
        assert_string_equal(sample.id.prompt_id.data, s.workload.requests[i].prompt_id.data);
        assert_false(sample.id.level.known); /* a study has none */
        assert_int_equal(sample.id.index, i == 0 ? 1 : i);
        assert_reply(&run.replies[i], replies[i]);
        if (want[i] != PP_FAILURE_NONE)
            continue;
        assert_int_equal(sample.prompt_tokens.value, 24);
        assert_int_equal(sample.generated_tokens.value, 2);
        assert_in_range(sample.ttft_ns.value, 30 * MS, 300 * MS); /* B013: not the total */
        assert_in_range(sample.gaps_ns[0], 15 * MS, 200 * MS);
        assert_true(sample.connect_ns.value > 0 && sample.connect_ns.value < sample.ttft_ns.value);
        assert_int_equal(sample.flags, 0);
        assert_int_equal(sample.text_bytes, 4);
    }
    tear_down(&s);
}

/* A load gives up after eight refusals alike; a study sends what its plan says. */
static void refusals_do_not_end_a_run(void **state)
{
    static const tape refusing[] = {
        {"/props", NULL, 0, TAPE_KEEP, props},
        {"/tokenize", NULL, 0, TAPE_KEEP, tokenize},
        ON("/completion", refusal, TAPE_CLOSE),
    };
    setting s;
    pp_load_options options;
    pp_load_run run;
    pp_error err = {0};

    (void)state;
    set_up(&s, refusing, PP_COUNT_OF(refusing));
    assert_ok(prepare(&s, (pp_workload_options){2, 12, 24, 2, 7}, &err), err);
    pp_load_options_default(&options);
    options.sample_of = pp_sample_of_exchange;
    options.base_url = s.base;
    assert_ok(pp_load_run_sequential(&s.arena, &s.workload, &options, &s.stop, &run, &err), err);
    assert_int_equal(run.sample_count, 14);
    assert_false(run.interrupted);
    for (size_t i = 0; i < run.sample_count; i++)
        assert_int_equal(run.samples[i].http_status.value, 400);
    tear_down(&s);
}

typedef struct warm_note {
    tape_server *server;
    size_t calls, requests_before;
} warm_note;

static void note_warm(void *user)
{
    warm_note *note = user;

    note->calls++;
    note->requests_before = tape_server_request_count(note->server);
}

/* /props and /tokenize come first, so the server has seen them and two warm-ups by then. */
static void the_caller_is_told_when_the_warmup_is_over(void **state)
{
    static const tape tapes_of_three[] = {
        {"/props", NULL, 0, TAPE_KEEP, props},
        {"/tokenize", NULL, 0, TAPE_KEEP, tokenize},
        ON("/completion", good, TAPE_KEEP),
    };

    (void)state;
    for (int64_t warmup = 0; warmup <= 2; warmup += 2) {
        setting s;
        pp_load_options options;
        pp_load_run run;
        pp_error err = {0};
        warm_note note = {0};
        size_t prepared;

        set_up(&s, tapes_of_three, PP_COUNT_OF(tapes_of_three));
        assert_ok(prepare(&s, (pp_workload_options){warmup, 1, 24, 2, 7}, &err), err);
        prepared = tape_server_request_count(s.server);
        note.server = s.server;
        pp_load_options_default(&options);
        options.sample_of = pp_sample_of_exchange;
        options.base_url = s.base;
        options.after_warmup = note_warm;
        options.after_warmup_user = &note;
        assert_ok(pp_load_run_sequential(&s.arena, &s.workload, &options, &s.stop, &run, &err),
                  err);
        assert_int_equal(note.calls, warmup == 0 ? 0 : 1);
        if (warmup > 0)
            assert_int_equal(note.requests_before, prepared + (size_t)warmup);
        assert_int_equal(tape_server_request_count(s.server), prepared + (size_t)warmup + 1);
        tear_down(&s);
    }
}

/* Stops once the server has said everything and the client had time to hear it: on a busy machine a
 * fixed time would come too early. */
static void *stop_when_all_is_said(void *user)
{
    setting *s = user;
    int64_t deadline_ns = pp_clock_now_ns() + 20 * PP_NS_PER_S;

    while (tape_server_written_ns(s->server, s->last_write) == 0 && pp_clock_now_ns() < deadline_ns)
        pp_clock_sleep_until_ns(pp_clock_now_ns() + 5 * MS);
    pp_clock_sleep_until_ns(pp_clock_now_ns() + 100 * MS);
    __atomic_store_n(&s->stop, 1, __ATOMIC_SEQ_CST);
    return NULL;
}

static void a_stop_keeps_what_was_measured(void **state)
{
    static const tape two[] = {
        {"/props", NULL, 0, TAPE_KEEP, props},
        {"/tokenize", NULL, 0, TAPE_KEEP, tokenize},
        ON("/completion", good, TAPE_KEEP),
        ON("/completion", broken, TAPE_HOLD),
    };
    setting s;
    pp_load_options options;
    pp_load_run run;
    pp_sample sample;
    pp_error err = {0};
    pthread_t thread;

    (void)state;
    set_up(&s, two, PP_COUNT_OF(two));
    assert_ok(prepare(&s, (pp_workload_options){0, 9, 24, 2, 7}, &err), err);
    pp_load_options_default(&options);
    options.sample_of = pp_sample_of_exchange;
    options.base_url = s.base;
    while (tape_server_written_ns(s.server, s.last_write) != 0)
        s.last_write++; /* those of the preparation */
    s.last_write += PP_COUNT_OF(good) + PP_COUNT_OF(broken) - 1;
    assert_int_equal(pthread_create(&thread, NULL, stop_when_all_is_said, &s), 0);
    assert_ok(pp_load_run_sequential(&s.arena, &s.workload, &options, &s.stop, &run, &err), err);
    pthread_join(thread, NULL);
    assert_true(run.interrupted);
    assert_int_equal(run.asked_count, 9);
    assert_int_equal(run.sample_count, 2);
    assert_int_equal(run.samples[0].failure, PP_FAILURE_NONE);
    sample = run.samples[1];
    assert_int_equal(sample.failure, PP_FAILURE_CUT);
    assert_int_equal(sample.text_event_count, 1);
    tear_down(&s);
}

/* Runs instead of the tapes when a real llama-server is named:
 * PARETOPILOT_LIVE_SERVER=http://127.0.0.1:8080 build/release/tests/unit/load_test_run */
static void a_real_server_counts_as_we_do(void **state)
{
    const char *base = getenv("PARETOPILOT_LIVE_SERVER");
    pp_arena arena = {0};
    pp_http_loop *loop = NULL;
    pp_workload workload;
    pp_workload_options wanted = {1, 5, 40, 12, 3};
    pp_load_options options;
    pp_load_run run;
    pp_error err = {0};

    (void)state;
    assert_ok(pp_http_loop_new(NULL, &loop, &err), err);
    assert_ok(pp_workload_prepare(&arena, loop, base, NULL, 0, &wanted, &workload, &err), err);
    pp_load_options_default(&options);
    options.sample_of = pp_sample_of_exchange;
    options.base_url = base;
    assert_ok(pp_load_run_sequential(&arena, &workload, &options, NULL, &run, &err), err);
    assert_int_equal(run.sample_count, 6);
    for (size_t i = 0; i < 6; i++) {
        pp_sample sample = run.samples[i];
        pp_buf line;

        pp_buf_init(&line, 1 << 20);
        assert_ok(pp_sample_write(&sample, &line, &err), err);
        print_message("# %s", pp_buf_text(&line));
        pp_buf_done(&line);
        assert_int_equal(sample.failure, PP_FAILURE_NONE);
        assert_int_equal(sample.prompt_tokens.value, 40);
        assert_int_equal(sample.cached_tokens.value, 0);
        assert_int_equal(sample.generated_tokens.value, 12);
        assert_true(sample.kernel_arrival_count > 0);
    }
    pp_http_loop_free(loop);
    pp_arena_done(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prompts_have_the_tokens_asked_and_begin_apart),
        cmocka_unit_test(what_cannot_fit_is_refused_before_the_start),
        cmocka_unit_test(a_bad_request_is_a_failed_sample_and_the_run_goes_on),
        cmocka_unit_test(refusals_do_not_end_a_run),
        cmocka_unit_test(the_caller_is_told_when_the_warmup_is_over),
        cmocka_unit_test(a_stop_keeps_what_was_measured),
    };
    const struct CMUnitTest live[] = {cmocka_unit_test(a_real_server_counts_as_we_do)};

    (void)alarm(100); /* a hang is a failure, not a wait */
    if (getenv("PARETOPILOT_LIVE_SERVER") != NULL)
        return cmocka_run_group_tests(live, NULL, NULL);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
