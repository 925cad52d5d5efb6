/* Quality figures as parts of documents, and as a report of their own. */
#include <string.h>

#include "evidence/quality_figures.h"
#include "quality/suite_report.h"

/* ---- measurement.quality ----------------------------------------------------------------------
 */

static void set_score(pp_arena *arena, pp_json *out, const pp_score *score)
{
    const pp_score_part *whole = &score->whole;
    pp_json *passes = pp_json_new_array(arena);

    pp_json_set_maybe_real(arena, out, "score", whole->score);
    pp_json_set_string(arena, out, "gap", pp_score_gap_name(whole->gap));
    pp_json_set_string(arena, out, "reason", pp_score_gap_meaning(whole->gap));
    pp_json_set_maybe_real(arena, out, "lower", whole->lower);
    pp_json_set_maybe_real(arena, out, "upper", whole->upper);
    pp_json_set_int(arena, out, "case_count", (int64_t)whole->total);
    pp_json_set_int(arena, out, "passed", (int64_t)whole->passed);
    pp_json_set_int(arena, out, "missed", (int64_t)whole->missed);
    pp_json_set_int(arena, out, "open", (int64_t)whole->open);
    pp_json_set_int(arena, out, "failed_request_count", (int64_t)whole->failed_request_count);
    for (size_t i = 0; i < score->pass_count; i++)
        pp_json_add(arena, passes, pp_json_new_int(arena, (int64_t)score->passed_by_pass[i]));
    pp_json_set(arena, out, "passed_by_pass", passes);
}

static pp_json *ids_of(pp_arena *arena, const pp_suite *suite, const size_t *numbers, size_t count)
{
    pp_json *out = pp_json_new_array(arena);

    for (size_t i = 0; i < count; i++)
        pp_json_add(arena, out, pp_json_new_text(arena, suite->cases[numbers[i]].id));
    return out;
}

static pp_json *comparison_of(pp_arena *arena, const pp_suite *suite, const pp_pairing *p,
                              pp_text reference)
{
    pp_json *out = pp_json_new_object(arena);

    pp_json_set_text(arena, out, "reference", reference);
    pp_json_set(arena, out, "lost", ids_of(arena, suite, p->lost, p->lost_count));
    pp_json_set(arena, out, "gained", ids_of(arena, suite, p->gained, p->gained_count));
    pp_json_set_maybe_real(arena, out, "mcnemar_p", p->mcnemar_p);
    pp_json_set_maybe_real(arena, out, "difference", p->difference);
    pp_json_set_maybe_real(arena, out, "retention", p->retention);
    return out;
}

static pp_json *agreement_of(pp_arena *arena, const pp_quality_candidate *c)
{
    const pp_agreement *a = &c->agreement;
    pp_json *out = pp_json_new_object(arena);

    pp_json_set_text(arena, out, "reference", a->reference_name);
    pp_json_set_int(arena, out, "pass", c->agreement_pass);
    pp_json_set_int(arena, out, "reference_pass", c->reference_pass);
    pp_json_set_int(arena, out, "context_count", (int64_t)a->context_count);
    pp_json_set_string(arena, out, "gap", pp_agreement_gap_name(a->gap));
    pp_json_set_string(arena, out, "refusal", pp_token_refusal_name(a->refusal));
    pp_json_set_maybe_real(arena, out, "top1_agreement", a->top1_agreement);
    pp_json_set_maybe_real(arena, out, "top1_lower", a->top1_lower);
    pp_json_set_maybe_real(arena, out, "top1_upper", a->top1_upper);
    pp_json_set_maybe_real(arena, out, "kl_nats_mean", a->kl_nats_mean);
    pp_json_set_maybe_real(arena, out, "kl_nats_max", a->kl_nats_max);
    return out;
}

pp_json *pp_quality_parameters(pp_arena *arena, const pp_quality_figures *figures,
                               const pp_study_plan *plan, size_t candidate)
{
    const pp_quality_candidate *c;
    pp_json *out = pp_json_new_object(arena);

    if (!figures->present) {
        pp_json_set_null(arena, out, "score");
        pp_json_set_string(arena, out, "gap", "no-suite");
        pp_json_set_string(arena, out, "reason", "the plan has no quality suite");
        return out;
    }
    c = &figures->candidates[candidate];
    set_score(arena, out, &c->score);
    pp_json_set(arena, out, "flips",
                ids_of(arena, &figures->suite, c->score.flipped, c->score.whole.flipped));
    pp_json_set(arena, out, "comparison",
                candidate == figures->baseline
                    ? pp_json_new_null(arena)
                    : comparison_of(arena, &figures->suite, &c->pairing, plan->baseline_id));
    pp_json_set(arena, out, "agreement",
                c->has_agreement ? agreement_of(arena, c) : pp_json_new_null(arena));
    return out;
}

