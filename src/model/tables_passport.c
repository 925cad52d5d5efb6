/* The passport of a decision, and what the commands that write it or its receipt print. */
#include "model/field_rows.h"
#include "model/tables.h"

static const char *const grade_words[] = {"arm64-attributed", "measured-unattributed", "synthetic",
                                          NULL};
static const char *const effect_words[] = {"held", "improved", "tradeoff", "changed", NULL};
static const char *const rule_words[] = {"at-or-below", "at-or-above", NULL};

/* ---- provenance ------------------------------------------------------------------------------ */

static const pp_field runner_rows[] = {
    MEMBER("architecture",
           "`source.runner.architecture`, case folded; `arm64` for each spelling of it", FILLED,
           OR_NULL),
    MEMBER("reported_architecture", "the same as the set has it", FILLED, OR_NULL),
    MEMBER("cpu", "`source.runner.cpu`", FILLED, OR_NULL),
    MEMBER("os", "`source.runner.os`", FILLED, OR_NULL),
    MEMBER("cpu_count", "`source.runner.cpu_count`", INT(1, INT64_MAX), OR_NULL),
};
static const pp_fields runner_fields =
    FIELDS("passport-runner", "the machine that measured", runner_rows);

static const pp_field run_rows[] = {
    MEMBER("id", "`source.run_id`; a number became text", FILLED, OR_NULL),
    MEMBER("attempt", "`source.run_attempt`", INT(1, INT64_MAX), OR_NULL),
};
static const pp_fields run_fields = FIELDS("passport-run", "the run that measured", run_rows);

static const pp_field source_rows[] = {
    MEMBER("repository", "`source.repository`", FILLED, OR_NULL),
    MEMBER("revision", "`source.revision`", FILLED, OR_NULL),
    MEMBER("workflow", "`source.workflow`", FILLED, OR_NULL),
};
static const pp_fields source_fields =
    FIELDS("passport-source", "what the run was started from", source_rows);

static const pp_field program_rows[] = {
    MEMBER("name", "`runtime.name`, `model_family.name`", FILLED, OR_NULL),
    MEMBER("repository", "`.repository` of the same", FILLED, OR_NULL),
    MEMBER("revision", "`.revision` of the same", FILLED, OR_NULL),
};
static const pp_fields program_fields =
    FIELDS("passport-program", "runtime or model", program_rows);

static const pp_field suite_rows[] = {
    MEMBER("id", "`evaluation_suite.id`", FILLED, OR_NULL),
    MEMBER("sha256", "`evaluation_suite.sha256`, lower case", SHA256, OR_NULL),
};
static const pp_fields suite_fields =
    FIELDS("passport-suite", "what quality was judged by", suite_rows);

static const pp_field provenance_rows[] = {
    MEMBER("attribution_complete", "whether nothing is missing: `issues` is empty", BOOL),
    MEMBER("classification", "`classification`; plays no part in the grade", FILLED, OR_NULL),
    MEMBER("runner", "the machine that measured", OBJECT(runner_fields)),
    MEMBER("run", "the run that measured", OBJECT(run_fields)),
    MEMBER("source", "what the run was started from", OBJECT(source_fields)),
    MEMBER("runtime", "the program that ran the model", OBJECT(program_fields)),
    MEMBER("model", "the model, `model_family`", OBJECT(program_fields)),
    MEMBER("evaluation_suite", "what quality was judged by", OBJECT(suite_fields)),
    MEMBER("issues", "what keeps the evidence from being attributed, as sentences",
           LIST(pp_type_filled)),
    MEMBER("verification_scope", "what was checked and what was not", FILLED),
};
static const pp_fields provenance_fields =
    FIELDS("passport-provenance",
           "where the figures come from; each value is that of `metadata`, null when it is missing "
           "or of another kind",
           provenance_rows);

/* ---- decision and objective ------------------------------------------------------------------ */

static const pp_field decision_rows[] = {
    MEMBER("candidate_id", "the chosen candidate", FILLED),
    MEMBER("label", "for people", FILLED),
    MEMBER("baseline_id", "of the benchmark set", FILLED),
    MEMBER("baseline_retained", "whether the two are the same", BOOL),
    MEMBER("numeric_best", "whether it has the best objective of the frontier", BOOL),
    MEMBER("reason", "a sentence, as in the recommendation", FILLED),
};
static const pp_fields decision_fields =
    FIELDS("passport-decision", "what was decided", decision_rows);

