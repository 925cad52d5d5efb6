#include "base/clock.h"

#include <time.h>

#define OFFSET_TRIES    4
#define OFFSET_QUICK_NS 5000

static int64_t read_ns(clockid_t id)
{
    struct timespec ts;

    (void)clock_gettime(id, &ts); /* cannot fail for these two ids */
    return (int64_t)ts.tv_sec * PP_NS_PER_S + ts.tv_nsec;
}

int64_t pp_clock_now_ns(void)
{
    return read_ns(CLOCK_MONOTONIC);
}

int64_t pp_clock_unix_ms(void)
{
    return read_ns(CLOCK_REALTIME) / PP_NS_PER_MS;
}

/* Who is put aside between two looks is wrong by half of that time, so the look that took the least
 * counts; the first one is nearly always quick enough. */
int64_t pp_clock_real_offset_ns(void)
{
    int64_t offset_ns = 0;
    int64_t least_ns = INT64_MAX;

    for (int i = 0; i < OFFSET_TRIES && least_ns > OFFSET_QUICK_NS; i++) {
        int64_t before = read_ns(CLOCK_MONOTONIC);
        int64_t real = read_ns(CLOCK_REALTIME);
        int64_t after = read_ns(CLOCK_MONOTONIC);

        if (after - before >= least_ns)
            continue;
        least_ns = after - before;
        offset_ns = real - (before + least_ns / 2);
    }
    return offset_ns;
}

void pp_clock_sleep_until_ns(int64_t until_ns)
{
    struct timespec ts = {
        .tv_sec = (time_t)(until_ns / PP_NS_PER_S),
        .tv_nsec = (long)(until_ns % PP_NS_PER_S),
    };

    (void)clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL); /* EINTR is a return */
}
