#include <string.h>

#include "model/document_kinds.h"
#include "model/name_index.h"
#include "quality/agreement.h"
#include "quality/match.h"
#include "quality/suite_report.h"
#include "json/differences.h"

/* ---- members that may be null --------------------------------------------------------------- */

static pp_text text_or_empty(const pp_json *object, const char *key)
{
    const pp_json *value = pp_json_find(object, key);

    return value->kind == PP_JSON_NULL ? (pp_text){"", 0} : value->text;
}

static pp_maybe_int maybe_int(const pp_json *object, const char *key)
{
    const pp_json *value = pp_json_find(object, key);

    return value->kind == PP_JSON_NULL ? (pp_maybe_int){0} : pp_known_int(value->integer);
}

static bool is_null(const pp_json *object, const char *key)
{
    return pp_json_find(object, key)->kind == PP_JSON_NULL;
}

static void copy_sha256(const pp_json *object, const char *key, char out[PP_SHA256_HEX_SIZE])
{
    pp_text text = text_or_empty(object, key); /* the table has checked its length */

    memcpy(out, text.data, text.size);
    out[text.size] = '\0';
}

/* ---- suite ---------------------------------------------------------------------------------- */

/* Each text of `list` must differ from the others; `key` is the member that holds it. */
static pp_status check_distinct(pp_arena *arena, const pp_json *list, const char *key,
                                pp_error *err)
{
    pp_name_index index;
    pp_status st = pp_name_index_init(arena, list->array.count, &index, err);
    size_t twice;

    if (st != PP_OK)
        return st;
    for (size_t i = 0; i < list->array.count; i++)
        index.entries[i] = (pp_name_entry){pp_checked_text(list->array.items[i], key), i};
    index.count = list->array.count;
    pp_name_index_sort(&index);
    twice = pp_name_index_duplicate(&index);
    if (twice != PP_NOT_FOUND)
        return pp_json_fail(pp_json_find(list->array.items[twice], key), err, "stands there twice");
    return PP_OK;
}

static pp_status read_cases(pp_arena *arena, const pp_json *suite, pp_suite *out, pp_error *err)
{
    const pp_json *list = pp_checked_list(suite, "cases");
    pp_status st = check_distinct(arena, list, "id", err);

    out->case_count = list->array.count;
    out->cases = PP_ARENA_NEW(arena, pp_suite_case, out->case_count);
    if (st == PP_OK)
        st = pp_arena_check(arena, err);
    for (size_t i = 0; st == PP_OK && i < out->case_count; i++)
        out->cases[i] = (pp_suite_case){
            .id = pp_checked_text(list->array.items[i], "id"),
            .group = text_or_empty(list->array.items[i], "group"),
            .max_tokens = pp_checked_int(list->array.items[i], "max_tokens"),
        };
    return st;
}

static pp_status read_suite(pp_arena *arena, const pp_json *root, pp_suite_report *report,
                            pp_error *err)
{
    const pp_json *value = pp_checked_object(root, "suite");
    const pp_json *sampling = pp_checked_object(value, "sampling");
    pp_suite *suite = PP_ARENA_NEW(arena, pp_suite, 1);

    if (suite == NULL)
        return pp_arena_check(arena, err);
    *suite = (pp_suite){
        .id = pp_checked_text(value, "id"),
        .title = text_or_empty(value, "title"),
        .license = pp_checked_text(value, "license"),
        .max_tokens = pp_checked_int(sampling, "max_tokens"),
        .seed = pp_checked_int(sampling, "seed"),
        .temperature = pp_checked_number(sampling, "temperature"),
    };
    copy_sha256(value, "sha256", report->suite_sha256);
    copy_sha256(value, "content_sha256", report->suite_content_sha256);
    copy_sha256(value, "system_prompt_sha256", report->system_prompt_sha256);
    report->suite = suite;
    return read_cases(arena, value, suite, err);
}

/* ---- results -------------------------------------------------------------------------------- */

/* An answer unless failed, a failure if failed, a matched answer if matched. */
static pp_status check_texts(const pp_json *value, pp_outcome outcome, pp_error *err)
{
    const struct {
        const char *key;
        bool wanted;
    } rows[] = {
        {"answer", outcome != PP_OUTCOME_FAILED},
        {"failure", outcome == PP_OUTCOME_FAILED},
        {"matched_answer", outcome == PP_OUTCOME_MATCHED},
    };

    for (size_t i = 0; i < PP_COUNT_OF(rows); i++) {
        if (is_null(value, rows[i].key) == rows[i].wanted)
            return pp_json_fail(pp_json_find(value, rows[i].key), err,
                                rows[i].wanted ? "expected a text, as the outcome is '%s', got null"
                                               : "expected null, as the outcome is '%s'",
                                pp_outcome_name(outcome));
    }
    return PP_OK;
}

