/* A level as it stands in the report. */
#include "capacity/load_report.h"

/* ---- figures -------------------------------------------------------------------------------- */

typedef struct unit_keys {
    const char *mean, *min, *max, *value, *low, *high;
} unit_keys;

static const unit_keys ms_keys = {"mean_ms", "min_ms", "max_ms", "value_ms", "low_ms", "high_ms"};
static const unit_keys rate_keys = {"mean_tokens_per_second", "min_tokens_per_second",
                                    "max_tokens_per_second",  "value_tokens_per_second",
                                    "low_tokens_per_second",  "high_tokens_per_second"};

static void set_rank(pp_arena *arena, pp_json *out, const char *key, int64_t rank)
{
    pp_json_set_maybe_int(arena, out, key, (pp_maybe_int){rank > 0, rank});
}

static pp_json *tail_json(pp_arena *arena, const pp_load_tail *tail, const unit_keys *keys)
{
    pp_json *out = pp_json_new_object(arena);
    bool known = tail->at.rank > 0 && !tail->at.is_endless;

    pp_json_set_real(arena, out, "percent", tail->at.percent);
    set_rank(arena, out, "rank", (int64_t)tail->at.rank);
    pp_json_set_bool(arena, out, "is_maximum", tail->at.is_maximum);
    pp_json_set_bool(arena, out, "is_failed", tail->at.is_endless);
    pp_json_set_maybe_real(arena, out, keys->value, (pp_maybe_real){known, tail->at.value});
    set_rank(arena, out, "lower_rank", tail->lower_rank);
    set_rank(arena, out, "upper_rank", tail->upper_rank);
    pp_json_set_maybe_real(arena, out, keys->low, tail->low);
    pp_json_set_maybe_real(arena, out, keys->high, tail->high);
    return out;
}

static pp_json *figures_json(pp_arena *arena, const pp_load_figures *f, const unit_keys *keys)
{
    pp_json *out = pp_json_new_object(arena);
    pp_json *tails = pp_json_new_array(arena);

    for (size_t i = 0; i < f->tail_count; i++)
        pp_json_add(arena, tails, tail_json(arena, &f->tails[i], keys));
    pp_json_set_int(arena, out, "count", f->count);
    pp_json_set_int(arena, out, "failed_count", f->failed_count);
    pp_json_set_maybe_real(arena, out, keys->mean, f->mean);
    pp_json_set_maybe_real(arena, out, keys->min, f->min);
    pp_json_set_maybe_real(arena, out, keys->max, f->max);
    pp_json_set(arena, out, "percentiles", tails);
    return out;
}

static pp_json *pair_json(pp_arena *arena, const pp_load_measure *m)
{
    pp_json *out = pp_json_new_object(arena);

    pp_json_set(arena, out, "ok", figures_json(arena, &m->ok, &ms_keys));
    pp_json_set(arena, out, "with_failures", figures_json(arena, &m->with_failures, &ms_keys));
    return out;
}

static pp_json *latency_json(pp_arena *arena, const pp_load_measure *start,
                             const pp_load_measure *due)
{
    pp_json *out = pp_json_new_object(arena);

    pp_json_set_int(arena, out, "undefined_count", start->undefined_count);
    pp_json_set(arena, out, "from_start", pair_json(arena, start));
    pp_json_set(arena, out, "from_due", pair_json(arena, due));
    return out;
}

static pp_json *gaps_json(pp_arena *arena, const pp_level_summary *s)
{
    pp_json *out = pp_json_new_object(arena);

    pp_json_set_string(arena, out, "withheld", s->gaps_withheld ? "gathered" : NULL);
    pp_json_set_maybe_real(arena, out, "gathered_percent", s->gathered_percent);
    pp_json_set_maybe_real(arena, out, "zero_gap_percent", s->zero_gap_percent);
    pp_json_set(arena, out, "all", figures_json(arena, &s->gaps, &ms_keys));
    return out;
}

static pp_json *times_json(pp_arena *arena, const pp_level_summary *s)
{
    pp_json *out = pp_json_new_object(arena);
    pp_json *tpot = pair_json(arena, &s->tpot);

    pp_json_set_int(arena, tpot, "undefined_count", s->tpot.undefined_count);
    pp_json_set(arena, out, "ttft", latency_json(arena, &s->ttft, &s->ttft_due));
    pp_json_set(arena, out, "first_answer",
                latency_json(arena, &s->first_answer, &s->first_answer_due));
    pp_json_set(arena, out, "e2e", latency_json(arena, &s->e2e, &s->e2e_due));
    pp_json_set(arena, out, "tpot", tpot);
    pp_json_set(arena, out, "gaps", gaps_json(arena, s));
    pp_json_set(arena, out, "lateness", figures_json(arena, &s->lateness, &ms_keys));
    pp_json_set(arena, out, "connect", figures_json(arena, &s->connect, &ms_keys));
    pp_json_set(arena, out, "stream_end", figures_json(arena, &s->stream_end, &ms_keys));
    return out;
}

