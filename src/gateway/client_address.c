#include "gateway/client_address.h"

#include <string.h>

#include "net/http_syntax.h"

bool pp_client_ip_parse(pp_text text, pp_ip_address *ret_address)
{
    static const unsigned char mapped[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
    const char *zone = text.size == 0 ? NULL : memchr(text.data, '%', text.size);
    pp_ip_address a;

    if (zone != NULL)
        text.size = (size_t)(zone - text.data);
    if (!pp_ip_address_parse(text, &a))
        return false;
    if (!a.is_v4 && memcmp(a.bytes, mapped, sizeof mapped) == 0) {
        memmove(a.bytes, a.bytes + 12, 4);
        memset(a.bytes + 4, 0, 12);
        a.is_v4 = true;
    }
    *ret_address = a;
    return true;
}

static bool same(const pp_ip_address *a, const pp_ip_address *b)
{
    return a->is_v4 == b->is_v4 && memcmp(a->bytes, b->bytes, a->is_v4 ? 4 : 16) == 0;
}

bool pp_is_trusted_proxy(pp_text peer, const pp_text *trusted, size_t trusted_count)
{
    pp_ip_address a, b;

    if (!pp_client_ip_parse(peer, &a))
        return false;
    for (size_t i = 0; i < trusted_count; i++)
        if (pp_client_ip_parse(trusted[i], &b) && same(&a, &b))
            return true;
    return false;
}

static pp_text cut(pp_text text, size_t from, size_t to)
{
    return (pp_text){text.data + from, to - from};
}

/* "[v6]" or "[v6]:port" without what is around it. */
static pp_text inside_brackets(pp_text text)
{
    const char *end = memchr(text.data, ']', text.size);

    return end == NULL ? (pp_text){"", 0} : cut(text, 1, (size_t)(end - text.data));
}

/* The address in one element, if it is one: 192.0.2.1, 192.0.2.1:80, 2001:db8::1, [2001:db8::1]:80,
 * any of them in quotes. */
static bool find_address(pp_text element, pp_text *ret_text)
{
    pp_text text = pp_http_without_blanks(element);
    pp_ip_address ignored;
    const char *colon;

    if (text.size >= 2 && text.data[0] == '"' && text.data[text.size - 1] == '"')
        text = cut(text, 1, text.size - 1);
    if (text.size > 0 && text.data[0] == '[') {
        text = inside_brackets(text);
    } else if (text.size > 0) {
        colon = memchr(text.data, ':', text.size);
        if (colon != NULL && memchr(text.data, '.', (size_t)(colon - text.data)) != NULL)
            text.size = (size_t)(colon - text.data); /* only IPv4 has a dot in front of a colon */
    }
    *ret_text = text;
    return pp_ip_address_parse(text, &ignored);
}

/* Takes elements off a list from its right end. */
static pp_text take_last(pp_text *list)
{
    size_t at = list->size;
    pp_text last;

    while (at > 0 && list->data[at - 1] != ',')
        at--;
    last = cut(*list, at, list->size);
    list->size = at > 0 ? at - 1 : 0;
    return last;
}

pp_text pp_client_address(const pp_http_header *headers, size_t n_headers, pp_text peer,
                          const pp_text *trusted, size_t trusted_count)
{
    pp_text client = peer;
    int hops = 0;

    for (size_t i = n_headers; i > 0; i--) {
        pp_text list = headers[i - 1].value;

        if (!pp_http_name_is(headers[i - 1].name, "X-Forwarded-For"))
            continue;
        while (list.size > 0) {
            pp_text said;

            if (!pp_is_trusted_proxy(client, trusted, trusted_count) ||
                hops++ == PP_FORWARDED_HOPS_MAX || !find_address(take_last(&list), &said))
                return client;
            client = said;
        }
    }
    return client;
}
