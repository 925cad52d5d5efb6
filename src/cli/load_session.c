#include "cli/load_session.h"

#include "base/clock.h"
#include "base/secret.h"
#include "intake/server_stream.h"
#include "load/count_answers.h"
#include "load/server_idle.h"
#include "machine/process_memory.h"

/* How often a search runs a level that was not valid. */
#define PROBE_TRIES 3

/* ---- what a server may have told of the key (B145) ------------------------------------------- */

static void hide_key(pp_load_session *s, pp_text *text)
{
    *text = pp_secret_remove(&s->arena, *text, s->command.key);
}

static void hide_key_in_samples(pp_load_session *s, pp_load_result *result)
{
    for (size_t i = 0; s->command.key.size > 0 && i < result->sample_count; i++) {
        hide_key(s, &result->samples[i].failure_text);
        hide_key(s, &result->samples[i].finish);
    }
}

/* ---- before ---------------------------------------------------------------------------------- */

/* llama-server is what most of our users have, and nothing is left out for it. */
static void tell_recognised(const pp_load_session *s)
{
    if (s->recognised.kind != PP_SERVER_LLAMA_SERVER && !s->live.view.quiet)
        fprintf(s->live.view.out, "note: the server is taken for %s: %s; --server says otherwise\n",
                s->recognised.kind == PP_SERVER_VLLM ? "vLLM"
                                                     : "one that knows standard fields only",
                s->recognised.because.data);
}

/* What was not said on the command line follows from what the server is. */
static pp_status adopt_endpoint(pp_load_session *s, pp_http_loop *loop, pp_error *err)
{
    const pp_load_command *c = &s->command;
    pp_dialect *dialect = &s->command.source.dialect;
    pp_status st = PP_OK;

    if (!c->kind_given)
        st = pp_load_endpoint_recognise(&s->arena, loop, c->root, c->headers, c->header_count,
                                        &s->endpoint, &s->recognised, err);
    if (!c->kind_given && st == PP_OK)
        dialect->kind = s->recognised.kind;
    if (dialect->model.size == 0 && dialect->endpoint != PP_ENDPOINT_COMPLETION)
        dialect->model = s->endpoint.model;
    return pp_wrap(err, st, "asking the server");
}

/* Before anything is sent, and not when the first level begins. */
static pp_status check_process(const pp_load_command *c, pp_error *err)
{
    pp_process_memory memory;
    pp_error why = {0};

    if (!c->server_pid.known ||
        pp_process_memory_read("/", (pid_t)c->server_pid.value, &memory, &why) == PP_OK)
        return PP_OK;
    return pp_fail(err, PP_ERR_USAGE, "--pid: there is no process %lld here",
                   (long long)c->server_pid.value);
}

/* B177: /health of such a server is 200. */
static void tell_sleeping(const pp_load_session *s)
{
    if (s->endpoint.is_sleeping && !s->live.view.quiet)
        fprintf(s->live.view.out,
                "note: the server sleeps: the first request waits for its model%s\n",
                s->command.levels[0].warmup_count > 0 ? ", which the warm-up takes" : "");
}

pp_status pp_load_session_prepare(pp_load_session *s, pp_error *err)
{
    const pp_load_command *c = &s->command;
    pp_http_loop *loop = NULL;
    pp_status st = check_process(c, err);

    (void)pthread_mutex_init(&s->watch_lock, NULL); /* fails for no default mutex */
    if (!s->live.view.quiet)
        pp_tell_proxy(s->live.view.out);
    if (st == PP_OK)
        st = pp_http_loop_new(s->stop, &loop, err);
    if (st == PP_OK)
        st = pp_http_loop_configure(loop, &c->transport, err);
    if (st == PP_OK)
        st = pp_wrap(err,
                     pp_load_endpoint_ask(&s->arena, loop, c->root, c->headers, c->header_count,
                                          &s->endpoint, err),
                     "asking the server");
    if (st == PP_OK)
        st = adopt_endpoint(s, loop, err);
    if (st == PP_OK) {
        s->endpoint.origin = pp_origin_of_host(s->endpoint.origin);
        tell_sleeping(s);
        st = pp_dialect_check(&c->source.dialect, err);
    }
    if (st == PP_OK)
        st = pp_load_source_prepare(&s->arena, loop, &c->source, &s->source, err);
    if (st == PP_OK && !c->kind_given)
        tell_recognised(s);
    pp_http_loop_free(loop);
    return st;
}

