/* bandwidth_sum.h - the loops of the bandwidth probe. Internal to machine/.
 *
 * Word i holds PP_BANDWIDTH_STEP * (i + 1) modulo 2^64, so the right sum of any stretch is known
 * without reading it. */
#ifndef PP_MACHINE_BANDWIDTH_SUM_H
#define PP_MACHINE_BANDWIDTH_SUM_H

#include <stddef.h>
#include <stdint.h>

#define PP_BANDWIDTH_STEP UINT64_C(0x9e3779b97f4a7c15) /* odd, so all words differ */

/* Words are read in blocks of this many: 128 bytes, a cache line or two. */
#define PP_BANDWIDTH_BLOCK_WORDS 16

/** Write words first to first + count - 1 of a buffer that begins with word 0 at `words`. */
void pp_bandwidth_fill(uint64_t *words, size_t first, size_t count);

/** Read `count` words (a multiple of the block; 16-byte aligned) and add them, modulo 2^64. */
uint64_t pp_bandwidth_sum(const uint64_t *words, size_t count);

/** What the sum of words first to first + count - 1 must be: step * count * (2 first + count + 1) /
 * 2, modulo 2^64. */
uint64_t pp_bandwidth_expected(size_t first, size_t count);

#endif
