/* scan.h - walking the small texts of /proc and /sys: lines, words, integers.
 *
 * Works on any bytes. Integers are decimal int64 (F66); one that does not fit is not an integer. */
#ifndef PP_MACHINE_SCAN_H
#define PP_MACHINE_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/maybe.h"

typedef struct pp_scan {
    const char *at;
    const char *end;
} pp_scan;

pp_scan pp_scan_of(const char *text, size_t size);

/** Take the next line, without its newline; false at the end. */
bool pp_scan_line(pp_scan *scan, pp_scan *ret_line);

/** Take the next run of bytes that are no blanks; false when there is none. */
bool pp_scan_word(pp_scan *scan, pp_scan *ret_word);

/** Take the next word as an integer; false (nothing taken) when it is something else. */
bool pp_scan_int(pp_scan *scan, int64_t *ret_value);

/** As pp_scan_int for "0x41" and "41" alike, base 16. */
bool pp_scan_hex(pp_scan *scan, int64_t *ret_value);

bool pp_scan_is(pp_scan scan, const char *text);
bool pp_scan_starts(pp_scan scan, const char *prefix);
bool pp_scan_contains(pp_scan scan, const char *needle);

/** The value of the first line "key : value", "key: value", "key value" or "key=value". */
bool pp_scan_key(pp_scan text, const char *key, pp_scan *ret_value);

/** The bytes of the first line "key: NUMBER kB"; absent when it is anything else, or too large. */
pp_maybe_int pp_scan_kib(pp_scan text, const char *key);

/** Copy without surrounding blanks and quotes, control characters escaped; out_size >= 4. */
void pp_scan_copy(pp_scan scan, char *out, size_t out_size);

/** How many numbers a list such as "0-3,8" names; false when it is malformed or empty. */
bool pp_scan_list_count(pp_scan list, int64_t *ret_count);

/** Numbers of a list one after the other: *number starts at -1; false behind the last. */
bool pp_scan_list_next(pp_scan list, int64_t *number);

#endif
