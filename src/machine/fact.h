/* fact.h - a value that may be absent. Absent is absent: never zero, never guessed. Zeroed =
 * absent. */
#ifndef PP_MACHINE_FACT_H
#define PP_MACHINE_FACT_H

#include <stdbool.h>
#include <stdint.h>

typedef struct pp_fact_int {
    bool known;
    int64_t value;
} pp_fact_int;

typedef struct pp_fact_real {
    bool known;
    double value;
} pp_fact_real;

typedef struct pp_fact_bool {
    bool known;
    bool value;
} pp_fact_bool;

static inline pp_fact_int pp_fact_int_of(int64_t value)
{
    return (pp_fact_int){true, value};
}

static inline pp_fact_real pp_fact_real_of(double value)
{
    return (pp_fact_real){true, value};
}

static inline pp_fact_bool pp_fact_bool_of(bool value)
{
    return (pp_fact_bool){true, value};
}

#endif
