#include "evidence/derive.h"

#include <string.h>

#include "base/files.h"
#include "decide/details.h"
#include "decide/passport.h"
#include "decide/profiles.h"
#include "decide/stability.h"
#include "evidence/layout.h"
#include "evidence/load_files.h"
#include "evidence/metadata.h"
#include "evidence/quality_figures.h"
#include "evidence/step_log.h"
#include "model/document.h"
#include "report/receipt.h"

/* Everything read from the bundle, before it becomes documents. */
typedef struct derivation {
    pp_arena *arena;
    const char *folder;
    const char *tool_version;
    pp_study_documents documents;
    pp_pass_figures *passes; /* [candidate * plan.passes + pass - 1] */
    pp_quality_figures quality;
    pp_derived *out;
} derivation;

static pp_status load_plan(derivation *d, pp_error *err)
{
    const char *path = pp_bundle_path(d->arena, d->folder, PP_BUNDLE_PLAN);
    const pp_json *root;
    pp_status st = path == NULL ? pp_arena_check(d->arena, err) : PP_OK;

    if (st == PP_OK)
        st = pp_document_read(d->arena, path, &root, d->documents.plan_sha256, err);
    if (st == PP_OK)
        st = pp_wrap(err, pp_study_plan_decode(d->arena, root, &d->out->plan, err), "'%s'", path);
    return st;
}

static pp_status require_json(derivation *d, const char *path, const pp_json **ret_root,
                              pp_error *err)
{
    return path == NULL ? pp_arena_check(d->arena, err)
                        : pp_json_read_file(d->arena, path, NULL, ret_root, err);
}

static pp_status load_engine(derivation *d, size_t index, pp_error *err)
{
    const char *name = pp_bundle_engine_file(d->arena, &d->out->plan, index, PP_BUNDLE_ENGINE_NAME);
    const char *path = name == NULL ? NULL : pp_bundle_path(d->arena, d->folder, "%s", name);

    return require_json(d, path, &d->documents.engines[index], err);
}

static pp_status load_documents(derivation *d, pp_error *err)
{
    const pp_study_plan *plan = &d->out->plan;
    pp_status st = require_json(d, pp_bundle_path(d->arena, d->folder, PP_BUNDLE_HOST),
                                &d->documents.host, err);

    d->documents.engines = PP_ARENA_NEW(d->arena, const pp_json *, plan->engine_count);
    d->documents.models = PP_ARENA_NEW(d->arena, const pp_json *, plan->model_count);
    if (st == PP_OK)
        st = pp_arena_check(d->arena, err);
    for (size_t i = 0; st == PP_OK && i < plan->engine_count; i++)
        st = load_engine(d, i, err);
    for (size_t i = 0; st == PP_OK && i < plan->model_count; i++)
        st = require_json(
            d, pp_bundle_path(d->arena, d->folder, PP_BUNDLE_MODEL, plan->models[i].id.data),
            &d->documents.models[i], err);
    return st;
}

/* Blocks that were measured more than once, because a run of theirs was disturbed. */
static const pp_json *encode_repeated(pp_arena *arena, const pp_study_steps *steps,
                                      const pp_step_log *log)
{
    pp_json *list = pp_json_new_array(arena);

    for (size_t i = 0; i < steps->block_count; i++) {
        pp_json *row = pp_json_new_object(arena);

        if (log->rounds[i] == 1)
            continue;
        pp_json_set_string(arena, row, "block", steps->blocks[i].id);
        pp_json_set_int(arena, row, "rounds", log->rounds[i]);
        pp_json_add(arena, list, row);
    }
    return list;
}

