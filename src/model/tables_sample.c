/* The record of one request; a request of a suite with its reply. */
#include "model/field_rows.h"
#include "model/sample.h"
#include "model/tables.h"

static const char *const phase_words[] = {"warmup", "measured", NULL};
static const char *const status_words[] = {"ok", "failed", NULL};
/* The words of the enums of sample.h and exchange.h; a test compares them. */
static const char *const source_words[] = {"none",         "timings",   "usage",  "predicted",
                                           "token-arrays", "tokenized", "events", NULL};
static const char *const failure_words[] = {
    "unresolved",    "refused",  "connect-timeout", "first-byte-timeout", "idle-timeout",
    "total-timeout", "reset",    "premature-end",   "http-status",        "encoding",
    "too-large",     "protocol", "cancelled",       "stream-error",       "nothing-generated",
    "cut",           NULL};
static const char *const flag_words[] = {
    "no-end-mark",     "not-streamed",  "gathered",          "bad-utf8",         "split-character",
    "over-length",     "wrong-length",  "prompt-cached",     "tokens-estimated", "cumulative-text",
    "several-choices", "clock-was-set", "connection-reused", "no-answer",        NULL};

static const pp_field_type gap_type = {COUNT, UNIT("ns")};
static const pp_field_type flag_type = {WORDS(flag_words)};

static const pp_field token_rows[] = {
    MEMBER("asked", "largest number that was asked for", COUNT),
    MEMBER("prompt", "of the whole prompt, the cached part included", COUNT, OR_NULL),
    MEMBER("cached", "of the prompt, taken from a cache", COUNT, OR_NULL),
    MEMBER("generated", "of the answer", COUNT, OR_NULL),
    MEMBER("source", "where `generated` comes from; `none` when unknown", WORDS(source_words)),
};
static const pp_fields token_fields = FIELDS("sample-tokens", "numbers of tokens", token_rows);

static const pp_field server_rows[] = {
    MEMBER("prompt_ms", "time for the prompt", REAL, OR_NULL),
    MEMBER("predicted_ms", "time for the answer", REAL, OR_NULL),
    MEMBER("draft_tokens", "proposed by speculation", COUNT, OR_NULL),
    MEMBER("draft_accepted_tokens", "of these, accepted", COUNT, OR_NULL),
};
static const pp_fields server_fields =
    FIELDS("sample-server", "as the server says; not comparable between builds", server_rows);

static const pp_field failure_rows[] = {
    MEMBER("class", "what kind of failure", WORDS(failure_words)),
    MEMBER("text", "what happened", TEXT),
};
static const pp_fields failure_fields =
    FIELDS("sample-failure", "why the request does not count", failure_rows);

static const pp_field sample_rows[] = {
    MEMBER("candidate", "id of what was measured; empty for an endpoint that is no candidate",
           TEXT),
    MEMBER("pass", "of the study, from 1", INT(1, INT64_MAX)),
    OPTION("level", "of the load, from 1; absent where a run has no levels", NULL,
           INT(1, INT64_MAX)),
    MEMBER("phase", "whether it counts", WORDS(phase_words)),
    MEMBER("index", "from 1 within pass, level and phase", INT(1, INT64_MAX)),
    MEMBER("prompt_id", "the prompt", TEXT),
    MEMBER("request_sha256", "of the request body as sent", SHA256),
    MEMBER("scheduled_ns", "when it was due, from the start of the run", COUNT),
    MEMBER("started_ns", "when it began, from the start of the run", COUNT),
    MEMBER("connect_ns", "connection obtained; null when it never was", COUNT, OR_NULL),
    MEMBER("ttft_ns", "first event with generated text, reasoning included", COUNT, OR_NULL),
    MEMBER("first_answer_ns", "first event with text outside reasoning", COUNT, OR_NULL),
    MEMBER("e2e_ns", "last event with text", COUNT, OR_NULL),
    MEMBER("stream_end_ns", "end of the reply, or of our patience: known for failures too", COUNT),
    MEMBER("gaps_ns", "between events with text; their sum is `e2e_ns - ttft_ns`", LIST(gap_type),
           ITEMS(0, PP_SAMPLE_MAX_GAPS)),
    MEMBER("text_event_count", "events with text", COUNT),
    MEMBER("event_count", "all events with data", COUNT),
    MEMBER("ping_count", "keep-alives", COUNT),
    MEMBER("events_per_read_max", "most events with text that came in one read", COUNT),
    MEMBER("kernel_arrival_count", "reads stamped by the kernel", COUNT),
    MEMBER("user_arrival_count", "reads stamped by us", COUNT),
    MEMBER("client_lag_ns_p99",
           "how late our loop woke for a read; nearest rank, so of fewer than 100 reads it is the "
           "largest",
           COUNT, OR_NULL),
    MEMBER("client_lag_ns_max", "the largest", COUNT, OR_NULL),
    MEMBER("tokens", "numbers of tokens", OBJECT(token_fields)),
    MEMBER("server", "what the server says of itself", OBJECT(server_fields)),
    MEMBER("finish", "the server's own word: `limit`, `length`, `eos` and others", FILLED, OR_NULL),
    MEMBER("status", "`failed` goes with a failure", WORDS(status_words)),
    MEMBER("failure", "why it failed; null when it did not", OBJECT(failure_fields), OR_NULL),
    MEMBER("flags", "what a reader should know, each once and in the order below", LIST(flag_type)),
    MEMBER("http_status", "null when no reply came", INT(100, INT64_MAX), OR_NULL),
    MEMBER("text_bytes", "of the generated text", COUNT),
    MEMBER("text_sha256", "of the generated text in the order it came; null when there is none",
           SHA256, OR_NULL),
};
const pp_fields pp_sample_fields = FIELDS_AT("sample", "one request", sample_rows, "samples");

/* ---- suite-replies ----------------------------------------------------------------------------
 */

static const char *const subject_words[] = {"case", "context", "props", NULL};

static const pp_field reply_rows[] = {
    MEMBER("of",
           "what was asked about: a case, a context whose next token is wanted, or the server's "
           "settings",
           WORDS(subject_words)),
    MEMBER("id", "of the case or context; empty for `props`", TEXT),
    MEMBER("request", "body as it was sent; empty for a GET", TEXT),
    MEMBER("request_sha256", "of `request`", SHA256),
    MEMBER("started_ns", "when it began, from the start of the cases or of the contexts", COUNT),
    MEMBER("ended_ns", "when the reply was complete, or our patience at its end", COUNT),
    MEMBER("http_status", "null when no reply came", INT(100, INT64_MAX), OR_NULL),
    MEMBER("content_type", "as the server said; empty: it did not", TEXT),
    MEMBER("failure", "why there is no whole reply; null when there is one", OBJECT(failure_fields),
           OR_NULL),
    MEMBER("body", "of the reply, as far as it came; null where it is no UTF-8", TEXT, OR_NULL),
    MEMBER("body_hex", "the same in hexadecimal digits; null where `body` is a text", TEXT,
           OR_NULL),
};
const pp_fields pp_suite_reply_fields =
    FIELDS_AT("suite-reply", "one request of a suite and its reply", reply_rows, "suite-replies");
