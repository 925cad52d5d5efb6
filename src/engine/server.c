#include "engine/server.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/files.h"
#include "proc/port.h"

#define HEALTH_STEP_NS   (50 * PP_NS_PER_MS)
#define CONTROL_LIMIT_NS (10 * PP_NS_PER_S)
#define STOP_GRACE_NS    (10 * PP_NS_PER_S)
/* llama.cpp rounds the context of a slot up to a multiple of this (F44). */
#define CONTEXT_PADDING  256

struct pp_server {
    pp_arena arena;
    pp_server_options options;
    pp_child *child;
    pp_argv argv;
    const char *url;
    uint16_t port;
    double startup_ms;
    const pp_json *props;
    const pp_json *slots;
    pp_json *readback;
};

/* ---- asking the server ------------------------------------------------------------------------
 */

/* One GET. What became of it stands in the record; only an interruption is an error. */
static pp_status get(pp_server *server, const char *path, pp_http_record *record, pp_error *err)
{
    pp_arena arena = {0};
    pp_http_request request = {
        .method = "GET",
        .url = pp_arena_printf(&arena, "%s%s", server->url, path),
        .limits = {.total_ns = CONTROL_LIMIT_NS},
        .fresh_connection = true,
    };
    pp_status st = pp_arena_check(&arena, err);

    if (st == PP_OK)
        st = pp_http_perform(server->options.loop, &request, NULL, NULL, record, err);
    pp_arena_done(&arena);
    return st;
}

static pp_status get_json(pp_server *server, const char *path, const pp_json **ret_root,
                          pp_error *err)
{
    pp_http_record record = {0};
    pp_status st =
        pp_http_record_init(&record, PP_HTTP_CONTROL_MAX_BYTES, (size_t)64 << 10, 64, err);

    if (st == PP_OK)
        st = get(server, path, &record, err);
    if (st == PP_OK && record.result != PP_HTTP_COMPLETE)
        st = pp_fail(err, PP_ERR_PEER, "GET %s: expected status 200, got %d (%s)", path,
                     record.status, pp_http_result_name(record.result));
    if (st == PP_OK)
        st = pp_json_parse(&server->arena, path, pp_buf_text(&record.body), record.body.size,
                           ret_root, err);
    pp_http_record_done(&record);
    return st;
}

/* ---- the log ----------------------------------------------------------------------------------
 */

void pp_server_read_log_tail(const char *path, char out[PP_SERVER_LOG_TAIL_BYTES + 1])
{
    FILE *log = fopen(path, "re");
    size_t used = 0;
    int c;

    out[0] = '\0';
    if (log == NULL)
        return;
    if (fseek(log, -PP_SERVER_LOG_TAIL_BYTES / 2, SEEK_END) == 0) {
        do {
            c = fgetc(log); /* the line that was cut at its front */
        } while (c != '\n' && c != EOF);
    } else {
        rewind(log);
    }
    while ((c = fgetc(log)) != EOF && used + 4 < PP_SERVER_LOG_TAIL_BYTES) {
        if (c != '\n') {
            out[used++] = (char)c;
        } else if (used > 0) {
            memcpy(out + used, " | ", 3);
            used += 3;
        }
    }
    if (used >= 3 && memcmp(out + used - 3, " | ", 3) == 0)
        used -= 3;
    out[used] = '\0';
    (void)fclose(log); /* only read from */
}

static pp_status fail_died(pp_server *server, const pp_child_exit *ended, pp_error *err)
{
    char tail[PP_SERVER_LOG_TAIL_BYTES + 1];
    char how[64];

    pp_server_read_log_tail(server->options.stderr_path, tail);
    return pp_fail(err, PP_ERR_PEER, "llama-server ended with %s; its last log lines: %s",
                   pp_child_exit_text(ended, how), tail[0] == '\0' ? "(none)" : tail);
}

/* ---- starting ---------------------------------------------------------------------------------
 */

/* A given line may name a port; then that one is used, and who holds it is looked at later. */
static pp_status choose_port(pp_server *server, pp_error *err)
{
    const pp_plan_words *words = server->options.words;
    const char *value = words == NULL ? NULL : pp_words_option(words, "--port", NULL);

    if (value == NULL || strcmp(value, "{port}") == 0)
        return pp_port_find_free(&server->port, err);
    server->port = (uint16_t)strtoul(value, NULL, 10); /* the plan's reader took only ports */
    return PP_OK;
}

/* Where it can be asked: loopback, unless a given line binds it to another address only. */
static const char *host_of(const pp_server *server)
{
    const pp_plan_words *words = server->options.words;
    const char *host = words == NULL ? NULL : pp_words_option(words, "--host", NULL);

    return host == NULL || strcmp(host, "0.0.0.0") == 0 || strcmp(host, "localhost") == 0
               ? "127.0.0.1"
               : host;
}

