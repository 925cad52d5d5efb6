/* Every candidate in the order of the ladder, each against the one before, and the alternative. */
#include <stdlib.h>
#include <string.h>

#include "report/receipt_parts.h"

/* ---- ladder ---------------------------------------------------------------------------------- */

static bool is_the_known_ladder(const pp_json *ladder)
{
    static const char *const tags[] = {"reference", "quantization", "arm-kernel", "runtime-tuning"};

    if (ladder->array.count != PP_COUNT_OF(tags))
        return false;
    for (size_t i = 0; i < PP_COUNT_OF(tags); i++) {
        const pp_json *tag = pp_json_find(ladder->array.items[i], "attribution_stage");

        if (tag->kind != PP_JSON_STRING || !pp_text_is(tag->text, tags[i]))
            return false;
    }
    return true;
}

static const char *status_list(const pp_receipt *r, const pp_json *stage)
{
    static const struct {
        const char *key;
        const char *word;
        bool when;
    } rows[] = {
        {"baseline", "baseline", true},     {"selected", "selected", true},
        {"eligible", "eligible", true},     {"frontier", "frontier", true},
        {"shortlisted", "shortlist", true}, {"eligible", "rejected", false},
    };
    const char *text = "";

    for (size_t i = 0; i < PP_COUNT_OF(rows); i++) {
        if (pp_checked_bool(stage, rows[i].key) != rows[i].when)
            continue;
        text = pp_arena_printf(r->arena, "%s%s%s", text, *text == '\0' ? "" : ", ", rows[i].word);
        if (text == NULL)
            return "";
    }
    return text;
}

static void write_violations(const pp_receipt *r, const pp_json *violations)
{
    if (violations->array.count == 0)
        return;
    pp_buf_append_text(r->out, "Limits it misses:\n\n");
    for (size_t i = 0; i < violations->array.count; i++)
        pp_buf_printf(r->out, "- %s\n", pp_receipt_text_of(r, violations->array.items[i]));
    pp_buf_append_char(r->out, '\n');
}

static void write_not_comparable(const pp_receipt *r, const pp_json *names)
{
    if (names->array.count == 0)
        return;
    pp_buf_append_text(r->out, "Only one of the two has: ");
    for (size_t i = 0; i < names->array.count; i++)
        pp_buf_printf(r->out, "%s%s", i == 0 ? "" : ", ",
                      pp_receipt_text_of(r, names->array.items[i]));
    pp_buf_append_text(r->out, "\n\n");
}

static bool has_same_tag(const pp_json *a, const pp_json *b)
{
    const pp_json *tag = pp_json_find(a, "attribution_stage");

    return tag->kind == PP_JSON_STRING && pp_json_equal(tag, pp_json_find(b, "attribution_stage"));
}

static void write_delta(const pp_receipt *r, const pp_json *before, const pp_json *stage)
{
    const pp_json *delta = pp_checked_object(stage, "delta_from_previous");
    const pp_json *rows = pp_checked_list(delta, "metrics");

    pp_buf_printf(r->out, "Against stage %lld, %s%s\n\n",
                  (long long)pp_checked_int(before, "stage"),
                  pp_receipt_candidate(r, pp_json_find(before, "label"),
                                       pp_json_find(before, "candidate_id")),
                  rows->array.count == 0 ? ": no metric in common." : ":");
    if (has_same_tag(before, stage))
        pp_buf_append_text(r->out, "Both have the same stage tag: these are two variants of one "
                                   "stage, not a stage and the next.\n\n");
    pp_receipt_changes(r, rows->array.items, rows->array.count);
    write_not_comparable(r, pp_checked_list(delta, "not_comparable_metrics"));
}

