/* capture.h - run a program to its end and keep what it says. */
#ifndef PP_PROC_CAPTURE_H
#define PP_PROC_CAPTURE_H

#include "base/buffer.h"
#include "proc/child.h"

/**
 * Run `argv` (NULL at the end) with standard output and error in one stream.
 *
 * environment   as in pp_child_options; NULL: ours
 * deadline_ns   monotonic; the program is killed then
 * ret_output    initialised by the caller; its ceiling bounds what is kept
 *
 * Fails with PP_ERR_IO (cannot start), PP_ERR_TIMEOUT, PP_ERR_LIMIT. How it ended is a result.
 */
PP_MUST_CHECK pp_status pp_capture(const char *const *argv, const char *const *environment,
                                   int64_t deadline_ns, pp_buf *ret_output, pp_child_exit *ret_exit,
                                   pp_error *err);

#endif
