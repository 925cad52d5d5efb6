/* sim.h - a simulated llama-server and OpenAI-compatible server whose truth is known.
 *
 * It answers in the dialects of llama-server with declared service times, departs from good
 * behaviour by named faults or a tape, and logs the instant at which each event was handed to the
 * kernel. Everything it says carries the origin `simulated`. One thread serves; a second one writes
 * the log. */
#ifndef PP_SIM_SIM_H
#define PP_SIM_SIM_H

#include <signal.h>

#include "sim/answers.h"
#include "sim/fault.h"
#include "sim/say.h"
#include "sim/service.h"
#include "sim/tape.h"

typedef enum pp_sim_cache {
    PP_SIM_CACHE_COUNT, /* the same number of tokens of each prompt */
    PP_SIM_CACHE_REPEAT /* all tokens but one of a prompt that came before */
} pp_sim_cache;

typedef struct pp_sim_options {
    const char *host;
    uint16_t port;     /* 0: a free one */
    const char *model; /* the name it goes by */
    pp_sim_profile profile;
    int64_t slot_count;    /* 1 to PP_SIM_SLOT_MAX */
    int64_t n_ctx;         /* of a slot */
    int64_t queue_max;     /* requests that may wait */
    int queue_full_status; /* 503 or 429 */
    int64_t answer_tokens; /* where the request names no limit */
    pp_sim_service service;
    pp_sim_cache cache;
    int64_t cached_tokens;         /* PP_SIM_CACHE_COUNT */
    pp_text api_key;               /* empty: none is needed */
    int64_t loading_ns;            /* 503 so long after the start */
    bool is_null;                  /* one constant reply, at once, to everything */
    const pp_sim_answers *answers; /* may be NULL; borrowed, as all that follows */
    pp_sim_fault *faults;          /* their counters are used */
    size_t fault_count;
    const pp_sim_tape *tape; /* may be NULL */
    const char *log_path;    /* may be NULL */
    size_t connection_max_count;
    const volatile sig_atomic_t *stop;
} pp_sim_options;

#define PP_SIM_SLOT_MAX  100000
#define PP_SIM_QUEUE_MAX 1000000

void pp_sim_options_default(pp_sim_options *options);

typedef struct pp_sim pp_sim;

/** Listen; serving begins with pp_sim_run. Fails as pp_http_server_new and pp_sim_truth_open do. */
PP_MUST_CHECK pp_status pp_sim_new(const pp_sim_options *options, pp_sim **ret_sim, pp_error *err);

uint16_t pp_sim_port(const pp_sim *sim);

/** Serve until `stop` is set or the monotonic instant has come (0: no end). */
PP_MUST_CHECK pp_status pp_sim_run(pp_sim *sim, int64_t until_ns, pp_error *err);

typedef struct pp_sim_totals {
    int64_t requests; /* for an answer */
    int64_t open_requests_max;
    int64_t connections, open_connections_max;
    int64_t prompt_tokens, predicted_tokens;
    bool has_log;
    uint64_t log_written, log_dropped; /* records */
} pp_sim_totals;

/** End all connections, finish the log, release. ret_totals may be NULL. Accepts NULL. */
PP_MUST_CHECK pp_status pp_sim_finish(pp_sim *sim, pp_sim_totals *ret_totals, pp_error *err);

#endif
