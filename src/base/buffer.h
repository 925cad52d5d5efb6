/* buffer.h - bytes that grow up to a ceiling.
 *
 * Every growing buffer is born with its ceiling. An append that would pass it is refused whole and
 * the buffer remembers (`status`), so a caller may append many times and check once. */
#ifndef PP_BASE_BUFFER_H
#define PP_BASE_BUFFER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/* Bytes that somebody else owns; may hold NUL. */
typedef struct pp_bytes {
    const unsigned char *data;
    size_t size;
} pp_bytes;

typedef struct pp_buf {
    char *data; /* size bytes, then a NUL that is not counted; NULL while empty */
    size_t size;
    size_t capacity;
    size_t max_bytes;
    pp_status status; /* PP_OK, PP_ERR_LIMIT or PP_ERR_MEMORY; stays set */
} pp_buf;

void pp_buf_init(pp_buf *buf, size_t max_bytes);
void pp_buf_done(pp_buf *buf);

/** Empty it and forget a recorded failure; memory and ceiling stay. */
void pp_buf_clear(pp_buf *buf);

/** Room for `size` bytes in all, and no more than that, before any are there; each page is written
 * to. What does not fit the ceiling is left out. */
void pp_buf_reserve(pp_buf *buf, size_t size);

void pp_buf_append(pp_buf *buf, const void *bytes, size_t size);
void pp_buf_append_text(pp_buf *buf, const char *text);
void pp_buf_append_char(pp_buf *buf, char c);
void pp_buf_printf(pp_buf *buf, const char *format, ...) PP_PRINTF(2, 3);

/** Drop `size` bytes at the front (size <= buf->size). */
void pp_buf_consume(pp_buf *buf, size_t size);

/** Hand the memory over: the caller frees the result with free(); the buffer is empty again.
 * Never NULL unless memory is short. */
char *pp_buf_take(pp_buf *buf);

/** The text so far, NUL-terminated; "" while empty. Valid until the next change. */
const char *pp_buf_text(const pp_buf *buf);

/** Turn the recorded failure into an error that names `what`. */
PP_MUST_CHECK pp_status pp_buf_check(const pp_buf *buf, const char *what, pp_error *err);

#endif
