#include "json/hex.h"

pp_json *pp_json_new_hex(pp_arena *arena, pp_bytes bytes)
{
    static const char digits[] = "0123456789abcdef";
    char *out = PP_ARENA_NEW(arena, char, 2 * bytes.size + 1);

    if (out == NULL)
        return NULL;
    for (size_t i = 0; i < bytes.size; i++) {
        out[2 * i] = digits[bytes.data[i] >> 4];
        out[2 * i + 1] = digits[bytes.data[i] & 15];
    }
    return pp_json_new_text(arena, (pp_text){out, 2 * bytes.size});
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

pp_status pp_json_get_hex(pp_arena *arena, const pp_json *value, pp_bytes *ret_bytes, pp_error *err)
{
    size_t size = value->text.size / 2;
    unsigned char *bytes = PP_ARENA_NEW(arena, unsigned char, size + 1);

    if (bytes == NULL)
        return pp_arena_check(arena, err);
    if (value->text.size % 2 != 0)
        return pp_json_fail(value, err,
                            "expected two digits for each byte, an even number, got %zu",
                            value->text.size);
    for (size_t i = 0; i < size; i++) {
        int high = hex_digit(value->text.data[2 * i]);
        int low = hex_digit(value->text.data[2 * i + 1]);

        if (high < 0 || low < 0)
            return pp_json_fail(value, err,
                                "expected lower-case hexadecimal digits, got others at byte %zu",
                                2 * i);
        bytes[i] = (unsigned char)(high << 4 | low);
    }
    *ret_bytes = (pp_bytes){bytes, size};
    return PP_OK;
}
