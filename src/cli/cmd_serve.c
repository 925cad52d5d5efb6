#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "base/clock.h"
#include "base/files.h"
#include "base/stop.h"
#include "base/units.h"
#include "cli/inputs.h"
#include "cli/serve_keys.h"
#include "cli/serve_started.h"
#include "cli/signals.h"
#include "gateway/gateway.h"

/* Open files that are no connections: log, epoll sets, standard streams, a few to spare. */
#define OTHER_FILES 64

static const pp_positional positionals[] = {
    {PP_FILE("CONFIG"), "what to serve, docs/formats/serve-config.md", false, false},
};

static const pp_option options[] = {
    {"access-log", 0, PP_FILE("FILE"), "of CONFIG", "file for a line for each request", false,
     false},
    {"check", 0, NULL, NULL, "print CONFIG with every default written out, and serve nothing",
     false, false},
    {"for", 0, PP_DURATION("TIME"), "until stopped", "end after TIME, with exit code 0", false,
     false},
    {"host", 0, PP_TEXT("HOST"), "of CONFIG", "address to listen on", false, false},
    PP_SERVE_STARTED_OPTIONS,
    {"port", 'p', PP_NUMBER("N"), "of CONFIG", "port to listen on; 0: a free one, which is printed",
     false, false},
    {"port-file", 0, PP_FILE("FILE"), NULL, "new file for the port", false, false},
};

/* Everything lives in the arena; the pointers into it must not move. */
typedef struct setup {
    pp_arena arena;
    pp_serve_config config;
    const char *folder; /* of the configuration */
    const pp_text *backend_keys;
    pp_key_ring ring;
    pp_access_log *log;
    pp_serve_started started;
    pp_gateway *gateway;
    int64_t for_ns; /* 0: no end */
} setup;

/* ---- what to serve --------------------------------------------------------------------------- */

/* The rules of the document hold for what the command line puts into it, too: who may listen where
 * depends on keys. */
static pp_status check_again(setup *s, pp_error *err)
{
    const pp_json *document = pp_serve_config_encode(&s->arena, &s->config);
    pp_serve_config checked;

    if (s->arena.failed)
        return pp_arena_check(&s->arena, err);
    return pp_serve_config_decode(&s->arena, document, &checked, err);
}

static pp_status read_overrides(const pp_args *args, setup *s, pp_error *err)
{
    const char *host = pp_args_value(args, "host");
    const char *port = pp_args_value(args, "port");
    const char *time = pp_args_value(args, "for");
    int64_t number;
    pp_status st = PP_OK;

    if (host != NULL)
        s->config.host = pp_text_of(host);
    if (port != NULL) {
        st = pp_parse_int(port, "--port", 0, 65535, &number, err);
        if (st == PP_OK)
            s->config.port = (uint16_t)number;
    }
    if (st == PP_OK && time != NULL)
        st = pp_parse_duration(time, "--for", &s->for_ns, err);
    if (st == PP_OK && host != NULL)
        st = check_again(s, err);
    return pp_wrap(err, st, "serve");
}

static pp_status read_config(const pp_args *args, setup *s, pp_error *err)
{
    pp_status st = pp_serve_config_load(&s->arena, args->positionals[0], &s->config, err);

    if (st == PP_OK)
        st = read_overrides(args, s, err);
    if (st != PP_OK)
        return st;
    s->folder = pp_path_folder(&s->arena, args->positionals[0]);
    return pp_arena_check(&s->arena, err);
}

/* ---- what it needs --------------------------------------------------------------------------- */

static pp_status read_ring(setup *s, pp_error *err)
{
    const char *path;
    bool others_read = false;
    pp_status st;

    if (s->config.keys_file.size == 0)
        return PP_OK;
    path = pp_serve_path(&s->arena, s->folder, s->config.keys_file);
    if (path == NULL)
        return pp_arena_check(&s->arena, err);
    st = pp_key_ring_load(&s->arena, path, &s->ring, &others_read, err);
    if (st == PP_OK && others_read)
        fprintf(stderr, "serve: warning: others on this machine may read '%s'\n", path);
    return st;
}

static pp_status open_log(const pp_args *args, setup *s, pp_error *err)
{
    pp_access_log_options o = {.max_bytes_per_minute = s->config.log_max_bytes_per_minute,
                               .now_ns = pp_clock_now_ns()};

    o.path = pp_args_value(args, "access-log");
    if (o.path == NULL && s->config.access_log.size == 0)
        return PP_OK;
    if (o.path == NULL)
        o.path = pp_serve_path(&s->arena, s->folder, s->config.access_log);
    if (o.path == NULL)
        return pp_arena_check(&s->arena, err);
    return pp_access_log_open(&o, &s->log, err);
}

