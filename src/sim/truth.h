/* truth.h - the log of what really happened, with the instants at which it did.
 *
 * The loop that serves writes fixed records into memory that was taken and touched beforehand; a
 * thread turns them into lines of docs/formats/sim-log.md and writes them. Nothing on the serving
 * side waits: when the thread falls behind by PP_SIM_TRUTH_RECORDS, records are dropped and
 * counted, and the last line says how many (F95). */
#ifndef PP_SIM_TRUTH_H
#define PP_SIM_TRUTH_H

#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"
#include "digest/sha256.h"

/* 34 MiB; more than a second at 150,000 events/s while the thread stands still. */
#define PP_SIM_TRUTH_RECORDS ((uint64_t)1 << 18)

typedef enum pp_sim_record_kind {
    PP_SIM_RECORD_ARRIVAL,
    PP_SIM_RECORD_START,
    PP_SIM_RECORD_EVENT,
    PP_SIM_RECORD_END
} pp_sim_record_kind;

typedef enum pp_sim_outcome {
    PP_SIM_OUTCOME_COMPLETE,
    PP_SIM_OUTCOME_GONE,   /* the client left first */
    PP_SIM_OUTCOME_CLOSED, /* by us, on purpose */
    PP_SIM_OUTCOME_RESET,
    PP_SIM_OUTCOME_STOPPED /* under way when the server was stopped */
} pp_sim_outcome;

typedef struct pp_sim_record {
    int64_t at_ns; /* monotonic */
    int64_t request;
    const char *path; /* ARRIVAL: lives as long as the program */
    uint8_t kind;
    uint8_t outcome;
    uint16_t status;
    uint32_t events; /* EVENT: in this write; END: in all */
    int64_t connection, connection_request, prompt_tokens, asked_tokens; /* ARRIVAL; -1: none */
    char request_sha256[PP_SHA256_HEX_SIZE]; /* ARRIVAL: of the body; "" when memory was short */
} pp_sim_record;

/* The same fields under other names: START uses `connection` for the slot; EVENT `connection` for
 * the number of its last event, `prompt_tokens` for the tokens so far, `asked_tokens` for bytes;
 * END `prompt_tokens` for tokens. Constructors keep that in one place. */
pp_sim_record pp_sim_record_start(int64_t at_ns, int64_t request, int64_t slot);
pp_sim_record pp_sim_record_event(int64_t at_ns, int64_t request, int64_t event, uint32_t events,
                                  int64_t tokens, int64_t bytes);
pp_sim_record pp_sim_record_end(int64_t at_ns, int64_t request, pp_sim_outcome outcome, int status,
                                uint32_t events, int64_t tokens);

/** Append the line of a record, LF included. */
void pp_sim_record_format(const pp_sim_record *record, pp_buf *out);

typedef struct pp_sim_truth pp_sim_truth;

/**
 * A new file (never replaces one) and its thread. `first_line` stands at its front.
 * Fails with PP_ERR_EXISTS, PP_ERR_IO, PP_ERR_MEMORY.
 */
PP_MUST_CHECK pp_status pp_sim_truth_open(const char *path, const char *first_line,
                                          pp_sim_truth **ret_truth, pp_error *err);

/** Never blocks. NULL: nothing is logged. */
void pp_sim_truth_add(pp_sim_truth *truth, const pp_sim_record *record);

typedef struct pp_sim_truth_counts {
    uint64_t written; /* records */
    uint64_t dropped;
} pp_sim_truth_counts;

/** Write what is left; then the counts are final. Fails with PP_ERR_IO when a write failed. */
PP_MUST_CHECK pp_status pp_sim_truth_finish(pp_sim_truth *truth, pp_sim_truth_counts *ret_counts,
                                            pp_error *err);

/** After finish: the last line, and the file is closed and released. Accepts NULL. */
PP_MUST_CHECK pp_status pp_sim_truth_close(pp_sim_truth *truth, const char *last_line,
                                           pp_error *err);

#endif
