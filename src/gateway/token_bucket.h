/* token_bucket.h - how many requests somebody may still send, in whole numbers.
 *
 * A bucket holds up to `burst` tokens and gains so many thousandths of one each second. A level is
 * counted in 10^-12 tokens, of which a nanosecond adds exactly the rate in thousandths per second:
 * nothing is rounded and nothing drifts. Arithmetic only; instants are the caller's, monotonic. */
#ifndef PP_GATEWAY_TOKEN_BUCKET_H
#define PP_GATEWAY_TOKEN_BUCKET_H

#include <stdbool.h>
#include <stdint.h>

/* A level of so many tokens fits into 63 bits. */
#define PP_TOKEN_BURST_MAX 1000000
#define PP_TOKEN_RATE_MAX  1000000.0 /* per second */

typedef struct pp_token_rate {
    int64_t milli_per_second; /* 1 to 10^9 */
    int64_t burst;            /* 1 to PP_TOKEN_BURST_MAX */
} pp_token_rate;

typedef struct pp_token_bucket {
    int64_t level; /* in 10^-12 tokens, as of at_ns */
    int64_t at_ns;
} pp_token_bucket;

/** False unless 0 < per_second <= PP_TOKEN_RATE_MAX and the burst is in its range. The rate is
 * rounded to thousandths per second, the slowest is one. */
bool pp_token_rate_of(double per_second, int64_t burst, pp_token_rate *ret_rate);

/** A full one. */
void pp_token_bucket_init(pp_token_bucket *bucket, const pp_token_rate *rate, int64_t now_ns);

/** Take a token: 0. Or none is there: nanoseconds until one will be, at least 1, and nothing
 * changes. An instant before the last one counts as the last one. */
int64_t pp_token_bucket_take(pp_token_bucket *bucket, const pp_token_rate *rate, int64_t now_ns);

/** The level at an instant, in 10^-12 tokens: to tell which of two is fuller. */
int64_t pp_token_bucket_level(const pp_token_bucket *bucket, const pp_token_rate *rate,
                              int64_t now_ns);

#endif
