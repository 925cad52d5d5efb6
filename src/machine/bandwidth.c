#include "machine/bandwidth.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "base/clock.h"
#include "machine/bandwidth_sum.h"
#include "machine/cgroup.h"
#include "machine/host_parts.h"
#include "machine/tree.h"

#define HUGE_PAGE_BYTES ((size_t)2 << 20) /* of x86-64, and of aarch64 with pages of 4 KiB */
#define MAX_PASSES      ((int64_t)1 << 40)
#define BLOCK_BYTES     (PP_BANDWIDTH_BLOCK_WORDS * (int64_t)sizeof(uint64_t))

/* More than any machine has; keeps sums far from overflow. */
#define MAX_FOOTPRINT_BYTES ((int64_t)1 << 46)

typedef struct probe probe;

typedef struct worker {
    probe *probe;
    pthread_t thread;
    size_t first, count; /* words */
    int64_t began_ns, ended_ns;
    bool sum_is_wrong;
} worker;

struct probe {
    const pp_bandwidth_options *options;
    void *mapping;
    size_t mapping_bytes;
    uint64_t *words;
    worker *workers;
    size_t worker_count;
    pthread_mutex_t gate; /* held until every thread is there, or is known not to come */
    bool abandoned;
    int64_t passes; /* over the whole buffer in the coming repeat, 0: end; written while every
                       worker waits at `start` */
    pthread_barrier_t start, end;
};

void pp_bandwidth_options_default(pp_bandwidth_options *ret_options)
{
    pp_maybe_int allowed = pp_host_allowed_cpus();

    *ret_options = (pp_bandwidth_options){
        .root = "/", .thread_count = 1, .repeat_count = 7, .repeat_ns = 100 * PP_NS_PER_MS};
    if (allowed.known && allowed.value <= PP_BANDWIDTH_MAX_THREADS)
        ret_options->thread_count = allowed.value;
}

/* ---- what fits ------------------------------------------------------------------------------- */

static pp_status check_options(const pp_bandwidth_options *options, pp_error *err)
{
    if (options->thread_count < 1 || options->thread_count > PP_BANDWIDTH_MAX_THREADS)
        return pp_fail(err, PP_ERR_RANGE, "threads: expected 1 to %d, got %" PRId64,
                       PP_BANDWIDTH_MAX_THREADS, options->thread_count);
    if (options->footprint_bytes < options->thread_count * PP_BANDWIDTH_MIN_BYTES_PER_THREAD ||
        options->footprint_bytes > MAX_FOOTPRINT_BYTES)
        return pp_fail(err, PP_ERR_RANGE,
                       "footprint: expected %" PRId64 " bytes (64 KiB a thread) to %" PRId64
                       " bytes, got %" PRId64,
                       options->thread_count * PP_BANDWIDTH_MIN_BYTES_PER_THREAD,
                       MAX_FOOTPRINT_BYTES, options->footprint_bytes);
    if (options->repeat_count < 1 || options->repeat_count > PP_BANDWIDTH_MAX_REPEATS)
        return pp_fail(err, PP_ERR_RANGE, "repeats: expected 1 to %d, got %" PRId64,
                       PP_BANDWIDTH_MAX_REPEATS, options->repeat_count);
    if (options->repeat_ns < 0 || options->repeat_ns > 60 * PP_NS_PER_S)
        return pp_fail(err, PP_ERR_RANGE, "repeat: expected 0 to 60 s, got %" PRId64 " ns",
                       options->repeat_ns);
    return PP_OK;
}

static pp_maybe_int available_bytes(const char *root)
{
    char path[PP_TREE_PATH_MAX], buf[16384];
    pp_scan text;

    if (!pp_tree_path(path, root, "proc/meminfo") || !pp_tree_read(path, buf, sizeof buf, &text))
        return (pp_maybe_int){0};
    return pp_scan_kib(text, "MemAvailable");
}

static pp_status check_room(int64_t need_bytes, pp_maybe_int room, const char *whose, pp_error *err)
{
    if (!room.known || need_bytes <= room.value - PP_BANDWIDTH_SPARE_BYTES)
        return PP_OK;
    return pp_fail(err, PP_ERR_UNAVAILABLE,
                   "a footprint of %.6g MiB: %s leaves %.6g MiB, of which 64 MiB stay spare",
                   (double)need_bytes / (1 << 20), whose, (double)room.value / (1 << 20));
}

/* A machine that says neither is believed to have room; mmap has the last word. */
static pp_status check_fits(const pp_bandwidth_options *options, pp_error *err)
{
    pp_cgroup cgroup;
    pp_status st = check_room(options->footprint_bytes, available_bytes(options->root),
                              "the machine's free memory", err);

    if (st != PP_OK)
        return st;
    pp_cgroup_read(options->root, 0, &cgroup);
    return check_room(options->footprint_bytes, cgroup.memory_headroom_bytes,
                      "the memory limit of this control group", err);
}

/* ---- the buffer ------------------------------------------------------------------------------ */

