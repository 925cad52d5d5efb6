#include "cli/load_table.h"

#include <math.h>
#include <string.h>

#include "cli/table.h"

const char *pp_load_time_text(pp_arena *arena, double ms)
{
    const char *unit = "ms";
    const char *number;
    double value = ms;

    if (ms >= 999.95) {
        value = ms / 1e3;
        unit = "s";
    } else if (ms > 0 && ms < 0.99995) {
        value = ms * 1e3;
        unit = "us";
    }
    number = pp_number_text(arena, value);
    return number == NULL ? NULL : pp_arena_printf(arena, "%s%s", number, unit);
}

/* ---- levels --------------------------------------------------------------------------------- */

typedef struct printer {
    pp_arena *arena;
    FILE *out;
    bool marked_maximum, marked_whole; /* what the lines below the table explain */
} printer;

static const char *load_text(pp_arena *arena, const pp_load_level *level)
{
    if (level->loop == PP_LOAD_CLOSED)
        return pp_arena_printf(arena, "%lld", (long long)level->clients);
    if (level->loop == PP_LOAD_TRACE)
        return "trace";
    return pp_arena_printf(arena, "%s/s", pp_number_text(arena, level->rate_per_second));
}

static const char *failed_text(pp_arena *arena, const pp_level_summary *s)
{
    if (s->failed_count == 0 || !s->error_percent.known)
        return pp_arena_printf(arena, "%lld", (long long)s->failed_count);
    return pp_arena_printf(arena, "%lld (%s%%)", (long long)s->failed_count,
                           pp_number_text(arena, round(s->error_percent.value)));
}

static const char *tail_text(printer *p, const pp_load_figures *f, double percent)
{
    const pp_tail *at = NULL;

    for (size_t i = 0; i < f->tail_count && at == NULL; i++)
        if (f->tails[i].at.percent == percent)
            at = &f->tails[i].at;
    if (at == NULL || at->rank == 0)
        return "-";
    if (at->is_endless)
        return "failed";
    if (!at->is_maximum)
        return pp_load_time_text(p->arena, at->value);
    p->marked_maximum = true;
    return pp_arena_printf(p->arena, "%s*", pp_load_time_text(p->arena, at->value));
}

/* Over the steady window, else marked, over the whole run. */
static const char *rate_text(printer *p, const pp_level_summary *s, bool tokens)
{
    const pp_load_window *w = s->steady.known ? &s->steady : &s->whole;
    const char *number;

    if (!w->known)
        return "-";
    number = pp_number_text(p->arena, tokens ? w->tokens_per_second : w->requests_per_second);
    if (s->steady.known || number == NULL)
        return number;
    p->marked_whole = true;
    return pp_arena_printf(p->arena, "%s~", number);
}

static const char *verdict_text(const pp_level_summary *s)
{
    if (s->doubts != 0)
        return "not valid";
    return s->has_verdict ? pp_slo_verdict_name(s->verdict) : "-";
}

static void add_columns(pp_table *table)
{
    static const struct {
        const char *header;
        pp_align align;
    } columns[] = {
        {"clients\nor rate", PP_ALIGN_RIGHT}, {"\nok", PP_ALIGN_RIGHT},
        {"\nfailed", PP_ALIGN_RIGHT},         {"\nreq/s", PP_ALIGN_RIGHT},
        {"\ntok/s", PP_ALIGN_RIGHT},          {"TTFT\np50", PP_ALIGN_RIGHT},
        {"TTFT\np95", PP_ALIGN_RIGHT},        {"E2E\np95", PP_ALIGN_RIGHT},
        {"a token\np50", PP_ALIGN_RIGHT},     {"\nverdict", PP_ALIGN_LEFT},
    };

    for (size_t i = 0; i < PP_COUNT_OF(columns); i++)
        pp_table_add_column(table, columns[i].header, columns[i].align);
}

