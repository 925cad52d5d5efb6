#include <stdint.h>
#include <string.h>

#include "report/receipt.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A line each, no control character, and nothing cut off at the end. */
static bool is_a_page(const pp_buf *page)
{
    for (size_t i = 0; i < page->size; i++) {
        unsigned char c = (unsigned char)page->data[i];

        if (c == 0x7f || (c < 0x20 && c != '\n'))
            return false;
    }
    return page->size > 2 && page->data[page->size - 1] == '\n' &&
           pp_utf8_is_valid(page->data, page->size);
}

/* A passport of a stranger becomes a page or is refused with a word; a refusal leaves no page. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    pp_arena arena = {0};
    pp_error err = {0};
    const pp_json *root;
    pp_buf page;

    pp_buf_init(&page, PP_RECEIPT_MAX_BYTES);
    if (pp_json_parse(&arena, "fuzz", (const char *)data, size, &root, &err) == PP_OK &&
        pp_receipt_write(root, &page, &err) == PP_OK)
        PP_ASSERT(is_a_page(&page));
    else
        PP_ASSERT(err.text[0] != '\0' && (err.status == PP_ERR_LIMIT || page.size == 0));
    pp_buf_done(&page);
    pp_arena_done(&arena);
    return 0;
}