static pp_status load_journal(derivation *d, pp_error *err)
{
    const char *path = pp_bundle_path(d->arena, d->folder, PP_BUNDLE_JOURNAL);
    pp_study_steps steps = {0};
    pp_step_log log = {0};
    pp_buf bytes;
    pp_status st = pp_study_steps_list(d->arena, &d->out->plan, &steps, err);

    pp_buf_init(&bytes, PP_JSON_MAX_BYTES);
    if (st == PP_OK)
        st = path == NULL ? pp_arena_check(d->arena, err) : pp_file_read(path, &bytes, err);
    if (st == PP_OK)
        st = pp_wrap(err,
                     pp_step_log_read(d->arena, pp_buf_text(&bytes), bytes.size, &steps, &log, err),
                     "'%s'", path);
    if (st == PP_OK)
        d->documents.repeated_blocks = encode_repeated(d->arena, &steps, &log);
    pp_buf_done(&bytes);
    return st == PP_OK ? pp_arena_check(d->arena, err) : st;
}

static pp_status load_passes(derivation *d, pp_error *err)
{
    const pp_study_plan *plan = &d->out->plan;
    size_t passes = (size_t)plan->passes;
    pp_status st;

    d->passes = PP_ARENA_NEW(d->arena, pp_pass_figures, plan->candidate_count * passes);
    d->out->passes = d->passes;
    st = pp_arena_check(d->arena, err);
    for (size_t i = 0; st == PP_OK && i < plan->candidate_count; i++) {
        for (size_t pass = 0; st == PP_OK && pass < passes; pass++)
            st = pp_pass_figures_load(d->arena, d->folder, &plan->candidates[i], (int64_t)pass + 1,
                                      plan->has_requests, &d->passes[i * passes + pass], err);
    }
    return st;
}

static pp_status load_quality(derivation *d, pp_error *err)
{
    const pp_study_plan *plan = &d->out->plan;
    pp_status st = pp_quality_load(d->arena, d->folder, plan, &d->documents, &d->quality, err);

    return st == PP_OK ? pp_quality_report(d->arena, &d->quality, plan, d->passes, d->tool_version,
                                           &d->out->quality_report, err)
                       : st;
}

static pp_status read_loads(derivation *d, bool asked, pp_load_kind kind,
                            const pp_load_files **ret_loads, pp_error *err)
{
    const pp_study_plan *plan = &d->out->plan;
    pp_load_files *loads;
    pp_status st;

    if (!asked)
        return PP_OK;
    loads = PP_ARENA_NEW(d->arena, pp_load_files, plan->candidate_count);
    st = pp_arena_check(d->arena, err);
    for (size_t i = 0; st == PP_OK && i < plan->candidate_count; i++)
        st = pp_load_files_read(d->arena, d->folder, kind, &plan->candidates[i], &loads[i], err);
    *ret_loads = loads;
    return st;
}

static pp_origin origin_of(derivation *d, size_t candidate)
{
    const pp_study_plan *plan = &d->out->plan;

    return pp_candidate_origin(plan, &d->documents, &plan->candidates[candidate],
                               &d->passes[candidate * (size_t)plan->passes]);
}

static pp_status make_evaluations(derivation *d, pp_error *err)
{
    const pp_study_plan *plan = &d->out->plan;
    pp_load_evaluations *evaluations;
    bool *synthetic;
    pp_status st;

    if (d->documents.plan_loads == NULL)
        return PP_OK;
    evaluations = PP_ARENA_NEW(d->arena, pp_load_evaluations, 1);
    synthetic = PP_ARENA_NEW(d->arena, bool, plan->candidate_count);
    st = pp_arena_check(d->arena, err);
    for (size_t i = 0; st == PP_OK && i < plan->candidate_count; i++)
        synthetic[i] = origin_of(d, i) != PP_ORIGIN_MEASURED;
    if (st == PP_OK)
        st = pp_load_evaluations_make(d->arena, d->folder, plan, d->documents.plan_loads, synthetic,
                                      evaluations, err);
    d->out->evaluations = evaluations;
    return st;
}

static pp_status load_loads(derivation *d, pp_error *err)
{
    const pp_study_plan *plan = &d->out->plan;
    pp_status st = read_loads(d, plan->load.present, PP_LOAD_OF_STUDY, &d->documents.loads, err);

    if (st == PP_OK)
        st = read_loads(d, plan->load_plan.present, PP_LOAD_OF_ORIGINAL, &d->documents.plan_loads,
                        err);
    d->out->loads = d->documents.loads;
    d->out->plan_loads = d->documents.plan_loads;
    return st == PP_OK ? make_evaluations(d, err) : st;
}

