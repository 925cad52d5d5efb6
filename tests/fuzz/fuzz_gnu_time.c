/* What is read is a peak that stands in the text; a refusal says why. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "intake/gnu_time.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;
    pp_gnu_time time = {0};
    pp_error err = {0};
    char peak[32];

    if (pp_gnu_time_parse(text, size, &time, &err) != PP_OK) {
        PP_ASSERT(err.text[0] != '\0');
        return 0;
    }
    PP_ASSERT(pp_gnu_time_is(text, size));
    PP_ASSERT(time.peak_rss_kib > 0 && time.exit_status >= 0);
    PP_ASSERT(!time.signal.known || (time.signal.value > 0 && time.exit_status == 0));
    (void)snprintf(peak, sizeof peak, "%lld\n", (long long)time.peak_rss_kib);
    PP_ASSERT(memmem(text, size, peak, strlen(peak)) != NULL);
    return 0;
}
