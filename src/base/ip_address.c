#include "base/ip_address.h"

#include <stdint.h>
#include <string.h>

/* "0" to "255" without a leading zero, up to `end`; -1 when it is none. */
static int octet(const char **at, const char *end)
{
    const char *p = *at;
    int value = 0;

    while (p < end && p - *at < 3 && *p >= '0' && *p <= '9')
        value = 10 * value + (*p++ - '0');
    if (p == *at || value > 255 || (p - *at > 1 && **at == '0'))
        return -1;
    *at = p;
    return value;
}

static bool parse_v4(const char *at, const char *end, unsigned char out[4])
{
    for (int i = 0; i < 4; i++) {
        int value;

        if (i > 0 && (at == end || *at++ != '.'))
            return false;
        value = octet(&at, end);
        if (value < 0)
            return false;
        out[i] = (unsigned char)value;
    }
    return at == end;
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* One to four hexadecimal digits; -1 when there are none, or more. */
static int group(const char **at, const char *end)
{
    const char *p = *at;
    int value = 0;

    while (p < end && hex_digit(*p) >= 0 && p - *at < 5)
        value = 16 * value + hex_digit(*p++);
    if (p == *at || p - *at > 4)
        return -1;
    *at = p;
    return value;
}

/* What has been read of an IPv6 address: groups, and where "::" stood among them. */
typedef struct v6_groups {
    unsigned char bytes[16];
    size_t size;
    size_t gap; /* SIZE_MAX: none */
} v6_groups;

/* An IPv4 address may stand for the last two groups. */
static bool take_v4_tail(v6_groups *g, const char *at, const char *end)
{
    if (g->size > 12 || !parse_v4(at, end, g->bytes + g->size))
        return false;
    g->size += 4;
    return true;
}

static bool take_group(v6_groups *g, const char **at, const char *end)
{
    int value = group(at, end);

    if (value < 0 || g->size == 16)
        return false;
    g->bytes[g->size++] = (unsigned char)(value >> 8);
    g->bytes[g->size++] = (unsigned char)value;
    return true;
}

/* "::" at `at`: at the most once. */
static bool take_gap(v6_groups *g, const char **at, const char *end)
{
    if (end - *at < 2 || (*at)[0] != ':' || (*at)[1] != ':' || g->gap != SIZE_MAX)
        return false;
    g->gap = g->size;
    *at += 2;
    return true;
}

static bool take_groups(v6_groups *g, const char *at, const char *end)
{
    if (at < end && *at == ':' && !take_gap(g, &at, end))
        return false;
    while (at < end) {
        if (memchr(at, ':', (size_t)(end - at)) == NULL && memchr(at, '.', (size_t)(end - at)))
            return take_v4_tail(g, at, end);
        if (!take_group(g, &at, end))
            return false;
        if (at == end)
            return true;
        if (*at != ':')
            return false;
        if (end - at >= 2 && at[1] == ':') {
            if (!take_gap(g, &at, end))
                return false;
        } else if (++at == end) {
            return false;
        }
    }
    return true;
}

static bool parse_v6(const char *at, const char *end, unsigned char out[16])
{
    v6_groups g = {.gap = SIZE_MAX};
    size_t tail;

    if (!take_groups(&g, at, end))
        return false;
    if (g.gap == SIZE_MAX ? g.size != 16 : g.size == 16)
        return false; /* "::" stands for one group at the least */
    memset(out, 0, 16);
    tail = g.gap == SIZE_MAX ? 0 : g.size - g.gap;
    memcpy(out, g.bytes, g.size - tail);
    memcpy(out + 16 - tail, g.bytes + g.size - tail, tail);
    return true;
}

bool pp_ip_address_parse(pp_text text, pp_ip_address *ret_address)
{
    pp_ip_address address = {0};
    const char *end = text.data + text.size;

    if (text.size == 0)
        return false;
    address.is_v4 = memchr(text.data, ':', text.size) == NULL;
    if (!(address.is_v4 ? parse_v4(text.data, end, address.bytes)
                        : parse_v6(text.data, end, address.bytes)))
        return false;
    *ret_address = address;
    return true;
}

bool pp_ip_address_is_loopback(const pp_ip_address *address)
{
    static const unsigned char one[16] = {[15] = 1};
    static const unsigned char mapped[12] = {[10] = 0xff, [11] = 0xff};

    if (address->is_v4)
        return address->bytes[0] == 127;
    return memcmp(address->bytes, one, 16) == 0 ||
           (memcmp(address->bytes, mapped, 12) == 0 && address->bytes[12] == 127);
}
