/* maybe.h - values that may be absent. Zeroed means absent; absent is null in documents, never 0.
 */
#ifndef PP_BASE_MAYBE_H
#define PP_BASE_MAYBE_H

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

typedef struct pp_maybe_bool {
    bool known;
    bool value; /* only when known */
} pp_maybe_bool;

static inline pp_maybe_int pp_known_int(int64_t value)
{
    return (pp_maybe_int){true, value};
}

static inline pp_maybe_real pp_known_real(double value)
{
    return (pp_maybe_real){true, value};
}

static inline pp_maybe_bool pp_known_bool(bool value)
{
    return (pp_maybe_bool){true, value};
}

#endif