/* ---- one level ------------------------------------------------------------------------------- */

static void fill_setup(pp_load_session *s, pp_load_setup *setup)
{
    const pp_load_command *c = &s->command;

    pp_load_setup_default(setup);
    setup->base_url = c->root;
    setup->headers = c->headers;
    setup->header_count = c->header_count;
    setup->limits = c->limits;
    setup->keep_alive = c->keep_alive;
    setup->ca_file = c->transport.ca_file;
    setup->insecure_tls = c->transport.insecure;
    setup->spin = c->transport.spin;
    setup->worker_count = c->worker_count;
    setup->drain_ns = c->drain_ns;
    setup->warmup_must_complete = c->plan.is_on;
    setup->server_pid = c->server_pid;
    setup->root = "/";
    setup->sample_of = pp_sample_of_exchange;
    setup->cut_now = s->cut_now;
    setup->tick = pp_load_live_tick;
    setup->user = &s->live;
}

static bool ended_early(const pp_load_done *done)
{
    return done->result.observed.ended_by == PP_LOAD_END_INTERRUPTED ||
           done->result.observed.ended_by == PP_LOAD_END_HOPELESS;
}

/* A text says why, so that nobody has to look for it in the samples (B054). */
static void tell_failure(const pp_load_session *s, const pp_load_done *done)
{
    const pp_sample *first = NULL;
    bool hopeless = (done->summary.notes & PP_NOTE_HOPELESS) != 0;
    bool all = hopeless || (done->summary.notes & PP_NOTE_ALL_FAILED) != 0;

    for (size_t i = 0; i < done->result.sample_count && first == NULL; i++) {
        const pp_sample *sample = &done->result.samples[i];

        if (!pp_sample_is_ok(sample) && sample->failure != PP_FAILURE_CUT &&
            (hopeless || sample->id.phase == PP_PHASE_MEASURED))
            first = sample;
    }
    if (first == NULL || !all) /* the notes below the table name one of several */
        return;
    fprintf(s->live.view.out, "level %lld: %s: %s%s%.*s\n", (long long)done->level.number,
            hopeless ? "given up, since the first requests all failed alike"
                     : "all requests failed; the first one",
            pp_failure_name(first->failure), first->failure_text.size > 0 ? ": " : "",
            (int)first->failure_text.size, first->failure_text.data);
}

static void tell_level(pp_load_session *s, const pp_load_done *done)
{
    const pp_level_summary *sum = &done->summary;
    char title[48];

    pp_progress_end(&s->live.view);
    if (s->live.view.quiet)
        return;
    pp_load_level_title(&done->level, title, sizeof title);
    fprintf(s->live.view.out, "level %lld, %s: %lld issued, %lld ok, %lld failed, %lld cut; %s\n",
            (long long)done->level.number, title, (long long)sum->issued_count,
            (long long)sum->ok_count, (long long)sum->failed_count, (long long)sum->cut_count,
            ended_early(done)  ? pp_load_end_name(done->result.observed.ended_by)
            : sum->doubts != 0 ? "not valid"
            : sum->has_verdict ? pp_slo_verdict_name(sum->verdict)
                               : "done");
}

/* /slots, /metrics, /tokenize: beyond what every server of the OpenAI kind has. */
static bool has_own_end_points(const pp_load_session *s)
{
    return s->endpoint.is_llama_server || s->command.source.dialect.kind == PP_SERVER_VLLM;
}

static void tell_too_slow(const pp_load_session *s, int64_t number)
{
    if (!s->live.view.quiet)
        fprintf(s->live.view.out,
                "level %lld: too slow to tell whether the server is idle (/slots and /metrics take "
                "5 s each at most)\n",
                (long long)number);
}

