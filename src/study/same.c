#include "study/same.h"

#include "base/files.h"
#include "evidence/layout.h"
#include "evidence/step_files.h"
#include "model/document_kinds.h"
#include "study/machine_json.h"

pp_status pp_study_check_plan(const char *folder, const pp_step_log *log, const char *sha256,
                              pp_error *err)
{
    if (pp_text_is(log->plan_sha256, sha256))
        return PP_OK;
    return pp_fail(err, PP_ERR_DOMAIN, "'%s/%s': found SHA-256 %s, the journal began with %s",
                   folder, PP_BUNDLE_PLAN, sha256, log->plan_sha256.data);
}

pp_status pp_study_check_documents(pp_study *study, pp_error *err)
{
    const pp_step_state *verify = &study->log.states[0];
    const char *changed = NULL;
    pp_status st;

    if (verify->outcome != PP_STEP_COMPLETE)
        return pp_fail(err, PP_ERR_SCHEMA, "'%s/%s': the step 'verify' is not complete",
                       study->folder, PP_BUNDLE_JOURNAL);
    st = pp_step_files_compare(study->arena, study->folder, verify->files, &changed, err);
    if (st == PP_OK && changed != NULL)
        st = pp_fail(err, PP_ERR_DOMAIN,
                     "'%s/%s' is not what the journal recorded; what was measured so far cannot be "
                     "told from it any more",
                     study->folder, changed);
    return st;
}

static pp_status read_document(pp_study *study, const char *name, const char *kind,
                               const pp_json **ret_root, pp_error *err)
{
    const char *path = pp_path_join(study->arena, study->folder, name);
    pp_status st = path == NULL ? pp_arena_check(study->arena, err)
                                : pp_json_read_file(study->arena, path, NULL, ret_root, err);

    if (st == PP_OK)
        st = pp_wrap(err, pp_document_check(pp_document_kind_find(kind), *ret_root, err), "'%s'",
                     path);
    return st;
}

/* ---- llama.cpp ---------------------------------------------------------------------------------
 */

static pp_status check_program(const pp_program *found, const pp_json *recorded, pp_error *err)
{
    pp_text sha256 = pp_checked_text(recorded, "sha256");

    if (pp_text_is(sha256, found->sha256))
        return PP_OK;
    return pp_fail(err, PP_ERR_DOMAIN, "'%s': found SHA-256 %s, the study began with %s",
                   found->path, found->sha256, sha256.data);
}

pp_status pp_study_read_engine(pp_study *study, size_t engine, const pp_json **ret_engine,
                               pp_error *err)
{
    const char *name = pp_study_engine_file(study, engine, PP_BUNDLE_ENGINE_NAME);

    return name == NULL ? pp_arena_check(study->arena, err)
                        : read_document(study, name, "engine", ret_engine, err);
}

pp_status pp_study_check_engines(pp_study *study, pp_error *err)
{
    pp_status st = PP_OK;

    for (size_t i = 0; st == PP_OK && i < study->plan.engine_count; i++) {
        const pp_engine *engine = &study->engines[i];
        const pp_json *recorded = NULL;

        st = pp_study_read_engine(study, i, &recorded, err);
        if (st == PP_OK)
            st = check_program(&engine->server, pp_checked_object(recorded, "server"), err);
        if (st == PP_OK)
            st = check_program(&engine->bench, pp_checked_object(recorded, "bench"), err);
    }
    return st;
}

/* ---- the machine -------------------------------------------------------------------------------
 */

static pp_status check_fact(const pp_json *found, const pp_json *recorded, const char *key,
                            pp_error *err)
{
    const pp_json *now = pp_json_find(found, key);
    const pp_json *then = pp_json_find(recorded, key);

    if (pp_json_equal(now, then))
        return PP_OK;
    return pp_fail(err, PP_ERR_DOMAIN,
                   "this is not the machine on which the study began: its %s differs from that in "
                   "'%s'",
                   key, PP_BUNDLE_HOST);
}

pp_status pp_study_check_machine(pp_study *study, pp_error *err)
{
    const pp_json *found = pp_host_facts_to_json(study->arena, &study->host);
    const pp_json *recorded = NULL;
    pp_status st = read_document(study, PP_BUNDLE_HOST, "host", &recorded, err);

    if (st == PP_OK)
        st = check_fact(found, recorded, "architecture", err);
    if (st == PP_OK)
        st = check_fact(pp_json_find(found, "cpu"), pp_json_find(recorded, "cpu"), "model", err);
    if (st == PP_OK)
        st = check_fact(pp_json_find(found, "cpu"), pp_json_find(recorded, "cpu"), "online_count",
                        err);
    return st;
}
