#include "load/run.h"

#include <string.h>

#include "base/clock.h"
#include "base/event_stream.h"

/* Room that is made and touched before the run, for each token asked and as a start (K7). An event
 * of /completion has about 150 bytes, the last one about 2 KiB. */
#define RESERVE_BYTES_PER_TOKEN 512
#define RESERVE_BYTES           ((size_t)64 << 10)
#define RESERVE_ARRIVALS        64

void pp_load_options_default(pp_load_options *ret_options)
{
    *ret_options = (pp_load_options){
        .limits = {.connect_ns = 10 * PP_NS_PER_S,
                   .first_byte_ns = 600 * PP_NS_PER_S,
                   .idle_ns = 120 * PP_NS_PER_S,
                   .total_ns = 3600 * PP_NS_PER_S},
        .pass = 1,
    };
}

pp_failure pp_failure_of_http(pp_http_result result)
{
    switch (result) {
    case PP_HTTP_COMPLETE:
        return PP_FAILURE_NONE;
    case PP_HTTP_UNRESOLVED:
        return PP_FAILURE_UNRESOLVED;
    case PP_HTTP_REFUSED:
        return PP_FAILURE_REFUSED;
    case PP_HTTP_CONNECT_TIMEOUT:
        return PP_FAILURE_CONNECT_TIMEOUT;
    case PP_HTTP_FIRST_BYTE_TIMEOUT:
        return PP_FAILURE_FIRST_BYTE_TIMEOUT;
    case PP_HTTP_IDLE_TIMEOUT:
        return PP_FAILURE_IDLE_TIMEOUT;
    case PP_HTTP_TOTAL_TIMEOUT:
        return PP_FAILURE_TOTAL_TIMEOUT;
    case PP_HTTP_RESET:
        return PP_FAILURE_RESET;
    case PP_HTTP_PREMATURE_END:
        return PP_FAILURE_PREMATURE_END;
    case PP_HTTP_STATUS:
        return PP_FAILURE_HTTP_STATUS;
    case PP_HTTP_ENCODING:
        return PP_FAILURE_ENCODING;
    case PP_HTTP_TOO_LARGE:
        return PP_FAILURE_TOO_LARGE;
    case PP_HTTP_PROTOCOL:
        return PP_FAILURE_PROTOCOL;
    case PP_HTTP_CANCELLED:
        return PP_FAILURE_CANCELLED;
    }
    return PP_FAILURE_PROTOCOL;
}

typedef struct driver {
    pp_arena *arena;
    pp_http_loop *loop;
    const pp_workload *workload;
    const pp_load_options *options;
    const char *url;
    int64_t run_started_ns;
    pp_http_record record; /* one for all: its memory is made before the first request */
} driver;

static bool watch_events(void *user, const void *bytes, size_t size)
{
    return pp_event_watch_feed(user, bytes, size);
}

static const pp_arrival *copy_arrivals(driver *d)
{
    const pp_http_record *r = &d->record;
    pp_arrival *copy = PP_ARENA_NEW(d->arena, pp_arrival, r->arrival_count);

    for (size_t i = 0; i < r->arrival_count && copy != NULL; i++) {
        const pp_http_arrival *from = &r->arrivals[i];

        copy[i] = (pp_arrival){.offset = from->offset,
                               .size = from->size,
                               .at_ns = from->at_ns - d->run_started_ns,
                               .lag_ns = from->woke_ns - from->at_ns,
                               .from_kernel = from->from_kernel};
    }
    return copy;
}

