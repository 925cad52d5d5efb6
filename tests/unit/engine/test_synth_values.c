/* Vectors: the first outputs of splitmix64 with seed 1; normal quantiles from libm's erfc; a naive
 * float quantiser after ggml's reference. The digests at the end pin the bytes: this file is also
 * built without optimisation and with all of it. */
#include "engine/synth_values.h"

#include "stats/random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "digest/sha256.h"
#include "engine/synth_half.h"
#include "shared.h"

/* The value of half bits by its definition. */
static float half_by_definition(unsigned bits)
{
    int exponent = (int)(bits >> 10 & 31);
    double fraction = bits & 1023;
    double value = exponent == 0 ? ldexp(fraction, -24) : ldexp(1024 + fraction, exponent - 25);

    return (float)((bits & 0x8000) != 0 ? -value : value);
}

static void every_half_has_its_value_and_comes_back(void **state)
{
    (void)state;
    for (unsigned bits = 0; bits < 0x10000; bits++) {
        float value = pp_half_to_float((uint16_t)bits);

        if ((bits & 0x7c00) == 0x7c00) {
            assert_true((bits & 1023) != 0 ? isnan(value) : isinf(value));
        } else {
            float want = half_by_definition(bits);

            assert_memory_equal(&value, &want, sizeof value);
        }
        if (!isnan(value))
            assert_int_equal(pp_half_of_float(value), bits);
    }
    assert_int_equal(pp_half_of_float(NAN) & 0x7fff, 0x7e00);
}

/* Between each two neighbours: the middle goes to the even one, a hair beside it to the nearer. */
static void floats_round_to_the_nearest_half_and_ties_to_even(void **state)
{
    (void)state;
    for (unsigned bits = 0; bits < 0x7bff; bits++) {
        float middle = (half_by_definition(bits) + half_by_definition(bits + 1)) / 2;
        unsigned even = bits % 2 == 0 ? bits : bits + 1;

        assert_int_equal(pp_half_of_float(middle), even);
        assert_int_equal(pp_half_of_float(-middle), even | 0x8000);
        assert_int_equal(pp_half_of_float(nextafterf(middle, 0)), bits);
        assert_int_equal(pp_half_of_float(nextafterf(middle, INFINITY)), bits + 1);
    }
    assert_int_equal(pp_half_of_float(65519.996f), 0x7bff);
    assert_int_equal(pp_half_of_float(65520.0f), 0x7c00);
    assert_int_equal(pp_half_of_float(1e30f), 0x7c00);
}

static void the_generator_is_splitmix64(void **state)
{
    (void)state;
    assert_true(pp_random_at(1, 0) == 0x910a2dec89025cc1u);
    assert_true(pp_random_at(1, 1) == 0xbeeb8da1658eec67u);
    assert_true(pp_random_at(1, 2) == 0xf893a2eefb32555eu);
}

/* The smallest z with Phi(z) >= p for p >= 1/2, by bisection on libm's erfc. */
static double quantile_by_erfc(double p)
{
    double low = 0;
    double high = 5;

    for (int i = 0; i < 100; i++) {
        double z = (low + high) / 2;

        if (1 - p >= erfc(z / sqrt(2)) / 2)
            high = z;
        else
            low = z;
    }
    return high;
}

static void the_table_holds_rounded_normal_quantiles(void **state)
{
    int16_t table[PP_SYNTH_TABLE_SIZE];

    (void)state;
    pp_synth_quantiles(table);
    for (int i = 2048; i < PP_SYNTH_TABLE_SIZE; i++) {
        assert_int_equal(table[i], lround(8192 * quantile_by_erfc((i + 0.5) / 4096)));
        assert_int_equal(table[4095 - i], -table[i]);
    }
}

/* ---- the three types --------------------------------------------------------------------------
 */

#define BLOCKS 2000
#define COUNT  (BLOCKS * 32)

typedef struct samples {
    pp_synth_values values;
    uint8_t f16[BLOCKS * 64];
    uint8_t q8_0[BLOCKS * 34];
    uint8_t q4_0[BLOCKS * 18];
    float weights[COUNT]; /* as the F16 bytes say */
} samples;

static samples *make_samples(uint64_t seed, uint64_t tensor, double scale)
{
    static samples s;
    int16_t table[PP_SYNTH_TABLE_SIZE];

    pp_synth_quantiles(table);
    pp_synth_values_init(&s.values, table, seed, tensor, scale);
    pp_synth_write_f16(&s.values, 0, BLOCKS, s.f16);
    pp_synth_write_q8_0(&s.values, 0, BLOCKS, s.q8_0);
    pp_synth_write_q4_0(&s.values, 0, BLOCKS, s.q4_0);
    for (int i = 0; i < COUNT; i++)
        s.weights[i] = half_by_definition(s.f16[2 * i] | (unsigned)s.f16[2 * i + 1] << 8);
    return &s;
}

static void naive_q8_0(const float *x, uint8_t out[34])
{
    float largest = 0;
    float d;
    uint16_t half;

    for (int i = 0; i < 32; i++)
        largest = fmaxf(largest, fabsf(x[i]));
    d = largest / 127;
    half = pp_half_of_float(d);
    out[0] = (uint8_t)half;
    out[1] = (uint8_t)(half >> 8);
    for (int i = 0; i < 32; i++)
        out[2 + i] = (uint8_t)(int8_t)roundf(x[i] * (d != 0 ? 1 / d : 0));
}

