#include "quality/suite_report.h"

#include <string.h>

#include "model/name_index.h"
#include "quality/outcomes.h"

/* ---- what may stand in a report ------------------------------------------------------------- */

static pp_status check_names(const pp_suite_report *report, pp_error *err)
{
    pp_arena arena = {0};
    pp_name_index index;
    pp_status st = pp_name_index_init(&arena, report->endpoint_count, &index, err);

    if (st == PP_OK) {
        size_t twice;

        for (size_t i = 0; i < report->endpoint_count; i++)
            index.entries[i] = (pp_name_entry){report->endpoints[i].name, i};
        index.count = report->endpoint_count;
        pp_name_index_sort(&index);
        twice = pp_name_index_duplicate(&index);
        if (twice != PP_NOT_FOUND)
            st = pp_fail(err, PP_ERR_DOMAIN, "endpoint %zu: the name '%.80s' stands twice",
                         twice + 1, report->endpoints[twice].name.data);
    }
    pp_arena_done(&arena);
    return st;
}

/* Where the host begins: behind the first "://", or at the beginning. */
static size_t host_of(pp_text url)
{
    for (size_t i = 0; i + 3 <= url.size; i++) {
        if (memcmp(url.data + i, "://", 3) == 0)
            return i + 3;
    }
    return 0;
}

bool pp_suite_url_is_bare(pp_text url)
{
    bool in_host = true;

    for (size_t i = host_of(url); i < url.size; i++) {
        in_host = in_host && url.data[i] != '/';
        if (url.data[i] == '?' || url.data[i] == '#' || (in_host && url.data[i] == '@'))
            return false;
    }
    return url.size > 0;
}

static bool fits_outcome(const pp_case_result *r)
{
    switch (r->outcome) {
    case PP_OUTCOME_MATCHED:
        return r->failure.size == 0 && r->matched_answer.data != NULL;
    case PP_OUTCOME_MISSED:
        return r->failure.size == 0 && r->matched_answer.size == 0;
    default:
        return r->failure.size > 0 && r->matched_answer.size == 0 && r->answer.size == 0;
    }
}

static pp_status check_endpoint(const pp_suite_report *report, const pp_suite_endpoint *e,
                                pp_error *err)
{
    size_t n = report->suite->case_count;

    PP_ASSERT(e->results.suite == report->suite);
    if (e->name.size == 0 || !pp_suite_url_is_bare(e->url))
        return pp_fail(err, PP_ERR_DOMAIN,
                       "endpoint '%.80s': expected a name, and an address without user, query and "
                       "fragment",
                       e->name.data == NULL ? "" : e->name.data);
    if (e->results.pass_count == 0 || e->results.pass_count > PP_SUITE_PASSES_MAX ||
        e->results.pass_count != report->endpoints[0].results.pass_count)
        return pp_fail(err, PP_ERR_DOMAIN, "endpoint '%.80s': %zu passes, expected %zu",
                       e->name.data, e->results.pass_count,
                       report->endpoints[0].results.pass_count);
    for (size_t i = 0; i < n * e->results.pass_count; i++) {
        if (!fits_outcome(&e->results.results[i]))
            return pp_fail(err, PP_ERR_DOMAIN,
                           "endpoint '%.80s', pass %zu, case '%.80s': its texts do not fit the "
                           "outcome '%s'",
                           e->name.data, i / n + 1, report->suite->cases[i % n].id.data,
                           pp_outcome_name(e->results.results[i].outcome));
    }
    return PP_OK;
}

static pp_status check(const pp_suite_report *report, pp_error *err)
{
    pp_status st = PP_OK;

    PP_ASSERT(report->suite->case_count > 0 && report->endpoint_count > 0);
    PP_ASSERT(!report->has_reference || report->reference < report->endpoint_count);
    if (report->floor.known && !(report->floor.value > 0 && report->floor.value < 1))
        return pp_fail(err, PP_ERR_DOMAIN, "floor: expected above 0 and below 1, got %g",
                       report->floor.value);
    for (size_t i = 0; st == PP_OK && i < report->endpoint_count; i++)
        st = check_endpoint(report, &report->endpoints[i], err);
    return st == PP_OK ? check_names(report, err) : st;
}

/* ---- suite ---------------------------------------------------------------------------------- */

static pp_json *sampling_json(pp_arena *arena, const pp_suite *suite)
{
    pp_json *out = pp_json_new_object(arena);

    pp_json_set_int(arena, out, "max_tokens", suite->max_tokens);
    pp_json_set_int(arena, out, "seed", suite->seed);
    pp_json_set_real(arena, out, "temperature", suite->temperature);
    return out;
}

