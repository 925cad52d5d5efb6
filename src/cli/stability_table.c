#include "cli/stability_table.h"

#include "cli/table.h"

/* A table of hundreds of rows helps nobody; the document has them all. */
#define MAX_TABLE_ROWS 60
#define NAME_COLUMNS   26

enum { COLUMN_CANDIDATE, COLUMN_METRIC, COLUMN_LEAST, COLUMN_MOST, COLUMN_SPREAD, COLUMN_OVERALL };

static void add_columns(pp_table *table)
{
    pp_table_add_column(table, "candidate", PP_ALIGN_LEFT);
    pp_table_add_column(table, "metric", PP_ALIGN_LEFT);
    pp_table_add_column(table, "worst pass\nagainst the\nbaseline (%)", PP_ALIGN_RIGHT);
    pp_table_add_column(table, "best pass\nagainst the\nbaseline (%)", PP_ALIGN_RIGHT);
    pp_table_add_column(table, "spread\n(%)", PP_ALIGN_RIGHT);
    pp_table_add_column(table, "passes say", PP_ALIGN_LEFT);
}

/* The lowest or the highest delta; a pass whose delta has no number leaves both unknown. */
static const char *delta_cell(pp_arena *arena, const pp_stability_row *row, size_t n_passes,
                              bool is_most)
{
    double found = row->values[0].delta_percent;
    const char *number;

    for (size_t i = 0; i < n_passes; i++) {
        double delta = row->values[i].delta_percent;

        if (!row->values[i].has_delta)
            return "unknown";
        if (is_most ? delta > found : delta < found)
            found = delta;
    }
    number = pp_number_text(arena, found);
    return number == NULL ? NULL : pp_arena_printf(arena, "%s%s", found > 0 ? "+" : "", number);
}

static void set_row(pp_arena *arena, pp_table *table, const pp_stability *s, size_t index)
{
    const pp_stability_row *row = &s->rows[index];

    pp_table_set(table, COLUMN_CANDIDATE,
                 pp_table_cell_text(arena, s->candidates[index / s->goal_count].id, NAME_COLUMNS));
    pp_table_set(table, COLUMN_METRIC,
                 pp_table_cell_text(arena, s->goals[index % s->goal_count].metric, NAME_COLUMNS));
    pp_table_set(table, COLUMN_LEAST, delta_cell(arena, row, s->pass_count, false));
    pp_table_set(table, COLUMN_MOST, delta_cell(arena, row, s->pass_count, true));
    pp_table_set(table, COLUMN_SPREAD,
                 row->has_spread ? pp_number_text(arena, row->spread_percent) : "unknown");
    pp_table_set(table, COLUMN_OVERALL, pp_trend_name(row->overall));
}

static void print_passes(pp_arena *arena, const pp_stability *s, FILE *out)
{
    fputs("passes    ", out);
    for (size_t i = 0; i < s->pass_count; i++)
        fprintf(out, "%s%s", i > 0 ? ", " : "",
                pp_table_cell_text(arena, s->pass_labels[i], NAME_COLUMNS));
    fputc('\n', out);
}

static size_t count_mixed(const pp_stability *s)
{
    size_t count = 0;

    for (size_t i = 0; i < s->candidate_count * s->goal_count; i++)
        count += s->rows[i].overall == PP_TREND_MIXED;
    return count;
}

static void print_notes(pp_arena *arena, const pp_stability *s, FILE *out)
{
    print_passes(arena, s, out);
    fprintf(out, "baseline  %s\n", pp_table_cell_text(arena, s->baseline_id, NAME_COLUMNS));
    if (count_mixed(s) > 0)
        fprintf(out, "mixed     %zu of %zu: their passes do not agree on the direction\n",
                count_mixed(s), s->candidate_count * s->goal_count);
    if (s->synthetic)
        fputs("synthetic not all figures were measured with a real model on a real machine\n", out);
    fputs("method    what was observed; says nothing about significance\n", out);
}

pp_status pp_stability_table_print(pp_arena *arena, const pp_stability *s, FILE *out, pp_error *err)
{
    size_t count = s->candidate_count * s->goal_count;
    pp_table table;

    pp_table_init(&table, arena);
    add_columns(&table);
    for (size_t i = 0; i < count && i < MAX_TABLE_ROWS; i++) {
        if (!pp_table_add_row(&table))
            return pp_arena_check(arena, err);
        set_row(arena, &table, s, i);
    }
    pp_table_print(&table, out);
    if (count > MAX_TABLE_ROWS)
        fprintf(out, "... and %zu more; --output FILE lists all\n", count - MAX_TABLE_ROWS);
    fputc('\n', out);
    print_notes(arena, s, out);
    return pp_arena_check(arena, err);
}
