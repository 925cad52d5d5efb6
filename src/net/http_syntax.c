#include "net/http_syntax.h"

#include <stdint.h>
#include <string.h>

#include "net/http_request.h"

/* One bit for each byte, in words of 32: the head of every request passes through these. */
typedef uint32_t byte_set[8];

/* letters, digits, and !#$%&'*+-.^_`|~ */
static const byte_set token_chars = {0x00000000, 0x03ff6cfa, 0xc7fffffe, 0x57ffffff,
                                     0x00000000, 0x00000000, 0x00000000, 0x00000000};
/* tab, blank, visible, and everything above 0x7f */
static const byte_set value_chars = {0x00000200, 0xffffffff, 0xffffffff, 0x7fffffff,
                                     0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff};
/* letters, digits, and -._~:/?[]@!$&'()*+,;=% */
static const byte_set target_chars = {0x00000000, 0xaffffff2, 0xafffffff, 0x47fffffe,
                                      0x00000000, 0x00000000, 0x00000000, 0x00000000};

static bool is_in(const byte_set set, unsigned char c)
{
    return (set[c >> 5] >> (c & 31) & 1) != 0;
}

bool pp_http_is_token_char(unsigned char c)
{
    return is_in(token_chars, c);
}

bool pp_http_is_value_char(unsigned char c)
{
    return is_in(value_chars, c);
}

bool pp_http_is_target_char(unsigned char c)
{
    return is_in(target_chars, c);
}

int pp_http_hex_value(unsigned char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

bool pp_http_is_token(pp_text text)
{
    for (size_t i = 0; i < text.size; i++) {
        if (!pp_http_is_token_char((unsigned char)text.data[i]))
            return false;
    }
    return text.size > 0;
}

bool pp_http_is_value(pp_text text)
{
    for (size_t i = 0; i < text.size; i++) {
        if (!pp_http_is_value_char((unsigned char)text.data[i]))
            return false;
    }
    return true;
}

/* Most are asked about many names and begin differently; the bit of 32 is the case of a letter. */
bool pp_http_name_is(pp_text text, const char *name)
{
    if (text.size == 0 || (text.data[0] | 32) != (name[0] | 32))
        return text.size == 0 && name[0] == '\0';
    return pp_text_equal_ascii_case(text, pp_text_of(name));
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

pp_text pp_http_without_blanks(pp_text text)
{
    while (text.size > 0 && is_blank(text.data[0])) {
        text.data++;
        text.size--;
    }
    while (text.size > 0 && is_blank(text.data[text.size - 1]))
        text.size--;
    return text;
}

bool pp_http_list_has(pp_text list, const char *token)
{
    while (list.size > 0) {
        const char *comma = memchr(list.data, ',', list.size);
        size_t size = comma == NULL ? list.size : (size_t)(comma - list.data);

        if (pp_http_name_is(pp_http_without_blanks((pp_text){list.data, size}), token))
            return true;
        if (comma == NULL)
            break;
        list.data += size + 1;
        list.size -= size + 1;
    }
    return false;
}

pp_text pp_http_header_find(const pp_http_header *headers, size_t n_headers, const char *name)
{
    for (size_t i = 0; i < n_headers; i++) {
        if (pp_http_name_is(headers[i].name, name))
            return headers[i].value;
    }
    return (pp_text){0};
}

const char *pp_http_reason(int status)
{
    static const struct {
        int status;
        const char *reason;
    } rows[] = {
        {200, "OK"},
        {201, "Created"},
        {202, "Accepted"},
        {204, "No Content"},
        {206, "Partial Content"},
        {301, "Moved Permanently"},
        {302, "Found"},
        {303, "See Other"},
        {304, "Not Modified"},
        {307, "Temporary Redirect"},
        {308, "Permanent Redirect"},
        {400, "Bad Request"},
        {401, "Unauthorized"},
        {403, "Forbidden"},
        {404, "Not Found"},
        {405, "Method Not Allowed"},
        {406, "Not Acceptable"},
        {408, "Request Timeout"},
        {409, "Conflict"},
        {411, "Length Required"},
        {413, "Content Too Large"},
        {414, "URI Too Long"},
        {415, "Unsupported Media Type"},
        {417, "Expectation Failed"},
        {422, "Unprocessable Content"},
        {429, "Too Many Requests"},
        {431, "Request Header Fields Too Large"},
        {499, "Client Closed Request"},
        {500, "Internal Server Error"},
        {501, "Not Implemented"},
        {502, "Bad Gateway"},
        {503, "Service Unavailable"},
        {504, "Gateway Timeout"},
        {505, "HTTP Version Not Supported"},
    };

    for (size_t i = 0; i < PP_COUNT_OF(rows); i++) {
        if (rows[i].status == status)
            return rows[i].reason;
    }
    return "Status";
}
