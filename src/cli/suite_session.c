#include "cli/suite_session.h"

#include <string.h>

#include "base/clock.h"
#include "base/secret.h"
#include "capacity/load_report.h"
#include "cli/table.h"
#include "engine/gguf.h"
#include "evidence/case_result.h"
#include "version.h"

#define WHAT_COLUMNS    40
#define FAILURE_COLUMNS 80

/* ---- before ---------------------------------------------------------------------------------- */

/* What the server's own file says counts where the server does not say it. */
static pp_status take_model_file(pp_suite_session *s, size_t place, pp_error *err)
{
    const char *path = s->command.places[place].model_file;
    pp_suite_target *t = &s->targets[place];
    pp_origin origin;
    pp_gguf gguf;
    pp_status st;

    if (path == NULL)
        return PP_OK;
    st = pp_wrap(err, pp_gguf_load(&s->arena, path, &gguf, err), "--model-file '%s'", path);
    if (st != PP_OK)
        return st;
    origin = pp_origin_of_weights(gguf.weights);
    t->origin = t->origin == PP_ORIGIN_UNKNOWN ? origin : pp_origin_worst(t->origin, origin);
    return PP_OK;
}

/* An emulated CPU spoils times; that random weights say nothing remains the worse news here. */
static pp_origin origin_here(pp_origin origin)
{
    return origin == PP_ORIGIN_SYNTHETIC_WEIGHTS ? origin : pp_origin_of_host(origin);
}

static pp_status ask_place(pp_suite_session *s, pp_http_loop *loop, size_t place, pp_error *err)
{
    const pp_suite_command *c = &s->command;
    pp_suite_target *t = &s->targets[place];
    pp_status st = pp_load_endpoint_ask(&s->arena, loop, c->places[place].root, c->key.headers,
                                        c->key.header_count, &t->endpoint, err);

    st = pp_wrap(err, st, "asking '%s'", c->places[place].name.data);
    if (st != PP_OK)
        return st;
    t->kind = t->endpoint.is_llama_server ? PP_SERVER_LLAMA_SERVER : PP_SERVER_OPENAI;
    t->origin = t->endpoint.origin;
    st = take_model_file(s, place, err);
    t->origin = origin_here(t->origin);
    return st;
}

pp_status pp_suite_session_prepare(pp_suite_session *s, pp_error *err)
{
    const pp_http_loop_options transport = {.ca_file = s->command.ask.ca_file,
                                            .insecure = s->command.ask.insecure_tls};
    pp_http_loop *loop = NULL;
    pp_status st;

    if (!s->view.quiet)
        pp_tell_proxy(s->view.out);
    st = pp_http_loop_new(s->stop, &loop, err);
    if (st == PP_OK)
        st = pp_http_loop_configure(loop, &transport, err);
    for (size_t i = 0; st == PP_OK && i < s->command.place_count; i++)
        st = ask_place(s, loop, i, err);
    pp_http_loop_free(loop);
    return st;
}

/* ---- replies --------------------------------------------------------------------------------- */

static void hide_key(pp_suite_session *s, pp_case_result *result)
{
    pp_text *const texts[] = {&result->answer, &result->failure, &result->finish_reason};

    for (size_t i = 0; i < PP_COUNT_OF(texts); i++)
        *texts[i] = pp_secret_remove(&s->arena, *texts[i], s->command.key.key);
}

static const char *note_of(pp_suite_session *s, const pp_case_result *result)
{
    if (result->outcome == PP_OUTCOME_FAILED)
        return pp_arena_printf(&s->arena, "failed: %s",
                               pp_table_cell_text(&s->arena, result->failure, FAILURE_COLUMNS));
    return pp_arena_printf(&s->arena, "%s, %.0f ms", pp_outcome_name(result->outcome),
                           (double)result->latency_ns.value / 1e6);
}

static void show_progress(pp_suite_session *s, const pp_suite_told *told,
                          const pp_case_result *result)
{
    const pp_suite_command *c = &s->command;
    size_t done = s->place * told->total + told->done;
    size_t total = c->place_count * told->total;
    int64_t elapsed_ns = pp_clock_now_ns() - s->began_ns;
    const char *id = pp_table_cell_text(&s->arena, c->suite.cases[told->number].id, WHAT_COLUMNS);
    pp_progress_state state = {
        .done = done,
        .total = total,
        .elapsed_ns = elapsed_ns,
        .remaining_ns = (int64_t)((double)elapsed_ns * (double)(total - done) / (double)done),
        .group = c->places[s->place].name.data,
        .what = c->ask.pass_count == 1 ? id
                                       : pp_arena_printf(&s->arena, "%s, pass %zu of %zu", id,
                                                         told->pass + 1, c->ask.pass_count),
        .note =
            s->view.terminal && result->outcome != PP_OUTCOME_FAILED ? NULL : note_of(s, result),
    };

    if (!s->view.quiet)
        pp_progress_show(&s->view, &state);
}

static void take_reply(void *user, const pp_suite_told *told)
{
    pp_suite_session *s = user;
    pp_suite_results *results = &s->targets[s->place].results;
    pp_case_result *result =
        &results->results[told->pass * s->command.suite.case_count + told->number];

    if (s->st == PP_OK)
        s->st = pp_case_result_of(&s->arena, &s->command.suite.cases[told->number],
                                  &told->reply->exchange, result, s->err);
    if (s->st != PP_OK)
        return;
    hide_key(s, result);
    show_progress(s, told, result);
}

