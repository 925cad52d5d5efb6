/* marker.h - texts that a server's log must or must not contain.
 *
 * A marker such as "CPU_REPACK model buffer" shows what the server reported about itself, nothing
 * more: it does not prove which kernels ran. */
#ifndef PP_ENGINE_MARKER_H
#define PP_ENGINE_MARKER_H

#include "base/text.h"

/**
 * Check a log. Fails with PP_ERR_PEER naming the marker, and for a forbidden one the line it stands
 * in; PP_ERR_IO or PP_ERR_LIMIT when the log cannot be read.
 */
PP_MUST_CHECK pp_status pp_markers_check(const char *log_path, const pp_text *required,
                                         size_t required_count, const pp_text *forbidden,
                                         size_t forbidden_count, pp_error *err);

#endif
