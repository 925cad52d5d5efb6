/* How close the next-token distributions of an endpoint are to those of a reference. */
#include "model/field_rows.h"
#include "model/tables.h"

/* The words of enums of model/token_distribution.h and quality/agreement.h; a test compares them.
 */
static const char *const refusal_words[] = {
    "request-failed", "malformed", "speculation", "all-zero", "too-few", "other-vocabulary", NULL};
static const char *const gap_words[] = {"no-contexts", "synthetic-weights", "reference-refused",
                                        "candidate-refused", NULL};

#define TOKEN_HEAD                                                                                 \
    MEMBER("id", "number in the vocabulary; null where a server told none", INT(0, INT64_MAX),     \
           OR_NULL),                                                                               \
        MEMBER("text", "for people; null where the bytes are not UTF-8", TEXT, OR_NULL),           \
        MEMBER("bytes_hex", "its bytes, two hexadecimal digits each; empty for a mark", TEXT)

static const pp_field top_rows[] = {
    TOKEN_HEAD,
    MEMBER("logprob", "natural logarithm of its probability", NUMBER(-INFINITY, 0)),
};
static const pp_fields top_fields = FIELDS("fidelity-top", "a most probable token", top_rows);
static const pp_field_type top_type = {OBJECT(top_fields)};

static const pp_field bin_rows[] = {
    TOKEN_HEAD,
    MEMBER("reference_logprob", "natural logarithm of what the reference gives it",
           NUMBER(-INFINITY, 0)),
    MEMBER("candidate_logprob",
           "of what the candidate gives it; below -745 counts as probability 0",
           NUMBER(-INFINITY, 0)),
};
static const pp_fields bin_fields = FIELDS("fidelity-token", "a token that both told", bin_rows);
static const pp_field_type bin_type = {OBJECT(bin_fields)};

static const pp_field comparison_rows[] = {
    MEMBER("reference_top", "the reference's most probable token; several when equal",
           LIST(top_type), ITEMS(1, 1000)),
    MEMBER("candidate_top", "the candidate's", LIST(top_type), ITEMS(1, 1000)),
    MEMBER("tokens", "the reference's 20 likeliest, as far as the candidate lists them",
           LIST(bin_type), ITEMS(0, 20)),
    MEMBER("reference_rest", "probability of all other tokens", NUMBER(0, 1)),
    MEMBER("candidate_rest", "the same of the candidate", NUMBER(0, 1)),
    MEMBER("coarsened_count", "of the 20 likeliest, those that joined the rest", INT(0, 20)),
    MEMBER("agrees", "a most probable token of one is one of the other, too", BOOL),
    MEMBER("is_tied", "one side has several most probable tokens", BOOL),
    MEMBER("is_infinite", "the candidate tells probability 0 for what the reference may say", BOOL),
    MEMBER("kl_nats", "divergence of the candidate from the reference; null when infinite",
           POSITIVE_REAL, OR_NULL, UNIT("nats")),
};
static const pp_fields comparison_fields =
    FIELDS("fidelity-comparison", "two distributions side by side", comparison_rows);

static const pp_field context_rows[] = {
    MEMBER("id", "of the suite's context", FILLED),
    MEMBER("reference_refusal", "why the reference's reply cannot be used; null: it can",
           WORDS(refusal_words), OR_NULL),
    MEMBER("reference_why", "a sentence", TEXT, OR_NULL),
    MEMBER("candidate_refusal", "the same of the candidate", WORDS(refusal_words), OR_NULL),
    MEMBER("candidate_why", "a sentence", TEXT, OR_NULL),
    MEMBER("comparison", "null where nothing can be compared", OBJECT(comparison_fields), OR_NULL),
};
static const pp_fields context_fields =
    FIELDS("fidelity-context", "one context of the suite", context_rows);
static const pp_field_type context_type = {OBJECT(context_fields)};

static const pp_field summary_rows[] = {
    MEMBER("context_count", "contexts asked", COUNT),
    MEMBER("compared_count", "those with a comparison", COUNT),
    MEMBER("gap", "why the figures are absent; null: nothing is missing", WORDS(gap_words),
           OR_NULL),
    MEMBER("gap_refusal", "of a refused gap: the refusal", WORDS(refusal_words), OR_NULL),
    MEMBER("gap_context", "id of the first refused context; null: all are", TEXT, OR_NULL),
    MEMBER("agree_count", "contexts that agree", COUNT),
    MEMBER("tied_count", "contexts where one side has several most probable tokens", COUNT),
    MEMBER("coarsened_count", "tokens that joined the rest, over all contexts", COUNT),
    MEMBER("infinite_count", "contexts of infinite divergence", COUNT),
    MEMBER("reference_top1_agreement", "share of contexts that agree", NUMBER(0, 1), OR_NULL),
    MEMBER("reference_top1_agreement_lower", "end of its 95 % interval (Clopper-Pearson)",
           NUMBER(0, 1), OR_NULL),
    MEMBER("reference_top1_agreement_upper", "the other end", NUMBER(0, 1), OR_NULL),
    MEMBER("reference_kl_nats_mean", "mean divergence; null, too, when one is infinite",
           POSITIVE_REAL, OR_NULL, UNIT("nats")),
    MEMBER("reference_kl_nats_max", "the largest; null, too, when one is infinite", POSITIVE_REAL,
           OR_NULL, UNIT("nats")),
    MEMBER("reference_kl_max_context", "id of its context, or of the first infinite one", TEXT,
           OR_NULL),
};
static const pp_fields summary_fields =
    FIELDS("fidelity-summary", "all contexts together", summary_rows);

static const pp_field fidelity_rows[] = {
    MEMBER("reference", "name of what it is compared with", FILLED),
    MEMBER("reference_origin", "where the reference's figures came from", WORDS(pp_words_origin)),
    MEMBER("candidate_origin", "where the candidate's came from", WORDS(pp_words_origin)),
    MEMBER("origin", "the worse of both", WORDS(pp_words_origin)),
    MEMBER("reference_speculation", "it says that it speculates; null: it does not tell", BOOL,
           OR_NULL),
    MEMBER("candidate_speculation", "the same of the candidate", BOOL, OR_NULL),
    MEMBER("contexts", "in the order of the suite", LIST(context_type)),
    MEMBER("summary", "what follows from them", OBJECT(summary_fields)),
};
const pp_fields pp_fidelity_fields =
    FIELDS("fidelity", "next-token distributions against a reference's", fidelity_rows);
