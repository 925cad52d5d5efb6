/* Bundles of one machine, the same models and the same work, side by side. */
#include <math.h>

#include "report/page_frame.h"
#include "report/site_parts.h"

/* Wider tables nobody reads; each bundle's own page has all. */
#define MAX_METRICS  24
#define MAX_SETTINGS 24

typedef struct side {
    const pp_view *v;
    const pp_site_group *group;
    size_t number; /* of the group on this page */
    bool is_alone; /* there is no other */
    pp_text metrics[MAX_METRICS];
    size_t metric_count;
    bool has_more_metrics;
} side;

/* ---- metrics --------------------------------------------------------------------------------- */

static bool has_metric(const side *s, pp_text name)
{
    for (size_t i = 0; i < s->metric_count; i++) {
        if (pp_text_equal(s->metrics[i], name))
            return true;
    }
    return false;
}

static void add_metrics(side *s, const pp_text *names, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (has_metric(s, names[i]))
            continue;
        if (s->metric_count < MAX_METRICS)
            s->metrics[s->metric_count++] = names[i];
        else
            s->has_more_metrics = true;
    }
}

/* In the order of the first bundle; what only later ones have follows. */
static pp_status collect_metrics(side *s, pp_error *err)
{
    pp_status st = PP_OK;

    for (size_t i = 0; st == PP_OK && i < s->group->member_count; i++) {
        const pp_site_bundle *bundle = s->group->members[i];
        pp_text *names;
        size_t count;

        if (!pp_site_has_figures(bundle))
            continue;
        st = pp_metric_list(s->v->arena, bundle->input->set, bundle->input->constraints, &names,
                            &count, err);
        if (st == PP_OK)
            add_metrics(s, names, count);
    }
    return st;
}

/* ---- tables ---------------------------------------------------------------------------------- */

/* Captions are the headings here; they name their group where there are several. */
static void open_table(const side *s, const char *what, const char *table_class)
{
    const char *caption =
        s->is_alone ? what : pp_arena_printf(s->v->arena, "Group %zu: %s", s->number, what);

    pp_put_table_open(s->v, caption == NULL ? what : caption, table_class);
}

static void close_table(const side *s)
{
    pp_put(s->v, "</tbody>\n");
    pp_put_table_close(s->v);
}

static void put_number_of(const pp_view *v, const pp_json *object, const char *key,
                          const char *head)
{
    double value;

    pp_put_cell_open(v, "num", head);
    if (pp_lookup_number(object, key, &value))
        pp_put_number(v, value);
    else
        pp_put(v, "<span class=\"absent\">not recorded</span>");
    pp_put(v, "</td>");
}

static void put_choice_row(const side *s, const pp_site_bundle *bundle)
{
    pp_view v = pp_site_view(s->v, bundle);

    pp_put(&v, "<tr>");
    pp_site_put_head_cell(&v, bundle);
    pp_put_cell_open(&v, "words", "Selected");
    pp_site_put_choice(&v, bundle);
    pp_put(&v, "</td>");
    pp_put_cell_open(&v, "num", "Candidates");
    pp_put_count(&v, v.set->candidate_count);
    pp_put(&v, "</td>");
    put_number_of(&v, v.study, "passes", "Passes");
    put_number_of(&v, pp_lookup_object(v.study, "requests"), "measured", "Requests a pass");
    pp_put_cell_open(&v, NULL, "Origin");
    pp_put_string(&v, pp_origin_name(v.set->origin));
    pp_put(&v, "</td>");
    pp_put_cell_open(&v, "words", "Evidence");
    pp_site_put_evidence(&v, bundle);
    pp_put(&v, "</td></tr>\n");
}

static void put_choices(const side *s)
{
    open_table(s, "Selected by each study", "wide titled stack");
    pp_put(s->v, "<thead><tr>");
    pp_put_column(s->v, "Study", false);
    pp_put_column(s->v, "Selected", false);
    pp_put_column(s->v, "Candidates", true);
    pp_put_column(s->v, "Passes", true);
    pp_put_column(s->v, "Requests a pass", true);
    pp_put_column(s->v, "Origin", false);
    pp_put_column(s->v, "Evidence", false);
    pp_put(s->v, "</tr></thead>\n<tbody>\n");
    for (size_t i = 0; i < s->group->member_count; i++)
        put_choice_row(s, s->group->members[i]);
    close_table(s);
}

