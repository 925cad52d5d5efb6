#include "capacity/server_url.h"

#include <string.h>
#include <strings.h>

#define DIGITS "0123456789"
#define NAME   "abcdefghijklmnopqrstuvwxyz" DIGITS "._-"

typedef struct address {
    const char *scheme; /* "http" or "https" */
    const char *host;   /* lower case, without brackets */
    bool has_brackets;
    int64_t port;
} address;

static pp_status fail_form(pp_text url, const char *why, pp_error *err)
{
    return pp_fail(err, PP_ERR_DOMAIN, "address \"%.200s\": %s", url.data, why);
}

static char *lower(pp_arena *arena, const char *text, size_t size)
{
    char *out = pp_arena_dup(arena, text, size);

    for (size_t i = 0; out != NULL && i < size; i++) {
        if (out[i] >= 'A' && out[i] <= 'Z')
            out[i] = (char)(out[i] - 'A' + 'a');
    }
    return out;
}

/* ---- parts ------------------------------------------------------------------------------------
 */

static const char *parse_scheme(const char *at, address *out)
{
    if (strncasecmp(at, "http://", 7) == 0) {
        out->scheme = "http";
        return at + 7;
    }
    if (strncasecmp(at, "https://", 8) == 0) {
        out->scheme = "https";
        return at + 8;
    }
    return NULL;
}

/* The text behind the host, which must be the colon of a port; NULL when there is no host. */
static const char *parse_host(pp_arena *arena, const char *at, address *out)
{
    size_t size;

    out->has_brackets = *at == '[';
    if (out->has_brackets) {
        size = strspn(at + 1, DIGITS "abcdefABCDEF:.");
        if (at[size + 1] != ']' || memchr(at + 1, ':', size) == NULL)
            return NULL;
        out->host = lower(arena, at + 1, size);
        return at + size + 2;
    }
    size = strcspn(at, ":/?#@[]");
    out->host = lower(arena, at, size);
    if (size == 0 || out->host == NULL || strspn(out->host, NAME) != size)
        return NULL;
    return at + size;
}

static const char *parse_port(const char *at, address *out)
{
    if (*at != ':' || strspn(at + 1, DIGITS) == 0)
        return NULL;
    out->port = 0;
    for (at++; *at >= '0' && *at <= '9'; at++) {
        out->port = out->port * 10 + (*at - '0');
        if (out->port > 65535)
            return NULL;
    }
    return out->port == 0 ? NULL : at;
}

static pp_status parse(pp_arena *arena, pp_text url, address *out, pp_error *err)
{
    const char *at;

    if (pp_text_is_blank(url))
        return fail_form(url, "blank", err);
    if (strlen(url.data) != url.size)
        return fail_form(url, "holds a NUL", err);
    at = parse_scheme(url.data, out);
    if (at == NULL)
        return fail_form(url, "expected http://HOST:PORT or https://HOST:PORT", err);
    at = parse_host(arena, at, out);
    if (arena->failed)
        return pp_arena_check(arena, err);
    if (at == NULL)
        return fail_form(url, "expected a host name or an address, and no user", err);
    at = parse_port(at, out);
    if (at == NULL)
        return fail_form(url, "expected a port of 1 to 65535 behind the host", err);
    if (*at == '/')
        at++;
    if (*at != '\0')
        return fail_form(url, "expected nothing behind the port", err);
    return pp_arena_check(arena, err);
}

/* ---- reaching a server ------------------------------------------------------------------------
 */

static bool is_one_of(const char *host, const char *const *hosts, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(host, hosts[i]) == 0)
            return true;
    }
    return false;
}

static bool reaches(const char *host, const char *server_host)
{
    /* the last two listen on every address, so these come after those that are asked */
    static const char *const loopback[] = {"127.0.0.1", "localhost", "::1", "0.0.0.0", "::"};

    return strcmp(host, server_host) == 0 ||
           (is_one_of(host, loopback, 3) && is_one_of(server_host, loopback, 5));
}

pp_status pp_server_url_normalise(pp_arena *arena, pp_text url, const pp_server_side *server,
                                  pp_text *ret_url, pp_error *err)
{
    address a = {0};
    const char *server_host = lower(arena, server->host.data, server->host.size);
    const char *text;
    pp_status st = pp_arena_check(arena, err);

    if (st == PP_OK)
        st = parse(arena, url, &a, err);
    if (st != PP_OK)
        return st;
    if (a.port != server->port)
        return pp_fail(err, PP_ERR_DOMAIN, "address \"%.200s\": expected the server's port %lld",
                       url.data, (long long)server->port);
    if (!reaches(a.host, server_host))
        return pp_fail(err, PP_ERR_DOMAIN,
                       "address \"%.200s\": its host does not reach a server that listens on "
                       "\"%.80s\"",
                       url.data, server->host.data);
    text = pp_arena_printf(arena, a.has_brackets ? "%s://[%s]:%lld" : "%s://%s:%lld", a.scheme,
                           a.host, (long long)a.port);
    st = pp_arena_check(arena, err);
    if (st == PP_OK)
        *ret_url = pp_text_of(text);
    return st;
}
