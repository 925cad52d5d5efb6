#include <errno.h>
#include <string.h>

#include "base/files.h"
#include "evidence/layout.h"
#include "study/context.h"

const pp_plan_candidate *pp_study_candidate(const pp_study *study, const pp_study_step *step)
{
    return &study->plan.candidates[step->candidate];
}

int64_t pp_study_attempt(const pp_study *study, const pp_study_step *step)
{
    return study->log.states[step - study->steps.items].attempt_count;
}

const char *pp_study_what(const pp_study *study, const pp_study_step *step)
{
    if (!step->has_candidate)
        return "documents";
    if (step->pass == 0)
        return pp_study_candidate(study, step)->id.data;
    return pp_arena_printf(study->arena, "%s, pass %lld of %lld",
                           pp_study_candidate(study, step)->id.data, (long long)step->pass,
                           (long long)study->plan.passes);
}

const char *pp_study_model_path(const pp_study *study, const pp_plan_candidate *candidate)
{
    return study->model_paths[candidate->model_index];
}

pp_status pp_study_ensure_folder(pp_study *study, const char *path, pp_error *err)
{
    const char *folder;

    if (path == NULL)
        return pp_arena_check(study->arena, err);
    folder = pp_path_folder(study->arena, path);
    if (folder == NULL)
        return pp_arena_check(study->arena, err);
    return pp_path_is_folder(folder) ? PP_OK : pp_folder_create(folder, true, err);
}

pp_status pp_study_save_document(pp_study *study, const char *path, const char *name,
                                 pp_json *value, pp_error *err)
{
    pp_json_set_string(study->arena, value, "schema_version", "1.0");
    pp_json_set_string(study->arena, value, "document", name);
    return pp_study_save_json(study, path, value, err);
}

pp_status pp_study_save_json(pp_study *study, const char *path, const pp_json *value, pp_error *err)
{
    pp_status st = pp_study_ensure_folder(study, path, err);

    return st == PP_OK ? pp_json_save_new(value, path, err) : st;
}

/* The fields are the original's; "partial" results keep what was measured and prove nothing. */
pp_status pp_study_write_status(pp_study *study, bool complete, const char *reason, pp_error *err)
{
    pp_arena arena = {0};
    pp_json *status = pp_json_new_object(&arena);
    const char *path = pp_bundle_path(&arena, study->folder, PP_BUNDLE_STATUS);
    pp_buf text;
    pp_status st;

    pp_json_set_string(&arena, status, "schema_version", "1.0");
    pp_json_set_string(&arena, status, "status", complete ? "complete" : "incomplete");
    pp_json_set_bool(&arena, status, "measurement_valid", complete);
    pp_json_set_bool(&arena, status, "valid_evidence", complete);
    pp_json_set_string(&arena, status, "classification", complete ? "exploratory" : "incomplete");
    pp_json_set_string(&arena, status, "reason", reason);
    pp_buf_init(&text, 65536);
    st = pp_json_write(status, PP_JSON_FILE, &text, err);
    if (st == PP_OK)
        st = path == NULL ? pp_arena_check(&arena, err)
                          : pp_file_replace(path, text.data, text.size, err);
    pp_buf_done(&text);
    pp_arena_done(&arena);
    return st;
}
