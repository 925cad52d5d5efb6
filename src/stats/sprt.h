/* sprt.h - Wald's sequential test on violations: the rule for looking after each request.
 *
 * Tells a share of violations `bad` from a smaller one `good`. Between the two either answer may
 * come; below and above, each is wrong at most about as often as its stated error, however often
 * one looks. Source: Wald 1945. */
#ifndef PP_STATS_SPRT_H
#define PP_STATS_SPRT_H

#include <stdint.h>

typedef struct pp_sprt {
    double good_share, bad_share; /* 0 < good < bad < 1 */
    double false_accept;          /* at most about this often, where the share is bad or worse */
    double false_reject;          /* at most about this often, where it is good or better */
} pp_sprt;

typedef enum pp_sprt_answer { PP_SPRT_CONTINUE, PP_SPRT_ACCEPT, PP_SPRT_REJECT } pp_sprt_answer;

/** What `violations` among n requests say. Once it is not "continue" it is final: later requests
 * must not be asked about. */
pp_sprt_answer pp_sprt_ask(const pp_sprt *test, int64_t n, int64_t violations);

/** The sum that the answer goes by: each good request adds ln((1-good)/(1-bad)), each violation
 * ln(good/bad), which is negative. */
double pp_sprt_score(const pp_sprt *test, int64_t n, int64_t violations);

#endif
