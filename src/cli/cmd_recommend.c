#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "cli/decision_table.h"
#include "cli/inputs.h"
#include "cli/what_if_text.h"
#include "decide/details.h"
#include "version.h"

static const pp_positional positionals[] = {
    {.value = PP_FILE("SET"), .help = "the benchmark set, docs/formats/benchmark-set.md"},
};

static const pp_option options[] = {
    {"constraints", 'c', PP_FILE("FILE"), NULL,
     "limits, objective and preferences, docs/formats/constraints.md", true, false},
    {"output", 'o', PP_FILE("FILE"), NULL,
     "write the document of docs/formats/recommendation.md; never replaces a file", false, false},
    {"details", 0, PP_FILE("FILE"), NULL,
     "write the document of docs/formats/decision-details.md: every miss with its size", false,
     false},
    {"what-if", 0, NULL, NULL,
     "say which tolerance, which single limit and which objective would change the choice", false,
     false},
    {"json", 0, NULL, NULL, "print the recommendation (ASCII JSON) instead of the table", false,
     false},
};

/* ---- the command --------------------------------------------------------------------------- */

static pp_status check_outputs(const pp_args *args, pp_error *err)
{
    const char *output = pp_args_value(args, "output");
    const char *details = pp_args_value(args, "details");
    pp_status st = pp_output_check_free(output, err);

    if (st == PP_OK)
        st = pp_output_check_free(details, err);
    if (st == PP_OK && output != NULL && details != NULL && strcmp(output, details) == 0)
        return pp_fail(err, PP_ERR_USAGE, "recommend: --output and --details name the same file");
    return st;
}

static pp_status save(const pp_args *args, pp_inputs *r, const pp_json *recommendation,
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

static pp_json *make_details(pp_inputs *r, const pp_what_if *what_if)
{
    pp_json *out =
        pp_decision_details_to_json(&r->arena, &r->decision, PP_VERSION, pp_inputs_fingerprints(r));

    if (what_if != NULL)
        pp_json_set(&r->arena, out, "what_if",
                    pp_what_if_to_json(&r->arena, &r->decision, what_if));
    return out;
}

static pp_status print_tables(pp_inputs *r, const pp_what_if *what_if, pp_error *err)
{
    pp_status st = pp_decision_table_print(&r->arena, &r->decision, stdout, err);

    if (st == PP_OK && what_if != NULL)
        st = pp_what_if_print(&r->arena, &r->decision, what_if, stdout, err);
    return st;
}

static pp_status fail_no_winner(const pp_args *args, pp_inputs *r, const pp_what_if *what_if,
                                pp_error *err)
{
    pp_status st;

    if (what_if == NULL)
        return pp_inputs_fail_no_winner(args, r, err);
    st = pp_args_has(args, "json") ? pp_print_json(make_details(r, what_if), err)
                                   : print_tables(r, what_if, err);
    return st == PP_OK ? pp_inputs_no_winner(r, err) : st;
}

static pp_status report(const pp_args *args, pp_inputs *r, const pp_what_if *what_if, pp_error *err)
{
    pp_json *recommendation;
    pp_json *details;
    pp_status st;

    if (!r->decision.has_winner)
        return fail_no_winner(args, r, what_if, err);
    recommendation =
        pp_recommendation_to_json(&r->arena, &r->decision, PP_VERSION, pp_inputs_fingerprints(r));
    details = make_details(r, what_if);
    st = save(args, r, recommendation, details, err);
    if (st != PP_OK)
        return st;
    return pp_args_has(args, "json") ? pp_print_json(recommendation, err)
                                     : print_tables(r, what_if, err);
}

static pp_status run_recommend(const pp_args *args, pp_exit *ret_exit, pp_error *err)
{
    bool asks = pp_args_has(args, "what-if");
    pp_what_if what_if;
    pp_inputs r = {0};
    pp_status st = check_outputs(args, err);

    (void)ret_exit; /* follows from the status */
    if (st == PP_OK)
        st = pp_inputs_decide(args, &r, err);
    if (st == PP_OK)
        st = asks ? pp_what_if_find(&r.arena, &r.decision, &what_if, err) : PP_OK;
    if (st == PP_OK)
        st = report(args, &r, asks ? &what_if : NULL, err);
    pp_inputs_done(&r);
    return st;
}

const pp_command pp_command_recommend = {
    .group = "Decide",
    .name = "recommend",
    .positionals = positionals,
    .n_positionals = PP_COUNT_OF(positionals),
    .options = options,
    .n_options = PP_COUNT_OF(options),
    .summary = "apply the limits and pick one candidate",
    .detail = "Reads a benchmark set and constraints, drops every candidate that misses a limit,\n"
              "keeps those that no other beats in all frontier metrics, and picks one within the\n"
              "tolerance of the best objective by the preference order. Says what each other\n"
              "candidate missed, and by how much; with --what-if, which one change of the\n"
              "constraints would select another.\n"
              "\n"
              "Exit 1: no candidate is eligible; then no file is written.\n",
    .example = "paretopilot recommend examples/recommend/benchmarks.json --constraints "
               "examples/recommend/constraints.json",
    .run = run_recommend,
};
