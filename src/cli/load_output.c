#include "cli/load_output.h"

#include <string.h>

#include "base/files.h"
#include "base/secret.h"
#include "capacity/load_csv.h"
#include "capacity/load_report.h"
#include "cli/inputs.h"
#include "cli/load_notes.h"
#include "cli/load_table.h"
#include "cli/table.h"
#include "version.h"

/* A thousand requests with a thousand gaps each take some 10 MiB. */
#define SAMPLES_MAX_BYTES ((size_t)4 << 30)

static const char *const file_options[] = {"output", "samples", "levels-csv", "requests-csv",
                                           "evaluation"};

pp_status pp_load_output_check(const pp_args *args, pp_error *err)
{
    return pp_outputs_check(args, "load", file_options, PP_COUNT_OF(file_options), err);
}

/* ---- the report ------------------------------------------------------------------------------ */

static pp_maybe_int limit(int64_t ns)
{
    return ns > 0 ? pp_known_int(ns) : (pp_maybe_int){0};
}

static pp_load_report_run describe_run(pp_load_session *s)
{
    const pp_load_command *c = &s->command;
    const pp_dialect *dialect = &c->source.dialect;
    const char *prompts = c->plan.is_on               ? "load plan"
                          : c->source.prompts != NULL ? "prompts file"
                          : c->source.trace != NULL   ? "trace"
                                                      : "generated";

    return (pp_load_report_run){
        .tool_version = pp_text_of(PP_VERSION),
        .endpoint = pp_endpoint_without_secrets(&s->arena, pp_text_of(c->root)),
        .dialect =
            pp_text_of(pp_arena_printf(&s->arena, "%s %s", pp_server_kind_name(dialect->kind),
                                       pp_endpoint_path(dialect->endpoint))),
        .model = pp_secret_remove(&s->arena, dialect->model, c->key),
        .profile = pp_text_of(
            pp_arena_printf(&s->arena, "%s, %s", prompts, pp_load_reuse_name(c->source.reuse))),
        .origin = s->endpoint.origin,
        .seed = c->source.seed,
        .started_unix_ms = s->started_unix_ms,
        .keep_alive = c->keep_alive,
        .server_was_sleeping = s->endpoint.is_sleeping,
        .server_recognised_by = s->recognised.because,
        .limits =
            {
                .connect_ns = limit(c->limits.connect_ns),
                .first_token_ns = limit(c->limits.first_byte_ns),
                .idle_ns = limit(c->limits.idle_ns),
                .total_ns = limit(c->limits.total_ns),
                .body_bytes_max = pp_known_int((int64_t)PP_HTTP_STREAM_MAX_BYTES),
                .drain_ns = pp_known_int(c->drain_ns),
                .idle_wait_ns = pp_known_int(c->idle_wait_ns),
            },
    };
}

static pp_status fill_report(pp_load_session *s, pp_load_report *ret_report, pp_error *err)
{
    pp_load_report_level *levels = PP_ARENA_NEW(&s->arena, pp_load_report_level, s->level_count);
    size_t asked = s->command.search == PP_LOAD_SEARCH_NONE ? s->command.level_count : 0;

    for (size_t i = 0; levels != NULL && i < s->level_count; i++)
        levels[i] = (pp_load_report_level){s->levels[i].level, s->levels[i].result.observed,
                                           s->levels[i].summary};
    *ret_report = (pp_load_report){
        .run = describe_run(s),
        .rules = s->rules,
        .levels = levels,
        .level_count = s->level_count,
        .find = s->command.search == PP_LOAD_SEARCH_NONE ? NULL : &s->find_options,
        .is_partial = pp_load_session_was_interrupted(s) || s->level_count < asked,
    };
    if (levels != NULL)
        pp_load_report_compare(ret_report);
    return pp_arena_check(&s->arena, err);
}

/* ---- files ----------------------------------------------------------------------------------- */

static pp_status write_text(const char *path, pp_buf *text, pp_status st, pp_error *err)
{
    if (st == PP_OK)
        st = pp_buf_check(text, path, err);
    return st == PP_OK ? pp_file_write_new(path, pp_buf_text(text), text->size, err) : st;
}

