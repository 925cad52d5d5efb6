/* From one step of a study to the next: what is done stays, what is not is begun in the journal,
 * carried out, and ended there with the digests of its files. */
#include "base/clock.h"
#include "evidence/step_files.h"
#include "study/context.h"

/* ---- lines of the journal ----------------------------------------------------------------------
 */

static const char *why_begun(const pp_study *study, size_t index)
{
    const pp_step_state *state = &study->log.states[index];
    const pp_study_step *step = &study->steps.items[index];

    if (study->changed[index])
        return "files-changed";
    if (state->attempt_count == 0)
        return "planned";
    return state->round < study->log.rounds[step->block] ? "block-disturbed" : "unfinished";
}

static pp_status write_begin(pp_study *study, size_t index, pp_error *err)
{
    pp_arena *arena = study->arena;
    const pp_study_step *step = &study->steps.items[index];
    const int64_t round = study->log.rounds[step->block];
    pp_json *fields = pp_json_new_object(arena);
    pp_status st;

    pp_json_set_string(arena, fields, "step", step->id);
    pp_json_set_int(arena, fields, "attempt", study->log.states[index].attempt_count + 1);
    pp_json_set_int(arena, fields, "round", round);
    pp_json_set_string(arena, fields, "because", why_begun(study, index));
    st = pp_journal_append(study->journal, arena, "step-begin", fields, err);
    if (st == PP_OK)
        pp_step_log_begin(&study->log, index, round, pp_clock_unix_ms());
    return st;
}

static pp_json *encode_end(pp_study *study, size_t index, const pp_study_outcome *outcome,
                           int64_t duration_ns, const pp_json *files)
{
    pp_arena *arena = study->arena;
    pp_json *fields = pp_json_new_object(arena);

    pp_json_set_string(arena, fields, "step", study->steps.items[index].id);
    pp_json_set_int(arena, fields, "attempt", study->log.states[index].attempt_count);
    pp_json_set_string(arena, fields, "outcome", pp_step_outcome_name(outcome->outcome));
    pp_json_set_string(arena, fields, "failure", outcome->failure);
    pp_json_set_int(arena, fields, "duration_ns", duration_ns);
    pp_json_set_string(arena, fields, "verdict", outcome->verdict);
    pp_json_set(arena, fields, "exit",
                outcome->exit == NULL ? pp_json_new_null(arena) : outcome->exit);
    pp_json_set(arena, fields, "files", files);
    return fields;
}

static pp_status write_end(pp_study *study, size_t index, const pp_study_outcome *outcome,
                           int64_t duration_ns, pp_error *err)
{
    pp_step_file *files = NULL;
    size_t count = 0;
    const pp_json *list;
    pp_status st = pp_step_files_seal(study->arena, study->folder, &study->plan,
                                      &study->steps.items[index], &files, &count, err);

    if (st != PP_OK)
        return st;
    list = pp_step_files_encode(study->arena, files, count);
    st = pp_journal_append(study->journal, study->arena, "step-end",
                           encode_end(study, index, outcome, duration_ns, list), err);
    if (st == PP_OK)
        pp_step_log_end(&study->steps, &study->log, index, outcome->outcome, outcome->disturbed,
                        duration_ns, list);
    return st;
}

/* ---- one step ----------------------------------------------------------------------------------
 */

static pp_status carry_out(pp_study *study, const pp_study_step *step, pp_study_result *result,
                           pp_study_outcome *ret_outcome, pp_error *err)
{
    *ret_outcome = (pp_study_outcome){.outcome = PP_STEP_COMPLETE};
    switch (step->phase) {
    case PP_STUDY_VERIFY:
        return pp_study_write_inputs(study, err);
    case PP_STUDY_PREFLIGHT:
        return pp_study_preflight(study, step, err);
    case PP_STUDY_THROUGHPUT:
        return pp_study_run_throughput(study, step, ret_outcome, err);
    case PP_STUDY_REQUESTS:
        return pp_study_run_requests(study, step, ret_outcome, err);
    case PP_STUDY_LOAD:
    case PP_STUDY_LOAD_PLAN:
        return pp_study_run_load(study, step, ret_outcome, err);
    default:
        PP_ASSERT(step->phase == PP_STUDY_ASSEMBLE);
        return pp_study_assemble(study, result, err);
    }
}

