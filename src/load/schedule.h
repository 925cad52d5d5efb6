/* schedule.h - when the requests of an open loop are due. Pure: a function of the level alone.
 *
 * A process of unit rate is drawn from the stream "arrivals" of the level (its seed and number) and
 * stretched by the rate: gap number i has the mean 1 and is constant, exponential or gamma
 * distributed. While the rate rises linearly from 0 over the ramp, R t^2 / (2 T) requests are due
 * up to the instant t, afterwards R (t - T / 2); each instant is the inverse of that, so a drawn
 * gap is wide where the rate is low. Instants are absolute and never a sum of rounded gaps (F78,
 * B060). docs/method/load-requests.md says more. */
#ifndef PP_LOAD_SCHEDULE_H
#define PP_LOAD_SCHEDULE_H

#include "base/arena.h"
#include "model/load_level.h"

/* 80 MB of instants: 10,000 requests a second for a quarter of an hour. */
#define PP_SCHEDULE_MAX_REQUESTS 10000000

/**
 * Due instants of the measured requests of an open level.
 *
 * ret_due_ns   nanoseconds from the start of the measured part, ascending (equal ones are
 * possible), in `arena`; constant arrivals begin at 0, drawn ones with the first gap ret_count as
 * many as request_count says and as begin before duration_ns, whichever is fewer; may be 0 where
 * the duration is shorter than the first drawn gap
 *
 * Fails with PP_ERR_RANGE for a level that is not open, a rate or shape that is not above 0 and
 * finite, neither count nor duration, or instants beyond 64 bits; PP_ERR_LIMIT for more requests
 * than the ceiling; PP_ERR_MEMORY.
 */
PP_MUST_CHECK pp_status pp_schedule_draw(pp_arena *arena, const pp_load_level *level,
                                         int64_t **ret_due_ns, size_t *ret_count, pp_error *err);

#endif
