/* load_samples.h - from the record of each request, as our client keeps it, to the samples of a
 * load evaluation.
 *
 * Pure. The original's document has no place for some of what a pp_sample knows, so a request that
 * it could not describe as completed becomes a failed one that says why; none is dropped. */
#ifndef PP_CAPACITY_LOAD_SAMPLES_H
#define PP_CAPACITY_LOAD_SAMPLES_H

#include "capacity/load_evaluate.h"
#include "model/sample.h"

/**
 * One request. It is completed when it succeeded and the server counted exactly `output_tokens`.
 *
 * clock_start_ns   what the monotonic clock showed when sample->started_ns was 0; >= 0. Any origin
 *                  will do as long as it is one for all samples of a level.
 *
 * Latency is to the end of the reply, as the original has it, not to the last text; at least 1 ns,
 * because the document knows no shorter one. The text of a failure begins as the original's do:
 * "HTTP 503: ..." for a status, "network error: reset: ..." for the connection; "stream error: ..."
 * for a reply that the original would have ended the whole load for.
 * Fails with PP_ERR_DOMAIN when an instant is before 0 or beyond 64 bits, PP_ERR_MEMORY.
 */
PP_MUST_CHECK pp_status pp_load_sample_of(pp_arena *arena, const pp_sample *sample,
                                          int64_t output_tokens, int64_t clock_start_ns,
                                          pp_load_sample *ret_sample, pp_error *err);

/**
 * One level: its warm-up and its measured requests, in any order, by their phase and index.
 * peak_rss_mib stays unknown. Fails with PP_ERR_DOMAIN when an index is missing or there twice, or
 * when a request asked for another number of tokens than the plan.
 */
PP_MUST_CHECK pp_status pp_measured_level_of(pp_arena *arena, const pp_load_plan *plan,
                                             int64_t concurrency, const pp_sample *samples,
                                             size_t count, int64_t clock_start_ns,
                                             pp_measured_level *ret_level, pp_error *err);

#endif
