/* What a study has to say at its end, taken from the derived set: so it counts the runs that count,
 * whoever made them and when. */
#include <string.h>

#include "evidence/figures.h"
#include "evidence/layout.h"
#include "evidence/load_files.h"
#include "study/context.h"

static const char *text_of(const pp_json *object, const char *key)
{
    const pp_json *value = pp_json_find(object, key);

    return value != NULL && value->kind == PP_JSON_STRING ? value->text.data : "not recorded";
}

static double number_of(const pp_json *object, const char *key)
{
    double number = 0;

    (void)(pp_json_get_number(pp_json_find(object, key), &number, NULL) == PP_OK);
    return number;
}

/* "requests pass 1", "load" */
static const char *where_of(pp_arena *arena, const pp_json *run)
{
    const char *text =
        number_of(run, "pass") < 1
            ? text_of(run, "phase")
            : pp_arena_printf(arena, "%s pass %.0f", text_of(run, "phase"), number_of(run, "pass"));

    return text == NULL ? "" : text; /* the arena remembers */
}

/* The record of a run in the bundle. */
static const char *file_of(pp_arena *arena, const pp_json *run)
{
    const char *id = text_of(run, "candidate_id");
    const char *phase = text_of(run, "phase");
    const int pass = (int)number_of(run, "pass");
    const char *file =
        strcmp(phase, "throughput") == 0  ? pp_arena_printf(arena, PP_BUNDLE_BENCH_RUN, id, pass)
        : strcmp(phase, "load") == 0      ? pp_arena_printf(arena, PP_BUNDLE_LOAD_RUN, id)
        : strcmp(phase, "load-plan") == 0 ? pp_arena_printf(arena, PP_BUNDLE_PLAN_RUN, id)
                                          : pp_arena_printf(arena, PP_BUNDLE_SERVER_RUN, id, pass);

    return file == NULL ? "" : file; /* the arena remembers */
}

/* "q4, requests pass 1: foreign-cpu 57.3 % of one core, limit 5; see experiment/candidates/q4/...":
 * its first reason */
static const char *sentence_of(pp_arena *arena, const pp_json *run)
{
    const pp_json *reasons = pp_json_find(run, "reasons");
    const pp_json *first =
        reasons != NULL && reasons->kind == PP_JSON_ARRAY && reasons->array.count > 0
            ? reasons->array.items[0]
            : NULL;

    return pp_arena_printf(arena, "%s, %s: %s %.3g %s, limit %.3g; see %s",
                           text_of(run, "candidate_id"), where_of(arena, run),
                           text_of(first, "cause"), number_of(first, "measured"),
                           text_of(first, "unit"), number_of(first, "limit"), file_of(arena, run));
}

/* "q4, requests pass 1: llama-server ended with ...; see experiment/candidates/q4/..." */
static const char *failure_of(pp_arena *arena, const pp_json *run)
{
    return pp_arena_printf(arena, "%s, %s: %s; see %s", text_of(run, "candidate_id"),
                           where_of(arena, run), text_of(run, "failure"), file_of(arena, run));
}

/* ---- requests that failed ----------------------------------------------------------------------
 */

typedef struct request_tally {
    int64_t count, failed;
    int64_t failures[PP_FAILURE_COUNT];
} request_tally;

/* "2 of 8 measured requests failed (first-byte-timeout 2); see experiment/candidates/q4/..." */
static void add_troubled(pp_arena *arena, pp_study_result *result, const char *where,
                         const request_tally *tally, const char *file)
{
    const char *classes = NULL;

    for (int i = 1; i < PP_FAILURE_COUNT; i++) {
        if (tally->failures[i] > 0)
            classes = pp_arena_printf(arena, "%s%s%s %lld", classes == NULL ? "" : classes,
                                      classes == NULL ? "" : ", ", pp_failure_name((pp_failure)i),
                                      (long long)tally->failures[i]);
    }
    if (tally->failed == 0 || where == NULL || classes == NULL || file == NULL)
        return;
    where = pp_arena_printf(arena, "%s: %lld of %lld measured requests failed (%s); see %s", where,
                            (long long)tally->failed, (long long)tally->count, classes, file);
    if (where != NULL)
        result->troubled[result->troubled_count++] = where;
}

