/* From raw files to the documents a person reads, and into the bundle. */
#include "base/files.h"
#include "evidence/derived_files.h"
#include "evidence/layout.h"
#include "study/context.h"

static pp_status save_all(pp_study *study, const pp_derived *derived, pp_error *err)
{
    pp_derived_files files = {0};
    pp_status st =
        pp_derived_files_make(study->arena, derived, study->options->tool_version, &files, err);

    for (size_t i = 0; st == PP_OK && i < files.count; i++) {
        const pp_derived_file *file = &files.items[i];
        const char *path = pp_bundle_path(study->arena, study->folder, "%s", file->path);

        if (file->was_written)
            continue;
        st = pp_study_ensure_folder(study, path, err);
        if (st == PP_OK)
            st = pp_file_write_new(path, file->bytes, file->size, err);
    }
    return st;
}

static pp_status derive(pp_study *study, pp_derived **ret_derived, pp_error *err)
{
    *ret_derived = PP_ARENA_NEW(study->arena, pp_derived, 1);
    return *ret_derived == NULL ? pp_arena_check(study->arena, err)
                                : pp_derive(study->arena, study->folder,
                                            study->options->tool_version, *ret_derived, err);
}

pp_status pp_study_derive_again(pp_study *study, pp_study_result *ret_result, pp_error *err)
{
    pp_derived *derived = NULL;
    pp_status st = derive(study, &derived, err);

    return st == PP_OK ? pp_study_fill_result(study, derived, ret_result, err) : st;
}

pp_status pp_study_assemble(pp_study *study, pp_study_result *ret_result, pp_error *err)
{
    pp_derived *derived = NULL;
    pp_status st = pp_study_check_engines_unchanged(study, err);

    if (st == PP_OK)
        st = derive(study, &derived, err);
    if (st == PP_OK)
        st = save_all(study, derived, err);
    return st == PP_OK ? pp_study_fill_result(study, derived, ret_result, err) : st;
}
