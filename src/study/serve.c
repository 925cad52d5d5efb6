#include "study/serve.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/files.h"
#include "digest/sha256.h"
#include "engine/server.h"
#include "load/dialect.h"
#include "study/endpoint.h"

#define OWN_PROGRAM      "/proc/self/exe"
#define SERVERS_FOLDER   "servers"
#define HEALTH_STEP_NS   (50 * PP_NS_PER_MS)
#define CONTROL_LIMIT_NS (10 * PP_NS_PER_S)
#define ADDRESS_MAX      256
/* Its servers get ten seconds each, at the same time. */
#define STOP_GRACE_NS    (30 * PP_NS_PER_S)
/* A program, serve, a configuration, and six options with their values. */
#define WORDS_MAX        15

extern char **environ;

struct pp_study_gateway {
    pp_study *study;
    const pp_plan_candidate *candidate;
    const pp_study_serve *serve;
    pp_gateway_files files;
    pp_child *child;
    pp_argv argv;
    const char *url; /* NULL: it has not said it yet */
    int64_t started_ns;
    double startup_ms;
};

static const pp_study_serve *serve_of(const pp_study *study, const pp_plan_candidate *candidate)
{
    return &study->serves[candidate - study->plan.candidates];
}

/* ---- the configuration ------------------------------------------------------------------------
 */

static const char *config_path(const pp_study *study, const pp_plan_candidate *candidate)
{
    return strcmp(study->plan_folder, ".") == 0
               ? candidate->serve.path.data
               : pp_path_join(study->arena, study->plan_folder, candidate->serve.path.data);
}

/* Where --model-dir leads. Only a folder other than the plan's is handed on: without the option,
 * files of a configuration start at its own folder, which may be another one. */
static const char *given_model_folder(const pp_study *study)
{
    return strcmp(study->model_folder, study->plan_folder) == 0 ? NULL : study->model_folder;
}

static pp_status check_digest(const pp_study *study, const pp_plan_candidate *candidate,
                              pp_error *err)
{
    const char *path = config_path(study, candidate);
    char hex[PP_SHA256_HEX_SIZE];
    pp_status st =
        path == NULL ? pp_arena_check(study->arena, err) : pp_sha256_file(path, hex, NULL, err);

    if (st == PP_OK && !pp_text_is(candidate->serve.sha256, hex))
        st = pp_fail(err, PP_ERR_DOMAIN, "'%s': found SHA-256 %s, the plan says %s", path, hex,
                     candidate->serve.sha256.data);
    return st;
}

static pp_status read_weights(pp_study *study, const pp_plan_candidate *candidate,
                              pp_study_serve *serve, pp_error *err)
{
    const char *given = given_model_folder(study);
    const char *folder =
        given != NULL ? given : pp_path_folder(study->arena, config_path(study, candidate));
    pp_status st = pp_arena_check(study->arena, err);

    serve->weights = PP_ORIGIN_MEASURED;
    for (size_t i = 0; st == PP_OK && i < serve->config.backend_count; i++) {
        const pp_serve_backend *backend = &serve->config.backends[i];
        const pp_plan_model *file = &serve->config.files[backend->file_index];
        pp_gguf gguf;

        if (backend->kind != PP_SERVE_STARTED)
            continue;
        st = pp_gguf_load(study->arena, pp_path_join(study->arena, folder, file->path.data), &gguf,
                          err);
        if (st == PP_OK)
            serve->weights = pp_origin_worst(serve->weights, pp_origin_of_weights(gguf.weights));
        st = pp_wrap(err, st, "'%s': model file '%s'", candidate->serve.path.data, file->id.data);
    }
    return st;
}

pp_status pp_study_check_serves(pp_study *study, pp_error *err)
{
    pp_status st = PP_OK;

    for (size_t i = 0; st == PP_OK && i < study->plan.candidate_count; i++) {
        const pp_plan_candidate *candidate = &study->plan.candidates[i];

        if (candidate->kind != PP_CANDIDATE_SERVE)
            continue;
        st = check_digest(study, candidate, err);
        if (st == PP_OK)
            st = read_weights(study, candidate, &study->serves[i], err);
        st = pp_wrap(err, st, "candidate '%s'", candidate->id.data);
    }
    return st;
}

