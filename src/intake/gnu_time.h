/* gnu_time.h - what GNU time -v wrote of a program that ran.
 *
 * The text echoes the command line as it was, and that may hold anything: line ends, and lines that
 * look like figures. Nothing before the last line that ends with the closing quote is read as a
 * figure, and what stands behind it must be lines of GNU time, in its order, each at most once. */
#ifndef PP_INTAKE_GNU_TIME_H
#define PP_INTAKE_GNU_TIME_H

#include "base/error.h"
#include "base/maybe.h"

/* A command line has two megabytes at most on Linux; the rest is a page. */
#define PP_GNU_TIME_MAX_BYTES ((size_t)4 << 20)

typedef struct pp_gnu_time {
    int64_t peak_rss_kib; /* 1 or more; GNU time writes "kbytes" and means KiB */
    /* The signal that ended the program: its "Exit status" is 0 then, and the peak is that of a run
     * that broke off. */
    pp_maybe_int signal;
    int64_t exit_status;
} pp_gnu_time;

/** Does a text begin as GNU time -v does? Says nothing about whether it can be read. */
bool pp_gnu_time_is(const char *data, size_t size);

/**
 * Read one whole text of time -v, as -o writes it. Lines may be left out, but not the peak, and
 * not the exit status, which is the last one: a text without it broke off.
 *
 * Fails with PP_ERR_SYNTAX (line, found, expected) for a text that is cut off, translated, of BSD
 * (bytes, not KiB) or BusyBox, or of two programs. Version 1.7 and earlier wrote four times the
 * peak; nothing in the text tells them apart.
 */
PP_MUST_CHECK pp_status pp_gnu_time_parse(const char *data, size_t size, pp_gnu_time *ret_time,
                                          pp_error *err);

#endif
