/* hot_paths NAME - one hot path, done many times inside hot_measured, for a counter of
 * instructions.
 *
 * hot.py runs it under callgrind, which counts while that function runs, and divides by UNITS,
 * which this program prints. Inputs are made before, and are the same in each run. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/event_stream.h"
#include "decide/frontier.h"
#include "intake/server_stream.h"
#include "load/recorder.h"
#include "net/http_request_parse.h"
#include "json/json.h"

#define EVENTS   1000
#define REQUESTS 1000
#define ROWS     10000
#define COSTS    3
#define JSON_MIB 1

/* What it calls counts as well. By that name in the symbol table, and never merged into its caller.
 */
__attribute__((noinline)) void hot_measured(void (*run)(void));

void hot_measured(void (*run)(void))
{
    run();
    __asm__ volatile("" ::: "memory"); /* no tail call */
}

static void need(bool held)
{
    if (held)
        return;
    fprintf(stderr, "hot_paths: the path did not do its work\n");
    exit(3);
}

/* ---- a stream of events ---------------------------------------------------------------------- */

static pp_buf stream;

/* As llama-server writes them, some with text in UTF-8 and escapes. */
static void make_stream(void)
{
    static const char *const texts[] = {" the", " model", "\\n", "\xc3\xa9t\xc3\xa9",
                                        " \\\"it\\\""};

    pp_buf_init(&stream, (size_t)1 << 20);
    for (int i = 0; i < EVENTS; i++)
        pp_buf_printf(&stream,
                      "data: {\"index\":0,\"content\":\"%s\",\"tokens\":[],\"stop\":false,"
                      "\"id_slot\":3,\"tokens_predicted\":%d,\"tokens_evaluated\":12}\n\n",
                      texts[i % 5], i + 1);
    pp_buf_append_text(
        &stream, "data: {\"index\":0,\"content\":\"\",\"tokens\":[],\"stop\":true,\"timings\":{"
                 "\"prompt_n\":12,\"prompt_ms\":2.5,\"predicted_n\":1000}}\n\n");
    need(stream.status == PP_OK);
}

static pp_status count_event(void *user, const pp_event *event, pp_error *err)
{
    size_t *count = user;

    (void)err;
    *count += event->data.size > 0;
    return PP_OK;
}

/* Cut as reads cut it: each event comes by itself. */
static void run_event_stream(void)
{
    pp_event_stream events;
    pp_error err = {0};
    size_t count = 0;

    pp_event_stream_init(&events, NULL, PP_EVENT_MAX_BYTES);
    for (size_t at = 0; at < stream.size;) {
        size_t left = stream.size - at;
        const char *end = memmem(stream.data + at, left, "\n\n", 2);
        size_t size = end == NULL ? left : (size_t)(end - stream.data) + 2 - at;

        need(pp_event_stream_feed(&events, stream.data + at, size, count_event, &count, &err) ==
             PP_OK);
        at += size;
    }
    need(count == EVENTS + 1);
    pp_event_stream_done(&events);
}

static void run_server_stream(void)
{
    pp_arena arena = {0};
    pp_server_stream out;
    pp_error err = {0};
    pp_arrival arrival = {0, stream.size, 1, 1, true};

    need(pp_server_stream_read(&arena, (pp_bytes){(const unsigned char *)stream.data, stream.size},
                               &arrival, 1, pp_text_of("text/event-stream"), &out, &err) == PP_OK);
    need(out.text_event_count == EVENTS && out.failure == PP_FAILURE_NONE);
    pp_arena_done(&arena);
}

/* ---- the sample of a reply, from the flight that landed ---------------------------------------
 */

static pp_flight flight;
static pp_load_setup setup;
static pp_load_level level = {.number = 1};
static pp_load_board board;

static void make_flight(void)
{
    pp_http_record *r = &flight.record;
    pp_error err = {0};

    make_stream();
    pp_load_setup_default(&setup);
    setup.sample_of = pp_sample_of_exchange;
    need(pp_http_record_init(r, stream.size, stream.size, EVENTS + 1, &err) == PP_OK);
    pp_buf_append(&r->body, stream.data, stream.size);
    for (size_t at = 0; at < stream.size; r->arrival_count++) {
        const char *end = memmem(stream.data + at, stream.size - at, "\n\n", 2);
        size_t size = (size_t)(end - stream.data) + 2 - at;
        int64_t ns = 1000 * (int64_t)(r->arrival_count + 1);

        r->arrivals[r->arrival_count] = (pp_http_arrival){at, size, ns, ns + 100, true};
        at += size;
    }
    r->status = 200;
    r->ended_ns = 1000 * (EVENTS + 2);
    memcpy(r->content_type, "text/event-stream", sizeof "text/event-stream");
    flight.phase = PP_PHASE_MEASURED;
    flight.index = 1;
    flight.item.output_tokens = EVENTS;
}

