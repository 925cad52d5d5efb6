/* What `serve` runs. */
#include "model/field_rows.h"
#include "model/serve_config.h"
#include "model/tables.h"

#define MS(low, high) INT(low, high), UNIT("ms")
#define HOUR_MS       3600000
#define DAY_MS        86400000

/* ---- engines and files ------------------------------------------------------------------------
 */

static const pp_field engine_rows[] = {
    MEMBER("id", "unique", FILE_ID),
    OPTION("path",
           "folder of the programs, relative to the configuration's; null: found on this machine, "
           "or given by `--llama-dir`",
           "null", PATH, OR_NULL),
    OPTION("server", "the server within that folder", "\"llama-server\"", PATH),
    OPTION("environment",
           "variables the server is started with; never a secret; `LLAMA_ARG_*` is refused", "{}",
           MAP(pp_type_text)),
};
static const pp_fields engine_fields =
    FIELDS("serve-engine", "one build of llama.cpp", engine_rows);
static const pp_field_type engine_type = {OBJECT(engine_fields)};

static const pp_field file_rows[] = {
    MEMBER("id", "unique", FILE_ID),
    MEMBER("path", "relative to the configuration's folder or to `--model-dir`", PATH),
    OPTION("sha256", "of the file; null: not checked", "null", SHA256, OR_NULL),
    OPTION("size_bytes", "of the file; null: not checked", "null", INT(1, INT64_MAX), OR_NULL),
};
static const pp_fields file_fields = FIELDS("serve-file", "one model file", file_rows);
static const pp_field_type file_type = {OBJECT(file_fields)};

/* ---- back ends --------------------------------------------------------------------------------
 */

const char *const pp_words_draft_type[] = {
    "draft-simple", "draft-eagle3", "draft-mtp",   "draft-dflash",
    "draft-dspark", "ngram-simple", "ngram-map-k", "ngram-map-k4v",
    "ngram-mod",    "ngram-cache",  NULL};
static const pp_field draft_rows[] = {
    MEMBER("type",
           "of speculation; `--spec-type`. A draft model without it is loaded and does nothing",
           WORDS(pp_words_draft_type)),
    OPTION("model",
           "id of one of `files`; null for the `ngram-` types, and where the model drafts "
           "for itself (`draft-mtp`)",
           "null", FILLED, OR_NULL),
    OPTION("n_max", "tokens drafted at once; `--spec-draft-n-max`; not of the `ngram-` types", "3",
           INT(1, 64), UNIT("tokens")),
};
static const pp_fields draft_fields =
    FIELDS("serve-draft", "how a started server speculates", draft_rows);

static const pp_field start_rows[] = {
    MEMBER("engine", "id of one of `engines`", FILLED),
    MEMBER("model", "id of one of `files`", FILLED),
    MEMBER("settings", "how llama-server runs it; nothing is left to its defaults",
           OBJECT(pp_settings_fields)),
    OPTION("draft", "speculation; null: none", "null", OBJECT(draft_fields), OR_NULL),
    OPTION("extra_arguments",
           "words at the end of the command line; none that a setting or `draft` stands for", "[]",
           LIST(pp_type_filled), ITEMS(0, PP_STUDY_MAX_WORDS)),
};
static const pp_fields start_fields =
    FIELDS("serve-start", "a llama-server that is started, watched and started again", start_rows);

