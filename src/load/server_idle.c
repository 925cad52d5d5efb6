#include "load/server_idle.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "json/json.h"

#define LOOK_NS       (50 * PP_NS_PER_MS)
#define LOOK_LIMIT_NS (5 * PP_NS_PER_S)

typedef struct watcher {
    pp_http_loop *loop;
    const char *root;
    const char *const *headers;
    size_t header_count;
    pp_http_record record;
    bool too_slow; /* a look took longer than its limit */
} watcher;

/* True when a whole reply of status 2xx came; it is in the record. */
static pp_status get(watcher *w, pp_arena *arena, const char *path, bool *ret_came, pp_error *err)
{
    pp_http_request request = {
        .url = pp_arena_printf(arena, "%s%s", w->root, path),
        .headers = w->headers,
        .header_count = w->header_count,
        .limits = {.total_ns = LOOK_LIMIT_NS},
        .fresh_connection = true,
    };
    pp_status st = pp_arena_check(arena, err);

    if (st == PP_OK)
        st = pp_http_perform(w->loop, &request, NULL, NULL, &w->record, err);
    *ret_came = st == PP_OK && w->record.result == PP_HTTP_COMPLETE;
    w->too_slow = w->too_slow || (st == PP_OK && w->record.result == PP_HTTP_TOTAL_TIMEOUT);
    return st;
}

pp_maybe_bool pp_server_idle_by_slots(pp_arena *arena, pp_text body)
{
    const pp_json *root = NULL;
    pp_error why = {0};

    if (pp_json_parse(arena, "/slots", body.data, body.size, &root, &why) != PP_OK ||
        root->kind != PP_JSON_ARRAY || root->array.count == 0)
        return (pp_maybe_bool){0};
    for (size_t i = 0; i < root->array.count; i++) {
        const pp_json *slot = root->array.items[i];
        const pp_json *works =
            slot->kind == PP_JSON_OBJECT ? pp_json_find(slot, "is_processing") : NULL;

        if (works == NULL || works->kind != PP_JSON_BOOL)
            return (pp_maybe_bool){0};
        if (works->boolean)
            return pp_known_bool(false);
    }
    return pp_known_bool(true);
}

/* Behind the labels of a line, `{a="b",c="d"}`, whose values may hold anything but a line end; the
 * same place where there are none. */
static const char *behind_labels(const char *at)
{
    bool quoted = false;

    if (*at != '{')
        return at;
    for (at++; *at != '\0' && *at != '\n' && (quoted || *at != '}'); at++) {
        if (quoted && *at == '\\' && at[1] != '\0' && at[1] != '\n')
            at++;
        else if (*at == '"')
            quoted = !quoted;
    }
    return *at == '}' ? at + 1 : at;
}

/* The sum over the lines "name value" or "name{labels} value", one for each engine of a server;
 * absent when there is none or one is no number. */
static pp_maybe_real gauge(const char *text, const char *name)
{
    size_t size = strlen(name);
    pp_maybe_real sum = {0};

    for (const char *line = text; line != NULL; line = strchr(line, '\n')) {
        const char *at;
        char *end;
        double value;

        line += *line == '\n';
        if (strncmp(line, name, size) != 0 || (line[size] != ' ' && line[size] != '{'))
            continue;
        at = behind_labels(line + size);
        if (at[0] != ' ' || at[1] == '\0' || strchr("0123456789.", at[1]) == NULL)
            return (pp_maybe_real){0}; /* strtod would look for a number on the next line */
        value = strtod(at, &end);
        if (end == at || !(value >= 0 && value < 1e15)) /* no NaN */
            return (pp_maybe_real){0};
        sum = pp_known_real(sum.value + value);
    }
    return sum;
}

pp_maybe_bool pp_server_idle_by_gauges(const char *text)
{
    /* vLLM: https://docs.vllm.ai/en/stable/usage/metrics/ */
    static const struct {
        const char *working, *waiting;
    } rows[] = {
        {"llamacpp:requests_processing", "llamacpp:requests_deferred"},
        {"vllm:num_requests_running", "vllm:num_requests_waiting"},
    };

    for (size_t i = 0; i < PP_COUNT_OF(rows); i++) {
        pp_maybe_real working = gauge(text, rows[i].working);
        pp_maybe_real waiting = gauge(text, rows[i].waiting);

        if (working.known && waiting.known)
            return pp_known_bool(working.value == 0 && waiting.value == 0);
    }
    return (pp_maybe_bool){0};
}

static pp_status look(watcher *w, pp_maybe_bool *ret_idle, pp_error *err)
{
    pp_arena arena = {0};
    bool came = false;
    pp_status st = get(w, &arena, "/slots", &came, err);

    *ret_idle = (pp_maybe_bool){0};
    if (st == PP_OK && came)
        *ret_idle = pp_server_idle_by_slots(
            &arena, (pp_text){pp_buf_text(&w->record.body), w->record.body.size});
    if (st == PP_OK && !ret_idle->known) {
        st = get(w, &arena, "/metrics", &came, err);
        if (st == PP_OK && came)
            *ret_idle = pp_server_idle_by_gauges(pp_buf_text(&w->record.body));
    }
    pp_arena_done(&arena);
    return st;
}

pp_status pp_server_await_idle(pp_http_loop *loop, const char *root, const char *const *headers,
                               size_t header_count, int64_t patience_ns, pp_server_idle *ret_idle,
                               pp_error *err)
{
    watcher w = {.loop = loop, .root = root, .headers = headers, .header_count = header_count};
    int64_t begin_ns = pp_clock_now_ns();
    pp_status st = pp_http_record_init(&w.record, PP_HTTP_CONTROL_MAX_BYTES, 0, 0, err);

    *ret_idle = (pp_server_idle){0};
    while (st == PP_OK) {
        int64_t now_ns;

        st = look(&w, &ret_idle->was_idle, err);
        ret_idle->too_slow = w.too_slow && !ret_idle->was_idle.known;
        now_ns = pp_clock_now_ns();
        ret_idle->waited_ns = now_ns - begin_ns;
        if (!ret_idle->was_idle.known || ret_idle->was_idle.value ||
            ret_idle->waited_ns >= patience_ns)
            break;
        if (st == PP_OK)
            st = pp_http_run(loop, NULL, now_ns + LOOK_NS, err);
    }
    pp_http_record_done(&w.record);
    return pp_wrap(err, st, "waiting until the server is idle");
}
