#include "machine/bandwidth_sum.h"

/* 16 bytes are one register of the baseline of x86-64 (SSE2) and of aarch64. Written with the
 * compilers' vector types, because -O2 of GCC 12 does not vectorise a loop of unknown length. */
typedef uint64_t pair __attribute__((vector_size(16), may_alias));

#define PAIRS (PP_BANDWIDTH_BLOCK_WORDS / 2)

void pp_bandwidth_fill(uint64_t *words, size_t first, size_t count)
{
    uint64_t value = PP_BANDWIDTH_STEP * (uint64_t)first;

    for (size_t i = first; i < first + count; i++)
        words[i] = value += PP_BANDWIDTH_STEP;
}

/* Eight independent sums, so that additions wait for memory only and never for each other. */
uint64_t pp_bandwidth_sum(const uint64_t *words, size_t count)
{
    const pair *at = (const pair *)(const void *)words;
    const pair *end = at + count / 2;
    pair a = {0}, b = {0}, c = {0}, d = {0}, e = {0}, f = {0}, g = {0}, h = {0};

    for (; at < end; at += PAIRS) {
        a += at[0];
        b += at[1];
        c += at[2];
        d += at[3];
        e += at[4];
        f += at[5];
        g += at[6];
        h += at[7];
    }
    a += b + c + d + e + f + g + h;
    return a[0] + a[1];
}

uint64_t pp_bandwidth_expected(size_t first, size_t count)
{
    uint64_t n = count;
    uint64_t ends = 2 * (uint64_t)first + n + 1; /* first + 1 and first + count */

    /* of n and ends one is even */
    return PP_BANDWIDTH_STEP * (n % 2 == 0 ? n / 2 * ends : n * (ends / 2));
}
