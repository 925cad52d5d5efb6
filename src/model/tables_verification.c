/* What came of checking a bundle. */
#include "model/field_rows.h"
#include "model/tables.h"

WORD(word_verification, "verification");
static const char *const verdict_words[] = {"verified", "differs", "undecided", NULL};
static const char *const rule_words[] = {"file-missing",
                                         "file-unlisted",
                                         "file-unfounded",
                                         "file-digest",
                                         "journal-chain",
                                         "journal-file",
                                         "plan-digest",
                                         "status",
                                         "derivation-failed",
                                         "derived-missing",
                                         "derived-differs",
                                         "derived-unfounded",
                                         NULL};

static const pp_field finding_rows[] = {
    MEMBER("rule", "what does not hold", WORDS(rule_words)),
    MEMBER("path", "in the bundle", FILLED),
    MEMBER("expected", "a digest, or a sentence", FILLED),
    MEMBER("found", "a digest, or a sentence", FILLED),
};
static const pp_fields finding_fields =
    FIELDS("verification-finding", "one thing that does not hold", finding_rows);
static const pp_field_type finding_type = {OBJECT(finding_fields)};

static const pp_field verification_rows[] = {
    MEMBER("schema_version", "version of the format", WORDS(pp_words_1_0)),
    MEMBER("document", "what this is", WORDS(word_verification)),
    MEMBER("paretopilot_version", "of the program that checked", FILLED),
    MEMBER("verdict",
           "`undecided`: nothing is wrong, but the study did not end, or its figures follow by "
           "rules that this program lacks",
           WORDS(verdict_words)),
    MEMBER("complete", "status.json says that every planned run was carried out", BOOL),
    MEMBER("checksums_sha256", "of SHA256SUMS: names the whole bundle", SHA256),
    MEMBER("plan_sha256", "of plan.json; null when it is not there", SHA256, OR_NULL),
    MEMBER("listed_count", "lines of SHA256SUMS", COUNT),
    MEMBER("hashed_count", "files that were there and were hashed", COUNT),
    MEMBER("journal_line_count", "lines of the journal; 0 when its chain is broken", COUNT),
    MEMBER("derived_count", "files made again from the raw ones and compared", COUNT),
    MEMBER("derivation_version", "rules of the benchmark set; null when there is none", FILLED,
           OR_NULL),
    MEMBER("findings", "all of them", LIST(finding_type)),
};
const pp_fields pp_verification_fields =
    FIELDS_AT("verification", "what came of checking a bundle", verification_rows, "verification");
