/* What a study leaves beside samples and decision. */
#include "model/field_rows.h"
#include "model/tables.h"

/* ---- status -----------------------------------------------------------------------------------
 */

static const char *const status_words[] = {"complete", "incomplete", NULL};
static const char *const classification_words[] = {"exploratory", "incomplete", NULL};

static const pp_field status_rows[] = {
    MEMBER("schema_version", "version of the format", WORDS(pp_words_1_0)),
    MEMBER("status", "whether every planned run was carried out", WORDS(status_words)),
    MEMBER("measurement_valid", "false: partial results prove nothing", BOOL),
    MEMBER("valid_evidence", "the same", BOOL),
    MEMBER("classification", "what the figures are good for", WORDS(classification_words)),
    MEMBER("reason", "why", TEXT, OR_NULL),
};
const pp_fields pp_status_fields =
    FIELDS_AT("status", "whether a bundle is complete", status_rows, "study-files");

/* ---- engine and command lines -----------------------------------------------------------------
 */

WORD(word_engine, "engine");
WORD(word_server_command, "server-command");
WORD(word_bench_command, "bench-command");
static const char *const pin_words[] = {"pinned", "unpinned", NULL};

static const pp_field program_rows[] = {
    MEMBER("path", "of the program", FILLED),
    MEMBER("version", "what `--version` printed, on one line", TEXT),
    MEMBER("sha256", "of the file, which may be a wrapper", SHA256),
};
static const pp_fields program_fields = FIELDS("engine-program", "one program", program_rows);

static const pp_field engine_rows[] = {
    MEMBER("schema_version", "version of the format", WORDS(pp_words_1_0)),
    MEMBER("document", "what this is", WORDS(word_engine)),
    MEMBER("folder", "where the programs are", FILLED),
    MEMBER("pin", "whether this version was tested; null when nobody said", WORDS(pin_words),
           OR_NULL),
    MEMBER("server", "llama-server", OBJECT(program_fields)),
    MEMBER("bench", "llama-bench", OBJECT(program_fields)),
    MEMBER("cleared_environment",
           "variables that the programs do not get: `LLAMA_ARG_*`, and those with keys",
           LIST(pp_type_filled)),
    OPTION("environment", "variables that the plan gives the programs", "{}", MAP(pp_type_text)),
    OPTION("id", "of the plan; absent where the plan has version 1.0", NULL, FILE_ID),
};
const pp_fields pp_engine_fields = FIELDS_AT("engine", "llama.cpp", engine_rows, "study-files");

static const pp_field readback_rows[] = {
    MEMBER("build_info", "of the build", TEXT, OR_NULL),
    MEMBER("model_path", "of the model that it loaded", TEXT, OR_NULL),
    MEMBER("total_slots", "slots", COUNT, OR_NULL),
    MEMBER("n_ctx_per_slot", "context of each slot", COUNT, UNIT("tokens"), OR_NULL),
    OPTION("is_sleeping", "its first request waits for the model", NULL, BOOL, OR_NULL),
};
static const pp_fields readback_fields =
    FIELDS("readback", "what the running server said of itself", readback_rows);

static const pp_field server_command_rows[] = {
    MEMBER("schema_version", "version of the format", WORDS(pp_words_1_0)),
    MEMBER("document", "what this is", WORDS(word_server_command)),
    MEMBER("argv", "program and arguments", LIST(pp_type_text), AT_LEAST_ONE),
    MEMBER("url", "where it answered", FILLED),
    MEMBER("startup_ms", "from its start until it was ready", POSITIVE_REAL),
    MEMBER("readback", "what it said of itself; null where it says nothing",
           OBJECT(readback_fields), OR_NULL),
    OPTION("working_directory", "where it ran; absent where the line does not depend on it", NULL,
           PATH),
};
const pp_fields pp_server_command_fields =
    FIELDS_AT("server-command", "one start of llama-server, or of a gateway", server_command_rows,
              "study-files");

