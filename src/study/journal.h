/* journal.h - what a study did, in order, each line carrying the hash of the line before.
 *
 * A line that was changed, removed or put in later breaks the chain. A line is one write, synced
 * before anything follows from it; none is written while something is measured. Who holds a journal
 * works in its folder, and nobody else does. */
#ifndef PP_STUDY_JOURNAL_H
#define PP_STUDY_JOURNAL_H

#include "json/json.h"

typedef struct pp_journal pp_journal;

/* A journal of 64 candidates, 20 passes and a few hundred thousand requests. */
#define PP_JOURNAL_MAX_BYTES ((size_t)512 << 20)

/** Begin a new journal file, and hold it. Fails with PP_ERR_EXISTS or PP_ERR_IO. */
PP_MUST_CHECK pp_status pp_journal_create(const char *path, pp_journal **ret_journal,
                                          pp_error *err);

/**
 * Hold an existing journal and read it. Changes nothing.
 *
 * ret_bytes   initialised by the caller; the whole file afterwards, what a crash cut off included
 * Fails with PP_ERR_DOMAIN when another process holds it, PP_ERR_IO, PP_ERR_LIMIT; with
 * PP_ERR_SYNTAX or PP_ERR_SCHEMA when its whole lines are no chain.
 */
PP_MUST_CHECK pp_status pp_journal_open(const char *path, pp_buf *ret_bytes,
                                        pp_journal **ret_journal, pp_error *err);

/**
 * Put what a crash cut off aside, as "<path>.torn-SEQ-N", and say so in a line. A crash in between
 * does no harm. Without such a rest nothing happens. Fails with PP_ERR_IO.
 */
PP_MUST_CHECK pp_status pp_journal_mend(pp_journal *journal, pp_arena *arena, pp_error *err);

/**
 * Append one line: {"seq", "event", "at_ns" since the journal was created or opened, "unix_ms",
 * "previous_sha256", ...fields}. `fields` is an object (or NULL) whose members are added; they must
 * not repeat these. What could not be written whole is taken back.
 */
PP_MUST_CHECK pp_status pp_journal_append(pp_journal *journal, pp_arena *arena, const char *event,
                                          const pp_json *fields, pp_error *err);

/** Let go of it. Accepts NULL. */
void pp_journal_free(pp_journal *journal);

/** Does a process hold this journal now? Never disturbs one that does. */
PP_MUST_CHECK pp_status pp_journal_is_held(const char *path, bool *ret_held, pp_error *err);

#endif
