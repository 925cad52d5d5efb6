/* Started servers: proved, watched, started again, and gone at the end. The programs are real
 * processes: tests/support/fake_engine.py, and scripts that never become servers. */
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/clock.h"
#include "base/files.h"
#include "gateway/supervisor.h"
#include "shared.h"

#define PATIENCE_NS (30 * PP_NS_PER_S)

static const char all_options[] =
    "--model --host --port --threads --threads-batch --ctx-size --batch-size --ubatch-size "
    "--parallel --no-kv-unified --poll --cache-type-k --cache-type-v --flash-attn --load-mode "
    "--repack --no-repack --device --gpu-layers --fit --cache-ram --ctx-checkpoints --cache-reuse "
    "--no-context-shift --warmup --spec-type --sleep-idle-seconds --offline --slots --no-webui "
    "--log-verbosity --log-colors";

static const pp_settings settings = {
    .threads = 1,
    .threads_batch = 1,
    .batch_size = 64,
    .ubatch_size = 64,
    .context_size = 512,
    .parallel = 2,
    .poll = 0,
    .cache_type_k = {"f16", 3},
    .cache_type_v = {"f16", 3},
    .flash_attention = {"on", 2},
    .load_mode = {"mmap", 4},
};

/* One supervisor over one program. */
typedef struct fixture {
    pp_arena arena;
    const char *folder;
    const char *environment[8];
    pp_engine engine;
    pp_supervised server;
    pp_supervisor_options options;
    pp_supervisor *supervisor;
    atomic_int change_count;
} fixture;

static void count_change(void *user, size_t index, const pp_supervised_status *now)
{
    assert_int_equal(index, 0);
    assert_true(now->start_count >= 1);
    atomic_fetch_add((atomic_int *)user, 1);
}

static const char *fake_engine(pp_arena *arena)
{
    const char *source = getenv("PARETOPILOT_SOURCE");

    return pp_path_join(arena, source == NULL ? "." : source, "tests/support/fake_engine.py");
}

/* program NULL: the fake llama-server, which misbehaves as `mode` says */
static void prepare(fixture *f, const char *program, const char *mode)
{
    memset(f, 0, sizeof *f);
    f->folder = make_temp_folder(&f->arena);
    f->environment[0] = pp_arena_printf(&f->arena, "PATH=%s", getenv("PATH"));
    f->environment[1] = pp_arena_printf(&f->arena, "FAKE_MODE=%s", mode);
    f->engine = (pp_engine){
        .server = {.path = program == NULL ? fake_engine(&f->arena) : program,
                   .version = "version: 1",
                   .help = all_options},
        .environment = f->environment,
    };
    f->server = (pp_supervised){
        .name = "small", .engine = &f->engine, .model_path = "m.gguf", .settings = &settings};
    pp_supervisor_options_default(&f->options);
    f->options.servers = &f->server;
    f->options.server_count = 1;
    f->options.log_folder = f->folder;
    f->options.pause_min_ns = 20 * PP_NS_PER_MS;
    f->options.changed = count_change;
    f->options.user = &f->change_count;
}

static void begin(fixture *f)
{
    pp_error err = {0};

    assert_ok(pp_supervisor_new(&f->options, &f->supervisor, &err), err);
}

static void end(fixture *f)
{
    pp_supervisor_free(f->supervisor);
    remove_folder(f->folder);
    pp_arena_done(&f->arena);
}

/* Wait until start `start_count` is in this state. */
static pp_supervised_status await(fixture *f, pp_backend_state state, uint64_t start_count)
{
    int64_t until_ns = pp_clock_now_ns() + PATIENCE_NS;
    pp_supervised_status status;

    do {
        pp_supervisor_status(f->supervisor, 0, &status);
        if (status.state == state && status.start_count >= start_count)
            return status;
        (void)nanosleep(&(struct timespec){.tv_nsec = PP_NS_PER_MS}, NULL);
    } while (pp_clock_now_ns() < until_ns);
    fail_msg("start %llu is %s after 30 s: %s", (unsigned long long)status.start_count,
             pp_backend_state_name(status.state), status.why);
    return status;
}

static const char *log_text(fixture *f, const char *name)
{
    const char *path = pp_path_join(&f->arena, f->folder, name);
    pp_buf text;
    pp_error err = {0};
    const char *kept;

    pp_buf_init(&text, (size_t)1 << 20);
    assert_ok(pp_file_read(path, &text, &err), err);
    kept = pp_arena_dup(&f->arena, pp_buf_text(&text), text.size);
    pp_buf_done(&text);
    return kept;
}

static bool has_log(fixture *f, const char *name)
{
    return pp_path_exists(pp_path_join(&f->arena, f->folder, name));
}

