#include "engine/synth.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/files.h"
#include "engine/gguf_types.h"
#include "engine/synth_half.h"
#include "engine/synth_header.h"
#include "engine/synth_plan.h"
#include "engine/synth_table.h"
#include "engine/synth_values.h"
#include "engine/synth_vocab.h"

static const char *const type_names[] = {
    [PP_SYNTH_F16] = "f16", [PP_SYNTH_Q8_0] = "q8_0", [PP_SYNTH_Q4_0] = "q4_0"};

pp_status pp_synth_type_parse(const char *text, pp_synth_type *ret_type, pp_error *err)
{
    for (size_t i = 0; i < PP_COUNT_OF(type_names); i++) {
        if (strcmp(type_names[i], text) == 0) {
            *ret_type = (pp_synth_type)i;
            return PP_OK;
        }
    }
    return pp_fail(err, PP_ERR_USAGE, "unknown type '%s'; expected f16, q8_0 or q4_0", text);
}

const char *pp_synth_type_name(pp_synth_type type)
{
    return type_names[type];
}

/* A piece fits the second-level cache between being made, hashed and written. */
#define PIECE_BLOCKS ((size_t)4096)
#define PIECE_BYTES  (PIECE_BLOCKS * PP_SYNTH_F16_BLOCK_BYTES)

typedef struct writer {
    const pp_synth_request *request;
    pp_synth_table table; /* of a table model */
    float *row;           /* of it, the longest of a tensor */
    pp_synth_plan plan;
    pp_new_file file;
    pp_sha256 *digest;
    pp_synth_values *values;
    int16_t *quantiles;
    uint8_t *piece; /* PIECE_BYTES */
    int64_t written_bytes;
    int64_t done_weights;
    int64_t digest_ns;
} writer;

static pp_status emit(writer *w, const void *bytes, size_t size, pp_error *err)
{
    int64_t start_ns = pp_clock_now_ns();

    pp_sha256_update(w->digest, bytes, size);
    w->digest_ns += pp_clock_now_ns() - start_ns;
    if (fwrite(bytes, 1, size, w->file.stream) != size)
        return pp_fail_errno(err, PP_ERR_IO, errno, "writing '%s'", w->file.path);
    w->written_bytes += (int64_t)size;
    return PP_OK;
}

static pp_status count_progress(writer *w, int64_t weights, pp_error *err)
{
    const pp_synth_request *r = w->request;

    w->done_weights += weights;
    if (r->progress != NULL && !r->progress(r->context, w->done_weights, w->plan.parameter_count))
        return pp_fail(err, PP_ERR_INTERRUPTED, "interrupted; nothing was written");
    return PP_OK;
}

/* The scale of a norm is one, whatever the seed. */
static pp_status emit_ones(writer *w, const pp_synth_tensor *tensor, pp_error *err)
{
    static const uint8_t one[] = {0x00, 0x00, 0x80, 0x3f};
    pp_status st;

    PP_ASSERT(tensor->size_bytes <= (int64_t)PIECE_BYTES);
    for (int64_t i = 0; i < tensor->weight_count; i++)
        memcpy(w->piece + i * 4, one, sizeof one);
    st = emit(w, w->piece, (size_t)tensor->size_bytes, err);
    return st == PP_OK ? count_progress(w, tensor->weight_count, err) : st;
}

/* How the blocks of a type are made: many of random weights, or one of given ones. */
typedef struct block_type {
    uint32_t ggml_type;
    size_t block_bytes;
    void (*make)(const pp_synth_values *values, uint64_t first_block, size_t n_blocks,
                 uint8_t *out);
    void (*encode)(const float weights[PP_SYNTH_BLOCK], uint8_t *out);
} block_type;

static const block_type *block_type_of(uint32_t ggml_type)
{
    static const block_type types[] = {
        {PP_GGML_F16, PP_SYNTH_F16_BLOCK_BYTES, pp_synth_write_f16, pp_synth_encode_f16},
        {PP_GGML_Q8_0, PP_SYNTH_Q8_0_BLOCK_BYTES, pp_synth_write_q8_0, pp_synth_encode_q8_0},
        {PP_GGML_Q4_0, PP_SYNTH_Q4_0_BLOCK_BYTES, pp_synth_write_q4_0, pp_synth_encode_q4_0},
    };
    size_t i = 0;

    while (i < PP_COUNT_OF(types) && types[i].ggml_type != ggml_type)
        i++;
    PP_ASSERT(i < PP_COUNT_OF(types));
    return &types[i];
}

static pp_status emit_random(writer *w, const pp_synth_tensor *tensor, pp_error *err)
{
    const block_type *type = block_type_of(tensor->ggml_type);
    size_t block_bytes = type->block_bytes;
    int64_t left_bytes = tensor->size_bytes;
    pp_status st = PP_OK;

    pp_synth_values_init(w->values, w->quantiles, w->request->seed, tensor->number, tensor->scale);
    for (uint64_t block = 0; st == PP_OK && left_bytes > 0; block += PIECE_BLOCKS) {
        /* only an F16 tensor of odd rows may end inside a block */
        size_t left_blocks = ((size_t)left_bytes + block_bytes - 1) / block_bytes;
        size_t n_blocks = left_blocks < PIECE_BLOCKS ? left_blocks : PIECE_BLOCKS;
        size_t size = n_blocks * block_bytes;

        size = size < (size_t)left_bytes ? size : (size_t)left_bytes;
        type->make(w->values, block, n_blocks, w->piece);
        st = emit(w, w->piece, size, err);
        left_bytes -= (int64_t)size;
        if (st == PP_OK)
            st = count_progress(w, (int64_t)(size / block_bytes * PP_SYNTH_BLOCK), err);
    }
    return st;
}

