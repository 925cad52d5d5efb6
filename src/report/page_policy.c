#include "report/page_policy.h"

#include "digest/sha256.h"

static unsigned digit_of(char hex)
{
    return (unsigned)(hex <= '9' ? hex - '0' : hex - 'a' + 10);
}

/* Bits of a hexadecimal digest, six at a time; 256 bits end in four left over and one '='. */
static void append_base64(const char *hex, pp_buf *out)
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    unsigned held = 0;
    unsigned bits = 0;

    for (; *hex != '\0'; hex++) {
        held = held << 4 | digit_of(*hex);
        bits += 4;
        if (bits < 6)
            continue;
        bits -= 6;
        pp_buf_append_char(out, letters[held >> bits & 63]);
    }
    pp_buf_append_char(out, letters[held << (6 - bits) & 63]);
    pp_buf_append_char(out, '=');
}

pp_status pp_page_policy(const char *style, size_t size, pp_buf *out, pp_error *err)
{
    char sha256[PP_SHA256_HEX_SIZE];
    pp_status st = pp_sha256_of(style, size, sha256, err);

    if (st != PP_OK)
        return st;
    pp_buf_append_text(out, "default-src 'none'; style-src 'sha256-");
    append_base64(sha256, out);
    pp_buf_append_text(out, "'; base-uri 'none'; form-action 'none'");
    return PP_OK;
}
