/* Policy sets, and the decisions made by their profiles. */
#include "model/field_rows.h"
#include "model/policy_set.h"
#include "model/tables.h"

/* In the order of pp_profile_class. */
const char *const pp_words_profile_class[] = {"canonical", "derived-non-canonical", NULL};
static const char *const preference_words[] = {"canonical", "none", NULL};

static const pp_field policy_rows[] = {
    MEMBER("id", "unique", PROFILE_ID),
    MEMBER("classification",
           "`canonical` repeats the objective of the constraints, `derived-non-canonical` puts "
           "another in its place; exactly one profile is canonical",
           WORDS(pp_words_profile_class)),
    MEMBER("preference_policy",
           "`canonical` keeps the preference order of the constraints, `none` drops it; the first "
           "for the canonical profile, the second for all others",
           WORDS(preference_words)),
    MEMBER("objective",
           "what this profile is after; of the canonical one, the objective of the constraints",
           OBJECT(pp_objective_fields)),
    MEMBER("label", "for people", FILLED),
    MEMBER("description", "for people", FILLED),
    MEMBER("objective_tolerance_percent",
           "how far from the best objective still counts as good; of the canonical profile, that "
           "of the constraints",
           NUMBER(0, 100)),
};
static const pp_fields policy_fields = FIELDS("policy", "one objective and its name", policy_rows);
static const pp_field_type policy_type = {OBJECT(policy_fields)};

static const pp_field policy_set_rows[] = {
    MEMBER("schema_version", "version of the format", WORDS(pp_words_1_0)),
    MEMBER("canonical_profile_id", "id of the canonical profile", PROFILE_ID),
    MEMBER("profiles", "in the order in which they are decided and shown", LIST(policy_type),
           ITEMS(1, PP_POLICY_MAX_PROFILES)),
};
const pp_fields pp_policy_set_fields =
    FIELDS_AT("policy-set", "objectives to decide by", policy_set_rows, "policy-set");

static const pp_field fingerprint_rows[] = {
    MEMBER("benchmarks_sha256", "of the bytes that were parsed", SHA256),
    MEMBER("constraints_sha256", "of the bytes that were parsed", SHA256),
    MEMBER("policies_sha256", "of the bytes that were parsed", SHA256),
};
static const pp_fields fingerprint_fields =
    FIELDS("profiles-fingerprints", "what the decisions were made from", fingerprint_rows);

static const pp_field profile_rows[] = {
    MEMBER("id", "of the policy set", PROFILE_ID),
    MEMBER("label", "of the policy set", FILLED),
    MEMBER("description", "of the policy set", FILLED),
    MEMBER("classification", "of the policy set", WORDS(pp_words_profile_class)),
    MEMBER("scenario_notice", "a sentence: what this decision may be taken for", FILLED),
    MEMBER("recommendation", "the decision by this objective",
           OBJECT(pp_profile_recommendation_fields)),
};
static const pp_fields profile_fields =
    FIELDS("profile", "the decision of one profile", profile_rows);
static const pp_field_type profile_type = {OBJECT(profile_fields)};

static const pp_field profiles_rows[] = {
    MEMBER("schema_version", "version of the format", WORDS(pp_words_1_0)),
    MEMBER("source_schema_version", "that of the benchmark set", WORDS(pp_words_1_0)),
    MEMBER("synthetic_source", "as in each recommendation", BOOL),
    MEMBER("canonical_profile_id", "of the policy set", PROFILE_ID),
    MEMBER("canonical_selected_id", "candidate that the canonical profile selects", FILLED),
    MEMBER("input_fingerprints", "what the decisions were made from", OBJECT(fingerprint_fields)),
    MEMBER("profiles", "in the order of the policy set", LIST(profile_type),
           ITEMS(1, PP_POLICY_MAX_PROFILES)),
};
const pp_fields pp_profiles_fields =
    FIELDS_AT("profiles", "one decision for each profile", profiles_rows, "profiles");
