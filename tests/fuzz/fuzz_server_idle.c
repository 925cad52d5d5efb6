#include <stdint.h>

#include "load/server_idle.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The same bytes as /slots and as /metrics; they cannot be both. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    pp_arena arena = {0};
    const char *text = pp_arena_dup(&arena, (const char *)data, size);
    pp_maybe_bool slots = pp_server_idle_by_slots(&arena, (pp_text){(const char *)data, size});

    if (text != NULL)
        PP_ASSERT(!pp_server_idle_by_gauges(text).known || !slots.known);
    pp_arena_done(&arena);
    return 0;
}
