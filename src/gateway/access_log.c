#include "gateway/access_log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fail_nth.h"
#include "gateway/metrics.h"
#include "json/json.h"

#define MINUTE_NS (60 * PP_NS_PER_S)

/* The line about a minute's losses is written whatever the minute took. */
#define LINE_MAX_BYTES ((size_t)8 << 10)

struct pp_access_log {
    char *path;
    int fd;
    int64_t max_bytes_per_minute;
    pp_buf buffer;          /* whole lines */
    pp_arena arena;         /* scratch of one line */
    bool line_is_cut;       /* the last write ended within a line */
    int64_t flush_due_ns;   /* while something is gathered */
    int64_t minute_end_ns;  /* of the running minute */
    int64_t minute_bytes;   /* taken by its lines */
    uint64_t minute_losses; /* lines */
    uint64_t dropped_count; /* ever */
    int64_t last_unix_ms;
};

/* ---- the file ------------------------------------------------------------------------------ */

static int open_path(const char *path)
{
    /* a pipe that nobody reads must not stop us */
    return open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0600);
}

pp_status pp_access_log_open(const pp_access_log_options *options, pp_access_log **ret_log,
                             pp_error *err)
{
    pp_access_log *log;

    if (options->max_bytes_per_minute <= 0)
        return pp_fail(err, PP_ERR_RANGE, "access log: expected bytes per minute above 0, got %lld",
                       (long long)options->max_bytes_per_minute);
    log = pp_fail_nth_malloc(sizeof *log);
    if (log == NULL)
        return pp_fail(err, PP_ERR_MEMORY, "out of memory for the access log");
    *log = (pp_access_log){.fd = -1, .max_bytes_per_minute = options->max_bytes_per_minute};
    log->minute_end_ns = options->now_ns + MINUTE_NS;
    log->last_unix_ms = pp_clock_unix_ms();
    pp_buf_init(&log->buffer, PP_ACCESS_LOG_BUFFER_BYTES + LINE_MAX_BYTES);
    log->path = pp_fail_nth_malloc(strlen(options->path) + 1);
    if (log->path == NULL) {
        pp_access_log_free(log);
        return pp_fail(err, PP_ERR_MEMORY, "out of memory for the access log");
    }
    memcpy(log->path, options->path, strlen(options->path) + 1);
    log->fd = open_path(log->path);
    if (log->fd < 0) {
        const int errnum = errno;

        pp_access_log_free(log);
        return pp_fail_errno(err, PP_ERR_IO, errnum, "cannot open the access log '%s'",
                             options->path);
    }
    *ret_log = log;
    return PP_OK;
}

static void lose(pp_access_log *log, uint64_t lines)
{
    log->minute_losses += lines;
    log->dropped_count += lines;
}

static uint64_t count_lines(const char *text, size_t size)
{
    uint64_t lines = 0;

    for (size_t i = 0; i < size; i++)
        lines += text[i] == '\n';
    return lines;
}

/* How many bytes were taken. */
static size_t write_some(int fd, const char *data, size_t size)
{
    size_t done = 0;

    while (done < size) {
        const ssize_t n = write(fd, data + done, size - done);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            break;
        done += (size_t)n;
    }
    return done;
}

/* A disk that is full, or a pipe without a reader, costs lines and nothing else. */
static void flush(pp_access_log *log)
{
    const char *data = pp_buf_text(&log->buffer);
    const size_t size = log->buffer.size;
    size_t done = 0;

    if (size > 0 && (!log->line_is_cut || write_some(log->fd, "\n", 1) == 1)) {
        done = write_some(log->fd, data, size);
        log->line_is_cut = done > 0 && data[done - 1] != '\n';
    }
    lose(log, count_lines(data + done, size - done));
    pp_buf_clear(&log->buffer);
    log->flush_due_ns = 0;
}

pp_status pp_access_log_reopen(pp_access_log *log, pp_error *err)
{
    int fd;

    if (log == NULL)
        return PP_OK;
    flush(log);
    fd = open_path(log->path);
    if (fd < 0)
        return pp_fail_errno(err, PP_ERR_IO, errno, "cannot open the access log '%s' anew",
                             log->path);
    (void)close(log->fd); /* written to without a promise */
    log->fd = fd;
    return PP_OK;
}

