#include "net/http_client_transfer.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/clock.h"

size_t pp_http_refuse(pp_http_transfer *t, pp_http_result result, const char *text)
{
    t->refused = true;
    t->record->result = result;
    (void)snprintf(t->record->text, sizeof t->record->text, "%s", text);
    return 0; /* makes libcurl end the transfer */
}

bool pp_http_status_is_success(int status)
{
    return status >= 200 && status <= 299;
}

const char *pp_http_find_header(const pp_http_transfer *t, const char *name)
{
    struct curl_header *header;

    if (curl_easy_header(t->easy, name, 0, CURLH_HEADER, -1, &header) != CURLHE_OK)
        return "";
    return header->value;
}

bool pp_http_is_compressed(const pp_http_transfer *t)
{
    const char *coding = pp_http_find_header(t, "Content-Encoding");

    return coding[0] != '\0' && strcasecmp(coding, "identity") != 0;
}

void pp_http_copy_text(const char *text, char *out, size_t out_size)
{
    size_t size = text == NULL ? 0 : strnlen(text, out_size - 1);

    memcpy(out, text == NULL ? "" : text, size);
    out[size] = '\0';
}

/* libcurl sends a request again when a kept connection ended without a single byte of a reply
 * (F08). It then looks for another connection, so this transfer comes by here a second time: the
 * place to forbid it where the server may have acted on the first one (F07). */
static bool may_be_sent(pp_http_transfer *t)
{
    if (t->record->connected_ns == 0)
        return true;
    t->record->kept_connection_died = true;
    if (!t->has_body)
        return true;
    if (!t->refused)
        (void)pp_http_refuse(
            t, PP_HTTP_RESET,
            "the kept connection was lost after the request had been written; it is not "
            "sent again, because the server may have it");
    return false;
}

/* What came over a kept connection since its last reply was over would be taken for the next reply;
 * libcurl looks only whether the connection was closed. A new connection is another matter: who is
 * too busy may say so and hang up without reading. Below TLS bytes may come at any time that are
 * not the server's. */
static bool may_be_used(pp_http_transfer *t, int local_port, int peer_port)
{
    bool was_used;

    if (!t->relay || t->target->is_tls ||
        pp_socket_set_use(&t->loop->sockets, local_port, peer_port, &was_used) || !was_used)
        return true;
    t->record->kept_connection_died = true;
    (void)pp_http_refuse(t, PP_HTTP_RESET,
                         "the server spoke or left over the kept connection; nothing was sent");
    return false;
}

static int on_connected(void *user, char *primary, char *local, int primary_port, int local_port)
{
    pp_http_transfer *t = user;

    (void)local;
    if (!may_be_sent(t) || !may_be_used(t, local_port, primary_port))
        return CURL_PREREQFUNC_ABORT;
    t->record->connected_ns = pp_clock_now_ns();
    pp_http_copy_text(primary, t->record->address, sizeof t->record->address);
    return CURL_PREREQFUNC_OK;
}

static int on_socket_made(void *user, curl_socket_t fd, curlsocktype purpose)
{
    pp_http_transfer *t = user;

    if (purpose != CURLSOCKTYPE_IPCXN)
        return CURL_SOCKOPT_OK;
    if (!may_be_sent(t))
        return CURL_SOCKOPT_ERROR;
    pp_http_loop_opened(t->loop, fd);
    return CURL_SOCKOPT_OK;
}

/* The connection keeps loop and function: a transfer that made it may be gone. */
static int on_socket_closes(void *user, curl_socket_t fd)
{
    pp_http_loop_close(user, fd);
    return 0;
}

/* Bytes in front of a chunk's data: the size in hexadecimal digits, and the end of its line. */
static size_t chunk_front(size_t size)
{
    size_t bytes = 2;

    do {
        bytes++;
        size >>= 4;
    } while (size > 0);
    return bytes;
}

/* libcurl goes on through a read. Returns in which segment these body bytes are; where it takes a
 * chunk for whole that is not, it is a few bytes off, so their middle decides. */
static size_t advance(pp_http_transfer *t, size_t size, bool is_body)
{
    const pp_read_stamp *stamp = &t->loop->stamp;
    size_t front = is_body && t->is_chunked ? chunk_front(size) : 0;
    size_t segment = 0;
    size_t middle;

    if (stamp->segment_count < 2 || t->target->is_tls)
        return 0;
    if (t->raw_serial != stamp->serial)
        t->raw_size = 0;
    t->raw_serial = stamp->serial;
    middle = t->raw_size + front + size / 2;
    while (segment + 1 < stamp->segment_count && stamp->segments[segment].end <= middle)
        segment++;
    t->raw_size += front + size + (front > 0 ? 2 : 0);
    return segment;
}

/* A quick server's reply is read in the turn that sent the request: its arrival is now, not the
 * instant before the request (B092). */
static void settle_stamp(pp_http_loop *loop)
{
    if (!loop->stamp.waited)
        loop->stamp.at_ns = loop->stamp.woke_ns = pp_clock_now_ns();
}

static size_t on_header(char *line, size_t one, size_t size, void *user)
{
    pp_http_transfer *t = user;
    long status = 0;

    (void)one;
    settle_stamp(t->loop);
    (void)advance(t, size, false);
    if (t->relay && !pp_http_relay_line(t, line, size))
        return 0;
    if (size >= 1 && size <= 2 && (line[0] == '\r' || line[0] == '\n')) { /* end of a head */
        (void)curl_easy_getinfo(t->easy, CURLINFO_RESPONSE_CODE, &status);
        if (status >= 200) { /* interim replies are none (F03) */
            t->record->status = (int)status;
            t->record->head_ns = t->loop->stamp.at_ns;
            if (t->relay)
                return pp_http_relay_head(t, size);
        }
    }
    return size;
}

