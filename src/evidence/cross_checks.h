/* cross_checks.h - does what the server says of a request fit what the client saw of it? */
#ifndef PP_EVIDENCE_CROSS_CHECKS_H
#define PP_EVIDENCE_CROSS_CHECKS_H

#include "model/sample.h"

/* How much longer than the client waited a server may say that it worked. */
#define PP_CROSS_CHECK_TOLERANCE_MS 5.0
#define PP_CROSS_CHECK_TEXT_MAX     320

typedef struct pp_cross_checks {
    int64_t checked;                     /* comparisons for which both sides are known */
    int64_t contradicted;                /* those that cannot both be true */
    const char *where;                   /* put before sentences; NULL: nothing is */
    char first[PP_CROSS_CHECK_TEXT_MAX]; /* the first of them, as a sentence; "" without one */
} pp_cross_checks;

/** Compare prompt time, generation time, both together, and tokens of one request that did not
 * fail. */
void pp_cross_checks_add_sample(pp_cross_checks *checks, const pp_sample *sample);

/**
 * The same for the measured requests of one level of a load; and, by Little's law, whether the
 * server can have been busy on as many at once as its times say.
 *
 * where   "load, level 2"; borrowed for the call
 * slots   as the server says; not known: that one is left out
 */
void pp_cross_checks_add_level(pp_cross_checks *checks, const char *where, const pp_sample *samples,
                               size_t count, pp_maybe_int slots);

/** Add those of another pass. */
void pp_cross_checks_append(pp_cross_checks *to, const pp_cross_checks *from);

#endif
