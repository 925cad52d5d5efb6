/* Benchmark set, constraints and what a decision writes. */
#include "model/field_rows.h"
#include "model/tables.h"

const pp_field_type pp_type_any = {ANY};
const pp_field_type pp_type_text = {TEXT};
const pp_field_type pp_type_filled = {FILLED};
const pp_field_type pp_type_number = {REAL};
const pp_field_type pp_type_file_id = {FILE_ID};

const char *const pp_words_1_0[] = {"1.0", NULL};
const char *const pp_words_direction[] = {"min", "max", NULL};
const char *const pp_words_origin[] = {"measured",
                                       "synthetic-weights",
                                       "constructed-weights",
                                       "simulated",
                                       "emulated",
                                       "imported",
                                       "unknown",
                                       NULL};
const pp_field_type pp_type_direction = {WORDS(pp_words_direction)};

/* ---- benchmark set ----------------------------------------------------------------------------
 */

static const pp_field candidate_rows[] = {
    MEMBER("id", "kept as it is, outer blanks included; unique", FILLED),
    OPTION("label", "for people; the id when absent", NULL, FILLED),
    OPTION("parameters", "free content, carried over as it is: 4 stays 4 and 4.0 stays 4.0", "{}",
           FREE),
    MEMBER("metrics", "each metric's value, in the unit that the suffix of its name tells",
           MAP(pp_type_number), AT_LEAST_ONE),
};
static const pp_fields candidate_fields = FIELDS("candidate", "one candidate", candidate_rows);
static const pp_field_type candidate_type = {OBJECT(candidate_fields)};

static const pp_field set_rows[] = {
    MEMBER("schema_version", "version of the format", WORDS(pp_words_1_0)),
    MEMBER("baseline_id", "id of the candidate the others are compared with", FILLED),
    MEMBER("candidates", "in the order of the document", LIST(candidate_type), AT_LEAST_ONE),
    OPTION("metadata", "free content, carried over as it is", "{}", FREE),
    MEMBER("synthetic",
           "false only when every figure was measured with a real model on a real "
           "machine",
           BOOL),
};
const pp_fields pp_benchmark_set_fields =
    FIELDS_AT("benchmark-set", "what was measured of each candidate", set_rows, "benchmark-set");

/* ---- constraints ------------------------------------------------------------------------------
 */

WORD(word_2_0, "2.0");
static const char *const quality_words[] = {"judged", "not-measurable", NULL};

static const pp_field objective_rows[] = {
    MEMBER("metric", "name of the metric", FILLED),
    MEMBER("direction", "whether less or more is better", WORDS(pp_words_direction)),
};
const pp_fields pp_objective_fields =
    FIELDS("objective", "what the decision is after", objective_rows);

#define LIMIT_ROWS                                                                                 \
    OPTION("min_quality_retention", "how much of the baseline's quality must remain", "1.0",       \
           NUMBER(0, 1)),                                                                          \
        OPTION("quality_metric", "name of the metric that is quality", "\"quality_score\"",        \
               FILLED),                                                                            \
        OPTION("max_values", "metric to the largest value allowed", "{}", MAP(pp_type_number)),    \
        OPTION("min_values", "metric to the smallest value allowed; not above its `max_values`",   \
               "{}", MAP(pp_type_number)),                                                         \
        MEMBER("objective", "what the decision is after", OBJECT(pp_objective_fields)),            \
        MEMBER("frontier_metrics",                                                                 \
               "metrics that are weighed against each other; holds the objective with the same "   \
               "direction, and the quality metric only as `max`",                                  \
               MAP(pp_type_direction), AT_LEAST_ONE),                                              \
        OPTION("objective_tolerance_percent",                                                      \
               "how far from the best objective a preferred candidate may be", "0.0",              \
               NUMBER(0, 100)),                                                                    \
        OPTION("preference_order", "ids, best first; when given, exactly all candidates", "[]",    \
               LIST(pp_type_filled))

