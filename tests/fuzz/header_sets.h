/* header_sets.h - headers from the bytes of a fuzzer: a line each, name and value parted by the
 * first ':', nothing checked. */
#ifndef PP_TESTS_FUZZ_HEADER_SETS_H
#define PP_TESTS_FUZZ_HEADER_SETS_H

#include <stdint.h>
#include <string.h>

#include "net/http_request.h"

#define HEADER_SET_MAX ((size_t)100)

typedef struct header_set {
    pp_http_header headers[HEADER_SET_MAX];
    size_t count;
} header_set;

static inline void header_set_add(header_set *set, const char *line, size_t size)
{
    const char *colon = memchr(line, ':', size);
    const size_t name = colon == NULL ? size : (size_t)(colon - line);
    const size_t value = name < size ? name + 1 : size;

    set->headers[set->count++] = (pp_http_header){{line, name}, {line + value, size - value}};
}

static inline void header_set_read(header_set *set, const uint8_t *data, size_t size)
{
    const char *at = (const char *)data;

    set->count = 0;
    while (size > 0 && set->count < HEADER_SET_MAX) {
        const char *end = memchr(at, '\n', size);
        const size_t line = end == NULL ? size : (size_t)(end - at);
        const size_t used = end == NULL ? size : line + 1;

        header_set_add(set, at, line);
        at += used;
        size -= used;
    }
}

#endif