WORD(word_endpoint, "endpoint");
static const pp_field endpoint_rows[] = {
    MEMBER("schema_version", "version of the format", WORDS(pp_words_1_0)),
    MEMBER("document", "what this is", WORDS(word_endpoint)),
    MEMBER("url", "where it was asked", FILLED),
    MEMBER("server", "what kind of server the plan says it is", FILLED),
    MEMBER("model", "name that is asked for; null: the field is not sent, or the listed one is",
           TEXT, OR_NULL),
    MEMBER("origin", "of its figures, by what it says", WORDS(pp_words_origin)),
    MEMBER("is_llama_server", "it answers `/props` as one", BOOL),
    MEMBER("is_sleeping", "its first request waits for the model", BOOL),
    MEMBER("build_info", "of the build", TEXT, OR_NULL),
    MEMBER("listed_model", "the first of `/v1/models`", TEXT, OR_NULL),
    MEMBER("total_slots", "slots", COUNT, OR_NULL),
    MEMBER("n_ctx_per_slot", "context of each slot", COUNT, UNIT("tokens"), OR_NULL),
};
const pp_fields pp_endpoint_fields =
    FIELDS_AT("endpoint", "what a server that runs already, or a gateway, said of itself",
              endpoint_rows, "study-files");

static const pp_field bench_command_rows[] = {
    MEMBER("schema_version", "version of the format", WORDS(pp_words_1_0)),
    MEMBER("document", "what this is", WORDS(word_bench_command)),
    MEMBER("argv", "program and arguments", LIST(pp_type_text), AT_LEAST_ONE),
    OPTION("working_directory", "where it ran; absent where the line does not depend on it", NULL,
           PATH),
};
const pp_fields pp_bench_command_fields =
    FIELDS_AT("bench-command", "how llama-bench is run", bench_command_rows, "study-files");

/* ---- runs -------------------------------------------------------------------------------------
 */

WORD(word_study_run, "study-run");
WORD(word_resources, "resource-measurement");
static const char *const run_phase_words[] = {"throughput", "requests", "load", "load-plan", NULL};
static const char *const outcome_words[] = {"complete", "failed", NULL};

static const pp_field exit_rows[] = {
    MEMBER("how", "exit code or signal", FILLED),
    MEMBER("wall_ns", "from start to end", COUNT),
    MEMBER("user_us", "CPU time in the program", COUNT),
    MEMBER("system_us", "CPU time in the kernel", COUNT),
    MEMBER("major_faults", "pages read from disk", COUNT),
    MEMBER("max_rss_bytes", "largest resident set", COUNT, OR_NULL),
};
static const pp_fields exit_fields = FIELDS("run-exit", "how a program ended", exit_rows);

static const pp_field pause_rows[] = {
    MEMBER("waited_ms", "before the run", COUNT),
    MEMBER("gave_up", "it did not become idle in time, and the run began all the same", BOOL),
    MEMBER("foreign_percent", "of one core, by others, in the last two whole seconds",
           POSITIVE_REAL, OR_NULL),
};
static const pp_fields pause_fields =
    FIELDS("run-pause", "waiting until the machine is idle", pause_rows);

#define RUN_ROWS                                                                                   \
    MEMBER("schema_version", "version of the format", WORDS(pp_words_1_0)),                        \
        MEMBER("document", "what this is", WORDS(word_study_run)),                                 \
        MEMBER("candidate_id", "what was measured", FILE_ID),                                      \
        MEMBER("phase", "llama-bench, requests one by one, or many at once",                       \
               WORDS(run_phase_words)),                                                            \
        MEMBER("pass", "number of the pass; 0: the phase has none", COUNT),                        \
        MEMBER("started_unix_ms", "wall clock", COUNT),                                            \
        MEMBER("duration_ns", "of the run", COUNT),                                                \
        MEMBER("outcome", "figures of a failed run are absent everywhere", WORDS(outcome_words)),  \
        MEMBER("failure", "why it failed; null when it did not", FILLED, OR_NULL),                 \
        MEMBER("exit", "how the measured program ended; null when it never ran",                   \
               OBJECT(exit_fields), OR_NULL),                                                      \
        MEMBER("watch", "the noise of this run", OBJECT(pp_watch_fields)),                         \
        OPTION("attempt", "number of the attempt at its step", "1", INT(1, INT64_MAX)),            \
        OPTION("pause", "the wait before it; absent where the plan has a fixed one", NULL,         \
               OBJECT(pause_fields))

static const pp_field run_rows[] = {RUN_ROWS};
const pp_fields pp_study_run_fields =
    FIELDS_AT("study-run", "one run of a measured program", run_rows, "study-files");

static const char *const energy_source_words[] = {"powercap", "hwmon", NULL};
static const pp_field energy_rows[] = {
    MEMBER("joules", "of all packages, whoever used them", POSITIVE_REAL, OR_NULL),
    MEMBER("absent_because", "why that is null; null when it is not", FILLED, OR_NULL),
    MEMBER("source", "where the counters are; null without any", WORDS(energy_source_words),
           OR_NULL),
    MEMBER("package_count", "packages whose counter could be read", COUNT),
};
static const pp_fields energy_fields =
    FIELDS("energy-use", "energy of the CPU packages during the measured requests", energy_rows);