static void set_level(printer *p, pp_table *table, const pp_load_report_level *level)
{
    const pp_level_summary *s = &level->summary;
    bool closed = level->asked.loop == PP_LOAD_CLOSED;
    const pp_load_measure *ttft = closed ? &s->ttft : &s->ttft_due;
    const pp_load_measure *e2e = closed ? &s->e2e : &s->e2e_due;
    const char *cells[] = {
        load_text(p->arena, &level->asked),
        pp_arena_printf(p->arena, "%lld", (long long)s->ok_count),
        failed_text(p->arena, s),
        rate_text(p, s, false),
        rate_text(p, s, true),
        tail_text(p, &ttft->with_failures, 50),
        tail_text(p, &ttft->with_failures, 95),
        tail_text(p, &e2e->with_failures, 95),
        tail_text(p, &s->tpot.with_failures, 50),
        verdict_text(s),
    };

    for (size_t i = 0; i < PP_COUNT_OF(cells); i++)
        pp_table_set(table, i, cells[i]);
}

static bool any_open(const pp_load_report *report)
{
    for (size_t i = 0; i < report->level_count; i++)
        if (report->levels[i].asked.loop != PP_LOAD_CLOSED)
            return true;
    return false;
}

static void print_levels(printer *p, const pp_load_report *report)
{
    pp_table table;

    pp_table_init(&table, p->arena);
    add_columns(&table);
    for (size_t i = 0; i < report->level_count; i++)
        if (pp_table_add_row(&table))
            set_level(p, &table, &report->levels[i]);
    pp_table_print(&table, p->out);
    if (p->marked_maximum)
        pp_note_print("*", "the largest: so few requests do not support the percentile", p->out);
    if (p->marked_whole)
        pp_note_print("~", "over the whole run: there was no steady window", p->out);
    if (any_open(report))
        pp_note_print("from", "TTFT and E2E of open loop count from the instant a request was due",
                      p->out);
}

/* ---- verdicts ------------------------------------------------------------------------------- */

static const char *percent_text(pp_arena *arena, pp_maybe_real percent)
{
    const char *number = percent.known ? pp_number_text(arena, percent.value) : "-";

    return number == NULL ? "" : number;
}

static const char *because(pp_arena *arena, const pp_slo_result *r)
{
    if (r->verdict != PP_SLO_UNDECIDED)
        return "";
    if (r->needed_more_count.known)
        return pp_arena_printf(arena, "; %lld more requests would decide if none is over",
                               (long long)r->needed_more_count.value);
    return pp_arena_printf(arena, "; %s", pp_slo_reason_name(r->reason));
}

static const char *dependent_text(pp_arena *arena, const pp_slo_result *r)
{
    if (!r->is_dependent)
        return "";
    return pp_arena_printf(arena, "; neighbours are alike (%s), worth %lld requests",
                           percent_text(arena, r->autocorrelation), (long long)r->effective_count);
}

static const char *result_text(pp_arena *arena, const pp_slo_result *r)
{
    const char *counted;
    const char *slo = pp_table_cell_text(arena, r->slo->text, 60);

    if (r->slo->kind == PP_SLO_PERCENTILE)
        counted = pp_arena_printf(arena, "%lld of %lld over (%s %%)", (long long)r->violation_count,
                                  (long long)r->counted, percent_text(arena, r->seen_percent));
    else
        counted = pp_arena_printf(arena, "%s %% of %lld, not ruled out %s %%",
                                  percent_text(arena, r->seen_percent), (long long)r->counted,
                                  percent_text(arena, r->bound_percent));
    return pp_arena_printf(arena, "%s %s: %s%s%s", slo, pp_slo_verdict_name(r->verdict),
                           counted == NULL ? "" : counted, dependent_text(arena, r),
                           because(arena, r));
}

static const char *names_text(pp_arena *arena, const char *head, unsigned bits,
                              const char *(*name)(size_t n))
{
    const char *text = head;

    for (size_t i = 0, n = 0; name(i) != NULL && text != NULL; i++)
        if ((bits & 1u << i) != 0)
            text = pp_arena_printf(arena, "%s%s %s", text, n++ > 0 ? "," : "", name(i));
    return text;
}

static const char *failures_text(pp_arena *arena, const pp_level_summary *s)
{
    const char *text = "failed:";

    for (size_t i = 1, n = 0; i < PP_FAILURE_COUNT && text != NULL; i++)
        if (s->failures[i] > 0 && i != PP_FAILURE_CUT)
            text = pp_arena_printf(arena, "%s%s %lld %s", text, n++ > 0 ? "," : "",
                                   (long long)s->failures[i], pp_failure_name((pp_failure)i));
    return text;
}

