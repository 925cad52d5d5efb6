#include "base/clock.h"

#include <stdio.h>
#include <time.h>

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

int64_t pp_clock_real_offset_ns(void)
{
    int64_t before = read_ns(CLOCK_MONOTONIC);
    int64_t real = read_ns(CLOCK_REALTIME);
    int64_t after = read_ns(CLOCK_MONOTONIC);

    return real - (before + (after - before) / 2);
}

void pp_clock_sleep_until_ns(int64_t until_ns)
{
    struct timespec ts = {
        .tv_sec = (time_t)(until_ns / PP_NS_PER_S),
        .tv_nsec = (long)(until_ns % PP_NS_PER_S),
    };

    (void)clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL); /* EINTR is a return */
}

void pp_clock_format_utc(int64_t unix_ms, char out[25])
{
    time_t seconds = (time_t)(unix_ms / 1000);
    struct tm utc;
    char date[20];

    if (gmtime_r(&seconds, &utc) == NULL ||
        strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%S", &utc) == 0)
        date[0] = '\0'; /* a year of five digits: no date rather than a wrong one */
    (void)snprintf(out, 25, "%.19s.%03uZ", date, (unsigned)(unix_ms % 1000) % 1000u);
}
