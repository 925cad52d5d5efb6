/* What is made of the output of llama-bench, and what `validate` says of files. The summaries and
 * comparisons are the original tool's documents: what others add to them is tolerated. */
#include "model/field_rows.h"
#include "model/tables.h"

/* ---- summary ----------------------------------------------------------------------------------
 */

WORD(word_comparison, "generic-vs-kleidiai");
WORD(word_validation, "validation");
static const char *const kind_words[] = {"pp", "tg", "pg", NULL};

static const pp_field figures_rows[] = {
    MEMBER("sample_count", "number of repetitions", INT(1, INT64_MAX), UNIT("repetitions")),
    MEMBER("median", "mean of the two middle ones for an even number; above 0", REAL),
    OPTION("mean", "exact sum, divided once", NULL, REAL),
    OPTION("sample_stdev", "divisor n - 1; 0 for one sample", NULL, REAL),
    OPTION("min", "the smallest", NULL, REAL),
    OPTION("max", "the largest", NULL, REAL),
};
static const pp_fields figures_fields = {
    .name = "bench-figures",
    .help = "repetitions of one test, pooled; in the unit of the key",
    .rows = figures_rows,
    .row_count = PP_COUNT_OF(figures_rows),
    .open = true,
};

static const pp_field test_rows[] = {
    MEMBER("test_kind", "as the key", WORDS(kind_words)),
    MEMBER("n_prompt", "prompt tokens", COUNT, UNIT("tokens")),
    MEMBER("n_gen", "generated tokens", COUNT, UNIT("tokens")),
    MEMBER("tokens_per_second", "rates as llama-bench printed them", OBJECT(figures_fields)),
    MEMBER("duration_ns", "time of each repetition", OBJECT(figures_fields)),
    OPTION("source_files", "as of the summary", NULL, LIST(pp_type_text)),
    OPTION("source_labels", "as of the summary", NULL, LIST(pp_type_text)),
};
static const pp_fields test_fields = {
    .name = "bench-test",
    .help = "one kind of test",
    .rows = test_rows,
    .row_count = PP_COUNT_OF(test_rows),
    .open = true,
};

static const pp_field tests_rows[] = {
    OPTION("pp", "prompt processing", NULL, OBJECT(test_fields)),
    OPTION("tg", "token generation", NULL, OBJECT(test_fields)),
    OPTION("pg", "both, one after the other: its rate compares with neither", NULL,
           OBJECT(test_fields)),
};
static const pp_fields tests_fields =
    FIELDS("bench-tests", "the kinds that were measured, at least one", tests_rows);

static const pp_field_type digest_type = {SHA256};
static const pp_field summary_fingerprint_rows[] = {
    MEMBER("settings_sha256", "of the bytes that were parsed", SHA256),
    MEMBER("artifacts_sha256", "label to the digest of its file", MAP(digest_type)),
};
static const pp_fields summary_fingerprint_fields =
    FIELDS("summary-fingerprints", "what the summary was made from", summary_fingerprint_rows);

static const pp_field summary_rows[] = {
    MEMBER("schema_version", "version of the format", WORDS(pp_words_1_0)),
    MEMBER("label", "of the variant", FILLED),
    MEMBER("build_commit", "of llama.cpp, the same in every row", FILLED),
    MEMBER("model_filename", "the same in every row", FILLED),
    MEMBER("synthetic_fixture", "the rows were made up for a test", BOOL),
    MEMBER("settings", "free content; what the rows report agrees with it", FREE),
    MEMBER("tests", "the kinds that were measured", OBJECT(tests_fields)),
    OPTION("source_files", "paths of the artifacts, in the order given", NULL, LIST(pp_type_text)),
    OPTION("source_labels", "their labels", NULL, LIST(pp_type_text)),
    OPTION("input_fingerprints", "what the summary was made from", NULL,
           OBJECT(summary_fingerprint_fields)),
};
const pp_fields pp_bench_summary_fields = {
    .name = "llama-bench-summary",
    .help = "repetitions of one variant, pooled",
    .rows = summary_rows,
    .row_count = PP_COUNT_OF(summary_rows),
    .open = true,
    .page = "llama-bench-summary",
};

/* ---- comparison -------------------------------------------------------------------------------
 */

