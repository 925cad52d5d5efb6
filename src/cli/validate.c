#include "cli/validate.h"

#include <string.h>

#include "base/files.h"
#include "capacity/load_check.h"
#include "capacity/load_report.h"
#include "capacity/quality_binding.h"
#include "capacity/same.h"
#include "decide/passport.h"
#include "decide/passport_check.h"
#include "decide/stability.h"
#include "evidence/journal_chain.h"
#include "intake/bench_compare.h"
#include "intake/gnu_time.h"
#include "load/prompts.h"
#include "load/trace.h"
#include "model/benchmark_set.h"
#include "model/constraints.h"
#include "model/model_table.h"
#include "model/policy_set.h"
#include "model/sample.h"
#include "model/serve_config.h"
#include "model/study_plan.h"
#include "model/suite.h"
#include "quality/evaluation_check.h"
#include "quality/suite_report.h"

#define SAMPLES_MAX_BYTES ((size_t)4 << 30) /* as `load` writes at most */

typedef struct validator {
    pp_arena *arena;
    const pp_validate_options *options;
    pp_validated *out;
    pp_buf bytes;
} validator;

/* ---- decoders: rules between values, and what the document holds ----------------------------- */

static const char *shown(pp_arena *arena, pp_text text)
{
    char out[96];

    pp_text_escape_controls(text.data, text.size, out, sizeof out);
    return pp_arena_dup(arena, out, strlen(out));
}

static const char *count_text(pp_arena *arena, size_t count, const char *noun)
{
    return pp_arena_printf(arena, "%zu %s%s", count, noun, count == 1 ? "" : "s");
}

static void describe_set(validator *v, const pp_benchmark_set *set)
{
    pp_json *json = pp_json_new_object(v->arena);

    pp_json_set_bool(v->arena, json, "valid", true);
    pp_json_set_string(v->arena, json, "schema_version", "1.0");
    pp_json_set_text(v->arena, json, "baseline_id", set->baseline_id);
    pp_json_set_int(v->arena, json, "candidate_count", (int64_t)set->candidate_count);
    pp_json_set_bool(v->arena, json, "synthetic", set->synthetic);
    pp_json_set_string(v->arena, json, "input_sha256", v->out->sha256);
    v->out->benchmark_set = json;
    v->out->holds =
        pp_arena_printf(v->arena, "%s, %s", count_text(v->arena, set->candidate_count, "candidate"),
                        pp_origin_name(set->origin));
}

static pp_status decode_set(validator *v, const pp_json *root, pp_error *err)
{
    pp_benchmark_set set;
    pp_status st = pp_benchmark_set_decode(v->arena, root, &set, err);

    if (st == PP_OK)
        describe_set(v, &set);
    return st;
}

static pp_status decode_constraints(validator *v, const pp_json *root, pp_error *err)
{
    pp_constraints c;
    pp_status st = pp_constraints_decode(v->arena, root, &c, err);
    const pp_json *objective = pp_json_find(root, "objective");

    if (st == PP_OK)
        v->out->holds =
            pp_arena_printf(v->arena, "%s %s", pp_json_find(objective, "direction")->text.data,
                            shown(v->arena, pp_json_find(objective, "metric")->text));
    return st;
}

static pp_status decode_serve_config(validator *v, const pp_json *root, pp_error *err)
{
    pp_serve_config config;
    pp_status st = pp_serve_config_decode(v->arena, root, &config, err);

    if (st == PP_OK)
        v->out->holds =
            pp_arena_printf(v->arena, "%s on %s", count_text(v->arena, config.model_count, "model"),
                            count_text(v->arena, config.backend_count, "back end"));
    return st;
}

static pp_status decode_plan(validator *v, const pp_json *root, pp_error *err)
{
    pp_study_plan plan;
    pp_status st = pp_study_plan_decode(v->arena, root, &plan, err);

    if (st == PP_OK)
        v->out->holds = count_text(v->arena, plan.candidate_count, "candidate");
    return st;
}

