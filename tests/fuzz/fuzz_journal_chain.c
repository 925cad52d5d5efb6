/* A journal that holds does not hold without its first line, nor with its first two exchanged. */
#include <stdint.h>
#include <string.h>

#include "base/buffer.h"
#include "evidence/journal_chain.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool holds(const char *bytes, size_t size)
{
    pp_journal_chain chain;
    pp_error err = {0};
    pp_status st = pp_journal_chain_check(bytes, size, &chain, &err);

    PP_ASSERT(st == PP_OK || err.text[0] != '\0');
    PP_ASSERT(st != PP_OK || chain.line_count > 0);
    return st == PP_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;
    const char *second, *third;
    pp_buf moved;

    if (!holds(text, size))
        return 0;
    second = (const char *)memchr(text, '\n', size) + 1;
    if (second == text + size)
        return 0;
    PP_ASSERT(!holds(second, size - (size_t)(second - text)));
    third = (const char *)memchr(second, '\n', size - (size_t)(second - text)) + 1;
    pp_buf_init(&moved, size);
    pp_buf_append(&moved, second, (size_t)(third - second));
    pp_buf_append(&moved, text, (size_t)(second - text));
    pp_buf_append(&moved, third, size - (size_t)(third - text));
    PP_ASSERT(!holds(moved.data, moved.size));
    pp_buf_done(&moved);
    return 0;
}
