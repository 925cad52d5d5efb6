#include "stats/sprt.h"

#include "stats/portable.h"

double pp_sprt_score(const pp_sprt *test, int64_t n, int64_t violations)
{
    return (double)(n - violations) *
               pp_portable_log((1 - test->good_share) / (1 - test->bad_share)) +
           (double)violations * pp_portable_log(test->good_share / test->bad_share);
}

pp_sprt_answer pp_sprt_ask(const pp_sprt *test, int64_t n, int64_t violations)
{
    double score = pp_sprt_score(test, n, violations);

    if (score >= pp_portable_log((1 - test->false_reject) / test->false_accept))
        return PP_SPRT_ACCEPT;
    if (score <= pp_portable_log(test->false_reject / (1 - test->false_accept)))
        return PP_SPRT_REJECT;
    return PP_SPRT_CONTINUE;
}
