#include "report/view.h"

static void put_hash_row(const pp_view *v, const char *head, const char *sha256)
{
    pp_put_row_open(v, head);
    if (sha256 != NULL) {
        pp_put(v, "<code class=\"hash\">");
        pp_put_string(v, sha256);
        pp_put(v, "</code>");
    } else {
        pp_put(v, "<span class=\"absent\">not recorded</span>");
    }
    pp_put_row_close(v);
}

static void put_id_row(const pp_view *v, const char *head, pp_text id)
{
    pp_put_row_open(v, head);
    pp_put(v, "<code>");
    pp_put_text(v, id);
    pp_put(v, "</code>");
    pp_put_row_close(v);
}

static void put_facts(const pp_view *v)
{
    const pp_decision *d = v->decision;
    pp_text plan;

    pp_put_table_open(v, "Inputs of this page", "facts-table");
    pp_put(v, "<tbody>\n");
    put_hash_row(v, "Benchmark set, SHA-256", v->input->fingerprints.benchmarks_sha256);
    put_hash_row(v, "Constraints, SHA-256", v->input->fingerprints.constraints_sha256);
    if (pp_lookup_text(v->study, "plan_sha256", &plan))
        put_id_row(v, "Plan, SHA-256", plan);
    put_id_row(v, "Baseline", v->set->baseline_id);
    if (d->has_winner)
        put_id_row(v, "Selected", v->set->candidates[d->selected].id);
    pp_put_row_open(v, "ParetoPilot");
    pp_put_string(v, v->input->tool_version);
    pp_put_row_close(v);
    pp_put(v, "</tbody>\n");
    pp_put_table_close(v);
}

/* What is longer is left to the document, so that the page stays one that a browser opens. */
#define PARAMETERS_MAX_BYTES ((size_t)32 << 10)
#define METADATA_MAX_BYTES   ((size_t)2 << 20)

/* `id`, where there is one, tells one such block from the others. */
static pp_status put_json(const pp_view *v, const char *what, pp_text id, const pp_json *value,
                          size_t most, pp_error *err)
{
    pp_buf text;
    pp_status st;

    pp_buf_init(&text, PP_REPORT_MAX_BYTES);
    st = pp_json_write(value, PP_JSON_FILE, &text, err);
    if (st == PP_OK && text.size > most) {
        pp_put(v, "<p class=\"note\">Left out, because it is ");
        pp_put_count(v, text.size);
        pp_put(v, " bytes long; the benchmark set holds it.</p>\n");
    } else if (st == PP_OK) {
        pp_put(v, "<pre tabindex=\"0\" role=\"group\" aria-label=\"");
        pp_put(v, what);
        pp_put_text(v, id);
        pp_put(v, "\"><code>");
        pp_html_lines(v->out, (pp_text){pp_buf_text(&text), text.size});
        pp_put(v, "</code></pre>\n");
    }
    pp_buf_done(&text);
    return st;
}

static pp_status put_parameters(const pp_view *v, size_t candidate, pp_error *err)
{
    const pp_json *parameters = v->set->candidates[candidate].parameters;
    pp_status st = PP_OK;

    pp_put(v, "<details><summary>");
    pp_put_candidate(v, candidate);
    pp_put(v, "</summary>\n");
    if (parameters != NULL)
        st = put_json(v, "Parameters of ", v->set->candidates[candidate].id, parameters,
                      PARAMETERS_MAX_BYTES, err);
    else
        pp_put(v, "<p><span class=\"absent\">no parameters recorded</span></p>\n");
    pp_put(v, "</details>\n");
    return st;
}

/* The study is shown in its own sections; of the rest nothing may get lost. */
static pp_status put_metadata(const pp_view *v, pp_error *err)
{
    pp_status st;

    if (v->metadata == NULL)
        return PP_OK;
    pp_put(v, "<h3>Metadata of the set</h3>\n<details><summary>As the document has it</summary>\n");
    st = put_json(v, "Metadata", (pp_text){0}, v->metadata, METADATA_MAX_BYTES, err);
    pp_put(v, "</details>\n");
    return st;
}

pp_status pp_section_provenance(const pp_view *v, pp_error *err)
{
    pp_status st;

    pp_put_section_open(v, "provenance", "Provenance");
    put_facts(v);
    pp_put(v, "<h3>Parameters of each candidate</h3>\n");
    pp_put_shown_note(v);
    for (size_t i = 0; i < v->shown_count; i++) {
        st = put_parameters(v, v->shown[i], err);
        if (st != PP_OK)
            return st;
    }
    st = put_metadata(v, err);
    pp_put_section_close(v);
    return st;
}
