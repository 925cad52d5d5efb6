/* What ci-gate writes: docs/formats/gate.md, gate-failure.md, regression.md. */
#include "model/field_rows.h"
#include "model/tables.h"

WORD(word_1_2, "1.2");
WORD(word_failure, "gate-failure");
WORD(word_regression, "regression");
static const char *const grade_words[] = {"synthetic", "measured-unattributed", "arm64-attributed",
                                          NULL};
static const char *const miss_words[] = {"nothing-eligible",     "synthetic",  "provenance",
                                         "unexpected-selection", "regression", NULL};

static const pp_field gate_rows[] = {
    MEMBER("schema_version", "version of the format", WORDS(word_1_2)),
    MEMBER("valid", "true: the gate was passed", BOOL),
    MEMBER("selected_id", "the decision", FILLED),
    MEMBER("baseline_id", "of the benchmark set", FILLED),
    MEMBER("expected_selected_id", "`--expect-selected-id`; null when it was not given", FILLED,
           OR_NULL),
    MEMBER("expectation_matched", "true, also when nothing was expected", BOOL),
    MEMBER("synthetic_source", "false only when every figure is `measured`", BOOL),
    MEMBER("candidate_count", "in the set", INT(1, INT64_MAX)),
    MEMBER("eligible_count", "inside every limit", INT(1, INT64_MAX)),
    MEMBER("frontier_count", "that no other dominates", INT(1, INT64_MAX)),
    MEMBER("evidence_grade", "of the passport", WORDS(grade_words)),
    MEMBER("recommendation", "path of `recommendation.json`", PATH),
    MEMBER("recommendation_sha256", "of its bytes", SHA256),
    MEMBER("report", "path of `report.html`", PATH),
    MEMBER("report_sha256", "of its bytes", SHA256),
    MEMBER("decision_passport", "path of `decision-passport.json`", PATH),
    MEMBER("decision_passport_sha256", "of its bytes", SHA256),
    MEMBER("optimization_receipt", "path of `optimization-receipt.md`", PATH),
    MEMBER("optimization_receipt_sha256", "of its bytes", SHA256),
    OPTION("receipt", "path of `gate.json` itself; only in what `ci-gate --json` prints", NULL,
           PATH),
    OPTION("receipt_sha256", "of its bytes; as the one before", NULL, SHA256),
};
const pp_fields pp_gate_fields = FIELDS_AT("gate", "a passed gate", gate_rows, "gate");

static const pp_field regression_metric_rows[] = {
    MEMBER("metric", "name of the metric", TEXT),
    MEMBER("direction", "whether less or more is better", WORDS(pp_words_direction)),
    MEMBER("earlier", "of the candidate selected then; null when it was not measured", REAL,
           OR_NULL),
    MEMBER("now", "of the candidate selected now; null when it was not measured", REAL, OR_NULL),
    MEMBER("worse_by",
           "in the metric's unit, below 0 for better; null unless both are there, and beyond the "
           "range of a number",
           REAL, OR_NULL),
    MEMBER("worse_percent", "of the earlier value's size; null when that is 0", REAL, OR_NULL),
    MEMBER("missed", "worse by more than was allowed, or not measured any more", BOOL),
};
static const pp_fields regression_metric_fields =
    FIELDS("regression-metric", "one metric then and now", regression_metric_rows);
static const pp_field_type regression_metric_type = {OBJECT(regression_metric_fields)};

static const pp_field regression_rows[] = {
    MEMBER("document", "what this is", WORDS(word_regression)),
    MEMBER("schema_version", "version of the format", WORDS(pp_words_1_0)),
    MEMBER("paretopilot_version", "of the program that compared", FILLED),
    MEMBER("earlier_sha256", "of the file given to `--against`", SHA256),
    MEMBER("earlier_selected_id", "who was selected then", FILLED),
    MEMBER("selected_id", "who is selected now", FILLED),
    MEMBER("max_regression_percent", "`--max-regression`", POSITIVE_REAL),
    MEMBER("metrics", "by name", LIST(regression_metric_type)),
};
const pp_fields pp_regression_fields =
    FIELDS_AT("regression", "a decision against an earlier one", regression_rows, "regression");

WORD(word_kit, "synthetic-launch-kit");

static const pp_field init_rows[] = {
    MEMBER("schema_version", "version of the format", WORDS(pp_words_1_0)),
    MEMBER("valid", "true: the files were written", BOOL),
    MEMBER("classification", "what they are", WORDS(word_kit)),
    MEMBER("synthetic_source", "true: the figures are made up", BOOL),
    MEMBER("selected_id", "who is selected with them", FILLED),
    MEMBER("action_ref", "`--action-ref`; null when the workflow calls an installed program",
           FILLED, OR_NULL),
    MEMBER("output_directory", "the new folder, absolute", PATH),
    MEMBER("working_directory", "where the next command works: the same", PATH),
    MEMBER("files", "what was written, below it, by name", LIST(pp_type_filled), AT_LEAST_ONE),
    MEMBER("next_command", "quoted for a POSIX shell", FILLED),
};
const pp_fields pp_init_fields = FIELDS_AT("init", "a project that was begun", init_rows, "init");

static const pp_field miss_rows[] = {
    MEMBER("kind", "which rule", WORDS(miss_words)),
    MEMBER("text", "a sentence", FILLED),
};
static const pp_fields miss_fields = FIELDS("gate-miss", "one rule that was missed", miss_rows);
static const pp_field_type miss_type = {OBJECT(miss_fields)};

static const pp_field fingerprint_rows[] = {
    MEMBER("benchmarks_sha256", "of the bytes that were parsed", SHA256),
    MEMBER("constraints_sha256", "of the bytes that were parsed", SHA256),
};
static const pp_fields fingerprint_fields =
    FIELDS("gate-inputs", "what was judged", fingerprint_rows);
static const pp_field_type texts_type = {LIST(pp_type_filled), AT_LEAST_ONE};

static const pp_field failure_rows[] = {
    MEMBER("document", "what this is", WORDS(word_failure)),
    MEMBER("schema_version", "version of the format", WORDS(pp_words_1_0)),
    MEMBER("paretopilot_version", "of the program that judged", FILLED),
    MEMBER("input_fingerprints", "what was judged", OBJECT(fingerprint_fields)),
    MEMBER("valid", "false: the gate was missed", BOOL),
    MEMBER("baseline_id", "of the benchmark set", FILLED),
    MEMBER("selected_id", "the decision; null when nothing is eligible", FILLED, OR_NULL),
    MEMBER("evidence_grade", "of the passport; null when nothing is eligible", WORDS(grade_words),
           OR_NULL),
    MEMBER("origin", "of the figures", WORDS(pp_words_origin)),
    MEMBER("candidate_count", "in the set", INT(1, INT64_MAX)),
    MEMBER("eligible_count", "inside every limit", COUNT),
    MEMBER("misses", "every rule that was missed", LIST(miss_type), AT_LEAST_ONE),
    MEMBER("rejected", "id to its violations, as sentences", MAP(texts_type)),
    MEMBER("regressions", "every metric compared; empty without `--against`",
           LIST(regression_metric_type)),
};
const pp_fields pp_gate_failure_fields =
    FIELDS_AT("gate-failure", "why a gate was missed", failure_rows, "gate-failure");
