#include "cli/decision_table.h"

#include <stdlib.h>
#include <string.h>

#include "cli/table.h"
#include "decide/recommendation.h"

/* A table of thousands of rows helps nobody; decision-details.json has them all. */
#define MAX_TABLE_ROWS     40
#define MAX_NOTES          20
#define ID_COLUMNS         28
#define HEADER_COLUMNS     12
/* A line of its own has more room than a cell. */
#define LINE_ID_COLUMNS    40
#define LINE_LABEL_COLUMNS 60

/* What is being printed; texts are made in the arena. */
typedef struct printed {
    pp_arena *arena;
    const pp_decision *decision;
} printed;

/* ---- the table ----------------------------------------------------------------------------- */

static const char *shown(const printed *t, pp_text text, size_t columns)
{
    return pp_table_cell_text(t->arena, text, columns);
}

static const char *shown_id(const printed *t, size_t candidate)
{
    return shown(t, t->decision->set->candidates[candidate].id, ID_COLUMNS);
}

/* "e2e_latency_ms_p95" over several lines, broken at underscores, the unit last */
static const char *metric_header(const printed *t, pp_text metric)
{
    const char *name = shown(t, metric, 4 * HEADER_COLUMNS);
    const char *unit = pp_metric_unit(metric);
    pp_buf out;
    const char *header;
    size_t column = 0;

    pp_buf_init(&out, 512);
    while (*name != '\0') {
        size_t word = strcspn(name, "_");

        word += name[word] == '_';
        if (column > 0 && column + word > HEADER_COLUMNS) {
            pp_buf_append_char(&out, '\n');
            column = 0;
        }
        pp_buf_append(&out, name, word);
        column += word;
        name += word;
    }
    if (unit[0] != '\0')
        pp_buf_printf(&out, "\n(%s)", unit);
    header = pp_arena_dup(t->arena, pp_buf_text(&out), out.size);
    pp_buf_done(&out);
    return header;
}

static const printed *sorted_table; /* qsort has no argument for it; one command runs at a time */

static int compare_for_table(const void *a, const void *b)
{
    size_t x = *(const size_t *)a;
    size_t y = *(const size_t *)b;
    const pp_verdict *verdicts = sorted_table->decision->verdicts;

    if (verdicts[x].standing != verdicts[y].standing)
        return verdicts[x].standing > verdicts[y].standing ? -1 : 1;
    return (x > y) - (x < y);
}

/* Selected first, rejected last, document order among equals. NULL when memory is short. */
static size_t *table_order(const printed *t)
{
    size_t *order = PP_ARENA_NEW(t->arena, size_t, t->decision->set->candidate_count);

    for (size_t i = 0; order != NULL && i < t->decision->set->candidate_count; i++)
        order[i] = i;
    sorted_table = t;
    if (order != NULL)
        qsort(order, t->decision->set->candidate_count, sizeof *order, compare_for_table);
    return order;
}

/* The objective, then the other frontier metrics in document order. */
static pp_text column_metric(const printed *t, size_t column)
{
    const pp_constraints *c = t->decision->constraints;
    size_t seen = 0;

    if (column == 0)
        return c->objective.metric;
    for (size_t i = 0; i < c->frontier_metric_count; i++) {
        pp_text metric = c->frontier_metrics[i].metric;

        if (!pp_text_equal(metric, c->objective.metric) && ++seen == column)
            return metric;
    }
    return (pp_text){0};
}

static const char *metric_cell(const printed *t, size_t candidate, pp_text metric)
{
    const double *value =
        pp_candidate_find_metric(&t->decision->set->candidates[candidate], metric);

    return value == NULL ? "not measured" : pp_number_text(t->arena, *value);
}

static void fill_table(const printed *t, const size_t *order, size_t n_metrics, pp_table *table)
{
    pp_table_init(table, t->arena);
    pp_table_add_column(table, "candidate", PP_ALIGN_LEFT);
    pp_table_add_column(table, "status", PP_ALIGN_LEFT);
    for (size_t i = 0; i < n_metrics; i++)
        pp_table_add_column(table, metric_header(t, column_metric(t, i)), PP_ALIGN_RIGHT);
    for (size_t i = 0; i < t->decision->set->candidate_count && i < MAX_TABLE_ROWS; i++) {
        if (!pp_table_add_row(table))
            return;
        pp_table_set(table, 0, shown_id(t, order[i]));
        pp_table_set(table, 1, pp_standing_name(t->decision->verdicts[order[i]].standing));
        for (size_t j = 0; j < n_metrics; j++)
            pp_table_set(table, 2 + j, metric_cell(t, order[i], column_metric(t, j)));
    }
}

static void print_table(const printed *t, const size_t *order, FILE *out)
{
    size_t all = t->decision->constraints->frontier_metric_count;
    size_t n_metrics = all < PP_TABLE_MAX_COLUMNS - 2 ? all : PP_TABLE_MAX_COLUMNS - 2;
    pp_table table;

    fill_table(t, order, n_metrics, &table);
    while (n_metrics > 1 && pp_table_width(&table) > PP_TERMINAL_COLUMNS)
        fill_table(t, order, --n_metrics, &table);
    pp_table_print(&table, out);
    if (t->decision->set->candidate_count > MAX_TABLE_ROWS)
        fprintf(out, "... and %zu more candidates; --details FILE lists all\n",
                t->decision->set->candidate_count - MAX_TABLE_ROWS);
    if (n_metrics < all)
        fprintf(out, "... and %zu more metrics; --json prints all of the selected candidate\n",
                all - n_metrics);
}

