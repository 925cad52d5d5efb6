/* markdown.h - the one place where foreign text becomes Markdown, and the few shapes a receipt has.
 *
 * What comes from a document cannot start a heading, a link, a list, a table cell or a tag, cannot
 * break a line, and cannot drive the terminal that shows the file. */
#ifndef PP_REPORT_MARKDOWN_H
#define PP_REPORT_MARKDOWN_H

#include "base/buffer.h"
#include "base/text.h"

/** Stands for a figure that the document does not have; never a zero. */
#define PP_NOT_MEASURED "not measured"
/** The same for a text. */
#define PP_NOT_RECORDED "not recorded"

/**
 * Append valid UTF-8: runs of white space as one blank and none at the ends, control characters as
 * \u001b, & < > as entities, and a backslash before \ ` * _ [ ] { } ( ) # + - . ! | and ~. A text
 * of nothing but white space reads "(blank)".
 */
void pp_markdown_text(pp_arena *arena, pp_buf *out, pp_text text);

/**
 * The same for text that is mostly ours: only what would mean something where it stands gets a
 * backslash, so that figures stay readable in the source. Addresses do not become links. Nothing
 * for an empty text.
 */
void pp_markdown_prose(pp_arena *arena, pp_buf *out, pp_text text);

/** "# Title" and a blank line; level 1 to 6. The title is ours. */
void pp_markdown_heading(pp_buf *out, int level, const char *title);

/** The two lines above the rows of a table; `columns` are ours, NULL at the end. */
void pp_markdown_columns(pp_buf *out, const char *const *columns);

/** One row of cells that are Markdown already; NULL at the end. */
void pp_markdown_row(pp_buf *out, const char *const *cells);

#endif
