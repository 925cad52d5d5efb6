/* detached.h - a program that goes on when we have ended: a browser that shows a page.
 *
 * The opposite of child.h, whose children never outlive us. It gets a session of its own, and
 * /dev/null for its input and its outputs. */
#ifndef PP_PROC_DETACHED_H
#define PP_PROC_DETACHED_H

#include <stdint.h>

#include "base/error.h"

/**
 * Start it and look at it for a while; afterwards it is left alone.
 *
 * argv      NULL at the end; argv[0] is a path, no search and no shell
 * look_ns   it is watched until it ends, but no longer than that
 *
 * Fails with PP_ERR_IO when it cannot be started, PP_ERR_PEER when it ended in that time with
 * another exit code than 0.
 */
PP_MUST_CHECK pp_status pp_detached_start(const char *const *argv, int64_t look_ns, pp_error *err);

#endif
