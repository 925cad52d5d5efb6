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

static const pp_passport_file file = {"passport", "passport_sha256", "passport"};

static pp_status write_passport(const pp_args *args, pp_passport_step *step, pp_error *err)
{
    pp_buf bytes;
    pp_status st;

    pp_buf_init(&bytes, PP_JSON_MAX_BYTES);
    st = pp_json_write(step->passport, PP_JSON_FILE, &bytes, err);
    if (st == PP_OK)
        st = pp_passport_step_write(args, &file, step, &bytes, err);
    pp_buf_done(&bytes);
    return st;
}

static pp_status run_passport(const pp_args *args, pp_exit *ret_exit, pp_error *err)
{
    pp_passport_step step = {0};
    pp_status st = pp_passport_step_make(args, &file, &step, ret_exit, err);

    if (st == PP_OK && step.passport != NULL)
        st = write_passport(args, &step, err);
    pp_passport_step_done(&step);
    return st;
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
