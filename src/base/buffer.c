#include "base/buffer.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail_nth.h"

#define FIRST_CAPACITY ((size_t)256)

void pp_buf_init(pp_buf *buf, size_t max_bytes)
{
    memset(buf, 0, sizeof *buf);
    buf->max_bytes = max_bytes;
}

void pp_buf_done(pp_buf *buf)
{
    if (buf == NULL)
        return;
    free(buf->data);
    memset(buf, 0, sizeof *buf);
}

void pp_buf_clear(pp_buf *buf)
{
    buf->size = 0;
    buf->status = PP_OK;
    if (buf->data != NULL)
        buf->data[0] = '\0';
}

/* Room for `more` bytes and the NUL; false (and the status set) when refused. */
static bool reserve(pp_buf *buf, size_t more)
{
    size_t capacity = buf->capacity;
    char *data;

    if (buf->status != PP_OK)
        return false;
    if (more > buf->max_bytes || buf->size > buf->max_bytes - more) {
        buf->status = PP_ERR_LIMIT;
        return false;
    }
    if (buf->size + more < capacity)
        return true;
    if (capacity == 0)
        capacity = FIRST_CAPACITY;
    while (capacity <= buf->size + more) {
        if (capacity > SIZE_MAX / 2) {
            buf->status = PP_ERR_MEMORY;
            return false;
        }
        capacity *= 2;
    }
    data = pp_fail_nth_realloc(buf->data, capacity);
    if (data == NULL) {
        buf->status = PP_ERR_MEMORY;
        return false;
    }
    buf->data = data;
    buf->capacity = capacity;
    return true;
}

void pp_buf_reserve(pp_buf *buf, size_t size)
{
    size_t capacity = (size < buf->max_bytes ? size : buf->max_bytes) + 1;
    char *data;

    if (buf->status != PP_OK || capacity <= buf->capacity)
        return;
    data = pp_fail_nth_realloc(buf->data, capacity);
    if (data == NULL) {
        buf->status = PP_ERR_MEMORY;
        return;
    }
    memset(data + buf->size, 0, capacity - buf->size);
    buf->data = data;
    buf->capacity = capacity;
}

void pp_buf_append(pp_buf *buf, const void *bytes, size_t size)
{
    if (!reserve(buf, size))
        return;
    if (size > 0)
        memcpy(buf->data + buf->size, bytes, size);
    buf->size += size;
    buf->data[buf->size] = '\0';
}

void pp_buf_append_text(pp_buf *buf, const char *text)
{
    pp_buf_append(buf, text, strlen(text));
}

void pp_buf_append_char(pp_buf *buf, char c)
{
    pp_buf_append(buf, &c, 1);
}

/* Nearly always there is room, so it is tried first; formatting twice costs twice. */
void pp_buf_printf(pp_buf *buf, const char *format, ...)
{
    size_t room = buf->capacity - buf->size;
    char *at = room == 0 ? NULL : buf->data + buf->size;
    va_list args;
    int length;

    va_start(args, format);
    length = vsnprintf(at, room, format, args);
    va_end(args);
    if (length < 0)
        buf->status = PP_ERR_BUG;
    if (length < 0 || !reserve(buf, (size_t)length)) {
        if (at != NULL)
            *at = '\0'; /* as if nothing had been tried */
        return;
    }
    if ((size_t)length >= room) {
        va_start(args, format);
        (void)vsnprintf(buf->data + buf->size, (size_t)length + 1, format, args);
        va_end(args);
    }
    buf->size += (size_t)length;
}

void pp_buf_consume(pp_buf *buf, size_t size)
{
    PP_ASSERT(size <= buf->size);
    if (size == 0)
        return;
    memmove(buf->data, buf->data + size, buf->size - size);
    buf->size -= size;
    buf->data[buf->size] = '\0';
}

char *pp_buf_take(pp_buf *buf)
{
    char *data = buf->data;

    if (data == NULL)
        data = calloc(1, 1);
    buf->data = NULL;
    buf->size = 0;
    buf->capacity = 0;
    return data;
}

const char *pp_buf_text(const pp_buf *buf)
{
    return buf->data == NULL ? "" : buf->data;
}

pp_status pp_buf_check(const pp_buf *buf, const char *what, pp_error *err)
{
    switch (buf->status) {
    case PP_OK:
        return PP_OK;
    case PP_ERR_LIMIT:
        return pp_fail(err, PP_ERR_LIMIT, "%s: larger than the ceiling of %zu bytes", what,
                       buf->max_bytes);
    case PP_ERR_MEMORY:
        return pp_fail(err, PP_ERR_MEMORY, "%s: out of memory at %zu bytes", what, buf->size);
    default:
        return pp_fail(err, PP_ERR_BUG, "%s: buffer in state %s", what,
                       pp_status_name(buf->status));
    }
}
