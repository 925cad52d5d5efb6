/* synth_values.h - the weights of a synthetic tensor, as F16, Q8_0 or Q4_0.
 *
 * A weight is a pure function of (seed, tensor, position): position 4 j + i takes 12 bits of the
 * counter-based splitmix64 number j of its tensor, and these index a table of 4,096 normal
 * quantiles. The tensor's scale is applied to the table, and the result is rounded to half
 * precision there. So every type starts from the very weights that an F16 file holds, and the two
 * quantised types hold what ggml's reference quantiser makes of that F16 file.
 *
 * Only IEEE additions, multiplications, divisions and square roots, in a fixed order, without fused
 * operations: the same bytes on every machine and at every optimisation level (K35, K36).
 * Method: docs/method/synthetic-weights.md. */
#ifndef PP_ENGINE_SYNTH_VALUES_H
#define PP_ENGINE_SYNTH_VALUES_H

#include <stddef.h>
#include <stdint.h>

#define PP_SYNTH_TABLE_SIZE 4096
/* The table's image of one standard deviation; the outermost quantile, 3.67, fits an int16. */
#define PP_SYNTH_TABLE_ONE  8192
/* Weights per quantisation block of Q8_0 and Q4_0. */
#define PP_SYNTH_BLOCK      32

/* One block in each type. */
#define PP_SYNTH_F16_BLOCK_BYTES  64
#define PP_SYNTH_Q8_0_BLOCK_BYTES 34
#define PP_SYNTH_Q4_0_BLOCK_BYTES 18

/** ret_table[i] = the normal quantile of (i + 1/2) / 4096, in 1/8192, rounded to nearest. */
void pp_synth_quantiles(int16_t ret_table[PP_SYNTH_TABLE_SIZE]);

/* One tensor. Large (24 KiB): keep it on the heap or static. */
typedef struct pp_synth_values {
    uint64_t key;
    uint16_t halves[PP_SYNTH_TABLE_SIZE]; /* the possible weights, as half bits */
    float floats[PP_SYNTH_TABLE_SIZE];    /* the same, exact */
} pp_synth_values;

/**
 * The weights of tensor number `tensor` under `seed`.
 *
 * quantiles   from pp_synth_quantiles
 * scale       standard deviation of the weights, > 0
 */
void pp_synth_values_init(pp_synth_values *values, const int16_t quantiles[PP_SYNTH_TABLE_SIZE],
                          uint64_t seed, uint64_t tensor, double scale);

/* Each writes `n_blocks` blocks of 32 consecutive weights, beginning with weight 32 * first_block,
 * in the file's little-endian form; `out` holds n_blocks times the type's block bytes. */
void pp_synth_write_f16(const pp_synth_values *values, uint64_t first_block, size_t n_blocks,
                        uint8_t *out);
void pp_synth_write_q8_0(const pp_synth_values *values, uint64_t first_block, size_t n_blocks,
                         uint8_t *out);
void pp_synth_write_q4_0(const pp_synth_values *values, uint64_t first_block, size_t n_blocks,
                         uint8_t *out);

/* One block of given weights, in the file's form. */

/** 32 halves, rounded to nearest. */
void pp_synth_encode_f16(const float weights[PP_SYNTH_BLOCK], uint8_t *out);
/** Scale max|x| / 127 as half, then 32 signed bytes, rounded half away from zero. */
void pp_synth_encode_q8_0(const float weights[PP_SYNTH_BLOCK], uint8_t *out);
/** Scale (the first value of largest magnitude) / -8 as half, then 16 bytes: weight i in the low
 * and weight i + 16 in the high half of byte i, each min(15, trunc(x / scale + 8.5)). */
void pp_synth_encode_q4_0(const float weights[PP_SYNTH_BLOCK], uint8_t *out);

#endif
