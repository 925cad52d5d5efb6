/* service.h - how long the simulated server takes, as declared.
 *
 * Pure arithmetic on integer nanoseconds, so that tests can compute what a client must see. A
 * request that gets its slot at S, with P prompt tokens to process:
 *
 *     first token at   S + P * prefill
 *     step k (k > 1)   one token time, times a jitter of mean 1, after step k - 1
 *
 * A step gives one token, with speculation one more for each accepted draft token. Instants are
 * sums of declared times, never of what a timer really did: lateness does not add up. */
#ifndef PP_SIM_SERVICE_H
#define PP_SIM_SERVICE_H

#include <stdint.h>

#include "base/error.h"

typedef enum pp_sim_jitter {
    PP_SIM_JITTER_NONE,
    PP_SIM_JITTER_UNIFORM,     /* 1 - p to 1 + p */
    PP_SIM_JITTER_NORMAL,      /* deviation p, cut at 0 */
    PP_SIM_JITTER_EXPONENTIAL, /* mean 1 */
    PP_SIM_JITTER_LOGNORMAL    /* sigma p of the logarithm, mean 1 */
} pp_sim_jitter;

/* A time in which the server does nothing at all; work goes on behind it. */
typedef struct pp_sim_stall {
    int64_t at_ns; /* from the arrival of the first request for an answer */
    int64_t for_ns;
} pp_sim_stall;

#define PP_SIM_STALL_MAX 16

typedef struct pp_sim_service {
    int64_t prefill_ns; /* each prompt token that is not cached */
    int64_t token_ns;   /* each step */
    pp_sim_jitter jitter;
    double jitter_value;
    uint64_t seed;
    double acceptance;                     /* chance of each draft token, 0 to 1 */
    int64_t draft_tokens;                  /* of a step; 0: no speculation */
    pp_sim_stall stalls[PP_SIM_STALL_MAX]; /* ascending, apart */
    size_t stall_count;
} pp_sim_service;

/** "none", "uniform:0.2", "normal:0.1", "exponential", "lognormal:0.5". PP_ERR_USAGE. */
PP_MUST_CHECK pp_status pp_sim_jitter_parse(const char *text, pp_sim_service *service,
                                            pp_error *err);

/** "0.7" or "0.7/4": chance, and draft tokens of a step (3). PP_ERR_USAGE. */
PP_MUST_CHECK pp_status pp_sim_speculation_parse(const char *text, pp_sim_service *service,
                                                 pp_error *err);

/** "10s:2s": at, for; must come behind the stalls so far. PP_ERR_USAGE. */
PP_MUST_CHECK pp_status pp_sim_stall_parse(const char *text, pp_sim_service *service,
                                           pp_error *err);

/** Time for `prompt_count` tokens. */
int64_t pp_sim_prefill_ns(const pp_sim_service *service, int64_t prompt_count);

/** Time of step `step` (from 2: the first token ends the prefill) of request number `request`. */
int64_t pp_sim_step_ns(const pp_sim_service *service, uint64_t request, int64_t step);

/** How many of the draft tokens of a step are accepted: the first so many in a row. */
int64_t pp_sim_accepted(const pp_sim_service *service, double acceptance, uint64_t request,
                        int64_t step);

/**
 * When work of `work_ns` that may begin at `from_ns` is done, the stalls in between left out.
 *
 * zero_ns   the instant that the stalls count from
 */
int64_t pp_sim_done_at_ns(const pp_sim_service *service, int64_t zero_ns, int64_t from_ns,
                          int64_t work_ns);

#endif
