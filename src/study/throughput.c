/* One run of llama-bench: prompt and generation rate of one candidate in one pass. */
#include "base/clock.h"
#include "base/files.h"
#include "evidence/figures.h"
#include "evidence/layout.h"
#include "study/command.h"
#include "study/context.h"

/* The child runs from here to its end, or until it is stopped; its exit goes into the record. */
static pp_status run_child(pp_study *study, const pp_child_options *options,
                           pp_study_record *record, pp_error *err)
{
    int64_t deadline_ns = pp_clock_now_ns() + study->plan.deadlines.throughput_ms * PP_NS_PER_MS;
    pp_child *child = NULL;
    pp_child_exit ended;
    char how[64];
    pp_status st = pp_child_start(options, &child, err);

    if (st != PP_OK)
        return st;
    /* when it has gone already, its CPU time is in the exit below */
    pp_ignore(pp_watch_track(record->watch, pp_child_pid(child), NULL));
    st = pp_child_wait(child, deadline_ns, study->options->stop, &ended, err);
    if (st != PP_OK)
        pp_child_stop(child, 0, &ended);
    pp_watch_untrack(record->watch, pp_child_pid(child), &ended.usage);
    pp_study_record_exit(study, record, &ended);
    pp_child_free(child);
    if (st == PP_OK && (ended.by_signal || ended.code != 0))
        st = pp_fail(err, PP_ERR_PEER, "llama-bench: expected exit code 0, got %s; see '%s'",
                     pp_child_exit_text(&ended, how), options->stderr_path);
    return st;
}

/* What the rows say, for the progress line; rows that cannot be read are a failure of the run. */
static pp_status summarise(pp_study *study, const char *path, const char **ret_note, pp_error *err)
{
    pp_bench_rows rows = {0};
    pp_figures figures = {0};
    double prompt;
    double generation;
    pp_status st = pp_bundle_read_bench(study->arena, path, &rows, err);

    if (st != PP_OK)
        return st;
    pp_figures_add_bench(study->arena, &figures, &rows);
    if (!pp_series_percentile(study->arena, &figures.prompt_tokens_per_second, 50, &prompt) ||
        !pp_series_percentile(study->arena, &figures.generation_tokens_per_second, 50, &generation))
        return pp_fail(err, PP_ERR_SCHEMA, "'%s': expected a prompt and a generation test", path);
    *ret_note = pp_arena_printf(study->arena, "prompt %.4g tok/s, generation %.4g tok/s", prompt,
                                generation);
    return PP_OK;
}

/* Version 1.0 promises a look at logs of servers only. */
static pp_status check_log(pp_study *study, const pp_study_step *step, const char *log,
                           pp_error *err)
{
    return study->plan.schema == 1
               ? PP_OK
               : pp_study_check_markers(study, pp_study_candidate(study, step), log, err);
}

/* What the program does wrong goes into the record; the status is that of what is ours. */
static pp_status measure(pp_study *study, const pp_child_options *options, pp_study_record *record,
                         const char **ret_note, pp_error *err)
{
    pp_error failure = {0};
    pp_status st = run_child(study, options, record, &failure);

    if (st == PP_OK)
        st = check_log(study, record->step, options->stderr_path, &failure);
    if (st == PP_OK)
        st = summarise(study, options->stdout_path, ret_note, &failure);
    if (st == PP_OK)
        return PP_OK;
    pp_study_record_failure(study, record, &failure);
    *ret_note = record->failure;
    return pp_study_first_failure(study, st, &failure, PP_OK, err);
}

/* The record ends the watch, so it is written whatever happened; the first error counts. */
static pp_status run_and_record(pp_study *study, const pp_study_step *step,
                                const pp_child_options *options, pp_study_outcome *ret_outcome,
                                pp_error *err)
{
    const char *path = pp_bundle_path(study->arena, study->folder, PP_BUNDLE_BENCH_RUN,
                                      pp_study_candidate(study, step)->id.data, (int)step->pass);
    const char *note = NULL;
    pp_study_record record;
    pp_error later = {0};
    pp_status st = pp_study_record_begin(study, step, &record, err);
    pp_status ended;

    if (st != PP_OK)
        return st;
    st = measure(study, options, &record, &note, err);
    ended = pp_study_record_end(study, &record, path, ret_outcome, st == PP_OK ? err : &later);
    pp_study_report(study, step->phase, pp_study_what(study, step), note);
    return st == PP_OK ? ended : st;
}

pp_status pp_study_run_throughput(pp_study *study, const pp_study_step *step,
                                  pp_study_outcome *ret_outcome, pp_error *err)
{
    const char *id = pp_study_candidate(study, step)->id.data;
    const int pass = (int)step->pass;
    pp_study_bench bench = {0};
    pp_child_options options = {
        .stdout_path = pp_bundle_path(study->arena, study->folder, PP_BUNDLE_BENCH_ROWS, id, pass),
        .stderr_path =
            pp_bundle_path(study->arena, study->folder, PP_BUNDLE_BENCH_STDERR, id, pass),
    };
    pp_status st = pp_study_ensure_folder(study, options.stdout_path, err);

    if (st == PP_OK)
        st = pp_study_bench_command(study, pp_study_candidate(study, step), &bench, err);
    if (st == PP_OK)
        st = pp_arena_check(study->arena, err);
    options.argv = bench.argv.words;
    options.folder = bench.folder;
    options.environment = bench.environment;
    return st == PP_OK ? run_and_record(study, step, &options, ret_outcome, err) : st;
}
