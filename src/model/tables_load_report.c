/* The report of a load run. */
#include "model/field_rows.h"
#include "model/tables.h"

/* The words of enums of load_level.h and of capacity/; a test compares them. */
static const char *const loop_words[] = {"closed", "open", "trace", NULL};
static const char *const arrivals_words[] = {"constant", "poisson", "gamma", NULL};
static const char *const end_words[] = {"requests", "duration", "trace",   "interrupted",
                                        "hopeless", "warm-up",  "decided", NULL};
static const char *const metric_words[] = {"ttft", "first-answer", "e2e", "tpot",
                                           "gap",  "lateness",     NULL};
static const char *const kind_words[] = {"percentile", "each", "error-rate", "completion", NULL};
static const char *const verdict_words[] = {"pass", "fail", "undecided", NULL};
static const char *const reason_words[] = {"too-few",  "no-requests", "not-valid", "overloaded",
                                           "gathered", "dependent",   NULL};
static const char *const steady_words[] = {"known", "no-requests", "never-all-running", "no-length",
                                           NULL};
static const char *const doubt_words[] = {
    "clock-set",       "stalled",           "late",     "client-lag", "client-cpu",
    "in-flight-above", "schedule-not-kept", "not-cold", "polluted",   NULL};
static const char *const note_words[] = {
    "not-steady",       "no-steady-window",      "overloaded",  "gathered", "cold-not-shown",
    "tokens-estimated", "wrong-length",          "interrupted", "hopeless", "all-failed",
    "warm-up-failed",   "draft-acceptance-fell", NULL};
static const char *const knee_words[] = {"known",          "too-few-levels", "no-maximum",
                                         "outside-levels", "not-stable",     NULL};
static const char *const drift_measure_words[] = {"ttft", "tpot", "e2e", NULL};
static const char *const drift_verdict_words[] = {"none", "seen", "undecided", NULL};
static const char *const find_end_words[] = {
    "goes-on", "resolved", "undecided", "never-failed", "never-passed", "probes-spent", NULL};
static const char *const find_of_words[] = {"rate", "clients", NULL};
static const char *const rate_words[] = {"generated-tokens", "requests", NULL};
static const char *const window_words[] = {"steady", "whole", NULL};
WORD(document_word, "load-report");
WORD(gathered_word, "gathered");

/* ---- figures -------------------------------------------------------------------------------- */

#define TAIL_HEAD                                                                                  \
    MEMBER("percent", "which percentile", NUMBER(0, 100), .above_min = true, UNIT("%")),           \
        MEMBER("rank", "nearest rank, from 1; null without values", INT(1, INT64_MAX), OR_NULL),   \
        MEMBER("is_maximum", "the rank is the last: so few values do not support the percentile",  \
               BOOL),                                                                              \
        MEMBER("is_failed", "the rank falls on a failed request, which has no end", BOOL),         \
        MEMBER("lower_rank", "where the interval begins; null: none", INT(1, INT64_MAX), OR_NULL), \
        MEMBER("upper_rank", "where it ends; null: so few values give no end", INT(1, INT64_MAX),  \
               OR_NULL)

static const pp_field tail_rows[] = {
    TAIL_HEAD,
    MEMBER("value_ms", "the value at the rank", REAL, OR_NULL),
    MEMBER("low_ms", "the value at `lower_rank`", REAL, OR_NULL),
    MEMBER("high_ms", "the value at `upper_rank`; null too where that failed", REAL, OR_NULL),
};
static const pp_fields tail_fields = FIELDS("load-percentile", "a percentile of times", tail_rows);
static const pp_field_type tail_type = {OBJECT(tail_fields)};

static const pp_field rate_tail_rows[] = {
    TAIL_HEAD,
    MEMBER("value_tokens_per_second", "the value at the rank", REAL, OR_NULL),
    MEMBER("low_tokens_per_second", "the value at `lower_rank`", REAL, OR_NULL),
    MEMBER("high_tokens_per_second", "the value at `upper_rank`", REAL, OR_NULL),
};
static const pp_fields rate_tail_fields =
    FIELDS("load-rate-percentile", "a percentile of rates", rate_tail_rows);
