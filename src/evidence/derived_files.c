#include "evidence/derived_files.h"

#include <string.h>

#include "evidence/layout.h"
#include "evidence/load_files.h"
#include "report/html.h"

#define REPORT_MAX_BYTES ((size_t)64 << 20)

static pp_status append(pp_arena *arena, pp_derived_files *files, pp_derived_file file,
                        pp_error *err)
{
    if (files->count == files->capacity) {
        size_t capacity = files->capacity == 0 ? 32 : 2 * files->capacity;
        pp_derived_file *items = PP_ARENA_NEW(arena, pp_derived_file, capacity);

        if (items == NULL)
            return pp_arena_check(arena, err);
        if (files->count > 0)
            memcpy(items, files->items, files->count * sizeof *items);
        files->items = items;
        files->capacity = capacity;
    }
    files->items[files->count++] = file;
    return PP_OK;
}

/* The buffer's bytes, in the arena; the buffer is ended. */
static pp_status keep(pp_arena *arena, pp_derived_files *files, const char *path, pp_buf *bytes,
                      pp_error *err)
{
    const char *copy = pp_arena_dup(arena, pp_buf_text(bytes), bytes->size);
    size_t size = bytes->size;

    pp_buf_done(bytes);
    if (copy == NULL)
        return pp_arena_check(arena, err);
    return append(arena, files, (pp_derived_file){path, copy, size, false}, err);
}

static pp_status add_json(pp_arena *arena, pp_derived_files *files, const char *path,
                          const pp_json *document, pp_error *err)
{
    pp_buf text;
    pp_status st;

    if (document == NULL)
        return PP_OK;
    pp_buf_init(&text, PP_JSON_MAX_BYTES);
    st = pp_json_write(document, PP_JSON_FILE, &text, err);
    if (st == PP_OK)
        return keep(arena, files, path, &text, err);
    pp_buf_done(&text);
    return pp_wrap(err, st, "'%s'", path);
}

static pp_status add_report(pp_arena *arena, pp_derived_files *files, const pp_derived *derived,
                            const char *tool_version, pp_error *err)
{
    const pp_report_input input = {
        .set = &derived->set,
        .constraints = &derived->plan.constraints,
        .decision = &derived->decision,
        .fingerprints = derived->fingerprints,
        .tool_version = tool_version,
    };
    pp_buf page;
    pp_status st;

    pp_buf_init(&page, REPORT_MAX_BYTES);
    st = pp_report_html(arena, &input, &page, err);
    if (st == PP_OK)
        return keep(arena, files, PP_BUNDLE_REPORT, &page, err);
    pp_buf_done(&page);
    return st;
}

/* The measuring step wrote them, by the same code, from what was measured. */
static pp_status add_load_reports(pp_arena *arena, pp_derived_files *files,
                                  const pp_load_files *loads, size_t count, pp_error *err)
{
    pp_status st = PP_OK;

    for (size_t i = 0; loads != NULL && st == PP_OK && i < count; i++) {
        if (loads[i].report == NULL)
            continue;
        st = add_json(arena, files, loads[i].report_path, loads[i].report, err);
        if (st == PP_OK)
            files->items[files->count - 1].was_written = true;
    }
    return st;
}

static pp_status add_evaluations(pp_arena *arena, pp_derived_files *files,
                                 const pp_derived *derived, pp_error *err)
{
    const pp_study_plan *plan = &derived->plan;
    pp_status st = PP_OK;

    if (derived->evaluations == NULL)
        return PP_OK;
    for (size_t i = 0; st == PP_OK && i < plan->candidate_count; i++) {
        const char *path =
            pp_arena_printf(arena, PP_BUNDLE_EVALUATION, plan->candidates[i].id.data);

        st = path == NULL
                 ? pp_arena_check(arena, err)
                 : add_json(arena, files, path, derived->evaluations->of_candidates[i], err);
    }
    return st == PP_OK
               ? add_json(arena, files, PP_BUNDLE_EVALUATIONS, derived->evaluations->combined, err)
               : st;
}

static pp_status add_loads(pp_arena *arena, pp_derived_files *files, const pp_derived *derived,
                           pp_error *err)
{
    const size_t count = derived->plan.candidate_count;
    pp_status st = add_load_reports(arena, files, derived->loads, count, err);

    if (st == PP_OK)
        st = add_load_reports(arena, files, derived->plan_loads, count, err);
    return st == PP_OK ? add_evaluations(arena, files, derived, err) : st;
}

static pp_status add_pass_sets(pp_arena *arena, pp_derived_files *files, const pp_derived *derived,
                               pp_error *err)
{
    pp_status st = PP_OK;

    for (int64_t pass = 1; st == PP_OK && pass <= derived->plan.passes; pass++) {
        const char *path = pp_arena_printf(arena, PP_BUNDLE_PASS_SET, (int)pass);

        st = path == NULL ? pp_arena_check(arena, err)
                          : add_json(arena, files, path, derived->pass_sets[pass - 1], err);
    }
    return st;
}

static pp_status add_receipt(pp_arena *arena, pp_derived_files *files, const pp_derived *derived,
                             pp_error *err)
{
    const pp_derived_file file = {PP_BUNDLE_RECEIPT, derived->receipt, derived->receipt_size,
                                  false};

    return derived->receipt == NULL ? PP_OK : append(arena, files, file, err);
}

static pp_status add_extensions(pp_arena *arena, pp_derived_files *files, const pp_derived *derived,
                                pp_error *err)
{
    pp_status st = add_json(arena, files, PP_BUNDLE_PASSPORT, derived->passport, err);

    if (st == PP_OK)
        st = add_receipt(arena, files, derived, err);
    if (st == PP_OK)
        st = add_json(arena, files, PP_BUNDLE_PROFILES, derived->profiles, err);
    if (st == PP_OK)
        st = add_pass_sets(arena, files, derived, err);
    return st == PP_OK ? add_json(arena, files, PP_BUNDLE_STABILITY, derived->stability, err) : st;
}

pp_status pp_derived_files_make(pp_arena *arena, const pp_derived *derived,
                                const char *tool_version, pp_derived_files *ret_files,
                                pp_error *err)
{
    pp_derived_files files = {0};
    pp_status st = add_json(arena, &files, PP_BUNDLE_QUALITY_REPORT, derived->quality_report, err);

    if (st == PP_OK)
        st = add_json(arena, &files, PP_BUNDLE_BENCHMARK_SET, derived->benchmark_set, err);
    if (st == PP_OK)
        st = add_json(arena, &files, PP_BUNDLE_RECOMMENDATION, derived->recommendation, err);
    if (st == PP_OK)
        st = add_json(arena, &files, PP_BUNDLE_DETAILS, derived->details, err);
    if (st == PP_OK)
        st = add_report(arena, &files, derived, tool_version, err);
    if (st == PP_OK)
        st = add_loads(arena, &files, derived, err);
    if (st == PP_OK)
        st = add_extensions(arena, &files, derived, err);
    if (st == PP_OK)
        *ret_files = files;
    return st;
}
