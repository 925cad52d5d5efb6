#include <stdio.h>

#include "base/units.h"
#include "cli/inputs.h"
#include "cli/table.h"
#include "cli/validate.h"
#include "version.h"

static const pp_positional positionals[] = {
    {.value = PP_FILE("FILE"),
     .help = "any document of this program, or output of llama-bench",
     .repeats = true},
};

static const pp_option options[] = {
    {"evidence", 0, NULL, NULL, "exit 1 when llama-bench rows have issues as evidence", false,
     false},
    {"expected-commit", 0, PP_TEXT("COMMIT"), PP_BENCH_EVIDENCE_COMMIT,
     "commit of llama.cpp that the rows must name, at least 7 characters of it", false, false},
    {"expected-threads", 0, PP_NUMBER("N"), "any one value", "threads that the rows must name",
     false, false},
    {"expected-batch", 0, PP_NUMBER("N"), "any one value", "batch size that the rows must name",
     false, false},
    {"expected-ubatch", 0, PP_NUMBER("N"), "any one value",
     "physical batch size that the rows must name", false, false},
    {"load-samples", 0, PP_FILE("FILE"), NULL,
     "samples of the load reports given: every figure is made again, exit 1 when one differs",
     false, false},
    {"suite", 0, PP_FILE("FILE"), NULL,
     "suite of the suite reports given: every answer is matched again, exit 1 when a report "
     "differs",
     false, false},
    {"output", 'o', PP_FILE("FILE"), NULL,
     "write the document of docs/formats/validation.md; never replaces a file", false, false},
    {"json", 0, NULL, NULL, "print that document (ASCII JSON) instead of the lines", false, false},
};

/* ---- output -----------------------------------------------------------------------------------
 */

static void set_or_null(pp_arena *arena, pp_json *object, const char *key, const pp_json *value)
{
    pp_json_set(arena, object, key, value == NULL ? pp_json_new_null(arena) : value);
}

static pp_json *differences_to_json(pp_arena *arena, const pp_validated *file)
{
    pp_json *out = pp_json_new_array(arena);

    for (size_t i = 0; i < file->difference_count; i++)
        pp_json_add(arena, out, pp_json_new_text(arena, file->differences[i]));
    return out;
}

static pp_json *file_to_json(pp_arena *arena, const pp_validated *file)
{
    pp_json *out = pp_json_new_object(arena);
    char path[1024];

    pp_text_escape_controls(file->path, pp_text_of(file->path).size, path, sizeof path);
    pp_json_set_string(arena, out, "path", path);
    pp_json_set_bool(arena, out, "valid", file->valid);
    pp_json_set_string(arena, out, "kind", file->kind);
    pp_json_set_string(arena, out, "version", file->version);
    pp_json_set_string(arena, out, "holds", file->holds);
    pp_json_set_string(arena, out, "sha256", file->has_sha256 ? file->sha256 : NULL);
    pp_json_set_string(arena, out, "problem", file->problem);
    set_or_null(arena, out, "follows_from_samples",
                file->was_made_again ? pp_json_new_bool(arena, file->difference == NULL) : NULL);
    pp_json_set_string(arena, out, "difference", file->difference);
    set_or_null(arena, out, "follows_from_answers",
                file->was_made_of_answers ? pp_json_new_bool(arena, file->difference_count == 0)
                                          : NULL);
    pp_json_set_bool(arena, out, "was_matched_again", file->was_matched_again);
    pp_json_set(arena, out, "differences", differences_to_json(arena, file));
    set_or_null(arena, out, "llama_bench", file->llama_bench);
    set_or_null(arena, out, "benchmark_set", file->benchmark_set);
    return out;
}

static pp_json *to_json(pp_arena *arena, const pp_validated *files, size_t n, bool valid)
{
    pp_json *out = pp_json_new_object(arena);
    pp_json *list = pp_json_new_array(arena);

    for (size_t i = 0; i < n; i++)
        pp_json_add(arena, list, file_to_json(arena, &files[i]));
    pp_json_set_string(arena, out, "document", "validation");
    pp_json_set_string(arena, out, "schema_version", "1.0");
    pp_json_set_string(arena, out, "paretopilot_version", PP_VERSION);
    pp_json_set_bool(arena, out, "valid", valid);
    pp_json_set(arena, out, "files", list);
    return out;
}

#define SHA256_DIGITS 12 /* on a terminal; the document has all of them */

/* "set.json: benchmark-set 1.0, 4 candidates, measured, sha256 0123456789ab" */
static void print_file(pp_arena *arena, const pp_validated *file)
{
    const char *path = pp_table_cell_text(arena, pp_text_of(file->path), 256);

    if (file->valid)
        printf("%s: %s %s, %s, sha256 %.*s\n", path, file->kind, file->version, file->holds,
               SHA256_DIGITS, file->sha256);
    else if (file->kind != NULL)
        printf("%s: invalid %s: %s\n", path, file->kind, file->problem);
    else
        printf("%s: invalid: %s\n", path, file->problem);
}

static void print_issues(const pp_validated *file)
{
    const pp_json *issues = pp_json_find(file->llama_bench, "evidence_issues");

    for (size_t i = 0; issues != NULL && i < issues->array.count; i++)
        printf("  issue: %s\n", issues->array.items[i]->text.data);
}

static void print_difference(const pp_validated *file)
{
    if (file->difference != NULL)
        printf("  differs: %s\n", file->difference);
    else if (file->was_made_again)
        printf("  every figure follows from the samples\n");
    for (size_t i = 0; i < file->difference_count; i++)
        printf("  differs: %s\n", file->differences[i].data);
    if (file->was_made_of_answers && file->difference_count == 0)
        printf("  every figure follows from the recorded answers%s\n",
               file->was_matched_again ? ", and these match as the suite says" : "");
}