static const pp_field_type rate_tail_type = {OBJECT(rate_tail_fields)};

#define FIGURES_HEAD                                                                               \
    MEMBER("count", "values", COUNT), MEMBER("failed_count",                                       \
                                             "failed requests: left out, or among the values as "  \
                                             "endless in `with_failures`",                         \
                                             COUNT)

static const pp_field figures_rows[] = {
    FIGURES_HEAD,
    MEMBER("mean_ms", "null without values, and where one is endless", REAL, OR_NULL),
    MEMBER("min_ms", "the smallest", REAL, OR_NULL),
    MEMBER("max_ms", "the largest; null where one is endless", REAL, OR_NULL),
    MEMBER("percentiles", "those of the rules, ascending", LIST(tail_type)),
};
static const pp_fields figures_fields = FIELDS("load-times", "figures over times", figures_rows);

static const pp_field rate_figures_rows[] = {
    FIGURES_HEAD,
    MEMBER("mean_tokens_per_second", "mean over requests", REAL, OR_NULL),
    MEMBER("min_tokens_per_second", "the smallest", REAL, OR_NULL),
    MEMBER("max_tokens_per_second", "the largest", REAL, OR_NULL),
    MEMBER("percentiles", "those of the rules, ascending", LIST(rate_tail_type)),
};
static const pp_fields rate_figures_fields =
    FIELDS("load-rates", "figures over rates of single requests", rate_figures_rows);

static const pp_field pair_rows[] = {
    MEMBER("ok", "of requests that ended well", OBJECT(figures_fields)),
    MEMBER("with_failures", "with each failed request as endless", OBJECT(figures_fields)),
};
static const pp_fields pair_fields =
    FIELDS("load-pair", "without and with the failures; what was cut is in neither", pair_rows);

static const pp_field latency_rows[] = {
    MEMBER("undefined_count", "requests that ended well without this instant", COUNT),
    MEMBER("from_start", "from the start of the request", OBJECT(pair_fields)),
    MEMBER("from_due", "from the instant the request was due", OBJECT(pair_fields)),
};
static const pp_fields latency_fields =
    FIELDS("load-latency", "time to an instant of the reply", latency_rows);

static const pp_field tpot_rows[] = {
    MEMBER("undefined_count", "requests that ended well with one token, or an unknown number",
           COUNT),
    MEMBER("ok", "of requests that ended well", OBJECT(figures_fields)),
    MEMBER("with_failures", "with each failed request as endless", OBJECT(figures_fields)),
};
static const pp_fields tpot_fields =
    FIELDS("load-tpot", "time per output token after the first, one value a request", tpot_rows);

static const pp_field gaps_rows[] = {
    MEMBER("withheld", "why there are no figures; null when there are", WORDS(gathered_word),
           OR_NULL),
    MEMBER("gathered_percent", "of the requests: flagged as gathered", NUMBER(0, 100), OR_NULL),
    MEMBER("zero_gap_percent", "of the gaps: nothing", NUMBER(0, 100), OR_NULL),
    MEMBER("all", "all gaps of all requests that ended well, in one list", OBJECT(figures_fields)),
};
static const pp_fields gaps_fields =
    FIELDS("load-gaps", "between events with text; not the time of a token", gaps_rows);

static const pp_field times_rows[] = {
    MEMBER("ttft", "first generated text", OBJECT(latency_fields)),
    MEMBER("first_answer", "first text outside reasoning", OBJECT(latency_fields)),
    MEMBER("e2e", "last text", OBJECT(latency_fields)),
    MEMBER("tpot", "time per output token", OBJECT(tpot_fields)),
    MEMBER("gaps", "between events", OBJECT(gaps_fields)),
    MEMBER("lateness", "begun later than due, every request", OBJECT(figures_fields)),
    MEMBER("connect", "connection obtained, new connections only", OBJECT(figures_fields)),
    MEMBER("stream_end", "end of the reply, requests that ended well", OBJECT(figures_fields)),
};
static const pp_fields times_fields = FIELDS("load-level-times", "what requests took", times_rows);

