#include "report/receipt.h"

#include <string.h>

#include "decide/passport_check.h"
#include "report/receipt_parts.h"

/* ---- shared ---------------------------------------------------------------------------------- */

static const char *or_empty(const char *text)
{
    return text == NULL ? "" : text;
}

const char *pp_receipt_text(const pp_receipt *r, pp_text text)
{
    pp_buf out;
    const char *copy;

    pp_buf_init(&out, PP_RECEIPT_MAX_BYTES);
    pp_markdown_text(r->arena, &out, text);
    copy = pp_arena_dup(r->arena, pp_buf_text(&out), out.size);
    if (out.status != PP_OK)
        r->arena->failed = true;
    pp_buf_done(&out);
    return or_empty(copy);
}

const char *pp_receipt_text_of(const pp_receipt *r, const pp_json *value)
{
    return value->kind == PP_JSON_STRING ? pp_receipt_text(r, value->text) : PP_NOT_RECORDED;
}

const char *pp_receipt_candidate(const pp_receipt *r, const pp_json *label, const pp_json *id)
{
    return or_empty(pp_arena_printf(r->arena, "%s (%s)", pp_receipt_text_of(r, label),
                                    pp_receipt_text_of(r, id)));
}

const char *pp_receipt_yes_no(bool yes)
{
    return yes ? "yes" : "no";
}

static const char *figure(const pp_receipt *r, const pp_json *value, int decimals, bool is_signed,
                          const char *unit)
{
    char text[PP_FIGURE_TEXT_MAX];
    double number;

    if (value->kind == PP_JSON_NULL)
        return PP_NOT_MEASURED;
    number = pp_checked_real(value);
    if (is_signed)
        pp_figure_signed(number, decimals, text);
    else
        pp_figure_fixed(number, decimals, text);
    return or_empty(pp_arena_printf(r->arena, "%s%s", text, unit));
}

const char *pp_receipt_value(const pp_receipt *r, const pp_json *value)
{
    return figure(r, value, 4, false, "");
}

const char *pp_receipt_signed_value(const pp_receipt *r, const pp_json *value)
{
    return figure(r, value, 4, true, "");
}

const char *pp_receipt_percent(const pp_receipt *r, const pp_json *value)
{
    return figure(r, value, 2, false, "%");
}

const char *pp_receipt_signed_percent(const pp_receipt *r, const pp_json *value)
{
    return figure(r, value, 2, true, "%");
}

void pp_receipt_items(const pp_receipt *r)
{
    static const char *const columns[] = {"item", "value", NULL};

    pp_markdown_columns(r->out, columns);
}

void pp_receipt_row(const pp_receipt *r, const char *name, const char *cell)
{
    const char *const cells[] = {name, cell, NULL};

    pp_markdown_row(r->out, cells);
}

void pp_receipt_changes(const pp_receipt *r, pp_json *const *changes, size_t n)
{
    static const char *const columns[] = {"metric", "direction",  "previous", "current",
                                          "change", "change (%)", "effect",   NULL};

    if (n == 0)
        return;
    pp_markdown_columns(r->out, columns);
    for (size_t i = 0; i < n; i++) {
        const pp_json *change = changes[i];
        const char *const cells[] = {
            pp_receipt_text_of(r, pp_json_find(change, "metric")),
            pp_receipt_text_of(r, pp_json_find(change, "direction")),
            pp_receipt_value(r, pp_json_find(change, "previous")),
            pp_receipt_value(r, pp_json_find(change, "current")),
            pp_receipt_signed_value(r, pp_json_find(change, "absolute")),
            pp_receipt_signed_percent(r, pp_json_find(change, "percent")),
            pp_checked_text(change, "effect").data,
            NULL,
        };

        pp_markdown_row(r->out, cells);
    }
    pp_buf_append_char(r->out, '\n');
}