/* ---- the command ------------------------------------------------------------------------------
 */

static pp_status read_number(const pp_args *args, const char *name, pp_maybe_int *ret_number,
                             pp_error *err)
{
    const char *text = pp_args_value(args, name);

    if (text == NULL)
        return PP_OK;
    ret_number->known = true;
    return pp_parse_int(text, name, 1, INT64_MAX, &ret_number->value, err);
}

static pp_status read_expectation(const pp_args *args, pp_bench_expectation *ret_expected,
                                  pp_error *err)
{
    const char *commit = pp_args_value(args, "expected-commit");
    pp_status st = read_number(args, "expected-threads", &ret_expected->threads, err);

    ret_expected->commit = commit == NULL ? PP_BENCH_EVIDENCE_COMMIT : commit;
    if (st == PP_OK)
        st = read_number(args, "expected-batch", &ret_expected->batch, err);
    if (st == PP_OK)
        st = read_number(args, "expected-ubatch", &ret_expected->ubatch, err);
    if (st == PP_OK &&
        !pp_utf8_is_valid(ret_expected->commit, pp_text_of(ret_expected->commit).size))
        return pp_fail(err, PP_ERR_USAGE, "--expected-commit: not valid UTF-8");
    return st;
}

static pp_status print(const pp_args *args, pp_arena *arena, const pp_validated *files, size_t n,
                       bool valid, pp_error *err)
{
    pp_status st = pp_output_json(args, to_json(arena, files, n, valid), err);

    if (st != PP_OK || pp_args_has(args, "json"))
        return st;
    for (size_t i = 0; i < n; i++) {
        print_file(arena, &files[i]);
        if (pp_args_has(args, "evidence"))
            print_issues(&files[i]);
        print_difference(&files[i]);
    }
    return pp_arena_check(arena, err);
}

static pp_status read_against(const pp_args *args, pp_arena *arena, pp_validate_options *against,
                              pp_error *err)
{
    const char *samples = pp_args_value(args, "load-samples");
    const char *suite = pp_args_value(args, "suite");
    pp_status st = read_expectation(args, &against->bench, err);

    if (st == PP_OK && samples != NULL)
        st = pp_wrap(err, pp_validate_read_samples(arena, samples, against, err), "--load-samples");
    if (st == PP_OK && suite != NULL)
        st = pp_wrap(err, pp_validate_read_suite(arena, suite, against, err), "--suite");
    return st;
}

typedef struct findings {
    size_t invalid, issues, different;
    size_t load_reports, suite_reports; /* that were made again */
} findings;

static void count_file(findings *f, const pp_validated *file)
{
    f->invalid += !file->valid;
    f->issues += file->issue_count;
    f->different += file->difference != NULL || file->difference_count > 0;
    f->load_reports += file->was_made_again;
    f->suite_reports += file->was_made_of_answers;
}

/* What was given to hold files against must have been of use. */
static pp_status check_used(const pp_args *args, const findings *f, pp_error *err)
{
    if (f->invalid > 0)
        return PP_OK;
    if (pp_args_has(args, "load-samples") && f->load_reports == 0)
        return pp_fail(err, PP_ERR_USAGE, "--load-samples: none of the files is a load report");
    if (pp_args_has(args, "suite") && f->suite_reports == 0)
        return pp_fail(err, PP_ERR_USAGE, "--suite: none of the files is a suite report");
    return PP_OK;
}

static pp_status validate(const pp_args *args, pp_arena *arena, pp_exit *ret_exit, pp_error *err)
{
    size_t n = args->positional_count;
    pp_validated *files = PP_ARENA_NEW(arena, pp_validated, n);
    pp_validate_options against = {0};
    findings f = {0};
    pp_status st = pp_arena_check(arena, err);

    if (st == PP_OK)
        st = read_against(args, arena, &against, err);
    for (size_t i = 0; st == PP_OK && i < n; i++) {
        st = pp_validate_file(arena, args->positionals[i], &against, &files[i], err);
        count_file(&f, &files[i]);
    }
    if (st == PP_OK)
        st = check_used(args, &f, err);
    if (st == PP_OK)
        st = print(args, arena, files, n, f.invalid == 0, err);
    if (st != PP_OK)
        return st;
    if (f.invalid > 0)
        *ret_exit = PP_EXIT_INVALID;
    else if (f.different > 0 || (f.issues > 0 && pp_args_has(args, "evidence")))
        *ret_exit = PP_EXIT_NO;
    return PP_OK;
}

static pp_status run(const pp_args *args, pp_exit *ret_exit, pp_error *err)
{
    pp_arena arena = {0};
    pp_status st = pp_output_check_free(pp_args_value(args, "output"), err);

    if (st == PP_OK)
        st = validate(args, &arena, ret_exit, err);
    pp_arena_done(&arena);
    return st;
}

const pp_command pp_command_validate = {
    .group = "Decide",
    .name = "validate",
    .positionals = positionals,
    .n_positionals = PP_COUNT_OF(positionals),
    .options = options,
    .n_options = PP_COUNT_OF(options),
    .summary = "recognise files by content and check them",
    .detail =
        "Recognises any document of this program and the output of llama-bench, and checks\n"
        "each value and the rules between values. Every file is looked at; each gives one\n"
        "line. With --evidence, llama-bench rows are also judged as evidence.\n"
        "\n"
        "Exit 1: --evidence found issues, a load report does not follow from its samples, or a\n"
        "suite report does not follow from its answers.\n"
        "Exit 2: a file is invalid.\n",
    .example = "paretopilot validate examples/recommend/benchmarks.json "
               "examples/recommend/constraints.json",
    .run = run,
};
