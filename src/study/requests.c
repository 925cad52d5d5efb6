/* One run of llama-server: a fresh process, a fixed sequence of streamed requests, its memory. */
#include "study/target.h"

#include "base/clock.h"
#include "base/files.h"
#include "base/secret.h"
#include "evidence/figures.h"
#include "evidence/layout.h"
#include "intake/server_stream.h"
#include "machine/energy.h"
#include "study/machine_json.h"
#include "study/suite_phase.h"

#define SAMPLES_MAX_BYTES ((size_t)256 << 20)

/* What one run needs from its begin to its end. */
typedef struct request_run {
    pp_study *study;
    const pp_study_step *step;
    const pp_plan_candidate *candidate;
    int pass;
    pp_study_record record;
    pp_suite_tally tally; /* of the suite */
    pp_study_target target;
    pp_load_source *source;
    pp_load_run load;
    pp_figures figures;     /* for the progress line */
    int64_t measured_count; /* requests */
    int64_t failed_count;   /* of these */
    pp_process_memory after_load;
    pp_process_memory after_warmup;
    bool has_after_warmup; /* false without a warm-up */
    pp_process_memory after_requests;
    pp_maybe_int cpu_before_ns; /* of the server, before the first measured request */
    pp_maybe_int cpu_ns;        /* during the measured requests */
    pp_energy_reading energy_before;
    pp_energy_use energy; /* of the machine, during the measured requests */
} request_run;

static char *path_of(const request_run *run, const char *pattern)
{
    return pp_bundle_fill(run->study->arena, run->study->folder, pattern, run->candidate->id.data,
                          run->pass);
}

/* ---- start
 * ------------------------------------------------------------------------------------------ */

static pp_status open_target(request_run *run, pp_error *err)
{
    const pp_target_files files = {
        .stdout_path = path_of(run, PP_BUNDLE_SERVER_STDOUT),
        .stderr_path = path_of(run, PP_BUNDLE_SERVER_STDERR),
        .command = path_of(run, PP_BUNDLE_SERVER_COMMAND),
        .endpoint = path_of(run, PP_BUNDLE_ENDPOINT),
        .gateway = path_of(run, PP_BUNDLE_GATEWAY),
    };

    return pp_study_target_open(run->study, run->candidate, &files, &run->record, &run->target,
                                err);
}

/* A llama-server gets tokens as it counts them, so that all process the same number; any other kind
 * gets as many words. */
static pp_status prepare_workload(pp_study *study, const pp_study_target *target,
                                  pp_workload *workload, pp_error *err)
{
    const pp_plan_requests *plan = &study->plan.requests;
    const pp_dialect dialect = pp_study_target_dialect(target);
    const pp_workload_options options = {
        .warmup_count = plan->warmup,
        .measured_count = plan->measured,
        .prompt_tokens = plan->prompt_tokens,
        .output_tokens = plan->output_tokens,
        .seed = (uint64_t)plan->seed,
    };

    return dialect.endpoint == PP_ENDPOINT_COMPLETION
               ? pp_workload_prepare(study->arena, study->loop, target->url, target->headers,
                                     target->header_count, &options, workload, err)
               : pp_workload_prepare_words(study->arena, &dialect, &options, workload, err);
}

pp_status pp_study_prepare_requests(pp_study *study, const pp_study_target *target,
                                    pp_load_source **ret_source, pp_error *err)
{
    pp_workload *workload = PP_ARENA_NEW(study->arena, pp_workload, 1);
    pp_status st = pp_arena_check(study->arena, err);

    if (st == PP_OK)
        st = prepare_workload(study, target, workload, err);
    if (st == PP_OK)
        st = pp_load_source_of_workload(study->arena, workload, ret_source, err);
    if (st != PP_OK)
        pp_secret_remove_from_error(err, target->key);
    return st;
}

/* ---- requests
 * --------------------------------------------------------------------------------------- */

static void note_begin(request_run *run)
{
    run->cpu_before_ns = pp_study_target_cpu_ns(&run->target);
    pp_energy_read("/", &run->energy_before);
}