static pp_status decode_policies(validator *v, const pp_json *root, pp_error *err)
{
    pp_policy_set policies;
    pp_status st = pp_policy_set_decode(v->arena, root, &policies, err);

    if (st == PP_OK)
        v->out->holds = count_text(v->arena, policies.profile_count, "profile");
    return st;
}

static pp_status decode_table(validator *v, const pp_json *root, pp_error *err)
{
    pp_model_table table;

    return pp_model_table_decode(v->arena, root, &table, err);
}

static pp_status decode_summary(validator *v, const pp_json *root, pp_error *err)
{
    pp_bench_variant variant;
    pp_status st = pp_bench_variant_decode(root, &variant, err);

    if (st == PP_OK)
        v->out->holds = shown(v->arena, variant.label);
    return st;
}

static pp_status decode_suite(validator *v, const pp_json *root, pp_error *err)
{
    pp_suite suite;
    pp_status st = pp_suite_decode(v->arena, root, &suite, err);

    if (st == PP_OK)
        v->out->holds = count_text(v->arena, suite.case_count, "case");
    return st;
}

static pp_status decode_sample(validator *v, const pp_json *root, pp_error *err)
{
    pp_sample sample;

    return pp_sample_decode(v->arena, root, &sample, err);
}

static pp_status decode_prompt(validator *v, const pp_json *root, pp_error *err)
{
    (void)v;
    return pp_prompt_check(root, err);
}

static pp_status decode_trace_entry(validator *v, const pp_json *root, pp_error *err)
{
    (void)v;
    return pp_trace_entry_check(root, err);
}

/* A report that differs is a valid one; that it differs is a result. */
static pp_status make_again(validator *v, const pp_json *root, pp_error *err)
{
    pp_error difference = {0};
    pp_json *again = NULL;
    pp_status st = pp_load_report_again(v->arena, root, v->options->load_samples,
                                        v->options->load_sample_count, &again, &difference);

    if (st == PP_OK)
        st = pp_json_same(root, again, "the samples", &difference);
    if (st == PP_ERR_MEMORY)
        return pp_fail(err, st, "out of memory");
    v->out->was_made_again = true;
    if (st != PP_OK)
        v->out->difference = pp_arena_dup(v->arena, difference.text, strlen(difference.text));
    return PP_OK;
}

static pp_status decode_load_report(validator *v, const pp_json *root, pp_error *err)
{
    pp_load_report report;
    pp_status st = pp_load_report_decode(v->arena, root, &report, err);

    if (st == PP_OK)
        v->out->holds =
            pp_arena_printf(v->arena, "%s%s of %s", report.is_partial ? "partial, " : "",
                            count_text(v->arena, report.level_count, "level"),
                            shown(v->arena, report.run.endpoint));
    return st == PP_OK && v->options->has_load_samples ? make_again(v, root, err) : st;
}

/* That a report does not follow from its answers is a result, too. */
static pp_status make_suite_again(validator *v, const pp_json *root, pp_error *err)
{
    const pp_suite_source source = {&v->options->suite, v->options->suite_sha256,
                                    v->options->suite_content_sha256};
    pp_status st = pp_suite_report_again(v->arena, root, v->options->has_suite ? &source : NULL,
                                         &v->out->differences, &v->out->difference_count, err);

    v->out->was_made_of_answers = st == PP_OK;
    v->out->was_matched_again = st == PP_OK && v->options->has_suite;
    return st;
}

static pp_status decode_suite_report(validator *v, const pp_json *root, pp_error *err)
{
    pp_suite_report report;
    pp_status st = pp_suite_report_decode(v->arena, root, &report, err);

    if (st == PP_OK)
        v->out->holds =
            pp_arena_printf(v->arena, "%s%s of %s, %s", report.is_partial ? "partial, " : "",
                            count_text(v->arena, report.suite->case_count, "case"),
                            shown(v->arena, report.suite->id),
                            count_text(v->arena, report.endpoint_count, "endpoint"));
    return st == PP_OK ? make_suite_again(v, root, err) : st;
}

