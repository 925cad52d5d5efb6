/* lines.h - inside load/ only: files of JSON Lines, a line at a time. */
#ifndef PP_LOAD_LINES_H
#define PP_LOAD_LINES_H

#include "model/document_kinds.h"

typedef struct pp_line_reader {
    const char *name; /* of the file, for messages */
    const char *at, *end;
    size_t number; /* of the line that was read last, from 1 */
} pp_line_reader;

/** A byte order mark in front is skipped. */
void pp_lines_init(pp_line_reader *lines, const char *name, pp_bytes bytes);

/** The next line, split at LF only, without it; false behind the last. Borrowed. */
bool pp_lines_next(pp_line_reader *lines, pp_text *ret_line);

/** How many lines there are from here on. */
size_t pp_lines_count(const pp_line_reader *lines);

/** Parse this line and check it as one of this kind. The value lives in `arena`. */
PP_MUST_CHECK pp_status pp_line_parse(pp_arena *arena, pp_text line, const char *kind,
                                      const pp_json **ret_root, pp_error *err);

/** Put "name: line 7" in front of a failure. */
pp_status pp_lines_wrap(const pp_line_reader *lines, pp_status st, pp_error *err);

#endif
