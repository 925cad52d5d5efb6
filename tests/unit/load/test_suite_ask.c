#include "load/suite_ask.h"

#include <string.h>

#include "base/clock.h"
#include "intake/server_stream.h"
#include "shared.h"
#include "tape_server.h"

static pp_suite_case cases[] = {
    {.id = {"a", 1}, .prompt = {"Say \"hi\"\n\xc3\xa9\xf0\x9f\x98\x80\x7f", 16}, .max_tokens = 32},
    {.id = {"b", 1}, .prompt = {"two", 3}, .max_tokens = 8},
    {.id = {"c", 1}, .prompt = {"three", 5}, .max_tokens = 32},
};

static pp_suite suite_of(void)
{
    return (pp_suite){
        .original = true,
        .max_tokens = 32,
        .seed = 4242,
        .cases = cases,
        .case_count = PP_COUNT_OF(cases),
        .has_performance = true,
        .performance_prompt = {"Go on: \xe2\x82\xac", 10},
        .generation_tokens = 2,
        .repetitions = 2,
        .warmups = 1,
    };
}

/* ---- bodies: written by hand from the original's order of members -----------------------------
 */

static void assert_body(pp_bytes body, const char *want)
{
    if (body.size != strlen(want) || memcmp(body.data, want, body.size) != 0)
        fail_msg("expected %s\ngot %.*s", want, (int)body.size, (const char *)body.data);
}

static pp_bytes body_of(pp_arena *arena, size_t number, const pp_suite_voice *voice,
                        double temperature)
{
    pp_suite suite = suite_of();
    pp_bytes body = {0};
    pp_error err = {0};

    suite.temperature = temperature;
    assert_ok(pp_suite_body_of_case(arena, &suite, number, voice, &body, &err), err);
    return body;
}

static void a_case_is_asked_byte_for_byte_as_the_original_asks(void **state)
{
    pp_arena arena = {0};
    pp_suite_voice voice = {.kind = PP_SERVER_OPENAI,
                            .has_system_prompt = true,
                            .system_prompt = pp_text_of("Be brief.")};

    (void)state;
    assert_body(
        body_of(&arena, 0, &voice, 0),
        "{\"messages\":[{\"role\":\"system\",\"content\":\"Be brief.\"},"
        "{\"role\":\"user\",\"content\":\"Say \\\"hi\\\"\\n\\u00e9\\ud83d\\ude00\\u007f\"}],"
        "\"max_tokens\":32,\"seed\":4242,\"temperature\":0,\"stream\":false}");
    pp_arena_done(&arena);
}

static void what_a_server_may_not_know_is_sent_to_none_other(void **state)
{
    pp_arena arena = {0};
    pp_suite_voice llama = {.kind = PP_SERVER_LLAMA_SERVER};
    pp_suite_voice named = {.kind = PP_SERVER_OPENAI, .model = pp_text_of("m\"1")};

    (void)state;
    assert_body(body_of(&arena, 1, &llama, 0.7),
                "{\"messages\":[{\"role\":\"user\",\"content\":\"two\"}],\"max_tokens\":8,"
                "\"seed\":4242,\"temperature\":0.7,\"stream\":false,\"cache_prompt\":false}");
    assert_body(body_of(&arena, 1, &named, 1),
                "{\"messages\":[{\"role\":\"user\",\"content\":\"two\"}],\"max_tokens\":8,"
                "\"seed\":4242,\"temperature\":1,\"stream\":false,\"model\":\"m\\\"1\"}");
    pp_arena_done(&arena);
}

static void a_latency_request_has_the_originals_members_in_its_order(void **state)
{
    pp_arena arena = {0};
    pp_suite suite = suite_of();
    pp_bytes body = {0};
    pp_error err = {0};

    (void)state;
    assert_ok(pp_suite_body_of_performance(&arena, &suite, &body, &err), err);
    assert_body(body, "{\"prompt\":\"Go on: \\u20ac\",\"n_predict\":2,\"ignore_eos\":true,"
                      "\"seed\":4242,\"temperature\":0,\"cache_prompt\":false,\"stream\":true,"
                      "\"timings_per_token\":false}");
    pp_arena_done(&arena);
}

