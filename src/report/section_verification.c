/* How somebody else checks this page: digests, and commands that make it again. */
#include "report/view.h"

typedef struct row {
    const char *role;
    const char *sha256;
} row;

static void put_command(const pp_view *v, const char *label, const char *command)
{
    pp_put(v, "<pre tabindex=\"0\" role=\"region\" aria-label=\"");
    pp_put_string(v, label);
    pp_put(v, "\"><code>");
    pp_put_string(v, command);
    pp_put(v, "</code></pre>\n");
}

static void put_state(const pp_view *v)
{
    pp_put(v, "<p><strong>Not verified.</strong> The figures are those of the benchmark set; "
              "nobody looked at raw files. Where a bundle came with the set, this checks it "
              "without a network, without llama.cpp and without trust in it:</p>\n");
    put_command(v, "Command that checks the bundle", "paretopilot verify BUNDLE");
}

static void put_inputs(const pp_view *v)
{
    const row rows[] = {
        {"Benchmark set", v->input->fingerprints.benchmarks_sha256},
        {"Constraints", v->input->fingerprints.constraints_sha256},
        {"Policy set", v->input->extras.policies_sha256},
        {"Load evaluation", v->input->extras.load_sha256},
        {"Stability", v->input->extras.stability_sha256},
    };

    pp_put_table_open(v, "Documents behind this page, by SHA-256", "facts-table");
    pp_put(v, "<tbody>\n");
    for (size_t i = 0; i < PP_COUNT_OF(rows); i++) {
        if (i >= 2 && rows[i].sha256 == NULL)
            continue; /* not given */
        pp_put_row_open(v, rows[i].role);
        pp_put_hash(v, rows[i].sha256);
        pp_put_row_close(v);
    }
    for (size_t i = 0; i < v->input->extras.load_document_count; i++) {
        pp_put_row_open(v, "Load report");
        pp_put_hash(v, v->input->extras.load_documents[i].sha256);
        pp_put_row_close(v);
    }
    pp_put(v, "</tbody>\n");
    pp_put_table_close(v);
}

/* One for each document: the option repeats. */
static const char *load_options(const pp_view *v)
{
    const pp_report_extras *e = &v->input->extras;
    size_t count = e->load_document_count + (e->load != NULL ? 1 : 0);
    const char *options = "";

    for (size_t i = 0; options != NULL && i < count; i++)
        options = pp_arena_printf(v->arena, "%s --load LOAD", options);
    return options == NULL ? "" : options;
}

static void put_reproduction(const pp_view *v)
{
    const pp_report_extras *e = &v->input->extras;
    const char *page =
        pp_arena_printf(v->arena,
                        "paretopilot report SET --constraints CONSTRAINTS%s%s%s --output "
                        "report.html",
                        e->profiles != NULL ? " --policies POLICIES" : "", load_options(v),
                        e->stability != NULL ? " --stability STABILITY" : "");

    pp_put(v, "<p>The same documents and the same version (");
    pp_put_string(v, v->input->tool_version);
    pp_put(v, ") give the same decision and the same bytes of this page:</p>\n");
    put_command(v, "Command that makes the decision again",
                "paretopilot recommend SET --constraints CONSTRAINTS");
    if (page != NULL)
        put_command(v, "Command that makes this page again", page);
    if (e->profiles != NULL)
        put_command(v, "Command that makes the other priorities again",
                    "paretopilot profiles SET --constraints CONSTRAINTS --policies POLICIES");
}

void pp_section_verification(const pp_view *v)
{
    pp_put_step_open(v, "08", "verification", "Verification and reproduction");
    put_state(v);
    put_inputs(v);
    put_reproduction(v);
    pp_put_section_close(v);
}
