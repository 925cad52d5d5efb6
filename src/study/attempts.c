#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/files.h"
#include "evidence/checksums.h"
#include "evidence/step_files.h"
#include "study/context.h"

static pp_status move_file(pp_study *study, const char *attempt_folder, const char *relative,
                           pp_error *err)
{
    const char *from = pp_path_join(study->arena, study->folder, relative);
    const char *below =
        attempt_folder == NULL ? NULL : pp_path_join(study->arena, study->folder, attempt_folder);
    const char *to = below == NULL ? NULL : pp_path_join(study->arena, below, relative);
    pp_status st;

    if (from == NULL || to == NULL)
        return pp_arena_check(study->arena, err);
    st = pp_study_ensure_folder(study, to, err);
    if (st == PP_OK && pp_path_exists(to))
        return pp_fail(err, PP_ERR_EXISTS, "'%s' exists already; nothing is overwritten", to);
    if (st == PP_OK && rename(from, to) != 0)
        st = pp_fail_errno(err, PP_ERR_IO, errno, "cannot move '%s' to '%s'", from, to);
    return st;
}

/* Before the next attempt is begun: whoever is cut off in between goes on moving the rest to the
 * same place. */
pp_status pp_study_set_aside(pp_study *study, size_t step, pp_error *err)
{
    const pp_study_step *s = &study->steps.items[step];
    const char *attempt_folder =
        pp_step_attempt_folder(study->arena, s, study->log.states[step].attempt_count);
    pp_step_file *files = NULL;
    size_t count = 0;
    pp_status st =
        pp_step_files_find(study->arena, study->folder, &study->plan, s, &files, &count, err);

    for (size_t i = 0; st == PP_OK && i < count; i++)
        st = move_file(study, attempt_folder, files[i].path, err);
    return pp_wrap(err, st, "setting attempt %lld of step '%s' aside",
                   (long long)study->log.states[step].attempt_count, s->id);
}

/* ".<digits>.<digits>.tmp" at the end, as base/files.c names them. */
static bool is_temporary(const char *path)
{
    size_t size = strlen(path);

    if (size < 4 || strcmp(path + size - 4, ".tmp") != 0)
        return false;
    size -= 4;
    for (int part = 0; part < 2; part++) {
        size_t digits = 0;

        while (size > 0 && path[size - 1] >= '0' && path[size - 1] <= '9') {
            size--;
            digits++;
        }
        if (digits == 0 || size == 0 || path[size - 1] != '.')
            return false;
        size--;
    }
    return true;
}

pp_status pp_study_remove_temporaries(pp_study *study, pp_error *err)
{
    const char *const *paths = NULL;
    size_t count = 0;
    pp_status st = pp_bundle_list(study->arena, study->folder, &paths, &count, err);

    for (size_t i = 0; st == PP_OK && i < count; i++) {
        const char *path = pp_path_join(study->arena, study->folder, paths[i]);

        if (path == NULL)
            return pp_arena_check(study->arena, err);
        if (is_temporary(path) && unlink(path) != 0)
            st = pp_fail_errno(err, PP_ERR_IO, errno, "cannot remove '%s'", path);
    }
    return st;
}
