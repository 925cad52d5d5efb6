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

#define MODEL_ROWS                                                                                 \
    MEMBER("id", "names the model's file in the bundle; unique", FILE_ID),                         \
        MEMBER("path", "relative to the plan's folder or to `--model-dir`", PATH),                 \
        MEMBER("sha256", "of the file", SHA256),                                                   \
        MEMBER("size_bytes", "of the file", INT(1, INT64_MAX))

static const pp_field model_rows[] = {MODEL_ROWS};
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

#define DEADLINE_ROWS                                                                              \
    MEMBER("start_ms", "from the start of a server until it is ready", INT(100, 3600000)),         \
        MEMBER("throughput_ms", "one run of llama-bench", INT(100, 86400000)),                     \
        MEMBER("request_ms", "one request", INT(100, 86400000))
static const pp_field deadline_rows[] = {DEADLINE_ROWS};
static const pp_fields deadline_fields =
    FIELDS("plan-deadlines", "what takes longer has failed", deadline_rows);

#define NOISE_ROWS                                                                                 \
    MEMBER("foreign_cpu_percent", "other programs, of one core over any two seconds",              \
           NUMBER(0, 100000), .above_min = true),                                                  \
        MEMBER("steal_percent", "taken by the hypervisor, of all CPU time over the run",           \
               NUMBER(0, 100000), .above_min = true)
#define REPEATS_HELP                                                                               \
    "how often all candidates of a phase and pass are measured again when a run of one was "       \
    "disturbed"
static const pp_field noise_rows[] = {
    NOISE_ROWS,
    OPTION("repeats", REPEATS_HELP, "0", INT(0, 20)),
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

static const pp_field file_rows[] = {
    MEMBER("path", "relative to the plan's folder", PATH),
    MEMBER("sha256", "of the file", SHA256),
};
static const pp_fields file_fields = FIELDS("plan-file", "a file beside the plan", file_rows);

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
    OPTION("suite", "a [quality suite](quality-suite.md); absent or null: quality is not judged",
           "null", OBJECT(file_fields), OR_NULL),
    MEMBER("requests", "what llama-server is asked", OBJECT(requests_fields)),
    MEMBER("deadlines", "what takes longer has failed", OBJECT(deadline_fields)),
    MEMBER("noise_limits", "above these a run is disturbed", OBJECT(noise_fields)),
    MEMBER("log_markers", "what the logs must say", OBJECT(marker_fields)),
    MEMBER("constraints", "limits, objective and preferences", CHOICE(pp_constraints_choices)),
};
const pp_fields pp_study_plan_1_0_fields =
    FIELDS_AT("study-plan-1.0", "what a study measures", plan_rows, "study-plan");

/* ---- plan, 2.0 --------------------------------------------------------------------------------
 */

static const pp_field engine_rows[] = {
    MEMBER("id", "unique", FILE_ID),
    MEMBER("path",
           "folder of the programs, relative to the plan's; null: found on this machine, "
           "or given by `--llama-dir`",
           PATH, OR_NULL),
    OPTION("server", "the server within that folder", "\"llama-server\"", PATH),
    OPTION("bench", "the benchmark within that folder", "\"llama-bench\"", PATH),
    OPTION("environment",
           "variables the programs are started with; never a secret, for they are "
           "recorded; `LLAMA_ARG_*` is refused",
           "{}", MAP(pp_type_text)),
    MEMBER("log_markers", "what the logs of this build must say", OBJECT(marker_fields)),
};
static const pp_fields engine_fields = FIELDS("plan-engine", "one build of llama.cpp", engine_rows);
static const pp_field_type engine_type = {OBJECT(engine_fields)};

static const pp_field model_2_rows[] = {
    MODEL_ROWS,
    OPTION("url", "where the file can be had; nothing is fetched by a study", NULL, FILLED),
    OPTION("family", "for passport and readers", NULL, FILLED),
    OPTION("repository", "for passport and readers", NULL, FILLED),
    OPTION("revision", "of the repository", NULL, FILLED),
    OPTION("quantization", "for readers", NULL, FILLED),
};
static const pp_fields model_2_fields = FIELDS("plan-model-2.0", "one model file", model_2_rows);
static const pp_field_type model_2_type = {OBJECT(model_2_fields)};

