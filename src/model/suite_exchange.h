/* suite_exchange.h - one request of a suite and what came back, as a bundle keeps it.
 *
 * docs/formats/suite-replies.md. Bytes survive: a body that is no UTF-8 is written as hexadecimal
 * digits. What a reply means is intake/'s to say. */
#ifndef PP_MODEL_SUITE_EXCHANGE_H
#define PP_MODEL_SUITE_EXCHANGE_H

#include "model/exchange.h"
#include "json/json.h"

/* 2000 cases and 200 contexts with replies of the usual few KiB take a twentieth of it. */
#define PP_SUITE_EXCHANGES_MAX_BYTES ((size_t)256 << 20)

typedef enum pp_suite_subject {
    PP_SUITE_ASKED_CASE,
    PP_SUITE_ASKED_CONTEXT,
    PP_SUITE_ASKED_PROPS, /* GET /props of a llama-server, before the contexts */
    PP_SUITE_SUBJECT_COUNT
} pp_suite_subject;

/** "case", "context", "props" */
const char *pp_suite_subject_name(pp_suite_subject subject);

typedef struct pp_suite_exchange {
    pp_suite_subject of;
    pp_text id;           /* of the case or context; empty for props */
    pp_bytes request;     /* body as it was sent; empty for a GET */
    pp_exchange exchange; /* reading gives no arrivals, no connection and no schedule */
} pp_suite_exchange;

/** Append one line. Fails with PP_ERR_MEMORY, PP_ERR_LIMIT, PP_ERR_DOMAIN when the request is no
 * UTF-8. */
PP_MUST_CHECK pp_status pp_suite_exchange_write(const pp_suite_exchange *exchange, pp_buf *lines,
                                                pp_error *err);

/**
 * Read all lines of a file. Everything lives in `arena`.
 *
 * Fails with PP_ERR_SYNTAX or PP_ERR_SCHEMA "NAME line N: $.path: ...", also for a request that has
 * not the digest beside it, and for times that contradict each other.
 */
PP_MUST_CHECK pp_status pp_suite_exchanges_parse(pp_arena *arena, const char *name, pp_bytes bytes,
                                                 pp_suite_exchange **ret_exchanges,
                                                 size_t *ret_count, pp_error *err);

#endif
