#include "base/files.h"

#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define READ_CHUNK_BYTES  ((size_t)65536)
#define MAX_TEMP_ATTEMPTS 100

static pp_status read_all(int fd, const char *path, pp_buf *buf, pp_error *err)
{
    char chunk[READ_CHUNK_BYTES];

    for (;;) {
        ssize_t got = read(fd, chunk, sizeof chunk);

        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return pp_fail_errno(err, PP_ERR_IO, errno, "reading '%s'", path);
        if (got == 0)
            return pp_buf_check(buf, path, err);
        pp_buf_append(buf, chunk, (size_t)got);
        if (buf->status != PP_OK)
            return pp_buf_check(buf, path, err);
    }
}

pp_status pp_file_read(const char *path, pp_buf *buf, pp_error *err)
{
    struct stat info;
    pp_status st;
    int fd = open(path, O_RDONLY | O_CLOEXEC);

    if (fd < 0)
        return pp_fail_errno(err, PP_ERR_IO, errno, "cannot open '%s'", path);
    if (fstat(fd, &info) != 0)
        st = pp_fail_errno(err, PP_ERR_IO, errno, "cannot stat '%s'", path);
    else if (S_ISDIR(info.st_mode))
        st = pp_fail(err, PP_ERR_IO, "cannot read '%s': it is a folder, expected a file", path);
    else
        st = read_all(fd, path, buf, err);
    (void)close(fd); /* only read from */
    return st;
}

bool pp_path_exists(const char *path)
{
    struct stat info;

    return lstat(path, &info) == 0;
}

