#include <inttypes.h>
#include <stdio.h>

#include "cli/inputs.h"
#include "engine/gguf.h"

#define SHOWN_TEXT 80

static const pp_positional positionals[] = {
    {.value = PP_FILE("FILE"), .help = "the GGUF file"},
};

static const pp_option options[] = {
    {"json", 0, NULL, NULL, "print the document of docs/formats/model-info.md instead of the table",
     false, false},
};

static void print_text(const char *label, pp_text text)
{
    char shown[SHOWN_TEXT];

    if (text.data != NULL)
        pp_text_escape_controls(text.data, text.size, shown, sizeof shown);
    printf("%-24s %s\n", label, text.data == NULL ? "not in the file" : shown);
}

static void print_number(const char *label, int64_t value, const char *unit)
{
    if (value == PP_GGUF_ABSENT)
        printf("%-24s not in the file\n", label);
    else
        printf("%-24s %" PRId64 "%s%s\n", label, value, unit[0] == '\0' ? "" : " ", unit);
}

/* The exact number, and the same in a unit that one can read. */
static void print_bytes(const char *label, int64_t bytes, const char *note)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
    double value = (double)bytes;
    size_t unit = 0;

    if (bytes == PP_GGUF_ABSENT) {
        printf("%-24s %s\n", label, note == NULL ? "not known" : note);
        return;
    }
    for (; value >= 1024 && unit + 1 < PP_COUNT_OF(units); unit++)
        value /= 1024;
    printf("%-24s %" PRId64 " B", label, bytes);
    if (unit > 0)
        printf(" (%.4g %s)", value, units[unit]);
    printf("%s%s\n", note == NULL ? "" : "; ", note == NULL ? "" : note);
}

static void print_file(const pp_gguf *g)
{
    print_text("file", pp_text_of(g->path));
    print_bytes("size", g->file_bytes, NULL);
    printf("%-24s GGUF %" PRId64 ", %" PRId64 " keys, %" PRId64 " tensors, data from byte %" PRId64
           "\n",
           "format", g->version, g->key_count, g->tensor_count, g->data_offset_bytes);
    if (g->split_count > 1)
        print_number("files of the model", g->split_count, "");
    print_text("architecture", g->architecture);
    print_text("name", g->name);
    if (g->weights.data != NULL)
        print_text("weights", g->weights);
    if (g->file_type_name != NULL)
        print_text("file type", pp_text_of(g->file_type_name));
    else
        print_number("file type number", g->file_type, "");
    print_number("parameters", g->parameter_count, "");
}

static void print_head(const pp_gguf *g)
{
    print_number("context length", g->context_length, "tokens");
    print_number("blocks", g->block_count, "");
    print_number("embedding length", g->embedding_length, "");
    print_number("feed-forward length", g->feed_forward_length, "");
    print_number("heads", g->head_count, "");
    print_number("key/value heads", g->head_count_kv, "");
    print_number("key length per head", g->key_length, "");
    print_number("value length per head", g->value_length, "");
    if (g->expert_count > 0) {
        print_number("experts", g->expert_count, "");
        print_number("experts used per token", g->expert_used_count, "");
    }
    print_number("vocabulary", g->vocab_size, "tokens");
    print_text("tokenizer", g->tokenizer_model);
    print_number("tokenizer's tokens", g->tokenizer_token_count, "");
    printf("%-24s %s\n", "chat template", g->has_chat_template ? "yes" : "no");
    if (g->tied_embedding != PP_GGUF_ABSENT)
        printf("%-24s %s\n", "output matrix",
               g->tied_embedding == 1 ? "the token embedding (tied)" : "its own");
    print_bytes("weights read per token", g->streamed_bytes_per_token, g->streamed_bytes_note);
    print_bytes("cache per position, f16", g->kv_bytes_per_position_f16, g->kv_bytes_note);
}

static void print_types(const pp_gguf *g)
{
    printf("\n%-12s %8s %16s %16s\n", "tensor type", "tensors", "parameters", "bytes");
    for (size_t i = 0; i < g->n_types; i++) {
        const pp_gguf_type_use *use = &g->types[i];
        char name[32];

        (void)snprintf(name, sizeof name, "unknown %" PRIu32, use->type);
        printf("%-12s %8" PRId64 " %16" PRId64, use->name == NULL ? name : use->name,
               use->tensor_count, use->parameter_count);
        if (use->size_bytes == PP_GGUF_ABSENT)
            printf(" %16s\n", "not known");
        else
            printf(" %16" PRId64 "\n", use->size_bytes);
    }
}

static pp_status run(const pp_args *args, pp_exit *ret_exit, pp_error *err)
{
    pp_arena arena = {0};
    pp_gguf gguf;
    pp_status st = pp_gguf_load(&arena, args->positionals[0], &gguf, err);

    (void)ret_exit;
    if (st == PP_OK && pp_args_has(args, "json")) {
        st = pp_print_json(pp_gguf_to_json(&arena, &gguf), err);
    } else if (st == PP_OK) {
        print_file(&gguf);
        print_head(&gguf);
        print_types(&gguf);
    }
    pp_arena_done(&arena);
    return st;
}

const pp_command pp_command_model_info = {
    .group = "Measure",
    .name = "model info",
    .positionals = positionals,
    .n_positionals = PP_COUNT_OF(positionals),
    .options = options,
    .n_options = PP_COUNT_OF(options),
    .summary = "what a GGUF file says about its model",
    .detail = "Reads the header of a GGUF file (version 2 or 3), never the weights: shape, tensor\n"
              "types, and how many bytes the machine moves per generated token.\n",
    .example = "paretopilot model info tests/fixtures/gguf/pocket.gguf",
    .run = run,
};
