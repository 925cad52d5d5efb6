/* Lines are compared as a whole; 2026-11-30T18:33:07.089Z is what `date -u -d @1796063587` says. */
#include "gateway/access_log.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/files.h"
#include "shared.h"
#include "json/json.h"
#include "json/lines.h"

#define MINUTE (60 * PP_NS_PER_S)

typedef struct bench {
    pp_arena arena;
    const char *folder, *path;
    pp_access_log *log;
} bench;

static void open_log(bench *t, int64_t max_bytes_per_minute)
{
    pp_access_log_options options = {.max_bytes_per_minute = max_bytes_per_minute};
    pp_error err = {0};

    *t = (bench){0};
    t->folder = make_temp_folder(&t->arena);
    t->path = pp_path_join(&t->arena, t->folder, "access.jsonl");
    options.path = t->path;
    assert_ok(pp_access_log_open(&options, &t->log, &err), err);
}

static const char *text_of(bench *t, const char *path)
{
    const char *copy;
    pp_error err = {0};
    pp_buf text;

    pp_buf_init(&text, (size_t)16 << 20);
    assert_ok(pp_file_read(path, &text, &err), err);
    copy = pp_arena_dup(&t->arena, pp_buf_text(&text), text.size);
    pp_buf_done(&text);
    return copy;
}

static void done(bench *t)
{
    pp_access_log_free(t->log);
    remove_folder(t->folder);
    pp_arena_done(&t->arena);
}

static const pp_access_entry whole = {
    .unix_ms = 1796063587089,
    .request_id = {"id-1", 4},
    .key_name = {"alice", 5},
    .address = {"203.0.113.9", 11},
    .method = {"POST", 4},
    .path = {"/v1/chat/completions", 20},
    .model = {"small", 5},
    .backend = {"a", 1},
    .attempt_count = 2,
    .is_stream = true,
    .status = 200,
    .total_ns = 4000000000,
    .queue_ns = {true, 5250999},
    .ttft_ns = {true, 2000000000},
    .text_ns = {true, 2000000000},
    .prompt_tokens = {true, 10},
    .completion_tokens = {true, 101},
    .drafted_tokens = {true, 8},
    .accepted_tokens = {true, 0},
    .bytes_in = 345,
    .bytes_out = 6789,
    .route = {"rule=long", 9},
};

static void every_request_is_one_line(void **state)
{
    pp_access_entry refused = {.unix_ms = 0, .status = 401, .code = "invalid_api_key"};
    bench t;

    (void)state;
    open_log(&t, 1 << 20);
    refused.fingerprint = pp_text_of("5e179de4");
    pp_access_log_add(t.log, &whole, 1);
    pp_access_log_add(t.log, &refused, 2);
    pp_access_log_free(t.log);
    t.log = NULL;
    assert_string_equal(
        text_of(&t, t.path),
        "{\"address\":\"203.0.113.9\",\"attempts\":2,\"backend\":\"a\",\"bytes_in\":345,"
        "\"bytes_out\":6789,\"client_gone\":false,\"code\":null,\"decode_tokens_per_second\":50.0,"
        "\"end_to_end_tokens_per_second\":25.25,\"key\":\"alice\",\"method\":\"POST\","
        "\"model\":\"small\",\"path\":\"/v1/chat/completions\",\"queue_ms\":5.25,"
        "\"rejected_key_sha256\":null,\"request_id\":\"id-1\",\"route\":\"rule=long\","
        "\"status\":200,\"stream\":true,\"time\":\"2026-11-30T18:33:07.089Z\",\"total_ms\":4000.0,"
        "\"ttft_ms\":2000.0,\"usage\":{\"accepted_tokens\":0,\"cached_tokens\":null,"
        "\"completion_tokens\":101,\"drafted_tokens\":8,\"partial\":false,\"prompt_tokens\":10}}\n"
        "{\"address\":null,\"attempts\":0,\"backend\":null,\"bytes_in\":0,\"bytes_out\":0,"
        "\"client_gone\":false,\"code\":\"invalid_api_key\",\"decode_tokens_per_second\":null,"
        "\"end_to_end_tokens_per_second\":null,\"key\":null,\"method\":null,\"model\":null,"
        "\"path\":null,\"queue_ms\":null,\"rejected_key_sha256\":\"5e179de4\",\"request_id\":null,"
        "\"route\":null,\"status\":401,\"stream\":false,\"time\":\"1970-01-01T00:00:00.000Z\","
        "\"total_ms\":0.0,\"ttft_ms\":null,\"usage\":null}\n");
    done(&t);
}

