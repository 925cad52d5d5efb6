/* Replies written here by hand after real ones of llama-server build 11669, and two samples. */
#include "intake/token_probs.h"

#include <math.h>
#include <string.h>

#include "base/files.h"
#include "shared.h"

/* Lists of tokens 1, 2, ... with these log-probabilities. */
#define TOKEN(id, byte, logprob)                                                                   \
    "{\"id\":" #id ",\"token\":\"?\",\"bytes\":[" #byte "],\"logprob\":" #logprob "}"
#define REPLY(tokens, more)                                                                        \
    "{\"content\":\"a\",\"completion_probabilities\":[{\"id\":1,\"token\":\"a\",\"bytes\":[97],"   \
    "\"logprob\":-0.5,\"top_logprobs\":[" tokens "]}]" more "}"
#define CHAT(tokens)                                                                               \
    "{\"choices\":[{\"index\":0,\"message\":{\"content\":\"a\"},\"logprobs\":{\"content\":[{"      \
    "\"token\":\"a\",\"top_logprobs\":[" tokens "]}]}}]}"

static pp_next_token read_text(pp_arena *arena, const char *body)
{
    pp_next_token token;
    pp_error err = {0};

    assert_ok(pp_token_probs_read(arena, (pp_bytes){(const unsigned char *)body, strlen(body)},
                                  &token, &err),
              err);
    return token;
}

static void a_completion_tells_ids_bytes_and_the_rest(void **state)
{
    pp_arena arena = {0};
    pp_next_token t = read_text(
        &arena, REPLY(TOKEN(7, 97, -0.5) "," TOKEN(3, 226, -1.5), ",\"timings\":{\"draft_n\":0}"));

    (void)state;
    assert_int_equal(t.refusal, PP_TOKENS_TOLD);
    assert_int_equal(t.told.count, 2);
    assert_int_equal(t.told.tokens[0].id.value, 7);
    assert_int_equal(t.told.tokens[1].bytes.size, 1);
    assert_int_equal((unsigned char)t.told.tokens[1].bytes.data[0], 226);
    assert_true(t.told.tokens[1].logprob == -1.5);
    assert_true(fabs(t.told.rest - (1 - exp(-0.5) - exp(-1.5))) < 1e-15);
    pp_arena_done(&arena);
}

static void a_chat_without_ids_and_bytes_tells_texts(void **state)
{
    pp_arena arena = {0};
    pp_next_token t = read_text(&arena, CHAT("{\"token\":\"Par\",\"bytes\":null,\"logprob\":-0.1},"
                                             "{\"token\":\"is\",\"logprob\":-9999.0}"));

    (void)state;
    assert_int_equal(t.refusal, PP_TOKENS_TOLD);
    assert_false(t.told.tokens[0].id.known);
    assert_true(pp_text_is(t.told.tokens[0].bytes, "Par"));
    assert_true(t.told.tokens[1].logprob == -9999);
    pp_arena_done(&arena);
}

static void only_the_first_position_of_a_stream_counts(void **state)
{
    pp_arena arena = {0};
    pp_next_token t =
        read_text(&arena, "data: " REPLY(TOKEN(7, 97, -0.5) "," TOKEN(3, 98, -1.5),
                                         "") "\n\n"
                                             "data: " REPLY(TOKEN(8, 97, 0.0) "," TOKEN(9, 98, 0.0),
                                                            "") "\n\n"
                                                                "data: [DONE]\n\n");

    (void)state;
    assert_int_equal(t.refusal, PP_TOKENS_TOLD);
    assert_int_equal(t.told.tokens[0].id.value, 7);
    pp_arena_done(&arena);
}

