/* serve_config.h - what `serve` runs: back ends, the models it offers, rules, and every limit.
 *
 * docs/formats/serve-config.md describes the document. What it leaves out has a default, unlike a
 * plan: a gateway is operated, not compared. pp_serve_config_encode writes every default out. No
 * secret stands in it: keys come from variables and files. */
#ifndef PP_MODEL_SERVE_CONFIG_H
#define PP_MODEL_SERVE_CONFIG_H

#include "base/maybe.h"
#include "model/study_plan.h"

#define PP_SERVE_MAX_ENGINES  16
#define PP_SERVE_MAX_FILES    64
#define PP_SERVE_MAX_BACKENDS 64
#define PP_SERVE_MAX_MODELS   64
#define PP_SERVE_MAX_RULES    256
/* Names of models stand in headers, logs and metrics. */
#define PP_SERVE_NAME_MAX     128

/* Of an endpoint that does not say how many requests it takes at once; llama-server tells its
 * slots. */
#define PP_SERVE_ENDPOINT_IN_FLIGHT 4

typedef struct pp_serve_rate {
    bool present;
    double per_second; /* requests; above 0 */
    int64_t burst;     /* 1 or more */
} pp_serve_rate;

typedef enum pp_serve_backend_kind {
    PP_SERVE_STARTED, /* a llama-server that the gateway starts and watches */
    PP_SERVE_ENDPOINT /* a server that runs already */
} pp_serve_backend_kind;

/* Speculation of a started server. */
typedef struct pp_serve_draft {
    bool present;
    bool has_model;    /* false: of the kinds that need none (n-grams, heads of the model itself) */
    size_t file_index; /* into files, where it has a model */
    pp_text type;      /* of --spec-type, one of them, never "none" */
    int64_t n_max; /* tokens per draft; 0: not said, of n-gram kinds, which have other options */
} pp_serve_draft;

typedef struct pp_serve_backend {
    pp_text id; /* unique; a-z, 0-9, '.', '_' and '-' */
    pp_serve_backend_kind kind;
    /* of a started one */
    size_t engine_index; /* into engines */
    size_t file_index;   /* into files */
    pp_settings settings;
    pp_serve_draft draft;
    pp_plan_words extra_arguments;
    /* of an endpoint */
    pp_plan_endpoint endpoint; /* model: the name sent upstream; empty: the client's goes on */
    pp_text api_key_file;      /* empty: none; never beside endpoint.api_key_env */
    /* of both */
    pp_maybe_int max_in_flight; /* 1 to 4096. Absent: the slots of a server that tells them, else
                                   PP_SERVE_ENDPOINT_IN_FLIGHT */
} pp_serve_backend;

/* A model as clients name it. */
typedef struct pp_serve_model {
    pp_text name;            /* unique; no control characters */
    size_t *backend_indices; /* into backends, all different, at least one */
    size_t backend_count;
    bool least_busy; /* false: the first one in order that can */
} pp_serve_model;

/* One rule: all of its conditions must hold. Zeroed conditions ask nothing. route/rules.h judges
 * it. */
typedef struct pp_route_rule_row {
    pp_text name;                /* unique; a-z, 0-9, '.', '_' and '-' */
    pp_text model;               /* the name that the request asks for; empty: any, none too */
    pp_text endpoint;            /* "chat" or "text"; empty: both */
    pp_maybe_int min_body_bytes; /* bodies of at least this size */
    pp_maybe_int max_body_bytes; /* bodies below this size; above min_body_bytes */
    pp_maybe_bool has_tools;
    pp_maybe_bool stream;
    pp_text header_name; /* empty: any headers */
    pp_text header_value;
    size_t model_index; /* into models: where it sends the request */
} pp_route_rule_row;

typedef struct pp_serve_config {
    pp_text host;
    uint16_t port;           /* 0: a free one */
    bool open;               /* everybody who reaches the port may ask, wherever it listens */
    pp_plan_engine *engines; /* paths relative to the configuration's folder; no bench */
    size_t engine_count;
    pp_plan_model *files; /* sha256 empty, size_bytes 0: not said, so not checked */
    size_t file_count;
    pp_serve_backend *backends;
    size_t backend_count;
    pp_serve_model *models; /* the first one answers requests without a model */
    size_t model_count;
    pp_route_rule_row *rules; /* the first one that holds wins */
    size_t rule_count;
    /* queue, for each served model */
    int64_t queue_max_waiting; /* 0: none waits */
    int64_t queue_max_wait_ms;
    int queue_full_status; /* 429 or 503 */
    /* timers; docs/method/gateway.md */
    int64_t connect_ms, first_byte_ms, between_bytes_ms, total_ms;
    int64_t hold_ms, keep_alive_comment_ms, drain_ms, client_send_ms;
    int64_t breaker_failures, breaker_window_ms, breaker_open_ms, breaker_probes;
    int64_t body_max_bytes, head_max_bytes, connections, stream_buffer_bytes;
    pp_text keys_file; /* empty: no keys, everybody may ask */
    pp_serve_rate rate_per_key, rate_per_address;
    pp_text *trusted_proxies; /* numeric addresses whose X-Forwarded-For counts */
    size_t trusted_proxy_count;
    pp_text *cors_origins; /* as browsers send them */
    size_t cors_origin_count;
    pp_text access_log; /* empty: none */
    int64_t log_max_bytes_per_minute;
    int64_t start_timeout_ms, backoff_min_ms, backoff_max_ms;
} pp_serve_config;

/**
 * Check and decode. Strings stay in the arena of the document, arrays go to `arena`.
 *
 * Fails with PP_ERR_SCHEMA ($.path, found, expected): unknown members and ids, two of one name, a
 * model without back ends, a back end that no model uses, a rule that names no model or can never
 * hold, speculation without a type (E20, G38), a secret, ranges, timers that contradict one
 * another, and an open gateway on an address that others reach.
 */
PP_MUST_CHECK pp_status pp_serve_config_decode(pp_arena *arena, const pp_json *root,
                                               pp_serve_config *ret_config, pp_error *err);

/** Read and decode a file. */
PP_MUST_CHECK pp_status pp_serve_config_load(pp_arena *arena, const char *path,
                                             pp_serve_config *ret_config, pp_error *err);

/** The whole document with every default written out; decodes to the same configuration. */
pp_json *pp_serve_config_encode(pp_arena *arena, const pp_serve_config *config);

/** The rule that was tested first takes every request that the second would: the second can never
 * hold. */
bool pp_route_rule_covers(const pp_route_rule_row *first, const pp_route_rule_row *second);

#endif
