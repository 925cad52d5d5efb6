#include "evidence/step_files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/files.h"
#include "evidence/checksums.h"
#include "evidence/layout.h"
#include "model/fields.h"

typedef enum place_of {
    OF_STUDY,
    OF_ENGINE,
    OF_MODEL,
    OF_CANDIDATE,
    OF_PASS,
    OF_EACH_PASS
} place_of;

/* Whatever a step writes stands here, or it is neither digested nor kept when the step is repeated.
 * A pattern may name a folder. */
static const struct {
    pp_study_phase phase;
    place_of of;
    const char *pattern;
} places[] = {
    {PP_STUDY_VERIFY, OF_STUDY, PP_BUNDLE_PLAN},
    {PP_STUDY_VERIFY, OF_STUDY, PP_BUNDLE_HOST},
    {PP_STUDY_VERIFY, OF_ENGINE, PP_BUNDLE_ENGINE_NAME},
    {PP_STUDY_VERIFY, OF_ENGINE, PP_BUNDLE_SERVER_HELP_NAME},
    {PP_STUDY_VERIFY, OF_ENGINE, PP_BUNDLE_BENCH_HELP_NAME},
    {PP_STUDY_VERIFY, OF_STUDY, PP_BUNDLE_CONSTRAINTS},
    {PP_STUDY_VERIFY, OF_STUDY, PP_BUNDLE_SUITE},
    {PP_STUDY_VERIFY, OF_STUDY, PP_BUNDLE_LOAD_PLAN},
    {PP_STUDY_VERIFY, OF_STUDY, PP_BUNDLE_POLICIES},
    {PP_STUDY_VERIFY, OF_MODEL, PP_BUNDLE_MODEL},
    {PP_STUDY_VERIFY, OF_CANDIDATE, PP_BUNDLE_SETTINGS},
    {PP_STUDY_VERIFY, OF_CANDIDATE, PP_BUNDLE_SERVE_CONFIG},
    {PP_STUDY_PREFLIGHT, OF_CANDIDATE, PP_BUNDLE_PREFLIGHT_COMMAND},
    {PP_STUDY_PREFLIGHT, OF_CANDIDATE, PP_BUNDLE_PREFLIGHT_STDOUT},
    {PP_STUDY_PREFLIGHT, OF_CANDIDATE, PP_BUNDLE_PREFLIGHT_STDERR},
    {PP_STUDY_PREFLIGHT, OF_CANDIDATE, PP_BUNDLE_PREFLIGHT_ENDPOINT},
    {PP_STUDY_PREFLIGHT, OF_CANDIDATE, PP_BUNDLE_PREFLIGHT_GATEWAY},
    {PP_STUDY_PREFLIGHT, OF_CANDIDATE, PP_BUNDLE_BENCH_COMMAND},
    {PP_STUDY_THROUGHPUT, OF_PASS, PP_BUNDLE_BENCH_ROWS},
    {PP_STUDY_THROUGHPUT, OF_PASS, PP_BUNDLE_BENCH_STDERR},
    {PP_STUDY_THROUGHPUT, OF_PASS, PP_BUNDLE_BENCH_RUN},
    {PP_STUDY_REQUESTS, OF_PASS, PP_BUNDLE_SERVER_COMMAND},
    {PP_STUDY_REQUESTS, OF_PASS, PP_BUNDLE_ENDPOINT},
    {PP_STUDY_REQUESTS, OF_PASS, PP_BUNDLE_SERVER_STDOUT},
    {PP_STUDY_REQUESTS, OF_PASS, PP_BUNDLE_SERVER_STDERR},
    {PP_STUDY_REQUESTS, OF_PASS, PP_BUNDLE_GATEWAY},
    {PP_STUDY_REQUESTS, OF_PASS, PP_BUNDLE_SUITE_REPLIES},
    {PP_STUDY_REQUESTS, OF_PASS, PP_BUNDLE_SAMPLES},
    {PP_STUDY_REQUESTS, OF_PASS, PP_BUNDLE_BODIES},
    {PP_STUDY_REQUESTS, OF_PASS, PP_BUNDLE_RESOURCES},
    {PP_STUDY_REQUESTS, OF_PASS, PP_BUNDLE_SERVER_RUN},
    {PP_STUDY_ASSEMBLE, OF_STUDY, PP_BUNDLE_QUALITY_REPORT},
    {PP_STUDY_LOAD, OF_CANDIDATE, PP_BUNDLE_LOAD_COMMAND},
    {PP_STUDY_LOAD, OF_CANDIDATE, PP_BUNDLE_LOAD_ENDPOINT},
    {PP_STUDY_LOAD, OF_CANDIDATE, PP_BUNDLE_LOAD_STDOUT},
    {PP_STUDY_LOAD, OF_CANDIDATE, PP_BUNDLE_LOAD_STDERR},
    {PP_STUDY_LOAD, OF_CANDIDATE, PP_BUNDLE_LOAD_GATEWAY},
    {PP_STUDY_LOAD, OF_CANDIDATE, PP_BUNDLE_LOAD_SAMPLES},
    {PP_STUDY_LOAD, OF_CANDIDATE, PP_BUNDLE_LOAD_REPORT},
    {PP_STUDY_LOAD, OF_CANDIDATE, PP_BUNDLE_LOAD_RUN},
    {PP_STUDY_LOAD_PLAN, OF_CANDIDATE, PP_BUNDLE_PLAN_COMMAND},
    {PP_STUDY_LOAD_PLAN, OF_CANDIDATE, PP_BUNDLE_PLAN_ENDPOINT},
    {PP_STUDY_LOAD_PLAN, OF_CANDIDATE, PP_BUNDLE_PLAN_STDOUT},
    {PP_STUDY_LOAD_PLAN, OF_CANDIDATE, PP_BUNDLE_PLAN_STDERR},
    {PP_STUDY_LOAD_PLAN, OF_CANDIDATE, PP_BUNDLE_PLAN_GATEWAY},
    {PP_STUDY_LOAD_PLAN, OF_CANDIDATE, PP_BUNDLE_PLAN_SAMPLES},
    {PP_STUDY_LOAD_PLAN, OF_CANDIDATE, PP_BUNDLE_PLAN_REPORT},
    {PP_STUDY_LOAD_PLAN, OF_CANDIDATE, PP_BUNDLE_PLAN_RUN},
    {PP_STUDY_ASSEMBLE, OF_CANDIDATE, PP_BUNDLE_EVALUATION},
    {PP_STUDY_ASSEMBLE, OF_STUDY, PP_BUNDLE_PASSPORT},
    {PP_STUDY_ASSEMBLE, OF_STUDY, PP_BUNDLE_RECEIPT},
    {PP_STUDY_ASSEMBLE, OF_STUDY, PP_BUNDLE_PROFILES},
    {PP_STUDY_ASSEMBLE, OF_EACH_PASS, PP_BUNDLE_PASS_SET},
    {PP_STUDY_ASSEMBLE, OF_STUDY, PP_BUNDLE_STABILITY},
    {PP_STUDY_ASSEMBLE, OF_STUDY, PP_BUNDLE_EVALUATIONS},
    {PP_STUDY_ASSEMBLE, OF_STUDY, PP_BUNDLE_BENCHMARK_SET},
    {PP_STUDY_ASSEMBLE, OF_STUDY, PP_BUNDLE_RECOMMENDATION},
    {PP_STUDY_ASSEMBLE, OF_STUDY, PP_BUNDLE_DETAILS},
    {PP_STUDY_ASSEMBLE, OF_STUDY, PP_BUNDLE_REPORT},
};

