/* synth_half.h - IEEE 754 half precision in integers.
 *
 * The compiler's own half type exists only on some machines, and the bytes of a model must be equal
 * on all of them (K36). */
#ifndef PP_ENGINE_SYNTH_HALF_H
#define PP_ENGINE_SYNTH_HALF_H

#include <stdint.h>

/** Bits of the half nearest to `value`, ties to even; beyond 65504 infinity, NaN stays NaN. */
uint16_t pp_half_of_float(float value);

/** The exact value of a half. */
float pp_half_to_float(uint16_t half);

#endif
