#include <stdio.h>

#include "cli/inputs.h"
#include "cli/table.h"
#include "intake/bench_compare.h"
#include "model/document.h"

static const pp_option options[] = {
    {"generic", 0, PP_FILE("FILE"), NULL,
     "summary of the build without KleidiAI, docs/formats/llama-bench-summary.md", true, false},
    {"kleidiai", 0, PP_FILE("FILE"), NULL, "summary of the build with it", true, false},
    {"output", 'o', PP_FILE("FILE"), NULL,
     "write the document of docs/formats/llama-bench-comparison.md; never replaces a file", true,
     false},
    {"json", 0, NULL, NULL, "print the comparison (ASCII JSON) instead of the table", false, false},
};

typedef struct side {
    pp_bench_variant variant;
    char sha256[PP_SHA256_HEX_SIZE];
} side;

static pp_status read_side(pp_arena *arena, const char *path, side *s, pp_error *err)
{
    const pp_json *root;
    pp_status st = pp_document_read(arena, path, &root, s->sha256, err);

    if (st == PP_OK)
        st = pp_wrap(err, pp_bench_variant_decode(root, &s->variant, err), "'%s'", path);
    return st;
}

static const char *change(pp_arena *arena, const pp_json *test, const char *key)
{
    return pp_arena_printf(arena, "%+.2f %%", pp_json_find(test, key)->real);
}

static void print_table(pp_arena *arena, const pp_json *document)
{
    const pp_json *tests = pp_json_find(document, "tests");
    pp_table table;

    pp_table_init(&table, arena);
    pp_table_add_column(&table, "test", PP_ALIGN_LEFT);
    pp_table_add_column(&table, "generic\n(tok/s)", PP_ALIGN_RIGHT);
    pp_table_add_column(&table, "kleidiai\n(tok/s)", PP_ALIGN_RIGHT);
    pp_table_add_column(&table, "rate", PP_ALIGN_RIGHT);
    pp_table_add_column(&table, "duration", PP_ALIGN_RIGHT);
    for (size_t i = 0; i < tests->object.count && pp_table_add_row(&table); i++) {
        static const char median[] = "tokens_per_second_median";
        const pp_json *test = tests->object.members[i].value;
        const pp_json *generic = pp_json_find(pp_json_find(test, "generic"), median);
        const pp_json *kleidiai = pp_json_find(pp_json_find(test, "kleidiai"), median);

        pp_table_set(&table, 0, tests->object.members[i].key.data);
        pp_table_set(&table, 1, pp_number_text(arena, generic->real));
        pp_table_set(&table, 2, pp_number_text(arena, kleidiai->real));
        pp_table_set(&table, 3, change(arena, test, "median_throughput_percent_change"));
        pp_table_set(&table, 4, change(arena, test, "median_duration_percent_change"));
    }
    pp_table_print(&table, stdout);
}

static pp_status compare(const pp_args *args, pp_arena *arena, pp_error *err)
{
    side generic;
    side kleidiai;
    pp_json *document;
    pp_status st = read_side(arena, pp_args_value(args, "generic"), &generic, err);

    if (st == PP_OK)
        st = read_side(arena, pp_args_value(args, "kleidiai"), &kleidiai, err);
    if (st == PP_OK)
        st = pp_wrap(err,
                     pp_bench_compare(arena, &generic.variant, generic.sha256, &kleidiai.variant,
                                      kleidiai.sha256, &document, err),
                     "comparing");
    if (st == PP_OK)
        st = pp_output_json(args, document, err);
    if (st != PP_OK || pp_args_has(args, "json"))
        return st;
    print_table(arena, document);
    return pp_arena_check(arena, err);
}

static pp_status run(const pp_args *args, pp_exit *ret_exit, pp_error *err)
{
    (void)ret_exit;
    return pp_with_new_output(args, compare, err);
}

const pp_command pp_command_compare_llama_bench = {
    .group = "Decide",
    .name = "compare-llama-bench",
    .options = options,
    .n_options = PP_COUNT_OF(options),
    .summary = "compare two summaries that differ in one switch of the build",
    .detail =
        "Compares the medians of a build of llama.cpp without KleidiAI and of one with it.\n"
        "Refuses two summaries that differ in anything else: commit, model, settings, tests,\n"
        "number of repetitions.\n",
    .example = "paretopilot compare-llama-bench --generic examples/llama-bench/generic.json "
               "--kleidiai examples/llama-bench/kleidiai.json --output comparison.json",
    .run = run,
};
