#include "cli/gate_files.h"

#include <string.h>

#include "base/files.h"
#include "base/new_folder.h"
#include "report/receipt.h"
#include "version.h"

static const char *const names[] = {
    [PP_GATE_RECOMMENDATION] = "recommendation.json",
    [PP_GATE_REPORT] = "report.html",
    [PP_GATE_PASSPORT] = "decision-passport.json",
    [PP_GATE_RECEIPT] = "optimization-receipt.md",
};

/* ---- paths ----------------------------------------------------------------------------------- */

static pp_status name_files(pp_arena *arena, const char *folder, pp_gate_files *files,
                            pp_error *err)
{
    const char *tidy = pp_path_tidy(arena, folder);

    if (tidy == NULL)
        return pp_arena_check(arena, err);
    if (!pp_utf8_is_valid(folder, strlen(folder)))
        return pp_fail(err, PP_ERR_USAGE, "ci-gate: --output-dir '%s': expected UTF-8", folder);
    for (int i = 0; i < PP_GATE_FILE_COUNT; i++)
        files->files[i].path = pp_path_join(arena, tidy, names[i]);
    files->gate_path = pp_path_join(arena, tidy, "gate.json");
    return pp_arena_check(arena, err);
}

/* ---- contents -------------------------------------------------------------------------------- */

static pp_status make_texts(pp_inputs *inputs, const pp_gate *gate, pp_gate_files *files,
                            pp_error *err)
{
    pp_json *recommendation = pp_recommendation_to_json(&inputs->arena, &inputs->decision,
                                                        PP_VERSION, pp_inputs_fingerprints(inputs));
    pp_status st =
        pp_json_write(recommendation, PP_JSON_FILE, &files->texts[PP_GATE_RECOMMENDATION], err);

    if (st == PP_OK)
        st = pp_inputs_page(inputs, &files->texts[PP_GATE_REPORT], err);
    if (st == PP_OK)
        st = pp_json_write(gate->passport, PP_JSON_FILE, &files->texts[PP_GATE_PASSPORT], err);
    if (st == PP_OK)
        st = pp_receipt_write(gate->passport, &files->texts[PP_GATE_RECEIPT], err);
    for (int i = 0; st == PP_OK && i < PP_GATE_FILE_COUNT; i++)
        st = pp_sha256_of(files->texts[i].data, files->texts[i].size, files->files[i].sha256, err);
    return st;
}

static pp_status make_gate(pp_arena *arena, const pp_gate *gate, pp_gate_files *files,
                           pp_error *err)
{
    pp_status st;

    files->document = pp_gate_to_json(arena, gate, files->files);
    st = pp_json_write(files->document, PP_JSON_FILE, &files->gate, err);
    if (st == PP_OK)
        st = pp_sha256_of(files->gate.data, files->gate.size, files->gate_sha256, err);
    return st;
}

static void init_buffers(pp_gate_files *files)
{
    memset(files, 0, sizeof *files);
    for (int i = 0; i < PP_GATE_FILE_COUNT; i++)
        pp_buf_init(&files->texts[i], PP_JSON_MAX_BYTES);
    pp_buf_init(&files->gate, PP_JSON_MAX_BYTES);
    pp_buf_init(&files->regression, PP_JSON_MAX_BYTES);
}

pp_status pp_gate_files_make(pp_inputs *inputs, const pp_gate *gate, const char *folder,
                             const char *earlier_sha256, pp_gate_files *ret_files, pp_error *err)
{
    pp_arena *arena = &inputs->arena;
    pp_status st;

    init_buffers(ret_files);
    st = name_files(arena, folder, ret_files, err);
    if (st == PP_OK)
        st = make_texts(inputs, gate, ret_files, err);
    if (st == PP_OK)
        st = make_gate(arena, gate, ret_files, err);
    if (st == PP_OK && earlier_sha256 != NULL)
        st = pp_json_write(pp_gate_regression_to_json(arena, gate, PP_VERSION, earlier_sha256),
                           PP_JSON_FILE, &ret_files->regression, err);
    return st;
}

void pp_gate_files_done(pp_gate_files *files)
{
    for (int i = 0; i < PP_GATE_FILE_COUNT; i++)
        pp_buf_done(&files->texts[i]);
    pp_buf_done(&files->gate);
    pp_buf_done(&files->regression);
}

/* ---- writing --------------------------------------------------------------------------------- */

pp_status pp_gate_files_write(pp_arena *arena, const pp_gate_files *files, const char *folder,
                              pp_error *err)
{
    pp_new_folder out = {0};
    pp_status st = pp_new_folder_open(arena, folder, &out, err);

    for (int i = 0; st == PP_OK && i < PP_GATE_FILE_COUNT; i++)
        st = pp_new_folder_write(arena, &out, names[i], files->texts[i].data, files->texts[i].size,
                                 err);
    if (st == PP_OK && files->regression.size > 0)
        st = pp_new_folder_write(arena, &out, "regression.json", files->regression.data,
                                 files->regression.size, err);
    if (st == PP_OK)
        st = pp_new_folder_write(arena, &out, "gate.json", files->gate.data, files->gate.size, err);
    if (st == PP_OK)
        st = pp_new_folder_commit(&out, err);
    pp_new_folder_abandon(&out);
    return st;
}
