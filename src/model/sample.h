/* sample.h - the record of one request, and its line in samples.jsonl.
 *
 * Every request leaves one, failed ones too. Durations are nanoseconds counted from the start of
 * the request (connecting included); what was not measured is null. docs/formats/samples.md
 * describes the document, docs/method/timing.md what each time means. */
#ifndef PP_MODEL_SAMPLE_H
#define PP_MODEL_SAMPLE_H

#include "model/exchange.h"
#include "json/json.h"

/* A line holds one gap of at most 20 digits for each event of a reply. */
#define PP_SAMPLE_LINE_MAX_BYTES ((size_t)64 << 20)
#define PP_SAMPLE_MAX_GAPS       ((size_t)1 << 21)

/* Where the number of generated tokens comes from, best first (F35). */
typedef enum pp_token_source {
    PP_TOKEN_SOURCE_NONE = 0,     /* not known */
    PP_TOKEN_SOURCE_TIMINGS,      /* the server's timings.predicted_n */
    PP_TOKEN_SOURCE_USAGE,        /* the server's usage.completion_tokens */
    PP_TOKEN_SOURCE_PREDICTED,    /* the server's tokens_predicted */
    PP_TOKEN_SOURCE_TOKEN_ARRAYS, /* lengths of the token arrays of all events */
    PP_TOKEN_SOURCE_TOKENIZED,    /* the server's /tokenize of the whole text, asked afterwards */
    PP_TOKEN_SOURCE_EVENTS        /* number of events with text: an estimate */
} pp_token_source;

/** "timings", "usage", ...; "none". */
const char *pp_token_source_name(pp_token_source source);

/* What a reader should know about a sample; bits of pp_sample.flags, in the order of the document.
 */
typedef enum pp_sample_flag {
    PP_SAMPLE_NO_END_MARK = 1 << 0,      /* finish reason and clean end, but no end mark (F25) */
    PP_SAMPLE_NOT_STREAMED = 1 << 1,     /* one JSON object in answer to stream:true (F26) */
    PP_SAMPLE_GATHERED = 1 << 2,         /* many events share a read: gaps say little (F30) */
    PP_SAMPLE_BAD_UTF8 = 1 << 3,         /* the text is not UTF-8 (F28) */
    PP_SAMPLE_SPLIT_CHARACTER = 1 << 4,  /* a character was cut over two events (F28) */
    PP_SAMPLE_OVER_LENGTH = 1 << 5,      /* 1 to 3 tokens more than asked (F43) */
    PP_SAMPLE_WRONG_LENGTH = 1 << 6,     /* fewer, or more than 3 more than asked (F40) */
    PP_SAMPLE_PROMPT_CACHED = 1 << 7,    /* part of the prompt came from a cache: not cold (F46) */
    PP_SAMPLE_TOKENS_ESTIMATED = 1 << 8, /* tokens are a number of events (F35) */
    PP_SAMPLE_CUMULATIVE_TEXT = 1 << 9,  /* each event repeats the text so far (B009) */
    PP_SAMPLE_SEVERAL_CHOICES = 1 << 10, /* only choice 0 is counted (F41) */
    PP_SAMPLE_CLOCK_WAS_SET = 1 << 11,   /* the wall clock jumped (K2) */
    PP_SAMPLE_CONNECTION_REUSED = 1 << 12, /* no connecting in these times (F07) */
    PP_SAMPLE_NO_ANSWER = 1 << 13          /* reasoning only, no answer text (F32) */
} pp_sample_flag;
#define PP_SAMPLE_FLAG_COUNT 14

/** Name of the n-th flag, "no-end-mark", ... */
const char *pp_sample_flag_name(size_t n);

typedef struct pp_sample {
    pp_request_id id;
    int64_t scheduled_ns; /* from the start of the run */
    int64_t started_ns;   /* from the start of the run */

    /* from the start of the request */
    pp_maybe_int connect_ns;
    pp_maybe_int ttft_ns;         /* first event with generated text, reasoning included */
    pp_maybe_int first_answer_ns; /* first event with answer text */
    pp_maybe_int e2e_ns;          /* last event with text */
    int64_t stream_end_ns;        /* end of the reply, or of our patience; always known */

    int64_t *gaps_ns; /* between events with text, one less than text_event_count */
    size_t gap_count;
    int64_t text_event_count;
    int64_t event_count; /* all events with data, the end mark included */
    int64_t ping_count;
    int64_t events_per_read_max; /* events with text that came in one read */
    int64_t kernel_arrival_count;
    int64_t user_arrival_count;
    pp_maybe_int client_lag_ns_p99; /* how late our loop woke; kernel-stamped reads only (K5) */
    pp_maybe_int client_lag_ns_max;

    int64_t asked_tokens;
    pp_maybe_int prompt_tokens; /* whole prompt, cached part included */
    pp_maybe_int cached_tokens;
    pp_maybe_int generated_tokens;
    pp_token_source token_source;
    pp_maybe_real server_prompt_ms; /* as the server says */
    pp_maybe_real server_predicted_ms;
    pp_maybe_int draft_tokens; /* speculation: proposed and accepted */
    pp_maybe_int draft_accepted_tokens;
    pp_text finish; /* the server's word, "limit", "length", ...; empty when it gave none */

    pp_failure failure;
    pp_text failure_text; /* empty when it did not fail */
    unsigned flags;
    pp_maybe_int http_status;
    pp_text text; /* generated, while the arena of its exchange lives; in no document */
    int64_t text_bytes;
    char text_sha256[PP_SHA256_HEX_SIZE]; /* "" when no text came */
} pp_sample;

/** True when it counts as a success. */
bool pp_sample_is_ok(const pp_sample *sample);

/** Note the number of generated tokens, and what follows from it: whether it is an estimate, and
 * how it stands to what was asked (F40, F43). The failure has been set. */
void pp_sample_set_generated(pp_sample *sample, int64_t count, pp_token_source source);

/** Time per output token after the first, (last - first) / (n - 1) in nanoseconds; not known for
 * n = 1, for unknown n, and for failed samples (F36, F37). */
pp_maybe_real pp_sample_time_per_token_ns(const pp_sample *sample);

/** The reciprocal: tokens per second of generation, prefill not included (B037). */
pp_maybe_real pp_sample_generation_tokens_per_second(const pp_sample *sample);

/** The sample as a JSON object; NULL when memory is short (the writer reports it). */
pp_json *pp_sample_to_json(pp_arena *arena, const pp_sample *sample);

/** Append one compact line with its LF. */
PP_MUST_CHECK pp_status pp_sample_write(const pp_sample *sample, pp_buf *lines, pp_error *err);

/**
 * Read one object. Texts and gaps live in `arena` (texts may be borrowed from `root`).
 * Fails with PP_ERR_SCHEMA "$.path: ..."; unknown keys, and times that contradict each other, are
 * refused.
 */
PP_MUST_CHECK pp_status pp_sample_decode(pp_arena *arena, const pp_json *root,
                                         pp_sample *ret_sample, pp_error *err);

/** Read all lines of samples.jsonl, split at LF only. `name` opens messages, the line follows.
 * An empty file has no samples; a blank line is refused. */
PP_MUST_CHECK pp_status pp_samples_parse(pp_arena *arena, const char *name, pp_bytes bytes,
                                         pp_sample **ret_samples, size_t *ret_count, pp_error *err);

#endif