static const pp_field constraints_1_0_rows[] = {LIMIT_ROWS};
static const pp_field constraints_2_0_rows[] = {
    LIMIT_ROWS,
    MEMBER("schema_version", "version of the format", WORDS(word_2_0)),
    OPTION("quality",
           "with `not-measurable`, `min_quality_retention` and `quality_metric` must be absent",
           "\"judged\"", WORDS(quality_words)),
};
const pp_fields pp_constraints_1_0_fields = FIELDS_AT(
    "constraints-1.0", "schema 1.0, without `schema_version`", constraints_1_0_rows, "constraints");
const pp_fields pp_constraints_2_0_fields =
    FIELDS_AT("constraints-2.0", "schema 2.0", constraints_2_0_rows, "constraints");
const pp_field_choice pp_constraints_choices[] = {
    {"schema_version", NULL, &pp_constraints_1_0_fields},
    {"schema_version", "2.0", &pp_constraints_2_0_fields},
    {0},
};

/* ---- recommendation ---------------------------------------------------------------------------
 */

#define APPLIED_ROWS                                                                               \
    MEMBER("max_values", "as in the constraints", MAP(pp_type_number)),                            \
        MEMBER("min_values", "as in the constraints", MAP(pp_type_number)),                        \
        MEMBER("objective", "as in the constraints", OBJECT(pp_objective_fields)),                 \
        MEMBER("frontier_metrics", "as in the constraints", MAP(pp_type_direction), AT_LEAST_ONE), \
        MEMBER("objective_tolerance_percent", "as in the constraints", NUMBER(0, 100)),            \
        MEMBER("preference_order", "as in the constraints", LIST(pp_type_filled))

static const pp_field applied_1_0_rows[] = {
    MEMBER("min_quality_retention", "as in the constraints", NUMBER(0, 1)),
    MEMBER("quality_metric", "as in the constraints", FILLED),
    APPLIED_ROWS,
};
static const pp_field applied_2_0_rows[] = {
    MEMBER("schema_version", "of the constraints", WORDS(word_2_0)),
    MEMBER("quality", "whether quality was judged", WORDS(quality_words)),
    MEMBER("min_quality_retention", "null when quality was not judged", NUMBER(0, 1), OR_NULL),
    MEMBER("quality_metric", "null when quality was not judged", FILLED, OR_NULL),
    APPLIED_ROWS,
};
static const pp_fields applied_1_0_fields =
    FIELDS("applied-constraints-1.0", "constraints of schema 1.0 with every default filled in",
           applied_1_0_rows);
static const pp_fields applied_2_0_fields =
    FIELDS("applied-constraints-2.0", "constraints of schema 2.0 with every default filled in",
           applied_2_0_rows);
static const pp_field_choice applied_choices[] = {
    {"schema_version", NULL, &applied_1_0_fields},
    {"schema_version", "2.0", &applied_2_0_fields},
    {0},
};

static const pp_field selection_rows[] = {
    MEMBER("numeric_best_id", "frontier candidate with the best objective", FILLED),
    MEMBER("numeric_best_value", "its objective", REAL),
    MEMBER("objective_tolerance_percent", "of the constraints", NUMBER(0, 100)),
    MEMBER("shortlist_ids", "frontier candidates within the tolerance, by code point",
           LIST(pp_type_filled), AT_LEAST_ONE),
    MEMBER("preference_order_applied", "whether an order was given", BOOL),
    MEMBER("preference_changed_winner", "whether another than the best was chosen because of it",
           BOOL),
    MEMBER("reason", "a sentence", FILLED),
};
static const pp_fields selection_fields =
    FIELDS("selection", "how the frontier became one candidate", selection_rows);

static const pp_field selected_rows[] = {
    MEMBER("id", "of the chosen candidate", FILLED),
    MEMBER("label", "for people", FILLED),
    MEMBER("parameters", "unchanged", FREE),
    MEMBER("metrics", "as reals", MAP(pp_type_number), AT_LEAST_ONE),
};
static const pp_fields selected_fields =
    FIELDS("selected", "the chosen candidate as the set has it", selected_rows);