/* ---- the command line -------------------------------------------------------------------------
 */

/* By its path, so that the line can be started again; and only while the path still leads to it. */
static pp_status find_program(pp_study *study, const char **ret_path, pp_error *err)
{
    char path[PATH_MAX];
    ssize_t size = readlink(OWN_PROGRAM, path, sizeof path - 1);
    struct stat own;
    struct stat found;

    if (size < 0 || stat(OWN_PROGRAM, &own) != 0)
        return pp_fail_errno(err, PP_ERR_IO, errno, "cannot read '%s'", OWN_PROGRAM);
    path[size] = '\0';
    if (stat(path, &found) != 0 || found.st_dev != own.st_dev || found.st_ino != own.st_ino)
        return pp_fail(err, PP_ERR_DOMAIN, "'%s': this program was exchanged while it ran", path);
    *ret_path = pp_arena_dup(study->arena, path, (size_t)size);
    return pp_arena_check(study->arena, err);
}

static void add(pp_argv *argv, const char *word)
{
    PP_ASSERT(argv->count < WORDS_MAX);
    argv->words[argv->count++] = word;
}

static void add_option(pp_argv *argv, const char *name, const char *value)
{
    if (value == NULL)
        return;
    add(argv, name);
    add(argv, value);
}

pp_status pp_study_serve_argv(pp_study *study, const pp_plan_candidate *candidate,
                              const pp_gateway_files *files, pp_argv *ret_argv, pp_error *err)
{
    const pp_study_serve *serve = serve_of(study, candidate);
    pp_argv argv = {PP_ARENA_NEW(study->arena, const char *, WORDS_MAX + 1), 0};
    const char *program = NULL;
    pp_status st = find_program(study, &program, err);

    if (st != PP_OK || argv.words == NULL)
        return st == PP_OK ? pp_arena_check(study->arena, err) : st;
    add(&argv, program);
    add(&argv, "serve");
    add(&argv, config_path(study, candidate));
    if (serve->starts_servers) {
        add_option(&argv, "--llama-dir", study->options->llama_dir);
        add_option(&argv, "--model-dir", given_model_folder(study));
    }
    add_option(&argv, "--port", "0"); /* what follows is the study's own; see evidence/metadata.c */
    if (files != NULL && serve->starts_servers)
        add_option(&argv, "--log-dir", pp_path_join(study->arena, files->folder, SERVERS_FOLDER));
    if (files != NULL && serve->config.access_log.size > 0)
        add_option(&argv, "--access-log",
                   pp_path_join(study->arena, files->folder, "access.jsonl"));
    *ret_argv = argv;
    return pp_arena_check(study->arena, err);
}

/* ---- starting ---------------------------------------------------------------------------------
 */

static bool is_variable(const char *variable, const char *name)
{
    const size_t size = strlen(name);

    return strncmp(variable, name, size) == 0 && variable[size] == '=';
}

static bool is_key(const char *const *names, const char *variable)
{
    while (*names != NULL && !is_variable(variable, *names))
        names++;
    return *names != NULL;
}

static bool is_wanted(const pp_serve_config *config, const char *variable)
{
    for (size_t i = 0; i < config->backend_count; i++) {
        pp_text name = config->backends[i].endpoint.api_key_env;

        if (name.size > 0 && is_variable(variable, name.data))
            return true;
    }
    return false;
}

/* Ours, without keys of other candidates. */
static const char *const *environment_of(const pp_study *study, const pp_serve_config *config)
{
    const char *const *keys = pp_study_key_variables(study);
    const char **kept;
    size_t count = 0;

    while (environ[count] != NULL)
        count++;
    kept = PP_ARENA_NEW(study->arena, const char *, count + 1);
    if (kept == NULL || keys == NULL)
        return NULL;
    count = 0;
    for (char **from = environ; *from != NULL; from++) {
        if (!is_key(keys, *from) || is_wanted(config, *from))
            kept[count++] = *from;
    }
    return kept;
}

/* What an earlier attempt left was moved away; its empty folders stay, and serve wants a new one.
 */