/* Between two requests, so that reading disturbs none. A server that is gone fails the next one. */
static void note_warm_memory(void *user)
{
    request_run *run = user;

    run->has_after_warmup = run->candidate->kind != PP_CANDIDATE_ENDPOINT &&
                            pp_study_target_memory(&run->target, &run->after_warmup, NULL) == PP_OK;
    note_begin(run);
}

pp_status pp_study_send_requests(pp_study *study, const pp_study_target *target,
                                 pp_load_source *source, const pp_study_sending *how,
                                 pp_load_run *ret_run, pp_error *err)
{
    const pp_plan_requests *plan = &study->plan.requests;
    const pp_load_counts counts = {plan->warmup, plan->measured, (uint64_t)plan->seed};
    int64_t limit_ns = study->plan.deadlines.request_ms * PP_NS_PER_MS;
    pp_load_options options;

    pp_load_options_default(&options);
    options.base_url = target->url;
    options.headers = target->headers;
    options.header_count = target->header_count;
    options.limits.first_byte_ns = limit_ns;
    options.limits.idle_ns = limit_ns;
    options.limits.total_ns = limit_ns;
    options.candidate = target->candidate->id;
    options.pass = how->pass;
    options.after_warmup = how->after_warmup;
    options.after_warmup_user = how->user;
    options.sample_of = pp_sample_of_exchange;
    return pp_load_run_source(study->arena, source, &counts, &options, study->options->stop,
                              ret_run, err);
}

static pp_status send_requests(request_run *run, pp_error *err)
{
    const pp_study_sending how = {run->step->pass, note_warm_memory, run};
    pp_status st =
        pp_study_send_requests(run->study, &run->target, run->source, &how, &run->load, err);

    if (st == PP_OK)
        pp_study_target_hide_key(run->study, &run->target, run->load.samples,
                                 run->load.sample_count);
    return st;
}

static pp_status save_body(request_run *run, const pp_request_id *id, const char *path,
                           pp_error *err)
{
    pp_load_item item;
    pp_buf body;
    pp_status st;

    pp_buf_init(&body, PP_LOAD_BODY_MAX_BYTES);
    st = pp_load_source_make(run->source, 1, id->phase, id->index, &body, &item, err);
    if (st == PP_OK)
        st = pp_file_write_new(path, item.body.data, item.body.size, err);
    pp_buf_done(&body);
    return st;
}

/* raw/requests-pass-1/measured-003.sse and its request */
static pp_status save_exchange(request_run *run, size_t index, pp_error *err)
{
    const pp_request_id *id = &run->load.samples[index].id;
    const pp_bytes *came = &run->load.replies[index];
    const pp_text kept = pp_secret_remove(
        run->study->arena, (pp_text){(const char *)came->data, came->size}, run->target.key);
    const char *folder = path_of(run, PP_BUNDLE_BODIES);
    const char *base = pp_arena_printf(run->study->arena, "%s/%s-%03lld", folder,
                                       pp_phase_name(id->phase), (long long)id->index);
    const char *reply = pp_arena_printf(run->study->arena, "%s.sse", base);
    const char *body = pp_arena_printf(run->study->arena, "%s.request.json", base);
    pp_status st = pp_study_ensure_folder(run->study, reply, err);

    if (st == PP_OK)
        st = pp_arena_check(run->study->arena, err);
    if (st == PP_OK)
        st = pp_file_write_new(reply, kept.data, kept.size, err);
    return st == PP_OK ? save_body(run, id, body, err) : st;
}

static void note_sample(request_run *run, const pp_sample *sample)
{
    pp_pass_figures one = {0};

    if (sample->id.phase != PP_PHASE_MEASURED)
        return;
    run->measured_count++;
    pp_pass_figures_add_sample(run->study->arena, &one, sample);
    pp_figures_append(run->study->arena, &run->figures, &one.figures);
    run->failed_count += one.failed_request_count;
}

