#include "shared.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "markup.h"
#include "report/chart_samples.h"
#include "report/chart_timeline.h"
#include "report/page_policy.h"

/* ---- the policy ------------------------------------------------------------------------------ */

/* SHA-256 of FIPS 180-4, examples "abc" and the empty message, in base64 by `openssl base64`. */
static void policy_names_the_style_by_its_digest(void **state)
{
    static const struct {
        const char *style, *want;
    } rows[] = {
        {"abc", "'sha256-ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0='"},
        {"", "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='"},
    };

    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(rows); i++) {
        pp_error err = {0};
        pp_buf policy;

        pp_buf_init(&policy, 512);
        assert_ok(pp_page_policy(rows[i].style, strlen(rows[i].style), &policy, &err), err);
        assert_contains(pp_buf_text(&policy), rows[i].want);
        assert_contains(pp_buf_text(&policy), "default-src 'none'; ");
        assert_true(strstr(pp_buf_text(&policy), "unsafe") == NULL);
        pp_buf_done(&policy);
    }
}

/* ---- samples --------------------------------------------------------------------------------- */

static void thinning_keeps_to_its_number(void **state)
{
    static const struct {
        size_t count, most, want;
    } rows[] = {{0, 10, 1}, {10, 10, 1}, {11, 10, 2}, {20, 10, 2}, {21, 10, 3}, {10000, 4000, 3}};

    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(rows); i++) {
        assert_int_equal(pp_samples_step(rows[i].count, rows[i].most), rows[i].want);
        assert_true((rows[i].count + rows[i].want - 1) / rows[i].want <= rows[i].most);
    }
}

static const pp_json *watch_of(pp_arena *arena, const char *verdict)
{
    pp_json *watch = pp_json_new_object(arena);

    pp_json_set_string(arena, watch, "verdict", verdict);
    return watch;
}

typedef struct page {
    pp_arena arena;
    pp_benchmark_set set;
    pp_constraints constraints;
    pp_decision decision;
    pp_report_bundle bundle;
    pp_buf html;
} page;

static void open_page(page *p)
{
    pp_error err = {0};
    char sha256[PP_SHA256_HEX_SIZE];

    memset(p, 0, sizeof *p);
    assert_ok(pp_benchmark_set_load(&p->arena, fixture_path(&p->arena, "report/full-set.json"),
                                    &p->set, sha256, &err),
              err);
    assert_ok(pp_constraints_load(&p->arena,
                                  fixture_path(&p->arena, "report/full-constraints.json"),
                                  &p->constraints, sha256, &err),
              err);
    assert_ok(pp_decide(&p->arena, &p->set, &p->constraints, &p->decision, &err), err);
    p->bundle = (pp_report_bundle){
        .name = pp_text_of("demo"),
        .verification = {.is_verified = true, .verdict = "verified", .sums_sha256 = "5005"},
    };
}

static void write_page(page *p)
{
    const pp_report_input input = {.set = &p->set,
                                   .constraints = &p->constraints,
                                   .decision = &p->decision,
                                   .tool_version = "9.9.9",
                                   .extras = {.bundle = &p->bundle}};
    pp_error err = {0};
    const char *fault;

    pp_buf_init(&p->html, PP_REPORT_MAX_BYTES);
    assert_ok(pp_report_html(&p->arena, &input, &p->html, &err), err);
    fault = markup_fault(p->html.data, p->html.size);
    if (fault != NULL)
        fail_msg("not well formed: %s", fault);
}

static void close_page(page *p)
{
    pp_buf_done(&p->html);
    pp_arena_done(&p->arena);
}

/* Of 1, 2, 3, 4, 10 and one that failed: the median is the mean of 3 and 4; rank ceil(0.95 * 6) = 6
 * is the failed one. End to end is ten times as long. */
static void quantiles_count_failures_as_endless(void **state)
{
    const pp_report_request first[] = {{4, 40, false}, {1, 10, false}, {3, 30, false}};
    const pp_report_request second[] = {{NAN, NAN, true}, {10, 100, false}, {2, 20, false}};
    const pp_report_request replaced[] = {{999, 999, false}};
    pp_sample_row row;
    pp_report_input input = {0};
    pp_error err = {0};
    page p;

    (void)state;
    open_page(&p);
    {
        pp_text id = p.set.candidates[1].id;
        const pp_report_run runs[] = {
            {.candidate_id = id, .counts = false, .requests = replaced, .request_count = 1},
            {.candidate_id = id,
             .counts = true,
             .requests = first,
             .request_count = 3,
             .watch = watch_of(&p.arena, "quiet")},
            {.candidate_id = p.set.candidates[0].id, .counts = true},
            {.candidate_id = id,
             .counts = true,
             .requests = second,
             .request_count = 3,
             .watch = watch_of(&p.arena, "disturbed")},
        };
        pp_view v = {.arena = &p.arena, .set = &p.set, .input = &input};

        p.bundle.runs = runs;
        p.bundle.run_count = PP_COUNT_OF(runs);
        input.extras.bundle = &p.bundle;
        assert_ok(pp_sample_row_make(&v, 1, true, &row, &err), err);
        assert_int_equal(row.request_count, 6);
        assert_int_equal(row.failed_count, 1);
        assert_int_equal(row.run_count, 2);
        assert_int_equal(row.disturbed_run_count, 1);
        assert_true(row.p50.known && row.p50.value == 3.5);
        assert_true(!row.p95.known);
        assert_true(row.lowest.value == 1.0 && row.highest.value == 10.0);
        assert_int_equal(row.dot_count, 5);
        assert_true(row.dots[0].value_ms == 4.0 && row.dots[0].lane == 0);
        assert_true(row.dots[4].lane == 1 && row.dots[4].noise == PP_NOISE_DISTURBED);
        assert_ok(pp_sample_row_make(&v, 1, false, &row, &err), err);
        assert_true(row.p50.value == 35.0 && row.highest.value == 100.0);
        assert_ok(pp_sample_row_make(&v, 0, false, &row, &err), err);
        assert_int_equal(row.request_count, 0);
    }
    close_page(&p);
}