static const pp_field resource_rows[] = {
    MEMBER("schema_version", "version of the format", WORDS(pp_words_1_0)),
    MEMBER("document", "what this is", WORDS(word_resources)),
    MEMBER("candidate_id", "what was measured", FILE_ID),
    MEMBER("pass", "number of the pass", INT(1, INT64_MAX)),
    MEMBER("peak_rss_bytes", "the figure that counts", COUNT, OR_NULL),
    OPTION("cpu_ns", "CPU time of the server during the measured requests", NULL, COUNT, OR_NULL),
    OPTION("energy", "energy of the CPU packages during the measured requests", NULL,
           OBJECT(energy_fields)),
    MEMBER("method", "how it was read", FILLED),
    OPTION("absent_because", "of a gateway: why its processes do not tell all; null: they do", NULL,
           FILLED, OR_NULL),
    MEMBER("after_load", "when the server was ready", OBJECT(pp_process_memory_fields)),
    MEMBER("after_warmup", "after the warm-up requests; null when there are none",
           OBJECT(pp_process_memory_fields), OR_NULL),
    MEMBER("after_requests", "after the last request", OBJECT(pp_process_memory_fields)),
};
const pp_fields pp_resource_measurement_fields =
    FIELDS_AT("resource-measurement", "memory of a server", resource_rows, "study-files");

WORD(word_profile_run, "profile-run");
static const pp_field profile_run_rows[] = {
    MEMBER("schema_version", "version of the format", WORDS(pp_words_1_0)),
    MEMBER("document", "what this is", WORDS(word_profile_run)),
    MEMBER("candidate_id", "whose server ran", FILE_ID),
    MEMBER("command", "as it was given, for `sh -c`", FILLED),
    MEMBER("started_unix_ms", "wall clock, before the server was started", COUNT),
    MEMBER("request_count", "requests that were sent, warm-up included", COUNT),
    MEMBER("failed_request_count", "of these", COUNT),
    MEMBER(
        "exit",
        "how the command ended, by itself or after SIGINT when the requests were over; null when "
        "it never ran",
        OBJECT(exit_fields), OR_NULL),
    MEMBER(
        "failure",
        "what went wrong with server or command; null when nothing did; a command that SIGINT or "
        "SIGTERM ended is in order",
        FILLED, OR_NULL),
};
const pp_fields pp_profile_run_fields = FIELDS_AT(
    "profile-run", "a command beside a server, unmeasured", profile_run_rows, "study-files");

/* ---- journal ----------------------------------------------------------------------------------
 */

WORD(event_begin, "begin");
WORD(event_resume, "resume");
WORD(event_torn, "torn");
WORD(event_step_begin, "step-begin");
WORD(event_step_end, "step-end");
WORD(event_block_repeat, "block-repeat");
WORD(event_stopped, "stopped");
WORD(event_end, "end");
WORD(event_preflight, "preflight-passed");
WORD(event_run, "run");
static const char *const because_words[] = {"planned", "unfinished", "files-changed",
                                            "block-disturbed", NULL};
static const char *const step_outcome_words[] = {"complete", "failed", "interrupted", NULL};
static const char *const verdict_words[] = {"quiet", "disturbed", "undecided", NULL};

#define EVENT_ROWS(word)                                                                           \
    MEMBER("seq", "number of the line, from 0", COUNT),                                            \
        MEMBER("event", "what happened", WORDS(word)),                                             \
        MEMBER("at_ns", "from the begin of the session, the last `begin` or `resume`", COUNT),     \
        MEMBER("unix_ms", "wall clock", COUNT),                                                    \
        MEMBER("previous_sha256", "of the line before, its line end included; null in the first",  \
               SHA256, OR_NULL)

static const pp_field step_file_rows[] = {
    MEMBER("path", "in the bundle", PATH),
    MEMBER("sha256", "of the file", SHA256),
    MEMBER("size_bytes", "of the file", COUNT),
};
static const pp_fields step_file_fields =
    FIELDS("journal-file", "one file as it was written", step_file_rows);
static const pp_field_type step_file_type = {OBJECT(step_file_fields)};