static pp_json *group_sizes_json(pp_arena *arena, const pp_score *score)
{
    pp_json *out = pp_json_new_array(arena);

    for (size_t i = 0; i < score->group_count; i++) {
        pp_json *group = pp_json_new_object(arena);

        pp_json_set_text(arena, group, "group", score->groups[i].group);
        pp_json_set_int(arena, group, "case_count", (int64_t)score->groups[i].total);
        pp_json_add(arena, out, group);
    }
    return out;
}

static pp_json *cases_json(pp_arena *arena, const pp_suite *suite)
{
    pp_json *out = pp_json_new_array(arena);

    for (size_t i = 0; i < suite->case_count; i++) {
        pp_json *c = pp_json_new_object(arena);

        pp_json_set_text(arena, c, "id", suite->cases[i].id);
        pp_json_set_maybe_text(arena, c, "group", suite->cases[i].group);
        pp_json_set_int(arena, c, "max_tokens", suite->cases[i].max_tokens);
        pp_json_add(arena, out, c);
    }
    return out;
}

static pp_json *suite_json(pp_arena *arena, const pp_suite_report *report, const pp_score *score)
{
    const pp_suite *suite = report->suite;
    pp_json *out = pp_json_new_object(arena);

    pp_json_set_text(arena, out, "id", suite->id);
    pp_json_set_maybe_text(arena, out, "title", suite->title);
    pp_json_set_text(arena, out, "license", suite->license);
    pp_json_set_string(arena, out, "sha256", report->suite_sha256);
    pp_json_set_string(arena, out, "content_sha256", report->suite_content_sha256);
    pp_json_set_string(arena, out, "system_prompt_sha256",
                       report->system_prompt_sha256[0] == '\0' ? NULL
                                                               : report->system_prompt_sha256);
    pp_json_set(arena, out, "sampling", sampling_json(arena, suite));
    pp_json_set_int(arena, out, "case_count", (int64_t)suite->case_count);
    pp_json_set(arena, out, "groups", group_sizes_json(arena, score));
    pp_json_set(arena, out, "cases", cases_json(arena, suite));
    return out;
}

/* ---- results -------------------------------------------------------------------------------- */

static pp_json *result_json(pp_arena *arena, pp_text id, const pp_case_result *r)
{
    pp_json *out = pp_json_new_object(arena);
    bool failed = r->outcome == PP_OUTCOME_FAILED;

    pp_json_set_text(arena, out, "case", id);
    pp_json_set_string(arena, out, "outcome", pp_outcome_name(r->outcome));
    pp_json_set(arena, out, "answer",
                failed ? pp_json_new_null(arena) : pp_json_new_text(arena, r->answer));
    pp_json_set(arena, out, "matched_answer",
                r->outcome == PP_OUTCOME_MATCHED ? pp_json_new_text(arena, r->matched_answer)
                                                 : pp_json_new_null(arena));
    pp_json_set_maybe_text(arena, out, "failure", r->failure);
    pp_json_set_maybe_text(arena, out, "finish_reason", r->finish_reason);
    pp_json_set_maybe_int(arena, out, "prompt_tokens", r->prompt_tokens);
    pp_json_set_maybe_int(arena, out, "cached_tokens", r->cached_tokens);
    pp_json_set_maybe_int(arena, out, "output_tokens", r->output_tokens);
    pp_json_set_maybe_int(arena, out, "drafted_tokens", r->drafted_tokens);
    pp_json_set_maybe_int(arena, out, "accepted_tokens", r->accepted_tokens);
    pp_json_set_maybe_int(arena, out, "latency_ns", r->latency_ns);
    return out;
}

/* The digest that capacity studies compare, of one pass; none when a request failed. */
static pp_status put_outcomes_sha256(pp_arena *arena, const pp_suite_results *results, size_t pass,
                                     pp_json *out, pp_error *err)
{
    size_t n = results->suite->case_count;
    pp_case_outcome *outcomes = PP_ARENA_NEW(arena, pp_case_outcome, n);
    char hex[PP_SHA256_HEX_SIZE];
    bool failed = false;
    pp_status st = pp_arena_check(arena, err);

    for (size_t i = 0; st == PP_OK && i < n; i++) {
        const pp_case_result *r = pp_result_of(results, pass, i);

        outcomes[i] = (pp_case_outcome){results->suite->cases[i].id,
                                        r->outcome == PP_OUTCOME_MATCHED, r->matched_answer};
        failed = failed || r->outcome == PP_OUTCOME_FAILED;
    }
    if (st == PP_OK && !failed)
        st = pp_outcomes_sha256(outcomes, n, hex, err);
    pp_json_set_string(arena, out, "outcomes_sha256", st == PP_OK && !failed ? hex : NULL);
    return st;
}