/* ---- a level -------------------------------------------------------------------------------- */

static const pp_field asked_rows[] = {
    MEMBER("loop", "what decides when a request begins", WORDS(loop_words)),
    MEMBER("clients", "closed loop: in flight", INT(1, INT64_MAX), OR_NULL),
    MEMBER("rate_per_second", "open loop: requests", NUMBER(0, INFINITY), .above_min = true,
           OR_NULL),
    MEMBER("arrivals", "open loop: how instants are drawn", WORDS(arrivals_words), OR_NULL),
    MEMBER("gamma_shape", "gamma: its shape; 1 is poisson", NUMBER(0, INFINITY), .above_min = true,
           OR_NULL),
    MEMBER("request_count", "measured requests", COUNT, OR_NULL),
    MEMBER("duration_ns", "no request begins after it", COUNT, OR_NULL),
    MEMBER("warmup_count", "requests before the first measured one", COUNT),
    MEMBER("ramp_ns", "over which clients or rate rise", COUNT),
    MEMBER("think_ns", "closed loop: pause of a client", COUNT),
    MEMBER("seed", "of everything random", COUNT),
};
static const pp_fields asked_fields = FIELDS("load-asked", "what was asked", asked_rows);

static const pp_field server_rows[] = {
    MEMBER("rss_start_bytes", "resident at the start", COUNT, OR_NULL),
    MEMBER("rss_end_bytes", "resident at the end", COUNT, OR_NULL),
    MEMBER("rss_peak_bytes", "highest since the process began", COUNT, OR_NULL),
    MEMBER("pss_end_bytes", "proportional share at the end", COUNT, OR_NULL),
    MEMBER("cpu_seconds", "user and system, during the measured part", POSITIVE_REAL, OR_NULL),
};
static const pp_fields server_fields =
    FIELDS("load-server", "the server's process; null where its pid was not given", server_rows);

static const pp_field observed_rows[] = {
    MEMBER("ended_by", "what ended the level", WORDS(end_words)),
    MEMBER("server_was_idle",
           "it worked on nothing when the level began; null: it does not tell, or is too slow to",
           BOOL, OR_NULL),
    MEMBER("idle_wait_ns", "waited for that before the level", COUNT),
    MEMBER("started_unix_ms", "when, by the wall clock", COUNT),
    MEMBER("measured_at_ns", "when the measured part began, from the start of the level", COUNT),
    MEMBER("ended_at_ns", "when its last request had ended or was cut", COUNT),
    MEMBER("planned_count", "requests of the drawn schedule, or asked for", COUNT, OR_NULL),
    MEMBER("in_flight_max", "most requests at once", COUNT),
    MEMBER("stall_ns_max", "longest time our loop came round late", COUNT),
    MEMBER("client_cpu_seconds", "of the client's process, measured part", POSITIVE_REAL),
    MEMBER("worker_count", "threads that measured", COUNT),
    MEMBER("clock_drift_ns", "by which the wall clock went ahead of the monotonic one",
           INT(INT64_MIN, INT64_MAX)),
    MEMBER("clock_was_set", "the wall clock jumped", BOOL),
    MEMBER("server", "the server's process", OBJECT(server_fields)),
    MEMBER("server_address", "first one that was connected to; null: none", FILLED, OR_NULL),
    MEMBER("connections_opened_count", "by requests that have ended", COUNT),
    MEMBER("connections_reused_count", "requests that found a kept connection", COUNT),
    MEMBER("connections_died_count", "kept ones lost under a request", COUNT),
    MEMBER("record_count_max", "replies that had memory at once", COUNT),
    MEMBER("decoded_in_loop_count", "replies that a measuring thread had to decode", COUNT),
};
static const pp_fields observed_fields =
    FIELDS("load-observed", "what the client saw besides the samples", observed_rows);

