#include <string.h>

#include "base/files.h"
#include "cli/open_page.h"
#include "cli/page_beside.h"
#include "cli/report_bundle.h"
#include "cli/report_site.h"
#include "evidence/layout.h"

static const pp_positional positionals[] = {
    {.value = PP_FILE("SET"),
     .help =
         "the benchmark set, docs/formats/benchmark-set.md, or the folder of a bundle; required "
         "unless there is --index",
     .optional = true},
};

static const pp_option options[] = {
    {"constraints", 'c', PP_FILE("FILE"), NULL,
     "limits, objective and preferences, docs/formats/constraints.md; a bundle brings its own",
     false, false},
    {"policies", 'p', PP_FILE("FILE"), NULL,
     "other objectives to decide by and show, docs/formats/policy-set.md", false, false},
    {"load", 0, PP_FILE("FILE"), NULL,
     "a load to show: docs/formats/load-evaluation.md, or reports, docs/formats/load-report.md",
     false, true},
    {"stability", 0, PP_FILE("FILE"), NULL,
     "a comparison of passes to show, docs/formats/stability.md", false, false},
    {"index", 0, PP_FOLDER("DIR"), NULL,
     "instead of SET: a site over every bundle below this folder, docs/formats/bundle.md", false,
     false},
    {"output", 'o', PP_FILE("OUT"), NULL,
     "the page, a name that ends in .html, or in .md for Markdown; with --index the folder to "
     "write; replaces nothing",
     true, false},
    {"open", 0, NULL, NULL, PP_OPEN_HELP, false, false},
};

typedef pp_status write_function(pp_arena *arena, const pp_report_input *input, pp_buf *out,
                                 pp_error *err);

/* By the end of the name; NULL when it is none of ours. */
static write_function *writer_of(const char *path)
{
    static const struct {
        const char *suffix;
        write_function *write;
    } rows[] = {{".html", pp_report_html}, {".md", pp_report_markdown}};
    size_t size = strlen(path);

    for (size_t i = 0; i < PP_COUNT_OF(rows); i++) {
        size_t suffix = strlen(rows[i].suffix);

        if (size > suffix && strcmp(path + size - suffix, rows[i].suffix) == 0)
            return rows[i].write;
    }
    return NULL;
}

static pp_status check_output(const char *path, pp_error *err)
{
    if (writer_of(path) == NULL)
        return pp_fail(err, PP_ERR_USAGE,
                       "report: --output '%s': expected a name that ends in .html or .md", path);
    return pp_output_check_free(path, err);
}

/* Documents beside the page come first: a page that says that they are there is right. */
static pp_status write_files(pp_inputs *r, const pp_buf *page, const char *path, pp_error *err)
{
    pp_page_beside beside;
    pp_status st = pp_page_beside_make(r, path, &beside, err);

    if (st == PP_OK)
        st = pp_page_beside_write(&beside, err);
    if (st == PP_OK)
        st = pp_file_write_new(path, page->data, page->size, err);
    pp_page_beside_done(&beside);
    return st;
}

static pp_status write_page(pp_inputs *r, const pp_report_extras *extras, const pp_args *args,
                            pp_error *err)
{
    const char *path = pp_args_value(args, "output");
    pp_report_input input = pp_inputs_report(r);
    pp_buf page;
    pp_status st;

    input.extras = *extras;
    pp_buf_init(&page, PP_REPORT_MAX_BYTES);
    st = writer_of(path)(&r->arena, &input, &page, err);
    if (st == PP_OK)
        st = write_files(r, &page, path, err);
    pp_buf_done(&page);
    if (st == PP_OK && pp_args_has(args, "open"))
        pp_page_show(path);
    return st;
}

/* The first given option that goes with a benchmark set, NULL when there is none. */
static const char *option_of_set(const pp_args *args)
{
    static const char *const names[] = {"constraints", "policies", "load", "stability"};

    for (size_t i = 0; i < PP_COUNT_OF(names); i++) {
        if (pp_args_has(args, names[i]))
            return names[i];
    }
    return NULL;
}

/* A page that says "verified" shows what was verified and nothing else. */
static pp_status refuse_options_of_bundle(const pp_args *args, pp_error *err)
{
    const char *name = option_of_set(args);

    if (name == NULL)
        return PP_OK;
    return pp_fail(err, PP_ERR_USAGE,
                   "report: --%s goes with a benchmark set; a bundle brings its own: for others "
                   "name its " PP_BUNDLE_BENCHMARK_SET,
                   name);
}