static pp_status save_samples(request_run *run, pp_error *err)
{
    const char *path = path_of(run, PP_BUNDLE_SAMPLES);
    pp_buf lines;
    pp_status st = PP_OK;

    pp_buf_init(&lines, SAMPLES_MAX_BYTES);
    for (size_t i = 0; st == PP_OK && i < run->load.sample_count; i++) {
        st = save_exchange(run, i, err);
        if (st == PP_OK)
            st = pp_sample_write(&run->load.samples[i], &lines, err);
        if (st == PP_OK)
            note_sample(run, &run->load.samples[i]);
    }
    if (st == PP_OK)
        st = path == NULL ? pp_arena_check(run->study->arena, err)
                          : pp_file_write_new(path, pp_buf_text(&lines), lines.size, err);
    pp_buf_done(&lines);
    return st;
}

/* ---- memory
 * ----------------------------------------------------------------------------------------- */

static pp_status save_resources(request_run *run, pp_error *err)
{
    pp_arena *arena = run->study->arena;
    pp_json *object = pp_json_new_object(arena);

    pp_json_set_text(arena, object, "candidate_id", run->candidate->id);
    pp_json_set_int(arena, object, "pass", run->pass);
    pp_json_set_maybe_int(arena, object, "peak_rss_bytes", run->after_requests.peak_rss_bytes);
    pp_json_set_maybe_int(arena, object, "cpu_ns", run->cpu_ns);
    if (run->study->plan.has_requests)
        pp_json_set(arena, object, "energy", pp_energy_use_to_json(arena, &run->energy));
    pp_json_set_string(arena, object, "method", pp_study_target_memory_method(&run->target));
    if (run->candidate->kind == PP_CANDIDATE_SERVE)
        pp_json_set_string(arena, object, "absent_because", run->target.absent_because);
    pp_json_set(arena, object, "after_load", pp_process_memory_to_json(arena, &run->after_load));
    pp_json_set(arena, object, "after_warmup",
                run->has_after_warmup ? pp_process_memory_to_json(arena, &run->after_warmup)
                                      : pp_json_new_null(arena));
    pp_json_set(arena, object, "after_requests",
                pp_process_memory_to_json(arena, &run->after_requests));
    return pp_study_save_document(run->study, path_of(run, PP_BUNDLE_RESOURCES),
                                  "resource-measurement", object, err);
}

/* ---- quality
 * ---------------------------------------------------------------------------------------- */

/* Before anything else is asked of this server. Each failed request is a result; a dead server is
 * the end of the run. */
static pp_status ask_suite(request_run *run, pp_error *err)
{
    pp_status st;

    if (!run->study->plan.suite.present)
        return PP_OK;
    st = pp_study_ask_suite(run->study, &run->target, path_of(run, PP_BUNDLE_SUITE_REPLIES),
                            &run->tally, err);
    return st == PP_OK ? pp_study_target_check_alive(&run->target, err) : st;
}

/* ---- the whole run
 * ---------------------------------------------------------------------------------- */

static void note_end(request_run *run)
{
    const pp_maybe_int now = pp_study_target_cpu_ns(&run->target);
    pp_energy_reading after;

    pp_energy_read("/", &after);
    run->energy = pp_energy_between(&run->energy_before, &after);
    if (run->target.absent_because != NULL)
        run->energy = (pp_energy_use){.absent_because = run->target.absent_because};
    if (now.known && run->cpu_before_ns.known)
        run->cpu_ns = pp_known_int(now.value - run->cpu_before_ns.value);
}

static pp_status ask_everything(request_run *run, pp_error *err)
{
    pp_status st = pp_study_target_memory(&run->target, &run->after_load, err);

    if (st == PP_OK)
        st = ask_suite(run, err);
    if (st == PP_OK && run->study->plan.has_requests)
        st = pp_study_prepare_requests(run->study, &run->target, &run->source, err);
    note_begin(run); /* and again behind the warm-up, if there is one */
    if (st == PP_OK && run->study->plan.has_requests)
        st = send_requests(run, err);
    if (st == PP_OK)
        note_end(run);
    if (st == PP_OK && run->load.interrupted)
        return pp_fail(err, PP_ERR_INTERRUPTED, "interrupted after %zu of %zu requests",
                       run->load.sample_count, run->load.asked_count);
    if (st == PP_OK)
        st = pp_study_target_memory(&run->target, &run->after_requests, err);
    /* a dead one that nobody waited for still has a place in /proc, and no memory */
    return st == PP_OK ? pp_study_target_check_alive(&run->target, err) : st;
}