static size_t count_of(const char *text, const char *part)
{
    size_t count = 0;

    for (const char *at = text; (at = strstr(at, part)) != NULL; at += strlen(part))
        count++;
    return count;
}

/* 64,000 requests in 4 of 6 candidates: of 4,000 dots of a chart 666 are a candidate's, so every
 * 25th of 16,000 is drawn, 640 of them, and its extremes. */
static void a_long_study_is_thinned_and_says_so(void **state)
{
    enum { EACH = 16000 };
    static pp_report_request requests[EACH];
    pp_report_run runs[4];
    size_t dots;
    page p;

    (void)state;
    open_page(&p);
    assert_int_equal(p.set.candidate_count, 6);
    for (size_t i = 0; i < EACH; i++)
        requests[i] = (pp_report_request){100.0 + (double)(i % 977), 2000.0 + (double)i, false};
    for (size_t i = 0; i < 4; i++)
        runs[i] = (pp_report_run){.candidate_id = p.set.candidates[i].id,
                                  .phase = pp_text_of("requests"),
                                  .pass = 1,
                                  .attempt = 1,
                                  .counts = true,
                                  .duration_ns = 1000000000,
                                  .started_unix_ms = (int64_t)i * 2000,
                                  .watch = watch_of(&p.arena, "quiet"),
                                  .requests = requests,
                                  .request_count = EACH};
    p.bundle.runs = runs;
    p.bundle.run_count = 4;
    write_page(&p);
    assert_contains(pp_buf_text(&p.html), " every 25th of 16,000");
    assert_contains(pp_buf_text(&p.html), "the smallest and the largest beside");
    assert_contains(pp_buf_text(&p.html), "4 runs are left to the files");
    dots = count_of(pp_buf_text(&p.html), "class=\"d-quiet\"");
    /* beside them the two ends, each 16 or 17 times among the first tokens; 2 marks of legends */
    assert_in_range(dots, 2 * 4 * 640, 2 * 4 * 640 + 4 * (17 + 17 + 2) + 2);
    assert_true(p.html.size < 4000000);
    close_page(&p);
}

/* ---- time ------------------------------------------------------------------------------------ */

/* 10 s of running; 5 s later 5 s; an hour of pause, of which one minute is drawn; two that overlap.
 */
static void long_pauses_are_cut_to_a_minute(void **state)
{
    static const struct {
        int64_t start_ms, duration_ms;
        double begin_s, end_s, cut_s;
    } rows[] = {
        {1000000, 10000, 0, 10, 0},
        {1015000, 5000, 15, 20, 0},
        {1000000 + 20000 + 3600000, 30000, 80, 110, 3540},
        {1000000 + 20000 + 3600000 + 10000, 5000, 90, 95, 0},
        {1000000 + 20000 + 3600000 + 30000 + 60000, 1000, 170, 171, 0},
    };
    pp_report_run runs[PP_COUNT_OF(rows)] = {0};
    pp_time_place places[PP_COUNT_OF(rows)];

    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(rows); i++) {
        runs[i].started_unix_ms = rows[i].start_ms;
        runs[i].duration_ns = rows[i].duration_ms * 1000000;
    }
    pp_timeline_places(runs, PP_COUNT_OF(rows), places);
    for (size_t i = 0; i < PP_COUNT_OF(rows); i++) {
        if (fabs(places[i].begin_s - rows[i].begin_s) > 1e-6 ||
            fabs(places[i].end_s - rows[i].end_s) > 1e-6 ||
            fabs(places[i].cut_s - rows[i].cut_s) > 1e-6)
            fail_msg("run %zu: %g to %g, cut %g", i, places[i].begin_s, places[i].end_s,
                     places[i].cut_s);
    }
}

