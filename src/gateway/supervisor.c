#include "gateway/supervisor.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/files.h"
#include "base/stop.h"

/* How soon an end is noticed, and a wish to stop is followed. A client of a server that is gone
 * notices at once by itself. */
#define LOOK_NS          (50 * PP_NS_PER_MS)
#define HANGS_AFTER      3 /* failed answers to /health in a row */
#define HEALTH_MAX_BYTES 4096
#define LOGS_KEPT        3

typedef struct keeper {
    pp_supervisor *supervisor;
    const pp_supervised *server;
    pp_http_loop *loop; /* of its thread */
    pp_http_record record;
    pthread_t thread;
    bool has_thread;
    pp_supervised_status status; /* under the supervisor's lock */
} keeper;

struct pp_supervisor {
    pp_supervisor_options options;
    keeper *keepers;
    pthread_mutex_t lock;
    pthread_cond_t stopping; /* wakes those that pause */
    volatile sig_atomic_t stop;
};

void pp_supervisor_options_default(pp_supervisor_options *ret_options)
{
    *ret_options = (pp_supervisor_options){
        .start_timeout_ns = 120 * PP_NS_PER_S,
        .health_interval_ns = 5 * PP_NS_PER_S,
        .health_timeout_ns = 10 * PP_NS_PER_S,
        .pause_min_ns = PP_NS_PER_S,
        .pause_max_ns = 60 * PP_NS_PER_S,
        .steady_ns = 60 * PP_NS_PER_S,
    };
}

/* ---- what is told -----------------------------------------------------------------------------
 */

static void tell(keeper *k, const pp_supervised_status *status)
{
    pp_supervisor *supervisor = k->supervisor;

    (void)pthread_mutex_lock(&supervisor->lock);
    k->status = *status;
    (void)pthread_mutex_unlock(&supervisor->lock);
    if (supervisor->options.changed != NULL)
        supervisor->options.changed(supervisor->options.user, (size_t)(k - supervisor->keepers),
                                    status);
}

static void tell_starting(keeper *k, uint64_t start_count)
{
    tell(k, &(pp_supervised_status){.state = PP_BACKEND_STARTING, .start_count = start_count});
}

static void tell_ready(keeper *k, const pp_server *server, uint64_t start_count)
{
    pp_supervised_status status = {
        .state = PP_BACKEND_READY,
        .pid = pp_server_pid(server),
        .start_count = start_count,
        .startup_ms = pp_server_startup_ms(server),
    };

    (void)snprintf(status.url, sizeof status.url, "%s", pp_server_url(server));
    tell(k, &status);
}

static void tell_down(keeper *k, const pp_error *why, uint64_t start_count)
{
    pp_supervised_status status = {.state = PP_BACKEND_DOWN, .start_count = start_count};

    (void)snprintf(status.why, sizeof status.why, "%.511s", why->text);
    tell(k, &status);
}

/* ---- one server -------------------------------------------------------------------------------
 */

/* Sleeps, unless it is time to stop. */
static void rest(pp_supervisor *supervisor, int64_t pause_ns)
{
    int64_t until_ns = pp_clock_now_ns() + pause_ns;
    struct timespec until = {until_ns / PP_NS_PER_S, until_ns % PP_NS_PER_S};

    (void)pthread_mutex_lock(&supervisor->lock);
    while (!pp_stop_asked(&supervisor->stop) && pp_clock_now_ns() < until_ns)
        (void)pthread_cond_timedwait(&supervisor->stopping, &supervisor->lock, &until);
    (void)pthread_mutex_unlock(&supervisor->lock);
}

static const char *log_path_of(const keeper *k, pp_arena *arena, uint64_t start_count)
{
    const char *name =
        pp_arena_printf(arena, "%s.%llu.log", k->server->name, (unsigned long long)start_count);

    return name == NULL ? NULL : pp_path_join(arena, k->supervisor->options.log_folder, name);
}

