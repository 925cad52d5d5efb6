/* study_order.h - in which order candidates run in each pass. Pure; docs/formats/study-plan.md has
 * the reasons. */
#ifndef PP_MODEL_STUDY_ORDER_H
#define PP_MODEL_STUDY_ORDER_H

#include <stddef.h>
#include <stdint.h>

/** All three: index of the candidate at `position` (from 0, below count) of pass `pass` (from 1).
 */

/** Document order in odd passes, reversed in even ones. */
size_t pp_order_mirrored(size_t count, int64_t pass, size_t position);

/** A permutation of its own for each pass, each equally likely, drawn from the seed. */
size_t pp_order_shuffled(size_t count, uint64_t seed, int64_t pass, size_t position);

/**
 * Rows of Williams squares over the candidates: within a square every candidate stands in every
 * place equally often, and comes directly after every other one once (an odd count needs twice as
 * many rows, and there it is twice). A square has `count` rows, or 2 x count where the count is
 * odd; the names of the candidates and the order of the rows are drawn anew for each square.
 * Source: E. J. Williams 1949, "Experimental designs balanced for the estimation of residual
 * effects of treatments".
 */
size_t pp_order_williams(size_t count, uint64_t seed, int64_t pass, size_t position);

/** Passes of a whole Williams square: 1, count or 2 x count. */
size_t pp_order_williams_rows(size_t count);

#endif
