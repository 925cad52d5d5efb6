#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "cli/command.h"
#include "cli/decision_table.h"
#include "decide/details.h"
#include "version.h"

static const pp_option options[] = {
    {"constraints", 'c', "FILE", NULL, "limits, objective and preferences", true, false},
    {"output", 'o', "FILE", NULL, "write recommendation.json here; never replaces a file", false,
     false},
    {"details", 0, "FILE", NULL, "write decision-details.json here: every miss, with its size",
     false, false},
    {"json", 0, NULL, NULL, "print the recommendation document instead of the table", false, false},
};

/* Everything one run needs; the inputs are parsed from the bytes that are hashed. */
typedef struct run {
    pp_arena arena;
    pp_benchmark_set set;
    pp_constraints constraints;
    pp_decision decision;
    char benchmarks_sha256[PP_SHA256_HEX_SIZE];
    char constraints_sha256[PP_SHA256_HEX_SIZE];
} run;

static pp_fingerprints fingerprints_of(const run *r)
{
    return (pp_fingerprints){r->benchmarks_sha256, r->constraints_sha256};
}

/* ---- the command --------------------------------------------------------------------------- */

static pp_status refuse_taken(const char *path, pp_error *err)
{
    if (path != NULL && pp_path_exists(path))
        return pp_fail(err, PP_ERR_EXISTS, "'%s' exists already; nothing is overwritten", path);
    return PP_OK;
}

static pp_status check_outputs(const pp_args *args, pp_error *err)
{
    const char *output = pp_args_value(args, "output");
    const char *details = pp_args_value(args, "details");
    pp_status st = refuse_taken(output, err);

    if (st == PP_OK)
        st = refuse_taken(details, err);
    if (st == PP_OK && output != NULL && details != NULL && strcmp(output, details) == 0)
        return pp_fail(err, PP_ERR_USAGE, "recommend: --output and --details name the same file");
    return st;
}

static pp_status load_and_decide(const pp_args *args, run *r, pp_error *err)
{
    pp_status st =
        pp_benchmark_set_load(&r->arena, args->positionals[0], &r->set, r->benchmarks_sha256, err);

    if (st == PP_OK)
        st = pp_constraints_load(&r->arena, pp_args_value(args, "constraints"), &r->constraints,
                                 r->constraints_sha256, err);
    if (st == PP_OK)
        st = pp_wrap(err, pp_decide(&r->arena, &r->set, &r->constraints, &r->decision, err),
                     "deciding");
    return st;
}

static pp_status print_json(const pp_json *document, pp_error *err)
{
    pp_buf text;
    pp_status st;

    pp_buf_init(&text, PP_JSON_MAX_BYTES);
    st = pp_json_write(document, PP_JSON_ASCII, &text, err);
    if (st == PP_OK)
        (void)fwrite(text.data, 1, text.size, stdout); /* main checks stdout */
    pp_buf_done(&text);
    return st;
}

static pp_status save(const pp_args *args, run *r, const pp_json *recommendation,
                      const pp_json *details, pp_error *err)
{
    const char *output = pp_args_value(args, "output");
    const char *details_path = pp_args_value(args, "details");
    pp_status st = pp_arena_check(&r->arena, err);

    if (st == PP_OK && output != NULL)
        st = pp_json_save_new(recommendation, output, err);
    if (st == PP_OK && details_path != NULL)
        st = pp_json_save_new(details, details_path, err);
    return st;
}

static pp_status fail_no_winner(const pp_args *args, run *r, pp_error *err)
{
    pp_status st;

    if (pp_args_has(args, "json"))
        st = print_json(
            pp_decision_details_to_json(&r->arena, &r->decision, PP_VERSION, fingerprints_of(r)),
            err);
    else
        st = pp_decision_table_print(&r->arena, &r->decision, stdout, err);
    if (st != PP_OK)
        return st;
    return pp_fail(err, PP_ERR_NO_WINNER,
                   "no candidate is eligible: all %zu violate a limit; nothing was written",
                   r->set.candidate_count);
}

static pp_status report(const pp_args *args, run *r, pp_error *err)
{
    pp_json *recommendation;
    pp_json *details;
    pp_status st;

    if (!r->decision.has_winner)
        return fail_no_winner(args, r, err);
    recommendation =
        pp_recommendation_to_json(&r->arena, &r->decision, PP_VERSION, fingerprints_of(r));
    details = pp_decision_details_to_json(&r->arena, &r->decision, PP_VERSION, fingerprints_of(r));
    st = save(args, r, recommendation, details, err);
    if (st != PP_OK)
        return st;
    return pp_args_has(args, "json")
               ? print_json(recommendation, err)
               : pp_decision_table_print(&r->arena, &r->decision, stdout, err);
}

static pp_status run_recommend(const pp_args *args, pp_exit *ret_exit, pp_error *err)
{
    run r = {0};
    pp_status st = check_outputs(args, err);

    (void)ret_exit; /* follows from the status */
    if (st == PP_OK)
        st = load_and_decide(args, &r, err);
    if (st == PP_OK)
        st = report(args, &r, err);
    pp_arena_done(&r.arena);
    return st;
}

const pp_command pp_command_recommend = {
    .group = "Decide",
    .name = "recommend",
    .positionals = "SET",
    .min_positionals = 1,
    .max_positionals = 1,
    .options = options,
    .n_options = PP_COUNT_OF(options),
    .summary = "apply the limits and pick one candidate",
    .detail = "Reads a benchmark set and constraints, drops every candidate that misses a limit,\n"
              "keeps those that no other beats in all frontier metrics, and picks one within the\n"
              "tolerance of the best objective by the preference order. Says what each other\n"
              "candidate missed, and by how much.\n"
              "\n"
              "Exit 1: no candidate is eligible; then no file is written.\n",
    .example = "paretopilot recommend examples/recommend/benchmarks.json --constraints "
               "examples/recommend/constraints.json",
    .run = run_recommend,
};
