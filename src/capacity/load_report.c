#include "capacity/load_report.h"

#include <stdlib.h>
#include <string.h>

/* ---- the address ---------------------------------------------------------------------------- */

static size_t find_bytes(pp_text text, size_t from, const char *any)
{
    while (from < text.size && strchr(any, text.data[from]) == NULL)
        from++;
    return from;
}

pp_text pp_endpoint_without_secrets(pp_arena *arena, pp_text endpoint)
{
    size_t host = 0;
    size_t end = find_bytes(endpoint, 0, "?#");
    size_t path;
    pp_text out = {0};
    char *copy;

    for (size_t i = 0; i + 2 < end && host == 0; i++)
        if (memcmp(endpoint.data + i, "://", 3) == 0)
            host = i + 3;
    path = find_bytes((pp_text){endpoint.data, end}, host, "/");
    copy = pp_arena_dup(arena, endpoint.data == NULL ? "" : endpoint.data, end);
    if (copy == NULL)
        return out;
    for (size_t i = path; i > host; i--) {
        if (copy[i - 1] != '@')
            continue;
        memmove(copy + host, copy + i, end - i + 1);
        end -= i - host;
        break;
    }
    return (pp_text){copy, end};
}

/* ---- saturation ----------------------------------------------------------------------------- */

static const pp_load_window *window_of(const pp_load_report_level *level, bool steady)
{
    return steady ? &level->summary.steady : &level->summary.whole;
}

static bool takes_part(const pp_load_report_level *level)
{
    return level->asked.loop == PP_LOAD_CLOSED && level->summary.doubts == 0 &&
           level->summary.whole.known && level->summary.whole.requests_per_second > 0;
}

/* Steady windows and tokens, unless one level has none. */
static void choose_rates(const pp_load_report *report, pp_report_saturation *s)
{
    s->of_steady = s->of_tokens = true;
    for (size_t i = 0; i < report->level_count; i++) {
        const pp_load_window *w = &report->levels[i].summary.steady;

        if (takes_part(&report->levels[i]))
            s->of_steady = s->of_steady && w->known && w->requests_per_second > 0;
    }
    for (size_t i = 0; i < report->level_count; i++)
        if (takes_part(&report->levels[i]))
            s->of_tokens =
                s->of_tokens && window_of(&report->levels[i], s->of_steady)->tokens_per_second > 0;
}

static int by_clients(const void *a, const void *b)
{
    const pp_saturation_point *x = a;
    const pp_saturation_point *y = b;

    if (x->clients != y->clients)
        return x->clients < y->clients ? -1 : 1;
    return (x->rate > y->rate) - (x->rate < y->rate);
}

static size_t merge_equal(pp_saturation_point *points, size_t n)
{
    size_t kept = 0;

    for (size_t i = 0; i < n;) {
        size_t same = i;
        double sum = 0;

        for (; same < n && points[same].clients == points[i].clients; same++)
            sum += points[same].rate;
        points[kept++] = (pp_saturation_point){points[i].clients, sum / (double)(same - i)};
        i = same;
    }
    return kept;
}

pp_status pp_load_report_saturation(pp_arena *arena, const pp_load_report *report,
                                    pp_report_saturation *ret_saturation, pp_error *err)
{
    pp_report_saturation s = {0};
    pp_status st;

    choose_rates(report, &s);
    s.points = PP_ARENA_NEW(arena, pp_saturation_point, report->level_count + 1);
    st = pp_arena_check(arena, err);
    for (size_t i = 0; st == PP_OK && i < report->level_count; i++) {
        const pp_load_window *w = window_of(&report->levels[i], s.of_steady);

        if (takes_part(&report->levels[i]))
            s.points[s.point_count++] =
                (pp_saturation_point){(double)report->levels[i].asked.clients,
                                      s.of_tokens ? w->tokens_per_second : w->requests_per_second};
    }
    if (st != PP_OK)
        return st;
    if (s.point_count > 0)
        qsort(s.points, s.point_count, sizeof s.points[0], by_clients);
    s.point_count = merge_equal(s.points, s.point_count);
    s.known = s.point_count >= 2;
    if (s.known)
        st = pp_saturation_of(s.points, s.point_count, &s.result, err);
    *ret_saturation = s;
    return st;
}

