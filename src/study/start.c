/* The first files of a study: in a folder beside the output, which then takes its name. So the
 * output folder has a journal, and what was verified, from its first instant. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/files.h"
#include "evidence/layout.h"
#include "study/context.h"

static mode_t current_umask(void)
{
    mode_t mask = umask(0);

    (void)umask(mask);
    return mask;
}

static pp_status make_staging(pp_study *study, pp_error *err)
{
    const char *output = study->options->output_dir;
    size_t size = strlen(output);
    const char *parent = pp_path_folder(study->arena, output);
    char *path;

    while (size > 1 && output[size - 1] == '/')
        size--;
    path = pp_arena_printf(study->arena, "%.*s.XXXXXX", (int)size, output);
    if (path == NULL || parent == NULL)
        return pp_arena_check(study->arena, err);
    if (!pp_path_is_folder(parent)) {
        pp_status st = pp_folder_create(parent, true, err);

        if (st != PP_OK)
            return st;
    }
    if (mkdtemp(path) == NULL)
        return pp_fail_errno(err, PP_ERR_IO, errno, "cannot create a folder beside '%s'", output);
    (void)chmod(path, 0777 & ~current_umask()); /* mkdtemp makes it private */
    study->folder = path;
    return PP_OK;
}

static pp_status publish_staging(pp_study *study, pp_error *err)
{
    const char *output = study->options->output_dir;

    if (pp_path_exists(output))
        return pp_fail(err, PP_ERR_EXISTS, "'%s' exists already; nothing is overwritten", output);
    if (rename(study->folder, output) != 0)
        return pp_fail_errno(err, PP_ERR_IO, errno, "cannot create '%s'", output);
    study->folder = output;
    return PP_OK;
}

/* As it will stand in experiment/constraints.json. */
static pp_status hash_constraints(const pp_study *study, char ret_hex[PP_SHA256_HEX_SIZE],
                                  pp_error *err)
{
    pp_buf text;
    pp_status st;

    pp_buf_init(&text, PP_STUDY_PLAN_MAX_BYTES * 8);
    st = pp_json_write(study->plan.constraints_json, PP_JSON_FILE, &text, err);
    if (st == PP_OK)
        st = pp_sha256_of(text.data, text.size, ret_hex, err);
    pp_buf_done(&text);
    return st;
}

/* What is to be measured and by which rules it is judged, before anything is measured. */
static pp_status begin_journal(pp_study *study, pp_error *err)
{
    pp_arena *arena = study->arena;
    const char *path = pp_bundle_path(arena, study->folder, PP_BUNDLE_JOURNAL);
    pp_json *begin = pp_json_new_object(arena);
    char constraints_sha256[PP_SHA256_HEX_SIZE];
    pp_status st = hash_constraints(study, constraints_sha256, err);

    if (st == PP_OK)
        st = path == NULL ? pp_arena_check(arena, err)
                          : pp_journal_create(path, &study->journal, err);
    if (st != PP_OK)
        return st;
    pp_json_set_text(arena, begin, "study_id", study->plan.study_id);
    pp_json_set_string(arena, begin, "plan_sha256", study->plan_sha256);
    pp_json_set_string(arena, begin, "constraints_sha256", constraints_sha256);
    pp_json_set_string(arena, begin, "model_folder", study->model_folder);
    pp_json_set_string(arena, begin, "plan_folder", study->plan_folder);
    pp_json_set_string(arena, begin, "paretopilot_version", study->options->tool_version);
    return pp_journal_append(study->journal, arena, "begin", begin, err);
}

static pp_status write_plan(pp_study *study, pp_error *err)
{
    const char *path = pp_bundle_path(study->arena, study->folder, PP_BUNDLE_PLAN);

    return path == NULL
               ? pp_arena_check(study->arena, err)
               : pp_file_write_new(path, study->plan_bytes.data, study->plan_bytes.size, err);
}

pp_status pp_study_start(pp_study *study, pp_error *err)
{
    pp_status st = make_staging(study, err);

    if (st != PP_OK)
        return st;
    st = begin_journal(study, err);
    if (st == PP_OK)
        st = write_plan(study, err);
    if (st == PP_OK)
        st = pp_study_write_status(study, false, "the study has begun and has not ended", err);
    if (st == PP_OK)
        st = pp_study_do_step(study, 0, NULL, err);
    if (st == PP_OK)
        st = publish_staging(study, err);
    if (st != PP_OK)
        pp_folder_remove(study->folder);
    return st;
}