static void g2_half_an_answer_is_said_to_be_one_and_has_no_rate(void **state)
{
    pp_access_entry gone = whole;
    bench t;

    (void)state;
    open_log(&t, 1 << 20);
    gone.client_gone = gone.usage_is_partial = true;
    gone.completion_tokens = pp_known_int(3);
    pp_access_log_add(t.log, &gone, 1);
    gone.prompt_tokens = gone.completion_tokens = (pp_maybe_int){0};
    gone.drafted_tokens = gone.accepted_tokens = (pp_maybe_int){0};
    pp_access_log_add(t.log, &gone, 1);
    pp_access_log_free(t.log);
    t.log = NULL;
    {
        const char *text = text_of(&t, t.path);

        assert_contains(text, "\"completion_tokens\":3,\"drafted_tokens\":8,\"partial\":true");
        assert_contains(text, "\"client_gone\":true");
        assert_contains(text, "\"decode_tokens_per_second\":null,"
                              "\"end_to_end_tokens_per_second\":null");
        assert_contains(text, "\"completion_tokens\":null,\"drafted_tokens\":null,"
                              "\"partial\":true,\"prompt_tokens\":null");
    }
    done(&t);
}

static void foreign_text_cannot_leave_its_line(void **state)
{
    pp_access_entry entry = whole;
    static char longer[5000];
    bench t;

    (void)state;
    open_log(&t, 1 << 20);
    memset(longer, '"', sizeof longer - 1);
    entry.path = pp_text_of("/\n{\"a\":1}\x1b[31m\xff\xe2\x80\xae");
    entry.method = entry.model = entry.route = entry.key_name = pp_text_of(longer);
    pp_access_log_add(t.log, &entry, 1);
    pp_access_log_free(t.log);
    t.log = NULL;
    {
        const char *text = text_of(&t, t.path);
        const pp_json *root = NULL;
        pp_error err = {0};

        assert_ptr_equal(strchr(text, '\n'), text + strlen(text) - 1);
        assert_ok(pp_json_parse(&t.arena, "line", text, strlen(text) - 1, &root, &err), err);
        assert_string_equal(pp_json_find(root, "path")->text.data,
                            "/\\u000a{\"a\":1}\\u001b[31m\\xff\\u202e");
        assert_int_equal(pp_json_find(root, "model")->text.size, PP_ACCESS_LOG_TEXT_MAX - 1);
    }
    done(&t);
}

static size_t size_of(const char *path)
{
    struct stat info;

    assert_int_equal(stat(path, &info), 0);
    return (size_t)info.st_size;
}

static void lines_are_gathered_and_written_off_the_hot_path(void **state)
{
    bench t;

    (void)state;
    open_log(&t, 1 << 30);
    assert_int_equal(pp_access_log_due_ns(t.log), 0);
    pp_access_log_add(t.log, &whole, 500);
    assert_int_equal(size_of(t.path), 0);
    assert_int_equal(pp_access_log_due_ns(t.log), 500 + PP_NS_PER_S);
    pp_access_log_tick(t.log, 499 + PP_NS_PER_S, 0);
    assert_int_equal(size_of(t.path), 0);
    pp_access_log_tick(t.log, 500 + PP_NS_PER_S, 0);
    assert_true(size_of(t.path) > 0);
    assert_int_equal(pp_access_log_due_ns(t.log), 0);
    { /* a full buffer is written at once */
        const size_t before = size_of(t.path);

        for (int i = 0; i < 200; i++)
            pp_access_log_add(t.log, &whole, 600 + PP_NS_PER_S);
        assert_true(size_of(t.path) >= before + PP_ACCESS_LOG_BUFFER_BYTES);
    }
    assert_int_equal(pp_access_log_dropped_count(t.log), 0);
    done(&t);
}

