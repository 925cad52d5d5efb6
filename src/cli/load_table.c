#include "cli/load_table.h"

#include <math.h>

#include "cli/load_notes.h"
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
    return pp_load_level_text(arena, level);
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
        {"TPOT\np50", PP_ALIGN_RIGHT},        {"\nverdict", PP_ALIGN_LEFT},
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

pp_status pp_load_table_print(pp_arena *arena, const pp_load_report *report, const char *failure,
                              FILE *out, pp_error *err)
{
    printer p = {.arena = arena, .out = out};

    print_levels(&p, report);
    return pp_load_notes_print(arena, report, failure, out, err);
}
