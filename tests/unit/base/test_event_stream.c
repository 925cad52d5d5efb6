#include "base/event_stream.h"

#include <stdio.h>
#include <string.h>

#include "base/files.h"
#include "shared.h"

/* What a decoder delivered, as text: "[name|data]" for each event; "!" marks the extra field. */
static pp_status note(void *user, const pp_event *event, pp_error *err)
{
    pp_buf *seen = user;

    (void)err;
    pp_buf_append_text(seen, event->from_extra ? "![" : "[");
    pp_buf_append(seen, event->name.data, event->name.size);
    pp_buf_append_char(seen, '|');
    pp_buf_append(seen, event->data.data, event->data.size);
    pp_buf_printf(seen, "]@%llu", (unsigned long long)event->end_offset);
    return PP_OK;
}

/* Feeds `bytes` in pieces of `step` after a first piece of `first`. */
static void decode(const char *bytes, size_t size, size_t first, size_t step, pp_buf *seen)
{
    pp_event_stream stream;
    pp_error err = {0};
    size_t at = first;

    pp_event_stream_init(&stream, "error", PP_EVENT_MAX_BYTES);
    assert_ok(pp_event_stream_feed(&stream, bytes, first, note, seen, &err), err);
    while (at < size) {
        size_t n = step < size - at ? step : size - at;

        assert_ok(pp_event_stream_feed(&stream, bytes + at, n, note, seen, &err), err);
        at += n;
    }
    assert_ok(pp_event_stream_finish(&stream, note, seen, &err), err);
    pp_buf_printf(seen, " comments=%llu empty=%llu", (unsigned long long)stream.comment_count,
                  (unsigned long long)stream.empty_count);
    pp_event_stream_done(&stream);
}

#define TEXT(literal) literal, sizeof(literal) - 1

static const struct {
    const char *name;
    const char *bytes;
    size_t size;
    const char *want;
} rows[] = {
    {"B002 LF and a blank", TEXT("data: a\n\ndata: b\n\n"), "[|a]@8[|b]@17 comments=0 empty=0"},
    {"B002 LF, no blank", TEXT("data:a\n\ndata:b\n\n"), "[|a]@7[|b]@15 comments=0 empty=0"},
    {"B002 CRLF and a blank", TEXT("data: a\r\n\r\ndata: b\r\n\r\n"),
     "[|a]@9[|b]@20 comments=0 empty=0"},
    {"B002 CRLF, no blank", TEXT("data:a\r\n\r\ndata:b\r\n\r\n"),
     "[|a]@8[|b]@18 comments=0 empty=0"},
    {"B002 CR and a blank", TEXT("data: a\r\rdata: b\r\r"), "[|a]@8[|b]@17 comments=0 empty=0"},
    {"B002 CR, no blank", TEXT("data:a\r\rdata:b\r\r"), "[|a]@7[|b]@15 comments=0 empty=0"},
    {"line ends mixed", TEXT("data: a\r\n\ndata: b\n\r\ndata: c\r\n\rdata: d\n\n"),
     "[|a]@9[|b]@18[|c]@29[|d]@38 comments=0 empty=0"},
    {"B004 comments and other fields are no data",
     TEXT(": x\nevent: message\nid: 7\nretry: 10\ndata: t\n\n"),
     "[message|t]@43 comments=1 empty=0"},
    {"B007 frames of comments only", TEXT(": ping\n\n: ping\n\n:\n\n"), " comments=3 empty=0"},
    {"B007 data without anything", TEXT("data:\n\ndata\n\ndata: \n\n"), " comments=0 empty=3"},
    {"F23 comment wrapped in data", TEXT("data: : keepalive\n\ndata: x\n\n"),
     "[|x]@27 comments=1 empty=0"},
    {"B008 no line end behind the last", TEXT("data: a\n\ndata: [DONE]"),
     "[|a]@8[|[DONE]]@20 comments=0 empty=0"},
    {"last event without its blank line", TEXT("data: a\n"), "[|a]@7 comments=0 empty=0"},
    {"comment without line end", TEXT("data: a\n\n: bye"), "[|a]@8 comments=1 empty=0"},
    {"B008 one blank is data, one is dropped", TEXT("data:  \n\n"), "[| ]@8 comments=0 empty=0"},
    {"B017 several data lines are joined", TEXT("data: {\ndata:  \"a\":\ndata: 1}\n\n"),
     "[|{\n \"a\":\n1}]@29 comments=0 empty=0"},
    {"byte order mark at the start only",
     TEXT("\xEF\xBB\xBF"
          "data: a\n\n\xEF\xBB\xBF"
          "data: b\n\n"),
     "[|a]@11 comments=0 empty=0"},
    {"byte order mark before a comment",
     TEXT("\xEF\xBB\xBF"
          ":x\ndata: a\n\n"),
     "[|a]@14 comments=1 empty=0"},
    {"event alone is not delivered and not kept", TEXT("event: ping\n\ndata: a\n\n"),
     "[|a]@21 comments=0 empty=0"},
    {"last name counts", TEXT("event: a\nevent: b\ndata: x\n\n"), "[b|x]@26 comments=0 empty=0"},
    {"field names are whole words and lower case", TEXT("dat: a\ndatas: b\nDATA: c\n data: d\n\n"),
     " comments=0 empty=0"},
    {"B010 the extra field", TEXT("error: {\"code\":500}\n\n"),
     "![|{\"code\":500}]@20 comments=0 empty=0"},
    {"colons in data", TEXT("data: a:b: c\n\n"), "[|a:b: c]@13 comments=0 empty=0"},
    {"nothing", TEXT(""), " comments=0 empty=0"},
    {"blank lines only", TEXT("\n\r\n\r\r\n"), " comments=0 empty=0"},
};

