#include "cli/site_scan.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/files.h"
#include "evidence/layout.h"

typedef struct scan {
    pp_arena *arena;
    const char *root;
    pp_found_bundle *items; /* PP_SITE_MAX_BUNDLES */
    size_t count;
} scan;

pp_text pp_path_own_name(pp_arena *arena, const char *path)
{
    char *whole = realpath(path, NULL);
    const char *from = whole == NULL ? path : whole;
    const char *slash = strrchr(from, '/');
    const char *name = pp_path_tidy(arena, slash == NULL || slash[1] == '\0' ? from : slash + 1);

    free(whole);
    return pp_text_of(name == NULL ? "" : name);
}

/* Links are not followed: they could lead anywhere, also round in circles. */
static bool is_kind(const char *path, mode_t kind)
{
    struct stat facts;

    return path != NULL && lstat(path, &facts) == 0 && (facts.st_mode & S_IFMT) == kind;
}

static pp_status add_bundle(scan *s, const char *path, const char *name, pp_error *err)
{
    if (s->count == PP_SITE_MAX_BUNDLES)
        return pp_fail(err, PP_ERR_LIMIT, "more than %d bundles below '%s'", PP_SITE_MAX_BUNDLES,
                       s->root);
    s->items[s->count++] = (pp_found_bundle){
        path, name[0] == '\0' ? pp_path_own_name(s->arena, path) : pp_text_of(name)};
    return pp_arena_check(s->arena, err);
}

static pp_status look_into(scan *s, const char *path, const char *name, int depth, pp_error *err);

static pp_status look_at_entries(scan *s, DIR *entries, const char *path, const char *name,
                                 int depth, pp_error *err)
{
    const struct dirent *entry;
    pp_status st = PP_OK;

    while (st == PP_OK && (errno = 0, entry = readdir(entries)) != NULL) {
        const char *inner;
        const char *inner_name;

        if (entry->d_name[0] == '.')
            continue;
        inner = pp_path_join(s->arena, path, entry->d_name);
        inner_name = pp_path_join(s->arena, name, entry->d_name);
        if (inner == NULL || inner_name == NULL)
            st = pp_arena_check(s->arena, err);
        else if (is_kind(inner, S_IFDIR))
            st = look_into(s, inner, inner_name, depth + 1, err);
    }
    if (st == PP_OK && errno != 0)
        st = pp_fail_errno(err, PP_ERR_IO, errno, "reading the folder '%s'", path);
    return st;
}

static pp_status look_into(scan *s, const char *path, const char *name, int depth, pp_error *err)
{
    DIR *entries;
    pp_status st;

    if (is_kind(pp_path_join(s->arena, path, PP_BUNDLE_STATUS), S_IFREG))
        return add_bundle(s, path, name, err);
    if (depth == PP_SITE_MAX_DEPTH)
        return PP_OK;
    entries = opendir(path);
    if (entries == NULL)
        return pp_fail_errno(err, PP_ERR_IO, errno, "cannot open the folder '%s'", path);
    st = look_at_entries(s, entries, path, name, depth, err);
    (void)closedir(entries); /* only read from */
    return st;
}

static int by_name(const void *left, const void *right)
{
    const pp_found_bundle *a = left;
    const pp_found_bundle *b = right;

    return pp_text_compare(a->name, b->name);
}

pp_status pp_site_scan(pp_arena *arena, const char *folder, pp_found_bundle **ret_bundles,
                       size_t *ret_count, pp_error *err)
{
    scan s = {.arena = arena, .root = folder};
    pp_status st;

    s.items = PP_ARENA_NEW(arena, pp_found_bundle, PP_SITE_MAX_BUNDLES);
    if (s.items == NULL)
        return pp_arena_check(arena, err);
    st = look_into(&s, folder, "", 0, err);
    if (st != PP_OK)
        return st;
    qsort(s.items, s.count, sizeof *s.items, by_name);
    *ret_bundles = s.items;
    *ret_count = s.count;
    return PP_OK;
}
