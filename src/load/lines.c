#include "load/lines.h"

#include <string.h>

void pp_lines_init(pp_line_reader *lines, const char *name, pp_bytes bytes)
{
    size_t mark = bytes.size >= 3 && memcmp(bytes.data, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;

    lines->name = name;
    lines->at = bytes.size > 0 ? (const char *)bytes.data + mark : "";
    lines->end = lines->at + (bytes.size - mark);
    lines->number = 0;
}

bool pp_lines_next(pp_line_reader *lines, pp_text *ret_line)
{
    const char *line_end;

    if (lines->at == lines->end)
        return false;
    line_end = memchr(lines->at, '\n', (size_t)(lines->end - lines->at));
    if (line_end == NULL)
        line_end = lines->end;
    *ret_line = (pp_text){lines->at, (size_t)(line_end - lines->at)};
    lines->at = line_end < lines->end ? line_end + 1 : lines->end;
    lines->number++;
    return true;
}

size_t pp_lines_count(const pp_line_reader *lines)
{
    pp_line_reader ahead = *lines;
    pp_text line;
    size_t count = 0;

    while (pp_lines_next(&ahead, &line))
        count++;
    return count;
}

pp_status pp_line_parse(pp_arena *arena, pp_text line, const char *kind, const pp_json **ret_root,
                        pp_error *err)
{
    pp_status st;

    if (pp_text_is_blank(line))
        return pp_fail(err, PP_ERR_SCHEMA, "expected an object, got a blank line");
    st = pp_json_parse(arena, "JSON", line.data, line.size, ret_root, err);
    return st == PP_OK ? pp_document_check(pp_document_kind_find(kind), *ret_root, err) : st;
}

pp_status pp_lines_wrap(const pp_line_reader *lines, pp_status st, pp_error *err)
{
    return pp_wrap(err, st, "%s: line %zu", lines->name, lines->number);
}
