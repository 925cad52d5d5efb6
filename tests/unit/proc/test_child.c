#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/files.h"
#include "proc/child.h"
#include "shared.h"

#define SHELL(script) ((const char *const[]){"/bin/sh", "-c", (script), NULL})

static pp_child *start(const char *const *argv, const char *output)
{
    pp_child_options options = {.argv = argv, .stdout_path = output, .stderr_path = output};
    pp_child *child = NULL;
    pp_error err = {0};

    assert_ok(pp_child_start(&options, &child, &err), err);
    return child;
}

static int64_t in_seconds(int64_t seconds)
{
    return pp_clock_now_ns() + seconds * PP_NS_PER_S;
}

/* State letter of /proc/PID/stat; 'X' when the process is gone (K41: a zombie still answers kill).
 */
static char process_state(pid_t pid)
{
    char path[64];
    char text[512] = {0};
    const char *after_name;
    FILE *stat;

    (void)snprintf(path, sizeof path, "/proc/%ld/stat", (long)pid);
    stat = fopen(path, "r");
    if (stat == NULL)
        return 'X';
    (void)!fread(text, 1, sizeof text - 1, stat);
    (void)fclose(stat);
    after_name = strrchr(text, ')');
    return after_name == NULL ? 'X' : after_name[2];
}

static bool is_gone_within(pid_t pid, int64_t seconds)
{
    int64_t until = in_seconds(seconds);

    while (pp_clock_now_ns() < until) {
        char state = process_state(pid);

        if (state == 'X' || state == 'Z')
            return true;
        usleep(10000);
    }
    return false;
}

static void a_child_reports_how_it_ended_and_keeps_its_output(void **state)
{
    pp_arena arena = {0};
    pp_error err = {0};
    const char *folder = make_temp_folder(&arena);
    const char *log = pp_path_join(&arena, folder, "log");
    pp_child *child = start(SHELL("echo out; echo err >&2; exit 7"), log);
    pp_child_exit ended;
    char text[64];
    pp_buf buf;

    (void)state;
    assert_ok(pp_child_wait(child, in_seconds(20), NULL, &ended, &err), err);
    assert_false(ended.by_signal);
    assert_int_equal(ended.code, 7);
    assert_string_equal(pp_child_exit_text(&ended, text), "exit code 7");
    pp_child_free(child);
    pp_buf_init(&buf, 100);
    assert_ok(pp_file_read(log, &buf, &err), err);
    assert_string_equal(pp_buf_text(&buf), "out\nerr\n");
    pp_buf_done(&buf);
    remove_folder(folder);
    pp_arena_done(&arena);
}

static void a_program_that_cannot_start_is_an_error_that_names_it(void **state)
{
    static const char *const argv[] = {"/nowhere/llama-server", NULL};
    pp_child_options options = {.argv = argv};
    pp_child *child = NULL;
    pp_error err = {0};

    (void)state;
    assert_int_equal(pp_child_start(&options, &child, &err), PP_ERR_IO);
    assert_string_equal(err.text,
                        "cannot start '/nowhere/llama-server': No such file or directory");
}

static void a_wait_ends_at_its_deadline_and_the_child_lives_on(void **state)
{
    pp_child *child = start(SHELL("exec sleep 60"), NULL);
    pp_error err = {0};
    pid_t pid = pp_child_pid(child);

    (void)state;
    assert_int_equal(pp_child_wait(child, pp_clock_now_ns() + 50 * PP_NS_PER_MS, NULL, NULL, &err),
                     PP_ERR_TIMEOUT);
    assert_int_not_equal(process_state(pid), 'Z');
    pp_child_free(child);
    assert_int_equal(process_state(pid), 'X');
}

static void a_child_that_ignores_the_polite_signal_is_killed_after_the_grace(void **state)
{
    pp_arena arena = {0};
    const char *folder = make_temp_folder(&arena);
    const char *ready = pp_path_join(&arena, folder, "ready");
    pp_child *child = start(SHELL("trap '' TERM; echo ready; while :; do sleep 0.1; done"), ready);
    pp_child_exit ended;
    int64_t size = 0;
    int64_t until = in_seconds(20);

    (void)state;
    while (pp_clock_now_ns() < until && (pp_file_size(ready, &size, NULL) != PP_OK || size == 0))
        usleep(1000);
    pp_child_stop(child, 100 * PP_NS_PER_MS, &ended);
    assert_true(ended.by_signal);
    assert_int_equal(ended.code, SIGKILL);
    pp_child_free(child);
    remove_folder(folder);
    pp_arena_done(&arena);
}

/* One that is stopped would hear of it only when the grace is over. */
static void a_child_that_is_stopped_ends_politely_too(void **state)
{
    pp_child *child = start(SHELL("exec sleep 300"), NULL);
    pp_child_exit ended = {0};

    (void)state;
    assert_int_equal(kill(pp_child_pid(child), SIGSTOP), 0);
    pp_child_stop(child, 20 * PP_NS_PER_S, &ended);
    assert_true(ended.by_signal);
    assert_int_equal(ended.code, SIGTERM);
    pp_child_free(child);
}

static void what_a_child_leaves_in_its_group_goes_with_it(void **state)
{
    pp_arena arena = {0};
    pp_error err = {0};
    const char *folder = make_temp_folder(&arena);
    const char *log = pp_path_join(&arena, folder, "log");
    pp_child *child = start(SHELL("sleep 60 & echo $!"), log);
    pp_buf buf;

    (void)state;
    assert_ok(pp_child_wait(child, in_seconds(20), NULL, NULL, &err), err);
    pp_child_free(child);
    pp_buf_init(&buf, 100);
    assert_ok(pp_file_read(log, &buf, &err), err);
    assert_true(is_gone_within((pid_t)atol(pp_buf_text(&buf)), 10));
    pp_buf_done(&buf);
    remove_folder(folder);
    pp_arena_done(&arena);
}

