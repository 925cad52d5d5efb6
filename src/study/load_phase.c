/* Many requests at once: all steps of the plan's load on one server of a candidate, and the report
 * that follows from what was observed and sampled. */
#include <string.h>

#include "base/clock.h"
#include "base/files.h"
#include "base/stop.h"
#include "capacity/load_report.h"
#include "evidence/layout.h"
#include "intake/server_stream.h"
#include "load/drive.h"
#include "load/server_idle.h"
#include "study/load_phase.h"
#include "study/target.h"

#define SAMPLES_MAX_BYTES ((size_t)1 << 30)
/* For what others left behind; a server that still works then is told of in the report. */
#define IDLE_WAIT_NS      (30 * PP_NS_PER_S)
#define DRAIN_NS          (10 * PP_NS_PER_S)

/* Where what it leaves goes. */
typedef struct load_places {
    const char *command, *endpoint, *out, *log, *gateway, *samples, *report, *run;
} load_places;

static const load_places places_of_load = {
    PP_BUNDLE_LOAD_COMMAND, PP_BUNDLE_LOAD_ENDPOINT, PP_BUNDLE_LOAD_STDOUT, PP_BUNDLE_LOAD_STDERR,
    PP_BUNDLE_LOAD_GATEWAY, PP_BUNDLE_LOAD_SAMPLES,  PP_BUNDLE_LOAD_REPORT, PP_BUNDLE_LOAD_RUN,
};
static const load_places places_of_plan = {
    PP_BUNDLE_PLAN_COMMAND, PP_BUNDLE_PLAN_ENDPOINT, PP_BUNDLE_PLAN_STDOUT, PP_BUNDLE_PLAN_STDERR,
    PP_BUNDLE_PLAN_GATEWAY, PP_BUNDLE_PLAN_SAMPLES,  PP_BUNDLE_PLAN_REPORT, PP_BUNDLE_PLAN_RUN,
};

typedef struct load_run {
    pp_study *study;
    const pp_study_step *step;
    const pp_plan_load *plan;
    const pp_load_plan *original; /* its load plan; NULL: `plan` says what is asked */
    const load_places *places;
    size_t step_count;
    uint64_t seed;
    pp_study_record record;
    pp_study_target target;
    pp_load_rules rules;
    pp_load_report_level *levels; /* one for each step; those of `level_count` were carried out */
    pp_load_result *results;
    size_t level_count;
    int64_t deadline_ns;
    volatile sig_atomic_t stop; /* from outside, or because the deadline has passed */
    bool timed_out;
} load_run;

static char *path_of(const load_run *run, const char *pattern)
{
    return pp_bundle_fill(run->study->arena, run->study->folder, pattern,
                          run->target.candidate->id.data, 0);
}

/* ---- before ------------------------------------------------------------------------------------
 */

pp_status pp_study_load_slos(pp_arena *arena, const pp_plan_load *plan, pp_slo **ret_slos,
                             pp_error *err)
{
    pp_slo *slos = PP_ARENA_NEW(arena, pp_slo, plan->slo_count);
    pp_status st = PP_OK;

    for (size_t i = 0; slos != NULL && st == PP_OK && i < plan->slo_count; i++)
        st = pp_wrap(err, pp_slo_parse(arena, plan->slos[i], &slos[i], err), "$.load.slo[%zu]", i);
    *ret_slos = slos;
    return st == PP_OK ? pp_arena_check(arena, err) : st;
}

static pp_status set_rules(load_run *run, pp_error *err)
{
    pp_slo *slos = NULL;
    pp_status st = PP_OK;

    if (run->original == NULL)
        st = pp_study_load_slos(run->study->arena, run->plan, &slos, err);
    run->rules = pp_load_rules_default();
    run->rules.slos = slos;
    run->rules.slo_count = run->original == NULL ? run->plan->slo_count : 0;
    run->rules.cold = true;
    return st;
}

/* As the original has it: closed, in the order of its plan. */
static pp_load_level level_of_original(const load_run *run, size_t index)
{
    const pp_load_method *method = &run->original->method;

    return (pp_load_level){
        .number = (int64_t)index + 1,
        .loop = PP_LOAD_CLOSED,
        .clients = method->levels[index],
        .gamma_shape = 1,
        .request_count = pp_known_int(method->measured_count),
        .warmup_count = method->warmup_count,
        .seed = run->seed,
    };
}