static const char *const server_words[] = {"openai", "llama-server", "vllm", NULL};
static const pp_field backend_rows[] = {
    MEMBER("id", "unique; in logs and metrics", FILE_ID),
    OPTION("start", "a server to start; this or `url`", NULL, OBJECT(start_fields)),
    OPTION("url", "address of a server that runs already, without a key; this or `start`", NULL,
           FILLED),
    OPTION("server", "with `url`: what kind of server it is", "\"openai\"", WORDS(server_words)),
    OPTION("model", "with `url`: the name that is sent there; null: the client's goes on", "null",
           FILLED, OR_NULL),
    OPTION("api_key_env", "with `url`: name of the variable that holds its key; null: none", "null",
           FILLED, OR_NULL),
    OPTION("api_key_file",
           "with `url`: file that holds its key and nothing else, relative to the configuration's "
           "folder; null: none",
           "null", PATH, OR_NULL),
    OPTION("max_in_flight",
           "requests that it gets at once; null: its slots where it tells them, else 4", "null",
           INT(1, 4096), OR_NULL),
};
static const pp_fields backend_fields =
    FIELDS("serve-backend", "a server that answers", backend_rows);
static const pp_field_type backend_type = {OBJECT(backend_fields)};

/* ---- models and rules -------------------------------------------------------------------------
 */

static const char *const choose_words[] = {"order", "least-busy", NULL};
static const pp_field model_rows[] = {
    MEMBER("name", "what clients ask for; unique", FILLED, MAX_CHARACTERS(PP_SERVE_NAME_MAX)),
    MEMBER("backends", "ids of `backends`, all different", LIST(pp_type_filled),
           ITEMS(1, PP_SERVE_MAX_BACKENDS)),
    OPTION("choose",
           "`order`: the first one that can; `least-busy`: the one with the smallest share of its "
           "requests under way",
           "\"order\"", WORDS(choose_words)),
};
static const pp_fields model_fields =
    FIELDS("serve-model", "a model as clients name it", model_rows);
static const pp_field_type model_type = {OBJECT(model_fields)};

static const pp_field header_rows[] = {
    MEMBER("name", "of the header, in any case; none that carries a secret", FILLED,
           MAX_CHARACTERS(64)),
    MEMBER("value", "all of it, case counts", FILLED, MAX_CHARACTERS(256)),
};
static const pp_fields header_fields =
    FIELDS("serve-rule-header", "a header that a request must carry", header_rows);

static const char *const endpoint_words[] = {"chat", "text", NULL};
static const pp_field when_rows[] = {
    OPTION("model", "the name that the request asks for; it need not be one of `models`", "null",
           FILLED, OR_NULL, MAX_CHARACTERS(PP_SERVE_NAME_MAX)),
    OPTION("endpoint", "`chat`: /v1/chat/completions; `text`: /v1/completions", "null",
           WORDS(endpoint_words), OR_NULL),
    OPTION("min_body_bytes", "the body has at least this size", "null", INT(0, 1073741824),
           OR_NULL),
    OPTION("max_body_bytes", "the body is smaller than this; above `min_body_bytes`", "null",
           INT(1, 1073741824), OR_NULL),
    OPTION("has_tools", "whether it offers tools", "null", BOOL, OR_NULL),
    OPTION("stream", "whether it asks for a stream", "null", BOOL, OR_NULL),
    OPTION("header", "a header that it carries", "null", OBJECT(header_fields), OR_NULL),
};
static const pp_fields when_fields =
    FIELDS("serve-when", "what must hold, all of it; null asks nothing", when_rows);

static const pp_field rule_rows[] = {
    MEMBER("name", "unique; in the trace of a request", FILE_ID),
    MEMBER("when", "what must hold; `{}` is every request", OBJECT(when_fields)),
    MEMBER("use", "name of one of `models`", FILLED, MAX_CHARACTERS(PP_SERVE_NAME_MAX)),
};
static const pp_fields rule_fields =
    FIELDS("serve-rule", "where requests of a kind go; the first rule that holds wins", rule_rows);
static const pp_field_type rule_type = {OBJECT(rule_fields)};

/* ---- limits -----------------------------------------------------------------------------------
 */

static const pp_field listen_rows[] = {
    OPTION("host", "address to listen on", "\"127.0.0.1\"", FILLED, MAX_CHARACTERS(253)),
    OPTION("port", "0: a free one, which is printed", "8080", INT(0, 65535)),
    OPTION("open",
           "true: everybody who reaches the port may ask; needed where others reach it and there "
           "are no keys",
           "false", BOOL),
};
static const pp_fields listen_fields = FIELDS("serve-listen", "where clients come in", listen_rows);

