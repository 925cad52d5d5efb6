/* chart_scatter.h - inside report/ only: the parts of the scatter, one file each. */
#ifndef PP_REPORT_CHART_SCATTER_H
#define PP_REPORT_CHART_SCATTER_H

#include "report/chart_frame.h"

#define PP_SCATTER_LEFT   84.0
#define PP_SCATTER_RIGHT  776.0
#define PP_SCATTER_TOP    52.0
#define PP_SCATTER_BOTTOM 400.0

typedef struct pp_scatter_point {
    size_t candidate;
    double value_x, value_y; /* in the metrics' units */
    double x, y;             /* in the chart */
} pp_scatter_point;

typedef struct pp_scatter {
    const pp_view *v;
    pp_goal goal_x, goal_y;
    pp_scatter_point *points;
    size_t count;
    pp_scale scale_x, scale_y;
} pp_scatter;

bool pp_scatter_max_limit(const pp_view *v, pp_text metric, double *ret);
/** Quality has a floor; other metrics may have a minimum. The higher of two counts. */
bool pp_scatter_min_limit(const pp_view *v, pp_text metric, double *ret);

/** Limits, cutoff and frontier: what the points stand on. */
void pp_scatter_put_ground(const pp_scatter *s);

/** Marks and direct labels. */
void pp_scatter_put_points(const pp_scatter *s);

/** Selected, baseline, best and nearest outside: drawn on top, and labelled first. */
bool pp_scatter_is_notable(const pp_scatter *s, size_t candidate);

#endif