static pp_status decode_load_plan(validator *v, const pp_json *root, pp_error *err)
{
    pp_load_plan plan;
    pp_status st = pp_load_plan_decode(v->arena, root, &plan, err);

    if (st == PP_OK)
        v->out->holds = count_text(v->arena, plan.method.level_count, "level");
    return st;
}

/* The documents do not tie a command line to the file it is said to be from; the digest can. */
static pp_status binding_text(pp_arena *arena, const pp_load_evaluation *e, size_t count,
                              const char **ret_text, pp_error *err)
{
    bool all = true;

    *ret_text = "bound to no server";
    for (size_t i = 0; e[0].is_bound && i < count; i++) {
        bool proves;
        pp_status st = pp_load_binding_proves_argv(&e[i].binding, &proves, err);

        if (st != PP_OK)
            return st;
        all = all && proves;
        *ret_text = all ? "bound to its server" : "bound to its server, whose argv is not proven";
    }
    return pp_arena_check(arena, err);
}

static pp_status decode_load_evaluation(validator *v, const pp_json *root, pp_error *err)
{
    pp_load_evaluation e;
    const char *binding;
    pp_status st = pp_load_evaluation_read(v->arena, root, &e, err);

    if (st == PP_OK)
        st = binding_text(v->arena, &e, 1, &binding, err);
    if (st == PP_OK)
        v->out->holds =
            pp_arena_printf(v->arena, "%s, %s, %s", shown(v->arena, e.candidate_id),
                            count_text(v->arena, e.method.level_count, "level"), binding);
    return st;
}

static pp_status decode_combined_load(validator *v, const pp_json *root, pp_error *err)
{
    pp_combined_load_evaluation all;
    const char *binding;
    pp_status st = pp_combined_load_evaluation_read(v->arena, root, &all, err);

    if (st == PP_OK)
        st = binding_text(v->arena, all.candidates, all.count, &binding, err);
    if (st == PP_OK)
        v->out->holds = pp_arena_printf(
            v->arena, "%s, %s, %s", count_text(v->arena, all.count, "candidate"),
            count_text(v->arena, all.candidates[0].method.level_count, "level"), binding);
    return st;
}

static pp_status decode_server_evaluation(validator *v, const pp_json *root, pp_error *err)
{
    pp_server_evaluation e;
    pp_status st = pp_server_evaluation_read(v->arena, root, &e, err);

    if (st == PP_OK)
        v->out->holds =
            pp_arena_printf(v->arena, "%s, %zu of %s, %s", shown(v->arena, e.candidate_id),
                            e.passed_count, count_text(v->arena, e.case_count, "case"),
                            count_text(v->arena, e.sample_count, "request"));
    return st;
}

static pp_status decode_quality_binding(validator *v, const pp_json *root, pp_error *err)
{
    pp_quality_binding b;
    pp_status st = pp_quality_binding_read(v->arena, root, &b, err);

    if (st == PP_OK)
        v->out->holds = pp_arena_printf(
            v->arena, "%s, %s, %zu of %s, %s", shown(v->arena, b.candidate_id),
            count_text(v->arena, (size_t)b.server_parallel, "slot"), b.evaluation.passed_count,
            count_text(v->arena, b.evaluation.case_count, "case"),
            pp_quality_binding_proves_files(&b) ? "bound to its files"
                                                : "bound to files that are not proven");
    return st;
}

static pp_status decode_passport(validator *v, const pp_json *root, pp_error *err)
{
    pp_status st = pp_passport_check(root, err);

    if (st == PP_OK)
        v->out->holds = pp_passport_grade_text(root);
    return st;
}

static pp_status decode_stability(validator *v, const pp_json *root, pp_error *err)
{
    pp_stability stability;
    pp_status st = pp_stability_decode(v->arena, root, &stability, err);

    if (st == PP_OK)
        v->out->holds =
            pp_arena_printf(v->arena, "%zu passes, %s", stability.pass_count,
                            count_text(v->arena, stability.candidate_count, "candidate"));
    return st;
}

