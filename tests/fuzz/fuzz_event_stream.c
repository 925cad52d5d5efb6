/* Events do not depend on where the bytes are cut. */
#include <stdint.h>
#include <string.h>

#include "base/event_stream.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static pp_status note(void *user, const pp_event *event, pp_error *err)
{
    pp_buf *seen = user;

    (void)err;
    pp_buf_printf(seen, "%d,%zu,%llu:", event->from_extra, event->data.size,
                  (unsigned long long)event->end_offset);
    pp_buf_append(seen, event->data.data, event->data.size);
    pp_buf_append(seen, event->name.data, event->name.size);
    return PP_OK;
}

static void decode(const uint8_t *data, size_t size, size_t step, pp_buf *seen)
{
    pp_event_stream stream;
    pp_error err = {0};
    pp_status st = PP_OK;

    pp_event_stream_init(&stream, "error", 4096);
    for (size_t at = 0; at < size && st == PP_OK; at += step) {
        size_t n = step < size - at ? step : size - at;

        st = pp_event_stream_feed(&stream, data + at, n, note, seen, &err);
    }
    if (st == PP_OK)
        st = pp_event_stream_finish(&stream, note, seen, &err);
    PP_ASSERT(st == PP_OK || err.text[0] != '\0');
    pp_buf_printf(seen, "=%d %llu %llu %llu", (int)st, (unsigned long long)stream.event_count,
                  (unsigned long long)stream.comment_count, (unsigned long long)stream.empty_count);
    pp_event_stream_done(&stream);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const size_t steps[] = {1, 2, 7, 4096};
    pp_buf whole, cut;

    pp_buf_init(&whole, (size_t)64 << 20);
    decode(data, size, size + 1, &whole);
    for (size_t i = 0; i < PP_COUNT_OF(steps); i++) {
        pp_buf_init(&cut, (size_t)64 << 20);
        decode(data, size, steps[i], &cut);
        PP_ASSERT(cut.size == whole.size && memcmp(cut.data, whole.data, cut.size) == 0);
        pp_buf_done(&cut);
    }
    pp_buf_done(&whole);
    return 0;
}