static size_t count_of(const char *text, const char *part)
{
    size_t count = 0;

    for (const char *at = text; (at = strstr(at, part)) != NULL; at += strlen(part))
        count++;
    return count;
}

/* 20,000 requests in one minute, as of a client that floods. */
static void e36_g30_a_minute_takes_so_much_and_losses_are_one_line(void **state)
{
    const int64_t n = 20000;
    size_t kept;
    bench t;

    (void)state;
    open_log(&t, 50000);
    for (int64_t i = 0; i < n; i++)
        pp_access_log_add(t.log, &whole, i * (MINUTE / n));
    pp_access_log_tick(t.log, MINUTE - 1, 0);
    assert_true(size_of(t.path) <= 50000);
    kept = count_of(text_of(&t, t.path), "\"status\":200");
    assert_true(kept > 50);
    assert_null(strstr(text_of(&t, t.path), "dropped"));
    assert_int_equal(pp_access_log_dropped_count(t.log), (uint64_t)n - kept);
    assert_int_equal(pp_access_log_due_ns(t.log), MINUTE);
    /* the minute is over */
    pp_access_log_tick(t.log, MINUTE, 1796063587089);
    pp_access_log_add(t.log, &whole, MINUTE + 1);
    pp_access_log_tick(t.log, 3 * MINUTE, 1796063587089);
    {
        const char *text = text_of(&t, t.path);

        assert_int_equal(count_of(text, "dropped_lines"), 1);
        assert_contains(text, pp_arena_printf(&t.arena,
                                              "\n{\"dropped_lines\":%lld,"
                                              "\"time\":\"2026-11-30T18:33:07.089Z\"}\n",
                                              (long long)n - (long long)kept));
        assert_int_equal(count_of(text, "\"status\":200"), kept + 1);
    }
    /* nothing was lost since: no more lines about it */
    pp_access_log_tick(t.log, 10 * MINUTE, 0);
    assert_int_equal(count_of(text_of(&t, t.path), "dropped_lines"), 1);
    done(&t);
}

static void after_a_rename_the_path_is_opened_anew(void **state)
{
    const char *old;
    pp_error err = {0};
    bench t;

    (void)state;
    open_log(&t, 1 << 20);
    old = pp_path_join(&t.arena, t.folder, "old.jsonl");
    pp_access_log_add(t.log, &whole, 1);
    assert_int_equal(rename(t.path, old), 0);
    assert_ok(pp_access_log_reopen(t.log, &err), err);
    pp_access_log_add(t.log, &whole, 2);
    pp_access_log_add(t.log, &whole, 2);
    assert_int_equal(rename(t.folder, pp_arena_printf(&t.arena, "%s.away", t.folder)), 0);
    assert_int_equal(pp_access_log_reopen(t.log, &err), PP_ERR_IO);
    assert_contains(err.text, "access.jsonl");
    assert_int_equal(rename(pp_arena_printf(&t.arena, "%s.away", t.folder), t.folder), 0);
    pp_access_log_add(t.log, &whole, 3); /* to the one that stayed */
    pp_access_log_free(t.log);
    t.log = NULL;
    assert_int_equal(count_of(text_of(&t, old), "\n"), 1);
    assert_int_equal(count_of(text_of(&t, t.path), "\n"), 3);
    {
        struct stat info;

        assert_int_equal(stat(t.path, &info), 0);
        assert_int_equal(info.st_mode & 077, 0);
    }
    done(&t);
}

