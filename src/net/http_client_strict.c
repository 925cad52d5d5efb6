/* What of a relayed reply's head is refused, because the next reader in the row might read another
 * reply than we do, or find the end of it elsewhere. libcurl reads all of this somehow. Its answer
 * to a refusal is to close the connection, so that nothing of it is taken for the next reply.
 *
 * Source: RFC 9112 sections 2.2, 4, 5.1, 5.2, 6.1 and 6.3. */
#include "net/http_client_transfer.h"

#include <string.h>

#include "net/http_syntax.h"

/* Interim heads and trailers are in it; a server that sends one after the other has no end. */
#define RELAY_HEADS_MAX_BYTES ((size_t)256 << 10)

static bool refuse_as(pp_http_transfer *t, pp_http_result result, const char *text)
{
    (void)pp_http_refuse(t, result, text);
    return false;
}

static bool refuse(pp_http_transfer *t, const char *text)
{
    return refuse_as(t, PP_HTTP_PROTOCOL, text);
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* "HTTP/1.1 200" and a reason, which may be absent with its blank. */
static bool is_status_line(pp_text line)
{
    const char *s = line.data;

    return line.size >= 12 && (memcmp(s, "HTTP/1.1 ", 9) == 0 || memcmp(s, "HTTP/1.0 ", 9) == 0) &&
           s[9] >= '1' && s[9] <= '5' && is_digit(s[10]) && is_digit(s[11]) &&
           (line.size == 12 || s[12] == ' ') && pp_http_is_value((pp_text){s + 12, line.size - 12});
}

/* Nobody asked for another protocol; what follows would be none of HTTP. */
static bool judge_status(pp_http_transfer *t, pp_text line)
{
    if (!is_status_line(line))
        return refuse(t, "the reply does not begin with a status line of HTTP/1.1 or HTTP/1.0");
    if (memcmp(line.data + 9, "101", 3) == 0)
        return refuse(t, "the server changes to another protocol, which was not asked for");
    return true;
}

static bool judge_header(pp_http_transfer *t, pp_text line)
{
    const char *colon = memchr(line.data, ':', line.size);
    size_t name_size = colon == NULL ? 0 : (size_t)(colon - line.data);

    if (line.data[0] == ' ' || line.data[0] == '\t')
        return refuse(t, "the reply has a folded header");
    if (colon == NULL || !pp_http_is_token((pp_text){line.data, name_size}))
        return refuse(t, "the reply has a header whose name is none");
    if (!pp_http_is_value((pp_text){colon + 1, line.size - name_size - 1}))
        return refuse(t, "the reply has a header with control characters");
    return true;
}

bool pp_http_relay_line(pp_http_transfer *t, const char *line, size_t size)
{
    pp_text text = {line, size - 2};
    bool is_first = !t->in_head;

    t->head_bytes += size;
    if (t->head_bytes > RELAY_HEADS_MAX_BYTES)
        return refuse_as(t, PP_HTTP_TOO_LARGE, "the heads of the reply are too large");
    if (size < 2 || line[size - 1] != '\n' || line[size - 2] != '\r')
        return refuse(t, "a line of the reply's head does not end in CR and LF");
    /* Behind the final head come trailers, which have no status line. */
    t->in_head = text.size > 0 || t->record->status != 0;
    if (text.size == 0)
        return true;
    return is_first && t->record->status == 0 ? judge_status(t, text) : judge_header(t, text);
}

/* ---- the end of the reply -------------------------------------------------------------------- */

static bool is_length(pp_text text)
{
    uint64_t length = 0;

    for (size_t i = 0; i < text.size; i++) {
        uint64_t digit = (uint64_t)(text.data[i] - '0');

        if (!is_digit(text.data[i]) || length > ((uint64_t)INT64_MAX - digit) / 10)
            return false;
        length = length * 10 + digit;
    }
    return text.size > 0;
}

static bool is_zero(pp_text text)
{
    return pp_text_is(text, "0");
}

/* How many there are; ret_value: the first one. */
static size_t find_all(const pp_http_transfer *t, const char *name, pp_text *ret_value)
{
    struct curl_header *header = NULL;

    if (curl_easy_header(t->easy, name, 0, CURLH_HEADER, -1, &header) != CURLHE_OK)
        return 0;
    *ret_value = pp_text_of(header->value);
    return header->amount;
}

static bool is_http_1_0(const pp_http_transfer *t)
{
    long version = 0;

    (void)curl_easy_getinfo(t->easy, CURLINFO_HTTP_VERSION, &version);
    return version == CURL_HTTP_VERSION_1_0;
}

bool pp_http_relay_framing(pp_http_transfer *t)
{
    pp_text length = {0};
    pp_text coding = {0};
    size_t length_count = find_all(t, "Content-Length", &length);
    size_t coding_count = find_all(t, "Transfer-Encoding", &coding);

    if (t->record->status == 204 && (coding_count > 0 || (length_count > 0 && !is_zero(length))))
        return refuse(t, "the reply frames a body that its status does not have");
    if (length_count > 0 && coding_count > 0)
        return refuse(t, "the reply has both Content-Length and Transfer-Encoding");
    if (length_count > 1)
        return refuse(t, "the reply has several Content-Length headers");
    if (length_count > 0 && !is_length(length))
        return refuse(t, "the reply's Content-Length is no number of bytes");
    if (coding_count > 1 || (coding_count > 0 && !pp_http_name_is(coding, "chunked")))
        return refuse(t, "the reply has a transfer coding other than exactly 'chunked'");
    if (coding_count > 0 && is_http_1_0(t))
        return refuse(t, "the reply has Transfer-Encoding in HTTP/1.0");
    return true;
}