static const pp_field delta_rows[] = {
    MEMBER("baseline", "value of the baseline", REAL),
    MEMBER("selected", "value of the chosen one", REAL),
    MEMBER("absolute", "selected - baseline; null beyond the range of a number", REAL, OR_NULL),
    MEMBER("percent",
           "absolute / baseline * 100, the baseline with its sign; null when it is 0 or the result "
           "beyond the range of a number",
           REAL, OR_NULL),
};
static const pp_fields delta_fields =
    FIELDS("delta", "one metric of the chosen candidate against the baseline", delta_rows);
static const pp_field_type delta_type = {OBJECT(delta_fields)};

static const pp_field fingerprint_rows[] = {
    MEMBER("benchmarks_sha256", "of the bytes that were parsed", SHA256),
    MEMBER("constraints_sha256", "of the bytes that were parsed", SHA256),
};
const pp_fields pp_input_fingerprint_fields =
    FIELDS("input-fingerprints", "what the decision was made from", fingerprint_rows);

static const pp_field_type texts_type = {LIST(pp_type_filled), AT_LEAST_ONE};

static const pp_field recommendation_rows[] = {
    MEMBER("schema_version", "version of the format", WORDS(pp_words_1_0)),
    MEMBER("paretopilot_version", "of the program that decided", FILLED),
    MEMBER("source_schema_version", "that of the benchmark set", WORDS(pp_words_1_0)),
    MEMBER("synthetic_source",
           "false only when every figure is `measured`: `synthetic` of the set, or any worse "
           "origin that it states",
           BOOL),
    MEMBER("source_metadata", "`metadata` of the benchmark set, unchanged", FREE),
    MEMBER("baseline_id", "of the benchmark set", FILLED),
    MEMBER("selected_id", "the decision", FILLED),
    MEMBER("objective", "of the constraints", OBJECT(pp_objective_fields)),
    MEMBER("constraints", "with every default filled in and limits as reals",
           CHOICE(applied_choices)),
    MEMBER("selection", "how the frontier became one candidate", OBJECT(selection_fields)),
    MEMBER("eligible_ids", "candidates inside every limit, by code point", LIST(pp_type_filled),
           AT_LEAST_ONE),
    MEMBER("frontier_ids", "eligible candidates that no other dominates, by code point",
           LIST(pp_type_filled), AT_LEAST_ONE),
    MEMBER("rejected", "id to its violations, as sentences", MAP(texts_type)),
    MEMBER("selected", "the chosen candidate", OBJECT(selected_fields)),
    MEMBER("deltas_vs_baseline", "each metric that both have", MAP(delta_type)),
    MEMBER("input_fingerprints", "what the decision was made from",
           OBJECT(pp_input_fingerprint_fields)),
};
const pp_fields pp_recommendation_fields = FIELDS_AT(
    "recommendation", "the chosen candidate and why", recommendation_rows, "recommendation");

/* Inside profiles: the digests, which are the last row, stand once for all of them. */
const pp_fields pp_profile_recommendation_fields = {
    .name = "profile-recommendation",
    .help = "as `recommendation`, without its fingerprints",
    .rows = recommendation_rows,
    .row_count = PP_COUNT_OF(recommendation_rows) - 1,
};

/* ---- decision details -------------------------------------------------------------------------
 */

WORD(word_details, "decision-details");
static const char *const reason_words[] = {"R1", "R2", "R3", "R4", NULL};
static const char *const dominance_words[] = {"tolerant", "exact-after-circular-near-ties", NULL};
static const char *const standing_words[] = {"selected",  "shortlist", "frontier",
                                             "dominated", "rejected",  NULL};
static const char *const violation_words[] = {"missing-metric", "quality-retention",
                                              "above-maximum", "below-minimum", NULL};

