/* source.h - where the requests of a load come from: prompts, lengths, bodies.
 *
 * A request is a function of (seed, level number, phase, index): the same on any number of workers
 * (F83, B106). A source is prepared once, which may ask the server how it cuts text into tokens;
 * from then on it is read only, knows no network, and any number of threads may ask it at once. */
#ifndef PP_LOAD_SOURCE_H
#define PP_LOAD_SOURCE_H

#include "load/dialect.h"
#include "load/lengths.h"
#include "load/prompts.h"
#include "load/trace.h"
#include "load/workload.h"
#include "model/load_level.h"
#include "net/http_client.h"

/* Above it a body is no request that a server would take. */
#define PP_LOAD_BODY_MAX_BYTES ((size_t)64 << 20)

typedef enum pp_load_reuse {
    PP_LOAD_COLD,  /* generated prompts begin each in its own way; a cache is switched off where
                      the server has a field for it */
    PP_LOAD_WARM,  /* one generated prompt for all requests; the server may keep it */
    PP_LOAD_UNSAID /* generated prompts differ (behind their shared beginning); caching is left to
                      the server */
} pp_load_reuse;

/** "cold", "warm", "unsaid"; NULL behind the last. */
const char *pp_load_reuse_name(size_t reuse);

typedef struct pp_load_source_options {
    pp_dialect dialect; /* its `cache` is set by `reuse` */
    pp_load_reuse reuse;
    uint64_t seed;     /* of the run */
    pp_lengths output; /* asked output tokens, where prompt and trace say nothing else */
    /* Exactly one of these three; what is pointed to is borrowed for the life of the source. */
    const pp_prompts *prompts; /* taken in turn: request i gets prompt (i - 1) mod count */
    const pp_trace *trace;     /* request i is entry i; warm-up requests take entries in turn */
    int64_t prompt_tokens;     /* generated, this long as the server counts; >= 1 */

    int64_t shared_prefix_tokens; /* of generated prompts: all begin with the same so many, and
                                     differ in the next; not with PP_LOAD_COLD */
    /* How the server is asked before the start. */
    const char *base_url; /* as pp_server_root takes it */
    const char *const *headers;
    size_t header_count;
} pp_load_source_options;

/** Cold, 128 output tokens, seed 1, chat for a llama-server. */
void pp_load_source_options_default(pp_load_source_options *ret_options);

/* What was found while preparing; for reports. */
typedef struct pp_load_source_facts {
    size_t prompt_count;         /* of a file or a trace; 0 for generated ones */
    size_t duplicate_count;      /* of a file: prompts that an earlier one equals */
    pp_maybe_int context_tokens; /* of one slot, as the server says */
    int64_t
        verified_count; /* generated prompts that the server counted: each had the asked length */
    int64_t shared_prefix_tokens; /* longest common beginning of the verified ones, template and
                                     begin-of-text token included */
} pp_load_source_facts;

typedef struct pp_load_item {
    pp_text prompt_id;     /* valid as long as `body` */
    int64_t output_tokens; /* asked */
    pp_bytes body;         /* JSON; valid until the next call with the same buffer */
} pp_load_item;

typedef struct pp_load_source pp_load_source;

/**
 * Check the options and prepare. Lives in `arena`.
 *
 * loop   to ask a llama-server for its context and tokens; may be NULL for prompts with text, which
 *        then are not compared with the context
 *
 * Fails with PP_ERR_USAGE for options that contradict each other, PP_ERR_RANGE, PP_ERR_PEER when
 * generated prompts are wanted and the server is no llama-server or cuts words in a way that allows
 * no exact length (a prompts file is the way out), PP_ERR_DOMAIN when prompts do not fit the
 * server's context: all are counted, the first is named (F81).
 */
PP_MUST_CHECK pp_status pp_load_source_prepare(pp_arena *arena, pp_http_loop *loop,
                                               const pp_load_source_options *options,
                                               pp_load_source **ret_source, pp_error *err);

/** The requests of a workload, which are there already; borrowed for the life of the source. */
PP_MUST_CHECK pp_status pp_load_source_of_workload(pp_arena *arena, const pp_workload *workload,
                                                   pp_load_source **ret_source, pp_error *err);

void pp_load_source_get_facts(const pp_load_source *source, pp_load_source_facts *ret_facts);

/**
 * The request with this number. Thread-safe; each thread has its own buffer, which only grows.
 *
 * level, index   from 1
 * body           initialised by the caller with PP_LOAD_BODY_MAX_BYTES; what it held is dropped
 *
 * Fails with PP_ERR_RANGE for numbers below 1, measured requests behind the end of a trace and any
 * behind the end of a workload, PP_ERR_LIMIT, PP_ERR_MEMORY.
 */
PP_MUST_CHECK pp_status pp_load_source_make(const pp_load_source *source, int64_t level,
                                            pp_phase phase, int64_t index, pp_buf *body,
                                            pp_load_item *ret_item, pp_error *err);

/** "/v1/chat/completions"; follows the root of pp_server_root. */
const char *pp_load_source_path(const pp_load_source *source);

/**
 * When the measured requests of a level are due: drawn for an open level, the trace's own instants
 * for a trace (the first request_count of them and those before duration_ns). As pp_schedule_draw;
 * fails with PP_ERR_RANGE for a closed level and for a trace level without a trace.
 */
PP_MUST_CHECK pp_status pp_load_source_schedule(const pp_load_source *source, pp_arena *arena,
                                                const pp_load_level *level, int64_t **ret_due_ns,
                                                size_t *ret_count, pp_error *err);

#endif