/* ---- the set
 * --------------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    size_t series; /* offset in pp_figures */
    double pct;
    pp_direction direction; /* in which a change is better */
} metric_rows[] = {
    {"prompt_tokens_per_second", offsetof(pp_figures, prompt_tokens_per_second), 50,
     PP_DIRECTION_MAX},
    {"generation_tokens_per_second", offsetof(pp_figures, generation_tokens_per_second), 50,
     PP_DIRECTION_MAX},
    {"ttft_ms_p50", offsetof(pp_figures, ttft_ms), 50, PP_DIRECTION_MIN},
    {"ttft_ms_p95", offsetof(pp_figures, ttft_ms), 95, PP_DIRECTION_MIN},
    {"e2e_latency_ms_p50", offsetof(pp_figures, e2e_latency_ms), 50, PP_DIRECTION_MIN},
    {"e2e_latency_ms_p95", offsetof(pp_figures, e2e_latency_ms), 95, PP_DIRECTION_MIN},
    {"time_per_output_token_ms_p50", offsetof(pp_figures, time_per_output_token_ms), 50,
     PP_DIRECTION_MIN},
    {"peak_rss_mib", offsetof(pp_figures, peak_rss_mib), 100, PP_DIRECTION_MIN},
};

/* Of the requests that were planned: those of a run that failed count as not completed. Plans of
 * version 1.0 give the metrics that they always gave. */
static void add_of_requests(derivation *d, const pp_pass_figures *passes, int64_t pass_count,
                            pp_candidate *candidate)
{
    const pp_study_plan *plan = &d->out->plan;
    int64_t completed = 0;
    double core_seconds;

    if (plan->schema == 1 || !plan->has_requests)
        return;
    for (int64_t i = 0; i < pass_count; i++)
        completed += passes[i].request_count - passes[i].failed_request_count;
    if (pp_core_seconds_per_token(passes, pass_count, &core_seconds))
        candidate->metrics[candidate->metric_count++] =
            (pp_metric){pp_text_of("core_seconds_per_token"), core_seconds};
    candidate->metrics[candidate->metric_count++] =
        (pp_metric){pp_text_of("completion_rate"),
                    (double)completed / ((double)pass_count * (double)plan->requests.measured)};
}

/* Of some passes that follow each other. */
static void make_metrics(derivation *d, size_t index, const pp_pass_figures *passes,
                         int64_t pass_count, pp_candidate *candidate)
{
    const pp_study_plan *plan = &d->out->plan;
    const pp_plan_candidate *planned = &plan->candidates[index];
    pp_figures all = {0};

    for (int64_t pass = 0; pass < pass_count; pass++)
        pp_figures_append(d->arena, &all, &passes[pass].figures);
    candidate->metrics =
        PP_ARENA_NEW(d->arena, pp_metric, PP_COUNT_OF(metric_rows) + 3 + PP_QUALITY_METRIC_COUNT);
    if (candidate->metrics == NULL)
        return;
    for (size_t i = 0; i < PP_COUNT_OF(metric_rows); i++) {
        const void *series = (const unsigned char *)&all + metric_rows[i].series;
        double value;

        if (pp_series_percentile(d->arena, series, metric_rows[i].pct, &value))
            candidate->metrics[candidate->metric_count++] =
                (pp_metric){pp_text_of(metric_rows[i].name), value};
    }
    add_of_requests(d, passes, pass_count, candidate);
    if (pp_candidate_has_engine(planned))
        candidate->metrics[candidate->metric_count++] =
            (pp_metric){pp_text_of("model_size_mib"),
                        (double)plan->models[planned->model_index].size_bytes / 1048576.0};
}

