#include "evidence/steps.h"

const char *pp_study_phase_name(pp_study_phase phase)
{
    static const char *const names[PP_STUDY_PHASE_COUNT] = {
        [PP_STUDY_VERIFY] = "verify",
        [PP_STUDY_PREFLIGHT] = "preflight",
        [PP_STUDY_THROUGHPUT] = "throughput",
        [PP_STUDY_REQUESTS] = "requests",
        [PP_STUDY_LOAD] = "load",
        [PP_STUDY_LOAD_PLAN] = "load-plan",
        [PP_STUDY_ASSEMBLE] = "assemble",
    };

    return names[phase];
}

typedef struct builder {
    pp_arena *arena;
    const pp_study_plan *plan;
    pp_study_steps *out;
} builder;

static const char *step_id(const builder *b, const pp_study_step *step)
{
    const char *phase = pp_study_phase_name(step->phase);

    if (!step->has_candidate)
        return phase;
    if (step->pass == 0)
        return pp_arena_printf(b->arena, "%s/%s", phase,
                               b->plan->candidates[step->candidate].id.data);
    return pp_arena_printf(b->arena, "%s/%s/pass-%lld", phase,
                           b->plan->candidates[step->candidate].id.data, (long long)step->pass);
}

static void add_step(builder *b, pp_study_step step)
{
    pp_study_block *block = &b->out->blocks[b->out->block_count - 1];

    step.block = b->out->block_count - 1;
    step.id = step_id(b, &step);
    block->count++;
    b->out->items[b->out->count++] = step;
}

static void open_block(builder *b, const char *id, bool repeats)
{
    b->out->blocks[b->out->block_count++] =
        (pp_study_block){.id = id, .first = b->out->count, .repeats = repeats};
}

static void add_single(builder *b, pp_study_phase phase)
{
    open_block(b, pp_study_phase_name(phase), false);
    add_step(b, (pp_study_step){.phase = phase});
}

static void add_preflight(builder *b)
{
    open_block(b, pp_study_phase_name(PP_STUDY_PREFLIGHT), false);
    for (size_t i = 0; i < b->plan->candidate_count; i++)
        add_step(
            b, (pp_study_step){.phase = PP_STUDY_PREFLIGHT, .has_candidate = true, .candidate = i});
}

bool pp_study_runs_bench(const pp_study_plan *plan, size_t candidate)
{
    const pp_plan_candidate *c = &plan->candidates[candidate];

    return plan->has_throughput &&
           (c->kind == PP_CANDIDATE_MANAGED ||
            (c->kind == PP_CANDIDATE_VERBATIM && c->throughput_argv.count > 0));
}

/* Does this candidate have a part in the phase? */
static bool takes_part(const builder *b, pp_study_phase phase, size_t candidate)
{
    return phase == PP_STUDY_THROUGHPUT ? pp_study_runs_bench(b->plan, candidate)
                                        : b->plan->has_requests || b->plan->suite.present;
}

static bool has_work(const builder *b, pp_study_phase phase)
{
    for (size_t i = 0; i < b->plan->candidate_count; i++) {
        if (takes_part(b, phase, i))
            return true;
    }
    return false;
}

static void add_passes(builder *b, pp_study_phase phase)
{
    if (!has_work(b, phase))
        return;
    for (int64_t pass = 1; pass <= b->plan->passes; pass++) {
        open_block(
            b,
            pp_arena_printf(b->arena, "%s/pass-%lld", pp_study_phase_name(phase), (long long)pass),
            true);
        for (size_t i = 0; i < b->plan->candidate_count; i++) {
            const size_t candidate = pp_study_plan_order(b->plan, pass, i);

            if (takes_part(b, phase, candidate))
                add_step(b, (pp_study_step){.phase = phase,
                                            .has_candidate = true,
                                            .candidate = candidate,
                                            .pass = pass});
        }
    }
}

/* Once each, in document order, as the original does. */
static void add_load(builder *b, pp_study_phase phase)
{
    open_block(b, pp_study_phase_name(phase), true);
    for (size_t i = 0; i < b->plan->candidate_count; i++)
        add_step(b, (pp_study_step){.phase = phase, .has_candidate = true, .candidate = i});
}

pp_status pp_study_steps_list(pp_arena *arena, const pp_study_plan *plan, pp_study_steps *ret_steps,
                              pp_error *err)
{
    const size_t passes = (size_t)plan->passes;
    pp_study_steps steps = {
        .items = PP_ARENA_NEW(arena, pp_study_step, plan->candidate_count * (2 * passes + 3) + 2),
        .blocks = PP_ARENA_NEW(arena, pp_study_block, 2 * passes + 5),
    };
    builder b = {arena, plan, &steps};

    if (steps.items == NULL || steps.blocks == NULL)
        return pp_arena_check(arena, err);
    add_single(&b, PP_STUDY_VERIFY);
    add_preflight(&b);
    add_passes(&b, PP_STUDY_THROUGHPUT);
    add_passes(&b, PP_STUDY_REQUESTS);
    if (plan->load.present)
        add_load(&b, PP_STUDY_LOAD);
    if (plan->load_plan.present)
        add_load(&b, PP_STUDY_LOAD_PLAN);
    add_single(&b, PP_STUDY_ASSEMBLE);
    *ret_steps = steps;
    return pp_arena_check(arena, err);
}

bool pp_study_steps_find(const pp_study_steps *steps, pp_text id, size_t *ret_index)
{
    for (size_t i = 0; i < steps->count; i++) {
        if (pp_text_is(id, steps->items[i].id)) {
            *ret_index = i;
            return true;
        }
    }
    return false;
}

bool pp_study_blocks_find(const pp_study_steps *steps, pp_text id, size_t *ret_index)
{
    for (size_t i = 0; i < steps->block_count; i++) {
        if (pp_text_is(id, steps->blocks[i].id)) {
            *ret_index = i;
            return true;
        }
    }
    return false;
}
