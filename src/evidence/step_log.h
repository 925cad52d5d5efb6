/* step_log.h - what the journal of a study says about each of its steps.
 *
 * A journal is read against the list of steps that its plan gives: an attempt that was never begun,
 * a number that skips one, or an id that the plan does not have is refused. */
#ifndef PP_EVIDENCE_STEP_LOG_H
#define PP_EVIDENCE_STEP_LOG_H

#include "evidence/journal_chain.h"
#include "evidence/steps.h"

typedef enum pp_step_outcome {
    PP_STEP_NOT_ENDED, /* never begun, or begun and not ended */
    PP_STEP_COMPLETE,
    PP_STEP_FAILED, /* the measured program; that is a result */
    PP_STEP_INTERRUPTED
} pp_step_outcome;

/** "complete", "failed", "interrupted"; NULL for a step that has not ended. */
const char *pp_step_outcome_name(pp_step_outcome outcome);

/* The last attempt at a step. */
typedef struct pp_step_state {
    int64_t attempt_count; /* begun so far, the last one included */
    int64_t round;         /* of its block, when the last attempt began */
    int64_t began_unix_ms;
    pp_step_outcome outcome;
    bool disturbed;
    int64_t duration_ns;  /* 0 until it has ended */
    const pp_json *files; /* as its end recorded them; NULL until then */
} pp_step_state;

typedef struct pp_step_log {
    pp_step_state *states; /* one for each step */
    int64_t *rounds;       /* of each block, from 1 */
    bool has_steps;        /* false: written by a version that recorded none */
    pp_text plan_sha256;
    pp_text constraints_sha256; /* zeroed without steps, as model_folder */
    pp_text model_folder;
    pp_text plan_folder; /* zeroed where the journal does not say */
    size_t session_count;
    int64_t began_unix_ms;
    int64_t session_began_unix_ms;
    int64_t last_unix_ms; /* of the last line */
    int64_t elapsed_ns;   /* of all sessions, each up to its last line */
    pp_text reason;       /* why the last session stopped; zeroed when it did not say */
    pp_journal_chain chain;

    /* Attempts that ended by themselves, for estimates. */
    int64_t phase_ns[PP_STUDY_PHASE_COUNT];
    int64_t phase_count[PP_STUDY_PHASE_COUNT];
} pp_step_log;

/**
 * Read a journal of whole lines (pp_journal_whole_size). Everything lives in `arena`.
 * Fails with PP_ERR_SYNTAX or PP_ERR_SCHEMA "line N: ...".
 */
PP_MUST_CHECK pp_status pp_step_log_read(pp_arena *arena, const char *bytes, size_t size,
                                         const pp_study_steps *steps, pp_step_log *ret_log,
                                         pp_error *err);

/** A log in which nothing has happened yet. */
PP_MUST_CHECK pp_status pp_step_log_init(pp_arena *arena, const pp_study_steps *steps,
                                         pp_step_log *ret_log, pp_error *err);

/** Ended, complete or failed, in the present round of its block. */
bool pp_step_is_done(const pp_study_steps *steps, const pp_step_log *log, size_t step);

/** How many steps of a block are done and were disturbed. */
size_t pp_block_disturbed_count(const pp_study_steps *steps, const pp_step_log *log, size_t block);

/** Steps that are done. */
size_t pp_step_log_done_count(const pp_study_steps *steps, const pp_step_log *log);

/** Blocks that are or were in a second or later round. */
size_t pp_step_log_repeated_count(const pp_study_steps *steps, const pp_step_log *log);

/**
 * Nanoseconds that the measured steps left will take, if they take as long as the mean of those of
 * their phase that ended; -1 while a phase with steps left has none. The rest takes no time worth
 * guessing.
 */
int64_t pp_step_log_remaining_ns(const pp_study_steps *steps, const pp_step_log *log);

/* ---- what happens to a log, read or lived through -------------------------------------------- */

void pp_step_log_begin(pp_step_log *log, size_t step, int64_t round, int64_t unix_ms);
void pp_step_log_end(const pp_study_steps *steps, pp_step_log *log, size_t step,
                     pp_step_outcome outcome, bool disturbed, int64_t duration_ns,
                     const pp_json *files);

#endif
