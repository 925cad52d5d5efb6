#include <stdint.h>

#include "model/document_kinds.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What was accepted is accepted again after it was written and read. */
static bool survives_round_trip(pp_arena *arena, const pp_document_kind *kind, const pp_json *root)
{
    const pp_json *again;
    pp_error err = {0};
    pp_buf text;
    bool survives;

    pp_buf_init(&text, PP_JSON_MAX_BYTES);
    survives = pp_json_write(root, PP_JSON_COMPACT, &text, &err) == PP_OK &&
               pp_json_parse(arena, "again", text.data, text.size, &again, &err) == PP_OK &&
               pp_document_check(kind, again, &err) == PP_OK;
    pp_buf_done(&text);
    return survives;
}

/* Whatever it looks like, every table must be able to judge it. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    pp_arena arena = {0};
    pp_error err = {0};
    const pp_json *root;
    size_t count;
    const pp_document_kind *kinds = pp_document_kinds(&count);

    if (pp_json_parse(&arena, "fuzz", (const char *)data, size, &root, &err) != PP_OK)
        count = 0;
    for (size_t i = 0; i < count; i++) {
        pp_error why = {0};

        if (pp_document_check(&kinds[i], root, &why) != PP_OK)
            PP_ASSERT(why.text[0] != '\0');
        else
            PP_ASSERT(survives_round_trip(&arena, &kinds[i], root));
    }
    if (count > 0)
        (void)pp_document_kind_of(root);
    pp_arena_done(&arena);
    return 0;
}
