/* Files that a plan names beside itself, each with its digest. A study that goes on has its own
 * copies of them. */
#include "study/plan_files.h"

#include "base/files.h"
#include "decide/profiles.h"
#include "evidence/layout.h"
#include "evidence/quality_figures.h"

/* What the plan calls such a file, and where the bundle has it. */
typedef struct plan_member {
    const char *name;
    const char *bundle_name;
    size_t max_bytes;
} plan_member;

static const plan_member load_plan_member = {"load_plan", PP_BUNDLE_LOAD_PLAN, (size_t)16 << 20};
static const plan_member policies_member = {"policies", PP_BUNDLE_POLICIES, (size_t)16 << 20};
static const plan_member suite_member = {"suite", PP_BUNDLE_SUITE, PP_JSON_MAX_BYTES};

static const char *place_of(pp_study *study, const pp_plan_file *file, const char *bundle_name)
{
    return study->goes_on ? pp_path_join(study->arena, study->folder, bundle_name)
                          : pp_path_join(study->arena, study->plan_folder, file->path.data);
}

/* The digest comes first: what is wrong with another file than the plan's is of no use. */
static pp_status read_file(pp_study *study, const plan_member *member, const pp_plan_file *file,
                           pp_study_file *ret_file, pp_error *err)
{
    const char *path;
    char hex[PP_SHA256_HEX_SIZE];
    pp_buf bytes;
    pp_status st;

    *ret_file = (pp_study_file){.bundle_name = member->bundle_name};
    if (!file->present)
        return PP_OK;
    path = place_of(study, file, member->bundle_name);
    pp_buf_init(&bytes, member->max_bytes);
    st = path == NULL ? pp_arena_check(study->arena, err) : pp_file_read(path, &bytes, err);
    if (st == PP_OK)
        st = pp_sha256_of(bytes.data, bytes.size, hex, err);
    if (st == PP_OK && !pp_text_is(file->sha256, hex))
        st = pp_fail(err, PP_ERR_DOMAIN, "'%s': found SHA-256 %s, the plan says %s", path, hex,
                     file->sha256.data);
    if (st == PP_OK)
        ret_file->bytes = pp_arena_dup(study->arena, pp_buf_text(&bytes), bytes.size);
    ret_file->size = bytes.size;
    if (st == PP_OK)
        st = pp_json_parse(study->arena, path, pp_buf_text(&bytes), bytes.size, &ret_file->root,
                           err);
    pp_buf_done(&bytes);
    return pp_wrap(err, st, "$.%s", member->name);
}

static pp_status read_suite(pp_study *study, pp_error *err)
{
    pp_status st = read_file(study, &suite_member, &study->plan.suite, &study->suite_file, err);

    if (st != PP_OK || study->suite_file.bytes == NULL)
        return st;
    st = pp_suite_decode(study->arena, study->suite_file.root, &study->suite, err);
    if (st == PP_OK)
        st = pp_plan_suite_check(&study->plan, &study->suite, err);
    return pp_wrap(err, st, "$.suite: '%s'", study->plan.suite.path.data);
}

static pp_status read_load_plan(pp_study *study, pp_error *err)
{
    pp_status st =
        read_file(study, &load_plan_member, &study->plan.load_plan, &study->load_plan_file, err);

    if (st == PP_OK && study->load_plan_file.bytes != NULL)
        st = pp_wrap(
            err,
            pp_load_plan_decode(study->arena, study->load_plan_file.root, &study->load_plan, err),
            "$.load_plan: '%s'", study->plan.load_plan.path.data);
    return st;
}

static pp_status read_policies(pp_study *study, pp_error *err)
{
    pp_policy_set policies;
    pp_status st =
        read_file(study, &policies_member, &study->plan.policies, &study->policies_file, err);

    if (st == PP_OK && study->policies_file.bytes != NULL)
        st = pp_wrap(err,
                     pp_policy_set_decode(study->arena, study->policies_file.root, &policies, err),
                     "$.policies: '%s'", study->plan.policies.path.data);
    for (size_t i = 0;
         st == PP_OK && study->policies_file.bytes != NULL && i < policies.profile_count; i++) {
        const pp_constraints *constraints;

        st = pp_wrap(err,
                     pp_profile_constraints(study->arena, &study->plan.constraints,
                                            &policies.profiles[i], &constraints, err),
                     "$.policies: profile '%s'", policies.profiles[i].id.data);
    }
    return st;
}

