/* page_sections.h - inside report/ only: the page between its head and its end, which both forms of
 * the report are made from. */
#ifndef PP_REPORT_PAGE_SECTIONS_H
#define PP_REPORT_PAGE_SECTIONS_H

#include "report/view.h"

/** Header, every section in its order, footer: the elements of the body. */
PP_MUST_CHECK pp_status pp_page_put_body(pp_arena *arena, const pp_report_input *input, pp_buf *out,
                                         pp_error *err);

#endif