static void write_stage(const pp_receipt *r, const pp_json *before, const pp_json *stage)
{
    pp_buf_printf(r->out, "### Stage %lld\n\n", (long long)pp_checked_int(stage, "stage"));
    pp_receipt_items(r);
    pp_receipt_row(
        r, "candidate",
        pp_receipt_candidate(r, pp_json_find(stage, "label"), pp_json_find(stage, "candidate_id")));
    pp_receipt_row(r, "stage tag", pp_receipt_text_of(r, pp_json_find(stage, "attribution_stage")));
    pp_receipt_row(r, "objective", pp_receipt_value(r, pp_json_find(stage, "objective_value")));
    pp_receipt_row(r, "status", status_list(r, stage));
    pp_buf_append_char(r->out, '\n');
    write_violations(r, pp_checked_list(stage, "constraint_violations"));
    if (before != NULL)
        write_delta(r, before, stage);
}

void pp_receipt_ladder(const pp_receipt *r)
{
    const pp_json *ladder = pp_checked_list(r->passport, "ladder");

    pp_markdown_heading(r->out, 2,
                        is_the_known_ladder(ladder) ? "From the reference to runtime tuning"
                                                    : "Configurations in comparison");
    pp_buf_append_text(r->out,
                       "Each stage is held against the one before. Stage tags are what the set "
                       "calls them. Whether two stages differ in one setting only, and whether a "
                       "change has the cause that its tag names, the passport cannot show.\n\n");
    for (size_t i = 0; i < ladder->array.count; i++)
        write_stage(r, i == 0 ? NULL : ladder->array.items[i - 1], ladder->array.items[i]);
}

/* ---- alternative ----------------------------------------------------------------------------- */

static int compare_metrics(const void *a, const void *b)
{
    return pp_text_compare(pp_checked_text(*(pp_json *const *)a, "metric"),
                           pp_checked_text(*(pp_json *const *)b, "metric"));
}

/* The three lists as one, by metric. */
static pp_json **gather_changes(const pp_receipt *r, const pp_json *alternative, size_t *ret_count)
{
    static const char *const keys[] = {"improvements", "tradeoffs", "other_changes"};
    size_t count = 0;
    pp_json **all;

    for (size_t i = 0; i < PP_COUNT_OF(keys); i++)
        count += pp_checked_list(alternative, keys[i])->array.count;
    all = PP_ARENA_NEW(r->arena, pp_json *, count);
    *ret_count = 0;
    for (size_t i = 0; all != NULL && i < PP_COUNT_OF(keys); i++) {
        const pp_json *list = pp_checked_list(alternative, keys[i]);

        for (size_t j = 0; j < list->array.count; j++)
            all[(*ret_count)++] = list->array.items[j];
    }
    if (*ret_count > 1)
        qsort(all, *ret_count, sizeof *all, compare_metrics);
    return all;
}

static void write_alternative(const pp_receipt *r, const pp_json *alternative)
{
    const pp_json *decision = pp_checked_object(r->passport, "selected_decision");
    const pp_json *baseline_id = pp_json_find(decision, "baseline_id");
    size_t count;
    pp_json **changes = gather_changes(r, alternative, &count);

    pp_receipt_items(r);
    pp_receipt_row(r, "candidate",
                   pp_receipt_candidate(r, pp_json_find(alternative, "label"),
                                        pp_json_find(alternative, "candidate_id")));
    pp_receipt_row(r, "compared with",
                   pp_receipt_candidate(r, pp_json_find(pp_receipt_stage(r, baseline_id), "label"),
                                        baseline_id));
    pp_receipt_row(r, "status", status_list(r, alternative));
    pp_buf_append_text(r->out, "\nAn eligible candidate that needs less memory or a smaller file "
                               "than the baseline. It is not what was decided.\n\n");
    pp_receipt_changes(r, changes, count);
}

void pp_receipt_alternative(const pp_receipt *r)
{
    const pp_json *alternative = pp_json_find(r->passport, "resource_alternative");

    pp_markdown_heading(r->out, 2, "Alternative with fewer resources");
    if (alternative->kind != PP_JSON_NULL)
        write_alternative(r, alternative);
    else if (pp_passport_grade(r->passport) == PP_GRADE_SYNTHETIC)
        pp_buf_append_text(r->out, "Not applicable: the figures are not measured.\n\n");
    else
        pp_buf_append_text(r->out, "None: no other eligible candidate needs less memory or a "
                                   "smaller file than the baseline.\n\n");
}
