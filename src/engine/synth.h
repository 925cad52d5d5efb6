/* synth.h - writes models: the shape of a known one with random weights, or a declared table.
 *
 * Speed and memory of dense inference depend on shapes, not on values, so a model of a known shape
 * answers what the real one would do on a machine before anybody downloads it. Its text means
 * nothing. A table model is the reverse: it looks like no real one, and its answers are known.
 * Each file says what it is (`paretopilot.weights` = "synthetic" or "constructed"), in a key that
 * survives requantisation. */
#ifndef PP_ENGINE_SYNTH_H
#define PP_ENGINE_SYNTH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "digest/sha256.h"
#include "engine/shape.h"
#include "model/model_table.h"

/* GGUF keys that models of ours carry. */
#define PP_GGUF_KEY_WEIGHTS "paretopilot.weights"
#define PP_GGUF_KEY_SHAPE   "paretopilot.shape"
#define PP_GGUF_KEY_SEED    "paretopilot.seed"
#define PP_GGUF_KEY_TABLE   "paretopilot.table" /* the table's name */

typedef enum pp_synth_type { PP_SYNTH_F16, PP_SYNTH_Q8_0, PP_SYNTH_Q4_0 } pp_synth_type;

/** "f16", "q8_0", "q4_0"; fails with PP_ERR_USAGE naming the choices. */
PP_MUST_CHECK pp_status pp_synth_type_parse(const char *text, pp_synth_type *ret_type,
                                            pp_error *err);
const char *pp_synth_type_name(pp_synth_type type);

typedef struct pp_synth_request {
    /* Exactly one of the two, borrowed; a shape's vocab_size is at least PP_SYNTH_VOCAB_MINIMUM. */
    const pp_shape *shape;
    const pp_model_table *table;
    pp_synth_type type;
    uint64_t seed; /* of a shape's weights; a table has none */
    /* Called after every piece of some 100 KiB; false ends the work with PP_ERR_INTERRUPTED. May be
     * NULL. */
    bool (*progress)(void *context, int64_t done_weights, int64_t all_weights);
    void *context;
} pp_synth_request;

typedef struct pp_synth_result {
    int64_t parameter_count;
    int64_t size_bytes;
    char sha256[PP_SHA256_HEX_SIZE];
    int64_t synthesis_ns; /* making and writing the weights */
    int64_t digest_ns;    /* hashing them on the way */
    int64_t commit_ns;    /* until the disk has them (fsync) */
} pp_synth_result;

/**
 * Write the model as a new file; it appears complete or not at all.
 *
 * The bytes follow from shape, type and seed (or table and type) alone, on every machine. The three
 * types of one seed or table hold the same weights, exactly (F16) or quantised from those. Memory
 * stays below 32 MiB.
 *
 * Fails with PP_ERR_EXISTS, PP_ERR_IO, PP_ERR_MEMORY or PP_ERR_INTERRUPTED.
 */
PP_MUST_CHECK pp_status pp_synth_write(const char *path, const pp_synth_request *request,
                                       pp_synth_result *ret_result, pp_error *err);

#endif
