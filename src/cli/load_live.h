/* load_live.h - a running level of load on standard error. */
#ifndef PP_CLI_LOAD_LIVE_H
#define PP_CLI_LOAD_LIVE_H

#include "cli/progress.h"
#include "load/drive.h"

typedef struct pp_load_live_view {
    pp_progress_view view;
    const pp_load_level *level;
} pp_load_live_view;

/** "4 clients", "5/s poisson", "trace". */
void pp_load_level_title(const pp_load_level *level, char *out, size_t size);

/** Of pp_load_setup.tick: redraws one line on a terminal, prints nothing elsewhere. `user` is a
 * pp_load_live_view. */
void pp_load_live_tick(void *user, const pp_load_live *now);

#endif
