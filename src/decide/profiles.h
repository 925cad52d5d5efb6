/* profiles.h - one benchmark set decided under several objectives, side by side.
 *
 * The canonical profile is the decision of the constraints; a derived one shows what another
 * objective would choose under the same limits. Document: docs/formats/profiles.md. */
#ifndef PP_DECIDE_PROFILES_H
#define PP_DECIDE_PROFILES_H

#include "decide/recommendation.h"
#include "model/policy_set.h"

/* A tolerance written twice is the same when it differs by no more than this, in percent points. */
#define PP_PROFILE_TOLERANCE_MATCH 1e-12

typedef struct pp_profile_decision {
    const pp_profile *profile;
    const pp_constraints *constraints; /* those it was decided by */
    pp_decision decision;              /* has_winner is false where nothing is eligible */
} pp_profile_decision;

typedef struct pp_profiles {
    const pp_benchmark_set *set;
    const pp_policy_set *policies;
    pp_profile_decision *items; /* one for each profile, in the order of the policy set */
    size_t count;
} pp_profiles;

/**
 * The constraints that a profile is decided by. Of the canonical one they are the constraints
 * themselves; of a derived one a copy in the arena with its objective, which becomes a frontier
 * metric where it is none yet, its tolerance, and no preference order.
 *
 * Fails with PP_ERR_DOMAIN when the canonical profile says another objective or tolerance than the
 * constraints, or a derived one turns a frontier metric around.
 */
PP_MUST_CHECK pp_status pp_profile_constraints(pp_arena *arena, const pp_constraints *constraints,
                                               const pp_profile *profile,
                                               const pp_constraints **ret_constraints,
                                               pp_error *err);

/**
 * Decide by every profile, in the order of the policy set. Nothing eligible is a result of a
 * profile, not a failure; pp_profiles_without_winner finds it.
 *
 * Borrows its inputs; its lists live in the arena.
 * Fails with PP_ERR_DOMAIN, naming the profile, when a candidate (eligible or not) lacks its
 * objective, and as pp_profile_constraints and pp_decide.
 * Source: docs/method/decision.md.
 */
PP_MUST_CHECK pp_status pp_profiles_decide(pp_arena *arena, const pp_benchmark_set *set,
                                           const pp_constraints *constraints,
                                           const pp_policy_set *policies, pp_profiles *ret_profiles,
                                           pp_error *err);

/** The first profile that selects nobody, NULL when each selects one. */
const pp_profile_decision *pp_profiles_without_winner(const pp_profiles *profiles);

/** One sentence: what the decision of a profile may be taken for. */
const char *pp_profile_notice(const pp_profiles *profiles, const pp_profile *profile);

/** The document, when each profile selects one. NULL when memory is short; the writer reports it.
 */
pp_json *pp_profiles_to_json(pp_arena *arena, const pp_profiles *profiles, const char *tool_version,
                             pp_fingerprints fingerprints);

#endif
