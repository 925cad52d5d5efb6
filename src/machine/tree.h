/* tree.h - reading the small files below a root folder that is "/" or a recorded tree.
 *
 * A file that is absent, unreadable or no regular file reads as absent: the callers turn that into
 * an absent fact. Larger files are cut at the buffer; their beginning is what is wanted. */
#ifndef PP_MACHINE_TREE_H
#define PP_MACHINE_TREE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/maybe.h"
#include "machine/scan.h"

#define PP_TREE_PATH_MAX 1024

/** Is this the running machine itself, and not a recorded tree? */
bool pp_tree_is_live(const char *root);

/** "<root>/<formatted>" into `out`; false when it does not fit. */
bool pp_tree_path(char out[PP_TREE_PATH_MAX], const char *root, const char *format, ...)
    PP_PRINTF(3, 4);

/** Descriptor for reading, or -1. Never blocks on a pipe or a device: those read as absent. */
int pp_tree_open(const char *path);

/** From the start of the open file into `buf`; what was got, or an empty text. */
pp_scan pp_tree_pread(int fd, char *buf, size_t capacity);

/** Whole (or the front of the) file; false when absent. `buf` must outlive ret_text. */
bool pp_tree_read(const char *path, char *buf, size_t capacity, pp_scan *ret_text);

/* The same for one value below `root`. */
bool pp_tree_exists(const char *root, const char *relative);
pp_maybe_int pp_tree_int(const char *root, const char *relative);
/** First line; "" when absent. */
void pp_tree_text(const char *root, const char *relative, char *out, size_t out_size);

#endif
