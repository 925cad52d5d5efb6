/* model_table.h - a language model written down: for each last token, what comes next and how
 * likely.
 *
 * Read from docs/formats/model-table.md. `engine` makes a GGUF file of it that a real server runs,
 * so whatever passes through that server has a truth that can be computed from this document alone.
 */
#ifndef PP_MODEL_MODEL_TABLE_H
#define PP_MODEL_MODEL_TABLE_H

#include <stdbool.h>

#include "model/name_index.h"
#include "json/json.h"

/* 2,048 tokens with a row of 100 entries for every fourth take some 2 MiB. */
#define PP_TABLE_MAX_BYTES      ((size_t)16 << 20)
/* Each row takes 32 numbers of a hidden state; 512 rows make one of 16,384, the largest in use. */
#define PP_TABLE_MAX_ROWS       511
#define PP_TABLE_MAX_TOKENS     2048
#define PP_TABLE_MAX_NAME_BYTES 64
/* Longer than any word; the text of an answer may be one token. */
#define PP_TABLE_MAX_TEXT_BYTES 256

/* A positive probability is at least this: far above what is left for tokens that are not listed.
 */
#define PP_TABLE_MIN_PROBABILITY 1e-6
/* Six written digits, as in 0.333333 three times, are close enough to 1. */
#define PP_TABLE_SUM_TOLERANCE   1e-6

/* The token "end" of a row: the answer is complete. */
#define PP_TABLE_END SIZE_MAX

typedef struct pp_table_entry {
    size_t token;       /* index into tokens, or PP_TABLE_END */
    double probability; /* PP_TABLE_MIN_PROBABILITY to 1, as written (rows are not rescaled) */
} pp_table_entry;

typedef struct pp_table_row {
    pp_table_entry *next; /* document order, each token once, zeros left out; at least one */
    size_t next_count;
} pp_table_row;

typedef struct pp_table_state {
    size_t token; /* the last token that leads here */
    pp_table_row row;
} pp_table_state;

typedef struct pp_model_table {
    pp_text name;
    pp_text *tokens; /* vocabulary; all differ */
    size_t token_count;
    pp_table_state *states; /* document order, each token at most once */
    size_t state_count;
    pp_table_row otherwise; /* after every other token, a byte of free text included */
    bool has_chat_state;
    size_t chat_state; /* token that ends every rendered chat; only with has_chat_state */
    bool endless;      /* some answers never end, on purpose */
} pp_model_table;

/**
 * Decode a parsed table. Texts are borrowed from the document, arrays live in `arena`.
 * Fails with PP_ERR_SCHEMA "$.path: ..." naming what was found and what was expected.
 */
PP_MUST_CHECK pp_status pp_model_table_decode(pp_arena *arena, const pp_json *root,
                                              pp_model_table *ret_table, pp_error *err);

/** Read a file of at most PP_TABLE_MAX_BYTES. */
PP_MUST_CHECK pp_status pp_model_table_load(pp_arena *arena, const char *path,
                                            pp_model_table *ret_table, pp_error *err);

#endif