static void events_do_not_depend_on_where_bytes_are_cut(void **state)
{
    pp_buf seen;

    (void)state;
    pp_buf_init(&seen, 4096);
    for (size_t i = 0; i < PP_COUNT_OF(rows); i++) {
        for (size_t cut = 0; cut <= rows[i].size; cut++) {
            pp_buf_clear(&seen);
            decode(rows[i].bytes, rows[i].size, cut, rows[i].size + 1, &seen);
            if (strcmp(pp_buf_text(&seen), rows[i].want) != 0)
                fail_msg("%s, cut at %zu: got '%s', want '%s'", rows[i].name, cut,
                         pp_buf_text(&seen), rows[i].want);
        }
        pp_buf_clear(&seen);
        decode(rows[i].bytes, rows[i].size, 0, 1, &seen);
        if (strcmp(pp_buf_text(&seen), rows[i].want) != 0)
            fail_msg("%s, byte by byte: got '%s', want '%s'", rows[i].name, pp_buf_text(&seen),
                     rows[i].want);
    }
    pp_buf_done(&seen);
}

static pp_status expect_nul(void *user, const pp_event *event, pp_error *err)
{
    (void)err;
    assert_int_equal(event->data.size, 3);
    assert_memory_equal(event->data.data, "a\0b", 3);
    ++*(int *)user;
    return PP_OK;
}

static void nul_bytes_are_data(void **state)
{
    pp_event_stream stream;
    pp_error err = {0};
    int count = 0;

    (void)state;
    pp_event_stream_init(&stream, NULL, 100);
    assert_ok(pp_event_stream_feed(&stream, "data: a\0b\n\n", 11, expect_nul, &count, &err), err);
    assert_int_equal(count, 1);
    pp_event_stream_done(&stream);
}

static void an_event_above_the_ceiling_is_refused_and_a_comment_is_not(void **state)
{
    pp_event_stream stream;
    pp_error err = {0};
    pp_buf seen;
    pp_status st = PP_OK;

    (void)state;
    pp_buf_init(&seen, 1000);
    pp_event_stream_init(&stream, NULL, 20);
    for (int i = 0; i < 100; i++)
        assert_ok(pp_event_stream_feed(&stream, ":", 1, note, &seen, &err), err);
    assert_ok(pp_event_stream_feed(&stream, "\ndata: 12345678901234\n\n", 23, note, &seen, &err),
              err);
    for (int i = 0; i < 3 && st == PP_OK; i++)
        st = pp_event_stream_feed(&stream, "data: 12345678\n", 15, note, &seen, &err);
    assert_int_equal(st, PP_ERR_LIMIT);
    assert_contains(err.text, "ceiling of 20 bytes");
    pp_event_stream_done(&stream);
    pp_buf_done(&seen);
}

static const struct {
    const char *name;
    const char *bytes;
    bool want;
} watch_rows[] = {
    {"data", "data: x\n\n", true},
    {"data without a blank", "data:x", true},
    {"data behind a CRLF line", ": ping\r\ndata: x", true},
    {"B005 bare colon", ":\n\n:\n\n", false},
    {"F23 wrapped comment", "data: : keepalive\n\n", false},
    {"empty data", "data:\n\ndata: \n\n", false},
    {"other fields", "event: message\nid: 7\nxdata: 4\n", false},
    {"half a field name", "dat", false},
    {"a blank token", "data:  \n", true},
};

static void the_watch_tells_data_from_pings(void **state)
{
    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(watch_rows); i++) {
        pp_event_watch whole = {0};
        pp_event_watch single = {0};
        size_t size = strlen(watch_rows[i].bytes);
        bool found = false;

        for (size_t at = 0; at < size; at++)
            found = pp_event_watch_feed(&single, watch_rows[i].bytes + at, 1) || found;
        if (pp_event_watch_feed(&whole, watch_rows[i].bytes, size) != watch_rows[i].want ||
            found != watch_rows[i].want)
            fail_msg("%s: want %d", watch_rows[i].name, watch_rows[i].want);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(events_do_not_depend_on_where_bytes_are_cut),
        cmocka_unit_test(nul_bytes_are_data),
        cmocka_unit_test(an_event_above_the_ceiling_is_refused_and_a_comment_is_not),
        cmocka_unit_test(the_watch_tells_data_from_pings),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