static pp_json *results_json(pp_arena *arena, const pp_suite_results *results, size_t pass)
{
    pp_json *out = pp_json_new_array(arena);

    for (size_t i = 0; i < results->suite->case_count; i++)
        pp_json_add(
            arena, out,
            result_json(arena, results->suite->cases[i].id, pp_result_of(results, pass, i)));
    return out;
}

static pp_status put_passes(pp_arena *arena, const pp_suite_results *results, const pp_score *score,
                            pp_json *out, pp_error *err)
{
    pp_json *list = pp_json_new_array(arena);
    pp_status st = PP_OK;

    for (size_t pass = 0; st == PP_OK && pass < results->pass_count; pass++) {
        pp_json *one = pp_json_new_object(arena);

        pp_json_set_int(arena, one, "pass", (int64_t)pass + 1);
        pp_json_set_int(arena, one, "matched", (int64_t)score->passed_by_pass[pass]);
        st = put_outcomes_sha256(arena, results, pass, one, err);
        pp_json_set(arena, one, "results", results_json(arena, results, pass));
        pp_json_add(arena, list, one);
    }
    pp_json_set(arena, out, "passes", list);
    return st;
}

/* ---- figures -------------------------------------------------------------------------------- */

static void set_part(pp_arena *arena, pp_json *out, const pp_score_part *part)
{
    pp_json_set_int(arena, out, "total", (int64_t)part->total);
    pp_json_set_int(arena, out, "passed", (int64_t)part->passed);
    pp_json_set_int(arena, out, "missed", (int64_t)part->missed);
    pp_json_set_int(arena, out, "open", (int64_t)part->open);
    pp_json_set_int(arena, out, "flipped", (int64_t)part->flipped);
    pp_json_set_int(arena, out, "failed_requests", (int64_t)part->failed_request_count);
    pp_json_set_maybe_real(arena, out, "score", part->score);
    pp_json_set_string(arena, out, "gap", pp_score_gap_name(part->gap));
    pp_json_set_maybe_real(arena, out, "lower", part->lower);
    pp_json_set_maybe_real(arena, out, "upper", part->upper);
    pp_json_set_maybe_real(arena, out, "score_min", part->score_min);
    pp_json_set_maybe_real(arena, out, "score_max", part->score_max);
}

static pp_json *score_json(pp_arena *arena, const pp_score *score)
{
    pp_json *out = pp_json_new_object(arena);

    set_part(arena, out, &score->whole);
    return out;
}

static pp_json *groups_json(pp_arena *arena, const pp_score *score)
{
    pp_json *out = pp_json_new_array(arena);

    for (size_t i = 0; i < score->group_count; i++) {
        pp_json *group = pp_json_new_object(arena);

        pp_json_set_text(arena, group, "group", score->groups[i].group);
        set_part(arena, group, &score->groups[i]);
        pp_json_add(arena, out, group);
    }
    return out;
}

static pp_json *flip_json(pp_arena *arena, const pp_suite_results *results, size_t number)
{
    pp_json *out = pp_json_new_object(arena);
    pp_json *answers = pp_json_new_array(arena);

    for (size_t pass = 0; pass < results->pass_count; pass++) {
        const pp_case_result *r = pp_result_of(results, pass, number);
        pp_json *one = pp_json_new_object(arena);

        pp_json_set_int(arena, one, "pass", (int64_t)pass + 1);
        pp_json_set_string(arena, one, "outcome", pp_outcome_name(r->outcome));
        pp_json_set(arena, one, "answer",
                    r->outcome == PP_OUTCOME_FAILED ? pp_json_new_null(arena)
                                                    : pp_json_new_text(arena, r->answer));
        pp_json_add(arena, answers, one);
    }
    pp_json_set_text(arena, out, "case", results->suite->cases[number].id);
    pp_json_set(arena, out, "answers", answers);
    return out;
}

static pp_json *flips_json(pp_arena *arena, const pp_suite_results *results, const pp_score *score)
{
    pp_json *out = pp_json_new_array(arena);

    for (size_t i = 0; i < score->whole.flipped; i++)
        pp_json_add(arena, out, flip_json(arena, results, score->flipped[i]));
    return out;
}

