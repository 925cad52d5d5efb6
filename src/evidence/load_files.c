#include "evidence/load_files.h"

#include "base/files.h"
#include "capacity/load_report.h"
#include "evidence/figures.h"
#include "evidence/layout.h"
#include "model/document_kinds.h"
#include "model/sample.h"

#define SAMPLES_MAX_BYTES ((size_t)1 << 30)

static pp_status read_samples(pp_arena *arena, const char *path, pp_sample **ret_samples,
                              size_t *ret_count, pp_error *err)
{
    pp_buf bytes;
    pp_status st;

    pp_buf_init(&bytes, SAMPLES_MAX_BYTES);
    st = path == NULL ? pp_arena_check(arena, err) : pp_file_read(path, &bytes, err);
    if (st == PP_OK)
        st = pp_samples_parse(arena, path,
                              (pp_bytes){(const unsigned char *)pp_buf_text(&bytes), bytes.size},
                              ret_samples, ret_count, err);
    pp_buf_done(&bytes);
    return st;
}

static const struct {
    const char *run, *report, *samples, *command, *endpoint;
} places[] = {
    [PP_LOAD_OF_STUDY] = {PP_BUNDLE_LOAD_RUN, PP_BUNDLE_LOAD_REPORT, PP_BUNDLE_LOAD_SAMPLES,
                          PP_BUNDLE_LOAD_COMMAND, PP_BUNDLE_LOAD_ENDPOINT},
    [PP_LOAD_OF_ORIGINAL] = {PP_BUNDLE_PLAN_RUN, PP_BUNDLE_PLAN_REPORT, PP_BUNDLE_PLAN_SAMPLES,
                             PP_BUNDLE_PLAN_COMMAND, PP_BUNDLE_PLAN_ENDPOINT},
};

static const pp_json *below(const pp_json *from, const char *key);

/* A server that was started told it in its answer to /props, any other when it was asked. */
static pp_status read_slots(pp_arena *arena, const char *folder, pp_load_kind kind,
                            const pp_plan_candidate *candidate, pp_maybe_int *ret_slots,
                            pp_error *err)
{
    const bool was_asked = !pp_candidate_has_engine(candidate);
    const char *path = pp_bundle_fill(
        arena, "", was_asked ? places[kind].endpoint : places[kind].command, candidate->id.data, 0);
    const pp_json *said = NULL;
    const pp_json *slots;
    pp_status st = path == NULL
                       ? pp_arena_check(arena, err)
                       : pp_bundle_read_json(arena, pp_path_join(arena, folder, path), &said, err);

    slots = below(was_asked ? said : below(said, "readback"), "total_slots");
    if (st == PP_OK && slots != NULL && slots->kind == PP_JSON_INTEGER && slots->integer > 0)
        *ret_slots = pp_known_int(slots->integer);
    return st;
}

static pp_status make_again(pp_arena *arena, const char *samples_path, const pp_json *report,
                            pp_load_files *files, pp_error *err)
{
    pp_sample *samples = NULL;
    pp_json *again = NULL;
    pp_status st = pp_document_check(pp_document_kind_find("load-report"), report, err);

    if (st == PP_OK)
        st = read_samples(arena, samples_path, &samples, &files->sample_count, err);
    if (st == PP_OK)
        st = pp_load_report_again(arena, report, samples, files->sample_count, &again, err);
    files->samples = samples;
    files->report = again;
    return st;
}

static bool is_complete(const pp_json *run)
{
    const pp_json *outcome = pp_json_find(run, "outcome");

    return outcome != NULL && outcome->kind == PP_JSON_STRING &&
           pp_text_is(outcome->text, "complete");
}

