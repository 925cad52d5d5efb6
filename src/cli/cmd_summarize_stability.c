#include <stdio.h>

#include "cli/inputs.h"
#include "cli/stability_table.h"

static const pp_option options[] = {
    {"input", 'i', PP_TEXT("LABEL=PATH"), NULL,
     "a pass and its benchmark set, docs/formats/benchmark-set.md; two to eight of them", true,
     true},
    {"metric", 'm', PP_TEXT("NAME=DIRECTION"), NULL,
     "a metric to compare, and whether min or max is better; up to 32", true, true},
    {"output", 'o', PP_FILE("FILE"), NULL,
     "write the document of docs/formats/stability.md; never replaces a file", false, false},
    {"json", 0, NULL, NULL, "print the document (ASCII JSON) instead of the table", false, false},
};

/* One run; texts live in the arena. The passes point at the sets. */
typedef struct summary {
    pp_arena *arena;
    size_t pass_count, goal_count;
    pp_stability_pass passes[PP_STABILITY_MAX_PASSES];
    const char *paths[PP_STABILITY_MAX_PASSES];
    pp_benchmark_set sets[PP_STABILITY_MAX_PASSES];
    char digests[PP_STABILITY_MAX_PASSES][PP_SHA256_HEX_SIZE];
    pp_goal goals[PP_STABILITY_MAX_METRICS];
    pp_stability stability;
} summary;

/* ---- the command line ------------------------------------------------------------------------ */

static pp_status parse_inputs(const pp_args *args, summary *s, pp_error *err)
{
    const char *given;

    while ((given = pp_args_value_at(args, "input", s->pass_count)) != NULL) {
        pp_text label = {0};
        pp_text path = {0};
        pp_status st;

        if (s->pass_count == PP_STABILITY_MAX_PASSES)
            return pp_fail(err, PP_ERR_USAGE,
                           "summarize-stability: --input: expected at most %d passes",
                           PP_STABILITY_MAX_PASSES);
        st = pp_pair_split(s->arena, "summarize-stability: --input", "LABEL=PATH", given, &label,
                           &path, err);
        if (st != PP_OK)
            return st;
        s->passes[s->pass_count].label = label;
        s->paths[s->pass_count++] = path.data;
    }
    return PP_OK;
}

static pp_status parse_metrics(const pp_args *args, summary *s, pp_error *err)
{
    const char *given;

    while ((given = pp_args_value_at(args, "metric", s->goal_count)) != NULL) {
        pp_goal *goal = &s->goals[s->goal_count];
        pp_text word = {0};
        pp_status st;

        if (s->goal_count == PP_STABILITY_MAX_METRICS)
            return pp_fail(err, PP_ERR_USAGE,
                           "summarize-stability: --metric: expected at most %d metrics",
                           PP_STABILITY_MAX_METRICS);
        st = pp_pair_split(s->arena, "summarize-stability: --metric", "NAME=min or NAME=max", given,
                           &goal->metric, &word, err);
        if (st != PP_OK)
            return st;
        if (!pp_text_is(word, "min") && !pp_text_is(word, "max"))
            return pp_fail(err, PP_ERR_USAGE,
                           "summarize-stability: --metric %s: expected min or max, got '%s'",
                           goal->metric.data, word.data);
        goal->direction = pp_text_is(word, "min") ? PP_DIRECTION_MIN : PP_DIRECTION_MAX;
        s->goal_count++;
    }
    return PP_OK;
}

/* ---- the command --------------------------------------------------------------------------- */

static pp_status load_passes(summary *s, pp_error *err)
{
    pp_status st = PP_OK;

    for (size_t i = 0; st == PP_OK && i < s->pass_count; i++) {
        st = pp_benchmark_set_load(s->arena, s->paths[i], &s->sets[i], s->digests[i], err);
        s->passes[i].set = &s->sets[i];
        s->passes[i].sha256 = s->digests[i];
    }
    return st;
}

/* A reader will compute it all again; if it would not accept this document, nobody gets it. */
static pp_status make_document(summary *s, const pp_json **ret_document, pp_error *err)
{
    const pp_json *document = pp_stability_to_json(s->arena, &s->stability);
    pp_stability again;
    pp_error why = {0};
    pp_status st = pp_arena_check(s->arena, err);

    if (st != PP_OK)
        return st;
    if (pp_stability_decode(s->arena, document, &again, &why) != PP_OK)
        return pp_fail(err, PP_ERR_BUG, "the summary does not hold: %s", why.text);
    *ret_document = document;
    return PP_OK;
}

static pp_status report(const pp_args *args, summary *s, pp_error *err)
{
    const pp_json *document = NULL;
    pp_status st = make_document(s, &document, err);

    if (st == PP_OK)
        st = pp_output_json(args, document, err);
    if (st != PP_OK || pp_args_has(args, "json"))
        return st;
    return pp_stability_table_print(s->arena, &s->stability, stdout, err);
}

static pp_status summarize(const pp_args *args, pp_arena *arena, pp_error *err)
{
    summary s = {.arena = arena};
    pp_status st = parse_inputs(args, &s, err);

    if (st == PP_OK)
        st = parse_metrics(args, &s, err);
    if (st == PP_OK)
        st = load_passes(&s, err);
    if (st == PP_OK)
        st = pp_wrap(err,
                     pp_stability_make(arena, s.passes, s.pass_count, s.goals, s.goal_count,
                                       &s.stability, err),
                     "comparing passes");
    return st == PP_OK ? report(args, &s, err) : st;
}

static pp_status run(const pp_args *args, pp_exit *ret_exit, pp_error *err)
{
    (void)ret_exit; /* follows from the status */
    return pp_with_new_output(args, summarize, err);
}

const pp_command pp_command_summarize_stability = {
    .group = "Decide",
    .name = "summarize-stability",
    .options = options,
    .n_options = PP_COUNT_OF(options),
    .summary = "say what several passes of one measurement agree on",
    .detail = "Reads one benchmark set for each pass. Baseline, candidates, labels and parameters\n"
              "must be the same in all. For each candidate and metric it says in which direction\n"
              "each pass points, and how far the passes lie apart: observations, no test of\n"
              "significance.\n",
    .example = "paretopilot summarize-stability --input first=examples/stability/first.json "
               "--input second=examples/stability/second.json --metric e2e_latency_ms_p95=min "
               "--metric generation_tps=max",
    .run = run,
};