static const pp_field_type count_type = {INT(1, INT64_MAX)};
static const pp_field counts_rows[] = {
    MEMBER("issued", "measured requests: `ok` + `failed` + `cut`", COUNT),
    MEMBER("ok", "ended well", COUNT),
    MEMBER("failed", "failed, timeouts too", COUNT),
    MEMBER("cut", "in flight when the level ended: neither", COUNT),
    MEMBER("warmup", "before the measured part; in no figure", COUNT),
    MEMBER("ramp", "of `issued`, due during the ramp: in no figure but counts and windows", COUNT),
    MEMBER("error_percent", "`failed` of `ok` + `failed`", NUMBER(0, 100), OR_NULL),
    MEMBER("failures", "class of failure to how many; `cut` too", MAP(count_type)),
    MEMBER("flags", "flag of samples to how many carry it", MAP(count_type)),
};
static const pp_fields counts_fields = FIELDS("load-counts", "requests of a level", counts_rows);

static const pp_field window_rows[] = {
    MEMBER("from_ms", "from the start of the level", REAL),
    MEMBER("to_ms", "from the start of the level", REAL),
    MEMBER("ended_count", "requests that ended well in it", COUNT),
    MEMBER("generated_tokens", "of these; in the whole window of every request", COUNT,
           UNIT("tokens")),
    MEMBER("requests_per_second", "`ended_count` over the window", POSITIVE_REAL),
    MEMBER("generated_tokens_per_second", "`generated_tokens` over the window", POSITIVE_REAL),
    MEMBER("good_count", "within every limit of a request; null without limits", COUNT, OR_NULL),
    MEMBER("good_requests_per_second", "goodput", POSITIVE_REAL, OR_NULL),
};
static const pp_fields window_fields = FIELDS("load-window", "rates over a window", window_rows);

static const pp_field throughput_rows[] = {
    MEMBER("steady_state", "whether there is a steady window, and why not", WORDS(steady_words)),
    MEMBER("steady", "all clients running and requests still being begun", OBJECT(window_fields),
           OR_NULL),
    MEMBER("whole", "first start to last end, every sample", OBJECT(window_fields), OR_NULL),
    MEMBER("generation_of_each", "tokens/s of a request after its first token",
           OBJECT(rate_figures_fields)),
    MEMBER("request_of_each", "tokens/s of a request from its start to its last text",
           OBJECT(rate_figures_fields)),
};
static const pp_fields throughput_fields =
    FIELDS("load-throughput", "rates of a level", throughput_rows);

static const pp_field little_rows[] = {
    MEMBER("in_flight_mean", "by integration over the steady window", POSITIVE_REAL),
    MEMBER("ended_per_second", "requests of any outcome that ended in it", POSITIVE_REAL),
    MEMBER("residence_ms_mean", "mean time of these", POSITIVE_REAL),
    MEMBER("deviation_percent", "of the product from `in_flight_mean`", POSITIVE_REAL),
    MEMBER("is_steady", "the deviation is within the rules", BOOL),
};
static const pp_fields little_fields =
    FIELDS("load-littles-law", "mean number in flight = rate x mean time", little_rows);

static const pp_field_type in_flight_type = {POSITIVE_REAL};
static const pp_field arrivals_rows[] = {
    MEMBER("asked_per_second", "open loop", POSITIVE_REAL, OR_NULL),
    MEMBER("drawn_per_second", "of the instants that were due", POSITIVE_REAL, OR_NULL),
    MEMBER("delivered_per_second", "of the starts", POSITIVE_REAL, OR_NULL),
    MEMBER("in_flight_thirds", "mean number due and not ended in each third; empty when unknown",
           LIST(in_flight_type), ITEMS(0, 3)),
    MEMBER("is_overloaded", "it grew over the run", BOOL),
};
static const pp_fields arrivals_fields =
    FIELDS("load-arrivals", "open loop and trace: asked, drawn and delivered", arrivals_rows);