static pp_json *rule_json(pp_arena *arena, double percent, pp_maybe_int level,
                          const pp_report_saturation *s)
{
    pp_json *out = pp_json_new_object(arena);

    pp_json_set_real(arena, out, "percent", percent);
    pp_json_set_maybe_real(
        arena, out, "clients",
        (pp_maybe_real){level.known, level.known ? s->points[level.value].clients : 0});
    return out;
}

static pp_json *curve_json(pp_arena *arena, const pp_scalability *c)
{
    pp_json *out = pp_json_new_object(arena);
    bool known = c->state == PP_KNEE_KNOWN;

    pp_json_set_string(arena, out, "state", pp_knee_state_name(c->state));
    pp_json_set_maybe_real(arena, out, "lambda", (pp_maybe_real){c->fitted, c->lambda});
    pp_json_set_maybe_real(arena, out, "sigma", (pp_maybe_real){c->fitted, c->sigma});
    pp_json_set_maybe_real(arena, out, "kappa", (pp_maybe_real){c->fitted, c->kappa});
    pp_json_set_maybe_real(arena, out, "error_percent_max",
                           (pp_maybe_real){c->fitted, c->error_percent_max});
    pp_json_set_maybe_real(arena, out, "clients", (pp_maybe_real){known, c->knee_clients});
    pp_json_set_maybe_real(arena, out, "low_clients", (pp_maybe_real){known, c->knee_low});
    pp_json_set_maybe_real(arena, out, "high_clients", (pp_maybe_real){known, c->knee_high});
    return out;
}

static pp_json *saturation_json(pp_arena *arena, const pp_report_saturation *s)
{
    pp_json *out, *points;

    if (!s->known)
        return pp_json_new_null(arena);
    out = pp_json_new_object(arena);
    points = pp_json_new_array(arena);
    for (size_t i = 0; i < s->point_count; i++) {
        pp_json *point = pp_json_new_object(arena);

        pp_json_set_real(arena, point, "clients", s->points[i].clients);
        pp_json_set_real(arena, point, "rate_per_second", s->points[i].rate);
        pp_json_add(arena, points, point);
    }
    pp_json_set_string(arena, out, "rate", s->of_tokens ? "generated-tokens" : "requests");
    pp_json_set_string(arena, out, "window", s->of_steady ? "steady" : "whole");
    pp_json_set(arena, out, "points", points);
    pp_json_set_real(arena, out, "peak_clients", s->points[s->result.peak_level].clients);
    pp_json_set(arena, out, "gain_below",
                rule_json(arena, PP_SATURATION_GAIN_PERCENT, s->result.gain_level, s));
    pp_json_set(arena, out, "near_peak",
                rule_json(arena, PP_SATURATION_NEAR_PERCENT, s->result.near_level, s));
    pp_json_set(arena, out, "knee", curve_json(arena, &s->result.curve));
    return out;
}

/* ---- search --------------------------------------------------------------------------------- */

static double load_of(const pp_load_report *report, size_t i)
{
    return report->find->whole ? (double)report->levels[i].asked.clients
                               : report->levels[i].asked.rate_per_second;
}

pp_status pp_load_report_find(const pp_load_report *report, pp_find_answer *ret_answer,
                              pp_error *err)
{
    pp_find_probe probes[PP_FIND_PROBES_MAX];

    if (report->level_count > PP_FIND_PROBES_MAX)
        return pp_fail(err, PP_ERR_DOMAIN, "search: %zu probes, expected at most %d",
                       report->level_count, PP_FIND_PROBES_MAX);
    for (size_t i = 0; i < report->level_count; i++) {
        if (!report->levels[i].summary.has_verdict)
            return pp_fail(err, PP_ERR_DOMAIN, "search: level %lld has no verdict",
                           (long long)report->levels[i].asked.number);
        probes[i] = (pp_find_probe){load_of(report, i), report->levels[i].summary.verdict};
    }
    *ret_answer = pp_find_next(report->find, probes, report->level_count);
    return PP_OK;
}