static void a_server_is_ready_once_it_has_proved_its_settings(void **state)
{
    fixture f;
    pp_supervised_status status;

    (void)state;
    prepare(&f, NULL, "");
    begin(&f);
    status = await(&f, PP_BACKEND_READY, 1);
    assert_int_equal(status.start_count, 1);
    assert_contains(status.url, "http://127.0.0.1:");
    assert_true(status.startup_ms > 0);
    assert_int_equal(kill((pid_t)status.pid, 0), 0);
    assert_true(atomic_load(&f.change_count) >= 2); /* starting, ready */
    assert_contains(log_text(&f, "small.1.log"), "model buffer size");
    pp_supervisor_free(f.supervisor);
    f.supervisor = NULL;
    assert_int_equal(kill((pid_t)status.pid, 0), -1);
    end(&f);
}

static void one_that_is_killed_is_started_again(void **state)
{
    fixture f;
    pp_supervised_status first;
    pp_supervised_status second;

    (void)state;
    prepare(&f, NULL, "");
    begin(&f);
    first = await(&f, PP_BACKEND_READY, 1);
    assert_int_equal(kill((pid_t)first.pid, SIGKILL), 0);
    second = await(&f, PP_BACKEND_READY, 2);
    assert_int_equal(second.start_count, 2);
    assert_true(second.pid != first.pid);
    assert_contains(log_text(&f, "small.2.log"), "model buffer size");
    end(&f);
}

static void one_that_stops_answering_is_replaced(void **state)
{
    fixture f;
    pp_supervised_status first;

    (void)state;
    prepare(&f, NULL, "");
    f.options.health_interval_ns = 20 * PP_NS_PER_MS;
    f.options.health_timeout_ns = 300 * PP_NS_PER_MS;
    f.options.pause_min_ns = PP_NS_PER_S; /* long enough to be seen */
    begin(&f);
    first = await(&f, PP_BACKEND_READY, 1);
    assert_int_equal(kill((pid_t)first.pid, SIGSTOP), 0);
    assert_contains(await(&f, PP_BACKEND_DOWN, 1).why, "does not answer any more");
    assert_true(await(&f, PP_BACKEND_READY, 2).pid != first.pid);
    end(&f);
}

static void one_that_lies_about_its_settings_never_counts(void **state)
{
    fixture f;
    pp_supervised_status status;

    (void)state;
    prepare(&f, NULL, "lies");
    begin(&f);
    status = await(&f, PP_BACKEND_DOWN, 2);
    assert_contains(status.why, "runs with total_slots 3, asked was 2");
    assert_string_equal(status.url, "");
    end(&f);
}

/* With pauses of 100, 200, 400 ms ... the fifth start comes after 1.5 s at the earliest. */
static void pauses_between_failures_double(void **state)
{
    fixture f;
    int64_t began_ns = pp_clock_now_ns();

    (void)state;
    prepare(&f, "/bin/false", "");
    f.options.pause_min_ns = 100 * PP_NS_PER_MS;
    begin(&f);
    assert_contains(await(&f, PP_BACKEND_DOWN, 5).why, "ended with exit code 1");
    assert_true(pp_clock_now_ns() - began_ns >= 1500 * PP_NS_PER_MS);
    end(&f);
}

/* With a ceiling of 100 ms ten starts take a second; doubled without end they would take 51. */
static void pauses_have_a_ceiling_and_logs_too(void **state)
{
    fixture f;

    (void)state;
    prepare(&f, "/bin/false", "");
    f.options.pause_min_ns = 50 * PP_NS_PER_MS;
    f.options.pause_max_ns = 100 * PP_NS_PER_MS;
    begin(&f);
    assert_true(await(&f, PP_BACKEND_DOWN, 10).start_count >= 10);
    assert_false(has_log(&f, "small.1.log"));
    assert_false(has_log(&f, "small.7.log"));
    end(&f);
}

static void the_end_does_not_wait_for_a_server_that_is_starting(void **state)
{
    const char *script = "#!/bin/sh\nexec sleep 300\n";
    fixture f;
    const char *path;
    pp_error err = {0};
    int64_t began_ns;

    (void)state;
    prepare(&f, NULL, "");
    path = pp_path_join(&f.arena, f.folder, "slow");
    assert_ok(pp_file_write_new(path, script, strlen(script), &err), err);
    assert_int_equal(chmod(path, 0755), 0);
    f.engine.server.path = path;
    begin(&f);
    (void)await(&f, PP_BACKEND_STARTING, 1);
    (void)nanosleep(&(struct timespec){.tv_nsec = 200 * PP_NS_PER_MS}, NULL);
    began_ns = pp_clock_now_ns();
    pp_supervisor_free(f.supervisor);
    f.supervisor = NULL;
    assert_true(pp_clock_now_ns() - began_ns < 5 * PP_NS_PER_S);
    end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_server_is_ready_once_it_has_proved_its_settings),
        cmocka_unit_test(one_that_is_killed_is_started_again),
        cmocka_unit_test(one_that_stops_answering_is_replaced),
        cmocka_unit_test(one_that_lies_about_its_settings_never_counts),
        cmocka_unit_test(pauses_between_failures_double),
        cmocka_unit_test(pauses_have_a_ceiling_and_logs_too),
        cmocka_unit_test(the_end_does_not_wait_for_a_server_that_is_starting),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
