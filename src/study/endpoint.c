#include "study/endpoint.h"

#include <string.h>

#include "base/clock.h"
#include "capacity/load_report.h"
#include "engine/gguf.h"
#include "json/json.h"

#define ASK_LIMIT_NS     (10 * PP_NS_PER_S)
/* /metrics is only a hint, and a gateway may forward it to nowhere. */
#define METRICS_LIMIT_NS (2 * PP_NS_PER_S)

typedef struct asker {
    pp_arena *arena;
    pp_http_loop *loop;
    const char *root;
    const char *const *headers;
    size_t header_count;
} asker;

/* In our own words: those of the library say how many milliseconds it took. */
static pp_status fail_silent(const asker *a, const pp_http_record *record, pp_error *err)
{
    const char *at = pp_endpoint_without_secrets(a->arena, pp_text_of(a->root)).data;

    if (at == NULL)
        return pp_fail(err, PP_ERR_MEMORY, "out of memory");
    switch (record->result) {
    case PP_HTTP_UNRESOLVED:
        return pp_fail(err, PP_ERR_PEER, "no address is known for the host of '%s'", at);
    case PP_HTTP_REFUSED:
        return pp_fail(err, PP_ERR_PEER, "nothing accepts connections at '%s'", at);
    default:
        return pp_fail(err, PP_ERR_PEER, "no answer from '%s': %s", at,
                       record->text[0] != '\0' ? record->text
                                               : pp_http_result_name(record->result));
    }
}

/* Whatever it answers; the record is the caller's to end. */
static pp_status get(const asker *a, const char *path, int64_t limit_ns, pp_http_record *record,
                     pp_error *err)
{
    pp_http_request request = {
        .method = "GET",
        .url = pp_arena_printf(a->arena, "%s%s", a->root, path),
        .headers = a->headers,
        .header_count = a->header_count,
        .limits = {.total_ns = limit_ns},
        .fresh_connection = true,
    };
    pp_status st = pp_arena_check(a->arena, err);

    if (st == PP_OK)
        st = pp_http_record_init(record, PP_HTTP_CONTROL_MAX_BYTES, 0, 0, err);
    return st == PP_OK ? pp_http_perform(a->loop, &request, NULL, NULL, record, err) : st;
}

/* NULL when the server has no such path or answers it in its own way. */
static pp_status ask(const asker *a, const char *path, const pp_json **ret_root, int *ret_status,
                     pp_error *err)
{
    pp_http_record record = {0};
    pp_error why = {0};
    pp_status st = get(a, path, ASK_LIMIT_NS, &record, err);

    *ret_root = NULL;
    *ret_status = record.status;
    if (st == PP_OK && record.status == 0)
        st = fail_silent(a, &record, err);
    else if (st == PP_OK && (record.status == 401 || record.status == 403))
        st = pp_fail(err, PP_ERR_PEER,
                     "HTTP status %d: the server wants a key (--api-key-file, --api-key-env) or "
                     "refuses this one",
                     record.status);
    else if (st == PP_OK && record.status == 503 && strcmp(path, "/props") == 0)
        st = pp_fail(err, PP_ERR_PEER,
                     "HTTP status 503: the server is not ready; it may be loading its model");
    else if (st == PP_OK && record.result == PP_HTTP_COMPLETE &&
             pp_json_parse(a->arena, path, pp_buf_text(&record.body), record.body.size, ret_root,
                           &why) != PP_OK)
        *ret_root = NULL; /* some answer every path with a page */
    pp_http_record_done(&record);
    return st;
}

static pp_text text_member(const pp_json *object, const char *key)
{
    const pp_json *value = pp_json_find(object, key);

    return value != NULL && value->kind == PP_JSON_STRING ? value->text : (pp_text){0};
}

static pp_maybe_int count_member(const pp_json *object, const char *key)
{
    const pp_json *value = pp_json_find(object, key);

    return value != NULL && value->kind == PP_JSON_INTEGER && value->integer > 0
               ? pp_known_int(value->integer)
               : (pp_maybe_int){0};
}

static bool is_true(const pp_json *object, const char *key)
{
    const pp_json *value = pp_json_find(object, key);

    return value != NULL && value->kind == PP_JSON_BOOL && value->boolean;
}

/* A model file of ours says what it is made of; any other that can be read here is a real one. */
static pp_origin origin_of_model(pp_arena *arena, pp_text path)
{
    pp_text copy = pp_text_dup(arena, path);
    pp_gguf gguf;
    pp_error why = {0};

    if (path.size == 0 || pp_gguf_load(arena, copy.data, &gguf, &why) != PP_OK)
        return PP_ORIGIN_UNKNOWN;
    return pp_origin_of_weights(gguf.weights);
}