uint64_t pp_access_log_dropped_count(const pp_access_log *log)
{
    return log == NULL ? 0 : log->dropped_count;
}

/* ---- a line -------------------------------------------------------------------------------- */

static void set_time(pp_arena *arena, pp_json *line, int64_t unix_ms)
{
    const time_t seconds = (time_t)(unix_ms / 1000);
    char text[40] = "";
    struct tm utc;

    if (gmtime_r(&seconds, &utc) != NULL)
        (void)strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &utc);
    pp_json_set_string(
        arena, line, "time",
        pp_arena_printf(arena, "%s.%03dZ", text, (int)(unix_ms % 1000))); /* NULL is seen later */
}

/* Foreign text, cut and without controls; absent when empty. */
static void set_text(pp_arena *arena, pp_json *line, const char *key, pp_text text)
{
    char clean[PP_ACCESS_LOG_TEXT_MAX];

    if (text.size > 0)
        pp_text_escape_controls(text.data, text.size, clean, sizeof clean);
    pp_json_set_string(arena, line, key, text.size > 0 ? clean : NULL);
}

/* To the microsecond. */
static void set_ms(pp_arena *arena, pp_json *line, const char *key, pp_maybe_int ns)
{
    pp_json_set_maybe_real(arena, line, key,
                           ns.known ? pp_known_real((double)(ns.value / 1000) / 1000.0)
                                    : (pp_maybe_real){0});
}

static void set_who(pp_arena *arena, pp_json *line, const pp_access_entry *e)
{
    set_time(arena, line, e->unix_ms);
    set_text(arena, line, "request_id", e->request_id);
    set_text(arena, line, "key", e->key_name);
    set_text(arena, line, "rejected_key_sha256", e->fingerprint);
    set_text(arena, line, "address", e->address);
    set_text(arena, line, "method", e->method);
    set_text(arena, line, "path", e->path);
    set_text(arena, line, "model", e->model);
    set_text(arena, line, "backend", e->backend);
    set_text(arena, line, "route", e->route);
    pp_json_set_int(arena, line, "attempts", e->attempt_count);
    pp_json_set_bool(arena, line, "stream", e->is_stream);
}

static void set_outcome(pp_arena *arena, pp_json *line, const pp_access_entry *e)
{
    pp_json_set_int(arena, line, "status", e->status);
    pp_json_set_string(arena, line, "code", e->code);
    pp_json_set_bool(arena, line, "client_gone", e->client_gone);
    pp_json_set_int(arena, line, "bytes_in", (int64_t)e->bytes_in);
    pp_json_set_int(arena, line, "bytes_out", (int64_t)e->bytes_out);
    set_ms(arena, line, "queue_ms", e->queue_ns);
    set_ms(arena, line, "ttft_ms", e->ttft_ns);
    set_ms(arena, line, "total_ms", pp_known_int(e->total_ns));
}

static pp_json *usage_of(pp_arena *arena, const pp_access_entry *e)
{
    pp_json *usage;

    if (!e->prompt_tokens.known && !e->completion_tokens.known && !e->drafted_tokens.known &&
        !e->usage_is_partial)
        return pp_json_new_null(arena);
    usage = pp_json_new_object(arena);
    pp_json_set_bool(arena, usage, "partial", e->usage_is_partial);
    pp_json_set_maybe_int(arena, usage, "prompt_tokens", e->prompt_tokens);
    pp_json_set_maybe_int(arena, usage, "completion_tokens", e->completion_tokens);
    pp_json_set_maybe_int(arena, usage, "cached_tokens", e->cached_tokens);
    pp_json_set_maybe_int(arena, usage, "drafted_tokens", e->drafted_tokens);
    pp_json_set_maybe_int(arena, usage, "accepted_tokens", e->accepted_tokens);
    return usage;
}

