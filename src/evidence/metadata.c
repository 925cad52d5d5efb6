#include "evidence/metadata.h"

#include "evidence/derive.h"
#include "evidence/load_files.h"

#include <string.h>

/* ---- small copies of what other documents say
 * ----------------------------------------------------- */

/* The member of an object, or null. */
static const pp_json *member_or_null(pp_arena *arena, const pp_json *object, const char *key)
{
    const pp_json *value = pp_json_find(object, key);

    return value != NULL ? value : pp_json_new_null(arena);
}

static void copy_member(pp_arena *arena, pp_json *to, const pp_json *from, const char *key)
{
    pp_json_set(arena, to, key, member_or_null(arena, from, key));
}

static void set_percentile(pp_arena *arena, pp_json *object, const char *key,
                           const pp_series *series, double pct)
{
    double value;

    if (pp_series_percentile(arena, series, pct, &value))
        pp_json_set_real(arena, object, key, value);
    else
        pp_json_set_null(arena, object, key);
}

static bool is_true(const pp_json *value)
{
    return value != NULL && value->kind == PP_JSON_BOOL && value->boolean;
}

pp_origin pp_model_origin(const pp_json *model, const pp_json *host)
{
    const pp_json *weights = pp_json_find(model, "weights");
    pp_origin origin = PP_ORIGIN_MEASURED;

    if (weights != NULL && weights->kind == PP_JSON_STRING)
        origin = pp_origin_of_weights(weights->text);
    if (is_true(pp_json_find(pp_json_find(host, "platform"), "emulated")))
        origin = pp_origin_worst(origin, PP_ORIGIN_EMULATED);
    return origin;
}

pp_origin pp_endpoint_origin(const pp_json *endpoint)
{
    const pp_json *word = pp_json_find(endpoint, "origin");
    pp_origin origin = PP_ORIGIN_UNKNOWN;

    return word != NULL && word->kind == PP_JSON_STRING && pp_origin_find(word->text, &origin)
               ? origin
               : PP_ORIGIN_UNKNOWN;
}

pp_origin pp_candidate_origin(const pp_study_plan *plan, const pp_study_documents *documents,
                              const pp_plan_candidate *candidate, const pp_pass_figures *passes)
{
    pp_origin origin = pp_model_origin(NULL, documents->host);

    if (pp_candidate_has_engine(candidate))
        return pp_model_origin(documents->models[candidate->model_index], documents->host);
    for (int64_t i = 0; i < plan->passes; i++)
        origin = pp_origin_worst(origin, pp_endpoint_origin(passes[i].endpoint));
    return origin;
}

/* ---- parameters of a candidate
 * -------------------------------------------------------------------- */

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash == NULL ? path : slash + 1;
}

/* "Q8_0 169, F32 49" */
static const char *tensor_types_text(pp_arena *arena, const pp_json *model)
{
    const pp_json *types = pp_json_find(model, "tensor_types");
    const char *text = NULL;

    for (size_t i = 0; types != NULL && types->kind == PP_JSON_ARRAY && i < types->array.count;
         i++) {
        const pp_json *name = pp_json_find(types->array.items[i], "name");
        const pp_json *count = pp_json_find(types->array.items[i], "tensor_count");

        if (name == NULL || name->kind != PP_JSON_STRING || count == NULL ||
            count->kind != PP_JSON_INTEGER)
            continue;
        text =
            pp_arena_printf(arena, "%s%s%s %lld", text == NULL ? "" : text,
                            text == NULL ? "" : ", ", name->text.data, (long long)count->integer);
    }
    return text;
}

static void set_if_said(pp_arena *arena, pp_json *object, const char *key, pp_text value)
{
    if (value.size > 0)
        pp_json_set_text(arena, object, key, value);
}