static const pp_field details_objective_rows[] = {
    MEMBER("metric", "name of the metric", FILLED),
    MEMBER("direction", "whether less or more is better", WORDS(pp_words_direction)),
    MEMBER("tolerance_percent", "of the constraints", NUMBER(0, 100)),
    MEMBER("best_id", "frontier candidate with the best value; null without a winner", FILLED,
           OR_NULL),
    MEMBER("best_value", "its value; null without a winner", REAL, OR_NULL),
    MEMBER("cutoff",
           "worst value that still counts as good enough; null without a winner or when "
           "infinite",
           REAL, OR_NULL),
};
static const pp_fields details_objective_fields =
    FIELDS("details-objective", "the objective and how far one may be from its best",
           details_objective_rows);

static const pp_field near_miss_rows[] = {
    MEMBER("id", "of the candidate", FILLED),
    MEMBER("shortfall", "as of a candidate", REAL, OR_NULL),
    MEMBER("shortfall_percent", "as of a candidate", REAL, OR_NULL),
};
static const pp_fields near_miss_fields =
    FIELDS("near-miss", "the frontier candidate closest outside the cutoff", near_miss_rows);

static const pp_field violation_rows[] = {
    MEMBER("kind", "which limit was missed", WORDS(violation_words)),
    MEMBER("metric", "name of the metric", TEXT),
    MEMBER("value", "of the candidate; null for a missing metric, as the next three", REAL,
           OR_NULL),
    MEMBER("limit",
           "for quality retention the floor: the baseline's quality times "
           "`min_quality_retention`",
           REAL, OR_NULL),
    MEMBER("slack", "room to the limit in the metric's unit, negative here", REAL, OR_NULL),
    MEMBER("slack_percent", "of the limit's size; null for a limit of 0", REAL, OR_NULL),
    MEMBER("text", "the sentence of the recommendation", FILLED),
};
static const pp_fields violation_fields = FIELDS("violation", "one missed limit", violation_rows);
static const pp_field_type violation_type = {OBJECT(violation_fields)};

static const pp_field miss_rows[] = {
    MEMBER("kind", "which limit", WORDS(violation_words)),
    MEMBER("metric", "name of the metric", TEXT),
    MEMBER("missed_by", "in the metric's unit, above 0; null beyond the range of a number", REAL,
           OR_NULL),
    MEMBER("missed_by_percent", "of the limit's size", REAL),
};
static const pp_fields miss_fields =
    FIELDS("miss", "one limit and how far it was missed", miss_rows);

static const pp_field improvement_rows[] = {
    MEMBER("metric", "of the frontier", TEXT),
    MEMBER("value", "the first value of it, everything else unchanged, that nobody dominates",
           REAL),
    MEMBER("change", "from the value it has, below 0 where less is better", REAL),
    MEMBER("change_percent", "of the present value's size; null when that is 0", REAL, OR_NULL),
};
static const pp_fields improvement_fields =
    FIELDS("improvement", "what would put a dominated candidate on the frontier", improvement_rows);

static const pp_field verdict_rows[] = {
    MEMBER("id", "of the candidate", FILLED),
    MEMBER("status", "what the decision made of it", WORDS(standing_words)),
    MEMBER("violations", "empty unless rejected", LIST(violation_type)),
    MEMBER("dominated_by",
           "for a dominated one: the frontier candidate with the smallest id that dominates it "
           "(any candidate when none on the frontier does)",
           FILLED, OR_NULL),
    MEMBER("shortfall",
           "how far the objective lies outside the cutoff, in its unit, above 0; null when inside "
           "or rejected",
           REAL, OR_NULL),
    MEMBER("shortfall_percent", "of the cutoff's size; null when that is 0", REAL, OR_NULL),
    OPTION("least_missed",
           "of the missed limits the one missed by the fewest percent; null without", NULL,
           OBJECT(miss_fields), OR_NULL),
    OPTION("most_missed", "the one missed by the most percent; null without", NULL,
           OBJECT(miss_fields), OR_NULL),
    OPTION("improvement",
           "for a dominated one: the smallest change, in percent, of one metric that would put it "
           "on the frontier; null when no single metric does",
           NULL, OBJECT(improvement_fields), OR_NULL),
};
static const pp_fields verdict_fields =
    FIELDS("candidate-verdict", "what became of one candidate", verdict_rows);
