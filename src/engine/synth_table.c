#include "engine/synth_table.h"

#include <math.h>
#include <string.h>

#include "engine/synth_values.h"
#include "engine/synth_vocab.h"

/* Behind the specials, the byte tokens and the word mark, which free text needs for its spaces. */
#define FIRST_TOKEN (PP_SYNTH_FIRST_PIECE + 1)

/* ---- numbers ------------------------------------------------------------------------------- */

#define LN_2         0.693147180559945309417
#define SQRT_HALF    0.707106781186547524401
/* |t| <= 0.1716, and t^25 / 25 is below the last bit. */
#define SERIES_TERMS 13

/* x = m 2^e with m from sqrt(1/2) to sqrt(2); log m = 2 (t + t^3/3 + t^5/5 + ...) with
 * t = (m - 1)/(m + 1). Source: Abramowitz & Stegun 4.1.27. */
double pp_synth_table_log(double x)
{
    int exponent;
    double m = frexp(x, &exponent); /* exact, 1/2 to 1 */
    double t, sum = 0;

    if (m < SQRT_HALF) {
        m *= 2;
        exponent--;
    }
    t = (m - 1) / (m + 1);
    for (int n = SERIES_TERMS - 1; n >= 0; n--)
        sum = sum * (t * t) + 1.0 / (2 * n + 1);
    return exponent * LN_2 + 2 * t * sum;
}

/* The power of 4, at least 64, that has a block for every row: its square root is a power of two,
 * exact in half precision (K52). */
static uint32_t width_for(size_t row_count)
{
    uint32_t width = 64;

    while (width / PP_SYNTH_BLOCK < row_count)
        width *= 4;
    return width;
}

static float root_of(uint32_t power_of_4)
{
    float root = 1;

    for (; power_of_4 > 1; power_of_4 /= 4)
        root *= 2;
    return root;
}

/* ---- shape and weights --------------------------------------------------------------------- */

/* The least that llama.cpp runs: one block, one head, lengths of one quantisation block. */
static pp_shape shape_of(const pp_model_table *table)
{
    return (pp_shape){
        .name = "table",
        .block_count = 1,
        .embedding_length = width_for(table->state_count + 1),
        .feed_forward_length = PP_SYNTH_BLOCK,
        .head_count = 1,
        .head_count_kv = 1,
        .vocab_size = FIRST_TOKEN + (uint32_t)table->token_count,
        .tied = false,
        .context_length = 131072,
        .rope_freq_base = 1e4f,
        .rms_epsilon = 1e-6f, /* beside a mean square of exactly 1 */
        .head_length = PP_SYNTH_BLOCK,
    };
}

static uint32_t id_of(size_t token)
{
    return token == PP_TABLE_END ? PP_SYNTH_EOS_ID : FIRST_TOKEN + (uint32_t)token;
}

static void fill_row(pp_synth_table *t, size_t slot, const pp_table_row *row)
{
    double root = (double)root_of(t->shape.embedding_length);

    for (uint32_t id = 0; id < t->shape.vocab_size; id++)
        t->output_column[id * t->row_count + slot] = (float)(PP_SYNTH_FLOOR_LOGIT / root);
    for (size_t i = 0; i < row->next_count; i++) {
        double logit = pp_synth_table_log(row->next[i].probability);

        t->output_column[id_of(row->next[i].token) * t->row_count + slot] = (float)(logit / root);
    }
}

pp_status pp_synth_table_init(pp_arena *arena, const pp_model_table *table,
                              pp_synth_table *ret_table, pp_error *err)
{
    pp_synth_table t = {
        .table = table, .shape = shape_of(table), .row_count = table->state_count + 1};

    t.slots = PP_ARENA_NEW(arena, size_t, t.shape.vocab_size);
    t.output_column = PP_ARENA_NEW(arena, float, t.shape.vocab_size *t.row_count);
    if (t.slots == NULL || t.output_column == NULL)
        return pp_arena_check(arena, err);
    fill_row(&t, 0, &table->otherwise);
    for (size_t i = 0; i < table->state_count; i++) {
        t.slots[id_of(table->states[i].token)] = 1 + i;
        fill_row(&t, 1 + i, &table->states[i].row);
    }
    *ret_table = t;
    return PP_OK;
}

void pp_synth_table_row(const pp_synth_table *t, pp_synth_role role, uint32_t number,
                        uint32_t length, float *ret_row)
{
    for (uint32_t i = 0; i < length; i++)
        ret_row[i] = role == PP_SYNTH_NORM ? 1.0f : 0.0f;
    if (role == PP_SYNTH_EMBEDDING)
        ret_row[t->slots[number] * PP_SYNTH_BLOCK] = root_of(length);
    if (role == PP_SYNTH_OUTPUT) {
        for (size_t slot = 0; slot < t->row_count; slot++)
            ret_row[slot * PP_SYNTH_BLOCK] = t->output_column[number * t->row_count + slot];
    }
}

/* ---- texts --------------------------------------------------------------------------------- */

pp_text pp_synth_table_token(const pp_synth_table *t, uint32_t id, char scratch[8],
                             int32_t *ret_type)
{
    /* llama.cpp cuts user-defined texts out of a prompt before anything else, and gives them back
     * as they are; a normal piece would need all its parts as pieces too. */
    enum { USER_DEFINED = 4 };

    *ret_type = USER_DEFINED;
    if (id >= FIRST_TOKEN)
        return t->table->tokens[id - FIRST_TOKEN];
    *ret_type = pp_synth_token_type(id);
    return (pp_text){scratch, pp_synth_token_text(id, scratch)};
}

static void put_jinja_string(pp_buf *buf, pp_text text)
{
    pp_buf_append_char(buf, '"');
    for (size_t i = 0; i < text.size; i++) {
        char c = text.data[i];

        if (c == '"' || c == '\\')
            pp_buf_append_char(buf, '\\');
        if (c == '\n' || c == '\t')
            pp_buf_append_text(buf, c == '\n' ? "\\n" : "\\t");
        else
            pp_buf_append_char(buf, c);
    }
    pp_buf_append_char(buf, '"');
}

void pp_synth_table_put_template(pp_buf *buf, const pp_model_table *table)
{
    pp_buf_append_text(buf, "{{ messages[-1]['content'] }}");
    if (!table->has_chat_state)
        return;
    pp_buf_append_text(buf, "{{ ");
    put_jinja_string(buf, table->tokens[table->chat_state]);
    pp_buf_append_text(buf, " }}");
}