static pp_load_level level_of_step(const load_run *run, size_t index)
{
    const pp_plan_load_step *step = &run->plan->steps[index];
    pp_load_level level = {
        .number = (int64_t)index + 1,
        .loop = step->clients > 0 ? PP_LOAD_CLOSED : PP_LOAD_OPEN,
        .clients = step->clients,
        .rate_per_second = step->rate_per_second,
        .gamma_shape = 1,
        .request_count = pp_known_int(step->measured),
        .warmup_count = run->plan->warmup,
        .seed = run->seed,
    };

    if (level.loop == PP_LOAD_OPEN && pp_text_is(step->arrivals, "poisson"))
        level.arrivals = PP_ARRIVALS_POISSON;
    return level;
}

static pp_load_level level_of(const load_run *run, size_t index)
{
    return run->original != NULL ? level_of_original(run, index) : level_of_step(run, index);
}

/* ---- requests ----------------------------------------------------------------------------------
 */

/* A llama-server gets prompts that are as long as it counts; any other kind as many words. */
static pp_status prepare_tokens(load_run *run, const pp_dialect *dialect,
                                pp_load_source **ret_source, pp_error *err)
{
    pp_load_source_options options;

    pp_load_source_options_default(&options);
    options.dialect = *dialect;
    options.reuse = PP_LOAD_COLD;
    options.seed = (uint64_t)run->plan->seed;
    options.prompt_tokens = run->plan->prompt_tokens;
    options.output = pp_lengths_fixed(run->plan->output_tokens);
    options.base_url = run->target.url;
    options.headers = run->target.headers;
    options.header_count = run->target.header_count;
    return pp_load_source_prepare(run->study->arena, run->study->loop, &options, ret_source, err);
}

/* The prompts of the plan, in turn, to /completion, as the original sends them. */
static pp_status prepare_original(load_run *run, const pp_dialect *dialect,
                                  pp_load_source **ret_source, pp_error *err)
{
    const pp_load_method *method = &run->original->method;
    pp_prompt *items = PP_ARENA_NEW(run->study->arena, pp_prompt, method->prompt_count);
    pp_prompts *prompts = PP_ARENA_NEW(run->study->arena, pp_prompts, 1);
    pp_load_source_options options;

    if (items == NULL || prompts == NULL)
        return pp_arena_check(run->study->arena, err);
    for (size_t i = 0; i < method->prompt_count; i++)
        items[i] = (pp_prompt){
            .id = pp_text_of(pp_arena_printf(run->study->arena, "prompt-%05zu", i + 1)),
            .text = method->prompts[i].text,
        };
    *prompts = (pp_prompts){.items = items, .count = method->prompt_count};
    pp_load_source_options_default(&options);
    options.dialect = *dialect;
    options.dialect.seed = run->seed;
    options.reuse = PP_LOAD_COLD; /* cache_prompt is false */
    options.seed = run->seed;
    options.output = pp_lengths_fixed(method->output_tokens);
    options.prompts = prompts;
    options.base_url = run->target.url;
    options.headers = run->target.headers;
    options.header_count = run->target.header_count;
    return pp_load_source_prepare(run->study->arena, run->study->loop, &options, ret_source, err);
}

static pp_status prepare_words(load_run *run, const pp_dialect *dialect, const pp_load_level *level,
                               pp_load_source **ret_source, pp_error *err)
{
    const pp_workload_options options = {
        .warmup_count = level->warmup_count,
        .measured_count = level->request_count.value,
        .prompt_tokens = run->plan->prompt_tokens,
        .output_tokens = run->plan->output_tokens,
        .seed = level->seed + (uint64_t)level->number, /* levels share no prompt */
    };
    pp_workload *workload = PP_ARENA_NEW(run->study->arena, pp_workload, 1);
    pp_status st = pp_arena_check(run->study->arena, err);

    if (st == PP_OK)
        st = pp_workload_prepare_words(run->study->arena, dialect, &options, workload, err);
    return st == PP_OK ? pp_load_source_of_workload(run->study->arena, workload, ret_source, err)
                       : st;
}

