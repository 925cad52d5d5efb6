/* journal.h - what a study did, in order, each line carrying the hash of the line before.
 *
 * A line that was changed, removed or put in later breaks the chain. Lines are written and synced
 * between runs, never while something is measured. */
#ifndef PP_STUDY_JOURNAL_H
#define PP_STUDY_JOURNAL_H

#include "json/json.h"

typedef struct pp_journal pp_journal;

/** Begin a new journal file. Fails with PP_ERR_EXISTS or PP_ERR_IO. */
PP_MUST_CHECK pp_status pp_journal_create(const char *path, pp_journal **ret_journal,
                                          pp_error *err);

/**
 * Append one line: {"seq", "event", "at_ns" since the journal began, "unix_ms", "previous_sha256",
 * ...fields}. `fields` is an object (or NULL) whose members are added; they must not repeat these.
 */
PP_MUST_CHECK pp_status pp_journal_append(pp_journal *journal, pp_arena *arena, const char *event,
                                          const pp_json *fields, pp_error *err);

/** Close. Accepts NULL. */
void pp_journal_free(pp_journal *journal);

#endif