static pp_status make_folders(pp_study *study, const pp_study_serve *serve,
                              const pp_gateway_files *files, pp_error *err)
{
    const char *servers = pp_path_join(study->arena, files->folder, SERVERS_FOLDER);
    pp_status st = pp_study_ensure_folder(study, files->stdout_path, err);

    if (st != PP_OK || servers == NULL)
        return st == PP_OK ? pp_arena_check(study->arena, err) : st;
    (void)rmdir(servers);
    return (serve->starts_servers || serve->config.access_log.size > 0) &&
                   !pp_path_is_folder(files->folder)
               ? pp_folder_create(files->folder, true, err)
               : PP_OK;
}

static pp_status launch(pp_study_gateway *gateway, pp_error *err)
{
    pp_child_options options = {
        .environment = environment_of(gateway->study, &gateway->serve->config),
        .stdout_path = gateway->files.stdout_path,
        .stderr_path = gateway->files.stderr_path,
    };
    pp_status st = pp_study_serve_argv(gateway->study, gateway->candidate, &gateway->files,
                                       &gateway->argv, err);

    if (st != PP_OK)
        return st;
    options.argv = gateway->argv.words;
    gateway->started_ns = pp_clock_now_ns();
    return pp_child_start(&options, &gateway->child, err);
}

pp_status pp_study_gateway_start(pp_study *study, const pp_plan_candidate *candidate,
                                 const pp_gateway_files *files, pp_study_gateway **ret_gateway,
                                 pp_error *err)
{
    pp_study_gateway *gateway = PP_ARENA_NEW(study->arena, pp_study_gateway, 1);
    pp_status st = pp_arena_check(study->arena, err);

    if (st == PP_OK)
        st = check_digest(study, candidate, err);
    if (st == PP_OK)
        st = make_folders(study, serve_of(study, candidate), files, err);
    if (st != PP_OK)
        return st;
    *gateway = (pp_study_gateway){.study = study,
                                  .candidate = candidate,
                                  .serve = serve_of(study, candidate),
                                  .files = *files};
    st = launch(gateway, err);
    if (st == PP_OK)
        *ret_gateway = gateway;
    return st;
}

/* ---- until it is ready ------------------------------------------------------------------------
 */

/* "http://0.0.0.0:8080": everywhere, so also here. */
static const char *address_to_ask(pp_study *study, const char *said)
{
    static const char *const everywhere[][2] = {{"http://0.0.0.0:", "http://127.0.0.1:"},
                                                {"http://[::]:", "http://[::1]:"}};

    for (size_t i = 0; i < PP_COUNT_OF(everywhere); i++) {
        size_t size = strlen(everywhere[i][0]);

        if (strncmp(said, everywhere[i][0], size) == 0)
            return pp_arena_printf(study->arena, "%s%s", everywhere[i][1], said + size);
    }
    return pp_arena_dup(study->arena, said, strlen(said));
}

/* The first line that it prints, once it is whole. */
static void read_address(pp_study_gateway *gateway)
{
    char line[ADDRESS_MAX] = "";
    FILE *out = fopen(gateway->files.stdout_path, "re");

    if (out == NULL)
        return;
    if (fgets(line, sizeof line, out) != NULL && strchr(line, '\n') != NULL) {
        line[strcspn(line, "\n")] = '\0';
        gateway->url = address_to_ask(gateway->study, line);
    }
    (void)fclose(out); /* only read from */
}

/* What GET /health says; NULL when it says nothing. */
static pp_status ask_health(const pp_study_gateway *gateway, pp_arena *arena,
                            const pp_json **ret_health, pp_error *err)
{
    const pp_http_request request = {
        .method = "GET",
        .url = pp_arena_printf(arena, "%s/health", gateway->url),
        .limits = {.total_ns = CONTROL_LIMIT_NS},
        .fresh_connection = true,
    };
    pp_http_record record = {0};
    pp_status st = pp_arena_check(arena, err);

    *ret_health = NULL;
    if (st == PP_OK)
        st = pp_http_record_init(&record, PP_HTTP_CONTROL_MAX_BYTES, 0, 0, err);
    if (st == PP_OK)
        st = pp_http_perform(gateway->study->loop, &request, NULL, NULL, &record, err);
    /* it answers with status 503 while nothing is ready, and says the same things then */
    if (st == PP_OK && record.body.size > 0 &&
        pp_json_parse(arena, "/health", pp_buf_text(&record.body), record.body.size, ret_health,
                      NULL) != PP_OK)
        *ret_health = NULL;
    pp_http_record_done(&record);
    return st;
}

