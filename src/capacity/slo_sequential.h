/* slo_sequential.h - a demand on a percentile judged by looking after each request (Wald's test).
 *
 * Requests are taken in the order in which they were issued, and none is judged before those in
 * front of it have ended: in the order of their ends quick requests would come first, slow ones be
 * cut, and a slow server would pass. So the answer does not depend on who looks when, and a report
 * gives it again. Never combined with the rule for a fixed number of requests. */
#ifndef PP_CAPACITY_SLO_SEQUENTIAL_H
#define PP_CAPACITY_SLO_SEQUENTIAL_H

#include "capacity/slo.h"
#include "stats/sprt.h"

/* Both errors of the test, and how much smaller than the share that is too many the good one is. */
#define PP_SLO_SEQUENTIAL_ERROR      0.05
#define PP_SLO_SEQUENTIAL_GOOD_SHARE 0.2

/** The test of a percentile: bad is 1 - p, good a fifth of it. */
pp_sprt pp_slo_sequential_test(const pp_slo *slo);

/* The requests of a level while they end, in any order. */
typedef struct pp_slo_watch {
    const pp_slo *slos[PP_SLO_MAX]; /* those on a percentile */
    size_t slo_count;
    bool from_due;
    int64_t request_count;
    unsigned char *sights; /* request_count of each demand; 0: it has not ended */
    int64_t next;          /* the first that has not ended, from 0 */
    struct {
        int64_t counted, violation_count;
        pp_sprt_answer answer;
    } stand[PP_SLO_MAX];
} pp_slo_watch;

/** Of a level of at most request_count requests; the memory is in the arena. Fails with
 * PP_ERR_MEMORY. */
PP_MUST_CHECK pp_status pp_slo_watch_init(pp_arena *arena, const pp_slo *slos, size_t slo_count,
                                          bool from_due, int64_t request_count,
                                          pp_slo_watch *ret_watch, pp_error *err);

/** A measured request has ended. True when a demand is rejected or all are accepted. */
bool pp_slo_watch_add(pp_slo_watch *watch, const pp_sample *sample);

/**
 * Judge a demand on a percentile by the measured requests of a level in the order of their issue,
 * up to the one that decided. Counts of the result are those at the decision, pass_error and
 * fail_error the stated errors. A request that was cut before it was over the limit ends the
 * sequence, for nobody knows what it would have said. The test is for independent requests: where
 * neighbours resemble each other nothing is decided.
 *
 * Fails with PP_ERR_MEMORY only.
 */
PP_MUST_CHECK pp_status pp_slo_judge_sequential(const pp_slo *slo, const pp_sample *const *samples,
                                                size_t n, size_t opening_count, bool from_due,
                                                pp_slo_result *ret_result, pp_error *err);

#endif
