/* energy.h - what the CPU packages used between two instants, from counters of the kernel.
 *
 * A package is a whole socket: every process on it counts, idle cores too. Memory behind it and the
 * rest of the machine do not. */
#ifndef PP_MACHINE_ENERGY_H
#define PP_MACHINE_ENERGY_H

#include <stddef.h>
#include <stdint.h>

#include "base/maybe.h"

#define PP_ENERGY_MAX_PACKAGES 64
/* More than any package uses. A counter that could have wrapped twice at this rate says nothing. */
#define PP_ENERGY_MAX_WATTS    600

typedef struct pp_energy_counter {
    int place; /* which one it is: the same file has the same number */
    int64_t microjoules;
    int64_t range_microjoules; /* where it begins again at 0; 0: it does not */
} pp_energy_counter;

/* One look at all counters. */
typedef struct pp_energy_reading {
    int64_t at_ns;
    const char *source; /* "powercap" or "hwmon"; NULL without counters */
    pp_energy_counter counters[PP_ENERGY_MAX_PACKAGES];
    size_t count;
    size_t unreadable_count; /* there, but not for us: mostly root alone may read them */
} pp_energy_reading;

typedef struct pp_energy_use {
    pp_maybe_real joules;
    const char *absent_because; /* NULL when known */
    const char *source;         /* as above */
    int64_t package_count;
} pp_energy_use;

/** Read the counters of all packages below `root`, which is "/" or a recorded tree. */
void pp_energy_read(const char *root, pp_energy_reading *ret_reading);

/** What was used between two looks: of every package, or not known. */
pp_energy_use pp_energy_between(const pp_energy_reading *before, const pp_energy_reading *after);

#endif
