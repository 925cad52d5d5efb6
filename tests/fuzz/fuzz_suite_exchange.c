/* Lines that are accepted are written back, accepted again and written alike; refusals explain
 * themselves. */
#include <stdint.h>
#include <string.h>

#include "model/suite_exchange.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static pp_status write_all(const pp_suite_exchange *exchanges, size_t count, pp_buf *lines,
                           pp_error *err)
{
    pp_status st = PP_OK;

    pp_buf_init(lines, (size_t)256 << 20);
    for (size_t i = 0; st == PP_OK && i < count; i++)
        st = pp_suite_exchange_write(&exchanges[i], lines, err);
    return st;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    pp_arena arena = {0};
    pp_suite_exchange *exchanges = NULL;
    size_t count = 0;
    pp_error err = {0};
    pp_buf first;
    pp_buf second;

    if (pp_suite_exchanges_parse(&arena, "input", (pp_bytes){data, size}, &exchanges, &count,
                                 &err) != PP_OK) {
        PP_ASSERT(err.text[0] != '\0');
        pp_arena_done(&arena);
        return 0;
    }
    if (write_all(exchanges, count, &first, &err) == PP_OK) {
        pp_bytes bytes = {(const unsigned char *)pp_buf_text(&first), first.size};
        pp_status st = pp_suite_exchanges_parse(&arena, "again", bytes, &exchanges, &count, &err);

        PP_ASSERT(st == PP_OK);
        st = write_all(exchanges, count, &second, &err);
        PP_ASSERT(st == PP_OK && second.size == first.size);
        PP_ASSERT(memcmp(pp_buf_text(&first), pp_buf_text(&second), first.size) == 0);
        pp_buf_done(&second);
    }
    pp_buf_done(&first);
    pp_arena_done(&arena);
    return 0;
}
