/* What a plan would run, as lines for a shell. */
#include "base/files.h"
#include "engine/argv.h"
#include "study/context.h"
#include "study/requests.h"

/* A free port is chosen when a server starts. */
#define PORT_OF_A_PLAN 0

static void print_run(pp_study *study, const pp_study_step *step, const pp_argv *argv, pp_buf *out)
{
    const pp_plan_candidate *candidate = pp_study_candidate(study, step);

    pp_buf_printf(out, "# %s, pass %lld of %lld: %s\n", pp_study_phase_name(step->phase),
                  (long long)step->pass, (long long)study->plan.passes, candidate->id.data);
    pp_argv_shell_line(argv, out);
    pp_buf_append_char(out, '\n');
    if (step->phase == PP_STUDY_REQUESTS)
        pp_buf_printf(out,
                      "#   then %lld warm-up and %lld measured requests of %lld prompt and %lld "
                      "output tokens, one after another\n",
                      (long long)study->plan.requests.warmup,
                      (long long)study->plan.requests.measured,
                      (long long)study->plan.requests.prompt_tokens,
                      (long long)study->plan.requests.output_tokens);
}

static pp_status print_step(pp_study *study, const pp_study_step *step, pp_buf *out, pp_error *err)
{
    const pp_plan_candidate *candidate = pp_study_candidate(study, step);
    pp_argv argv = {0};
    pp_status st;

    if (step->phase == PP_STUDY_THROUGHPUT)
        st = pp_study_bench_argv(study, candidate, &argv, err);
    else
        st = pp_argv_server(study->arena, &study->engine, pp_study_model_path(study, candidate),
                            &candidate->settings, PORT_OF_A_PLAN, &argv, err);
    if (st == PP_OK)
        print_run(study, step, &argv, out);
    return st;
}

pp_status pp_study_print_plan(pp_arena *arena, const pp_study_options *options, pp_buf *out,
                              pp_error *err)
{
    pp_study study = {.arena = arena, .options = options};
    pp_status st = pp_study_load(&study, err);

    if (st == PP_OK)
        st = pp_study_probe(&study, err);
    if (st == PP_OK)
        pp_buf_printf(out,
                      "# study %s: %zu candidates, %lld passes, settle %lld ms before each run\n",
                      study.plan.study_id.data, study.plan.candidate_count,
                      (long long)study.plan.passes, (long long)study.plan.settle_ms);
    for (size_t i = 0; st == PP_OK && i < study.steps.count; i++) {
        if (study.steps.items[i].pass > 0)
            st = print_step(&study, &study.steps.items[i], out, err);
    }
    if (st == PP_OK)
        st = pp_buf_check(out, "plan", err);
    pp_buf_done(&study.plan_bytes);
    return st;
}
