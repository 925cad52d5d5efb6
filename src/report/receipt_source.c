/* Where the figures come from, what was checked, and what was not. */
#include <string.h>

#include "report/receipt_parts.h"

static const struct {
    const char *name;
    const char *section;
    const char *key;
} rows[] = {
    {"architecture", "runner", "architecture"},
    {"architecture, as reported", "runner", "reported_architecture"},
    {"CPU", "runner", "cpu"},
    {"operating system", "runner", "os"},
    {"CPU count", "runner", "cpu_count"},
    {"run", "run", "id"},
    {"run attempt", "run", "attempt"},
    {"source repository", "source", "repository"},
    {"source revision", "source", "revision"},
    {"workflow", "source", "workflow"},
    {"runtime", "runtime", "name"},
    {"runtime repository", "runtime", "repository"},
    {"runtime revision", "runtime", "revision"},
    {"model", "model", "name"},
    {"model repository", "model", "repository"},
    {"model revision", "model", "revision"},
    {"evaluation suite", "evaluation_suite", "id"},
    {"evaluation suite SHA-256", "evaluation_suite", "sha256"},
};

static const char *cell_of(const pp_receipt *r, const pp_json *value)
{
    const char *text;

    if (value->kind != PP_JSON_INTEGER)
        return pp_receipt_text_of(r, value);
    text = pp_arena_printf(r->arena, "%lld", (long long)value->integer);
    return text == NULL ? "" : text;
}

static void write_fingerprints(const pp_receipt *r)
{
    static const char *const keys[] = {"benchmarks_sha256", "constraints_sha256"};
    const pp_json *inputs = pp_json_find(r->passport, "input_fingerprints");

    for (size_t i = 0; i < PP_COUNT_OF(keys); i++)
        pp_receipt_row(r, i == 0 ? "benchmark set SHA-256" : "constraints SHA-256",
                       inputs == NULL ? PP_NOT_RECORDED
                                      : pp_receipt_text_of(r, pp_json_find(inputs, keys[i])));
}

static void write_table(const pp_receipt *r, const pp_json *provenance)
{
    pp_receipt_items(r);
    pp_receipt_row(r, "evidence grade",
                   pp_receipt_text(r, pp_text_of(pp_passport_grade_text(r->passport))));
    pp_receipt_row(r, "attribution complete",
                   pp_receipt_yes_no(pp_checked_bool(provenance, "attribution_complete")));
    pp_receipt_row(r, "classification, not checked",
                   pp_receipt_text_of(r, pp_json_find(provenance, "classification")));
    for (size_t i = 0; i < PP_COUNT_OF(rows); i++)
        pp_receipt_row(
            r, rows[i].name,
            cell_of(r, pp_json_find(pp_checked_object(provenance, rows[i].section), rows[i].key)));
    pp_receipt_row(r, "passport schema",
                   pp_receipt_text_of(r, pp_json_find(r->passport, "schema_version")));
    pp_receipt_row(r, "written by version",
                   pp_receipt_text_of(r, pp_json_find(r->passport, "paretopilot_version")));
    write_fingerprints(r);
    pp_buf_append_char(r->out, '\n');
}

static void write_issues(const pp_receipt *r)
{
    const pp_json *issues = pp_passport_issues(r->passport);

    if (issues->array.count == 0) {
        pp_buf_append_text(r->out, "Issues: none.\n\n");
        return;
    }
    pp_buf_append_text(r->out, "Issues:\n\n");
    for (size_t i = 0; i < issues->array.count; i++)
        pp_buf_printf(r->out, "- %s\n", pp_receipt_text_of(r, issues->array.items[i]));
    pp_buf_append_char(r->out, '\n');
}

/* The passport's own words about what it does. */
static void write_limits(const pp_receipt *r)
{
    static const char *const keys[] = {"selection", "ladder_order", "resource_alternative",
                                       "current_boundary_caveat"};
    const pp_json *method = pp_checked_object(r->passport, "method");

    pp_buf_append_text(r->out, "Limits:\n\n");
    for (size_t i = 0; i < PP_COUNT_OF(keys); i++)
        pp_buf_printf(r->out, "- %s\n", pp_receipt_text_of(r, pp_json_find(method, keys[i])));
    pp_buf_append_text(r->out,
                       "- This receipt was made from the passport alone. Its arithmetic was done "
                       "again and agrees; the inputs behind the digests were not read.\n");
}

void pp_receipt_source(const pp_receipt *r)
{
    const pp_json *provenance = pp_checked_object(r->passport, "provenance");

    pp_markdown_heading(r->out, 2, "Source and verification");
    write_table(r, provenance);
    pp_buf_printf(r->out, "%s\n\n",
                  pp_receipt_text_of(r, pp_json_find(provenance, "verification_scope")));
    write_issues(r);
    write_limits(r);
}
