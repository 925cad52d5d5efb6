#include <string.h>

#include "base/files.h"
#include "cli/open_page.h"
#include "cli/site_bundles.h"
#include "version.h"

static const pp_positional positionals[] = {
    {.value = PP_FOLDER("BUNDLE"), .help = "the folder of a study, docs/formats/bundle.md"},
    {.value = PP_FOLDER("BUNDLE"), .help = "the next ones; each once", .repeats = true},
};

static const pp_option options[] = {
    {"output", 'o', PP_FILE("F.html"), NULL,
     "the page; a name that ends in .html; never replaces a file", true, false},
    {"open", 0, NULL, NULL, PP_OPEN_HELP, false, false},
};

static pp_status check_output(const char *path, pp_error *err)
{
    size_t size = strlen(path);

    if (size < 6 || strcmp(path + size - 5, ".html") != 0)
        return pp_fail(err, PP_ERR_USAGE,
                       "report-compare: --output '%s': expected a name that ends in .html", path);
    return pp_output_check_free(path, err);
}

static bool is_taken(const pp_found_bundle *found, size_t count, size_t except, pp_text name)
{
    for (size_t i = 0; i < count; i++) {
        if (i != except && pp_text_equal(found[i].name, name))
            return true;
    }
    return false;
}

static pp_status find_bundles(pp_arena *arena, const pp_args *args, pp_found_bundle *found,
                              pp_error *err)
{
    for (size_t i = 0; i < args->positional_count; i++) {
        const char *path = args->positionals[i];
        const char *tidy = pp_path_tidy(arena, path);

        if (!pp_path_is_folder(path))
            return pp_fail(err, PP_ERR_IO, "report-compare: there is no folder '%s'", path);
        found[i] = (pp_found_bundle){path, pp_text_of(tidy == NULL ? "" : tidy)};
        if (is_taken(found, i, i, found[i].name))
            return pp_fail(err, PP_ERR_USAGE, "report-compare: '%s' was given twice", path);
    }
    return pp_arena_check(arena, err);
}

/* By their own names, which say nothing about this machine; by whole paths where these are alike.
 */
static void shorten_names(pp_arena *arena, pp_found_bundle *found, size_t count)
{
    pp_found_bundle *whole = PP_ARENA_NEW(arena, pp_found_bundle, count);

    for (size_t i = 0; whole != NULL && i < count; i++)
        whole[i] = (pp_found_bundle){found[i].path, pp_path_own_name(arena, found[i].path)};
    for (size_t i = 0; whole != NULL && i < count; i++) {
        if (!is_taken(whole, count, i, whole[i].name))
            found[i].name = whole[i].name;
    }
}

/* As they were given, which is the order of the page. */
static pp_status name_bundles(pp_arena *arena, const pp_args *args, pp_found_bundle *found,
                              pp_error *err)
{
    pp_status st = find_bundles(arena, args, found, err);

    if (st != PP_OK)
        return st;
    shorten_names(arena, found, args->positional_count);
    return pp_arena_check(arena, err);
}

static pp_status write_page(pp_arena *arena, const pp_site *site, const char *path, pp_error *err)
{
    pp_buf page;
    pp_status st;

    pp_buf_init(&page, PP_SITE_MAX_BYTES);
    st = pp_site_side_by_side(arena, site, &page, err);
    if (st == PP_OK)
        st = pp_file_write_new(path, page.data, page.size, err);
    pp_buf_done(&page);
    return st;
}

/* Nothing is written about a bundle that has nothing to show: the caller named it. */
static pp_status check_decided(const pp_site_bundles *bundles, pp_error *err)
{
    for (size_t i = 0; i < bundles->count; i++) {
        const pp_site_bundle *bundle = &bundles->bundles[i];

        if (bundle->input == NULL)
            return pp_fail(err, PP_ERR_DOMAIN, "bundle '%s' has no decision: %s", bundle->name.data,
                           bundle->absent);
    }
    return PP_OK;
}

static pp_status make(pp_arena *arena, const pp_args *args, pp_site_bundles *bundles,
                      pp_site *ret_site, pp_error *err)
{
    const char *output = pp_args_value(args, "output");
    pp_found_bundle *found = PP_ARENA_NEW(arena, pp_found_bundle, args->positional_count);
    pp_status st = pp_arena_check(arena, err);

    if (st == PP_OK)
        st = check_output(output, err);
    if (st == PP_OK)
        st = name_bundles(arena, args, found, err);
    if (st == PP_OK)
        st = pp_site_bundles_load(arena, found, args->positional_count, false, bundles, err);
    if (st == PP_OK)
        st = check_decided(bundles, err);
    if (st == PP_OK)
        st = pp_site_make(arena, bundles->bundles, bundles->count, PP_VERSION, ret_site, err);
    return st == PP_OK ? write_page(arena, ret_site, output, err) : st;
}

static pp_status run(const pp_args *args, pp_exit *ret_exit, pp_error *err)
{
    pp_arena arena = {0};
    pp_site_bundles bundles = {0};
    pp_site site = {0};
    pp_status st = make(&arena, args, &bundles, &site, err);

    if (st == PP_OK) {
        pp_site_bundles_print(&bundles);
        *ret_exit = site.group_count > 1 ? PP_EXIT_NO : pp_site_bundles_exit(&bundles);
    }
    if (st == PP_OK && pp_args_has(args, "open"))
        pp_page_show(pp_args_value(args, "output"));
    pp_site_bundles_done(&bundles);
    pp_arena_done(&arena);
    return st;
}

const pp_command pp_command_report_compare = {
    .group = "Decide",
    .name = "report-compare",
    .positionals = positionals,
    .n_positionals = PP_COUNT_OF(positionals),
    .options = options,
    .n_options = PP_COUNT_OF(options),
    .summary = "write a page with studies of one machine side by side",
    .detail =
        "Verifies each bundle in this call and shows what it selected, with which settings and\n"
        "figures. Bundles of the same machine, models and work stand in one table; of two such,\n"
        "the page shows the difference of each metric. Others stand apart, in tables of their\n"
        "own, and the page says why: a difference between machines says nothing about a\n"
        "configuration.\n"
        "\n"
        "Exit 1: they are not comparable, or something in one differs; exit 3: one could not be\n"
        "verified. The page is written in both cases and says so.\n",
    .example = "paretopilot report-compare build/demo build/demo-2 --output both.html",
    .run = run,
};