static pp_json *latency_json(pp_arena *arena, const pp_answer_latency *latency)
{
    pp_json *out = pp_json_new_object(arena);

    pp_json_set_int(arena, out, "count", (int64_t)latency->count);
    pp_json_set_maybe_real(arena, out, "ms_p50", latency->ms_p50);
    pp_json_set_maybe_real(arena, out, "ms_p95", latency->ms_p95);
    pp_json_set_bool(arena, out, "p95_is_maximum", latency->p95_is_maximum);
    return out;
}

static pp_json *floor_json(pp_arena *arena, const pp_suite_report *report,
                           const pp_score_part *part)
{
    pp_floor_statement f;
    pp_json *out;

    if (!report->floor.known)
        return pp_json_new_null(arena);
    f = pp_floor_of(part, report->floor.value);
    out = pp_json_new_object(arena);
    pp_json_set_real(arena, out, "floor", f.floor);
    pp_json_set_maybe_bool(arena, out, "met", f.met);
    pp_json_set_maybe_bool(arena, out, "certified", f.certified);
    pp_json_set_maybe_real(arena, out, "chance", f.chance);
    pp_json_set_maybe_int(arena, out, "passes_needed", f.passes_needed);
    pp_json_set_maybe_int(arena, out, "cases_needed", f.cases_needed);
    return out;
}

/* ---- comparison ----------------------------------------------------------------------------- */

static pp_json *ids_json(pp_arena *arena, const pp_suite *suite, const size_t *numbers, size_t n)
{
    pp_json *out = pp_json_new_array(arena);

    for (size_t i = 0; i < n; i++)
        pp_json_add(arena, out, pp_json_new_text(arena, suite->cases[numbers[i]].id));
    return out;
}

static pp_json *pairing_json(pp_arena *arena, const pp_suite_report *report, const pp_pairing *p)
{
    pp_json *out = pp_json_new_object(arena);

    pp_json_set_text(arena, out, "reference", report->endpoints[report->reference].name);
    pp_json_set_int(arena, out, "both", (int64_t)p->both);
    pp_json_set_int(arena, out, "neither", (int64_t)p->neither);
    pp_json_set(arena, out, "only_reference",
                ids_json(arena, report->suite, p->lost, p->lost_count));
    pp_json_set(arena, out, "only_candidate",
                ids_json(arena, report->suite, p->gained, p->gained_count));
    pp_json_set_int(arena, out, "open", (int64_t)p->open_count);
    pp_json_set_string(arena, out, "gap", pp_score_gap_name(p->gap));
    pp_json_set_maybe_real(arena, out, "mcnemar_p", p->mcnemar_p);
    pp_json_set_maybe_real(arena, out, "difference", p->difference);
    pp_json_set_maybe_real(arena, out, "retention", p->retention);
    return out;
}

static pp_status put_comparison(pp_arena *arena, const pp_suite_report *report,
                                const pp_suite_endpoint *e, pp_json *out, pp_error *err)
{
    const pp_suite_endpoint *reference = &report->endpoints[report->reference];
    pp_pairing pairing;
    pp_status st;

    if (!report->has_reference || e == reference) {
        pp_json_set_null(arena, out, "comparison");
        return PP_OK;
    }
    st = pp_pairing_of(arena, &e->results, e->origin, &reference->results, reference->origin,
                       &pairing, err);
    if (st == PP_OK)
        pp_json_set(arena, out, "comparison", pairing_json(arena, report, &pairing));
    return st;
}

/* ---- endpoint ------------------------------------------------------------------------------- */

static pp_json *server_json(pp_arena *arena, const pp_suite_endpoint *e)
{
    pp_json *out = pp_json_new_object(arena);

    pp_json_set_maybe_text(arena, out, "kind", e->server_kind);
    pp_json_set_maybe_text(arena, out, "model", e->model);
    pp_json_set_maybe_text(arena, out, "build", e->build);
    return out;
}

/* A sum beyond int64 stays at its end: no server counts so far. */
static void add_count(pp_maybe_int *sum, pp_maybe_int count)
{
    if (!count.known)
        return;
    sum->known = true;
    if (__builtin_add_overflow(sum->value, count.value, &sum->value))
        sum->value = INT64_MAX;
}

