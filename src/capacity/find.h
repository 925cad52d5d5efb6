/* find.h - which load to try next, and what the tried ones say: for --find-rate and --find-clients.
 *
 * A pure function of the probes so far, so that a verifier can ask it again. The answer is a pair,
 * the highest load that passed and the lowest that failed, with what stayed undecided between them;
 * never one number. */
#ifndef PP_CAPACITY_FIND_H
#define PP_CAPACITY_FIND_H

#include "capacity/slo.h"

typedef struct pp_find_options {
    double first;            /* the first probe */
    double min, max;         /* nothing outside is tried */
    double factor;           /* steps of the search for a bracket; > 1 */
    double resolution_ratio; /* done when the lowest fail is at most this many times the highest
                                pass; > 1 */
    int64_t probe_count_max; /* >= 1 */
    bool whole;              /* clients: whole numbers */
} pp_find_options;

#define PP_FIND_PROBES_MAX 64

/** first 1, 1/1024 to 1,048,576 (clients: 1 to 65,536), factor 2, resolution 1.1, 20 probes. */
pp_find_options pp_find_options_default(bool whole);

/** Fails with PP_ERR_USAGE naming what is out of range. */
PP_MUST_CHECK pp_status pp_find_options_check(const pp_find_options *options, pp_error *err);

typedef struct pp_find_probe {
    double load; /* requests per second, or clients */
    pp_slo_verdict verdict;
} pp_find_probe;

typedef enum pp_find_end {
    PP_FIND_GOES_ON,
    PP_FIND_RESOLVED,  /* pass and fail are as near as asked */
    PP_FIND_UNDECIDED, /* what is left between them is undecided: more requests each would help */
    PP_FIND_NEVER_FAILED, /* max passed, or nothing below it is left */
    PP_FIND_NEVER_PASSED,
    PP_FIND_PROBES_SPENT
} pp_find_end;

/** "goes-on", "resolved", "undecided", "never-failed", "never-passed", "probes-spent". */
const char *pp_find_end_name(pp_find_end end);

typedef struct pp_find_answer {
    pp_find_end end;
    double next;                /* the load to try, only when it goes on */
    pp_maybe_real highest_pass; /* below the lowest fail */
    pp_maybe_real lowest_fail;
    bool is_contradictory; /* a load above the lowest fail passed: the server changed, or chance */
    double undecided[PP_FIND_PROBES_MAX]; /* ascending; each once */
    size_t undecided_count;
} pp_find_answer;

/**
 * What n probes say. The same load twice counts with its last verdict. Options must have been
 * checked; n at most PP_FIND_PROBES_MAX.
 */
pp_find_answer pp_find_next(const pp_find_options *options, const pp_find_probe *probes, size_t n);

#endif
