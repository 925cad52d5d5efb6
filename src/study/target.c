#include "study/target.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/secret.h"
#include "evidence/layout.h"
#include "machine/process_tree.h"
#include "model/origin.h"
#include "proc/port.h"

/* ---- a server that is started ------------------------------------------------------------------
 */

static pp_status start_server(pp_study *study, const pp_target_files *files,
                              pp_study_record *record, pp_study_target *target, pp_error *err)
{
    pp_server_options options = pp_study_server_options(study, target->candidate);
    pp_status st = pp_study_ensure_folder(study, files->stdout_path, err);

    options.stdout_path = files->stdout_path;
    options.stderr_path = target->stderr_path = files->stderr_path;
    if (st == PP_OK)
        st = pp_arena_check(study->arena, err);
    if (st == PP_OK)
        st = pp_server_start(&options, &target->server, err);
    if (st != PP_OK)
        return st;
    target->url = pp_arena_printf(study->arena, "%s", pp_server_url(target->server));
    if (target->url == NULL)
        return pp_arena_check(study->arena, err);
    target->pid = pp_server_pid(target->server);
    /* if it has just died, the next step finds out */
    if (record != NULL)
        pp_ignore(pp_watch_track(record->watch, target->pid, NULL));
    return pp_study_save_document(study, files->command, "server-command",
                                  pp_study_server_command(study, target->candidate, target->server),
                                  err);
}

/* ---- a server that runs already ----------------------------------------------------------------
 */

static pp_status take_key(pp_study *study, pp_study_target *target, pp_error *err)
{
    const char *name = target->candidate->endpoint.api_key_env.data;
    const char *value = getenv(name);
    const char **headers = PP_ARENA_NEW(study->arena, const char *, 1);
    pp_text key = pp_text_strip(pp_text_of(value == NULL ? "" : value));

    if (key.size == 0)
        return pp_fail(err, PP_ERR_UNAVAILABLE, "the variable '%s', named by api_key_env, %s", name,
                       value == NULL ? "is not set" : "holds no key");
    for (size_t i = 0; i < key.size; i++) {
        if ((unsigned char)key.data[i] <= ' ' || (unsigned char)key.data[i] > '~')
            return pp_fail(err, PP_ERR_USAGE,
                           "'%s': byte %zu of the key is no printable ASCII character", name,
                           i + 1);
    }
    if (headers == NULL)
        return pp_arena_check(study->arena, err);
    target->key = pp_text_dup(study->arena, key);
    headers[0] = pp_arena_printf(study->arena, "Authorization: Bearer %s", target->key.data);
    target->headers = headers;
    target->header_count = 1;
    return pp_arena_check(study->arena, err);
}

pp_status pp_study_check_keys(pp_study *study, pp_error *err)
{
    pp_status st = PP_OK;

    for (size_t i = 0; st == PP_OK && i < study->plan.candidate_count; i++) {
        pp_study_target target = {.candidate = &study->plan.candidates[i]};

        if (target.candidate->endpoint.api_key_env.size > 0)
            st = pp_wrap(err, take_key(study, &target, err), "candidate '%s'",
                         target.candidate->id.data);
    }
    return st;
}

const char *const *pp_study_key_variables(const pp_study *study)
{
    const pp_study_plan *plan = &study->plan;
    const char **names = PP_ARENA_NEW(study->arena, const char *, plan->candidate_count + 1);
    size_t count = 0;

    for (size_t i = 0; names != NULL && i < plan->candidate_count; i++) {
        if (plan->candidates[i].endpoint.api_key_env.size > 0)
            names[count++] = plan->candidates[i].endpoint.api_key_env.data;
    }
    return names;
}

static void set_text_or_null(pp_study *study, pp_json *object, const char *key, pp_text text,
                             pp_text secret)
{
    pp_json_set_maybe_text(study->arena, object, key, pp_secret_remove(study->arena, text, secret));
}