/* On the calling thread, which does not measure. */
static void look_at_clock(void *user, const pp_load_live *now)
{
    load_run *run = user;

    (void)now;
    run->timed_out = run->timed_out || pp_clock_now_ns() >= run->deadline_ns;
    if (run->timed_out || pp_stop_asked(run->study->options->stop))
        pp_stop_ask(&run->stop);
}

static int64_t request_limit_ns(const load_run *run)
{
    double ns = run->original == NULL ? 0 : run->original->timeout_seconds * 1e9;

    if (run->original == NULL)
        return run->study->plan.deadlines.request_ms * PP_NS_PER_MS;
    return ns < 1 ? 1 : (int64_t)ns;
}

static void fill_setup(load_run *run, pp_load_setup *setup)
{
    pp_load_setup_default(setup);
    setup->base_url = run->target.url;
    setup->headers = run->target.headers;
    setup->header_count = run->target.header_count;
    setup->limits.first_byte_ns = setup->limits.idle_ns = setup->limits.total_ns =
        request_limit_ns(run);
    setup->warmup_must_complete = run->original != NULL;
    setup->drain_ns = DRAIN_NS;
    setup->sends_all = true;
    setup->root = "/";
    setup->candidate = run->target.candidate->id;
    setup->pass = 1;
    setup->sample_of = pp_sample_of_exchange;
    setup->cut_now = &run->stop;
    setup->tick = look_at_clock;
    setup->user = run;
    if (run->target.server != NULL)
        setup->server_pid = pp_known_int(run->target.pid);
}

static pp_status run_level(load_run *run, size_t index, const pp_load_source *source, pp_error *err)
{
    pp_arena *arena = run->study->arena;
    pp_load_report_level *level = &run->levels[index];
    pp_load_result *result = &run->results[index];
    pp_server_idle idle = {0};
    pp_load_setup setup;
    pp_status st = pp_server_await_idle(run->study->loop, run->target.url, run->target.headers,
                                        run->target.header_count, IDLE_WAIT_NS, &idle, err);

    fill_setup(run, &setup);
    if (st == PP_OK)
        st = pp_load_drive(arena, &setup, source, &level->asked, &run->stop, result, err);
    if (st != PP_OK)
        return st;
    pp_study_target_hide_key(run->study, &run->target, result->samples, result->sample_count);
    result->observed.server_was_idle = idle.was_idle;
    result->observed.idle_wait_ns = idle.waited_ns;
    level->observed = result->observed;
    run->level_count++;
    return pp_load_summarise(arena, &level->asked, &level->observed, result->samples,
                             result->sample_count, &run->rules, &level->summary, err);
}

static pp_status check_ended(const load_run *run, pp_error *err)
{
    if (pp_stop_asked(run->study->options->stop))
        return pp_fail(err, PP_ERR_INTERRUPTED, "interrupted in step %zu of %zu of the load",
                       run->level_count, run->step_count);
    if (run->timed_out)
        return pp_fail(err, PP_ERR_TIMEOUT, "step %zu of %zu of the load was not over after %.1f s",
                       run->level_count, run->step_count,
                       (double)run->study->plan.deadlines.load_ms / 1e3);
    return PP_OK;
}

/* An evaluation of the original holds no level in which a warm-up request failed. */
static pp_status check_warmup(const load_run *run, size_t index, pp_error *err)
{
    if (run->original == NULL || run->levels[index].observed.ended_by != PP_LOAD_END_WARMUP)
        return PP_OK;
    return pp_fail(err, PP_ERR_PEER,
                   "a warm-up request failed before the level of %lld clients; see '%s'",
                   (long long)run->levels[index].asked.clients, path_of(run, run->places->samples));
}