#define CANDIDATE_HEAD                                                                             \
    MEMBER("id", "names the candidate's folder in the bundle; unique", FILE_ID),                   \
        MEMBER("label", "for people", FILLED)
#define CANDIDATE_INPUTS                                                                           \
    MEMBER("engine", "id of one of `engines`", FILLED),                                            \
        MEMBER("model", "id of one of `models`", FILLED)

WORD(word_managed, "managed");
static const pp_field managed_rows[] = {
    MEMBER("kind", "what it is", WORDS(word_managed)),
    CANDIDATE_HEAD,
    CANDIDATE_INPUTS,
    MEMBER("settings", "what differs from the common settings; `{}` for nothing",
           OBJECT(pp_settings_fields), .all_optional = true),
    OPTION("extra_arguments",
           "words at the end of llama-server's command line; none that a setting stands for", "[]",
           LIST(pp_type_filled), ITEMS(0, PP_STUDY_MAX_WORDS)),
};
static const pp_fields managed_fields = FIELDS(
    "plan-candidate-managed", "a candidate whose command lines follow from settings", managed_rows);

static const pp_field argv_rows[] = {
    MEMBER("server",
           "llama-server's command line, word by word; run in the plan's folder; `--port` once, "
           "with a port or `{port}` for a free one",
           LIST(pp_type_filled), ITEMS(3, PP_STUDY_MAX_WORDS)),
    MEMBER("throughput", "llama-bench's command line; null: it does not run for this candidate",
           LIST(pp_type_filled), ITEMS(1, PP_STUDY_MAX_WORDS), OR_NULL),
    OPTION("working_directory",
           "where llama-bench runs, relative to the plan's folder, which it is itself when nothing "
           "is said",
           NULL, PATH),
};
static const pp_fields argv_fields =
    FIELDS("plan-argv",
           "command lines word for word; nothing is added, and completeness is the "
           "plan's own concern",
           argv_rows);

WORD(word_verbatim, "verbatim");
static const pp_field verbatim_rows[] = {
    MEMBER("kind", "what it is", WORDS(word_verbatim)),
    CANDIDATE_HEAD,
    CANDIDATE_INPUTS,
    MEMBER("argv", "command lines", OBJECT(argv_fields)),
};
static const pp_fields verbatim_fields =
    FIELDS("plan-candidate-verbatim", "a candidate whose command lines are given", verbatim_rows);

static const char *const server_words[] = {"openai", "llama-server", "vllm", NULL};
static const pp_field endpoint_rows[] = {
    MEMBER("url", "address of the server, without a key", FILLED),
    MEMBER("server", "what kind of server it is: strict ones get no foreign fields",
           WORDS(server_words)),
    OPTION("model", "name of the model that is asked for; absent: the field is not sent", NULL,
           FILLED),
    OPTION("api_key_env", "name of the variable that holds its key; absent: none is sent", NULL,
           FILLED),
};
static const pp_fields endpoint_fields =
    FIELDS("plan-endpoint", "a server that runs already", endpoint_rows);

WORD(word_endpoint, "endpoint");
static const pp_field endpoint_candidate_rows[] = {
    MEMBER("kind", "what it is", WORDS(word_endpoint)),
    CANDIDATE_HEAD,
    MEMBER("endpoint", "the server", OBJECT(endpoint_fields)),
};
static const pp_fields endpoint_candidate_fields =
    FIELDS("plan-candidate-endpoint", "a candidate that the study does not start",
           endpoint_candidate_rows);

static const pp_field serve_rows[] = {
    MEMBER("config",
           "[configuration](serve-config.md) of the gateway, relative to the plan's folder", PATH),
    MEMBER("sha256", "of that file", SHA256),
    MEMBER("model", "name of the model that is asked for, one of the configuration's `models`",
           FILLED),
    OPTION("api_key_env",
           "name of the variable that holds a key of the gateway's; absent: none is sent", NULL,
           FILLED),
};
static const pp_fields serve_fields =
    FIELDS("plan-serve", "a gateway that `serve` runs for each pass", serve_rows);

