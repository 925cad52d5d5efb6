/* chart_marks.h - inside report/ only: what charts draw alike. */
#ifndef PP_REPORT_CHART_MARKS_H
#define PP_REPORT_CHART_MARKS_H

#include "report/chart_scale.h"
#include "report/view.h"

/** The mark of a candidate by its standing: shapes differ, not only colours. The baseline has a
 * square around it. */
void pp_mark_candidate(const pp_view *v, size_t candidate, double x, double y);

/** Mark of the n-th series of a line chart. Shape, dash pattern and colour; no two of the first
 * PP_MARK_SERIES_COUNT agree in shape and dash. */
#define PP_MARK_SERIES_COUNT 36
void pp_mark_series(const pp_view *v, size_t n, double x, double y);

/** Number of the class that gives a series its dash pattern and colour: "s0" of a line, "f0" of a
 * mark, to "s5" and "f5". */
size_t pp_mark_series_class(size_t n);

/** What the shapes mean, drawn as a row at height y. */
void pp_mark_legend(const pp_view *v, double x, double y);

void pp_mark_line(const pp_view *v, const char *line_class, double x1, double y1, double x2,
                  double y2);

/** <text ...> with escaped content, cut at max_chars; anchor "start", "middle" or "end". */
void pp_mark_text(const pp_view *v, const char *text_class, const char *anchor, double x, double y,
                  pp_text text, size_t max_chars);

/** "Generation speed, tok/s" */
pp_text pp_mark_axis_title(const pp_view *v, pp_text metric);

#endif