static pp_status launch(pp_server *server, pp_error *err)
{
    pp_child_options options = {
        .environment = server->options.engine->environment,
        .folder = server->options.folder,
        .stdout_path = server->options.stdout_path,
        .stderr_path = server->options.stderr_path,
    };
    pp_status st = choose_port(server, err);

    if (st == PP_OK && server->options.words != NULL)
        st = pp_argv_verbatim(&server->arena, server->options.words, server->port, &server->argv,
                              err);
    else if (st == PP_OK)
        st = pp_argv_server(&server->arena, server->options.engine, server->options.model_path,
                            server->options.settings, server->options.further, server->port,
                            &server->argv, err);
    if (st != PP_OK)
        return st;
    server->url = pp_arena_printf(&server->arena, "http://%s:%u", host_of(server), server->port);
    options.argv = server->argv.words;
    st = pp_arena_check(&server->arena, err);
    return st == PP_OK ? pp_child_start(&options, &server->child, err) : st;
}

static pp_status fail_not_ready(const pp_server *server, const pp_http_record *record,
                                pp_error *err)
{
    char tail[PP_SERVER_LOG_TAIL_BYTES + 1];

    pp_server_read_log_tail(server->options.stderr_path, tail);
    return pp_fail(
        err, PP_ERR_TIMEOUT,
        "llama-server was not healthy after %.1f s; last answer: %s, status %d; its last "
        "log lines: %s",
        (double)server->options.start_timeout_ns / 1e9, pp_http_result_name(record->result),
        record->status, tail[0] == '\0' ? "(none)" : tail);
}

/* Some time passes, unless the server ends meanwhile or we are to stop. */
static pp_status wait_a_step(const pp_server *server, pp_error *err)
{
    pp_error not_yet = {0};
    pp_status st = pp_child_wait(server->child, pp_clock_now_ns() + HEALTH_STEP_NS,
                                 server->options.stop, NULL, &not_yet);

    if (st == PP_OK || st == PP_ERR_TIMEOUT)
        return PP_OK; /* whether it lives is asked next */
    if (err != NULL)
        *err = not_yet;
    return st;
}

static pp_status wait_until_healthy(pp_server *server, pp_error *err)
{
    int64_t started_ns = pp_clock_now_ns();
    int64_t deadline_ns = started_ns + server->options.start_timeout_ns;
    pp_http_record record = {0};
    pp_status st = pp_http_record_init(&record, PP_HTTP_CONTROL_MAX_BYTES, 4096, 16, err);

    while (st == PP_OK) {
        st = pp_server_check_alive(server, err);
        if (st == PP_OK)
            st = get(server, "/health", &record, err);
        if (st != PP_OK || record.result == PP_HTTP_COMPLETE)
            break;
        st = pp_clock_now_ns() >= deadline_ns ? fail_not_ready(server, &record, err)
                                              : wait_a_step(server, err);
    }
    server->startup_ms = (double)(pp_clock_now_ns() - started_ns) / 1e6;
    pp_http_record_done(&record);
    return st;
}

/* ---- proof of settings ------------------------------------------------------------------------
 */

static pp_status check_int(const char *what, int64_t found, int64_t min, int64_t max, pp_error *err)
{
    if (found >= min && found <= max)
        return PP_OK;
    return pp_fail(err, PP_ERR_PEER, "llama-server runs with %s %lld, asked was %lld", what,
                   (long long)found, (long long)min);
}

static pp_status check_slots(pp_server *server, int64_t want_context, pp_error *err)
{
    const pp_settings *settings = server->options.settings;
    pp_status st = pp_json_expect(server->slots, PP_JSON_ARRAY, err);

    if (st == PP_OK)
        st = check_int("slots", (int64_t)server->slots->array.count, settings->parallel,
                       settings->parallel, err);
    for (size_t i = 0; st == PP_OK && i < server->slots->array.count; i++) {
        int64_t context = 0;

        st =
            pp_json_member_int(server->slots->array.items[i], "n_ctx", 0, INT64_MAX, &context, err);
        if (st == PP_OK)
            st = check_int("n_ctx of a slot", context, want_context,
                           want_context + CONTEXT_PADDING - 1, err);
    }
    return st;
}

static pp_status check_props(pp_server *server, int64_t want_context, pp_error *err)
{
    const pp_settings *settings = server->options.settings;
    const pp_json *defaults;
    pp_text model_path = {0};
    pp_text build_info = {0};
    int64_t slots = 0;
    int64_t context = 0;
    pp_status st = pp_json_member_int(server->props, "total_slots", 0, INT64_MAX, &slots, err);

    if (st == PP_OK)
        st = check_int("total_slots", slots, settings->parallel, settings->parallel, err);
    if (st == PP_OK)
        st = pp_json_member_of(server->props, "default_generation_settings", PP_JSON_OBJECT,
                               &defaults, err);
    if (st == PP_OK)
        st = pp_json_member_int(defaults, "n_ctx", 0, INT64_MAX, &context, err);
    if (st == PP_OK)
        st = check_int("n_ctx", context, want_context, want_context + CONTEXT_PADDING - 1, err);
    if (st == PP_OK)
        st = pp_json_member_filled_text(server->props, "model_path", &model_path, err);
    if (st == PP_OK && !pp_text_is(model_path, server->options.model_path))
        st = pp_fail(err, PP_ERR_PEER, "llama-server runs with the model '%s', asked was '%s'",
                     model_path.data, server->options.model_path);
    if (st == PP_OK)
        st = pp_json_member_filled_text(server->props, "build_info", &build_info, err);
    if (st != PP_OK)
        return st;
    server->readback = pp_json_new_object(&server->arena);
    pp_json_set_text(&server->arena, server->readback, "build_info", build_info);
    pp_json_set_text(&server->arena, server->readback, "model_path", model_path);
    pp_json_set_int(&server->arena, server->readback, "total_slots", slots);
    pp_json_set_int(&server->arena, server->readback, "n_ctx_per_slot", context);
    return pp_arena_check(&server->arena, err);
}

