#include "intake/server_stream.h"

#include <stdio.h>
#include <string.h>

#include "base/files.h"
#include "shared.h"

#define MS ((int64_t)1000000)

/* A tape without a socket: pieces of a body and when each arrived. */
typedef struct piece {
    int64_t at_ms;
    const char *bytes;
} piece;

#define MAX_PIECES 64

static pp_exchange exchange_of(pp_arena *arena, const piece *pieces, size_t n, int64_t asked)
{
    pp_exchange x = {
        .id = {.candidate = pp_text_of("q4"),
               .pass = 1,
               .phase = PP_PHASE_MEASURED,
               .index = 1,
               .prompt_id = pp_text_of("p1")},
        .asked_tokens = asked,
        .started_ns = 1000 * MS,
        .connected_ns = {true, 1001 * MS},
        .http_status = {true, 200},
        .content_type = pp_text_of("text/event-stream"),
    };
    pp_arrival *arrivals = PP_ARENA_NEW(arena, pp_arrival, n);
    pp_buf body;

    memset(x.id.request_sha256, 'a', PP_SHA256_HEX_SIZE - 1);
    pp_buf_init(&body, 1 << 20);
    for (size_t i = 0; i < n; i++) {
        arrivals[i] = (pp_arrival){.offset = body.size,
                                   .size = strlen(pieces[i].bytes),
                                   .at_ns = x.started_ns + pieces[i].at_ms * MS,
                                   .lag_ns = 1000 * (int64_t)(i + 1),
                                   .from_kernel = true};
        pp_buf_append_text(&body, pieces[i].bytes);
        x.ended_ns = arrivals[i].at_ns;
    }
    x.body =
        (pp_bytes){(unsigned char *)pp_arena_dup(arena, pp_buf_text(&body), body.size), body.size};
    x.arrivals = arrivals;
    x.arrival_count = n;
    pp_buf_done(&body);
    return x;
}

static pp_sample sample_of(pp_arena *arena, const pp_exchange *x)
{
    pp_sample sample;
    pp_error err = {0};

    assert_ok(pp_sample_of_exchange(arena, x, &sample, &err), err);
    return sample;
}

#define DONE        "data: [DONE]\n\n"
#define TOKEN(text) "data: {\"content\":\"" text "\",\"stop\":false}\n\n"
#define STOP(n)                                                                                    \
    "data: {\"content\":\"\",\"stop\":true,\"stop_type\":\"limit\",\"timings\":{\"cache_n\":0,"    \
    "\"prompt_n\":9,\"prompt_ms\":1.5,\"predicted_n\":" #n ",\"predicted_ms\":2}}\n\n"
#define CHAT(delta)                                                                                \
    "data: {\"choices\":[{\"index\":0,\"finish_reason\":null,\"delta\":" delta "}]}\n\n"
#define FINISH        "data: {\"choices\":[{\"index\":0,\"finish_reason\":\"length\",\"delta\":{}}]}\n\n"
#define USAGE(fields) "data: {\"choices\":[],\"usage\":{" fields "}}\n\n"