static void add_of_passes(pp_arena *arena, const pp_derived *derived, size_t candidate,
                          pp_study_result *result)
{
    const char *id = derived->plan.candidates[candidate].id.data;
    const int passes = (int)derived->plan.passes;

    for (int i = 0; i < passes; i++) {
        const pp_pass_figures *pass = &derived->passes[candidate * (size_t)passes + (size_t)i];
        request_tally tally = {.count = pass->request_count, .failed = pass->failed_request_count};

        memcpy(tally.failures, pass->failures, sizeof tally.failures);
        add_troubled(arena, result, pp_arena_printf(arena, "%s, requests pass %d", id, i + 1),
                     &tally, pp_arena_printf(arena, PP_BUNDLE_SAMPLES, id, i + 1));
    }
}

static void add_of_load(pp_arena *arena, const pp_load_files *load, const char *where,
                        const char *file, pp_study_result *result)
{
    request_tally tally = {0};

    for (size_t i = 0; i < load->sample_count; i++) {
        const pp_sample *sample = &load->samples[i];

        if (sample->id.phase != PP_PHASE_MEASURED)
            continue;
        tally.count++;
        tally.failed += !pp_sample_is_ok(sample);
        tally.failures[sample->failure]++;
    }
    add_troubled(arena, result, where, &tally, file);
}

static void add_failed_requests(pp_arena *arena, const pp_derived *derived, pp_study_result *result)
{
    for (size_t i = 0; i < derived->plan.candidate_count; i++) {
        const char *id = derived->plan.candidates[i].id.data;

        add_of_passes(arena, derived, i, result);
        if (derived->loads != NULL)
            add_of_load(arena, &derived->loads[i], pp_arena_printf(arena, "%s, load", id),
                        pp_arena_printf(arena, PP_BUNDLE_LOAD_SAMPLES, id), result);
        if (derived->plan_loads != NULL)
            add_of_load(arena, &derived->plan_loads[i], pp_arena_printf(arena, "%s, load-plan", id),
                        pp_arena_printf(arena, PP_BUNDLE_PLAN_SAMPLES, id), result);
    }
}

/* ---- runs --------------------------------------------------------------------------------------
 */

static void add_run(pp_arena *arena, const pp_json *run, pp_study_result *result)
{
    const char *sentence;

    result->run_count++;
    if (strcmp(text_of(run, "outcome"), "failed") == 0) {
        sentence = failure_of(arena, run);
        if (sentence != NULL)
            result->failed[result->failed_count++] = sentence;
    }
    if (strcmp(text_of(run, "verdict"), "disturbed") != 0)
        return;
    sentence = sentence_of(arena, run);
    if (sentence != NULL)
        result->disturbed[result->disturbed_count++] = sentence;
}

pp_status pp_study_fill_result(pp_study *study, const pp_derived *derived,
                               pp_study_result *ret_result, pp_error *err)
{
    const pp_json *runs = pp_json_find(pp_json_find(derived->set.metadata, "study"), "runs");
    size_t count = runs == NULL ? 0 : runs->array.count;

    ret_result->derived = derived;
    ret_result->report_path = pp_bundle_path(study->arena, study->folder, PP_BUNDLE_REPORT);
    ret_result->disturbed = PP_ARENA_NEW(study->arena, const char *, count);
    ret_result->failed = PP_ARENA_NEW(study->arena, const char *, count);
    ret_result->troubled =
        PP_ARENA_NEW(study->arena, const char *,
                     derived->plan.candidate_count *((size_t)derived->plan.passes + 2));
    if (ret_result->troubled != NULL)
        add_failed_requests(study->arena, derived, ret_result);
    for (size_t i = 0; ret_result->disturbed != NULL && ret_result->failed != NULL && i < count;
         i++)
        add_run(study->arena, runs->array.items[i], ret_result);
    for (size_t i = 0; i < study->steps.block_count; i++)
        ret_result->block_count += study->steps.blocks[i].repeats;
    ret_result->repeated_count = pp_step_log_repeated_count(&study->steps, &study->log);
    return pp_arena_check(study->arena, err);
}