static const pp_field distance_rows[] = {
    MEMBER("absolute", "in the objective's unit; null when the boundary is", REAL, OR_NULL),
    MEMBER("percent_of_boundary",
           "of the boundary's size; null when that is 0 or null, or no number can hold it", REAL,
           OR_NULL),
};
static const pp_fields distance_fields =
    FIELDS("passport-distance", "how far from the boundary", distance_rows);

static const pp_field objective_rows[] = {
    MEMBER("metric", "name of the metric", FILLED),
    MEMBER("direction", "whether less or more is better", WORDS(pp_words_direction)),
    MEMBER("numeric_best_id", "frontier candidate with the best value", FILLED),
    MEMBER("numeric_best_value", "its value", REAL),
    MEMBER("tolerance_percent", "of the constraints", NUMBER(0, 100)),
    MEMBER("tolerance_margin",
           "size of numeric_best_value * tolerance_percent / 100, multiplied left to right",
           POSITIVE_REAL),
    MEMBER("shortlist_boundary",
           "the best value plus the margin, or minus it where more is better; null beyond the "
           "range of a number: then every value is inside",
           REAL, OR_NULL),
    MEMBER("boundary_rule", "on which side of it a value is inside", WORDS(rule_words)),
    MEMBER("selected_value", "of the chosen candidate", REAL),
    MEMBER("selected_runway",
           "room to the boundary; 0 also when the value is behind it by less than 1e-9 of either, "
           "which counts as inside",
           OBJECT(distance_fields)),
    MEMBER("shortlist_ids", "frontier candidates within the tolerance, by code point",
           LIST(pp_type_filled), AT_LEAST_ONE),
};
static const pp_fields objective_fields =
    FIELDS("passport-objective", "the objective, and how close the decision was", objective_rows);

static const pp_field outside_rows[] = {
    MEMBER("candidate_id", "frontier candidate", FILLED),
    MEMBER("label", "for people", FILLED),
    MEMBER("stage", "its place in the ladder", INT(1, INT64_MAX)),
    MEMBER("objective_value", "its value", REAL),
    MEMBER("shortfall_to_shortlist", "how far it lies behind the boundary",
           OBJECT(distance_fields)),
};
static const pp_fields outside_fields =
    FIELDS("passport-outside", "the frontier candidate closest behind the boundary", outside_rows);

/* ---- ladder ---------------------------------------------------------------------------------- */

static const pp_field change_rows[] = {
    MEMBER("metric", "name of the metric", TEXT),
    MEMBER("direction", "whether less or more is better; null when nobody says",
           WORDS(pp_words_direction), OR_NULL),
    MEMBER("previous", "value before", REAL),
    MEMBER("current", "value after", REAL),
    MEMBER("absolute", "current - previous; null beyond the range of a number", REAL, OR_NULL),
    MEMBER("percent",
           "absolute / previous * 100, previous with its sign; null when it is 0 or the result "
           "beyond the range of a number",
           REAL, OR_NULL),
    MEMBER("effect",
           "`held` within 1e-9 of either or 1e-12; else `improved`, `tradeoff`, or `changed` "
           "without a direction",
           WORDS(effect_words)),
};
static const pp_fields change_fields =
    FIELDS("passport-change", "one metric of two candidates", change_rows);
static const pp_field_type change_type = {OBJECT(change_fields)};

static const pp_field delta_rows[] = {
    MEMBER("previous_candidate_id", "the stage before", FILLED),
    MEMBER("metrics", "metrics that both have, by code point", LIST(change_type)),
    MEMBER("not_comparable_metrics", "metrics that only one of the two has, by code point",
           LIST(pp_type_text)),
};
static const pp_fields delta_fields =
    FIELDS("passport-delta", "a stage against the one before", delta_rows);

#define STATUS_ROWS                                                                                \
    MEMBER("eligible", "inside every limit", BOOL),                                                \
        MEMBER("frontier", "eligible, and no other dominates it", BOOL),                           \
        MEMBER("shortlisted", "on the frontier and within the tolerance", BOOL),                   \
        MEMBER("selected", "the chosen one", BOOL),                                                \
        MEMBER("baseline", "the one the others are compared with", BOOL),                          \
        MEMBER("constraint_violations", "sentences, as in the recommendation",                     \
               LIST(pp_type_filled))

