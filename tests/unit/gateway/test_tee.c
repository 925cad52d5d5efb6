#include "gateway/tee.h"

#include <stdlib.h>
#include <string.h>

#include "shared.h"

#define ROLE                                                                                       \
    "data: {\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":null}}]}\n\n"
#define TEXT                                                                                       \
    "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"\xc3\xa9 "                          \
    "\xf0\x9f\x98\x80\"}}]}\n\n"
#define STOP "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n"
#define USAGE                                                                                      \
    "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":11,\"completion_tokens\":7,"               \
    "\"prompt_tokens_details\":{\"cached_tokens\":4}}}\n\n"
#define DONE "data: [DONE]\n\n"
#define FAIL                                                                                       \
    "data: {\"error\":{\"code\":503,\"message\":\"busy\",\"type\":\"unavailable_error\"}}\n\n"

static pp_bytes bytes_of(const char *text)
{
    return (pp_bytes){(const unsigned char *)text, strlen(text)};
}

static pp_tee *tee_new(bool is_stream, bool strip_usage)
{
    const pp_tee_options options = {is_stream, strip_usage};
    pp_tee *tee = NULL;
    pp_error err = {0};

    assert_ok(pp_tee_new(&options, &tee, &err), err);
    return tee;
}

static void feed(pp_tee *tee, pp_bytes bytes, int64_t now_ns, pp_buf *out)
{
    pp_error err = {0};

    assert_ok(pp_tee_feed(tee, bytes, now_ns, out, &err), err);
}

static void feed_text(pp_tee *tee, const char *text, int64_t now_ns, pp_buf *out)
{
    feed(tee, bytes_of(text), now_ns, out);
}

static void finish(pp_tee *tee, int64_t now_ns, pp_buf *out)
{
    pp_error err = {0};

    assert_ok(pp_tee_finish(tee, now_ns, out, &err), err);
}

/* The whole stream in pieces of `step` bytes. */
static pp_tee *pass(pp_bytes stream, bool strip_usage, size_t step, pp_buf *out)
{
    pp_tee *tee = tee_new(true, strip_usage);

    pp_buf_init(out, (size_t)8 << 20);
    for (size_t at = 0; at < stream.size; at += step) {
        size_t n = step < stream.size - at ? step : stream.size - at;

        feed(tee, (pp_bytes){stream.data + at, n}, 1, out);
    }
    finish(tee, 1, out);
    return tee;
}

/* ---- bytes ----------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    const char *stream;
    const char *stripped; /* NULL: nothing is */
    uint64_t events, comments, unread;
    bool end_mark;
} streams[] = {
    {"LF", ROLE TEXT STOP USAGE DONE, ROLE TEXT STOP DONE, 5, 0, 0, true},
    {"E8 CRLF", "data: 1\r\n\r\ndata: {\"choices\":[],\"usage\":{}}\r\n\r\ndata: [DONE]\r\n\r\n",
     "data: 1\r\n\r\ndata: [DONE]\r\n\r\n", 3, 0, 1, true},
    {"E8 CR", "data: 1\r\rdata: {\"choices\":[],\"usage\":{}}\r\rdata: [DONE]\r\r",
     "data: 1\r\rdata: [DONE]\r\r", 3, 0, 1, true},
    {"E8 mixed ends", "data: 1\r\n\rdata: 2\n\r\ndata: 3\r\r\ndata: [DONE]\n\n", NULL, 4, 0, 3,
     true},
    {"E8 a byte order mark",
     "\xef\xbb\xbf"
     "data: [DONE]\n\n",
     NULL, 1, 0, 0, true},
    {"E8 a mark in mid-stream is none",
     "data: 1\n\n\xef\xbb\xbf"
     "data: [DONE]\n\n",
     NULL, 1, 0, 1, false},
    {"half a mark",
     "\xef\xbb"
     "data: [DONE]\n\n",
     NULL, 0, 0, 0, false},
    {"E8 several lines of data are one",
     "data: {\"choices\":\ndata: [],\r\ndata:\"usage\":{\"completion_tokens\":7}}\n\n" DONE, DONE,
     2, 0, 0, true},
    {"E8 other fields stay", "event: x\nid: 7\nretry: 10\ndata: 1\n\nid\n\n" DONE, NULL, 2, 0, 1,
     true},
    {"E8 no blank behind the colon", "data:[DONE]\n\n", NULL, 1, 0, 0, true},
    {"E12 comments", ": ping\n\n:\n\n" DONE ":\n", NULL, 1, 3, 0, true},
    {"E12 an event named ping", "event: ping\ndata: {\"x\":1}\n\n" DONE, NULL, 1, 1, 0, true},
    {"E12 a comment in disguise", "data: : keepalive\n\n" DONE, NULL, 1, 1, 0, true},
    {"a comment in front of usage goes on", ": a\n" USAGE DONE, ": a\n" DONE, 2, 1, 0, true},
    {"no empty line at the end", TEXT "data: [DONE]", NULL, 2, 0, 0, true},
    {"usage at the end, unfinished", TEXT "data: {\"choices\":[],\"usage\":{}}", TEXT, 2, 0, 0,
     false},
    {"empty lines alone", "\n\n\r\n\r\r\n", NULL, 0, 0, 0, false},
    {"not JSON goes on", "data: <html>\n\ndata: {\"choices\":[\n\n" DONE, NULL, 3, 0, 2, true},
    {"usage among choices is no event of usage",
     "data: {\"choices\":[{\"delta\":{}}],\"usage\":{\"completion_tokens\":7}}\n\n" DONE, NULL, 2,
     0, 0, true},
    {"no choices and no usage stays", "data: {\"choices\":[],\"x\":1}\n\n" DONE, NULL, 2, 0, 0,
     true},
    {"usage of null stays", "data: {\"choices\":[],\"usage\":null}\n\n" DONE, NULL, 2, 0, 0, true},
    {"E7 half a character in each of two events",
     "data: {\"choices\":[{\"delta\":{\"content\":\"\\ud83d\"}}]}\n\n"
     "data: {\"choices\":[{\"delta\":{\"content\":\"\\ude00\"}}]}\n\n"
     "data: {\"choices\":[{\"delta\":{\"content\":\"\xf0\x9f\"}}]}\n\n"
     "data: {\"choices\":[{\"delta\":{\"content\":\"\x98\x80\"}}]}\n\n" DONE,
     NULL, 5, 0, 0, true},
};

