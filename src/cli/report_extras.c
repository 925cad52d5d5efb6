#include "cli/report_extras.h"

#include "capacity/load_check.h"
#include "model/document.h"
#include "model/document_kinds.h"

/* ---- policies -------------------------------------------------------------------------------- */

static pp_status load_policies(const char *path, pp_inputs *inputs, pp_report_documents *d,
                               pp_error *err)
{
    pp_status st = pp_policy_set_load(&inputs->arena, path, &d->policies, d->policies_sha256, err);

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
static pp_status read_load(pp_arena *arena, const pp_json *root, pp_combined_load_evaluation *load,
                           pp_error *err)
{
    const pp_document_kind *kind = pp_document_kind_of(root);

    if (kind != pp_document_kind_find("load-evaluation"))
        return pp_combined_load_evaluation_read(arena, root, load, err);
    load->candidates = PP_ARENA_NEW(arena, pp_load_evaluation, 1);
    load->count = 1;
    if (load->candidates == NULL)
        return pp_arena_check(arena, err);
    return pp_load_evaluation_read(arena, root, &load->candidates[0], err);
}

static pp_status load_load(const char *path, pp_inputs *inputs, pp_report_documents *d,
                           pp_error *err)
{
    const pp_json *root;
    pp_status st = pp_document_read(&inputs->arena, path, &root, d->load_sha256, err);

    if (st == PP_OK)
        st = read_load(&inputs->arena, root, &d->load, err);
    if (st == PP_OK)
        st = check_candidates(inputs, &d->load, err);
    if (st == PP_OK) {
        d->extras.load = &d->load;
        d->extras.load_sha256 = d->load_sha256;
    }
    return pp_wrap(err, st, "reading load evaluation '%s'", path);
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
        const char *path = pp_args_value(args, rows[i].option);

        if (path != NULL)
            st = rows[i].load(path, inputs, documents, err);
    }
    return st;
}
