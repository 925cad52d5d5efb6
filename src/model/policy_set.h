/* policy_set.h - named objectives under which one benchmark set is decided: the declared one, and
 * others to compare with.
 *
 * Reads docs/formats/policy-set.md. What relates a profile to constraints and candidates is judged
 * in decide/profiles.h. */
#ifndef PP_MODEL_POLICY_SET_H
#define PP_MODEL_POLICY_SET_H

#include "model/constraints.h"

/* As the original tool has it: more could not be compared side by side anyway. */
#define PP_POLICY_MAX_PROFILES 32

typedef enum pp_profile_class {
    PP_PROFILE_CANONICAL, /* the objective and the preference order of the constraints */
    PP_PROFILE_DERIVED    /* an objective of its own and no preference order */
} pp_profile_class;

typedef struct pp_profile {
    pp_text id; /* 1 to 64 of a-z 0-9 -, the first no - */
    pp_text label;
    pp_text description;
    pp_profile_class class;
    pp_goal objective;
    double objective_tolerance_percent; /* 0 to 100, of the best value */
} pp_profile;

typedef struct pp_policy_set {
    pp_profile *profiles; /* document order, 1 to PP_POLICY_MAX_PROFILES, ids unique */
    size_t profile_count;
    size_t canonical; /* index of the only canonical profile */
} pp_policy_set;

/** "canonical" or "derived-non-canonical" */
const char *pp_profile_class_name(pp_profile_class class);

/** Read a parsed document; texts are borrowed from it. Fails with PP_ERR_SCHEMA "$.path: ...". */
PP_MUST_CHECK pp_status pp_policy_set_decode(pp_arena *arena, const pp_json *root,
                                             pp_policy_set *ret_policies, pp_error *err);

/** Read a file. ret_sha256 is the digest of the very bytes that were parsed. */
PP_MUST_CHECK pp_status pp_policy_set_load(pp_arena *arena, const char *path,
                                           pp_policy_set *ret_policies,
                                           char ret_sha256[PP_SHA256_HEX_SIZE], pp_error *err);

#endif