WORD(word_serve, "serve");
static const pp_field serve_candidate_rows[] = {
    MEMBER("kind", "what it is", WORDS(word_serve)),
    CANDIDATE_HEAD,
    MEMBER("serve", "the gateway", OBJECT(serve_fields)),
};
static const pp_fields serve_candidate_fields =
    FIELDS("plan-candidate-serve", "a gateway that the study starts, with all that it starts",
           serve_candidate_rows);

static const pp_field stage_rows[] = {
    MEMBER("name", "for people, such as `quantization` or `arm-kernel`", FILLED),
    MEMBER("candidate", "id of a candidate", FILLED),
    MEMBER("against", "id of the one it is made of", FILLED),
    MEMBER("changes",
           "the one thing that differs: `engine`, `model`, `settings.<name>`, `extra_arguments`, "
           "`endpoint`, `serve`, `argv.<option>`; checked",
           FILLED),
};
static const pp_fields stage_fields =
    FIELDS("plan-stage", "one step of a ladder of candidates", stage_rows);
static const pp_field_type stage_type = {OBJECT(stage_fields)};

static const char *const order_words[] = {"mirrored", "blocks", "williams", NULL};
static const pp_field order_rows[] = {
    MEMBER("kind",
           "`mirrored`: document order in odd passes, reversed in even ones; `blocks`: each pass "
           "shuffled anew; `williams`: rows of Williams squares",
           WORDS(order_words)),
    MEMBER("seed", "of what is shuffled", INT(0, 4294967295)),
};
static const pp_fields order_fields = FIELDS("plan-order", "which candidate runs when", order_rows);

WORD(word_settle, "settle");
static const pp_field settle_rows[] = {
    MEMBER("kind", "a fixed pause", WORDS(word_settle)),
    MEMBER("settle_ms", "its length", INT(0, 3600000)),
};
static const pp_fields settle_fields = FIELDS("plan-settle", "a fixed pause", settle_rows);
WORD(word_idle, "idle");
static const pp_field idle_rows[] = {
    MEMBER("kind", "until the machine is idle", WORDS(word_idle)),
    MEMBER("cpu_percent", "all other programs together use at most this, of one core",
           NUMBER(0, 100000), .above_min = true),
    MEMBER("max_wait_ms", "then the run begins all the same, and its record says so",
           INT(0, 86400000)),
};
static const pp_fields idle_fields =
    FIELDS("plan-idle", "a pause until the machine is idle", idle_rows);
static const pp_field_choice pause_choices[] = {
    {"kind", "settle", &settle_fields},
    {"kind", "idle", &idle_fields},
    {0},
};

WORD(word_closed, "closed");
static const pp_field closed_rows[] = {
    MEMBER("loop", "a constant number of requests in flight", WORDS(word_closed)),
    MEMBER("clients", "so many", INT(1, 4096)),
    MEMBER("measured", "requests that count; at least as many as clients", INT(1, 1000000)),
};
static const pp_fields closed_fields =
    FIELDS("plan-load-closed", "a level in closed loop", closed_rows);
WORD(word_open, "open");
static const char *const arrivals_words[] = {"constant", "poisson", NULL};
static const pp_field open_rows[] = {
    MEMBER("loop", "requests become due, whatever is in flight", WORDS(word_open)),
    MEMBER("rate_per_second", "so many", NUMBER(0, 100000), .above_min = true),
    MEMBER("arrivals", "how they are spread", WORDS(arrivals_words)),
    MEMBER("measured", "requests that count", INT(1, 1000000)),
};
static const pp_fields open_fields = FIELDS("plan-load-open", "a level in open loop", open_rows);
static const pp_field_choice step_choices[] = {
    {"loop", "closed", &closed_fields},
    {"loop", "open", &open_fields},
    {0},
};
static const pp_field_type step_type = {CHOICE(step_choices)};

static const pp_field load_rows[] = {
    MEMBER("steps", "in this order, on one server", LIST(step_type), ITEMS(1, 64)),
    MEMBER("warmup", "requests before each step", INT(0, 10000)),
    MEMBER("prompt_tokens", "of each request", INT(2, 1048576)),
    MEMBER("output_tokens", "of each answer", INT(1, 1048576)),
    MEMBER("seed", "chooses prompts and instants", INT(0, 4294967295)),
    MEMBER("slo", "demands as `load --slo` takes them", LIST(pp_type_filled), ITEMS(0, 16)),
};
static const pp_fields load_fields =
    FIELDS("plan-load", "many requests at once, once per candidate", load_rows);