static pp_status run_levels(load_run *run, pp_error *err)
{
    const pp_dialect dialect = pp_study_target_dialect(&run->target);
    const bool of_words = dialect.endpoint != PP_ENDPOINT_COMPLETION;
    pp_load_source *source = NULL;
    pp_status st = PP_OK;

    if (run->original != NULL && of_words)
        return pp_fail(err, PP_ERR_DOMAIN,
                       "a load plan of the original asks /completion, which '%s' is not said to "
                       "have",
                       run->target.url);
    if (run->original != NULL)
        st = prepare_original(run, &dialect, &source, err);
    else if (!of_words)
        st = prepare_tokens(run, &dialect, &source, err);
    for (size_t i = 0; st == PP_OK && i < run->step_count; i++) {
        run->levels[i].asked = level_of(run, i);
        if (of_words)
            st = prepare_words(run, &dialect, &run->levels[i].asked, &source, err);
        if (st == PP_OK)
            st = run_level(run, i, source, err);
        if (st == PP_OK)
            st = check_ended(run, err);
        if (st == PP_OK)
            st = check_warmup(run, i, err);
        if (st == PP_OK)
            st = pp_study_target_check_alive(&run->target, err);
    }
    return st;
}

/* ---- what is kept ------------------------------------------------------------------------------
 */

static pp_origin origin_of(const load_run *run)
{
    const pp_plan_candidate *candidate = run->target.candidate;
    const pp_host_facts *host = &run->study->host;
    pp_origin origin =
        !pp_candidate_has_engine(candidate)
            ? run->target.endpoint.origin
            : pp_origin_of_weights(run->study->models[candidate->model_index].weights);

    return host->emulated.known && host->emulated.value
               ? pp_origin_worst(origin, PP_ORIGIN_EMULATED)
               : origin;
}

static pp_load_report_run describe(const load_run *run)
{
    const pp_dialect dialect = pp_study_target_dialect(&run->target);
    pp_arena *arena = run->study->arena;
    const int64_t limit_ns = request_limit_ns(run);
    const bool of_words = dialect.endpoint != PP_ENDPOINT_COMPLETION;

    return (pp_load_report_run){
        .tool_version = pp_text_of(run->study->options->tool_version),
        .endpoint = pp_endpoint_without_secrets(arena, pp_text_of(run->target.url)),
        .dialect = pp_text_of(pp_arena_printf(arena, "%s %s", pp_server_kind_name(dialect.kind),
                                              pp_endpoint_path(dialect.endpoint))),
        .model = dialect.model,
        .profile = pp_text_of(run->original != NULL ? "load plan, cold"
                              : of_words            ? "words, cold"
                                                    : "generated, cold"),
        .origin = origin_of(run),
        .seed = run->seed,
        .started_unix_ms = run->record.started_unix_ms,
        .server_was_sleeping = run->target.endpoint.is_sleeping,
        .limits =
            {
                .first_token_ns = pp_known_int(limit_ns),
                .idle_ns = pp_known_int(limit_ns),
                .total_ns = pp_known_int(limit_ns),
                .body_bytes_max = pp_known_int((int64_t)PP_HTTP_STREAM_MAX_BYTES),
                .drain_ns = pp_known_int(DRAIN_NS),
                .idle_wait_ns = pp_known_int(IDLE_WAIT_NS),
            },
    };
}

static pp_status save_samples(load_run *run, pp_error *err)
{
    const char *path = path_of(run, run->places->samples);
    pp_buf lines;
    pp_status st = pp_study_ensure_folder(run->study, path, err);

    pp_buf_init(&lines, SAMPLES_MAX_BYTES);
    for (size_t i = 0; i < run->level_count; i++)
        for (size_t j = 0; st == PP_OK && j < run->results[i].sample_count; j++)
            st = pp_sample_write(&run->results[i].samples[j], &lines, err);
    if (st == PP_OK)
        st = pp_file_write_new(path, pp_buf_text(&lines), lines.size, err);
    pp_buf_done(&lines);
    return st;
}

static pp_status save_report(load_run *run, pp_error *err)
{
    pp_load_report report = {
        .run = describe(run),
        .rules = run->rules,
        .levels = run->levels,
        .level_count = run->level_count,
        .is_partial = run->level_count < run->step_count || run->stop != 0,
    };
    pp_json *document = NULL;
    pp_status st;

    pp_load_report_compare(&report);
    st = pp_load_report_make(run->study->arena, &report, &document, err);

    return st == PP_OK
               ? pp_study_save_json(run->study, path_of(run, run->places->report), document, err)
               : st;
}