static pp_json *encode_endpoint(pp_study *study, const pp_study_target *target)
{
    const pp_plan_endpoint *planned = &target->candidate->endpoint;
    const pp_load_endpoint *said = &target->endpoint;
    pp_arena *arena = study->arena;
    pp_json *object = pp_json_new_object(arena);

    if (target->gateway != NULL)
        pp_json_set_string(arena, object, "url", target->url);
    else
        pp_json_set_text(arena, object, "url", planned->url);
    pp_json_set_text(arena, object, "server", planned->server);
    set_text_or_null(study, object, "model", planned->model, target->key);
    pp_json_set_string(arena, object, "origin", pp_origin_name(said->origin));
    pp_json_set_bool(arena, object, "is_llama_server", said->is_llama_server);
    pp_json_set_bool(arena, object, "is_sleeping", said->is_sleeping);
    set_text_or_null(study, object, "build_info", said->build, target->key);
    set_text_or_null(study, object, "listed_model", said->model, target->key);
    pp_json_set_maybe_int(arena, object, "total_slots", said->slot_count);
    pp_json_set_maybe_int(arena, object, "n_ctx_per_slot", said->context_tokens);
    return object;
}

/* What a server says of itself as text, for a message; absent values read "null". */
static const char *said_text(pp_arena *arena, const pp_json *object, const char *key)
{
    const pp_json *value = pp_json_find(object, key);
    const char *text = NULL;

    if (value != NULL && value->kind == PP_JSON_STRING)
        text = pp_arena_printf(arena, "'%s'", value->text.data);
    else if (value != NULL && value->kind == PP_JSON_INTEGER)
        text = pp_arena_printf(arena, "%lld", (long long)value->integer);
    else if (value != NULL && value->kind == PP_JSON_BOOL)
        text = value->boolean ? "true" : "false";
    return text == NULL ? "null" : text; /* the arena remembers */
}

/* Its address in the plan; that of a gateway is another one each time. */
static const char *name_of(const pp_study_target *target)
{
    return target->gateway != NULL ? target->candidate->serve.path.data
                                   : target->candidate->endpoint.url.data;
}

/* B131: whoever answers at the address later is the one that was asked first. Whether it sleeps may
 * change. */
static pp_status check_same_server(pp_study *study, const pp_study_target *target,
                                   const pp_json *said, pp_error *err)
{
    static const char *const keys[] = {"is_llama_server", "build_info",     "listed_model",
                                       "total_slots",     "n_ctx_per_slot", "origin"};
    const char *path = pp_bundle_path(study->arena, study->folder, PP_BUNDLE_PREFLIGHT_ENDPOINT,
                                      target->candidate->id.data);
    const pp_json *before = NULL;
    pp_status st = path == NULL ? pp_arena_check(study->arena, err)
                                : pp_json_read_file(study->arena, path, NULL, &before, err);

    for (size_t i = 0; st == PP_OK && i < PP_COUNT_OF(keys); i++) {
        const char *now = said_text(study->arena, said, keys[i]);
        const char *then = said_text(study->arena, before, keys[i]);

        if (strcmp(now, then) != 0)
            return pp_fail(err, PP_ERR_PEER,
                           "'%s' says %s %s, in the preflight it said %s: another server answers "
                           "there, or it was started anew with other settings",
                           name_of(target), keys[i], now, then);
    }
    return st;
}

/* The first request of one that sleeps pays for its model. */
static pp_status check_awake(const pp_study *study, const pp_study_target *target, pp_error *err)
{
    const pp_study_plan *plan = &study->plan;

    if (!target->endpoint.is_sleeping || !plan->has_requests || plan->requests.warmup > 0)
        return PP_OK;
    return pp_fail(err, PP_ERR_PEER,
                   "'%s' says that it sleeps, and the plan has no warm-up request that would wake "
                   "it",
                   target->candidate->endpoint.url.data);
}

/* "http://127.0.0.1:8080/v1": 8080; 0 for other hosts and for addresses without a port. */
static uint16_t loopback_port(const char *url)
{
    static const char *const begins[] = {"http://127.0.0.1:", "http://localhost:"};

    for (size_t i = 0; i < PP_COUNT_OF(begins); i++) {
        size_t size = strlen(begins[i]);

        if (strncmp(url, begins[i], size) == 0)
            return (uint16_t)strtoul(url + size, NULL, 10);
    }
    return 0;
}

