/* A tree of processes below a recorded root, made here: sums by hand. And of this process itself.
 */
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/files.h"
#include "machine/process_tree.h"
#include "shared.h"

static void write_file(pp_arena *arena, const char *root, const char *name, const char *text)
{
    const char *path = pp_path_join(arena, root, name);
    const char *folder = pp_path_folder(arena, path);
    pp_error err = {0};

    if (!pp_path_is_folder(folder))
        assert_ok(pp_folder_create(folder, true, &err), err);
    assert_ok(pp_file_write_new(path, text, strlen(text), &err), err);
}

/* 40 + 2 ticks of its own, 5 of children that were waited for */
#define STAT " (some name) S 1 1 1 0 -1 4194304 1 2 3 4 40 2 4 1 20 0 9 0 555 1000 10\n"

/* 7 started 8 from its main thread and 9 from another one; 8 started 10; 11 is a zombie. */
static const char *make_tree(pp_arena *arena)
{
    const char *root = make_temp_folder(arena);
    static const char *const files[][2] = {
        {"proc/7/stat", "7" STAT},
        {"proc/8/stat", "8" STAT},
        {"proc/9/stat", "9" STAT},
        {"proc/10/stat", "10" STAT},
        {"proc/11/stat", "11" STAT},
        {"proc/7/status", "VmHWM:\t 100 kB\nVmRSS:\t 90 kB\nRssAnon:\t 40 kB\n"},
        {"proc/8/status", "VmHWM:\t 1000 kB\nVmRSS:\t 900 kB\nRssAnon:\t 400 kB\n"},
        {"proc/9/status", "VmHWM:\t 2000 kB\nVmRSS:\t 1000 kB\nRssAnon:\t 500 kB\n"},
        {"proc/10/status", "VmHWM:\t 10 kB\nVmRSS:\t 9 kB\n"},
        {"proc/11/status", "State:\tZ (zombie)\n"},
        {"proc/7/task/7/children", "8 11 "},
        {"proc/7/task/70/children", "9 "},
        {"proc/8/task/8/children", "10 "},
        {"proc/9/task/9/children", ""},
        {"proc/10/task/10/children", ""},
        {"proc/11/task/11/children", ""},
        {"proc/12/status", "VmHWM:\t 5 kB\nVmRSS:\t 5 kB\n"}, /* a kernel that lists no children */
        {"proc/12/stat", "12" STAT},
    };

    for (size_t i = 0; i < PP_COUNT_OF(files); i++)
        write_file(arena, root, files[i][0], files[i][1]);
    return root;
}

static void memory_is_added_up_over_threads_and_generations(void **state)
{
    pp_arena arena = {0};
    const char *root = make_tree(&arena);
    pp_process_memory memory;
    pp_error err = {0};

    (void)state;
    assert_ok(pp_process_tree_memory(root, 7, &memory, &err), err);
    assert_true(memory.peak_rss_bytes.known);
    assert_int_equal(memory.peak_rss_bytes.value, (100 + 1000 + 2000 + 10) * 1024);
    assert_int_equal(memory.rss_bytes.value, (90 + 900 + 1000 + 9) * 1024);
    assert_false(memory.anon_bytes.known); /* 10 does not tell it */
    assert_ok(pp_process_tree_memory(root, 9, &memory, &err), err);
    assert_int_equal(memory.anon_bytes.value, 500 * 1024);
    remove_folder(root);
    pp_arena_done(&arena);
}

static void time_is_added_up_with_that_of_the_dead(void **state)
{
    pp_arena arena = {0};
    const char *root = make_tree(&arena);
    pp_error err = {0};
    int64_t ns = 0;

    (void)state;
    assert_ok(pp_process_tree_cpu(root, 7, &ns, &err), err);
    assert_int_equal(ns, 5 * 47 * (1000000000 / sysconf(_SC_CLK_TCK)));
    remove_folder(root);
    pp_arena_done(&arena);
}

static void what_cannot_be_listed_is_said(void **state)
{
    pp_arena arena = {0};
    const char *root = make_tree(&arena);
    pp_process_memory memory;
    pp_error err = {0};
    int64_t ns;

    (void)state;
    assert_int_equal(pp_process_tree_memory(root, 12, &memory, &err), PP_ERR_UNAVAILABLE);
    assert_non_null(strstr(err.text, "lists no children"));
    assert_int_equal(pp_process_tree_cpu(root, 12, &ns, NULL), PP_ERR_UNAVAILABLE);
    assert_int_equal(pp_process_tree_cpu(root, 99, &ns, NULL), PP_ERR_UNAVAILABLE);
    remove_folder(root);
    pp_arena_done(&arena);
}

static void a_living_child_counts(void **state)
{
    pp_process_memory alone;
    pp_process_memory both;
    pp_error err = {0};
    pid_t child;

    (void)state;
    assert_ok(pp_process_tree_memory("/", getpid(), &alone, &err), err);
    child = fork();
    if (child == 0) {
        (void)pause();
        _exit(0);
    }
    assert_true(child > 0);
    assert_ok(pp_process_tree_memory("/", getpid(), &both, &err), err);
    assert_true(both.rss_bytes.value > alone.rss_bytes.value);
    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(waitpid(child, NULL, 0), child);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_is_added_up_over_threads_and_generations),
        cmocka_unit_test(time_is_added_up_with_that_of_the_dead),
        cmocka_unit_test(what_cannot_be_listed_is_said),
        cmocka_unit_test(a_living_child_counts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