/* Huge pages are advised, not demanded: what was got is reported. */
static pp_status map_buffer(probe *p, size_t bytes, pp_error *err)
{
    uintptr_t begin;

    p->mapping_bytes = bytes + HUGE_PAGE_BYTES;
    p->mapping =
        mmap(NULL, p->mapping_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p->mapping == MAP_FAILED) {
        p->mapping = NULL;
        return pp_fail(err, PP_ERR_MEMORY, "no memory for a buffer of %zu bytes", bytes);
    }
    begin = ((uintptr_t)p->mapping + HUGE_PAGE_BYTES - 1) / HUGE_PAGE_BYTES * HUGE_PAGE_BYTES;
    p->words = (uint64_t *)begin;
    (void)madvise(p->words, bytes, MADV_HUGEPAGE); /* refused where there are none */
    return PP_OK;
}

static pp_maybe_int own_huge_bytes(void)
{
    char buf[8192];
    pp_scan text;

    if (!pp_tree_read("/proc/self/smaps_rollup", buf, sizeof buf, &text))
        return (pp_maybe_int){0};
    return pp_scan_kib(text, "AnonHugePages");
}

/* ---- the threads ----------------------------------------------------------------------------- */

/* The barrier behind each pass keeps the compiler from reading once and multiplying. */
static uint64_t read_passes(const worker *w, int64_t passes)
{
    const uint64_t *words = w->probe->words + w->first;
    uint64_t sum = 0;

    for (int64_t i = 0; i < passes; i++) {
        sum += pp_bandwidth_sum(words, w->count);
        __asm__ volatile("" : "+r"(sum) : : "memory");
    }
    return sum;
}

static void *worker_main(void *context)
{
    worker *w = context;
    probe *p = w->probe;
    uint64_t expected = pp_bandwidth_expected(w->first, w->count);

    (void)pthread_mutex_lock(&p->gate);
    (void)pthread_mutex_unlock(&p->gate);
    if (p->abandoned)
        return NULL;
    pp_bandwidth_fill(p->words, w->first, w->count);
    for (;;) {
        (void)pthread_barrier_wait(&p->start); /* cannot fail on a valid barrier */
        if (p->passes == 0)
            return NULL;
        w->began_ns = pp_clock_now_ns();
        w->sum_is_wrong |= read_passes(w, p->passes) != expected * (uint64_t)p->passes;
        w->ended_ns = pp_clock_now_ns();
        (void)pthread_barrier_wait(&p->end);
    }
}

static pp_bandwidth_repeat run_repeat(probe *p, int64_t passes)
{
    pp_bandwidth_repeat repeat = {0};
    int64_t began_ns = INT64_MAX, ended_ns = 0, words = 0;

    p->passes = passes;
    (void)pthread_barrier_wait(&p->start);
    (void)pthread_barrier_wait(&p->end);
    for (size_t i = 0; i < p->worker_count; i++) {
        const worker *w = &p->workers[i];

        began_ns = w->began_ns < began_ns ? w->began_ns : began_ns;
        ended_ns = w->ended_ns > ended_ns ? w->ended_ns : ended_ns;
        words += (int64_t)w->count;
    }
    repeat.read_bytes = passes * words * (int64_t)sizeof(uint64_t);
    repeat.duration_ns = ended_ns > began_ns ? ended_ns - began_ns : 1;
    repeat.bytes_per_second = (double)repeat.read_bytes * 1e9 / (double)repeat.duration_ns;
    return repeat;
}

static void end_workers(probe *p)
{
    p->passes = 0;
    (void)pthread_barrier_wait(&p->start);
    for (size_t i = 0; i < p->worker_count; i++)
        (void)pthread_join(p->workers[i].thread, NULL); /* they have no other way to end */
}

/* Equal parts of whole blocks; the last ones may be a block smaller. Returns the bytes of all. */
static size_t share_out(probe *p)
{
    size_t blocks = (size_t)((p->options->footprint_bytes + BLOCK_BYTES - 1) / BLOCK_BYTES);
    size_t first = 0;

    for (size_t i = 0; i < p->worker_count; i++) {
        size_t part = blocks / p->worker_count + (i < blocks % p->worker_count);

        p->workers[i] = (worker){.probe = p, .first = first};
        p->workers[i].count = part * PP_BANDWIDTH_BLOCK_WORDS;
        first += p->workers[i].count;
    }
    return first * sizeof(uint64_t);
}

/* Threads that exist wait at the gate until all do; a barrier would wait for a missing one forever.
 */
static pp_status start_workers(probe *p, pp_error *err)
{
    size_t started = 0;
    int code = 0;

    (void)pthread_mutex_lock(&p->gate); /* cannot fail on a valid mutex */
    while (started < p->worker_count && code == 0) {
        code = pthread_create(&p->workers[started].thread, NULL, worker_main, &p->workers[started]);
        started += code == 0;
    }
    p->abandoned = code != 0;
    (void)pthread_mutex_unlock(&p->gate);
    if (code == 0)
        return PP_OK;
    for (size_t i = 0; i < started; i++)
        (void)pthread_join(p->workers[i].thread, NULL);
    return pp_fail_errno(err, PP_ERR_UNAVAILABLE, code, "cannot start thread %zu of %zu",
                         started + 1, p->worker_count);
}