static void text_that_is_not_utf8_is_refused(void **state)
{
    pp_arena arena = {0};
    pp_suite suite = suite_of();
    pp_suite_voice voice = {.has_system_prompt = true, .system_prompt = pp_text_of("\xff")};
    pp_bytes body = {0};
    pp_error err = {0};

    (void)state;
    assert_int_equal(pp_suite_body_of_case(&arena, &suite, 0, &voice, &body, &err), PP_ERR_DOMAIN);
    assert_contains(err.text, "UTF-8");
    pp_arena_done(&arena);
}

/* ---- asking ---------------------------------------------------------------------------------- */

#define REPLY "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n"

static const tape_piece first[] = {{0, REPLY "{\"a\": 1}\n", 0}};
static const tape_piece second[] = {
    {0, "HTTP/1.1 429 Slow\r\nContent-Type: text/plain\r\nContent-Length: 4\r\n\r\nwait", 0}};
static const tape_piece third[] = {{0, REPLY "{\"a", 0}};
static const tape_piece later[] = {{30, REPLY "{\"b\": 2}\n", 0}};

static const tape tapes[] = {TAPE(first, TAPE_KEEP), TAPE(second, TAPE_CLOSE),
                             TAPE(third, TAPE_RESET), TAPE(later, TAPE_KEEP)};

typedef struct seen {
    size_t numbers[8], passes[8];
    size_t count, last_total;
} seen;

static void note(void *user, const pp_suite_told *told)
{
    seen *s = user;

    s->passes[s->count] = told->pass;
    s->numbers[s->count++] = told->number;
    s->last_total = told->total;
    assert_int_equal(told->done, s->count);
    assert_true(told->reply->asked);
}

static pp_suite_ask_options options_for(tape_server *server)
{
    pp_suite_ask_options options;

    pp_suite_ask_options_default(&options);
    options.base_url = tape_server_url(server, "");
    return options;
}

static void every_reply_is_kept_as_it_came(void **state)
{
    tape_server *server = tape_server_start(tapes, PP_COUNT_OF(tapes));
    pp_suite_ask_options options = options_for(server);
    pp_suite suite = suite_of();
    pp_arena arena = {0};
    pp_suite_asked asked;
    pp_error err = {0};
    seen s = {0};

    (void)state;
    options.pass_count = 2;
    options.tell = note;
    options.user = &s;
    assert_ok(pp_suite_ask(&arena, &suite, &options, NULL, &asked, &err), err);
    assert_false(asked.interrupted);
    assert_int_equal(asked.replies[0].exchange.failure, PP_FAILURE_NONE);
    assert_int_equal(asked.replies[0].exchange.http_status.value, 200);
    assert_body(asked.replies[0].exchange.body, "{\"a\": 1}\n");
    assert_string_equal(asked.replies[0].exchange.content_type.data, "application/json");
    assert_int_equal(asked.replies[1].exchange.failure, PP_FAILURE_HTTP_STATUS);
    assert_int_equal(asked.replies[1].exchange.http_status.value, 429);
    assert_body(asked.replies[1].exchange.body, "wait");
    assert_true(asked.replies[2].exchange.failure == PP_FAILURE_RESET ||
                asked.replies[2].exchange.failure == PP_FAILURE_PREMATURE_END);
    for (size_t i = 3; i < 6; i++) {
        const pp_exchange *x = &asked.replies[i].exchange;

        assert_body(x->body, "{\"b\": 2}\n");
        assert_true(x->ended_ns - x->started_ns >= 30 * PP_NS_PER_MS);
        assert_int_equal(x->id.pass, 2);
        assert_true(pp_text_equal(x->id.prompt_id, cases[i - 3].id));
        assert_int_equal(s.passes[i], 1);
        assert_int_equal(s.numbers[i], i - 3);
    }
    assert_int_equal(s.count, 6);
    assert_int_equal(s.last_total, 6);
    tape_server_stop(server);
    pp_arena_done(&arena);
}