static const pp_field cache_rows[] = {
    MEMBER("told_count", "requests whose server said how much was cached", COUNT),
    MEMBER("cached_request_count", "requests with a cached part", COUNT),
    MEMBER("prompt_tokens", "of the requests that told", COUNT, UNIT("tokens")),
    MEMBER("cached_tokens", "of these, from a cache", COUNT, UNIT("tokens")),
    MEMBER("cached_percent", "of the prompt tokens", POSITIVE_REAL, OR_NULL),
    MEMBER("is_cold", "nothing was cached; null while a request did not tell", BOOL, OR_NULL),
};
static const pp_fields cache_fields = FIELDS("load-cache", "prompts from a cache", cache_rows);

static const pp_field speculation_rows[] = {
    MEMBER("request_count", "requests that ended well and told of drafts", INT(1, INT64_MAX)),
    MEMBER("drafting_request_count", "of these, with a drafted token", COUNT),
    MEMBER("drafted_tokens", "proposed", COUNT, UNIT("tokens")),
    MEMBER("accepted_tokens", "of these, kept", COUNT, UNIT("tokens")),
    MEMBER("acceptance_ratio", "accepted of drafted; null when nothing was drafted", NUMBER(0, 1),
           OR_NULL),
    MEMBER("low_ratio", "where its interval begins; null with fewer than two drafting requests",
           NUMBER(0, 1), OR_NULL),
    MEMBER("high_ratio", "where it ends", NUMBER(0, 1), OR_NULL),
};
static const pp_fields speculation_fields =
    FIELDS("load-speculation", "what became of drafted tokens", speculation_rows);

static const pp_field client_rows[] = {
    MEMBER("cpu_share", "of one core for each worker", POSITIVE_REAL, OR_NULL),
    MEMBER("lag_p99_of_each", "how late we woke: each request's own p99", OBJECT(figures_fields)),
};
static const pp_fields client_fields = FIELDS("load-client", "whether it kept up", client_rows);

static const pp_field verdict_rows[] = {
    MEMBER("slo", "the demand as written", FILLED),
    MEMBER("verdict", "what the requests show", WORDS(verdict_words)),
    MEMBER("reason", "why it is undecided, or `overloaded` beside `fail`; null otherwise",
           WORDS(reason_words), OR_NULL),
    MEMBER("counted", "requests that say something", COUNT),
    MEMBER("violation_count", "over the limit, failed, or cut when over it", COUNT),
    MEMBER("left_out_count", "cut before they were over it", COUNT),
    MEMBER("undefined_count", "ended well without this measure", COUNT),
    MEMBER("seen_percent", "over the limit; of an error rate, failed; of a completion, not failed",
           NUMBER(0, 100), OR_NULL),
    MEMBER("bound_percent", "error rate, completion: the worst that is not ruled out",
           NUMBER(0, 100), OR_NULL),
    MEMBER("autocorrelation", "of neighbouring requests", REAL, OR_NULL),
    MEMBER("is_dependent", "it is more than chance: fewer requests are counted", BOOL),
    MEMBER("effective_count", "requests that the rule counted", COUNT),
    MEMBER("effective_violation_count", "violations that the rule counted", COUNT),
    MEMBER("pass_error", "chance of so few violations where the demand is missed", NUMBER(0, 1),
           OR_NULL),
    MEMBER("fail_error", "chance of so many where it is met", NUMBER(0, 1), OR_NULL),
    MEMBER("needed_more_count", "undecided: requests until `pass` if no violation comes", COUNT,
           OR_NULL),
};
static const pp_fields verdict_fields = FIELDS("load-verdict", "a demand judged", verdict_rows);
static const pp_field_type verdict_type = {OBJECT(verdict_fields)};
static const pp_field_type doubt_type = {WORDS(doubt_words)};
static const pp_field_type note_type = {WORDS(note_words)};

