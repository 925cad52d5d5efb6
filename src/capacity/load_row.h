/* load_row.h - the figures of one level of a load evaluation, from its samples.
 *
 * Pure, and the original's arithmetic to the last bit, because a reader recomputes every figure.
 * docs/formats/load-evaluation.md has the formulas. */
#ifndef PP_CAPACITY_LOAD_ROW_H
#define PP_CAPACITY_LOAD_ROW_H

#include "model/load_evaluation.h"

/**
 * Fill everything below `samples`. row->samples holds at least one, each without fault.
 * Fails with PP_ERR_DOMAIN when a figure is beyond the range of a number, PP_ERR_MEMORY.
 */
PP_MUST_CHECK pp_status pp_load_row_derive(pp_load_row *row, const pp_load_slo *slo, pp_error *err);

/** The largest concurrency of rows that met every limit, whatever smaller ones did. */
pp_maybe_int pp_load_highest_slo_concurrency(const pp_load_row *rows, size_t count);

#endif
