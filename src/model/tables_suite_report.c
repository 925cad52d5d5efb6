/* The report of a quality suite. */
#include "model/field_rows.h"
#include "model/tables.h"

/* The words of enums of quality/results.h and quality/score.h; a test compares them. */
static const char *const outcome_words[] = {"matched", "missed", "failed", NULL};
static const char *const gap_words[] = {"request-failed", "synthetic-weights", NULL};
WORD(document_word, "suite-report");

#define CASES COUNT, UNIT("cases")
#define SHARE NUMBER(0, 1)

/* ---- suite ---------------------------------------------------------------------------------- */

static const pp_field sampling_rows[] = {
    MEMBER("max_tokens", "of an answer, where a case has no limit of its own", INT(1, INT64_MAX),
           UNIT("tokens")),
    MEMBER("seed", "sent with every request", COUNT),
    MEMBER("temperature", "sent with every request", POSITIVE_REAL),
};
static const pp_fields sampling_fields =
    FIELDS("suite-report-sampling", "how answers were sampled", sampling_rows);

static const pp_field group_count_rows[] = {
    MEMBER("group", "as the suite names it", FILLED),
    MEMBER("case_count", "of it", INT(1, INT64_MAX), UNIT("cases")),
};
static const pp_fields group_count_fields =
    FIELDS("suite-report-group-size", "a group of the suite", group_count_rows);
static const pp_field_type group_count_type = {OBJECT(group_count_fields)};

static const pp_field case_rows[] = {
    MEMBER("id", "unique in the suite", FILLED),
    MEMBER("group", "null: none", FILLED, OR_NULL),
    MEMBER("max_tokens", "of its answer", INT(1, INT64_MAX), UNIT("tokens")),
};
static const pp_fields case_fields = FIELDS("suite-report-case", "a case of the suite", case_rows);
static const pp_field_type case_type = {OBJECT(case_fields)};

static const pp_field suite_rows[] = {
    MEMBER("id", "of the suite", FILLED),
    MEMBER("title", "of the suite; null: it has none", FILLED, OR_NULL),
    MEMBER("license", "of the suite", FILLED),
    MEMBER("sha256", "of its file", SHA256),
    MEMBER("content_sha256", "of its canonical form, whatever the layout", SHA256),
    MEMBER("system_prompt_sha256", "of the system prompt that was sent; null: none was", SHA256,
           OR_NULL),
    MEMBER("sampling", "how answers were sampled", OBJECT(sampling_fields)),
    MEMBER("case_count", "of the suite", INT(1, INT64_MAX), UNIT("cases")),
    MEMBER("groups", "in the order in which its cases name them", LIST(group_count_type)),
    MEMBER("cases", "in the order of the suite", LIST(case_type), AT_LEAST_ONE),
};
static const pp_fields suite_fields = FIELDS("suite-report-suite", "what was asked", suite_rows);

/* ---- results -------------------------------------------------------------------------------- */

static const pp_field result_rows[] = {
    MEMBER("case", "id of the case", FILLED),
    MEMBER("outcome", "`failed`: no answer was received", WORDS(outcome_words)),
    MEMBER("answer", "as received; null when failed", TEXT, OR_NULL),
    MEMBER("matched_answer", "the first accepted answer that it matches, as the suite writes it",
           TEXT, OR_NULL),
    MEMBER("failure", "class and text; null unless failed", FILLED, OR_NULL),
    MEMBER("finish_reason", "as the server said; null: it did not", FILLED, OR_NULL),
    MEMBER("prompt_tokens", "as the server counted", COUNT, OR_NULL, UNIT("tokens")),
    MEMBER("cached_tokens", "of these, from a cache", COUNT, OR_NULL, UNIT("tokens")),
    MEMBER("output_tokens", "as the server counted", COUNT, OR_NULL, UNIT("tokens")),
    MEMBER("drafted_tokens", "proposed by speculation; null: the server told of none", COUNT,
           OR_NULL, UNIT("tokens")),
    MEMBER("accepted_tokens", "of these, kept", COUNT, OR_NULL, UNIT("tokens")),
    MEMBER("latency_ns", "from the start of the request to its end; null: never asked", COUNT,
           OR_NULL),
};
static const pp_fields result_fields =
    FIELDS("suite-report-result", "what came of a case in a pass", result_rows);
static const pp_field_type result_type = {OBJECT(result_fields)};