static pp_status report_bundle(const pp_args *args, pp_inputs *r, pp_error *err)
{
    pp_bundle_page *page = PP_ARENA_NEW(&r->arena, pp_bundle_page, 1);
    pp_status st = refuse_options_of_bundle(args, err);

    if (st == PP_OK && page == NULL)
        st = pp_arena_check(&r->arena, err);
    if (st == PP_OK)
        st = pp_bundle_page_load(args->positionals[0], r, page, err);
    if (st == PP_OK)
        st = write_page(r, &page->documents.extras, args, err);
    return st == PP_OK ? pp_bundle_page_verdict(page, err) : st;
}

static pp_status report_set(const pp_args *args, pp_inputs *r, pp_error *err)
{
    pp_report_documents *documents = PP_ARENA_NEW(&r->arena, pp_report_documents, 1);
    pp_status st = PP_OK;

    if (!pp_args_has(args, "constraints"))
        return pp_fail(err, PP_ERR_USAGE,
                       "report: --constraints is required unless SET is the folder of a bundle");
    if (documents == NULL)
        return pp_arena_check(&r->arena, err);
    st = pp_inputs_decide(args, r, err);
    if (st == PP_OK)
        st = pp_report_documents_load(args, r, documents, err);
    return st == PP_OK ? write_page(r, &documents->extras, args, err) : st;
}

static pp_status report_one(const pp_args *args, pp_exit *ret_exit, pp_error *err)
{
    pp_inputs r = {0};
    pp_status st = check_output(pp_args_value(args, "output"), err);

    if (st == PP_OK)
        st = pp_path_is_folder(args->positionals[0]) ? report_bundle(args, &r, err)
                                                     : report_set(args, &r, err);
    if (st == PP_OK && !r.decision.has_winner)
        *ret_exit = PP_EXIT_NO; /* the page says so, and why */
    pp_inputs_done(&r);
    return st;
}

static pp_status report_index(const pp_args *args, pp_exit *ret_exit, pp_error *err)
{
    const char *name = option_of_set(args);

    if (args->positional_count > 0)
        return pp_fail(err, PP_ERR_USAGE,
                       "report: '%s' stands beside --index, which takes every bundle below its "
                       "folder; give one of both",
                       args->positionals[0]);
    if (name != NULL)
        return pp_fail(err, PP_ERR_USAGE,
                       "report: --%s goes with a benchmark set, not with --index: bundles bring "
                       "their own",
                       name);
    return pp_report_site(pp_args_value(args, "index"), pp_args_value(args, "output"),
                          pp_args_has(args, "open"), ret_exit, err);
}

static pp_status run_report(const pp_args *args, pp_exit *ret_exit, pp_error *err)
{
    if (pp_args_has(args, "index"))
        return report_index(args, ret_exit, err);
    if (args->positional_count == 0)
        return pp_fail(err, PP_ERR_USAGE, "report: expected SET");
    return report_one(args, ret_exit, err);
}

const pp_command pp_command_report = {
    .group = "Decide",
    .name = "report",
    .positionals = positionals,
    .n_positionals = PP_COUNT_OF(positionals),
    .options = options,
    .n_options = PP_COUNT_OF(options),
    .summary = "write a self-contained page about a decision, or a site over many",
    .detail =
        "Decides as recommend does and writes what it rests on as one HTML file without\n"
        "scripts: the choice and its reason, how the configurations lead from one to the next,\n"
        "trade-offs, every candidate, charts, limits, runs, machine, models and inputs; with\n"
        "further documents also other priorities, behaviour under load and repeatability. A\n"
        "name that ends in .md gives the same as Markdown, with tables and without charts.\n"
        "The same input gives the same bytes.\n"
        "\n"
        "--index finds every bundle below a folder, verifies each in this call and writes one\n"
        "folder: an index by machine, models and work, a page for each bundle, and a page with\n"
        "the bundles of one group side by side. Figures are never ranked or subtracted between\n"
        "machines. Links are relative, so that the folder can be served from anywhere.\n"
        "\n"
        "Exit 1: no candidate is eligible, something in a bundle differs, or --index found no\n"
        "decision; exit 3: a bundle could not be verified. What is written says so and why.\n",
    .example = "paretopilot report examples/recommend/benchmarks.json --constraints "
               "examples/recommend/constraints.json --output report.html",
    .run = run_report,
};
