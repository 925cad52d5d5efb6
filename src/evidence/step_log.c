#include "evidence/step_log.h"

#include <string.h>

#include "evidence/layout.h"
#include "model/fields.h"

static const char *const outcome_names[] = {NULL, "complete", "failed", "interrupted"};

const char *pp_step_outcome_name(pp_step_outcome outcome)
{
    return outcome_names[outcome];
}

pp_status pp_step_log_init(pp_arena *arena, const pp_study_steps *steps, pp_step_log *ret_log,
                           pp_error *err)
{
    memset(ret_log, 0, sizeof *ret_log);
    ret_log->states = PP_ARENA_NEW(arena, pp_step_state, steps->count);
    ret_log->rounds = PP_ARENA_NEW(arena, int64_t, steps->block_count);
    if (ret_log->states == NULL || ret_log->rounds == NULL)
        return pp_arena_check(arena, err);
    for (size_t i = 0; i < steps->block_count; i++)
        ret_log->rounds[i] = 1;
    return PP_OK;
}

/* ---- what happens ------------------------------------------------------------------------------
 */

void pp_step_log_begin(pp_step_log *log, size_t step, int64_t round, int64_t unix_ms)
{
    log->states[step] = (pp_step_state){
        .attempt_count = log->states[step].attempt_count + 1,
        .round = round,
        .began_unix_ms = unix_ms,
    };
}

void pp_step_log_end(const pp_study_steps *steps, pp_step_log *log, size_t step,
                     pp_step_outcome outcome, bool disturbed, int64_t duration_ns,
                     const pp_json *files)
{
    pp_study_phase phase = steps->items[step].phase;
    pp_step_state *state = &log->states[step];

    state->outcome = outcome;
    state->disturbed = disturbed;
    state->duration_ns = duration_ns;
    state->files = files;
    if (outcome != PP_STEP_INTERRUPTED) {
        log->phase_ns[phase] += duration_ns;
        log->phase_count[phase]++;
    }
}

/* ---- lines -------------------------------------------------------------------------------------
 */

typedef struct reader {
    const pp_study_steps *steps;
    pp_step_log *log;
    size_t line_count;
    int64_t session_ns; /* up to the last line of the present session */
} reader;

static pp_status find_step(const reader *r, const pp_json *line, size_t *ret_step, pp_error *err)
{
    const pp_json *id = pp_json_find(line, "step");

    if (pp_study_steps_find(r->steps, id->text, ret_step))
        return PP_OK;
    return pp_json_fail(id, err, "expected the id of a step of the plan, got '%s'", id->text.data);
}

static pp_status expect_number(const pp_json *line, const char *key, int64_t want, pp_error *err)
{
    const pp_json *number = pp_json_find(line, key);

    if (number->integer == want)
        return PP_OK;
    return pp_json_fail(number, err, "expected %lld, got %lld", (long long)want,
                        (long long)number->integer);
}

static pp_status read_begin(reader *r, const pp_json *line, pp_error *err)
{
    pp_step_log *log = r->log;

    if (r->line_count > 0)
        return pp_json_fail(pp_json_find(line, "event"), err, "a study begins once");
    log->plan_sha256 = pp_checked_text(line, "plan_sha256");
    log->began_unix_ms = pp_checked_int(line, "unix_ms");
    log->session_began_unix_ms = log->began_unix_ms;
    log->session_count = 1;
    log->has_steps = pp_json_find(line, "constraints_sha256") != NULL;
    if (log->has_steps)
        log->constraints_sha256 = pp_checked_text(line, "constraints_sha256");
    if (pp_json_find(line, "model_folder") != NULL)
        log->model_folder = pp_checked_text(line, "model_folder");
    if (pp_json_find(line, "plan_folder") != NULL)
        log->plan_folder = pp_checked_text(line, "plan_folder");
    return PP_OK;
}

static pp_status read_resume(reader *r, const pp_json *line, pp_error *err)
{
    const pp_json *hash = pp_json_find(line, "plan_sha256");

    if (!pp_text_equal(hash->text, r->log->plan_sha256))
        return pp_json_fail(hash, err, "expected %s as in line 1, got %s", r->log->plan_sha256.data,
                            hash->text.data);
    r->log->session_count++;
    r->log->session_began_unix_ms = pp_checked_int(line, "unix_ms");
    r->log->elapsed_ns += r->session_ns;
    r->session_ns = 0;
    return PP_OK;
}

static pp_status read_step_begin(reader *r, const pp_json *line, pp_error *err)
{
    size_t step = 0;
    pp_status st = find_step(r, line, &step, err);

    if (st == PP_OK)
        st = expect_number(line, "attempt", r->log->states[step].attempt_count + 1, err);
    if (st == PP_OK)
        st = expect_number(line, "round", r->log->rounds[r->steps->items[step].block], err);
    if (st == PP_OK)
        pp_step_log_begin(r->log, step, pp_checked_int(line, "round"),
                          pp_checked_int(line, "unix_ms"));
    return st;
}

static pp_step_outcome outcome_of(pp_text word)
{
    pp_step_outcome outcome = PP_STEP_COMPLETE;

    while (outcome < PP_STEP_INTERRUPTED && !pp_text_is(word, outcome_names[outcome]))
        outcome++;
    return outcome;
}