static const pp_field pass_rows[] = {
    MEMBER("pass", "from 1", INT(1, INT64_MAX)),
    MEMBER("matched", "in this pass alone", CASES),
    MEMBER("outcomes_sha256",
           "of ids, outcomes and matched answers, as capacity studies make it; null when a request "
           "failed",
           SHA256, OR_NULL),
    MEMBER("results", "in the order of the suite", LIST(result_type), AT_LEAST_ONE),
};
static const pp_fields pass_fields =
    FIELDS("suite-report-pass", "every case asked once", pass_rows);
static const pp_field_type pass_type = {OBJECT(pass_fields)};

/* ---- figures -------------------------------------------------------------------------------- */

#define SCORE_MEMBERS                                                                              \
    MEMBER("total", "cases", INT(1, INT64_MAX), UNIT("cases")),                                    \
        MEMBER("passed", "matched in every pass", CASES),                                          \
        MEMBER("missed", "missed in at least one pass", CASES),                                    \
        MEMBER("open", "missed in none, but a request failed", CASES),                             \
        MEMBER("flipped", "matched in one pass, missed in another", CASES),                        \
        MEMBER("failed_requests", "in all passes", COUNT, UNIT("requests")),                       \
        MEMBER("score", "`passed` / `total`; null with a `gap`", SHARE, OR_NULL),                  \
        MEMBER("gap", "why there is no score; null: there is one", WORDS(gap_words), OR_NULL),     \
        MEMBER("lower", "exact two-sided interval of the score", SHARE, OR_NULL),                  \
        MEMBER("upper", "exact two-sided interval of the score", SHARE, OR_NULL),                  \
        MEMBER("score_min", "if every open case missed", SHARE, OR_NULL),                          \
        MEMBER("score_max", "if every open case passed", SHARE, OR_NULL)

static const pp_field score_rows[] = {SCORE_MEMBERS};
static const pp_fields score_fields =
    FIELDS("suite-report-score", "how good the answers were", score_rows);

static const pp_field group_rows[] = {
    MEMBER("group", "as the suite names it", FILLED),
    SCORE_MEMBERS,
};
static const pp_fields group_fields =
    FIELDS("suite-report-group", "how good the answers of a group were", group_rows);
static const pp_field_type group_type = {OBJECT(group_fields)};

static const pp_field flip_answer_rows[] = {
    MEMBER("pass", "from 1", INT(1, INT64_MAX)),
    MEMBER("outcome", "in this pass", WORDS(outcome_words)),
    MEMBER("answer", "in this pass; null when failed", TEXT, OR_NULL),
};
static const pp_fields flip_answer_fields =
    FIELDS("suite-report-flip-answer", "what a pass answered", flip_answer_rows);
static const pp_field_type flip_answer_type = {OBJECT(flip_answer_fields)};

static const pp_field flip_rows[] = {
    MEMBER("case", "id of the case", FILLED),
    MEMBER("answers", "of each pass", LIST(flip_answer_type), .min_count = 2),
};
static const pp_fields flip_fields =
    FIELDS("suite-report-flip", "a case that matched in one pass and missed in another", flip_rows);
static const pp_field_type flip_type = {OBJECT(flip_fields)};

static const pp_field latency_rows[] = {
    MEMBER("count", "requests that got an answer, all passes", COUNT, UNIT("requests")),
    MEMBER("ms_p50", "nearest rank", POSITIVE_REAL, OR_NULL, UNIT("ms")),
    MEMBER("ms_p95", "nearest rank", POSITIVE_REAL, OR_NULL, UNIT("ms")),
    MEMBER("p95_is_maximum", "`count` cannot tell it from the largest", BOOL),
};
static const pp_fields latency_fields =
    FIELDS("suite-report-latency", "from the start of a request to its end", latency_rows);

static const pp_field floor_rows[] = {
    MEMBER("floor", "that was asked for", SHARE),
    MEMBER("met", "the score is not below it", BOOL, OR_NULL),
    MEMBER("certified", "so many passes would be unlikely if the true share were below it", BOOL,
           OR_NULL),
    MEMBER("chance", "of so many passes at the floor", SHARE, OR_NULL),
    MEMBER("passes_needed", "of this many cases to certify it; null: no number of them does",
           INT(1, INT64_MAX), OR_NULL, UNIT("cases")),
    MEMBER("cases_needed",
           "in all, if the share of passes stays; null: certified, or the share is not above it",
           INT(1, INT64_MAX), OR_NULL, UNIT("cases")),
};
static const pp_fields floor_fields =
    FIELDS("suite-report-floor", "what the passes say about a floor", floor_rows);

