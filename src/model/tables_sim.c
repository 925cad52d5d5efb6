/* What the simulated server reads and writes. */
#include "model/field_rows.h"
#include "model/tables.h"

/* ---- answers ----------------------------------------------------------------------------------
 */

WORD(word_sim_answers, "sim-answers");

static const pp_field answer_rows[] = {
    OPTION("contains", "the prompt must hold this text; every prompt holds the empty one", "\"\"",
           TEXT),
    MEMBER("answer", "what is answered; it ends by itself", TEXT),
};
static const pp_fields answer_fields = FIELDS("sim-answer", "one answer", answer_rows);
static const pp_field_type answer_type = {OBJECT(answer_fields)};

static const pp_field answers_rows[] = {
    MEMBER("schema_version", "version of the format", WORDS(pp_words_1_0)),
    MEMBER("document", "what this is", WORDS(word_sim_answers)),
    MEMBER("answers", "the first one that fits the prompt is given; where none does, words by rule",
           LIST(answer_type), AT_LEAST_ONE),
};
const pp_fields pp_sim_answers_fields =
    FIELDS("sim-answers", "what a simulated server answers", answers_rows);

/* ---- log --------------------------------------------------------------------------------------
 */

#define AT_NS(meaning) MEMBER("at_ns", meaning, COUNT)
#define REQUEST        MEMBER("request", "serial number of the request for an answer", INT(1, INT64_MAX))

WORD(word_begin, "begin");
WORD(word_arrival, "arrival");
WORD(word_start, "start");
WORD(word_event, "event");
WORD(word_end, "end");
WORD(word_summary, "summary");
WORD(word_monotonic, "monotonic");
WORD(word_simulated, "simulated");
static const char *const path_words[] = {"/completion", "/v1/chat/completions", "/v1/completions",
                                         NULL};
static const char *const outcome_words[] = {"complete", "gone", "closed", "reset", "stopped", NULL};

static const pp_field begin_rows[] = {
    AT_NS("start of the server"),
    MEMBER("log", "what the line is", WORDS(word_begin)),
    MEMBER("schema_version", "version of the format", WORDS(pp_words_1_0)),
    MEMBER("origin", "of everything in it", WORDS(word_simulated)),
    MEMBER("clock", "of all `at_ns`: nanoseconds of CLOCK_MONOTONIC", WORDS(word_monotonic)),
    MEMBER("started_unix_ms", "the start by the wall clock", COUNT),
    MEMBER("seed", "of the server", COUNT),
    MEMBER("slots", "of the server", INT(1, INT64_MAX)),
    MEMBER("prefill_ns", "declared time of a prompt token", COUNT),
    MEMBER("token_ns", "declared time of a step", COUNT),
};
static const pp_field arrival_rows[] = {
    AT_NS("just after the read that completed the request"),
    MEMBER("log", "what the line is", WORDS(word_arrival)),
    REQUEST,
    MEMBER("connection", "serial number of the connection", INT(1, INT64_MAX)),
    MEMBER("connection_request", "number of the request within it", INT(1, INT64_MAX)),
    MEMBER("path", "end point, by its first name", WORDS(path_words)),
    MEMBER(
        "request_sha256",
        "of its body as it came, the same as in [samples](samples.md); null when memory was short",
        SHA256, OR_NULL),
    MEMBER("prompt_tokens", "of the whole prompt; null when the request was not read", COUNT,
           OR_NULL),
    MEMBER("asked_tokens", "limit that the request names; null when none, or not read", COUNT,
           OR_NULL),
};
static const pp_field start_rows[] = {
    AT_NS("since when it has its slot: its arrival, or the end of the one before it"),
    MEMBER("log", "what the line is", WORDS(word_start)),
    REQUEST,
    MEMBER("slot", "from 0", COUNT),
};
static const pp_field event_rows[] = {
    AT_NS("just before the write that gave its last byte to the kernel"),
    MEMBER("log", "what the line is", WORDS(word_event)),
    REQUEST,
    MEMBER("event", "number of the last event in this write, from 1", INT(1, INT64_MAX)),
    MEMBER("events", "how many events this write completed", COUNT),
    MEMBER("tokens", "generated so far, this write included", COUNT),
    MEMBER("bytes", "of the events in this write; 1048575 for more", COUNT),
};
static const pp_field end_rows[] = {
    AT_NS("when the reply was over"),
    MEMBER("log", "what the line is", WORDS(word_end)),
    REQUEST,
    MEMBER("outcome", "how it ended", WORDS(outcome_words)),
    MEMBER("status", "of the reply; null when no head was sent, or a tape sent it", INT(100, 599),
           OR_NULL),
    MEMBER("events", "made in all", COUNT),
    MEMBER("tokens", "generated in all", COUNT),
};
static const pp_field summary_rows[] = {
    AT_NS("end of the server"),
    MEMBER("log", "what the line is", WORDS(word_summary)),
    MEMBER("records", "lines between the first and this one", COUNT),
    MEMBER("dropped", "lines that are missing because writing was too slow", COUNT),
    MEMBER("requests", "for an answer", COUNT),
    MEMBER("open_requests_max", "most of them at once", COUNT),
    MEMBER("connections", "accepted", COUNT),
    MEMBER("open_connections_max", "most of them at once", COUNT),
    MEMBER("prompt_tokens", "processed", COUNT),
    MEMBER("predicted_tokens", "generated", COUNT),
};

static const pp_fields begin_fields = FIELDS("sim-log-begin", "the first line", begin_rows);
static const pp_fields arrival_fields =
    FIELDS("sim-log-arrival", "a request for an answer came", arrival_rows);
static const pp_fields start_fields = FIELDS("sim-log-start", "it got its slot", start_rows);
static const pp_fields event_fields =
    FIELDS("sim-log-event", "events were handed to the kernel", event_rows);
static const pp_fields end_fields = FIELDS("sim-log-end", "its reply was over", end_rows);
static const pp_fields summary_fields = FIELDS("sim-log-summary", "the last line", summary_rows);

const pp_field_choice pp_sim_log_choices[] = {
    {"log", "arrival", &arrival_fields},
    {"log", "start", &start_fields},
    {"log", "event", &event_fields},
    {"log", "end", &end_fields},
    {"log", "summary", &summary_fields},
    {"log", "begin", &begin_fields},
    {0},
};
