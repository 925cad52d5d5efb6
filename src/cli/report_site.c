#include "cli/report_site.h"

#include <stdio.h>

#include "base/files.h"
#include "base/new_folder.h"
#include "cli/open_page.h"
#include "cli/page_beside.h"
#include "cli/site_bundles.h"
#include "version.h"

typedef pp_status write_function(pp_arena *arena, const void *what, pp_buf *out, pp_error *err);

static pp_status write_page(pp_arena *arena, const pp_new_folder *out, const char *name,
                            write_function *write, const void *what, pp_error *err)
{
    pp_buf page;
    pp_status st;

    pp_buf_init(&page, PP_REPORT_MAX_BYTES);
    st = write(arena, what, &page, err);
    if (st == PP_OK)
        st = pp_new_folder_write(arena, out, name, page.data, page.size, err);
    pp_buf_done(&page);
    return pp_wrap(err, st, "'%s'", name);
}

static pp_status write_index(pp_arena *arena, const void *site, pp_buf *out, pp_error *err)
{
    return pp_site_index(arena, site, out, err);
}

typedef struct side_page {
    const pp_site *site;
    const pp_site_group *group;
} side_page;

static pp_status write_side(pp_arena *arena, const void *what, pp_buf *out, pp_error *err)
{
    const side_page *page = what;

    return pp_site_group_page(arena, page->site, page->group, out, err);
}

static pp_status write_bundle(pp_arena *arena, const void *input, pp_buf *out, pp_error *err)
{
    return pp_report_html(arena, input, out, err);
}

/* What a page of very many candidates leaves out. */
static pp_status write_beside(const pp_new_folder *out, pp_inputs *inputs, const char *page,
                              pp_error *err)
{
    pp_page_beside beside;
    pp_status st = pp_page_beside_make(inputs, page, &beside, err);

    for (int i = 0; st == PP_OK && beside.is_needed && i < PP_BESIDE_COUNT; i++)
        st = pp_new_folder_write(&inputs->arena, out, beside.paths[i], beside.texts[i].data,
                                 beside.texts[i].size, err);
    pp_page_beside_done(&beside);
    return st;
}

static pp_status write_bundles(const pp_new_folder *out, pp_site_bundles *bundles, pp_error *err)
{
    pp_status st = PP_OK;

    for (size_t i = 0; st == PP_OK && i < bundles->count; i++) {
        const pp_site_bundle *bundle = &bundles->bundles[i];
        pp_inputs *inputs = &bundles->sources[i].inputs;

        if (bundle->page == NULL)
            continue;
        st = write_page(&inputs->arena, out, bundle->page, write_bundle, bundle->input, err);
        if (st == PP_OK)
            st = write_beside(out, inputs, bundle->page, err);
    }
    return st;
}

static pp_status write_groups(pp_arena *arena, const pp_new_folder *out, const pp_site *site,
                              pp_error *err)
{
    pp_status st = PP_OK;

    for (size_t i = 0; st == PP_OK && i < site->group_count; i++) {
        const side_page page = {site, &site->groups[i]};

        if (page.group->member_count > 1)
            st = write_page(arena, out, page.group->page, write_side, &page, err);
    }
    return st;
}

/* All of it or nothing. */
static pp_status write_site(pp_arena *arena, const char *folder, pp_site_bundles *bundles,
                            pp_error *err)
{
    pp_new_folder out = {0};
    pp_site site;
    pp_status st = pp_site_make(arena, bundles->bundles, bundles->count, PP_VERSION, &site, err);

    if (st == PP_OK)
        st = pp_new_folder_open(arena, folder, &out, err);
    if (st == PP_OK)
        st = write_bundles(&out, bundles, err);
    if (st == PP_OK)
        st = write_groups(arena, &out, &site, err);
    if (st == PP_OK)
        st = write_page(arena, &out, PP_SITE_INDEX, write_index, &site, err);
    if (st == PP_OK)
        st = pp_new_folder_commit(&out, err);
    pp_new_folder_abandon(&out);
    return st;
}

static pp_status check(const char *folder, const char *output, pp_error *err)
{
    if (!pp_path_is_folder(folder))
        return pp_fail(err, PP_ERR_IO, "report: --index: there is no folder '%s'", folder);
    return pp_new_folder_check(output, err);
}

static pp_status make(pp_arena *arena, const char *folder, const char *output,
                      pp_site_bundles *bundles, pp_error *err)
{
    pp_found_bundle *found = NULL;
    size_t count = 0;
    pp_status st = check(folder, output, err);

    if (st == PP_OK)
        st = pp_site_scan(arena, folder, &found, &count, err);
    if (st == PP_OK)
        st = pp_site_bundles_load(arena, found, count, true, bundles, err);
    return st == PP_OK ? write_site(arena, output, bundles, err) : st;
}

pp_status pp_report_site(const char *folder, const char *output, bool is_shown, pp_exit *ret_exit,
                         pp_error *err)
{
    pp_arena arena = {0};
    pp_site_bundles bundles = {0};
    pp_status st = make(&arena, folder, output, &bundles, err);

    if (st == PP_OK) {
        pp_site_bundles_print(&bundles);
        if (bundles.count == 0)
            fprintf(stderr, "warning: no bundle was found; the index says so\n");
        *ret_exit = pp_site_bundles_exit(&bundles);
    }
    if (st == PP_OK && is_shown)
        pp_page_show(pp_path_join(&arena, output, PP_SITE_INDEX));
    pp_site_bundles_done(&bundles);
    pp_arena_done(&arena);
    return st;
}
