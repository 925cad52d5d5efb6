#include "model/study_order.h"

#include "base/error.h"
#include "model/study_plan.h"
#include "stats/random.h"

size_t pp_order_mirrored(size_t count, int64_t pass, size_t position)
{
    return pass % 2 == 1 ? position : count - 1 - position;
}

/* Item `position` of a random permutation of `count` items (Fisher and Yates). */
static size_t shuffled(size_t count, uint64_t key, size_t position)
{
    uint8_t items[2 * PP_STUDY_MAX_CANDIDATES];
    uint64_t state = key;

    PP_ASSERT(count <= sizeof items && position < count);
    for (size_t i = 0; i < count; i++)
        items[i] = (uint8_t)i;
    for (size_t i = count; i > 1; i--) {
        size_t j = (size_t)pp_random_below(&state, i);
        uint8_t swapped = items[i - 1];

        items[i - 1] = items[j];
        items[j] = swapped;
    }
    return items[position];
}

size_t pp_order_shuffled(size_t count, uint64_t seed, int64_t pass, size_t position)
{
    return shuffled(count, pp_random_stream(seed, "order", (uint64_t)pass), position);
}

size_t pp_order_williams_rows(size_t count)
{
    return count < 2 ? 1 : count % 2 == 0 ? count : 2 * count;
}

/* Row 0 is 0, 1, n-1, 2, n-2, ...: all differences of neighbours are different, so that shifting it
 * by 1 to n-1 gives each ordered pair of neighbours once. An odd n needs the mirrored rows, too. */
static size_t williams_square(size_t n, size_t row, size_t position)
{
    size_t place = row < n ? position : n - 1 - position;
    size_t first = place % 2 == 1 ? (place + 1) / 2 : (n - place / 2) % n;

    return (first + row) % n;
}

size_t pp_order_williams(size_t count, uint64_t seed, int64_t pass, size_t position)
{
    size_t rows = pp_order_williams_rows(count);
    uint64_t square = (uint64_t)(pass - 1) / rows;
    size_t row = shuffled(rows, pp_random_stream(seed, "rows", square),
                          (size_t)((uint64_t)(pass - 1) % rows));

    return shuffled(count, pp_random_stream(seed, "names", square),
                    williams_square(count, row, position));
}

size_t pp_study_plan_order(const pp_study_plan *plan, int64_t pass, size_t position)
{
    uint64_t seed = (uint64_t)plan->order_seed;

    switch (plan->order) {
    case PP_ORDER_BLOCKS:
        return pp_order_shuffled(plan->candidate_count, seed, pass, position);
    case PP_ORDER_WILLIAMS:
        return pp_order_williams(plan->candidate_count, seed, pass, position);
    default:
        return pp_order_mirrored(plan->candidate_count, pass, position);
    }
}
