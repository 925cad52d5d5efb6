/* The host reader and the watch over every tree of tests/fixtures/machine, and what the watch makes
 * of files that change while it runs: the differences that this test writes are what must come out.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/files.h"
#include "machine/host.h"
#include "machine/process_memory.h"
#include "machine/watch.h"
#include "shared.h"

#define MS PP_NS_PER_MS

static void read_text(const char *path, char *out, size_t size)
{
    FILE *file = fopen(path, "r");

    if (file == NULL)
        fail_msg("cannot open %s", path);
    out[fread(out, 1, size - 1, file)] = '\0';
    (void)fclose(file);
}

static void write_text(pp_arena *arena, const char *folder, const char *name, const char *text)
{
    FILE *file = fopen(pp_path_join(arena, folder, name), "w");

    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

/* What each tree can be asked. A tree without a row, or a row without a tree, fails the test. */
static const struct {
    const char *tree;
    pp_status want_watch;
} trees[] = {
    {"arm-server", PP_OK},
    {"cgroup-v1", PP_OK},
    {"cgroup-v2", PP_OK},
    {"container", PP_OK},
    {"hostile", PP_ERR_UNAVAILABLE},        /* one line of digits */
    {"hostile-cgroup", PP_ERR_UNAVAILABLE}, /* no proc/stat */
    {"nothing", PP_ERR_UNAVAILABLE},        /* the same */
    {"qemu-user-arch", PP_ERR_UNAVAILABLE}, /* what tells the emulator, and no more */
    {"qemu-user-exe", PP_ERR_UNAVAILABLE},
    {"vm", PP_OK},
};

static size_t row_of(const char *tree)
{
    size_t i = 0;

    while (i < PP_COUNT_OF(trees) && strcmp(trees[i].tree, tree) != 0)
        i++;
    return i;
}

static void every_tree_says_whether_it_was_recorded_or_made(void **state)
{
    pp_arena arena = {0};
    const char *folder = fixture_path(&arena, "machine");
    DIR *all = opendir(folder);
    struct dirent *entry;
    size_t seen = 0;

    (void)state;
    assert_non_null(all);
    while ((entry = readdir(all)) != NULL) {
        char text[512];

        if (entry->d_name[0] == '.')
            continue;
        if (row_of(entry->d_name) == PP_COUNT_OF(trees))
            fail_msg("tree '%s' is not tested here", entry->d_name);
        read_text(pp_arena_printf(&arena, "%s/%s/README", folder, entry->d_name), text,
                  sizeof text);
        if (strncmp(text, "Made", 4) != 0 && strncmp(text, "Recorded ", 9) != 0)
            fail_msg("tree '%s': its README begins '%.20s'", entry->d_name, text);
        seen++;
    }
    (void)closedir(all);
    assert_int_equal(seen, PP_COUNT_OF(trees));
    pp_arena_done(&arena);
}

static const pp_watch_options half_a_second = {.root = "/",
                                               .interval_ns = 20 * MS,
                                               .window_ns = 300 * MS,
                                               .foreign_limit_percent = 5,
                                               .steal_limit_percent = 1};

/* Files that stand still tell of nobody: a watch on them is quiet. */
static void every_tree_is_read_by_host_and_watch(void **state)
{
    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(trees); i++) {
        pp_arena arena = {0};
        pp_error err = {0};
        pp_watch_options options = half_a_second;
        pp_host_options host_options = {0};
        pp_host_facts facts;
        pp_watch_result result;
        pp_watch *watch = NULL;
        pp_status st;

        options.root = fixture_path(&arena, pp_arena_printf(&arena, "machine/%s", trees[i].tree));
        host_options.root = options.root;
        pp_host_read(&host_options, &facts);
        assert_true(facts.recorded);
        st = pp_watch_start(&options, &watch, &err);
        if (st != trees[i].want_watch)
            fail_msg("%s: %s", trees[i].tree, st == PP_OK ? "the watch started" : err.text);
        if (st == PP_OK) {
            pp_clock_sleep_until_ns(pp_clock_now_ns() + 600 * MS);
            pp_watch_stop(watch, &result);
            assert_int_equal(result.verdict, PP_WATCH_QUIET);
            assert_int_equal(result.cpu_count, facts.cpus_online.value);
            assert_true(result.samples_taken >= 2);
        } else {
            assert_contains(err.text, "proc/stat");
        }
        pp_arena_done(&arena);
    }
}

