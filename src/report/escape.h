/* escape.h - the one place where foreign text becomes HTML.
 *
 * Nothing else in report/ writes a text that came from a document. The result is safe as element
 * content and inside a double-quoted attribute, of HTML and of inline SVG alike. */
#ifndef PP_REPORT_ESCAPE_H
#define PP_REPORT_ESCAPE_H

#include "base/buffer.h"
#include "base/text.h"

/**
 * Append any bytes. & < > " ' become entities; control characters, line ends, bidi controls, other
 * invisible characters and invalid UTF-8 are shown as \u202e or \xff, so that a label can neither
 * hide nor reorder what stands beside it. The slash behind a colon becomes an entity too: a page
 * then holds no address in its bytes, though it shows it.
 */
void pp_html_text(pp_buf *out, pp_text text);

/** The same for a C string; NULL gives nothing. */
void pp_html_string(pp_buf *out, const char *text);

/** As pp_html_text, but line feeds stay: for text that is laid out by us, inside <pre>. */
void pp_html_lines(pp_buf *out, pp_text text);

/** As pp_html_text, cut behind `max_chars` characters with an ellipsis: for labels in charts. */
void pp_html_cut(pp_buf *out, pp_text text, size_t max_chars);

/** Characters that pp_html_text shows for a text, for estimating widths. */
size_t pp_html_shown_chars(pp_text text);

#endif
