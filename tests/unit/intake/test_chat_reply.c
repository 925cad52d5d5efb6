#include "intake/chat_reply.h"

#include <stdio.h>
#include <string.h>

#include "base/files.h"
#include "shared.h"

#define CHOICE(message)                                                                            \
    "{\"choices\":[{\"index\":0,\"finish_reason\":\"stop\",\"message\":" message "}]}"

static const struct {
    const char *name;
    const char *body;
    pp_failure failure;
    const char *answer;       /* NULL when there is none */
    const char *failure_text; /* a part of it; NULL when there is none */
} rows[] = {
    {"an answer", CHOICE("{\"role\":\"assistant\",\"content\":\"Paris\"}"), PP_FAILURE_NONE,
     "Paris", NULL},
    {"members of later versions",
     "{\"choices\":[{\"x\":{\"y\":[1]},\"message\":{\"content\":\"a\",\"audio\":null,\"z\":1}}],"
     "\"id\":\"c\",\"object\":\"chat.completion\",\"new\":{}}",
     PP_FAILURE_NONE, "a", NULL},
    {"nothing said", CHOICE("{\"content\":\"\"}"), PP_FAILURE_NONE, "", NULL},
    {"null is no text", CHOICE("{\"content\":null}"), PP_FAILURE_NONE, "", NULL},
    {"no content at all", CHOICE("{\"role\":\"assistant\"}"), PP_FAILURE_NONE, "", NULL},
    {"parts are joined",
     CHOICE("{\"content\":[{\"type\":\"text\",\"text\":\"a\"},{\"type\":\"image\"},"
            "{\"type\":\"text\",\"text\":\"b\"}]}"),
     PP_FAILURE_NONE, "ab", NULL},
    {"reasoning is no answer", CHOICE("{\"content\":\"\",\"reasoning_content\":\"think\"}"),
     PP_FAILURE_NONE, "", NULL},
    {"an empty error is none", "{\"error\":null,\"choices\":[{\"message\":{\"content\":\"a\"}}]}",
     PP_FAILURE_NONE, "a", NULL},

    {"an error inside 200", "{\"error\":{\"code\":500,\"message\":\"out of \\u001b[31mslots\"}}",
     PP_FAILURE_STREAM_ERROR, NULL, "out of \\u001b[31mslots"},
    {"an error beside an answer",
     "{\"error\":\"half\",\"choices\":[{\"message\":{\"content\":\"a\"}}]}",
     PP_FAILURE_STREAM_ERROR, NULL, "half"},
    {"an error without a name around it",
     "{\"object\":\"error\",\"message\":\"no such model\",\"code\":404}", PP_FAILURE_STREAM_ERROR,
     NULL, "no such model"},
    {"no choices", "{\"id\":\"x\"}", PP_FAILURE_PROTOCOL, NULL, "$: there is no 'choices'"},
    {"an empty list", "{\"choices\":[]}", PP_FAILURE_PROTOCOL, NULL, "expected exactly one, got 0"},
    {"two choices",
     "{\"choices\":[{\"message\":{\"content\":\"a\"}},{\"message\":{\"content\":\"a\"}}]}",
     PP_FAILURE_PROTOCOL, NULL, "$.choices: expected exactly one, got 2"},
    {"choices as an object", "{\"choices\":{}}", PP_FAILURE_PROTOCOL, NULL,
     "$.choices: expected a list, got object"},
    {"a choice that is a text", "{\"choices\":[\"a\"]}", PP_FAILURE_PROTOCOL, NULL,
     "$.choices[0]: expected an object, got string"},
    {"a delta instead of a message", "{\"choices\":[{\"delta\":{\"content\":\"a\"}}]}",
     PP_FAILURE_PROTOCOL, NULL, "$.choices[0]: there is no 'message'"},
    {"a message that is a text", "{\"choices\":[{\"message\":\"a\"}]}", PP_FAILURE_PROTOCOL, NULL,
     "$.choices[0].message: expected an object"},
    {"a number as content", CHOICE("{\"content\":42}"), PP_FAILURE_PROTOCOL, NULL,
     "$.choices[0].message.content: expected a text, a list of parts or null, got integer"},
    {"not JSON", "<html>\n<p>", PP_FAILURE_PROTOCOL, NULL, "line 1"},
    {"cut in the middle", "{\"choices\":[{\"message\":", PP_FAILURE_PROTOCOL, NULL, "line 1"},
    {"a list", "[]", PP_FAILURE_PROTOCOL, NULL, "reply"},
    {"nothing", "", PP_FAILURE_PROTOCOL, NULL, "reply"},
    {"two replies", "{\"choices\":[]}{\"choices\":[]}", PP_FAILURE_PROTOCOL, NULL, "line 1"},
    {"two contents", CHOICE("{\"content\":\"a\",\"content\":\"b\"}"), PP_FAILURE_PROTOCOL, NULL,
     "line 1"},
    {"a byte that is no UTF-8", CHOICE("{\"content\":\"a\xff\"}"), PP_FAILURE_PROTOCOL, NULL,
     "reply"},
    {"half a surrogate pair", CHOICE("{\"content\":\"\\ud83d\"}"), PP_FAILURE_PROTOCOL, NULL,
     "line 1"},
};