static void make_candidate(derivation *d, size_t index)
{
    const pp_study_plan *plan = &d->out->plan;
    const pp_plan_candidate *planned = &plan->candidates[index];
    const pp_pass_figures *passes = &d->passes[index * (size_t)plan->passes];
    pp_candidate *candidate = &d->out->set.candidates[index];
    pp_figures all = {0};

    for (int64_t pass = 0; pass < plan->passes; pass++)
        pp_figures_append(d->arena, &all, &passes[pass].figures);
    candidate->id = planned->id;
    candidate->label = planned->label;
    candidate->parameters =
        pp_candidate_parameters(d->arena, plan, &d->documents, planned, passes, &all);
    pp_json_set(d->arena, pp_json_find(candidate->parameters, "measurement"), "quality",
                pp_quality_parameters(d->arena, &d->quality, plan, index));
    make_metrics(d, index, passes, plan->passes, candidate);
    if (candidate->metrics != NULL)
        pp_quality_add_metrics(&d->quality, index, candidate);
}

static pp_status make_set(derivation *d, pp_error *err)
{
    const pp_study_plan *plan = &d->out->plan;
    pp_benchmark_set *set = &d->out->set;
    pp_origin origin = PP_ORIGIN_MEASURED;
    pp_status st;

    for (size_t i = 0; i < plan->candidate_count; i++)
        origin = pp_origin_worst(origin, origin_of(d, i));
    set->baseline_id = plan->baseline_id;
    set->candidate_count = plan->candidate_count;
    set->candidates = PP_ARENA_NEW(d->arena, pp_candidate, plan->candidate_count);
    for (size_t i = 0; set->candidates != NULL && i < plan->candidate_count; i++)
        make_candidate(d, i);
    set->metadata = pp_set_metadata(d->arena, plan, &d->documents, d->passes, origin);
    pp_json_set(d->arena, pp_json_find(set->metadata, "study"), "suite",
                pp_quality_metadata(d->arena, &d->quality));
    set->synthetic = origin != PP_ORIGIN_MEASURED;
    st = pp_arena_check(d->arena, err);
    if (st == PP_OK)
        st = pp_benchmark_set_finish(d->arena, set, err);
    d->out->benchmark_set = pp_benchmark_set_to_json(d->arena, set);
    return st;
}

/* ---- the decision
 * ----------------------------------------------------------------------------------- */

static pp_status hash_document(const pp_json *document, char ret_hex[PP_SHA256_HEX_SIZE],
                               pp_error *err)
{
    pp_buf text;
    pp_status st;

    pp_buf_init(&text, PP_JSON_MAX_BYTES);
    st = pp_json_write(document, PP_JSON_FILE, &text, err);
    if (st == PP_OK)
        st = pp_sha256_of(text.data, text.size, ret_hex, err);
    pp_buf_done(&text);
    return st;
}

static pp_status make_decision(derivation *d, pp_error *err)
{
    pp_derived *out = d->out;
    pp_status st = hash_document(out->benchmark_set, out->benchmarks_sha256, err);

    if (st == PP_OK)
        st = hash_document(out->plan.constraints_json, out->constraints_sha256, err);
    if (st == PP_OK)
        st = pp_decide_measured(d->arena, &out->set, &out->plan.constraints, &out->decision, err);
    if (st != PP_OK)
        return st;
    out->fingerprints = (pp_fingerprints){out->benchmarks_sha256, out->constraints_sha256, NULL};
    if (out->decision.has_winner)
        out->recommendation =
            pp_recommendation_to_json(d->arena, &out->decision, d->tool_version, out->fingerprints);
    out->details =
        pp_decision_details_to_json(d->arena, &out->decision, d->tool_version, out->fingerprints);
    return pp_arena_check(d->arena, err);
}

/* ---- what one pass alone would say -------------------------------------------------------------
 */

static const pp_json *pass_metadata(derivation *d, int64_t pass)
{
    const pp_json *kind = pp_json_find(d->out->set.metadata, "synthetic_kind");
    pp_json *object = pp_json_new_object(d->arena);

    pp_json_set_string(d->arena, object, "classification", "supplementary-repeat-pass");
    pp_json_set_string(d->arena, object, "pass_label",
                       pp_arena_printf(d->arena, "pass-%lld", (long long)pass));
    pp_json_set_string(d->arena, object, "source_benchmark_sha256", d->out->benchmarks_sha256);
    if (kind != NULL)
        pp_json_set(d->arena, object, "synthetic_kind", kind);
    return object;
}