static void copy_or_null(pp_server *server, const char *to, const pp_json *from, const char *key,
                         pp_json_kind kind)
{
    const pp_json *value = pp_json_find(from, key);

    pp_json_set(&server->arena, server->readback, to,
                value != NULL && value->kind == kind ? value : pp_json_new_null(&server->arena));
}

/* Whatever it says; it may say nothing. */
static pp_status keep_props(pp_server *server, pp_error *err)
{
    const pp_json *props = NULL;
    pp_error silence = {0};
    pp_status st = get_json(server, "/props", &props, &silence);

    if (st == PP_ERR_INTERRUPTED || st == PP_ERR_MEMORY) {
        if (err != NULL)
            *err = silence;
        return st;
    }
    if (st != PP_OK || props->kind != PP_JSON_OBJECT) {
        server->readback = pp_json_new_null(&server->arena);
        return pp_arena_check(&server->arena, err);
    }
    server->readback = pp_json_new_object(&server->arena);
    copy_or_null(server, "build_info", props, "build_info", PP_JSON_STRING);
    copy_or_null(server, "model_path", props, "model_path", PP_JSON_STRING);
    copy_or_null(server, "total_slots", props, "total_slots", PP_JSON_INTEGER);
    copy_or_null(server, "n_ctx_per_slot", pp_json_find(props, "default_generation_settings"),
                 "n_ctx", PP_JSON_INTEGER);
    copy_or_null(server, "is_sleeping", props, "is_sleeping", PP_JSON_BOOL);
    return pp_arena_check(&server->arena, err);
}

static pp_status read_back(pp_server *server, pp_error *err)
{
    const pp_settings *settings = server->options.settings;
    int64_t want_context = settings->context_size / settings->parallel;
    pp_status st = get_json(server, "/props", &server->props, err);

    if (st == PP_OK)
        st = check_props(server, want_context, err);
    if (st == PP_OK)
        st = get_json(server, "/slots", &server->slots, err);
    return st == PP_OK ? check_slots(server, want_context, err) : st;
}

static pp_status prove_settings(pp_server *server, pp_error *err)
{
    pp_status st;

    if (!pp_port_is_held_by(server->port, pp_server_pid(server)))
        return pp_fail(err, PP_ERR_PEER,
                       "the process that answers on port %u is not the one that was started "
                       "(%ld): another program took the port, or a wrapper does not exec",
                       server->port, (long)pp_server_pid(server));
    st = server->options.settings == NULL ? keep_props(server, err) : read_back(server, err);
    return pp_wrap(err, st, "reading settings back");
}

pp_status pp_server_start(const pp_server_options *options, pp_server **ret_server, pp_error *err)
{
    pp_server *server = calloc(1, sizeof *server);
    pp_status st;

    if (server == NULL)
        return pp_fail(err, PP_ERR_MEMORY, "out of memory");
    server->options = *options;
    st = launch(server, err);
    if (st == PP_OK)
        st = wait_until_healthy(server, err);
    if (st == PP_OK)
        st = prove_settings(server, err);
    if (st != PP_OK) {
        pp_server_free(server);
        return pp_wrap(err, st, "starting llama-server with model '%s'", options->model_path);
    }
    *ret_server = server;
    return PP_OK;
}

pid_t pp_server_pid(const pp_server *server)
{
    return pp_child_pid(server->child);
}

const char *pp_server_url(const pp_server *server)
{
    return server->url;
}

const pp_argv *pp_server_words(const pp_server *server)
{
    return &server->argv;
}

double pp_server_startup_ms(const pp_server *server)
{
    return server->startup_ms;
}

const pp_json *pp_server_readback(const pp_server *server)
{
    return server->readback;
}

pp_status pp_server_check_alive(pp_server *server, pp_error *err)
{
    pp_child_exit ended;

    return pp_child_ended(server->child, &ended) ? fail_died(server, &ended, err) : PP_OK;
}

void pp_server_stop(pp_server *server, pp_child_exit *ret_exit)
{
    pp_child_stop(server->child, STOP_GRACE_NS, ret_exit);
}

void pp_server_free(pp_server *server)
{
    if (server == NULL)
        return;
    if (server->child != NULL)
        pp_server_stop(server, NULL);
    pp_child_free(server->child);
    pp_arena_done(&server->arena);
    free(server);
}
