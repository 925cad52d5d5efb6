#include <string.h>

#include "report/page_frame.h"
#include "report/site_parts.h"

static size_t count_evidence(const pp_site *site, pp_site_evidence evidence)
{
    size_t count = 0;

    for (size_t i = 0; i < site->bundle_count; i++)
        count += site->bundles[i].evidence == evidence;
    return count;
}

static void put_header(const pp_view *v, const pp_site *site)
{
    pp_put(v, "<header>\n<p class=\"product\">ParetoPilot report</p>\n"
              "<h1>Studies by machine</h1>\n<p class=\"sub\">");
    pp_put_count(v, site->bundle_count);
    pp_put(v, site->bundle_count == 1 ? " bundle &middot; " : " bundles &middot; ");
    pp_put_count(v, site->machine_count);
    pp_put(v, site->machine_count == 1 ? " machine &middot; " : " machines &middot; ");
    pp_put_count(v, count_evidence(site, PP_SITE_VERIFIED));
    pp_put(v, " verified when this page was made</p>\n</header>\n"
              "<main id=\"content\" tabindex=\"-1\">\n");
}

/* ---- what a reader must know first ----------------------------------------------------------- */

static void put_banner(const pp_view *v, size_t count, const char *one, const char *many)
{
    if (count == 0)
        return;
    pp_put(v, "<div class=\"banner warn\"><strong>");
    pp_put_count(v, count);
    pp_put(v, count == 1 ? one : many);
    pp_put(v, "</div>\n");
}

static void put_banners(const pp_view *v, const pp_site *site)
{
    size_t other = 0;

    for (size_t i = 0; i < site->bundle_count; i++)
        other += site->bundles[i].input != NULL &&
                 site->bundles[i].input->set->origin != PP_ORIGIN_MEASURED;
    put_banner(v, count_evidence(site, PP_SITE_DIFFERS),
               " bundle is not what it says it is.</strong> Its figures are left out of every "
               "comparison; its line says what differs.",
               " bundles are not what they say they are.</strong> Their figures are left out of "
               "every comparison; their lines say what differs.");
    put_banner(v, other,
               " bundle holds figures that no machine measured</strong> or whose origin is not "
               "known: see the column Origin.",
               " bundles hold figures that no machine measured</strong> or whose origin is not "
               "known: see the column Origin.");
}

static void put_reading(const pp_view *v)
{
    pp_put_section_open(v, "reading", "How to read this");
    pp_put(v,
           "<p>A line is a study; its name leads to its page. Studies stand together when machine, "
           "models and work are recorded as the same.</p>\n"
           "<p>Nothing is ranked, and no difference is taken, between machines: another CPU, "
           "memory or system gives other figures for the same configuration, so such a difference "
           "would say nothing about what to deploy. Each machine has its own answer.</p>\n"
           "<p><strong>Verified</strong> means that every file of the bundle has its recorded "
           "digest, the journal is unbroken, and all documents were made again from the raw files, "
           "byte by byte, when this page was made. It does not show that the raw files were "
           "measured.</p>\n");
    pp_put_section_close(v);
}

/* ---- a group --------------------------------------------------------------------------------- */

static void put_row(const pp_view *page, const pp_site_bundle *bundle)
{
    pp_view v = pp_site_view(page, bundle);
    const pp_decision *d = v.decision;
    pp_text objective = v.constraints->objective.metric;

    pp_put(&v, "<tr>");
    pp_site_put_head_cell(&v, bundle);
    pp_put_cell_open(&v, "words", "Selected");
    pp_site_put_choice(&v, bundle);
    pp_put(&v, "</td>");
    pp_put_cell_open(&v, "words", "Objective");
    pp_site_put_text(&v, pp_text_of(pp_metric_title(objective)));
    if (d->has_winner && pp_site_has_figures(bundle)) {
        pp_put(&v, ": <strong>");
        pp_put_value(&v, objective, pp_view_value(&v, d->selected, objective));
        pp_put(&v, "</strong>");
    }
    pp_put(&v, "</td>");
    pp_put_cell_open(&v, NULL, "Origin");
    pp_put_string(&v, pp_origin_name(v.set->origin));
    pp_put(&v, "</td>");
    pp_put_cell_open(&v, "words", "Evidence");
    pp_site_put_evidence(&v, bundle);
    pp_put(&v, "</td></tr>\n");
}

static void put_heads(const pp_view *v, const char *const *heads)
{
    pp_put(v, "<thead><tr>");
    for (size_t i = 0; heads[i] != NULL; i++)
        pp_put_column(v, heads[i], false);
    pp_put(v, "</tr></thead>\n<tbody>\n");
}

static void put_table(const pp_view *v, const pp_site_group *group, const char *caption)
{
    static const char *const heads[] = {"Study",  "Selected", "Objective",
                                        "Origin", "Evidence", NULL};

    pp_put_table_open(v, caption == NULL ? "Studies" : caption, "wide stack");
    put_heads(v, heads);
    for (size_t i = 0; i < group->member_count; i++)
        put_row(v, group->members[i]);
    pp_put(v, "</tbody>\n");
    pp_put_table_close(v);
}

