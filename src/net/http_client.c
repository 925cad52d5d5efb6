#include "net/http_client.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/clock.h"
#include "base/fail_nth.h"
#include "net/http_loop.h"
#include "net/retry_after.h"

struct pp_http_transfer {
    pp_http_loop *loop;
    pp_http_transfer *next;
    pp_http_transfer *previous;
    CURL *easy;
    struct curl_slist *headers; /* set in `easy`, as the url; kept from request to request */
    char *url;
    bool has_method; /* a method is set in `easy` */
    bool has_body;
    pp_deadline_node deadline;
    pp_http_handlers handlers;
    pp_http_limits limits;
    pp_http_record *record;
    int64_t data_ns;      /* last data, keep-alives not counted; 0 = none yet */
    uint64_t read_serial; /* of the last arrival */
    uint64_t raw_serial;  /* of the read that raw_size counts */
    size_t raw_size;      /* bytes of this read that libcurl has gone through, framing included */
    size_t segment;       /* of this read, that the last arrival is of */
    uint64_t clock_jump_count; /* of the loop when it started */
    bool refused;              /* our own handling ended it, with record->result set */
    bool checked;              /* status and coding were looked at */
    bool is_tls;               /* bytes of a read are not those of the reply */
    bool is_chunked;
    bool body_full; /* of an error reply: the rest is of no interest */
    char curl_text[CURL_ERROR_SIZE];
};

static const char *const result_names[] = {
    [PP_HTTP_COMPLETE] = "complete",
    [PP_HTTP_UNRESOLVED] = "unresolved",
    [PP_HTTP_REFUSED] = "refused",
    [PP_HTTP_CONNECT_TIMEOUT] = "connect-timeout",
    [PP_HTTP_FIRST_BYTE_TIMEOUT] = "first-byte-timeout",
    [PP_HTTP_IDLE_TIMEOUT] = "idle-timeout",
    [PP_HTTP_TOTAL_TIMEOUT] = "total-timeout",
    [PP_HTTP_RESET] = "reset",
    [PP_HTTP_PREMATURE_END] = "premature-end",
    [PP_HTTP_STATUS] = "http-status",
    [PP_HTTP_ENCODING] = "encoding",
    [PP_HTTP_TOO_LARGE] = "too-large",
    [PP_HTTP_PROTOCOL] = "protocol",
    [PP_HTTP_CANCELLED] = "cancelled",
};

const char *pp_http_result_name(pp_http_result result)
{
    return (size_t)result < PP_COUNT_OF(result_names) ? result_names[result] : "unknown";
}

/* ---- the record ---------------------------------------------------------------------------- */

static void touch(pp_buf *buf, size_t size)
{
    static const char zeros[4096];

    while (buf->size < size && buf->status == PP_OK) {
        size_t left = size - buf->size;

        pp_buf_append(buf, zeros, left < sizeof zeros ? left : sizeof zeros);
    }
    pp_buf_clear(buf);
}

pp_status pp_http_record_init(pp_http_record *record, size_t max_body_bytes, size_t reserve_bytes,
                              size_t reserve_arrivals, pp_error *err)
{
    memset(record, 0, sizeof *record);
    pp_buf_init(&record->body, max_body_bytes);
    touch(&record->body, reserve_bytes < max_body_bytes ? reserve_bytes : max_body_bytes);
    if (reserve_arrivals == 0)
        return PP_OK;
    record->arrivals = pp_fail_nth_malloc(reserve_arrivals * sizeof *record->arrivals);
    if (record->arrivals == NULL)
        return pp_fail(err, PP_ERR_MEMORY, "out of memory for %zu arrivals", reserve_arrivals);
    memset(record->arrivals, 0, reserve_arrivals * sizeof *record->arrivals);
    record->arrival_capacity = reserve_arrivals;
    return PP_OK;
}

