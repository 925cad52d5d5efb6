#include "cli/report_bundle.h"

#include <string.h>

#include "base/files.h"
#include "cli/site_scan.h"
#include "evidence/layout.h"
#include "evidence/page_facts.h"

static const char *without_slash(pp_arena *arena, const char *folder)
{
    size_t size = strlen(folder);

    while (size > 1 && folder[size - 1] == '/')
        size--;
    return pp_arena_dup(arena, folder, size);
}

static pp_status refuse_undecided(const pp_bundle_page *page, pp_error *err)
{
    return pp_fail(err, PP_ERR_UNAVAILABLE,
                   "'%s' has no decision yet: its study did not end; `paretopilot study resume` "
                   "goes on with it",
                   page->folder);
}

static pp_status decide(const pp_bundle_page *page, pp_inputs *inputs, pp_error *err)
{
    const char *set = pp_bundle_path(&inputs->arena, page->folder, PP_BUNDLE_BENCHMARK_SET);
    const char *limits = pp_bundle_path(&inputs->arena, page->folder, PP_BUNDLE_CONSTRAINTS);
    pp_status st = pp_arena_check(&inputs->arena, err);

    if (st != PP_OK)
        return st;
    if (!page->verification.complete && !pp_path_exists(set))
        return refuse_undecided(page, err);
    st = pp_inputs_decide_files(set, limits, inputs, err);
    if (st == PP_OK)
        st = pp_verification_check_read(&page->verification, set, inputs->benchmarks_sha256, err);
    if (st == PP_OK)
        st = pp_verification_check_read(&page->verification, limits, inputs->constraints_sha256,
                                        err);
    return st;
}

pp_status pp_bundle_page_verify(const char *folder, pp_inputs *inputs, pp_bundle_page *ret_page,
                                pp_error *err)
{
    ret_page->folder = without_slash(&inputs->arena, folder);
    if (ret_page->folder == NULL)
        return pp_arena_check(&inputs->arena, err);
    return pp_verify(&inputs->arena, ret_page->folder, &ret_page->verification, err);
}

pp_status pp_bundle_page_read(pp_bundle_page *page, pp_inputs *inputs, pp_error *err)
{
    pp_arena *arena = &inputs->arena;
    pp_status st = decide(page, inputs, err);

    if (st == PP_OK)
        st = pp_page_facts_read(arena, pp_path_own_name(arena, page->folder), &page->verification,
                                &page->bundle, err);
    if (st == PP_OK)
        st = pp_report_documents_of_bundle(&page->verification, page->bundle.plan, inputs,
                                           &page->documents, err);
    page->documents.extras.bundle = &page->bundle;
    return st;
}

pp_status pp_bundle_page_load(const char *folder, pp_inputs *inputs, pp_bundle_page *ret_page,
                              pp_error *err)
{
    pp_status st = pp_bundle_page_verify(folder, inputs, ret_page, err);

    return st == PP_OK ? pp_bundle_page_read(ret_page, inputs, err) : st;
}

pp_status pp_bundle_page_verdict(const pp_bundle_page *page, pp_error *err)
{
    const pp_verification *v = &page->verification;
    char path[4 * PP_ERROR_TEXT_MAX];

    if (page->bundle.verification.is_verified)
        return PP_OK;
    if (v->finding_count == 0)
        return pp_fail(err, PP_ERR_UNAVAILABLE, "the page is written; '%s' is undecided: %s",
                       page->folder, pp_verification_why_undecided(v));
    pp_text_escape_controls(v->findings[0].path, strlen(v->findings[0].path), path, sizeof path);
    return pp_fail(err, PP_ERR_NO_WINNER, /* exit 1 */
                   "the page is written and says so: '%s' is not verified, %zu finding%s; the "
                   "first: %s  %s",
                   page->folder, v->finding_count, v->finding_count == 1 ? "" : "s",
                   pp_verify_rule_name(v->findings[0].rule), path);
}
