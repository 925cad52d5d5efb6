/* verify.h - is a bundle what it says it is? Trusts nothing in it, and needs nothing beside it.
 *
 * Four questions, asked as far as the bundle allows, and all differences are reported, not only the
 * first: does SHA256SUMS name every file with its digest and no other; is the journal an unbroken
 * chain that began with the plan's digest, before anything was measured; do all derived files
 * follow from the raw ones, byte by byte, by the code that makes them; do status and journal agree.
 *
 * What this cannot show: that the raw files were measured at all. Who holds the whole bundle can
 * invent it; docs/method/verification.md says what stands against that. */
#ifndef PP_EVIDENCE_VERIFY_H
#define PP_EVIDENCE_VERIFY_H

#include "evidence/checksum_list.h"
#include "json/json.h"

/* Stable: scripts may look for their names. */
typedef enum pp_verify_rule {
    PP_VERIFY_FILE_MISSING,      /* listed, and not there */
    PP_VERIFY_FILE_UNLISTED,     /* there, and not listed */
    PP_VERIFY_FILE_UNFOUNDED,    /* there and listed, and no step of the study wrote it */
    PP_VERIFY_FILE_DIGEST,       /* its bytes are not those that were listed */
    PP_VERIFY_JOURNAL_CHAIN,     /* a line was changed, taken out, put in or moved */
    PP_VERIFY_JOURNAL_FILE,      /* a file is not the one that a step of the study wrote */
    PP_VERIFY_PLAN_DIGEST,       /* plan.json is not the plan that the journal began with */
    PP_VERIFY_STATUS,            /* status.json and journal contradict each other */
    PP_VERIFY_DERIVATION_FAILED, /* the raw files allow no derivation */
    PP_VERIFY_DERIVED_MISSING,   /* follows from the raw files, and is not there */
    PP_VERIFY_DERIVED_DIFFERS,   /* is there, and something else follows */
    PP_VERIFY_DERIVED_UNFOUNDED, /* written as derived, and does not follow from the raw files */
    PP_VERIFY_RULE_COUNT
} pp_verify_rule;

/** "file-missing", ... */
const char *pp_verify_rule_name(pp_verify_rule rule);

typedef struct pp_finding {
    pp_verify_rule rule;
    const char *path;     /* in the bundle */
    const char *expected; /* sentences or digests, for people */
    const char *found;
} pp_finding;

typedef struct pp_verification {
    const char *folder;
    char sums_sha256[PP_SHA256_HEX_SIZE]; /* of SHA256SUMS: one line that names the whole bundle */
    char plan_sha256[PP_SHA256_HEX_SIZE];
    char journal_sha256[PP_SHA256_HEX_SIZE]; /* of its last line; "" when the chain is broken */
    size_t listed_count;                     /* lines of SHA256SUMS */
    pp_checksum_list hashed;                 /* files whose digest was compared, as they were */
    size_t journal_line_count;               /* 0 when the chain is broken */
    size_t derived_count;                    /* files made again and compared */
    bool complete;                  /* status.json says that every planned run was carried out */
    const char *derivation_version; /* of the benchmark set; NULL when there is none */
    bool can_derive;                /* false: by rules that this program does not have */
    pp_finding *findings;           /* in the order of the rules, then of paths */
    size_t finding_count;
} pp_verification;

/**
 * Check the bundle in `folder`. Changes nothing. Results live in `arena`.
 *
 * What differs is a finding, not an error. Fails with PP_ERR_IO when the folder is none or a file
 * cannot be read, or holds anything but folders and regular files; PP_ERR_SYNTAX or PP_ERR_SCHEMA
 * when SHA256SUMS or status.json is not in its form; PP_ERR_LIMIT.
 */
PP_MUST_CHECK pp_status pp_verify(pp_arena *arena, const char *folder,
                                  pp_verification *ret_verification, pp_error *err);

/**
 * Somebody read a file of the bundle after it was checked: are these the bytes that were hashed?
 *
 * path   of the file, below `folder` as the verification has it
 *
 * Fails with PP_ERR_DOMAIN when they are others, or nothing was hashed there.
 */
PP_MUST_CHECK pp_status pp_verification_check_read(const pp_verification *verification,
                                                   const char *path, const char *sha256,
                                                   pp_error *err);

/** "verified"; "differs" when there are findings; "undecided" when there are none, but nothing
 * could be derived: the study did not end, or its figures follow by rules that this program lacks.
 */
const char *pp_verification_verdict(const pp_verification *verification);

/** "the study did not end, ..."; NULL unless the verdict is "undecided". */
const char *pp_verification_why_undecided(const pp_verification *verification);

/** The document "verification". */
pp_json *pp_verification_to_json(pp_arena *arena, const pp_verification *verification,
                                 const char *tool_version);

#endif