void pp_http_record_done(pp_http_record *record)
{
    if (record == NULL)
        return;
    pp_buf_done(&record->body);
    free(record->arrivals);
    memset(record, 0, sizeof *record);
}

/* Empty, but with its memory. */
static void restart_record(pp_http_record *record)
{
    pp_http_record fresh = {
        .body = record->body,
        .arrivals = record->arrivals,
        .arrival_capacity = record->arrival_capacity,
    };

    pp_buf_clear(&fresh.body);
    *record = fresh;
}

static bool room_for_arrival(pp_http_record *record)
{
    size_t capacity = record->arrival_capacity == 0 ? 64 : record->arrival_capacity * 2;
    pp_http_arrival *grown;

    if (record->arrival_count < record->arrival_capacity)
        return true;
    grown = pp_fail_nth_realloc(record->arrivals, capacity * sizeof *grown);
    if (grown == NULL)
        return false;
    record->arrivals = grown;
    record->arrival_capacity = capacity;
    return true;
}

/* ---- limits --------------------------------------------------------------------------------- */

typedef struct deadline {
    int64_t at_ns; /* 0 = none */
    pp_http_result result;
} deadline;

static void consider(deadline *best, int64_t from_ns, int64_t limit_ns, pp_http_result result)
{
    if (limit_ns > 0 && (best->at_ns == 0 || from_ns + limit_ns < best->at_ns))
        *best = (deadline){from_ns + limit_ns, result};
}

/* The limit that this transfer meets next. */
static deadline next_deadline(const pp_http_transfer *t)
{
    deadline best = {0, PP_HTTP_COMPLETE};
    int64_t started_ns = t->record->started_ns;

    if (t->record->connected_ns == 0)
        consider(&best, started_ns, t->limits.connect_ns, PP_HTTP_CONNECT_TIMEOUT);
    if (t->data_ns == 0)
        consider(&best, started_ns, t->limits.first_byte_ns, PP_HTTP_FIRST_BYTE_TIMEOUT);
    else
        consider(&best, t->data_ns, t->limits.idle_ns, PP_HTTP_IDLE_TIMEOUT);
    consider(&best, started_ns, t->limits.total_ns, PP_HTTP_TOTAL_TIMEOUT);
    return best;
}

/* What stands in the heap is the next deadline or an earlier instant: later data only move the
 * deadline away, so they cost nothing here. */
static void arm_deadline(pp_http_transfer *t)
{
    deadline next = next_deadline(t);

    if (next.at_ns == 0)
        pp_deadline_remove(&t->loop->deadlines, &t->deadline);
    else
        pp_deadline_set(&t->loop->deadlines, &t->deadline, next.at_ns);
}

/* The idle limit can be shorter than what was armed, so the first data arm anew. */
static void note_data(pp_http_transfer *t)
{
    bool is_first = t->data_ns == 0;

    t->data_ns = t->loop->stamp.at_ns;
    if (is_first)
        arm_deadline(t);
}

static const char *timeout_text(pp_http_result result)
{
    switch (result) {
    case PP_HTTP_CONNECT_TIMEOUT:
        return "no connection within the limit";
    case PP_HTTP_FIRST_BYTE_TIMEOUT:
        return "no data within the limit for the first byte";
    case PP_HTTP_IDLE_TIMEOUT:
        return "no further data within the idle limit";
    default:
        return "not finished within the total limit";
    }
}

/* ---- while a transfer runs ------------------------------------------------------------------ */

static size_t refuse(pp_http_transfer *t, pp_http_result result, const char *text)
{
    t->refused = true;
    t->record->result = result;
    (void)snprintf(t->record->text, sizeof t->record->text, "%s", text);
    return 0; /* makes libcurl end the transfer */
}

static bool status_is_success(int status)
{
    return status >= 200 && status <= 299;
}

static const char *find_header(const pp_http_transfer *t, const char *name)
{
    struct curl_header *header;

    if (curl_easy_header(t->easy, name, 0, CURLH_HEADER, -1, &header) != CURLHE_OK)
        return "";
    return header->value;
}

