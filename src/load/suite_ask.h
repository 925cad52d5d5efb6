/* suite_ask.h - asks a server the cases of a suite and keeps what came back, byte for byte.
 *
 * Knows no matching and decodes nothing; intake/chat_reply.h says what a reply means. One pass
 * follows the other, each a closed level of load/drive.h, by default with one request at a time: a
 * greedy answer may depend on what else the server does (E25), so the number in flight is part of
 * what was asked. A request that fails is a result, never the end. */
#ifndef PP_LOAD_SUITE_ASK_H
#define PP_LOAD_SUITE_ASK_H

#include "load/run.h"
#include "load/suite_body.h"

/* Above it a reply is no answer to a question of a suite. */
#define PP_SUITE_REPLY_MAX_BYTES ((size_t)16 << 20)
#define PP_SUITE_CLIENTS_MAX     256

typedef struct pp_suite_reply {
    bool asked;           /* false: the end came first; everything below is then empty */
    pp_bytes request;     /* body as it was sent */
    pp_exchange exchange; /* no arrivals; instants count from the start of its pass */
} pp_suite_reply;

/* Of the replies that have come so far. */
typedef struct pp_suite_told {
    size_t pass, number; /* from 0: which one has just ended */
    size_t done, total;
    int64_t elapsed_ns;
    const pp_suite_reply *reply;
} pp_suite_told;

typedef struct pp_suite_ask_options {
    const char *base_url; /* as pp_server_root takes it */
    const char *const *headers;
    size_t header_count;
    pp_http_limits limits;
    const char *ca_file; /* NULL: the system's */
    bool insecure_tls;
    pp_suite_voice voice;
    size_t pass_count;   /* 1 or more */
    size_t client_count; /* requests in flight; 1 to PP_SUITE_CLIENTS_MAX */
    int64_t drain_ns;    /* patience with requests in flight after a first signal */
    const volatile sig_atomic_t *cut_now; /* not zero: cut them at once; may be NULL */
    /* Called on the calling thread for each reply, in the order of cases, within half a second of
     * its end. May be NULL. */
    void (*tell)(void *user, const pp_suite_told *told);
    void *user;
} pp_suite_ask_options;

/** One pass, one client, two minutes for a request, 10 s to connect and to drain. */
void pp_suite_ask_options_default(pp_suite_ask_options *ret_options);

typedef struct pp_suite_asked {
    pp_suite_reply *replies; /* [pass * case_count + case] */
    bool interrupted;        /* stopped from outside: some may not have been asked, or were cut */
} pp_suite_asked;

/**
 * Ask every case in every pass. Everything lives in `arena`; texts of ids are the suite's.
 *
 * stop   not zero: no more requests; what came is kept
 *
 * Fails as pp_load_drive does.
 */
PP_MUST_CHECK pp_status pp_suite_ask(pp_arena *arena, const pp_suite *suite,
                                     const pp_suite_ask_options *options,
                                     const volatile sig_atomic_t *stop, pp_suite_asked *ret_asked,
                                     pp_error *err);

/**
 * Send the latency requests of a 1.0 suite, one at a time: warm-ups first, then those that are
 * measured. As pp_load_run_sequential; sample_of is pp_sample_of_exchange of intake/.
 */
PP_MUST_CHECK pp_status pp_suite_stream(pp_arena *arena, const pp_suite *suite,
                                        const pp_suite_ask_options *options,
                                        pp_load_sampler sample_of,
                                        const volatile sig_atomic_t *stop, pp_load_run *ret_run,
                                        pp_error *err);

#endif
