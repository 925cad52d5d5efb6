#include "proc/capture.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/files.h"

/* Output goes through a file in a folder of our own: a program that is stuck or chatty can neither
 * block on a full pipe nor make us block. */
static pp_status run_into(const char *const *argv, const char *const *environment, const char *path,
                          int64_t deadline_ns, pp_child_exit *ret_exit, pp_error *err)
{
    pp_child_options options = {
        .argv = argv, .environment = environment, .stdout_path = path, .stderr_path = path};
    pp_child *child = NULL;
    pp_status st = pp_child_start(&options, &child, err);

    if (st == PP_OK)
        st = pp_child_wait(child, deadline_ns, NULL, ret_exit, err);
    pp_child_free(child);
    return st;
}

pp_status pp_capture(const char *const *argv, const char *const *environment, int64_t deadline_ns,
                     pp_buf *ret_output, pp_child_exit *ret_exit, pp_error *err)
{
    const char *base = getenv("TMPDIR");
    pp_arena arena = {0};
    char *folder = pp_arena_printf(&arena, "%s/paretopilot-XXXXXX", base == NULL ? "/tmp" : base);
    const char *path;
    pp_status st;

    if (folder == NULL || mkdtemp(folder) == NULL) {
        st = pp_fail_errno(err, PP_ERR_IO, errno, "cannot create a temporary folder");
        pp_arena_done(&arena);
        return st;
    }
    path = pp_path_join(&arena, folder, "output");
    st = pp_arena_check(&arena, err);
    if (st == PP_OK)
        st = run_into(argv, environment, path, deadline_ns, ret_exit, err);
    if (st == PP_OK)
        st = pp_file_read(path, ret_output, err);
    if (path != NULL)
        (void)unlink(path); /* absent when the program never started */
    (void)rmdir(folder);    /* a leftover in the temporary folder does no harm */
    pp_arena_done(&arena);
    return st;
}