/* ---- one endpoint ---------------------------------------------------------------------------- */

pp_suite_ask_options pp_suite_session_options(pp_suite_session *s, size_t place)
{
    const pp_suite_command *c = &s->command;
    const pp_suite_target *t = &s->targets[place];
    pp_suite_ask_options options = c->ask;

    options.base_url = c->places[place].root;
    options.headers = c->key.headers;
    options.header_count = c->key.header_count;
    options.voice.kind = t->kind;
    options.voice.model = c->model;
    if (c->model.size == 0 && t->kind != PP_SERVER_LLAMA_SERVER)
        options.voice.model = t->endpoint.model;
    options.cut_now = s->cut_now;
    options.tell = take_reply;
    options.user = s;
    return options;
}

static pp_status make_results(pp_suite_session *s, size_t place, pp_error *err)
{
    const pp_suite *suite = &s->command.suite;
    pp_suite_results *results = &s->targets[place].results;
    size_t n = suite->case_count * s->command.ask.pass_count;
    pp_status st;

    *results = (pp_suite_results){
        .suite = suite,
        .pass_count = s->command.ask.pass_count,
        .results = PP_ARENA_NEW(&s->arena, pp_case_result, n),
    };
    st = pp_arena_check(&s->arena, err);
    for (size_t i = 0; st == PP_OK && i < n; i++)
        st = pp_case_result_of(&s->arena, &suite->cases[i % suite->case_count], NULL,
                               &results->results[i], err);
    return st;
}

/* The driver uses the arena that it is given until it has ended, and replies are taken before. */
static pp_status run_place(pp_suite_session *s, size_t place, pp_error *err)
{
    pp_suite_ask_options options = pp_suite_session_options(s, place);
    pp_suite_target *t = &s->targets[place];
    pp_arena asked = {0};
    pp_status st;

    s->place = place;
    st = pp_suite_ask(&asked, &s->command.suite, &options, s->stop, &t->asked, err);
    pp_arena_join(&s->arena, &asked);
    if (st == PP_OK && s->st != PP_OK)
        st = s->st;
    if (st == PP_OK)
        s->interrupted = t->asked.interrupted;
    return st;
}

pp_status pp_suite_session_run(pp_suite_session *s, pp_error *err)
{
    pp_status st = PP_OK;

    s->started_unix_ms = pp_clock_unix_ms();
    s->began_ns = pp_clock_now_ns();
    s->err = err;
    for (size_t i = 0; st == PP_OK && i < s->command.place_count; i++)
        st = make_results(s, i, err);
    for (size_t i = 0; st == PP_OK && i < s->command.place_count && !s->interrupted; i++)
        st = run_place(s, i, err);
    pp_progress_end(&s->view);
    return st;
}

/* ---- what is reported ------------------------------------------------------------------------ */

static pp_suite_endpoint endpoint_of(pp_suite_session *s, size_t place)
{
    const pp_suite_command *c = &s->command;
    const pp_suite_target *t = &s->targets[place];
    pp_text model = c->model.size > 0 ? c->model : t->endpoint.model;

    return (pp_suite_endpoint){
        .name = c->places[place].name,
        .url = pp_endpoint_without_secrets(&s->arena, pp_text_of(c->places[place].root)),
        .server_kind = pp_text_of(pp_server_kind_name(t->kind)),
        .model = pp_secret_remove(&s->arena, model, c->key.key),
        .build = pp_secret_remove(&s->arena, t->endpoint.build, c->key.key),
        .origin = t->origin,
        .results = t->results,
    };
}

pp_status pp_suite_session_report(pp_suite_session *s, pp_suite_report *ret_report, pp_error *err)
{
    const pp_suite_command *c = &s->command;
    const pp_suite_voice *voice = &c->ask.voice;
    pp_suite_endpoint *endpoints = PP_ARENA_NEW(&s->arena, pp_suite_endpoint, c->place_count);
    pp_status st = pp_arena_check(&s->arena, err);
    pp_suite_report report = {
        .tool_version = pp_text_of(PP_VERSION),
        .started_unix_ms = s->started_unix_ms,
        .is_partial = s->interrupted,
        .suite = &c->suite,
        .endpoints = endpoints,
        .endpoint_count = c->place_count,
        .has_reference = c->place_count > 1,
        .reference = c->reference,
        .floor = c->min_score,
    };

    memcpy(report.suite_sha256, c->suite_sha256, sizeof report.suite_sha256);
    memcpy(report.suite_content_sha256, c->suite_content_sha256,
           sizeof report.suite_content_sha256);
    for (size_t i = 0; endpoints != NULL && i < c->place_count; i++)
        endpoints[i] = endpoint_of(s, i);
    if (st == PP_OK && voice->has_system_prompt)
        st = pp_sha256_of(voice->system_prompt.data, voice->system_prompt.size,
                          report.system_prompt_sha256, err);
    *ret_report = report;
    return st == PP_OK ? pp_arena_check(&s->arena, err) : st;
}