/* One look, then patience; a person is told in between. */
static pp_status wait_for_server(const pp_load_session *s, pp_http_loop *loop, int64_t number,
                                 pp_server_idle *ret_idle, pp_error *err)
{
    const pp_load_command *c = &s->command;
    pp_status st =
        pp_server_await_idle(loop, c->root, c->headers, c->header_count, 0, ret_idle, err);

    if (st == PP_OK && ret_idle->too_slow)
        tell_too_slow(s, number);
    if (st != PP_OK || !ret_idle->was_idle.known || ret_idle->was_idle.value)
        return st;
    if (!s->live.view.quiet)
        fprintf(s->live.view.out, "level %lld: waiting, the server still works on something\n",
                (long long)number);
    return pp_server_await_idle(loop, c->root, c->headers, c->header_count, c->idle_wait_ns,
                                ret_idle, err);
}

/* What is measured beside the work that others left behind is not the load's (F13). A signal that
 * comes meanwhile is left to the level: it ends at once, as interrupted. */
static pp_status await_idle(const pp_load_session *s, int64_t number, pp_server_idle *ret_idle,
                            pp_error *err)
{
    pp_http_loop *loop = NULL;
    pp_error why = {0};
    pp_status st = PP_OK;

    *ret_idle = (pp_server_idle){0};
    if (!has_own_end_points(s))
        return PP_OK;
    st = pp_http_loop_new(s->stop, &loop, &why);
    if (st == PP_OK)
        st = pp_http_loop_configure(loop, &s->command.transport, &why);
    if (st == PP_OK)
        st = wait_for_server(s, loop, number, ret_idle, &why);
    pp_http_loop_free(loop);
    if (st == PP_ERR_INTERRUPTED)
        return PP_OK;
    if (st != PP_OK && err != NULL)
        *err = why;
    return st;
}

/* Where such a server, or a proxy in front of it, told no number of tokens. */
static pp_status count_answers(pp_load_session *s, pp_load_result *result, pp_error *err)
{
    const pp_load_command *c = &s->command;
    pp_dialect dialect = c->source.dialect;
    pp_http_loop *loop = NULL;
    pp_status st;

    if (!has_own_end_points(s))
        return PP_OK;
    if (s->endpoint.is_llama_server)
        dialect.kind = PP_SERVER_LLAMA_SERVER; /* whatever is sent to it */
    st = pp_http_loop_new(s->stop, &loop, err);
    if (st == PP_OK)
        st = pp_http_loop_configure(loop, &c->transport, err);
    if (st == PP_OK)
        st = pp_load_count_answers(loop, c->root, c->headers, c->header_count, &dialect,
                                   result->samples, result->sample_count, err);
    pp_http_loop_free(loop);
    return st;
}

/* Called from the threads that make samples. */
static bool have_seen_enough(void *user, const pp_sample *sample)
{
    pp_load_session *s = user;
    bool enough;

    pthread_mutex_lock(&s->watch_lock);
    enough = pp_slo_watch_add(&s->watch, sample);
    pthread_mutex_unlock(&s->watch_lock);
    return enough;
}

static pp_status watch_demands(pp_load_session *s, const pp_load_level *level, pp_load_setup *setup,
                               pp_error *err)
{
    if (!s->rules.stop_early)
        return PP_OK;
    PP_ASSERT(level->request_count.known);
    setup->enough = have_seen_enough;
    setup->enough_user = s;
    return pp_slo_watch_init(&s->arena, s->rules.slos, s->rules.slo_count,
                             level->loop != PP_LOAD_CLOSED, level->request_count.value, &s->watch,
                             err);
}