static void naive_q4_0(const float *x, uint8_t out[18])
{
    float extreme = 0;
    float d, inverse;
    uint16_t half;

    for (int i = 0; i < 32; i++) {
        if (fabsf(x[i]) > fabsf(extreme))
            extreme = x[i];
    }
    d = extreme / -8;
    inverse = d != 0 ? 1 / d : 0;
    half = pp_half_of_float(d);
    out[0] = (uint8_t)half;
    out[1] = (uint8_t)(half >> 8);
    for (int i = 0; i < 16; i++) {
        int low = (int)(x[i] * inverse + 8.5f);
        int high = (int)(x[i + 16] * inverse + 8.5f);

        out[2 + i] = (uint8_t)((low > 15 ? 15 : low) + 16 * (high > 15 ? 15 : high));
    }
}

static void quantised_bytes_equal_a_naive_quantiser(void **state)
{
    static const double scales[] = {1, 0.03, 1e-3, 2e-7}; /* the last: most halves are subnormal */

    (void)state;
    for (size_t k = 0; k < PP_COUNT_OF(scales); k++) {
        const samples *s = make_samples(3 + k, k, scales[k]);

        for (int block = 0; block < BLOCKS; block++) {
            uint8_t want_q8_0[34];
            uint8_t want_q4_0[18];

            naive_q8_0(s->weights + block * 32, want_q8_0);
            naive_q4_0(s->weights + block * 32, want_q4_0);
            assert_memory_equal(s->q8_0 + block * 34, want_q8_0, 34);
            assert_memory_equal(s->q4_0 + block * 18, want_q4_0, 18);
        }
    }
}

/* Half a step for Q8_0; for Q4_0 a whole one at the end that has no level of its own; and what the
 * scale loses as a half (2^-11 of it). */
static void quantised_values_stay_near_the_weights(void **state)
{
    const samples *s = make_samples(1, 5, 0.03);

    (void)state;
    for (int i = 0; i < COUNT; i++) {
        const uint8_t *q8 = s->q8_0 + i / 32 * 34;
        const uint8_t *q4 = s->q4_0 + i / 32 * 18;
        int at = i % 32;
        float d8 = half_by_definition(q8[0] | (unsigned)q8[1] << 8);
        float d4 = half_by_definition(q4[0] | (unsigned)q4[1] << 8);
        int level = at < 16 ? q4[2 + at] & 15 : q4[2 + at - 16] >> 4;

        assert_true(fabsf(d8 * (int8_t)q8[2 + at] - s->weights[i]) <= d8 * 0.57f);
        assert_true(fabsf(d4 * (float)(level - 8) - s->weights[i]) <= fabsf(d4) * 1.01f);
    }
}

static void weights_spread_as_declared(void **state)
{
    const samples *s = make_samples(1, 0, 0.25);
    double sum = 0;
    double squares = 0;

    (void)state;
    for (int i = 0; i < COUNT; i++) {
        sum += s->weights[i];
        squares += (double)s->weights[i] * s->weights[i];
    }
    /* six standard errors of 64,000 independent draws; the table's own deviation is 0.9997 */
    assert_true(fabs(sum / COUNT) < 0.25 * 6 / sqrt(COUNT));
    assert_true(fabs(sqrt(squares / COUNT) / 0.25 - 1) < 6 / sqrt(2.0 * COUNT));
}

static void any_block_can_be_made_alone(void **state)
{
    const samples *s = make_samples(9, 2, 1);
    uint8_t part[7 * 64];

    (void)state;
    pp_synth_write_f16(&s->values, 100, 7, part);
    assert_memory_equal(part, s->f16 + 100 * 64, 7 * 64);
    pp_synth_write_q8_0(&s->values, 100, 7, part);
    assert_memory_equal(part, s->q8_0 + 100 * 34, 7 * 34);
    pp_synth_write_q4_0(&s->values, 100, 7, part);
    assert_memory_equal(part, s->q4_0 + 100 * 18, 7 * 18);
}

static void assert_digest(const void *bytes, size_t size, const char *want)
{
    char hex[PP_SHA256_HEX_SIZE];
    pp_error err = {0};

    assert_ok(pp_sha256_of(bytes, size, hex, &err), err);
    assert_string_equal(hex, want);
}

static void the_bytes_never_change(void **state)
{
    const samples *s = make_samples(1, 0, 0.03125);

    (void)state;
    assert_digest(s->f16, sizeof s->f16,
                  "615c2f425ef966c7c756c17338272864b5c249f38720197e022e5f175c1ee1d8");
    assert_digest(s->q8_0, sizeof s->q8_0,
                  "cb1c16076f829bdf794749ddf5e5e0dae8eb19fc8e4cb643058f272231d75569");
    assert_digest(s->q4_0, sizeof s->q4_0,
                  "f35b6458e3acbb8b61623f755b5f566b5571513eb3599202903595fcc1afa3e6");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_half_has_its_value_and_comes_back),
        cmocka_unit_test(floats_round_to_the_nearest_half_and_ties_to_even),
        cmocka_unit_test(the_generator_is_splitmix64),
        cmocka_unit_test(the_table_holds_rounded_normal_quantiles),
        cmocka_unit_test(quantised_bytes_equal_a_naive_quantiser),
        cmocka_unit_test(quantised_values_stay_near_the_weights),
        cmocka_unit_test(weights_spread_as_declared),
        cmocka_unit_test(any_block_can_be_made_alone),
        cmocka_unit_test(the_bytes_never_change),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
