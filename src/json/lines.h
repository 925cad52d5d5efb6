/* lines.h - JSON Lines, a line at a time. */
#ifndef PP_JSON_LINES_H
#define PP_JSON_LINES_H

#include "json/json.h"

typedef struct pp_line_reader {
    const char *name; /* of the file, for messages */
    const char *at, *end;
    size_t number; /* of the line that was read last, from 1 */
} pp_line_reader;

void pp_lines_init(pp_line_reader *lines, const char *name, pp_bytes bytes);

/** Skip a byte-order mark in front; for files that a person may have written. */
void pp_lines_skip_mark(pp_line_reader *lines);

/** The next line, split at LF only, without it; false behind the last. Borrowed. */
bool pp_lines_next(pp_line_reader *lines, pp_text *ret_line);

/** How many lines there are from here on. */
size_t pp_lines_count(const pp_line_reader *lines);

/** Parse the line that was read last; "name line 7" opens messages. The value lives in `arena`. */
PP_MUST_CHECK pp_status pp_lines_parse(pp_arena *arena, const pp_line_reader *lines, pp_text line,
                                       const pp_json **ret_root, pp_error *err);

#endif
