/* progress.h - how long work shows itself on standard error.
 *
 * On a terminal one line is redrawn with a bar, elapsed and estimated time; elsewhere each finished
 * part is a line of its own, so that a log stays readable. */
#ifndef PP_CLI_PROGRESS_H
#define PP_CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct pp_progress_view {
    FILE *out;
    bool quiet;
    bool terminal;  /* redraw in place */
    bool open_line; /* a line without its end stands on the terminal */
} pp_progress_view;

typedef struct pp_progress_state {
    uint64_t done, total;
    int64_t elapsed_ns;
    int64_t remaining_ns; /* -1: unknown */
    const char *group;    /* "throughput" */
    const char *what;     /* "q4, pass 1 of 2" */
    const char *note;     /* what came out; NULL while the part runs */
} pp_progress_state;

/** A view on standard error; NO_COLOR and TERM=dumb make it a plain log. */
void pp_progress_init(pp_progress_view *view, bool quiet);

void pp_progress_show(pp_progress_view *view, const pp_progress_state *state);

/** End an open line, so that other output starts on its own. */
void pp_progress_end(pp_progress_view *view);

/** "0:07", "12:34", "1:02:03" for a duration in nanoseconds. */
const char *pp_progress_time(int64_t ns, char out[24]);

#endif