static bool is_compressed(const pp_http_transfer *t)
{
    const char *coding = find_header(t, "Content-Encoding");

    return coding[0] != '\0' && strcasecmp(coding, "identity") != 0;
}

/* NULL is empty; cut to the room. */
static void copy_text(const char *text, char *out, size_t out_size)
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
        (void)refuse(t, PP_HTTP_RESET,
                     "the kept connection was lost after the request had been written; it is not "
                     "sent again, because the server may have it");
    return false;
}

static int on_connected(void *user, char *primary, char *local, int primary_port, int local_port)
{
    pp_http_transfer *t = user;

    (void)local;
    (void)primary_port;
    (void)local_port;
    if (!may_be_sent(t))
        return CURL_PREREQFUNC_ABORT;
    t->record->connected_ns = pp_clock_now_ns();
    copy_text(primary, t->record->address, sizeof t->record->address);
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

    if (stamp->segment_count < 2 || t->is_tls)
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
    if (size >= 1 && size <= 2 && (line[0] == '\r' || line[0] == '\n')) { /* end of a head */
        (void)curl_easy_getinfo(t->easy, CURLINFO_RESPONSE_CODE, &status);
        if (status >= 200) { /* interim replies are none (F03) */
            t->record->status = (int)status;
            t->record->head_ns = t->loop->stamp.at_ns;
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
        if (!room_for_arrival(r))
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
        return refuse(t, PP_HTTP_TOO_LARGE, "out of memory for arrivals");
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
    if (!status_is_success(r->status))
        return keep_error_body(t, bytes, size);
    if (!t->checked && is_compressed(t))
        return refuse(t, PP_HTTP_ENCODING, "the reply is compressed, which was not asked for");
    if (!t->checked)
        t->is_chunked = strcasecmp(find_header(t, "Transfer-Encoding"), "chunked") == 0;
    t->checked = true;
    if (!note_arrival(t, size))
        return refuse(t, PP_HTTP_TOO_LARGE, "out of memory for arrivals");
    pp_buf_append(&r->body, bytes, size);
    if (r->body.status == PP_ERR_LIMIT)
        return refuse(t, PP_HTTP_TOO_LARGE, "the body is larger than its ceiling");
    if (r->body.status != PP_OK)
        return refuse(t, PP_HTTP_TOO_LARGE, "out of memory for the body");
    if (t->handlers.body == NULL || t->handlers.body(t->handlers.user, bytes, size))
        note_data(t);
    return size;
}

/* ---- the end -------------------------------------------------------------------------------- */

static void unlink_transfer(pp_http_transfer *t)
{
    pp_http_loop *loop = t->loop;

    if (t->previous != NULL)
        t->previous->next = t->next;
    else
        loop->transfers = t->next;
    if (t->next != NULL)
        t->next->previous = t->previous;
    loop->transfer_count--;
    pp_deadline_remove(&loop->deadlines, &t->deadline);
}

static void free_transfer(pp_http_transfer *t)
{
    if (t->easy != NULL)
        curl_easy_cleanup(t->easy);
    curl_slist_free_all(t->headers);
    free(t->url);
    t->loop->handle_count--;
    free(t);
}

/* Keeps the handle with all that is set in it for the next request (K14). */
static void put_aside(pp_http_transfer *t)
{
    t->record = NULL;
    t->handlers = (pp_http_handlers){0};
    t->next = t->loop->idle_transfers;
    t->loop->idle_transfers = t;
}

static void note_reply(pp_http_transfer *t)
{
    pp_http_record *r = t->record;
    const char *type = NULL;
    long connects = 0;

    (void)curl_easy_getinfo(t->easy, CURLINFO_CONTENT_TYPE, &type);
    (void)curl_easy_getinfo(t->easy, CURLINFO_NUM_CONNECTS, &connects);
    copy_text(type, r->content_type, sizeof r->content_type);
    r->connection_reused =
        r->connected_ns != 0 && (connects == 0 || (r->kept_connection_died && t->has_body));
}

static void describe_status(pp_http_transfer *t)
{
    pp_http_record *r = t->record;
    const char *location = find_header(t, "Location");
    pp_maybe_int wait_s =
        pp_http_retry_after_s(pp_text_of(find_header(t, "Retry-After")), pp_clock_unix_ms() / 1000);

    if (r->status >= 300 && r->status <= 399 && location[0] != '\0')
        (void)snprintf(r->text, sizeof r->text, "HTTP status %d, a redirect, which is not followed",
                       r->status);
    else if (wait_s.known)
        (void)snprintf(r->text, sizeof r->text, "HTTP status %d, retry after %lld s", r->status,
                       (long long)wait_s.value);
    else
        (void)snprintf(r->text, sizeof r->text, "HTTP status %d", r->status);
}

static pp_http_result result_of_code(const pp_http_transfer *t, CURLcode code)
{
    long system_errno = t->loop->stamp.socket_errno;

    switch (code) {
    case CURLE_OK: /* also of a connection that ends within the head, behind its first line */
        if (t->record->status != 0)
            return PP_HTTP_COMPLETE;
        return system_errno == ECONNRESET ? PP_HTTP_RESET : PP_HTTP_PREMATURE_END;
    case CURLE_COULDNT_RESOLVE_HOST:
        return PP_HTTP_UNRESOLVED;
    case CURLE_COULDNT_CONNECT:
        return PP_HTTP_REFUSED;
    case CURLE_OPERATION_TIMEDOUT: /* libcurl's own limit of 300 s for connecting */
        return PP_HTTP_CONNECT_TIMEOUT;
    case CURLE_PARTIAL_FILE:
    case CURLE_GOT_NOTHING:
        return system_errno == ECONNRESET ? PP_HTTP_RESET : PP_HTTP_PREMATURE_END;
    case CURLE_RECV_ERROR: /* also what libcurl says of a chunk size that is none, in words of its
                              version: "in chunked-encoding", "chunk hex-length char not a ..." */
        return strstr(t->curl_text, "chunk") != NULL ? PP_HTTP_PROTOCOL : PP_HTTP_RESET;
    case CURLE_SEND_ERROR:
        return PP_HTTP_RESET;
    default:
        return PP_HTTP_PROTOCOL;
    }
}

static void judge(pp_http_transfer *t, CURLcode code)
{
    pp_http_record *r = t->record;

    if (t->refused)
        return;
    if (r->status != 0 && !status_is_success(r->status)) {
        r->result = PP_HTTP_STATUS;
        describe_status(t);
        return;
    }
    r->result = result_of_code(t, code);
    if (r->result == PP_HTTP_COMPLETE && !t->checked && is_compressed(t))
        (void)refuse(t, PP_HTTP_ENCODING, "the reply is compressed, which was not asked for");
    else if (r->result == PP_HTTP_RESET)
        (void)snprintf(r->text, sizeof r->text, "the connection was reset after %zu body bytes",
                       r->body.size);
    else if (r->result == PP_HTTP_PREMATURE_END)
        (void)snprintf(r->text, sizeof r->text,
                       "the connection was closed before the reply was whole, after %zu body bytes",
                       r->body.size);
    else if (r->result != PP_HTTP_COMPLETE)
        (void)snprintf(r->text, sizeof r->text, "%.*s", (int)sizeof r->text - 1,
                       t->curl_text[0] != '\0' ? t->curl_text : curl_easy_strerror(code));
}

/* Takes the handle out of libcurl, completes the record, tells the owner. */
static void end_transfer(pp_http_transfer *t, int64_t ended_ns)
{
    pp_http_handlers handlers = t->handlers;
    pp_http_record *r = t->record;

    note_reply(t);
    (void)curl_multi_remove_handle(t->loop->multi, t->easy);
    r->ended_ns = ended_ns;
    if (r->arrival_count > 0 && r->arrivals[r->arrival_count - 1].at_ns > ended_ns)
        r->ended_ns = r->arrivals[r->arrival_count - 1].at_ns;
    unlink_transfer(t);
    put_aside(t);
    if (handlers.end != NULL)
        handlers.end(handlers.user);
}

/* When the transfer that libcurl just reported as over ended: with the read that completed it. */
static int64_t end_of_read(const pp_http_transfer *t)
{
    const pp_http_record *r = t->record;
    int64_t at_ns = t->loop->stamp.at_ns;

    if (r->arrival_count > 0 && t->read_serial == t->loop->stamp.serial) /* or its last part */
        at_ns = r->arrivals[r->arrival_count - 1].at_ns;
    return at_ns > r->started_ns ? at_ns : pp_clock_now_ns();
}

void pp_http_reap(pp_http_loop *loop)
{
    CURLMsg *message;
    int left;

    while ((message = curl_multi_info_read(loop->multi, &left)) != NULL) {
        pp_http_transfer *t = NULL;

        if (message->msg != CURLMSG_DONE)
            continue;
        (void)curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, (char **)&t);
        judge(t, message->data.result);
        end_transfer(t, end_of_read(t));
    }
}

static void end_by_us(pp_http_transfer *t, pp_http_result result, const char *text)
{
    (void)refuse(t, result, text);
    end_transfer(t, pp_clock_now_ns());
}

void pp_http_expire(pp_http_loop *loop, int64_t now_ns)
{
    pp_deadline_node *first;

    while ((first = pp_deadline_first(&loop->deadlines)) != NULL && first->at_ns <= now_ns) {
        pp_http_transfer *t = first->owner;
        deadline next = next_deadline(t);

        if (next.at_ns != 0 && next.at_ns <= now_ns)
            end_by_us(t, next.result, timeout_text(next.result));
        else
            arm_deadline(t);
    }
}

void pp_http_cancel(pp_http_loop *loop, pp_http_transfer *transfer)
{
    (void)loop;
    end_by_us(transfer, PP_HTTP_CANCELLED, "cancelled");
}

void pp_http_drop_all(pp_http_loop *loop)
{
    while (loop->transfers != NULL) {
        pp_http_transfer *t = loop->transfers;

        t->handlers = (pp_http_handlers){0};
        end_by_us(t, PP_HTTP_CANCELLED, "cancelled");
    }
    while (loop->idle_transfers != NULL) {
        pp_http_transfer *t = loop->idle_transfers;

        loop->idle_transfers = t->next;
        free_transfer(t);
    }
}

size_t pp_http_active_count(const pp_http_loop *loop)
{
    return loop->transfer_count;
}

/* ---- the start ------------------------------------------------------------------------------ */

/* The URL as messages may show it: neither user and password nor query (they can be secrets). */
static void make_safe_url(const char *url, char *out, size_t out_size)
{
    const char *host = strstr(url, "://");
    size_t scheme;
    const char *at;
    size_t path;

    host = host == NULL ? url : host + 3;
    scheme = (size_t)(host - url);
    path = strcspn(host, "/?#");
    at = memchr(host, '@', path);
    if (at != NULL) {
        path -= (size_t)(at + 1 - host);
        host = at + 1;
    }
    path += strcspn(host + path, "?#");
    (void)snprintf(out, out_size, "%.*s%.*s", (int)scheme, url, (int)path, host);
}

#define MAX_HEADERS 64

/* The lines of a request in the order of sending; `type` is room for one of them. */
static size_t list_headers(const pp_http_request *request, char *type, size_t type_size,
                           const char **lines)
{
    size_t count = 0;

    lines[count++] = "Accept-Encoding: identity";
    lines[count++] = "Expect:";
    if (request->body.data != NULL && request->content_type == NULL) {
        lines[count++] = "Content-Type: application/json";
    } else if (request->body.data != NULL) {
        (void)snprintf(type, type_size, "Content-Type: %s", request->content_type);
        lines[count++] = type;
    }
    for (size_t i = 0; i < request->header_count; i++)
        lines[count++] = request->headers[i];
    return count;
}

static bool headers_are_set(const pp_http_transfer *t, const char *const *lines, size_t count)
{
    const struct curl_slist *set = t->headers;

    for (size_t i = 0; i < count; i++, set = set->next)
        if (set == NULL || strcmp(set->data, lines[i]) != 0)
            return false;
    return set == NULL;
}

static pp_status set_headers(pp_http_transfer *t, const pp_http_request *request, pp_error *err)
{
    char type[160];
    const char *lines[MAX_HEADERS + 3];
    struct curl_slist *list = NULL;
    size_t count;

    if (request->header_count > MAX_HEADERS)
        return pp_fail(err, PP_ERR_LIMIT, "%zu headers for a request, at most %d",
                       request->header_count, MAX_HEADERS);
    count = list_headers(request, type, sizeof type, lines);
    if (headers_are_set(t, lines, count))
        return PP_OK;
    for (size_t i = 0; i < count; i++) {
        struct curl_slist *longer = curl_slist_append(list, lines[i]);

        if (longer == NULL) {
            curl_slist_free_all(list);
            return pp_fail(err, PP_ERR_MEMORY, "out of memory for headers");
        }
        list = longer;
    }
    (void)curl_easy_setopt(t->easy, CURLOPT_HTTPHEADER, list);
    curl_slist_free_all(t->headers);
    t->headers = list;
    return PP_OK;
}

static void set_method(pp_http_transfer *t, const pp_http_request *request)
{
    t->has_body = request->body.data != NULL;
    if (t->has_body) {
        (void)curl_easy_setopt(t->easy, CURLOPT_POST, 1L);
        (void)curl_easy_setopt(t->easy, CURLOPT_POSTFIELDS, request->body.data);
        (void)curl_easy_setopt(t->easy, CURLOPT_POSTFIELDSIZE_LARGE,
                               (curl_off_t)request->body.size);
    } else {
        (void)curl_easy_setopt(t->easy, CURLOPT_HTTPGET, 1L);
    }
    if (request->method != NULL || t->has_method)
        (void)curl_easy_setopt(t->easy, CURLOPT_CUSTOMREQUEST, request->method);
    t->has_method = request->method != NULL;
}

/* What every request of a loop has in common. */
static void set_transport(CURL *easy, const pp_http_loop_options *options)
{
    (void)curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
    (void)curl_easy_setopt(easy, CURLOPT_PROXY, "");
    (void)curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    (void)curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
    (void)curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);
    (void)curl_easy_setopt(easy, CURLOPT_TCP_NODELAY, 1L);
    (void)curl_easy_setopt(easy, CURLOPT_DNS_CACHE_TIMEOUT, -1L); /* no look-up in mid-run */
    if (options->buffer_bytes > 0)
        (void)curl_easy_setopt(easy, CURLOPT_BUFFERSIZE, (long)options->buffer_bytes);
    if (options->ca_file != NULL)
        (void)curl_easy_setopt(easy, CURLOPT_CAINFO, options->ca_file);
    if (options->insecure) {
        (void)curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, 0L);
        (void)curl_easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, 0L);
    }
}

