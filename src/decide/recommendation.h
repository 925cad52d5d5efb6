/* recommendation.h - the published document about a decision: docs/formats/recommendation.md. */
#ifndef PP_DECIDE_RECOMMENDATION_H
#define PP_DECIDE_RECOMMENDATION_H

#include "decide/decision.h"

typedef struct pp_fingerprints {
    const char *benchmarks_sha256; /* 64 digits; NULL leaves input_fingerprints out */
    const char *constraints_sha256;
    const char *policies_sha256; /* NULL where there is no policy set */
} pp_fingerprints;

/** Set `input_fingerprints` of a document, unless they are left out. */
void pp_fingerprints_put(pp_arena *arena, pp_json *out, pp_fingerprints fingerprints);

/**
 * The document of a decision with a winner. Figures that no number can hold (a percent of a tiny
 * baseline) are null.
 *
 * tool_version   "1.2.3", stands as paretopilot_version
 * NULL when memory is short; the writer reports it.
 */
pp_json *pp_recommendation_to_json(pp_arena *arena, const pp_decision *decision,
                                   const char *tool_version, pp_fingerprints fingerprints);

/** One sentence: why the selected candidate was selected. NULL when memory is short. */
const char *pp_decision_reason(pp_arena *arena, const pp_decision *decision);

#endif