static void g56_e7_e9_the_same_bytes_go_on_however_they_are_cut(void **state)
{
    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(streams); i++) {
        pp_bytes stream = bytes_of(streams[i].stream);

        for (size_t step = 1; step <= stream.size; step++) {
            for (int strip = 0; strip < 2; strip++) {
                const char *want =
                    strip && streams[i].stripped != NULL ? streams[i].stripped : streams[i].stream;
                pp_buf out;
                pp_tee *tee = pass(stream, strip, step, &out);
                const pp_tee_facts *f = pp_tee_facts_of(tee);

                if (strcmp(pp_buf_text(&out), want) != 0)
                    fail_msg("%s, by %zu, strip %d: '%s'", streams[i].name, step, strip,
                             pp_buf_text(&out));
                if (f->event_count != streams[i].events ||
                    f->comment_count != streams[i].comments ||
                    f->unread_count != streams[i].unread || f->end_mark != streams[i].end_mark)
                    fail_msg("%s, by %zu: %llu events, %llu comments, %llu unread, end %d",
                             streams[i].name, step, (unsigned long long)f->event_count,
                             (unsigned long long)f->comment_count,
                             (unsigned long long)f->unread_count, f->end_mark);
                assert_int_equal(f->stripped_count, strip && streams[i].stripped != NULL);
                pp_tee_free(tee);
                pp_buf_done(&out);
            }
        }
    }
}

/* Nothing waits that need not. */
static void bytes_go_on_at_once_unless_the_event_may_be_usage(void **state)
{
    pp_tee *tee = tee_new(true, false);
    pp_buf out;

    (void)state;
    pp_buf_init(&out, 1024);
    feed_text(tee, "data: {\"ch", 1, &out);
    assert_string_equal(pp_buf_text(&out), "data: {\"ch");
    assert_false(pp_tee_between_events(tee));
    pp_tee_free(tee);
    pp_buf_clear(&out);
    tee = tee_new(true, true);
    assert_true(pp_tee_between_events(tee));
    feed_text(tee, ": ping\n", 1, &out); /* a sign of life does not wait for what follows */
    assert_string_equal(pp_buf_text(&out), ": ping\n");
    feed_text(tee, "data: 1\n", 1, &out);
    assert_string_equal(pp_buf_text(&out), ": ping\n");
    assert_true(pp_tee_between_events(tee)); /* what has gone on ends so, the half waits */
    feed_text(tee, "\n", 1, &out);
    assert_string_equal(pp_buf_text(&out), ": ping\ndata: 1\n\n");
    pp_tee_free(tee);
    pp_buf_done(&out);
}

