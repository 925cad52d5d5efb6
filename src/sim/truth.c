#include "sim/truth.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fail_nth.h"

/* How often the thread looks; its lines wait so long at most. */
#define LOOK_NS         (10 * PP_NS_PER_MS)
#define LINES_MAX_BYTES ((size_t)1 << 20)

struct pp_sim_truth {
    pp_sim_record *ring;
    atomic_uint_fast64_t written; /* by the loop */
    atomic_uint_fast64_t read;    /* by the thread */
    atomic_bool stop;
    uint64_t dropped; /* of the loop alone */
    pthread_t thread;
    bool has_thread;
    pp_buf lines;
    int file;
    int write_errno; /* of the thread, read after joining */
    char *path;
};

pp_sim_record pp_sim_record_start(int64_t at_ns, int64_t request, int64_t slot)
{
    return (pp_sim_record){
        .at_ns = at_ns, .request = request, .kind = PP_SIM_RECORD_START, .connection = slot};
}

pp_sim_record pp_sim_record_event(int64_t at_ns, int64_t request, int64_t event, uint32_t events,
                                  int64_t tokens, int64_t bytes)
{
    return (pp_sim_record){.at_ns = at_ns,
                           .request = request,
                           .kind = PP_SIM_RECORD_EVENT,
                           .events = events,
                           .connection = event,
                           .prompt_tokens = tokens,
                           .asked_tokens = bytes};
}

pp_sim_record pp_sim_record_end(int64_t at_ns, int64_t request, pp_sim_outcome outcome, int status,
                                uint32_t events, int64_t tokens)
{
    return (pp_sim_record){.at_ns = at_ns,
                           .request = request,
                           .kind = PP_SIM_RECORD_END,
                           .outcome = (uint8_t)outcome,
                           .status = (uint16_t)status,
                           .events = events,
                           .prompt_tokens = tokens};
}

/* ---- lines: sorted keys, by hand because printf is too slow for 150,000 a second ----------------
 */

static void put_int(pp_buf *out, const char *before, int64_t value)
{
    char digits[24];
    size_t at = sizeof digits;
    uint64_t left = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;

    do {
        digits[--at] = (char)('0' + left % 10);
        left /= 10;
    } while (left > 0);
    if (value < 0)
        digits[--at] = '-';
    pp_buf_append_text(out, before);
    pp_buf_append(out, digits + at, sizeof digits - at);
}

static void put_count(pp_buf *out, const char *before, int64_t value)
{
    if (value >= 0) {
        put_int(out, before, value);
    } else {
        pp_buf_append_text(out, before);
        pp_buf_append_text(out, "null");
    }
}

static void put_digest(pp_buf *out, const char *before, const char *digest)
{
    bool is_known = digest[0] != '\0';

    pp_buf_append_text(out, before);
    pp_buf_append_text(out, is_known ? "\"" : "null");
    pp_buf_append_text(out, digest);
    pp_buf_append_text(out, is_known ? "\"" : "");
}

static void format_arrival(const pp_sim_record *r, pp_buf *out)
{
    put_count(out, ",\"asked_tokens\":", r->asked_tokens);
    put_int(out, ",\"at_ns\":", r->at_ns);
    put_int(out, ",\"connection\":", r->connection);
    put_int(out, ",\"connection_request\":", r->connection_request);
    pp_buf_append_text(out, ",\"log\":\"arrival\",\"path\":\"");
    pp_buf_append_text(out, r->path);
    put_count(out, "\",\"prompt_tokens\":", r->prompt_tokens);
    put_int(out, ",\"request\":", r->request);
    put_digest(out, ",\"request_sha256\":", r->request_sha256);
}

static void format_event(const pp_sim_record *r, pp_buf *out)
{
    put_int(out, ",\"at_ns\":", r->at_ns);
    put_int(out, ",\"bytes\":", r->asked_tokens);
    put_int(out, ",\"event\":", r->connection);
    put_int(out, ",\"events\":", r->events);
    put_int(out, ",\"log\":\"event\",\"request\":", r->request);
    put_int(out, ",\"tokens\":", r->prompt_tokens);
}

static void format_end(const pp_sim_record *r, pp_buf *out)
{
    static const char *const outcomes[] = {"complete", "gone", "closed", "reset", "stopped"};

    put_int(out, ",\"at_ns\":", r->at_ns);
    put_int(out, ",\"events\":", r->events);
    pp_buf_append_text(out, ",\"log\":\"end\",\"outcome\":\"");
    pp_buf_append_text(out, outcomes[r->outcome]);
    put_int(out, "\",\"request\":", r->request);
    put_count(out, ",\"status\":", r->status == 0 ? -1 : r->status);
    put_int(out, ",\"tokens\":", r->prompt_tokens);
}

void pp_sim_record_format(const pp_sim_record *r, pp_buf *out)
{
    size_t at = out->size;

    if (r->kind == PP_SIM_RECORD_ARRIVAL) {
        format_arrival(r, out);
    } else if (r->kind == PP_SIM_RECORD_EVENT) {
        format_event(r, out);
    } else if (r->kind == PP_SIM_RECORD_END) {
        format_end(r, out);
    } else {
        put_int(out, ",\"at_ns\":", r->at_ns);
        put_int(out, ",\"log\":\"start\",\"request\":", r->request);
        put_int(out, ",\"slot\":", r->connection);
    }
    pp_buf_append_text(out, "}\n");
    if (out->status == PP_OK)
        out->data[at] = '{'; /* in place of the first comma */
}

/* ---- the thread -------------------------------------------------------------------------------
 */

