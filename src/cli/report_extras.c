#include "cli/report_extras.h"

#include <string.h>

#include "base/files.h"
#include "capacity/load_check.h"
#include "capacity/load_report.h"
#include "evidence/layout.h"
#include "model/document.h"
#include "model/document_kinds.h"

/* Of a bundle only the bytes that were hashed are shown. */
static pp_status check_read(const pp_report_documents *d, const char *path, const char *sha256,
                            pp_error *err)
{
    return d->checked == NULL ? PP_OK : pp_verification_check_read(d->checked, path, sha256, err);
}

/* ---- policies -------------------------------------------------------------------------------- */

static pp_status load_policies(const char *path, pp_inputs *inputs, pp_report_documents *d,
                               pp_error *err)
{
    pp_status st = pp_policy_set_load(&inputs->arena, path, &d->policies, d->policies_sha256, err);

    if (st == PP_OK)
        st = check_read(d, path, d->policies_sha256, err);
    if (st == PP_OK)
        st = pp_wrap(err,
                     pp_profiles_decide(&inputs->arena, &inputs->set, &inputs->constraints,
                                        &d->policies, &d->profiles, err),
                     "deciding by '%s'", path);
    if (st == PP_OK) {
        d->extras.profiles = &d->profiles;
        d->extras.policies_sha256 = d->policies_sha256;
    }
    return st;
}

/* ---- load ------------------------------------------------------------------------------------ */

static pp_status check_candidates(const pp_inputs *inputs, const pp_combined_load_evaluation *load,
                                  pp_error *err)
{
    for (size_t i = 0; i < load->count; i++) {
        pp_text id = load->candidates[i].candidate_id;

        if (pp_benchmark_set_find(&inputs->set, id) == PP_NOT_FOUND)
            return pp_fail(err, PP_ERR_DOMAIN, "the benchmark set has no candidate '%s'", id.data);
    }
    return PP_OK;
}

/* One evaluation, or several combined. */
static pp_status read_evaluation(pp_inputs *inputs, const pp_json *root, pp_report_documents *d,
                                 pp_error *err)
{
    pp_arena *arena = &inputs->arena;
    pp_combined_load_evaluation *load = &d->load;
    pp_status st;

    if (d->extras.load != NULL)
        return pp_fail(err, PP_ERR_USAGE,
                       "a second load evaluation; combine-load makes one of "
                       "several");
    if (pp_document_kind_of(root) != pp_document_kind_find("load-evaluation")) {
        st = pp_combined_load_evaluation_read(arena, root, load, err);
    } else {
        load->candidates = PP_ARENA_NEW(arena, pp_load_evaluation, 1);
        load->count = 1;
        st = load->candidates == NULL
                 ? pp_arena_check(arena, err)
                 : pp_load_evaluation_read(arena, root, &load->candidates[0], err);
    }
    if (st == PP_OK)
        st = check_candidates(inputs, load, err);
    if (st == PP_OK)
        d->extras.load = load;
    return st;
}

/* "model at endpoint" */
static pp_text report_name(pp_arena *arena, const pp_load_report_run *run)
{
    const char *text = pp_arena_printf(arena, "%s%s%s", run->model.size > 0 ? run->model.data : "",
                                       run->model.size > 0 ? " at " : "", run->endpoint.data);

    return pp_text_of(text == NULL ? "" : text);
}

/* name   NULL: model and endpoint, as the report has them */
static pp_status read_report(pp_inputs *inputs, const pp_json *root, const char *sha256,
                             const pp_text *name, pp_report_documents *d, pp_error *err)
{
    size_t number = d->extras.load_document_count;
    pp_load_report report;
    pp_status st;

    if (number == PP_REPORT_MAX_LOADS)
        return pp_fail(err, PP_ERR_USAGE, "expected at most %d load reports", PP_REPORT_MAX_LOADS);
    st = pp_document_check(pp_document_kind_find("load-report"), root, err);
    if (st == PP_OK)
        st = pp_load_report_decode(&inputs->arena, root, &report, err);
    if (st != PP_OK)
        return st;
    memcpy(d->load_documents_sha256[number], sha256, PP_SHA256_HEX_SIZE);
    d->load_documents[number] =
        (pp_load_document){name != NULL ? *name : report_name(&inputs->arena, &report.run), root,
                           d->load_documents_sha256[number]};
    d->extras.load_documents = d->load_documents;
    d->extras.load_document_count++;
    return pp_arena_check(&inputs->arena, err);
}

static pp_status load_load(const char *path, pp_inputs *inputs, pp_report_documents *d,
                           pp_error *err)
{
    char sha256[PP_SHA256_HEX_SIZE];
    const pp_json *root;
    pp_status st = pp_document_read(&inputs->arena, path, &root, sha256, err);

    if (st == PP_OK)
        st = check_read(d, path, sha256, err);
    if (st == PP_OK && pp_document_kind_of(root) == pp_document_kind_find("load-report")) {
        st = read_report(inputs, root, sha256, NULL, d, err);
    } else if (st == PP_OK) {
        st = read_evaluation(inputs, root, d, err);
        memcpy(d->load_sha256, sha256, sizeof sha256);
        d->extras.load_sha256 = d->load_sha256;
    }
    return pp_wrap(err, st, "reading load '%s'", path);
}

/* ---- stability ------------------------------------------------------------------------------- */