static void set_callbacks(pp_http_transfer *t)
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

static pp_status check_url(const char *url, const char *shown, pp_error *err)
{
    CURLU *parsed = curl_url();
    CURLUcode code = CURLUE_OUT_OF_MEMORY;

    if (parsed != NULL)
        code = curl_url_set(parsed, CURLUPART_URL, url, CURLU_NON_SUPPORT_SCHEME);
    curl_url_cleanup(parsed);
    if (code == CURLUE_OK &&
        (strncasecmp(url, "http://", 7) == 0 || strncasecmp(url, "https://", 8) == 0))
        return PP_OK;
    return pp_fail(err, PP_ERR_USAGE, "'%s' is no URL of http:// or https://%s%s", shown,
                   code == CURLUE_OK ? "" : ": ", code == CURLUE_OK ? "" : curl_url_strerror(code));
}

static pp_status set_url(pp_http_transfer *t, const char *url, pp_error *err)
{
    char safe_url[256];
    pp_status st;
    char *copy;

    if (t->url != NULL && strcmp(t->url, url) == 0)
        return PP_OK;
    make_safe_url(url, safe_url, sizeof safe_url);
    st = check_url(url, safe_url, err);
    if (st != PP_OK)
        return st;
    copy = strdup(url);
    if (copy == NULL || curl_easy_setopt(t->easy, CURLOPT_URL, url) != CURLE_OK) {
        free(copy);
        return pp_fail(err, PP_ERR_MEMORY, "out of memory for a request to '%s'", safe_url);
    }
    free(t->url);
    t->url = copy;
    t->is_tls = strncasecmp(url, "https://", 8) == 0;
    return PP_OK;
}