static pp_json *model_parameters(pp_arena *arena, const pp_study_plan *plan,
                                 const pp_study_documents *documents, size_t model_index)
{
    const pp_plan_model *model = &plan->models[model_index];
    const pp_json *info = documents->models[model_index];
    pp_json *object = pp_json_new_object(arena);

    pp_json_set_text(arena, object, "id", model->id);
    pp_json_set_string(arena, object, "filename", base_name(model->path.data));
    pp_json_set_text(arena, object, "sha256", model->sha256);
    pp_json_set_int(arena, object, "size_bytes", model->size_bytes);
    copy_member(arena, object, info, "name");
    copy_member(arena, object, info, "architecture");
    copy_member(arena, object, info, "parameter_count");
    copy_member(arena, object, info, "streamed_bytes_per_token");
    copy_member(arena, object, info, "kv_bytes_per_position_f16");
    set_if_said(arena, object, "family", model->family);
    set_if_said(arena, object, "repository", model->repository);
    set_if_said(arena, object, "revision", model->revision);
    set_if_said(arena, object, "quantization", model->quantization);
    pp_json_set_string(arena, object, "tensor_types", tensor_types_text(arena, info));
    pp_json_set_string(arena, object, "origin",
                       pp_origin_name(pp_model_origin(info, documents->host)));
    return object;
}

static pp_json *pass_parameters(pp_arena *arena, int64_t number, const pp_pass_figures *pass)
{
    const pp_figures *figures = &pass->figures;
    pp_json *object = pp_json_new_object(arena);

    pp_json_set_int(arena, object, "pass", number);
    set_percentile(arena, object, "e2e_latency_ms_p50", &figures->e2e_latency_ms, 50);
    set_percentile(arena, object, "ttft_ms_p50", &figures->ttft_ms, 50);
    set_percentile(arena, object, "generation_tokens_per_second",
                   &figures->generation_tokens_per_second, 50);
    set_percentile(arena, object, "prompt_tokens_per_second", &figures->prompt_tokens_per_second,
                   50);
    set_percentile(arena, object, "peak_rss_mib", &figures->peak_rss_mib, 100);
    return object;
}

static pp_json *failure_counts(pp_arena *arena, const pp_study_plan *plan,
                               const pp_pass_figures *passes)
{
    pp_json *object = pp_json_new_object(arena);

    for (int failure = 1; failure < PP_FAILURE_COUNT; failure++) {
        int64_t count = 0;

        for (int64_t i = 0; i < plan->passes; i++)
            count += passes[i].failures[failure];
        if (count > 0)
            pp_json_set_int(arena, object, pp_failure_name((pp_failure)failure), count);
    }
    return object;
}

/* The last pass that has figures of memory; NULL when none has. */
static const pp_json *last_resources(const pp_study_plan *plan, const pp_pass_figures *passes)
{
    const pp_json *resources = NULL;

    for (int64_t i = 0; i < plan->passes; i++) {
        if (pp_json_find(passes[i].resources, "after_requests") != NULL)
            resources = passes[i].resources;
    }
    return resources;
}

/* "anon_bytes" of a process becomes "anon_mib". */
static void set_mib(pp_arena *arena, pp_json *object, const pp_json *memory, const char *kind)
{
    const char *mib_key = pp_arena_printf(arena, "%s_mib", kind);
    const char *bytes_key = pp_arena_printf(arena, "%s_bytes", kind);
    const pp_json *bytes = bytes_key == NULL ? NULL : pp_json_find(memory, bytes_key);

    if (mib_key == NULL)
        return; /* the arena remembers */
    if (bytes != NULL && bytes->kind == PP_JSON_INTEGER)
        pp_json_set_real(arena, object, mib_key, (double)bytes->integer / 1048576.0);
    else
        pp_json_set_null(arena, object, mib_key);
}

/* Memory by kind after the last request. */
static pp_json *memory_parameters(pp_arena *arena, const pp_json *resources)
{
    static const char *const kinds[] = {"anon", "file", "shmem", "pss"};
    const pp_json *memory = pp_json_find(resources, "after_requests");
    pp_json *object = pp_json_new_object(arena);

    for (size_t i = 0; i < PP_COUNT_OF(kinds); i++)
        set_mib(arena, object, memory, kinds[i]);
    pp_json_set_string(arena, object, "phase", "after the last request");
    return object;
}

