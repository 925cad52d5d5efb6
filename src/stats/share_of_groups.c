#include "stats/share_of_groups.h"

#include <math.h>

#include "stats/beta.h"

#define COUNT_MAX 1e6 /* as far as pp_beta_regularised is exact; fewer items make it wider */

/* The x where a Beta(a, b) distribution has `share` below. */
static double beta_quantile(double a, double b, double share)
{
    double low = 0;
    double high = 1;

    for (int i = 0; i < 100; i++) {
        double middle = low + (high - low) / 2;

        if (pp_beta_regularised(a, b, middle) <= share)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static double square(double x)
{
    return x * x;
}

static double effective_count(const pp_grouped_count *c, double share, double tail)
{
    double groups = (double)c->group_count;
    double items = fmin((double)c->item_count, COUNT_MAX);
    double variance = groups / (groups - 1) * c->square_sum / square((double)c->item_count);
    double count = items;

    if (c->hit_count == 0 || c->hit_count == c->item_count)
        return fmin(groups, items);
    if (variance > 0)
        count = fmin(count, share * (1 - share) / variance);
    return count * square(pp_student_quantile(items - 1, 1 - tail) /
                          pp_student_quantile(fmin(groups, COUNT_MAX) - 1, 1 - tail));
}

pp_share_interval pp_share_of_groups(const pp_grouped_count *count, double confidence)
{
    double tail = (1 - confidence) / 2;
    pp_share_interval out = {0};
    double share, hits, misses;

    if (count->group_count < 2 || count->item_count < 2)
        return out;
    share = (double)count->hit_count / (double)count->item_count;
    out.known = true;
    out.effective_count = effective_count(count, share, tail);
    hits = share * out.effective_count;
    misses = out.effective_count - hits;
    out.low = count->hit_count == 0 ? 0 : beta_quantile(hits, misses + 1, tail);
    out.high =
        count->hit_count == count->item_count ? 1 : beta_quantile(hits + 1, misses, 1 - tail);
    return out;
}
