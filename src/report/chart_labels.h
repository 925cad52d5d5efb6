/* chart_labels.h - inside report/ only: where direct labels stand so that none covers another.
 *
 * Geometry only, additions and comparisons: the same chart on every machine. Both ways are bounded,
 * whatever a document holds. */
#ifndef PP_REPORT_CHART_LABELS_H
#define PP_REPORT_CHART_LABELS_H

#include "report/chart_frame.h"

#define PP_LABELS_MAX       24
#define PP_LABEL_CHAR_WIDTH 6.6 /* of 12 px system fonts, on the safe side */

typedef struct pp_spot { /* the middle of a mark */
    double x, y;
} pp_spot;

typedef struct pp_labels {
    pp_chart_box area;    /* no label leaves it */
    const pp_spot *spots; /* marks that no label may cover, but for its own */
    size_t spot_count;
    pp_chart_box taken[PP_LABELS_MAX];
    size_t taken_count;
} pp_labels;

typedef struct pp_label_place {
    double x, y; /* of the text's anchor and base line */
    const char *anchor;
} pp_label_place;

/**
 * Beside, above or below its mark, the first of twelve places that is free; it is taken then. False
 * when none is, or PP_LABELS_MAX labels stand already: the table beside the chart has the name.
 */
bool pp_labels_place(pp_labels *labels, size_t spot, size_t chars, pp_label_place *ret_place);

/**
 * Move heights apart so that neighbours are at least `gap` from each other, inside low to high, in
 * the order that they have (equal ones: by index). Where they do not fit, the gap becomes smaller.
 * Heights that are far enough from each other and inside stay. count is at most PP_LABELS_MAX.
 */
void pp_labels_spread(double *heights, size_t count, double gap, double low, double high);

#endif