static const struct {
    const char *name, *body;
    pp_token_refusal refusal;
    const char *why;
} refused[] = {
    {"no JSON", "{\"a\"", PP_TOKENS_MALFORMED, "line 1"},
    {"empty", "", PP_TOKENS_MALFORMED, "the reply is empty"},
    {"an error object", "{\"error\":{\"code\":400,\"message\":\"no such field\"}}",
     PP_TOKENS_REQUEST_FAILED, "no such field"},
    {"no probabilities", "{\"content\":\"a\"}", PP_TOKENS_TOO_FEW, "tells no probabilities"},
    {"logprobs null", "{\"choices\":[{\"logprobs\":null}]}", PP_TOKENS_TOO_FEW, "no probabilities"},
    {"one token", REPLY(TOKEN(1, 97, -0.5), ""), PP_TOKENS_TOO_FEW, "fewer than two"},
    {"an accepted draft: an empty list", REPLY("", ""), PP_TOKENS_TOO_FEW, "fewer than two"},
    {"all zero", REPLY(TOKEN(1, 97, 0.0) "," TOKEN(2, 98, 0), ""), PP_TOKENS_ALL_ZERO, "is 0"},
    {"drafted tokens",
     REPLY(TOKEN(1, 97, -0.5) "," TOKEN(2, 98, -1.5), ",\"timings\":{\"draft_n\":2}"),
     PP_TOKENS_SPECULATION, "speculates"},
    {"settings of a draft model",
     REPLY(TOKEN(1, 97, -0.5) "," TOKEN(2, 98, -1.5),
           ",\"generation_settings\":{\"speculative.types\":\"none,draft-simple\"}"),
     PP_TOKENS_SPECULATION, "speculates"},
    {"null instead of a number", REPLY(TOKEN(1, 97, -0.5) "," TOKEN(2, 98, null), ""),
     PP_TOKENS_MALFORMED, "$.completion_probabilities[0].top_logprobs[1].logprob"},
    {"infinite", REPLY(TOKEN(1, 97, -0.5) "," TOKEN(2, 98, -1e999), ""), PP_TOKENS_MALFORMED, ""},
    {"a positive one", REPLY(TOKEN(1, 97, 0.5) "," TOKEN(2, 98, -1), ""), PP_TOKENS_MALFORMED,
     "top_logprobs[0].logprob: expected a log-probability, which is at most 0, got 0.5"},
    {"not descending", REPLY(TOKEN(1, 97, -1.5) "," TOKEN(2, 98, -0.5), ""), PP_TOKENS_MALFORMED,
     "top_logprobs[1]: expected descending"},
    {"a token twice", REPLY(TOKEN(1, 97, -1.5) "," TOKEN(1, 97, -1.5), ""), PP_TOKENS_MALFORMED,
     "top_logprobs[1]: the same token stands at 0"},
    {"a text twice, without ids",
     CHAT("{\"token\":\"a\",\"logprob\":-1},{\"token\":\"a\",\"logprob\":-2}"), PP_TOKENS_MALFORMED,
     "the same token"},
    {"ids for some",
     CHAT("{\"id\":1,\"token\":\"a\",\"logprob\":-1},{\"token\":\"b\",\"logprob\":-2}"),
     PP_TOKENS_MALFORMED, "some have none"},
    {"a sum of 1.21", REPLY(TOKEN(1, 97, -0.5) "," TOKEN(2, 98, -0.5), ""), PP_TOKENS_MALFORMED,
     "above 1"},
    {"a byte above 255", REPLY(TOKEN(1, 256, -0.5) "," TOKEN(2, 98, -1.5), ""), PP_TOKENS_MALFORMED,
     "bytes[0]"},
    {"probabilities after sampling",
     "{\"completion_probabilities\":[{\"id\":1,\"token\":\"a\",\"prob\":1.0,\"top_probs\":[]}]}",
     PP_TOKENS_MALFORMED, "after sampling"},
};

static void what_cannot_be_used_is_refused_with_its_place(void **state)
{
    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(refused); i++) {
        pp_arena arena = {0};
        pp_next_token t = read_text(&arena, refused[i].body);

        if (t.refusal != refused[i].refusal)
            fail_msg("%s: expected refusal %d, got %d", refused[i].name, refused[i].refusal,
                     t.refusal);
        assert_true(t.why.size > 0);
        assert_contains(t.why.data, refused[i].why);
        pp_arena_done(&arena);
    }
}

static void rounding_of_single_precision_is_no_fault(void **state)
{
    pp_arena arena = {0};
    pp_next_token t =
        read_text(&arena, REPLY(TOKEN(1, 97, 1.1920928955078125e-07) "," TOKEN(2, 98, -32.0), ""));

    (void)state;
    assert_int_equal(t.refusal, PP_TOKENS_TOLD);
    assert_true(t.told.tokens[0].logprob == 0);
    assert_true(t.told.rest == 0);
    pp_arena_done(&arena);
}

static void what_failed_on_the_way_says_how(void **state)
{
    pp_arena arena = {0};
    pp_exchange x = {.failure = PP_FAILURE_REFUSED, .failure_text = pp_text_of("nobody there")};
    pp_next_token t;
    pp_error err = {0};

    (void)state;
    assert_ok(pp_token_probs_of_exchange(&arena, &x, &t, &err), err);
    assert_int_equal(t.refusal, PP_TOKENS_REQUEST_FAILED);
    assert_string_equal(t.why.data, "refused: nobody there");
    x = (pp_exchange){0};
    assert_ok(pp_token_probs_of_exchange(&arena, &x, &t, &err), err);
    assert_string_equal(t.why.data, "it was not asked");
    pp_arena_done(&arena);
}