static const pp_field begin_rows[] = {
    EVENT_ROWS(event_begin),
    MEMBER("study_id", "of the plan", FILLED),
    MEMBER("plan_sha256", "of the plan", SHA256),
    MEMBER("paretopilot_version", "of the program that measures", FILLED),
    OPTION("constraints_sha256", "of `experiment/constraints.json`; absent where no steps follow",
           NULL, SHA256),
    OPTION("model_folder", "that model paths of the plan start from, as it was given", NULL, PATH),
    OPTION("plan_folder", "that all other paths of the plan start from, as it was given", NULL,
           PATH),
};
static const pp_field resume_rows[] = {
    EVENT_ROWS(event_resume),
    MEMBER("plan_sha256", "of the plan, again", SHA256),
    MEMBER("paretopilot_version", "of the program that measures from here on", FILLED),
};
static const pp_field torn_rows[] = {
    EVENT_ROWS(event_torn),
    MEMBER("files", "what a crash left of a line, put aside", LIST(step_file_type), AT_LEAST_ONE),
};
static const pp_field step_begin_rows[] = {
    EVENT_ROWS(event_step_begin),
    MEMBER("step", "id of the step", FILLED),
    MEMBER("attempt", "number of the attempt", INT(1, INT64_MAX)),
    MEMBER("round", "of its block; a repeated block is in its second one", INT(1, INT64_MAX)),
    MEMBER("because", "why it is done, or done again", WORDS(because_words)),
};
static const pp_field step_end_rows[] = {
    EVENT_ROWS(event_step_end),
    MEMBER("step", "id of the step", FILLED),
    MEMBER("attempt", "number of the attempt", INT(1, INT64_MAX)),
    MEMBER("outcome", "failed: the measured program; it is not measured again for that",
           WORDS(step_outcome_words)),
    MEMBER("failure", "why; null when it is complete", TEXT, OR_NULL),
    MEMBER("duration_ns", "of the step, by the monotonic clock", COUNT),
    MEMBER("verdict", "of the noise watch; null where nothing is measured", WORDS(verdict_words),
           OR_NULL),
    MEMBER("exit", "how the measured program ended; null when none ran", OBJECT(exit_fields),
           OR_NULL),
    MEMBER("files", "what it wrote", LIST(step_file_type)),
};
static const pp_field block_repeat_rows[] = {
    EVENT_ROWS(event_block_repeat),
    MEMBER("block", "one phase in one pass, or one load", FILLED),
    MEMBER("round", "that begins", INT(2, INT64_MAX)),
    MEMBER("disturbed", "ids of the steps whose runs were disturbed in the round before",
           LIST(pp_type_filled), AT_LEAST_ONE),
};
static const pp_field stopped_rows[] = {
    EVENT_ROWS(event_stopped),
    MEMBER("reason", "why", TEXT),
};
static const pp_field end_rows[] = {EVENT_ROWS(event_end)};
static const pp_field preflight_rows[] = {EVENT_ROWS(event_preflight)};
static const pp_field run_event_rows[] = {EVENT_ROWS(event_run), RUN_ROWS};

static const pp_fields begin_fields = FIELDS("journal-begin", "the study has begun", begin_rows);
static const pp_fields resume_fields =
    FIELDS("journal-resume", "the study goes on after a stop or a crash", resume_rows);
static const pp_fields torn_fields = FIELDS(
    "journal-torn", "a crash cut a line off while it was written; it is repaired", torn_rows);
static const pp_fields step_begin_fields =
    FIELDS("journal-step-begin", "a step begins; nothing of it was started yet", step_begin_rows);
static const pp_fields step_end_fields =
    FIELDS("journal-step-end", "a step has ended, and its files are on disk", step_end_rows);
static const pp_fields block_repeat_fields =
    FIELDS("journal-block-repeat", "a block was disturbed and is measured again, whole",
           block_repeat_rows);
static const pp_fields stopped_fields =
    FIELDS("journal-stopped", "the session ended early", stopped_rows);
static const pp_fields end_fields = FIELDS("journal-end", "every step was carried out", end_rows);
static const pp_fields preflight_fields =
    FIELDS("journal-preflight-passed", "every candidate was started once; no longer written",
           preflight_rows);
static const pp_fields run_event_fields =
    FIELDS("journal-run", "a run has ended; its record; no longer written", run_event_rows);

const pp_field_choice pp_journal_choices[] = {
    {"event", "begin", &begin_fields},
    {"event", "resume", &resume_fields},
    {"event", "torn", &torn_fields},
    {"event", "step-begin", &step_begin_fields},
    {"event", "step-end", &step_end_fields},
    {"event", "block-repeat", &block_repeat_fields},
    {"event", "stopped", &stopped_fields},
    {"event", "end", &end_fields},
    {"event", "preflight-passed", &preflight_fields},
    {"event", "run", &run_event_fields},
    {0},
};

/* ---- summary ----------------------------------------------------------------------------------
 */