static pp_status make_pass_set(derivation *d, int64_t pass, pp_benchmark_set *set, pp_error *err)
{
    const pp_study_plan *plan = &d->out->plan;
    const pp_benchmark_set *whole = &d->out->set;

    *set = (pp_benchmark_set){
        .baseline_id = whole->baseline_id,
        .candidate_count = whole->candidate_count,
        .candidates = PP_ARENA_NEW(d->arena, pp_candidate, whole->candidate_count),
        .metadata = pass_metadata(d, pass),
        .synthetic = whole->synthetic,
    };
    for (size_t i = 0; set->candidates != NULL && i < whole->candidate_count; i++) {
        pp_candidate *candidate = &set->candidates[i];

        candidate->id = whole->candidates[i].id;
        candidate->label = whole->candidates[i].label;
        candidate->parameters = whole->candidates[i].parameters;
        make_metrics(d, i, &d->passes[i * (size_t)plan->passes + (size_t)pass - 1], 1, candidate);
    }
    if (d->arena->failed)
        return pp_arena_check(d->arena, err);
    return pp_benchmark_set_finish(d->arena, set, err);
}

/* In every pass and for every candidate, or it cannot be compared. */
static bool all_have(const pp_benchmark_set *sets, size_t count, pp_text metric)
{
    for (size_t p = 0; p < count; p++) {
        for (size_t i = 0; i < sets[p].candidate_count; i++) {
            if (pp_candidate_find_metric(&sets[p].candidates[i], metric) == NULL)
                return false;
        }
    }
    return true;
}

static pp_status make_stability(derivation *d, const pp_stability_pass *passes,
                                const pp_benchmark_set *sets, size_t count, pp_error *err)
{
    pp_goal goals[PP_COUNT_OF(metric_rows)];
    pp_stability stability;
    size_t goal_count = 0;
    pp_status st;

    for (size_t i = 0; i < PP_COUNT_OF(metric_rows); i++) {
        pp_text metric = pp_text_of(metric_rows[i].name);

        if (all_have(sets, count, metric))
            goals[goal_count++] = (pp_goal){metric, metric_rows[i].direction};
    }
    if (goal_count == 0 || count < PP_STABILITY_MIN_PASSES || count > PP_STABILITY_MAX_PASSES)
        return PP_OK;
    st = pp_stability_make(d->arena, passes, count, goals, goal_count, &stability, err);
    if (st == PP_OK)
        d->out->stability = pp_stability_to_json(d->arena, &stability);
    return st;
}

static pp_status make_passes(derivation *d, pp_error *err)
{
    const size_t count = (size_t)d->out->plan.passes;
    pp_benchmark_set *sets = PP_ARENA_NEW(d->arena, pp_benchmark_set, count);
    pp_stability_pass *passes = PP_ARENA_NEW(d->arena, pp_stability_pass, count);
    pp_status st;

    d->out->pass_sets = PP_ARENA_NEW(d->arena, pp_json *, count);
    st = pp_arena_check(d->arena, err);
    for (size_t i = 0; st == PP_OK && i < count; i++) {
        char *sha256 = PP_ARENA_NEW(d->arena, char, PP_SHA256_HEX_SIZE);

        st = make_pass_set(d, (int64_t)i + 1, &sets[i], err);
        if (st != PP_OK || sha256 == NULL)
            break;
        d->out->pass_sets[i] = pp_benchmark_set_to_json(d->arena, &sets[i]);
        passes[i] = (pp_stability_pass){pp_text_of(pp_arena_printf(d->arena, "pass-%zu", i + 1)),
                                        &sets[i], sha256};
        st = hash_document(d->out->pass_sets[i], sha256, err);
    }
    if (st == PP_OK)
        st = make_stability(d, passes, sets, count, err);
    return st == PP_OK ? pp_arena_check(d->arena, err) : st;
}