/* ---- settings -------------------------------------------------------------------------------- */

static void put_setting(const pp_view *v, const pp_json_member *member)
{
    const pp_json *value = member->value;
    double number;

    pp_put(v, "<code>");
    pp_html_cut(v->out, member->key, 60);
    pp_put(v, "</code> ");
    if (value->kind == PP_JSON_STRING)
        pp_html_cut(v->out, value->text, 60);
    else if (value->kind == PP_JSON_BOOL)
        pp_put(v, value->boolean ? "yes" : "no");
    else if (value->kind == PP_JSON_INTEGER || value->kind == PP_JSON_REAL) {
        number = value->kind == PP_JSON_REAL ? value->real : (double)value->integer;
        pp_put_number(v, number);
    } else
        pp_put(v, "&hellip;");
}

static void put_settings_cell(const pp_view *v, size_t candidate)
{
    const pp_json *settings = pp_view_parameters(v, candidate, "configuration");
    size_t count = settings == NULL ? 0 : settings->object.count;

    pp_put_cell_open(v, "fill", "Settings");
    if (count == 0)
        pp_put(v, "<span class=\"absent\">not recorded</span>");
    for (size_t i = 0; i < count && i < MAX_SETTINGS; i++) {
        pp_put(v, i > 0 ? ", " : "");
        put_setting(v, &settings->object.members[i]);
    }
    pp_put(v, count > MAX_SETTINGS ? ", &hellip;</td>" : "</td>");
}

static void put_settings(const side *s)
{
    open_table(s, "Selected: settings", "wide titled stack");
    pp_put(s->v, "<thead><tr>");
    pp_put_column(s->v, "Study", false);
    pp_put_column(s->v, "Settings", false);
    pp_put(s->v, "</tr></thead>\n<tbody>\n");
    for (size_t i = 0; i < s->group->member_count; i++) {
        pp_view v = pp_site_view(s->v, s->group->members[i]);

        pp_put(&v, "<tr>");
        pp_site_put_head_cell(&v, s->group->members[i]);
        if (v.decision->has_winner)
            put_settings_cell(&v, v.decision->selected);
        else
            pp_put(&v, "<td data-head=\"Settings\"><span class=\"absent\">nothing selected"
                       "</span></td>");
        pp_put(&v, "</tr>\n");
    }
    close_table(s);
}

/* ---- figures --------------------------------------------------------------------------------- */

static void put_metric_heads(const side *s)
{
    pp_put(s->v, "<thead><tr><th scope=\"col\">Study</th>");
    for (size_t i = 0; i < s->metric_count; i++) {
        pp_put(s->v, "<th scope=\"col\" class=\"num\">");
        pp_site_put_text(s->v, pp_text_of(pp_metric_title(s->metrics[i])));
        pp_put(s->v, "</th>");
    }
    pp_put(s->v, "</tr></thead>\n<tbody>\n");
}

/* Why a bundle has no figures in a table; NULL when it has. */
static const char *why_no_figures(const pp_site_bundle *bundle, bool is_baseline)
{
    if (!pp_site_has_figures(bundle))
        return "left out: the bundle is not what it says it is";
    return is_baseline || bundle->input->decision->has_winner ? NULL : "nothing selected";
}

static void put_figures_row(const side *s, const pp_site_bundle *bundle, bool is_baseline)
{
    pp_view v = pp_site_view(s->v, bundle);
    size_t candidate = is_baseline ? v.set->baseline_index : v.decision->selected;
    const char *why = why_no_figures(bundle, is_baseline);

    pp_put(&v, "<tr>");
    pp_site_put_head_cell(&v, bundle);
    if (why != NULL) {
        pp_buf_printf(v.out, "<td colspan=\"%zu\"><span class=\"absent\">%s</span></td></tr>\n",
                      s->metric_count > 0 ? s->metric_count : 1, why);
        return;
    }
    for (size_t i = 0; i < s->metric_count; i++) {
        pp_put(&v, "<td class=\"num\">");
        pp_put_value(&v, s->metrics[i], pp_view_value(&v, candidate, s->metrics[i]));
        pp_put(&v, "</td>");
    }
    pp_put(&v, "</tr>\n");
}

