#include <stdint.h>

#include "base/error.h"
#include "net/retry_after.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The first byte is when: at the epoch, or some centuries around it. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int64_t now_unix_s = size == 0 ? 0 : ((int64_t)data[0] - 128) * 100000000;
    pp_maybe_int got;

    if (size == 0)
        return 0;
    got = pp_http_retry_after_s((pp_text){(const char *)data + 1, size - 1}, now_unix_s);
    PP_ASSERT(!got.known || got.value >= 0);
    return 0;
}