static const pp_field level_rows[] = {
    MEMBER("number", "from 1, as in the samples", INT(1, INT64_MAX)),
    MEMBER("asked", "what was asked", OBJECT(asked_fields)),
    MEMBER("observed", "what the client saw", OBJECT(observed_fields)),
    MEMBER("counts", "requests", OBJECT(counts_fields)),
    MEMBER("times", "what they took", OBJECT(times_fields)),
    MEMBER("throughput", "rates", OBJECT(throughput_fields)),
    MEMBER("littles_law", "whether it was steady; null when that cannot be told",
           OBJECT(little_fields), OR_NULL),
    MEMBER("arrivals", "null in closed loop", OBJECT(arrivals_fields), OR_NULL),
    MEMBER("cache", "prompts from a cache", OBJECT(cache_fields)),
    OPTION("speculation", "drafted tokens; absent when no answer told of any", NULL,
           OBJECT(speculation_fields)),
    MEMBER("client", "whether the client kept up", OBJECT(client_fields)),
    MEMBER("valid", "there are no doubts", BOOL),
    MEMBER("doubts", "why its figures must not be believed", LIST(doubt_type)),
    MEMBER("notes", "what a reader should know", LIST(note_type)),
    MEMBER("verdicts", "one for each demand that can be judged", LIST(verdict_type)),
    MEMBER("verdict", "all of them together; null without demands", WORDS(verdict_words), OR_NULL),
};
static const pp_fields level_fields = FIELDS("load-level", "one level of load", level_rows);
static const pp_field_type level_type = {OBJECT(level_fields)};

/* ---- run, rules, saturation, search --------------------------------------------------------- */

static const pp_field limits_rows[] = {
    MEMBER("connect_ns", "until the connection", COUNT, OR_NULL),
    MEMBER("first_token_ns", "until the first token", COUNT, OR_NULL),
    MEMBER("idle_ns", "between tokens", COUNT, OR_NULL),
    MEMBER("total_ns", "of the request", COUNT, OR_NULL),
    MEMBER("body_max_bytes", "of a reply", COUNT, OR_NULL),
    MEMBER("drain_ns", "of requests in flight when a level ends", COUNT, OR_NULL),
    MEMBER("idle_wait_ns", "before a level, for a server that still works", COUNT, OR_NULL),
};
static const pp_fields limits_fields =
    FIELDS("load-limits", "limits of a request in force; null: none", limits_rows);

static const pp_field run_rows[] = {
    MEMBER("tool_version", "of this program", FILLED),
    MEMBER("endpoint", "address without user, password and query", FILLED),
    MEMBER("dialect", "what the server speaks", FILLED),
    MEMBER("model", "as asked for", FILLED, OR_NULL),
    MEMBER("profile", "of the workload", FILLED, OR_NULL),
    MEMBER("origin", "what the figures are good for", WORDS(pp_words_origin)),
    MEMBER("seed", "of everything random", COUNT),
    MEMBER("started_unix_ms", "when, by the wall clock", COUNT),
    MEMBER("keep_alive", "connections were used again", BOOL),
    OPTION("server_was_sleeping", "it said so before the load: its first request woke it", "false",
           BOOL),
    OPTION("server_recognised_by",
           "what showed which dialect the server speaks; absent where the command line says it",
           NULL, FILLED),
    MEMBER("limits", "limits of a request", OBJECT(limits_fields)),
};
static const pp_fields run_fields = FIELDS("load-run", "what was run against what", run_rows);

static const pp_field slo_rows[] = {
    MEMBER("text", "as written", FILLED),
    MEMBER("kind", "what it limits", WORDS(kind_words)),
    MEMBER("metric", "time that it limits", WORDS(metric_words), OR_NULL),
    MEMBER("percentile", "which", NUMBER(1, 100), OR_NULL, UNIT("%")),
    MEMBER("limit_ns", "of a time; inclusive", INT(1, INT64_MAX), OR_NULL),
    MEMBER("limit_percent", "of a share; inclusive", NUMBER(0, 100), OR_NULL),
};
static const pp_fields slo_fields = FIELDS("load-demand", "a demand", slo_rows);
static const pp_field_type slo_type = {OBJECT(slo_fields)};