/* The same pass for all phases, so that they can be compared, and kinds of a phase add up (F68). */
static pp_json *memory_by_phase(pp_arena *arena, const pp_json *resources)
{
    static const char *const phases[] = {"after_load", "after_warmup", "after_requests"};
    static const char *const kinds[] = {"rss",     "anon", "file",     "shmem",      "swap",
                                        "hugetlb", "pss",  "peak_rss", "cgroup_peak"};
    pp_json *list = pp_json_new_array(arena);

    const pp_json *why = pp_json_find(resources, "absent_because");

    if (why != NULL && why->kind == PP_JSON_STRING)
        return list; /* it is said once, and no row of it would say anything */
    for (size_t p = 0; p < PP_COUNT_OF(phases); p++) {
        const pp_json *memory = pp_json_find(resources, phases[p]);
        pp_json *row = pp_json_new_object(arena);

        if (memory == NULL || memory->kind != PP_JSON_OBJECT)
            continue;
        pp_json_set_string(arena, row, "phase", phases[p]);
        copy_member(arena, row, resources, "pass");
        for (size_t i = 0; i < PP_COUNT_OF(kinds); i++)
            set_mib(arena, row, memory, kinds[i]);
        copy_member(arena, row, memory, "cgroup_peak_file");
        pp_json_add(arena, list, row);
    }
    return list;
}

static void set_joules(pp_arena *arena, pp_json *object, const pp_study_plan *plan,
                       const pp_pass_figures *passes)
{
    double joules;
    pp_text why = {0};

    if (pp_joules_per_token(passes, plan->passes, &joules, &why)) {
        pp_json_set_real(arena, object, "joules_per_token", joules);
        return;
    }
    pp_json_set_null(arena, object, "joules_per_token");
    pp_json_set_text(arena, object, "joules_absent_because", why);
}

static pp_json *encode_checks(pp_arena *arena, const pp_cross_checks *checks)
{
    pp_json *object = pp_json_new_object(arena);

    pp_json_set_int(arena, object, "checked", checks->checked);
    pp_json_set_int(arena, object, "contradicted", checks->contradicted);
    if (checks->contradicted > 0)
        pp_json_set_text(arena, object, "first", pp_text_dup(arena, pp_text_of(checks->first)));
    else
        pp_json_set_null(arena, object, "first");
    return object;
}

static pp_json *cross_checks(pp_arena *arena, const pp_study_plan *plan,
                             const pp_pass_figures *passes)
{
    pp_cross_checks all = {0};

    for (int64_t i = 0; i < plan->passes; i++)
        pp_cross_checks_append(&all, &passes[i].cross_checks);
    return encode_checks(arena, &all);
}

/* Of both loads. */
static pp_json *load_cross_checks(pp_arena *arena, const pp_study_documents *documents,
                                  size_t candidate)
{
    pp_cross_checks all = {0};

    if (documents->loads != NULL)
        pp_load_files_cross_check(arena, &documents->loads[candidate], "load", &all);
    if (documents->plan_loads != NULL)
        pp_load_files_cross_check(arena, &documents->plan_loads[candidate], "load plan", &all);
    return encode_checks(arena, &all);
}