static pp_status check_paths(const pp_json *files, pp_error *err)
{
    for (size_t i = 0; i < files->array.count; i++) {
        const pp_json *path = pp_json_find(files->array.items[i], "path");

        if (!pp_bundle_is_path(path->text.data, path->text.size))
            return pp_json_fail(path, err, "expected a path in the bundle, got '%s'",
                                path->text.data);
    }
    return PP_OK;
}

static pp_status read_step_end(reader *r, const pp_json *line, pp_error *err)
{
    const pp_json *verdict = pp_json_find(line, "verdict");
    const pp_json *files = pp_checked_list(line, "files");
    size_t step = 0;
    pp_status st = find_step(r, line, &step, err);

    if (st == PP_OK)
        st = expect_number(line, "attempt", r->log->states[step].attempt_count, err);
    if (st == PP_OK && r->log->states[step].outcome != PP_STEP_NOT_ENDED)
        st = pp_json_fail(pp_json_find(line, "attempt"), err, "this attempt has ended before");
    if (st == PP_OK)
        st = check_paths(files, err);
    if (st == PP_OK)
        pp_step_log_end(r->steps, r->log, step, outcome_of(pp_checked_text(line, "outcome")),
                        verdict->kind == PP_JSON_STRING && pp_text_is(verdict->text, "disturbed"),
                        pp_checked_int(line, "duration_ns"), files);
    return st;
}

static pp_status read_block_repeat(reader *r, const pp_json *line, pp_error *err)
{
    const pp_json *id = pp_json_find(line, "block");
    size_t block = 0;
    pp_status st;

    if (!pp_study_blocks_find(r->steps, id->text, &block))
        return pp_json_fail(id, err, "expected the id of a block of the plan, got '%s'",
                            id->text.data);
    st = expect_number(line, "round", r->log->rounds[block] + 1, err);
    if (st == PP_OK)
        r->log->rounds[block]++;
    return st;
}

static pp_status read_stopped(reader *r, const pp_json *line, pp_error *err)
{
    (void)err;
    r->log->reason = pp_checked_text(line, "reason");
    return PP_OK;
}

/* Events without a row change nothing here. */
static const struct {
    const char *event;
    pp_status (*read)(reader *r, const pp_json *line, pp_error *err);
} events[] = {
    {"begin", read_begin},
    {"resume", read_resume},
    {"step-begin", read_step_begin},
    {"step-end", read_step_end},
    {"block-repeat", read_block_repeat},
    {"stopped", read_stopped},
};

static pp_status read_line(void *user, const pp_json *line, pp_error *err)
{
    reader *r = user;
    const pp_json *event = pp_json_find(line, "event");
    pp_status st = PP_OK;

    if (r->line_count == 0 && !pp_text_is(event->text, "begin"))
        return pp_json_fail(event, err, "expected 'begin', got '%s'", event->text.data);
    r->log->reason = (pp_text){0};
    for (size_t i = 0; st == PP_OK && i < PP_COUNT_OF(events); i++) {
        if (pp_text_is(event->text, events[i].event))
            st = events[i].read(r, line, err);
    }
    if (!pp_text_is(event->text, "torn")) /* the session that repairs it has not begun yet */
        r->session_ns = pp_checked_int(line, "at_ns");
    r->log->last_unix_ms = pp_checked_int(line, "unix_ms");
    r->line_count++;
    return st;
}

pp_status pp_step_log_read(pp_arena *arena, const char *bytes, size_t size,
                           const pp_study_steps *steps, pp_step_log *ret_log, pp_error *err)
{
    reader r = {.steps = steps, .log = ret_log};
    pp_status st = pp_step_log_init(arena, steps, ret_log, err);

    if (st == PP_OK)
        st = pp_journal_chain_read(arena, bytes, size, read_line, &r, &ret_log->chain, err);
    ret_log->elapsed_ns += r.session_ns;
    return st;
}

/* ---- questions ---------------------------------------------------------------------------------
 */

bool pp_step_is_done(const pp_study_steps *steps, const pp_step_log *log, size_t step)
{
    const pp_step_state *state = &log->states[step];

    return (state->outcome == PP_STEP_COMPLETE || state->outcome == PP_STEP_FAILED) &&
           state->round == log->rounds[steps->items[step].block];
}

size_t pp_block_disturbed_count(const pp_study_steps *steps, const pp_step_log *log, size_t block)
{
    const pp_study_block *b = &steps->blocks[block];
    size_t count = 0;

    for (size_t i = b->first; i < b->first + b->count; i++)
        count += pp_step_is_done(steps, log, i) && log->states[i].disturbed;
    return count;
}

size_t pp_step_log_done_count(const pp_study_steps *steps, const pp_step_log *log)
{
    size_t count = 0;

    for (size_t i = 0; i < steps->count; i++)
        count += pp_step_is_done(steps, log, i);
    return count;
}

size_t pp_step_log_repeated_count(const pp_study_steps *steps, const pp_step_log *log)
{
    size_t count = 0;

    for (size_t i = 0; i < steps->block_count; i++)
        count += log->rounds[i] > 1;
    return count;
}

int64_t pp_step_log_remaining_ns(const pp_study_steps *steps, const pp_step_log *log)
{
    int64_t remaining_ns = 0;

    for (size_t i = 0; i < steps->count; i++) {
        pp_study_phase phase = steps->items[i].phase;

        if (steps->items[i].pass == 0 || pp_step_is_done(steps, log, i))
            continue;
        if (log->phase_count[phase] == 0)
            return -1;
        remaining_ns += log->phase_ns[phase] / log->phase_count[phase];
    }
    return remaining_ns;
}
