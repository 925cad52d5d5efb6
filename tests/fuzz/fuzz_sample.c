/* Lines that are accepted are written back and accepted again; refusals explain themselves. */
#include <stdint.h>

#include "model/sample.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    pp_arena arena = {0};
    pp_sample *samples = NULL;
    size_t count = 0;
    pp_error err = {0};
    pp_buf lines;
    pp_status st =
        pp_samples_parse(&arena, "input", (pp_bytes){data, size}, &samples, &count, &err);

    pp_buf_init(&lines, (size_t)256 << 20);
    if (st != PP_OK)
        PP_ASSERT(err.text[0] != '\0');
    for (size_t i = 0; st == PP_OK && i < count; i++)
        st = pp_sample_write(&samples[i], &lines, &err);
    if (st == PP_OK && count > 0)
        st = pp_samples_parse(&arena, "again", (pp_bytes){(unsigned char *)lines.data, lines.size},
                              &samples, &count, &err);
    PP_ASSERT(st == PP_OK || lines.size == 0);
    pp_buf_done(&lines);
    pp_arena_done(&arena);
    return 0;
}
