/* client_use.h - inside load/ only: what the system allows our client, and what client and server
 * use of it. */
#ifndef PP_LOAD_CLIENT_USE_H
#define PP_LOAD_CLIENT_USE_H

#include "base/error.h"
#include "model/load_level.h"

/**
 * Raise the soft limit of open files to the hard one, and see whether so many connections fit
 * (F14).
 *
 * Fails with PP_ERR_LIMIT; the text names the limit, what it is, and what is needed.
 */
PP_MUST_CHECK pp_status pp_client_allow(int64_t connection_count, int64_t worker_count,
                                        pp_error *err);

/** CPU seconds of our process so far. */
double pp_client_cpu_seconds(void);

/* Readings of a server's process around the measured part. */
typedef struct pp_server_meter {
    const char *root; /* of /proc; borrowed */
    int64_t pid;      /* 0 = none */
    int64_t begin_ticks;
} pp_server_meter;

/** Fails with PP_ERR_UNAVAILABLE when there is no such process. */
PP_MUST_CHECK pp_status pp_server_meter_begin(pp_server_meter *meter, const char *root,
                                              pp_maybe_int pid, pp_load_server_use *use,
                                              pp_error *err);

/** A server that is gone leaves what belongs to the end absent. */
void pp_server_meter_end(pp_server_meter *meter, pp_load_server_use *use);

#endif
