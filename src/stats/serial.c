#include "stats/serial.h"

#include <math.h>

static double mean_of(const double *values, size_t n)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += values[i] / (double)n;
    return sum;
}

static bool has_spread(const double *values, size_t n)
{
    for (size_t i = 1; i < n; i++)
        if (values[i] != values[0])
            return true;
    return false;
}

pp_serial pp_serial_of(const double *values, size_t n)
{
    pp_serial serial = {.effective_count = (double)n};
    double mean = mean_of(values, n);
    double spread = 0;
    double shared = 0;
    double lag1;

    for (size_t i = 0; i < n; i++) {
        spread += (values[i] - mean) * (values[i] - mean);
        if (i > 0)
            shared += (values[i] - mean) * (values[i - 1] - mean);
    }
    if (n < 3 || !has_spread(values, n) || !(spread > 0) || !isfinite(spread))
        return serial;
    lag1 = shared / spread;
    serial.lag1 = pp_known_real(lag1);
    serial.is_dependent = lag1 > 1.96 / sqrt((double)n);
    if (serial.is_dependent)
        serial.effective_count = fmax(1.0, (double)n * (1 - lag1) / (1 + lag1));
    return serial;
}
