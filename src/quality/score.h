/* score.h - how good the answers were: score, interval, groups, flips, what n can certify.
 *
 * A case passes when it matched in EVERY pass: a case that flips is not one to rely on. Figures
 * that would mean nothing are absent and the reason stands beside them. Pure.
 * docs/method/quality-score.md. */
#ifndef PP_QUALITY_SCORE_H
#define PP_QUALITY_SCORE_H

#include "quality/results.h"
#include "stats/binomial.h"

/* Of intervals and of the statement on a floor. */
#define PP_SCORE_CONFIDENCE 0.95

typedef enum pp_score_gap {
    PP_SCORE_THERE,             /* nothing is missing */
    PP_SCORE_REQUEST_FAILED,    /* at least one request got no answer */
    PP_SCORE_SYNTHETIC_WEIGHTS, /* answers of random weights mean nothing */
    PP_SCORE_GAP_COUNT
} pp_score_gap;

/** "request-failed", "synthetic-weights"; NULL for PP_SCORE_THERE. */
const char *pp_score_gap_name(pp_score_gap gap);

/** A sentence for people; NULL for PP_SCORE_THERE. */
const char *pp_score_gap_meaning(pp_score_gap gap);

/* Cases of the suite or of one of its groups. total = passed + missed + open. */
typedef struct pp_score_part {
    pp_text group; /* empty: the whole suite */
    size_t total, passed, missed, open;
    size_t flipped;              /* of total */
    size_t failed_request_count; /* in all passes */
    pp_score_gap gap;
    pp_maybe_real score;                /* passed / total; 0 to 1 */
    pp_maybe_real lower, upper;         /* two-sided exact interval of PP_SCORE_CONFIDENCE */
    pp_maybe_real score_min, score_max; /* passed / total to (passed + open) / total, whatever the
                                           failed requests would have brought; absent for weights
                                           that mean nothing */
} pp_score_part;

typedef struct pp_score {
    pp_score_part whole;
    pp_score_part *groups; /* in the order in which the suite names them first; none when no case
                              has one */
    size_t group_count;
    size_t *passed_by_pass; /* cases that matched in this pass alone */
    size_t pass_count;
    size_t *flipped;      /* case numbers, ascending; whole.flipped of them */
    size_t changed_count; /* cases of which two passes received different texts */
} pp_score;

/** Arrays are in the arena. Fails with PP_ERR_MEMORY only. */
PP_MUST_CHECK pp_status pp_score_of(pp_arena *arena, const pp_suite_results *results,
                                    pp_origin origin, pp_score *ret_score, pp_error *err);

/* Whether the passes certify that the true share is at least a floor: one-sided exact test. */
typedef struct pp_floor_statement {
    double floor;
    pp_maybe_bool met;          /* score >= floor, as a limit of constraints sees it */
    pp_maybe_bool certified;    /* and the chance of so many passes at the floor is at most 5 % */
    pp_maybe_real chance;       /* P(Bin(total, floor) >= passed) */
    pp_maybe_int passes_needed; /* of this many cases; absent: no number of passes would do */
    pp_maybe_int cases_needed;  /* in all, at the same share of passes; absent when certified, when
                                   the share is not above the floor, and beyond
                                   PP_CASES_NEEDED_MAX */
} pp_floor_statement;

/** floor above 0, below 1. Everything but passes_needed is absent where the score is. */
pp_floor_statement pp_floor_of(const pp_score_part *part, double floor);

/* Latency of the requests that got an answer, in all passes: nearest rank. */
typedef struct pp_answer_latency {
    size_t count;
    pp_maybe_real ms_p50, ms_p95;
    bool p95_is_maximum; /* count cannot tell them apart */
} pp_answer_latency;

PP_MUST_CHECK pp_status pp_answer_latency_of(pp_arena *arena, const pp_suite_results *results,
                                             pp_answer_latency *ret_latency, pp_error *err);

#endif
