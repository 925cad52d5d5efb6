#include "net/http_client_transfer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

void pp_http_safe_url(const char *url, char *out, size_t out_size)
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

#define MAX_HEADERS 128

/* The lines of a request in the order of sending; `type` is room for one of them. */
static size_t list_headers(const pp_http_request *request, const char **lines)
{
    size_t count = 0;

    lines[count++] = "Accept-Encoding: identity";
    lines[count++] = "Expect:";
    if (request->relay) { /* nothing that libcurl would add */
        lines[count++] = "Accept:";
        lines[count++] = "Content-Type:";
    } else if (request->body.data != NULL) {
        lines[count++] = "Content-Type: application/json";
    }
    for (size_t i = 0; i < request->header_count; i++)
        lines[count++] = request->headers[i];
    return count;
}

static bool headers_are(const pp_http_headers *headers, const char *const *lines, size_t count)
{
    const struct curl_slist *set = headers == NULL ? NULL : headers->list;

    for (size_t i = 0; i < count; i++, set = set->next)
        if (set == NULL || strcmp(set->data, lines[i]) != 0)
            return false;
    return set == NULL;
}

void pp_http_headers_release(pp_http_headers *headers)
{
    if (headers == NULL || --headers->user_count > 0)
        return;
    curl_slist_free_all(headers->list);
    free(headers);
}

static pp_http_headers *new_headers(const char *const *lines, size_t count)
{
    pp_http_headers *headers = calloc(1, sizeof *headers);

    if (headers == NULL)
        return NULL;
    headers->user_count = 1;
    for (size_t i = 0; i < count; i++) {
        struct curl_slist *longer = curl_slist_append(headers->list, lines[i]);

        if (longer == NULL) {
            pp_http_headers_release(headers);
            return NULL;
        }
        headers->list = longer;
    }
    return headers;
}

/* The loop's headers are these lines afterwards. */
static pp_status find_headers(pp_http_loop *loop, const char *const *lines, size_t count,
                              pp_error *err)
{
    pp_http_headers *headers;

    if (headers_are(loop->headers, lines, count))
        return PP_OK;
    headers = new_headers(lines, count);
    if (headers == NULL)
        return pp_fail(err, PP_ERR_MEMORY, "out of memory for headers");
    pp_http_headers_release(loop->headers);
    loop->headers = headers;
    return PP_OK;
}