static void between_events_is_known_at_each_byte(void **state)
{
    static const char stream[] = ": a\ndata: 1\r\n\r\n\rdata: 2\n\n";
    static const char between[] = "0001000000000111000000001"; /* behind each byte */
    pp_tee *tee = tee_new(true, false);
    pp_buf out;

    (void)state;
    pp_buf_init(&out, 1024);
    assert_int_equal(sizeof between, sizeof stream);
    for (size_t i = 0; stream[i] != '\0'; i++) {
        feed(tee, (pp_bytes){(const unsigned char *)stream + i, 1}, 1, &out);
        if (pp_tee_between_events(tee) != (between[i] == '1'))
            fail_msg("behind byte %zu", i);
    }
    pp_tee_free(tee);
    pp_buf_done(&out);
}

static void an_event_too_large_to_look_at_goes_on_and_the_next_is_read(void **state)
{
    size_t size = PP_TEE_EVENT_MAX + 10;
    unsigned char *large = malloc(size);
    const size_t steps[] = {1000, 65536, PP_TEE_EVENT_MAX + 10};

    (void)state;
    assert_non_null(large);
    memset(large, 'x', size);
    memcpy(large, "data: ", 6);
    memcpy(large + size - 2, "\n\n", 2);
    for (size_t i = 0; i < PP_COUNT_OF(steps); i++) {
        for (int strip = 0; strip < 2; strip++) {
            pp_tee *tee = tee_new(true, strip);
            pp_buf out;

            pp_buf_init(&out, size + 4096);
            for (size_t at = 0; at < size; at += steps[i])
                feed(tee, (pp_bytes){large + at, steps[i] < size - at ? steps[i] : size - at}, 1,
                     &out);
            assert_int_equal(out.size, size);
            assert_memory_equal(out.data, large, size);
            assert_int_equal(pp_tee_facts_of(tee)->first, PP_TEE_FIRST_EVENT);
            assert_int_equal(pp_tee_facts_of(tee)->unread_count, 1);
            assert_true(pp_tee_between_events(tee));
            feed_text(tee, USAGE DONE, 2, &out);
            assert_int_equal(out.size, size + strlen(strip ? DONE : USAGE DONE));
            assert_int_equal(pp_tee_facts_of(tee)->counts.usage_completion_tokens.value, 7);
            pp_tee_free(tee);
            pp_buf_done(&out);
        }
    }
    free(large);
}

/* ---- facts ----------------------------------------------------------------------------------- */

static void g4_the_event_of_usage_comes_once_before_the_end_mark_with_no_choices(void **state)
{
    static const char stream[] = ROLE TEXT STOP USAGE DONE;
    static const char tail[] = USAGE DONE;
    pp_buf out;
    pp_tee *tee = pass(bytes_of(stream), false, 7, &out);
    const char *usage = strstr(pp_buf_text(&out), "\"usage\"");

    (void)state;
    assert_non_null(usage);
    assert_null(strstr(usage + 1, "\"usage\""));
    assert_string_equal(pp_buf_text(&out) + out.size - strlen(tail), tail);
    pp_tee_free(tee);
    pp_buf_done(&out);
    tee = pass(bytes_of(stream), true, 7, &out); /* not asked for: not there, but known to us */
    assert_null(strstr(pp_buf_text(&out), "usage"));
    assert_int_equal(pp_tee_facts_of(tee)->counts.usage_completion_tokens.value, 7);
    assert_int_equal(pp_tee_facts_of(tee)->counts.usage_prompt_tokens.value, 11);
    assert_int_equal(pp_tee_facts_of(tee)->counts.usage_cached_tokens.value, 4);
    pp_tee_free(tee);
    pp_buf_done(&out);
}

static void g5_usage_in_the_last_but_one_event_counts_and_nothing_is_invented(void **state)
{
    static const char stream[] = TEXT USAGE "data: {\"choices\":[],\"object\":\"x\"}\n\n" DONE;
    pp_buf out;
    pp_tee *tee = pass(bytes_of(stream), false, 5, &out);

    (void)state;
    assert_string_equal(pp_buf_text(&out), stream);
    assert_int_equal(pp_tee_facts_of(tee)->counts.usage_completion_tokens.value, 7);
    assert_int_equal(pp_tee_facts_of(tee)->counts.usage_prompt_tokens.value, 11);
    assert_int_equal(pp_tee_facts_of(tee)->event_count, 4);
    pp_tee_free(tee);
    pp_buf_done(&out);
}