/* ---- gateways ---------------------------------------------------------------------------------
 */

static pp_status check_served_model(const pp_plan_candidate *candidate,
                                    const pp_serve_config *config, pp_error *err)
{
    for (size_t i = 0; i < config->model_count; i++) {
        if (pp_text_equal(config->models[i].name, candidate->endpoint.model))
            return PP_OK;
    }
    return pp_fail(err, PP_ERR_DOMAIN,
                   "model: expected the name of an item of $.models of '%s', got '%s'",
                   candidate->serve.path.data, candidate->endpoint.model.data);
}

static pp_status read_serve(pp_study *study, size_t index, pp_error *err)
{
    const pp_plan_candidate *candidate = &study->plan.candidates[index];
    pp_study_serve *serve = &study->serves[index];
    const plan_member member = {
        pp_arena_printf(study->arena, "candidates[%zu].serve", index),
        pp_bundle_path(study->arena, "", PP_BUNDLE_SERVE_CONFIG, candidate->id.data),
        PP_JSON_MAX_BYTES};
    pp_status st = pp_arena_check(study->arena, err);

    if (st == PP_OK)
        st = read_file(study, &member, &candidate->serve, &serve->file, err);
    if (st != PP_OK)
        return st;
    st = pp_wrap(err, pp_serve_config_decode(study->arena, serve->file.root, &serve->config, err),
                 "'%s'", candidate->serve.path.data);
    if (st == PP_OK)
        st = check_served_model(candidate, &serve->config, err);
    for (size_t i = 0; st == PP_OK && i < serve->config.backend_count; i++) {
        bool is_started = serve->config.backends[i].kind == PP_SERVE_STARTED;

        serve->starts_servers = serve->starts_servers || is_started;
        serve->needs_others = serve->needs_others || !is_started;
    }
    return pp_wrap(err, st, "$.%s", member.name);
}

static pp_status read_serves(pp_study *study, pp_error *err)
{
    pp_status st = PP_OK;

    study->serves = PP_ARENA_NEW(study->arena, pp_study_serve, study->plan.candidate_count);
    if (study->serves == NULL)
        return pp_arena_check(study->arena, err);
    for (size_t i = 0; st == PP_OK && i < study->plan.candidate_count; i++) {
        if (study->plan.candidates[i].kind == PP_CANDIDATE_SERVE)
            st = read_serve(study, i, err);
    }
    return st;
}

pp_status pp_study_read_plan_files(pp_study *study, pp_error *err)
{
    pp_status st = read_suite(study, err);

    if (st == PP_OK)
        st = read_load_plan(study, err);
    if (st == PP_OK)
        st = read_policies(study, err);
    return st == PP_OK ? read_serves(study, err) : st;
}

static pp_status write_one(pp_study *study, const pp_study_file *file, pp_error *err)
{
    const char *path;
    pp_status st;

    if (file->bytes == NULL)
        return PP_OK;
    path = pp_path_join(study->arena, study->folder, file->bundle_name);
    st = pp_study_ensure_folder(study, path, err);
    return st == PP_OK ? pp_file_write_new(path, file->bytes, file->size, err) : st;
}

pp_status pp_study_write_plan_files(pp_study *study, pp_error *err)
{
    pp_status st = write_one(study, &study->suite_file, err);

    if (st == PP_OK)
        st = write_one(study, &study->load_plan_file, err);
    if (st == PP_OK)
        st = write_one(study, &study->policies_file, err);
    for (size_t i = 0; st == PP_OK && i < study->plan.candidate_count; i++)
        st = write_one(study, &study->serves[i].file, err);
    return st;
}