static pp_chat_reply read_reply(pp_arena *arena, const char *body)
{
    pp_chat_reply reply;
    pp_error err = {0};

    assert_ok(pp_chat_reply_read(arena, (pp_bytes){(const unsigned char *)body, strlen(body)},
                                 &reply, &err),
              err);
    return reply;
}

static void a_reply_is_an_answer_or_a_failure_with_its_place(void **state)
{
    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(rows); i++) {
        pp_arena arena = {0};
        pp_chat_reply reply = read_reply(&arena, rows[i].body);
        bool answered = rows[i].answer != NULL && reply.failure == PP_FAILURE_NONE &&
                        pp_text_is(reply.answer, rows[i].answer);
        bool failed = rows[i].failure_text != NULL && reply.answer.size == 0 &&
                      reply.failure_text.size > 0 &&
                      strstr(reply.failure_text.data, rows[i].failure_text) != NULL;

        if (reply.failure != rows[i].failure || answered == failed)
            fail_msg("%s: %s '%s', answer '%s'", rows[i].name, pp_failure_name(reply.failure),
                     reply.failure_text.size == 0 ? "" : reply.failure_text.data,
                     reply.answer.size == 0 ? "" : reply.answer.data);
        pp_arena_done(&arena);
    }
}

static void texts_and_counts_stand_apart(void **state)
{
    pp_arena arena = {0};
    pp_chat_reply r = read_reply(
        &arena,
        "{\"choices\":[{\"finish_reason\":\"tool_calls\",\"message\":{\"content\":null,"
        "\"reasoning\":\"hm\",\"tool_calls\":[{\"id\":\"1\"},{\"id\":\"2\"}]}}],\"model\":\"m\","
        "\"usage\":{\"prompt_tokens\":30,\"completion_tokens\":7,"
        "\"prompt_tokens_details\":{\"cached_tokens\":4}},"
        "\"timings\":{\"cache_n\":5,\"prompt_n\":25.0,\"prompt_ms\":1.5,\"predicted_n\":8,"
        "\"predicted_ms\":2,\"draft_n\":6,\"draft_n_accepted\":3}}");

    (void)state;
    assert_int_equal(r.failure, PP_FAILURE_NONE);
    assert_int_equal(r.answer.size, 0);
    assert_string_equal(r.reasoning.data, "hm");
    assert_int_equal(r.tool_call_count, 2);
    assert_string_equal(r.finish.data, "tool_calls");
    assert_string_equal(r.model.data, "m");
    assert_int_equal(pp_reply_prompt_tokens(&r.counts).value, 30);
    assert_int_equal(pp_reply_cached_tokens(&r.counts).value, 5);
    assert_int_equal(pp_chat_reply_output_tokens(&r).value, 8);
    assert_int_equal(r.counts.draft_n.value, 6);
    assert_int_equal(r.counts.draft_n_accepted.value, 3);
    pp_arena_done(&arena);
}

static void what_was_not_told_is_absent(void **state)
{
    pp_arena arena = {0};
    pp_chat_reply r = read_reply(&arena, CHOICE("{\"content\":\"a\"}"));

    (void)state;
    assert_false(pp_chat_reply_output_tokens(&r).known);
    assert_false(pp_reply_prompt_tokens(&r.counts).known);
    assert_false(pp_reply_cached_tokens(&r.counts).known);
    assert_false(r.counts.draft_n.known);
    assert_int_equal(r.reasoning.size, 0);
    assert_int_equal(r.model.size, 0);
    pp_arena_done(&arena);
}