static const struct {
    const char *name;
    piece pieces[MAX_PIECES];
    int64_t asked;
    pp_failure failure;
    int64_t ttft_ms; /* -1 = not known */
    int64_t e2e_ms;
    int64_t generated;
    pp_token_source source;
    int64_t text_events;
    int64_t pings;
    unsigned flags;
    const char *failure_text;
} rows[] = {
    {"/completion",
     {{5, TOKEN("a")}, {7, TOKEN("b")}, {8, STOP(2)}},
     2,
     PP_FAILURE_NONE,
     5,
     7,
     2,
     PP_TOKEN_SOURCE_TIMINGS,
     2,
     0,
     0,
     ""},
    {"B005 pings before the token do not count",
     {{1, ":\n\n"},
      {2, ": keep-alive\n\n"},
      {3, "data: : keepalive\n\n"},
      {4, "data:\n\n"},
      {5, "event: ping\ndata: {\"type\":\"ping\"}\n\n"},
      {50, TOKEN("a")},
      {51, STOP(1)}},
     1,
     PP_FAILURE_NONE,
     50,
     50,
     1,
     PP_TOKEN_SOURCE_TIMINGS,
     1,
     5,
     0,
     ""},
    {"B008 null is no token, a blank is one, no line end at the end",
     {{1, CHAT("{\"role\":\"assistant\",\"content\":null}")},
      {2, CHAT("{\"content\":\"\"}")},
      {9, CHAT("{\"content\":\" \"}")},
      {10, FINISH},
      {11, USAGE("\"completion_tokens\":1")},
      {12, "data: [DONE]"}},
     1,
     PP_FAILURE_NONE,
     9,
     9,
     1,
     PP_TOKEN_SOURCE_USAGE,
     1,
     0,
     0,
     ""},
    {"B009 no end mark and cumulative text",
     {{1, CHAT("{\"content\":\"a\"}")},
      {2, CHAT("{\"content\":\"ab\"}")},
      {3, CHAT("{\"content\":\"abc\"}")},
      {4, FINISH}},
     3,
     PP_FAILURE_NONE,
     1,
     3,
     3,
     PP_TOKEN_SOURCE_EVENTS,
     3,
     0,
     PP_SAMPLE_NO_END_MARK | PP_SAMPLE_CUMULATIVE_TEXT | PP_SAMPLE_TOKENS_ESTIMATED,
     ""},
    {"F25 neither end mark nor finish reason",
     {{1, TOKEN("a")}},
     1,
     PP_FAILURE_PREMATURE_END,
     1,
     1,
     1,
     PP_TOKEN_SOURCE_EVENTS,
     1,
     0,
     PP_SAMPLE_TOKENS_ESTIMATED,
     "without an end mark"},
    {"B010 error as a field",
     {{1, TOKEN("a")}, {2, "error: {\"code\":500,\"message\":\"slot lost\"}\n\n"}},
     4,
     PP_FAILURE_STREAM_ERROR,
     1,
     1,
     1,
     PP_TOKEN_SOURCE_EVENTS,
     1,
     0,
     PP_SAMPLE_TOKENS_ESTIMATED,
     "slot lost"},
    {"B011 error object, then an end mark",
     {{1, TOKEN("a")},
      {2, TOKEN("b")},
      {3, "data: {\"error\":{\"message\":\"out of memory\"}}\n\n"},
      {4, DONE}},
     4,
     PP_FAILURE_STREAM_ERROR,
     1,
     2,
     2,
     PP_TOKEN_SOURCE_EVENTS,
     2,
     0,
     PP_SAMPLE_TOKENS_ESTIMATED,
     "out of memory"},
    {"F27 error as a text",
     {{1, "data: {\"error\":\"overloaded\",\"error_type\":\"x\"}\n\n"}},
     4,
     PP_FAILURE_STREAM_ERROR,
     -1,
     -1,
     -1,
     PP_TOKEN_SOURCE_NONE,
     0,
     0,
     0,
     "overloaded"},
    {"F27 an event named error",
     {{1, "event: error\ndata: it broke\n\n"}},
     4,
     PP_FAILURE_STREAM_ERROR,
     -1,
     -1,
     -1,
     PP_TOKEN_SOURCE_NONE,
     0,
     0,
     0,
     "it broke"},
    {"B015 gathered events are flagged",
     {{25, TOKEN("a") TOKEN("b") TOKEN("c")}, {50, TOKEN("d") TOKEN("e") TOKEN("f") STOP(6)}},
     6,
     PP_FAILURE_NONE,
     25,
     50,
     6,
     PP_TOKEN_SOURCE_TIMINGS,
     6,
     0,
     PP_SAMPLE_GATHERED,
     ""},
    {"B017 an object over several data lines",
     {{3, "data: {\ndata:  \"content\":\ndata: \"a\"\ndata: }\n\n"}, {4, STOP(1)}},
     1,
     PP_FAILURE_NONE,
     3,
     3,
     1,
     PP_TOKEN_SOURCE_TIMINGS,
     1,
     0,
     0,
     ""},
    {"F04 an event cut over reads arrives with its end",
     {{3, "data: {\"cont"}, {6, "ent\":\"a\"}\n"}, {8, "\n"}, {9, STOP(1)}},
     1,
     PP_FAILURE_NONE,
     8,
     8,
     1,
     PP_TOKEN_SOURCE_TIMINGS,
     1,
     0,
     0,
     ""},
    {"B022 reasoning is the first token, the answer comes later",
     {{1, CHAT("{\"reasoning_content\":\"hm\",\"reasoning\":\"hm\"}")},
      {9, CHAT("{\"content\":\"a\"}")},
      {10, FINISH},
      {11, USAGE("\"completion_tokens\":2")},
      {12, DONE}},
     2,
     PP_FAILURE_NONE,
     1,
     9,
     2,
     PP_TOKEN_SOURCE_USAGE,
     2,
     0,
     0,
     ""},
    {"B040 reasoning only",
     {{1, CHAT("{\"reasoning\":\"hm\"}")},
      {2, FINISH},
      {3, USAGE("\"completion_tokens\":1")},
      {3, DONE}},
     1,
     PP_FAILURE_NONE,
     1,
     1,
     1,
     PP_TOKEN_SOURCE_USAGE,
     1,
     0,
     PP_SAMPLE_NO_ANSWER,
     ""},
    {"B028 choices empty, null and absent; B029 optional keys null",
     {{1, "data: {\"choices\":[]}\n\n"},
      {2, "data: {\"choices\":null}\n\n"},
      {3, "data: {}\n\n"},
      {4, "data: {\"choices\":[{\"delta\":null,\"finish_reason\":null}],\"usage\":null}\n\n"},
      {5, CHAT("{\"content\":null,\"tool_calls\":null,\"reasoning\":null}")},
      {6, CHAT("{\"content\":\"a\"}")},
      {7, FINISH},
      {8, USAGE("\"completion_tokens\":1")},
      {9, DONE}},
     1,
     PP_FAILURE_NONE,
     6,
     6,
     1,
     PP_TOKEN_SOURCE_USAGE,
     1,
     0,
     0,
     ""},
    {"B030 null details and numbers as floats",
     {{1, CHAT("{\"content\":\"a\"}")},
      {2, FINISH},
      {3, USAGE("\"completion_tokens\":12.0,\"prompt_tokens_details\":null")},
      {4, DONE}},
     12,
     PP_FAILURE_NONE,
     1,
     1,
     12,
     PP_TOKEN_SOURCE_USAGE,
     1,
     0,
     0,
     ""},
    {"B031 no usage at all",
     {{1, CHAT("{\"content\":\"a\"}")}, {2, FINISH}, {3, DONE}},
     1,
     PP_FAILURE_NONE,
     1,
     1,
     1,
     PP_TOKEN_SOURCE_EVENTS,
     1,
     0,
     PP_SAMPLE_TOKENS_ESTIMATED,
     ""},
    {"B031 cumulative usage in every event, the last one counts",
     {{1,
       "data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}],\"usage\":{\"completion_tokens\":1}}"
       "\n\n"},
      {2, "data: {\"choices\":[{\"delta\":{\"content\":\"b\"},\"finish_reason\":\"length\"}],"
          "\"usage\":{\"completion_tokens\":2}}\n\n"},
      {3, DONE}},
     2,
     PP_FAILURE_NONE,
     1,
     2,
     2,
     PP_TOKEN_SOURCE_USAGE,
     2,
     0,
     0,
     ""},
    {"B032 usage after a pause: the end of text is not the end of the stream",
     {{1, CHAT("{\"content\":\"a\"}")},
      {2, FINISH},
      {202, USAGE("\"completion_tokens\":1")},
      {203, DONE}},
     1,
     PP_FAILURE_NONE,
     1,
     1,
     1,
     PP_TOKEN_SOURCE_USAGE,
     1,
     0,
     0,
     ""},
    {"B033 reasoning tokens are not added",
     {{1, CHAT("{\"content\":\"a\"}")},
      {2, FINISH},
      {3,
       USAGE("\"completion_tokens\":100,\"completion_tokens_details\":{\"reasoning_tokens\":60}")},
      {4, DONE}},
     100,
     PP_FAILURE_NONE,
     1,
     1,
     100,
     PP_TOKEN_SOURCE_USAGE,
     1,
     0,
     0,
     ""},
    {"B034 no tokens asked",
     {{1, STOP(0)}},
     0,
     PP_FAILURE_NONE,
     -1,
     -1,
     0,
     PP_TOKEN_SOURCE_TIMINGS,
     0,
     0,
     0,
     ""},
    {"F39 nothing generated",
     {{1, STOP(0)}},
     4,
     PP_FAILURE_NOTHING_GENERATED,
     -1,
     -1,
     0,
     PP_TOKEN_SOURCE_TIMINGS,
     0,
     0,
     0,
     "no generated text"},
    {"B035 several tokens in one event",
     {{1, TOKEN("abc")}, {2, TOKEN("def")}, {3, STOP(12)}},
     12,
     PP_FAILURE_NONE,
     1,
     2,
     12,
     PP_TOKEN_SOURCE_TIMINGS,
     2,
     0,
     0,
     ""},
    {"F43 one more than asked",
     {{1, TOKEN("a")}, {2, STOP(5)}},
     4,
     PP_FAILURE_NONE,
     1,
     1,
     5,
     PP_TOKEN_SOURCE_TIMINGS,
     1,
     0,
     PP_SAMPLE_OVER_LENGTH,
     ""},
    {"F40 four more than asked",
     {{1, TOKEN("a")}, {2, STOP(8)}},
     4,
     PP_FAILURE_NONE,
     1,
     1,
     8,
     PP_TOKEN_SOURCE_TIMINGS,
     1,
     0,
     PP_SAMPLE_WRONG_LENGTH,
     ""},
    {"F40 fewer than asked",
     {{1, TOKEN("a")}, {2, STOP(3)}},
     4,
     PP_FAILURE_NONE,
     1,
     1,
     3,
     PP_TOKEN_SOURCE_TIMINGS,
     1,
     0,
     PP_SAMPLE_WRONG_LENGTH,
     ""},
    {"B174 one JSON object",
     {{9, "{\"content\":\"abc\",\"stop\":true,\"tokens_predicted\":3}"}},
     3,
     PP_FAILURE_NONE,
     -1,
     -1,
     3,
     PP_TOKEN_SOURCE_PREDICTED,
     1,
     0,
     PP_SAMPLE_NOT_STREAMED,
     ""},
    {"B179 progress events are no tokens",
     {{1,
       "data: {\"content\":\"\",\"stop\":false,\"prompt_progress\":{\"total\":9,\"processed\":4}}"
       "\n\n"},
      {7, TOKEN("a")},
      {8, STOP(1)}},
     1,
     PP_FAILURE_NONE,
     7,
     7,
     1,
     PP_TOKEN_SOURCE_TIMINGS,
     1,
     0,
     0,
     ""},
    {"F41 other choices are left out",
     {{1, "data: {\"choices\":[{\"index\":1,\"delta\":{\"content\":\"zzz\"}}]}\n\n"},
      {2, CHAT("{\"content\":\"a\"}")},
      {3, FINISH},
      {4, DONE}},
     0,
     PP_FAILURE_NONE,
     2,
     2,
     1,
     PP_TOKEN_SOURCE_EVENTS,
     1,
     0,
     PP_SAMPLE_SEVERAL_CHOICES | PP_SAMPLE_TOKENS_ESTIMATED,
     ""},
    {"an event that is no JSON",
     {{1, TOKEN("a")}, {2, "data: {\"content\":\n\n"}, {3, STOP(1)}},
     1,
     PP_FAILURE_PROTOCOL,
     1,
     1,
     1,
     PP_TOKEN_SOURCE_TIMINGS,
     1,
     0,
     0,
     "not strict JSON"},
    {"an event that is no object",
     {{1, "data: 7\n\n"}},
     1,
     PP_FAILURE_PROTOCOL,
     -1,
     -1,
     -1,
     PP_TOKEN_SOURCE_NONE,
     0,
     0,
     0,
     "no JSON object"},
    {"tool calls are text",
     {{4, CHAT("{\"tool_calls\":[{\"function\":{\"name\":\"f\",\"arguments\":\"\"}}]}")},
      {6, CHAT("{\"tool_calls\":[{\"function\":{\"arguments\":\"{}\"}}]}")},
      {7, FINISH},
      {8, DONE}},
     0,
     PP_FAILURE_NONE,
     6,
     6,
     1,
     PP_TOKEN_SOURCE_EVENTS,
     1,
     0,
     PP_SAMPLE_TOKENS_ESTIMATED,
     ""},
    {"token arrays are counted",
     {{1, "data: {\"content\":\"a\",\"tokens\":[5,6]}\n\n"},
      {2, "data: {\"content\":\"b\",\"tokens\":[7],\"stop\":true}\n\n"}},
     3,
     PP_FAILURE_NONE,
     1,
     2,
     3,
     PP_TOKEN_SOURCE_TOKEN_ARRAYS,
     2,
     0,
     0,
     ""},
    {"F46 a cached prompt is flagged",
     {{1, TOKEN("a")},
      {2, "data: {\"content\":\"\",\"stop\":true,\"timings\":{\"cache_n\":8,\"prompt_n\":1,"
          "\"predicted_n\":1}}\n\n"}},
     1,
     PP_FAILURE_NONE,
     1,
     1,
     1,
     PP_TOKEN_SOURCE_TIMINGS,
     1,
     0,
     PP_SAMPLE_PROMPT_CACHED,
     ""},
};

