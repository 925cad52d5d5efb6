#include "report/html.h"

#include "report/view.h"

static void put_title(const pp_view *v)
{
    pp_text title;

    if (pp_lookup_text(v->study, "title", &title))
        pp_put_text(v, title);
    else
        pp_put(v, "Which configuration to deploy");
}

static void put_head(const pp_view *v)
{
    pp_put(v, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
              "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
              "style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'\">\n"
              "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
              "<meta name=\"color-scheme\" content=\"light dark\">\n<title>");
    put_title(v);
    pp_put(v, " - ParetoPilot report</title>\n<style>\n");
    for (size_t i = 0; pp_report_style[i] != NULL; i++)
        pp_put(v, pp_report_style[i]);
    pp_put(v, "</style>\n</head>\n<body>\n"
              "<a class=\"skip\" href=\"#content\">Skip to the content</a>\n");
}

static void put_header(const pp_view *v)
{
    pp_text id;

    pp_put(v, "<header>\n<p class=\"product\">ParetoPilot report</p>\n<h1>");
    put_title(v);
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
    pp_put(v, "</strong></p>\n</header>\n<main id=\"content\" tabindex=\"-1\">\n");
}

static void put_footer(const pp_view *v)
{
    pp_put(v, "</main>\n<footer>\n<p>Made by ParetoPilot ");
    pp_put_string(v, v->input->tool_version);
    pp_put(v, ". This page holds no script and loads nothing; the same input gives the same "
              "bytes. Shown numbers are rounded, the documents hold full precision.</p>\n"
              "</footer>\n</body>\n</html>\n");
}

static pp_status put_sections(const pp_view *v, pp_error *err)
{
    pp_status st;

    pp_section_banners(v);
    pp_section_verdict(v);
    pp_section_comparison(v);
    st = pp_section_charts(v, err);
    if (st != PP_OK)
        return st;
    pp_section_others(v);
    pp_section_guardrails(v);
    pp_section_measured(v);
    pp_section_quality(v);
    pp_section_runs(v);
    pp_section_machine(v);
    pp_section_models(v);
    st = pp_section_deployment(v, err);
    if (st == PP_OK)
        st = pp_section_provenance(v, err);
    return st;
}

pp_status pp_report_html(pp_arena *arena, const pp_report_input *input, pp_buf *out, pp_error *err)
{
    pp_view v = {
        .arena = arena,
        .out = out,
        .input = input,
        .set = input->set,
        .constraints = input->constraints,
        .decision = input->decision,
        .metadata = input->set->metadata,
        .study = pp_lookup_object(input->set->metadata, "study"),
    };
    pp_status st = pp_metric_list(arena, v.set, v.constraints, &v.metrics, &v.metric_count, err);

    if (st == PP_OK) {
        put_head(&v);
        put_header(&v);
        st = put_sections(&v, err);
    }
    if (st == PP_OK) {
        put_footer(&v);
        st = pp_arena_check(arena, err);
    }
    if (st == PP_OK)
        st = pp_buf_check(out, "the page", err);
    return pp_wrap(err, st, "writing the report");
}