static pp_json *find_options_json(pp_arena *arena, const pp_find_options *o)
{
    pp_json *out = pp_json_new_object(arena);

    pp_json_set_string(arena, out, "of", o->whole ? "clients" : "rate");
    pp_json_set_real(arena, out, "first", o->first);
    pp_json_set_real(arena, out, "min", o->min);
    pp_json_set_real(arena, out, "max", o->max);
    pp_json_set_real(arena, out, "factor", o->factor);
    pp_json_set_real(arena, out, "resolution_ratio", o->resolution_ratio);
    pp_json_set_int(arena, out, "probe_count_max", o->probe_count_max);
    return out;
}

static pp_json *find_json(pp_arena *arena, const pp_find_options *options,
                          const pp_find_answer *answer)
{
    pp_json *out = pp_json_new_object(arena);
    pp_json *undecided = pp_json_new_array(arena);

    for (size_t i = 0; i < answer->undecided_count; i++)
        pp_json_add(arena, undecided, pp_json_new_real(arena, answer->undecided[i]));
    pp_json_set(arena, out, "options", find_options_json(arena, options));
    pp_json_set_string(arena, out, "end", pp_find_end_name(answer->end));
    pp_json_set_maybe_real(arena, out, "highest_pass", answer->highest_pass);
    pp_json_set_maybe_real(arena, out, "lowest_fail", answer->lowest_fail);
    pp_json_set(arena, out, "undecided", undecided);
    pp_json_set_bool(arena, out, "is_contradictory", answer->is_contradictory);
    return out;
}

static pp_status put_find(pp_arena *arena, const pp_load_report *report, pp_json *out,
                          pp_error *err)
{
    pp_find_answer answer;
    pp_status st;

    if (report->find == NULL) {
        pp_json_set_null(arena, out, "find");
        return PP_OK;
    }
    st = pp_load_report_find(report, &answer, err);
    if (st == PP_OK)
        pp_json_set(arena, out, "find", find_json(arena, report->find, &answer));
    return st;
}

/* ---- run and rules -------------------------------------------------------------------------- */

static pp_json *run_json(pp_arena *arena, const pp_load_report_run *run)
{
    pp_json *out = pp_json_new_object(arena);
    pp_json *limits = pp_json_new_object(arena);

    pp_json_set_maybe_int(arena, limits, "connect_ns", run->limits.connect_ns);
    pp_json_set_maybe_int(arena, limits, "first_token_ns", run->limits.first_token_ns);
    pp_json_set_maybe_int(arena, limits, "idle_ns", run->limits.idle_ns);
    pp_json_set_maybe_int(arena, limits, "total_ns", run->limits.total_ns);
    pp_json_set_maybe_int(arena, limits, "body_max_bytes", run->limits.body_bytes_max);
    pp_json_set_maybe_int(arena, limits, "drain_ns", run->limits.drain_ns);
    pp_json_set_maybe_int(arena, limits, "idle_wait_ns", run->limits.idle_wait_ns);
    pp_json_set_text(arena, out, "tool_version", run->tool_version);
    pp_json_set_text(arena, out, "endpoint", pp_endpoint_without_secrets(arena, run->endpoint));
    pp_json_set_text(arena, out, "dialect", run->dialect);
    pp_json_set_maybe_text(arena, out, "model", run->model);
    pp_json_set_maybe_text(arena, out, "profile", run->profile);
    pp_json_set_string(arena, out, "origin", pp_origin_name(run->origin));
    pp_json_set_int(arena, out, "seed", (int64_t)run->seed);
    pp_json_set_int(arena, out, "started_unix_ms", run->started_unix_ms);
    pp_json_set_bool(arena, out, "keep_alive", run->keep_alive);
    if (run->server_was_sleeping)
        pp_json_set_bool(arena, out, "server_was_sleeping", true);
    if (run->server_recognised_by.size > 0)
        pp_json_set_text(arena, out, "server_recognised_by", run->server_recognised_by);
    pp_json_set(arena, out, "limits", limits);
    return out;
}

