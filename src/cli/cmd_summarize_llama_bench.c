#include <stdio.h>

#include "base/files.h"
#include "cli/inputs.h"
#include "cli/table.h"
#include "intake/bench_summary.h"
#include "model/document.h"

static const pp_option options[] = {
    {"label", 0, PP_TEXT("LABEL"), NULL, "name of the variant", true, false},
    {"artifact", 0, PP_FILE("LABEL=PATH"), NULL,
     "a file of llama-bench (JSONL or JSON) and a name for it", true, true},
    {"settings", 0, PP_FILE("FILE"), NULL,
     "JSON object with the settings of the run; the rows must agree with it", true, false},
    {"output", 'o', PP_FILE("FILE"), NULL,
     "write the document of docs/formats/llama-bench-summary.md; never replaces a file", true,
     false},
    {"json", 0, NULL, NULL, "print the summary (ASCII JSON) instead of the table", false, false},
};

/* ---- labels ---------------------------------------------------------------------------------- */

static pp_status check_unique(const pp_bench_artifact *artifacts, size_t n, pp_error *err)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < i; j++) {
            if (pp_text_equal(artifacts[i].label, artifacts[j].label))
                return pp_fail(err, PP_ERR_USAGE, "--artifact: label '%s' is given twice",
                               artifacts[i].label.data);
        }
    }
    return PP_OK;
}

static pp_status read_artifact(pp_arena *arena, pp_bench_artifact *artifact, pp_error *err)
{
    const char *path = artifact->path.data;
    const char *tidy = pp_path_tidy(arena, path);
    pp_buf bytes;
    pp_status st;

    if (tidy == NULL)
        return pp_arena_check(arena, err);
    pp_buf_init(&bytes, PP_BENCH_MAX_BYTES);
    st = pp_file_read(path, &bytes, err);
    if (st == PP_OK)
        st = pp_sha256_of(pp_buf_text(&bytes), bytes.size, artifact->sha256, err);
    if (st == PP_OK)
        st = pp_bench_records_read(arena, path, pp_buf_text(&bytes), bytes.size,
                                   PP_BENCH_FORMAT_UNKNOWN, &artifact->records, err);
    pp_buf_done(&bytes);
    artifact->path = pp_text_of(tidy); /* as the document shows it */
    return st;
}

/* ---- the command ----------------------------------------------------------------------------- */

static const char *figure(pp_arena *arena, const pp_json *figures, const char *key)
{
    return pp_number_text(arena, pp_json_find(figures, key)->real);
}

static void print_table(pp_arena *arena, const pp_json *document)
{
    const pp_json *tests = pp_json_find(document, "tests");
    pp_table table;

    pp_table_init(&table, arena);
    pp_table_add_column(&table, "test", PP_ALIGN_LEFT);
    pp_table_add_column(&table, "samples", PP_ALIGN_RIGHT);
    pp_table_add_column(&table, "median\n(tok/s)", PP_ALIGN_RIGHT);
    pp_table_add_column(&table, "mean\n(tok/s)", PP_ALIGN_RIGHT);
    pp_table_add_column(&table, "deviation\n(tok/s)", PP_ALIGN_RIGHT);
    for (size_t i = 0; i < tests->object.count && pp_table_add_row(&table); i++) {
        const pp_json *test = tests->object.members[i].value;
        const pp_json *rates = pp_json_find(test, "tokens_per_second");

        pp_table_set(&table, 0, tests->object.members[i].key.data);
        pp_table_set(&table, 1,
                     pp_arena_printf(arena, "%lld",
                                     (long long)pp_json_find(rates, "sample_count")->integer));
        pp_table_set(&table, 2, figure(arena, rates, "median"));
        pp_table_set(&table, 3, figure(arena, rates, "mean"));
        pp_table_set(&table, 4, figure(arena, rates, "sample_stdev"));
    }
    pp_table_print(&table, stdout);
}

static pp_status collect(const pp_args *args, pp_arena *arena, pp_bench_artifact **ret_artifacts,
                         size_t *ret_count, pp_error *err)
{
    size_t n = 0;
    pp_bench_artifact *artifacts;
    pp_status st;

    while (pp_args_value_at(args, "artifact", n) != NULL)
        n++;
    artifacts = PP_ARENA_NEW(arena, pp_bench_artifact, n);
    st = pp_arena_check(arena, err);
    for (size_t i = 0; st == PP_OK && i < n; i++)
        st = pp_pair_split(arena, "summarize-llama-bench: --artifact", "LABEL=PATH",
                           pp_args_value_at(args, "artifact", i), &artifacts[i].label,
                           &artifacts[i].path, err);
    if (st == PP_OK)
        st = check_unique(artifacts, n, err);
    for (size_t i = 0; st == PP_OK && i < n; i++)
        st = read_artifact(arena, &artifacts[i], err);
    *ret_artifacts = artifacts;
    *ret_count = n;
    return st == PP_OK ? pp_arena_check(arena, err) : st;
}

static pp_status summarize(const pp_args *args, pp_arena *arena, pp_error *err)
{
    pp_text label = pp_text_of(pp_args_value(args, "label"));
    const char *settings_path = pp_args_value(args, "settings");
    char settings_sha256[PP_SHA256_HEX_SIZE];
    pp_bench_artifact *artifacts;
    const pp_json *settings;
    pp_json *document;
    size_t n;
    pp_status st;

    if (pp_text_is_blank(label) || !pp_utf8_is_valid(label.data, label.size))
        return pp_fail(err, PP_ERR_USAGE, "--label: expected UTF-8 text that is not blank");
    st = collect(args, arena, &artifacts, &n, err);
    if (st == PP_OK)
        st = pp_document_read(arena, settings_path, &settings, settings_sha256, err);
    if (st == PP_OK)
        st = pp_wrap(err, pp_json_expect(settings, PP_JSON_OBJECT, err), "'%s'", settings_path);
    if (st == PP_OK)
        st = pp_wrap(err,
                     pp_bench_summarize(arena, label, artifacts, n, settings, settings_sha256,
                                        &document, err),
                     "summarising");
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
    return pp_with_new_output(args, summarize, err);
}

const pp_command pp_command_summarize_llama_bench = {
    .group = "Decide",
    .name = "summarize-llama-bench",
    .options = options,
    .n_options = PP_COUNT_OF(options),
    .summary = "pool the llama-bench files of one variant",
    .detail =
        "Pools the repetitions of several files: count, mean, median, deviation, extremes of\n"
        "rate and duration for each kind of test. Refuses files that differ in build, model,\n"
        "test or any other set-up, or that disagree with the settings.\n",
    .example = "paretopilot summarize-llama-bench --label generic --artifact "
               "pass-1=examples/llama-bench/generic-1.jsonl --settings "
               "examples/llama-bench/generic-settings.json --output generic.json",
    .run = run,
};
