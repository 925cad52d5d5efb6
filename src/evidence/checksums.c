#include "evidence/checksums.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/buffer.h"
#include "base/files.h"
#include "digest/sha256.h"

#define MAX_DEPTH      16
#define LIST_MAX_BYTES ((size_t)64 << 20)

typedef struct listing {
    pp_arena *arena;
    const char *root;
    const char **paths;
    size_t count;
    size_t capacity;
} listing;

static pp_status add_path(listing *list, const char *relative, pp_error *err)
{
    if (strpbrk(relative, "\n\r\\") != NULL)
        return pp_fail(err, PP_ERR_IO, "'%s': a name with a line break or a backslash", relative);
    if (list->count == PP_BUNDLE_MAX_FILES)
        return pp_fail(err, PP_ERR_LIMIT, "'%s': more than %d files", list->root,
                       PP_BUNDLE_MAX_FILES);
    if (list->count == list->capacity) {
        size_t capacity = list->capacity == 0 ? 256 : list->capacity * 2;
        const char **paths = PP_ARENA_NEW(list->arena, const char *, capacity);

        if (paths == NULL)
            return pp_arena_check(list->arena, err);
        if (list->count > 0)
            memcpy(paths, list->paths, list->count * sizeof *paths);
        list->paths = paths;
        list->capacity = capacity;
    }
    list->paths[list->count++] = relative;
    return PP_OK;
}

static pp_status walk(listing *list, const char *relative, int depth, pp_error *err);

static pp_status visit(listing *list, const char *relative, int depth, pp_error *err)
{
    const char *path = pp_path_join(list->arena, list->root, relative);
    struct stat info;

    if (path == NULL)
        return pp_arena_check(list->arena, err);
    if (lstat(path, &info) != 0)
        return pp_fail_errno(err, PP_ERR_IO, errno, "cannot stat '%s'", path);
    if (S_ISDIR(info.st_mode))
        return walk(list, relative, depth + 1, err);
    if (!S_ISREG(info.st_mode))
        return pp_fail(err, PP_ERR_IO, "'%s': expected a folder or a regular file", path);
    if (strcmp(relative, PP_CHECKSUMS_NAME) == 0)
        return PP_OK;
    return add_path(list, relative, err);
}

static pp_status walk(listing *list, const char *relative, int depth, pp_error *err)
{
    const char *path = pp_path_join(list->arena, list->root, relative);
    const struct dirent *entry;
    pp_status st = PP_OK;
    DIR *folder;

    if (path == NULL)
        return pp_arena_check(list->arena, err);
    if (depth > MAX_DEPTH)
        return pp_fail(err, PP_ERR_LIMIT, "'%s': nested deeper than %d folders", path, MAX_DEPTH);
    folder = opendir(path);
    if (folder == NULL)
        return pp_fail_errno(err, PP_ERR_IO, errno, "cannot open folder '%s'", path);
    errno = 0;
    while (st == PP_OK && (entry = readdir(folder)) != NULL) {
        const char *child;

        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        child = relative[0] == '.' ? pp_arena_dup(list->arena, entry->d_name, strlen(entry->d_name))
                                   : pp_path_join(list->arena, relative, entry->d_name);
        st = child == NULL ? pp_arena_check(list->arena, err) : visit(list, child, depth, err);
        errno = 0;
    }
    if (st == PP_OK && errno != 0)
        st = pp_fail_errno(err, PP_ERR_IO, errno, "reading folder '%s'", path);
    (void)closedir(folder);
    return st;
}

static int compare_paths(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

pp_status pp_bundle_list(pp_arena *arena, const char *folder, const char *const **ret_paths,
                         size_t *ret_count, pp_error *err)
{
    listing list = {.arena = arena, .root = folder};
    pp_status st = walk(&list, ".", 0, err);

    if (st != PP_OK)
        return st;
    if (list.count > 0)
        qsort(list.paths, list.count, sizeof *list.paths, compare_paths);
    *ret_paths = list.paths;
    *ret_count = list.count;
    return PP_OK;
}

pp_status pp_checksums_write(const char *folder, pp_error *err)
{
    pp_arena arena = {0};
    const char *const *paths = NULL;
    size_t count = 0;
    pp_buf list;
    pp_status st = pp_bundle_list(&arena, folder, &paths, &count, err);

    pp_buf_init(&list, LIST_MAX_BYTES);
    for (size_t i = 0; st == PP_OK && i < count; i++) {
        const char *path = pp_path_join(&arena, folder, paths[i]);
        char hex[PP_SHA256_HEX_SIZE];

        st = path == NULL ? pp_arena_check(&arena, err) : pp_sha256_file(path, hex, NULL, err);
        if (st == PP_OK)
            pp_buf_printf(&list, "%s  ./%s\n", hex, paths[i]);
    }
    if (st == PP_OK)
        st = pp_buf_check(&list, "checksum list", err);
    if (st == PP_OK) {
        const char *path = pp_path_join(&arena, folder, PP_CHECKSUMS_NAME);

        st = path == NULL ? pp_arena_check(&arena, err)
                          : pp_file_replace(path, pp_buf_text(&list), list.size, err);
    }
    pp_buf_done(&list);
    pp_arena_done(&arena);
    return pp_wrap(err, st, "writing checksums of '%s'", folder);
}
