#include "study/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "digest/sha256.h"

#define LINE_MAX_BYTES ((size_t)1 << 20)

struct pp_journal {
    FILE *stream;
    char *path;
    int64_t began_ns;
    int64_t seq;
    char previous[PP_SHA256_HEX_SIZE]; /* of the line before, line end included; "" at first */
};

pp_status pp_journal_create(const char *path, pp_journal **ret_journal, pp_error *err)
{
    pp_journal *journal = calloc(1, sizeof *journal);
    int fd;

    if (journal == NULL)
        return pp_fail(err, PP_ERR_MEMORY, "out of memory");
    journal->path = strdup(path);
    journal->began_ns = pp_clock_now_ns();
    fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd >= 0)
        journal->stream = fdopen(fd, "wb");
    if (journal->stream == NULL || journal->path == NULL) {
        pp_status st = pp_fail_errno(err, errno == EEXIST ? PP_ERR_EXISTS : PP_ERR_IO, errno,
                                     "cannot create '%s'", path);

        if (fd >= 0 && journal->stream == NULL)
            (void)close(fd);
        pp_journal_free(journal);
        return st;
    }
    *ret_journal = journal;
    return PP_OK;
}

static pp_status write_line(pp_journal *journal, pp_buf *line, pp_error *err)
{
    pp_status st;

    pp_buf_append_char(line, '\n');
    st = pp_buf_check(line, "journal line", err);
    if (st != PP_OK)
        return st;
    if (fwrite(line->data, 1, line->size, journal->stream) != line->size ||
        fflush(journal->stream) != 0 || fsync(fileno(journal->stream)) != 0)
        return pp_fail_errno(err, PP_ERR_IO, errno, "writing '%s'", journal->path);
    return pp_sha256_of(line->data, line->size, journal->previous, err);
}

pp_status pp_journal_append(pp_journal *journal, pp_arena *arena, const char *event,
                            const pp_json *fields, pp_error *err)
{
    pp_json *object = pp_json_new_object(arena);
    pp_buf line;
    pp_status st;

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

void pp_journal_free(pp_journal *journal)
{
    if (journal == NULL)
        return;
    if (journal->stream != NULL)
        (void)fclose(journal->stream); /* every line was synced */
    free(journal->path);
    free(journal);
}
