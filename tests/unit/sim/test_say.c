/* What is said is read back by the decoder that reads real servers. */
#include <string.h>

#include "intake/server_stream.h"
#include "shared.h"
#include "sim/lines.h"
#include "sim/say.h"

#define WORDS "ab \"\n\xc3\xb6" /* text that needs escapes */

static pp_sim_ask ask_of(pp_arena *arena, pp_sim_dialect dialect, const char *body)
{
    pp_sim_ask ask;
    pp_error err = {0};

    assert_ok(pp_sim_ask_read(arena, dialect, (pp_bytes){(const unsigned char *)body, strlen(body)},
                              false, &ask, &err),
              err);
    return ask;
}

static void add_event(const pp_sim_quirks *q, int64_t number, const pp_buf *event, pp_buf *body)
{
    pp_sim_lines_event(q, number, (pp_text){pp_buf_text(event), event->size}, body);
}

/* Three tokens of an answer, one event each, with everything around them. */
static void say_stream(pp_sim_reply *r, const pp_sim_quirks *q, pp_buf *body)
{
    static const char *const tokens[] = {"ab", " \"\n", "\xc3\xb6"};
    pp_buf event;
    int64_t number = 1;

    pp_buf_init(&event, 1 << 20);
    if (r->ask->dialect == PP_SIM_DIALECT_CHAT) {
        pp_sim_say_role(r, &event);
        add_event(q, number++, &event, body);
    }
    for (size_t i = 0; i < 3; i++) {
        size_t from = r->text.size;

        pp_buf_append_text(&r->text, tokens[i]);
        r->tokens++;
        pp_buf_clear(&event);
        pp_sim_say_piece(r, from, r->tokens, i == 2, &event);
        add_event(q, number++, &event, body);
    }
    pp_buf_clear(&event);
    pp_sim_say_finish(r, &event);
    add_event(q, number++, &event, body);
    pp_buf_clear(&event);
    if (pp_sim_say_usage(r, &event))
        add_event(q, number++, &event, body);
    if (r->ask->dialect != PP_SIM_DIALECT_LLAMA)
        pp_sim_lines_done(q, number, body);
    pp_buf_done(&event);
}

static const struct {
    const char *name;
    pp_sim_quirks quirks;
} forms[] = {
    {"plain", {0}},
    {"no blank", {.no_blank = true}},
    {"crlf", {.line_end = PP_SIM_LINE_CRLF}},
    {"cr", {.line_end = PP_SIM_LINE_CR}},
    {"mixed", {.line_end = PP_SIM_LINE_MIXED}},
    {"several lines", {.multi_line = true}},
    {"comments", {.comments = true, .line_end = PP_SIM_LINE_CRLF}},
    {"byte order mark", {.byte_order_mark = true}},
    {"end without a line end", {.done_no_end = true}},
    {"nulls", {.nulls = true}},
    {"tool calls", {.tool_calls = true}},
    {"usage always", {.usage = PP_SIM_USAGE_ALWAYS}},
    {"usage with text", {.usage = PP_SIM_USAGE_WITH_TEXT}},
    {"usage in each", {.usage = PP_SIM_USAGE_EVERY}},
    {"usage as floats", {.usage = PP_SIM_USAGE_FLOATS}},
    {"usage with nulls", {.usage = PP_SIM_USAGE_NULLS}},
    {"usage without choices", {.usage = PP_SIM_USAGE_NO_CHOICES}},
    {"usage with null choices", {.usage = PP_SIM_USAGE_NULL_CHOICES}},
    {"usage with a choice", {.usage = PP_SIM_USAGE_FULL_CHOICES}},
};

static const struct {
    pp_sim_dialect dialect;
    const char *body;
    int64_t want_prompt; /* tokens, counted by hand after words.h */
} asks[] = {
    {PP_SIM_DIALECT_LLAMA, "{\"prompt\":\"abc def\",\"stream\":true,\"n_probs\":2}", 3},
    {PP_SIM_DIALECT_LLAMA, "{\"prompt\":[1,2,\"abcd\"],\"stream\":true,\"return_tokens\":true}", 4},
    {PP_SIM_DIALECT_COMPLETION, "{\"prompt\":\"a\",\"stream\":true,\"logprobs\":1}", 1},
    /* <|i m_s tar t|> use r\nh i<| im_ end |>\n <|i m_s tar t|> ass ist ant \n */
    {PP_SIM_DIALECT_CHAT,
     "{\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}],\"stream\":true,"
     "\"stream_options\":{\"include_usage\":true},\"timings_per_token\":true}",
     18},
};