/* ---- passport, receipt, profiles ---------------------------------------------------------------
 */

static pp_status make_receipt(derivation *d, pp_error *err)
{
    pp_buf text;
    pp_status st;

    pp_buf_init(&text, PP_RECEIPT_MAX_BYTES);
    st = pp_receipt_write(d->out->passport, &text, err);
    if (st == PP_OK)
        d->out->receipt = pp_arena_dup(d->arena, pp_buf_text(&text), text.size);
    d->out->receipt_size = text.size;
    pp_buf_done(&text);
    return st == PP_OK ? pp_arena_check(d->arena, err) : st;
}

static pp_status make_passport(derivation *d, pp_error *err)
{
    pp_derived *out = d->out;
    pp_status st;

    if (!out->decision.has_winner)
        return PP_OK;
    st = pp_passport_make(d->arena, &out->decision, d->tool_version, out->fingerprints,
                          &out->passport, err);
    return st == PP_OK ? make_receipt(d, err) : st;
}

/* A candidate that lacks an objective, and a profile that chooses nobody, are results. */
static pp_status decide_profiles(derivation *d, const pp_policy_set *policies,
                                 const char *policies_sha256, pp_error *err)
{
    pp_derived *out = d->out;
    pp_profiles profiles;
    pp_error why = {0};
    const pp_profile_decision *without;
    pp_status st =
        pp_profiles_decide(d->arena, &out->set, &out->plan.constraints, policies, &profiles, &why);

    if (st == PP_ERR_DOMAIN) {
        out->no_profiles = pp_arena_dup(d->arena, why.text, strlen(why.text));
        return pp_arena_check(d->arena, err);
    }
    if (st != PP_OK) {
        if (err != NULL)
            *err = why;
        return st;
    }
    without = pp_profiles_without_winner(&profiles);
    if (without != NULL)
        out->no_profiles = pp_arena_printf(d->arena, "profile '%s': nothing is eligible",
                                           without->profile->id.data);
    else
        out->profiles = pp_profiles_to_json(
            d->arena, &profiles, d->tool_version,
            (pp_fingerprints){out->benchmarks_sha256, out->constraints_sha256, policies_sha256});
    return pp_arena_check(d->arena, err);
}

static pp_status make_profiles(derivation *d, pp_error *err)
{
    const char *path = pp_bundle_path(d->arena, d->folder, PP_BUNDLE_POLICIES);
    pp_policy_set *policies = PP_ARENA_NEW(d->arena, pp_policy_set, 1);
    char sha256[PP_SHA256_HEX_SIZE];
    pp_status st = pp_arena_check(d->arena, err);

    if (st != PP_OK || !d->out->plan.policies.present)
        return st;
    st = pp_policy_set_load(d->arena, path, policies, sha256, err);
    return st == PP_OK ? decide_profiles(d, policies, sha256, err) : st;
}

pp_status pp_derive(pp_arena *arena, const char *folder, const char *tool_version,
                    pp_derived *ret_derived, pp_error *err)
{
    derivation d = {
        .arena = arena, .folder = folder, .tool_version = tool_version, .out = ret_derived};
    pp_status st;

    memset(ret_derived, 0, sizeof *ret_derived);
    st = load_plan(&d, err);
    if (st == PP_OK)
        st = load_documents(&d, err);
    if (st == PP_OK)
        st = load_journal(&d, err);
    if (st == PP_OK)
        st = load_passes(&d, err);
    if (st == PP_OK)
        st = load_quality(&d, err);
    if (st == PP_OK)
        st = load_loads(&d, err);
    if (st == PP_OK)
        st = make_set(&d, err);
    if (st == PP_OK)
        st = make_decision(&d, err);
    if (st == PP_OK)
        st = make_passport(&d, err);
    if (st == PP_OK)
        st = make_profiles(&d, err);
    if (st == PP_OK)
        st = make_passes(&d, err);
    return pp_wrap(err, st, "deriving from '%s'", folder);
}
