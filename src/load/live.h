/* live.h - inside load/ only: how a level stands, for people who watch. */
#ifndef PP_LOAD_LIVE_H
#define PP_LOAD_LIVE_H

#include "load/worker.h"

/* What was told last, so that rates can be told next. */
typedef struct pp_live_teller {
    pp_phase phase;
    int64_t phase_ns;
    int64_t told_ns;
    int64_t ended_count;
    int64_t token_count;
} pp_live_teller;

/** A phase begins: rates and the elapsed time count from here. */
void pp_live_begin(pp_live_teller *teller, const pp_shared *shared, pp_phase phase, int64_t at_ns);

/** Look at the board and the workers now. */
void pp_live_look(pp_live_teller *teller, const pp_shared *shared, const pp_worker *workers,
                  pp_load_live *ret_live);

#endif