static const pp_field queue_rows[] = {
    OPTION("max_waiting", "requests that wait for a back end; one more is refused", "64",
           INT(0, 100000), UNIT("requests")),
    OPTION("max_wait_ms", "how long one waits; below `timeouts_ms.total`", "30000", INT(1, DAY_MS)),
    OPTION("full_status", "what a refused one gets: 429 or 503", "429", INT(429, 503)),
};
const pp_fields pp_serve_queue_fields =
    FIELDS("serve-queue", "the waiting line of each model", queue_rows);

static const pp_field timeout_rows[] = {
    OPTION("connect", "until a back end has accepted the connection; below `first_byte`", "2000",
           MS(1, 600000)),
    OPTION("first_byte",
           "from the start of an attempt, connecting included, to the first byte of its reply; "
           "below `total`",
           "600000", MS(1, DAY_MS)),
    OPTION("between_bytes", "silence within a reply; below `total`", "120000", MS(1, DAY_MS)),
    OPTION("total", "from the arrival of a request to the last byte of its reply, waiting included",
           "3600000", MS(1, DAY_MS)),
    OPTION("hold",
           "a stream's status is held back this long for a first event that is no error; then it "
           "is 200, and comments keep the connection alive",
           "10000", MS(1, DAY_MS)),
    OPTION("keep_alive_comment", "silence towards the client before a comment is sent", "15000",
           MS(10, HOUR_MS)),
    OPTION("drain", "how long running replies may take after a signal to stop", "30000",
           MS(0, HOUR_MS)),
    OPTION("client_send", "how long a client may take no byte of a reply", "60000",
           MS(10, HOUR_MS)),
};
const pp_fields pp_serve_timeout_fields =
    FIELDS("serve-timeouts", "timers, each with an error code of its own", timeout_rows);

static const pp_field breaker_rows[] = {
    OPTION("failures", "failures within `window_ms` that take a back end out", "5", INT(1, 64)),
    OPTION("window_ms", "how long a failure counts", "10000", INT(1, HOUR_MS)),
    OPTION("open_ms", "how long it stays out at first; doubled up to 16 times", "5000",
           INT(1, HOUR_MS)),
    OPTION("probes", "requests at once that then try it", "1", INT(1, 100), UNIT("requests")),
};
const pp_fields pp_serve_breaker_fields =
    FIELDS("serve-breaker", "when a back end that fails is left alone", breaker_rows);

static const pp_field limit_rows[] = {
    OPTION("body_max_bytes", "body of a request; larger: 413", "16777216", INT(1024, 1073741824)),
    OPTION("head_max_bytes", "head of a request; larger: 431", "32768", INT(1024, 1048576)),
    OPTION("connections", "clients at once; one more: 503", "1024", INT(1, 65536)),
    OPTION("stream_buffer_bytes",
           "of a reply, waiting for a slow client; then the back end is read no further", "1048576",
           INT(4096, 268435456)),
};
const pp_fields pp_serve_limit_fields =
    FIELDS("serve-limits", "what is refused or held back", limit_rows);

static const pp_field_type backoff_item = {INT(1, HOUR_MS)};
static const pp_field supervise_rows[] = {
    OPTION("start_timeout_ms", "from the start of a server until it is ready", "120000",
           INT(100, HOUR_MS)),
    OPTION("backoff_ms",
           "pause before a server that ended is started again: the first, doubled each time up to "
           "the second",
           "[1000, 60000]", LIST(backoff_item), ITEMS(2, 2)),
};
const pp_fields pp_serve_supervise_fields =
    FIELDS("serve-supervise", "how started servers are kept running", supervise_rows);

/* ---- access -----------------------------------------------------------------------------------
 */

