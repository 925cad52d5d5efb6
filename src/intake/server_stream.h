/* server_stream.h - what a llama-server (or another OpenAI-compatible server) said in a stream.
 *
 * Pure: raw body and arrival records in, meaning out; the same bytes give the same answer on every
 * machine, so that a verifier can decode an archived stream again. It reads three shapes: events of
 * /completion, chunks of /v1/completions and /v1/chat/completions, and one plain JSON object from a
 * server that ignored "stream".
 *
 * Nothing that a server can say makes this fail, except missing memory: an error object, broken
 * JSON or an end without a mark are failures of that one request. */
#ifndef PP_INTAKE_SERVER_STREAM_H
#define PP_INTAKE_SERVER_STREAM_H

#include "intake/reply_fields.h"
#include "model/sample.h"

/* What the stream says, before it is held against what was asked. */
typedef struct pp_server_stream {
    pp_failure failure; /* STREAM_ERROR, PROTOCOL, TOO_LARGE or NONE */
    pp_text failure_text;

    /* index into the arrivals for each event with generated text, in order (F31) */
    const size_t *text_arrivals;
    size_t text_event_count;
    bool has_answer;             /* text outside reasoning came */
    size_t first_answer_arrival; /* index into the arrivals; only when has_answer */
    int64_t event_count;         /* with data, the end mark included */
    int64_t ping_count;          /* comments, empty data, events named ping */

    pp_text text; /* all generated text in the order it came; bytes as the server meant them, halves
                     of a character joined, not always UTF-8 */
    bool bad_utf8;
    bool split_character;
    bool cumulative_text;
    bool several_choices;
    bool not_streamed;

    bool end_mark;  /* `[DONE]` or "stop": true */
    pp_text finish; /* stop_type or finish_reason, the last one; empty when none came */

    pp_reply_counts counts;
    pp_maybe_int tokens_predicted; /* of /completion events */
    pp_maybe_int tokens_evaluated;
    int64_t token_array_total;
} pp_server_stream;

/**
 * Decode a body. Everything returned lives in `arena`.
 *
 * body            raw, whole or as far as it came
 * arrivals        ascending in offset; may be none, then every index is 0
 * content_type    of the reply; empty when unknown
 *
 * Fails with PP_ERR_MEMORY only.
 */
PP_MUST_CHECK pp_status pp_server_stream_read(pp_arena *arena, pp_bytes body,
                                              const pp_arrival *arrivals, size_t n_arrivals,
                                              pp_text content_type, pp_server_stream *ret_stream,
                                              pp_error *err);

/**
 * The sample of one exchange: its stream held against what was asked and against the transport.
 *
 * Failures by rank: an error that the server itself reported, then the transport's, then what is
 * wrong with the stream (no end mark and no finish reason, nothing generated although tokens were
 * asked). Texts of `exchange` are borrowed, the rest lives in `arena`. Fails with PP_ERR_MEMORY.
 */
PP_MUST_CHECK pp_status pp_sample_of_exchange(pp_arena *arena, const pp_exchange *exchange,
                                              pp_sample *ret_sample, pp_error *err);

#endif