static void props_tell_speculation_or_nothing(void **state)
{
    static const struct {
        const char *body;
        pp_maybe_bool want;
    } rows[] = {
        {"{\"default_generation_settings\":{\"params\":{\"speculative.types\":\"none\"}}}",
         {true, false}},
        {"{\"default_generation_settings\":{\"params\":{\"speculative.types\":\"ngram\"}}}",
         {true, true}},
        /* as a server says that was given --spec-type none */
        {"{\"default_generation_settings\":{\"params\":{\"speculative.types\":\"none,none\"}}}",
         {true, false}},
        {"{\"default_generation_settings\":{\"params\":{\"speculative.types\":\"none,ngram\"}}}",
         {true, true}},
        {"{\"default_generation_settings\":{\"speculative\":true}}", {true, true}},
        {"{\"default_generation_settings\":{}}", {false, false}},
        {"<html>", {false, false}},
    };
    pp_arena arena = {0};

    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(rows); i++) {
        pp_maybe_bool got = pp_props_speculation(
            &arena, (pp_bytes){(const unsigned char *)rows[i].body, strlen(rows[i].body)});

        assert_int_equal(got.known, rows[i].want.known);
        assert_int_equal(got.value, rows[i].want.value);
    }
    pp_arena_done(&arena);
}

/* ---- real replies ---------------------------------------------------------------------------- */

static pp_next_token read_sample(pp_arena *arena, const char *name)
{
    const char *path = shared_path_or_skip(arena, name);
    const char *body;
    pp_error err = {0};
    pp_next_token t;
    pp_buf file;

    pp_buf_init(&file, 1 << 20);
    assert_ok(pp_file_read(path, &file, &err), err);
    body = strstr(pp_buf_text(&file), "\r\n\r\n"); /* recorded with its head, or without */
    t = read_text(arena, body == NULL ? pp_buf_text(&file) : body + 4);
    pp_buf_done(&file);
    return t;
}

static void real_replies_are_read(void **state)
{
    static const struct {
        const char *name;
        int64_t id;
        const char *bytes;
        double logprob;
    } rows[] = {
        {"samples/llama-server.completion.sse", 1355, " w1096", -7.289454936981201},
        {"samples/llama-server.chat-logprobs.json", 1072, " w813", -7.422855854034424},
    };

    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(rows); i++) {
        pp_arena arena = {0};
        pp_next_token t = read_sample(&arena, rows[i].name);

        assert_int_equal(t.refusal, PP_TOKENS_TOLD);
        assert_int_equal(t.told.count, 3);
        assert_int_equal(t.told.tokens[0].id.value, rows[i].id);
        assert_true(pp_text_is(t.told.tokens[0].bytes, rows[i].bytes));
        assert_true(t.told.tokens[0].logprob == rows[i].logprob);
        assert_true(fabs(t.told.rest - (1 - 3 * exp(rows[i].logprob))) < 1e-12);
        pp_arena_done(&arena);
    }
}

static pp_status read_with_little_memory(const void *context, pp_error *err)
{
    const char *body = context;
    pp_arena arena = {0};
    pp_next_token token;
    pp_status st = pp_token_probs_read(
        &arena, (pp_bytes){(const unsigned char *)body, strlen(body)}, &token, err);

    pp_arena_done(&arena);
    return st;
}

static void missing_memory_is_said(void **state)
{
    (void)state;
    assert_true(check_missing_memory(read_with_little_memory,
                                     REPLY(TOKEN(7, 97, -0.5) "," TOKEN(3, 98, -1.5), "")) > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_completion_tells_ids_bytes_and_the_rest),
        cmocka_unit_test(a_chat_without_ids_and_bytes_tells_texts),
        cmocka_unit_test(only_the_first_position_of_a_stream_counts),
        cmocka_unit_test(what_cannot_be_used_is_refused_with_its_place),
        cmocka_unit_test(rounding_of_single_precision_is_no_fault),
        cmocka_unit_test(what_failed_on_the_way_says_how),
        cmocka_unit_test(props_tell_speculation_or_nothing),
        cmocka_unit_test(real_replies_are_read),
        cmocka_unit_test(missing_memory_is_said),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