static pp_status read_result(const pp_json *value, pp_text id, pp_case_result *ret_result,
                             pp_error *err)
{
    pp_case_result r = {
        .answer = text_or_empty(value, "answer"),
        .matched_answer = text_or_empty(value, "matched_answer"),
        .failure = text_or_empty(value, "failure"),
        .finish_reason = text_or_empty(value, "finish_reason"),
        .prompt_tokens = maybe_int(value, "prompt_tokens"),
        .cached_tokens = maybe_int(value, "cached_tokens"),
        .output_tokens = maybe_int(value, "output_tokens"),
        .drafted_tokens = maybe_int(value, "drafted_tokens"),
        .accepted_tokens = maybe_int(value, "accepted_tokens"),
        .latency_ns = maybe_int(value, "latency_ns"),
    };

    PP_ASSERT(pp_outcome_find(pp_checked_text(value, "outcome"), &r.outcome));
    if (!pp_text_equal(pp_checked_text(value, "case"), id))
        return pp_json_fail(pp_json_find(value, "case"), err,
                            "expected '%.80s', the case of the suite at this place", id.data);
    *ret_result = r;
    return check_texts(value, r.outcome, err);
}

static pp_status read_pass(const pp_json *value, size_t pass, pp_suite_results *results,
                           pp_error *err)
{
    const pp_json *list = pp_checked_list(value, "results");
    size_t n = results->suite->case_count;
    pp_status st = PP_OK;

    if (pp_checked_int(value, "pass") != (int64_t)pass + 1)
        return pp_json_fail(pp_json_find(value, "pass"), err, "expected %zu", pass + 1);
    for (size_t i = 0; st == PP_OK && i < n; i++)
        st = read_result(list->array.items[i], results->suite->cases[i].id,
                         &results->results[pass * n + i], err);
    return st;
}

static pp_status read_passes(pp_arena *arena, const pp_json *endpoint, int64_t pass_count,
                             pp_suite_results *results, pp_error *err)
{
    const pp_json *list = pp_checked_list(endpoint, "passes");
    size_t n = results->suite->case_count;
    pp_status st;

    results->pass_count = list->array.count;
    if ((int64_t)list->array.count != pass_count)
        return pp_json_fail(list, err, "expected %lld passes, as $.run.pass_count says, got %zu",
                            (long long)pass_count, list->array.count);
    /* Before there is room for all: it must not be larger than what the document fills. */
    for (size_t i = 0; i < list->array.count; i++) {
        if (pp_checked_list(list->array.items[i], "results")->array.count != n)
            return pp_json_fail(pp_json_find(list->array.items[i], "results"), err,
                                "expected a result of each of the %zu cases", n);
    }
    results->results = PP_ARENA_NEW(arena, pp_case_result, results->pass_count * n);
    st = pp_arena_check(arena, err);
    for (size_t pass = 0; st == PP_OK && pass < results->pass_count; pass++)
        st = read_pass(list->array.items[pass], pass, results, err);
    return st;
}

/* ---- endpoints ------------------------------------------------------------------------------ */

static pp_status read_endpoint(pp_arena *arena, const pp_json *value, const pp_suite *suite,
                               int64_t pass_count, pp_suite_endpoint *out, pp_error *err)
{
    const pp_json *server = pp_checked_object(value, "server");
    const pp_json *speculation = pp_checked_object(value, "speculation");

    *out = (pp_suite_endpoint){
        .name = pp_checked_text(value, "name"),
        .url = pp_checked_text(value, "url"),
        .server_kind = text_or_empty(server, "kind"),
        .model = text_or_empty(server, "model"),
        .build = text_or_empty(server, "build"),
        .results = {.suite = suite},
        .fidelity = pp_json_find(value, "fidelity"),
    };
    if (!is_null(speculation, "seen"))
        out->speculation = pp_known_bool(pp_checked_bool(speculation, "seen"));
    PP_ASSERT(pp_origin_find(pp_checked_text(value, "origin"), &out->origin));
    if (!pp_suite_url_is_bare(out->url))
        return pp_json_fail(pp_json_find(value, "url"), err,
                            "expected an address without user, password, query and fragment");
    return read_passes(arena, value, pass_count, &out->results, err);
}

/* The part with everything that is derived computed anew. */
static pp_status make_fidelity_again(pp_arena *arena, pp_suite_endpoint *e, pp_error *err)
{
    pp_agreement agreement;
    pp_status st;

    if (e->fidelity == NULL)
        return PP_OK;
    st = pp_agreement_decode(arena, e->fidelity, &agreement, err);
    if (st == PP_OK)
        e->fidelity = pp_agreement_to_json(arena, &agreement);
    return st;
}

static pp_status read_endpoints(pp_arena *arena, const pp_json *root, pp_suite_report *report,
                                pp_error *err)
{
    const pp_json *list = pp_checked_list(root, "endpoints");
    int64_t pass_count = pp_checked_int(pp_checked_object(root, "run"), "pass_count");
    pp_status st = check_distinct(arena, list, "name", err);

    report->endpoint_count = list->array.count;
    report->endpoints = PP_ARENA_NEW(arena, pp_suite_endpoint, report->endpoint_count);
    if (st == PP_OK)
        st = pp_arena_check(arena, err);
    for (size_t i = 0; st == PP_OK && i < report->endpoint_count; i++)
        st = read_endpoint(arena, list->array.items[i], report->suite, pass_count,
                           &report->endpoints[i], err);
    for (size_t i = 0; st == PP_OK && i < report->endpoint_count; i++)
        st = make_fidelity_again(arena, &report->endpoints[i], err);
    return st;
}

