#include "cli/passport_step.h"

static const pp_positional positionals[] = {
    {.value = PP_FILE("SET"), .help = "the benchmark set, docs/formats/benchmark-set.md"},
};

static const pp_option options[] = {
    {"constraints", 'c', PP_FILE("FILE"), NULL,
     "limits, objective and preferences, docs/formats/constraints.md", true, false},
    {"output", 'o', PP_FILE("FILE"), NULL,
     "write the document of docs/formats/passport.md; never replaces a file", true, false},
    {"require-arm64-provenance", 0, NULL, NULL,
     "exit 1 and write nothing unless the evidence grade is arm64-attributed", false, false},
    {"json", 0, NULL, NULL, "print where it was written, as a document, instead of the summary",
     false, false},
};

static pp_status write_json(const pp_json *passport, pp_buf *out, pp_error *err)
{
    return pp_json_write(passport, PP_JSON_FILE, out, err);
}

static const pp_passport_file file = {"passport", "passport_sha256", "passport", PP_JSON_MAX_BYTES,
                                      write_json};

static pp_status run_passport(const pp_args *args, pp_exit *ret_exit, pp_error *err)
{
    return pp_passport_step_run(args, &file, ret_exit, err);
}

const pp_command pp_command_passport = {
    .group = "Decide",
    .name = "passport",
    .positionals = positionals,
    .n_positionals = PP_COUNT_OF(positionals),
    .options = options,
    .n_options = PP_COUNT_OF(options),
    .summary = "write a decision with its evidence and context",
    .detail = "Decides as recommend does and writes what stands behind the decision as one\n"
              "document: where the figures come from, how each candidate differs from the one\n"
              "before, how close the decision was, and what would need less memory.\n"
              "\n"
              "Exit 1: no candidate is eligible, or the evidence that\n"
              "--require-arm64-provenance asks for is not there; then no file is written.\n",
    .example = "paretopilot passport examples/recommend/benchmarks.json --constraints "
               "examples/recommend/constraints.json --output passport.json",
    .run = run_passport,
};
