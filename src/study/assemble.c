/* From raw files to the documents a person reads, and into the bundle. */
#include "base/files.h"
#include "evidence/derive.h"
#include "evidence/layout.h"
#include "report/html.h"
#include "study/context.h"

#define REPORT_MAX_BYTES ((size_t)64 << 20)

static pp_status save(pp_study *study, const char *name, const pp_json *document, pp_error *err)
{
    return pp_study_save_json(study, pp_bundle_path(study->arena, study->folder, "%s", name),
                              document, err);
}

static pp_status write_report(pp_study *study, const pp_derived *derived, const char *path,
                              pp_error *err)
{
    const pp_report_input input = {
        .set = &derived->set,
        .constraints = &derived->plan.constraints,
        .decision = &derived->decision,
        .fingerprints = derived->fingerprints,
        .tool_version = study->options->tool_version,
    };
    pp_buf page;
    pp_status st;

    pp_buf_init(&page, REPORT_MAX_BYTES);
    st = pp_report_html(study->arena, &input, &page, err);
    if (st == PP_OK)
        st = path == NULL ? pp_arena_check(study->arena, err)
                          : pp_file_write_new(path, page.data, page.size, err);
    pp_buf_done(&page);
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
    pp_status st = derive(study, &derived, err);

    if (st == PP_OK)
        st = save(study, PP_BUNDLE_BENCHMARK_SET, derived->benchmark_set, err);
    if (st == PP_OK && derived->recommendation != NULL)
        st = save(study, PP_BUNDLE_RECOMMENDATION, derived->recommendation, err);
    if (st == PP_OK)
        st = save(study, PP_BUNDLE_DETAILS, derived->details, err);
    if (st == PP_OK)
        st = write_report(study, derived,
                          pp_bundle_path(study->arena, study->folder, PP_BUNDLE_REPORT), err);
    return st == PP_OK ? pp_study_fill_result(study, derived, ret_result, err) : st;
}
