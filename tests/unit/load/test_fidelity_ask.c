#include "load/fidelity_ask.h"

#include <string.h>

#include "shared.h"
#include "tape_server.h"

static const pp_suite_context contexts[] = {
    {{"c1", 2}, {"2 + 2 =", 7}}, {{"c2", 2}, {"a \"b\"\n", 6}}, {{"c3", 2}, {"x", 1}}};

#define OK_HEAD "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: "

static const tape_piece props[] = {{0, OK_HEAD "8\r\n\r\n{\"p\": 1}", 0}};
static const tape_piece first[] = {{0, OK_HEAD "8\r\n\r\n{\"n\": 1}", 0}};
static const tape_piece error[] = {
    {0, "HTTP/1.1 500 No\r\nContent-Length: 9\r\n\r\n{\"bad\":1}", 0}};
static const tape_piece third[] = {{0, OK_HEAD "8\r\n\r\n{\"n\": 3}", 0}};

static const tape llama[] = {{"/props", props, 1, TAPE_CLOSE, NULL},
                             {"/completion", first, 1, TAPE_CLOSE, NULL},
                             {"/completion", error, 1, TAPE_CLOSE, NULL},
                             {"/completion", third, 1, TAPE_CLOSE, NULL}};
static const tape chats[] = {{"/v1/chat/completions", first, 1, TAPE_CLOSE, NULL}};

typedef struct asked {
    pp_arena arena;
    pp_fidelity_answers answers;
    tape_server *server;
    size_t told;
} asked;

static void note(void *user, size_t done, size_t total)
{
    asked *a = user;

    assert_int_equal(total, PP_COUNT_OF(contexts));
    a->told = done;
}

static void ask(asked *a, const tape *tapes, size_t n, pp_server_kind kind,
                const volatile sig_atomic_t *stop)
{
    pp_fidelity_ask_options options;
    pp_http_loop *loop = NULL;
    pp_error err = {0};

    a->server = tape_server_start(tapes, n);
    pp_fidelity_ask_options_default(&options);
    options.root = pp_arena_printf(&a->arena, "%s", tape_server_url(a->server, ""));
    options.kind = kind;
    options.model = pp_text_of("m");
    options.progress = note;
    options.user = a;
    assert_ok(pp_http_loop_new(stop, &loop, &err), err);
    assert_ok(pp_fidelity_ask(&a->arena, loop, &options, contexts, PP_COUNT_OF(contexts),
                              &a->answers, &err),
              err);
    pp_http_loop_free(loop);
}

static void done(asked *a)
{
    tape_server_stop(a->server);
    pp_arena_done(&a->arena);
}

static const char *body_of(const char *request)
{
    const char *at = strstr(request, "\r\n\r\n");

    return at == NULL ? "" : at + 4;
}

static void assert_body(const pp_exchange *x, const char *want)
{
    assert_int_equal(x->body.size, strlen(want));
    assert_memory_equal(x->body.data, want, x->body.size);
}

static void a_llama_server_is_asked_for_completions(void **state)
{
    asked a = {0};

    (void)state;
    ask(&a, llama, PP_COUNT_OF(llama), PP_SERVER_LLAMA_SERVER, NULL);
    assert_int_equal(tape_server_request_count(a.server), 4);
    assert_contains(tape_server_request(a.server, 0), "GET /props ");
    assert_string_equal(body_of(tape_server_request(a.server, 2)),
                        "{\"cache_prompt\":false,\"n_predict\":1,\"n_probs\":100,"
                        "\"post_sampling_probs\":false,\"prompt\":\"a \\\"b\\\"\\n\","
                        "\"stream\":false,\"temperature\":0}");
    assert_body(&a.answers.props.exchange, "{\"p\": 1}");
    assert_body(&a.answers.replies[0].exchange, "{\"n\": 1}");
    assert_body(&a.answers.replies[2].exchange, "{\"n\": 3}");
    assert_true(pp_text_is(a.answers.replies[2].exchange.id.prompt_id, "c3"));
    assert_int_equal(a.told, 3);
    done(&a);
}

static void a_failed_request_is_a_result_and_the_rest_is_asked(void **state)
{
    asked a = {0};
    const pp_exchange *x;

    (void)state;
    ask(&a, llama, PP_COUNT_OF(llama), PP_SERVER_LLAMA_SERVER, NULL);
    x = &a.answers.replies[1].exchange;
    assert_int_equal(x->failure, PP_FAILURE_HTTP_STATUS);
    assert_int_equal(x->http_status.value, 500);
    assert_body(x, "{\"bad\":1}");
    assert_int_equal(a.answers.replies[2].exchange.failure, PP_FAILURE_NONE);
    assert_true(x->ended_ns >= x->started_ns && x->started_ns >= 0);
    assert_true(a.answers.replies[2].exchange.started_ns >= x->ended_ns);
    done(&a);
}

static void other_servers_get_standard_fields_only(void **state)
{
    asked a = {0};

    (void)state;
    ask(&a, chats, PP_COUNT_OF(chats), PP_SERVER_OPENAI, NULL);
    assert_int_equal(tape_server_request_count(a.server), 3);
    assert_string_equal(
        body_of(tape_server_request(a.server, 0)),
        "{\"logprobs\":true,\"max_tokens\":1,\"messages\":[{\"content\":\"2 + 2 =\","
        "\"role\":\"user\"}],\"model\":\"m\",\"stream\":false,\"temperature\":0,"
        "\"top_logprobs\":20}");
    assert_false(a.answers.props.asked);
    assert_int_equal(a.answers.endpoint, PP_ENDPOINT_CHAT);
    done(&a);
}

static void a_signal_leaves_the_rest_unasked(void **state)
{
    volatile sig_atomic_t stop = 1;
    asked a = {0};

    (void)state;
    ask(&a, llama, PP_COUNT_OF(llama), PP_SERVER_LLAMA_SERVER, &stop);
    assert_true(a.answers.interrupted);
    assert_int_equal(a.answers.count, 3);
    assert_false(a.answers.replies[0].asked);
    done(&a);
}

static void a_context_must_be_utf_8(void **state)
{
    pp_fidelity_ask_options options;
    pp_arena arena = {0};
    pp_bytes body;
    pp_error err = {0};

    (void)state;
    pp_fidelity_ask_options_default(&options);
    assert_int_equal(pp_fidelity_body(&arena, &options, pp_text_of("a\xff"), &body, &err),
                     PP_ERR_SYNTAX);
    pp_arena_done(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_llama_server_is_asked_for_completions),
        cmocka_unit_test(a_failed_request_is_a_result_and_the_rest_is_asked),
        cmocka_unit_test(other_servers_get_standard_fields_only),
        cmocka_unit_test(a_signal_leaves_the_rest_unasked),
        cmocka_unit_test(a_context_must_be_utf_8),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
