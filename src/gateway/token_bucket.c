#include "gateway/token_bucket.h"

/* 10^9 nanoseconds times 10^3 thousandths. */
#define TOKEN ((int64_t)1000000000000)

bool pp_token_rate_of(double per_second, int64_t burst, pp_token_rate *ret_rate)
{
    int64_t milli;

    if (!(per_second > 0 && per_second <= PP_TOKEN_RATE_MAX) || burst < 1 ||
        burst > PP_TOKEN_BURST_MAX)
        return false;
    milli = (int64_t)(per_second * 1000 + 0.5);
    *ret_rate = (pp_token_rate){milli > 0 ? milli : 1, burst};
    return true;
}

void pp_token_bucket_init(pp_token_bucket *bucket, const pp_token_rate *rate, int64_t now_ns)
{
    *bucket = (pp_token_bucket){rate->burst * TOKEN, now_ns};
}

int64_t pp_token_bucket_level(const pp_token_bucket *bucket, const pp_token_rate *rate,
                              int64_t now_ns)
{
    const int64_t missing = rate->burst * TOKEN - bucket->level;
    const int64_t elapsed_ns = now_ns > bucket->at_ns ? now_ns - bucket->at_ns : 0;

    if (elapsed_ns > missing / rate->milli_per_second) /* full, and a product might not fit */
        return rate->burst * TOKEN;
    return bucket->level + elapsed_ns * rate->milli_per_second;
}

int64_t pp_token_bucket_take(pp_token_bucket *bucket, const pp_token_rate *rate, int64_t now_ns)
{
    const int64_t level = pp_token_bucket_level(bucket, rate, now_ns);

    if (level < TOKEN)
        return (TOKEN - level - 1) / rate->milli_per_second + 1;
    bucket->level = level - TOKEN;
    if (now_ns > bucket->at_ns)
        bucket->at_ns = now_ns;
    return 0;
}