static const char *copy_of(pp_arena *arena, const char *tree)
{
    const char *folder = make_temp_folder(arena);
    const char *command =
        pp_arena_printf(arena, "cp -R '%s/.' '%s'",
                        fixture_path(arena, pp_arena_printf(arena, "machine/%s", tree)), folder);

    if (system(command) != 0)
        fail_msg("cannot copy %s", tree);
    return folder;
}

static double measured(const pp_watch_result *result, pp_watch_cause cause)
{
    for (size_t i = 0; i < result->reason_count; i++) {
        if (result->reasons[i].cause == cause)
            return result->reasons[i].measured;
    }
    fail_msg("no reason '%s'", pp_watch_cause_name(cause));
    return 0;
}

/* Begin values are those of the fixture: 4 throttled periods and 25,000 us of the outer group,
 * whose quota is the tightest; pressure 1,000,000 and 2,000 us; 120 major faults; 3 + 4 thermal
 * events; 3.0 GHz. */
static void what_changes_in_a_container_is_told_as_its_difference(void **state)
{
    pp_arena arena = {0};
    pp_error err = {0};
    const char *root = copy_of(&arena, "container");
    pp_watch_options options = half_a_second;
    pp_watch_result result;
    pp_watch *watch = NULL;

    (void)state;
    options.root = root;
    assert_ok(pp_watch_start(&options, &watch, &err), err);
    pp_clock_sleep_until_ns(pp_clock_now_ns() + 200 * MS);
    write_text(&arena, root, "sys/fs/cgroup/cpu.stat", "nr_throttled 11\nthrottled_usec 95000\n");
    write_text(&arena, root, "sys/fs/cgroup/worker/cpu.stat", "nr_throttled 999\n");
    write_text(&arena, root, "proc/pressure/cpu", "some avg10=1.00 total=1500000\n");
    write_text(&arena, root, "proc/pressure/memory", "some avg10=0.00 total=2000\n");
    write_text(&arena, root, "proc/vmstat", "pgfault 1\npgmajfault 143\n");
    write_text(&arena, root, "sys/devices/system/cpu/cpu1/thermal_throttle/core_throttle_count",
               "9\n");
    write_text(&arena, root, "sys/devices/system/cpu/cpu1/cpufreq/scaling_cur_freq", "1800000\n");
    pp_clock_sleep_until_ns(pp_clock_now_ns() + 500 * MS);
    pp_watch_stop(watch, &result);
    assert_int_equal(result.cgroup_throttled_count.value, 11 - 4);
    assert_int_equal(result.cgroup_throttled_ns.value, (95000 - 25000) * 1000LL);
    assert_int_equal(result.psi_cpu_some_us.value, 500000);
    assert_true(result.psi_memory_some_us.known);
    assert_int_equal(result.psi_memory_some_us.value, 0);
    assert_int_equal(result.major_faults_count.value, 23);
    assert_int_equal(result.thermal_throttled_count.value, 9 - 4);
    assert_int_equal(result.frequency_min_khz.value, 1800000);
    assert_int_equal(result.frequency_max_khz.value, 3000000);
    assert_int_equal(result.verdict, PP_WATCH_DISTURBED);
    assert_float_equal(measured(&result, PP_WATCH_CGROUP_THROTTLED), 7, 0);
    assert_float_equal(measured(&result, PP_WATCH_THERMAL_THROTTLED), 5, 0);
    assert_int_equal(result.reason_count, 2);
    remove_folder(root);
    pp_arena_done(&arena);
}

/* Version 1 counts in nanoseconds; the group "docker" has the tightest quota, 3 periods and 5 ms.
 */
static void throttling_under_version_1_is_told(void **state)
{
    pp_arena arena = {0};
    pp_error err = {0};
    const char *root = copy_of(&arena, "cgroup-v1");
    pp_watch_options options = half_a_second;
    pp_watch_result result;
    pp_watch *watch = NULL;

    (void)state;
    options.root = root;
    assert_ok(pp_watch_start(&options, &watch, &err), err);
    write_text(&arena, root, "sys/fs/cgroup/cpu,cpuacct/docker/cpu.stat",
               "nr_periods 20\nnr_throttled 4\nthrottled_time 5300000\n");
    pp_clock_sleep_until_ns(pp_clock_now_ns() + 600 * MS);
    pp_watch_stop(watch, &result);
    assert_int_equal(result.cgroup_throttled_count.value, 1);
    assert_int_equal(result.cgroup_throttled_ns.value, 300000);
    assert_int_equal(result.verdict, PP_WATCH_DISTURBED);
    assert_float_equal(measured(&result, PP_WATCH_CGROUP_THROTTLED), 1, 0);
    remove_folder(root);
    pp_arena_done(&arena);
}

