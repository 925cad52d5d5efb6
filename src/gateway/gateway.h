/* gateway.h - takes requests of clients to back ends and their replies back, event by event.
 *
 * Routes: POST /v1/chat/completions and /v1/completions are relayed; GET /v1/models, /health and
 * /metrics are answered here and never wait behind a model (G29); OPTIONS anywhere is for browsers.
 * docs/cli/serve.md says what clients see, docs/method/gateway.md which timer does what.
 *
 * One thread runs all of it: requests come from net/http_server, go out by net/http_client, and
 * nothing in between blocks. Not thread-safe but for pp_gateway_wake. It reads no file, knows no
 * environment, and prints nothing. */
#ifndef PP_GATEWAY_GATEWAY_H
#define PP_GATEWAY_GATEWAY_H

#include <signal.h>

#include "base/error.h"
#include "gateway/access_log.h"
#include "gateway/backend_status.h"
#include "gateway/key_ring.h"
#include "model/serve_config.h"

typedef struct pp_gateway pp_gateway;

typedef struct pp_gateway_options {
    const pp_serve_config *config; /* borrowed as long as the gateway lives, as all others here */
    const pp_key_ring *keys;       /* NULL: everybody may ask */
    const pp_text *backend_keys;   /* for each back end; empty: it wants none */
    pp_access_log *log;            /* NULL: none is kept */
    /** What is known of a started back end now; thread-safe (supervisor.h). NULL when the
     * configuration starts none. */
    void (*backend_status)(void *user, size_t backend_index, pp_backend_status *ret_status);
    void *backend_user;
    const volatile sig_atomic_t *stop;       /* drain, then end */
    const volatile sig_atomic_t *stop_now;   /* end without waiting for anybody; may be NULL */
    const volatile sig_atomic_t *reopen_log; /* counts; may be NULL */
} pp_gateway_options;

/** Listen. Fails with PP_ERR_IO (address in use ...), PP_ERR_MEMORY. */
PP_MUST_CHECK pp_status pp_gateway_new(const pp_gateway_options *options, pp_gateway **ret_gateway,
                                       pp_error *err);

/** The port it listens on. */
uint16_t pp_gateway_port(const pp_gateway *gateway);

/**
 * Serve until `stop`, or until_ns (monotonic; 0 = no end). Then nothing new is accepted, requests
 * that wait or run go on for at most drain_ms, and those still there are told that they were cut.
 * Fails with PP_ERR_IO only when the system refuses to wait.
 */
PP_MUST_CHECK pp_status pp_gateway_run(pp_gateway *gateway, int64_t until_ns, pp_error *err);

/** Something about a started back end changed: look now. Safe in other threads. */
void pp_gateway_wake(pp_gateway *gateway);

typedef struct pp_gateway_totals {
    uint64_t requests;
    uint64_t client_gone;
    uint64_t cut; /* by the end of draining */
} pp_gateway_totals;

pp_gateway_totals pp_gateway_totals_of(const pp_gateway *gateway);

/** Ends what is under way. Accepts NULL. */
void pp_gateway_free(pp_gateway *gateway);

#endif
