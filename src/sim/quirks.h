/* quirks.h - how one reply departs from what a well-behaved server does.
 *
 * Zeroed is well-behaved. The table of faults (fault.h) fills it in; who formats, frames and times
 * a reply reads it and knows no fault by name. */
#ifndef PP_SIM_QUIRKS_H
#define PP_SIM_QUIRKS_H

#include <stdbool.h>
#include <stdint.h>

/* Values of words stand in the order of their lists in fault.c; 0 is "not set". */
typedef enum pp_sim_body { PP_SIM_BODY_JSON = 1, PP_SIM_BODY_HTML, PP_SIM_BODY_EMPTY } pp_sim_body;

typedef enum pp_sim_error_form {
    PP_SIM_ERROR_DATA = 1, /* data: {"error": {...}} */
    PP_SIM_ERROR_FIELD,    /* error: {...} */
    PP_SIM_ERROR_DONE,     /* data: {"error": ...}, then [DONE] */
    PP_SIM_ERROR_EVENT,    /* event: error */
    PP_SIM_ERROR_TEXT      /* {"error": "text", "error_type": ...} */
} pp_sim_error_form;

typedef enum pp_sim_usage_form {
    PP_SIM_USAGE_ALWAYS = 1, /* also when not asked for */
    PP_SIM_USAGE_NEVER,
    PP_SIM_USAGE_WITH_TEXT, /* in the last event with text */
    PP_SIM_USAGE_EVERY,     /* cumulative, in each event */
    PP_SIM_USAGE_NULLS,     /* details null */
    PP_SIM_USAGE_FLOATS,    /* 12.0 */
    PP_SIM_USAGE_NULL_CHOICES,
    PP_SIM_USAGE_NO_CHOICES,
    PP_SIM_USAGE_FULL_CHOICES, /* a choice with an empty delta beside it */
    PP_SIM_USAGE_NOT_LAST      /* an empty event follows */
} pp_sim_usage_form;

typedef enum pp_sim_reasoning_name {
    PP_SIM_REASONING_CONTENT = 1,
    PP_SIM_REASONING_PLAIN,
    PP_SIM_REASONING_BOTH
} pp_sim_reasoning_name;

typedef enum pp_sim_metrics_form {
    PP_SIM_METRICS_STRING = 1, /* one JSON string */
    PP_SIM_METRICS_RENAMED,    /* without _total */
    PP_SIM_METRICS_NAN,        /* gauges nan and -nan */
    PP_SIM_METRICS_RESET,      /* everything is 0 after a reading */
    PP_SIM_METRICS_OFF         /* 501 */
} pp_sim_metrics_form;

typedef enum pp_sim_slots_form {
    PP_SIM_SLOTS_501 = 1,
    PP_SIM_SLOTS_404,
    PP_SIM_SLOTS_BUSY /* every slot says that it is processing */
} pp_sim_slots_form;

typedef enum pp_sim_line_end {
    PP_SIM_LINE_CRLF = 1,
    PP_SIM_LINE_CR,
    PP_SIM_LINE_MIXED
} pp_sim_line_end;

typedef struct pp_sim_quirks {
    /* head and connection */
    bool silent, head_only, early_head, early_role, close, raw_gzip, read_to_close, odd_chunks,
        no_last_chunk;
    bool not_streamed, strict;
    int64_t wait_ns, status, interim, huge_head_bytes, length_off, stream_length;
    int64_t reset_after, close_after; /* events plus 1 */
    int64_t write_size, gather, chunk_size;
    pp_sim_body body;
    const char *retry_after, *content_type;
    /* event stream */
    bool no_blank, multi_line, comments, comments_only, byte_order_mark, no_done, done_no_end;
    bool cut_character;
    pp_sim_line_end line_end;
    int64_t ping_ns;
    /* what is said */
    bool cumulative, nulls, tool_calls, split_emoji, lone_surrogate, zero_logprobs, draft_fields;
    bool nothing, bad_json;
    pp_sim_error_form error;
    int64_t error_after; /* tokens plus 1 */
    pp_sim_usage_form usage;
    int64_t usage_pause_ns;
    pp_sim_reasoning_name reasoning_name;
    int64_t reasoning; /* so many tokens; plus 1 */
    int64_t tokens_per_event, extra_tokens, short_answer, cached, progress, long_event_bytes;
    /* time */
    int64_t slow_ns, cold_ns;
    int64_t grow_bytes;
    bool acceptance_falls;
    /* after the client has left */
    bool ignore_cancel;
    int64_t busy_after_ns;
    /* other end points */
    pp_sim_metrics_form metrics;
    pp_sim_slots_form slots;
    int64_t n_ctx, total_slots;
    bool sleeping, foreign;
} pp_sim_quirks;

#endif
