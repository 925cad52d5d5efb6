/* percents.h - percentiles as people write them, in one form: 95, 99.9 (F74). */
#ifndef PP_STATS_PERCENTS_H
#define PP_STATS_PERCENTS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

#define PP_PERCENTS_MAX 16

/* Ascending, each once. */
typedef struct pp_percents {
    double values[PP_PERCENTS_MAX];
    size_t count;
} pp_percents;

/**
 * One percentile: digits, optionally a point and up to six digits; from 1 to 100, both allowed.
 * "0.95", "p95", "95%", "nan", "-1", "101" and "" are refused; `what` opens the message.
 * Fails with PP_ERR_USAGE.
 */
PP_MUST_CHECK pp_status pp_percent_parse(const char *text, const char *what, double *ret_percent,
                                         pp_error *err);

/** Several, divided by commas; the same one twice ("95,95.0") counts once. They are added to what
 * is there. Fails with PP_ERR_USAGE, also for more than PP_PERCENTS_MAX. */
PP_MUST_CHECK pp_status pp_percents_parse(const char *text, const char *what, pp_percents *percents,
                                          pp_error *err);

/** Add one in its place; false when it is full. */
bool pp_percents_add(pp_percents *percents, double percent);

#endif