static void e13_usage_of_an_odd_shape_is_believed_and_absent_stays_absent(void **state)
{
    static const char odd[] = "data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}],"
                              "\"usage\":{\"completion_tokens\":7.0}}\n\n" DONE;
    pp_buf out;
    pp_tee *tee = pass(bytes_of(odd), true, 3, &out);

    (void)state;
    assert_string_equal(pp_buf_text(&out), odd);
    assert_int_equal(pp_tee_facts_of(tee)->counts.usage_completion_tokens.value, 7);
    assert_false(pp_tee_facts_of(tee)->counts.usage_prompt_tokens.known);
    pp_tee_free(tee);
    pp_buf_done(&out);
    tee = pass(bytes_of(TEXT TEXT DONE), true, 3, &out); /* never counted from events */
    assert_false(pp_tee_facts_of(tee)->counts.usage_completion_tokens.known);
    assert_false(pp_tee_facts_of(tee)->counts.predicted_n.known);
    pp_tee_free(tee);
    pp_buf_done(&out);
}

static void g60_e12_e19_the_first_text_is_no_prelude_and_no_comment(void **state)
{
    static const struct {
        const char *name;
        const char *event;
        bool is_text;
    } rows[] = {
        {"a role prelude", ROLE, false},
        {"a comment", ": ping\n\n", false},
        {"an event named ping", "event: ping\ndata: {\"content\":\"x\"}\n\n", false},
        {"an empty delta", "data: {\"choices\":[{\"delta\":{\"content\":\"\"}}]}\n\n", false},
        {"a tool call's name",
         "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"c\",\"function\":{"
         "\"name\":\"f\",\"arguments\":\"\"}}]}}]}\n\n",
         false},
        {"usage", USAGE, false},
        {"the end", STOP DONE, false},
        {"content", TEXT, true},
        {"reasoning", "data: {\"choices\":[{\"delta\":{\"reasoning_content\":\"x\"}}]}\n\n", true},
        {"reasoning by its other name",
         "data: {\"choices\":[{\"delta\":{\"reasoning\":\"x\"}}]}\n\n", true},
        {"a tool call's arguments",
         "data: {\"choices\":[{\"delta\":{\"content\":null,\"tool_calls\":[{\"index\":0,"
         "\"function\":{\"arguments\":\"{\"}}]}}]}\n\n",
         true},
        {"text of /v1/completions", "data: {\"choices\":[{\"text\":\"x\"}]}\n\n", true},
        {"content of /completion", "data: {\"content\":\"x\",\"stop\":false}\n\n", true},
        {"the second choice",
         "data: {\"choices\":[{\"delta\":{}},{\"delta\":{\"content\":\"x\"}}]}\n\n", true},
    };

    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(rows); i++) {
        pp_tee *tee = tee_new(true, i % 2 == 0);
        const pp_tee_facts *f = pp_tee_facts_of(tee);
        size_t half = strlen(rows[i].event) / 2;
        pp_buf out;

        pp_buf_init(&out, 4096);
        feed_text(tee, ROLE, 10, &out);
        feed(tee, (pp_bytes){(const unsigned char *)rows[i].event, half}, 20, &out);
        feed_text(tee, rows[i].event + half, 400, &out); /* an event comes when it is whole */
        if (f->first_text_ns != (rows[i].is_text ? 400 : 0))
            fail_msg("%s: first text at %lld", rows[i].name, (long long)f->first_text_ns);
        feed_text(tee, TEXT, 500, &out);
        feed_text(tee, ": ping\n\n" DONE, 600, &out);
        assert_int_equal(f->first_text_ns, rows[i].is_text ? 400 : 500);
        assert_int_equal(f->last_text_ns, 500);
        pp_tee_free(tee);
        pp_buf_done(&out);
    }
}