static pp_status set_headers(pp_http_transfer *t, const pp_http_request *request, pp_error *err)
{
    const char *lines[MAX_HEADERS + 4];
    size_t count;
    pp_status st;

    if (request->header_count > MAX_HEADERS)
        return pp_fail(err, PP_ERR_LIMIT, "%zu headers for a request, at most %d",
                       request->header_count, MAX_HEADERS);
    count = list_headers(request, lines);
    if (t->headers != NULL && headers_are(t->headers, lines, count))
        return PP_OK;
    st = find_headers(t->loop, lines, count, err);
    if (st != PP_OK)
        return st;
    (void)curl_easy_setopt(t->easy, CURLOPT_HTTPHEADER, t->loop->headers->list);
    pp_http_headers_release(t->headers);
    t->headers = t->loop->headers;
    t->headers->user_count++;
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
    (void)curl_easy_setopt(easy, CURLOPT_NOPROXY, "*"); /* else looked up for each request */
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

static pp_status parse_url(const char *url, const char *shown, CURLU **ret_parsed, pp_error *err)
{
    CURLU *parsed = curl_url();
    CURLUcode code = CURLUE_OUT_OF_MEMORY;

    if (parsed != NULL)
        code = curl_url_set(parsed, CURLUPART_URL, url, CURLU_NON_SUPPORT_SCHEME);
    if (code == CURLUE_OK &&
        (strncasecmp(url, "http://", 7) == 0 || strncasecmp(url, "https://", 8) == 0)) {
        *ret_parsed = parsed;
        return PP_OK;
    }
    curl_url_cleanup(parsed);
    return pp_fail(err, PP_ERR_USAGE, "'%s' is no URL of http:// or https://%s%s", shown,
                   code == CURLUE_OK ? "" : ": ", code == CURLUE_OK ? "" : curl_url_strerror(code));
}

void pp_http_target_release(pp_http_target *target)
{
    if (target == NULL || --target->user_count > 0)
        return;
    curl_url_cleanup(target->parsed);
    free(target);
}

static pp_status new_target(const char *url, pp_http_target **ret_target, pp_error *err)
{
    size_t size = strlen(url) + 1;
    char safe_url[256];
    CURLU *parsed = NULL;
    pp_http_target *target;
    pp_status st;

    pp_http_safe_url(url, safe_url, sizeof safe_url);
    st = parse_url(url, safe_url, &parsed, err);
    if (st != PP_OK)
        return st;
    target = malloc(sizeof *target + size);
    if (target == NULL) {
        curl_url_cleanup(parsed);
        return pp_fail(err, PP_ERR_MEMORY, "out of memory for a request to '%s'", safe_url);
    }
    *target = (pp_http_target){
        .user_count = 1, .parsed = parsed, .is_tls = strncasecmp(url, "https://", 8) == 0};
    memcpy(target->url, url, size);
    *ret_target = target;
    return PP_OK;
}

/* The loop's target is that of this URL afterwards. */
static pp_status find_target(pp_http_loop *loop, const char *url, pp_error *err)
{
    pp_http_target *target = NULL;
    pp_status st;

    if (loop->target != NULL && strcmp(loop->target->url, url) == 0)
        return PP_OK;
    st = new_target(url, &target, err);
    if (st != PP_OK)
        return st;
    pp_http_target_release(loop->target);
    loop->target = target;
    return PP_OK;
}

/* Parsed here, once: libcurl would parse a text again for each request. */
static pp_status set_url(pp_http_transfer *t, const char *url, pp_error *err)
{
    pp_http_loop *loop = t->loop;
    pp_status st;

    if (t->target != NULL && strcmp(t->target->url, url) == 0)
        return PP_OK;
    st = find_target(loop, url, err);
    if (st != PP_OK)
        return st;
    (void)curl_easy_setopt(t->easy, CURLOPT_CURLU, loop->target->parsed);
    pp_http_target_release(t->target);
    t->target = loop->target;
    t->target->user_count++;
    return PP_OK;
}

pp_status pp_http_transfer_prepare(pp_http_transfer *t, const pp_http_request *request,
                                   pp_error *err)
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
    pp_http_set_callbacks(t);
    *ret_transfer = t;
    return PP_OK;
}

pp_status pp_http_transfer_take(pp_http_loop *loop, pp_http_transfer **ret_transfer, pp_error *err)
{
    pp_http_transfer *t = loop->idle_transfers;

    if (t == NULL)
        return new_transfer(loop, ret_transfer, err);
    loop->idle_transfers = t->next;
    t->data_ns = 0;
    t->read_serial = t->raw_serial = 0;
    t->segment = 0;
    t->refused = t->checked = t->body_full = t->is_chunked = false;
    t->is_paused = t->resume_due = false;
    t->paused_ns = 0;
    t->relayed_bytes = 0;
    t->head_bytes = 0;
    t->in_head = false;
    t->curl_text[0] = '\0';
    *ret_transfer = t;
    return PP_OK;
}

void pp_http_transfer_put_aside(pp_http_transfer *t)
{
    t->record = NULL;
    t->handlers = (pp_http_handlers){0};
    t->next = t->loop->idle_transfers;
    t->loop->idle_transfers = t;
}

void pp_http_transfer_free(pp_http_transfer *t)
{
    if (t->easy != NULL)
        curl_easy_cleanup(t->easy);
    pp_http_headers_release(t->headers);
    pp_http_target_release(t->target);
    t->loop->handle_count--;
    free(t);
}
