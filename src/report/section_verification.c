/* How somebody else checks this page: digests, and commands that make it again. */
#include "report/launch_command.h"
#include "report/view.h"

#define MAX_FINDINGS      50
#define COMMAND_MAX_BYTES 4096

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

/* "paretopilot verify demo": the folder's name, quoted for a shell. */
static void put_verify_command(const pp_view *v, pp_text bundle)
{
    pp_buf command;

    pp_buf_init(&command, COMMAND_MAX_BYTES);
    pp_buf_append_text(&command, "paretopilot verify ");
    pp_launch_quote(bundle, &command);
    if (pp_buf_check(&command, "a command", NULL) == PP_OK)
        put_command(v, "Command that checks the bundle", pp_buf_text(&command));
    pp_buf_done(&command);
}

static void put_counted(const pp_view *v, const char *head, size_t count, const char *what,
                        const char *sha256)
{
    pp_put_row_open(v, head);
    pp_put_count(v, count);
    pp_put(v, what);
    if (sha256 != NULL) {
        pp_put(v, ", SHA-256 ");
        pp_put_hash(v, sha256);
    }
    pp_put_row_close(v);
}

static void put_counts(const pp_view *v, const pp_report_verification *r)
{
    pp_put_table_open(v, "What the verification compared", "facts-table");
    pp_put(v, "<tbody>\n");
    pp_put_row_open(v, "Files");
    pp_put_count(v, r->hashed_count);
    pp_put(v, " hashed, ");
    pp_put_count(v, r->listed_count);
    pp_put(v, " listed in SHA256SUMS");
    pp_put_row_close(v);
    pp_put_row_open(v, "SHA256SUMS, which names the whole bundle");
    pp_put_hash(v, r->sums_sha256);
    pp_put_row_close(v);
    pp_put_row_open(v, "Plan");
    pp_put_hash(v, r->plan_sha256);
    pp_put_row_close(v);
    put_counted(v, "Journal", r->journal_line_count,
                r->journal_line_count == 0
                    ? " lines: its chain is broken"
                    : " lines, each with the hash of the one before; the last",
                r->journal_sha256);
    pp_put_row_open(v, "Documents made again from raw files");
    pp_put_count(v, r->derived_count);
    pp_put(v, ", by rules ");
    pp_put_string(v, r->derivation_version == NULL ? "that are not known" : r->derivation_version);
    pp_put_row_close(v);
    pp_put(v, "</tbody>\n");
    pp_put_table_close(v);
}

static void put_finding(const pp_view *v, const pp_report_finding *finding)
{
    pp_put(v, "<tr><th scope=\"row\">");
    pp_put_string(v, finding->rule);
    pp_put(v, "</th><td><code>");
    pp_put_string(v, finding->path);
    pp_put(v, "</code></td><td class=\"hash\">");
    pp_put_string(v, finding->expected);
    pp_put(v, "</td><td class=\"hash\">");
    pp_put_string(v, finding->found);
    pp_put(v, "</td></tr>\n");
}

static void put_findings(const pp_view *v, const pp_report_verification *r)
{
    size_t shown = r->finding_count < MAX_FINDINGS ? r->finding_count : MAX_FINDINGS;

    if (r->finding_count == 0)
        return;
    pp_put_table_open(v, "What differs from what the bundle says of itself", "wide");
    pp_put(v, "<thead><tr>");
    pp_put_column(v, "Rule", false);
    pp_put_column(v, "File", false);
    pp_put_column(v, "Expected", false);
    pp_put_column(v, "Found", false);
    pp_put(v, "</tr></thead>\n<tbody>\n");
    for (size_t i = 0; i < shown; i++)
        put_finding(v, &r->findings[i]);
    pp_put(v, "</tbody>\n");
    pp_put_table_close(v);
    if (shown == r->finding_count)
        return;
    pp_put(v, "<p class=\"note\">Shown are the first ");
    pp_put_count(v, shown);
    pp_put(v, " of ");
    pp_put_count(v, r->finding_count);
    pp_put(v, "; the command below prints them all.</p>\n");
}