/* The shell goes at once; what it started traps the signal and has something left to write. */
static void an_interrupt_waits_for_what_the_shell_started(void **state)
{
    pp_arena arena = {0};
    const char *folder = make_temp_folder(&arena);
    const char *log = pp_path_join(&arena, folder, "log");
    pp_child *child = start(SHELL("sh -c 'trap \"sleep 0.3; echo written; exit\" INT; echo ready; "
                                  "while :; do sleep 0.05; done'; true"),
                            log);
    pp_child_exit ended;
    pp_error err = {0};
    int64_t until = in_seconds(20);
    int64_t size = 0;
    pp_buf buf;

    (void)state;
    while (pp_clock_now_ns() < until && (pp_file_size(log, &size, NULL) != PP_OK || size == 0))
        usleep(1000);
    pp_child_interrupt(child, 5 * PP_NS_PER_S, 0, &ended);
    pp_child_free(child);
    pp_buf_init(&buf, 100);
    assert_ok(pp_file_read(log, &buf, &err), err);
    assert_string_equal(pp_buf_text(&buf), "ready\nwritten\n");
    pp_buf_done(&buf);
    remove_folder(folder);
    pp_arena_done(&arena);
}

static void an_interrupt_that_is_ignored_is_followed_by_harder_signals(void **state)
{
    static const struct {
        const char *script;
        int number;
    } cases[] = {
        {"trap '' INT; echo ready; while :; do sleep 0.05; done", SIGTERM},
        {"trap '' INT TERM; echo ready; while :; do sleep 0.05; done", SIGKILL},
        {"echo ready; exec sleep 60", SIGINT},
    };

    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(cases); i++) {
        pp_arena arena = {0};
        const char *folder = make_temp_folder(&arena);
        const char *log = pp_path_join(&arena, folder, "log");
        pp_child *child = start(SHELL(cases[i].script), log);
        pp_child_exit ended;
        int64_t until = in_seconds(20);
        int64_t size = 0;

        while (pp_clock_now_ns() < until && (pp_file_size(log, &size, NULL) != PP_OK || size == 0))
            usleep(1000);
        pp_child_interrupt(child, 300 * PP_NS_PER_MS, 300 * PP_NS_PER_MS, &ended);
        assert_true(ended.by_signal);
        assert_int_equal(ended.code, cases[i].number);
        pp_child_free(child);
        remove_folder(folder);
        pp_arena_done(&arena);
    }
}

static void a_child_dies_with_a_parent_that_is_killed(void **state)
{
    int link[2];
    pid_t parent;
    pid_t grandchild = 0;

    (void)state;
    assert_int_equal(pipe(link), 0);
    parent = fork();
    if (parent == 0) {
        pp_child_options options = {.argv = SHELL("exec sleep 60")};
        pp_child *child = NULL;

        if (pp_child_start(&options, &child, NULL) == PP_OK)
            grandchild = pp_child_pid(child);
        (void)!write(link[1], &grandchild, sizeof grandchild);
        pause();
        _exit(0);
    }
    assert_int_equal(read(link[0], &grandchild, sizeof grandchild), sizeof grandchild);
    assert_true(grandchild > 0);
    (void)kill(parent, SIGKILL);
    (void)waitpid(parent, NULL, 0);
    assert_true(is_gone_within(grandchild, 10));
    (void)close(link[0]);
    (void)close(link[1]);
}

static void the_stop_flag_ends_a_wait(void **state)
{
    volatile sig_atomic_t stop = 1;
    pp_child *child = start(SHELL("exec sleep 60"), NULL);
    pp_error err = {0};

    (void)state;
    assert_int_equal(pp_child_wait(child, in_seconds(20), &stop, NULL, &err), PP_ERR_INTERRUPTED);
    pp_child_free(child);
}

/* B138: started from a large process, a small child must not inherit our size as its peak. */
static void b138_peak_memory_of_a_small_child_is_not_ours(void **state)
{
    const size_t size = (size_t)64 << 20;
    char *ballast = malloc(size);
    pp_child *child;
    pp_child_exit ended;
    pp_error err = {0};

    (void)state;
    assert_non_null(ballast);
    memset(ballast, 1, size);
    child = start(SHELL("exit 0"), NULL);
    assert_ok(pp_child_wait(child, in_seconds(20), NULL, &ended, &err), err);
    assert_true(ended.max_rss_bytes == -1);
    pp_child_free(child);
    free(ballast);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_child_reports_how_it_ended_and_keeps_its_output),
        cmocka_unit_test(a_program_that_cannot_start_is_an_error_that_names_it),
        cmocka_unit_test(a_wait_ends_at_its_deadline_and_the_child_lives_on),
        cmocka_unit_test(a_child_that_ignores_the_polite_signal_is_killed_after_the_grace),
        cmocka_unit_test(a_child_that_is_stopped_ends_politely_too),
        cmocka_unit_test(what_a_child_leaves_in_its_group_goes_with_it),
        cmocka_unit_test(an_interrupt_waits_for_what_the_shell_started),
        cmocka_unit_test(an_interrupt_that_is_ignored_is_followed_by_harder_signals),
        cmocka_unit_test(a_child_dies_with_a_parent_that_is_killed),
        cmocka_unit_test(the_stop_flag_ends_a_wait),
        cmocka_unit_test(b138_peak_memory_of_a_small_child_is_not_ours),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