static pp_status prepare(pp_http_transfer *t, const pp_http_request *request, pp_error *err)
{
    pp_status st = set_url(t, request->url, err);

    if (st != PP_OK)
        return st;
    set_method(t, request);
    (void)curl_easy_setopt(t->easy, CURLOPT_FRESH_CONNECT, request->fresh_connection ? 1L : 0L);
    (void)curl_easy_setopt(t->easy, CURLOPT_FORBID_REUSE, request->fresh_connection ? 1L : 0L);
    return set_headers(t, request, err);
}

static pp_status new_transfer(pp_http_loop *loop, pp_http_transfer **ret_transfer, pp_error *err)
{
    pp_http_transfer *t;
    pp_status st = pp_deadline_reserve(&loop->deadlines, loop->handle_count + 1, err);

    if (st != PP_OK)
        return st;
    t = calloc(1, sizeof *t);
    if (t == NULL)
        return pp_fail(err, PP_ERR_MEMORY, "out of memory for a request");
    t->loop = loop;
    t->deadline.owner = t;
    t->easy = curl_easy_init();
    if (t->easy == NULL) {
        free(t);
        return pp_fail(err, PP_ERR_MEMORY, "out of memory for a request");
    }
    loop->handle_count++;
    set_transport(t->easy, &loop->options);
    set_callbacks(t);
    *ret_transfer = t;
    return PP_OK;
}

