/* bench_names.h - one model, two names.
 *
 * llama-bench on x86 writes each byte above 0x7F of a name as U+FFFF and an 'f', on Arm the byte
 * itself. Which letter it was is lost: two names that differ in accents look the same once garbled.
 */
#ifndef PP_INTAKE_BENCH_NAMES_H
#define PP_INTAKE_BENCH_NAMES_H

#include "intake/llama_bench.h"

/** Equal, or equal once garbled when one of them is. */
bool pp_bench_same_name(pp_arena *arena, pp_text a, pp_text b);

/**
 * Give each row with a garbled model_filename the readable one among the rows that it stands for;
 * where there is none it stays. `fields` stay as they were written.
 *
 * Fails with PP_ERR_DOMAIN when a garbled name may stand for several.
 */
PP_MUST_CHECK pp_status pp_bench_settle_names(pp_arena *arena, pp_bench_row *rows, size_t n,
                                              pp_error *err);

#endif
