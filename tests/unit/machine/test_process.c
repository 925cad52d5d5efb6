/* Fields by proc(5); expected values are read off the texts by hand. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "machine/proc_stat.h"
#include "machine/process_cpu.h"
#include "machine/process_memory.h"
#include "shared.h"

#define NUMBERS " 7 5 5 0 -1 4194304 1 2 3 4 100 20 30 4 20 0 9 0 555 1000 10"

static const struct {
    const char *name, *text;
    bool want;
} process_rows[] = {
    {"a plain name", "9 (cat) S" NUMBERS, true},
    {"a name with blanks and parentheses", "9 (a) S 1 (b) c) S" NUMBERS "\n", true},
    {"no closing parenthesis", "9 (cat S" NUMBERS, false},
    {"cut in the middle", "9 (cat) S 7 5 5 0 -1 4194304 1 2 3 4 100", false},
    {"negative time", "9 (cat) S 7 5 5 0 -1 4194304 1 2 3 4 -100 20 30 4 20 0 9 0 555", false},
    {"absurd time", "9 (c) S 7 5 5 0 -1 4194304 1 2 3 4 9223372036854775807 1 1 4 20 0 9 0 5",
     false},
    {"no text", "", false},
};

static void a_process_line_counts_from_the_last_parenthesis(void **state)
{
    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(process_rows); i++) {
        pp_process_cpu cpu = {0};
        const char *text = process_rows[i].text;
        bool got = pp_process_cpu_parse(pp_scan_of(text, strlen(text)), &cpu);

        if (got != process_rows[i].want)
            fail_msg("%s: got %d", process_rows[i].name, got);
        if (!got)
            continue;
        assert_int_equal(cpu.state, 'S');
        assert_int_equal(cpu.parent_pid, 7);
        assert_int_equal(cpu.own_ticks, 120);
        assert_int_equal(cpu.children_ticks, 34);
        assert_int_equal(cpu.started_ticks, 555);
    }
}

static const struct {
    const char *name, *text;
    bool want;
    int64_t busy, idle, steal, cpus;
} stat_rows[] = {
    {"all columns", "cpu 1 2 3 4 5 6 7 8 9 10\ncpu0 1\ncpu1 1\nintr 5\n", true, 19, 9, 8, 2},
    {"an old kernel", "cpu 1 2 3 4\ncpu0 1 2 3 4", true, 6, 4, 0, 1},
    {"three columns", "cpu 1 2 3\ncpu0 1\n", false, 0, 0, 0, 0},
    {"no CPU", "cpu 1 2 3 4\n", false, 0, 0, 0, 0},
    {"negative", "cpu 1 -2 3 4\ncpu0 1\n", false, 0, 0, 0, 0},
    {"too large", "cpu 1 2 3 9223372036854775807\ncpu0 1\n", false, 0, 0, 0, 0},
    {"something else", "hello\n", false, 0, 0, 0, 0},
};

static void the_machine_line_is_summed(void **state)
{
    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(stat_rows); i++) {
        pp_proc_stat stat = {0};
        const char *text = stat_rows[i].text;

        if (pp_proc_stat_parse(pp_scan_of(text, strlen(text)), &stat) != stat_rows[i].want ||
            stat.busy_ticks != stat_rows[i].busy || stat.idle_ticks != stat_rows[i].idle ||
            stat.steal_ticks != stat_rows[i].steal || stat.cpu_count != stat_rows[i].cpus)
            fail_msg("%s: busy %lld idle %lld steal %lld cpus %lld", stat_rows[i].name,
                     (long long)stat.busy_ticks, (long long)stat.idle_ticks,
                     (long long)stat.steal_ticks, (long long)stat.cpu_count);
    }
}

static void b140_memory_is_in_bytes_kind_by_kind(void **state)
{
    pp_arena arena = {0};
    pp_error err = {0};
    pp_process_memory memory;
    const char *root = fixture_path(&arena, "machine/cgroup-v2");

    (void)state;
    assert_ok(pp_process_memory_read(root, 77, &memory, &err), err);
    assert_int_equal(memory.peak_rss_bytes.value, 524300 * 1024);
    assert_int_equal(memory.rss_bytes.value, 400000 * 1024);
    assert_int_equal(memory.anon_bytes.value, 100000 * 1024);
    assert_int_equal(memory.file_bytes.value, 299000 * 1024);
    assert_int_equal(memory.shmem_bytes.value, 1000 * 1024);
    assert_int_equal(memory.swap_bytes.value, 8 * 1024);
    assert_int_equal(memory.hugetlb_bytes.value, 2048 * 1024);
    assert_int_equal(memory.pss_bytes.value, 350001 * 1024);
    assert_int_equal(memory.cgroup_peak_bytes.value, 1234567168);
    assert_ok(pp_process_memory_read(root, 78, &memory, &err), err); /* a zombie holds nothing */
    assert_false(memory.peak_rss_bytes.known);
    assert_false(memory.rss_bytes.known);
    assert_false(memory.pss_bytes.known);
    assert_int_equal(pp_process_memory_read(root, 79, &memory, &err), PP_ERR_UNAVAILABLE);
    assert_contains(err.text, "process 79");
    pp_arena_done(&arena);
}

/* 64 MiB that we touch show up in our own peak. */
static void our_own_memory_grows_by_what_we_touch(void **state)
{
    size_t size = (size_t)64 << 20;
    pp_process_memory before, after;
    pp_error err = {0};
    char *block;

    (void)state;
    assert_ok(pp_process_memory_read("/", getpid(), &before, &err), err);
    block = malloc(size);
    assert_non_null(block);
    for (size_t i = 0; i < size; i += 4096)
        ((volatile char *)block)[i] = 1;
    assert_ok(pp_process_memory_read("/", getpid(), &after, &err), err);
    free(block);
    assert_true(after.peak_rss_bytes.value - before.peak_rss_bytes.value > (int64_t)size * 9 / 10 ||
                after.anon_bytes.value - before.anon_bytes.value > (int64_t)size * 9 / 10);
    assert_true(after.rss_bytes.value >= (int64_t)size);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_process_line_counts_from_the_last_parenthesis),
        cmocka_unit_test(the_machine_line_is_summed),
        cmocka_unit_test(b140_memory_is_in_bytes_kind_by_kind),
        cmocka_unit_test(our_own_memory_grows_by_what_we_touch),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
