#include "study/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/files.h"
#include "digest/sha256.h"
#include "evidence/journal_chain.h"

/* The end of a step names every file that it wrote. */
#define LINE_MAX_BYTES ((size_t)64 << 20)

struct pp_journal {
    int fd;
    char *path;
    int64_t began_ns;
    int64_t seq;                       /* of the next line */
    off_t size;                        /* of the whole lines */
    size_t torn_size;                  /* behind them */
    char previous[PP_SHA256_HEX_SIZE]; /* of the line before, line end included; "" at first */
};

/* ---- holding it --------------------------------------------------------------------------------
 * A lock of the open file, not of the process: it ends with the last descriptor of it, and
 * so with the process that opened it, however that one ends. */

static struct flock whole_file(short type)
{
    return (struct flock){.l_type = type, .l_whence = SEEK_SET};
}

static pp_status hold(const pp_journal *journal, pp_error *err)
{
    struct flock lock = whole_file(F_WRLCK);

    if (fcntl(journal->fd, F_OFD_SETLK, &lock) == 0)
        return PP_OK;
    if (errno == EAGAIN || errno == EACCES)
        return pp_fail(err, PP_ERR_DOMAIN, "'%s': another process works on this study",
                       journal->path);
    return pp_fail_errno(err, PP_ERR_IO, errno, "cannot lock '%s'", journal->path);
}

pp_status pp_journal_is_held(const char *path, bool *ret_held, pp_error *err)
{
    struct flock lock = whole_file(F_RDLCK);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    pp_status st = PP_OK;

    if (fd < 0)
        return pp_fail_errno(err, PP_ERR_IO, errno, "cannot open '%s'", path);
    if (fcntl(fd, F_OFD_GETLK, &lock) != 0)
        st = pp_fail_errno(err, PP_ERR_IO, errno, "cannot ask for the lock of '%s'", path);
    else
        *ret_held = lock.l_type != F_UNLCK;
    (void)close(fd); /* only asked */
    return st;
}

static pp_status new_journal(const char *path, int flags, pp_journal **ret_journal, pp_error *err)
{
    pp_journal *journal = calloc(1, sizeof *journal);
    pp_status st = PP_OK;

    if (journal == NULL)
        return pp_fail(err, PP_ERR_MEMORY, "out of memory");
    journal->began_ns = pp_clock_now_ns();
    journal->path = strdup(path);
    journal->fd = journal->path == NULL ? -1 : open(path, flags | O_APPEND | O_CLOEXEC, 0666);
    if (journal->path == NULL)
        st = pp_fail(err, PP_ERR_MEMORY, "out of memory");
    else if (journal->fd < 0)
        st = pp_fail_errno(err, errno == EEXIST ? PP_ERR_EXISTS : PP_ERR_IO, errno,
                           flags & O_CREAT ? "cannot create '%s'" : "cannot open '%s'", path);
    else
        st = hold(journal, err);
    if (st == PP_OK)
        *ret_journal = journal;
    else
        pp_journal_free(journal);
    return st;
}

pp_status pp_journal_create(const char *path, pp_journal **ret_journal, pp_error *err)
{
    return new_journal(path, O_WRONLY | O_CREAT | O_EXCL, ret_journal, err);
}

static pp_status read_whole_lines(pp_journal *journal, pp_buf *bytes, pp_error *err)
{
    pp_journal_chain chain;
    pp_status st = pp_file_read(journal->path, bytes, err);
    size_t whole = st == PP_OK ? pp_journal_whole_size(pp_buf_text(bytes), bytes->size) : 0;

    if (st == PP_OK)
        st = pp_wrap(err, pp_journal_chain_check(pp_buf_text(bytes), whole, &chain, err), "'%s'",
                     journal->path);
    if (st != PP_OK)
        return st;
    journal->seq = (int64_t)chain.line_count;
    journal->size = (off_t)whole;
    journal->torn_size = bytes->size - whole;
    memcpy(journal->previous, chain.last_sha256, sizeof journal->previous);
    return PP_OK;
}

pp_status pp_journal_open(const char *path, pp_buf *ret_bytes, pp_journal **ret_journal,
                          pp_error *err)
{
    pp_journal *journal = NULL;
    pp_status st = new_journal(path, O_RDWR, &journal, err);

    if (st == PP_OK)
        st = read_whole_lines(journal, ret_bytes, err);
    if (st == PP_OK)
        *ret_journal = journal;
    else
        pp_journal_free(journal);
    return st;
}

void pp_journal_free(pp_journal *journal)
{
    if (journal == NULL)
        return;
    if (journal->fd >= 0)
        (void)close(journal->fd); /* every line was synced */
    free(journal->path);
    free(journal);
}

/* ---- writing -----------------------------------------------------------------------------------
 */

/* All of it or nothing: on a full disk a part may have been written. */
static pp_status write_line(pp_journal *journal, pp_buf *line, pp_error *err)
{
    ssize_t written;

    pp_buf_append_char(line, '\n');
    if (pp_buf_check(line, "journal line", err) != PP_OK)
        return line->status;
    do {
        written = write(journal->fd, line->data, line->size);
    } while (written < 0 && errno == EINTR);
    if (written != (ssize_t)line->size || fsync(journal->fd) != 0) {
        int errnum = written >= 0 && written != (ssize_t)line->size ? ENOSPC : errno;

        (void)!ftruncate(journal->fd, journal->size); /* else the next session mends it */
        return pp_fail_errno(err, PP_ERR_IO, errnum, "writing '%s'", journal->path);
    }
    journal->size += written;
    return pp_sha256_of(line->data, line->size, journal->previous, err);
}