static const pp_json *list_of(const pp_json *object, const char *key)
{
    static const pp_json none = {.kind = PP_JSON_ARRAY};
    const pp_json *list = pp_json_find(object, key);

    return list != NULL && list->kind == PP_JSON_ARRAY ? list : &none;
}

static const char *text_of(const pp_json *object, const char *key)
{
    const pp_json *text = pp_json_find(object, key);

    return text != NULL && text->kind == PP_JSON_STRING ? text->text.data : "";
}

static bool is_true(const pp_json *value)
{
    return value != NULL && value->kind == PP_JSON_BOOL && value->boolean;
}

/* What is missing, into `why`; an empty text when nothing is. */
static void find_missing(const pp_study_gateway *gateway, const pp_json *health, char *why,
                         size_t size)
{
    const char *name = gateway->candidate->endpoint.model.data;
    const pp_json *models = list_of(health, "models");
    bool is_ready = false;

    why[0] = '\0';
    for (size_t i = 0; i < models->array.count; i++) {
        const pp_json *model = models->array.items[i];
        const pp_json *backends = list_of(model, "backends");

        is_ready = is_ready || (strcmp(text_of(model, "name"), name) == 0 &&
                                is_true(pp_json_find(model, "ready")));
        for (size_t j = 0; why[0] == '\0' && j < backends->array.count; j++) {
            const pp_json *backend = backends->array.items[j];

            if (strcmp(text_of(backend, "state"), "ready") != 0)
                (void)snprintf(why, size, "back end '%s' is %s", text_of(backend, "id"),
                               text_of(backend, "state"));
        }
    }
    if (why[0] == '\0' && !is_ready)
        (void)snprintf(why, size, "model '%s' is not ready", name);
}

static pp_status look(pp_study_gateway *gateway, char *why, size_t size, pp_error *err)
{
    pp_arena arena = {0};
    const pp_json *health = NULL;
    pp_status st = PP_OK;

    if (gateway->url == NULL)
        read_address(gateway);
    if (gateway->url == NULL) {
        (void)snprintf(why, size, "it does not listen yet");
        return pp_arena_check(gateway->study->arena, err);
    }
    st = ask_health(gateway, &arena, &health, err);
    if (st == PP_OK && health == NULL)
        (void)snprintf(why, size, "it does not answer GET /health");
    else if (st == PP_OK)
        find_missing(gateway, health, why, size);
    pp_arena_done(&arena);
    return st;
}

static const char *log_tail(const pp_study_gateway *gateway,
                            char tail[PP_SERVER_LOG_TAIL_BYTES + 1])
{
    pp_server_read_log_tail(gateway->files.stderr_path, tail);
    return tail[0] == '\0' ? "(none)" : tail;
}

static pp_status fail_late(const pp_study_gateway *gateway, const char *why, pp_error *err)
{
    char tail[PP_SERVER_LOG_TAIL_BYTES + 1];

    return pp_fail(err, PP_ERR_TIMEOUT,
                   "the gateway of '%s' was not ready after %.1f s: %s; its last log lines: %s",
                   gateway->candidate->serve.path.data,
                   (double)gateway->study->plan.deadlines.start_ms / 1e3, why,
                   log_tail(gateway, tail));
}

/* Some time passes, unless it ends meanwhile or we are to stop. */
static pp_status wait_a_step(const pp_study_gateway *gateway, pp_error *err)
{
    pp_error not_yet = {0};
    pp_status st = pp_child_wait(gateway->child, pp_clock_now_ns() + HEALTH_STEP_NS,
                                 gateway->study->options->stop, NULL, &not_yet);

    if (st == PP_OK || st == PP_ERR_TIMEOUT)
        return PP_OK; /* whether it lives is asked next */
    if (err != NULL)
        *err = not_yet;
    return st;
}

pp_status pp_study_gateway_await(pp_study_gateway *gateway, pp_error *err)
{
    const int64_t deadline_ns =
        gateway->started_ns + gateway->study->plan.deadlines.start_ms * PP_NS_PER_MS;
    char why[256] = "";
    pp_status st = PP_OK;

    do {
        st = pp_study_gateway_check_alive(gateway, err);
        if (st == PP_OK)
            st = look(gateway, why, sizeof why, err);
        if (st != PP_OK || why[0] == '\0')
            break;
        st = pp_clock_now_ns() >= deadline_ns ? fail_late(gateway, why, err)
                                              : wait_a_step(gateway, err);
    } while (st == PP_OK);
    gateway->startup_ms = (double)(pp_clock_now_ns() - gateway->started_ns) / 1e6;
    return st;
}