static void put_figures(const side *s, const char *what, bool is_baseline)
{
    open_table(s, what, s->metric_count > 8 ? "wide titled many" : "wide titled");
    put_metric_heads(s);
    for (size_t i = 0; i < s->group->member_count; i++)
        put_figures_row(s, s->group->members[i], is_baseline);
    close_table(s);
}

/* ---- a pair ---------------------------------------------------------------------------------- */

/* Why no difference is taken; NULL when it may be. */
static const char *why_no_change(const pp_site_group *group)
{
    const pp_site_bundle *a = group->members[0];
    const pp_site_bundle *b = group->members[group->member_count - 1];

    if (group->member_count != 2)
        return "Differences are shown for two bundles alone.";
    if (!pp_site_has_figures(a) || !pp_site_has_figures(b))
        return "No difference is taken: a bundle is not what it says it is.";
    if (a->input->set->origin != b->input->set->origin)
        return "No difference is taken: the figures are of different origin.";
    if (!a->input->decision->has_winner || !b->input->decision->has_winner)
        return "No difference is taken: a study selected nothing.";
    return NULL;
}

static const double *selected_value(const pp_site_bundle *bundle, pp_text metric)
{
    const pp_decision *d = bundle->input->decision;

    return pp_candidate_find_metric(&bundle->input->set->candidates[d->selected], metric);
}

static void put_change_cell(const pp_view *v, pp_text metric, const double *from, const double *to)
{
    char text[PP_FIGURE_TEXT_MAX];

    pp_put(v, "<td class=\"num\">");
    if (from == NULL || to == NULL)
        pp_put(v, "<span class=\"absent\">not measured</span>");
    else if (*from == *to)
        pp_put(v, "equal");
    else
        pp_put_figure(v, pp_change_text(metric, *from, *to, text));
    pp_put(v, "</td></tr>\n");
}

static void put_name_column(const pp_view *v, pp_text name)
{
    pp_put(v, "<th scope=\"col\" class=\"num\"><bdi>");
    pp_html_cut(v->out, name, 40);
    pp_put(v, "</bdi></th>");
}

static void put_pair(const side *s)
{
    const pp_site_bundle *a = s->group->members[0];
    const pp_site_bundle *b = s->group->members[1];

    open_table(s, "Selected: first to second", "wide titled");
    pp_put(s->v, "<thead><tr>");
    pp_put_column(s->v, "Metric", false);
    put_name_column(s->v, a->name);
    put_name_column(s->v, b->name);
    pp_put_column(s->v, "Difference", true);
    pp_put(s->v, "</tr></thead>\n<tbody>\n");
    for (size_t i = 0; i < s->metric_count; i++) {
        const double *from = selected_value(a, s->metrics[i]);
        const double *to = selected_value(b, s->metrics[i]);

        pp_put(s->v, "<tr><th scope=\"row\">");
        pp_site_put_text(s->v, pp_text_of(pp_metric_title(s->metrics[i])));
        pp_put(s->v, "</th><td class=\"num\">");
        pp_put_value(s->v, s->metrics[i], from);
        pp_put(s->v, "</td><td class=\"num\">");
        pp_put_value(s->v, s->metrics[i], to);
        pp_put(s->v, "</td>");
        put_change_cell(s->v, s->metrics[i], from, to);
    }
    close_table(s);
    pp_put(s->v,
           "<p class=\"fine\">Two studies differ by chance as well. A difference smaller than "
           "that between passes of one study says nothing.</p>\n");
}

/* ---- a group --------------------------------------------------------------------------------- */