static pp_json *measurement_parameters(pp_arena *arena, const pp_study_plan *plan,
                                       const pp_pass_figures *passes, const pp_figures *all)
{
    pp_json *object = pp_json_new_object(arena);
    pp_json *list = pp_json_new_array(arena);
    pp_json *startup = pp_json_new_array(arena);
    int64_t requests = 0;
    int64_t failed = 0;
    double core_seconds;

    for (int64_t i = 0; i < plan->passes; i++) {
        requests += passes[i].request_count;
        failed += passes[i].failed_request_count;
        pp_json_add(arena, list, pass_parameters(arena, i + 1, &passes[i]));
        pp_json_add(arena, startup, member_or_null(arena, passes[i].server_command, "startup_ms"));
    }
    pp_json_set_int(arena, object, "request_count", requests);
    pp_json_set_int(arena, object, "failed_request_count", failed);
    pp_json_set_int(arena, object, "throughput_sample_count",
                    (int64_t)all->generation_tokens_per_second.count);
    pp_json_set(arena, object, "failures", failure_counts(arena, plan, passes));
    pp_json_set(arena, object, "passes", list);
    pp_json_set(arena, object, "startup_ms", startup);
    if (pp_core_seconds_per_token(passes, plan->passes, &core_seconds))
        pp_json_set_real(arena, object, "core_seconds_per_token", core_seconds);
    else
        pp_json_set_null(arena, object, "core_seconds_per_token");
    set_joules(arena, object, plan, passes);
    pp_json_set(arena, object, "cross_checks", cross_checks(arena, plan, passes));
    pp_json_set(arena, object, "memory", memory_parameters(arena, last_resources(plan, passes)));
    pp_json_set(arena, object, "memory_by_phase",
                memory_by_phase(arena, last_resources(plan, passes)));
    return object;
}

/* What the last pass heard of it, and why other figures are absent. */
static pp_json *endpoint_parameters(pp_arena *arena, const pp_study_plan *plan,
                                    const pp_plan_candidate *candidate,
                                    const pp_pass_figures *passes)
{
    static const char *const keys[] = {"url",         "server",        "model",
                                       "origin",      "build_info",    "listed_model",
                                       "total_slots", "n_ctx_per_slot"};
    pp_json *object = pp_json_new_object(arena);
    const pp_json *said = NULL;

    for (int64_t i = 0; i < plan->passes; i++)
        said = passes[i].endpoint != NULL ? passes[i].endpoint : said;
    for (size_t i = 0; i < PP_COUNT_OF(keys); i++)
        copy_member(arena, object, said, keys[i]);
    pp_json_set_string(arena, object, "absent_because",
                       candidate->kind == PP_CANDIDATE_SERVE
                           ? "a gateway: no llama-bench, no size of a model"
                           : "the study did not start this server: no llama-bench, no memory, no "
                             "size of the model");
    return object;
}

/* The gateway that was started, and why figures of its processes are absent. */
static pp_json *serve_parameters(pp_arena *arena, const pp_study_plan *plan,
                                 const pp_plan_candidate *candidate, const pp_pass_figures *passes)
{
    pp_json *object = pp_json_new_object(arena);

    pp_json_set_text(arena, object, "config", candidate->serve.path);
    pp_json_set_text(arena, object, "sha256", candidate->serve.sha256);
    pp_json_set_text(arena, object, "model", candidate->endpoint.model);
    copy_member(arena, object, last_resources(plan, passes), "absent_because");
    return object;
}

/* Without what only a study needs: a free port, and places for logs. */
static const pp_json *serve_argv(pp_arena *arena, const pp_json *argv)
{
    pp_json *words = pp_json_new_array(arena);

    for (size_t i = 0; i < argv->array.count; i++) {
        const pp_json *word = argv->array.items[i];

        if (word->kind == PP_JSON_STRING && pp_text_is(word->text, "--port"))
            break;
        pp_json_add(arena, words, word);
    }
    return words;
}

/* What is declared: settings, or those that a given line names; and the rung of the ladder. */
static pp_json *configuration(pp_arena *arena, const pp_study_plan *plan,
                              const pp_plan_candidate *candidate)
{
    pp_json *object = candidate->kind == PP_CANDIDATE_MANAGED
                          ? pp_settings_encode(arena, &candidate->settings)
                      : candidate->kind == PP_CANDIDATE_VERBATIM
                          ? pp_plan_words_settings(arena, &candidate->server_argv)
                          : pp_json_new_object(arena);

    if (plan->stage_count > 0 && pp_text_equal(candidate->id, plan->baseline_id))
        pp_json_set_string(arena, object, "attribution_stage", "reference");
    for (size_t i = 0; i < plan->stage_count; i++) {
        if (&plan->candidates[plan->stages[i].candidate_index] == candidate)
            pp_json_set_text(arena, object, "attribution_stage", plan->stages[i].name);
    }
    return object;
}

