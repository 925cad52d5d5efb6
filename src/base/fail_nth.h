/* fail_nth.h - lets a test refuse the n-th allocation, so that error paths run too.
 *
 * Outside tests the counter is zero and the cost is one comparison of a static. Not thread-safe:
 * only single-threaded tests arm it. */
#ifndef PP_BASE_FAIL_NTH_H
#define PP_BASE_FAIL_NTH_H

#include <stddef.h>

/** Refuse the n-th allocation from now (1 = the next one) and all later ones; 0 disarms. */
void pp_fail_nth_arm(unsigned long n);

/** How many allocations were asked for since the last arming. */
unsigned long pp_fail_nth_seen(void);

void *pp_fail_nth_malloc(size_t size);
void *pp_fail_nth_realloc(void *old, size_t size);

#endif