static pp_json *slo_json(pp_arena *arena, const pp_slo *slo)
{
    pp_json *out = pp_json_new_object(arena);
    bool of_time = slo->kind == PP_SLO_PERCENTILE || slo->kind == PP_SLO_EACH;

    pp_json_set_text(arena, out, "text", slo->text);
    pp_json_set_string(arena, out, "kind", pp_slo_kind_name(slo->kind));
    pp_json_set_string(arena, out, "metric", of_time ? pp_load_metric_name(slo->metric) : NULL);
    pp_json_set_maybe_real(arena, out, "percentile",
                           (pp_maybe_real){slo->kind == PP_SLO_PERCENTILE, slo->percent});
    pp_json_set_maybe_int(arena, out, "limit_ns", (pp_maybe_int){of_time, slo->limit_ns});
    pp_json_set_maybe_real(arena, out, "limit_percent",
                           (pp_maybe_real){!of_time, slo->limit_percent});
    return out;
}

static pp_json *rules_json(pp_arena *arena, const pp_load_rules *r)
{
    pp_json *out = pp_json_new_object(arena);
    pp_json *slos = pp_json_new_array(arena);
    pp_json *percents = pp_json_new_array(arena);

    for (size_t i = 0; i < r->slo_count; i++)
        pp_json_add(arena, slos, slo_json(arena, &r->slos[i]));
    for (size_t i = 0; i < r->percents.count; i++)
        pp_json_add(arena, percents, pp_json_new_real(arena, r->percents.values[i]));
    pp_json_set(arena, out, "slos", slos);
    pp_json_set(arena, out, "percentiles", percents);
    pp_json_set_real(arena, out, "confidence", r->confidence);
    if (r->stop_early)
        pp_json_set_bool(arena, out, "stop_early", true);
    pp_json_set_bool(arena, out, "cold", r->cold);
    pp_json_set_real(arena, out, "lateness_ms_p99_max", r->lateness_ms_p99_max);
    pp_json_set_real(arena, out, "stall_ms_max", r->stall_ms_max);
    pp_json_set_real(arena, out, "client_lag_ms_p99_max", r->client_lag_ms_p99_max);
    pp_json_set_real(arena, out, "client_cpu_share_max", r->client_cpu_share_max);
    pp_json_set_real(arena, out, "delivered_share_min", r->delivered_share_min);
    pp_json_set_real(arena, out, "steady_deviation_percent_max", r->steady_deviation_percent_max);
    pp_json_set_real(arena, out, "gathered_percent_max", r->gathered_percent_max);
    return out;
}

/* ---- drift ---------------------------------------------------------------------------------- */

bool pp_load_report_drift(const pp_load_report *report, pp_drift *ret_drift)
{
    const pp_load_report_level *first = report->levels;
    const pp_load_report_level *last = first + report->level_count - 1;

    if (report->find != NULL || report->level_count < 2 ||
        !pp_drift_is_repeat(&first->asked, &last->asked))
        return false;
    *ret_drift = pp_drift_between(&first->asked, &first->summary, &last->summary);
    return true;
}

static pp_json *change_json(pp_arena *arena, size_t measure, const pp_drift_change *change)
{
    pp_json *out = pp_json_new_object(arena);

    pp_json_set_string(arena, out, "measure", pp_drift_measure_name(measure));
    pp_json_set_maybe_real(arena, out, "first_ms_p50", change->first_ms_p50);
    pp_json_set_maybe_real(arena, out, "again_ms_p50", change->again_ms_p50);
    pp_json_set_maybe_real(arena, out, "change_percent", change->percent);
    pp_json_set_maybe_real(arena, out, "change_low_percent", change->low_percent);
    pp_json_set_maybe_real(arena, out, "change_high_percent", change->high_percent);
    pp_json_set_string(arena, out, "verdict", pp_drift_verdict_name(change->verdict));
    return out;
}