static void open_group(const side *s)
{
    const pp_site_place *place = &s->group->place;

    pp_buf_printf(s->v->out, "<section aria-labelledby=\"group-%zu\">\n<h2 id=\"group-%zu\">",
                  s->number, s->number);
    if (!s->is_alone)
        pp_buf_printf(s->v->out, "<span class=\"step\">%zu</span> ", s->number);
    pp_site_put_machine(s->v, place);
    pp_put(s->v, ": ");
    pp_site_put_text(s->v, place->models);
    pp_put(s->v, "</h2>\n");
    pp_site_put_facts(s->v, place->machine, place->machine_count,
                      "The bundle does not say on which machine it was measured, so it is "
                      "comparable with no other.");
    pp_site_put_facts(s->v, place->work, place->work_count,
                      "The bundle does not say which work was measured, so it is comparable with "
                      "no other.");
}

pp_status pp_site_put_group(const pp_view *v, const pp_site_group *group, size_t number,
                            bool is_alone, pp_error *err)
{
    side s = {.v = v, .group = group, .number = number, .is_alone = is_alone};
    const char *why = why_no_change(group);
    pp_status st = collect_metrics(&s, err);

    if (st != PP_OK)
        return st;
    open_group(&s);
    put_choices(&s);
    put_settings(&s);
    put_figures(&s, "Selected: figures", false);
    put_figures(&s, "Baselines: figures", true);
    if (s.has_more_metrics)
        pp_put_missing(v, "Metrics beyond the first 24 stand on the studies' own pages.", NULL);
    if (why == NULL)
        put_pair(&s);
    else if (group->member_count > 1)
        pp_put_missing(
            v, why, group->member_count == 2 ? NULL : "paretopilot report-compare A B -o F.html");
    pp_put_section_close(v);
    return PP_OK;
}

/* ---- pages ----------------------------------------------------------------------------------- */

static void put_header(const pp_view *v, size_t bundles, bool has_index)
{
    pp_put(v, "<header>\n<p class=\"product\">ParetoPilot report</p>\n"
              "<h1>Studies side by side</h1>\n<p class=\"sub\">");
    pp_put_count(v, bundles);
    pp_put(v, bundles == 1 ? " bundle" : " bundles");
    if (has_index)
        pp_put(v, " &middot; <a href=\"" PP_SITE_INDEX "\">all studies</a>");
    pp_put(v, "</p>\n</header>\n<main id=\"content\" tabindex=\"-1\">\n");
}

static pp_status finish(const pp_view *v, const pp_site *site, pp_status st, pp_error *err)
{
    pp_frame_put_footer(v, site->tool_version);
    pp_frame_close(v);
    if (st == PP_OK)
        st = pp_arena_check(v->arena, err);
    if (st == PP_OK)
        st = pp_buf_check(v->out, "the page", err);
    return pp_wrap(err, st, "writing studies side by side");
}

pp_status pp_site_group_page(pp_arena *arena, const pp_site *site, const pp_site_group *group,
                             pp_buf *out, pp_error *err)
{
    const pp_view v = {.arena = arena, .out = out};
    pp_status st =
        pp_frame_open(&v, pp_text_of("Studies side by side"), " - ParetoPilot report", NULL, err);

    put_header(&v, group->member_count, true);
    if (st == PP_OK)
        st = pp_site_put_group(&v, group, 1, true, err);
    return finish(&v, site, st, err);
}

pp_status pp_site_side_by_side(pp_arena *arena, const pp_site *site, pp_buf *out, pp_error *err)
{
    const pp_view v = {.arena = arena, .out = out};
    pp_status st =
        pp_frame_open(&v, pp_text_of("Studies side by side"), " - ParetoPilot report", NULL, err);

    put_header(&v, site->bundle_count, false);
    if (site->group_count > 1)
        pp_put(&v,
               "<div class=\"banner warn\"><strong>Not compared with each other.</strong> Machine, "
               "models or work of these bundles differ, or are not recorded. Another machine or "
               "other work gives other figures for the same configuration, so each group stands "
               "for itself: nothing is ranked, and no difference is taken, between groups."
               "</div>\n");
    for (size_t i = 0; st == PP_OK && i < site->group_count; i++)
        st = pp_site_put_group(&v, &site->groups[i], i + 1, site->group_count == 1, err);
    return finish(&v, site, st, err);
}
