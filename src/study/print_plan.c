/* What a plan would run, as lines for a shell. */
#include "base/files.h"
#include "engine/argv.h"
#include "study/command.h"
#include "study/context.h"
#include "study/serve.h"

/* A free port is chosen when a server starts. */
#define PORT_OF_A_PLAN 0

static void print_title(pp_study *study, const pp_study_step *step, const char *folder, pp_buf *out)
{
    pp_buf_printf(out, "# %s", pp_study_phase_name(step->phase));
    if (step->pass > 0)
        pp_buf_printf(out, ", pass %lld of %lld", (long long)step->pass,
                      (long long)study->plan.passes);
    pp_buf_printf(out, ": %s", pp_study_candidate(study, step)->id.data);
    if (folder != NULL)
        pp_buf_printf(out, ", in %s", folder);
    pp_buf_append_char(out, '\n');
}

static void print_line(const pp_argv *argv, pp_buf *out)
{
    pp_argv_shell_line(argv, out);
    pp_buf_append_char(out, '\n');
}

static void print_work(const pp_study *study, pp_buf *out)
{
    const pp_plan_requests *requests = &study->plan.requests;

    if (study->plan.suite.present)
        pp_buf_printf(out, "#   then %zu cases and %zu contexts of the suite, one after another\n",
                      study->suite.case_count, study->suite.context_count);
    if (!study->plan.has_requests)
        return;
    pp_buf_printf(out,
                  "#   then %lld warm-up and %lld measured requests of %lld prompt and %lld "
                  "output tokens, one after another\n",
                  (long long)requests->warmup, (long long)requests->measured,
                  (long long)requests->prompt_tokens, (long long)requests->output_tokens);
}

static void print_load_step(const pp_plan_load_step *step, pp_buf *out)
{
    if (step->clients > 0)
        pp_buf_printf(out, "%lld requests, %lld at once", (long long)step->measured,
                      (long long)step->clients);
    else
        pp_buf_printf(out, "%lld requests, %.4g due each second (%s)", (long long)step->measured,
                      step->rate_per_second, step->arrivals.data);
}

static void print_load(const pp_study *study, pp_buf *out)
{
    const pp_plan_load *load = &study->plan.load;

    for (size_t i = 0; i < load->step_count; i++) {
        pp_buf_printf(out, "#   then %lld warm-up requests, then ", (long long)load->warmup);
        print_load_step(&load->steps[i], out);
        pp_buf_printf(out, ", of %lld prompt and %lld output tokens\n",
                      (long long)load->prompt_tokens, (long long)load->output_tokens);
    }
}

static void print_original(const pp_study *study, pp_buf *out)
{
    const pp_load_method *method = &study->load_plan.method;

    for (size_t i = 0; i < method->level_count; i++)
        pp_buf_printf(out,
                      "#   then %lld warm-up requests, then %lld requests, %lld at once, of %zu "
                      "prompts in turn and %lld output tokens\n",
                      (long long)method->warmup_count, (long long)method->measured_count,
                      (long long)method->levels[i], method->prompt_count,
                      (long long)method->output_tokens);
}

static void print_requests(const pp_study *study, const pp_study_step *step, pp_buf *out)
{
    if (step->phase == PP_STUDY_LOAD)
        print_load(study, out);
    else if (step->phase == PP_STUDY_LOAD_PLAN)
        print_original(study, out);
    else
        print_work(study, out);
}

static pp_status print_bench(pp_study *study, const pp_study_step *step, pp_buf *out, pp_error *err)
{
    pp_study_bench bench;
    pp_status st = pp_study_bench_command(study, pp_study_candidate(study, step), &bench, err);

    if (st != PP_OK)
        return st;
    print_title(study, step, bench.folder, out);
    print_line(&bench.argv, out);
    return PP_OK;
}

static pp_status server_argv(pp_study *study, const pp_server_options *options, pp_argv *ret_argv,
                             pp_error *err)
{
    return options->words != NULL
               ? pp_argv_verbatim(study->arena, options->words, PORT_OF_A_PLAN, ret_argv, err)
               : pp_argv_server(study->arena, options->engine, options->model_path,
                                options->settings, options->further, PORT_OF_A_PLAN, ret_argv, err);
}

static pp_status print_server(pp_study *study, const pp_study_step *step, pp_buf *out,
                              pp_error *err)
{
    const pp_server_options options =
        pp_study_server_options(study, pp_study_candidate(study, step));
    pp_argv argv = {0};
    pp_status st = server_argv(study, &options, &argv, err);

    if (st != PP_OK)
        return st;
    print_title(study, step, options.folder, out);
    print_line(&argv, out);
    print_requests(study, step, out);
    return PP_OK;
}

static pp_status print_serve(pp_study *study, const pp_study_step *step, pp_buf *out, pp_error *err)
{
    pp_argv argv = {0};
    pp_status st = pp_study_serve_argv(study, pp_study_candidate(study, step), NULL, &argv, err);

    if (st != PP_OK)
        return st;
    print_title(study, step, NULL, out);
    print_line(&argv, out);
    print_requests(study, step, out);
    return PP_OK;
}

/* Nothing is started. */
static void print_endpoint(pp_study *study, const pp_study_step *step, pp_buf *out)
{
    print_title(study, step, NULL, out);
    pp_buf_printf(out, "#   %s\n", pp_study_candidate(study, step)->endpoint.url.data);
    print_requests(study, step, out);
}

static pp_status print_step(pp_study *study, const pp_study_step *step, pp_buf *out, pp_error *err)
{
    switch (step->phase) {
    case PP_STUDY_THROUGHPUT:
        return print_bench(study, step, out, err);
    case PP_STUDY_REQUESTS:
    case PP_STUDY_LOAD:
    case PP_STUDY_LOAD_PLAN:
        if (pp_study_candidate(study, step)->kind == PP_CANDIDATE_ENDPOINT) {
            print_endpoint(study, step, out);
            return PP_OK;
        }
        if (pp_study_candidate(study, step)->kind == PP_CANDIDATE_SERVE)
            return print_serve(study, step, out, err);
        return print_server(study, step, out, err);
    default:
        return PP_OK;
    }
}

static void print_head(const pp_study_plan *plan, pp_buf *out)
{
    pp_buf_printf(out, "# study %s: %zu candidates, %lld passes, ", plan->study_id.data,
                  plan->candidate_count, (long long)plan->passes);
    if (plan->waits_until_idle)
        pp_buf_printf(out,
                      "before each run a wait of at most %lld ms until others use %.4g %% of a "
                      "core\n",
                      (long long)plan->idle.max_wait_ms, plan->idle.cpu_percent);
    else
        pp_buf_printf(out, "settle %lld ms before each run\n", (long long)plan->settle_ms);
}

pp_status pp_study_print_plan(pp_arena *arena, const pp_study_options *options, pp_buf *out,
                              pp_buf *notes, pp_error *err)
{
    pp_study study = {.arena = arena, .options = options};
    pp_status st = pp_study_load(&study, err);

    if (st == PP_OK)
        st = pp_study_probe_for_lines(&study, notes, err);
    if (st == PP_OK)
        print_head(&study.plan, out);
    for (size_t i = 0; st == PP_OK && i < study.steps.count; i++)
        st = print_step(&study, &study.steps.items[i], out, err);
    if (st == PP_OK)
        st = pp_buf_check(out, "plan", err);
    if (st == PP_OK)
        st = pp_buf_check(notes, "notes", err);
    pp_buf_done(&study.plan_bytes);
    return st;
}
