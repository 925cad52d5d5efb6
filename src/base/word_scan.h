/* word_scan.h - finds bytes eight at a time, for the few loops that look at every byte of a stream.
 *
 * A mask of pp_word_equal or pp_word_below has its lowest bit in the first byte that was looked
 * for; bits above that one may be wrong, because a borrow runs upwards from it.
 * Source: Anderson, Bit Twiddling Hacks, "Determine if a word has a byte equal to n". */
#ifndef PP_BASE_WORD_SCAN_H
#define PP_BASE_WORD_SCAN_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define PP_WORD_ONES  UINT64_C(0x0101010101010101)
#define PP_WORD_HIGHS (PP_WORD_ONES << 7)

/** The next eight bytes, the first one lowest. */
static inline uint64_t pp_word_load(const void *bytes)
{
    uint64_t word;

    memcpy(&word, bytes, sizeof word);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

/** Bytes below `limit`, at most 0x80. */
static inline uint64_t pp_word_below(uint64_t word, unsigned char limit)
{
    return (word - PP_WORD_ONES * limit) & ~word & PP_WORD_HIGHS;
}

/** Bytes that are `c`. */
static inline uint64_t pp_word_equal(uint64_t word, unsigned char c)
{
    return pp_word_below(word ^ (PP_WORD_ONES * c), 1);
}

/** Which byte the lowest bit of a mask is in; the mask is not 0. */
static inline size_t pp_word_first(uint64_t mask)
{
    return (size_t)__builtin_ctzll(mask) / 8;
}

#endif