static pp_json *line_of(pp_arena *arena, const pp_access_entry *e)
{
    const bool whole = !e->usage_is_partial && !e->client_gone;
    pp_json *line = pp_json_new_object(arena);

    set_who(arena, line, e);
    set_outcome(arena, line, e);
    pp_json_set(arena, line, "usage", usage_of(arena, e));
    pp_json_set_maybe_real(arena, line, "decode_tokens_per_second",
                           whole ? pp_decode_tokens_per_second(e->completion_tokens, e->text_ns)
                                 : (pp_maybe_real){0});
    pp_json_set_maybe_real(arena, line, "end_to_end_tokens_per_second",
                           whole
                               ? pp_end_to_end_tokens_per_second(e->completion_tokens, e->total_ns)
                               : (pp_maybe_real){0});
    return line;
}

/* ---- what a minute takes ------------------------------------------------------------------- */

static void append_line(pp_access_log *log, const pp_json *line, bool is_bounded, int64_t now_ns)
{
    pp_buf text;

    pp_buf_init(&text, LINE_MAX_BYTES);
    if (pp_json_write(line, PP_JSON_COMPACT, &text, NULL) == PP_OK)
        pp_buf_append_char(&text, '\n');
    if (text.size == 0 || text.data[text.size - 1] != '\n' ||
        (is_bounded && log->minute_bytes + (int64_t)text.size > log->max_bytes_per_minute)) {
        lose(log, 1);
    } else {
        const size_t before = log->buffer.size;

        pp_buf_append(&log->buffer, text.data, text.size);
        if (log->buffer.status == PP_OK) {
            log->minute_bytes += (int64_t)text.size;
            if (before == 0)
                log->flush_due_ns = now_ns + PP_ACCESS_LOG_FLUSH_NS;
        } else {
            lose(log, 1);
            log->buffer.status = PP_OK; /* what was in it before is whole */
        }
    }
    pp_buf_done(&text);
    if (log->buffer.size >= PP_ACCESS_LOG_BUFFER_BYTES)
        flush(log);
}

/* One line for all that was lost since the last one (E36, G30). */
static void tell_losses(pp_access_log *log, int64_t now_ns, int64_t unix_ms)
{
    const uint64_t losses = log->minute_losses;
    pp_json *line;

    if (losses == 0)
        return;
    pp_arena_clear(&log->arena);
    line = pp_json_new_object(&log->arena);
    set_time(&log->arena, line, unix_ms);
    pp_json_set_int(&log->arena, line, "dropped_lines", (int64_t)losses);
    log->minute_losses = 0;
    append_line(log, line, false, now_ns);
}

static void roll_minute(pp_access_log *log, int64_t now_ns, int64_t unix_ms)
{
    if (now_ns < log->minute_end_ns)
        return;
    log->minute_end_ns += (now_ns - log->minute_end_ns) / MINUTE_NS * MINUTE_NS + MINUTE_NS;
    log->minute_bytes = 0;
    tell_losses(log, now_ns, unix_ms);
}

void pp_access_log_add(pp_access_log *log, const pp_access_entry *entry, int64_t now_ns)
{
    if (log == NULL)
        return;
    log->last_unix_ms = entry->unix_ms + entry->total_ns / PP_NS_PER_MS;
    roll_minute(log, now_ns, log->last_unix_ms);
    pp_arena_clear(&log->arena);
    append_line(log, line_of(&log->arena, entry), true, now_ns);
}

int64_t pp_access_log_due_ns(const pp_access_log *log)
{
    if (log == NULL)
        return 0;
    if (log->flush_due_ns != 0 || log->minute_losses == 0)
        return log->flush_due_ns;
    return log->minute_end_ns;
}

void pp_access_log_tick(pp_access_log *log, int64_t now_ns, int64_t unix_ms)
{
    if (log == NULL)
        return;
    roll_minute(log, now_ns, unix_ms);
    if (log->flush_due_ns != 0 && now_ns >= log->flush_due_ns)
        flush(log);
}

void pp_access_log_free(pp_access_log *log)
{
    if (log == NULL)
        return;
    if (log->fd >= 0) {
        flush(log);
        tell_losses(log, log->minute_end_ns, log->last_unix_ms);
        flush(log);
        (void)close(log->fd); /* written to without a promise */
    }
    pp_buf_done(&log->buffer);
    pp_arena_done(&log->arena);
    free(log->path);
    free(log);
}