/* ---- the lines below it -------------------------------------------------------------------- */

static const char *percent_text(const printed *t, bool known, double percent)
{
    return known ? pp_arena_printf(t->arena, " (%s %%)", pp_number_text(t->arena, percent)) : "";
}

static const char *violation_text(const printed *t, const pp_violation *v)
{
    pp_arena *arena = t->arena;
    const char *name = shown(t, v->metric, 40);

    if (v->kind == PP_VIOLATION_MISSING_METRIC)
        return v->of_baseline ? pp_arena_printf(arena, "%s of the baseline is missing or 0", name)
                              : pp_arena_printf(arena, "%s was not measured", name);
    return pp_arena_printf(
        arena, "%s %s, %s %s, missed by %s%s", name, pp_metric_text(arena, v->metric, v->value),
        v->kind == PP_VIOLATION_ABOVE_MAXIMUM       ? "at most"
        : v->kind == PP_VIOLATION_QUALITY_RETENTION ? "quality floor"
                                                    : "at least",
        pp_metric_text(arena, v->metric, v->limit), pp_metric_text(arena, v->metric, -v->slack),
        percent_text(t, v->has_slack_percent, -v->slack_percent));
}

static const char *rejection_text(const printed *t, size_t candidate)
{
    const pp_violations *violations = &t->decision->verdicts[candidate].violations;
    const char *text = shown_id(t, candidate);

    for (size_t i = 0; text != NULL && i < violations->count; i++)
        text = pp_arena_printf(t->arena, "%s%s %s", text, i == 0 ? ":" : ";",
                               violation_text(t, &violations->items[i]));
    return text;
}

static const char *note_text(const printed *t, size_t candidate)
{
    const pp_verdict *verdict = &t->decision->verdicts[candidate];

    if (verdict->standing == PP_STANDING_REJECTED)
        return rejection_text(t, candidate);
    return pp_arena_printf(t->arena, "%s by %s", shown_id(t, candidate),
                           shown_id(t, verdict->dominated_by));
}

static void print_notes(const printed *t, const size_t *order, FILE *out)
{
    size_t count = 0;
    size_t left_out = 0;

    for (size_t i = 0; i < t->decision->set->candidate_count; i++) {
        pp_standing standing = t->decision->verdicts[order[i]].standing;

        if (standing > PP_STANDING_DOMINATED)
            continue;
        if (count++ < MAX_NOTES)
            pp_note_print(pp_standing_name(standing), note_text(t, order[i]), out);
        else
            left_out++;
    }
    if (left_out > 0)
        fprintf(out, "... and %zu more; --details FILE lists all\n", left_out);
}

void pp_decision_print_selected(pp_arena *arena, const pp_decision *decision, FILE *out)
{
    const pp_benchmark_set *set = decision->set;
    const pp_candidate *winner = &set->candidates[decision->selected];

    pp_note_print(
        "selected",
        pp_arena_printf(arena, "%s (%s)%s", pp_table_cell_text(arena, winner->id, LINE_ID_COLUMNS),
                        pp_table_cell_text(arena, winner->label, LINE_LABEL_COLUMNS),
                        decision->selected == set->baseline_index ? ", the baseline" : ""),
        out);
}

static void print_winner(const printed *t, FILE *out)
{
    const pp_decision *d = t->decision;
    const pp_goal *goal = &t->decision->constraints->objective;
    const char *reason = pp_decision_reason(t->arena, d);

    pp_decision_print_selected(t->arena, d, out);
    pp_note_print("reason", reason == NULL ? NULL : shown(t, pp_text_of(reason), 1000), out);
    if (d->near_miss == PP_NOT_FOUND)
        return;
    pp_note_print(
        "near miss",
        pp_arena_printf(t->arena, "%s: %s is %s%s outside the cutoff %s", shown_id(t, d->near_miss),
                        shown(t, goal->metric, 40),
                        pp_metric_text(t->arena, goal->metric, d->verdicts[d->near_miss].shortfall),
                        percent_text(t, d->verdicts[d->near_miss].has_shortfall_percent,
                                     d->verdicts[d->near_miss].shortfall_percent),
                        pp_metric_text(t->arena, goal->metric, d->cutoff)),
        out);
}

static void print_caveats(const printed *t, FILE *out)
{
    if (t->decision->set->origin != PP_ORIGIN_MEASURED)
        pp_note_print("origin",
                      pp_arena_printf(t->arena, "%s: %s", pp_origin_name(t->decision->set->origin),
                                      pp_origin_meaning(t->decision->set->origin)),
                      out);
    if (t->decision->constraints->quality_not_measurable)
        pp_note_print("quality", "quality not judged: the constraints call it not measurable", out);
    if (t->decision->dominance == PP_DOMINANCE_EXACT)
        pp_note_print("near ties",
                      "candidates that nearly tie beat each other in a circle; they were compared "
                      "exactly",
                      out);
}

pp_status pp_decision_table_print(pp_arena *arena, const pp_decision *decision, FILE *out,
                                  pp_error *err)
{
    const printed table = {arena, decision};
    const printed *t = &table;
    const size_t *order = table_order(t);

    if (order == NULL)
        return pp_arena_check(t->arena, err);
    print_table(t, order, out);
    (void)fputc('\n', out);
    if (t->decision->has_winner)
        print_winner(t, out);
    print_notes(t, order, out);
    print_caveats(t, out);
    return pp_arena_check(t->arena, err);
}