bool pp_path_is_folder(const char *path)
{
    struct stat info;

    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

static pp_status fail_exists(pp_error *err, const char *path)
{
    return pp_fail(err, PP_ERR_EXISTS, "'%s' exists already; nothing is overwritten", path);
}

static int open_temp(pp_new_file *file)
{
    for (int attempt = 0; attempt < MAX_TEMP_ATTEMPTS; attempt++) {
        size_t room = strlen(file->path) + 64;
        int fd;

        free(file->temp_path);
        file->temp_path = malloc(room);
        if (file->temp_path == NULL)
            return -1;
        (void)snprintf(file->temp_path, room, "%s.%ld.%d.tmp", file->path, (long)getpid(), attempt);
        fd = open(file->temp_path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd >= 0 || errno != EEXIST)
            return fd;
    }
    return -1;
}

pp_status pp_new_file_open(const char *path, pp_new_file *ret_file, pp_error *err)
{
    pp_new_file file = {0};
    int fd;

    if (pp_path_exists(path))
        return fail_exists(err, path);
    file.path = strdup(path);
    if (file.path == NULL)
        return pp_fail(err, PP_ERR_MEMORY, "out of memory");
    fd = open_temp(&file);
    if (fd >= 0)
        file.stream = fdopen(fd, "wb");
    if (file.stream == NULL) {
        pp_status st = pp_fail_errno(err, PP_ERR_IO, errno, "cannot create '%s'", path);

        if (fd >= 0) {
            (void)close(fd);
            (void)unlink(file.temp_path);
        }
        free(file.path);
        free(file.temp_path);
        return st;
    }
    *ret_file = file;
    return PP_OK;
}

void pp_new_file_abandon(pp_new_file *file)
{
    if (file == NULL)
        return;
    if (file->stream != NULL)
        (void)fclose(file->stream); /* the content is thrown away */
    if (file->temp_path != NULL)
        (void)unlink(file->temp_path);
    free(file->path);
    free(file->temp_path);
    memset(file, 0, sizeof *file);
}

/* The entry itself must survive a crash too. Some file systems refuse it: then nothing is lost but
 * that promise. */
static void sync_folder_of(const char *path)
{
    pp_arena arena = {0};
    const char *folder = pp_path_folder(&arena, path);
    int fd = folder == NULL ? -1 : open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (fd >= 0) {
        (void)fsync(fd);
        (void)close(fd);
    }
    pp_arena_done(&arena);
}

static pp_status flush_to_disk(pp_new_file *file, pp_error *err)
{
    FILE *stream = file->stream;
    bool failed = ferror(stream) != 0;
    int errnum = failed ? EIO : 0;

    if (!failed && (fflush(stream) != 0 || fsync(fileno(stream)) != 0)) {
        failed = true;
        errnum = errno;
    }
    file->stream = NULL;
    if (fclose(stream) != 0 && !failed) {
        failed = true;
        errnum = errno;
    }
    if (failed)
        return pp_fail_errno(err, PP_ERR_IO, errnum, "writing '%s'", file->path);
    return PP_OK;
}

/* Give the temporary file its name without replacing. Folders without hard links fall back to a
 * check and a rename. */
static pp_status publish_new(const pp_new_file *file, pp_error *err)
{
    if (link(file->temp_path, file->path) == 0)
        return PP_OK;
    if (errno == EEXIST)
        return fail_exists(err, file->path);
    if (pp_path_exists(file->path))
        return fail_exists(err, file->path);
    if (rename(file->temp_path, file->path) == 0)
        return PP_OK;
    return pp_fail_errno(err, PP_ERR_IO, errno, "cannot create '%s'", file->path);
}

pp_status pp_new_file_commit(pp_new_file *file, pp_error *err)
{
    pp_status st = flush_to_disk(file, err);

    if (st == PP_OK)
        st = publish_new(file, err);
    if (st == PP_OK)
        sync_folder_of(file->path);
    pp_new_file_abandon(file);
    return st;
}

pp_status pp_file_write_new(const char *path, const void *bytes, size_t size, pp_error *err)
{
    pp_new_file file = {0};
    pp_status st = pp_new_file_open(path, &file, err);

    if (st != PP_OK)
        return st;
    (void)fwrite(bytes, 1, size, file.stream); /* ferror is asked at commit */
    return pp_new_file_commit(&file, err);
}

pp_status pp_file_replace(const char *path, const void *bytes, size_t size, pp_error *err)
{
    pp_new_file file = {0};
    pp_status st = PP_OK;
    int fd;

    file.path = strdup(path);
    if (file.path == NULL)
        return pp_fail(err, PP_ERR_MEMORY, "out of memory");
    fd = open_temp(&file);
    file.stream = fd < 0 ? NULL : fdopen(fd, "wb");
    if (file.stream == NULL) {
        st = pp_fail_errno(err, PP_ERR_IO, errno, "cannot create a file beside '%s'", path);
        if (fd >= 0)
            (void)close(fd);
    } else {
        (void)fwrite(bytes, 1, size, file.stream);
        st = flush_to_disk(&file, err);
        if (st == PP_OK && rename(file.temp_path, path) != 0)
            st = pp_fail_errno(err, PP_ERR_IO, errno, "cannot replace '%s'", path);
        if (st == PP_OK)
            sync_folder_of(path);
    }
    pp_new_file_abandon(&file);
    return st;
}

static pp_status create_parents(const char *path, pp_error *err)
{
    char *copy = strdup(path);
    pp_status st = PP_OK;

    if (copy == NULL)
        return pp_fail(err, PP_ERR_MEMORY, "out of memory");
    for (char *slash = strchr(copy + 1, '/'); st == PP_OK && slash != NULL;
         slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (mkdir(copy, 0777) != 0 && errno != EEXIST)
            st = pp_fail_errno(err, PP_ERR_IO, errno, "cannot create folder '%s'", copy);
        *slash = '/';
    }
    free(copy);
    return st;
}

pp_status pp_folder_create(const char *path, bool parents, pp_error *err)
{
    if (path[0] == '\0')
        return pp_fail(err, PP_ERR_IO, "cannot create a folder without a name");
    if (parents) {
        pp_status st = create_parents(path, err);

        if (st != PP_OK)
            return st;
    }
    if (mkdir(path, 0777) == 0)
        return PP_OK;
    if (errno == EEXIST)
        return fail_exists(err, path);
    return pp_fail_errno(err, PP_ERR_IO, errno, "cannot create folder '%s'", path);
}

static int remove_entry(const char *path, const struct stat *info, int kind, struct FTW *where)
{
    (void)info;
    (void)kind;
    (void)where;
    (void)remove(path); /* the rest can still go */
    return 0;
}

void pp_folder_remove(const char *path)
{
    (void)nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

pp_status pp_file_size(const char *path, int64_t *ret_bytes, pp_error *err)
{
    struct stat info;

    if (stat(path, &info) != 0)
        return pp_fail_errno(err, PP_ERR_IO, errno, "cannot open '%s'", path);
    if (!S_ISREG(info.st_mode))
        return pp_fail(err, PP_ERR_IO, "'%s': expected a regular file", path);
    *ret_bytes = (int64_t)info.st_size;
    return PP_OK;
}

char *pp_path_join(pp_arena *arena, const char *folder, const char *name)
{
    size_t length = strlen(folder);

    if (name[0] == '/' || length == 0)
        return pp_arena_dup(arena, name, strlen(name));
    return pp_arena_printf(arena, folder[length - 1] == '/' ? "%s%s" : "%s/%s", folder, name);
}

/* Parts that say nothing are left out. */
static char *without_idle_parts(pp_arena *arena, const char *path)
{
    char *out = pp_arena_alloc(arena, strlen(path) + 2, 1);
    char *end = out;

    if (out == NULL)
        return NULL;
    if (*path == '/')
        *end++ = '/';
    while (*path != '\0') {
        size_t size = strcspn(path, "/");

        if (size > 0 && !(size == 1 && *path == '.')) {
            if (end > out && end[-1] != '/')
                *end++ = '/';
            memcpy(end, path, size);
            end += size;
        }
        path += size + (path[size] == '/');
    }
    if (end == out)
        *end = '.';
    return out;
}

char *pp_path_tidy(pp_arena *arena, const char *path)
{
    char *tidy = without_idle_parts(arena, path);
    size_t size = tidy == NULL ? 0 : strlen(tidy);
    char *shown;

    if (tidy == NULL || pp_utf8_is_valid(tidy, size))
        return tidy;
    shown = pp_arena_alloc(arena, size * 6 + 8, 1); /* a byte becomes at most "\u001b" */
    if (shown != NULL)
        pp_text_escape_controls(tidy, size, shown, size * 6 + 8);
    return shown;
}

char *pp_path_folder(pp_arena *arena, const char *path)
{
    const char *slash = strrchr(path, '/');

    if (slash == NULL)
        return pp_arena_dup(arena, ".", 1);
    return pp_arena_dup(arena, path, slash == path ? 1 : (size_t)(slash - path));
}

/* What of `at` is the folder, as a path or at the front of one; 0 for nothing. */
static size_t folder_at(const char *at, const char *folder, size_t folder_size)
{
    if (strncmp(at, folder, folder_size) != 0 || strchr("/' :,", at[folder_size]) == NULL)
        return 0; /* strchr finds the end of the text, too */
    return at[folder_size] == '/' ? folder_size + 1 : folder_size;
}

const char *pp_text_without_folder(pp_arena *arena, const char *text, const char *folder)
{
    char *shown = pp_arena_alloc(arena, strlen(text) + 1, 1);
    size_t folder_size = strlen(folder);
    size_t size = 0;
    char before = ' ';

    while (folder_size > 1 && folder[folder_size - 1] == '/')
        folder_size--;
    while (shown != NULL && *text != '\0') {
        size_t skipped = strchr(" '", before) == NULL || folder_size == 0
                             ? 0
                             : folder_at(text, folder, folder_size);

        if (skipped == 0)
            shown[size++] = *text++;
        else if (skipped == folder_size)
            shown[size++] = '.';
        text += skipped;
        before = size == 0 ? ' ' : shown[size - 1];
    }
    return shown;
}
