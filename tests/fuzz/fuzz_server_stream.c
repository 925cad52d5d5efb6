/* Any body gives a sample, and any sample a line that the strict reader takes back. */
#include <stdint.h>
#include <string.h>

#include "intake/server_stream.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_round_trip(pp_arena *arena, const pp_sample *sample)
{
    pp_sample *back = NULL;
    size_t count = 0;
    pp_error err = {0};
    pp_buf line;
    pp_status st;

    pp_buf_init(&line, PP_SAMPLE_LINE_MAX_BYTES);
    st = pp_sample_write(sample, &line, &err);
    PP_ASSERT(st == PP_OK);
    st = pp_samples_parse(arena, "line", (pp_bytes){(unsigned char *)line.data, line.size}, &back,
                          &count, &err);
    PP_ASSERT(st == PP_OK && count == 1);
    pp_buf_done(&line);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    pp_arena arena = {0};
    pp_sample sample;
    pp_error err = {0};
    pp_arrival arrivals[] = {{0, size / 2, 10, 1, true}, {size / 2, size - size / 2, 20, 1, false}};
    pp_exchange x = {
        .id = {.pass = 1, .index = 1, .candidate = pp_text_of("c"), .prompt_id = pp_text_of("p")},
        .asked_tokens = 4,
        .ended_ns = 30,
        .http_status = {true, 200},
        .body = {data, size},
        .arrivals = arrivals,
        .arrival_count = 2,
    };
    pp_status st;

    memset(x.id.request_sha256, '0', PP_SHA256_HEX_SIZE - 1);
    st = pp_sample_of_exchange(&arena, &x, &sample, &err);
    PP_ASSERT(st == PP_OK);
    check_round_trip(&arena, &sample);
    pp_arena_done(&arena);
    return 0;
}
