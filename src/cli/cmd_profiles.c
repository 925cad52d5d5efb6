#include <stdio.h>

#include "cli/decision_table.h"
#include "cli/inputs.h"
#include "cli/table.h"
#include "decide/details.h"
#include "decide/profiles.h"
#include "version.h"

#define ID_COLUMNS     20 /* with the longest metric and value the table still fits */
#define METRIC_COLUMNS 24

static const pp_positional positionals[] = {
    {.value = PP_FILE("SET"), .help = "the benchmark set, docs/formats/benchmark-set.md"},
};

static const pp_option options[] = {
    {"constraints", 'c', PP_FILE("FILE"), NULL,
     "limits, objective and preferences, docs/formats/constraints.md", true, false},
    {"policies", 'p', PP_FILE("FILE"), NULL, "the objectives, docs/formats/policy-set.md", true,
     false},
    {"output", 'o', PP_FILE("FILE"), NULL,
     "write the document of docs/formats/profiles.md; never replaces a file", false, false},
    {"json", 0, NULL, NULL, "print the document (ASCII JSON) instead of the table", false, false},
};

/* What one run reads and decides. Must not move: the decisions point into it. */
typedef struct work {
    pp_inputs inputs; /* its decision is not made; the profiles are */
    pp_policy_set policies;
    pp_profiles profiles;
    char policies_sha256[PP_SHA256_HEX_SIZE];
} work;

/* ---- the table ----------------------------------------------------------------------------- */

static void add_row(pp_arena *arena, const pp_profile_decision *item, pp_table *table)
{
    const pp_decision *d = &item->decision;
    const pp_goal *goal = &item->profile->objective;
    const pp_candidate *selected = &d->set->candidates[d->selected];

    if (!pp_table_add_row(table))
        return;
    pp_table_set(table, 0, pp_table_cell_text(arena, item->profile->id, ID_COLUMNS));
    pp_table_set(table, 1,
                 pp_arena_printf(arena, "%s %s", pp_direction_name(goal->direction),
                                 pp_table_cell_text(arena, goal->metric, METRIC_COLUMNS)));
    pp_table_set(table, 2, pp_table_cell_text(arena, selected->id, ID_COLUMNS));
    pp_table_set(
        table, 3,
        pp_metric_text(arena, goal->metric, *pp_candidate_find_metric(selected, goal->metric)));
    pp_table_set(table, 4,
                 pp_arena_printf(arena, "%zu of %zu", d->shortlist.count, d->frontier.count));
}

static void print_table(pp_arena *arena, const pp_profiles *profiles)
{
    pp_table table;

    pp_table_init(&table, arena);
    pp_table_add_column(&table, "profile", PP_ALIGN_LEFT);
    pp_table_add_column(&table, "objective", PP_ALIGN_LEFT);
    pp_table_add_column(&table, "selected", PP_ALIGN_LEFT);
    pp_table_add_column(&table, "its value", PP_ALIGN_RIGHT);
    pp_table_add_column(&table, "good\nenough", PP_ALIGN_RIGHT);
    for (size_t i = 0; i < profiles->count; i++)
        add_row(arena, &profiles->items[i], &table);
    pp_table_print(&table, stdout);
}

static void print_notes(pp_arena *arena, const pp_profiles *profiles)
{
    const pp_profile_decision *canonical = &profiles->items[profiles->policies->canonical];
    const pp_benchmark_set *set = profiles->set;

    pp_note_print("canonical",
                  pp_arena_printf(arena, "%s: %s",
                                  pp_table_cell_text(arena, canonical->profile->id, ID_COLUMNS),
                                  pp_profile_notice(profiles, canonical->profile)),
                  stdout);
    for (size_t i = 0; i < profiles->count; i++) {
        if (profiles->items[i].profile->class == PP_PROFILE_CANONICAL)
            continue;
        pp_note_print("others", pp_profile_notice(profiles, profiles->items[i].profile), stdout);
        break; /* it is the same for all of them */
    }
    if (set->origin != PP_ORIGIN_MEASURED)
        pp_note_print("origin",
                      pp_arena_printf(arena, "%s: %s", pp_origin_name(set->origin),
                                      pp_origin_meaning(set->origin)),
                      stdout);
    if (canonical->constraints->quality_not_measurable)
        pp_note_print("quality", "quality not judged: the constraints call it not measurable",
                      stdout);
}