static void e18_g17_a_stream_that_begins_with_an_error_is_told(void **state)
{
    static const struct {
        const char *name;
        const char *stream;
        pp_tee_first first;
        bool error_seen;
        int status;
        const char *message, *type;
    } rows[] = {
        {"nothing", "", PP_TEE_NOTHING_YET, false, 0, "", ""},
        {"comments alone", ": a\n\n: b\n\n", PP_TEE_NOTHING_YET, false, 0, "", ""},
        {"an event", ": a\n\n" ROLE, PP_TEE_FIRST_EVENT, false, 0, "", ""},
        {"an error first", ": a\n\n" FAIL, PP_TEE_FIRST_ERROR, true, 503, "busy",
         "unavailable_error"},
        {"an error and more", FAIL TEXT, PP_TEE_FIRST_ERROR, true, 503, "busy",
         "unavailable_error"},
        {"an error later", ROLE TEXT FAIL, PP_TEE_FIRST_EVENT, true, 503, "busy",
         "unavailable_error"},
        {"an error in a field of its own", "error: {\"code\":500,\"message\":\"a\\nb\"}\n\n",
         PP_TEE_FIRST_ERROR, true, 500, "a\\u000ab", ""},
        {"an event named error", "event: error\ndata: out of slots\n\n", PP_TEE_FIRST_ERROR, true,
         0, "out of slots", ""},
        {"a code that is no status", "data: {\"error\":{\"code\":\"x\",\"message\":\"m\"}}\n\n",
         PP_TEE_FIRST_ERROR, true, 0, "m", ""},
        {"an error of one string", "data: {\"error\":\"m\"}\n\n", PP_TEE_FIRST_ERROR, true, 0, "m",
         ""},
        {"an error of null is none", "data: {\"error\":null,\"choices\":[]}\n\n",
         PP_TEE_FIRST_EVENT, false, 0, "", ""},
        {"the end mark alone", DONE, PP_TEE_FIRST_EVENT, false, 0, "", ""},
    };

    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(rows); i++) {
        pp_buf out;
        pp_tee *tee = pass(bytes_of(rows[i].stream), true, 4, &out);
        const pp_tee_facts *f = pp_tee_facts_of(tee);

        if (f->first != rows[i].first || f->error_seen != rows[i].error_seen ||
            f->error_status != rows[i].status || f->error_message.size != strlen(rows[i].message) ||
            f->error_type.size != strlen(rows[i].type) ||
            (rows[i].message[0] && !pp_text_is(f->error_message, rows[i].message)) ||
            (rows[i].type[0] && !pp_text_is(f->error_type, rows[i].type)))
            fail_msg("%s: first %d, error %d, status %d, '%.*s'", rows[i].name, (int)f->first,
                     f->error_seen, f->error_status, (int)f->error_message.size,
                     f->error_message.data);
        assert_string_equal(pp_buf_text(&out), rows[i].stream); /* errors go on, too */
        pp_tee_free(tee);
        pp_buf_done(&out);
    }
}

static void e21_drafts_are_known_only_from_timings(void **state)
{
    static const char with[] =
        "data: {\"choices\":[],\"usage\":{},\"timings\":{\"prompt_n\":5,\"cache_n\":6,"
        "\"predicted_n\":7,\"predicted_ms\":70.5,\"draft_n\":9,\"draft_n_accepted\":4}}\n\n";
    pp_buf out;
    pp_tee *tee = pass(bytes_of(with), true, 9, &out);
    pp_reply_counts counts = pp_tee_facts_of(tee)->counts;

    (void)state;
    assert_true(counts.draft_n.known && counts.draft_n.value == 9);
    assert_true(counts.draft_n_accepted.known && counts.draft_n_accepted.value == 4);
    assert_true(counts.cache_n.value == 6 && counts.predicted_ms.value == 70.5);
    pp_tee_free(tee);
    pp_buf_done(&out);
    tee =
        pass(bytes_of("data: {\"choices\":[],\"timings\":{\"predicted_n\":7}}\n\n"), true, 9, &out);
    counts = pp_tee_facts_of(tee)->counts;
    assert_true(counts.predicted_n.known);
    assert_false(counts.draft_n.known || counts.draft_n_accepted.known);
    pp_tee_free(tee);
    pp_buf_done(&out);
}

/* ---- plain replies --------------------------------------------------------------------------- */