/* ---- what it is -------------------------------------------------------------------------------
 */

pid_t pp_study_gateway_pid(const pp_study_gateway *gateway)
{
    return pp_child_pid(gateway->child);
}

const char *pp_study_gateway_url(const pp_study_gateway *gateway)
{
    return gateway->url;
}

pp_json *pp_study_gateway_command(const pp_study_gateway *gateway)
{
    pp_arena *arena = gateway->study->arena;
    pp_json *object = pp_json_new_object(arena);

    pp_json_set(arena, object, "argv", pp_argv_encode(arena, &gateway->argv));
    pp_json_set_string(arena, object, "url", gateway->url);
    pp_json_set_real(arena, object, "startup_ms", gateway->startup_ms);
    pp_json_set_null(arena, object, "readback");
    return object;
}

/* Asked itself, for the gateway does not say what stands behind it. A key that is not in a variable
 * is not looked for: what needs it stays unknown. */
static pp_status ask_origin(const pp_study_gateway *gateway, const pp_plan_endpoint *endpoint,
                            pp_origin *ret_origin, pp_error *err)
{
    pp_study *study = gateway->study;
    const char *key = endpoint->api_key_env.size > 0 ? getenv(endpoint->api_key_env.data) : NULL;
    const char *headers[1];
    pp_load_endpoint said = {0};
    pp_error silence = {0};
    const char *root = NULL;
    pp_status st = pp_server_root(study->arena, endpoint->url.data, &root, err);

    headers[0] =
        key == NULL ? NULL : pp_arena_printf(study->arena, "Authorization: Bearer %s", key);
    if (st == PP_OK)
        st = pp_arena_check(study->arena, err);
    if (st != PP_OK)
        return st;
    *ret_origin = PP_ORIGIN_UNKNOWN;
    st = pp_load_endpoint_ask(study->arena, study->loop, root, headers, key == NULL ? 0 : 1, &said,
                              &silence);
    if (st == PP_OK)
        *ret_origin = said.origin;
    if ((st == PP_ERR_INTERRUPTED || st == PP_ERR_MEMORY) && err != NULL)
        *err = silence;
    return st == PP_ERR_INTERRUPTED || st == PP_ERR_MEMORY ? st : PP_OK;
}

pp_status pp_study_gateway_origin(const pp_study_gateway *gateway, pp_origin *ret_origin,
                                  pp_error *err)
{
    const pp_serve_config *config = &gateway->serve->config;
    pp_status st = PP_OK;

    *ret_origin = gateway->serve->weights;
    for (size_t i = 0; st == PP_OK && i < config->backend_count; i++) {
        pp_origin said = PP_ORIGIN_UNKNOWN;

        if (config->backends[i].kind == PP_SERVE_STARTED)
            continue;
        st = ask_origin(gateway, &config->backends[i].endpoint, &said, err);
        *ret_origin = pp_origin_worst(*ret_origin, said);
    }
    return st;
}

/* ---- its end ----------------------------------------------------------------------------------
 */

pp_status pp_study_gateway_check_alive(pp_study_gateway *gateway, pp_error *err)
{
    char tail[PP_SERVER_LOG_TAIL_BYTES + 1];
    pp_child_exit ended;
    char how[64];

    if (!pp_child_ended(gateway->child, &ended))
        return PP_OK;
    return pp_fail(err, PP_ERR_PEER, "the gateway of '%s' ended with %s; its last log lines: %s",
                   gateway->candidate->serve.path.data, pp_child_exit_text(&ended, how),
                   log_tail(gateway, tail));
}

void pp_study_gateway_stop(pp_study_gateway *gateway, pp_child_exit *ret_exit)
{
    pp_child_stop(gateway->child, STOP_GRACE_NS, ret_exit);
}

void pp_study_gateway_free(pp_study_gateway *gateway)
{
    if (gateway != NULL)
        pp_child_free(gateway->child);
}