/* A record may hold any number: the page stays well formed and its axis finite. */
static void extreme_times_are_survived(void **state)
{
    pp_report_run runs[2];
    page p;

    (void)state;
    open_page(&p);
    for (size_t i = 0; i < 2; i++)
        runs[i] = (pp_report_run){.candidate_id = pp_text_of("</svg><script>"),
                                  .phase = pp_text_of("<b>"),
                                  .pass = INT64_MAX,
                                  .attempt = INT64_MAX,
                                  .started_unix_ms = i == 0 ? 0 : INT64_MAX,
                                  .duration_ns = INT64_MAX};
    p.bundle.runs = runs;
    p.bundle.run_count = 2;
    write_page(&p);
    assert_true(strstr(pp_buf_text(&p.html), "<script") == NULL);
    assert_true(strstr(pp_buf_text(&p.html), "=\"nan") == NULL);
    assert_true(strstr(pp_buf_text(&p.html), "=\"inf") == NULL);
    assert_true(strstr(pp_buf_text(&p.html), ">nan") == NULL);
    assert_contains(pp_buf_text(&p.html), "&lt;/svg&gt;&lt;script&gt;");
    close_page(&p);
}

/* ---- memory ---------------------------------------------------------------------------------- */

/* Width of the n-th bar of a class, from 0; the one in the legend left out. */
static double width_of(const char *html, const char *bar_class, size_t n)
{
    char mark[64];
    const char *at = html;
    double width = -1.0;

    (void)snprintf(mark, sizeof mark, "<rect class=\"%s\"", bar_class);
    for (size_t i = 0; i <= n + 1 && at != NULL; i++)
        at = strstr(at + (i > 0), mark);
    if (at != NULL && (at = strstr(at, " width=\"")) != NULL)
        width = strtod(at + strlen(" width=\""), NULL);
    return width;
}

/* The fixture's own figures, MiB: every bar has the same number of units for a MiB. */
static void bars_of_memory_are_as_long_as_their_figures(void **state)
{
    static const struct {
        const char *bar_class;
        double mib[3];
    } rows[] = {
        {"m-own", {120.5, 470.25, 487.6}},
        {"m-file", {300.25, 450.5, 452.7}},
    };
    double unit;
    page p;

    (void)state;
    open_page(&p);
    write_page(&p);
    unit = width_of(pp_buf_text(&p.html), "m-own", 0) / 120.5;
    assert_true(unit > 0.1);
    for (size_t i = 0; i < PP_COUNT_OF(rows); i++) {
        for (size_t j = 0; j < 3; j++) {
            double width = width_of(pp_buf_text(&p.html), rows[i].bar_class, j);

            if (fabs(width - unit * rows[i].mib[j]) > 0.05)
                fail_msg("%s %zu: %g wide, want %g", rows[i].bar_class, j, width,
                         unit * rows[i].mib[j]);
        }
    }
    assert_true(width_of(pp_buf_text(&p.html), "m-own", 3) < 0.0); /* one candidate has phases */
    /* 0 is no bar, and what the kernel does not say is none either */
    assert_true(width_of(pp_buf_text(&p.html), "m-shared", 2) < 0.0);
    close_page(&p);
}

/* ---- evidence -------------------------------------------------------------------------------- */

static void the_page_says_verified_only_when_it_was(void **state)
{
    static const pp_report_finding finding = {"file-digest", "a<b>&\x1b[31m", "<i>", "\"x\""};
    static const struct {
        const char *name;
        pp_report_verification verification;
        const char *head, *says;
    } rows[] = {
        {"verified",
         {.is_verified = true, .verdict = "verified", .sums_sha256 = "5005", .hashed_count = 7},
         "evidence: <strong>verified</strong>",
         "<strong>Verified.</strong>"},
        {"undecided",
         {.verdict = "undecided", .why = "of a reason", .sums_sha256 = "5005"},
         "evidence: <strong>not verified</strong>",
         "undecided.</strong> Nothing differs"},
        {"differs",
         {.verdict = "differs", .sums_sha256 = "5005", .findings = &finding, .finding_count = 1},
         "evidence: <strong>not verified</strong>",
         "<strong>Not verified: 1 finding."},
    };

    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(rows); i++) {
        page p;

        open_page(&p);
        p.bundle.name = pp_text_of("my demo's");
        p.bundle.verification = rows[i].verification;
        write_page(&p);
        assert_contains(pp_buf_text(&p.html), rows[i].head);
        assert_contains(pp_buf_text(&p.html), rows[i].says);
        assert_contains(pp_buf_text(&p.html),
                        "paretopilot verify &#39;my demo&#39;&quot;&#39;&quot;&#39;s&#39;</code>");
        if (!rows[i].verification.is_verified &&
            (strstr(pp_buf_text(&p.html), "<strong>Verified") != NULL ||
             strstr(pp_buf_text(&p.html), "<strong>verified") != NULL))
            fail_msg("%s: the page says verified", rows[i].name);
        close_page(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(policy_names_the_style_by_its_digest),
        cmocka_unit_test(thinning_keeps_to_its_number),
        cmocka_unit_test(quantiles_count_failures_as_endless),
        cmocka_unit_test(a_long_study_is_thinned_and_says_so),
        cmocka_unit_test(long_pauses_are_cut_to_a_minute),
        cmocka_unit_test(extreme_times_are_survived),
        cmocka_unit_test(bars_of_memory_are_as_long_as_their_figures),
        cmocka_unit_test(the_page_says_verified_only_when_it_was),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
