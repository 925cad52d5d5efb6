#include "engine/marker.h"

#include <string.h>

#include "base/buffer.h"
#include "base/files.h"

/* Logs at the verbosity we ask for have tens of KiB; a server that writes this much is in trouble.
 */
#define LOG_MAX_BYTES ((size_t)64 << 20)

static const char *find(const pp_buf *log, pp_text marker)
{
    return log->size == 0 ? NULL : memmem(log->data, log->size, marker.data, marker.size);
}

static pp_status fail_forbidden(const pp_buf *log, const char *found, pp_text marker,
                                const char *path, pp_error *err)
{
    const char *line = found;
    const char *end = memchr(found, '\n', (size_t)(log->data + log->size - found));

    while (line > log->data && line[-1] != '\n')
        line--;
    if (end == NULL)
        end = log->data + log->size;
    return pp_fail(err, PP_ERR_PEER, "'%s': the forbidden marker '%s' stands in the line: %.*s",
                   path, marker.data, (int)(end - line), line);
}

pp_status pp_markers_check(const char *log_path, const pp_text *required, size_t required_count,
                           const pp_text *forbidden, size_t forbidden_count, pp_error *err)
{
    pp_buf log;
    pp_status st;

    if (required_count == 0 && forbidden_count == 0)
        return PP_OK;
    pp_buf_init(&log, LOG_MAX_BYTES);
    st = pp_file_read(log_path, &log, err);
    for (size_t i = 0; st == PP_OK && i < required_count; i++) {
        if (find(&log, required[i]) == NULL)
            st = pp_fail(err, PP_ERR_PEER, "'%s': the required marker '%s' is absent", log_path,
                         required[i].data);
    }
    for (size_t i = 0; st == PP_OK && i < forbidden_count; i++) {
        const char *found = find(&log, forbidden[i]);

        if (found != NULL)
            st = fail_forbidden(&log, found, forbidden[i], log_path, err);
    }
    pp_buf_done(&log);
    return st;
}
