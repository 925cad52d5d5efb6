/* lengths.h - how many tokens are asked for: always the same number, or drawn. */
#ifndef PP_LOAD_LENGTHS_H
#define PP_LOAD_LENGTHS_H

#include <stdint.h>

#include "base/text.h"

/* As PP_WORKLOAD_MAX_PROMPT_TOKENS: llama.cpp's largest contexts. */
#define PP_LENGTHS_MAX ((int64_t)1 << 20)

typedef enum pp_lengths_kind {
    PP_LENGTHS_FIXED,
    PP_LENGTHS_UNIFORM, /* each of `low` to `high` is equally likely */
    PP_LENGTHS_NORMAL   /* normal, rounded to the nearest integer, drawn again until it is 1 to
                           PP_LENGTHS_MAX (B098): so its mean lies above `mean` where `sd` is large */
} pp_lengths_kind;

typedef struct pp_lengths {
    pp_lengths_kind kind;
    int64_t low, high; /* fixed: low = high */
    double mean, sd;   /* normal */
} pp_lengths;

/** Always `tokens`. */
pp_lengths pp_lengths_fixed(int64_t tokens);

/**
 * "64", "uniform:32..128" or "normal:100,20". `what` opens the message.
 * Fails with PP_ERR_USAGE for another form, PP_ERR_RANGE outside 0 to PP_LENGTHS_MAX; a drawn
 * length is 1 or more, a normal one has a mean of 1 or more and a deviation from 0 to
 * PP_LENGTHS_MAX.
 */
PP_MUST_CHECK pp_status pp_lengths_parse(const char *text, const char *what,
                                         pp_lengths *ret_lengths, pp_error *err);

/** The largest that can be drawn; for a normal one mean + 6 sd, which 1 draw in 10^9 exceeds. */
int64_t pp_lengths_max(const pp_lengths *lengths);

/** The draw of one stream (pp_random_stream). */
int64_t pp_lengths_draw(const pp_lengths *lengths, uint64_t stream);

#endif
