/* What a study has to say at its end, taken from the derived set: so it counts the runs that count,
 * whoever made them and when. */
#include <string.h>

#include "evidence/layout.h"
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

/* "q4, requests pass 1: foreign-cpu 57.3 % of one core, limit 5": its first reason */
static const char *sentence_of(pp_arena *arena, const pp_json *run)
{
    const pp_json *reasons = pp_json_find(run, "reasons");
    const pp_json *first =
        reasons != NULL && reasons->kind == PP_JSON_ARRAY && reasons->array.count > 0
            ? reasons->array.items[0]
            : NULL;

    return pp_arena_printf(arena, "%s, %s: %s %.3g %s, limit %.3g", text_of(run, "candidate_id"),
                           where_of(arena, run), text_of(first, "cause"),
                           number_of(first, "measured"), text_of(first, "unit"),
                           number_of(first, "limit"));
}

/* "q4, requests pass 1: llama-server ended with ...; see experiment/candidates/q4/..." */
static const char *failure_of(pp_arena *arena, const pp_json *run)
{
    const char *id = text_of(run, "candidate_id");
    const char *phase = text_of(run, "phase");
    const int pass = (int)number_of(run, "pass");
    const char *file =
        strcmp(phase, "throughput") == 0  ? pp_arena_printf(arena, PP_BUNDLE_BENCH_RUN, id, pass)
        : strcmp(phase, "load") == 0      ? pp_arena_printf(arena, PP_BUNDLE_LOAD_RUN, id)
        : strcmp(phase, "load-plan") == 0 ? pp_arena_printf(arena, PP_BUNDLE_PLAN_RUN, id)
                                          : pp_arena_printf(arena, PP_BUNDLE_SERVER_RUN, id, pass);

    return pp_arena_printf(arena, "%s, %s: %s; see %s", id, where_of(arena, run),
                           text_of(run, "failure"), file == NULL ? "" : file);
}

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
    for (size_t i = 0; ret_result->disturbed != NULL && ret_result->failed != NULL && i < count;
         i++)
        add_run(study->arena, runs->array.items[i], ret_result);
    for (size_t i = 0; i < study->steps.block_count; i++)
        ret_result->block_count += study->steps.blocks[i].repeats;
    ret_result->repeated_count = pp_step_log_repeated_count(&study->steps, &study->log);
    return pp_arena_check(study->arena, err);
}
