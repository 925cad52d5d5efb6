#include "capacity/load_csv.h"

#include "base/csv.h"

/* ---- cells ---------------------------------------------------------------------------------- */

static void put_real(pp_buf *csv, bool known, double value)
{
    pp_csv_maybe_real(csv, (pp_maybe_real){known, value});
}

static void put_ms(pp_buf *csv, pp_maybe_int ns)
{
    put_real(csv, ns.known, (double)ns.value / 1e6);
}

/* ---- levels --------------------------------------------------------------------------------- */

static const double percents[] = {50, 90, 95, 99};

/* The percentile of the rules, an empty cell when they do not have it or it failed. */
static void put_tail(pp_buf *csv, const pp_load_figures *f, double percent)
{
    for (size_t i = 0; i < f->tail_count; i++) {
        const pp_tail *at = &f->tails[i].at;

        if (at->percent == percent) {
            put_real(csv, at->rank > 0 && !at->is_endless, at->value);
            return;
        }
    }
    pp_csv_empty(csv);
}

static void put_tails(pp_buf *csv, const pp_load_figures *f)
{
    pp_csv_int(csv, f->count);
    put_real(csv, f->mean.known, f->mean.value);
    for (size_t i = 0; i < PP_COUNT_OF(percents); i++)
        put_tail(csv, f, percents[i]);
    put_real(csv, f->max.known, f->max.value);
}

typedef struct figures_column {
    const char *name;
    size_t offset;
} figures_column;

#define FIGURES(column, member)                                                                    \
    {                                                                                              \
        column, offsetof(pp_level_summary, member)                                                 \
    }

static const figures_column figures_columns[] = {
    FIGURES("ttft_ok_ms", ttft.ok),
    FIGURES("ttft_with_failures_ms", ttft.with_failures),
    FIGURES("ttft_from_due_ok_ms", ttft_due.ok),
    FIGURES("ttft_from_due_with_failures_ms", ttft_due.with_failures),
    FIGURES("first_answer_ok_ms", first_answer.ok),
    FIGURES("e2e_ok_ms", e2e.ok),
    FIGURES("e2e_with_failures_ms", e2e.with_failures),
    FIGURES("e2e_from_due_ok_ms", e2e_due.ok),
    FIGURES("e2e_from_due_with_failures_ms", e2e_due.with_failures),
    FIGURES("tpot_ok_ms", tpot.ok),
    FIGURES("tpot_with_failures_ms", tpot.with_failures),
    FIGURES("gap_ms", gaps),
    FIGURES("lateness_ms", lateness),
    FIGURES("connect_ms", connect),
    FIGURES("stream_end_ms", stream_end),
    FIGURES("generation_tokens_per_second", generation_rate),
    FIGURES("request_tokens_per_second", request_rate),
};

static const char *const level_columns[] = {
    "level",
    "loop",
    "clients",
    "rate_per_second",
    "ended_by",
    "issued",
    "ok",
    "failed",
    "cut",
    "warmup",
    "error_percent",
    "steady_seconds",
    "steady_requests_per_second",
    "steady_generated_tokens_per_second",
    "steady_good_requests_per_second",
    "whole_seconds",
    "whole_requests_per_second",
    "whole_generated_tokens_per_second",
    "whole_good_requests_per_second",
    "in_flight_mean",
    "littles_law_deviation_percent",
    "delivered_per_second",
    "cached_percent",
    "client_cpu_share",
    "valid",
    "doubts",
    "notes",
    "verdict",
};

static void put_header_of_figures(pp_buf *csv, const char *name)
{
    static const char *const parts[] = {"count", "mean", "p50", "p90", "p95", "p99", "max"};

    for (size_t i = 0; i < PP_COUNT_OF(parts); i++)
        pp_buf_printf(csv, "%s_%s,", name, parts[i]);
}

static void put_level_header(pp_buf *csv)
{
    for (size_t i = 0; i < PP_COUNT_OF(level_columns); i++)
        pp_csv_word(csv, level_columns[i]);
    for (size_t i = 0; i < PP_COUNT_OF(figures_columns); i++)
        put_header_of_figures(csv, figures_columns[i].name);
    pp_csv_end_row(csv);
}

static void put_window(pp_buf *csv, const pp_load_window *w)
{
    put_real(csv, w->known, (w->to_ms - w->from_ms) / 1e3);
    put_real(csv, w->known, w->requests_per_second);
    put_real(csv, w->known, w->tokens_per_second);
    put_real(csv, w->known && w->good_per_second.known, w->good_per_second.value);
}

/* Names in one cell, divided by blanks. */
static void put_names(pp_buf *csv, unsigned bits, const char *(*name)(size_t n))
{
    bool first = true;

    for (size_t i = 0; name(i) != NULL; i++) {
        if ((bits & 1u << i) == 0)
            continue;
        pp_buf_printf(csv, "%s%s", first ? "" : " ", name(i));
        first = false;
    }
    pp_csv_empty(csv);
}