WORD(word_summary, "study-summary");

static const pp_field step_rows[] = {
    MEMBER("verify", "hashing the models", COUNT, UNIT("ns")),
    MEMBER("preflight", "starting every candidate once", COUNT, UNIT("ns")),
    MEMBER("throughput", "llama-bench", COUNT, UNIT("ns")),
    MEMBER("requests", "llama-server", COUNT, UNIT("ns")),
    OPTION("load", "many requests at once", "0", COUNT, UNIT("ns")),
    OPTION("load-plan", "the same by a load plan", "0", COUNT, UNIT("ns")),
    MEMBER("assemble", "documents", COUNT, UNIT("ns")),
};
static const pp_fields step_fields = FIELDS("study-steps", "time of each step", step_rows);

static const pp_field summary_rows[] = {
    MEMBER("schema_version", "version of the format", WORDS(pp_words_1_0)),
    MEMBER("document", "what this is", WORDS(word_summary)),
    MEMBER("study_id", "of the plan", FILLED),
    MEMBER("selected_id", "the decision; null when nothing is eligible", FILLED, OR_NULL),
    MEMBER("origin", "of the figures", WORDS(pp_words_origin)),
    MEMBER("run_count", "runs carried out", COUNT),
    MEMBER("failed_run_count", "of these, failed", COUNT),
    MEMBER("repeated_block_count", "blocks measured again because of a disturbance", COUNT),
    MEMBER("disturbed_runs", "a sentence for each disturbed run", LIST(pp_type_filled)),
    OPTION("failed_runs", "a sentence for each failed run, with the file that says it", "[]",
           LIST(pp_type_filled)),
    OPTION("failed_requests",
           "a sentence for each run of which single requests failed, with the file that holds them",
           "[]", LIST(pp_type_filled)),
    MEMBER("step_ns", "time of each step", OBJECT(step_fields)),
    MEMBER("report", "path of the report", FILLED),
};
const pp_fields pp_study_summary_fields =
    FIELDS_AT("study-summary", "what `study run --json` and `study resume --json` print",
              summary_rows, "study-summary");

/* ---- how far -----------------------------------------------------------------------------------
 */

WORD(word_study_status, "study-status");
static const char *const standing_words[] = {"running", "complete", "stopped", "killed", NULL};
static const char *const step_standing_words[] = {"waiting", "running", "done",
                                                  "failed",  "cut-off", NULL};

static const pp_field status_step_rows[] = {
    MEMBER("step", "its id", FILLED),
    MEMBER("block", "steps that are repeated together", FILLED),
    MEMBER("state", "failed: the measured program; it is not measured again for that",
           WORDS(step_standing_words)),
    MEMBER("disturbed", "other programs computed meanwhile", BOOL),
    MEMBER("attempt_count", "begun so far", COUNT),
    MEMBER("duration_ns", "of the attempt that counts; null until it is done", COUNT, OR_NULL),
};
static const pp_fields status_step_fields = FIELDS("status-step", "one step", status_step_rows);
static const pp_field_type status_step_type = {OBJECT(status_step_fields)};

static const pp_field study_status_rows[] = {
    MEMBER("schema_version", "version of the format", WORDS(pp_words_1_0)),
    MEMBER("document", "what this is", WORDS(word_study_status)),
    MEMBER("study_id", "of the plan", FILLED),
    MEMBER("plan_sha256", "of the plan", SHA256),
    MEMBER("state", "killed: it ended without a word", WORDS(standing_words)),
    MEMBER("reason", "why it stopped; null when it did not", TEXT, OR_NULL),
    MEMBER("session_count", "one, and one more each time that it was resumed", COUNT),
    MEMBER("step_count", "of the whole study", COUNT),
    MEMBER("done_count", "steps done, failed ones included", COUNT),
    MEMBER("failed_count", "of these, failed", COUNT),
    MEMBER("disturbed_count", "of these, disturbed", COUNT),
    MEMBER("attempt_count", "begun so far, at all steps", COUNT),
    MEMBER("repeated_block_count", "blocks measured again because of a disturbance", COUNT),
    MEMBER("began_unix_ms", "wall clock", COUNT),
    MEMBER("elapsed_ns", "of all sessions, up to now or to their last line", COUNT),
    MEMBER("remaining_ns", "estimate; null while unknown", COUNT, OR_NULL),
    MEMBER("steps", "in order", LIST(status_step_type)),
};
const pp_fields pp_study_status_fields =
    FIELDS_AT("study-status", "how far a study is", study_status_rows, "study-status");