const pp_json *pp_receipt_stage(const pp_receipt *r, const pp_json *id)
{
    const pp_json *ladder = pp_checked_list(r->passport, "ladder");
    const pp_json *found = NULL;

    for (size_t i = 0; found == NULL && i < ladder->array.count; i++) {
        if (pp_text_equal(pp_checked_text(ladder->array.items[i], "candidate_id"), id->text))
            found = ladder->array.items[i];
    }
    PP_ASSERT(found != NULL);
    return found;
}

/* ---- title and decision ---------------------------------------------------------------------- */

static void write_title(const pp_receipt *r)
{
    static const char *const statements[] = {
        [PP_GRADE_SYNTHETIC] =
            "The figures are not all measurements of a real model on a real machine. What follows "
            "shows how a decision is made; it is no evidence for one.",
        [PP_GRADE_MEASURED_UNATTRIBUTED] =
            "The set calls its figures measured, but does not say completely where they come from: "
            "see the issues at the end.",
        [PP_GRADE_ARM64_ATTRIBUTED] =
            "The set calls its figures measured and names an Arm64 machine, the run, its sources, "
            "the runtime, the model and the suite. That all this is stated was checked, that it is "
            "true was not.",
    };
    pp_grade grade = pp_passport_grade(r->passport);

    pp_markdown_heading(r->out, 1, "Optimization receipt");
    pp_buf_printf(r->out, "**Evidence: %s.** %s\n\n", pp_grade_name(grade), statements[grade]);
    pp_buf_append_text(
        r->out, "Numbers are rounded here; the passport has every digit. Where it has no "
                "figure, `" PP_NOT_MEASURED "` is shown, also for a percentage of zero.\n\n");
}

static const char *why(const pp_receipt *r)
{
    const pp_json *decision = pp_checked_object(r->passport, "selected_decision");
    const pp_json *objective = pp_checked_object(r->passport, "objective");
    const pp_json *best_id = pp_json_find(objective, "numeric_best_id");
    const char *metric = pp_receipt_text_of(r, pp_json_find(objective, "metric"));
    const char *percent = pp_receipt_percent(r, pp_json_find(objective, "tolerance_percent"));

    if (pp_checked_bool(decision, "numeric_best"))
        return or_empty(pp_arena_printf(r->arena, "it has the best %s of the frontier", metric));
    return or_empty(pp_arena_printf(
        r->arena, "its %s is within %s of the best of the frontier, which %s has", metric, percent,
        pp_receipt_candidate(r, pp_json_find(pp_receipt_stage(r, best_id), "label"), best_id)));
}

static void write_decision(const pp_receipt *r)
{
    const pp_json *decision = pp_checked_object(r->passport, "selected_decision");
    const pp_json *baseline_id = pp_json_find(decision, "baseline_id");
    const pp_json *baseline = pp_receipt_stage(r, baseline_id);

    pp_markdown_heading(r->out, 2, "Decision");
    pp_receipt_items(r);
    pp_receipt_row(r, "baseline",
                   pp_receipt_candidate(r, pp_json_find(baseline, "label"), baseline_id));
    pp_receipt_row(r, "baseline inside every limit",
                   pp_receipt_yes_no(pp_checked_bool(baseline, "eligible")));
    pp_receipt_row(r, "selected",
                   pp_receipt_candidate(r, pp_json_find(decision, "label"),
                                        pp_json_find(decision, "candidate_id")));
    pp_receipt_row(r, "baseline retained",
                   pp_receipt_yes_no(pp_checked_bool(decision, "baseline_retained")));
    pp_receipt_row(r, "best objective result",
                   pp_receipt_yes_no(pp_checked_bool(decision, "numeric_best")));
    pp_receipt_row(r, "why", why(r));
    pp_receipt_row(r, "reason, as the passport gives it",
                   pp_receipt_text_of(r, pp_json_find(decision, "reason")));
    pp_buf_append_char(r->out, '\n');
}

/* ---- cutoff ---------------------------------------------------------------------------------- */

