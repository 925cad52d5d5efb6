/* What must be right before anything is measured or written. */
#include <string.h>

#include "base/files.h"
#include "digest/sha256.h"
#include "evidence/layout.h"
#include "study/context.h"
#include "study/load_phase.h"
#include "study/machine_json.h"
#include "study/plan_files.h"
#include "study/suite_phase.h"

/* Of a gateway, or a server that runs already, nothing but its answers is known. */
static pp_status check_endpoints(const pp_study_plan *plan, pp_error *err)
{
    for (size_t i = 0; !plan->has_requests && !plan->suite.present && i < plan->candidate_count;
         i++) {
        if (!pp_candidate_has_engine(&plan->candidates[i]))
            return pp_fail(err, PP_ERR_DOMAIN,
                           "$.requests: without requests nothing is known of '%s' that a decision "
                           "could be made by",
                           plan->candidates[i].id.data);
    }
    return PP_OK;
}

static pp_status load_plan(pp_study *study, pp_error *err)
{
    const char *path = study->options->plan_path;
    const pp_json *root;
    pp_slo *slos = NULL; /* only whether they can be read */
    pp_status st;

    pp_buf_init(&study->plan_bytes, PP_STUDY_PLAN_MAX_BYTES);
    st = pp_json_read_file(study->arena, path, &study->plan_bytes, &root, err);
    if (st != PP_OK)
        return pp_wrap(err, st, "loading plan");
    st = pp_study_plan_decode(study->arena, root, &study->plan, err);
    if (st == PP_OK)
        st = check_endpoints(&study->plan, err);
    if (st == PP_OK)
        st = pp_study_load_slos(study->arena, &study->plan.load, &slos, err);
    if (st == PP_OK)
        st = pp_sha256_of(study->plan_bytes.data, study->plan_bytes.size, study->plan_sha256, err);
    return pp_wrap(err, st, "loading plan '%s'", path);
}

pp_status pp_study_resolve_models(pp_study *study, pp_error *err)
{
    const char *folder = study->options->model_dir;

    if (study->plan_folder == NULL)
        study->plan_folder = pp_path_folder(study->arena, study->options->plan_path);
    if (folder == NULL)
        folder = study->plan_folder;
    study->model_folder = folder;
    study->model_paths = PP_ARENA_NEW(study->arena, const char *, study->plan.model_count);
    study->models = PP_ARENA_NEW(study->arena, pp_gguf, study->plan.model_count);
    for (size_t i = 0; folder != NULL && study->model_paths != NULL && i < study->plan.model_count;
         i++)
        study->model_paths[i] = pp_path_join(study->arena, folder, study->plan.models[i].path.data);
    return pp_arena_check(study->arena, err);
}

pp_status pp_study_load(pp_study *study, pp_error *err)
{
    pp_status st = load_plan(study, err);

    if (st == PP_OK)
        st = pp_study_resolve_models(study, err);
    if (st == PP_OK)
        st = pp_wrap(err, pp_study_read_plan_files(study, err), "plan '%s'",
                     study->options->plan_path);
    if (st == PP_OK)
        st = pp_study_steps_list(study->arena, &study->plan, &study->steps, err);
    study->changed = PP_ARENA_NEW(study->arena, bool, study->steps.count);
    if (st == PP_OK)
        st = pp_step_log_init(study->arena, &study->steps, &study->log, err);
    return st;
}

/* A program that translates instructions has its own idea of what is fast. Whether a CPU is
 * emulated cannot always be told; then it is taken for what it says it is. */
pp_status pp_study_check_host(const pp_host_facts *host, bool allow_emulated, pp_error *err)
{
    if (!host->emulated.known || !host->emulated.value || allow_emulated)
        return PP_OK;
    return pp_fail(err, PP_ERR_UNAVAILABLE,
                   "this CPU is emulated: %s; measure on the real CPU, or give --allow-emulated to "
                   "have every figure marked as emulated",
                   host->emulated_reason);
}

pp_status pp_study_check_this_host(pp_study *study, pp_error *err)
{
    const pp_host_options options = {.root = "/"};

    pp_host_read(&options, &study->host);
    return pp_study_check_host(&study->host, study->options->allow_emulated, err);
}