/* Samples of all levels in their order; they share what they point to. */
static pp_sample *all_samples(pp_load_session *s, size_t *ret_count)
{
    pp_sample *all;
    size_t count = 0;

    for (size_t i = 0; i < s->level_count; i++)
        count += s->levels[i].result.sample_count;
    all = PP_ARENA_NEW(&s->arena, pp_sample, count);
    *ret_count = count;
    count = 0;
    for (size_t i = 0; all != NULL && i < s->level_count; i++)
        for (size_t j = 0; j < s->levels[i].result.sample_count; j++)
            all[count++] = s->levels[i].result.samples[j];
    return all;
}

static pp_status lines_of(const pp_sample *samples, size_t n, pp_buf *text, pp_error *err)
{
    pp_status st = PP_OK;

    for (size_t i = 0; st == PP_OK && i < n; i++)
        st = pp_sample_write(&samples[i], text, err);
    return st;
}

static pp_status write_requests(const char *path, const pp_sample *samples, size_t n,
                                pp_status (*write)(const pp_sample *, size_t, pp_buf *, pp_error *),
                                pp_error *err)
{
    pp_buf text;
    pp_status st;

    if (path == NULL)
        return PP_OK;
    pp_buf_init(&text, SAMPLES_MAX_BYTES);
    st = write(samples, n, &text, err);
    st = write_text(path, &text, st, err);
    pp_buf_done(&text);
    return st;
}

static pp_status write_levels(const char *path, const pp_load_report *report, pp_error *err)
{
    pp_buf text;
    pp_status st;

    if (path == NULL)
        return PP_OK;
    pp_buf_init(&text, SAMPLES_MAX_BYTES);
    st = pp_load_levels_csv(report, &text, err);
    st = write_text(path, &text, st, err);
    pp_buf_done(&text);
    return st;
}

/* "such as request 3 of level 1: HTTP status 400, ..."; NULL when none failed. */
static const char *failure_example(pp_load_session *s)
{
    for (size_t i = 0; i < s->level_count; i++)
        for (size_t j = 0; j < s->levels[i].result.sample_count; j++) {
            const pp_sample *sample = &s->levels[i].result.samples[j];

            if (sample->id.phase != PP_PHASE_MEASURED || sample->failure == PP_FAILURE_NONE ||
                sample->failure == PP_FAILURE_CUT)
                continue;
            return pp_arena_printf(&s->arena, "such as request %lld of level %lld: %s",
                                   (long long)sample->id.index, (long long)(i + 1),
                                   pp_table_cell_text(&s->arena, sample->failure_text, 240));
        }
    return NULL;
}

/* The first failure; the others are tried in any case, for each file that can be kept is kept. */
static pp_status keep_first(pp_status st, pp_error *err, pp_status next, const pp_error *why)
{
    if (st != PP_OK || next == PP_OK)
        return st;
    *err = *why;
    return next;
}

static pp_status write_files(const pp_args *args, pp_load_session *s, const pp_load_report *report,
                             pp_error *err)
{
    size_t n = 0;
    const pp_sample *samples = all_samples(s, &n);
    pp_status st = pp_arena_check(&s->arena, err);
    pp_error why = {0};
    pp_status next;

    if (st != PP_OK)
        return st;
    st = write_requests(pp_args_value(args, "samples"), samples, n, lines_of, err);
    next =
        write_requests(pp_args_value(args, "requests-csv"), samples, n, pp_load_requests_csv, &why);
    st = keep_first(st, err, next, &why);
    why = (pp_error){0};
    next = write_levels(pp_args_value(args, "levels-csv"), report, &why);
    return keep_first(st, err, next, &why);
}

pp_status pp_load_output_write(const pp_args *args, pp_load_session *session, pp_error *err)
{
    pp_load_report report;
    pp_json *document = NULL;
    pp_error why = {0};
    pp_status next;
    pp_status st = fill_report(session, &report, err);

    if (st == PP_OK)
        st = pp_load_report_make(&session->arena, &report, &document, err);
    if (st != PP_OK)
        return st;
    pp_load_warnings_print(&session->arena, &report, stderr);
    st = write_files(args, session, &report, err);
    next = pp_output_json(args, document, &why);
    st = keep_first(st, err, next, &why);
    if (pp_args_has(args, "json"))
        return st;
    why = (pp_error){0};
    next = pp_load_table_print(&session->arena, &report, failure_example(session), stdout, &why);
    return keep_first(st, err, next, &why);
}