/* The stamp that holds for this transfer: never before its start, nor before the read before. */
static pp_http_arrival stamp_for(pp_http_transfer *t)
{
    const pp_read_stamp *stamp = &t->loop->stamp;
    const pp_http_record *r = t->record;
    pp_http_arrival arrival = {
        .offset = r->body.size,
        .at_ns = t->segment > 0 ? stamp->segments[t->segment].at_ns : stamp->at_ns,
        .woke_ns = stamp->woke_ns,
        .from_kernel = stamp->from_kernel,
    };

    if (t->loop->clock_jump_count != t->clock_jump_count)
        t->record->clock_was_set = true;
    if (r->clock_was_set || arrival.at_ns < r->started_ns) {
        arrival.from_kernel = false;
        arrival.at_ns = arrival.woke_ns;
    }
    /* Two reads of one segment carry one stamp, converted with two offsets a few ns apart. */
    if (r->arrival_count > 0 && arrival.at_ns < r->arrivals[r->arrival_count - 1].at_ns)
        arrival.at_ns = r->arrivals[r->arrival_count - 1].at_ns;
    if (arrival.at_ns > arrival.woke_ns)
        arrival.woke_ns = arrival.at_ns;
    return arrival;
}

/* libcurl calls back once per HTTP chunk; what one turn brings is one arrival (K4), unless its
 * parts are known to have come one after the other. */
static bool note_arrival(pp_http_transfer *t, size_t size)
{
    pp_http_record *r = t->record;
    size_t segment = advance(t, size, true);

    if (r->arrival_count == 0 || t->read_serial != t->loop->stamp.serial || t->segment != segment) {
        if (!pp_http_record_grow(r))
            return false;
        t->segment = segment;
        r->arrivals[r->arrival_count] = stamp_for(t);
        r->arrival_count++;
        t->read_serial = t->loop->stamp.serial;
    }
    r->arrivals[r->arrival_count - 1].size += size;
    return true;
}

static size_t keep_error_body(pp_http_transfer *t, const char *bytes, size_t size)
{
    size_t room = PP_HTTP_ERROR_BODY_BYTES - t->record->body.size;
    size_t kept = size < room ? size : room;

    if (!note_arrival(t, kept))
        return pp_http_refuse(t, PP_HTTP_TOO_LARGE, "out of memory for arrivals");
    pp_buf_append(&t->record->body, bytes, kept);
    t->body_full = kept < size;
    return t->body_full ? 0 : size;
}

static size_t on_body(char *bytes, size_t one, size_t size, void *user)
{
    pp_http_transfer *t = user;
    pp_http_record *r = t->record;

    (void)one;
    settle_stamp(t->loop);
    if (t->relay)
        return pp_http_relay_body(t, bytes, size);
    if (!pp_http_status_is_success(r->status))
        return keep_error_body(t, bytes, size);
    if (!t->checked && pp_http_is_compressed(t))
        return pp_http_refuse(t, PP_HTTP_ENCODING,
                              "the reply is compressed, which was not asked for");
    if (!t->checked)
        t->is_chunked = strcasecmp(pp_http_find_header(t, "Transfer-Encoding"), "chunked") == 0;
    t->checked = true;
    if (!note_arrival(t, size))
        return pp_http_refuse(t, PP_HTTP_TOO_LARGE, "out of memory for arrivals");
    pp_buf_append(&r->body, bytes, size);
    if (r->body.status == PP_ERR_LIMIT)
        return pp_http_refuse(t, PP_HTTP_TOO_LARGE, "the body is larger than its ceiling");
    if (r->body.status != PP_OK)
        return pp_http_refuse(t, PP_HTTP_TOO_LARGE, "out of memory for the body");
    if (t->handlers.body == NULL || t->handlers.body(t->handlers.user, bytes, size))
        pp_http_note_data(t);
    return size;
}

void pp_http_set_callbacks(pp_http_transfer *t)
{
    (void)curl_easy_setopt(t->easy, CURLOPT_PRIVATE, t);
    (void)curl_easy_setopt(t->easy, CURLOPT_ERRORBUFFER, t->curl_text);
    (void)curl_easy_setopt(t->easy, CURLOPT_WRITEFUNCTION, on_body);
    (void)curl_easy_setopt(t->easy, CURLOPT_WRITEDATA, t);
    (void)curl_easy_setopt(t->easy, CURLOPT_HEADERFUNCTION, on_header);
    (void)curl_easy_setopt(t->easy, CURLOPT_HEADERDATA, t);
    (void)curl_easy_setopt(t->easy, CURLOPT_PREREQFUNCTION, on_connected);
    (void)curl_easy_setopt(t->easy, CURLOPT_PREREQDATA, t);
    (void)curl_easy_setopt(t->easy, CURLOPT_SOCKOPTFUNCTION, on_socket_made);
    (void)curl_easy_setopt(t->easy, CURLOPT_SOCKOPTDATA, t);
    (void)curl_easy_setopt(t->easy, CURLOPT_CLOSESOCKETFUNCTION, on_socket_closes);
    (void)curl_easy_setopt(t->easy, CURLOPT_CLOSESOCKETDATA, t->loop);
}