static pp_status init_barriers(probe *p, pp_error *err)
{
    unsigned int parties = (unsigned int)p->worker_count + 1;

    if (pthread_barrier_init(&p->start, NULL, parties) != 0)
        return pp_fail(err, PP_ERR_MEMORY, "no memory for a barrier");
    if (pthread_barrier_init(&p->end, NULL, parties) != 0) {
        (void)pthread_barrier_destroy(&p->start);
        return pp_fail(err, PP_ERR_MEMORY, "no memory for a barrier");
    }
    (void)pthread_mutex_init(&p->gate, NULL); /* always succeeds on Linux */
    return PP_OK;
}

static void done_barriers(probe *p)
{
    (void)pthread_mutex_destroy(&p->gate); /* nobody holds or waits for them any more */
    (void)pthread_barrier_destroy(&p->start);
    (void)pthread_barrier_destroy(&p->end);
}

/* ---- the measurement ------------------------------------------------------------------------- */

static int by_rate(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;

    return (a > b) - (a < b);
}

static void summarise(pp_bandwidth *bandwidth)
{
    double rates[PP_BANDWIDTH_MAX_REPEATS];
    size_t n = bandwidth->repeat_count;

    for (size_t i = 0; i < n; i++)
        rates[i] = bandwidth->repeats[i].bytes_per_second;
    qsort(rates, n, sizeof rates[0], by_rate);
    bandwidth->worst_bytes_per_second = rates[0];
    bandwidth->best_bytes_per_second = rates[n - 1];
    bandwidth->median_bytes_per_second = (rates[(n - 1) / 2] + rates[n / 2]) / 2;
}

/* The untimed first pass brings a small buffer into the caches and says how long a pass takes. */
static void run_repeats(probe *p, pp_bandwidth *bandwidth)
{
    pp_bandwidth_repeat warm = run_repeat(p, 1);
    int64_t passes = (p->options->repeat_ns + warm.duration_ns - 1) / warm.duration_ns;

    passes = passes < 1 ? 1 : passes > MAX_PASSES ? MAX_PASSES : passes;
    for (size_t i = 0; i < bandwidth->repeat_count; i++)
        bandwidth->repeats[i] = run_repeat(p, passes);
}

static pp_status check_workers(const probe *p, pp_error *err)
{
    for (size_t i = 0; i < p->worker_count; i++) {
        const worker *w = &p->workers[i];

        if (w->sum_is_wrong)
            return pp_fail(err, PP_ERR_BUG, "thread %zu read a wrong sum of %zu words", i,
                           w->count);
    }
    return PP_OK;
}

static pp_status run_probe(probe *p, pp_bandwidth *bandwidth, pp_error *err)
{
    pp_maybe_int huge_before = own_huge_bytes(), huge_after;
    pp_status st = start_workers(p, err);

    if (st != PP_OK)
        return st;
    run_repeats(p, bandwidth);
    huge_after = own_huge_bytes();
    if (huge_before.known && huge_after.known)
        bandwidth->huge_bytes = pp_known_int(
            huge_after.value > huge_before.value ? huge_after.value - huge_before.value : 0);
    end_workers(p);
    return check_workers(p, err);
}

static pp_status prepare(probe *p, pp_bandwidth *bandwidth, pp_error *err)
{
    p->worker_count = (size_t)p->options->thread_count;
    p->workers = calloc(p->worker_count, sizeof *p->workers);
    if (p->workers == NULL)
        return pp_fail(err, PP_ERR_MEMORY, "no memory for %zu threads", p->worker_count);
    bandwidth->footprint_bytes = (int64_t)share_out(p);
    bandwidth->thread_count = p->options->thread_count;
    bandwidth->repeat_count = (size_t)p->options->repeat_count;
    return map_buffer(p, (size_t)bandwidth->footprint_bytes, err);
}

pp_status pp_bandwidth_measure(const pp_bandwidth_options *options, pp_bandwidth *ret_bandwidth,
                               pp_error *err)
{
    probe p = {.options = options};
    pp_bandwidth bandwidth = {0};
    pp_status st = check_options(options, err);

    if (st == PP_OK)
        st = check_fits(options, err);
    if (st == PP_OK)
        st = prepare(&p, &bandwidth, err);
    if (st == PP_OK)
        st = init_barriers(&p, err);
    if (st == PP_OK) {
        st = run_probe(&p, &bandwidth, err);
        done_barriers(&p);
    }
    if (p.mapping != NULL)
        (void)munmap(p.mapping, p.mapping_bytes); /* a valid range */
    free(p.workers);
    if (st == PP_OK) {
        summarise(&bandwidth);
        *ret_bandwidth = bandwidth;
    }
    return pp_wrap(err, st, "measuring memory bandwidth");
}
