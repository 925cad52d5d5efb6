/* The candidates in the order of the passport's ladder: what changed from one to the next, and the
 * largest effects of it. */
#include <math.h>
#include <string.h>

#include "report/view.h"

#define MAX_EFFECTS  3
#define MAX_SETTINGS 12

/* ---- what changed ---------------------------------------------------------------------------- */

/* Sets of our own keep settings in a member of their own; others put them beside everything else.
 */
static const pp_json *settings_of(const pp_view *v, size_t candidate)
{
    const pp_json *parameters = v->set->candidates[candidate].parameters;
    const pp_json *configuration = pp_lookup_object(parameters, "configuration");

    return configuration != NULL ? configuration : parameters;
}

static void put_setting_value(const pp_view *v, const pp_json *value)
{
    if (value == NULL) {
        pp_put(v, "not set");
        return;
    }
    switch (value->kind) {
    case PP_JSON_BOOL:
        pp_put(v, value->boolean ? "on" : "off");
        return;
    case PP_JSON_STRING:
        pp_put_text(v, value->text);
        return;
    case PP_JSON_INTEGER:
        pp_put_number(v, (double)value->integer);
        return;
    case PP_JSON_REAL:
        pp_put_number(v, value->real);
        return;
    case PP_JSON_NULL:
        pp_put(v, "none");
        return;
    case PP_JSON_ARRAY:
    case PP_JSON_OBJECT:
        pp_put(v, "not one value");
        return;
    }
}

static void put_setting(const pp_view *v, pp_text key, const pp_json *before, const pp_json *after,
                        size_t *count)
{
    if (++*count > MAX_SETTINGS)
        return;
    pp_put(v, "<li><code>");
    pp_put_text(v, key);
    pp_put(v, "</code> ");
    put_setting_value(v, before);
    pp_put(v, " &rarr; ");
    put_setting_value(v, after);
    pp_put(v, "</li>");
}

/* The stage's own name is what the set calls the step, not a setting; lists (the command line) have
 * their own place on the page. */
static bool is_setting(const pp_json_member *member)
{
    return !pp_text_is(member->key, "attribution_stage") && member->value->kind != PP_JSON_OBJECT &&
           member->value->kind != PP_JSON_ARRAY;
}

static void put_changed_settings(const pp_view *v, const pp_json *before, const pp_json *after,
                                 size_t *count)
{
    for (size_t i = 0; after != NULL && i < after->object.count; i++) {
        const pp_json_member *member = &after->object.members[i];
        const pp_json *old = before == NULL ? NULL : pp_json_find(before, member->key.data);

        if (is_setting(member) && (old == NULL || !pp_json_equal(old, member->value)))
            put_setting(v, member->key, old, member->value, count);
    }
    for (size_t i = 0; before != NULL && i < before->object.count; i++) {
        const pp_json_member *member = &before->object.members[i];

        if (is_setting(member) && (after == NULL || pp_json_find(after, member->key.data) == NULL))
            put_setting(v, member->key, member->value, NULL, count);
    }
}

/* Of the model only what tells files apart; the table of models has the rest. */
static void put_changed_model(const pp_view *v, size_t before, size_t after, size_t *count)
{
    static const char *const keys[] = {"quantization", "tensor_types", "filename"};
    const pp_json *a = pp_view_parameters(v, before, "model");
    const pp_json *b = pp_view_parameters(v, after, "model");

    for (size_t i = 0; i < PP_COUNT_OF(keys); i++) {
        const pp_json *x = a == NULL ? NULL : pp_json_find(a, keys[i]);
        const pp_json *y = b == NULL ? NULL : pp_json_find(b, keys[i]);

        if (x == NULL || y == NULL || pp_json_equal(x, y))
            continue;
        put_setting(v, pp_text_of(keys[i]), x, y, count);
        return;
    }
}

static void put_settings(const pp_view *v, size_t before, size_t after)
{
    size_t count = 0;

    pp_put_cell_open(v, "words", "What changed");
    if (before == PP_NOT_FOUND) {
        pp_put(v, "the first of the walk</td>");
        return;
    }
    pp_put(v, "<ul>");
    put_changed_model(v, before, after, &count);
    put_changed_settings(v, settings_of(v, before), settings_of(v, after), &count);
    if (count > MAX_SETTINGS) {
        pp_put(v, "<li>and ");
        pp_put_count(v, count - MAX_SETTINGS);
        pp_put(v, " more</li>");
    }
    if (count == 0)
        pp_put(v, "<li><span class=\"absent\">no difference recorded</span></li>");
    pp_put(v, "</ul></td>");
}

/* ---- effects --------------------------------------------------------------------------------- */

static double size_of(const pp_json *change)
{
    double percent;

    return pp_lookup_number(change, "percent", &percent) ? fabs(percent) : -1.0;
}

static bool is_objective(const pp_view *v, const pp_json *change)
{
    pp_text metric;

    return pp_lookup_text(change, "metric", &metric) &&
           pp_text_equal(metric, v->constraints->objective.metric);
}

static bool is_held(const pp_json *change)
{
    pp_text effect;

    return pp_lookup_text(change, "effect", &effect) && pp_text_is(effect, "held");
}

static pp_effect effect_of(const pp_json *change)
{
    static const pp_effect effects[] = {PP_EFFECT_HELD, PP_EFFECT_IMPROVED, PP_EFFECT_TRADEOFF};
    pp_text text;

    for (size_t i = 0; pp_lookup_text(change, "effect", &text) && i < PP_COUNT_OF(effects); i++) {
        if (pp_text_is(text, pp_effect_name(effects[i])))
            return effects[i];
    }
    return PP_EFFECT_CHANGED;
}