static pp_status open_target(load_run *run, pp_error *err)
{
    const pp_target_files files = {
        .stdout_path = path_of(run, run->places->out),
        .stderr_path = path_of(run, run->places->log),
        .command = path_of(run, run->places->command),
        .endpoint = path_of(run, run->places->endpoint),
        .gateway = path_of(run, run->places->gateway),
    };

    return pp_study_target_open(run->study, run->target.candidate, &files, &run->record,
                                &run->target, err);
}

/* ---- the whole run -----------------------------------------------------------------------------
 */

static pp_status measure(load_run *run, pp_error *err)
{
    pp_error died = {0};
    pp_status st = open_target(run, err);

    if (st == PP_OK)
        st = run_levels(run, err);
    if (st != PP_OK && st != PP_ERR_INTERRUPTED &&
        pp_study_target_check_alive(&run->target, &died) != PP_OK) {
        *err = died; /* the cause behind whatever failed first */
        st = died.status;
    }
    pp_study_target_close(run->study, &run->target, &run->record);
    return st == PP_OK ? pp_study_target_check_log(run->study, &run->target, err) : st;
}

/* "4 steps, of which 3 keep to the demands" */
static const char *note_of(const load_run *run)
{
    size_t passed = 0;

    if (run->record.failure != NULL)
        return run->record.failure;
    for (size_t i = 0; i < run->level_count; i++)
        passed +=
            run->levels[i].summary.has_verdict && run->levels[i].summary.verdict == PP_SLO_PASS;
    return run->rules.slo_count == 0
               ? pp_arena_printf(run->study->arena, "%zu steps", run->level_count)
               : pp_arena_printf(run->study->arena,
                                 "%zu steps, of which %zu surely keep to the demands",
                                 run->level_count, passed);
}

static pp_status save_all(load_run *run, pp_study_outcome *ret_outcome, pp_error *err)
{
    pp_error later = {0};
    pp_status st = PP_OK;
    pp_status ended;

    if (run->level_count > 0)
        st = save_samples(run, err);
    if (st == PP_OK && run->level_count > 0)
        st = save_report(run, err);
    ended = pp_study_record_end(run->study, &run->record, path_of(run, run->places->run),
                                ret_outcome, st == PP_OK ? err : &later);
    return st == PP_OK ? ended : st;
}

static pp_status measure_and_save(load_run *run, pp_study_outcome *ret_outcome, pp_error *err)
{
    pp_error failure = {0};
    pp_status measured = measure(run, &failure);
    pp_status st;

    if (measured != PP_OK)
        pp_study_record_failure(run->study, &run->record, &failure);
    st = save_all(run, ret_outcome, err);
    return pp_study_first_failure(run->study, measured, &failure, st, err);
}

/* What the original sends with each request. */
#define SEED_OF_ORIGINAL 4242

static load_run run_of(pp_study *study, const pp_study_step *step)
{
    const bool is_original = step->phase == PP_STUDY_LOAD_PLAN;
    load_run run = {
        .study = study,
        .step = step,
        .plan = &study->plan.load,
        .original = is_original ? &study->load_plan : NULL,
        .places = is_original ? &places_of_plan : &places_of_load,
        .step_count =
            is_original ? study->load_plan.method.level_count : study->plan.load.step_count,
        .seed = is_original ? SEED_OF_ORIGINAL : (uint64_t)study->plan.load.seed,
        .target = {.candidate = pp_study_candidate(study, step)},
    };

    run.levels = PP_ARENA_NEW(study->arena, pp_load_report_level, run.step_count);
    run.results = PP_ARENA_NEW(study->arena, pp_load_result, run.step_count);
    return run;
}

pp_status pp_study_run_load(pp_study *study, const pp_study_step *step,
                            pp_study_outcome *ret_outcome, pp_error *err)
{
    load_run run = run_of(study, step);
    pp_status st = pp_arena_check(study->arena, err);

    if (st == PP_OK)
        st = set_rules(&run, err);
    if (st == PP_OK)
        st = pp_study_record_begin(study, step, &run.record, err);
    if (st != PP_OK)
        return st;
    run.deadline_ns = pp_clock_now_ns() + study->plan.deadlines.load_ms * PP_NS_PER_MS;
    st = measure_and_save(&run, ret_outcome, err);
    pp_study_report(study, step->phase, pp_study_what(study, step), note_of(&run));
    return st;
}
