#include "engine/synth_values.h"

#include <string.h>

#include "engine/synth_half.h"
#include "stats/random.h"

/* ---- the table ----------------------------------------------------------------------------- */

/* z^2 / 2 stays below 8, and 8^48 / 48! is far below the last bit of a double. */
#define SERIES_TERMS 48
#define SQRT_TWO_PI  2.5066282746310005024

static void series_coefficients(double coefficients[SERIES_TERMS])
{
    double factorial = 1;

    for (int n = 0; n < SERIES_TERMS; n++) {
        coefficients[n] = 1 / (factorial * (2 * n + 1));
        factorial *= n + 1;
    }
}

/* sqrt(2 pi) (Phi(z) - 1/2) = z sum (-z^2/2)^n / (n! (2 n + 1)), for 0 <= z <= 4.
 * Source: Abramowitz & Stegun 26.2.10. Libm's erf is not used: its last bit differs by machine. */
static double scaled_normal_area(const double coefficients[SERIES_TERMS], double z)
{
    double t = z * z / 2;
    double sum = coefficients[SERIES_TERMS - 1];

    for (int n = SERIES_TERMS - 2; n >= 0; n--)
        sum = coefficients[n] - t * sum;
    return z * sum;
}

void pp_synth_quantiles(int16_t ret_table[PP_SYNTH_TABLE_SIZE])
{
    double coefficients[SERIES_TERMS];
    int low = 0; /* quantiles ascend, so each search starts where the last one ended */

    series_coefficients(coefficients);
    for (int i = PP_SYNTH_TABLE_SIZE / 2; i < PP_SYNTH_TABLE_SIZE; i++) {
        double area = ((i + 0.5) / PP_SYNTH_TABLE_SIZE - 0.5) * SQRT_TWO_PI;
        int high = INT16_MAX;

        /* the smallest k whose upper rounding border (k + 1/2) lies above the quantile */
        while (low < high) {
            int middle = low + (high - low) / 2;

            if (scaled_normal_area(coefficients, (middle + 0.5) / PP_SYNTH_TABLE_ONE) > area)
                high = middle;
            else
                low = middle + 1;
        }
        ret_table[i] = (int16_t)low;
        ret_table[PP_SYNTH_TABLE_SIZE - 1 - i] = (int16_t)-low;
    }
}

/* ---- the weights --------------------------------------------------------------------------- */

void pp_synth_values_init(pp_synth_values *values, const int16_t quantiles[PP_SYNTH_TABLE_SIZE],
                          uint64_t seed, uint64_t tensor, double scale)
{
    double step = scale / PP_SYNTH_TABLE_ONE;

    values->key = pp_random_at(pp_random_at(seed, 0), tensor);
    for (int i = 0; i < PP_SYNTH_TABLE_SIZE; i++) {
        values->halves[i] = pp_half_of_float((float)(quantiles[i] * step));
        values->floats[i] = pp_half_to_float(values->halves[i]);
    }
}

#define TABLE_MASK         (PP_SYNTH_TABLE_SIZE - 1)
#define WEIGHTS_PER_RANDOM 4
#define RANDOMS_PER_BLOCK  (PP_SYNTH_BLOCK / WEIGHTS_PER_RANDOM)

static inline void put_u16(uint8_t *out, uint16_t value)
{
    out[0] = (uint8_t)value;
    out[1] = (uint8_t)(value >> 8);
}

static inline void put_u64(uint8_t *out, uint64_t value)
{
    for (int i = 0; i < 8; i++)
        out[i] = (uint8_t)(value >> (8 * i)); /* one store where the machine is little-endian */
}

void pp_synth_write_f16(const pp_synth_values *values, uint64_t first_block, size_t n_blocks,
                        uint8_t *out)
{
    const uint16_t *halves = values->halves;
    uint64_t state = values->key + first_block * RANDOMS_PER_BLOCK * PP_RANDOM_GAMMA;

    for (size_t i = 0; i < n_blocks * RANDOMS_PER_BLOCK; i++) {
        uint64_t u = pp_random_next(&state);

        put_u64(out + i * 8, (uint64_t)halves[u & TABLE_MASK] |
                                 (uint64_t)halves[u >> 16 & TABLE_MASK] << 16 |
                                 (uint64_t)halves[u >> 32 & TABLE_MASK] << 32 |
                                 (uint64_t)halves[u >> 48 & TABLE_MASK] << 48);
    }
}