static const pp_field side_rows[] = {
    MEMBER("tokens_per_second_median", "of the summary", REAL),
    MEMBER("tokens_per_second_sample_count", "of the summary", COUNT, UNIT("repetitions")),
    MEMBER("duration_ns_median", "of the summary", REAL, UNIT("ns")),
    MEMBER("duration_ns_sample_count", "of the summary", COUNT, UNIT("repetitions")),
};
static const pp_fields side_fields = FIELDS("bench-side", "one side of a comparison", side_rows);

static const pp_field compared_rows[] = {
    MEMBER("test_kind", "as the key", WORDS(kind_words)),
    MEMBER("n_prompt", "prompt tokens", COUNT, UNIT("tokens")),
    MEMBER("n_gen", "generated tokens", COUNT, UNIT("tokens")),
    MEMBER("generic", "without the switch", OBJECT(side_fields)),
    MEMBER("kleidiai", "with it", OBJECT(side_fields)),
    MEMBER("median_throughput_speedup", "rate with the switch / rate without it", REAL),
    MEMBER("median_throughput_percent_change", "(speedup - 1) * 100", REAL, UNIT("percent")),
    MEMBER("median_duration_percent_change", "(duration with / without - 1) * 100", REAL,
           UNIT("percent")),
};
static const pp_fields compared_fields =
    FIELDS("bench-compared-test", "one kind of test on both sides", compared_rows);

static const pp_field compared_tests_rows[] = {
    OPTION("pp", "prompt processing", NULL, OBJECT(compared_fields)),
    OPTION("tg", "token generation", NULL, OBJECT(compared_fields)),
    OPTION("pg", "both, one after the other", NULL, OBJECT(compared_fields)),
};
static const pp_fields compared_tests_fields =
    FIELDS("bench-compared-tests", "the kinds that both sides measured", compared_tests_rows);

static const pp_field compatibility_rows[] = {
    MEMBER("validated", "both summaries were read whole", BOOL),
    MEMBER("same_build_commit", "always true", BOOL),
    MEMBER("same_model_filename", "always true", BOOL),
    MEMBER("same_benchmark_settings_except_kleidiai", "always true", BOOL),
    MEMBER("same_workload_shapes", "always true", BOOL),
    MEMBER("same_sample_counts", "always true", BOOL),
    MEMBER("same_synthetic_status", "always true", BOOL),
};
static const pp_fields compatibility_fields = FIELDS(
    "bench-compatibility", "what was checked before anything was compared", compatibility_rows);

static const pp_field variant_rows[] = {MEMBER("label", "of its summary", FILLED)};
static const pp_fields variant_fields = FIELDS("bench-variant", "one side", variant_rows);
static const pp_field variants_rows[] = {
    MEMBER("generic", "without the switch", OBJECT(variant_fields)),
    MEMBER("kleidiai", "with it", OBJECT(variant_fields)),
};
static const pp_fields variants_fields = FIELDS("bench-variants", "both sides", variants_rows);

static const pp_field comparison_fingerprint_rows[] = {
    MEMBER("generic_summary_sha256", "of the bytes that were parsed", SHA256),
    MEMBER("kleidiai_summary_sha256", "of the bytes that were parsed", SHA256),
};
static const pp_fields comparison_fingerprint_fields =
    FIELDS("comparison-fingerprints", "what was compared", comparison_fingerprint_rows);

static const pp_field comparison_rows[] = {
    MEMBER("schema_version", "version of the format", WORDS(pp_words_1_0)),
    MEMBER("comparison_type", "what differs between the two", WORDS(word_comparison)),
    MEMBER("build_commit", "of both", FILLED),
    MEMBER("model_filename", "of both", FILLED),
    MEMBER("synthetic_fixture", "of both", BOOL),
    MEMBER("compatibility", "what was checked first", OBJECT(compatibility_fields)),
    MEMBER("variants", "both sides", OBJECT(variants_fields)),
    MEMBER("tests", "the kinds that both measured", OBJECT(compared_tests_fields)),
    MEMBER("input_fingerprints", "what was compared", OBJECT(comparison_fingerprint_fields)),
};
const pp_fields pp_bench_comparison_fields =
    FIELDS_AT("llama-bench-comparison", "two builds that differ in one switch", comparison_rows,
              "llama-bench-comparison");

