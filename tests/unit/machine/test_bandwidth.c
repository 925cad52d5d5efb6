/* Sums against plain loops over made words; rates against nothing but order, because the machine is
 * shared. */
#include "machine/bandwidth.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "machine/bandwidth_sum.h"
#include "shared.h"

#define MIB ((int64_t)1 << 20)

static uint64_t *new_words(size_t count)
{
    uint64_t *words = aligned_alloc(128, count * sizeof *words);

    assert_non_null(words);
    return words;
}

/* Any contents, not only those of the probe: every word counts once. */
static void the_sum_counts_every_word_once(void **state)
{
    enum { COUNT = 16 * 40 };
    uint64_t *words = new_words(COUNT);
    uint64_t random = 88172645463325252U;

    (void)state;
    for (size_t count = 0; count <= COUNT; count += 16) {
        uint64_t want = 0;

        for (size_t i = 0; i < COUNT; i++) { /* xorshift64, Marsaglia 2003 */
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            words[i] = random;
            want += i < count ? random : 0;
        }
        assert_true(pp_bandwidth_sum(words, count) == want);
    }
    memset(words, 0, COUNT * sizeof *words);
    for (size_t i = 0; i < COUNT; i++) {
        words[i] = UINT64_C(1) << 63 | i;
        assert_true(pp_bandwidth_sum(words, COUNT) == words[i]);
        words[i] = 0;
    }
    free(words);
}

static void the_expected_sum_is_that_of_the_words(void **state)
{
    static const size_t firsts[] = {0, 1, 16, 48, 1001};
    enum { COUNT = 2048 };
    uint64_t *words = new_words(COUNT);

    (void)state;
    for (size_t f = 0; f < PP_COUNT_OF(firsts); f++) {
        uint64_t want = 0;

        memset(words, 0, COUNT * sizeof *words);
        pp_bandwidth_fill(words, firsts[f], 1000);
        for (size_t i = 0; i < COUNT; i++) {
            bool inside = i >= firsts[f] && i < firsts[f] + 1000;

            if (words[i] != (inside ? UINT64_C(0x9e3779b97f4a7c15) * (i + 1) : 0))
                fail_msg("word %zu of a stretch from %zu", i, firsts[f]);
        }
        for (size_t n = 0; n < 1000; n++) {
            assert_true(pp_bandwidth_expected(firsts[f], n) == want);
            want += words[firsts[f] + n];
        }
    }
    free(words);
}

static void every_repeat_reads_the_whole_buffer(void **state)
{
    static const int64_t threads[] = {1, 2, 3};

    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(threads); i++) {
        pp_bandwidth_options options;
        pp_bandwidth got;
        pp_error err = {0};

        pp_bandwidth_options_default(&options);
        options.thread_count = threads[i];
        options.footprint_bytes = 8 * MIB + 1;
        options.repeat_count = 5;
        options.repeat_ns = 5 * PP_NS_PER_MS;
        assert_ok(pp_bandwidth_measure(&options, &got, &err), err);
        assert_int_equal(got.footprint_bytes, 8 * MIB + 128); /* whole blocks */
        assert_int_equal(got.thread_count, threads[i]);
        assert_int_equal(got.repeat_count, 5);
        for (size_t r = 0; r < got.repeat_count; r++) {
            const pp_bandwidth_repeat *repeat = &got.repeats[r];

            assert_true(repeat->read_bytes > 0 && repeat->read_bytes % got.footprint_bytes == 0);
            assert_int_equal(repeat->read_bytes, got.repeats[0].read_bytes);
            assert_true(repeat->bytes_per_second >= got.worst_bytes_per_second);
            assert_true(repeat->bytes_per_second <= got.best_bytes_per_second);
            assert_float_equal(repeat->bytes_per_second * (double)repeat->duration_ns / 1e9,
                               (double)repeat->read_bytes, 1.0);
        }
        assert_true(got.worst_bytes_per_second <= got.median_bytes_per_second &&
                    got.median_bytes_per_second <= got.best_bytes_per_second);
        assert_true(!got.huge_bytes.known || got.huge_bytes.value <= 10 * MIB);
    }
}

static void what_makes_no_sense_is_refused(void **state)
{
    static const struct {
        int64_t footprint_bytes, threads, repeats;
        const char *text;
    } rows[] = {
        {MIB, 0, 7, "threads: expected 1 to 1024, got 0"},
        {MIB, 1025, 7, "threads: expected 1 to 1024, got 1025"},
        {0, 1, 7, "footprint: expected 65536 bytes"},
        {MIB, 17, 7, "footprint: expected 1114112 bytes (64 KiB a thread)"},
        {INT64_MAX, 1, 7, "footprint: expected 65536"},
        {MIB, 1, 0, "repeats: expected 1 to 31, got 0"},
        {MIB, 1, 32, "repeats: expected 1 to 31, got 32"},
    };

    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(rows); i++) {
        pp_bandwidth_options options;
        pp_bandwidth got;
        pp_error err = {0};

        pp_bandwidth_options_default(&options);
        options.footprint_bytes = rows[i].footprint_bytes;
        options.thread_count = rows[i].threads;
        options.repeat_count = rows[i].repeats;
        assert_int_equal(pp_bandwidth_measure(&options, &got, &err), PP_ERR_RANGE);
        assert_contains(err.text, rows[i].text);
    }
}

/* The trees say how much there is: arm-server 14,000,000 KiB free; container: 512 MiB allowed, of
 * which 180 MiB are used and 60 MiB of these are page cache. */
static void what_does_not_fit_is_refused(void **state)
{
    static const struct {
        const char *tree;
        int64_t footprint_bytes;
        const char *text; /* NULL: fits */
    } rows[] = {
        {"machine/arm-server", (14000000LL << 10) - 63 * MIB,
         "the machine's free memory leaves 13671.9 MiB, of which 64 MiB stay spare"},
        {"machine/container", (512 - 120 - 63) * MIB,
         "a footprint of 329 MiB: the memory limit of this control group leaves 392 MiB"},
        {"machine/container", 8 * MIB, NULL},
        {"machine/nothing", 8 * MIB, NULL},
    };
    pp_arena arena = {0};

    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(rows); i++) {
        pp_bandwidth_options options;
        pp_bandwidth got;
        pp_error err = {0};
        pp_status st;

        pp_bandwidth_options_default(&options);
        options.root = fixture_path(&arena, rows[i].tree);
        options.footprint_bytes = rows[i].footprint_bytes;
        options.thread_count = 1;
        options.repeat_count = 1;
        options.repeat_ns = 0;
        st = pp_bandwidth_measure(&options, &got, &err);
        if (rows[i].text == NULL) {
            assert_ok(st, err);
            continue;
        }
        assert_int_equal(st, PP_ERR_UNAVAILABLE);
        assert_contains(err.text, rows[i].text);
    }
    pp_arena_done(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_sum_counts_every_word_once),
        cmocka_unit_test(the_expected_sum_is_that_of_the_words),
        cmocka_unit_test(every_repeat_reads_the_whole_buffer),
        cmocka_unit_test(what_makes_no_sense_is_refused),
        cmocka_unit_test(what_does_not_fit_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
