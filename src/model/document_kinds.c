#include "model/document_kinds.h"

#include <string.h>

#include "model/tables.h"

#define ROOT(of)                                                                                   \
    {                                                                                              \
        .kind = PP_FIELD_OBJECT, .fields = &(of)                                                   \
    }
#define ROOT_CHOICE(of)                                                                            \
    {                                                                                              \
        .kind = PP_FIELD_CHOICE, .choices = (of)                                                   \
    }
/* The rest of a row is its signature, NULL for none. */
#define KIND(name, versions, title, origin, page, is_lines, root, ...)                             \
    {                                                                                              \
        name, versions, title, origin, page, is_lines, root,                                       \
        {                                                                                          \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }

/* By name; what writes or reads it is for people who find one. */
static const pp_document_kind kinds[] = {
    KIND("access-log", "1.0", "Requests that a gateway took", "written by `serve`, `access_log`",
         "access-log", true, ROOT_CHOICE(pp_access_log_choices), "request_id", "bytes_out",
         "client_gone"),
    KIND("bench-command", "1.0", "Command line of llama-bench",
         "written into a bundle, `throughput-command.json`", "study-files", false,
         ROOT(pp_bench_command_fields), NULL),
    KIND("benchmark-set", "1.0", "What was measured of each candidate",
         "written by `study run` and `import llama-bench`; read by every command that "
         "decides and by `summarize-stability`; also the original tool's",
         "benchmark-set", false, ROOT(pp_benchmark_set_fields), "baseline_id", "candidates"),
    KIND("capacity-quality-binding", "1.0", "Which server of a capacity study an evaluation is of",
         "the original tool's", "capacity-quality-binding", false, ROOT(pp_quality_binding_fields),
         "evaluation", "server_argv", "evaluation_sha256"),
    KIND("combined-load", "1.0", "What a load measured of several candidates",
         "written by `combine-load`; also the original tool's", "load-evaluation", false,
         ROOT(pp_combined_load_evaluation_fields), "methodology", "evidence_bindings"),
    KIND("constraints", "1.0 and 2.0", "What a decision must respect and what it prefers",
         "read by every command that decides, and in a plan; 1.0 is the original tool's",
         "constraints", false, ROOT_CHOICE(pp_constraints_choices), "objective",
         "frontier_metrics"),
    KIND("decision-details", "1.0", "By how much each candidate missed",
         "written by `recommend --details` and `study run`", "decision-details", false,
         ROOT(pp_decision_details_fields), NULL),
    KIND("doctor", "1.0", "What a machine can measure", "printed by `doctor --json`", "doctor",
         false, ROOT(pp_doctor_fields), NULL),
    KIND("endpoint", "1.0", "What a server that runs already said of itself",
         "written into a bundle, `endpoint.json` and `endpoint-pass-N.json`", "study-files", false,
         ROOT(pp_endpoint_fields), NULL),
    KIND("engine", "1.0", "The llama.cpp of a study",
         "written into a bundle, `environment/engine.json`", "study-files", false,
         ROOT(pp_engine_fields), NULL),
    KIND("gate", "1.2", "A passed gate",
         "written by `ci-gate`, `gate.json`; also the original tool's", "gate", false,
         ROOT(pp_gate_fields), "expectation_matched", "recommendation_sha256"),
    KIND("gate-failure", "1.0", "Why a gate was missed",
         "written by `ci-gate --failure-report`, and printed by `ci-gate --json` for a missed gate",
         "gate-failure", false, ROOT(pp_gate_failure_fields), NULL),
    KIND("host", "1.0", "The machine of a study",
         "written into a bundle, `environment/paretopilot-doctor.json`", "study-files", false,
         ROOT(pp_host_document_fields), NULL),
    KIND("init", "1.0", "A project that was begun",
         "printed by `init --json`; also the original tool's", "init", false, ROOT(pp_init_fields),
         "working_directory", "next_command"),
    KIND("journal", "1.0", "What a study did, in order", "written into a bundle, `journal.jsonl`",
         "study-files", true, ROOT_CHOICE(pp_journal_choices), "seq", "event", "previous_sha256"),
    KIND("llama-bench-comparison", "1.0", "Two builds of llama.cpp that differ in one switch",
         "written by `compare-llama-bench`; also the original tool's", "llama-bench-comparison",
         false, ROOT(pp_bench_comparison_fields), "comparison_type", "variants", "compatibility"),
    KIND("llama-bench-summary", "1.0", "Repetitions of llama-bench, pooled",
         "written by `summarize-llama-bench` and read by `compare-llama-bench`; also the original "
         "tool's",
         "llama-bench-summary", false, ROOT(pp_bench_summary_fields), "tests", "settings",
         "synthetic_fixture"),
    KIND("load-evaluation", "1.0 and 1.1", "What a load of several levels measured",
         "written by `load --plan` and read by `combine-load`; also the original tool's; 1.1 where "
         "the levels ran in another order than "
         "the plan's",
         "load-evaluation", false, ROOT_CHOICE(pp_load_evaluation_choices), "methodology",
         "evidence_binding", "candidate_id"),
    KIND("load-plan", "1.0", "A load of several levels, fixed before the first request",
         "read by `load --plan`; the original tool's", "load-plan", false,
         ROOT(pp_load_plan_fields), "concurrency_levels", "measured_requests_per_level"),
    KIND("load-report", "1.0", "What a load run measured and shows",
         "written by a load run; every figure follows from its samples", "load-report", false,
         ROOT(pp_load_report_fields), NULL),
    KIND("load-trace", "1.0", "When requests of a load are due, and their lengths",
         "read by `load`", "load-trace", true, ROOT(pp_trace_fields), "due_ms"),
    KIND("model-info", "1.0", "Header of a GGUF file",
         "printed by `model info --json`; written into a bundle, `models/<id>.json`", "model-info",
         false, ROOT(pp_model_info_fields), NULL),
    KIND("model-synth", "1.0", "A model that was written", "printed by `model synth --json`",
         "model-info", false, ROOT(pp_model_synth_fields), NULL),
    KIND("model-table", "1.0", "A language model written down", "read by `model synth --table`",
         "model-table", false, ROOT(pp_model_table_fields), NULL),
    KIND("passport", "1.0", "A decision with its context",
         "written by `passport` and `ci-gate`; also the original tool's", "passport", false,
         ROOT(pp_passport_fields), "selected_decision", "ladder"),
    KIND("passport-result", "1.0", "Where a passport was written", "printed by `passport --json`",
         "passport", false, ROOT(pp_passport_result_fields), "passport", "passport_sha256"),
    KIND("policy-set", "1.0", "Objectives to decide by, side by side",
         "read by `profiles`; also the original tool's", "policy-set", false,
         ROOT(pp_policy_set_fields), "canonical_profile_id", "profiles"),
    KIND("profile-run", "1.0", "A command beside a server, unmeasured",
         "written into a bundle, `context/ID/profile.json`", "study-files", false,
         ROOT(pp_profile_run_fields), NULL),
    KIND("profiles", "1.0", "One decision for each profile of a policy set",
         "written by `profiles`; also the original tool's", "profiles", false,
         ROOT(pp_profiles_fields), "canonical_profile_id", "canonical_selected_id", "profiles"),
    KIND("prompts", "1.0", "Prompts of a load", "read by `load`", "prompts", true,
         ROOT(pp_prompt_fields), "prompt"),
    KIND("quality-suite", "1.0 and 2.0", "Questions and the answers that count",
         "read by every command that asks a server what it knows; 1.0 is the original tool's",
         "quality-suite", false, ROOT_CHOICE(pp_suite_choices), "quality_cases", "performance"),
    KIND("receipt-result", "1.0", "Where a receipt was written",
         "printed by `optimization-receipt --json`", "receipt", false,
         ROOT(pp_receipt_result_fields), "optimization_receipt", "optimization_receipt_sha256"),
    KIND("recommendation", "1.0", "The chosen candidate and why",
         "written by `recommend`, `ci-gate` and `study run`; read by `ci-gate --against`; also the "
         "original tool's",
         "recommendation", false, ROOT(pp_recommendation_fields), "selected_id",
         "deltas_vs_baseline"),
    KIND("regression", "1.0", "A decision against an earlier one",
         "written by `ci-gate --against`, `regression.json`", "regression", false,
         ROOT(pp_regression_fields), NULL),
    KIND("resource-measurement", "1.0", "Memory of a server",
         "written into a bundle, `resource-measurement-pass-N.json`", "study-files", false,
         ROOT(pp_resource_measurement_fields), NULL),
    KIND("samples", "1.0", "The record of each request",
         "written into a bundle, `samples-pass-N.jsonl`, and read to derive its figures", "samples",
         true, ROOT(pp_sample_fields), "request_sha256", "stream_end_ns"),
    KIND("serve-config", "1.0", "What a gateway runs: back ends, models, rules, limits",
         "read by `serve`, which prints it with every default by `--check`", "serve-config", false,
         ROOT(pp_serve_config_fields), NULL),
    KIND("server-command", "1.0", "One start of llama-server",
         "written into a bundle, `server-command.json` and `server-command-pass-N.json`",
         "study-files", false, ROOT(pp_server_command_fields), NULL),
    KIND("server-evaluation", "1.0", "Answers and latencies of one server",
         "the original tool's, of one pass or pooled", "server-evaluation", false,
         ROOT(pp_server_evaluation_fields), "suite", "quality", "latency"),
    KIND("settings", "1.0", "How llama.cpp runs a candidate",
         "written into a bundle, `settings.json`", "study-files", false,
         ROOT(pp_settings_document_fields), NULL),
    KIND("sim-answers", "1.0", "What a simulated server answers", "read by `sim --answers`",
         "sim-answers", false, ROOT(pp_sim_answers_fields), NULL),
    KIND("sim-log", "1.0", "What a simulated server really did", "written by `sim --log`",
         "sim-log", true, ROOT_CHOICE(pp_sim_log_choices), "log", "at_ns"),
    KIND("stability", "1.0", "What several passes of one measurement agree on",
         "written by `summarize-stability`; also the original tool's", "stability", false,
         ROOT(pp_stability_fields), "pass_labels", "candidate_configuration_fingerprints"),
    KIND("status", "1.0", "Whether a bundle is complete", "written into a bundle, `status.json`",
         "study-files", false, ROOT(pp_status_fields), "status", "valid_evidence"),
    KIND("study-plan", "1.0 and 2.0", "What a study measures, fixed before the first measurement",
         "read by `study plan` and `study run`", "study-plan", false,
         ROOT_CHOICE(pp_study_plan_choices), "study_id", "candidates"),
    KIND("study-run", "1.0", "One run of a measured program",
         "written into a bundle, `throughput-run-pass-N.json` and `requests-run-pass-N.json`",
         "study-files", false, ROOT(pp_study_run_fields), NULL),
    KIND("study-status", "1.0", "How far a study is", "printed by `study status --json`",
         "study-status", false, ROOT(pp_study_status_fields), NULL),
    KIND("study-summary", "1.0", "What a study measured and decided",
         "printed by `study run --json` and `study resume --json`", "study-summary", false,
         ROOT(pp_study_summary_fields), NULL),
    KIND("suite-replies", "1.0", "What a suite asked in one pass, and what came back",
         "written into a bundle, `suite-pass-N.jsonl`, and read to derive its figures",
         "suite-replies", true, ROOT(pp_suite_reply_fields), "request_sha256", "body_hex"),
    KIND("suite-report", "1.0", "What a quality suite asked, what came back, what follows",
         "written by a run of a suite; every figure follows from its answers", "suite-report",
         false, ROOT(pp_suite_report_fields), NULL),
    KIND("validation", "1.0", "What files hold, and whether they are valid",
         "printed by `validate --json`", "validation", false, ROOT(pp_validation_fields), NULL),
    KIND("verification", "1.0", "What came of checking a bundle", "printed by `verify --json`",
         "verification", false, ROOT(pp_verification_fields), NULL),
};

const pp_document_kind *pp_document_kinds(size_t *ret_count)
{
    *ret_count = PP_COUNT_OF(kinds);
    return kinds;
}

const pp_document_kind *pp_document_kind_find(const char *name)
{
    for (size_t i = 0; i < PP_COUNT_OF(kinds); i++) {
        if (strcmp(kinds[i].name, name) == 0)
            return &kinds[i];
    }
    return NULL;
}

/* How many keys make the signature, 0 when the value does not have all of them. */
static size_t signature_keys(const pp_json *value, const pp_document_kind *kind)
{
    size_t i = 0;

    for (; i < PP_COUNT_OF(kind->signature) && kind->signature[i] != NULL; i++) {
        if (pp_json_find(value, kind->signature[i]) == NULL)
            return 0;
    }
    return i;
}

/* A line of the journal may carry the record of a run, "document" included. */
static bool is_journal_line(const pp_json *value)
{
    return signature_keys(value, pp_document_kind_find("journal")) > 0;
}

const pp_document_kind *pp_document_kind_of(const pp_json *value)
{
    const pp_json *document = pp_json_find(value, "document");
    const pp_document_kind *found = NULL;
    size_t most = 0;

    if (is_journal_line(value))
        return pp_document_kind_find("journal");
    if (document != NULL && document->kind == PP_JSON_STRING)
        return pp_document_kind_find(document->text.data);
    for (size_t i = 0; i < PP_COUNT_OF(kinds); i++) {
        size_t keys = signature_keys(value, &kinds[i]);

        if (keys > most) {
            found = &kinds[i];
            most = keys;
        }
    }
    /* A prompt has one of two keys; a line of a trace, which may have "prompt", comes before. */
    if (found == NULL && pp_json_find(value, "messages") != NULL)
        return pp_document_kind_find("prompts");
    if (found == NULL && pp_json_find(value, "dropped_lines") != NULL)
        return pp_document_kind_find("access-log");
    return found;
}

pp_status pp_document_check(const pp_document_kind *kind, const pp_json *value, pp_error *err)
{
    return pp_field_check(value, &kind->root, err);
}
