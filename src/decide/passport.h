/* passport.h - a decision with its context in one document: docs/formats/passport.md.
 *
 * Says which evidence stands behind the figures, how the candidates lead from one to the next, how
 * far the chosen one is from the boundary, and what would need less memory. It reports a decision
 * that was made; it never makes another. */
#ifndef PP_DECIDE_PASSPORT_H
#define PP_DECIDE_PASSPORT_H

#include "decide/recommendation.h"

/* What the metadata of the set says about the machine and the run. It is presence that is graded:
 * nobody has checked whether what stands there is true. */
typedef enum pp_grade {
    PP_GRADE_SYNTHETIC,             /* not every figure is measured */
    PP_GRADE_MEASURED_UNATTRIBUTED, /* something is missing or contradicts */
    PP_GRADE_ARM64_ATTRIBUTED       /* everything is there, and the machine is an Arm64 one */
} pp_grade;

/** "synthetic", "measured-unattributed", "arm64-attributed" */
const char *pp_grade_name(pp_grade grade);

/**
 * The passport of a decision. Figures that no number can hold (a percent of a tiny value) are null.
 *
 * tool_version   "1.2.3", stands as paretopilot_version
 * fingerprints   without digests, input_fingerprints is left out
 * ret_passport   in the arena; borrows texts of the decision's set and constraints
 *
 * Fails with PP_ERR_NO_WINNER when nothing is eligible, and PP_ERR_MEMORY.
 */
PP_MUST_CHECK pp_status pp_passport_make(pp_arena *arena, const pp_decision *decision,
                                         const char *tool_version, pp_fingerprints fingerprints,
                                         pp_json **ret_passport, pp_error *err);

/* ---- reading a passport that was made or checked (passport_check.h) ---------------------------
 */

pp_grade pp_passport_grade(const pp_json *passport);
const char *pp_passport_grade_text(const pp_json *passport);

/** What keeps the evidence from being attributed: a list of sentences, empty when nothing does. */
const pp_json *pp_passport_issues(const pp_json *passport);

/** The issues in one line, "a; b", for messages. Not escaped. NULL when memory is short. */
const char *pp_passport_issues_text(pp_arena *arena, const pp_json *passport);

#endif
