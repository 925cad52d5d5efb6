/* A part that is read gives, written again, one without any difference. */
#include <stdint.h>

#include "quality/agreement.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_again(pp_arena *arena, const pp_agreement *a)
{
    pp_text *differences = NULL;
    const pp_json *root = NULL;
    size_t count = 0;
    pp_error err = {0};
    pp_buf text;
    pp_status st;

    pp_buf_init(&text, (size_t)64 << 20);
    st = pp_json_write(pp_agreement_to_json(arena, a), PP_JSON_COMPACT, &text, &err);
    PP_ASSERT(st == PP_OK);
    st = pp_json_parse(arena, "again", text.data, text.size, &root, &err);
    PP_ASSERT(st == PP_OK);
    st = pp_agreement_again(arena, root, &differences, &count, &err);
    PP_ASSERT(st == PP_OK && count == 0);
    pp_buf_done(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    pp_arena arena = {0};
    const pp_json *root = NULL;
    pp_agreement a;
    pp_error err = {0};
    pp_status st = pp_json_parse(&arena, "part", (const char *)data, size, &root, &err);

    if (st == PP_OK)
        st = pp_agreement_decode(&arena, root, &a, &err);
    if (st == PP_OK)
        check_again(&arena, &a);
    else
        PP_ASSERT(err.text[0] != '\0');
    pp_arena_done(&arena);
    return 0;
}
