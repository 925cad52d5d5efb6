#include "load/run.h"

void pp_load_options_default(pp_load_options *ret_options)
{
    pp_load_setup setup;

    pp_load_setup_default(&setup);
    *ret_options = (pp_load_options){.limits = setup.limits, .pass = setup.pass};
}

/* ---- one client, one request after another --------------------------------------------------- */

typedef struct runner {
    const pp_load_counts *counts;
    const pp_load_options *options;
    pp_bytes *replies; /* in the order of sending */
} runner;

static size_t place_of(const pp_load_counts *counts, const pp_request_id *id)
{
    return (size_t)(id->index - 1 + (id->phase == PP_PHASE_WARMUP ? 0 : counts->warmup));
}

/* Each reply has a place of its own, so threads need no lock. */
static void keep_reply(void *user, pp_arena *arena, const pp_exchange *exchange)
{
    const runner *r = user;
    pp_bytes *reply = &r->replies[place_of(r->counts, &exchange->id)];

    reply->data = (unsigned char *)pp_arena_dup(arena, (const char *)exchange->body.data,
                                                exchange->body.size);
    reply->size = exchange->body.size;
}

static void tell_warm(void *user)
{
    const runner *r = user;

    if (r->options->after_warmup != NULL)
        r->options->after_warmup(r->options->after_warmup_user);
}

static pp_load_setup setup_of(runner *r)
{
    const pp_load_options *o = r->options;

    return (pp_load_setup){
        .base_url = o->base_url,
        .headers = o->headers,
        .header_count = o->header_count,
        .limits = o->limits,
        .keep_alive = o->keep_alive,
        .ca_file = o->ca_file,
        .insecure_tls = o->insecure_tls,
        .worker_count = 1,
        .sends_all = true,
        .root = "/",
        .candidate = o->candidate,
        .pass = o->pass,
        .sample_of = o->sample_of,
        .keep = keep_reply,
        .after_warmup = tell_warm,
        .user = r,
    };
}

static pp_load_level level_of(const pp_load_counts *counts)
{
    return (pp_load_level){
        .number = 1,
        .loop = PP_LOAD_CLOSED,
        .clients = 1,
        .gamma_shape = 1,
        .request_count = pp_known_int(counts->measured),
        .warmup_count = counts->warmup,
        .seed = counts->seed,
    };
}

/* Requests are taken in order, so those that were sent are the first ones. A run has no levels. */
static void take_samples(const runner *r, const pp_load_result *result, pp_load_run *run)
{
    run->samples = result->samples;
    run->sample_count = result->sample_count;
    for (size_t i = 0; i < run->sample_count; i++) {
        run->samples[i].id.level = (pp_maybe_int){0};
        PP_ASSERT(place_of(r->counts, &run->samples[i].id) == i);
    }
}

pp_status pp_load_run_source(pp_arena *arena, const pp_load_source *source,
                             const pp_load_counts *counts, const pp_load_options *options,
                             const volatile sig_atomic_t *stop, pp_load_run *ret_run, pp_error *err)
{
    const size_t asked = (size_t)(counts->warmup + counts->measured);
    runner r = {.counts = counts, .options = options};
    pp_load_run run = {.asked_count = asked};
    pp_load_setup setup = setup_of(&r);
    pp_load_level level = level_of(counts);
    pp_load_result result;
    pp_status st;

    r.replies = PP_ARENA_NEW(arena, pp_bytes, asked);
    if (r.replies == NULL)
        return pp_arena_check(arena, err);
    st = pp_load_drive(arena, &setup, source, &level, stop, &result, err);
    if (st != PP_OK)
        return st;
    take_samples(&r, &result, &run);
    run.replies = r.replies;
    run.interrupted = result.observed.ended_by == PP_LOAD_END_INTERRUPTED;
    *ret_run = run;
    return PP_OK;
}

pp_status pp_load_run_sequential(pp_arena *arena, const pp_workload *workload,
                                 const pp_load_options *options, const volatile sig_atomic_t *stop,
                                 pp_load_run *ret_run, pp_error *err)
{
    const pp_load_counts counts = {
        .warmup = workload->options.warmup_count,
        .measured = workload->options.measured_count,
        .seed = workload->options.seed,
    };
    pp_load_source *source = NULL;
    pp_status st = pp_load_source_of_workload(arena, workload, &source, err);

    return st == PP_OK ? pp_load_run_source(arena, source, &counts, options, stop, ret_run, err)
                       : st;
}
