/* port.h - a free TCP port on loopback, and who listens on it. */
#ifndef PP_PROC_PORT_H
#define PP_PROC_PORT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"

/** A port that was free on 127.0.0.1 a moment ago. Another program may take it in between: prove
 * afterwards with pp_port_is_held_by that our process has it. Fails with PP_ERR_IO. */
PP_MUST_CHECK pp_status pp_port_find_free(uint16_t *ret_port, pp_error *err);

/** Does process `pid` hold the IPv4 socket that listens on 127.0.0.1 (or any address) : port? */
bool pp_port_is_held_by(uint16_t port, pid_t pid);

/** The process that holds it; 0 when there is none that we may look into, and for port 0. */
pid_t pp_port_find_holder(uint16_t port);

#endif