/* By name of the kind; of a line for JSON Lines. */
static const struct {
    const char *kind;
    pp_status (*decode)(validator *v, const pp_json *root, pp_error *err);
} decoders[] = {
    {"benchmark-set", decode_set},
    {"capacity-quality-binding", decode_quality_binding},
    {"combined-load", decode_combined_load},
    {"constraints", decode_constraints},
    {"llama-bench-summary", decode_summary},
    {"load-evaluation", decode_load_evaluation},
    {"load-plan", decode_load_plan},
    {"load-report", decode_load_report},
    {"load-trace", decode_trace_entry},
    {"model-table", decode_table},
    {"passport", decode_passport},
    {"policy-set", decode_policies},
    {"prompts", decode_prompt},
    {"quality-suite", decode_suite},
    {"samples", decode_sample},
    {"serve-config", decode_serve_config},
    {"server-evaluation", decode_server_evaluation},
    {"stability", decode_stability},
    {"study-plan", decode_plan},
    {"suite-report", decode_suite_report},
};

static pp_status check_value(validator *v, const pp_document_kind *kind, const pp_json *root,
                             pp_error *err)
{
    pp_status st = pp_document_check(kind, root, err);

    for (size_t i = 0; st == PP_OK && i < PP_COUNT_OF(decoders); i++) {
        if (strcmp(decoders[i].kind, kind->name) == 0)
            return decoders[i].decode(v, root, err);
    }
    return st;
}

/* ---- documents --------------------------------------------------------------------------------
 */

/* The document's own version; constraints 1.0 carry none. */
static const char *version_of(const pp_document_kind *kind, const pp_json *root)
{
    const pp_json *version = pp_json_find(root, "schema_version");

    if (version != NULL && version->kind == PP_JSON_STRING)
        return version->text.data;
    return strcmp(kind->name, "constraints") == 0 ? "1.0" : kind->versions;
}

static pp_status check_document(validator *v, const pp_document_kind *kind, const pp_json *root,
                                pp_error *err)
{
    v->out->kind = kind->name;
    v->out->version = shown(v->arena, pp_text_of(version_of(kind, root)));
    v->out->holds = kind->title;
    return check_value(v, kind, root, err);
}

/* Each line has an arena of its own: a file of a night of requests is large. */
static pp_status check_line(validator *v, const pp_document_kind *kind, const char *line,
                            size_t size, pp_error *err)
{
    pp_arena arena = {0};
    validator inner = {&arena, v->options, v->out, {0}};
    const pp_json *root;
    pp_status st = pp_json_parse(&arena, "line", line, size, &root, err);

    if (st == PP_OK)
        st = check_value(&inner, kind, root, err);
    pp_arena_done(&arena);
    return st;
}

/* Each line, and what the line before has to do with it. */
static pp_status check_journal(validator *v, pp_error *err)
{
    pp_journal_chain chain;
    pp_status st = pp_journal_chain_check(pp_buf_text(&v->bytes), v->bytes.size, &chain, err);

    if (st == PP_OK)
        v->out->holds =
            pp_arena_printf(v->arena, "%s, %s", count_text(v->arena, chain.line_count, "line"),
                            pp_journal_ending_name(chain.ending));
    return st;
}

static pp_status check_lines(validator *v, const pp_document_kind *kind, pp_error *err)
{
    const char *at = pp_buf_text(&v->bytes);
    const char *end = at + v->bytes.size;
    size_t count = 0;

    v->out->kind = kind->name;
    v->out->version = kind->versions;
    if (strcmp(kind->name, "journal") == 0)
        return check_journal(v, err);
    while (at < end) {
        const char *line_end = memchr(at, '\n', (size_t)(end - at));
        pp_status st;

        count++;
        if (line_end == NULL)
            return pp_fail(err, PP_ERR_SYNTAX, "line %zu does not end: the file breaks off", count);
        st = check_line(v, kind, at, (size_t)(line_end - at), err);
        if (st != PP_OK)
            return pp_wrap(err, st, "line %zu", count);
        at = line_end + 1;
    }
    v->out->holds = count_text(v->arena, count, "line");
    return PP_OK;
}

