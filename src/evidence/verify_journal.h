/* verify_journal.h - inside evidence/ only: what the parts of a verification share. */
#ifndef PP_EVIDENCE_VERIFY_JOURNAL_H
#define PP_EVIDENCE_VERIFY_JOURNAL_H

#include "evidence/checksum_list.h"
#include "evidence/journal_chain.h"
#include "evidence/verify.h"

typedef struct pp_verify_run {
    pp_arena *arena;
    const char *folder;
    pp_checksum_list listed;  /* what SHA256SUMS says */
    pp_checksum_list present; /* what the folder holds; sorted as well */
    pp_journal_chain journal; /* zero when it is broken */
    const pp_json *assembled; /* files that the last assembly recorded; NULL when there was none */
    bool *recorded;           /* for each present file: a step recorded it */
    const char *tool_version; /* of the program that made the documents; NULL when none says */
    pp_verification *out;
    size_t finding_capacity;
} pp_verify_run;

/** Texts must live as long as the arena. */
void pp_verify_add(pp_verify_run *run, pp_verify_rule rule, const char *path, const char *expected,
                   const char *found);

/** The line of a path, or NULL. */
const pp_checksum *pp_verify_find(const pp_checksum_list *list, const char *path);

/** Chain, digest of the plan, and the files that steps say they wrote. */
PP_MUST_CHECK pp_status pp_verify_journal(pp_verify_run *run, pp_error *err);

#endif