pp_json *pp_candidate_parameters(pp_arena *arena, const pp_study_plan *plan,
                                 const pp_study_documents *documents,
                                 const pp_plan_candidate *candidate, const pp_pass_figures *passes,
                                 const pp_figures *all)
{
    pp_json *object = pp_json_new_object(arena);
    const pp_json *argv = NULL;

    for (int64_t i = 0; i < plan->passes && argv == NULL; i++)
        argv = pp_json_find(passes[i].server_command, "argv");
    pp_json_set(arena, object, "configuration", configuration(arena, plan, candidate));
    if (plan->schema > 1 && pp_candidate_has_engine(candidate))
        pp_json_set_text(arena, object, "engine", plan->engines[candidate->engine_index].id);
    if (pp_candidate_has_engine(candidate))
        pp_json_set(arena, object, "model",
                    model_parameters(arena, plan, documents, candidate->model_index));
    if (argv != NULL && argv->kind == PP_JSON_ARRAY && candidate->kind == PP_CANDIDATE_SERVE)
        argv = serve_argv(arena, argv);
    if (argv != NULL)
        pp_json_set(arena, object, "deployment_argv", argv);
    if (!pp_candidate_has_engine(candidate))
        pp_json_set(arena, object, "endpoint", endpoint_parameters(arena, plan, candidate, passes));
    if (candidate->kind == PP_CANDIDATE_SERVE)
        pp_json_set(arena, object, "serve", serve_parameters(arena, plan, candidate, passes));
    pp_json_set(arena, object, "measurement", measurement_parameters(arena, plan, passes, all));
    if (documents->loads != NULL)
        pp_json_set(arena, object, "load",
                    pp_load_files_summary(arena, &documents->loads[candidate - plan->candidates]));
    if (documents->loads != NULL || documents->plan_loads != NULL)
        pp_json_set(arena, object, "load_cross_checks",
                    load_cross_checks(arena, documents, (size_t)(candidate - plan->candidates)));
    return object;
}

/* ---- metadata of the set
 * -------------------------------------------------------------------------- */

static pp_json *run_metadata(pp_arena *arena, const pp_json *run)
{
    static const char *const run_keys[] = {"candidate_id",    "phase",       "pass",    "attempt",
                                           "started_unix_ms", "duration_ns", "outcome", "failure"};
    static const char *const watch_keys[] = {
        "verdict",       "foreign_percent_peak", "foreign_percent_mean",
        "steal_percent", "own_percent",          "reasons"};
    const pp_json *watch = pp_json_find(run, "watch");
    pp_json *object = pp_json_new_object(arena);

    for (size_t i = 0; i < PP_COUNT_OF(run_keys); i++)
        copy_member(arena, object, run, run_keys[i]);
    for (size_t i = 0; i < PP_COUNT_OF(watch_keys); i++)
        copy_member(arena, object, watch, watch_keys[i]);
    return object;
}

static bool says(const pp_json *object, const char *key, const char *word)
{
    const pp_json *value = pp_json_find(object, key);

    return value != NULL && value->kind == PP_JSON_STRING && pp_text_is(value->text, word);
}

/* Runs in the order in which they were carried out. */
typedef struct run_list {
    pp_arena *arena;
    pp_json *items;
    int64_t disturbed, failed;
} run_list;

static void add_run(run_list *list, const pp_json *run)
{
    if (run == NULL)
        return;
    list->disturbed += says(pp_json_find(run, "watch"), "verdict", "disturbed");
    list->failed += says(run, "outcome", "failed");
    pp_json_add(list->arena, list->items, run_metadata(list->arena, run));
}