/* ---- llama-bench ------------------------------------------------------------------------------
 */

static pp_status check_bench(validator *v, pp_bench_format format, pp_error *err)
{
    pp_bench_records records;
    pp_bench_evidence evidence;
    pp_status st;

    v->out->kind = "llama-bench";
    v->out->version = pp_bench_format_name(format);
    st = pp_bench_records_read(v->arena, v->out->path, pp_buf_text(&v->bytes), v->bytes.size,
                               format, &records, err);
    if (st == PP_OK)
        st = pp_bench_evidence_of(v->arena, &records, &v->options->bench, &evidence, err);
    if (st != PP_OK)
        return st;
    v->out->issue_count = evidence.issue_count;
    v->out->llama_bench =
        pp_bench_validation_to_json(v->arena, &records, &evidence, v->out->sha256);
    v->out->holds = pp_arena_printf(v->arena, "%s, %s", count_text(v->arena, records.count, "row"),
                                    count_text(v->arena, evidence.issue_count, "issue"));
    return PP_OK;
}

static bool is_bench_row(const pp_json *value)
{
    return pp_json_find(value, "n_prompt") != NULL || pp_json_find(value, "n_gen") != NULL ||
           pp_json_find(value, "samples_ns") != NULL;
}

/* ---- GNU time ---------------------------------------------------------------------------------
 */

/* The peak of a program that was killed or failed is none of a whole run. */
static pp_status check_time(validator *v, pp_error *err)
{
    pp_gnu_time time;
    const char *peak;
    pp_status st = pp_gnu_time_parse(pp_buf_text(&v->bytes), v->bytes.size, &time, err);

    v->out->kind = "gnu-time";
    v->out->version = "-v";
    if (st != PP_OK)
        return st;
    peak = pp_arena_printf(v->arena, "peak resident set %lld KiB", (long long)time.peak_rss_kib);
    if (time.signal.known)
        v->out->holds = pp_arena_printf(v->arena, "%s until signal %lld ended it, 1 issue", peak,
                                        (long long)time.signal.value);
    else if (time.exit_status != 0)
        v->out->holds = pp_arena_printf(v->arena, "%s until it failed with exit code %lld, 1 issue",
                                        peak, (long long)time.exit_status);
    else
        v->out->holds = peak;
    v->out->issue_count = time.signal.known || time.exit_status != 0;
    return PP_OK;
}

/* ---- recognising ------------------------------------------------------------------------------
 */

/* The first line that is not blank, as a value; NULL when it is none. */
static const pp_json *first_line(validator *v)
{
    const char *bytes = pp_buf_text(&v->bytes);
    size_t size = v->bytes.size;
    pp_error ignored = {0};
    const pp_json *value;
    const char *end;

    while (size > 0 && memchr(" \t\r\n", bytes[0], 4) != NULL) {
        bytes++;
        size--;
    }
    end = memchr(bytes, '\n', size);
    size = end == NULL ? size : (size_t)(end - bytes);
    return pp_json_parse(v->arena, "line", bytes, size, &value, &ignored) == PP_OK ? value : NULL;
}

/* A file that is no JSON value as a whole. `whole` is why; the better word where nothing else
 * fits. */