static const pp_field comparison_rows[] = {
    MEMBER("reference", "name of the endpoint compared with", FILLED),
    MEMBER("both", "cases that both pass", CASES),
    MEMBER("neither", "cases that both miss", CASES),
    MEMBER("only_reference", "ids of the cases that are lost", LIST(pp_type_filled)),
    MEMBER("only_candidate", "ids of the cases that are gained", LIST(pp_type_filled)),
    MEMBER("open", "cases that are open on either side", CASES),
    MEMBER("gap", "why the rest is null", WORDS(gap_words), OR_NULL),
    MEMBER("mcnemar_p", "exact, two-sided", SHARE, OR_NULL),
    MEMBER("difference", "score - reference's score", NUMBER(-1, 1), OR_NULL),
    MEMBER("retention", "score / reference's score; null also when that is 0", POSITIVE_REAL,
           OR_NULL),
};
static const pp_fields comparison_fields =
    FIELDS("suite-report-comparison", "the same cases, two endpoints", comparison_rows);

/* ---- endpoint, report ----------------------------------------------------------------------- */

static const pp_field server_rows[] = {
    MEMBER("kind", "what it is", FILLED, OR_NULL),
    MEMBER("model", "what it says to run", FILLED, OR_NULL),
    MEMBER("build", "its version", FILLED, OR_NULL),
};
static const pp_fields server_fields =
    FIELDS("suite-report-server", "what the server told of itself", server_rows);

static const pp_field speculation_rows[] = {
    MEMBER("seen", "tokens were drafted, or the server says that it drafts; null: not told", BOOL,
           OR_NULL),
    MEMBER("drafted_tokens", "of all results; null: none told", COUNT, OR_NULL, UNIT("tokens")),
    MEMBER("accepted_tokens", "of all results; null: none told", COUNT, OR_NULL, UNIT("tokens")),
};
static const pp_fields speculation_fields =
    FIELDS("suite-report-speculation", "whether answers were drafted", speculation_rows);

static const pp_field endpoint_rows[] = {
    MEMBER("name", "unique in the report", FILLED),
    MEMBER("url", "address without user, password and query", FILLED),
    MEMBER("server", "as it told", OBJECT(server_fields)),
    MEMBER("origin", "what its figures are good for", WORDS(pp_words_origin)),
    MEMBER("speculation", "whether answers were drafted", OBJECT(speculation_fields)),
    MEMBER("passes", "every answer", LIST(pass_type), ITEMS(1, 1000)),
    MEMBER("score", "of the whole suite", OBJECT(score_fields)),
    MEMBER("groups", "in the order of the suite", LIST(group_type)),
    MEMBER("flips", "in the order of the suite", LIST(flip_type)),
    MEMBER("changed", "cases of which two passes received different texts", CASES),
    MEMBER("latency", "of the requests", OBJECT(latency_fields)),
    MEMBER("floor", "null: none was asked for", OBJECT(floor_fields), OR_NULL),
    MEMBER("comparison", "null for the reference, and without one", OBJECT(comparison_fields),
           OR_NULL),
    OPTION("fidelity", "how near the next tokens are to the reference's", NULL,
           OBJECT(pp_fidelity_fields)),
};
static const pp_fields endpoint_fields =
    FIELDS("suite-report-endpoint", "one endpoint that was asked", endpoint_rows);
static const pp_field_type endpoint_type = {OBJECT(endpoint_fields)};

static const pp_field run_rows[] = {
    MEMBER("tool_version", "of this program", FILLED),
    MEMBER("started_unix_ms", "when, by the wall clock", COUNT),
    MEMBER("pass_count", "how often each case was asked", INT(1, 1000), UNIT("passes")),
    MEMBER("confidence", "of intervals and of the statement on a floor", SHARE),
};
static const pp_fields run_fields = FIELDS("suite-report-run", "what was done", run_rows);

static const pp_field report_rows[] = {
    MEMBER("schema_version", "version of the format", WORDS(pp_words_1_0)),
    MEMBER("document", "what this is", WORDS(document_word)),
    MEMBER("is_partial", "not all that was asked was done", BOOL),
    MEMBER("run", "what was done", OBJECT(run_fields)),
    MEMBER("suite", "what was asked", OBJECT(suite_fields)),
    MEMBER("reference", "name of the endpoint that the others are compared with; null: none",
           FILLED, OR_NULL),
    MEMBER("floor", "of the score, that was asked about; null: none", .kind = PP_FIELD_NUMBER,
           .min = 0, .max = 1, .above_min = true, OR_NULL),
    MEMBER("endpoints", "in the order in which they were given", LIST(endpoint_type), ITEMS(1, 64)),
};
const pp_fields pp_suite_report_fields =
    FIELDS_AT("suite-report", "what a suite asked, what came back, what follows", report_rows,
              "suite-report");