pp_status pp_journal_append(pp_journal *journal, pp_arena *arena, const char *event,
                            const pp_json *fields, pp_error *err)
{
    pp_json *object = pp_json_new_object(arena);
    pp_buf line;
    pp_status st;

    if (journal->torn_size > 0)
        return pp_fail(err, PP_ERR_BUG, "journal: appended to before it was mended");
    pp_json_set_int(arena, object, "seq", journal->seq);
    pp_json_set_string(arena, object, "event", event);
    pp_json_set_int(arena, object, "at_ns", pp_clock_now_ns() - journal->began_ns);
    pp_json_set_int(arena, object, "unix_ms", pp_clock_unix_ms());
    pp_json_set_string(arena, object, "previous_sha256",
                       journal->seq == 0 ? NULL : journal->previous);
    for (size_t i = 0; fields != NULL && i < fields->object.count; i++)
        pp_json_set_text_key(arena, object, fields->object.members[i].key,
                             fields->object.members[i].value);
    pp_buf_init(&line, LINE_MAX_BYTES);
    st = pp_json_write(object, PP_JSON_COMPACT, &line, err);
    if (st == PP_OK)
        st = write_line(journal, &line, err);
    if (st == PP_OK)
        journal->seq++;
    pp_buf_done(&line);
    return pp_wrap(err, st, "journal");
}

/* ---- mending -----------------------------------------------------------------------------------
 * The rest of a line goes into a file, is cut off the journal, and a line names the file. Each of
 * the three is found done or undone by whoever comes next. The name has the number of the line that
 * was lost, which is that of the line that says so; where that line was cut off in turn, its rest
 * is the second file of the number. */

static char *torn_path(pp_arena *arena, const pp_journal *journal, int n)
{
    return pp_arena_printf(arena, "%s.torn-%lld-%d", journal->path, (long long)journal->seq, n);
}

static pp_status read_torn(const pp_journal *journal, pp_arena *arena, char **ret_bytes,
                           pp_error *err)
{
    char *bytes = PP_ARENA_NEW(arena, char, journal->torn_size);
    ssize_t got;

    if (bytes == NULL)
        return pp_arena_check(arena, err);
    got = pread(journal->fd, bytes, journal->torn_size, journal->size);
    if (got != (ssize_t)journal->torn_size)
        return pp_fail_errno(err, PP_ERR_IO, got < 0 ? errno : EIO, "reading '%s'", journal->path);
    *ret_bytes = bytes;
    return PP_OK;
}

/* Was put aside before, by a session that got no further. */
static pp_status holds(const char *path, const char *bytes, size_t size, bool *ret_same,
                       pp_error *err)
{
    char found[PP_SHA256_HEX_SIZE];
    char want[PP_SHA256_HEX_SIZE];
    pp_status st = pp_sha256_file(path, found, NULL, err);

    if (st == PP_OK)
        st = pp_sha256_of(bytes, size, want, err);
    *ret_same = st == PP_OK && strcmp(found, want) == 0;
    return st;
}

static pp_status put_aside(pp_journal *journal, pp_arena *arena, pp_error *err)
{
    char *bytes = NULL;
    bool same = false;
    const char *path = NULL;
    pp_status st = read_torn(journal, arena, &bytes, err);

    for (int n = 1; st == PP_OK && !same; n++) {
        path = torn_path(arena, journal, n);
        if (path == NULL)
            return pp_arena_check(arena, err);
        if (!pp_path_exists(path))
            break;
        st = holds(path, bytes, journal->torn_size, &same, err);
    }
    if (st == PP_OK && !same)
        st = pp_file_write_new(path, bytes, journal->torn_size, err);
    if (st == PP_OK && (ftruncate(journal->fd, journal->size) != 0 || fsync(journal->fd) != 0))
        st = pp_fail_errno(err, PP_ERR_IO, errno, "writing '%s'", journal->path);
    if (st == PP_OK)
        journal->torn_size = 0;
    return st;
}

static pp_status describe(pp_arena *arena, pp_json *list, const char *path, pp_error *err)
{
    const char *slash = strrchr(path, '/');
    pp_json *file = pp_json_new_object(arena);
    char hex[PP_SHA256_HEX_SIZE];
    int64_t size = 0;
    pp_status st = pp_sha256_file(path, hex, &size, err);

    pp_json_set_string(arena, file, "path", slash == NULL ? path : slash + 1);
    pp_json_set_string(arena, file, "sha256", hex);
    pp_json_set_int(arena, file, "size_bytes", size);
    pp_json_add(arena, list, file);
    return st;
}

pp_status pp_journal_mend(pp_journal *journal, pp_arena *arena, pp_error *err)
{
    pp_json *fields = pp_json_new_object(arena);
    pp_json *files = pp_json_new_array(arena);
    pp_status st = journal->torn_size > 0 ? put_aside(journal, arena, err) : PP_OK;
    const char *path = torn_path(arena, journal, 1);

    for (int n = 2; st == PP_OK && path != NULL && pp_path_exists(path); n++) {
        st = describe(arena, files, path, err);
        path = torn_path(arena, journal, n);
    }
    if (st == PP_OK)
        st = pp_arena_check(arena, err);
    if (st != PP_OK || files->array.count == 0)
        return st;
    pp_json_set(arena, fields, "files", files);
    return pp_journal_append(journal, arena, "torn", fields, err);
}