static pp_status check_not_json(validator *v, const pp_error *whole, pp_error *err)
{
    pp_bench_format format = pp_bench_format_of(pp_buf_text(&v->bytes), v->bytes.size);
    const pp_json *line = first_line(v);
    const pp_document_kind *kind = line == NULL ? NULL : pp_document_kind_of(line);

    if (kind != NULL && kind->is_lines)
        return check_lines(v, kind, err);
    if (pp_gnu_time_is(pp_buf_text(&v->bytes), v->bytes.size))
        return check_time(v, err);
    if (format == PP_BENCH_FORMAT_JSONL && (line == NULL || !is_bench_row(line)) &&
        memmem(pp_buf_text(&v->bytes), v->bytes.size, "\"samples_ns\"", 12) == NULL) {
        *err = *whole;
        return whole->status;
    }
    if (format != PP_BENCH_FORMAT_UNKNOWN)
        return check_bench(v, format, err);
    if (pp_json_has_mark(pp_buf_text(&v->bytes), v->bytes.size)) {
        *err = *whole;
        return whole->status;
    }
    return pp_fail(err, PP_ERR_SCHEMA,
                   "neither a document of this program nor of llama-bench or GNU time");
}

static pp_status check_bytes(validator *v, pp_error *err)
{
    pp_error whole = {0};
    const pp_document_kind *kind;
    const pp_json *root;
    pp_status st =
        pp_json_parse(v->arena, v->out->path, pp_buf_text(&v->bytes), v->bytes.size, &root, &whole);

    if (st != PP_OK || root->kind != PP_JSON_OBJECT)
        return check_not_json(v, &whole, err);
    kind = pp_document_kind_of(root);
    if (kind != NULL && kind->is_lines)
        return check_lines(v, kind, err);
    if (kind != NULL)
        return check_document(v, kind, root, err);
    if (is_bench_row(root))
        return check_bench(v, PP_BENCH_FORMAT_JSONL, err);
    return pp_fail(err, PP_ERR_SCHEMA,
                   "an object that is no document of this program (see 'paretopilot schema')");
}

pp_status pp_validate_read_samples(pp_arena *arena, const char *path, pp_validate_options *options,
                                   pp_error *err)
{
    pp_sample *samples = NULL;
    pp_buf bytes;
    pp_status st;

    pp_buf_init(&bytes, SAMPLES_MAX_BYTES);
    st = pp_file_read(path, &bytes, err);
    if (st == PP_OK)
        st = pp_samples_parse(arena, path,
                              (pp_bytes){(const unsigned char *)pp_buf_text(&bytes), bytes.size},
                              &samples, &options->load_sample_count, err);
    pp_buf_done(&bytes);
    options->load_samples = samples;
    options->has_load_samples = st == PP_OK;
    return st;
}

pp_status pp_validate_read_suite(pp_arena *arena, const char *path, pp_validate_options *options,
                                 pp_error *err)
{
    pp_status st = pp_suite_load(arena, path, &options->suite, options->suite_sha256,
                                 options->suite_content_sha256, err);

    options->has_suite = st == PP_OK;
    return st;
}

pp_status pp_validate_file(pp_arena *arena, const char *path, const pp_validate_options *options,
                           pp_validated *ret_validated, pp_error *err)
{
    validator v = {arena, options, ret_validated, {0}};
    pp_error problem = {0};
    pp_status st;

    *ret_validated = (pp_validated){.path = path};
    pp_buf_init(&v.bytes, PP_JSON_MAX_BYTES);
    st = pp_file_read(path, &v.bytes, &problem);
    if (st == PP_OK)
        st = pp_sha256_of(pp_buf_text(&v.bytes), v.bytes.size, ret_validated->sha256, &problem);
    ret_validated->has_sha256 = st == PP_OK;
    if (st == PP_OK)
        st = check_bytes(&v, &problem);
    pp_buf_done(&v.bytes);
    if (st == PP_ERR_MEMORY || arena->failed)
        return pp_fail(err, PP_ERR_MEMORY, "out of memory for '%s'", path);
    ret_validated->valid = st == PP_OK;
    if (st != PP_OK) {
        ret_validated->holds = NULL;
        ret_validated->llama_bench = NULL;
        ret_validated->benchmark_set = NULL;
        ret_validated->problem = pp_arena_dup(arena, problem.text, strlen(problem.text));
    }
    return pp_arena_check(arena, err);
}