pp_json *pp_quality_metadata(pp_arena *arena, const pp_quality_figures *figures)
{
    pp_json *out;

    if (!figures->present)
        return pp_json_new_null(arena);
    out = pp_json_new_object(arena);
    pp_json_set_text(arena, out, "id", figures->suite.id);
    pp_json_set_string(arena, out, "sha256", figures->suite_sha256);
    pp_json_set_string(arena, out, "content_sha256", figures->suite_content_sha256);
    pp_json_set_int(arena, out, "case_count", (int64_t)figures->suite.case_count);
    pp_json_set_int(arena, out, "context_count", (int64_t)figures->suite.context_count);
    return out;
}

/* ---- the report -------------------------------------------------------------------------------
 */

/* A text of the first pass that has this member; empty when none has. */
static pp_text text_of(const pp_study_plan *plan, const pp_pass_figures *passes, const char *part,
                       const char *key)
{
    for (int64_t i = 0; i < plan->passes; i++) {
        const pp_json *from = passes[i].server_command;
        const pp_json *value = pp_json_find(part == NULL ? from : pp_json_find(from, part), key);

        if (value != NULL && value->kind == PP_JSON_STRING && value->text.size > 0)
            return value->text;
    }
    return (pp_text){0};
}

static pp_suite_endpoint endpoint_of(pp_arena *arena, const pp_quality_figures *figures,
                                     const pp_study_plan *plan, const pp_pass_figures *passes,
                                     size_t index)
{
    const pp_quality_candidate *c = &figures->candidates[index];
    const pp_pass_figures *mine = &passes[index * (size_t)plan->passes];
    pp_text url = text_of(plan, mine, NULL, "url");

    return (pp_suite_endpoint){
        .name = plan->candidates[index].id,
        .url = pp_suite_url_is_bare(url) ? url : pp_text_of("not recorded"),
        .server_kind = pp_text_of("llama-server"),
        .build = text_of(plan, mine, "readback", "build_info"),
        .origin = c->origin,
        .results = c->results,
        .fidelity = index != figures->baseline && c->has_agreement
                        ? pp_agreement_to_json(arena, &c->agreement)
                        : NULL,
    };
}

/* When the first server was asked. */
static int64_t started_of(const pp_study_plan *plan, const pp_pass_figures *passes)
{
    int64_t first = INT64_MAX;

    for (size_t i = 0; i < plan->candidate_count * (size_t)plan->passes; i++) {
        const pp_json *value = pp_json_find(passes[i].requests_run, "started_unix_ms");
        int64_t started;

        if (value != NULL && pp_json_get_int(value, 0, INT64_MAX, &started, NULL) == PP_OK &&
            started < first)
            first = started;
    }
    return first == INT64_MAX ? 0 : first;
}

/* A request that was sent has a latency, whatever came of it. */
static bool is_partial(const pp_quality_figures *figures, size_t candidate_count)
{
    for (size_t i = 0; i < candidate_count; i++) {
        const pp_suite_results *r = &figures->candidates[i].results;

        for (size_t j = 0; j < r->pass_count * r->suite->case_count; j++)
            if (!r->results[j].latency_ns.known)
                return true;
    }
    return false;
}

/* What the constraints ask of the score, where it is a floor in the sense of statistics. */
static pp_maybe_real floor_of(const pp_constraints *constraints)
{
    for (size_t i = 0; i < constraints->min_value_count; i++) {
        const pp_limit *limit = &constraints->min_values[i];

        if (pp_text_is(limit->metric, PP_METRIC_QUALITY_SCORE) && limit->value > 0 &&
            limit->value < 1)
            return pp_known_real(limit->value);
    }
    return (pp_maybe_real){0};
}

pp_status pp_quality_report(pp_arena *arena, const pp_quality_figures *figures,
                            const pp_study_plan *plan, const pp_pass_figures *passes,
                            const char *tool_version, pp_json **ret_report, pp_error *err)
{
    const pp_suite *suite = &figures->suite;
    pp_suite_report report = {
        .tool_version = pp_text_of(tool_version),
        .suite = suite,
        .endpoint_count = plan->candidate_count,
        .has_reference = plan->candidate_count > 1,
        .reference = figures->baseline,
        .floor = floor_of(&plan->constraints),
    };
    pp_status st = PP_OK;

    *ret_report = NULL;
    if (!figures->present)
        return PP_OK;
    report.started_unix_ms = started_of(plan, passes);
    report.is_partial = is_partial(figures, plan->candidate_count);
    memcpy(report.suite_sha256, figures->suite_sha256, sizeof report.suite_sha256);
    memcpy(report.suite_content_sha256, figures->suite_content_sha256,
           sizeof report.suite_content_sha256);
    if (suite->has_system_prompt)
        st = pp_sha256_of(suite->system_prompt.data, suite->system_prompt.size,
                          report.system_prompt_sha256, err);
    report.endpoints = PP_ARENA_NEW(arena, pp_suite_endpoint, plan->candidate_count);
    if (st == PP_OK)
        st = pp_arena_check(arena, err);
    for (size_t i = 0; st == PP_OK && i < plan->candidate_count; i++)
        report.endpoints[i] = endpoint_of(arena, figures, plan, passes, i);
    if (st == PP_OK)
        st = pp_arena_check(arena, err);
    return st == PP_OK ? pp_suite_report_to_json(arena, &report, ret_report, err) : st;
}