/* The models were hashed before there was a journal: that is what the first step takes its time
 * for. */
static int64_t began_at_ns(const pp_study *study, const pp_study_step *step)
{
    return step->phase == PP_STUDY_VERIFY ? study->began_ns : pp_clock_now_ns();
}

/* A step that was interrupted has ended, and the study with it. */
static pp_status check_interrupted(const pp_study_outcome *outcome, pp_error *err)
{
    return outcome->outcome == PP_STEP_INTERRUPTED
               ? pp_fail(err, PP_ERR_INTERRUPTED, "%s", outcome->failure)
               : PP_OK;
}

pp_status pp_study_do_step(pp_study *study, size_t index, pp_study_result *result, pp_error *err)
{
    const pp_study_step *step = &study->steps.items[index];
    const int64_t began_ns = began_at_ns(study, step);
    pp_study_outcome outcome;
    pp_status st = PP_OK;

    study->phase = step->phase;
    if (study->log.states[index].attempt_count > 0)
        st = pp_study_set_aside(study, index, err);
    if (st == PP_OK)
        st = write_begin(study, index, err);
    if (st != PP_OK)
        return st;
    study->changed[index] = false;
    pp_study_report(study, step->phase, pp_study_what(study, step), NULL);
    st = carry_out(study, step, result, &outcome, err);
    if (st == PP_OK)
        st = write_end(study, index, &outcome, pp_clock_now_ns() - began_ns, err);
    return st == PP_OK ? check_interrupted(&outcome, err) : st;
}

/* ---- blocks ------------------------------------------------------------------------------------
 */

static pp_json *list_disturbed(const pp_study *study, const pp_study_block *block)
{
    pp_json *list = pp_json_new_array(study->arena);

    for (size_t i = block->first; i < block->first + block->count; i++) {
        if (study->log.states[i].disturbed)
            pp_json_add(study->arena, list,
                        pp_json_new_string(study->arena, study->steps.items[i].id));
    }
    return list;
}

/* All candidates again, not only the disturbed one: those of one block stand in the same conditions
 * or cannot be compared. Only the watch decides; no figure is looked at. */
static pp_status repeat_block(pp_study *study, size_t index, bool *ret_again, pp_error *err)
{
    const pp_study_block *block = &study->steps.blocks[index];
    int64_t *round = &study->log.rounds[index];
    pp_json *fields;
    pp_status st;

    *ret_again = block->repeats && *round <= study->plan.noise.repeats &&
                 pp_block_disturbed_count(&study->steps, &study->log, index) > 0;
    if (!*ret_again)
        return PP_OK;
    fields = pp_json_new_object(study->arena);
    pp_json_set_string(study->arena, fields, "block", block->id);
    pp_json_set_int(study->arena, fields, "round", *round + 1);
    pp_json_set(study->arena, fields, "disturbed", list_disturbed(study, block));
    st = pp_journal_append(study->journal, study->arena, "block-repeat", fields, err);
    if (st == PP_OK)
        (*round)++;
    return st;
}

static pp_status walk_block(pp_study *study, size_t index, pp_study_result *result, pp_error *err)
{
    const pp_study_block *block = &study->steps.blocks[index];
    bool again = true;
    pp_status st = PP_OK;

    while (st == PP_OK && again) {
        for (size_t i = block->first; st == PP_OK && i < block->first + block->count; i++) {
            if (pp_step_is_done(&study->steps, &study->log, i) && !study->changed[i])
                continue;
            st = pp_study_check_stop(study, err);
            if (st == PP_OK)
                st = pp_study_do_step(study, i, result, err);
        }
        if (st == PP_OK)
            st = repeat_block(study, index, &again, err);
    }
    return st;
}

pp_status pp_study_walk(pp_study *study, pp_study_result *ret_result, pp_error *err)
{
    pp_status st = PP_OK;

    for (size_t i = 0; st == PP_OK && i < study->steps.block_count; i++) {
        const pp_study_block *block = &study->steps.blocks[i];

        if (study->steps.items[block->first].phase == PP_STUDY_ASSEMBLE)
            st = pp_study_profile(study, err);
        if (st == PP_OK)
            st = walk_block(study, i, ret_result, err);
    }
    return st;
}
