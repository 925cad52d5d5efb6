/* access_log.h - one JSON line for each request, bounded in bytes and in what it may say.
 *
 * Never in it: header values, bodies, keys (E33). Lines are gathered and written off the hot path;
 * a minute takes at most so many bytes, and what did not fit is counted and told in one line when
 * the minute is over (E36, G30). docs/formats/access-log.md has the members. Not thread-safe.
 *
 * The path may be a pipe: writes never wait for its reader. SIGPIPE is the caller's business. */
#ifndef PP_GATEWAY_ACCESS_LOG_H
#define PP_GATEWAY_ACCESS_LOG_H

#include "base/buffer.h"
#include "base/maybe.h"
#include "base/text.h"

/* Texts of a line that are longer are cut. */
#define PP_ACCESS_LOG_TEXT_MAX ((size_t)256)

/* Gathered at most; full, it is written. */
#define PP_ACCESS_LOG_BUFFER_BYTES ((size_t)64 << 10)

/* A buffer is written at the latest so long after its first line. */
#define PP_ACCESS_LOG_FLUSH_NS ((int64_t)1000000000)

/* What is not there is null in the line. All borrowed. */
typedef struct pp_access_entry {
    int64_t unix_ms; /* arrival */
    pp_text request_id;
    pp_text key_name;    /* of an accepted key; empty: none */
    pp_text fingerprint; /* of a rejected one; empty: none */
    pp_text address;
    pp_text method, path; /* without its query */
    pp_text model;        /* as served; empty: none */
    pp_text backend;      /* that gave the answer; empty: none */
    int64_t attempt_count;
    bool is_stream;
    int status;       /* 499: the client left before one was sent */
    const char *code; /* of a problem; NULL: none */
    int64_t total_ns;
    pp_maybe_int queue_ns, ttft_ns, text_ns;
    pp_maybe_int prompt_tokens, completion_tokens, cached_tokens;
    pp_maybe_int drafted_tokens, accepted_tokens;
    bool usage_is_partial; /* the answer did not come to its end (G2) */
    uint64_t bytes_in, bytes_out;
    pp_text route; /* the trace */
    bool client_gone;
} pp_access_entry;

typedef struct pp_access_log pp_access_log;

typedef struct pp_access_log_options {
    const char *path;
    int64_t max_bytes_per_minute; /* above 0 */
    int64_t now_ns;               /* monotonic: the first minute begins */
} pp_access_log_options;

/** Open for appending; made with mode 0600. Fails with PP_ERR_IO, PP_ERR_MEMORY, PP_ERR_RANGE. */
PP_MUST_CHECK pp_status pp_access_log_open(const pp_access_log_options *options,
                                           pp_access_log **ret_log, pp_error *err);

/** Write what is gathered and close. Accepts NULL. */
void pp_access_log_free(pp_access_log *log);

/** Add a line. Nothing fails: what cannot be kept is counted. Accepts NULL. */
void pp_access_log_add(pp_access_log *log, const pp_access_entry *entry, int64_t now_ns);

/** When pp_access_log_tick should be called next, monotonic; 0: nothing is due. Accepts NULL. */
int64_t pp_access_log_due_ns(const pp_access_log *log);

/** Write what is due; ends a minute. Accepts NULL. */
void pp_access_log_tick(pp_access_log *log, int64_t now_ns, int64_t unix_ms);

/** After the file was renamed: write what is gathered to the old one and open the path anew. When
 * that fails, the old one stays. Accepts NULL. */
PP_MUST_CHECK pp_status pp_access_log_reopen(pp_access_log *log, pp_error *err);

/** Lines lost so far: too many bytes in a minute, no memory, or not written. Accepts NULL. */
uint64_t pp_access_log_dropped_count(const pp_access_log *log);

#endif
