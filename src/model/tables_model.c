/* Model files: what their header says, and what was written. */
#include "model/field_rows.h"
#include "model/model_table.h"
#include "model/tables.h"

WORD(word_model_info, "model-info");
WORD(word_model_synth, "model-synth");
static const char *const synth_type_words[] = {"f16", "q8_0", "q4_0", NULL};

static const pp_field type_rows[] = {
    MEMBER("type", "number of the ggml type", COUNT),
    MEMBER("name", "of the type; null when unknown", TEXT, OR_NULL),
    MEMBER("tensor_count", "tensors of this type", COUNT),
    MEMBER("parameter_count", "their weights", COUNT),
    MEMBER("size_bytes", "their bytes; null for an unknown type", COUNT, OR_NULL),
};
static const pp_fields type_fields = FIELDS("tensor-type", "one ggml type", type_rows);
static const pp_field_type type_type = {OBJECT(type_fields)};

static const pp_field info_rows[] = {
    MEMBER("schema_version", "version of the format", WORDS(pp_words_1_0)),
    MEMBER("document", "what this is", WORDS(word_model_info)),
    MEMBER("path", "the file", TEXT),
    OPTION("sha256", "of the file; in a bundle only", NULL, SHA256),
    MEMBER("size_bytes", "of the file", COUNT),
    MEMBER("gguf_version", "of its header, as the next ones", COUNT),
    MEMBER("key_count", "keys", COUNT),
    MEMBER("tensor_count", "tensors", COUNT),
    MEMBER("alignment_bytes", "of the tensor data", COUNT),
    MEMBER("data_offset_bytes", "where the tensor data begins", COUNT),
    MEMBER("split_count", "files that the model is spread over", COUNT, OR_NULL),
    MEMBER("architecture", "`general.architecture`", TEXT, OR_NULL),
    MEMBER("name", "`general.name`", TEXT, OR_NULL),
    MEMBER("weights",
           "`paretopilot.weights`: what a model of ours is made of, `synthetic` or `constructed`; "
           "null for all others",
           TEXT, OR_NULL),
    MEMBER("file_type", "`general.file_type`", COUNT, OR_NULL),
    MEMBER("file_type_name", "its name where known", TEXT, OR_NULL),
    MEMBER("parameter_count", "weights of all tensors in this file", COUNT),
    MEMBER("tensor_types", "ascending by type", LIST(type_type)),
    MEMBER("context_length", "the architecture's key, as the next ones", COUNT, OR_NULL),
    MEMBER("block_count", "blocks", COUNT, OR_NULL),
    MEMBER("embedding_length", "width", COUNT, OR_NULL),
    MEMBER("feed_forward_length", "inner width", COUNT, OR_NULL),
    MEMBER("head_count", "attention heads; null where blocks differ, as the next three", COUNT,
           OR_NULL),
    MEMBER("head_count_kv", "heads of keys and values", COUNT, OR_NULL),
    MEMBER("key_length", "of a head; embedding length over heads where the file does not say",
           COUNT, OR_NULL),
    MEMBER("value_length", "the same", COUNT, OR_NULL),
    MEMBER("expert_count", "of a mixture of experts", COUNT, OR_NULL),
    MEMBER("expert_used_count", "for one token", COUNT, OR_NULL),
    MEMBER("vocab_size", "the key, else the rows of the token embedding, else the tokenizer's",
           COUNT, OR_NULL),
    MEMBER("tokenizer_model", "its kind", TEXT, OR_NULL),
    MEMBER("tokenizer_token_count", "its tokens", COUNT, OR_NULL),
    MEMBER("has_chat_template", "whether the file holds one", BOOL),
    MEMBER("tied_embedding", "true when the token embedding is the output matrix too", BOOL,
           OR_NULL),
    MEMBER("streamed_bytes_per_token", "weights read for one token", COUNT, OR_NULL, UNIT("bytes")),
    MEMBER("streamed_bytes_note", "what was assumed, or why it is null", TEXT, OR_NULL),
    MEMBER("kv_bytes_per_position_f16", "key/value cache of one position with 16-bit numbers",
           COUNT, OR_NULL, UNIT("bytes")),
    MEMBER("kv_bytes_note", "what was assumed, or why it is null", TEXT, OR_NULL),
};
const pp_fields pp_model_info_fields =
    FIELDS_AT("model-info", "header of a GGUF file", info_rows, "model-info");

WORD(word_model_table, "model-table");
static const pp_field_type probability_type = {NUMBER(0, 1)};

static const pp_field table_row_rows[] = {
    MEMBER("state", "a text of the vocabulary, at most one row for each", TEXT),
    MEMBER("next", "what comes after it, as in `otherwise`", MAP(probability_type)),
};
static const pp_fields table_row_fields =
    FIELDS("model-table-row", "what comes after one token", table_row_rows);
static const pp_field_type table_row_type = {OBJECT(table_row_fields)};

static const pp_field table_rows[] = {
    MEMBER("schema_version", "version of the format", WORDS(pp_words_1_0)),
    MEMBER("document", "what this is", WORDS(word_model_table)),
    MEMBER("name", "1 to 64 bytes; becomes `general.name` of the file", FILLED),
    MEMBER(
        "vocabulary",
        "all different, in the order of their token ids; two tables with the same vocabulary can "
        "be target and draft of speculative decoding",
        LIST(pp_type_text), ITEMS(1, PP_TABLE_MAX_TOKENS)),
    MEMBER("rows", "what comes after which token", LIST(table_row_type),
           ITEMS(1, PP_TABLE_MAX_ROWS)),
    MEMBER("otherwise",
           "what comes after any token that has no row: another text of the vocabulary, free text, "
           "the start of an empty prompt; text of the vocabulary, or `end`, to its probability",
           MAP(probability_type)),
    OPTION(
        "chat_state",
        "a text of the vocabulary that ends every rendered chat, so that all chats begin in that "
        "state",
        NULL, TEXT),
    OPTION(
        "endless",
        "true: some state never leads to the end, on purpose; else the end must be reachable from "
        "`otherwise` and from every row",
        "false", BOOL),
};
const pp_fields pp_model_table_fields =
    FIELDS_AT("model-table", "a language model written down", table_rows, "model-table");

static const pp_field synth_rows[] = {
    MEMBER("schema_version", "version of the format", WORDS(pp_words_1_0)),
    MEMBER("document", "what this is", WORDS(word_model_synth)),
    MEMBER("path", "the new file", TEXT),
    OPTION("shape", "name of the shape; absent for a table model", NULL, FILLED),
    OPTION("table", "name of the table of a table model", NULL, FILLED),
    MEMBER("type", "of its weights", WORDS(synth_type_words)),
    OPTION("seed", "that chose the weights; absent for a table model", NULL,
           INT(0, (int64_t)1 << 53)),
    MEMBER("parameter_count", "weights written", COUNT),
    MEMBER("size_bytes", "of the file", COUNT),
    MEMBER("sha256", "of the file", SHA256),
    MEMBER("synthesis_seconds", "making and writing the weights", POSITIVE_REAL),
    MEMBER("digest_seconds", "hashing", POSITIVE_REAL),
    MEMBER("commit_seconds", "until the file was on disk", POSITIVE_REAL),
    MEMBER("weights_per_second", "parameters over synthesis seconds", POSITIVE_REAL),
};
const pp_fields pp_model_synth_fields =
    FIELDS_AT("model-synth", "a model that was written", synth_rows, "model-info");