static void put_drift(pp_arena *arena, const pp_load_report *report, pp_json *document)
{
    pp_json *changes = pp_json_new_array(arena);
    pp_json *out = pp_json_new_object(arena);
    pp_drift drift;

    if (!pp_load_report_drift(report, &drift))
        return;
    for (size_t i = 0; i < PP_DRIFT_MEASURE_COUNT; i++)
        pp_json_add(arena, changes, change_json(arena, i, &drift.changes[i]));
    pp_json_set_int(arena, out, "first_level", report->levels[0].asked.number);
    pp_json_set_int(arena, out, "again_level",
                    report->levels[report->level_count - 1].asked.number);
    pp_json_set(arena, out, "changes", changes);
    pp_json_set_string(arena, out, "verdict", pp_drift_verdict_name(drift.verdict));
    pp_json_set(arena, document, "drift", out);
}

/* ---- drafts --------------------------------------------------------------------------------- */

const pp_load_report_level *pp_load_report_first_drafting(const pp_load_report *report)
{
    for (size_t i = 0; i < report->level_count; i++)
        if (report->levels[i].summary.speculation.low_ratio.known)
            return &report->levels[i];
    return NULL;
}

void pp_load_report_compare(pp_load_report *report)
{
    const pp_load_report_level *first = pp_load_report_first_drafting(report);

    for (size_t i = 0; first != NULL && i < report->level_count; i++) {
        pp_level_summary *s = &report->levels[i].summary;

        if (s->speculation.high_ratio.known &&
            s->speculation.high_ratio.value < first->summary.speculation.low_ratio.value)
            s->notes |= PP_NOTE_DRAFT_ACCEPTANCE_FELL;
    }
}

/* ---- the document --------------------------------------------------------------------------- */

static pp_status check_levels(const pp_load_report *report, pp_error *err)
{
    if (report->run.seed > INT64_MAX)
        return pp_fail(err, PP_ERR_DOMAIN, "load report: expected a seed below 2^63");
    for (size_t i = 0; i < report->level_count; i++) {
        const pp_load_level *level = &report->levels[i].asked;

        if (level->seed > INT64_MAX)
            return pp_fail(err, PP_ERR_DOMAIN, "level %lld: expected a seed below 2^63",
                           (long long)level->number);
        if (level->number < 1 || (i > 0 && level->number <= report->levels[i - 1].asked.number))
            return pp_fail(err, PP_ERR_DOMAIN, "level %lld: expected ascending numbers from 1",
                           (long long)level->number);
    }
    return PP_OK;
}

static bool is_partial(const pp_load_report *report)
{
    bool partial = report->is_partial;

    for (size_t i = 0; i < report->level_count; i++)
        partial = partial || report->levels[i].observed.ended_by == PP_LOAD_END_INTERRUPTED;
    return partial;
}

pp_status pp_load_report_make(pp_arena *arena, const pp_load_report *report, pp_json **ret_document,
                              pp_error *err)
{
    pp_json *out = pp_json_new_object(arena);
    pp_json *levels = pp_json_new_array(arena);
    pp_report_saturation saturation;
    pp_status st = check_levels(report, err);

    if (st == PP_OK)
        st = pp_load_report_saturation(arena, report, &saturation, err);
    if (st == PP_OK)
        st = put_find(arena, report, out, err);
    if (st != PP_OK)
        return pp_wrap(err, st, "making a load report");
    for (size_t i = 0; i < report->level_count; i++)
        pp_json_add(arena, levels, pp_load_report_level_json(arena, &report->levels[i]));
    pp_json_set_string(arena, out, "schema_version", "1.0");
    pp_json_set_string(arena, out, "document", "load-report");
    pp_json_set_bool(arena, out, "is_partial", is_partial(report));
    pp_json_set(arena, out, "run", run_json(arena, &report->run));
    pp_json_set(arena, out, "rules", rules_json(arena, &report->rules));
    pp_json_set(arena, out, "levels", levels);
    pp_json_set(arena, out, "saturation", saturation_json(arena, &saturation));
    put_drift(arena, report, out);
    *ret_document = out;
    return pp_arena_check(arena, err);
}