static const pp_field deadline_2_rows[] = {
    DEADLINE_ROWS,
    MEMBER("load_ms", "all steps of the load of one candidate", INT(100, 86400000)),
};
static const pp_fields deadline_2_fields =
    FIELDS("plan-deadlines-2.0", "what takes longer has failed", deadline_2_rows);

static const pp_field noise_2_rows[] = {
    NOISE_ROWS,
    MEMBER("repeats", REPEATS_HELP, INT(0, 20)),
};
static const pp_fields noise_2_fields =
    FIELDS("plan-noise-limits-2.0", "above these a run is disturbed", noise_2_rows);

static const pp_field_choice candidate_choices[] = {
    {"kind", "managed", &managed_fields},
    {"kind", "verbatim", &verbatim_fields},
    {"kind", "endpoint", &endpoint_candidate_fields},
    {"kind", "serve", &serve_candidate_fields},
    {0},
};
static const pp_field_type candidate_2_type = {CHOICE(candidate_choices)};

WORD(word_2_0, "2.0");
static const pp_field plan_2_rows[] = {
    MEMBER("schema_version", "version of the format", WORDS(word_2_0)),
    MEMBER("document", "what this is", WORDS(word_study_plan)),
    MEMBER("study_id", "names the study", FILLED),
    MEMBER("title", "for people", FILLED),
    MEMBER("baseline_id", "id of the candidate that others are compared with", FILLED),
    MEMBER("engines", "builds of llama.cpp; none where no candidate names one", LIST(engine_type),
           ITEMS(0, PP_STUDY_MAX_CANDIDATES)),
    MEMBER("models", "files to measure", LIST(model_2_type), ITEMS(0, PP_STUDY_MAX_CANDIDATES)),
    MEMBER("settings",
           "settings of all managed candidates; what is absent here must stand in every one",
           OBJECT(pp_settings_fields), .all_optional = true),
    MEMBER("candidates", "what is measured", LIST(candidate_2_type),
           ITEMS(1, PP_STUDY_MAX_CANDIDATES)),
    MEMBER("stages", "a ladder over the candidates; may be empty", LIST(stage_type),
           ITEMS(0, PP_STUDY_MAX_CANDIDATES)),
    MEMBER("order", "which candidate runs when", OBJECT(order_fields)),
    MEMBER("passes", "how often everything is measured", INT(1, PP_STUDY_2_MAX_PASSES)),
    MEMBER("pause", "before each run", CHOICE(pause_choices)),
    MEMBER("throughput", "what llama-bench does; null: it does not run", OBJECT(throughput_fields),
           OR_NULL),
    MEMBER("suite", "a [quality suite](quality-suite.md); null: quality is not judged",
           OBJECT(file_fields), OR_NULL),
    MEMBER("requests", "what servers are asked, one request after another; null: nothing",
           OBJECT(requests_fields), OR_NULL),
    MEMBER("load_plan", "the original tool's [load plan](load-plan.md); null: none",
           OBJECT(file_fields), OR_NULL),
    MEMBER("load", "many requests at once; null: none", OBJECT(load_fields), OR_NULL),
    MEMBER("policies", "a [policy set](policy-set.md) to decide by as well; null: none",
           OBJECT(file_fields), OR_NULL),
    MEMBER("deadlines", "what takes longer has failed", OBJECT(deadline_2_fields)),
    MEMBER("noise_limits", "above these a run is disturbed", OBJECT(noise_2_fields)),
    MEMBER("constraints", "limits, objective and preferences", CHOICE(pp_constraints_choices)),
};
const pp_fields pp_study_plan_2_0_fields =
    FIELDS_AT("study-plan-2.0", "what a study measures", plan_2_rows, "study-plan");

const pp_field_choice pp_study_plan_choices[] = {
    {"schema_version", "1.0", &pp_study_plan_1_0_fields},
    {"schema_version", "2.0", &pp_study_plan_2_0_fields},
    {0},
};