static pp_status measure(request_run *run, pp_error *err)
{
    pp_error died = {0};
    pp_status st = open_target(run, err);

    if (st != PP_OK)
        return st;
    st = ask_everything(run, err);
    if (st == PP_OK || st == PP_ERR_INTERRUPTED)
        return st;
    if (pp_study_target_check_alive(&run->target, &died) != PP_OK && err != NULL)
        *err = died; /* the cause behind whatever failed first */
    return err != NULL ? err->status : st;
}

/* "suite: 2 of 24 requests failed"; NULL without a suite */
static const char *note_of_suite(request_run *run)
{
    pp_arena *arena = run->study->arena;

    if (!run->study->plan.suite.present)
        return NULL;
    if (run->tally.failed_count == 0)
        return pp_arena_printf(arena, "suite: %zu requests answered", run->tally.asked_count);
    return pp_arena_printf(arena, "suite: %zu of %zu requests failed", run->tally.failed_count,
                           run->tally.asked_count);
}

static const char *note_of_times(request_run *run)
{
    pp_arena *arena = run->study->arena;
    double e2e_ms;
    double ttft_ms;

    if (!run->study->plan.has_requests)
        return NULL;
    if (!pp_series_percentile(arena, &run->figures.e2e_latency_ms, 50, &e2e_ms) ||
        !pp_series_percentile(arena, &run->figures.ttft_ms, 50, &ttft_ms))
        return pp_arena_printf(arena, "%lld of %lld measured requests failed",
                               (long long)run->failed_count, (long long)run->measured_count);
    return pp_arena_printf(arena, "end to end %.4g ms, first token %.4g ms (medians)", e2e_ms,
                           ttft_ms);
}

static const char *note_of(request_run *run)
{
    const char *suite = note_of_suite(run);
    const char *times = note_of_times(run);

    if (run->record.failure != NULL)
        return run->record.failure;
    if (suite == NULL || times == NULL)
        return suite == NULL ? times : suite;
    return pp_arena_printf(run->study->arena, "%s; %s", times, suite);
}

/* The record ends the watch, so it is written whatever happened before; the first error counts. */
static pp_status save_all(request_run *run, bool measured, pp_study_outcome *ret_outcome,
                          pp_error *err)
{
    pp_error later = {0};
    pp_status st = PP_OK;
    pp_status ended;

    if (run->load.sample_count > 0)
        st = save_samples(run, err);
    if (st == PP_OK && measured && run->candidate->kind != PP_CANDIDATE_ENDPOINT)
        st = save_resources(run, err);
    ended = pp_study_record_end(run->study, &run->record, path_of(run, PP_BUNDLE_SERVER_RUN),
                                ret_outcome, st == PP_OK ? err : &later);
    return st == PP_OK ? ended : st;
}

/* What the server does wrong is an outcome; what we do wrong is returned. */
static pp_status measure_and_save(request_run *run, pp_study_outcome *ret_outcome, pp_error *err)
{
    pp_error failure = {0};
    pp_status measured = measure(run, &failure);
    pp_status st;

    pp_study_target_close(run->study, &run->target, &run->record);
    if (measured == PP_OK)
        measured = pp_study_target_check_log(run->study, &run->target, &failure);
    if (measured != PP_OK)
        pp_study_record_failure(run->study, &run->record, &failure);
    st = save_all(run, measured == PP_OK, ret_outcome, err);
    return pp_study_first_failure(run->study, measured, &failure, st, err);
}

pp_status pp_study_run_requests(pp_study *study, const pp_study_step *step,
                                pp_study_outcome *ret_outcome, pp_error *err)
{
    request_run run = {
        .study = study,
        .step = step,
        .candidate = pp_study_candidate(study, step),
        .pass = (int)step->pass,
    };
    pp_status st = pp_study_record_begin(study, step, &run.record, err);

    if (st != PP_OK)
        return st;
    st = measure_and_save(&run, ret_outcome, err);
    pp_study_report(study, step->phase, pp_study_what(study, step), note_of(&run));
    return st;
}