static void check_decoded(const char *name, const pp_sim_reply *r, const pp_buf *body,
                          int64_t want_prompt)
{
    pp_arena arena = {0};
    pp_server_stream s;
    pp_error err = {0};
    bool has_timings = r->quirks->usage != PP_SIM_USAGE_NEVER;

    assert_ok(pp_server_stream_read(
                  &arena, (pp_bytes){(const unsigned char *)pp_buf_text(body), body->size}, NULL, 0,
                  pp_text_of("text/event-stream"), &s, &err),
              err);
    if (s.failure != PP_FAILURE_NONE || !pp_text_is(s.text, WORDS) || s.text_event_count != 3 ||
        s.bad_utf8 || s.cumulative_text || s.not_streamed || !s.end_mark)
        fail_msg("%s: %s, text '%s' in %zu events", name, pp_failure_name(s.failure), s.text.data,
                 s.text_event_count);
    if (has_timings) {
        assert_true(s.counts.predicted_n.known);
        assert_int_equal(s.counts.predicted_n.value, 3);
        assert_int_equal(s.counts.prompt_n.value + s.counts.cache_n.value, want_prompt);
    }
    if (s.counts.usage_prompt_tokens.known) {
        assert_int_equal(s.counts.usage_prompt_tokens.value, want_prompt);
        assert_int_equal(s.counts.usage_completion_tokens.value, 3);
    }
    assert_true(pp_text_is(s.finish, r->ask->dialect == PP_SIM_DIALECT_LLAMA ? "limit" : "length"));
    pp_arena_done(&arena);
}

static void every_well_formed_stream_is_understood(void **state)
{
    (void)state;
    for (size_t a = 0; a < PP_COUNT_OF(asks); a++) {
        for (size_t f = 0; f < PP_COUNT_OF(forms); f++) {
            pp_arena arena = {0};
            pp_sim_ask ask = ask_of(&arena, asks[a].dialect, asks[a].body);
            pp_sim_reply r = {
                .ask = &ask, .quirks = &forms[f].quirks, .model = "m", .serial = 1, .cached_n = 1};
            pp_buf body;

            pp_buf_init(&r.text, 1 << 20);
            pp_buf_init(&body, 1 << 20);
            say_stream(&r, &forms[f].quirks, &body);
            assert_int_equal(body.status, PP_OK);
            assert_int_equal(ask.prompt_tokens, asks[a].want_prompt);
            check_decoded(forms[f].name, &r, &body, asks[a].want_prompt);
            pp_buf_done(&body);
            pp_buf_done(&r.text);
            pp_arena_done(&arena);
        }
    }
}

static void text_is_escaped_for_json_and_halves_of_pairs_stay(void **state)
{
    static const char text[] = "a\"\\\n\x01\xed\xa0\xbd\xf0\x9f";
    pp_buf out;

    (void)state;
    pp_buf_init(&out, 1024);
    pp_sim_say_text(&out, (pp_text){text, sizeof text - 1});
    assert_string_equal(pp_buf_text(&out), "a\\\"\\\\\\n\\u0001\\ud83d\xf0\x9f");
    pp_buf_done(&out);
}

static const struct {
    const char *name;
    pp_sim_dialect dialect;
    bool strict;
    const char *body, *needle;
} refusals[] = {
    {"no JSON", PP_SIM_DIALECT_LLAMA, false, "{b", "request"},
    {"no object", PP_SIM_DIALECT_LLAMA, false, "[]", "expected object"},
    {"no prompt", PP_SIM_DIALECT_LLAMA, false, "{}", "$.prompt"},
    {"a prompt that is none", PP_SIM_DIALECT_LLAMA, false, "{\"prompt\":1}", "$.prompt"},
    {"an id beyond the vocabulary", PP_SIM_DIALECT_LLAMA, false, "{\"prompt\":[16843008]}",
     "$.prompt[0]"},
    {"a negative id", PP_SIM_DIALECT_LLAMA, false, "{\"prompt\":[1,-1]}", "$.prompt[1]"},
    {"stream is no text", PP_SIM_DIALECT_LLAMA, false, "{\"prompt\":\"\",\"stream\":\"yes\"}",
     "$.stream"},
    {"no messages", PP_SIM_DIALECT_CHAT, false, "{}", "messages"},
    {"no message", PP_SIM_DIALECT_CHAT, false, "{\"messages\":[]}", "at least one message"},
    {"no role", PP_SIM_DIALECT_CHAT, false, "{\"messages\":[{}]}", "role"},
    {"a foreign field for a strict server", PP_SIM_DIALECT_COMPLETION, true,
     "{\"prompt\":\"\",\"n_predict\":1}", "n_predict"},
};

static void what_cannot_be_answered_is_refused_with_its_place(void **state)
{
    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(refusals); i++) {
        pp_arena arena = {0};
        pp_sim_ask ask;
        pp_error err = {0};
        pp_bytes body = {(const unsigned char *)refusals[i].body, strlen(refusals[i].body)};

        if (pp_sim_ask_read(&arena, refusals[i].dialect, body, refusals[i].strict, &ask, &err) ==
            PP_OK)
            fail_msg("not refused: %s", refusals[i].name);
        assert_contains(err.text, refusals[i].needle);
        pp_arena_done(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_well_formed_stream_is_understood),
        cmocka_unit_test(text_is_escaped_for_json_and_halves_of_pairs_stay),
        cmocka_unit_test(what_cannot_be_answered_is_refused_with_its_place),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