static pp_status take_transfer(pp_http_loop *loop, pp_http_transfer **ret_transfer, pp_error *err)
{
    pp_http_transfer *t = loop->idle_transfers;

    if (t == NULL)
        return new_transfer(loop, ret_transfer, err);
    loop->idle_transfers = t->next;
    t->data_ns = 0;
    t->read_serial = t->raw_serial = 0;
    t->segment = 0;
    t->refused = t->checked = t->body_full = t->is_chunked = false;
    t->curl_text[0] = '\0';
    *ret_transfer = t;
    return PP_OK;
}

static void link_transfer(pp_http_loop *loop, pp_http_transfer *t)
{
    t->previous = NULL;
    t->next = loop->transfers;
    if (t->next != NULL)
        t->next->previous = t;
    loop->transfers = t;
    loop->transfer_count++;
}

pp_status pp_http_start(pp_http_loop *loop, const pp_http_request *request,
                        const pp_http_handlers *handlers, pp_http_record *record,
                        pp_http_transfer **ret_transfer, pp_error *err)
{
    pp_http_transfer *t = NULL;
    pp_status st = take_transfer(loop, &t, err);

    if (st != PP_OK)
        return st;
    t->handlers = handlers == NULL ? (pp_http_handlers){0} : *handlers;
    t->limits = request->limits;
    t->record = record;
    t->clock_jump_count = loop->clock_jump_count;
    st = prepare(t, request, err);
    if (st != PP_OK) {
        free_transfer(t);
        return st;
    }
    restart_record(record);
    record->started_ns = pp_clock_now_ns();
    loop->woke_ns = record->started_ns;
    link_transfer(loop, t);
    if (curl_multi_add_handle(loop->multi, t->easy) != CURLM_OK) {
        unlink_transfer(t);
        free_transfer(t);
        return pp_fail(err, PP_ERR_MEMORY, "libcurl could not take a request");
    }
    arm_deadline(t);
    pp_http_loop_kick(loop); /* sends what can be sent now, not at the next turn (K13) */
    if (ret_transfer != NULL)
        *ret_transfer = t;
    return PP_OK;
}

