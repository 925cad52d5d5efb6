/* files.h - whole files in, whole files out.
 *
 * Nothing is ever overwritten: a file appears complete under its name or not at all (write to a
 * temporary name in the same folder, fsync, publish without replacing). */
#ifndef PP_BASE_FILES_H
#define PP_BASE_FILES_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/buffer.h"

/** Read a regular file into `buf` (initialised by the caller; its ceiling is the limit).
 * Fails with PP_ERR_IO or PP_ERR_LIMIT; the text names the path. */
PP_MUST_CHECK pp_status pp_file_read(const char *path, pp_buf *buf, pp_error *err);

/** Write a new file: temporary name, fsync, publish. Fails with PP_ERR_EXISTS when `path` is taken,
 * PP_ERR_IO otherwise; nothing is left behind. Mode 0666 less the umask. */
PP_MUST_CHECK pp_status pp_file_write_new(const char *path, const void *bytes, size_t size,
                                          pp_error *err);

/** As pp_file_write_new, but replaces an existing file at once (rename). For our own records that
 * change state, such as status.json. */
PP_MUST_CHECK pp_status pp_file_replace(const char *path, const void *bytes, size_t size,
                                        pp_error *err);

/* A new file that is written piece by piece and appears under its name only when committed. */
typedef struct pp_new_file {
    FILE *stream;    /* write here; errors are found at commit */
    char *path;      /* owned */
    char *temp_path; /* owned */
} pp_new_file;

/** Fails with PP_ERR_EXISTS when `path` is taken. The caller ends it by commit or abandon. */
PP_MUST_CHECK pp_status pp_new_file_open(const char *path, pp_new_file *ret_file, pp_error *err);

/** fsync and publish under the final name, never replacing. The handle is ended in any case. */
PP_MUST_CHECK pp_status pp_new_file_commit(pp_new_file *file, pp_error *err);

/** Remove the temporary file; for ended or zeroed handles nothing happens. */
void pp_new_file_abandon(pp_new_file *file);

bool pp_path_exists(const char *path); /* a dangling link counts as existing */
bool pp_path_is_folder(const char *path);

/** Create one folder (parents too when `parents`). An existing final folder is PP_ERR_EXISTS. */
PP_MUST_CHECK pp_status pp_folder_create(const char *path, bool parents, pp_error *err);

/** Remove a folder of ours with everything in it; links are removed, not followed. What cannot be
 * removed stays. */
void pp_folder_remove(const char *path);

/** Size in bytes of a regular file. */
PP_MUST_CHECK pp_status pp_file_size(const char *path, int64_t *ret_bytes, pp_error *err);

/** "a/b" for ("a", "b"); "b" when b is absolute or a is empty. NULL when memory is short. */
char *pp_path_join(pp_arena *arena, const char *folder, const char *name);

/**
 * A path as documents repeat it: without repeated '/', "." parts and a '/' at the end; ".." stays,
 * and so does the first '/'. Bytes that are not UTF-8 are shown as \xNN. NULL when memory is short.
 */
char *pp_path_tidy(pp_arena *arena, const char *path);

/** The folder part of a path: "a" for "a/b", "." for "b", "/" for "/b". */
char *pp_path_folder(pp_arena *arena, const char *path);

/** A message about files below `folder`, for people who have them elsewhere: "a/b" for FOLDER/a/b,
 * "." for the folder itself, where a word or a quotation begins. NULL when memory is short. */
const char *pp_text_without_folder(pp_arena *arena, const char *text, const char *folder);

#endif