static void what_is_sent_is_what_was_kept(void **state)
{
    tape_server *server = tape_server_start(&tapes[3], 1);
    pp_suite_ask_options options = options_for(server);
    pp_suite suite = suite_of();
    pp_arena arena = {0};
    pp_suite_asked asked;
    pp_error err = {0};

    (void)state;
    assert_ok(pp_suite_ask(&arena, &suite, &options, NULL, &asked, &err), err);
    for (size_t i = 0; i < 3; i++) {
        const char *request = tape_server_request(server, i);
        const char *body = strstr(request, "\r\n\r\n");

        assert_memory_equal(request, "POST /v1/chat/completions ", 26);
        assert_non_null(body);
        assert_body(asked.replies[i].request, body + 4);
    }
    tape_server_stop(server);
    pp_arena_done(&arena);
}

static void a_stop_before_the_start_asks_nothing(void **state)
{
    tape_server *server = tape_server_start(&tapes[3], 1);
    pp_suite_ask_options options = options_for(server);
    volatile sig_atomic_t stop = 2;
    pp_suite suite = suite_of();
    pp_arena arena = {0};
    pp_suite_asked asked;
    pp_error err = {0};

    (void)state;
    options.pass_count = 3;
    assert_ok(pp_suite_ask(&arena, &suite, &options, &stop, &asked, &err), err);
    assert_true(asked.interrupted);
    for (size_t i = 0; i < 9; i++)
        assert_false(asked.replies[i].asked);
    assert_int_equal(tape_server_request_count(server), 0);
    tape_server_stop(server);
    pp_arena_done(&arena);
}

/* ---- latency --------------------------------------------------------------------------------- */

#define EVENTS                                                                                     \
    "data: {\"content\":\"x\",\"stop\":false}\n\n"                                                 \
    "data: {\"content\":\"y\",\"stop\":true,\"timings\":{\"predicted_n\":2}}\n\n"
static const tape_piece stream[] = {
    {0, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n" EVENTS,
     0}};
static const tape streams[] = {{"/completion", stream, 1, TAPE_CLOSE, NULL}};

static void latency_runs_follow_their_warm_ups(void **state)
{
    tape_server *server = tape_server_start(streams, 1);
    pp_suite_ask_options options = options_for(server);
    pp_suite suite = suite_of();
    pp_arena arena = {0};
    pp_load_run run;
    pp_error err = {0};

    (void)state;
    assert_ok(pp_suite_stream(&arena, &suite, &options, pp_sample_of_exchange, NULL, &run, &err),
              err);
    assert_int_equal(run.sample_count, 3);
    assert_int_equal(run.samples[0].id.phase, PP_PHASE_WARMUP);
    assert_int_equal(run.samples[2].id.phase, PP_PHASE_MEASURED);
    assert_int_equal(run.samples[2].generated_tokens.value, 2);
    assert_string_equal(run.samples[2].text.data, "xy");
    assert_non_null(strstr(tape_server_request(server, 1), "\"n_predict\":2,\"ignore_eos\":true"));
    tape_server_stop(server);
    pp_arena_done(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_case_is_asked_byte_for_byte_as_the_original_asks),
        cmocka_unit_test(what_a_server_may_not_know_is_sent_to_none_other),
        cmocka_unit_test(a_latency_request_has_the_originals_members_in_its_order),
        cmocka_unit_test(text_that_is_not_utf8_is_refused),
        cmocka_unit_test(every_reply_is_kept_as_it_came),
        cmocka_unit_test(what_is_sent_is_what_was_kept),
        cmocka_unit_test(a_stop_before_the_start_asks_nothing),
        cmocka_unit_test(latency_runs_follow_their_warm_ups),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
