#include "cli/what_if_text.h"

#include "cli/table.h"

#define ID_COLUMNS 28
#define MAX_STEPS  12 /* beyond that the document has them */

typedef struct printed {
    pp_arena *arena;
    const pp_decision *decision;
    FILE *out;
    size_t count; /* lines so far */
} printed;

static const char *shown_id(const printed *t, size_t candidate)
{
    if (candidate == PP_NOT_FOUND)
        return "nobody";
    return pp_table_cell_text(t->arena, t->decision->set->candidates[candidate].id, ID_COLUMNS);
}

static const char *shown(const printed *t, pp_text metric)
{
    return pp_table_cell_text(t->arena, metric, 40);
}

static void print_one(printed *t, const char *text)
{
    pp_note_print("what if", text, t->out);
    t->count++;
}

static void print_tolerance(printed *t, const pp_what_if *w)
{
    const char *text = "the tolerance were";

    if (w->step_count < 2)
        return;
    for (size_t i = 0; text != NULL && i < w->step_count && i < MAX_STEPS; i++) {
        const char *from = pp_number_text(t->arena, w->steps[i].from_percent);
        const char *to =
            i + 1 < w->step_count ? pp_number_text(t->arena, w->steps[i + 1].from_percent) : "100";

        text = pp_arena_printf(t->arena, "%s%s %s to %s %%: %s", text, i == 0 ? "" : ",", from, to,
                               shown_id(t, w->steps[i].selected));
    }
    print_one(t, text);
}

static const char *limit_text(const printed *t, const pp_limit_change *change, double limit)
{
    if (change->kind == PP_LIMIT_QUALITY_RETENTION)
        return pp_number_text(t->arena, limit);
    return pp_metric_text(t->arena, change->metric, limit);
}

static const char *limit_name(const printed *t, const pp_limit_change *change)
{
    switch (change->kind) {
    case PP_LIMIT_MAXIMUM:
        return pp_arena_printf(t->arena, "the maximum of %s", shown(t, change->metric));
    case PP_LIMIT_MINIMUM:
        return pp_arena_printf(t->arena, "the minimum of %s", shown(t, change->metric));
    case PP_LIMIT_QUALITY_RETENTION:
        break;
    }
    return "min_quality_retention";
}

/* A looser limit may equal the value that it lets in; a tighter one must pass the value. */
static const char *turn_text(const printed *t, const pp_limit_change *change, bool looser)
{
    const pp_limit_turn *turn = looser ? &change->looser : &change->tighter;
    const char *number = limit_text(t, change, turn->limit);
    bool upwards = turn->limit > change->limit;

    if (looser)
        return pp_arena_printf(t->arena, "%s or %s", number, upwards ? "more" : "less");
    return pp_arena_printf(t->arena, "%s %s", upwards ? "above" : "below", number);
}

static void print_turn(printed *t, const pp_limit_change *change, bool looser)
{
    const pp_limit_turn *turn = looser ? &change->looser : &change->tighter;

    if (!turn->exists)
        return;
    print_one(t, pp_arena_printf(t->arena, "%s were %s, not %s: %s", limit_name(t, change),
                                 turn_text(t, change, looser), limit_text(t, change, change->limit),
                                 shown_id(t, turn->selected)));
}

static void print_objective(printed *t, const pp_objective_change *change)
{
    const pp_decision *d = t->decision;
    const char *best = "";

    if (change->selected == d->selected && change->best == d->selected)
        return;
    if (change->best != change->selected)
        best = pp_arena_printf(t->arena, "; %s without tolerance and preferences",
                               shown_id(t, change->best));
    print_one(t, best == NULL ? NULL
                              : pp_arena_printf(t->arena, "the objective were %s: %s%s",
                                                shown(t, change->objective.metric),
                                                shown_id(t, change->selected), best));
}

pp_status pp_what_if_print(pp_arena *arena, const pp_decision *decision, const pp_what_if *what_if,
                           FILE *out, pp_error *err)
{
    printed table = {arena, decision, out, 0};
    printed *t = &table;

    (void)fputc('\n', out);
    print_tolerance(t, what_if);
    for (size_t i = 0; i < what_if->limit_count; i++) {
        print_turn(t, &what_if->limits[i], true);
        print_turn(t, &what_if->limits[i], false);
    }
    for (size_t i = 0; i < what_if->objective_count; i++)
        print_objective(t, &what_if->objectives[i]);
    if (t->count == 0)
        print_one(t, "no tolerance, no single limit and no other objective changes the choice");
    return pp_arena_check(arena, err);
}