/* One that fails again and again must not fill the disk. */
static void remove_old_log(const keeper *k, pp_arena *arena, uint64_t start_count)
{
    const char *path =
        start_count <= LOGS_KEPT ? NULL : log_path_of(k, arena, start_count - LOGS_KEPT);

    if (path != NULL)
        (void)unlink(path); /* somebody may have been faster */
}

static pp_status start_server(keeper *k, pp_arena *arena, uint64_t start_count,
                              pp_server **ret_server, pp_error *err)
{
    const pp_supervisor_options *options = &k->supervisor->options;
    const char *log_path = log_path_of(k, arena, start_count);
    pp_server_options server = {
        .engine = k->server->engine,
        .model_path = k->server->model_path,
        .settings = k->server->settings,
        .further = k->server->further,
        .stdout_path = log_path,
        .stderr_path = log_path,
        .start_timeout_ns = options->start_timeout_ns,
        .loop = k->loop,
        .stop = &k->supervisor->stop,
    };
    pp_status st = pp_arena_check(arena, err);

    if (st == PP_OK)
        remove_old_log(k, arena, start_count);
    return st == PP_OK ? pp_server_start(&server, ret_server, err) : st;
}

/* Does it still answer? Only an interruption is an error. */
static pp_status ask_health(keeper *k, const pp_server *server, bool *ret_answers, pp_error *err)
{
    char url[96];
    pp_http_request request = {
        .method = "GET",
        .url = url,
        .limits = {.total_ns = k->supervisor->options.health_timeout_ns},
        .fresh_connection = true,
    };
    pp_status st;

    (void)snprintf(url, sizeof url, "%s/health", pp_server_url(server));
    st = pp_http_perform(k->loop, &request, NULL, NULL, &k->record, err);
    *ret_answers = st == PP_OK && k->record.result == PP_HTTP_COMPLETE;
    return st;
}

/* Returns when it has died, hangs, or shall stop; `err` says which. */
static pp_status watch_server(keeper *k, pp_server *server, pp_error *err)
{
    const pp_supervisor_options *options = &k->supervisor->options;
    int64_t ask_at_ns = pp_clock_now_ns() + options->health_interval_ns;
    int failures = 0;
    pp_status st = PP_OK;

    while (st == PP_OK && !pp_stop_asked(&k->supervisor->stop)) {
        bool answers = true;

        rest(k->supervisor, LOOK_NS);
        st = pp_server_check_alive(server, err);
        if (st != PP_OK || pp_clock_now_ns() < ask_at_ns)
            continue;
        st = ask_health(k, server, &answers, err);
        failures = answers ? 0 : failures + 1;
        if (st == PP_OK && failures >= HANGS_AFTER)
            st = pp_fail(err, PP_ERR_TIMEOUT,
                         "llama-server does not answer any more: GET /health failed %d times in a "
                         "row (%s)",
                         HANGS_AFTER, pp_http_result_name(k->record.result));
        ask_at_ns = pp_clock_now_ns() + options->health_interval_ns;
    }
    return st;
}

/* From one start to the end of that process; how long it was ready. */
static int64_t keep_once(keeper *k, uint64_t start_count)
{
    pp_arena arena = {0};
    pp_server *server = NULL;
    pp_error why = {0};
    int64_t ready_at_ns = 0;
    pp_status st;

    tell_starting(k, start_count);
    st = start_server(k, &arena, start_count, &server, &why);
    if (st == PP_OK) {
        ready_at_ns = pp_clock_now_ns();
        tell_ready(k, server, start_count);
        st = watch_server(k, server, &why);
    }
    if (st != PP_OK && st != PP_ERR_INTERRUPTED)
        tell_down(k, &why, start_count);
    pp_server_free(server);
    pp_arena_done(&arena);
    return ready_at_ns == 0 ? 0 : pp_clock_now_ns() - ready_at_ns;
}