/* A client and a connection to a back end for each request. */
static void allow_files(int64_t connections)
{
    rlim_t wanted = 2 * (rlim_t)connections + OTHER_FILES;
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= wanted)
        return;
    limit.rlim_cur = wanted < limit.rlim_max ? wanted : limit.rlim_max;
    (void)setrlimit(RLIMIT_NOFILE, &limit); /* then it stays as it was */
    if (limit.rlim_cur < wanted)
        fprintf(stderr,
                "serve: warning: %lld connections need %lld open files, this process may have "
                "%lld\n",
                (long long)connections, (long long)wanted, (long long)limit.rlim_cur);
}

static pp_status make_gateway(setup *s, const volatile sig_atomic_t *stop, pp_error *err)
{
    const pp_gateway_options o = {
        .config = &s->config,
        .keys = s->config.keys_file.size > 0 ? &s->ring : NULL,
        .backend_keys = s->backend_keys,
        .log = s->log,
        .backend_status = s->started.servers.count > 0 ? pp_started_servers_status : NULL,
        .backend_user = &s->started.running,
        .stop = stop,
        .stop_now = pp_signals_second(),
        .reopen_log = pp_signals_hang_up()};

    return pp_gateway_new(&o, &s->gateway, err);
}

/* ---- serving --------------------------------------------------------------------------------- */

static pp_status announce(const pp_args *args, const setup *s, pp_error *err)
{
    const char *path = pp_args_value(args, "port-file");
    pp_text host = s->config.host;
    bool is_v6 = memchr(host.data, ':', host.size) != NULL;
    unsigned number = pp_gateway_port(s->gateway);
    char port[16];

    printf("http://%s%.*s%s:%u\n", is_v6 ? "[" : "", (int)host.size, host.data, is_v6 ? "]" : "",
           number);
    (void)fflush(stdout); /* main checks the stream at the end */
    if (path == NULL)
        return PP_OK;
    (void)snprintf(port, sizeof port, "%u\n", number);
    return pp_file_write_new(path, port, strlen(port), err);
}

static void print_totals(const setup *s)
{
    pp_gateway_totals t = pp_gateway_totals_of(s->gateway);

    fprintf(stderr, "serve: %llu requests; %llu clients left early; %llu requests cut at the end\n",
            (unsigned long long)t.requests, (unsigned long long)t.client_gone,
            (unsigned long long)t.cut);
}

static pp_status serve(const pp_args *args, setup *s, pp_exit *ret_exit, pp_error *err)
{
    const volatile sig_atomic_t *stop = pp_signals_install();
    pp_status st;

    allow_files(s->config.connections);
    st = make_gateway(s, stop, err);
    if (st == PP_OK)
        st = pp_serve_started_run(&s->started, s->gateway, err);
    if (st == PP_OK)
        st = announce(args, s, err);
    if (st == PP_OK)
        st = pp_gateway_run(s->gateway, s->for_ns == 0 ? 0 : pp_clock_now_ns() + s->for_ns, err);
    if (s->gateway != NULL)
        print_totals(s);
    if (st == PP_OK && pp_stop_asked(stop))
        *ret_exit = pp_signals_exit();
    return st;
}

static pp_status prepare(const pp_args *args, setup *s, pp_error *err)
{
    pp_status st = pp_output_check_free(pp_args_value(args, "port-file"), err);

    if (st == PP_OK)
        st = pp_serve_keys_read(&s->arena, &s->config, s->folder, &s->backend_keys, err);
    if (st == PP_OK)
        st = read_ring(s, err);
    if (st == PP_OK)
        st = pp_serve_started_prepare(&s->arena, args, &s->config, s->folder, &s->started, err);
    if (st == PP_OK)
        st = open_log(args, s, err);
    return st;
}

static pp_status run(const pp_args *args, pp_exit *ret_exit, pp_error *err)
{
    setup s = {0};
    pp_status st = read_config(args, &s, err);

    if (st == PP_OK && pp_args_has(args, "check")) {
        st = pp_print_json(pp_serve_config_encode(&s.arena, &s.config), err);
    } else if (st == PP_OK) {
        st = prepare(args, &s, err);
        if (st == PP_OK)
            st = serve(args, &s, ret_exit, err);
    }
    pp_serve_started_end(&s.started);
    pp_gateway_free(s.gateway);
    pp_access_log_free(s.log);
    pp_arena_done(&s.arena);
    return st;
}

const pp_command pp_command_serve = {
    .group = "Serve",
    .name = "serve",
    .positionals = positionals,
    .n_positionals = PP_COUNT_OF(positionals),
    .options = options,
    .n_options = PP_COUNT_OF(options),
    .summary = "a gateway in front of llama-servers and other endpoints",
    .detail =
        "Takes requests of the OpenAI API for the models that CONFIG names, lets each back end "
        "have\n"
        "no more of them than it can serve, and relays its answer byte for byte. Its address is\n"
        "printed; it serves until it is stopped (exit 130 or 143) or --for is over.\n"
        "\n"
        "A first signal lets requests that are under way end; a second one ends at once. SIGHUP\n"
        "opens the access log anew.\n",
    .example = "paretopilot serve examples/serve/two-endpoints.json --check",
    .run = run,
};