/* Size first: a wrong one is found without reading a gigabyte. */
static pp_status verify_model(const pp_plan_model *model, const char *path, pp_error *err)
{
    char hex[PP_SHA256_HEX_SIZE];
    int64_t size = 0;
    pp_status st = pp_file_size(path, &size, err);

    if (st == PP_OK && size != model->size_bytes)
        st = pp_fail(err, PP_ERR_DOMAIN, "'%s': found %lld bytes, the plan says %lld", path,
                     (long long)size, (long long)model->size_bytes);
    if (st == PP_OK)
        st = pp_sha256_file(path, hex, NULL, err);
    if (st == PP_OK && !pp_text_is(model->sha256, hex))
        st = pp_fail(err, PP_ERR_DOMAIN, "'%s': found SHA-256 %s, the plan says %s", path, hex,
                     model->sha256.data);
    return st;
}

pp_status pp_study_verify_models(pp_study *study, pp_error *err)
{
    pp_status st = PP_OK;

    for (size_t i = 0; st == PP_OK && i < study->plan.model_count; i++) {
        const pp_plan_model *model = &study->plan.models[i];

        pp_study_report(study, PP_STUDY_VERIFY, model->id.data, NULL);
        st = pp_study_check_stop(study, err);
        if (st == PP_OK)
            st = verify_model(model, study->model_paths[i], err);
        if (st == PP_OK)
            st = pp_gguf_load(study->arena, study->model_paths[i], &study->models[i], err);
        st = pp_wrap(err, st, "plan '%s': $.models[%zu] (%s)", study->options->plan_path, i,
                     model->id.data);
    }
    return st == PP_OK ? pp_study_check_baseline(study, err) : st;
}

/* ---- files that say what was measured, where and with what -------------------------------------
 */

static pp_status write_document(pp_study *study, const char *name, const char *kind, pp_json *value,
                                pp_error *err)
{
    return pp_study_save_document(study, pp_bundle_path(study->arena, study->folder, "%s", name),
                                  kind, value, err);
}

static pp_status write_json(pp_study *study, const char *name, const pp_json *value, pp_error *err)
{
    return pp_study_save_json(study, pp_bundle_path(study->arena, study->folder, "%s", name), value,
                              err);
}

static pp_status write_models(pp_study *study, pp_error *err)
{
    pp_status st = PP_OK;

    for (size_t i = 0; st == PP_OK && i < study->plan.model_count; i++) {
        const pp_plan_model *model = &study->plan.models[i];
        pp_json *document = pp_gguf_to_json(study->arena, &study->models[i]);

        pp_json_set_text(study->arena, document, "sha256", model->sha256);
        st = pp_study_save_json(
            study, pp_bundle_path(study->arena, study->folder, PP_BUNDLE_MODEL, model->id.data),
            document, err);
    }
    return st;
}

static pp_status write_settings(pp_study *study, pp_error *err)
{
    pp_status st = PP_OK;

    for (size_t i = 0; st == PP_OK && i < study->plan.candidate_count; i++) {
        const pp_plan_candidate *candidate = &study->plan.candidates[i];

        if (candidate->kind != PP_CANDIDATE_MANAGED)
            continue; /* what it declares stands in the plan */
        st = pp_study_save_document(
            study,
            pp_bundle_path(study->arena, study->folder, PP_BUNDLE_SETTINGS, candidate->id.data),
            "settings", pp_settings_encode(study->arena, &candidate->settings), err);
    }
    return st;
}

pp_status pp_study_write_inputs(pp_study *study, pp_error *err)
{
    pp_arena *arena = study->arena;
    pp_status st = write_document(study, PP_BUNDLE_HOST, "host",
                                  pp_host_facts_to_json(arena, &study->host), err);

    if (st == PP_OK)
        st = pp_study_write_engines(study, err);
    if (st == PP_OK)
        st = pp_study_write_plan_files(study, err);
    if (st == PP_OK)
        st = write_json(study, PP_BUNDLE_CONSTRAINTS, study->plan.constraints_json, err);
    if (st == PP_OK)
        st = write_models(study, err);
    return st == PP_OK ? write_settings(study, err) : st;
}