static void print_level_notes(printer *p, const pp_load_report_level *level)
{
    const pp_level_summary *s = &level->summary;
    const char *load = load_text(p->arena, &level->asked);

    for (size_t i = 0; i < s->result_count; i++)
        pp_note_print(load, result_text(p->arena, &s->results[i]), p->out);
    if (s->failed_count > 0)
        pp_note_print(load, failures_text(p->arena, s), p->out);
    if (s->doubts != 0)
        pp_note_print(load, names_text(p->arena, "not valid:", s->doubts, pp_load_doubt_name),
                      p->out);
    if (s->notes != 0)
        pp_note_print(load, names_text(p->arena, "note:", s->notes, pp_load_note_name), p->out);
    if (s->cut_count > 0)
        pp_note_print(
            load,
            pp_arena_printf(p->arena, "%lld cut when the level ended", (long long)s->cut_count),
            p->out);
}

/* ---- saturation and search ------------------------------------------------------------------ */

static const char *clients_at(pp_arena *arena, const pp_report_saturation *s, pp_maybe_int level)
{
    if (!level.known)
        return "none of the levels";
    return pp_arena_printf(arena, "%s clients",
                           pp_number_text(arena, s->points[level.value].clients));
}

static const char *knee_text(pp_arena *arena, const pp_scalability *curve)
{
    if (curve->state != PP_KNEE_KNOWN)
        return pp_arena_printf(arena, "cannot tell (%s)", pp_knee_state_name(curve->state));
    return pp_arena_printf(
        arena, "%s clients, 95 %% interval %s to %s", pp_number_text(arena, curve->knee_clients),
        pp_number_text(arena, curve->knee_low), pp_number_text(arena, curve->knee_high));
}

static void print_saturation(printer *p, const pp_report_saturation *s)
{
    if (!s->known)
        return;
    pp_note_print("saturated",
                  pp_arena_printf(p->arena, "first gain under 10 %% (of %s/s, %s): %s",
                                  s->of_tokens ? "tokens" : "requests",
                                  s->of_steady ? "steady windows" : "whole runs",
                                  clients_at(p->arena, s, s->result.gain_level)),
                  p->out);
    pp_note_print("",
                  pp_arena_printf(p->arena, "first within 5 %% of the peak: %s",
                                  clients_at(p->arena, s, s->result.near_level)),
                  p->out);
    pp_note_print("",
                  pp_arena_printf(p->arena, "knee of the fitted curve: %s",
                                  knee_text(p->arena, &s->result.curve)),
                  p->out);
}

static const char *maybe_load(pp_arena *arena, pp_maybe_real load)
{
    const char *number = load.known ? pp_number_text(arena, load.value) : "none";

    return number == NULL ? "" : number;
}

static void print_find(printer *p, const pp_find_options *options, const pp_find_answer *a)
{
    const char *text = pp_arena_printf(
        p->arena, "highest pass %s, lowest fail %s %s; %s%s", maybe_load(p->arena, a->highest_pass),
        maybe_load(p->arena, a->lowest_fail), options->whole ? "clients" : "requests/s",
        pp_find_end_name(a->end), a->undecided_count > 0 ? "; undecided" : "");

    for (size_t i = 0; i < a->undecided_count && text != NULL; i++)
        text = pp_arena_printf(p->arena, "%s%s %s", text, i > 0 ? "," : "",
                               pp_number_text(p->arena, a->undecided[i]));
    if (a->is_contradictory && text != NULL)
        text = pp_arena_printf(p->arena, "%s; a higher load passed: not one limit", text);
    pp_note_print("search", text, p->out);
}

pp_status pp_load_table_print(pp_arena *arena, const pp_load_report *report, FILE *out,
                              pp_error *err)
{
    printer p = {.arena = arena, .out = out};
    pp_report_saturation saturation;
    pp_find_answer answer;
    pp_status st = pp_load_report_saturation(arena, report, &saturation, err);

    if (st == PP_OK && report->find != NULL)
        st = pp_load_report_find(report, &answer, err);
    if (st != PP_OK)
        return st;
    print_levels(&p, report);
    for (size_t i = 0; i < report->level_count; i++)
        print_level_notes(&p, &report->levels[i]);
    print_saturation(&p, &saturation);
    if (report->find != NULL)
        print_find(&p, report->find, &answer);
    return pp_arena_check(arena, err);
}