static void put_effect(const pp_view *v, const pp_json *change)
{
    double previous, current;
    pp_text metric;

    if (!pp_lookup_text(change, "metric", &metric) ||
        !pp_lookup_number(change, "previous", &previous) ||
        !pp_lookup_number(change, "current", &current))
        return;
    pp_put(v, "<li>");
    pp_put_metric(v, metric);
    pp_put(v, " ");
    pp_put_higher(v, metric, previous, current);
    pp_put(v, " ");
    pp_put_effect(v, effect_of(change));
    pp_put(v, "</li>");
}

/* The largest that was not written yet: `below` or, as large, behind `behind` in the list. */
static const pp_json *next_largest(const pp_view *v, const pp_json *list, double below,
                                   size_t behind, size_t *ret_at)
{
    const pp_json *best = NULL;

    for (size_t i = 0; i < pp_lookup_count(list); i++) {
        const pp_json *change = list->array.items[i];
        double size = size_of(change);

        if (is_objective(v, change) || is_held(change) || size > below ||
            (size == below && i <= behind))
            continue;
        if (best == NULL || size > size_of(best)) {
            best = change;
            *ret_at = i;
        }
    }
    return best;
}

/* The objective first, then the largest. */
static void put_effects(const pp_view *v, const pp_json *delta)
{
    const pp_json *list = pp_lookup_array(delta, "metrics");
    double below = HUGE_VAL;
    size_t at = 0;
    size_t count = 0;

    pp_put_cell_open(v, "words", "Largest effects");
    if (delta == NULL) {
        pp_put(v, "</td>");
        return;
    }
    pp_put(v, "<ul>");
    for (size_t i = 0; i < pp_lookup_count(list); i++) {
        if (is_objective(v, list->array.items[i])) {
            put_effect(v, list->array.items[i]);
            count++;
        }
    }
    for (; count < MAX_EFFECTS; count++) {
        const pp_json *change = next_largest(v, list, below, at, &at);

        if (change == NULL)
            break;
        put_effect(v, change);
        below = size_of(change);
    }
    if (count == 0)
        pp_put(v, "<li>no metric changed</li>");
    pp_put(v, "</ul></td>");
}

/* ---- the walk -------------------------------------------------------------------------------- */

static void put_step(const pp_view *v, const pp_json *stage, size_t before, size_t candidate)
{
    double number;
    pp_text tag;

    pp_put(v, pp_view_is_selected(v, candidate) ? "<tr class=\"selected\">" : "<tr>");
    pp_put_cell_open(v, "num", "Step");
    if (pp_lookup_number(stage, "stage", &number))
        pp_put_number(v, number);
    pp_put(v, "</td><th scope=\"row\">");
    pp_put_candidate(v, candidate);
    pp_put(v, "</th>");
    pp_put_cell_open(v, NULL, "Stage");
    if (pp_lookup_text(stage, "attribution_stage", &tag))
        pp_put_text(v, tag);
    else
        pp_put(v, "<span class=\"absent\">not named</span>");
    pp_put(v, "</td>");
    put_settings(v, before, candidate);
    pp_put_cell_open(v, "num", pp_metric_title(v->constraints->objective.metric));
    pp_put_value(v, v->constraints->objective.metric,
                 pp_view_value(v, candidate, v->constraints->objective.metric));
    pp_put(v, "</td>");
    put_effects(v, pp_lookup_object(stage, "delta_from_previous"));
    pp_put_cell_open(v, NULL, "Role");
    pp_put(v, pp_view_standing(v, candidate));
    pp_put(v, candidate == v->set->baseline_index ? ", baseline</td></tr>\n" : "</td></tr>\n");
}

static void put_walk(const pp_view *v)
{
    const pp_json *ladder = pp_lookup_array(v->passport, "ladder");
    size_t before = PP_NOT_FOUND;

    pp_put_table_open(v, "Candidates, each against the one above it", "wide reasons stack");
    pp_put(v, "<thead><tr>");
    pp_put_column(v, "Step", true);
    pp_put_column(v, "Candidate", false);
    pp_put_column(v, "Stage", false);
    pp_put_column(v, "What changed", false);
    pp_put_column(v, pp_metric_title(v->constraints->objective.metric), true);
    pp_put_column(v, "Largest effects", false);
    pp_put_column(v, "Role", false);
    pp_put(v, "</tr></thead>\n<tbody>\n");
    for (size_t i = 0; i < pp_lookup_count(ladder); i++) {
        const pp_json *stage = ladder->array.items[i];
        size_t candidate = PP_NOT_FOUND;
        pp_text id;

        if (pp_lookup_text(stage, "candidate_id", &id))
            candidate = pp_benchmark_set_find(v->set, id);
        if (candidate != PP_NOT_FOUND && pp_view_is_shown(v, candidate))
            put_step(v, stage, before, candidate);
        before = candidate;
    }
    pp_put(v, "</tbody>\n");
    pp_put_table_close(v);
}

void pp_section_steps(const pp_view *v)
{
    pp_put_step_open(v, "00", "steps", "Configurations step by step");
    if (v->passport == NULL) {
        pp_put_missing(v,
                       "Nothing is eligible, so there is no passport whose ladder could be shown; "
                       "every candidate stands in the table of all candidates.",
                       NULL);
    } else {
        pp_put(v, "<p>Each candidate is held against the one above it, in the order of the stages "
                  "that the set names. Whether a change has the cause that its stage names, these "
                  "figures cannot show.</p>\n");
        pp_put_shown_note(v);
        put_walk(v);
    }
    pp_put_section_close(v);
}
