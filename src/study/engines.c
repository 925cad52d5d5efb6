/* The builds of llama.cpp that a plan names: where each is, what it says of itself, and whether it
 * is still the one that it was. */
#include <string.h>

#include "base/files.h"
#include "engine/argv.h"
#include "engine/marker.h"
#include "evidence/layout.h"
#include "model/fields.h"
#include "study/context.h"
#include "study/same.h"

const pp_engine *pp_study_engine(const pp_study *study, const pp_plan_candidate *candidate)
{
    return &study->engines[candidate->engine_index];
}

/* ---- where -------------------------------------------------------------------------------------
 */

/* "--llama-dir" stands for the engines that name no folder. */
static pp_status check_option(const pp_study *study, pp_error *err)
{
    for (size_t i = 0; i < study->plan.engine_count; i++) {
        if (!study->plan.engines[i].has_path)
            return PP_OK;
    }
    for (size_t i = 0; i < study->plan.candidate_count; i++) {
        if (study->serves[i].starts_servers)
            return PP_OK; /* it is handed on */
    }
    if (study->options->llama_dir != NULL && study->plan.engine_count == 0)
        return pp_fail(err, PP_ERR_USAGE, "--llama-dir: the plan has no engine");
    return study->options->llama_dir == NULL
               ? PP_OK
               : pp_fail(err, PP_ERR_USAGE,
                         "--llama-dir: the plan says of each of its %zu engines where it is",
                         study->plan.engine_count);
}

static pp_status find_folder(pp_study *study, size_t index, const char **ret_folder, pp_error *err)
{
    const pp_plan_engine *engine = &study->plan.engines[index];

    *ret_folder = study->recorded_folders == NULL ? NULL : study->recorded_folders[index];
    if (!engine->has_path && study->options->llama_dir != NULL)
        *ret_folder = study->options->llama_dir;
    if (*ret_folder != NULL)
        return PP_OK;
    if (!engine->has_path)
        return pp_engine_find(study->arena, NULL, ret_folder, err);
    *ret_folder = pp_path_join(study->arena, study->plan_folder, engine->path.data);
    return pp_arena_check(study->arena, err);
}

/* "engine 'generic'"; the only one needs no name. */
static pp_status name_engine(const pp_study *study, size_t index, pp_status st, pp_error *err)
{
    return study->plan.engine_count == 1
               ? st
               : pp_wrap(err, st, "engine '%s'", study->plan.engines[index].id.data);
}

/* ---- asking ------------------------------------------------------------------------------------
 */

static pp_status probe_one(pp_study *study, size_t index, pp_error *err)
{
    const pp_plan_engine *engine = &study->plan.engines[index];
    pp_engine_options options = {
        .server = engine->server.data,
        .bench = engine->bench.data,
        .variables = pp_plan_engine_variables(study->arena, engine),
        .secrets = pp_study_key_variables(study),
    };
    pp_status st = find_folder(study, index, &options.folder, err);

    if (st == PP_OK)
        st = pp_arena_check(study->arena, err);
    return st == PP_OK ? pp_engine_probe(study->arena, &options, &study->engines[index], err) : st;
}

static pp_status prepare(pp_study *study, pp_error *err)
{
    pp_status st = check_option(study, err);

    study->engines = PP_ARENA_NEW(study->arena, pp_engine, study->plan.engine_count);
    return st == PP_OK ? pp_arena_check(study->arena, err) : st;
}

pp_status pp_study_probe(pp_study *study, pp_error *err)
{
    pp_status st = prepare(study, err);

    for (size_t i = 0; st == PP_OK && i < study->plan.engine_count; i++)
        st = name_engine(study, i, probe_one(study, i, err), err);
    return st;
}

static bool has_managed(const pp_study_plan *plan, size_t engine)
{
    for (size_t i = 0; i < plan->candidate_count; i++) {
        if (plan->candidates[i].kind == PP_CANDIDATE_MANAGED &&
            plan->candidates[i].engine_index == engine)
            return true;
    }
    return false;
}