typedef struct finder {
    pp_arena *arena;
    const char *folder;
    const pp_study_plan *plan;
    const pp_study_step *step;
    pp_step_file *files;
    size_t count, capacity;
} finder;

static void add_file(finder *f, const char *path)
{
    if (f->count == f->capacity) {
        size_t capacity = f->capacity == 0 ? 16 : f->capacity * 2;
        pp_step_file *files = PP_ARENA_NEW(f->arena, pp_step_file, capacity);

        if (files == NULL)
            return; /* the arena remembers */
        if (f->count > 0)
            memcpy(files, f->files, f->count * sizeof *files);
        f->files = files;
        f->capacity = capacity;
    }
    f->files[f->count++].path = path;
}

static pp_status add_folder(finder *f, const char *relative, const char *path, pp_error *err)
{
    const char *const *paths = NULL;
    size_t count = 0;
    pp_status st = pp_bundle_list(f->arena, path, &paths, &count, err);

    for (size_t i = 0; st == PP_OK && i < count; i++)
        add_file(f, pp_path_join(f->arena, relative, paths[i]));
    return st;
}

static pp_status add_place(finder *f, const char *relative, pp_error *err)
{
    const char *path = relative == NULL ? NULL : pp_path_join(f->arena, f->folder, relative);

    if (path == NULL)
        return pp_arena_check(f->arena, err);
    if (pp_path_is_folder(path))
        return add_folder(f, relative, path, err);
    if (pp_path_exists(path))
        add_file(f, relative);
    return PP_OK;
}

/* The pattern for one model or candidate, and for the pass of the step. */
static char *fill_in(const finder *f, const char *pattern, const char *id)
{
    return pp_bundle_fill(f->arena, "", pattern, id, f->step->pass);
}

static pp_status add_pattern(finder *f, place_of of, const char *pattern, pp_error *err)
{
    const pp_study_plan *plan = f->plan;
    pp_status st = PP_OK;

    if (of == OF_STUDY)
        return add_place(f, pattern, err);
    for (int64_t pass = 1; st == PP_OK && of == OF_EACH_PASS && pass <= plan->passes; pass++)
        st = add_place(f, pp_bundle_fill(f->arena, "", pattern, NULL, pass), err);
    if (f->step->has_candidate)
        return add_place(f, fill_in(f, pattern, plan->candidates[f->step->candidate].id.data), err);
    for (size_t i = 0; st == PP_OK && of == OF_ENGINE && i < plan->engine_count; i++)
        st = add_place(f, pp_bundle_engine_file(f->arena, plan, i, pattern), err);
    for (size_t i = 0; st == PP_OK && of == OF_MODEL && i < plan->model_count; i++)
        st = add_place(f, fill_in(f, pattern, plan->models[i].id.data), err);
    for (size_t i = 0; st == PP_OK && of == OF_CANDIDATE && i < plan->candidate_count; i++)
        st = add_place(f, fill_in(f, pattern, plan->candidates[i].id.data), err);
    return st;
}

