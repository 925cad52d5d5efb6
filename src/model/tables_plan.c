/* What a study measures, and how llama.cpp is told to run a candidate. */
#include "model/field_rows.h"
#include "model/study_plan.h"
#include "model/tables.h"

/* ---- settings ---------------------------------------------------------------------------------
 */

static const char *const cache_words[] = {"f32",  "f16",    "bf16", "q8_0", "q4_0",
                                          "q4_1", "iq4_nl", "q5_0", "q5_1", NULL};
static const char *const flash_words[] = {"on", "off", "auto", NULL};
static const char *const load_words[] = {"auto",       "none", "mmap", "mlock",
                                         "mmap+mlock", "dio",  NULL};

#define SETTINGS_ROWS                                                                              \
    MEMBER("threads", "for generation; `--threads`", INT(1, 4096)),                                \
        MEMBER("threads_batch", "for the prompt; `--threads-batch`", INT(1, 4096)),                \
        MEMBER("batch_size", "logical batch; `--batch-size`", INT(1, 1048576), UNIT("tokens")),    \
        MEMBER("ubatch_size", "physical batch, at most `batch_size`; `--ubatch-size`",             \
               INT(1, 1048576), UNIT("tokens")),                                                   \
        MEMBER("context_size", "over all slots, a multiple of `parallel`; `--ctx-size`",           \
               INT(1, 16777216), UNIT("tokens")),                                                  \
        MEMBER("parallel",                                                                         \
               "slots, each with its own share of the context; `--parallel`, `--no-kv-unified`",   \
               INT(1, 1024)),                                                                      \
        MEMBER("poll", "how a waiting thread waits: 0 sleeps, 100 spins; `--poll`", INT(0, 100)),  \
        MEMBER("cache_type_k", "of the key cache; `--cache-type-k`", WORDS(cache_words)),          \
        MEMBER("cache_type_v", "of the value cache; `--cache-type-v`", WORDS(cache_words)),        \
        MEMBER("flash_attention", "`--flash-attn`", WORDS(flash_words)),                           \
        MEMBER("load_mode", "how weights come into memory; `--load-mode`", WORDS(load_words)),     \
        MEMBER("repack",                                                                           \
               "weights rearranged for the CPU's instructions; `--repack`, `--no-repack`", BOOL)

static const pp_field settings_rows[] = {SETTINGS_ROWS};
const pp_fields pp_settings_fields =
    FIELDS_AT("settings", "how llama.cpp runs a candidate", settings_rows, "study-plan");

WORD(word_settings, "settings");
static const pp_field settings_document_rows[] = {
    MEMBER("schema_version", "version of the format", WORDS(pp_words_1_0)),
    MEMBER("document", "what this is", WORDS(word_settings)),
    SETTINGS_ROWS,
};
const pp_fields pp_settings_document_fields =
    FIELDS("settings-document", "settings of one candidate, those of the plan filled in",
           settings_document_rows);

/* ---- plan -------------------------------------------------------------------------------------
 */

WORD(word_study_plan, "study-plan");

static const pp_field model_rows[] = {
    MEMBER("id", "names the model's file in the bundle; unique", FILE_ID),
    MEMBER("path", "relative to the plan's folder or to `--model-dir`", PATH),
    MEMBER("sha256", "of the file", SHA256),
    MEMBER("size_bytes", "of the file", INT(1, INT64_MAX)),
};
static const pp_fields model_fields = FIELDS("plan-model", "one model file", model_rows);
static const pp_field_type model_type = {OBJECT(model_fields)};

static const pp_field candidate_rows[] = {
    MEMBER("id", "names the candidate's folder in the bundle; unique", FILE_ID),
    MEMBER("label", "for people", FILLED),
    MEMBER("model", "id of one of `models`", FILLED),
    MEMBER("settings", "what differs from the common settings; `{}` for nothing",
           OBJECT(pp_settings_fields), .all_optional = true),
};
static const pp_fields candidate_fields =
    FIELDS("plan-candidate", "one configuration to measure", candidate_rows);
static const pp_field_type candidate_type = {OBJECT(candidate_fields)};

