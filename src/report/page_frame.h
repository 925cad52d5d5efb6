/* page_frame.h - inside report/ only: what every HTML page of ours has around its body: one style,
 * one policy, one skip link.
 *
 * The policy allows nothing but this one style, by its digest: no script, no image, no address, and
 * no style that a document might smuggle in. */
#ifndef PP_REPORT_PAGE_FRAME_H
#define PP_REPORT_PAGE_FRAME_H

#include "report/view.h"

/**
 * From the doctype to the skip link, which leads to #content.
 *
 * title   of a document; escaped
 * suffix  behind it, ours: " - ParetoPilot report"
 * more    rules of this page alone, ours; NULL: none
 */
PP_MUST_CHECK pp_status pp_frame_open(const pp_view *v, pp_text title, const char *suffix,
                                      const pp_buf *more, pp_error *err);
void pp_frame_close(const pp_view *v);

/** What stands at the end of main and of the page. */
void pp_frame_put_footer(const pp_view *v, const char *tool_version);

#endif
