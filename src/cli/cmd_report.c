#include <string.h>

#include "base/files.h"
#include "cli/inputs.h"
#include "report/html.h"

static const pp_positional positionals[] = {
    {.value = PP_FILE("SET"), .help = "the benchmark set, docs/formats/benchmark-set.md"},
};

static const pp_option options[] = {
    {"constraints", 'c', PP_FILE("FILE"), NULL,
     "limits, objective and preferences, docs/formats/constraints.md", true, false},
    {"output", 'o', PP_FILE("F.html"), NULL,
     "the page; a name that ends in .html; never replaces a file", true, false},
};

static pp_status check_output(const char *path, pp_error *err)
{
    size_t size = strlen(path);

    if (size <= 5 || strcmp(path + size - 5, ".html") != 0)
        return pp_fail(err, PP_ERR_USAGE,
                       "report: --output '%s': expected a name that ends in .html", path);
    return pp_output_check_free(path, err);
}

static pp_status write_page(pp_inputs *r, const char *path, pp_error *err)
{
    pp_buf page;
    pp_status st;

    pp_buf_init(&page, PP_REPORT_MAX_BYTES);
    st = pp_inputs_page(r, &page, err);
    if (st == PP_OK)
        st = pp_file_write_new(path, page.data, page.size, err);
    pp_buf_done(&page);
    return st;
}

static pp_status run_report(const pp_args *args, pp_exit *ret_exit, pp_error *err)
{
    const char *output = pp_args_value(args, "output");
    pp_inputs r = {0};
    pp_status st = check_output(output, err);

    if (st == PP_OK)
        st = pp_inputs_decide(args, &r, err);
    if (st == PP_OK)
        st = write_page(&r, output, err);
    if (st == PP_OK && !r.decision.has_winner)
        *ret_exit = PP_EXIT_NO; /* the page says so, and why */
    pp_inputs_done(&r);
    return st;
}

const pp_command pp_command_report = {
    .group = "Decide",
    .name = "report",
    .positionals = positionals,
    .n_positionals = PP_COUNT_OF(positionals),
    .options = options,
    .n_options = PP_COUNT_OF(options),
    .summary = "write one self-contained page about a decision",
    .detail =
        "Decides as recommend does and writes what it rests on as one HTML file without\n"
        "scripts: the choice and its reason, every candidate, charts, limits, runs, machine,\n"
        "models and inputs. The same input gives the same bytes.\n"
        "\n"
        "Exit 1: no candidate is eligible; the page is written and says why.\n",
    .example = "paretopilot report examples/recommend/benchmarks.json --constraints "
               "examples/recommend/constraints.json --output report.html",
    .run = run_report,
};
