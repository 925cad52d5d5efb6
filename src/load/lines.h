/* lines.h - inside load/ only: lines of the files that a user gives. */
#ifndef PP_LOAD_LINES_H
#define PP_LOAD_LINES_H

#include "model/document_kinds.h"
#include "json/lines.h"

/** Parse this line and check it as one of this kind. The value lives in `arena`. */
PP_MUST_CHECK pp_status pp_line_parse(pp_arena *arena, pp_text line, const char *kind,
                                      const pp_json **ret_root, pp_error *err);

/** Put "name: line 7" in front of a failure. */
pp_status pp_lines_wrap(const pp_line_reader *lines, pp_status st, pp_error *err);

#endif