static const pp_field_type percentile_type = {NUMBER(1, 100), UNIT("%")};
static const pp_field rules_rows[] = {
    MEMBER("slos", "demands", LIST(slo_type), ITEMS(0, 32)),
    MEMBER("percentiles", "which are shown, ascending", LIST(percentile_type), ITEMS(0, 16)),
    MEMBER("confidence", "of verdicts and intervals", NUMBER(0.5, 1), .above_min = true),
    OPTION(
        "stop_early",
        "percentiles are judged after each request by a sequential test with errors of 5 %, and a "
        "level ends when they are decided",
        "false", BOOL),
    MEMBER("cold", "prompts must not come from a cache", BOOL),
    MEMBER("lateness_ms_p99_max", "beyond it: `late`", POSITIVE_REAL),
    MEMBER("stall_ms_max", "beyond it: `stalled`", POSITIVE_REAL),
    MEMBER("client_lag_ms_p99_max", "beyond it: `client-lag`", POSITIVE_REAL),
    MEMBER("client_cpu_share_max", "beyond it: `client-cpu`", POSITIVE_REAL),
    MEMBER("delivered_share_min", "below it: `schedule-not-kept`", POSITIVE_REAL),
    MEMBER("steady_deviation_percent_max", "beyond it: `not-steady`", POSITIVE_REAL),
    MEMBER("gathered_percent_max", "beyond it gaps are withheld", POSITIVE_REAL),
};
static const pp_fields rules_fields = FIELDS("load-rules", "how levels are judged", rules_rows);

static const pp_field point_rows[] = {
    MEMBER("clients", "in flight", NUMBER(1, INFINITY)),
    MEMBER("rate_per_second", "of what `rate` says", POSITIVE_REAL),
};
static const pp_fields point_fields = FIELDS("load-point", "a level of the sweep", point_rows);
static const pp_field_type point_type = {OBJECT(point_fields)};

static const pp_field rule_rows[] = {
    MEMBER("percent", "of the rule", POSITIVE_REAL),
    MEMBER("clients", "where it holds first; null: nowhere", NUMBER(1, INFINITY), OR_NULL),
};
static const pp_fields rule_fields = FIELDS("load-saturation-rule", "one rule", rule_rows);

static const pp_field knee_rows[] = {
    MEMBER("state", "`known`, or why it cannot be told", WORDS(knee_words)),
    MEMBER("lambda", "fitted rate of one client", REAL, OR_NULL, UNIT("1/s")),
    MEMBER("sigma", "fitted contention", REAL, OR_NULL),
    MEMBER("kappa", "fitted coherence", REAL, OR_NULL),
    MEMBER("error_percent_max", "largest deviation of a level from the curve", POSITIVE_REAL,
           OR_NULL),
    MEMBER("clients", "where the curve is highest", POSITIVE_REAL, OR_NULL),
    MEMBER("low_clients", "95 % interval", POSITIVE_REAL, OR_NULL),
    MEMBER("high_clients", "95 % interval", POSITIVE_REAL, OR_NULL),
};
static const pp_fields knee_fields =
    FIELDS("load-knee", "N lambda / (1 + sigma (N - 1) + kappa N (N - 1))", knee_rows);

static const pp_field saturation_rows[] = {
    MEMBER("rate", "what is compared", WORDS(rate_words)),
    MEMBER("window", "over which window", WORDS(window_words)),
    MEMBER("points", "valid closed-loop levels by clients", LIST(point_type), .min_count = 2),
    MEMBER("peak_clients", "where the rate was highest", NUMBER(1, INFINITY)),
    MEMBER("gain_below", "first level that gains less over the one before", OBJECT(rule_fields)),
    MEMBER("near_peak", "first level so near the highest rate", OBJECT(rule_fields)),
    MEMBER("knee", "of the fitted curve", OBJECT(knee_fields)),
};
static const pp_fields saturation_fields =
    FIELDS("load-saturation", "three rules side by side", saturation_rows);