static int compare_files(const void *a, const void *b)
{
    return strcmp(((const pp_step_file *)a)->path, ((const pp_step_file *)b)->path);
}

pp_status pp_step_files_find(pp_arena *arena, const char *folder, const pp_study_plan *plan,
                             const pp_study_step *step, pp_step_file **ret_files, size_t *ret_count,
                             pp_error *err)
{
    finder f = {.arena = arena, .folder = folder, .plan = plan, .step = step};
    pp_status st = PP_OK;

    for (size_t i = 0; st == PP_OK && i < PP_COUNT_OF(places); i++) {
        if (places[i].phase == step->phase)
            st = add_pattern(&f, places[i].of, places[i].pattern, err);
    }
    if (st == PP_OK)
        st = pp_arena_check(arena, err);
    if (st != PP_OK)
        return st;
    if (f.count > 0)
        qsort(f.files, f.count, sizeof *f.files, compare_files);
    *ret_files = f.files;
    *ret_count = f.count;
    return PP_OK;
}

/* ---- digests ------------------------------------------------------------------------------------
 */

/* What a child wrote may still be in memory only. */
static pp_status sync_file(const char *path, pp_error *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    pp_status st = PP_OK;

    if (fd < 0)
        return pp_fail_errno(err, PP_ERR_IO, errno, "cannot open '%s'", path);
    if (fsync(fd) != 0)
        st = pp_fail_errno(err, PP_ERR_IO, errno, "writing '%s'", path);
    (void)close(fd); /* only read from */
    return st;
}

pp_status pp_step_files_seal(pp_arena *arena, const char *folder, const pp_study_plan *plan,
                             const pp_study_step *step, pp_step_file **ret_files, size_t *ret_count,
                             pp_error *err)
{
    pp_step_file *files = NULL;
    size_t count = 0;
    pp_status st = pp_step_files_find(arena, folder, plan, step, &files, &count, err);

    for (size_t i = 0; st == PP_OK && i < count; i++) {
        const char *path = pp_path_join(arena, folder, files[i].path);

        st = path == NULL ? pp_arena_check(arena, err) : sync_file(path, err);
        if (st == PP_OK)
            st = pp_sha256_file(path, files[i].sha256, &files[i].size_bytes, err);
    }
    if (st == PP_OK) {
        *ret_files = files;
        *ret_count = count;
    }
    return st;
}

pp_json *pp_step_files_encode(pp_arena *arena, const pp_step_file *files, size_t count)
{
    pp_json *list = pp_json_new_array(arena);

    for (size_t i = 0; i < count; i++) {
        pp_json *row = pp_json_new_object(arena);

        pp_json_set_string(arena, row, "path", files[i].path);
        pp_json_set_string(arena, row, "sha256", files[i].sha256);
        pp_json_set_int(arena, row, "size_bytes", files[i].size_bytes);
        pp_json_add(arena, list, row);
    }
    return list;
}

static pp_status is_as_recorded(const char *path, const pp_json *file, bool *ret_same,
                                pp_error *err)
{
    char hex[PP_SHA256_HEX_SIZE];
    int64_t size = 0;
    pp_status st;

    *ret_same = false;
    if (!pp_path_exists(path))
        return PP_OK;
    st = pp_file_size(path, &size, err);
    if (st != PP_OK || size != pp_checked_int(file, "size_bytes"))
        return st;
    st = pp_sha256_file(path, hex, NULL, err);
    *ret_same = st == PP_OK && pp_text_is(pp_checked_text(file, "sha256"), hex);
    return st;
}

pp_status pp_step_files_compare(pp_arena *arena, const char *folder, const pp_json *files,
                                const char **ret_changed, pp_error *err)
{
    pp_status st = PP_OK;

    *ret_changed = NULL;
    for (size_t i = 0; st == PP_OK && *ret_changed == NULL && i < files->array.count; i++) {
        const pp_json *file = files->array.items[i];
        pp_text relative = pp_checked_text(file, "path");
        const char *path = pp_path_join(arena, folder, relative.data);
        bool same = false;

        st = path == NULL ? pp_arena_check(arena, err) : is_as_recorded(path, file, &same, err);
        if (st == PP_OK && !same)
            *ret_changed = relative.data;
    }
    return st;
}

const char *pp_step_attempt_folder(pp_arena *arena, const pp_study_step *step, int64_t attempt)
{
    return pp_arena_printf(arena, PP_BUNDLE_ATTEMPT, step->id, (long long)attempt);
}
