#include "stats/binomial.h"

#include "stats/beta.h"

double pp_binomial_at_least(int64_t n, double p, int64_t k)
{
    if (k <= 0)
        return 1.0;
    if (k > n)
        return 0.0;
    return pp_beta_regularised((double)k, (double)(n - k + 1), p);
}

/* 1 - at_least would lose the small tails that verdicts are made of. */
double pp_binomial_at_most(int64_t n, double p, int64_t k)
{
    if (k < 0)
        return 0.0;
    if (k >= n)
        return 1.0;
    return pp_beta_regularised((double)(n - k), (double)(k + 1), 1.0 - p);
}

/* The smallest n above `low` that `holds`, which is false up to some n and true from there; 0 when
 * that is beyond the ceiling. */
static int64_t first_that_holds(bool (*holds)(int64_t n, const void *context), const void *context,
                                int64_t low)
{
    int64_t high = low + 1;

    while (!holds(high, context)) {
        if (high >= PP_REQUESTS_NEEDED_MAX)
            return 0;
        low = high;
        high = high > PP_REQUESTS_NEEDED_MAX / 2 ? PP_REQUESTS_NEEDED_MAX : 2 * high;
    }
    while (high - low > 1) {
        int64_t middle = low + (high - low) / 2;

        if (holds(middle, context))
            high = middle;
        else
            low = middle;
    }
    return high;
}

typedef struct claim {
    int64_t count;
    double share, error;
} claim;

static bool shows_share(int64_t n, const void *context)
{
    const claim *c = context;

    return pp_binomial_at_most(n, c->share, c->count) <= c->error;
}

int64_t pp_requests_needed(int64_t violations, double share, double confidence)
{
    claim c = {violations, share, 1.0 - confidence};

    return first_that_holds(shows_share, &c, violations);
}

double pp_share_upper_bound(int64_t count, int64_t n, double confidence)
{
    double low = 0;
    double high = 1;

    if (count >= n)
        return 1.0;
    for (int i = 0; i < 100; i++) {
        double middle = low + (high - low) / 2;

        if (pp_binomial_at_most(n, middle, count) <= 1.0 - confidence)
            high = middle;
        else
            low = middle;
    }
    return high;
}

/* The smallest k from 1 to n + 1 with P(Bin(n, p) >= k) <= limit; n + 1 when there is none. */
static int64_t first_rare_rank(int64_t n, double p, double limit)
{
    int64_t low = 0; /* P(X >= 0) is 1 */
    int64_t high = n + 1;

    while (high - low > 1) {
        int64_t middle = low + (high - low) / 2;

        if (pp_binomial_at_least(n, p, middle) <= limit)
            high = middle;
        else
            low = middle;
    }
    return high;
}

pp_rank_interval pp_percentile_rank_interval(int64_t n, double p, double confidence)
{
    double tail = (1.0 - confidence) / 2;
    int64_t upper = first_rare_rank(n, p, tail);
    int64_t lower = first_rare_rank(n, p, 1.0 - tail);
    pp_rank_interval interval = {.upper = upper > n ? 0 : upper};

    /* `lower` is the first rank whose probability is too small, or exactly enough. */
    if (lower > n || pp_binomial_at_least(n, p, lower) < 1.0 - tail)
        lower--;
    interval.lower = lower;
    interval.coverage = pp_binomial_at_least(n, p, lower) -
                        (interval.upper == 0 ? 0 : pp_binomial_at_least(n, p, upper));
    if (lower == 0)
        interval.coverage = 1.0 - (interval.upper == 0 ? 0 : pp_binomial_at_least(n, p, upper));
    return interval;
}