static void write_closest(const pp_receipt *r)
{
    const pp_json *closest = pp_json_find(r->passport, "closest_outside_shortlist");
    const pp_json *shortfall;

    if (closest->kind == PP_JSON_NULL) {
        pp_receipt_row(r, "closest outside", "none: the whole frontier is inside");
        return;
    }
    shortfall = pp_checked_object(closest, "shortfall_to_shortlist");
    pp_receipt_row(r, "closest outside",
                   pp_receipt_candidate(r, pp_json_find(closest, "label"),
                                        pp_json_find(closest, "candidate_id")));
    pp_receipt_row(r, "its value", pp_receipt_value(r, pp_json_find(closest, "objective_value")));
    pp_receipt_row(r, "its shortfall", pp_receipt_value(r, pp_json_find(shortfall, "absolute")));
    pp_receipt_row(r, "its shortfall, share of the boundary",
                   pp_receipt_percent(r, pp_json_find(shortfall, "percent_of_boundary")));
}

static void write_cutoff(const pp_receipt *r)
{
    const pp_json *objective = pp_checked_object(r->passport, "objective");
    const pp_json *best_id = pp_json_find(objective, "numeric_best_id");
    const pp_json *runway = pp_checked_object(objective, "selected_runway");
    bool less = pp_text_is(pp_checked_text(objective, "direction"), "min");

    pp_markdown_heading(r->out, 2, "Cutoff");
    pp_receipt_items(r);
    pp_receipt_row(r, "objective", pp_receipt_text_of(r, pp_json_find(objective, "metric")));
    pp_receipt_row(r, "direction", pp_receipt_text_of(r, pp_json_find(objective, "direction")));
    pp_receipt_row(r, "best value",
                   pp_receipt_value(r, pp_json_find(objective, "numeric_best_value")));
    pp_receipt_row(
        r, "held by",
        pp_receipt_candidate(r, pp_json_find(pp_receipt_stage(r, best_id), "label"), best_id));
    pp_receipt_row(r, "tolerance",
                   pp_receipt_percent(r, pp_json_find(objective, "tolerance_percent")));
    pp_receipt_row(r, "margin", pp_receipt_value(r, pp_json_find(objective, "tolerance_margin")));
    pp_receipt_row(r, "boundary",
                   pp_receipt_value(r, pp_json_find(objective, "shortlist_boundary")));
    pp_receipt_row(r, "inside is", less ? "at or below the boundary" : "at or above the boundary");
    pp_receipt_row(r, "selected value",
                   pp_receipt_value(r, pp_json_find(objective, "selected_value")));
    pp_receipt_row(r, "room to the boundary",
                   pp_receipt_value(r, pp_json_find(runway, "absolute")));
    pp_receipt_row(r, "room, share of the boundary",
                   pp_receipt_percent(r, pp_json_find(runway, "percent_of_boundary")));
    write_closest(r);
    pp_buf_append_char(r->out, '\n');
}

/* ---- all ------------------------------------------------------------------------------------- */

static pp_status write_all(pp_arena *arena, const pp_json *passport, pp_buf *out, pp_error *err)
{
    const pp_receipt receipt = {arena, passport, out};
    pp_status st;

    write_title(&receipt);
    write_decision(&receipt);
    write_cutoff(&receipt);
    pp_receipt_ladder(&receipt);
    pp_receipt_alternative(&receipt);
    pp_receipt_source(&receipt);
    st = pp_arena_check(arena, err);
    return st == PP_OK ? pp_buf_check(out, "the receipt", err) : st;
}

pp_status pp_receipt_write(const pp_json *passport, pp_buf *ret_markdown, pp_error *err)
{
    pp_arena arena = {0};
    pp_status st = pp_wrap(err, pp_passport_check(passport, err), "checking the passport");

    if (st == PP_OK)
        st = write_all(&arena, passport, ret_markdown, err);
    pp_arena_done(&arena);
    return st;
}