static int64_t value_ms(pp_maybe_int value)
{
    return value.known ? value.value / MS : -1;
}

static size_t piece_count(const piece *pieces)
{
    size_t n = 0;

    while (n < MAX_PIECES && pieces[n].bytes != NULL)
        n++;
    return n;
}

static void each_stream_has_its_meaning(void **state)
{
    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(rows); i++) {
        pp_arena arena = {0};
        pp_exchange x =
            exchange_of(&arena, rows[i].pieces, piece_count(rows[i].pieces), rows[i].asked);
        pp_sample s = sample_of(&arena, &x);
        int64_t generated = s.generated_tokens.known ? s.generated_tokens.value : -1;

        if (s.failure != rows[i].failure || value_ms(s.ttft_ns) != rows[i].ttft_ms ||
            value_ms(s.e2e_ns) != rows[i].e2e_ms || generated != rows[i].generated ||
            s.token_source != rows[i].source || s.text_event_count != rows[i].text_events ||
            s.ping_count != rows[i].pings || s.flags != rows[i].flags ||
            (s.failure_text.size == 0) != (rows[i].failure_text[0] == '\0'))
            fail_msg(
                "%s: got %s '%s', ttft %lld, e2e %lld, generated %lld by %s, %lld text events, "
                "%lld pings, flags %x",
                rows[i].name, pp_failure_name(s.failure),
                s.failure_text.size == 0 ? "" : s.failure_text.data, (long long)value_ms(s.ttft_ns),
                (long long)value_ms(s.e2e_ns), (long long)generated,
                pp_token_source_name(s.token_source), (long long)s.text_event_count,
                (long long)s.ping_count, s.flags);
        if (rows[i].failure_text[0] != '\0')
            assert_contains(s.failure_text.data, rows[i].failure_text);
        pp_arena_done(&arena);
    }
}

