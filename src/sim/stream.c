/* Events of an answer on their way to the wire: as lines, gathered, counted, cut where asked. */
#include <string.h>

#include "base/clock.h"
#include "sim/parts.h"

static pp_bytes bytes_of(const pp_buf *buf)
{
    return (pp_bytes){(const unsigned char *)pp_buf_text(buf), buf->size};
}

void pp_sim_stream_open(pp_sim_call *call)
{
    const pp_sim_head head = {200, "text/event-stream", NULL, true, 0};

    if (call->wire.open || call->is_over || call->http == NULL)
        return;
    call->status = 200;
    pp_sim_call_broken(call, pp_sim_wire_open(&call->wire, &head));
}

static void send_bytes(pp_sim_call *call, pp_bytes bytes, uint64_t tag)
{
    call->last_write_ns = pp_clock_now_ns();
    pp_sim_call_broken(call, pp_sim_wire_write(&call->wire, bytes, tag));
}

void pp_sim_stream_flush(pp_sim_call *call)
{
    if (call->held.size == 0 || call->is_over || call->http == NULL)
        return;
    call->held_count = 0;
    send_bytes(call, bytes_of(&call->held),
               pp_sim_tag(call->events, call->reply.tokens, call->held.size));
    pp_buf_clear(&call->held);
}

/* Where the quirks break the connection off. */
static void break_off(pp_sim_call *call)
{
    const pp_sim_quirks *q = &call->quirks;

    if (call->is_over || call->http == NULL)
        return;
    if (q->reset_after > 0 && call->events >= q->reset_after - 1) {
        pp_sim_stream_flush(call);
        pp_sim_call_reset(call);
    } else if (q->close_after > 0 && call->events >= q->close_after - 1) {
        pp_sim_stream_flush(call);
        pp_sim_call_close(call);
    }
}

/* sim->lines holds a new event. */
static void put_event(pp_sim_call *call)
{
    pp_buf *lines = &call->sim->lines;

    if (call->is_over || call->http == NULL || pp_buf_check(lines, "an event", NULL) != PP_OK)
        return;
    call->events++;
    if (call->quirks.gather == 0) {
        send_bytes(call, bytes_of(lines),
                   pp_sim_tag(call->events, call->reply.tokens, lines->size));
    } else {
        pp_buf_append(&call->held, lines->data, lines->size);
        if (++call->held_count >= call->quirks.gather)
            pp_sim_stream_flush(call);
    }
    break_off(call);
}

/* The first event may have to be long, the second one broken. */
static pp_text event_data(pp_sim_call *call)
{
    pp_buf *out = &call->sim->out;
    pp_text data = {pp_buf_text(out), out->size};

    if (call->events == 0 && call->quirks.long_event_bytes > 0 && data.size > 0) {
        out->size--; /* the closing brace */
        pp_buf_append_text(out, ",\"padding\":\"");
        for (int64_t i = 0; i < call->quirks.long_event_bytes; i++)
            pp_buf_append_char(out, 'p');
        pp_buf_append_text(out, "\"}");
        data = (pp_text){pp_buf_text(out), out->size};
    }
    if (call->events == 1 && call->quirks.bad_json)
        data.size /= 2;
    return data;
}

void pp_sim_emit(pp_sim_call *call)
{
    pp_text data;

    pp_sim_stream_open(call);
    break_off(call); /* after no event at all */
    data = event_data(call);
    pp_buf_clear(&call->sim->lines);
    pp_sim_lines_event(&call->quirks, call->events + 1, data, &call->sim->lines);
    put_event(call);
}

void pp_sim_emit_named(pp_sim_call *call, const char *name, bool is_event)
{
    pp_buf *out = &call->sim->out;

    pp_sim_stream_open(call);
    pp_buf_clear(&call->sim->lines);
    pp_sim_lines_named(&call->quirks, name, is_event, (pp_text){pp_buf_text(out), out->size},
                       &call->sim->lines);
    put_event(call);
}

void pp_sim_emit_done(pp_sim_call *call)
{
    if (call->quirks.no_done)
        return;
    pp_sim_stream_open(call);
    pp_buf_clear(&call->sim->lines);
    pp_sim_lines_done(&call->quirks, call->events + 1, &call->sim->lines);
    put_event(call);
}

void pp_sim_stream_end(pp_sim_call *call)
{
    pp_sim_stream_open(call);
    pp_sim_stream_flush(call);
    if (call->is_over || call->http == NULL)
        return;
    call->is_over = true;
    pp_sim_call_broken(call, pp_sim_wire_end(&call->wire));
}

/* ---- pings ------------------------------------------------------------------------------------
 */

static void on_ping(void *user, int64_t now_ns)
{
    pp_sim_call *call = user;
    int64_t next_ns = call->last_write_ns + call->quirks.ping_ns;

    if (call->is_over || call->http == NULL)
        return;
    if (now_ns >= next_ns) {
        pp_sim_stream_open(call);
        pp_buf_clear(&call->sim->lines);
        pp_sim_lines_ping(&call->quirks, &call->sim->lines);
        if (!call->is_over)
            send_bytes(call, bytes_of(&call->sim->lines), 0);
        next_ns += call->quirks.ping_ns;
        call->last_write_ns = next_ns - call->quirks.ping_ns; /* no drift */
    }
    if (!call->is_over)
        pp_http_timer_set(call->sim->http, &call->ping, next_ns);
}

void pp_sim_ping_start(pp_sim_call *call)
{
    if (call->quirks.ping_ns <= 0 || !call->ask.stream)
        return;
    call->last_write_ns = call->request->arrived_ns;
    call->ping.fire = on_ping;
    call->ping.user = call;
    pp_http_timer_set(call->sim->http, &call->ping, call->last_write_ns + call->quirks.ping_ns);
}