pp_status pp_study_probe_for_lines(pp_study *study, pp_buf *notes, pp_error *err)
{
    pp_status st = prepare(study, err);

    for (size_t i = 0; st == PP_OK && i < study->plan.engine_count; i++) {
        pp_error why = {0};

        st = name_engine(study, i, probe_one(study, i, &why), &why);
        if (st != PP_OK && !has_managed(&study->plan, i) && st != PP_ERR_MEMORY) {
            pp_buf_printf(notes, "note: %s; its lines are those of the plan\n", why.text);
            st = PP_OK;
        } else if (st != PP_OK && err != NULL) {
            *err = why;
        }
    }
    return st;
}

pp_status pp_study_check_markers(pp_study *study, const pp_plan_candidate *candidate,
                                 const char *log, pp_error *err)
{
    const pp_plan_markers *markers = &study->plan.engines[candidate->engine_index].markers;

    return pp_markers_check(log, markers->required, markers->required_count, markers->forbidden,
                            markers->forbidden_count, err);
}

/* ---- what is written down ----------------------------------------------------------------------
 */

const char *pp_study_engine_file(const pp_study *study, size_t index, const char *name)
{
    return pp_bundle_engine_file(study->arena, &study->plan, index, name);
}

static pp_status write_text(pp_study *study, size_t index, const char *name, const char *text,
                            pp_error *err)
{
    const char *relative = pp_study_engine_file(study, index, name);
    const char *path =
        relative == NULL ? NULL : pp_path_join(study->arena, study->folder, relative);
    pp_status st = pp_study_ensure_folder(study, path, err);

    return st == PP_OK ? pp_file_write_new(path, text, strlen(text), err) : st;
}

static pp_status write_one(pp_study *study, size_t index, pp_error *err)
{
    const pp_engine *engine = &study->engines[index];
    const char *relative = pp_study_engine_file(study, index, PP_BUNDLE_ENGINE_NAME);
    pp_json *document = pp_engine_encode(study->arena, engine);
    pp_status st;

    if (relative == NULL)
        return pp_arena_check(study->arena, err);
    if (study->plan.schema > 1)
        pp_json_set_text(study->arena, document, "id", study->plan.engines[index].id);
    st = pp_study_save_document(study, pp_path_join(study->arena, study->folder, relative),
                                "engine", document, err);
    if (st == PP_OK)
        st = write_text(study, index, PP_BUNDLE_SERVER_HELP_NAME, engine->server.help, err);
    if (st == PP_OK)
        st = write_text(study, index, PP_BUNDLE_BENCH_HELP_NAME, engine->bench.help, err);
    return st;
}

pp_status pp_study_write_engines(pp_study *study, pp_error *err)
{
    pp_status st = PP_OK;

    for (size_t i = 0; st == PP_OK && i < study->plan.engine_count; i++)
        st = write_one(study, i, err);
    return st;
}

/* ---- still the same? ---------------------------------------------------------------------------
 */

pp_status pp_study_recall_engines(pp_study *study, pp_error *err)
{
    pp_status st = PP_OK;

    study->recorded_folders = PP_ARENA_NEW(study->arena, const char *, study->plan.engine_count);
    if (study->recorded_folders == NULL)
        return pp_arena_check(study->arena, err);
    for (size_t i = 0; st == PP_OK && i < study->plan.engine_count; i++) {
        const pp_json *recorded = NULL;

        st = pp_study_read_engine(study, i, &recorded, err);
        if (st == PP_OK)
            study->recorded_folders[i] = pp_checked_text(recorded, "folder").data;
    }
    return st;
}

static pp_status check_unchanged(const pp_program *program, pp_error *err)
{
    char hex[PP_SHA256_HEX_SIZE];
    pp_status st = pp_sha256_file(program->path, hex, NULL, err);

    if (st == PP_OK && strcmp(hex, program->sha256) != 0)
        st = pp_fail(err, PP_ERR_DOMAIN,
                     "'%s' was exchanged while the study ran: SHA-256 %s at its begin, %s now",
                     program->path, program->sha256, hex);
    return st;
}

pp_status pp_study_check_engines_unchanged(pp_study *study, pp_error *err)
{
    pp_status st = PP_OK;

    for (size_t i = 0; st == PP_OK && i < study->plan.engine_count; i++) {
        st = check_unchanged(&study->engines[i].server, err);
        if (st == PP_OK)
            st = check_unchanged(&study->engines[i].bench, err);
        st = name_engine(study, i, st, err);
    }
    return st;
}
