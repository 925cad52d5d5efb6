#include "report/view.h"

static void put_text_cell(const pp_view *v, const pp_json *model, const char *key, const char *tag)
{
    pp_text text;

    pp_put(v, "<td>");
    if (pp_lookup_text(model, key, &text)) {
        pp_put(v, tag[0] != '\0' ? "<code class=\"hash\">" : "");
        pp_put_text(v, text);
        pp_put(v, tag[0] != '\0' ? "</code>" : "");
    } else {
        pp_put(v, "<span class=\"absent\">not recorded</span>");
    }
    pp_put(v, "</td>");
}

static void put_scaled_cell(const pp_view *v, const pp_json *model, const char *key, double factor,
                            const char *unit)
{
    char text[PP_FIGURE_TEXT_MAX];
    double value;

    pp_put(v, "<td class=\"num\">");
    if (pp_lookup_number(model, key, &value)) {
        pp_put_string(v, pp_figure_fixed(value * factor, 1, text));
        pp_put(v, unit);
    } else {
        pp_put(v, "<span class=\"absent\">not recorded</span>");
    }
    pp_put(v, "</td>");
}

/* Generation reads the streamed weights once for each token. */
static void put_bandwidth_cell(const pp_view *v, size_t candidate, const pp_json *model)
{
    const double *rate = pp_view_value(v, candidate, pp_text_of("generation_tokens_per_second"));
    char text[PP_FIGURE_TEXT_MAX];
    double bytes;

    if (rate == NULL)
        rate = pp_view_value(v, candidate, pp_text_of("generation_tps"));
    pp_put(v, "<td class=\"num\">");
    if (rate != NULL && pp_lookup_number(model, "streamed_bytes_per_token", &bytes)) {
        pp_put_string(v, pp_figure_fixed(*rate * bytes * 1e-9, 2, text));
        pp_put(v, " GB/s");
    } else {
        pp_put(v, "<span class=\"absent\">not known</span>");
    }
    pp_put(v, "</td>");
}

static void put_model_row(const pp_view *v, size_t candidate, const pp_json *model)
{
    pp_put(v, "<tr><th scope=\"row\">");
    pp_put_label(v, candidate);
    pp_put(v, "</th>");
    put_text_cell(v, model, "filename", "");
    put_text_cell(v, model, "origin", "");
    put_text_cell(v, model, "architecture", "");
    put_scaled_cell(v, model, "parameter_count", 1e-6, " M");
    put_text_cell(v, model, "tensor_types", "");
    put_scaled_cell(v, model, "size_bytes", 1.0 / 1048576.0, " MiB");
    put_scaled_cell(v, model, "streamed_bytes_per_token", 1.0 / 1048576.0, " MiB");
    put_bandwidth_cell(v, candidate, model);
    put_text_cell(v, model, "sha256", "code");
    pp_put(v, "</tr>\n");
}

void pp_section_models(const pp_view *v)
{
    size_t known = 0;

    for (size_t i = 0; i < v->set->candidate_count; i++)
        known += pp_view_parameters(v, i, "model") != NULL;
    pp_put_section_open(v, "models", "Models");
    if (known == 0) {
        pp_put(v, "<p>Model files: <span class=\"absent\">not recorded</span></p>\n");
        pp_put_section_close(v);
        return;
    }
    pp_put_table_open(v, "Model of each candidate", "wide");
    pp_put(v, "<thead><tr><th scope=\"col\">Candidate</th><th scope=\"col\">File</th><th "
              "scope=\"col\">Origin</th><th scope=\"col\">Architecture</th><th scope=\"col\" "
              "class=\"num\">Parameters</th><th scope=\"col\">Tensor types</th><th scope=\"col\" "
              "class=\"num\">Size</th><th scope=\"col\" class=\"num\">Streamed per token</th><th "
              "scope=\"col\" class=\"num\">Implied bandwidth</th><th scope=\"col\">SHA-256</th>"
              "</tr></thead>\n<tbody>\n");
    for (size_t i = 0; i < v->shown_count; i++)
        put_model_row(v, v->shown[i], pp_view_parameters(v, v->shown[i], "model"));
    pp_put(v, "</tbody>\n");
    pp_put_table_close(v);
    pp_put(v,
           "<p class=\"fine\">Implied bandwidth is derived, not measured: generation speed times "
           "the bytes of weights that each token streams, in 10<sup>9</sup> bytes a second."
           "</p>\n");
    pp_put_section_close(v);
}