static const pp_field throughput_rows[] = {
    MEMBER("prompt_tokens", "length of the prompt test", INT(1, 1048576)),
    MEMBER("generation_tokens", "length of the generation test", INT(1, 1048576)),
    MEMBER("repetitions", "of each test in a pass", INT(1, 1000)),
};
static const pp_fields throughput_fields =
    FIELDS("plan-throughput", "what llama-bench does in each pass", throughput_rows);

static const pp_field requests_rows[] = {
    MEMBER("prompt_tokens", "of each request", INT(2, 1048576)),
    MEMBER("output_tokens", "of each answer; with the prompt it must fit into a slot",
           INT(1, 1048576)),
    MEMBER("warmup", "requests before the measured ones", INT(0, 1000)),
    MEMBER("measured", "requests that count", INT(1, 100000)),
    MEMBER("seed", "chooses the prompts", INT(0, 4294967295)),
};
static const pp_fields requests_fields = FIELDS(
    "plan-requests", "streamed requests to llama-server, per candidate and pass", requests_rows);

static const pp_field deadline_rows[] = {
    MEMBER("start_ms", "from the start of a server until it is ready", INT(100, 3600000)),
    MEMBER("throughput_ms", "one run of llama-bench", INT(100, 86400000)),
    MEMBER("request_ms", "one request", INT(100, 86400000)),
};
static const pp_fields deadline_fields =
    FIELDS("plan-deadlines", "what takes longer has failed", deadline_rows);

static const pp_field noise_rows[] = {
    MEMBER("foreign_cpu_percent", "other programs, of one core over any two seconds",
           NUMBER(0, 100000), .above_min = true),
    MEMBER("steal_percent", "taken by the hypervisor, of all CPU time over the run",
           NUMBER(0, 100000), .above_min = true),
    OPTION("repeats",
           "how often all candidates of a phase and pass are measured again when a run of one was "
           "disturbed",
           "0", INT(0, 20)),
};
static const pp_fields noise_fields =
    FIELDS("plan-noise-limits", "above these a run is marked as disturbed", noise_rows);

static const pp_field marker_rows[] = {
    MEMBER("required", "texts that each server's log must contain in the preflight",
           LIST(pp_type_filled)),
    MEMBER("forbidden", "texts that it must not contain", LIST(pp_type_filled)),
};
static const pp_fields marker_fields =
    FIELDS("plan-log-markers", "what the logs must say", marker_rows);

static const pp_field plan_rows[] = {
    MEMBER("schema_version", "version of the format", WORDS(pp_words_1_0)),
    MEMBER("document", "what this is", WORDS(word_study_plan)),
    MEMBER("study_id", "names the study", FILLED),
    MEMBER("title", "for people", FILLED),
    MEMBER("baseline_id", "id of the candidate that others are compared with", FILLED),
    MEMBER("models", "files to measure", LIST(model_type), ITEMS(1, PP_STUDY_MAX_CANDIDATES)),
    MEMBER("settings",
           "settings of all candidates; what is absent here must stand in every candidate",
           OBJECT(pp_settings_fields), .all_optional = true),
    MEMBER("candidates", "odd passes run in this order, even ones in reverse", LIST(candidate_type),
           ITEMS(1, PP_STUDY_MAX_CANDIDATES)),
    MEMBER("passes", "how often everything is measured", INT(1, PP_STUDY_MAX_PASSES)),
    MEMBER("settle_ms", "pause before each run", INT(0, 3600000)),
    MEMBER("throughput", "what llama-bench does", OBJECT(throughput_fields)),
    MEMBER("requests", "what llama-server is asked", OBJECT(requests_fields)),
    MEMBER("deadlines", "what takes longer has failed", OBJECT(deadline_fields)),
    MEMBER("noise_limits", "above these a run is disturbed", OBJECT(noise_fields)),
    MEMBER("log_markers", "what the logs must say", OBJECT(marker_fields)),
    MEMBER("constraints", "limits, objective and preferences", CHOICE(pp_constraints_choices)),
};
const pp_fields pp_study_plan_fields =
    FIELDS_AT("study-plan", "what a study measures", plan_rows, "study-plan");
