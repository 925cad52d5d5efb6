/* details.h - what the published document leaves out: docs/formats/decision-details.md. */
#ifndef PP_DECIDE_DETAILS_H
#define PP_DECIDE_DETAILS_H

#include "decide/recommendation.h"

/** The document of any decision, one without a winner included. NULL when memory is short. */
pp_json *pp_decision_details_to_json(pp_arena *arena, const pp_decision *decision,
                                     const char *tool_version, pp_fingerprints fingerprints);

#endif