/* A pipe takes 64 KiB that nobody reads; the rest is lost, counted, and stops nobody. */
static void a_reader_that_does_not_read_costs_lines_only(void **state)
{
    pp_access_log_options options = {.max_bytes_per_minute = 1 << 30};
    pp_access_log *log = NULL;
    size_t lines = 0, whole_lines = 0;
    pp_line_reader reader;
    pp_error err = {0};
    pp_text line;
    pp_buf text;
    bench t;
    int fd;

    (void)state;
    open_log(&t, 1);
    options.path = pp_path_join(&t.arena, t.folder, "pipe");
    assert_int_equal(mkfifo(options.path, 0600), 0);
    assert_int_equal(pp_access_log_open(&options, &log, &err), PP_ERR_IO); /* no reader */
    fd = open(options.path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    assert_true(fd >= 0);
    memset(&err, 0, sizeof err);
    assert_ok(pp_access_log_open(&options, &log, &err), err);
    for (int i = 0; i < 400; i++)
        pp_access_log_add(log, &whole, 1);
    assert_true(pp_access_log_dropped_count(log) > 0);
    pp_buf_init(&text, (size_t)1 << 20);
    {
        static char piece[(size_t)1 << 20];
        ssize_t n;

        while ((n = read(fd, piece, sizeof piece)) > 0)
            pp_buf_append(&text, piece, (size_t)n);
        pp_access_log_add(log, &whole, 1);
        pp_access_log_free(log);
        while ((n = read(fd, piece, sizeof piece)) > 0)
            pp_buf_append(&text, piece, (size_t)n);
    }
    assert_int_equal(text.data[text.size - 1], '\n');
    pp_lines_init(&reader, "pipe", (pp_bytes){(const unsigned char *)text.data, text.size});
    while (pp_lines_next(&reader, &line)) {
        const pp_json *root = NULL;
        pp_arena scratch = {0};

        lines++;
        whole_lines += pp_lines_parse(&scratch, &reader, line, &root, NULL) == PP_OK;
        pp_arena_done(&scratch);
    }
    assert_true(whole_lines + 1 >= lines); /* at most one is cut, and it ends */
    assert_true(whole_lines > 100);
    pp_buf_done(&text);
    assert_int_equal(close(fd), 0);
    done(&t);
}

static void what_cannot_be_opened_is_said(void **state)
{
    pp_access_log_options options = {.path = "/nowhere/at/all.jsonl", .max_bytes_per_minute = 1};
    pp_access_log *log = NULL;
    pp_error err = {0};

    (void)state;
    assert_int_equal(pp_access_log_open(&options, &log, &err), PP_ERR_IO);
    assert_contains(err.text, "/nowhere/at/all.jsonl");
    options.max_bytes_per_minute = 0;
    assert_int_equal(pp_access_log_open(&options, &log, NULL), PP_ERR_RANGE);
    pp_access_log_add(NULL, &whole, 1);
    pp_access_log_tick(NULL, 1, 1);
    assert_int_equal(pp_access_log_due_ns(NULL), 0);
    assert_int_equal(pp_access_log_dropped_count(NULL), 0);
    assert_ok(pp_access_log_reopen(NULL, &err), err);
    pp_access_log_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_request_is_one_line),
        cmocka_unit_test(g2_half_an_answer_is_said_to_be_one_and_has_no_rate),
        cmocka_unit_test(foreign_text_cannot_leave_its_line),
        cmocka_unit_test(lines_are_gathered_and_written_off_the_hot_path),
        cmocka_unit_test(e36_g30_a_minute_takes_so_much_and_losses_are_one_line),
        cmocka_unit_test(after_a_rename_the_path_is_opened_anew),
        cmocka_unit_test(a_reader_that_does_not_read_costs_lines_only),
        cmocka_unit_test(what_cannot_be_opened_is_said),
    };

    (void)signal(SIGPIPE, SIG_IGN);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
