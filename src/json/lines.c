#include "json/lines.h"

#include <string.h>

void pp_lines_init(pp_line_reader *lines, const char *name, pp_bytes bytes)
{
    lines->name = name;
    lines->at = bytes.size > 0 ? (const char *)bytes.data : "";
    lines->end = lines->at + bytes.size;
    lines->number = 0;
}

void pp_lines_skip_mark(pp_line_reader *lines)
{
    if (pp_json_has_mark(lines->at, (size_t)(lines->end - lines->at)))
        lines->at += 3;
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

pp_status pp_lines_parse(pp_arena *arena, const pp_line_reader *lines, pp_text line,
                         const pp_json **ret_root, pp_error *err)
{
    const char *place = pp_arena_printf(arena, "%s line %zu", lines->name, lines->number);
    pp_status st = pp_arena_check(arena, err);

    return st == PP_OK ? pp_json_parse(arena, place, line.data, line.size, ret_root, err) : st;
}
