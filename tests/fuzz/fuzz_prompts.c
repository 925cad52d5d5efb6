/* Whatever is accepted can be sent: each prompt makes a body that the JSON reader takes, and says
 * the same. Refusals explain themselves. */
#include <stdint.h>

#include "load/dialect.h"
#include "load/prompts.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_prompt(const pp_prompt *prompt)
{
    pp_dialect dialect = {.endpoint = PP_ENDPOINT_TEXT};
    pp_arena arena = {0};
    const pp_json *root = NULL;
    pp_error err = {0};
    pp_buf body;
    pp_status st = PP_OK;

    PP_ASSERT((prompt->text.data == NULL) != (prompt->messages.data == NULL));
    PP_ASSERT(prompt->id.size > 0);
    pp_buf_init(&body, (size_t)64 << 20);
    pp_buf_append_text(&body, "{\"p\":");
    if (prompt->text.data != NULL)
        st = pp_dialect_write_text(&dialect, prompt->text, &body, &err);
    else
        pp_buf_append(&body, prompt->messages.data, prompt->messages.size);
    pp_buf_append_char(&body, '}');
    PP_ASSERT(st == PP_OK);
    PP_ASSERT(pp_json_parse(&arena, "body", pp_buf_text(&body), body.size, &root, &err) == PP_OK);
    root = pp_json_find(root, "p");
    PP_ASSERT(prompt->text.data == NULL || pp_text_equal(root->text, prompt->text));
    pp_buf_done(&body);
    pp_arena_done(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    pp_arena arena = {0};
    pp_prompts prompts = {0};
    pp_error err = {0};
    pp_status st = pp_prompts_parse(&arena, "input", (pp_bytes){data, size}, &prompts, &err);

    PP_ASSERT(st == PP_OK ? prompts.count > 0 : err.text[0] != '\0');
    for (size_t i = 0; i < prompts.count; i++)
        check_prompt(&prompts.items[i]);
    pp_arena_done(&arena);
    return 0;
}
