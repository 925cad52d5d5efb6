/* serial.h - how far requests that follow each other resemble each other. Arithmetic only. */
#ifndef PP_STATS_SERIAL_H
#define PP_STATS_SERIAL_H

#include <stddef.h>

#include "base/maybe.h"

typedef struct pp_serial {
    pp_maybe_real lag1; /* autocorrelation of neighbours; absent below 3 values or without spread */
    bool is_dependent;  /* lag1 above 1.96 / sqrt(n) */
    double effective_count; /* n (1 - lag1) / (1 + lag1), at least 1, when dependent; else n */
} pp_serial;

/** Of finite values in the order in which they happened. */
pp_serial pp_serial_of(const double *values, size_t n);

#endif
