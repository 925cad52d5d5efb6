#include "evidence/quality_figures.h"

#include <math.h>
#include <string.h>

#include "evidence/layout.h"
#include "evidence/quality_parts.h"

/* ---- the suite --------------------------------------------------------------------------------
 */

pp_status pp_plan_suite_check(const pp_study_plan *plan, const pp_suite *suite, pp_error *err)
{
    if (suite->context_count > 0 || !pp_study_plan_names_agreement(plan))
        return PP_OK;
    return pp_fail(err, PP_ERR_DOMAIN,
                   "the constraints name an agreement with the baseline, and the suite has no "
                   "contexts to measure it by");
}

static pp_status load_suite(pp_arena *arena, const char *path, const pp_study_plan *plan,
                            pp_quality_figures *f, pp_error *err)
{
    pp_status st;

    /* The digest comes first: what is wrong with another file than the plan's is of no use. */
    st = pp_sha256_file(path, f->suite_sha256, NULL, err);
    if (st == PP_OK && pp_text_is(plan->suite.sha256, f->suite_sha256))
        st = pp_suite_load(arena, path, &f->suite, f->suite_sha256, f->suite_content_sha256, err);
    if (st == PP_OK && !pp_text_is(plan->suite.sha256, f->suite_sha256))
        st = pp_fail(err, PP_ERR_DOMAIN, "'%s': found SHA-256 %s, the plan says %s", path,
                     f->suite_sha256, plan->suite.sha256.data);
    if (st == PP_OK)
        st = pp_wrap(err, pp_plan_suite_check(plan, &f->suite, err), "'%s'", path);
    return st;
}

/* ---- reading ----------------------------------------------------------------------------------
 */

/* An emulated CPU spoils times; that random weights say nothing remains the worse news here. Of a
 * server that runs elsewhere nobody here has seen the weights. */
static pp_origin origin_of(const pp_study_documents *documents, const pp_plan_candidate *candidate)
{
    const pp_json *host = documents->host;
    const pp_json *model;
    pp_origin weights;

    if (candidate->kind == PP_CANDIDATE_ENDPOINT)
        return PP_ORIGIN_UNKNOWN;
    model = documents->models[candidate->model_index];
    weights = pp_model_origin(model, NULL);
    return weights == PP_ORIGIN_SYNTHETIC_WEIGHTS ? weights : pp_model_origin(model, host);
}

/* Of a gateway, the worst of the servers behind it, as the preflight found them. */
static pp_status find_origin(pp_arena *arena, const char *folder,
                             const pp_study_documents *documents,
                             const pp_plan_candidate *candidate, pp_origin *ret_origin,
                             pp_error *err)
{
    const pp_json *said = NULL;
    const char *path;
    pp_status st;

    *ret_origin = PP_ORIGIN_UNKNOWN;
    if (candidate->kind != PP_CANDIDATE_SERVE) {
        *ret_origin = origin_of(documents, candidate);
        return PP_OK;
    }
    path = pp_bundle_path(arena, folder, PP_BUNDLE_PREFLIGHT_ENDPOINT, candidate->id.data);
    st = pp_bundle_read_json(arena, path, &said, err);
    if (st != PP_OK)
        return st;
    *ret_origin = pp_endpoint_origin(said);
    if (*ret_origin != PP_ORIGIN_SYNTHETIC_WEIGHTS)
        *ret_origin = pp_origin_worst(*ret_origin, pp_model_origin(NULL, documents->host));
    return PP_OK;
}

static pp_status make_places(pp_arena *arena, const pp_study_plan *plan, const pp_suite *suite,
                             pp_quality_candidate *c, pp_error *err)
{
    const size_t passes = (size_t)plan->passes;

    c->results = (pp_suite_results){
        .suite = suite,
        .pass_count = passes,
        .results = PP_ARENA_NEW(arena, pp_case_result, passes * suite->case_count),
    };
    if (suite->context_count == 0)
        return pp_arena_check(arena, err);
    c->speculation = PP_ARENA_NEW(arena, pp_maybe_bool, passes);
    c->answers = PP_ARENA_NEW(arena, pp_next_token *, passes);
    for (size_t i = 0; c->answers != NULL && i < passes; i++)
        c->answers[i] = PP_ARENA_NEW(arena, pp_next_token, suite->context_count);
    return pp_arena_check(arena, err);
}

static pp_status read_candidate(pp_arena *arena, const char *folder, const pp_study_plan *plan,
                                const pp_suite *suite, size_t index, pp_quality_candidate *c,
                                pp_error *err)
{
    pp_status st = make_places(arena, plan, suite, c, err);

    for (int64_t pass = 1; st == PP_OK && pass <= plan->passes; pass++)
        st = pp_quality_read_pass(arena, folder, &plan->candidates[index], pass, suite, c, err);
    if (st == PP_OK)
        st = pp_score_of(arena, &c->results, c->origin, &c->score, err);
    return st;
}

/* ---- agreement with the baseline --------------------------------------------------------------
 */

