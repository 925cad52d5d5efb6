#include "evidence/checksum_list.h"

#include <string.h>

#include "base/text.h"
#include "evidence/checksums.h"
#include "evidence/layout.h"

#define HEX_DIGITS  (PP_SHA256_HEX_SIZE - 1)
#define PATH_OFFSET (HEX_DIGITS + 4) /* behind "  ./" */

static bool is_hex(const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        if (!((text[i] >= '0' && text[i] <= '9') || (text[i] >= 'a' && text[i] <= 'f')))
            return false;
    }
    return true;
}

static pp_status fail_line(const char *line, size_t size, pp_error *err)
{
    char shown[200];

    pp_text_escape_controls(line, size < 100 ? size : 100, shown, sizeof shown);
    return pp_fail(err, PP_ERR_SYNTAX,
                   "expected 64 hexadecimal digits, two blanks and ./path, got '%s'", shown);
}

static pp_status parse_line(pp_arena *arena, const char *line, size_t size, pp_checksum *item,
                            pp_error *err)
{
    if (size <= PATH_OFFSET || !is_hex(line, HEX_DIGITS) ||
        memcmp(line + HEX_DIGITS, "  ./", 4) != 0 ||
        !pp_bundle_is_path(line + PATH_OFFSET, size - PATH_OFFSET))
        return fail_line(line, size, err);
    memcpy(item->sha256, line, HEX_DIGITS);
    item->sha256[HEX_DIGITS] = '\0';
    item->path = pp_arena_dup(arena, line + PATH_OFFSET, size - PATH_OFFSET);
    return pp_arena_check(arena, err);
}

static size_t count_lines(const char *bytes, size_t size)
{
    size_t count = 0;

    for (size_t i = 0; i < size; i++)
        count += bytes[i] == '\n';
    return count;
}

static pp_status add_line(pp_arena *arena, const char *line, size_t size, pp_checksum_list *list,
                          pp_error *err)
{
    pp_checksum *item = &list->items[list->count];
    pp_status st = parse_line(arena, line, size, item, err);

    if (st == PP_OK && list->count > 0 && strcmp(item[-1].path, item->path) >= 0)
        return pp_fail(err, PP_ERR_SYNTAX,
                       "expected paths in increasing order of their bytes, none twice; got '%s' "
                       "behind '%s'",
                       item->path, item[-1].path);
    if (st == PP_OK && strcmp(item->path, PP_CHECKSUMS_NAME) == 0)
        return pp_fail(err, PP_ERR_SYNTAX, "the list cannot hold its own digest");
    if (st == PP_OK)
        list->count++;
    return st;
}

pp_status pp_checksum_list_parse(pp_arena *arena, const char *bytes, size_t size,
                                 pp_checksum_list *ret_list, pp_error *err)
{
    const char *at = bytes;
    const char *end = bytes + size;
    size_t capacity = count_lines(bytes, size);
    pp_checksum_list list = {0};

    if (capacity > PP_BUNDLE_MAX_FILES)
        return pp_fail(err, PP_ERR_LIMIT, "more than %d lines", PP_BUNDLE_MAX_FILES);
    list.items = PP_ARENA_NEW(arena, pp_checksum, capacity + 1);
    if (list.items == NULL)
        return pp_arena_check(arena, err);
    while (at < end) {
        const char *line_end = memchr(at, '\n', (size_t)(end - at));
        pp_status st;

        if (line_end == NULL)
            return pp_fail(err, PP_ERR_SYNTAX, "line %zu does not end: the file breaks off",
                           list.count + 1);
        st = add_line(arena, at, (size_t)(line_end - at), &list, err);
        if (st != PP_OK)
            return pp_wrap(err, st, "line %zu", list.count + 1);
        at = line_end + 1;
    }
    *ret_list = list;
    return PP_OK;
}
