/* slots.h - N slots, and those who wait for one, first come first served.
 *
 * No clock: whoever gives a slot back names the instant, and the next in line starts at exactly
 * that instant. Jobs are members of the caller's structs. */
#ifndef PP_SIM_SLOTS_H
#define PP_SIM_SLOTS_H

#include <stdint.h>

#include "base/error.h"

typedef enum pp_sim_place {
    PP_SIM_PLACE_NONE, /* neither waits nor runs: also a zeroed job */
    PP_SIM_PLACE_QUEUE,
    PP_SIM_PLACE_SLOT
} pp_sim_place;

typedef struct pp_sim_job {
    struct pp_sim_job *before, *behind; /* in the queue */
    pp_sim_place place;
    int64_t slot;     /* from 0; only in a slot */
    int64_t start_ns; /* since when it has its slot */
} pp_sim_job;

typedef struct pp_sim_slots {
    pp_sim_job **jobs; /* by slot; NULL: free */
    int64_t *free;     /* stack of the free ones */
    int64_t free_count;
    int64_t count;
    int64_t queue_max;
    int64_t queue_count;
    pp_sim_job *first, *last;
} pp_sim_slots;

/** Fails with PP_ERR_MEMORY. */
PP_MUST_CHECK pp_status pp_sim_slots_init(pp_sim_slots *slots, int64_t count, int64_t queue_max,
                                          pp_error *err);
void pp_sim_slots_done(pp_sim_slots *slots);

/** A slot at once, else a place in the queue; PP_SIM_PLACE_NONE when that is full. */
pp_sim_place pp_sim_slots_enter(pp_sim_slots *slots, pp_sim_job *job, int64_t now_ns);

/** The job leaves its slot at `at_ns`, or the queue. Returns the one that has the slot from that
 * instant, NULL when none waited. Nothing happens for one that is nowhere. */
pp_sim_job *pp_sim_slots_leave(pp_sim_slots *slots, pp_sim_job *job, int64_t at_ns);

/** How many slots are taken. */
int64_t pp_sim_slots_busy(const pp_sim_slots *slots);

#endif
