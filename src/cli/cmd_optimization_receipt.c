#include "cli/passport_step.h"
#include "report/receipt.h"

static const pp_positional positionals[] = {
    {.value = PP_FILE("SET"), .help = "the benchmark set, docs/formats/benchmark-set.md"},
};

static const pp_option options[] = {
    {"constraints", 'c', PP_FILE("FILE"), NULL,
     "limits, objective and preferences, docs/formats/constraints.md", true, false},
    {"output", 'o', PP_FILE("FILE"), NULL,
     "write the Markdown of docs/formats/receipt.md; never replaces a file", true, false},
    {"require-arm64-provenance", 0, NULL, NULL,
     "exit 1 and write nothing unless the evidence grade is arm64-attributed", false, false},
    {"json", 0, NULL, NULL, "print where it was written, as a document, instead of the summary",
     false, false},
};

static const pp_passport_file file = {"optimization_receipt", "optimization_receipt_sha256",
                                      "receipt", PP_RECEIPT_MAX_BYTES, pp_receipt_write};

static pp_status run_receipt(const pp_args *args, pp_exit *ret_exit, pp_error *err)
{
    return pp_passport_step_run(args, &file, ret_exit, err);
}

const pp_command pp_command_optimization_receipt = {
    .group = "Decide",
    .name = "optimization-receipt",
    .positionals = positionals,
    .n_positionals = PP_COUNT_OF(positionals),
    .options = options,
    .n_options = PP_COUNT_OF(options),
    .summary = "write the passport of a decision for people, in Markdown",
    .detail = "Makes the passport of a decision, checks it, and writes it as Markdown for a pull\n"
              "request or a wiki: the decision, the cutoff, each candidate against the one\n"
              "before, and where the figures come from. The same input gives the same bytes.\n"
              "\n"
              "Exit 1: no candidate is eligible, or the evidence that\n"
              "--require-arm64-provenance asks for is not there; then no file is written.\n",
    .example = "paretopilot optimization-receipt examples/recommend/benchmarks.json --constraints "
               "examples/recommend/constraints.json --output receipt.md",
    .run = run_receipt,
};
