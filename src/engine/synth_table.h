/* synth_table.h - what a model that is made from a table consists of: shape, weights, texts,
 * template.
 *
 * The hidden state names the last token and nothing else: attention and feed-forward weights are
 * zero, and the embedding of a token has one number that is not, in the slot of the token's row.
 * The output matrix holds log(probability) / sqrt(width) there, so the logit is log(probability).
 * Slots are a whole quantisation block apart, so that a block never has more than one number and
 * every type keeps it to half precision. Method: docs/method/table-models.md. */
#ifndef PP_ENGINE_SYNTH_TABLE_H
#define PP_ENGINE_SYNTH_TABLE_H

#include "base/buffer.h"
#include "engine/shape.h"
#include "engine/synth_plan.h"
#include "model/model_table.h"

/* Logit of a token that is not listed: e^-32 = 1.3e-14, and a power of two, exact in every type. */
#define PP_SYNTH_FLOOR_LOGIT (-32.0)

typedef struct pp_synth_table {
    const pp_model_table *table; /* borrowed */
    pp_shape shape;
    size_t row_count;     /* slot 0 is `otherwise`, slot 1 + i state i */
    size_t *slots;        /* of each token id of the vocabulary */
    float *output_column; /* vocab_size times row_count numbers: those of the output matrix */
} pp_synth_table;

/** Everything lives in `arena`. Fails with PP_ERR_MEMORY. */
PP_MUST_CHECK pp_status pp_synth_table_init(pp_arena *arena, const pp_model_table *table,
                                            pp_synth_table *ret_table, pp_error *err);

/** Row `number` of a matrix of this role: dims[0] numbers, all but a few of them zero. */
void pp_synth_table_row(const pp_synth_table *t, pp_synth_role role, uint32_t number,
                        uint32_t length, float *ret_row);

/** Text and llama.cpp type of token `id`. The text is valid until the next call with `scratch`. */
pp_text pp_synth_table_token(const pp_synth_table *t, uint32_t id, char scratch[8],
                             int32_t *ret_type);

/** A Jinja template: the last message, then the text of the chat state when the table has one. */
void pp_synth_table_put_template(pp_buf *buf, const pp_model_table *table);

/** log(x) for 0 < x <= 1 by IEEE operations in a fixed order, to 1e-15: the last bit of a library's
 * log differs by machine. */
double pp_synth_table_log(double x);

#endif
