/* The only file that sees libutf8proc. */
#include "base/text.h"

#include <stdlib.h>

#include <utf8proc.h>

pp_text pp_text_fold_case(pp_arena *arena, pp_text text)
{
    utf8proc_uint8_t *folded = NULL;
    utf8proc_ssize_t size = utf8proc_map((const utf8proc_uint8_t *)text.data,
                                         (utf8proc_ssize_t)text.size, &folded, UTF8PROC_CASEFOLD);
    pp_text out = {0};

    if (size >= 0)
        out = pp_text_dup(arena, (pp_text){(const char *)folded, (size_t)size});
    else
        arena->failed = true; /* valid UTF-8 leaves only the lack of memory */
    free(folded);
    return out;
}

bool pp_code_is_word(long code)
{
    utf8proc_category_t category =
        code < 0 ? UTF8PROC_CATEGORY_CN : utf8proc_category((utf8proc_int32_t)code);

    return category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_NO;
}
