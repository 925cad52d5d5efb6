#include "report/site_parts.h"

pp_view pp_site_view(const pp_view *page, const pp_site_bundle *bundle)
{
    const pp_report_input *input = bundle->input;

    return (pp_view){
        .arena = page->arena,
        .out = page->out,
        .input = input,
        .set = input->set,
        .constraints = input->constraints,
        .decision = input->decision,
        .metadata = input->set->metadata,
        .study = pp_lookup_object(input->set->metadata, "study"),
    };
}

void pp_site_put_text(const pp_view *v, pp_text text)
{
    pp_put(v, "<bdi>");
    pp_html_cut(v->out, text, PP_SITE_TEXT_CHARACTERS);
    pp_put(v, "</bdi>");
}

pp_text pp_site_title(const pp_site_bundle *bundle)
{
    const pp_json *metadata = bundle->input == NULL ? NULL : bundle->input->set->metadata;
    pp_text title;

    return pp_lookup_text(pp_lookup_object(metadata, "study"), "title", &title) ? title
                                                                                : bundle->name;
}

void pp_site_put_head_cell(const pp_view *v, const pp_site_bundle *bundle)
{
    pp_text title = pp_site_title(bundle);

    pp_put(v, "<th scope=\"row\">");
    if (bundle->page != NULL) {
        pp_put(v, "<a href=\"");
        pp_put_string(v, bundle->page);
        pp_put(v, "\">");
    }
    pp_site_put_text(v, title);
    pp_put(v, bundle->page != NULL ? "</a>" : "");
    if (!pp_text_equal(title, bundle->name)) {
        pp_put(v, " <code class=\"below\">");
        pp_site_put_text(v, bundle->name);
        pp_put(v, "</code>");
    }
    pp_put(v, "</th>");
}

void pp_site_put_choice(const pp_view *v, const pp_site_bundle *bundle)
{
    const pp_benchmark_set *set = bundle->input->set;
    const pp_decision *d = bundle->input->decision;

    if (!d->has_winner) {
        pp_put(v, "<span class=\"absent\">nothing: no candidate is eligible</span>");
        return;
    }
    pp_site_put_text(v, set->candidates[d->selected].label);
    pp_put(v, d->selected == set->baseline_index ? " <span class=\"tag\">the baseline</span>" : "");
}

static void put_counts(const pp_view *v, const pp_site_bundle *b)
{
    pp_put_count(v, b->hashed_count);
    pp_put(v, b->hashed_count == 1 ? " file hashed" : " files hashed");
    if (b->journal_line_count > 0) {
        pp_put(v, ", ");
        pp_put_count(v, b->journal_line_count);
        pp_put(v, b->journal_line_count == 1 ? " journal line" : " journal lines");
    }
    if (b->derived_count > 0) {
        pp_put(v, ", ");
        pp_put_count(v, b->derived_count);
        pp_put(v, b->derived_count == 1 ? " file made again" : " files made again");
    }
}

void pp_site_put_evidence(const pp_view *v, const pp_site_bundle *b)
{
    const char *mark = b->evidence == PP_SITE_VERIFIED  ? "tag best"
                       : b->evidence == PP_SITE_DIFFERS ? "tag over"
                                                        : "tag";

    pp_put(v, "<span class=\"");
    pp_put(v, mark);
    pp_put(v, "\">");
    pp_put(v, pp_site_evidence_name(b->evidence));
    pp_put(v, "</span> ");
    if (b->evidence != PP_SITE_UNCHECKED)
        put_counts(v, b);
    if (b->evidence == PP_SITE_DIFFERS) {
        pp_put(v, "; ");
        pp_put_count(v, b->finding_count);
        pp_put(v, b->finding_count == 1 ? " finding" : " findings, the first");
    }
    if (b->reason != NULL) {
        pp_put(v, b->evidence == PP_SITE_UNCHECKED ? "" : ": ");
        pp_site_put_text(v, pp_text_of(b->reason));
    }
}

void pp_site_put_machine(const pp_view *v, const pp_site_place *place)
{
    if (place->machine_count == 0)
        pp_put(v, "Machine not recorded");
    else
        pp_site_put_text(v, place->machine[0].text);
}

void pp_site_put_facts(const pp_view *v, const pp_site_fact *facts, size_t count,
                       const char *absent)
{
    if (count == 0) {
        pp_put_missing(v, absent, NULL);
        return;
    }
    pp_put(v, "<dl class=\"facts tight\">\n");
    for (size_t i = 0; i < count; i++) {
        pp_put(v, "<div><dt>");
        pp_put_string(v, facts[i].name);
        pp_put(v, "</dt><dd>");
        pp_site_put_text(v, facts[i].text);
        pp_put(v, "</dd></div>\n");
    }
    pp_put(v, "</dl>\n");
}

bool pp_site_has_figures(const pp_site_bundle *bundle)
{
    return bundle->input != NULL && bundle->evidence != PP_SITE_DIFFERS;
}