static pp_agreement_side side_of(const pp_study_plan *plan, const pp_quality_figures *f,
                                 size_t index, int64_t pass)
{
    const pp_quality_candidate *c = &f->candidates[index];

    return (pp_agreement_side){
        .name = plan->candidates[index].id,
        .origin = c->origin,
        .speculation = c->speculation[pass - 1],
        .answers = c->answers[pass - 1],
    };
}

static double or_infinite(pp_maybe_real value)
{
    return value.known ? value.value : HUGE_VAL;
}

/* A gap is the least that a pass can say; then fewer agreeing contexts, then a larger divergence.
 */
static bool agrees_less(const pp_agreement *a, const pp_agreement *b)
{
    if ((a->gap == PP_AGREEMENT_THERE) != (b->gap == PP_AGREEMENT_THERE))
        return a->gap != PP_AGREEMENT_THERE;
    if (a->agree_count != b->agree_count)
        return a->agree_count < b->agree_count;
    return or_infinite(a->kl_nats_mean) > or_infinite(b->kl_nats_mean);
}

/* The baseline's later passes are held against its first one; a pass against itself says nothing.
 */
static pp_status compare_candidate(pp_arena *arena, const pp_study_plan *plan,
                                   pp_quality_figures *f, size_t index, pp_error *err)
{
    pp_quality_candidate *c = &f->candidates[index];
    bool itself = index == f->baseline;
    pp_status st = PP_OK;

    for (int64_t pass = itself ? 2 : 1; st == PP_OK && pass <= plan->passes; pass++) {
        int64_t against = itself ? 1 : pass;
        pp_agreement_side reference = side_of(plan, f, f->baseline, against);
        pp_agreement_side side = side_of(plan, f, index, pass);
        pp_agreement agreement = {0};

        st = pp_agreement_of(arena, f->suite.contexts, f->suite.context_count, &reference, &side,
                             &agreement, err);
        if (st != PP_OK || (c->has_agreement && !agrees_less(&agreement, &c->agreement)))
            continue;
        c->has_agreement = true;
        c->agreement = agreement;
        c->agreement_pass = pass;
        c->reference_pass = against;
    }
    return st;
}

/* ---- all --------------------------------------------------------------------------------------
 */

static size_t find_baseline(const pp_study_plan *plan)
{
    size_t i = 0;

    while (!pp_text_equal(plan->candidates[i].id, plan->baseline_id))
        i++;
    return i;
}

static pp_status compare(pp_arena *arena, const pp_study_plan *plan, pp_quality_figures *f,
                         pp_error *err)
{
    const pp_quality_candidate *baseline = &f->candidates[f->baseline];
    pp_status st = PP_OK;

    for (size_t i = 0; st == PP_OK && i < plan->candidate_count; i++) {
        pp_quality_candidate *c = &f->candidates[i];

        if (i != f->baseline)
            st = pp_pairing_of(arena, &c->results, c->origin, &baseline->results, baseline->origin,
                               &c->pairing, err);
        if (st == PP_OK && f->suite.context_count > 0)
            st = compare_candidate(arena, plan, f, i, err);
    }
    return st;
}

pp_status pp_quality_load(pp_arena *arena, const char *folder, const pp_study_plan *plan,
                          const pp_study_documents *documents, pp_quality_figures *ret_figures,
                          pp_error *err)
{
    pp_quality_figures *f = ret_figures; /* results point to its suite */
    const char *path;
    pp_status st;

    memset(f, 0, sizeof *f);
    if (!plan->suite.present)
        return PP_OK;
    path = pp_bundle_path(arena, folder, PP_BUNDLE_SUITE);
    f->present = true;
    f->baseline = find_baseline(plan);
    f->candidates = PP_ARENA_NEW(arena, pp_quality_candidate, plan->candidate_count);
    st = pp_arena_check(arena, err);
    if (st == PP_OK)
        st = load_suite(arena, path, plan, f, err);
    for (size_t i = 0; st == PP_OK && i < plan->candidate_count; i++) {
        st = find_origin(arena, folder, documents, &plan->candidates[i], &f->candidates[i].origin,
                         err);
        if (st != PP_OK)
            break;
        st = read_candidate(arena, folder, plan, &f->suite, i, &f->candidates[i], err);
    }
    return st == PP_OK ? compare(arena, plan, f, err) : st;
}

static void add_metric(pp_candidate *to, const char *name, pp_maybe_real value)
{
    if (value.known)
        to->metrics[to->metric_count++] = (pp_metric){pp_text_of(name), value.value};
}

void pp_quality_add_metrics(const pp_quality_figures *figures, size_t candidate, pp_candidate *to)
{
    const pp_quality_candidate *c;

    if (!figures->present)
        return;
    c = &figures->candidates[candidate];
    add_metric(to, PP_METRIC_QUALITY_SCORE, c->score.whole.score);
    if (!c->has_agreement)
        return;
    add_metric(to, PP_METRIC_TOP1_AGREEMENT, c->agreement.top1_agreement);
    add_metric(to, PP_METRIC_KL_NATS_MEAN, c->agreement.kl_nats_mean);
}
