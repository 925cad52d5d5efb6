/* chart_frame.h - inside report/ only: what every chart has: a figure with a caption, an image with
 * title and description, and axes. */
#ifndef PP_REPORT_CHART_FRAME_H
#define PP_REPORT_CHART_FRAME_H

#include "report/chart_marks.h"

typedef struct pp_chart_box { /* in the user units of the SVG */
    double left, top, right, bottom;
} pp_chart_box;

/* Texts may come from documents; they are escaped. */
typedef struct pp_chart_words {
    const char *id; /* of this chart in the page; ours */
    pp_text title;  /* what a screen reader says first */
    pp_text desc;   /* what the image shows, and where its values stand */
} pp_chart_words;

/** The image in a scroll region that a keyboard can reach; 800 units wide. */
void pp_chart_open(const pp_view *v, const pp_chart_words *words, double height);
void pp_chart_close(const pp_view *v);

/** Grid lines, tick labels and a title below the area. */
void pp_chart_axis_x(const pp_view *v, const pp_chart_box *area, const pp_scale *scale,
                     pp_text title);
/** The same at its left. */
void pp_chart_axis_y(const pp_view *v, const pp_chart_box *area, const pp_scale *scale,
                     pp_text title);
/** The two lines where the axes meet. */
void pp_chart_corner(const pp_view *v, const pp_chart_box *area);

/** Room that a name takes in bold, cut at max_chars, on the safe side. */
double pp_chart_name_width(pp_text name, size_t max_chars);

/** A candidate where little room is: its label when that has at most max_chars, else its id, else
 * the label cut with an ellipsis. NULL when memory is short. */
const char *pp_chart_short_name(const pp_view *v, size_t candidate, size_t max_chars);

#endif