/* ---- counts and rates ----------------------------------------------------------------------- */

static pp_json *counts_json(pp_arena *arena, const pp_level_summary *s)
{
    pp_json *out = pp_json_new_object(arena);
    pp_json *failures = pp_json_new_object(arena);
    pp_json *flags = pp_json_new_object(arena);

    for (size_t i = 1; i < PP_FAILURE_COUNT; i++)
        if (s->failures[i] > 0)
            pp_json_set_int(arena, failures, pp_failure_name((pp_failure)i), s->failures[i]);
    for (size_t i = 0; i < PP_SAMPLE_FLAG_COUNT; i++)
        if (s->flags[i] > 0)
            pp_json_set_int(arena, flags, pp_sample_flag_name(i), s->flags[i]);
    pp_json_set_int(arena, out, "issued", s->issued_count);
    pp_json_set_int(arena, out, "ok", s->ok_count);
    pp_json_set_int(arena, out, "failed", s->failed_count);
    pp_json_set_int(arena, out, "cut", s->cut_count);
    pp_json_set_int(arena, out, "warmup", s->warmup_count);
    pp_json_set_int(arena, out, "ramp", s->ramp_count);
    pp_json_set_maybe_real(arena, out, "error_percent", s->error_percent);
    pp_json_set(arena, out, "failures", failures);
    pp_json_set(arena, out, "flags", flags);
    return out;
}

static pp_json *window_json(pp_arena *arena, const pp_load_window *w)
{
    pp_json *out;

    if (!w->known)
        return pp_json_new_null(arena);
    out = pp_json_new_object(arena);
    pp_json_set_real(arena, out, "from_ms", w->from_ms);
    pp_json_set_real(arena, out, "to_ms", w->to_ms);
    pp_json_set_int(arena, out, "ended_count", w->ended_count);
    pp_json_set_int(arena, out, "generated_tokens", w->generated_tokens);
    pp_json_set_real(arena, out, "requests_per_second", w->requests_per_second);
    pp_json_set_real(arena, out, "generated_tokens_per_second", w->tokens_per_second);
    pp_json_set_maybe_int(arena, out, "good_count",
                          (pp_maybe_int){w->good_per_second.known, w->good_count});
    pp_json_set_maybe_real(arena, out, "good_requests_per_second", w->good_per_second);
    return out;
}

static pp_json *throughput_json(pp_arena *arena, const pp_level_summary *s)
{
    pp_json *out = pp_json_new_object(arena);

    pp_json_set_string(arena, out, "steady_state", pp_steady_name(s->steady_state));
    pp_json_set(arena, out, "steady", window_json(arena, &s->steady));
    pp_json_set(arena, out, "whole", window_json(arena, &s->whole));
    pp_json_set(arena, out, "generation_of_each",
                figures_json(arena, &s->generation_rate, &rate_keys));
    pp_json_set(arena, out, "request_of_each", figures_json(arena, &s->request_rate, &rate_keys));
    return out;
}

static pp_json *little_json(pp_arena *arena, const pp_little *little)
{
    pp_json *out;

    if (!little->known)
        return pp_json_new_null(arena);
    out = pp_json_new_object(arena);
    pp_json_set_real(arena, out, "in_flight_mean", little->in_flight_mean);
    pp_json_set_real(arena, out, "ended_per_second", little->ended_per_second);
    pp_json_set_real(arena, out, "residence_ms_mean", little->residence_ms_mean);
    pp_json_set_real(arena, out, "deviation_percent", little->deviation_percent);
    pp_json_set_bool(arena, out, "is_steady", little->is_steady);
    return out;
}

static pp_json *rate_json(pp_arena *arena, const pp_load_rate *rate)
{
    pp_json *out = pp_json_new_object(arena);
    pp_json *thirds = pp_json_new_array(arena);

    for (int i = 0; rate->in_flight_known && i < 3; i++)
        pp_json_add(arena, thirds, pp_json_new_real(arena, rate->in_flight_thirds[i]));
    pp_json_set_maybe_real(arena, out, "asked_per_second", rate->asked_per_second);
    pp_json_set_maybe_real(arena, out, "drawn_per_second", rate->drawn_per_second);
    pp_json_set_maybe_real(arena, out, "delivered_per_second", rate->delivered_per_second);
    pp_json_set(arena, out, "in_flight_thirds", thirds);
    pp_json_set_bool(arena, out, "is_overloaded", rate->is_overloaded);
    return out;
}

