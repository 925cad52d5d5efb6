#include "load/lines.h"

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
