/* chart_lines.h - inside report/ only: series of values over a few levels, as lines with their
 * names at the end, and the same rows as a table. */
#ifndef PP_REPORT_CHART_LINES_H
#define PP_REPORT_CHART_LINES_H

#include "base/maybe.h"
#include "report/chart_frame.h"

/* Lines beyond that cannot be told apart; the table has them all. */
#define PP_LINES_MAX_DRAWN 12

typedef struct pp_line_point {
    double x;
    pp_maybe_real y; /* not known: a gap, "not measured" in the table */
} pp_line_point;

typedef struct pp_line {
    pp_text name;
    const pp_line_point *points; /* by x, ascending */
    size_t point_count;
} pp_line;

typedef struct pp_lines {
    const char *id;      /* of the chart in the page */
    const char *title;   /* "Requests per second", ours */
    const char *unit;    /* " ms", "" */
    const char *x_title; /* "Simultaneous clients" */
    const pp_line *lines;
    size_t line_count;
    pp_maybe_real limit; /* a line across, "limit" */
} pp_lines;

/** Figure and table; or a sentence when nothing can be drawn. Values count from zero. */
PP_MUST_CHECK pp_status pp_chart_lines(const pp_view *v, const pp_lines *lines, pp_error *err);

#endif
