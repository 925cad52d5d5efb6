/* share_of_groups.h - an interval for a share of items that come in groups of alike ones.
 *
 * Tokens that were drafted for one answer are accepted together or not; counted one by one they
 * would promise far more than they know. Pure arithmetic. */
#ifndef PP_STATS_SHARE_OF_GROUPS_H
#define PP_STATS_SHARE_OF_GROUPS_H

#include <stdbool.h>
#include <stdint.h>

/* Groups are independent of each other; their items need not be. */
typedef struct pp_grouped_count {
    int64_t group_count;
    int64_t item_count; /* of all groups */
    int64_t hit_count;  /* of these; 0 to item_count */
    double square_sum;  /* over the groups: (hits - share * items)^2, share = hits / items of all */
} pp_grouped_count;

typedef struct pp_share_interval {
    bool known;             /* false: fewer than two groups, or no items */
    double effective_count; /* independent items that tell as much */
    double low, high;       /* 0 to 1 */
} pp_share_interval;

/**
 * Two-sided interval of Clopper and Pearson over an effective number of items, as Korn and Graubard
 * (1998) take it: share (1 - share) over the variance of the ratio between groups, at most the
 * items themselves, times (t of items - 1 over t of groups - 1)^2. Where none or all are hits the
 * groups show no variance: then each group counts as one item. confidence above 0, below 1.
 */
pp_share_interval pp_share_of_groups(const pp_grouped_count *count, double confidence);

#endif
