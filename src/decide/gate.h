/* gate.h - may a decision pass? What ci-gate asks, without files.
 *
 * Every rule is asked, and every one that is missed is listed with a sentence. The document of a
 * passed gate is the original tool's, schema 1.2: docs/formats/gate.md; that of a missed one is
 * ours: docs/formats/gate-failure.md. */
#ifndef PP_DECIDE_GATE_H
#define PP_DECIDE_GATE_H

#include "decide/passport.h"
#include "decide/regression.h"

typedef enum pp_gate_miss_kind {
    PP_GATE_NOTHING_ELIGIBLE,     /* every candidate misses a limit; nothing else is asked */
    PP_GATE_SYNTHETIC,            /* the figures are not measured, and only measured may pass */
    PP_GATE_PROVENANCE,           /* the evidence is not attributed to an Arm64 machine */
    PP_GATE_UNEXPECTED_SELECTION, /* another candidate than the expected one */
    PP_GATE_REGRESSION            /* worse than the earlier decision by more than allowed */
} pp_gate_miss_kind;

typedef struct pp_gate_rules {
    bool allow_synthetic;
    bool require_arm64_provenance;
    const char *expected_id;   /* compared byte for byte; NULL: any */
    const pp_earlier *earlier; /* NULL: not compared */
    double max_regression_percent;
} pp_gate_rules;

typedef struct pp_gate_miss {
    pp_gate_miss_kind kind;
    const char *text; /* one sentence, not escaped */
} pp_gate_miss;

#define PP_GATE_MAX_MISSES 4 /* one of each kind; nothing eligible stands alone */

typedef struct pp_gate {
    const pp_decision *decision;
    const pp_json *passport; /* NULL when nothing is eligible */
    const pp_gate_rules *rules;
    pp_gate_miss misses[PP_GATE_MAX_MISSES];
    size_t miss_count; /* 0: passed */
    pp_regressions regressions;
} pp_gate;

/* What was written beside gate.json. Paths are UTF-8. */
typedef struct pp_gate_file {
    const char *path;
    char sha256[PP_SHA256_HEX_SIZE];
} pp_gate_file;

typedef enum pp_gate_file_kind {
    PP_GATE_RECOMMENDATION,
    PP_GATE_REPORT,
    PP_GATE_PASSPORT,
    PP_GATE_RECEIPT,
    PP_GATE_FILE_COUNT
} pp_gate_file_kind;

/** "nothing-eligible", "synthetic", "provenance", "unexpected-selection", "regression" */
const char *pp_gate_miss_name(pp_gate_miss_kind kind);

/**
 * Ask every rule. The gate borrows its inputs; passport is that of the decision, NULL when nothing
 * is eligible.
 * Fails with PP_ERR_DOMAIN when the earlier decision cannot be compared with, and PP_ERR_MEMORY.
 */
PP_MUST_CHECK pp_status pp_gate_judge(pp_arena *arena, const pp_decision *decision,
                                      const pp_json *passport, const pp_gate_rules *rules,
                                      pp_gate *ret_gate, pp_error *err);

/** gate.json of a passed gate. NULL when memory is short, as the next two. */
pp_json *pp_gate_to_json(pp_arena *arena, const pp_gate *gate,
                         const pp_gate_file files[PP_GATE_FILE_COUNT]);

/** Why it was missed. */
pp_json *pp_gate_failure_to_json(pp_arena *arena, const pp_gate *gate, const char *tool_version,
                                 pp_fingerprints fingerprints);

/** The comparison with the earlier decision, whose file had this digest. */
pp_json *pp_gate_regression_to_json(pp_arena *arena, const pp_gate *gate, const char *tool_version,
                                    const char *earlier_sha256);

#endif
