/* exchange.h - one request as the wire saw it: who, when, what came back and at which instants.
 *
 * The noun between the load client, which makes exchanges and decodes nothing, and the reader of
 * server streams, which turns an exchange into a sample. All instants are nanoseconds on one
 * monotonic clock, relative to the start of the run. */
#ifndef PP_MODEL_EXCHANGE_H
#define PP_MODEL_EXCHANGE_H

#include "base/buffer.h"
#include "base/maybe.h"
#include "base/text.h"
#include "digest/sha256.h"

/* Why a request failed. Names in documents are fixed; new ones may be added at the end. */
typedef enum pp_failure {
    PP_FAILURE_NONE = 0,
    PP_FAILURE_UNRESOLVED,
    PP_FAILURE_REFUSED,
    PP_FAILURE_CONNECT_TIMEOUT,
    PP_FAILURE_FIRST_BYTE_TIMEOUT,
    PP_FAILURE_IDLE_TIMEOUT,
    PP_FAILURE_TOTAL_TIMEOUT,
    PP_FAILURE_RESET,
    PP_FAILURE_PREMATURE_END, /* closed early, or a stream without any end mark */
    PP_FAILURE_HTTP_STATUS,
    PP_FAILURE_ENCODING,
    PP_FAILURE_TOO_LARGE,
    PP_FAILURE_PROTOCOL, /* not HTTP, or events that are not what the server's format says */
    PP_FAILURE_CANCELLED,
    PP_FAILURE_STREAM_ERROR, /* an error object inside a reply of status 200 */
    PP_FAILURE_NOTHING_GENERATED,
    PP_FAILURE_CUT, /* in flight when the run ended: no fault of the server, no success (F80) */
    PP_FAILURE_COUNT
} pp_failure;

/** "refused", ...; "none" for PP_FAILURE_NONE. */
const char *pp_failure_name(pp_failure failure);
bool pp_failure_find(pp_text name, pp_failure *ret_failure);

typedef enum pp_phase { PP_PHASE_WARMUP, PP_PHASE_MEASURED } pp_phase;

/** "warmup", "measured". */
const char *pp_phase_name(pp_phase phase);
bool pp_phase_find(pp_text name, pp_phase *ret_phase);

/* Which request of a run this is. */
typedef struct pp_request_id {
    pp_text candidate;  /* may be empty: an endpoint that is no candidate */
    int64_t pass;       /* from 1 */
    pp_maybe_int level; /* from 1, where a run has several levels of load */
    pp_phase phase;
    int64_t index; /* from 1 within pass, level and phase */
    pp_text prompt_id;
    char request_sha256[PP_SHA256_HEX_SIZE]; /* of the request body */
} pp_request_id;

/* One read of the socket that brought body bytes. */
typedef struct pp_arrival {
    uint64_t offset; /* of its first byte in the body */
    uint64_t size;
    int64_t at_ns;
    int64_t lag_ns; /* how much later our loop woke for it, >= 0 */
    bool from_kernel;
} pp_arrival;

typedef struct pp_exchange {
    pp_request_id id;
    int64_t asked_tokens;
    int64_t scheduled_ns;
    int64_t started_ns;
    pp_maybe_int connected_ns; /* connection obtained, handshakes included */
    int64_t ended_ns;
    pp_failure failure; /* as far as the transport can tell */
    pp_text failure_text;
    pp_maybe_int http_status;
    pp_text content_type; /* empty when absent */
    bool connection_reused;
    bool clock_was_set; /* the wall clock jumped meanwhile: later stamps are our own */
    pp_bytes body;      /* raw, as far as it came */
    const pp_arrival *arrivals;
    size_t arrival_count;
} pp_exchange;

#endif