static const pp_field stage_rows[] = {
    MEMBER("stage", "place in the ladder", INT(1, INT64_MAX)),
    MEMBER("attribution_stage", "`parameters.configuration.attribution_stage`, null without text",
           FILLED, OR_NULL),
    MEMBER("recognized_attribution_stage",
           "whether that is `reference`, `quantization`, `arm-kernel` or `runtime-tuning`", BOOL),
    MEMBER("candidate_id", "of the benchmark set", FILLED),
    MEMBER("label", "for people", FILLED),
    MEMBER("objective_value", "null when it was not measured", REAL, OR_NULL),
    STATUS_ROWS,
    MEMBER("delta_from_previous", "null for the first", OBJECT(delta_fields), OR_NULL),
};
static const pp_fields stage_fields =
    FIELDS("passport-stage", "one candidate in the ladder", stage_rows);
static const pp_field_type stage_type = {OBJECT(stage_fields)};

static const pp_field alternative_rows[] = {
    MEMBER("candidate_id", "an eligible candidate, neither chosen nor the baseline", FILLED),
    MEMBER("label", "for people", FILLED),
    MEMBER("stage", "its place in the ladder", INT(1, INT64_MAX)),
    STATUS_ROWS,
    MEMBER("improvements", "against the baseline, by code point", LIST(change_type)),
    MEMBER("tradeoffs", "what gets worse", LIST(change_type)),
    MEMBER("other_changes", "what is held, or has no direction", LIST(change_type)),
    MEMBER("is_secondary_not_recommendation", "always true", BOOL),
};
static const pp_fields alternative_fields =
    FIELDS("passport-alternative", "a candidate that needs less memory or a smaller file",
           alternative_rows);

/* ---- document -------------------------------------------------------------------------------- */

static const pp_field method_rows[] = {
    MEMBER("selection", "how the candidate was chosen", FILLED),
    MEMBER("ladder_order", "how the ladder is ordered", FILLED),
    MEMBER("resource_alternative", "how the alternative is found", FILLED),
    MEMBER("current_boundary_caveat", "what the distances do not say", FILLED),
    MEMBER("canonical_outputs_modified", "always false: a passport changes no decision", BOOL),
};
static const pp_fields method_fields =
    FIELDS("passport-method", "sentences for readers", method_rows);

static const pp_field passport_rows[] = {
    MEMBER("schema_version", "version of the format", WORDS(pp_words_1_0)),
    MEMBER("paretopilot_version", "of the program that wrote it", FILLED),
    MEMBER("evidence_grade", "what the metadata of the set lets one say", WORDS(grade_words)),
    MEMBER("provenance", "where the figures come from", OBJECT(provenance_fields)),
    MEMBER("selected_decision", "what was decided", OBJECT(decision_fields)),
    MEMBER("objective", "the objective, and how close the decision was", OBJECT(objective_fields)),
    MEMBER("ladder", "every candidate", LIST(stage_type), AT_LEAST_ONE),
    MEMBER("closest_outside_shortlist", "null when no frontier candidate is outside",
           OBJECT(outside_fields), OR_NULL),
    MEMBER("resource_alternative", "null when there is none, and for figures that are not measured",
           OBJECT(alternative_fields), OR_NULL),
    MEMBER("method", "sentences for readers", OBJECT(method_fields)),
    OPTION("input_fingerprints", "what the decision was made from", NULL,
           OBJECT(pp_input_fingerprint_fields)),
};
const pp_fields pp_passport_fields =
    FIELDS_AT("passport", "a decision with its context", passport_rows, "passport");

/* ---- what the commands print ----------------------------------------------------------------- */

#define RESULT_ROWS(file, digest)                                                                  \
    MEMBER("valid", "false: the evidence is not what was asked for, and nothing was written",      \
           BOOL),                                                                                  \
        MEMBER("evidence_grade", "as in the passport", WORDS(grade_words)),                        \
        MEMBER("selected_id", "the chosen candidate", FILLED),                                     \
        MEMBER(file, "path of the file; null when nothing was written", TEXT, OR_NULL),            \
        MEMBER(digest, "of its bytes; null when nothing was written", SHA256, OR_NULL),            \
        OPTION("issues", "of the passport; only when nothing was written", NULL,                   \
               LIST(pp_type_filled))

static const pp_field passport_result_rows[] = {RESULT_ROWS("passport", "passport_sha256")};
const pp_fields pp_passport_result_fields =
    FIELDS_AT("passport-result", "what `passport --json` prints", passport_result_rows, "passport");

static const pp_field receipt_result_rows[] = {
    RESULT_ROWS("optimization_receipt", "optimization_receipt_sha256")};
const pp_fields pp_receipt_result_fields = FIELDS_AT(
    "receipt-result", "what `optimization-receipt --json` prints", receipt_result_rows, "receipt");