static pp_status save_said(pp_study *study, const pp_target_files *files,
                           const pp_study_record *record, const pp_study_target *target,
                           pp_error *err)
{
    pp_json *said = encode_endpoint(study, target);
    pp_status st = files->endpoint == NULL
                       ? PP_OK
                       : pp_study_save_document(study, files->endpoint, "endpoint", said, err);

    return st == PP_OK && record != NULL ? check_same_server(study, target, said, err) : st;
}

static pp_status ask_endpoint(pp_study *study, const pp_target_files *files,
                              pp_study_record *record, pp_study_target *target, pp_error *err)
{
    const pp_plan_endpoint *planned = &target->candidate->endpoint;
    pp_status st = pp_server_root(study->arena, planned->url.data, &target->url, err);

    if (st == PP_OK && planned->api_key_env.size > 0)
        st = take_key(study, target, err);
    if (st == PP_OK)
        st = pp_wrap(err,
                     pp_load_endpoint_ask(study->arena, study->loop, target->url, target->headers,
                                          target->header_count, &target->endpoint, err),
                     "asking '%s'", planned->url.data);
    if (st == PP_OK)
        st = check_awake(study, target, err);
    if (st != PP_OK)
        return st;
    target->pid = pp_port_find_holder(loopback_port(target->url));
    if (record != NULL && target->pid != 0)
        pp_ignore(pp_watch_track(record->watch, target->pid, NULL)); /* then it counts as foreign */
    return save_said(study, files, record, target, err);
}

/* ---- a gateway that is started -----------------------------------------------------------------
 */

/* Processes behind it that others started would be missing from every sum. */
static const char *absent_because(const pp_study *study, const pp_plan_candidate *candidate)
{
    return study->serves[candidate - study->plan.candidates].needs_others
               ? "servers behind the gateway run already: what they use is not seen"
               : NULL;
}

static pp_status start_gateway(pp_study *study, const pp_target_files *files,
                               pp_study_record *record, pp_study_target *target, pp_error *err)
{
    const pp_gateway_files places = {files->stdout_path, files->stderr_path, files->gateway};
    const pp_plan_candidate *candidate = target->candidate;
    pp_status st = pp_arena_check(study->arena, err);

    target->absent_because = absent_because(study, candidate);
    if (st == PP_OK && candidate->endpoint.api_key_env.size > 0)
        st = take_key(study, target, err);
    if (st == PP_OK)
        st = pp_study_gateway_start(study, candidate, &places, &target->gateway, err);
    if (st != PP_OK)
        return st;
    target->pid = pp_study_gateway_pid(target->gateway);
    if (record != NULL) /* if it has just died, the next step finds out */
        pp_ignore(pp_watch_track(record->watch, target->pid, NULL));
    st = pp_study_gateway_await(target->gateway, err);
    if (st != PP_OK)
        return st;
    target->url = pp_study_gateway_url(target->gateway);
    target->endpoint.model = candidate->endpoint.model;
    st = pp_study_save_document(study, files->command, "server-command",
                                pp_study_gateway_command(target->gateway), err);
    if (st == PP_OK)
        st = pp_study_gateway_origin(target->gateway, &target->endpoint.origin, err);
    return st == PP_OK ? save_said(study, files, record, target, err) : st;
}

/* ---- all ---------------------------------------------------------------------------------------
 */

pp_status pp_study_target_open(pp_study *study, const pp_plan_candidate *candidate,
                               const pp_target_files *files, pp_study_record *record,
                               pp_study_target *ret_target, pp_error *err)
{
    pp_status st;

    *ret_target = (pp_study_target){.candidate = candidate};
    st = candidate->kind == PP_CANDIDATE_ENDPOINT
             ? ask_endpoint(study, files, record, ret_target, err)
         : candidate->kind == PP_CANDIDATE_SERVE
             ? start_gateway(study, files, record, ret_target, err)
             : start_server(study, files, record, ret_target, err);
    if (st != PP_OK)
        pp_secret_remove_from_error(err, ret_target->key);
    return st;
}

