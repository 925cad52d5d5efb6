/* report_extras.h - what `report` shows beside the decision: other priorities, load, repeatability,
 * as its options name them. */
#ifndef PP_CLI_REPORT_EXTRAS_H
#define PP_CLI_REPORT_EXTRAS_H

#include "cli/inputs.h"
#include "decide/profiles.h"
#include "decide/stability.h"
#include "evidence/verify.h"
#include "report/html.h"

/* Must not move: the profiles point into it. */
typedef struct pp_report_documents {
    const pp_verification *checked; /* of the bundle that they are of; NULL: given one by one */
    pp_policy_set policies;
    pp_profiles profiles;
    char policies_sha256[PP_SHA256_HEX_SIZE];
    pp_combined_load_evaluation load;
    char load_sha256[PP_SHA256_HEX_SIZE];
    pp_load_document load_documents[PP_REPORT_MAX_LOADS];
    char load_documents_sha256[PP_REPORT_MAX_LOADS][PP_SHA256_HEX_SIZE];
    pp_stability stability;
    char stability_sha256[PP_SHA256_HEX_SIZE];
    pp_report_extras extras; /* points to those of the above that were given */
} pp_report_documents;

/**
 * Read --policies, --load and --stability where they are given, and hold them against the set.
 * Everything lives in the arena of `inputs`. Fails with PP_ERR_SCHEMA, and PP_ERR_DOMAIN when a
 * document is about other candidates.
 */
PP_MUST_CHECK pp_status pp_report_documents_load(const pp_args *args, pp_inputs *inputs,
                                                 pp_report_documents *documents, pp_error *err);

/**
 * The same from a bundle that was checked, which has them under names of its own; what it lacks
 * stays absent. Loads are those of the plan's candidates, under their labels; none without a plan.
 * Fails with PP_ERR_DOMAIN also when a document is no longer the file that was hashed.
 */
PP_MUST_CHECK pp_status pp_report_documents_of_bundle(const pp_verification *checked,
                                                      const pp_study_plan *plan, pp_inputs *inputs,
                                                      pp_report_documents *documents,
                                                      pp_error *err);

#endif
