/* cache.h - how large are the caches of the CPU, as the kernel says? */
#ifndef PP_MACHINE_CACHE_H
#define PP_MACHINE_CACHE_H

#include "base/maybe.h"
#include "machine/scan.h"

/** "32768K", "1M", "512" -> bytes, > 0 (Documentation/ABI/testing/sysfs-devices-system-cpu). */
pp_maybe_int pp_cache_size_parse(pp_scan text);

/** Size of one last-level cache as CPU 0 sees it; absent where the kernel does not say. */
pp_maybe_int pp_last_level_cache_bytes(const char *root);

#endif
