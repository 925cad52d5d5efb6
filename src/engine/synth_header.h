/* synth_header.h - everything of a synthetic GGUF file in front of its tensor data. */
#ifndef PP_ENGINE_SYNTH_HEADER_H
#define PP_ENGINE_SYNTH_HEADER_H

#include "base/buffer.h"
#include "engine/synth.h"
#include "engine/synth_plan.h"
#include "engine/synth_table.h"

/* 150,000 tokens take 4 MB. */
#define PP_SYNTH_HEADER_MAX_BYTES   ((size_t)16 << 20)
/* One expression, and a token's text with every character escaped. */
#define PP_SYNTH_TEMPLATE_MAX_BYTES ((size_t)128 + 2 * (size_t)PP_TABLE_MAX_TEXT_BYTES)

/** Append the header, padded to the alignment. `table` is NULL for a model of a shape alone.
 * Failures stay in `buf`. */
void pp_synth_header_put(pp_buf *buf, const pp_synth_request *request, const pp_synth_table *table,
                         const pp_synth_plan *plan);

#endif