static pp_status read_reference(const pp_json *root, pp_suite_report *report, pp_error *err)
{
    pp_text name = text_or_empty(root, "reference");

    if (is_null(root, "reference"))
        return PP_OK;
    report->has_reference = true;
    for (size_t i = 0; i < report->endpoint_count; i++) {
        report->reference = i;
        if (pp_text_equal(report->endpoints[i].name, name))
            return PP_OK;
    }
    return pp_json_fail(pp_json_find(root, "reference"), err, "expected the name of an endpoint");
}

static pp_status read_floor(const pp_json *root, pp_suite_report *report, pp_error *err)
{
    const pp_json *floor = pp_json_find(root, "floor");

    if (floor->kind == PP_JSON_NULL)
        return PP_OK;
    report->floor = pp_known_real(pp_checked_real(floor));
    if (report->floor.value >= 1)
        return pp_json_fail(floor, err, "expected below 1, got %g", report->floor.value);
    return PP_OK;
}

pp_status pp_suite_report_decode(pp_arena *arena, const pp_json *root, pp_suite_report *ret_report,
                                 pp_error *err)
{
    pp_suite_report report = {0};
    pp_status st = pp_document_check(pp_document_kind_find("suite-report"), root, err);

    if (st == PP_OK)
        st = read_suite(arena, root, &report, err);
    if (st == PP_OK)
        st = read_endpoints(arena, root, &report, err);
    if (st == PP_OK)
        st = read_reference(root, &report, err);
    if (st == PP_OK)
        st = read_floor(root, &report, err);
    if (st != PP_OK)
        return st;
    report.tool_version = pp_checked_text(pp_checked_object(root, "run"), "tool_version");
    report.started_unix_ms = pp_checked_int(pp_checked_object(root, "run"), "started_unix_ms");
    report.is_partial = pp_checked_bool(root, "is_partial");
    *ret_report = report;
    return PP_OK;
}

/* ---- made again ----------------------------------------------------------------------------- */

static bool has_same_cases(const pp_suite *a, const pp_suite *b)
{
    bool same = a->case_count == b->case_count;

    for (size_t i = 0; same && i < a->case_count; i++)
        same = pp_text_equal(a->cases[i].id, b->cases[i].id);
    return same;
}

/* The outcome that the suite itself gives this answer. */
static pp_status match_again(const pp_suite_case *c, pp_case_result *r, pp_error *err)
{
    pp_arena scratch = {0};
    pp_match match = {0};
    pp_status st;

    if (r->outcome == PP_OUTCOME_FAILED)
        return PP_OK;
    st = pp_match_answer(&scratch, c, r->answer, &match, err);
    r->outcome = match.matched ? PP_OUTCOME_MATCHED : PP_OUTCOME_MISSED;
    r->matched_answer = match.matched ? match.matched_answer : (pp_text){"", 0};
    pp_arena_done(&scratch);
    return st;
}

static pp_status use_source(pp_suite_report *report, const pp_suite_source *source, pp_error *err)
{
    size_t n = source->suite->case_count;
    pp_status st = PP_OK;

    report->suite = source->suite;
    memcpy(report->suite_sha256, source->sha256, PP_SHA256_HEX_SIZE);
    memcpy(report->suite_content_sha256, source->content_sha256, PP_SHA256_HEX_SIZE);
    for (size_t e = 0; e < report->endpoint_count; e++) {
        pp_suite_results *results = &report->endpoints[e].results;

        results->suite = source->suite;
        for (size_t i = 0; st == PP_OK && i < n * results->pass_count; i++)
            st = match_again(&source->suite->cases[i % n], &results->results[i], err);
    }
    return st;
}

pp_status pp_suite_report_again(pp_arena *arena, const pp_json *root, const pp_suite_source *source,
                                pp_text **ret_differences, size_t *ret_count, pp_error *err)
{
    pp_json_differences differences = {0};
    const char *from = "the recorded answers";
    pp_suite_report report;
    pp_json *again = NULL;
    pp_status st = pp_suite_report_decode(arena, root, &report, err);

    if (st == PP_OK && source != NULL && has_same_cases(report.suite, source->suite)) {
        from = "the suite and the recorded answers";
        st = use_source(&report, source, err);
    } else if (st == PP_OK && source != NULL) {
        pp_json_differs(arena, &differences, pp_json_find(pp_json_find(root, "suite"), "cases"),
                        "are not the cases of the suite that was given");
    }
    if (st == PP_OK)
        st = pp_suite_report_to_json(arena, &report, &again, err);
    if (st == PP_OK)
        pp_json_compare(arena, root, again, from, &differences);
    if (st == PP_OK)
        st = pp_arena_check(arena, err);
    if (st != PP_OK)
        return st;
    *ret_differences = differences.texts;
    *ret_count = differences.count;
    return PP_OK;
}