static void put_level(pp_buf *csv, const pp_load_report_level *level)
{
    const pp_level_summary *s = &level->summary;

    pp_csv_int(csv, level->asked.number);
    pp_csv_word(csv, pp_load_loop_name(level->asked.loop));
    pp_csv_maybe_int(csv,
                     (pp_maybe_int){level->asked.loop == PP_LOAD_CLOSED, level->asked.clients});
    put_real(csv, level->asked.loop == PP_LOAD_OPEN, level->asked.rate_per_second);
    pp_csv_word(csv, pp_load_end_name(level->observed.ended_by));
    pp_csv_int(csv, s->issued_count);
    pp_csv_int(csv, s->ok_count);
    pp_csv_int(csv, s->failed_count);
    pp_csv_int(csv, s->cut_count);
    pp_csv_int(csv, s->warmup_count);
    put_real(csv, s->error_percent.known, s->error_percent.value);
    put_window(csv, &s->steady);
    put_window(csv, &s->whole);
    put_real(csv, s->little.known, s->little.in_flight_mean);
    put_real(csv, s->little.known, s->little.deviation_percent);
    put_real(csv, s->rate.delivered_per_second.known, s->rate.delivered_per_second.value);
    put_real(csv, s->cache.cached_percent.known, s->cache.cached_percent.value);
    put_real(csv, s->client_cpu_share.known, s->client_cpu_share.value);
    pp_csv_word(csv, s->doubts == 0 ? "true" : "false");
    put_names(csv, s->doubts, pp_load_doubt_name);
    put_names(csv, s->notes, pp_load_note_name);
    pp_csv_word(csv, s->has_verdict ? pp_slo_verdict_name(s->verdict) : NULL);
    for (size_t i = 0; i < PP_COUNT_OF(figures_columns); i++)
        put_tails(csv, (const pp_load_figures *)((const char *)s + figures_columns[i].offset));
    pp_csv_end_row(csv);
}

pp_status pp_load_levels_csv(const pp_load_report *report, pp_buf *csv, pp_error *err)
{
    put_level_header(csv);
    for (size_t i = 0; i < report->level_count; i++)
        put_level(csv, &report->levels[i]);
    return pp_buf_check(csv, "table of levels", err);
}

/* ---- requests ------------------------------------------------------------------------------- */

static const char *const request_columns[] = {
    "candidate",
    "pass",
    "level",
    "phase",
    "index",
    "prompt_id",
    "status",
    "failure",
    "failure_text",
    "http_status",
    "scheduled_ms",
    "started_ms",
    "lateness_ms",
    "connect_ms",
    "ttft_ms",
    "first_answer_ms",
    "e2e_ms",
    "stream_end_ms",
    "tpot_ms",
    "asked_tokens",
    "prompt_tokens",
    "cached_tokens",
    "generated_tokens",
    "token_source",
    "finish",
    "text_events",
    "client_lag_ms_p99",
    "flags",
};

static const char *flag_or_null(size_t n)
{
    return n < PP_SAMPLE_FLAG_COUNT ? pp_sample_flag_name(n) : NULL;
}

static void put_times(pp_buf *csv, const pp_sample *s)
{
    pp_maybe_real tpot = pp_sample_time_per_token_ns(s);

    put_real(csv, true, (double)s->scheduled_ns / 1e6);
    put_real(csv, true, (double)s->started_ns / 1e6);
    put_real(csv, true, ((double)s->started_ns - (double)s->scheduled_ns) / 1e6);
    put_ms(csv, s->connect_ns);
    put_ms(csv, s->ttft_ns);
    put_ms(csv, s->first_answer_ns);
    put_ms(csv, s->e2e_ns);
    put_real(csv, true, (double)s->stream_end_ns / 1e6);
    put_real(csv, tpot.known, tpot.value / 1e6);
}

static void put_request(pp_buf *csv, const pp_sample *s)
{
    bool ok = pp_sample_is_ok(s);

    pp_csv_text(csv, s->id.candidate);
    pp_csv_int(csv, s->id.pass);
    pp_csv_maybe_int(csv, s->id.level);
    pp_csv_word(csv, pp_phase_name(s->id.phase));
    pp_csv_int(csv, s->id.index);
    pp_csv_text(csv, s->id.prompt_id);
    pp_csv_word(csv, ok ? "ok" : s->failure == PP_FAILURE_CUT ? "cut" : "failed");
    pp_csv_word(csv, ok ? NULL : pp_failure_name(s->failure));
    pp_csv_text(csv, s->failure_text);
    pp_csv_maybe_int(csv, s->http_status);
    put_times(csv, s);
    pp_csv_int(csv, s->asked_tokens);
    pp_csv_maybe_int(csv, s->prompt_tokens);
    pp_csv_maybe_int(csv, s->cached_tokens);
    pp_csv_maybe_int(csv, s->generated_tokens);
    pp_csv_word(csv, pp_token_source_name(s->token_source));
    pp_csv_text(csv, s->finish);
    pp_csv_int(csv, s->text_event_count);
    put_ms(csv, s->client_lag_ns_p99);
    put_names(csv, s->flags, flag_or_null);
    pp_csv_end_row(csv);
}

pp_status pp_load_requests_csv(const pp_sample *samples, size_t n, pp_buf *csv, pp_error *err)
{
    for (size_t i = 0; i < PP_COUNT_OF(request_columns); i++)
        pp_csv_word(csv, request_columns[i]);
    pp_csv_end_row(csv);
    for (size_t i = 0; i < n; i++)
        put_request(csv, &samples[i]);
    return pp_buf_check(csv, "table of requests", err);
}
