/* journal_chain.h - does the journal of a study still say what the study wrote?
 *
 * Each line carries the SHA-256 of the line before (study/journal.h writes them), so that a line
 * that was changed, taken out, put in or moved shows at the first line behind it. Two things a
 * chain cannot show: a change of the last line, which SHA256SUMS covers, and lines cut off at the
 * end: then the journal no longer says how the study ended. */
#ifndef PP_EVIDENCE_JOURNAL_CHAIN_H
#define PP_EVIDENCE_JOURNAL_CHAIN_H

#include "digest/sha256.h"
#include "json/json.h"

typedef enum pp_journal_ending {
    PP_JOURNAL_OPEN, /* the last line says neither */
    PP_JOURNAL_ENDED,
    PP_JOURNAL_STOPPED
} pp_journal_ending;

typedef struct pp_journal_chain {
    size_t line_count; /* at least 1 */
    pp_journal_ending ending;
    char last_sha256[PP_SHA256_HEX_SIZE]; /* of the last line, its LF included */
} pp_journal_chain;

/** Called with each line that fits. A failure ends the reading. */
typedef pp_status (*pp_journal_line_fn)(void *user, const pp_json *line, pp_error *err);

/**
 * Check every line by the table "journal" and by the line before it.
 *
 * bytes     the whole file; borrowed for the call
 * Fails with PP_ERR_SYNTAX or PP_ERR_SCHEMA "line N: ..." about the first line that does not fit.
 * Source: docs/formats/study-files.md.
 */
PP_MUST_CHECK pp_status pp_journal_chain_check(const char *bytes, size_t size,
                                               pp_journal_chain *ret_chain, pp_error *err);

/**
 * The same, and each line is handed on as soon as it has been checked. Lines live in `arena`.
 * A failure of `each` gets the line's number in front.
 */
PP_MUST_CHECK pp_status pp_journal_chain_read(pp_arena *arena, const char *bytes, size_t size,
                                              pp_journal_line_fn each, void *user,
                                              pp_journal_chain *ret_chain, pp_error *err);

/** Bytes up to the end of the last whole line: what stands behind it was cut off by a crash. */
size_t pp_journal_whole_size(const char *bytes, size_t size);

/** "ended", "stopped", "without an end" */
const char *pp_journal_ending_name(pp_journal_ending ending);

#endif
