/* level_parts.h - inside capacity/ only: the parts of a summary, one file each. */
#ifndef PP_CAPACITY_LEVEL_PARTS_H
#define PP_CAPACITY_LEVEL_PARTS_H

#include "capacity/level_summary.h"

/* What all parts read. */
typedef struct pp_level_view {
    pp_arena *arena;
    const pp_load_level *level;
    const pp_load_observed *observed;
    const pp_load_rules *rules;
    const pp_sample **issued; /* measured, by start, then index */
    size_t issued_count;
    const pp_sample **judged; /* of these, not due during the ramp */
    size_t judged_count;
    double ramp_end_ns;
    bool from_due;  /* what the demands count from: due in open loop and trace, start in closed */
    double *values; /* room for the largest list of values */
} pp_level_view;

/* level_figures.c */
void pp_level_put_figures(const pp_level_view *view, pp_level_summary *summary);

/* level_windows.c */
void pp_level_put_windows(const pp_level_view *view, pp_level_summary *summary);
void pp_level_put_little(const pp_level_view *view, pp_level_summary *summary);
void pp_level_put_rate(const pp_level_view *view, pp_level_summary *summary);

/* level_speculation.c */
void pp_level_put_speculation(const pp_level_view *view, pp_level_summary *summary);

/* level_doubts.c */
void pp_level_put_doubts(const pp_level_view *view, pp_level_summary *summary);

/* Instants of a request in nanoseconds from the start of the level. */
static inline double pp_sample_end_ns(const pp_sample *sample)
{
    return (double)sample->started_ns + (double)sample->stream_end_ns;
}

static inline double pp_sample_last_text_ns(const pp_sample *sample)
{
    return sample->e2e_ns.known ? (double)sample->started_ns + (double)sample->e2e_ns.value
                                : pp_sample_end_ns(sample);
}

#endif
