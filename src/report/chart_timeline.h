/* chart_timeline.h - inside report/ only: the runs of a study on one axis of time, with the spans
 * in which something else used the machine. */
#ifndef PP_REPORT_CHART_TIMELINE_H
#define PP_REPORT_CHART_TIMELINE_H

#include "report/chart_frame.h"

/* Of more runs the disturbed and failed ones are drawn first, then the earliest. */
#define PP_TIMELINE_MAX_ROWS 120

/* A pause between runs above that is drawn as one of this length: a study that was continued the
 * next day would otherwise show its pause alone. */
#define PP_TIMELINE_MAX_PAUSE_S 60.0

typedef struct pp_time_place { /* of a run, in seconds on the axis */
    double begin_s, end_s;
    double cut_s; /* taken out of the pause before it; 0: none */
} pp_time_place;

/** One place for each run, which are in the order of their start; runs may overlap. */
void pp_timeline_places(const pp_report_run *runs, size_t count, pp_time_place *ret_places);

/** Figure with caption and legend. */
PP_MUST_CHECK pp_status pp_chart_timeline(const pp_view *v, pp_error *err);

#endif
