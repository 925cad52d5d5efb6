/* An accepted trace is in order, and each entry has exactly one kind of prompt. */
#include <stdint.h>

#include "load/trace.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    pp_arena arena = {0};
    pp_trace trace = {0};
    pp_error err = {0};
    pp_status st = pp_trace_parse(&arena, "input", (pp_bytes){data, size}, 2, &trace, &err);

    PP_ASSERT(st == PP_OK ? trace.count > 0 : err.text[0] != '\0');
    for (size_t i = 0; i < trace.count; i++) {
        const pp_trace_entry *entry = &trace.entries[i];

        PP_ASSERT(entry->due_ns >= 0 && (i == 0 || entry->due_ns >= trace.entries[i - 1].due_ns));
        PP_ASSERT(entry->prompt_tokens.known != (entry->prompt.data != NULL));
        PP_ASSERT(!entry->prompt_tokens.known || entry->prompt_tokens.value >= 1);
    }
    pp_arena_done(&arena);
    return 0;
}