/* 30 ticks of steal in about 0.7 s of 4 CPUs: 300 ms of some 2,800 ms, far above 1 %. The wall time
 * is the watch's own, so the share is checked against it. */
static void stolen_time_of_a_server_is_told(void **state)
{
    pp_arena arena = {0};
    pp_error err = {0};
    const char *root = copy_of(&arena, "arm-server");
    pp_watch_options options = half_a_second;
    pp_watch_result result;
    pp_watch *watch = NULL;

    (void)state;
    options.root = root;
    assert_ok(pp_watch_start(&options, &watch, &err), err);
    pp_clock_sleep_until_ns(pp_clock_now_ns() + 200 * MS);
    write_text(&arena, root, "proc/stat",
               "cpu  100 0 50 4000 10 0 5 30 0 0\ncpu0 1\ncpu1 1\ncpu2 1\ncpu3 1\n");
    pp_clock_sleep_until_ns(pp_clock_now_ns() + 500 * MS);
    pp_watch_stop(watch, &result);
    assert_int_equal(result.verdict, PP_WATCH_DISTURBED);
    assert_float_equal(measured(&result, PP_WATCH_STEAL),
                       100 * 30e9 / (double)sysconf(_SC_CLK_TCK) / (4 * (double)result.duration_ns),
                       1e-9);
    assert_false(result.cgroup_throttled_count.known); /* its cpu.stat has no such line */
    assert_false(result.psi_cpu_some_us.known);
    assert_int_equal(result.frequency_min_khz.value, 2000000);
    assert_int_equal(result.frequency_max_khz.value, 2300000);
    remove_folder(root);
    pp_arena_done(&arena);
}

static void a_server_in_a_container_has_its_inner_groups_peak(void **state)
{
    pp_arena arena = {0};
    pp_error err = {0};
    pp_process_memory memory;
    pp_cgroup cgroup;
    const char *root = fixture_path(&arena, "machine/container");

    (void)state;
    assert_ok(pp_process_memory_read(root, 42, &memory, &err), err);
    assert_int_equal(memory.peak_rss_bytes.value, 150LL << 20);
    assert_int_equal(memory.anon_bytes.value, 80LL << 20);
    assert_int_equal(memory.file_bytes.value, 40LL << 20);
    assert_int_equal(memory.pss_bytes.value, 100LL << 20);
    assert_int_equal(memory.cgroup_peak_bytes.value, 250LL << 20);
    assert_string_equal(memory.cgroup_peak_file, "memory.peak");
    pp_cgroup_read(root, 42, &cgroup);
    assert_string_equal(cgroup.version, "v2");
    assert_float_equal(cgroup.cpu_quota_cores.value, 1.5, 0);
    assert_int_equal(cgroup.memory_limit_bytes.value, 512LL << 20);
    assert_int_equal(cgroup.memory_headroom_bytes.value, (512LL - (180 - 60)) << 20);
    pp_arena_done(&arena);
}

/* Version 1: 20 MiB used, 12 MiB of them page cache, of 4 GiB; the outer group allows 8. */
static void a_server_under_version_1_has_a_peak_too(void **state)
{
    pp_arena arena = {0};
    pp_error err = {0};
    pp_process_memory memory;
    pp_cgroup cgroup;
    const char *root = fixture_path(&arena, "machine/cgroup-v1");

    (void)state;
    assert_ok(pp_process_memory_read(root, 50, &memory, &err), err);
    assert_int_equal(memory.peak_rss_bytes.value, 2 << 20);
    assert_int_equal(memory.cgroup_peak_bytes.value, 70 << 20);
    assert_string_equal(memory.cgroup_peak_file, "memory.max_usage_in_bytes");
    pp_cgroup_read(root, 50, &cgroup);
    assert_int_equal(cgroup.memory_headroom_bytes.value, (4096LL - (20 - 12)) << 20);
    pp_arena_done(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_tree_says_whether_it_was_recorded_or_made),
        cmocka_unit_test(every_tree_is_read_by_host_and_watch),
        cmocka_unit_test(what_changes_in_a_container_is_told_as_its_difference),
        cmocka_unit_test(throttling_under_version_1_is_told),
        cmocka_unit_test(stolen_time_of_a_server_is_told),
        cmocka_unit_test(a_server_in_a_container_has_its_inner_groups_peak),
        cmocka_unit_test(a_server_under_version_1_has_a_peak_too),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