static const pp_field keys_rows[] = {
    MEMBER("file", "API keys of clients, relative to the configuration's folder; docs/cli/serve.md",
           PATH),
};
static const pp_fields keys_fields = FIELDS("serve-keys", "who may ask", keys_rows);

static const pp_field bucket_rows[] = {
    MEMBER("per_second", "requests in the long run", NUMBER(0, 1000000), .above_min = true),
    MEMBER("burst", "requests at once after a pause", INT(1, 1000000), UNIT("requests")),
};
static const pp_fields bucket_fields = FIELDS("serve-bucket", "how often one may ask", bucket_rows);

static const pp_field rate_rows[] = {
    OPTION("per_key", "for each API key; needs `keys`", "null", OBJECT(bucket_fields), OR_NULL),
    OPTION("per_address", "for each address of a client (IPv6: each /64)", "null",
           OBJECT(bucket_fields), OR_NULL),
    OPTION("trusted_proxies",
           "numeric addresses of proxies in front; what they say of the client's address counts",
           "[]", LIST(pp_type_filled), ITEMS(0, 64)),
};
static const pp_fields rate_fields = FIELDS("serve-rate", "limits on how often", rate_rows);

static const pp_field cors_rows[] = {
    OPTION("origins",
           "such as `https://app.example`, or `*` for all; `[]`: pages of the same origin only",
           "[]", LIST(pp_type_filled), ITEMS(0, 64)),
};
static const pp_fields cors_fields = FIELDS("serve-cors", "whose pages may ask", cors_rows);

/* ---- document ---------------------------------------------------------------------------------
 */

WORD(word_serve_config, "serve-config");
static const pp_field config_rows[] = {
    MEMBER("schema_version", "version of the format", WORDS(pp_words_1_0)),
    MEMBER("document", "what this is", WORDS(word_serve_config)),
    OPTION("listen", "where clients come in", "{}", OBJECT(listen_fields)),
    OPTION("engines", "builds of llama.cpp, for `start`", "[]", LIST(engine_type),
           ITEMS(0, PP_SERVE_MAX_ENGINES)),
    OPTION("files", "model files, for `start`", "[]", LIST(file_type),
           ITEMS(0, PP_SERVE_MAX_FILES)),
    MEMBER("backends", "servers that answer; each is used by some model", LIST(backend_type),
           ITEMS(1, PP_SERVE_MAX_BACKENDS)),
    MEMBER("models", "what is offered; a request that names no model gets the first",
           LIST(model_type), ITEMS(1, PP_SERVE_MAX_MODELS)),
    OPTION("rules", "which requests go elsewhere; the first one that holds wins", "[]",
           LIST(rule_type), ITEMS(0, PP_SERVE_MAX_RULES)),
    OPTION("queue", "the waiting line of each model", "{}", OBJECT(pp_serve_queue_fields)),
    OPTION("timeouts_ms", "timers", "{}", OBJECT(pp_serve_timeout_fields)),
    OPTION("breaker", "when a back end is left alone", "{}", OBJECT(pp_serve_breaker_fields)),
    OPTION("limits", "sizes and counts", "{}", OBJECT(pp_serve_limit_fields)),
    OPTION("keys", "who may ask; null: everybody", "null", OBJECT(keys_fields), OR_NULL),
    OPTION("rate", "how often one may ask", "{}", OBJECT(rate_fields)),
    OPTION("cors", "whose pages may ask", "{}", OBJECT(cors_fields)),
    OPTION("access_log",
           "file with a line for each request, relative to the configuration's folder; null: none",
           "null", PATH, OR_NULL),
    OPTION("log_max_bytes_per_minute", "lines beyond this are dropped, counted and told of",
           "67108864", INT(4096, INT64_C(1) << 40), UNIT("bytes")),
    OPTION("supervise", "how started servers are kept running", "{}",
           OBJECT(pp_serve_supervise_fields)),
};
const pp_fields pp_serve_config_fields =
    FIELDS_AT("serve-config", "what `serve` runs", config_rows, "serve-config");

