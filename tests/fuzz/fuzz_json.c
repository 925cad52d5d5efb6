/* The short way of reading takes nothing that Jansson refuses, and both make the same of it. Behind
 * so many blanks a document is too large for the short way, and means the same. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "json/plain.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void write_value(const pp_json *value, pp_buf *out)
{
    pp_error err = {0};
    pp_status st;

    pp_buf_init(out, (size_t)64 << 20);
    st = pp_json_write(value, PP_JSON_COMPACT, out, &err);
    PP_ASSERT(st == PP_OK);
}

static void check_same(const pp_json *plain, const pp_json *slow)
{
    pp_buf a, b;

    PP_ASSERT(pp_json_equal(plain, slow));
    write_value(plain, &a);
    write_value(slow, &b);
    PP_ASSERT(a.size == b.size && memcmp(pp_buf_text(&a), pp_buf_text(&b), a.size) == 0);
    pp_buf_done(&a);
    pp_buf_done(&b);
}

static void check_against_the_long_way(pp_arena *arena, const pp_json *plain, const uint8_t *data,
                                       size_t size)
{
    char *padded = malloc(size + PP_JSON_PLAIN_MAX_BYTES + 1);
    const pp_json *slow = NULL;
    pp_error err = {0};
    pp_status st;

    if (padded == NULL)
        return;
    if (size > 0)
        memcpy(padded, data, size);
    memset(padded + size, ' ', PP_JSON_PLAIN_MAX_BYTES + 1);
    st = pp_json_parse(arena, "long", padded, size + PP_JSON_PLAIN_MAX_BYTES + 1, &slow, &err);
    PP_ASSERT(plain == NULL || st == PP_OK);
    if (plain != NULL)
        check_same(plain, slow);
    if (st != PP_OK)
        PP_ASSERT(err.text[0] != '\0'); /* a refusal always explains itself */
    free(padded);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    pp_arena arena = {0};

    if (size <= PP_JSON_PLAIN_MAX_BYTES)
        check_against_the_long_way(&arena, pp_json_read_plain(&arena, (const char *)data, size),
                                   data, size);
    pp_arena_done(&arena);
    return 0;
}