static void add_runs(pp_arena *arena, const pp_study_plan *plan,
                     const pp_study_documents *documents, const pp_pass_figures *passes,
                     pp_json *study)
{
    run_list list = {.arena = arena, .items = pp_json_new_array(arena)};

    for (int phase = 0; phase < 2; phase++) {
        for (int64_t pass = 1; pass <= plan->passes; pass++) {
            for (size_t i = 0; i < plan->candidate_count; i++) {
                size_t candidate = pp_study_plan_order(plan, pass, i);
                const pp_pass_figures *figures =
                    &passes[candidate * (size_t)plan->passes + (size_t)pass - 1];

                add_run(&list, phase == 0 ? figures->bench_run : figures->requests_run);
            }
        }
    }
    for (size_t i = 0; documents->loads != NULL && i < plan->candidate_count; i++)
        add_run(&list, documents->loads[i].run);
    for (size_t i = 0; documents->plan_loads != NULL && i < plan->candidate_count; i++)
        add_run(&list, documents->plan_loads[i].run);
    pp_json_set_int(arena, study, "disturbed_run_count", list.disturbed);
    pp_json_set_int(arena, study, "failed_run_count", list.failed);
    pp_json_set(arena, study, "runs", list.items);
}

static pp_json *work_metadata(pp_arena *arena, const pp_study_plan *plan)
{
    pp_json *object = pp_json_new_object(arena);

    pp_json_set_int(arena, object, "prompt_tokens", plan->throughput.prompt_tokens);
    pp_json_set_int(arena, object, "generation_tokens", plan->throughput.generation_tokens);
    pp_json_set_int(arena, object, "repetitions", plan->throughput.repetitions);
    return object;
}

static pp_json *requests_metadata(pp_arena *arena, const pp_study_plan *plan)
{
    pp_json *object = pp_json_new_object(arena);

    pp_json_set_int(arena, object, "prompt_tokens", plan->requests.prompt_tokens);
    pp_json_set_int(arena, object, "output_tokens", plan->requests.output_tokens);
    pp_json_set_int(arena, object, "warmup", plan->requests.warmup);
    pp_json_set_int(arena, object, "measured", plan->requests.measured);
    pp_json_set_int(arena, object, "seed", plan->requests.seed);
    return object;
}

static pp_json *noise_metadata(pp_arena *arena, const pp_study_plan *plan)
{
    pp_json *object = pp_json_new_object(arena);

    pp_json_set_real(arena, object, "foreign_cpu_percent", plan->noise.foreign_cpu_percent);
    pp_json_set_real(arena, object, "steal_percent", plan->noise.steal_percent);
    pp_json_set_int(arena, object, "repeats", plan->noise.repeats);
    return object;
}

static pp_json *study_metadata(pp_arena *arena, const pp_study_plan *plan,
                               const pp_study_documents *documents, const pp_pass_figures *passes)
{
    pp_json *object = pp_json_new_object(arena);

    pp_json_set_string(arena, object, "derivation_version", PP_DERIVATION_VERSION);
    pp_json_set_text(arena, object, "study_id", plan->study_id);
    pp_json_set_text(arena, object, "title", plan->title);
    pp_json_set_string(arena, object, "plan_sha256", documents->plan_sha256);
    pp_json_set_text(arena, object, "baseline_id", plan->baseline_id);
    pp_json_set_int(arena, object, "passes", plan->passes);
    pp_json_set_int(arena, object, "settle_ms", plan->settle_ms);
    pp_json_set(arena, object, "throughput",
                plan->has_throughput ? work_metadata(arena, plan) : pp_json_new_null(arena));
    pp_json_set(arena, object, "requests",
                plan->has_requests ? requests_metadata(arena, plan) : pp_json_new_null(arena));
    pp_json_set(arena, object, "noise_limits", noise_metadata(arena, plan));
    pp_json_set(arena, object, "repeated_blocks", documents->repeated_blocks);
    pp_json_set_int(arena, object, "repeated_block_count",
                    (int64_t)documents->repeated_blocks->array.count);
    add_runs(arena, plan, documents, passes, object);
    return object;
}