static const pp_field_type verdict_type = {OBJECT(verdict_fields)};

static const char *const limit_kind_words[] = {"quality-retention", "maximum", "minimum", NULL};

static const pp_field tolerance_step_rows[] = {
    MEMBER("from_percent", "tolerance, the first is 0", NUMBER(0, 100)),
    MEMBER("selected_id", "who is selected from there to the next step", FILLED),
};
static const pp_fields tolerance_step_fields =
    FIELDS("tolerance-step", "a tolerance at which the choice changes", tolerance_step_rows);
static const pp_field_type tolerance_step_type = {OBJECT(tolerance_step_fields)};

static const pp_field limit_turn_rows[] = {
    MEMBER("limit", "the nearest number that changes the choice, in the unit of the limit", REAL),
    MEMBER("candidate_id", "who becomes eligible there, or stops to be", FILLED),
    MEMBER("selected_id", "who is selected then; null when nobody is eligible", FILLED, OR_NULL),
};
static const pp_fields limit_turn_fields =
    FIELDS("limit-turn", "where moving a limit changes the choice", limit_turn_rows);

static const pp_field limit_change_rows[] = {
    MEMBER("kind", "which of the limits", WORDS(limit_kind_words)),
    MEMBER("metric", "name of the metric", TEXT),
    MEMBER("limit", "as it is: in the metric's unit, for quality retention a ratio", REAL),
    MEMBER("looser", "null when no looser limit changes the choice", OBJECT(limit_turn_fields),
           OR_NULL),
    MEMBER("tighter", "null when no tighter one does, and without a winner",
           OBJECT(limit_turn_fields), OR_NULL),
};
static const pp_fields limit_change_fields =
    FIELDS("limit-change", "one limit moved, the others as they are", limit_change_rows);
static const pp_field_type limit_change_type = {OBJECT(limit_change_fields)};

static const pp_field objective_change_rows[] = {
    MEMBER("metric", "another frontier metric as the objective", FILLED),
    MEMBER("direction", "its direction", WORDS(pp_words_direction)),
    MEMBER("selected_id", "who is selected, tolerance and preferences as they are", FILLED),
    MEMBER("best_id", "the numeric best, selected without tolerance and preferences", FILLED),
};
static const pp_fields objective_change_fields =
    FIELDS("objective-change", "another objective, the rest as it is", objective_change_rows);
static const pp_field_type objective_change_type = {OBJECT(objective_change_fields)};

static const pp_field what_if_rows[] = {
    MEMBER("tolerance",
           "by tolerance, the limits and the objective as they are; empty without a winner",
           LIST(tolerance_step_type)),
    MEMBER("limits", "quality retention, `max_values`, `min_values`", LIST(limit_change_type)),
    MEMBER("objectives", "the other frontier metrics; empty without a winner",
           LIST(objective_change_type)),
};
static const pp_fields what_if_fields =
    FIELDS("what-if", "which one change of the constraints would change the choice", what_if_rows);

static const pp_field details_rows[] = {
    MEMBER("document", "what this is", WORDS(word_details)),
    MEMBER("schema_version", "version of the format", WORDS(pp_words_1_0)),
    MEMBER("paretopilot_version", "of the program that decided", FILLED),
    MEMBER("input_fingerprints", "what the decision was made from",
           OBJECT(pp_input_fingerprint_fields)),
    MEMBER("origin", "of the figures", WORDS(pp_words_origin)),
    MEMBER("quality", "whether quality was judged", WORDS(quality_words)),
    MEMBER("baseline_id", "of the benchmark set", FILLED),
    MEMBER("selected_id", "null when nothing is eligible", FILLED, OR_NULL),
    MEMBER("reason_code",
           "`R1` most preferred and best; `R2` most preferred inside the cutoff; `R3` best; `R4` "
           "smallest id inside the cutoff; null without a winner",
           WORDS(reason_words), OR_NULL),
    MEMBER("dominance", "how values were compared", WORDS(dominance_words)),
    MEMBER("objective", "the objective and how far one may be from its best",
           OBJECT(details_objective_fields)),
    MEMBER("near_miss", "closest outside the cutoff", OBJECT(near_miss_fields), OR_NULL),
    MEMBER("candidates", "in the order of the set", LIST(verdict_type), AT_LEAST_ONE),
    OPTION("what_if",
           "which one change of the constraints would change the choice; only with `--what-if`",
           NULL, OBJECT(what_if_fields)),
};
const pp_fields pp_decision_details_fields = FIELDS_AT(
    "decision-details", "by how much each candidate missed", details_rows, "decision-details");

