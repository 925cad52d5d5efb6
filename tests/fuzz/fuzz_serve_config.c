#include <stdint.h>
#include <string.h>

#include "model/serve_config.h"
#include "route/rules.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool indices_are_sound(const pp_serve_config *c)
{
    for (size_t i = 0; i < c->backend_count; i++) {
        const pp_serve_backend *backend = &c->backends[i];

        if (backend->kind == PP_SERVE_STARTED &&
            (backend->engine_index >= c->engine_count || backend->file_index >= c->file_count ||
             (backend->draft.has_model && backend->draft.file_index >= c->file_count) ||
             (backend->draft.present && backend->draft.type.size == 0)))
            return false;
    }
    for (size_t i = 0; i < c->model_count; i++) {
        if (c->models[i].backend_count == 0)
            return false;
        for (size_t j = 0; j < c->models[i].backend_count; j++) {
            if (c->models[i].backend_indices[j] >= c->backend_count)
                return false;
        }
    }
    for (size_t i = 0; i < c->rule_count; i++) {
        if (c->rules[i].model_index >= c->model_count)
            return false;
    }
    return c->model_count > 0;
}

/* What the gateway relies on. */
static bool is_sound(const pp_serve_config *c)
{
    return indices_are_sound(c) && c->connect_ms > 0 && c->connect_ms < c->first_byte_ms &&
           c->first_byte_ms < c->total_ms && c->between_bytes_ms < c->total_ms &&
           c->queue_max_wait_ms < c->total_ms && c->hold_ms > 0 &&
           (c->queue_full_status == 429 || c->queue_full_status == 503) && c->backoff_min_ms > 0 &&
           c->backoff_min_ms < c->backoff_max_ms &&
           (!c->rate_per_key.present ||
            (c->keys_file.size > 0 && c->rate_per_key.per_second > 0 && c->rate_per_key.burst > 0));
}

/* Written out, it is the same configuration. */
static bool survives_round_trip(pp_arena *arena, const pp_serve_config *config)
{
    pp_json *once = pp_serve_config_encode(arena, config);
    pp_serve_config again;
    pp_error err = {0};

    return pp_serve_config_decode(arena, once, &again, &err) == PP_OK &&
           pp_json_equal(once, pp_serve_config_encode(arena, &again));
}

/* Each model is found by its name, unless a rule takes it, and the trace may stand in a header. */
static bool routes(const pp_serve_config *config)
{
    bool fine = true;

    for (size_t i = 0; i < config->model_count; i++) {
        const pp_route_ask ask = {.model = config->models[i].name, .endpoint = pp_text_of("chat")};
        pp_route_choice choice;
        pp_buf trace;

        pp_buf_init(&trace, 4096);
        pp_route_choose(config, &ask, &choice);
        pp_route_trace(config, &choice, &trace);
        fine = fine && choice.found && (choice.by_rule || choice.model_index == i);
        for (size_t at = 0; at < trace.size; at++)
            fine = fine && pp_buf_text(&trace)[at] >= ' ' && pp_buf_text(&trace)[at] < 0x7f;
        pp_buf_done(&trace);
    }
    return fine;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    pp_arena arena = {0};
    pp_error err = {0};
    pp_serve_config config;
    const pp_json *root;

    if (pp_json_parse(&arena, "fuzz", (const char *)data, size, &root, &err) == PP_OK &&
        pp_serve_config_decode(&arena, root, &config, &err) == PP_OK) {
        PP_ASSERT(is_sound(&config));
        PP_ASSERT(survives_round_trip(&arena, &config));
        PP_ASSERT(routes(&config));
    } else {
        PP_ASSERT(err.text[0] != '\0'); /* a refusal always explains itself */
    }
    pp_arena_done(&arena);
    return 0;
}