/* Between two requests: what the next one will overwrite moves into the arena. */
static void keep_exchange(driver *d, const pp_workload_request *request, int64_t scheduled_ns,
                          pp_exchange *out)
{
    const pp_http_record *r = &d->record;

    *out = (pp_exchange){
        .id = {.candidate = d->options->candidate,
               .pass = d->options->pass,
               .phase = request->phase,
               .index = request->index,
               .prompt_id = request->prompt_id},
        .asked_tokens = d->workload->options.output_tokens,
        .scheduled_ns = scheduled_ns - d->run_started_ns,
        .started_ns = r->started_ns - d->run_started_ns,
        .ended_ns = r->ended_ns - d->run_started_ns,
        .failure = pp_failure_of_http(r->result),
        .failure_text = pp_text_dup(d->arena, pp_text_of(r->text)),
        .content_type = pp_text_dup(d->arena, pp_text_of(r->content_type)),
        .connection_reused = r->connection_reused,
        .clock_was_set = r->clock_was_set,
        .arrivals = copy_arrivals(d),
        .arrival_count = r->arrival_count,
    };
    memcpy(out->id.request_sha256, request->body_sha256, PP_SHA256_HEX_SIZE);
    if (r->connected_ns != 0)
        out->connected_ns = pp_known_int(r->connected_ns - d->run_started_ns);
    if (r->status != 0)
        out->http_status = pp_known_int(r->status);
    out->body.data = (unsigned char *)pp_arena_dup(d->arena, pp_buf_text(&r->body), r->body.size);
    out->body.size = r->body.size;
}

static pp_status send_one(driver *d, const pp_workload_request *request, pp_exchange *out,
                          pp_error *err)
{
    pp_event_watch watch = {0};
    pp_http_request http = {
        .url = d->url,
        .body = request->body,
        .headers = d->options->headers,
        .header_count = d->options->header_count,
        .limits = d->options->limits,
        .fresh_connection = !d->options->keep_alive,
    };
    int64_t scheduled_ns = pp_clock_now_ns(); /* closed loop: due when the one before has ended */
    pp_status st = pp_http_perform(d->loop, &http, watch_events, &watch, &d->record, err);

    if (st != PP_OK && st != PP_ERR_INTERRUPTED)
        return st;
    keep_exchange(d, request, scheduled_ns, out);
    return st;
}

static pp_status prepare_record(driver *d, pp_error *err)
{
    size_t tokens = (size_t)d->workload->options.output_tokens;

    return pp_http_record_init(&d->record, PP_HTTP_STREAM_MAX_BYTES,
                               RESERVE_BYTES + tokens * RESERVE_BYTES_PER_TOKEN,
                               RESERVE_ARRIVALS + 2 * tokens, err);
}

static bool warmup_ends_before(const pp_workload *workload, size_t i)
{
    return i > 0 && workload->requests[i - 1].phase == PP_PHASE_WARMUP &&
           workload->requests[i].phase == PP_PHASE_MEASURED;
}

static pp_status drive(driver *d, pp_load_run *run, pp_error *err)
{
    for (size_t i = 0; i < d->workload->request_count; i++) {
        if (d->options->after_warmup != NULL && warmup_ends_before(d->workload, i))
            d->options->after_warmup(d->options->after_warmup_user);
        pp_status st =
            send_one(d, &d->workload->requests[i], &run->exchanges[run->exchange_count], err);

        if (st == PP_OK || st == PP_ERR_INTERRUPTED)
            run->exchange_count++;
        if (st == PP_OK)
            st = pp_arena_check(d->arena, err);
        if (st == PP_ERR_INTERRUPTED) {
            run->interrupted = true;
            return PP_OK;
        }
        if (st != PP_OK)
            return st;
    }
    return PP_OK;
}

pp_status pp_load_run_sequential(pp_arena *arena, pp_http_loop *loop, const pp_workload *workload,
                                 const pp_load_options *options, pp_load_run *ret_run,
                                 pp_error *err)
{
    driver d = {.arena = arena, .loop = loop, .workload = workload, .options = options};
    pp_load_run run = {.asked_count = workload->request_count};
    int64_t offset_ns;
    pp_status st;

    run.exchanges = PP_ARENA_NEW(arena, pp_exchange, workload->request_count);
    d.url = pp_arena_printf(arena, "%s/completion", options->base_url);
    st = pp_arena_check(arena, err);
    if (st == PP_OK)
        st = prepare_record(&d, err);
    if (st == PP_OK) {
        offset_ns = pp_clock_real_offset_ns();
        run.started_unix_ms = pp_clock_unix_ms();
        d.run_started_ns = pp_clock_now_ns();
        st = drive(&d, &run, err);
        run.duration_ns = pp_clock_now_ns() - d.run_started_ns;
        run.clock_drift_ns = pp_clock_real_offset_ns() - offset_ns;
    }
    if (st == PP_OK)
        *ret_run = run;
    pp_http_record_done(&d.record);
    return pp_wrap(err, st, "running the load");
}