static void put_work(const pp_view *v, const pp_site_place *place)
{
    pp_put(v, "<p>");
    for (size_t i = 0; i < place->work_count; i++) {
        pp_put(v, i > 0 ? " &middot; " : "");
        pp_put_string(v, place->work[i].name);
        pp_put(v, " ");
        pp_site_put_text(v, place->work[i].text);
    }
    if (place->work_count == 0)
        pp_put(v, "<span class=\"absent\">Work not recorded: comparable with no other study"
                  "</span>");
    pp_put(v, "</p>\n");
}

static void put_group(const pp_view *v, const pp_site_group *group, size_t machine, size_t number)
{
    pp_put(v, "<h3>");
    pp_site_put_text(v, group->place.models);
    pp_put(v, "</h3>\n");
    put_work(v, &group->place);
    put_table(v, group,
              pp_arena_printf(v->arena, "Studies of machine %zu, work %zu", machine, number));
    if (group->member_count > 1) {
        pp_put(v, "<p><a href=\"");
        pp_put_string(v, group->page);
        pp_put(v, "\">These ");
        pp_put_count(v, group->member_count);
        pp_put(v, " side by side</a></p>\n");
    }
}

/* ---- machines -------------------------------------------------------------------------------- */

static bool is_same_machine(const pp_site_group *a, const pp_site_group *b)
{
    return strcmp(a->place.machine_key, b->place.machine_key) == 0;
}

static void put_navigation(const pp_view *v, const pp_site *site)
{
    size_t machine = 0;

    pp_put(v, "<nav aria-label=\"On this page\">\n");
    for (size_t i = 0; i < site->group_count; i++) {
        if (i > 0 && is_same_machine(&site->groups[i], &site->groups[i - 1]))
            continue;
        machine++;
        pp_buf_printf(v->out, "<a href=\"#machine-%zu\">%zu ", machine, machine);
        pp_site_put_machine(v, &site->groups[i].place);
        pp_put(v, "</a>\n");
    }
    pp_put(v, "<a href=\"#reading\">How to read this</a>\n</nav>\n");
}

static void open_machine(const pp_view *v, const pp_site_place *place, size_t number)
{
    pp_buf_printf(v->out,
                  "<section aria-labelledby=\"machine-%zu\">\n<h2 id=\"machine-%zu\">"
                  "<span class=\"step\">%zu</span> ",
                  number, number, number);
    pp_site_put_machine(v, place);
    pp_put(v, "</h2>\n");
    pp_site_put_facts(v, place->machine, place->machine_count,
                      "The bundle does not say on which machine it was measured, so it is "
                      "comparable with no other.");
}

static void put_machines(const pp_view *v, const pp_site *site)
{
    size_t machine = 0;
    size_t number = 0;

    for (size_t i = 0; i < site->group_count; i++) {
        const pp_site_group *group = &site->groups[i];

        if (i == 0 || !is_same_machine(group, group - 1)) {
            if (i > 0)
                pp_put_section_close(v);
            open_machine(v, &group->place, ++machine);
            number = 0;
        }
        put_group(v, group, machine, ++number);
    }
    if (site->group_count > 0)
        pp_put_section_close(v);
}

/* ---- bundles without a decision -------------------------------------------------------------- */

static void put_without(const pp_view *v, const pp_site *site)
{
    static const char *const heads[] = {"Bundle", "Why it has no figures", "Evidence", NULL};
    size_t count = 0;

    for (size_t i = 0; i < site->bundle_count; i++)
        count += site->bundles[i].input == NULL;
    if (count == 0)
        return;
    pp_put_section_open(v, "without", "Bundles without figures");
    pp_put_table_open(v, "Bundles that nothing can be shown of", "wide stack");
    put_heads(v, heads);
    for (size_t i = 0; i < site->bundle_count; i++) {
        const pp_site_bundle *bundle = &site->bundles[i];

        if (bundle->input != NULL)
            continue;
        pp_put(v, "<tr>");
        pp_site_put_head_cell(v, bundle);
        pp_put_cell_open(v, "words", "Why it has no figures");
        pp_site_put_text(v, pp_text_of(bundle->absent));
        pp_put(v, "</td>");
        pp_put_cell_open(v, "words", "Evidence");
        pp_site_put_evidence(v, bundle);
        pp_put(v, "</td></tr>\n");
    }
    pp_put(v, "</tbody>\n");
    pp_put_table_close(v);
    pp_put_section_close(v);
}

static void put_none(const pp_view *v)
{
    pp_put_section_open(v, "none", "No study yet");
    pp_put_missing(v, "No bundle was found in the folder that this page was made from.",
                   "paretopilot study run PLAN --output-dir FOLDER/NAME");
    pp_put_section_close(v);
}

pp_status pp_site_index(pp_arena *arena, const pp_site *site, pp_buf *out, pp_error *err)
{
    const pp_view v = {.arena = arena, .out = out};
    pp_status st =
        pp_frame_open(&v, pp_text_of("Studies by machine"), " - ParetoPilot report", NULL, err);

    if (st != PP_OK)
        return pp_wrap(err, st, "writing the index");
    put_header(&v, site);
    put_banners(&v, site);
    put_navigation(&v, site);
    if (site->bundle_count == 0)
        put_none(&v);
    put_machines(&v, site);
    put_without(&v, site);
    put_reading(&v);
    pp_frame_put_footer(&v, site->tool_version);
    pp_frame_close(&v);
    st = pp_arena_check(arena, err);
    if (st == PP_OK)
        st = pp_buf_check(out, "the index", err);
    return pp_wrap(err, st, "writing the index");
}