static void *keep(void *user)
{
    keeper *k = user;
    const pp_supervisor_options *options = &k->supervisor->options;
    int64_t pause_ns = options->pause_min_ns;

    for (uint64_t start = 1; !pp_stop_asked(&k->supervisor->stop); start++) {
        if (keep_once(k, start) >= options->steady_ns)
            pause_ns = options->pause_min_ns;
        rest(k->supervisor, pause_ns);
        pause_ns = pause_ns > options->pause_max_ns / 2 ? options->pause_max_ns : pause_ns * 2;
    }
    return NULL;
}

/* ---- all of them ------------------------------------------------------------------------------
 */

static pp_status begin_keeper(keeper *k, pp_error *err)
{
    pp_status st = pp_http_loop_new(&k->supervisor->stop, &k->loop, err);

    if (st == PP_OK)
        st = pp_http_record_init(&k->record, HEALTH_MAX_BYTES, HEALTH_MAX_BYTES, 16, err);
    if (st == PP_OK && pthread_create(&k->thread, NULL, keep, k) != 0)
        st = pp_fail(err, PP_ERR_IO, "no thread for the server '%s'", k->server->name);
    k->has_thread = st == PP_OK;
    return st;
}

static void end_keeper(keeper *k)
{
    if (k->has_thread)
        (void)pthread_join(k->thread, NULL);
    pp_http_record_done(&k->record);
    pp_http_loop_free(k->loop);
}

/* On the monotonic clock: a pause does not change with the time of day. */
static void init_lock(pp_supervisor *supervisor)
{
    pthread_condattr_t attributes;

    (void)pthread_mutex_init(&supervisor->lock, NULL);
    (void)pthread_condattr_init(&attributes);
    (void)pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    (void)pthread_cond_init(&supervisor->stopping, &attributes);
    (void)pthread_condattr_destroy(&attributes);
}

pp_status pp_supervisor_new(const pp_supervisor_options *options, pp_supervisor **ret_supervisor,
                            pp_error *err)
{
    pp_supervisor *supervisor = calloc(1, sizeof *supervisor);
    keeper *keepers = calloc(options->server_count + 1, sizeof *keepers);
    pp_status st = PP_OK;

    if (supervisor == NULL || keepers == NULL) {
        free(supervisor);
        free(keepers);
        return pp_fail(err, PP_ERR_MEMORY, "out of memory");
    }
    supervisor->options = *options;
    supervisor->keepers = keepers;
    init_lock(supervisor);
    for (size_t i = 0; i < options->server_count; i++)
        keepers[i] = (keeper){.supervisor = supervisor, .server = &options->servers[i]};
    for (size_t i = 0; st == PP_OK && i < options->server_count; i++)
        st = begin_keeper(&keepers[i], err);
    if (st != PP_OK) {
        pp_supervisor_free(supervisor);
        return st;
    }
    *ret_supervisor = supervisor;
    return PP_OK;
}

void pp_supervisor_status(pp_supervisor *supervisor, size_t index, pp_supervised_status *ret_status)
{
    PP_ASSERT(index < supervisor->options.server_count);
    (void)pthread_mutex_lock(&supervisor->lock);
    *ret_status = supervisor->keepers[index].status;
    (void)pthread_mutex_unlock(&supervisor->lock);
}

void pp_supervisor_free(pp_supervisor *supervisor)
{
    if (supervisor == NULL)
        return;
    (void)pthread_mutex_lock(&supervisor->lock);
    pp_stop_ask(&supervisor->stop);
    (void)pthread_cond_broadcast(&supervisor->stopping);
    (void)pthread_mutex_unlock(&supervisor->lock);
    for (size_t i = 0; i < supervisor->options.server_count; i++) {
        if (supervisor->keepers[i].loop != NULL)
            pp_http_loop_wake(supervisor->keepers[i].loop);
    }
    for (size_t i = 0; i < supervisor->options.server_count; i++)
        end_keeper(&supervisor->keepers[i]);
    (void)pthread_cond_destroy(&supervisor->stopping);
    (void)pthread_mutex_destroy(&supervisor->lock);
    free(supervisor->keepers);
    free(supervisor);
}
