#include "base/new_folder.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files.h"

#define MAX_ATTEMPTS 100

static bool is_empty_folder(const char *path)
{
    struct stat info;
    const struct dirent *entry;
    bool empty = true;
    DIR *folder;

    if (lstat(path, &info) != 0 || !S_ISDIR(info.st_mode))
        return false;
    folder = opendir(path);
    if (folder == NULL)
        return false;
    while (empty && (entry = readdir(folder)) != NULL)
        empty = strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0;
    (void)closedir(folder);
    return empty;
}

static size_t size_without_slashes(const char *path)
{
    size_t size = strlen(path);

    while (size > 1 && path[size - 1] == '/')
        size--;
    return size;
}

/* The last part can be taken as a name: not "", ".", "..", "/". */
static bool has_name(const char *path, size_t size)
{
    const char *last = path + size;

    while (last > path && last[-1] != '/')
        last--;
    size -= (size_t)(last - path);
    return size > 0 && !(size == 1 && last[0] == '.') &&
           !(size == 2 && last[0] == '.' && last[1] == '.');
}

pp_status pp_new_folder_check(const char *path, pp_error *err)
{
    pp_arena arena = {0};
    size_t size = size_without_slashes(path);
    const char *name = pp_arena_dup(&arena, path, size); /* "link/" would be followed */
    pp_status st = pp_arena_check(&arena, err);

    if (st == PP_OK && !has_name(path, size))
        st = pp_fail(err, PP_ERR_USAGE, "'%s': expected a folder by its name", path);
    else if (st == PP_OK && pp_path_exists(name) && !is_empty_folder(name))
        st =
            pp_fail(err, PP_ERR_EXISTS,
                    "'%s' exists already and is not an empty folder; nothing is overwritten", path);
    pp_arena_done(&arena);
    return st;
}

pp_status pp_new_folder_open(pp_arena *arena, const char *path, pp_new_folder *ret_folder,
                             pp_error *err)
{
    pp_status st = pp_new_folder_check(path, err);
    pp_new_folder folder = {.path = pp_arena_dup(arena, path, size_without_slashes(path))};

    if (st == PP_OK)
        st = pp_arena_check(arena, err);
    for (int attempt = 0; st == PP_OK && attempt < MAX_ATTEMPTS; attempt++) {
        const char *staging =
            pp_arena_printf(arena, "%s.%ld.%d.tmp", folder.path, (long)getpid(), attempt);

        st = pp_arena_check(arena, err);
        if (st != PP_OK || pp_path_exists(staging))
            continue;
        st = pp_folder_create(staging, true, err);
        folder.staging = staging;
        break;
    }
    if (st == PP_OK && folder.staging == NULL)
        st = pp_fail(err, PP_ERR_EXISTS, "no free name beside '%s'", path);
    if (st == PP_OK)
        *ret_folder = folder;
    return st;
}

pp_status pp_new_folder_write(pp_arena *arena, const pp_new_folder *folder, const char *name,
                              const void *bytes, size_t size, pp_error *err)
{
    const char *path = pp_path_join(arena, folder->staging, name);
    const char *parent = path == NULL ? NULL : pp_path_folder(arena, path);
    pp_status st = pp_arena_check(arena, err);

    if (st == PP_OK && !pp_path_is_folder(parent))
        st = pp_folder_create(parent, true, err);
    if (st == PP_OK)
        st = pp_file_write_new(path, bytes, size, err);
    return st;
}

/* rename() replaces an empty folder and nothing else that a folder could replace. */
pp_status pp_new_folder_commit(pp_new_folder *folder, pp_error *err)
{
    pp_status st = PP_OK;

    if (rename(folder->staging, folder->path) == 0)
        folder->staging = NULL;
    else if (errno == ENOTEMPTY || errno == EEXIST || errno == ENOTDIR)
        st = pp_fail(err, PP_ERR_EXISTS, "'%s' has appeared meanwhile; nothing is overwritten",
                     folder->path);
    else
        st = pp_fail_errno(err, PP_ERR_IO, errno, "cannot create folder '%s'", folder->path);
    pp_new_folder_abandon(folder);
    return st;
}

void pp_new_folder_abandon(pp_new_folder *folder)
{
    if (folder->staging != NULL)
        pp_folder_remove(folder->staging);
    folder->staging = NULL;
}
