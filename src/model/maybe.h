/* maybe.h - numbers that may be absent. Zeroed means absent; absent is null in documents, never 0.
 */
#ifndef PP_MODEL_MAYBE_H
#define PP_MODEL_MAYBE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct pp_maybe_int {
    bool known;
    int64_t value; /* only when known */
} pp_maybe_int;

typedef struct pp_maybe_real {
    bool known;
    double value; /* only when known; finite */
} pp_maybe_real;

static inline pp_maybe_int pp_known_int(int64_t value)
{
    return (pp_maybe_int){true, value};
}

static inline pp_maybe_real pp_known_real(double value)
{
    return (pp_maybe_real){true, value};
}

#endif