/* Every row gives a line that the strict reader takes back unchanged. */
static void each_sample_survives_its_line(void **state)
{
    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(rows); i++) {
        pp_arena arena = {0};
        pp_exchange x =
            exchange_of(&arena, rows[i].pieces, piece_count(rows[i].pieces), rows[i].asked);
        pp_sample s = sample_of(&arena, &x);
        pp_sample *back = NULL;
        size_t n = 0;
        pp_buf first, second;
        pp_error err = {0};

        pp_buf_init(&first, 1 << 20);
        pp_buf_init(&second, 1 << 20);
        s.id.level = (pp_maybe_int){i % 2 == 1, (int64_t)(i % 2) * 3};
        assert_ok(pp_sample_write(&s, &first, &err), err);
        assert_ok(pp_samples_parse(&arena, rows[i].name,
                                   (pp_bytes){(unsigned char *)first.data, first.size}, &back, &n,
                                   &err),
                  err);
        assert_int_equal(n, 1);
        assert_int_equal(back->id.level.known, i % 2 == 1);
        assert_int_equal(back->id.level.value, i % 2 * 3);
        assert_ok(pp_sample_write(back, &second, &err), err);
        assert_string_equal(pp_buf_text(&first), pp_buf_text(&second));
        pp_buf_done(&first);
        pp_buf_done(&second);
        pp_arena_done(&arena);
    }
}

