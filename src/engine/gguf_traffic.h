/* gguf_traffic.h - how many bytes a generated token moves, from the header alone. */
#ifndef PP_ENGINE_GGUF_TRAFFIC_H
#define PP_ENGINE_GGUF_TRAFFIC_H

#include "engine/gguf.h"
#include "engine/gguf_meta.h"
#include "engine/gguf_tensors.h"

/** Fill streamed_bytes_per_token, tied_embedding and their note; the other fields are set. */
void pp_gguf_count_streamed(const pp_gguf_table *table, pp_gguf *gguf);

/** Fill kv_bytes_per_position_f16 and its note; the other fields are set. */
PP_MUST_CHECK pp_status pp_gguf_count_kv(pp_arena *arena, const pp_gguf_meta *meta, pp_gguf *gguf,
                                         pp_error *err);

#endif
