#include "report/html.h"

#include "report/page_frame.h"
#include "report/page_sections.h"

static pp_text title_of(const pp_view *v)
{
    pp_text title;

    return pp_lookup_text(v->study, "title", &title) ? title
                                                     : pp_text_of("Which configuration to deploy");
}

static pp_status put_head(const pp_view *v, pp_error *err)
{
    pp_view rules = *v;
    pp_buf style;
    pp_status st;

    pp_buf_init(&style, PP_REPORT_MAX_BYTES);
    rules.out = &style;
    pp_priorities_style(&rules);
    st = pp_buf_check(&style, "the style", err);
    if (st == PP_OK)
        st = pp_frame_open(v, title_of(v), " - ParetoPilot report", &style, err);
    pp_buf_done(&style);
    return st;
}

static void put_index_link(const pp_view *v)
{
    if (v->input->index_page == NULL)
        return;
    pp_put(v, " &middot; <a href=\"");
    pp_put_string(v, v->input->index_page);
    pp_put(v, "\">all studies</a>");
}

static void put_header(const pp_view *v)
{
    pp_text id;

    pp_put(v, "<header>\n<p class=\"product\">ParetoPilot report</p>\n<h1>");
    pp_put_text(v, title_of(v));
    pp_put(v, "</h1>\n<p class=\"sub\">");
    if (pp_lookup_text(v->study, "study_id", &id)) {
        pp_put(v, "Study <code>");
        pp_put_text(v, id);
        pp_put(v, "</code> &middot; ");
    }
    pp_put_count(v, v->set->candidate_count);
    pp_put(v, v->set->candidate_count == 1 ? " candidate" : " candidates");
    pp_put(v, " &middot; origin of the figures: <strong>");
    pp_put(v, pp_origin_name(v->set->origin));
    pp_put(v, "</strong> &middot; evidence: <strong>");
    pp_put(v, pp_view_evidence(v));
    pp_put(v, "</strong>");
    put_index_link(v);
    pp_put(v, "</p>\n</header>\n<main id=\"content\" tabindex=\"-1\">\n");
}

/* The walk through the decision, numbered on the page. */
static pp_status put_walk(const pp_view *v, pp_error *err)
{
    pp_status st;

    pp_section_steps(v);
    st = pp_section_rule(v, err);
    if (st != PP_OK)
        return st;
    pp_section_guardrails(v);
    pp_section_tradeoffs(v);
    pp_section_crossover(v);
    pp_section_priorities(v);
    st = pp_section_load(v, err);
    if (st != PP_OK)
        return st;
    pp_section_repeat(v);
    st = pp_section_charts(v, err);
    pp_section_comparison(v);
    return st;
}

/* Sections that every page has. */
static void put_navigation(const pp_view *v)
{
    static const char *const links[][2] = {
        {"steps", "00 Configurations"},
        {"rule", "01 Rule"},
        {"tradeoffs", "02 Trade-offs"},
        {"priorities", "03 Priorities"},
        {"load", "04 Load"},
        {"repeatability", "05 Repeatability"},
        {"charts", "06 Chart"},
        {"comparison", "07 Evidence"},
        {"verification", "08 Verification"},
    };

    pp_put(v, "<nav aria-label=\"On this page\">\n");
    for (size_t i = 0; i < PP_COUNT_OF(links); i++)
        pp_buf_printf(v->out, "<a href=\"#%s\">%s</a>\n", links[i][0], links[i][1]);
    pp_put(v, "</nav>\n");
}

static pp_status put_sections(const pp_view *v, pp_error *err)
{
    pp_status st;

    pp_section_banners(v);
    pp_section_verdict(v);
    pp_section_brief(v);
    put_navigation(v);
    st = put_walk(v, err);
    if (st != PP_OK)
        return st;
    pp_section_others(v);
    pp_section_measured(v);
    st = pp_section_samples(v, err);
    if (st != PP_OK)
        return st;
    pp_section_quality(v);
    pp_section_runs(v);
    st = pp_section_timeline(v, err);
    if (st != PP_OK)
        return st;
    pp_section_machine(v);
    pp_section_models(v);
    st = pp_section_deployment(v, err);
    if (st != PP_OK)
        return st;
    pp_section_verification(v);
    return pp_section_provenance(v, err);
}

static pp_status put_body(const pp_view *v, pp_error *err)
{
    pp_status st;

    put_header(v);
    st = put_sections(v, err);
    if (st != PP_OK)
        return st;
    pp_frame_put_footer(v, v->input->tool_version);
    st = pp_arena_check(v->arena, err);
    return st == PP_OK ? pp_buf_check(v->out, "the page", err) : st;
}

pp_status pp_page_put_body(pp_arena *arena, const pp_report_input *input, pp_buf *out,
                           pp_error *err)
{
    pp_view v;
    pp_status st = pp_view_make(arena, input, out, &v, err);

    return st == PP_OK ? put_body(&v, err) : st;
}

pp_status pp_report_html(pp_arena *arena, const pp_report_input *input, pp_buf *out, pp_error *err)
{
    pp_view v;
    pp_status st = pp_view_make(arena, input, out, &v, err);

    if (st == PP_OK)
        st = put_head(&v, err);
    if (st == PP_OK)
        st = put_body(&v, err);
    if (st == PP_OK) {
        pp_frame_close(&v);
        st = pp_buf_check(out, "the page", err);
    }
    return pp_wrap(err, st, "writing the report");
}
