/* server_url.h - the address that requests went to, and whether a server that was told to listen
 * elsewhere can have answered. Pure. */
#ifndef PP_CAPACITY_SERVER_URL_H
#define PP_CAPACITY_SERVER_URL_H

#include "model/load_evaluation.h"

/**
 * An address as it is written down: scheme, host in lower case (IPv6 in brackets), port without
 * leading zeros, nothing else. The text lives in `arena`.
 * Fails with PP_ERR_DOMAIN when it is no http or https address with a port, or has a user, a path
 * other than "/", a query or a fragment; when its port is not that of the server; when its host is
 * neither the server's nor one that reaches it on the same machine.
 */
PP_MUST_CHECK pp_status pp_server_url_normalise(pp_arena *arena, pp_text url,
                                                const pp_server_side *server, pp_text *ret_url,
                                                pp_error *err);

#endif