pp_status pp_load_files_read(pp_arena *arena, const char *folder, pp_load_kind kind,
                             const pp_plan_candidate *candidate, pp_load_files *ret_files,
                             pp_error *err)
{
    const char *id = candidate->id.data;
    pp_load_files files = {.report_path = pp_bundle_fill(arena, "", places[kind].report, id, 0)};
    const char *run_path = pp_bundle_fill(arena, "", places[kind].run, id, 0);
    const char *samples_path = pp_bundle_fill(arena, "", places[kind].samples, id, 0);
    const pp_json *report = NULL;
    pp_status st = pp_arena_check(arena, err);

    if (st == PP_OK)
        st = pp_bundle_read_json(arena, pp_path_join(arena, folder, run_path), &files.run, err);
    if (st == PP_OK)
        st = pp_bundle_read_json(arena, pp_path_join(arena, folder, files.report_path), &report,
                                 err);
    if (st == PP_OK && report != NULL)
        st = pp_wrap(
            err, make_again(arena, pp_path_join(arena, folder, samples_path), report, &files, err),
            "'%s'", files.report_path);
    if (st == PP_OK)
        st = read_slots(arena, folder, kind, candidate, &files.slot_count, err);
    files.is_complete = is_complete(files.run);
    if (st == PP_OK)
        *ret_files = files;
    return st == PP_OK ? pp_arena_check(arena, err) : st;
}

/* ---- for the set -------------------------------------------------------------------------------
 */

static void copy(pp_arena *arena, pp_json *to, const char *key, const pp_json *from,
                 const char *member)
{
    const pp_json *value =
        from != NULL && from->kind == PP_JSON_OBJECT ? pp_json_find(from, member) : NULL;

    pp_json_set(arena, to, key, value != NULL ? value : pp_json_new_null(arena));
}

/* An object below an object; NULL when one of them is missing. */
static const pp_json *below(const pp_json *from, const char *key)
{
    return from != NULL && from->kind == PP_JSON_OBJECT ? pp_json_find(from, key) : NULL;
}

static pp_json *summarise(pp_arena *arena, const pp_json *level)
{
    const pp_json *asked = below(level, "asked");
    const pp_json *counts = below(level, "counts");
    const pp_json *whole = below(below(level, "throughput"), "whole");
    pp_json *row = pp_json_new_object(arena);

    copy(arena, row, "number", level, "number");
    copy(arena, row, "loop", asked, "loop");
    copy(arena, row, "clients", asked, "clients");
    copy(arena, row, "rate_per_second", asked, "rate_per_second");
    copy(arena, row, "issued_count", counts, "issued");
    copy(arena, row, "failed_count", counts, "failed");
    copy(arena, row, "requests_per_second", whole, "requests_per_second");
    copy(arena, row, "generated_tokens_per_second", whole, "generated_tokens_per_second");
    copy(arena, row, "verdict", level, "verdict");
    copy(arena, row, "doubts", level, "doubts");
    copy(arena, row, "littles_law", level, "littles_law");
    return row;
}

pp_json *pp_load_files_summary(pp_arena *arena, const pp_load_files *files)
{
    const pp_json *levels = files->is_complete ? below(files->report, "levels") : NULL;
    pp_json *list = pp_json_new_array(arena);

    if (levels == NULL || levels->kind != PP_JSON_ARRAY)
        return pp_json_new_null(arena);
    for (size_t i = 0; i < levels->array.count; i++)
        pp_json_add(arena, list, summarise(arena, levels->array.items[i]));
    return list;
}

/* ---- client against server ---------------------------------------------------------------------
 */

/* Samples of a level stand together. */
void pp_load_files_cross_check(pp_arena *arena, const pp_load_files *files, const char *what,
                               pp_cross_checks *checks)
{
    size_t first = 0;

    while (first < files->sample_count) {
        const pp_maybe_int level = files->samples[first].id.level;
        const char *where = pp_arena_printf(arena, "%s, level %lld", what, (long long)level.value);
        size_t end = first;

        while (end < files->sample_count && files->samples[end].id.level.value == level.value)
            end++;
        pp_cross_checks_add_level(checks, where, files->samples + first, end - first,
                                  files->slot_count);
        first = end;
    }
}
