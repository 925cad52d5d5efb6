#include "base/csv.h"
#include "quality/suite_report.h"

static const char *const columns[] = {
    "endpoint",      "origin",        "pass",           "case",           "group",
    "outcome",       "answer",        "matched_answer", "failure",        "finish_reason",
    "prompt_tokens", "cached_tokens", "output_tokens",  "drafted_tokens", "accepted_tokens",
    "latency_ms",    "case_passed",   "case_flipped",
};

static void put_bool(pp_buf *csv, bool value)
{
    pp_csv_word(csv, value ? "true" : "false");
}

static void put_counts(pp_buf *csv, const pp_case_result *r)
{
    pp_csv_maybe_int(csv, r->prompt_tokens);
    pp_csv_maybe_int(csv, r->cached_tokens);
    pp_csv_maybe_int(csv, r->output_tokens);
    pp_csv_maybe_int(csv, r->drafted_tokens);
    pp_csv_maybe_int(csv, r->accepted_tokens);
    pp_csv_maybe_real(csv, (pp_maybe_real){r->latency_ns.known, (double)r->latency_ns.value / 1e6});
}

static void put_row(pp_buf *csv, const pp_suite_endpoint *e, size_t pass, size_t number)
{
    const pp_suite_case *c = &e->results.suite->cases[number];
    const pp_case_result *r = pp_result_of(&e->results, pass, number);
    pp_case_state state = pp_case_state_of(&e->results, number);

    pp_csv_text(csv, e->name);
    pp_csv_word(csv, pp_origin_name(e->origin));
    pp_csv_int(csv, (int64_t)pass + 1);
    pp_csv_text(csv, c->id);
    pp_csv_text(csv, c->group);
    pp_csv_word(csv, pp_outcome_name(r->outcome));
    pp_csv_text(csv, r->answer);
    pp_csv_text(csv, r->matched_answer);
    pp_csv_text(csv, r->failure);
    pp_csv_text(csv, r->finish_reason);
    put_counts(csv, r);
    if (state == PP_CASE_OPEN)
        pp_csv_empty(csv);
    else
        put_bool(csv, state == PP_CASE_PASSED);
    put_bool(csv, pp_case_flipped(&e->results, number));
    pp_csv_end_row(csv);
}

pp_status pp_suite_results_csv(const pp_suite_report *report, pp_buf *csv, pp_error *err)
{
    for (size_t i = 0; i < PP_COUNT_OF(columns); i++)
        pp_csv_word(csv, columns[i]);
    pp_csv_end_row(csv);
    for (size_t e = 0; e < report->endpoint_count; e++) {
        const pp_suite_results *results = &report->endpoints[e].results;

        for (size_t i = 0; i < results->pass_count * report->suite->case_count; i++)
            put_row(csv, &report->endpoints[e], i / report->suite->case_count,
                    i % report->suite->case_count);
    }
    return pp_buf_check(csv, "table of results", err);
}