/* ---- running -------------------------------------------------------------------------------- */

pp_status pp_http_turn(pp_http_loop *loop, int64_t until_ns, pp_error *err)
{
    pp_http_reap(loop);
    return pp_http_loop_turn(loop, until_ns, err);
}

pp_status pp_http_run(pp_http_loop *loop, const bool *done, int64_t until_ns, pp_error *err)
{
    for (;;) {
        pp_status st;

        pp_http_reap(loop);
        if (done != NULL && *done)
            return PP_OK;
        if (done == NULL && until_ns == 0 && loop->transfer_count == 0)
            return PP_OK;
        if (loop->stop != NULL && __atomic_load_n(loop->stop, __ATOMIC_RELAXED) != 0)
            return pp_fail(err, PP_ERR_INTERRUPTED, "interrupted");
        if (until_ns != 0 && pp_clock_now_ns() >= until_ns)
            return PP_OK;
        st = pp_http_loop_turn(loop, until_ns, err);
        if (st != PP_OK)
            return st;
    }
}

typedef struct single {
    bool (*body)(void *user, const void *bytes, size_t size);
    void *user;
    bool ended;
} single;

static bool single_body(void *user, const void *bytes, size_t size)
{
    single *one = user;

    return one->body == NULL || one->body(one->user, bytes, size);
}

