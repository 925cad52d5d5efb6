#include <stdio.h>

#include "engine/gguf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    pp_arena arena = {0};
    pp_error err = {0};
    pp_gguf gguf;
    pp_buf text;
    /* fmemopen only reads in this mode, and refuses a size of 0 */
    FILE *stream = size == 0 ? NULL : fmemopen((void *)(uintptr_t)data, size, "rb");

    if (stream == NULL)
        return 0;
    pp_buf_init(&text, (size_t)64 << 20);
    if (pp_gguf_read(&arena, stream, "input", (int64_t)size, &gguf, &err) == PP_OK) {
        PP_ASSERT(gguf.streamed_bytes_per_token != PP_GGUF_ABSENT ||
                  gguf.streamed_bytes_note != NULL);
        PP_ASSERT(gguf.streamed_bytes_per_token <= (int64_t)size);
        PP_ASSERT(pp_json_write(pp_gguf_to_json(&arena, &gguf), PP_JSON_ASCII, &text, &err) ==
                  PP_OK);
    } else {
        PP_ASSERT(err.text[0] != '\0'); /* a refusal always explains itself */
    }
    (void)fclose(stream);
    pp_buf_done(&text);
    pp_arena_done(&arena);
    return 0;
}