static const pp_field find_options_rows[] = {
    MEMBER("of", "what is searched", WORDS(find_of_words)),
    MEMBER("first", "first probe", POSITIVE_REAL, UNIT("clients or 1/s")),
    MEMBER("min", "nothing below is tried", POSITIVE_REAL, UNIT("clients or 1/s")),
    MEMBER("max", "nothing above is tried", POSITIVE_REAL, UNIT("clients or 1/s")),
    MEMBER("factor", "of the steps until there is a pair", POSITIVE_REAL),
    MEMBER("resolution_ratio", "at which a pair is near enough", POSITIVE_REAL),
    MEMBER("probe_count_max", "at most", INT(1, 64)),
};
static const pp_fields find_options_fields =
    FIELDS("load-find-options", "how it was searched", find_options_rows);

static const pp_field_type load_type = {POSITIVE_REAL};
static const pp_field find_rows[] = {
    MEMBER("options", "how it was searched", OBJECT(find_options_fields)),
    MEMBER("end", "how it ended; `goes-on`: it was broken off", WORDS(find_end_words)),
    MEMBER("highest_pass", "below the lowest fail", POSITIVE_REAL, OR_NULL, UNIT("clients or 1/s")),
    MEMBER("lowest_fail", "null: none failed", POSITIVE_REAL, OR_NULL, UNIT("clients or 1/s")),
    MEMBER("undecided", "probes without a verdict, ascending", LIST(load_type)),
    MEMBER("is_contradictory", "a load above the lowest fail passed", BOOL),
};
static const pp_fields find_fields =
    FIELDS("load-find", "a search; each level is a probe of it", find_rows);

static const pp_field change_rows[] = {
    MEMBER("measure", "of what: from the start, in open loop and trace from the instant due",
           WORDS(drift_measure_words)),
    MEMBER("first_ms_p50", "median of the first level", REAL, OR_NULL, UNIT("ms")),
    MEMBER("again_ms_p50", "median of the last level", REAL, OR_NULL, UNIT("ms")),
    MEMBER("change_percent", "by which the last is above the first", REAL, OR_NULL, UNIT("%")),
    MEMBER("change_low_percent", "the least that the intervals of both leave open", REAL, OR_NULL,
           UNIT("%")),
    MEMBER("change_high_percent", "the most that they leave open", REAL, OR_NULL, UNIT("%")),
    MEMBER("verdict", "of this measure", WORDS(drift_verdict_words)),
};
static const pp_fields change_fields =
    FIELDS("load-drift-change", "what differs between the two", change_rows);
static const pp_field_type change_type = {OBJECT(change_fields)};

static const pp_field drift_rows[] = {
    MEMBER("first_level", "number of the first level", INT(1, INT64_MAX)),
    MEMBER("again_level", "number of the last one, which asks the same", INT(1, INT64_MAX)),
    MEMBER("changes", "one for each measure", LIST(change_type), ITEMS(3, 3)),
    MEMBER("verdict", "of all of them", WORDS(drift_verdict_words)),
};
static const pp_fields drift_fields =
    FIELDS("load-drift", "whether the server changed while the levels ran", drift_rows);

static const pp_field report_rows[] = {
    MEMBER("schema_version", "version of the format", WORDS(pp_words_1_0)),
    MEMBER("document", "what this is", WORDS(document_word)),
    MEMBER("is_partial", "not all that was asked was done", BOOL),
    MEMBER("run", "what was run", OBJECT(run_fields)),
    MEMBER("rules", "how it is judged", OBJECT(rules_fields)),
    MEMBER("levels", "in the order in which they ran", LIST(level_type)),
    MEMBER("saturation", "null with fewer than two closed-loop levels that are valid",
           OBJECT(saturation_fields), OR_NULL),
    MEMBER("find", "null when nothing was searched", OBJECT(find_fields), OR_NULL),
    OPTION("drift", "where the last level asks what the first one asked; else absent", NULL,
           OBJECT(drift_fields)),
};
const pp_fields pp_load_report_fields =
    FIELDS_AT("load-report", "what a load run measured and shows", report_rows, "load-report");