static pp_status check_stability(const pp_inputs *inputs, const pp_stability *s, pp_error *err)
{
    if (!pp_text_equal(s->baseline_id, inputs->set.baseline_id))
        return pp_fail(err, PP_ERR_DOMAIN, "its baseline is '%s', that of the set is '%s'",
                       s->baseline_id.data, inputs->set.baseline_id.data);
    for (size_t i = 0; i < s->candidate_count; i++) {
        if (pp_benchmark_set_find(&inputs->set, s->candidates[i].id) == PP_NOT_FOUND)
            return pp_fail(err, PP_ERR_DOMAIN, "the benchmark set has no candidate '%s'",
                           s->candidates[i].id.data);
    }
    return PP_OK;
}

static pp_status load_stability(const char *path, pp_inputs *inputs, pp_report_documents *d,
                                pp_error *err)
{
    const pp_json *root;
    pp_status st = pp_document_read(&inputs->arena, path, &root, d->stability_sha256, err);

    if (st == PP_OK)
        st = check_read(d, path, d->stability_sha256, err);
    if (st == PP_OK)
        st = pp_stability_decode(&inputs->arena, root, &d->stability, err);
    if (st == PP_OK)
        st = check_stability(inputs, &d->stability, err);
    if (st == PP_OK) {
        d->extras.stability = &d->stability;
        d->extras.stability_sha256 = d->stability_sha256;
    }
    return pp_wrap(err, st, "reading stability '%s'", path);
}

pp_status pp_report_documents_load(const pp_args *args, pp_inputs *inputs,
                                   pp_report_documents *documents, pp_error *err)
{
    static const struct {
        const char *option;
        pp_status (*load)(const char *path, pp_inputs *inputs, pp_report_documents *documents,
                          pp_error *err);
    } rows[] = {
        {"policies", load_policies},
        {"load", load_load},
        {"stability", load_stability},
    };
    pp_status st = PP_OK;

    for (size_t i = 0; st == PP_OK && i < PP_COUNT_OF(rows); i++) {
        const char *path;

        for (size_t n = 0;
             st == PP_OK && (path = pp_args_value_at(args, rows[i].option, n)) != NULL; n++)
            st = rows[i].load(path, inputs, documents, err);
    }
    return st;
}

/* ---- a bundle brings its own ------------------------------------------------------------------
 */

static bool stands(const char *path)
{
    return path != NULL && pp_path_exists(path);
}

/* The configuration is shown where all of its profiles chose somebody: else there is no document
 * of what they chose. */
static pp_status load_bundle_policies(const char *folder, pp_inputs *inputs, pp_report_documents *d,
                                      pp_error *err)
{
    const char *path = pp_bundle_path(&inputs->arena, folder, PP_BUNDLE_POLICIES);

    if (!stands(path) || !stands(pp_bundle_path(&inputs->arena, folder, PP_BUNDLE_PROFILES)))
        return pp_arena_check(&inputs->arena, err);
    return load_policies(path, inputs, d, err);
}

/* That of all candidates, or of the first that has one. */
static pp_status load_bundle_evaluation(const char *folder, const pp_study_plan *plan,
                                        pp_inputs *inputs, pp_report_documents *d, pp_error *err)
{
    const char *path = pp_bundle_path(&inputs->arena, folder, PP_BUNDLE_EVALUATIONS);

    for (size_t i = 0; !stands(path) && i < plan->candidate_count; i++)
        path = pp_bundle_path(&inputs->arena, folder, PP_BUNDLE_EVALUATION,
                              plan->candidates[i].id.data);
    return stands(path) ? load_load(path, inputs, d, err) : pp_arena_check(&inputs->arena, err);
}

static pp_status load_bundle_report(const char *path, const pp_plan_candidate *candidate,
                                    pp_inputs *inputs, pp_report_documents *d, pp_error *err)
{
    char sha256[PP_SHA256_HEX_SIZE];
    const pp_json *root;
    pp_status st;

    if (!stands(path))
        return pp_arena_check(&inputs->arena, err);
    st = pp_document_read(&inputs->arena, path, &root, sha256, err);
    if (st == PP_OK)
        st = check_read(d, path, sha256, err);
    if (st == PP_OK)
        st = read_report(inputs, root, sha256, &candidate->label, d, err);
    return pp_wrap(err, st, "reading load '%s'", path);
}

static pp_status load_bundle_loads(const char *folder, const pp_study_plan *plan, pp_inputs *inputs,
                                   pp_report_documents *d, pp_error *err)
{
    pp_status st = PP_OK;

    for (size_t i = 0; st == PP_OK && i < plan->candidate_count; i++) {
        const pp_plan_candidate *candidate = &plan->candidates[i];

        st = load_bundle_report(
            pp_bundle_path(&inputs->arena, folder, PP_BUNDLE_LOAD_REPORT, candidate->id.data),
            candidate, inputs, d, err);
    }
    return st == PP_OK ? load_bundle_evaluation(folder, plan, inputs, d, err) : st;
}

pp_status pp_report_documents_of_bundle(const pp_verification *checked, const pp_study_plan *plan,
                                        pp_inputs *inputs, pp_report_documents *documents,
                                        pp_error *err)
{
    const char *folder = checked->folder;
    const char *stability = pp_bundle_path(&inputs->arena, folder, PP_BUNDLE_STABILITY);
    pp_status st;

    documents->checked = checked;
    st = load_bundle_policies(folder, inputs, documents, err);
    if (st == PP_OK && plan != NULL)
        st = load_bundle_loads(folder, plan, inputs, documents, err);
    if (st == PP_OK && stands(stability))
        st = load_stability(stability, inputs, documents, err);
    return st == PP_OK ? pp_arena_check(&inputs->arena, err) : st;
}