/* Appends a level. */
static pp_status run_level(pp_load_session *s, const pp_load_level *level, pp_error *err)
{
    pp_load_done *done = &s->levels[s->level_count];
    pp_load_setup setup;
    pp_server_idle idle;
    pp_status st;

    fill_setup(s, &setup);
    done->level = *level;
    s->live.level = &done->level;
    st = await_idle(s, level->number, &idle, err);
    if (st == PP_OK)
        st = watch_demands(s, level, &setup, err);
    if (st == PP_OK)
        st = pp_load_drive(&s->arena, &setup, s->source, level, s->stop, &done->result, err);
    if (st == PP_OK) {
        hide_key_in_samples(s, &done->result);
        st = pp_arena_check(&s->arena, err);
    }
    done->result.observed.server_was_idle = idle.was_idle;
    done->result.observed.idle_wait_ns = idle.waited_ns;
    if (st == PP_OK)
        st = count_answers(s, &done->result, err);
    if (st == PP_OK)
        st = pp_load_summarise(&s->arena, level, &done->result.observed, done->result.samples,
                               done->result.sample_count, &s->rules, &done->summary, err);
    if (st != PP_OK) {
        pp_progress_end(&s->live.view);
        return st;
    }
    s->level_count++;
    tell_level(s, done);
    tell_failure(s, done);
    return PP_OK;
}

static pp_status run_listed(pp_load_session *s, pp_error *err)
{
    pp_status st = PP_OK;

    for (size_t i = 0; st == PP_OK && i < s->command.level_count; i++) {
        st = run_level(s, &s->command.levels[i], err);
        if (st == PP_OK && s->command.plan.is_on)
            st = pp_load_plan_mode_judge(s, err);
        if (st == PP_OK && (ended_early(&s->levels[i]) || s->command.plan.lost != NULL))
            break;
    }
    return st;
}

/* ---- searching ------------------------------------------------------------------------------- */

static pp_load_level probe_level(const pp_load_session *s, double load)
{
    pp_load_level level = s->command.levels[0];

    level.number = (int64_t)s->level_count + 1;
    if (s->command.search == PP_LOAD_SEARCH_RATE)
        level.rate_per_second = load;
    else
        pp_load_level_set_clients(&level, (int64_t)load, s->command.warmup_given);
    return level;
}

/* A level that is not valid says nothing of the server: it is run again, and every attempt stays
 * in the report; of one load the last verdict counts. */
static pp_status probe(pp_load_session *s, double load, pp_error *err)
{
    const pp_load_done *done;
    int tries = 0;

    do {
        pp_load_level level = probe_level(s, load);
        pp_status st = run_level(s, &level, err);

        if (st != PP_OK)
            return st;
        done = &s->levels[s->level_count - 1];
        s->probes[s->level_count - 1] = (pp_find_probe){load, done->summary.verdict};
    } while (done->summary.doubts != 0 && !ended_early(done) && ++tries < PROBE_TRIES &&
             s->level_count < (size_t)s->find_options.probe_count_max);
    return PP_OK;
}

static pp_status run_search(pp_load_session *s, pp_error *err)
{
    bool whole = s->command.search == PP_LOAD_SEARCH_CLIENTS;
    pp_status st;

    s->find_options = pp_find_options_default(whole);
    s->find_options.first = s->find_options.min = s->command.search_low;
    s->find_options.max = s->command.search_high;
    if (s->find_options.probe_count_max > PP_LOAD_COMMAND_MAX_LEVELS)
        s->find_options.probe_count_max = PP_LOAD_COMMAND_MAX_LEVELS;
    st = pp_find_options_check(&s->find_options, err);
    if (st != PP_OK)
        return st;
    for (;;) {
        s->find_answer = pp_find_next(&s->find_options, s->probes, s->level_count);
        if (s->find_answer.end != PP_FIND_GOES_ON)
            return PP_OK;
        st = probe(s, s->find_answer.next, err);
        if (st != PP_OK || ended_early(&s->levels[s->level_count - 1]))
            return st;
    }
}

pp_status pp_load_session_run(pp_load_session *s, pp_error *err)
{
    s->started_unix_ms = pp_clock_unix_ms();
    return s->command.search == PP_LOAD_SEARCH_NONE ? run_listed(s, err) : run_search(s, err);
}

bool pp_load_session_was_interrupted(const pp_load_session *s)
{
    return s->level_count > 0 &&
           s->levels[s->level_count - 1].result.observed.ended_by == PP_LOAD_END_INTERRUPTED;
}