static void put_verdict(const pp_view *v, const pp_report_verification *r)
{
    if (r->is_verified) {
        pp_put(v, "<p><strong>Verified.</strong> The program that wrote this page checked the "
                  "bundle in the same call: every file has the digest that SHA256SUMS lists, the "
                  "journal is an unbroken chain that began with the plan, and the documents follow "
                  "from the raw files, byte by byte. This does not show that the raw files were "
                  "measured at all.</p>\n");
    } else if (r->finding_count == 0) {
        pp_put(v, "<p><strong>Not verified: undecided.</strong> Nothing differs, but nothing could "
                  "be made again: ");
        pp_put_string(v, r->why);
        pp_put(v, ".</p>\n");
    } else {
        pp_put(v, "<p><strong>Not verified: ");
        pp_put_count(v, r->finding_count);
        pp_put(v, r->finding_count == 1 ? " finding." : " findings.");
        pp_put(v, "</strong> The bundle is not what it says it is. The page shows its documents as "
                  "they stand; do not rest on them.</p>\n");
    }
}

static void put_unread(const pp_view *v, const pp_report_bundle *bundle)
{
    if (bundle->unread == NULL)
        return;
    pp_put(v, "<p class=\"note\"><code>");
    pp_put_string(v, bundle->unread);
    pp_put(v, "</code> cannot be read, so the runs and requests on this page are not all.</p>\n");
}

static void put_bundle_state(const pp_view *v, const pp_report_bundle *bundle)
{
    put_verdict(v, &bundle->verification);
    put_findings(v, &bundle->verification);
    put_unread(v, bundle);
    put_counts(v, &bundle->verification);
    pp_put(v, "<p>Whoever has the bundle checks it again without a network, without llama.cpp and "
              "without trust in this page, beside its folder:</p>\n");
    put_verify_command(v, bundle->name);
}

static void put_state(const pp_view *v)
{
    if (v->input->extras.bundle != NULL) {
        put_bundle_state(v, v->input->extras.bundle);
        return;
    }
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

static void append_path(const pp_view *v, pp_text bundle, const char *name, pp_buf *command)
{
    const char *path = pp_arena_printf(v->arena, "%s/%s", bundle.data, name);

    if (path != NULL)
        pp_launch_quote(pp_text_of(path), command);
}

/* Beside the folder of the bundle, as the command that checks it. */
static void put_bundle_reproduction(const pp_view *v, const pp_report_bundle *bundle)
{
    pp_buf command;

    pp_buf_init(&command, COMMAND_MAX_BYTES);
    pp_buf_append_text(&command, "paretopilot report ");
    pp_launch_quote(bundle->name, &command);
    pp_buf_append_text(&command, " --output report.html");
    if (pp_buf_check(&command, "a command", NULL) == PP_OK)
        put_command(v, "Command that makes this page again", pp_buf_text(&command));
    pp_buf_clear(&command);
    pp_buf_append_text(&command, "paretopilot recommend ");
    append_path(v, bundle->name, "experiment/benchmark-set.json", &command);
    pp_buf_append_text(&command, " --constraints ");
    append_path(v, bundle->name, "experiment/constraints.json", &command);
    if (pp_buf_check(&command, "a command", NULL) == PP_OK)
        put_command(v, "Command that makes the decision again", pp_buf_text(&command));
    pp_buf_done(&command);
}

static void put_set_reproduction(const pp_view *v)
{
    const pp_report_extras *e = &v->input->extras;
    const char *page =
        pp_arena_printf(v->arena,
                        "paretopilot report SET --constraints CONSTRAINTS%s%s%s --output "
                        "report.html",
                        e->profiles != NULL ? " --policies POLICIES" : "", load_options(v),
                        e->stability != NULL ? " --stability STABILITY" : "");

    put_command(v, "Command that makes the decision again",
                "paretopilot recommend SET --constraints CONSTRAINTS");
    if (page != NULL)
        put_command(v, "Command that makes this page again", page);
    if (e->profiles != NULL)
        put_command(v, "Command that makes the other priorities again",
                    "paretopilot profiles SET --constraints CONSTRAINTS --policies POLICIES");
}

static void put_reproduction(const pp_view *v)
{
    pp_put(v, "<p>The same documents and the same version (");
    pp_put_string(v, v->input->tool_version);
    pp_put(v, ") give the same decision and the same bytes of this page:</p>\n");
    if (v->input->extras.bundle != NULL)
        put_bundle_reproduction(v, v->input->extras.bundle);
    else
        put_set_reproduction(v);
}

void pp_section_verification(const pp_view *v)
{
    pp_put_step_open(v, "08", "verification", "Verification and reproduction");
    put_state(v);
    put_inputs(v);
    put_reproduction(v);
    pp_put_section_close(v);
}