static pp_json *cache_json(pp_arena *arena, const pp_load_cache *cache)
{
    pp_json *out = pp_json_new_object(arena);

    pp_json_set_int(arena, out, "told_count", cache->told_count);
    pp_json_set_int(arena, out, "cached_request_count", cache->cached_request_count);
    pp_json_set_int(arena, out, "prompt_tokens", cache->prompt_tokens);
    pp_json_set_int(arena, out, "cached_tokens", cache->cached_tokens);
    pp_json_set_maybe_real(arena, out, "cached_percent", cache->cached_percent);
    pp_json_set_maybe_bool(arena, out, "is_cold", cache->is_cold);
    return out;
}

static pp_json *speculation_json(pp_arena *arena, const pp_load_speculation *s)
{
    pp_json *out = pp_json_new_object(arena);

    pp_json_set_int(arena, out, "request_count", s->request_count);
    pp_json_set_int(arena, out, "drafting_request_count", s->drafting_request_count);
    pp_json_set_int(arena, out, "drafted_tokens", s->drafted_tokens);
    pp_json_set_int(arena, out, "accepted_tokens", s->accepted_tokens);
    pp_json_set_maybe_real(arena, out, "acceptance_ratio", s->acceptance_ratio);
    pp_json_set_maybe_real(arena, out, "low_ratio", s->low_ratio);
    pp_json_set_maybe_real(arena, out, "high_ratio", s->high_ratio);
    return out;
}

/* ---- asked and observed --------------------------------------------------------------------- */

static pp_json *asked_json(pp_arena *arena, const pp_load_level *l)
{
    pp_json *out = pp_json_new_object(arena);
    bool open = l->loop == PP_LOAD_OPEN;
    bool gamma = open && l->arrivals == PP_ARRIVALS_GAMMA;

    pp_json_set_string(arena, out, "loop", pp_load_loop_name(l->loop));
    pp_json_set_maybe_int(arena, out, "clients",
                          (pp_maybe_int){l->loop == PP_LOAD_CLOSED, l->clients});
    pp_json_set_maybe_real(arena, out, "rate_per_second",
                           (pp_maybe_real){open, l->rate_per_second});
    pp_json_set_string(arena, out, "arrivals", open ? pp_arrivals_name(l->arrivals) : NULL);
    pp_json_set_maybe_real(arena, out, "gamma_shape", (pp_maybe_real){gamma, l->gamma_shape});
    pp_json_set_maybe_int(arena, out, "request_count", l->request_count);
    pp_json_set_maybe_int(arena, out, "duration_ns", l->duration_ns);
    pp_json_set_int(arena, out, "warmup_count", l->warmup_count);
    pp_json_set_int(arena, out, "ramp_ns", l->ramp_ns);
    pp_json_set_int(arena, out, "think_ns", l->think_ns);
    pp_json_set_int(arena, out, "seed", (int64_t)l->seed);
    return out;
}

static pp_json *server_json(pp_arena *arena, const pp_load_server_use *use)
{
    pp_json *out = pp_json_new_object(arena);

    pp_json_set_maybe_int(arena, out, "rss_start_bytes", use->rss_start_bytes);
    pp_json_set_maybe_int(arena, out, "rss_end_bytes", use->rss_end_bytes);
    pp_json_set_maybe_int(arena, out, "rss_peak_bytes", use->rss_peak_bytes);
    pp_json_set_maybe_int(arena, out, "pss_end_bytes", use->pss_end_bytes);
    pp_json_set_maybe_real(arena, out, "cpu_seconds", use->cpu_seconds);
    return out;
}

static pp_json *observed_json(pp_arena *arena, const pp_load_observed *o)
{
    pp_json *out = pp_json_new_object(arena);

    pp_json_set_string(arena, out, "ended_by", pp_load_end_name(o->ended_by));
    pp_json_set_maybe_bool(arena, out, "server_was_idle", o->server_was_idle);
    pp_json_set_int(arena, out, "idle_wait_ns", o->idle_wait_ns);
    pp_json_set_int(arena, out, "started_unix_ms", o->started_unix_ms);
    pp_json_set_int(arena, out, "measured_at_ns", o->measured_at_ns);
    pp_json_set_int(arena, out, "ended_at_ns", o->ended_at_ns);
    pp_json_set_maybe_int(arena, out, "planned_count", o->planned_count);
    pp_json_set_int(arena, out, "in_flight_max", o->in_flight_max);
    pp_json_set_int(arena, out, "stall_ns_max", o->stall_ns_max);
    pp_json_set_real(arena, out, "client_cpu_seconds", o->client_cpu_seconds);
    pp_json_set_int(arena, out, "worker_count", o->worker_count);
    pp_json_set_int(arena, out, "clock_drift_ns", o->clock_drift_ns);
    pp_json_set_bool(arena, out, "clock_was_set", o->clock_was_set);
    pp_json_set(arena, out, "server", server_json(arena, &o->server));
    pp_json_set_string(arena, out, "server_address",
                       o->server_address[0] == '\0' ? NULL : o->server_address);
    pp_json_set_int(arena, out, "connections_opened_count", o->connections_opened_count);
    pp_json_set_int(arena, out, "connections_reused_count", o->connections_reused_count);
    pp_json_set_int(arena, out, "connections_died_count", o->connections_died_count);
    pp_json_set_int(arena, out, "record_count_max", o->record_count_max);
    pp_json_set_int(arena, out, "decoded_in_loop_count", o->decoded_in_loop_count);
    return out;
}