/* ---- a table ------------------------------------------------------------------------------- */

/* Quantised types start from the halves of the F16 file, as llama-quantize would. */
static void round_to_halves(float *weights, size_t count)
{
    for (size_t i = 0; i < count; i++)
        weights[i] = pp_half_to_float(pp_half_of_float(weights[i]));
}

static pp_status emit_table(writer *w, const pp_synth_tensor *tensor, pp_error *err)
{
    const block_type *type = block_type_of(tensor->ggml_type);
    size_t block_bytes = type->block_bytes;
    uint32_t length = tensor->dims[0];
    size_t n_blocks = length / PP_SYNTH_BLOCK;
    pp_status st = PP_OK;

    PP_ASSERT(length % PP_SYNTH_BLOCK == 0 && n_blocks * block_bytes <= PIECE_BYTES);
    for (uint32_t row = 0; st == PP_OK && row < tensor->dims[1]; row++) {
        pp_synth_table_row(&w->table, tensor->role, row, length, w->row);
        round_to_halves(w->row, length);
        for (size_t i = 0; i < n_blocks; i++)
            type->encode(w->row + i * PP_SYNTH_BLOCK, w->piece + i * block_bytes);
        st = emit(w, w->piece, n_blocks * block_bytes, err);
        if (st == PP_OK)
            st = count_progress(w, length, err);
    }
    return st;
}

/* ---- the file ------------------------------------------------------------------------------ */

static pp_status emit_padding(writer *w, const pp_synth_tensor *tensor, pp_error *err)
{
    static const uint8_t zeros[PP_SYNTH_ALIGNMENT];
    size_t tail = (size_t)(tensor->size_bytes % PP_SYNTH_ALIGNMENT);

    return tail == 0 ? PP_OK : emit(w, zeros, sizeof zeros - tail, err);
}

static pp_status emit_header(writer *w, pp_error *err)
{
    pp_buf header;
    pp_status st;

    pp_buf_init(&header, PP_SYNTH_HEADER_MAX_BYTES);
    pp_synth_header_put(&header, w->request, w->request->table != NULL ? &w->table : NULL,
                        &w->plan);
    st = pp_buf_check(&header, "the model's header", err);
    if (st == PP_OK)
        st = emit(w, header.data, header.size, err);
    pp_buf_done(&header);
    return st;
}

static pp_status emit_tensor(writer *w, const pp_synth_tensor *tensor, pp_error *err)
{
    if (tensor->role == PP_SYNTH_NORM)
        return emit_ones(w, tensor, err);
    return w->request->table != NULL ? emit_table(w, tensor, err) : emit_random(w, tensor, err);
}

static pp_status emit_all(writer *w, pp_error *err)
{
    pp_status st = emit_header(w, err);

    pp_synth_quantiles(w->quantiles);
    for (size_t i = 0; st == PP_OK && i < w->plan.tensor_count; i++) {
        const pp_synth_tensor *tensor = &w->plan.tensors[i];

        st = emit_tensor(w, tensor, err);
        if (st == PP_OK)
            st = emit_padding(w, tensor, err);
    }
    return st;
}

static pp_status plan_tensors(writer *w, pp_arena *arena, pp_error *err)
{
    const pp_shape *shape = w->request->shape;

    if (w->request->table != NULL) {
        pp_status st = pp_synth_table_init(arena, w->request->table, &w->table, err);

        if (st != PP_OK)
            return st;
        shape = &w->table.shape;
        w->row = PP_ARENA_NEW(arena, float, shape->embedding_length);
    }
    return pp_synth_plan_make(arena, shape, w->request->type, &w->plan, err);
}

static pp_status prepare(writer *w, pp_arena *arena, const char *path, pp_error *err)
{
    pp_status st = plan_tensors(w, arena, err);

    if (st != PP_OK)
        return st;
    w->values = PP_ARENA_NEW(arena, pp_synth_values, 1);
    w->quantiles = PP_ARENA_NEW(arena, int16_t, PP_SYNTH_TABLE_SIZE);
    w->piece = PP_ARENA_NEW(arena, uint8_t, PIECE_BYTES);
    w->digest = pp_sha256_new();
    if (w->digest == NULL || arena->failed)
        return pp_fail(err, PP_ERR_MEMORY, "out of memory for a synthetic model");
    return pp_new_file_open(path, &w->file, err);
}

pp_status pp_synth_write(const char *path, const pp_synth_request *request,
                         pp_synth_result *ret_result, pp_error *err)
{
    pp_arena arena = {0};
    writer w = {.request = request};
    pp_synth_result result = {0};
    int64_t start_ns = pp_clock_now_ns();
    int64_t end_ns;
    pp_status st;

    PP_ASSERT((request->shape != NULL) != (request->table != NULL));
    PP_ASSERT(request->shape == NULL || request->shape->vocab_size >= PP_SYNTH_VOCAB_MINIMUM);
    st = prepare(&w, &arena, path, err);
    if (st == PP_OK)
        st = emit_all(&w, err);
    end_ns = pp_clock_now_ns();
    if (st != PP_OK)
        goto done;
    result.parameter_count = w.plan.parameter_count;
    result.size_bytes = w.written_bytes;
    result.digest_ns = w.digest_ns;
    result.synthesis_ns = end_ns - start_ns - w.digest_ns;
    pp_sha256_finish(w.digest, result.sha256);
    st = pp_new_file_commit(&w.file, err);
    result.commit_ns = pp_clock_now_ns() - end_ns;
    if (st == PP_OK)
        *ret_result = result;
done:
    pp_new_file_abandon(&w.file);
    pp_sha256_free(w.digest);
    pp_arena_done(&arena);
    return st;
}
