/* problem.h - what the gateway says when it cannot give an answer: one table of reasons.
 *
 * Status, type and code follow E17; each timer has a code of its own (E30). The sentences are ours:
 * nothing that a back end or the system said about a connection gets into them, so that no address
 * and no key can (G9, G10). Pure. */
#ifndef PP_GATEWAY_PROBLEM_H
#define PP_GATEWAY_PROBLEM_H

#include "base/buffer.h"
#include "base/maybe.h"

/* Stands in logs and figures only: nobody is left to be told. */
#define PP_STATUS_CLIENT_GONE 499

/* A detail or a name that is longer is cut. */
#define PP_PROBLEM_TEXT_MAX ((size_t)1024)

typedef enum pp_problem {
    PP_PROBLEM_BAD_REQUEST,
    PP_PROBLEM_NO_KEY,
    PP_PROBLEM_BAD_KEY,
    PP_PROBLEM_UNKNOWN_MODEL,
    PP_PROBLEM_NOT_FOUND,
    PP_PROBLEM_METHOD,
    PP_PROBLEM_TOO_LARGE,
    PP_PROBLEM_HEADERS, /* too many, or too long, to send on */
    PP_PROBLEM_RATE,
    PP_PROBLEM_QUEUE_FULL,
    PP_PROBLEM_QUEUE_TIMEOUT,
    PP_PROBLEM_UPSTREAM_REFUSED,
    PP_PROBLEM_UPSTREAM_BROKE,
    PP_PROBLEM_UPSTREAM_INVALID,
    PP_PROBLEM_UPSTREAM_LOADING,
    PP_PROBLEM_NO_BACKEND,
    PP_PROBLEM_CONNECT_TIMEOUT,
    PP_PROBLEM_FIRST_BYTE_TIMEOUT,
    PP_PROBLEM_IDLE_TIMEOUT,
    PP_PROBLEM_TOTAL_TIMEOUT,
    PP_PROBLEM_DRAINING,
    PP_PROBLEM_MEMORY,
    PP_PROBLEM_INTERNAL,
    PP_PROBLEM_COUNT
} pp_problem;

/* A reason with what is known of this case. Zeroed but for the problem it is complete. */
typedef struct pp_problem_report {
    pp_problem problem;
    int status;                 /* instead of the table's; 0: the table's */
    const char *detail;         /* added to the sentence where the client's own request is at fault,
                                   else ignored; may be NULL. Never a key. */
    const char *param;          /* the member of the request; NULL or "": none */
    pp_maybe_int retry_after_s; /* instead of the table's, at least 0 */
} pp_problem_report;

/** 400 to 599. */
int pp_problem_status(const pp_problem_report *report);

/** "model_not_found", "first_byte_timeout", ...: for clients, logs and figures. */
const char *pp_problem_code(pp_problem problem);

/** Seconds for Retry-After; absent where to ask again would not help. */
pp_maybe_int pp_problem_retry_after_s(const pp_problem_report *report);

/** Whole seconds that a wait fills, at least 1: for Retry-After. */
int64_t pp_retry_after_of_ns(int64_t wait_ns);

/** Append {"error":{"message","type","param","code"}}. */
void pp_problem_body(const pp_problem_report *report, pp_buf *out);

/** The same as an event of a stream that has begun: "data: {...}" and an empty line. */
void pp_problem_event(const pp_problem_report *report, pp_buf *out);

#endif