/* ---- verdicts ------------------------------------------------------------------------------- */

static pp_json *result_json(pp_arena *arena, const pp_slo_result *r)
{
    pp_json *out = pp_json_new_object(arena);

    pp_json_set_text(arena, out, "slo", r->slo->text);
    pp_json_set_string(arena, out, "verdict", pp_slo_verdict_name(r->verdict));
    pp_json_set_string(arena, out, "reason", pp_slo_reason_name(r->reason));
    pp_json_set_int(arena, out, "counted", r->counted);
    pp_json_set_int(arena, out, "violation_count", r->violation_count);
    pp_json_set_int(arena, out, "left_out_count", r->left_out_count);
    pp_json_set_int(arena, out, "undefined_count", r->undefined_count);
    pp_json_set_maybe_real(arena, out, "seen_percent", r->seen_percent);
    pp_json_set_maybe_real(arena, out, "bound_percent", r->bound_percent);
    pp_json_set_maybe_real(arena, out, "autocorrelation", r->autocorrelation);
    pp_json_set_bool(arena, out, "is_dependent", r->is_dependent);
    pp_json_set_int(arena, out, "effective_count", r->effective_count);
    pp_json_set_int(arena, out, "effective_violation_count", r->effective_violation_count);
    pp_json_set_maybe_real(arena, out, "pass_error", r->pass_error);
    pp_json_set_maybe_real(arena, out, "fail_error", r->fail_error);
    pp_json_set_maybe_int(arena, out, "needed_more_count", r->needed_more_count);
    return out;
}

static pp_json *names_json(pp_arena *arena, unsigned bits, const char *(*name)(size_t n))
{
    pp_json *out = pp_json_new_array(arena);

    for (size_t i = 0; name(i) != NULL; i++)
        if ((bits & 1u << i) != 0)
            pp_json_add(arena, out, pp_json_new_string(arena, name(i)));
    return out;
}

static void put_verdicts(pp_arena *arena, const pp_level_summary *s, pp_json *out)
{
    pp_json *results = pp_json_new_array(arena);

    for (size_t i = 0; i < s->result_count; i++)
        pp_json_add(arena, results, result_json(arena, &s->results[i]));
    pp_json_set_bool(arena, out, "valid", s->doubts == 0);
    pp_json_set(arena, out, "doubts", names_json(arena, s->doubts, pp_load_doubt_name));
    pp_json_set(arena, out, "notes", names_json(arena, s->notes, pp_load_note_name));
    pp_json_set(arena, out, "verdicts", results);
    pp_json_set_string(arena, out, "verdict",
                       s->has_verdict ? pp_slo_verdict_name(s->verdict) : NULL);
}

pp_json *pp_load_report_level_json(pp_arena *arena, const pp_load_report_level *level)
{
    const pp_level_summary *s = &level->summary;
    pp_json *out = pp_json_new_object(arena);
    pp_json *client = pp_json_new_object(arena);

    pp_json_set_maybe_real(arena, client, "cpu_share", s->client_cpu_share);
    pp_json_set(arena, client, "lag_p99_of_each", figures_json(arena, &s->client_lag, &ms_keys));
    pp_json_set_int(arena, out, "number", level->asked.number);
    pp_json_set(arena, out, "asked", asked_json(arena, &level->asked));
    pp_json_set(arena, out, "observed", observed_json(arena, &level->observed));
    pp_json_set(arena, out, "counts", counts_json(arena, s));
    pp_json_set(arena, out, "times", times_json(arena, s));
    pp_json_set(arena, out, "throughput", throughput_json(arena, s));
    pp_json_set(arena, out, "littles_law", little_json(arena, &s->little));
    pp_json_set(arena, out, "arrivals",
                level->asked.loop == PP_LOAD_CLOSED ? pp_json_new_null(arena)
                                                    : rate_json(arena, &s->rate));
    pp_json_set(arena, out, "cache", cache_json(arena, &s->cache));
    if (s->speculation.request_count > 0)
        pp_json_set(arena, out, "speculation", speculation_json(arena, &s->speculation));
    pp_json_set(arena, out, "client", client);
    put_verdicts(arena, s, out);
    return out;
}