static void take_props(pp_arena *arena, const pp_json *props, pp_load_endpoint *out)
{
    const pp_json *settings = pp_json_find(props, "default_generation_settings");

    if (settings == NULL || settings->kind != PP_JSON_OBJECT)
        return;
    out->is_llama_server = true;
    out->is_sleeping = is_true(props, "is_sleeping");
    out->build = text_member(props, "build_info");
    out->slot_count = count_member(props, "total_slots");
    out->context_tokens = count_member(settings, "n_ctx");
    out->origin = is_true(props, "simulated")
                      ? PP_ORIGIN_SIMULATED
                      : origin_of_model(arena, text_member(props, "model_path"));
}

static void take_models(const pp_json *models, pp_load_endpoint *out)
{
    const pp_json *data = pp_json_find(models, "data");

    if (data != NULL && data->kind == PP_JSON_ARRAY && data->array.count > 0 &&
        data->array.items[0]->kind == PP_JSON_OBJECT)
        out->model = text_member(data->array.items[0], "id");
    if (out->model.size > 0)
        out->owner = text_member(data->array.items[0], "owned_by");
    if (pp_text_is(out->owner, "simulated"))
        out->origin =
            pp_origin_worst(out->origin == PP_ORIGIN_UNKNOWN ? PP_ORIGIN_MEASURED : out->origin,
                            PP_ORIGIN_SIMULATED);
}

pp_status pp_load_endpoint_ask(pp_arena *arena, pp_http_loop *loop, const char *root,
                               const char *const *headers, size_t header_count,
                               pp_load_endpoint *ret_endpoint, pp_error *err)
{
    asker a = {arena, loop, root, headers, header_count};
    pp_load_endpoint out = {.origin = PP_ORIGIN_UNKNOWN};
    const pp_json *answer = NULL;
    int status = 0;
    pp_status st = ask(&a, "/props", &answer, &status, err);

    if (st == PP_OK && answer != NULL && answer->kind == PP_JSON_OBJECT)
        take_props(arena, answer, &out);
    if (st == PP_OK)
        st = ask(&a, "/v1/models", &answer, &status, err);
    if (st == PP_OK && answer != NULL && answer->kind == PP_JSON_OBJECT)
        take_models(answer, &out);
    if (st == PP_OK)
        *ret_endpoint = out;
    return st;
}

/* ---- what kind of server it is --------------------------------------------------------------- */

/* "vllm:..." where a line begins. */
static bool names_vllm(const char *metrics)
{
    return strncmp(metrics, "vllm:", 5) == 0 || strstr(metrics, "\nvllm:") != NULL;
}

static pp_status look_at_metrics(const asker *a, bool *ret_is_vllm, pp_error *err)
{
    pp_http_record record = {0};
    pp_status st = get(a, "/metrics", METRICS_LIMIT_NS, &record, err);

    *ret_is_vllm =
        st == PP_OK && record.result == PP_HTTP_COMPLETE && names_vllm(pp_buf_text(&record.body));
    pp_http_record_done(&record);
    return st;
}

pp_status pp_load_endpoint_recognise(pp_arena *arena, pp_http_loop *loop, const char *root,
                                     const char *const *headers, size_t header_count,
                                     const pp_load_endpoint *endpoint,
                                     pp_load_recognised *ret_recognised, pp_error *err)
{
    asker a = {arena, loop, root, headers, header_count};
    bool is_vllm = false;
    pp_status st;

    if (endpoint->is_llama_server) {
        *ret_recognised = (pp_load_recognised){
            PP_SERVER_LLAMA_SERVER, pp_text_of("it answers /props as a llama-server does")};
        return PP_OK;
    }
    if (pp_text_is(endpoint->owner, "vllm")) {
        *ret_recognised =
            (pp_load_recognised){PP_SERVER_VLLM, pp_text_of("/v1/models says owned_by vllm")};
        return PP_OK;
    }
    st = look_at_metrics(&a, &is_vllm, err);
    if (st == PP_OK && is_vllm)
        *ret_recognised =
            (pp_load_recognised){PP_SERVER_VLLM, pp_text_of("/metrics names vllm:...")};
    else if (st == PP_OK)
        *ret_recognised = (pp_load_recognised){
            PP_SERVER_OPENAI,
            pp_text_of("neither /props nor /v1/models nor /metrics tells another kind")};
    return st;
}