static pp_json *speculation_json(pp_arena *arena, const pp_suite_endpoint *e)
{
    size_t n = e->results.pass_count * e->results.suite->case_count;
    pp_json *out = pp_json_new_object(arena);
    pp_maybe_int drafted = {0};
    pp_maybe_int accepted = {0};
    pp_maybe_bool seen = e->speculation;

    for (size_t i = 0; i < n; i++) {
        add_count(&drafted, e->results.results[i].drafted_tokens);
        add_count(&accepted, e->results.results[i].accepted_tokens);
    }
    if (drafted.known && drafted.value > 0)
        seen = pp_known_bool(true); /* whatever the server says of itself (E21) */
    pp_json_set_maybe_bool(arena, out, "seen", seen);
    pp_json_set_maybe_int(arena, out, "drafted_tokens", drafted);
    pp_json_set_maybe_int(arena, out, "accepted_tokens", accepted);
    return out;
}

static pp_status put_figures(pp_arena *arena, const pp_suite_report *report,
                             const pp_suite_endpoint *e, pp_json *out, pp_error *err)
{
    pp_answer_latency latency;
    pp_score score;
    pp_status st = pp_score_of(arena, &e->results, e->origin, &score, err);

    if (st == PP_OK)
        st = pp_answer_latency_of(arena, &e->results, &latency, err);
    if (st == PP_OK)
        st = put_passes(arena, &e->results, &score, out, err);
    if (st != PP_OK)
        return st;
    pp_json_set(arena, out, "score", score_json(arena, &score));
    pp_json_set(arena, out, "groups", groups_json(arena, &score));
    pp_json_set(arena, out, "flips", flips_json(arena, &e->results, &score));
    pp_json_set_int(arena, out, "changed", (int64_t)score.changed_count);
    pp_json_set(arena, out, "latency", latency_json(arena, &latency));
    pp_json_set(arena, out, "floor", floor_json(arena, report, &score.whole));
    return put_comparison(arena, report, e, out, err);
}

static pp_status add_endpoint(pp_arena *arena, const pp_suite_report *report,
                              const pp_suite_endpoint *e, pp_json *list, pp_error *err)
{
    pp_json *out = pp_json_new_object(arena);
    pp_status st;

    pp_json_set_text(arena, out, "name", e->name);
    pp_json_set_text(arena, out, "url", e->url);
    pp_json_set(arena, out, "server", server_json(arena, e));
    pp_json_set_string(arena, out, "origin", pp_origin_name(e->origin));
    pp_json_set(arena, out, "speculation", speculation_json(arena, e));
    st = put_figures(arena, report, e, out, err);
    if (e->fidelity != NULL)
        pp_json_set(arena, out, "fidelity", e->fidelity);
    pp_json_add(arena, list, out);
    return st;
}

/* ---- report --------------------------------------------------------------------------------- */

static pp_json *run_json(pp_arena *arena, const pp_suite_report *report)
{
    pp_json *out = pp_json_new_object(arena);

    pp_json_set_text(arena, out, "tool_version", report->tool_version);
    pp_json_set_int(arena, out, "started_unix_ms", report->started_unix_ms);
    pp_json_set_int(arena, out, "pass_count", (int64_t)report->endpoints[0].results.pass_count);
    pp_json_set_real(arena, out, "confidence", PP_SCORE_CONFIDENCE);
    return out;
}

static pp_status make(pp_arena *arena, const pp_suite_report *report, pp_json **ret_document,
                      pp_error *err)
{
    pp_json *out = pp_json_new_object(arena);
    pp_json *endpoints = pp_json_new_array(arena);
    pp_score first;
    pp_status st =
        pp_score_of(arena, &report->endpoints[0].results, report->endpoints[0].origin, &first, err);

    for (size_t i = 0; st == PP_OK && i < report->endpoint_count; i++)
        st = add_endpoint(arena, report, &report->endpoints[i], endpoints, err);
    if (st != PP_OK)
        return st;
    pp_json_set_string(arena, out, "schema_version", "1.0");
    pp_json_set_string(arena, out, "document", "suite-report");
    pp_json_set_bool(arena, out, "is_partial", report->is_partial);
    pp_json_set(arena, out, "run", run_json(arena, report));
    pp_json_set(arena, out, "suite", suite_json(arena, report, &first));
    if (report->has_reference)
        pp_json_set_text(arena, out, "reference", report->endpoints[report->reference].name);
    else
        pp_json_set_null(arena, out, "reference");
    pp_json_set_maybe_real(arena, out, "floor", report->floor);
    pp_json_set(arena, out, "endpoints", endpoints);
    *ret_document = out;
    return pp_arena_check(arena, err);
}

pp_status pp_suite_report_to_json(pp_arena *arena, const pp_suite_report *report,
                                  pp_json **ret_document, pp_error *err)
{
    pp_status st = check(report, err);

    return st == PP_OK ? make(arena, report, ret_document, err) : st;
}