static pp_json *runner_metadata(pp_arena *arena, const pp_json *host)
{
    pp_json *source = pp_json_new_object(arena);
    pp_json *runner = pp_json_new_object(arena);

    copy_member(arena, runner, host, "architecture");
    pp_json_set(arena, runner, "cpu", member_or_null(arena, pp_json_find(host, "cpu"), "model"));
    pp_json_set(arena, runner, "cpu_count",
                member_or_null(arena, pp_json_find(host, "cpu"), "online_count"));
    pp_json_set(arena, runner, "os", member_or_null(arena, host, "os_name"));
    pp_json_set(arena, source, "runner", runner);
    return source;
}

/* The facts of environment/paretopilot-doctor.json, without what the file says about itself. */
static pp_json *host_metadata(pp_arena *arena, const pp_json *host)
{
    pp_json *object = pp_json_new_object(arena);

    for (size_t i = 0; host->kind == PP_JSON_OBJECT && i < host->object.count; i++) {
        const pp_json_member *member = &host->object.members[i];

        if (!pp_text_is(member->key, "document") && !pp_text_is(member->key, "schema_version"))
            pp_json_set_text_key(arena, object, member->key, member->value);
    }
    return object;
}

/* What all engines say alike, or null. */
static const pp_json *common_member(pp_arena *arena, const pp_study_plan *plan,
                                    const pp_study_documents *documents, const char *program,
                                    const char *key)
{
    const pp_json *first = NULL;

    for (size_t i = 0; i < plan->engine_count; i++) {
        const pp_json *engine = documents->engines[i];
        const pp_json *object = program == NULL ? engine : pp_json_find(engine, program);
        const pp_json *value = member_or_null(arena, object, key);

        if (i == 0)
            first = value;
        else if (!pp_json_equal(first, value))
            return pp_json_new_null(arena);
    }
    return first;
}

static pp_json *runtime_metadata(pp_arena *arena, const pp_study_plan *plan,
                                 const pp_study_documents *documents)
{
    pp_json *runtime = pp_json_new_object(arena);

    pp_json_set_string(arena, runtime, "name", "llama.cpp");
    pp_json_set(arena, runtime, "revision",
                common_member(arena, plan, documents, "server", "version"));
    pp_json_set(arena, runtime, "pin", common_member(arena, plan, documents, NULL, "pin"));
    return runtime;
}

/* Version 2.0 names its builds; each candidate says which of them it is measured with. */
static pp_json *engines_metadata(pp_arena *arena, const pp_study_plan *plan,
                                 const pp_study_documents *documents)
{
    pp_json *list = pp_json_new_array(arena);

    for (size_t i = 0; i < plan->engine_count; i++) {
        const pp_json *server = pp_json_find(documents->engines[i], "server");
        const pp_json *bench = pp_json_find(documents->engines[i], "bench");
        pp_json *row = pp_json_new_object(arena);

        pp_json_set_text(arena, row, "id", plan->engines[i].id);
        pp_json_set(arena, row, "revision", member_or_null(arena, server, "version"));
        copy_member(arena, row, documents->engines[i], "pin");
        pp_json_set(arena, row, "server_sha256", member_or_null(arena, server, "sha256"));
        pp_json_set(arena, row, "bench_sha256", member_or_null(arena, bench, "sha256"));
        pp_json_add(arena, list, row);
    }
    return list;
}

pp_json *pp_set_metadata(pp_arena *arena, const pp_study_plan *plan,
                         const pp_study_documents *documents, const pp_pass_figures *passes,
                         pp_origin origin)
{
    pp_json *object = pp_json_new_object(arena);

    pp_json_set_string(arena, object, "classification", "exploratory");
    if (origin != PP_ORIGIN_MEASURED)
        pp_json_set_string(arena, object, "synthetic_kind", pp_origin_name(origin));
    pp_json_set(arena, object, "source", runner_metadata(arena, documents->host));
    if (plan->engine_count > 0)
        pp_json_set(arena, object, "runtime", runtime_metadata(arena, plan, documents));
    if (plan->schema > 1)
        pp_json_set(arena, object, "engines", engines_metadata(arena, plan, documents));
    pp_json_set(arena, object, "host", host_metadata(arena, documents->host));
    pp_json_set(arena, object, "study", study_metadata(arena, plan, documents, passes));
    return object;
}