static void g36_a_plain_reply_goes_on_and_is_read(void **state)
{
    static const struct {
        const char *name;
        const char *body;
        bool is_error;
        int64_t tokens; /* -1: absent */
        const char *finish;
        bool is_no_json;
    } rows[] = {
        {"an answer",
         "{\"choices\":[{\"message\":{\"content\":\"a\\n\\ndata: "
         "x\"},\"finish_reason\":\"length\"}],"
         "\"usage\":{\"completion_tokens\":7}}\n",
         false, 7, "length", false},
        {"an error alone", "{\"error\":{\"message\":\"no\",\"code\":400}}", true, -1, "", false},
        {"an error of null", "{\"error\":null,\"choices\":[]}", false, -1, "", false},
        {"not JSON", "<html>", false, -1, "", true},
        {"cut", "{\"error\":{\"mess", false, -1, "", true},
        {"a list", "[1]", false, -1, "", false},
        {"nothing", "", false, -1, "", true},
    };

    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(rows); i++) {
        pp_tee *tee = tee_new(false, true);
        const pp_tee_facts *f = pp_tee_facts_of(tee);
        pp_buf out;

        pp_buf_init(&out, 4096);
        for (const char *at = rows[i].body; *at != '\0'; at++)
            feed(tee, (pp_bytes){(const unsigned char *)at, 1}, 5, &out);
        assert_string_equal(pp_buf_text(&out), rows[i].body); /* at once */
        finish(tee, 6, &out);
        assert_string_equal(pp_buf_text(&out), rows[i].body);
        if (f->plain_is_error != rows[i].is_error || f->plain_is_no_json != rows[i].is_no_json ||
            (f->counts.usage_completion_tokens.known ? f->counts.usage_completion_tokens.value
                                                     : -1) != rows[i].tokens ||
            f->finish_reason.size != strlen(rows[i].finish))
            fail_msg("%s: error %d, finish '%.*s'", rows[i].name, f->plain_is_error,
                     (int)f->finish_reason.size, f->finish_reason.data);
        assert_false(pp_tee_between_events(tee));
        pp_tee_free(tee);
        pp_buf_done(&out);
    }
}

static void a_plain_reply_above_its_ceiling_goes_on_unread(void **state)
{
    pp_tee *tee = tee_new(false, false);
    size_t size = 4096;
    unsigned char blanks[4096];
    pp_buf out;

    (void)state;
    memset(blanks, ' ', size);
    pp_buf_init(&out, PP_TEE_PLAIN_MAX * 2);
    feed_text(tee, "{\"error\":\"x\"}", 1, &out);
    for (size_t i = 0; i <= PP_TEE_PLAIN_MAX / size; i++)
        feed(tee, (pp_bytes){blanks, size}, 1, &out);
    finish(tee, 1, &out);
    assert_int_equal(out.size, 13 + (PP_TEE_PLAIN_MAX / size + 1) * size);
    assert_false(pp_tee_facts_of(tee)->plain_is_error);
    pp_tee_free(tee);
    pp_buf_done(&out);
}

static pp_status whole_reply(const void *context, pp_error *err)
{
    const pp_tee_options options = {true, true};
    pp_tee *tee = NULL;
    pp_buf out;
    pp_status st = pp_tee_new(&options, &tee, err);

    pp_buf_init(&out, 4096);
    if (st == PP_OK)
        st = pp_tee_feed(tee, bytes_of(context), 1, &out, err);
    if (st == PP_OK)
        st = pp_tee_finish(tee, 1, &out, err);
    pp_tee_free(tee);
    pp_buf_done(&out);
    return st;
}

static void missing_memory_is_said(void **state)
{
    (void)state;
    assert_true(check_missing_memory(whole_reply, TEXT "data: {\"a\":\ndata: 1}\n\n" USAGE) >= 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(g56_e7_e9_the_same_bytes_go_on_however_they_are_cut),
        cmocka_unit_test(bytes_go_on_at_once_unless_the_event_may_be_usage),
        cmocka_unit_test(between_events_is_known_at_each_byte),
        cmocka_unit_test(an_event_too_large_to_look_at_goes_on_and_the_next_is_read),
        cmocka_unit_test(g4_the_event_of_usage_comes_once_before_the_end_mark_with_no_choices),
        cmocka_unit_test(g5_usage_in_the_last_but_one_event_counts_and_nothing_is_invented),
        cmocka_unit_test(e13_usage_of_an_odd_shape_is_believed_and_absent_stays_absent),
        cmocka_unit_test(g60_e12_e19_the_first_text_is_no_prelude_and_no_comment),
        cmocka_unit_test(e18_g17_a_stream_that_begins_with_an_error_is_told),
        cmocka_unit_test(e21_drafts_are_known_only_from_timings),
        cmocka_unit_test(g36_a_plain_reply_goes_on_and_is_read),
        cmocka_unit_test(a_plain_reply_above_its_ceiling_goes_on_unread),
        cmocka_unit_test(missing_memory_is_said),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
