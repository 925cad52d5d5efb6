#include "net/http_client_transfer.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "net/retry_after.h"

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

void pp_http_note_reply(pp_http_transfer *t)
{
    pp_http_record *r = t->record;
    const char *type = NULL;
    long connects = 0;

    (void)curl_easy_getinfo(t->easy, CURLINFO_CONTENT_TYPE, &type);
    (void)curl_easy_getinfo(t->easy, CURLINFO_NUM_CONNECTS, &connects);
    pp_http_copy_text(type, r->content_type, sizeof r->content_type);
    r->connection_reused =
        r->connected_ns != 0 && (connects == 0 || (r->kept_connection_died && t->has_body));
}

static void describe_status(pp_http_transfer *t)
{
    pp_http_record *r = t->record;
    const char *location = pp_http_find_header(t, "Location");
    pp_maybe_int wait_s = pp_http_retry_after_s(pp_text_of(pp_http_find_header(t, "Retry-After")),
                                                pp_clock_unix_ms() / 1000);

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

void pp_http_judge(pp_http_transfer *t, CURLcode code)
{
    pp_http_record *r = t->record;
    uint64_t body_bytes = t->relay ? t->relayed_bytes : r->body.size;

    if (t->refused)
        return;
    if (r->status != 0 && !pp_http_status_is_success(r->status) && !t->relay) {
        r->result = PP_HTTP_STATUS;
        describe_status(t);
        return;
    }
    r->result = result_of_code(t, code);
    if (r->result == PP_HTTP_COMPLETE && !t->checked && pp_http_is_compressed(t))
        (void)pp_http_refuse(t, PP_HTTP_ENCODING,
                             "the reply is compressed, which was not asked for");
    else if (r->result == PP_HTTP_RESET)
        (void)snprintf(r->text, sizeof r->text, "the connection was reset after %llu body bytes",
                       (unsigned long long)body_bytes);
    else if (r->result == PP_HTTP_PREMATURE_END)
        (void)snprintf(
            r->text, sizeof r->text,
            "the connection was closed before the reply was whole, after %llu body bytes",
            (unsigned long long)body_bytes);
    else if (r->result != PP_HTTP_COMPLETE)
        (void)snprintf(r->text, sizeof r->text, "%.*s", (int)sizeof r->text - 1,
                       t->curl_text[0] != '\0' ? t->curl_text : curl_easy_strerror(code));
}