/* ---- the command --------------------------------------------------------------------------- */

static pp_status decide(const pp_args *args, work *w, pp_error *err)
{
    pp_arena *arena = &w->inputs.arena;
    pp_status st = pp_inputs_load(args, &w->inputs, err);

    if (st == PP_OK)
        st = pp_policy_set_load(arena, pp_args_value(args, "policies"), &w->policies,
                                w->policies_sha256, err);
    if (st == PP_OK)
        st = pp_wrap(err,
                     pp_profiles_decide(arena, &w->inputs.set, &w->inputs.constraints, &w->policies,
                                        &w->profiles, err),
                     "deciding");
    return st;
}

/* The limits are the same for every profile, and so is what each candidate missed. */
static pp_status fail_no_winner(const pp_args *args, work *w, const pp_profile_decision *item,
                                pp_error *err)
{
    pp_arena *arena = &w->inputs.arena;
    pp_status st;

    if (pp_args_has(args, "json"))
        st = pp_print_json(pp_decision_details_to_json(arena, &item->decision, PP_VERSION,
                                                       pp_inputs_fingerprints(&w->inputs)),
                           err);
    else
        st = pp_decision_table_print(arena, &item->decision, stdout, err);
    if (st != PP_OK)
        return st;
    return pp_fail(err, PP_ERR_NO_WINNER,
                   "profile '%s': no candidate is eligible: all %zu violate a limit; nothing was "
                   "written",
                   item->profile->id.data, w->inputs.set.candidate_count);
}

static pp_status report(const pp_args *args, work *w, pp_error *err)
{
    pp_arena *arena = &w->inputs.arena;
    const pp_profile_decision *without = pp_profiles_without_winner(&w->profiles);
    pp_json *document;
    pp_status st;

    if (without != NULL)
        return fail_no_winner(args, w, without, err);
    document =
        pp_profiles_to_json(arena, &w->profiles, PP_VERSION,
                            (pp_fingerprints){w->inputs.benchmarks_sha256,
                                              w->inputs.constraints_sha256, w->policies_sha256});
    st = pp_arena_check(arena, err);
    if (st == PP_OK)
        st = pp_output_json(args, document, err);
    if (st != PP_OK || pp_args_has(args, "json"))
        return st;
    print_table(arena, &w->profiles);
    (void)putchar('\n');
    print_notes(arena, &w->profiles);
    return pp_arena_check(arena, err);
}

static pp_status run_profiles(const pp_args *args, pp_exit *ret_exit, pp_error *err)
{
    work w = {0};
    pp_status st = pp_output_check_free(pp_args_value(args, "output"), err);

    (void)ret_exit; /* follows from the status */
    if (st == PP_OK)
        st = decide(args, &w, err);
    if (st == PP_OK)
        st = report(args, &w, err);
    pp_inputs_done(&w.inputs);
    return st;
}

const pp_command pp_command_profiles = {
    .group = "Decide",
    .name = "profiles",
    .positionals = positionals,
    .n_positionals = PP_COUNT_OF(positionals),
    .options = options,
    .n_options = PP_COUNT_OF(options),
    .summary = "decide by several objectives, side by side",
    .detail =
        "Reads a benchmark set, constraints and a policy set, and decides once for each of its\n"
        "profiles. The canonical profile repeats the objective of the constraints and keeps\n"
        "their preference order; the others put another objective in its place, under the\n"
        "same limits and without preferences.\n"
        "\n"
        "Exit 1: no candidate is eligible; then no file is written.\n",
    .example = "paretopilot profiles examples/recommend/benchmarks.json --constraints "
               "examples/recommend/constraints.json --policies examples/recommend/policies.json",
    .run = run_profiles,
};