static void write_lines(pp_sim_truth *t)
{
    size_t at = 0;

    while (at < t->lines.size && t->write_errno == 0) {
        ssize_t n = write(t->file, t->lines.data + at, t->lines.size - at);

        if (n > 0)
            at += (size_t)n;
        else if (n < 0 && errno != EINTR)
            t->write_errno = errno;
    }
    pp_buf_clear(&t->lines);
}

static void drain(pp_sim_truth *t)
{
    uint64_t to = atomic_load_explicit(&t->written, memory_order_acquire);
    uint64_t at = atomic_load_explicit(&t->read, memory_order_relaxed);

    while (at < to) {
        pp_sim_record_format(&t->ring[at % PP_SIM_TRUTH_RECORDS], &t->lines);
        at++;
        atomic_store_explicit(&t->read, at, memory_order_release);
        if (t->lines.size > LINES_MAX_BYTES / 2)
            write_lines(t);
    }
    write_lines(t);
}

static void *work(void *user)
{
    pp_sim_truth *t = user;
    const struct timespec wait = {0, LOOK_NS};

    while (!atomic_load(&t->stop)) {
        (void)nanosleep(&wait, NULL); /* early is fine */
        drain(t);
    }
    drain(t);
    return NULL;
}

/* Signals are for the thread that serves. */
static int start_thread(pp_sim_truth *t)
{
    sigset_t all, before;
    int failed;

    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    failed = pthread_create(&t->thread, NULL, work, t);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    t->has_thread = failed == 0;
    return failed;
}

static void release(pp_sim_truth *t)
{
    if (t == NULL)
        return;
    if (t->has_thread) {
        atomic_store(&t->stop, true);
        (void)pthread_join(t->thread, NULL);
    }
    if (t->file >= 0)
        (void)close(t->file);
    pp_buf_done(&t->lines);
    free(t->ring);
    free(t->path);
    free(t);
}

static pp_status open_file(pp_sim_truth *t, const char *path, pp_error *err)
{
    t->file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (t->file < 0 && errno == EEXIST)
        return pp_fail(err, PP_ERR_EXISTS, "'%s' exists already; nothing is overwritten", path);
    if (t->file < 0)
        return pp_fail_errno(err, PP_ERR_IO, errno, "cannot create '%s'", path);
    return PP_OK;
}

static pp_status take_memory(pp_sim_truth *t, const char *path, pp_error *err)
{
    size_t size = (size_t)PP_SIM_TRUTH_RECORDS * sizeof *t->ring;

    t->ring = pp_fail_nth_malloc(size);
    t->path = pp_fail_nth_malloc(strlen(path) + 1);
    if (t->ring == NULL || t->path == NULL)
        return pp_fail(err, PP_ERR_MEMORY, "no memory for the log");
    memset(t->ring, 0, size); /* no page fault while serving (K7) */
    memcpy(t->path, path, strlen(path) + 1);
    return PP_OK;
}

pp_status pp_sim_truth_open(const char *path, const char *first_line, pp_sim_truth **ret_truth,
                            pp_error *err)
{
    pp_sim_truth *t = pp_fail_nth_malloc(sizeof *t);
    pp_status st;
    int failed;

    if (t == NULL)
        return pp_fail(err, PP_ERR_MEMORY, "no memory for the log");
    memset(t, 0, sizeof *t);
    t->file = -1;
    pp_buf_init(&t->lines, LINES_MAX_BYTES);
    st = take_memory(t, path, err);
    if (st == PP_OK)
        st = open_file(t, path, err);
    if (st == PP_OK) {
        pp_buf_append_text(&t->lines, first_line);
        pp_buf_append_char(&t->lines, '\n');
        write_lines(t);
        failed = start_thread(t);
        if (failed != 0)
            st = pp_fail_errno(err, PP_ERR_UNAVAILABLE, failed, "cannot start a thread");
    }
    if (st != PP_OK) {
        release(t);
        return st;
    }
    *ret_truth = t;
    return PP_OK;
}

void pp_sim_truth_add(pp_sim_truth *t, const pp_sim_record *record)
{
    uint64_t at;

    if (t == NULL)
        return;
    at = atomic_load_explicit(&t->written, memory_order_relaxed);
    if (at - atomic_load_explicit(&t->read, memory_order_acquire) == PP_SIM_TRUTH_RECORDS) {
        t->dropped++;
        return;
    }
    t->ring[at % PP_SIM_TRUTH_RECORDS] = *record;
    atomic_store_explicit(&t->written, at + 1, memory_order_release);
}

static pp_status check_written(const pp_sim_truth *t, pp_error *err)
{
    if (t->write_errno != 0)
        return pp_fail_errno(err, PP_ERR_IO, t->write_errno, "writing '%s'", t->path);
    return PP_OK;
}

pp_status pp_sim_truth_finish(pp_sim_truth *t, pp_sim_truth_counts *ret_counts, pp_error *err)
{
    atomic_store(&t->stop, true);
    (void)pthread_join(t->thread, NULL);
    t->has_thread = false;
    ret_counts->written = atomic_load(&t->written);
    ret_counts->dropped = t->dropped;
    return check_written(t, err);
}

pp_status pp_sim_truth_close(pp_sim_truth *t, const char *last_line, pp_error *err)
{
    pp_status st;

    if (t == NULL)
        return PP_OK;
    pp_buf_append_text(&t->lines, last_line);
    pp_buf_append_char(&t->lines, '\n');
    write_lines(t);
    st = check_written(t, err);
    release(t);
    return st;
}
