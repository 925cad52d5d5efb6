/* Replies of others on their way through: handed over as they come, kept nowhere. */
#include "net/http_client_transfer.h"

#include <string.h>

#include "base/clock.h"
#include "net/http_syntax.h"

static int minor_version(const pp_http_transfer *t)
{
    long version = 0;

    (void)curl_easy_getinfo(t->easy, CURLINFO_HTTP_VERSION, &version);
    return version == CURL_HTTP_VERSION_1_0 ? 0 : 1;
}

/* How many there are, or more than fit. */
static size_t list_headers(const pp_http_transfer *t, pp_http_header *headers)
{
    struct curl_header *found = NULL;
    size_t count = 0;

    while ((found = curl_easy_nextheader(t->easy, CURLH_HEADER, -1, found)) != NULL) {
        pp_http_header header = {pp_text_of(found->name), pp_text_of(found->value)};

        if (!pp_http_is_token(header.name) || !pp_http_is_value(header.value))
            continue;
        if (count == PP_HTTP_REPLY_HEADERS_MAX)
            return count + 1;
        headers[count++] = header;
    }
    return count;
}

/* Any of several: each is one more coding. */
static bool is_compressed(const pp_http_reply_head *head)
{
    for (size_t i = 0; i < head->header_count; i++) {
        pp_http_header h = head->headers[i];

        if (pp_http_name_is(h.name, "Content-Encoding") && h.value.size > 0 &&
            !pp_http_name_is(h.value, "identity"))
            return true;
    }
    return false;
}

size_t pp_http_relay_head(pp_http_transfer *t, size_t size)
{
    pp_http_header headers[PP_HTTP_REPLY_HEADERS_MAX];
    pp_http_reply_head head = {t->record->status, minor_version(t), headers, 0};

    if (!pp_http_relay_framing(t))
        return 0;
    head.header_count = list_headers(t, headers);
    if (head.header_count > PP_HTTP_REPLY_HEADERS_MAX)
        return pp_http_refuse(t, PP_HTTP_TOO_LARGE, "the reply has too many headers");
    if (is_compressed(&head))
        return pp_http_refuse(t, PP_HTTP_ENCODING,
                              "the reply is compressed, which was not asked for");
    if (t->handlers.head != NULL)
        t->handlers.head(t->handlers.user, &head);
    return size;
}

/* libcurl keeps what is not taken and brings it again when the transfer goes on. */
size_t pp_http_relay_body(pp_http_transfer *t, const char *bytes, size_t size)
{
    if (t->is_paused)
        return CURL_WRITEFUNC_PAUSE;
    t->relayed_bytes += size;
    if (t->handlers.body == NULL || t->handlers.body(t->handlers.user, bytes, size))
        pp_http_note_data(t);
    return size;
}

/* ---- pauses ---------------------------------------------------------------------------------- */

void pp_http_pause(pp_http_loop *loop, pp_http_transfer *transfer)
{
    (void)loop;
    PP_ASSERT(transfer->relay);
    transfer->resume_due = false;
    if (transfer->is_paused)
        return;
    transfer->is_paused = true;
    transfer->paused_since_ns = pp_clock_now_ns();
    (void)curl_easy_pause(transfer->easy,
                          CURLPAUSE_RECV); /* else `body` says so when it is called */
}

/* Not here and now: the caller is in the middle of something, and this hands over bytes. */
void pp_http_resume(pp_http_loop *loop, pp_http_transfer *transfer)
{
    if (!transfer->is_paused || transfer->resume_due)
        return;
    transfer->resume_due = true;
    pp_deadline_set(&loop->deadlines, &transfer->deadline, 1);
    pp_http_loop_settle(loop);
}

void pp_http_go_on(pp_http_transfer *t)
{
    int64_t now_ns = pp_clock_now_ns();

    t->resume_due = t->is_paused = false;
    if (t->data_ns == 0)
        t->paused_ns += now_ns - t->paused_since_ns;
    else
        t->data_ns = now_ns;
    t->loop->stamp.waited = false; /* what waited is handed over now, and counts as coming now */
    if (curl_easy_pause(t->easy, CURLPAUSE_CONT) != CURLE_OK) {
        pp_http_end_by_us(t, PP_HTTP_PROTOCOL, "the reply could not be taken up after a pause");
        return;
    }
    pp_http_arm_limit(t);
}
