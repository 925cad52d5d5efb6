#include "cli/site_bundles.h"

#include <stdio.h>
#include <string.h>

#include "base/files.h"
#include "cli/report_bundle.h"
#include "evidence/layout.h"

/* ---- evidence -------------------------------------------------------------------------------- */

static void take_verification(pp_arena *arena, const pp_verification *v, pp_site_bundle *bundle)
{
    bundle->hashed_count = v->hashed.count;
    bundle->journal_line_count = v->journal_line_count;
    bundle->derived_count = v->derived_count;
    bundle->finding_count = v->finding_count;
    bundle->sums_sha256 = pp_arena_dup(arena, v->sums_sha256, strlen(v->sums_sha256));
    if (v->finding_count > 0) {
        bundle->evidence = PP_SITE_DIFFERS;
        bundle->reason = pp_arena_printf(
            arena, "%s of %s", pp_verify_rule_name(v->findings[0].rule), v->findings[0].path);
    } else if (!v->complete || !v->can_derive) {
        bundle->evidence = PP_SITE_UNDECIDED;
        bundle->reason = pp_verification_why_undecided(v);
    } else {
        bundle->evidence = PP_SITE_VERIFIED;
    }
}

/* ---- one bundle ------------------------------------------------------------------------------ */

static bool is_ours(pp_status st)
{
    return st == PP_ERR_MEMORY || st == PP_ERR_BUG;
}

static void take_page(pp_site_source *source, const pp_report_extras *extras,
                      pp_site_bundle *bundle)
{
    source->page = pp_inputs_report(&source->inputs);
    if (extras != NULL)
        source->page.extras = *extras;
    bundle->input = &source->page;
}

/* Its documents without the rest, for a bundle that cannot be verified. */
static pp_status decide_alone(const char *folder, pp_site_source *source, pp_error *err)
{
    pp_arena *arena = &source->inputs.arena;
    const char *set = pp_bundle_path(arena, folder, PP_BUNDLE_BENCHMARK_SET);
    const char *constraints = pp_bundle_path(arena, folder, PP_BUNDLE_CONSTRAINTS);
    pp_status st = pp_arena_check(arena, err);

    if (st == PP_OK)
        st = pp_inputs_decide_files(set, constraints, &source->inputs, err);
    return st;
}

/* What does not verify may hold a decision all the same, as a bundle that lost its checksums. */
static pp_status load_unchecked(const char *folder, pp_site_source *source, pp_site_bundle *bundle,
                                pp_error *why)
{
    pp_status st;

    bundle->evidence = PP_SITE_UNCHECKED;
    bundle->reason = pp_text_without_folder(&source->inputs.arena, why->text, folder);
    *why = (pp_error){0};
    st = decide_alone(folder, source, why);
    if (st == PP_OK)
        take_page(source, NULL, bundle);
    return st;
}

/* What verifies may hold no decision, as a study that did not end. */
static pp_status load_checked(pp_bundle_page *page, pp_site_source *source, pp_site_bundle *bundle,
                              pp_error *why)
{
    pp_status st = pp_bundle_page_read(page, &source->inputs, why);

    take_verification(&source->inputs.arena, &page->verification, bundle);
    if (st == PP_OK)
        take_page(source, &page->documents.extras, bundle);
    return st;
}

/* Nothing that is wrong with a bundle is an error here. */
static pp_status load(const pp_found_bundle *found, pp_site_source *source, pp_site_bundle *bundle,
                      pp_error *err)
{
    pp_arena *arena = &source->inputs.arena;
    pp_bundle_page *page = PP_ARENA_NEW(arena, pp_bundle_page, 1);
    pp_error why = {0};
    pp_status st;

    if (page == NULL)
        return pp_arena_check(arena, err);
    st = pp_bundle_page_verify(found->path, &source->inputs, page, &why);
    if (st == PP_OK)
        st = load_checked(page, source, bundle, &why);
    else if (!is_ours(st))
        st = load_unchecked(page->folder, source, bundle, &why);
    if (is_ours(st)) {
        *err = why;
        return st;
    }
    if (st != PP_OK)
        bundle->absent = pp_text_without_folder(arena, why.text, page->folder);
    return pp_arena_check(arena, err);
}

static pp_status load_one(const pp_found_bundle *found, bool has_page, pp_site_source *source,
                          pp_site_bundle *bundle, pp_error *err)
{
    pp_status st;

    bundle->name = found->name;
    st = load(found, source, bundle, err);
    if (st == PP_OK && has_page && bundle->input != NULL) {
        st = pp_site_page_name(found->name, ".html", source->page_name, err);
        bundle->page = source->page_name;
        source->page.index_page = PP_SITE_INDEX;
    }
    return st;
}

/* ---- all of them ----------------------------------------------------------------------------- */

pp_status pp_site_bundles_load(pp_arena *arena, const pp_found_bundle *found, size_t count,
                               bool has_pages, pp_site_bundles *ret_bundles, pp_error *err)
{
    pp_site_bundles all = {
        .sources = PP_ARENA_NEW(arena, pp_site_source, count),
        .bundles = PP_ARENA_NEW(arena, pp_site_bundle, count),
    };
    pp_status st = pp_arena_check(arena, err);

    *ret_bundles = all;
    for (size_t i = 0; st == PP_OK && i < count; i++) {
        ret_bundles->count = i + 1;
        st = load_one(&found[i], has_pages, &all.sources[i], &all.bundles[i], err);
    }
    return st;
}

void pp_site_bundles_done(pp_site_bundles *bundles)
{
    for (size_t i = 0; i < bundles->count; i++)
        pp_inputs_done(&bundles->sources[i].inputs);
    bundles->count = 0;
}

void pp_site_bundles_print(const pp_site_bundles *bundles)
{
    char name[PP_ERROR_TEXT_MAX];

    for (size_t i = 0; i < bundles->count; i++) {
        const pp_site_bundle *bundle = &bundles->bundles[i];

        pp_text_escape_controls(bundle->name.data, bundle->name.size, name, sizeof name);
        printf("%-12s  %s", pp_site_evidence_name(bundle->evidence), name);
        if (bundle->page != NULL)
            printf("  %s", bundle->page);
        printf("%s\n", bundle->input == NULL ? "  no page: it has no decision" : "");
    }
}

pp_exit pp_site_bundles_exit(const pp_site_bundles *bundles)
{
    size_t decided = 0;
    bool differs = false;
    bool all_verified = true;

    for (size_t i = 0; i < bundles->count; i++) {
        decided += bundles->bundles[i].input != NULL;
        differs = differs || bundles->bundles[i].evidence == PP_SITE_DIFFERS;
        all_verified = all_verified && bundles->bundles[i].evidence == PP_SITE_VERIFIED;
    }
    if (differs || decided == 0)
        return PP_EXIT_NO;
    return all_verified ? PP_EXIT_YES : PP_EXIT_COULD_NOT_TELL;
}