/* Usage is what servers without timings tell. */
static void usage_stands_in_for_timings(void **state)
{
    pp_arena arena = {0};
    pp_chat_reply r =
        read_reply(&arena, "{\"choices\":[{\"message\":{\"content\":\"a\"}}],"
                           "\"usage\":{\"prompt_tokens\":9,\"completion_tokens\":0}}");

    (void)state;
    assert_int_equal(pp_reply_prompt_tokens(&r.counts).value, 9);
    assert_true(pp_chat_reply_output_tokens(&r).known);
    assert_int_equal(pp_chat_reply_output_tokens(&r).value, 0);
    pp_arena_done(&arena);
}

static void counts_that_add_up_to_no_number_are_absent(void **state)
{
    pp_arena arena = {0};
    pp_chat_reply r = read_reply(
        &arena, "{\"choices\":[{\"message\":{\"content\":\"a\"}}],\"timings\":{\"cache_n\":"
                "9223372036854775807,\"prompt_n\":9223372036854775807,\"predicted_n\":-1}}");

    (void)state;
    assert_false(pp_reply_prompt_tokens(&r.counts).known);
    assert_false(pp_chat_reply_output_tokens(&r).known);
    pp_arena_done(&arena);
}

static pp_chat_reply of_exchange(pp_arena *arena, pp_failure failure, const char *text,
                                 const char *type, const char *body)
{
    pp_exchange x = {.failure = failure,
                     .failure_text = pp_text_of(text),
                     .content_type = pp_text_of(type),
                     .body = {(const unsigned char *)body, strlen(body)}};
    pp_chat_reply reply;
    pp_error err = {0};

    assert_ok(pp_chat_reply_of_exchange(arena, &x, &reply, &err), err);
    return reply;
}

static void what_the_transport_says_comes_first(void **state)
{
    pp_arena arena = {0};
    pp_chat_reply r;

    (void)state;
    r = of_exchange(&arena, PP_FAILURE_PREMATURE_END, "closed early", "application/json",
                    CHOICE("{\"content\":\"a\"}"));
    assert_int_equal(r.failure, PP_FAILURE_PREMATURE_END);
    assert_string_equal(r.failure_text.data, "closed early");
    assert_int_equal(r.answer.size, 0);
    r = of_exchange(&arena, PP_FAILURE_HTTP_STATUS, "HTTP status 429", "application/json",
                    "{\"error\":{\"message\":\"too many\"}}");
    assert_int_equal(r.failure, PP_FAILURE_HTTP_STATUS);
    assert_string_equal(r.failure_text.data, "HTTP status 429: too many");
    r = of_exchange(&arena, PP_FAILURE_NONE, "", "text/html; charset=utf-8", "<html>");
    assert_int_equal(r.failure, PP_FAILURE_PROTOCOL);
    assert_non_null(strstr(r.failure_text.data, "the server calls it text/html"));
    r = of_exchange(&arena, PP_FAILURE_NONE, "", "text/plain", CHOICE("{\"content\":\"a\"}"));
    assert_int_equal(r.failure, PP_FAILURE_NONE);
    assert_string_equal(r.answer.data, "a");
    pp_arena_done(&arena);
}

/* Recorded from a real llama-server with log-probabilities, which nobody here asks for. */
static void a_recorded_reply_is_read(void **state)
{
    pp_arena arena = {0};
    const char *path = shared_path_or_skip(&arena, "samples/llama-server.chat-logprobs.json");
    pp_buf body;
    pp_error err = {0};
    pp_chat_reply r;

    (void)state;
    pp_buf_init(&body, 1 << 20);
    assert_ok(pp_file_read(path, &body, &err), err);
    r = read_reply(&arena, pp_buf_text(&body));
    assert_int_equal(r.failure, PP_FAILURE_NONE);
    assert_string_equal(r.answer.data, " w3373 w3373- w2861");
    assert_string_equal(r.finish.data, "length");
    assert_string_equal(r.model.data, "tiny-q8_0.gguf");
    assert_int_equal(pp_chat_reply_output_tokens(&r).value, 4);
    pp_buf_done(&body);
    pp_arena_done(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_reply_is_an_answer_or_a_failure_with_its_place),
        cmocka_unit_test(texts_and_counts_stand_apart),
        cmocka_unit_test(what_was_not_told_is_absent),
        cmocka_unit_test(usage_stands_in_for_timings),
        cmocka_unit_test(counts_that_add_up_to_no_number_are_absent),
        cmocka_unit_test(what_the_transport_says_comes_first),
        cmocka_unit_test(a_recorded_reply_is_read),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