static void b025_gaps_leave_the_first_token_out(void **state)
{
    pp_arena arena = {0};
    piece pieces[12] = {{1000, TOKEN("x")}};
    pp_exchange x;
    pp_sample s;
    pp_maybe_real rate;

    (void)state;
    for (int i = 1; i <= 10; i++)
        pieces[i] = (piece){1000 + 10 * i, TOKEN("x")};
    pieces[11] = (piece){1101, STOP(11)};
    x = exchange_of(&arena, pieces, 12, 11);
    s = sample_of(&arena, &x);
    assert_int_equal(s.gap_count, 10); /* B025: 11 tokens, 10 gaps, none of them the TTFT */
    for (size_t i = 0; i < 10; i++)
        assert_int_equal(s.gaps_ns[i], 10 * MS);
    assert_int_equal((int64_t)pp_sample_time_per_token_ns(&s).value, 10 * MS);
    rate = pp_sample_generation_tokens_per_second(&s); /* B037: 1 token per 10 ms, prefill apart */
    assert_true(rate.known && rate.value > 99.999 && rate.value < 100.001);
    assert_int_equal(s.client_lag_ns_max.value, 12000);
    assert_int_equal(s.client_lag_ns_p99.value, 12000); /* rank ceil(0.99 * 12) = 12 */
    pp_arena_done(&arena);
}