/* 32 weights; returns the generator's state behind them. */
static inline uint64_t gather_block(const float *floats, uint64_t state,
                                    float ret_weights[PP_SYNTH_BLOCK])
{
    for (int j = 0; j < RANDOMS_PER_BLOCK; j++) {
        uint64_t u = pp_random_next(&state);

        ret_weights[4 * j] = floats[u & TABLE_MASK];
        ret_weights[4 * j + 1] = floats[u >> 16 & TABLE_MASK];
        ret_weights[4 * j + 2] = floats[u >> 32 & TABLE_MASK];
        ret_weights[4 * j + 3] = floats[u >> 48 & TABLE_MASK];
    }
    return state;
}

/* max|x|. Without its sign bit a float orders like an integer, and integers vectorise. */
static inline float largest_magnitude(const float weights[PP_SYNTH_BLOCK])
{
    int32_t bits[PP_SYNTH_BLOCK];
    int32_t largest = 0;
    float magnitude;

    memcpy(bits, weights, sizeof bits);
    for (int i = 0; i < PP_SYNTH_BLOCK; i++) {
        int32_t absolute = bits[i] & INT32_MAX;

        largest = absolute > largest ? absolute : largest;
    }
    memcpy(&magnitude, &largest, sizeof magnitude);
    return magnitude;
}

static inline void encode_q8_0(const float weights[PP_SYNTH_BLOCK], uint8_t *out)
{
    float scale = largest_magnitude(weights) / 127.0f;
    float inverse = scale != 0 ? 1.0f / scale : 0;

    put_u16(out, pp_half_of_float(scale));
    for (int i = 0; i < PP_SYNTH_BLOCK; i++) {
        /* half away from zero, exactly: adding 0.5 first would round 0.49999997 up */
        float x = weights[i] * inverse;
        int32_t whole = (int32_t)x;
        float rest = x - (float)whole;

        out[2 + i] = (uint8_t)(int8_t)(whole + (rest >= 0.5f) - (rest <= -0.5f));
    }
}

void pp_synth_write_q8_0(const pp_synth_values *values, uint64_t first_block, size_t n_blocks,
                         uint8_t *out)
{
    uint64_t state = values->key + first_block * RANDOMS_PER_BLOCK * PP_RANDOM_GAMMA;

    for (size_t block = 0; block < n_blocks; block++, out += PP_SYNTH_Q8_0_BLOCK_BYTES) {
        float weights[PP_SYNTH_BLOCK];

        state = gather_block(values->floats, state, weights);
        encode_q8_0(weights, out);
    }
}

/* The first weight of largest magnitude, with its sign. */
static inline float largest_signed(const float weights[PP_SYNTH_BLOCK])
{
    float magnitude = largest_magnitude(weights);

    for (int i = 0; i < PP_SYNTH_BLOCK; i++) {
        if (weights[i] == magnitude || weights[i] == -magnitude)
            return weights[i];
    }
    return magnitude; /* not reached: one of them has it */
}

static inline void encode_q4_0(const float weights[PP_SYNTH_BLOCK], uint8_t *out)
{
    int32_t levels[PP_SYNTH_BLOCK];
    float scale = largest_signed(weights) / -8.0f;
    float inverse = scale != 0 ? 1.0f / scale : 0;

    put_u16(out, pp_half_of_float(scale));
    for (int i = 0; i < PP_SYNTH_BLOCK; i++) {
        int32_t level = (int32_t)(weights[i] * inverse + 8.5f);

        levels[i] = level < 15 ? level : 15;
    }
    for (int i = 0; i < PP_SYNTH_BLOCK / 2; i++)
        out[2 + i] = (uint8_t)(levels[i] | levels[i + PP_SYNTH_BLOCK / 2] << 4);
}

void pp_synth_write_q4_0(const pp_synth_values *values, uint64_t first_block, size_t n_blocks,
                         uint8_t *out)
{
    uint64_t state = values->key + first_block * RANDOMS_PER_BLOCK * PP_RANDOM_GAMMA;

    for (size_t block = 0; block < n_blocks; block++, out += PP_SYNTH_Q4_0_BLOCK_BYTES) {
        float weights[PP_SYNTH_BLOCK];

        state = gather_block(values->floats, state, weights);
        encode_q4_0(weights, out);
    }
}

/* ---- given weights ------------------------------------------------------------------------- */

void pp_synth_encode_f16(const float weights[PP_SYNTH_BLOCK], uint8_t *out)
{
    for (size_t i = 0; i < PP_SYNTH_BLOCK; i++)
        put_u16(out + 2 * i, pp_half_of_float(weights[i]));
}

void pp_synth_encode_q8_0(const float weights[PP_SYNTH_BLOCK], uint8_t *out)
{
    encode_q8_0(weights, out);
}

void pp_synth_encode_q4_0(const float weights[PP_SYNTH_BLOCK], uint8_t *out)
{
    encode_q4_0(weights, out);
}
