#include <stdio.h>

#include "base/files.h"
#include "cli/inputs.h"
#include "cli/table.h"
#include "intake/bench_import.h"

static const pp_positional positionals[] = {
    {.value = PP_FILE("FILE"),
     .help = "what llama-bench printed, in any of its formats",
     .repeats = true},
};

static const pp_option options[] = {
    {"output", 'o', PP_FILE("SET"), NULL,
     "write the benchmark set, docs/formats/benchmark-set.md; never replaces a file", true, false},
    {"format", 0, PP_WORD("FORMAT", pp_bench_format_word), "found by content",
     "format of all files", false, false},
    {"baseline", 0, PP_TEXT("ID"), "the first configuration",
     "candidate the others are compared with", false, false},
    {"json", 0, NULL, NULL, "print the set (ASCII JSON) instead of the table", false, false},
};

static pp_status read_source(pp_arena *arena, const char *path, pp_bench_format format,
                             pp_bench_source *source, pp_error *err)
{
    pp_buf bytes;
    pp_status st;

    source->path = pp_text_of(path);
    if (!pp_utf8_is_valid(path, source->path.size))
        return pp_fail(err, PP_ERR_USAGE, "'%s': the path is not valid UTF-8", path);
    pp_buf_init(&bytes, PP_BENCH_MAX_BYTES);
    st = pp_file_read(path, &bytes, err);
    if (st == PP_OK)
        st = pp_sha256_of(pp_buf_text(&bytes), bytes.size, source->sha256, err);
    if (st == PP_OK)
        st = pp_bench_read(arena, path, pp_buf_text(&bytes), bytes.size, format, PP_BENCH_TOLERANT,
                           &source->rows, err);
    pp_buf_done(&bytes);
    return st;
}

/* ---- what a person sees --------------------------------------------------------------------- */

#define MAX_TABLE_ROWS  40
#define MAX_TABLE_TESTS 5
#define ID_COLUMNS      40

static void set_rate(pp_table *table, size_t column, const pp_candidate *candidate, pp_text test)
{
    const char *metric =
        pp_arena_printf(table->arena, "%.*s_tokens_per_second", (int)test.size, test.data);
    const double *value =
        metric == NULL ? NULL : pp_candidate_find_metric(candidate, pp_text_of(metric));

    pp_table_set(table, column, value == NULL ? "-" : pp_number_text(table->arena, *value));
}

/* The tests of the first candidate, as many as fit, in tokens per second. */
static void print_table(pp_arena *arena, const pp_bench_import *import)
{
    const pp_json *tests = pp_json_find(import->set.candidates[0].parameters, "tests");
    size_t test_count = tests->object.count;
    size_t rows = import->set.candidate_count;
    pp_table table;

    if (rows > MAX_TABLE_ROWS)
        rows = MAX_TABLE_ROWS;
    if (test_count > MAX_TABLE_TESTS)
        test_count = MAX_TABLE_TESTS;
    pp_table_init(&table, arena);
    pp_table_add_column(&table, "candidate", PP_ALIGN_LEFT);
    for (size_t i = 0; i < test_count; i++)
        pp_table_add_column(
            &table, pp_arena_printf(arena, "%s\n(tok/s)", tests->object.members[i].key.data),
            PP_ALIGN_RIGHT);
    for (size_t i = 0; i < rows && pp_table_add_row(&table); i++) {
        const pp_candidate *candidate = &import->set.candidates[i];

        pp_table_set(&table, 0, pp_table_cell_text(arena, candidate->id, ID_COLUMNS));
        for (size_t j = 0; j < test_count; j++)
            set_rate(&table, j + 1, candidate, tests->object.members[j].key);
    }
    pp_table_print(&table, stdout);
    if (rows < import->set.candidate_count)
        printf("and %zu more candidates\n", import->set.candidate_count - rows);
    if (test_count < tests->object.count)
        printf("and %zu more tests\n", tests->object.count - test_count);
}

/* What the reader of the figures must know, on standard error. */
static void print_notes(const pp_bench_source *sources, size_t n, const pp_bench_import *import)
{
    for (size_t i = 0; i < n; i++) {
        char path[256];

        pp_text_escape_controls(sources[i].path.data, sources[i].path.size, path, sizeof path);
        if (sources[i].rows.other_line_count > 0)
            fprintf(stderr, "note: %s: %zu lines are no rows and were left out\n", path,
                    sources[i].rows.other_line_count);
        if (sources[i].rows.truncated)
            fprintf(stderr, "note: %s: breaks off; the rows before that are complete\n", path);
    }
    if (import->from_means)
        fprintf(stderr, "note: no samples in this format: metrics are means, not medians\n");
    if (!import->has_prompt_rate)
        fprintf(stderr, "note: no prompt_tokens_per_second: not one shape of prompt test; "
                        "constraints may name the metric of each\n");
    if (!import->has_generation_rate)
        fprintf(stderr, "note: no generation_tokens_per_second: not one shape of generation test; "
                        "constraints may name the metric of each\n");
    if (import->odd_deviation_count > 0)
        fprintf(stderr,
                "note: %zu rows print a stddev_ns that is not that of their samples; computed "
                "anew\n",
                import->odd_deviation_count);
}

/* ---- the command ----------------------------------------------------------------------------- */

static pp_status import_files(const pp_args *args, pp_arena *arena, pp_error *err)
{
    const char *word = pp_args_value(args, "format");
    pp_bench_format format = word == NULL ? PP_BENCH_FORMAT_UNKNOWN : pp_bench_format_find(word);
    size_t n = args->positional_count;
    pp_bench_source *sources = PP_ARENA_NEW(arena, pp_bench_source, n);
    pp_bench_import import;
    pp_status st = pp_arena_check(arena, err);

    for (size_t i = 0; st == PP_OK && i < n; i++)
        st = read_source(arena, args->positionals[i], format, &sources[i], err);
    if (st == PP_OK)
        st = pp_wrap(
            err,
            pp_bench_import_rows(arena, sources, n, pp_args_value(args, "baseline"), &import, err),
            "importing");
    if (st != PP_OK)
        return st;
    st = pp_output_json(args, pp_benchmark_set_to_json(arena, &import.set), err);
    if (st != PP_OK)
        return st;
    print_notes(sources, n, &import);
    if (pp_args_has(args, "json"))
        return PP_OK;
    print_table(arena, &import);
    return pp_arena_check(arena, err);
}

static pp_status run(const pp_args *args, pp_exit *ret_exit, pp_error *err)
{
    (void)ret_exit;
    return pp_with_new_output(args, import_files, err);
}

const pp_command pp_command_import_llama_bench = {
    .group = "Decide",
    .name = "import llama-bench",
    .positionals = positionals,
    .n_positionals = PP_COUNT_OF(positionals),
    .options = options,
    .n_options = PP_COUNT_OF(options),
    .summary = "make a benchmark set of what llama-bench printed",
    .detail =
        "Reads JSONL, JSON, CSV, SQL or Markdown. Each configuration becomes a candidate, each\n"
        "test a metric. Rows are told apart by everything that they say about their set-up;\n"
        "what cannot be told apart is refused. The set is marked as imported.\n",
    .example =
        "paretopilot import llama-bench examples/llama-bench/threads.jsonl --output set.json",
    .run = run,
};