/* ---- access log -------------------------------------------------------------------------------
 */

#define TOKENS COUNT, OR_NULL, UNIT("tokens")
#define RATE   POSITIVE_REAL, OR_NULL, UNIT("tokens per second")

static const pp_field usage_rows[] = {
    MEMBER("partial", "the answer did not come to its end: told until then", BOOL),
    MEMBER("prompt_tokens", "null: not told, as with all below", TOKENS),
    MEMBER("completion_tokens", "of the answer, reasoning included", TOKENS),
    MEMBER("cached_tokens", "of the prompt, from the back end's cache", TOKENS),
    MEMBER("drafted_tokens", "proposed by speculation", TOKENS),
    MEMBER("accepted_tokens", "of these", TOKENS),
};
static const pp_fields usage_fields =
    FIELDS("access-usage", "tokens, as the back end counted them", usage_rows);

static const pp_field access_rows[] = {
    MEMBER("time", "arrival, UTC, RFC 3339 with milliseconds", FILLED),
    MEMBER("request_id", "the client's `X-Request-Id`, or one of the gateway's", TEXT, OR_NULL),
    MEMBER("key", "name of its API key", TEXT, OR_NULL),
    MEMBER("rejected_key_sha256", "of a key that is none: the first 8 digits", TEXT, OR_NULL),
    MEMBER("address", "of the client; as trusted proxies say", TEXT, OR_NULL),
    MEMBER("method", "of the request", TEXT, OR_NULL),
    MEMBER("path", "without a query", TEXT, OR_NULL),
    MEMBER("model", "the served model it went to", TEXT, OR_NULL),
    MEMBER("backend", "that gave the answer", TEXT, OR_NULL),
    MEMBER("route", "why there, as in `X-ParetoPilot-Route`", TEXT, OR_NULL),
    MEMBER("attempts", "back ends that were asked", COUNT),
    MEMBER("stream", "a stream was asked for", BOOL),
    MEMBER("status", "sent; 499: the client left before", INT(100, 599)),
    MEMBER("code", "of an error, also within a stream that began with 200", TEXT, OR_NULL),
    MEMBER("client_gone", "the client left before the end", BOOL),
    MEMBER("bytes_in", "of the request's body", COUNT, UNIT("bytes")),
    MEMBER("bytes_out", "of the reply's body", COUNT, UNIT("bytes")),
    MEMBER("queue_ms", "waited for a back end; null: none was looked for", POSITIVE_REAL, OR_NULL),
    MEMBER("ttft_ms", "from arrival to the first text of a stream", POSITIVE_REAL, OR_NULL),
    MEMBER("total_ms", "from arrival to the end", POSITIVE_REAL),
    MEMBER("usage", "null: nothing was told", OBJECT(usage_fields), OR_NULL),
    MEMBER("decode_tokens_per_second",
           "(completion tokens - 1) / (last text - first text) of a stream; prefill is not in it",
           RATE),
    MEMBER("end_to_end_tokens_per_second",
           "completion tokens / `total_ms`; queue and prefill are in it", RATE),
};
static const pp_fields access_fields = FIELDS_AT(
    "access-log", "a request that is over; texts are cut at 256 bytes", access_rows, "access-log");

static const pp_field dropped_rows[] = {
    MEMBER("time", "end of the minute", FILLED),
    MEMBER("dropped_lines", "requests without a line, since the last such line", INT(1, INT64_MAX)),
};
static const pp_fields dropped_fields =
    FIELDS_AT("access-log-dropped", "what was too much for a minute", dropped_rows, "access-log");

const pp_field_choice pp_access_log_choices[] = {
    {"dropped_lines", NULL, &access_fields},
    {"dropped_lines", "", &dropped_fields},
    {0},
};