/* ---- stability --------------------------------------------------------------------------------
 */

WORD(word_method, "observed pass direction and relative spread; no significance claim");
static const char *const comparison_words[] = {"no change", "improved", "regressed", NULL};
static const char *const consistency_words[] = {"no change", "consistent", "mixed", NULL};
static const char *const overall_words[] = {"no change", "improved", "regressed", "mixed", NULL};
static const pp_field_type sha256_type = {SHA256};

static const pp_field pass_value_rows[] = {
    MEMBER("pass_label", "as in `pass_labels`, in its order", FILLED),
    MEMBER("candidate_value", "of the candidate in this pass, in the metric's unit", REAL),
    MEMBER("baseline_value", "of the baseline in this pass", REAL),
    MEMBER("relative_delta_percent",
           "of the baseline's size, above 0 where the candidate is better; null when the baseline "
           "is 0 or the result beyond the range of a number",
           REAL, OR_NULL),
    MEMBER("comparison", "of the candidate with the baseline", WORDS(comparison_words)),
};
static const pp_fields pass_value_fields =
    FIELDS("pass-value", "one metric of one candidate in one pass", pass_value_rows);
static const pp_field_type pass_value_type = {OBJECT(pass_value_fields)};

static const pp_field stability_row_rows[] = {
    MEMBER("candidate_id", "of the candidate", FILLED),
    MEMBER("metric", "name of the metric", FILLED),
    MEMBER("direction", "whether less or more is better", WORDS(pp_words_direction)),
    MEMBER("pass_values", "one for each pass", LIST(pass_value_type), ITEMS(2, 8)),
    MEMBER("relative_spread_percent",
           "highest less lowest value of the candidate, of the mean's size; null when the mean is "
           "0 and the values differ",
           POSITIVE_REAL, OR_NULL),
    MEMBER("consistency", "whether passes contradict each other", WORDS(consistency_words)),
    MEMBER("overall_direction", "where all passes point that changed at all", WORDS(overall_words)),
};
static const pp_fields stability_row_fields =
    FIELDS("stability-row", "one metric of one candidate over all passes", stability_row_rows);
static const pp_field_type stability_row_type = {OBJECT(stability_row_fields)};

static const pp_field stability_rows[] = {
    MEMBER("schema_version", "version of the format", WORDS(pp_words_1_0)),
    MEMBER("method", "what this is and is not", WORDS(word_method)),
    MEMBER("baseline_id", "the same in every pass", FILLED),
    MEMBER("synthetic", "false only when every figure of every pass was measured", BOOL),
    MEMBER("pass_labels", "of the passes, in the order they were given", LIST(pp_type_filled),
           ITEMS(2, 8)),
    MEMBER("metric_directions", "whether less or more of a metric is better",
           MAP(pp_type_direction), ITEMS(1, 32)),
    MEMBER("input_fingerprints", "label to the SHA-256 of its benchmark set; may be empty",
           MAP(sha256_type)),
    MEMBER("candidate_configuration_fingerprints",
           "id to the SHA-256 of its label and parameters, the same in every pass",
           MAP(sha256_type), AT_LEAST_ONE),
    MEMBER("rows", "every candidate with every metric, by id, then by metric",
           LIST(stability_row_type), AT_LEAST_ONE),
};
const pp_fields pp_stability_fields = FIELDS_AT(
    "stability", "what several passes of one measurement agree on", stability_rows, "stability");