static void one_token_has_no_time_per_token(void **state)
{
    pp_arena arena = {0};
    piece pieces[] = {{5, TOKEN("a")}, {6, STOP(1)}};
    pp_exchange x = exchange_of(&arena, pieces, 2, 1);
    pp_sample s = sample_of(&arena, &x);

    (void)state;
    assert_false(pp_sample_time_per_token_ns(&s).known); /* F37 */
    assert_int_equal(s.first_answer_ns.value, 5 * MS);
    assert_int_equal(s.stream_end_ns, 6 * MS);
    pp_arena_done(&arena);
}

/* Digest of U+1F600, by sha256sum over its four bytes F0 9F 98 80. */
#define FACE_SHA256 "f0443a342c5ef54783a111b51ba56c938e474c32324d90c3a60c9c8e3a37e2d9"

static void halves_of_a_character_are_joined(void **state)
{
    static const struct {
        const char *name;
        piece pieces[MAX_PIECES];
        bool split, bad;
        const char *text;
    } halves[] = {
        {"B036 bytes 2 + 2",
         {{1, TOKEN("\xF0\x9F")}, {2, TOKEN("\x98\x80")}, {3, STOP(2)}},
         true,
         false,
         "\xF0\x9F\x98\x80"},
        {"B036 surrogates in two events",
         {{1, TOKEN("\\ud83d")}, {2, TOKEN("\\uDE00")}, {3, STOP(2)}},
         true,
         false,
         "\xF0\x9F\x98\x80"},
        {"a surrogate pair in one event",
         {{1, TOKEN("\\ud83d\\ude00")}, {3, STOP(1)}},
         false,
         false,
         "\xF0\x9F\x98\x80"},
        {"a lone surrogate stays, flagged",
         {{1, TOKEN("a\\ud83db")}, {3, STOP(1)}},
         false,
         true,
         "a\xED\xA0\xBD"
         "b"},
        {"a stray byte stays, flagged", {{1, TOKEN("a\xFF")}, {3, STOP(1)}}, false, true, "a\xFF"},
        {"an escaped backslash is no escape",
         {{1, TOKEN("\\\\ud83d")}, {3, STOP(1)}},
         false,
         false,
         "\\ud83d"},
    };

    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(halves); i++) {
        pp_arena arena = {0};
        pp_exchange x = exchange_of(&arena, halves[i].pieces, piece_count(halves[i].pieces), 0);
        pp_sample s = sample_of(&arena, &x);
        char want[PP_SHA256_HEX_SIZE];
        pp_error err = {0};

        assert_ok(pp_sha256_of(halves[i].text, strlen(halves[i].text), want, &err), err);
        if (strcmp(want, s.text_sha256) != 0 || s.failure != PP_FAILURE_NONE ||
            ((s.flags & PP_SAMPLE_SPLIT_CHARACTER) != 0) != halves[i].split ||
            ((s.flags & PP_SAMPLE_BAD_UTF8) != 0) != halves[i].bad)
            fail_msg("%s: %s, flags %x, %lld bytes", halves[i].name, pp_failure_name(s.failure),
                     s.flags, (long long)s.text_bytes);
        if (strcmp(halves[i].text, "\xF0\x9F\x98\x80") == 0)
            assert_string_equal(s.text_sha256, FACE_SHA256);
        pp_arena_done(&arena);
    }
}

