/* saturation.h - where a closed-loop sweep stops gaining, under three rules side by side.
 *
 * The rules answer different questions and often differ; a reader sees how far the answer depends
 * on the rule. docs/method/saturation.md. Arithmetic only. */
#ifndef PP_CAPACITY_SATURATION_H
#define PP_CAPACITY_SATURATION_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/maybe.h"

#define PP_SATURATION_GAIN_PERCENT    10.0
#define PP_SATURATION_NEAR_PERCENT    5.0
#define PP_SATURATION_KNEE_MIN_LEVELS 4
#define PP_SATURATION_CONFIDENCE      0.95

typedef struct pp_saturation_point {
    double clients; /* >= 1 */
    double rate;    /* of requests or of tokens per second, > 0 */
} pp_saturation_point;

typedef enum pp_knee_state {
    PP_KNEE_KNOWN,
    PP_KNEE_TOO_FEW_LEVELS, /* fewer than four */
    PP_KNEE_NO_MAXIMUM,     /* the fitted curve has none: it rises all the way */
    PP_KNEE_OUTSIDE,        /* its maximum is outside the levels that were measured */
    PP_KNEE_NOT_STABLE      /* without one of the levels there would be no maximum */
} pp_knee_state;

/** "known", "too-few-levels", "no-maximum", "outside-levels", "not-stable". */
const char *pp_knee_state_name(pp_knee_state state);

/* X(N) = N lambda / (1 + sigma (N - 1) + kappa N (N - 1)), the universal scalability law of
 * N. Gunther; its maximum is at sqrt((1 - sigma) / kappa). */
typedef struct pp_scalability {
    bool fitted;                 /* three levels or more, and a curve of positive rates */
    double lambda, sigma, kappa; /* rate of one client alone, contention, coherence */
    double error_percent_max;    /* largest deviation of a level from the curve */
    pp_knee_state state;
    double knee_clients, knee_low, knee_high; /* only when known */
} pp_scalability;

typedef struct pp_saturation {
    pp_maybe_int gain_level; /* index of the first level that gains less than 10 % over the one
                                before; absent when every one gains more */
    pp_maybe_int near_level; /* index of the first level within 5 % of the highest rate */
    size_t peak_level;       /* index of the highest rate, the first of equals */
    pp_scalability curve;
} pp_saturation;

/**
 * n >= 1 levels, strictly ascending in clients.
 *
 * The curve is fitted by least squares to N / X(N), which is linear in its coefficients, each level
 * weighted so that relative deviations of the rate count alike. The interval is the delete-one
 * jackknife of the knee's logarithm with Student's t, 95 %.
 * Fails with PP_ERR_RANGE when a level is not as stated.
 */
PP_MUST_CHECK pp_status pp_saturation_of(const pp_saturation_point *points, size_t n,
                                         pp_saturation *ret_saturation, pp_error *err);

#endif