/* ---- validation -------------------------------------------------------------------------------
 */

static const pp_field_type any_list_type = {LIST(pp_type_any)};
static const pp_field_type count_type = {INT(1, INT64_MAX)};

static const pp_field bench_validation_rows[] = {
    MEMBER("valid", "always true", BOOL),
    MEMBER("evidence_valid", "there is no issue", BOOL),
    MEMBER("evidence_issues", "what speaks against the rows as evidence, as sentences",
           LIST(pp_type_filled)),
    MEMBER("record_count", "number of rows", INT(1, INT64_MAX), UNIT("rows")),
    MEMBER("input_sha256", "of the file", SHA256),
    MEMBER("build_commits", "distinct ones, sorted", LIST(pp_type_text)),
    MEMBER("model_filenames", "distinct ones, sorted", LIST(pp_type_text)),
    MEMBER("test_counts", "kind of test to its number of rows", MAP(count_type)),
    MEMBER("repetition_counts", "distinct ones, ascending; empty where the format holds no samples",
           LIST(count_type)),
    MEMBER("execution_settings",
           "setting to its distinct values, sorted as texts; null last for rows that do not say",
           MAP(any_list_type)),
    MEMBER("synthetic_fixture", "some row was made up for a test", BOOL),
};
static const pp_fields bench_validation_fields =
    FIELDS("llama-bench-validation", "a file of llama-bench as evidence", bench_validation_rows);

static const pp_field set_validation_rows[] = {
    MEMBER("valid", "always true", BOOL),
    MEMBER("schema_version", "of the set", FILLED),
    MEMBER("baseline_id", "of the set", FILLED),
    MEMBER("candidate_count", "number of candidates", INT(1, INT64_MAX), UNIT("candidates")),
    MEMBER("synthetic", "of the set", BOOL),
    MEMBER("input_sha256", "of the file", SHA256),
};
static const pp_fields set_validation_fields =
    FIELDS("benchmark-set-validation", "a benchmark set in short", set_validation_rows);

static const pp_field file_rows[] = {
    MEMBER("path", "as given", TEXT),
    MEMBER("valid", "whether the file holds what its kind demands", BOOL),
    MEMBER("kind", "name of the document, `llama-bench` or `gnu-time`; null when it is none",
           FILLED, OR_NULL),
    MEMBER("version",
           "of the document; the format for `llama-bench` and `gnu-time`; null when it has none",
           FILLED, OR_NULL),
    MEMBER("holds", "in a few words; null when invalid", FILLED, OR_NULL),
    MEMBER("sha256", "of the bytes that were checked; null when they could not be read", SHA256,
           OR_NULL),
    MEMBER("problem", "why it is invalid, as a sentence", FILLED, OR_NULL),
    MEMBER("follows_from_samples", "of a load report: every figure does; null when not asked", BOOL,
           OR_NULL),
    MEMBER("difference", "the first figure that does not, as a sentence", FILLED, OR_NULL),
    OPTION("follows_from_answers",
           "of a suite's report: every figure follows from its recorded answers; null of others",
           "null", BOOL, OR_NULL),
    OPTION("was_matched_again", "the answers were matched by the suite that was given", "false",
           BOOL),
    OPTION("differences", "every place of a suite's report that does not follow, as sentences",
           "[]", LIST(pp_type_filled)),
    MEMBER("llama_bench", "only for `llama-bench`", OBJECT(bench_validation_fields), OR_NULL),
    MEMBER("benchmark_set", "only for a benchmark set", OBJECT(set_validation_fields), OR_NULL),
};
static const pp_fields file_fields = FIELDS("validated-file", "one file", file_rows);
static const pp_field_type file_type = {OBJECT(file_fields)};

static const pp_field validation_rows[] = {
    MEMBER("document", "what this is", WORDS(word_validation)),
    MEMBER("schema_version", "version of the format", WORDS(pp_words_1_0)),
    MEMBER("paretopilot_version", "of the program that checked", FILLED),
    MEMBER("valid", "every file is", BOOL),
    MEMBER("files", "in the order given", LIST(file_type), AT_LEAST_ONE),
};
const pp_fields pp_validation_fields = FIELDS_AT(
    "validation", "what files hold, and whether they are valid", validation_rows, "validation");