static void single_end(void *user)
{
    single *one = user;

    one->ended = true;
}

pp_status pp_http_perform(pp_http_loop *loop, const pp_http_request *request,
                          bool (*body)(void *, const void *, size_t), void *user,
                          pp_http_record *record, pp_error *err)
{
    single one = {body, user, false};
    pp_http_handlers handlers = {single_body, single_end, &one};
    pp_http_transfer *t = NULL;
    pp_status st = pp_http_start(loop, request, &handlers, record, &t, err);

    if (st != PP_OK)
        return st;
    st = pp_http_run(loop, &one.ended, 0, err);
    if (!one.ended)
        pp_http_cancel(loop, t);
    return st;
}

static pp_status status_of_result(pp_http_result result)
{
    switch (result) {
    case PP_HTTP_COMPLETE:
        return PP_OK;
    case PP_HTTP_CONNECT_TIMEOUT:
    case PP_HTTP_FIRST_BYTE_TIMEOUT:
    case PP_HTTP_IDLE_TIMEOUT:
    case PP_HTTP_TOTAL_TIMEOUT:
        return PP_ERR_TIMEOUT;
    case PP_HTTP_TOO_LARGE:
        return PP_ERR_LIMIT;
    case PP_HTTP_CANCELLED:
        return PP_ERR_INTERRUPTED;
    default:
        return PP_ERR_PEER;
    }
}

pp_status pp_http_fetch(pp_http_loop *loop, const pp_http_request *request, pp_http_record *record,
                        pp_error *err)
{
    char safe_url[256];
    pp_status st = pp_http_perform(loop, request, NULL, NULL, record, err);

    make_safe_url(request->url, safe_url, sizeof safe_url);
    if (st == PP_OK && record->result != PP_HTTP_COMPLETE)
        st = pp_fail(err, status_of_result(record->result), "%s", record->text);
    return pp_wrap(err, st, "asking '%s'", safe_url);
}