pp_status pp_study_target_check_alive(pp_study_target *target, pp_error *err)
{
    if (target->gateway != NULL)
        return pp_study_gateway_check_alive(target->gateway, err);
    return target->server == NULL ? PP_OK : pp_server_check_alive(target->server, err);
}

void pp_study_target_close(pp_study *study, pp_study_target *target, pp_study_record *record)
{
    pp_child_exit ended;

    if (target->server == NULL && target->gateway == NULL) {
        if (record != NULL && target->pid != 0)
            pp_watch_untrack(record->watch, target->pid, NULL);
        return;
    }
    if (target->gateway != NULL)
        pp_study_gateway_stop(target->gateway, &ended);
    else
        pp_server_stop(target->server, &ended);
    if (record != NULL) {
        pp_watch_untrack(record->watch, target->pid, &ended.usage);
        pp_study_record_exit(study, record, &ended);
    }
    pp_server_free(target->server);
    pp_study_gateway_free(target->gateway);
    target->server = NULL;
    target->gateway = NULL;
}

/* ---- what it uses ------------------------------------------------------------------------------
 */

pp_status pp_study_target_memory(pp_study_target *target, pp_process_memory *ret_memory,
                                 pp_error *err)
{
    *ret_memory = (pp_process_memory){0};
    if (target->gateway != NULL && target->absent_because == NULL &&
        pp_process_tree_memory("/", target->pid, ret_memory, NULL) != PP_OK) {
        *ret_memory = (pp_process_memory){0};
        target->absent_because = "the processes of the gateway cannot be listed";
    }
    return target->server == NULL ? PP_OK
                                  : pp_process_memory_read("/", target->pid, ret_memory, err);
}

const char *pp_study_target_memory_method(const pp_study_target *target)
{
    return target->candidate->kind == PP_CANDIDATE_SERVE
               ? "sum of VmHWM of /proc/PID/status of the gateway and all processes that it "
                 "started, after the last request"
               : "VmHWM of the server's /proc/PID/status after the last request";
}

pp_maybe_int pp_study_target_cpu_ns(const pp_study_target *target)
{
    struct timespec used;
    clockid_t clock;
    int64_t ns;

    if (target->gateway != NULL)
        return target->absent_because == NULL &&
                       pp_process_tree_cpu("/", target->pid, &ns, NULL) == PP_OK
                   ? pp_known_int(ns)
                   : (pp_maybe_int){0};
    if (target->server == NULL || clock_getcpuclockid(target->pid, &clock) != 0 ||
        clock_gettime(clock, &used) != 0)
        return (pp_maybe_int){0};
    return pp_known_int((int64_t)used.tv_sec * PP_NS_PER_S + used.tv_nsec);
}

/* ---- how it is spoken to -----------------------------------------------------------------------
 */

pp_status pp_study_target_check_log(pp_study *study, const pp_study_target *target, pp_error *err)
{
    return target->stderr_path == NULL
               ? PP_OK
               : pp_study_check_markers(study, target->candidate, target->stderr_path, err);
}

pp_dialect pp_study_target_dialect(const pp_study_target *target)
{
    const pp_plan_endpoint *planned = &target->candidate->endpoint;
    pp_dialect dialect = {.endpoint = PP_ENDPOINT_COMPLETION, .kind = PP_SERVER_LLAMA_SERVER};

    if (pp_candidate_has_engine(target->candidate) ||
        !pp_server_kind_find(planned->server.data, &dialect.kind) ||
        dialect.kind == PP_SERVER_LLAMA_SERVER)
        return dialect;
    dialect.endpoint = PP_ENDPOINT_CHAT;
    dialect.include_usage = true;
    dialect.model = planned->model.size > 0 ? planned->model : target->endpoint.model;
    return dialect;
}

void pp_study_target_hide_key(pp_study *study, const pp_study_target *target, pp_sample *samples,
                              size_t count)
{
    for (size_t i = 0; target->key.size > 0 && i < count; i++) {
        samples[i].failure_text =
            pp_secret_remove(study->arena, samples[i].failure_text, target->key);
        samples[i].finish = pp_secret_remove(study->arena, samples[i].finish, target->key);
    }
}
