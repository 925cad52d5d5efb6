/* How many requests an endpoint takes at once, asked of it where nobody said: llama-server tells
 * its slots in /props. Other servers have no such page and keep what was assumed. */
#include "gateway/parts.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/fail_nth.h"
#include "json/json.h"

#define PROPS_MAX_BYTES  ((size_t)4 << 20)
#define PROPS_TIMEOUT_NS (5 * PP_NS_PER_S)
#define SLOTS_MAX        4096

typedef struct slots_ask {
    pp_gateway *gateway;
    pp_backend *backend;
    pp_http_transfer *transfer; /* NULL when it has ended */
    pp_http_record record;
} slots_ask;

struct pp_slots_ask {
    size_t count;
    slots_ask items[];
};

static void take_props(slots_ask *ask)
{
    pp_arena arena = {0};
    const pp_json *root = NULL;
    const pp_json *slots;

    if (pp_json_parse(&arena, "/props", pp_buf_text(&ask->record.body), ask->record.body.size,
                      &root, NULL) == PP_OK) {
        slots = pp_json_find(root, "total_slots");
        if (slots != NULL && slots->kind == PP_JSON_INTEGER && slots->integer >= 1 &&
            slots->integer <= SLOTS_MAX)
            ask->backend->in_flight_max = slots->integer;
        slots = pp_json_find(root, "simulated");
        if (slots != NULL && slots->kind == PP_JSON_BOOL && slots->boolean) {
            ask->backend->origin = PP_ORIGIN_SIMULATED;
            ask->backend->origin_known = true;
        }
    }
    pp_arena_done(&arena);
}

static void on_end(void *user)
{
    slots_ask *ask = user;

    ask->transfer = NULL;
    if (ask->record.result == PP_HTTP_COMPLETE)
        take_props(ask);
    ask->gateway->has_room = true;
}

static pp_status start(slots_ask *ask, pp_error *err)
{
    pp_arena *arena = &ask->gateway->arena;
    pp_text key = ask->backend->api_key;
    const char *headers[] = {pp_arena_printf(arena, "Authorization: Bearer %.*s", (int)key.size,
                                             key.size > 0 ? key.data : "")};
    const pp_http_request request = {.url = pp_arena_printf(arena, "%s/props", ask->backend->root),
                                     .headers = headers,
                                     .header_count = key.size > 0,
                                     .limits = {.total_ns = PROPS_TIMEOUT_NS}};
    const pp_http_handlers handlers = {.end = on_end, .user = ask};
    pp_status st = pp_arena_check(arena, err);

    return st == PP_OK ? pp_http_start(ask->gateway->client, &request, &handlers, &ask->record,
                                       &ask->transfer, err)
                       : st;
}

static bool is_asked(const pp_backend *backend)
{
    return backend->row->kind == PP_SERVE_ENDPOINT && !backend->row->max_in_flight.known &&
           pp_text_is(backend->row->endpoint.server, "llama-server");
}

pp_status pp_slots_ask_all(pp_gateway *g, pp_error *err)
{
    size_t n = g->config->backend_count;
    size_t size = sizeof *g->slots_asks + n * sizeof *g->slots_asks->items;
    pp_status st = PP_OK;

    g->slots_asks = pp_fail_nth_malloc(size);
    if (g->slots_asks == NULL)
        return pp_fail(err, PP_ERR_MEMORY, "no memory for the gateway");
    memset(g->slots_asks, 0, size);
    for (size_t i = 0; st == PP_OK && i < n; i++) {
        slots_ask *ask = &g->slots_asks->items[g->slots_asks->count];

        if (!is_asked(&g->backends[i]))
            continue;
        *ask = (slots_ask){.gateway = g, .backend = &g->backends[i]};
        st = pp_http_record_init(&ask->record, PROPS_MAX_BYTES, 0, 0, err);
        if (st != PP_OK)
            break;
        g->slots_asks->count++;
        st = start(ask, err);
    }
    return st;
}

void pp_slots_ask_free(pp_gateway *g)
{
    if (g->slots_asks == NULL)
        return;
    for (size_t i = 0; i < g->slots_asks->count; i++)
        pp_http_record_done(&g->slots_asks->items[i].record);
    free(g->slots_asks);
    g->slots_asks = NULL;
}