static void b012_a_transport_failure_keeps_what_arrived(void **state)
{
    pp_arena arena = {0};
    piece pieces[7];
    pp_exchange x;
    pp_sample s;

    (void)state;
    for (int i = 0; i < 7; i++)
        pieces[i] = (piece){i + 1, TOKEN("x")};
    x = exchange_of(&arena, pieces, 7, 32);
    x.failure = PP_FAILURE_RESET;
    x.failure_text = pp_text_of("the connection was reset");
    s = sample_of(&arena, &x);
    assert_int_equal(s.failure, PP_FAILURE_RESET); /* B012 */
    assert_int_equal(s.text_event_count, 7);
    assert_int_equal(s.text_bytes, 7);
    assert_int_equal(s.ttft_ns.value, 1 * MS);
    assert_false(pp_sample_time_per_token_ns(&s).known);
    pp_arena_done(&arena);
}

static void an_error_page_is_quoted(void **state)
{
    static const struct {
        const char *body, *want;
    } pages[] = {
        {"{\"error\":{\"code\":400,\"message\":\"no such field\"}}",
         "HTTP status 502: no such field"},
        {"<html>\nBad Gateway</html>", "HTTP status 502: <html>"},
    };

    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(pages); i++) {
        pp_arena arena = {0};
        piece pieces[] = {{2, pages[i].body}};
        pp_exchange x = exchange_of(&arena, pieces, 1, 4);
        pp_sample s;

        x.failure = PP_FAILURE_HTTP_STATUS;
        x.failure_text = pp_text_of("HTTP status 502");
        x.http_status = pp_known_int(502);
        s = sample_of(&arena, &x);
        assert_int_equal(s.failure, PP_FAILURE_HTTP_STATUS);
        assert_contains(s.failure_text.data, pages[i].want);
        assert_int_equal(s.stream_end_ns, 2 * MS); /* B042 */
        assert_false(s.ttft_ns.known);
        pp_arena_done(&arena);
    }
}

/* Real replies, recorded: the figures below stand in the files themselves. */
static void recorded_streams_are_read(void **state)
{
    static const struct {
        const char *path;
        size_t text_events;
        int64_t predicted, prompt, cached;
        double prompt_ms;
        const char *text, *finish;
    } files[] = {
        {"samples/llama-server.completion.sse", 4, 4, 9, 0, 1.211, " w72 w584 w72 w2120", "limit"},
        {"samples/llama-server.chat.sse", 6, 6, 73, 0, 4.608, " w748 w236 w236 w2796 w2796 w236",
         "length"},
    };

    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(files); i++) {
        pp_arena arena = {0};
        const char *path = shared_path_or_skip(&arena, files[i].path);
        pp_server_stream s;
        pp_buf bytes;
        pp_bytes body;
        const char *head_end;
        pp_error err = {0};

        pp_buf_init(&bytes, 1 << 20);
        assert_ok(pp_file_read(path, &bytes, &err), err);
        head_end = strstr(pp_buf_text(&bytes), "\r\n\r\n");
        if (head_end == NULL)
            head_end = strstr(pp_buf_text(&bytes), "\n\n");
        assert_non_null(head_end);
        body.data = (const unsigned char *)head_end;
        body.size = bytes.size - (size_t)(head_end - bytes.data);
        assert_ok(
            pp_server_stream_read(&arena, body, NULL, 0, pp_text_of("text/event-stream"), &s, &err),
            err);
        assert_int_equal(s.failure, PP_FAILURE_NONE);
        assert_true(s.end_mark);
        assert_int_equal(s.text_event_count, files[i].text_events);
        assert_string_equal(s.text.data, files[i].text);
        assert_string_equal(s.finish.data, files[i].finish);
        assert_int_equal(s.counts.predicted_n.value, files[i].predicted);
        assert_int_equal(s.counts.prompt_n.value, files[i].prompt);
        assert_true(s.counts.cache_n.known && s.counts.cache_n.value == files[i].cached);
        assert_true(s.counts.prompt_ms.value == files[i].prompt_ms);
        pp_buf_done(&bytes);
        pp_arena_done(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_stream_has_its_meaning),
        cmocka_unit_test(each_sample_survives_its_line),
        cmocka_unit_test(b025_gaps_leave_the_first_token_out),
        cmocka_unit_test(one_token_has_no_time_per_token),
        cmocka_unit_test(halves_of_a_character_are_joined),
        cmocka_unit_test(b012_a_transport_failure_keeps_what_arrived),
        cmocka_unit_test(an_error_page_is_quoted),
        cmocka_unit_test(recorded_streams_are_read),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