static void run_recorder(void)
{
    pp_recorder recorder;
    pp_sample sample;
    pp_error err = {0};

    pp_recorder_init(&recorder, &setup, &level, &board, false);
    need(pp_recorder_add(&recorder, &flight, &err) == PP_OK && recorder.count == 1);
    pp_recorder_copy(&recorder, &sample);
    need(sample.event_count == EVENTS + 1 && pp_sample_is_ok(&sample));
    pp_recorder_done(&recorder);
}

/* ---- requests at the server ------------------------------------------------------------------ */

static pp_buf requests;

static void make_requests(void)
{
    static const char body[] =
        "{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"Say "
        "something.\"}],\"max_tokens\":64,\"stream\":true}";

    pp_buf_init(&requests, (size_t)1 << 20);
    for (int i = 0; i < REQUESTS; i++)
        pp_buf_printf(&requests,
                      "POST /v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1:8080\r\n"
                      "User-Agent: bench/1.0\r\nAccept: */*\r\nAccept-Encoding: identity\r\n"
                      "Content-Type: application/json\r\nAuthorization: Bearer abcdefgh\r\n"
                      "Content-Length: %zu\r\n\r\n%s",
                      sizeof body - 1, body);
    need(requests.status == PP_OK);
}

static void run_requests(void)
{
    static const pp_http_request_limits limits = {8192, 65536, 100, (size_t)1 << 20};
    pp_http_request_parser p;
    size_t count = 0;
    size_t at = 0;

    pp_http_request_parser_init(&p, &limits);
    while (at < requests.size) {
        size_t used = 0;

        need(pp_http_request_parse(&p, requests.data + at, requests.size - at, &used) ==
             PP_HTTP_PARSE_COMPLETE);
        at += used;
        count += p.request.body.size > 0;
        pp_http_request_parser_clear(&p);
    }
    need(count == REQUESTS);
    pp_http_request_parser_done(&p);
}

/* ---- the frontier ---------------------------------------------------------------------------- */

static double costs[ROWS * COSTS];
static bool member[ROWS];

/* xorshift64*, Vigna 2016 */
static double unit(void)
{
    static uint64_t state = 88172645463325252u;

    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return (double)(state * UINT64_C(2685821657736338717) >> 11) * 0x1p-53;
}

static void make_costs(void)
{
    for (size_t i = 0; i < ROWS * COSTS; i++)
        costs[i] = unit();
}

static void run_frontier(void)
{
    pp_dominance dominance;
    pp_error err = {0};
    size_t count = 0;

    need(pp_frontier_find(costs, ROWS, COSTS, member, &dominance, &err) == PP_OK);
    for (size_t i = 0; i < ROWS; i++)
        count += member[i];
    need(count > 0 && count < ROWS);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static pp_buf document;

static void make_document(void)
{
    pp_buf_init(&document, (size_t)(JSON_MIB + 1) << 20);
    pp_buf_append_text(&document, "{\"candidates\":[");
    for (int i = 0; document.size < (size_t)JSON_MIB << 20; i++)
        pp_buf_printf(&document,
                      "%s{\"id\":\"c%d\",\"family\":\"q4_0\",\"metrics\":{\"ttft_ms\":%d.25,"
                      "\"tokens_per_second\":%d.5,\"peak_rss_mib\":%d},\"notes\":null}",
                      i > 0 ? "," : "", i, i % 97, i % 31, 900 + i % 53);
    pp_buf_append_text(&document, "]}");
    need(document.status == PP_OK);
}

static void run_json(void)
{
    pp_arena arena = {0};
    const pp_json *root = NULL;
    pp_error err = {0};

    need(pp_json_parse(&arena, "document", document.data, document.size, &root, &err) == PP_OK);
    need(pp_json_find(root, "candidates")->array.count > 1000);
    pp_arena_done(&arena);
}

/* ---------------------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    void (*prepare)(void);
    void (*run)(void);
    int units;
} paths[] = {
    {"event-stream", make_stream, run_event_stream, EVENTS},
    {"server-stream", make_stream, run_server_stream, EVENTS},
    {"sample", make_flight, run_recorder, EVENTS},
    {"http-request", make_requests, run_requests, REQUESTS},
    {"frontier", make_costs, run_frontier, 1},
    {"json-mib", make_document, run_json, JSON_MIB},
};

int main(int argc, char **argv)
{
    for (size_t i = 0; i < PP_COUNT_OF(paths); i++) {
        if (argc != 2 || strcmp(argv[1], paths[i].name) != 0)
            continue;
        paths[i].prepare();
        paths[i].run(); /* what libraries set up once is no part of it */
        hot_measured(paths[i].run);
        printf("%d\n", paths[i].units);
        return 0;
    }
    fprintf(stderr, "usage: hot_paths NAME, one of:");
    for (size_t i = 0; i < PP_COUNT_OF(paths); i++)
        fprintf(stderr, " %s", paths[i].name);
    fprintf(stderr, "\n");
    return 2;
}
