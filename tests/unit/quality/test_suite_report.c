/* The document: written, found valid, made again, altered and found out; and its table. */
#include <math.h>
#include <string.h>

#include "model/document_kinds.h"
#include "quality/suite_report.h"
#include "shared.h"
#include "suite_maker.h"

#define SHA_A "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define SHA_B "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"

typedef struct fixture {
    pp_arena arena;
    pp_suite suite;
    pp_suite_endpoint endpoints[3];
    pp_suite_report report;
} fixture;

static pp_suite_endpoint make_endpoint(fixture *f, const char *name, const char *first,
                                       const char *second)
{
    const char *const passes[] = {first, second, NULL};

    return (pp_suite_endpoint){
        .name = pp_text_of(name),
        .url = pp_text_of("http://127.0.0.1:8080"),
        .server_kind = pp_text_of("llama-server"),
        .origin = PP_ORIGIN_MEASURED,
        .results = make_results(&f->arena, &f->suite, passes),
    };
}

/* The reference; one that lost c2, gained c4 and flips on c3; one that failed once. */
static void make_fixture(fixture *f)
{
    memset(f, 0, sizeof *f);
    f->suite = make_suite(&f->arena, "AABB.");
    f->endpoints[0] = make_endpoint(f, "reference", "+++-+", "+++-+");
    f->endpoints[1] = make_endpoint(f, "small", "+-+++", "+--++");
    f->endpoints[2] = make_endpoint(f, "broken", "?++++", "+++++");
    f->endpoints[1].results.results[0].drafted_tokens = pp_known_int(7);
    f->endpoints[1].results.results[0].accepted_tokens = pp_known_int(5);
    f->endpoints[1].speculation = pp_known_bool(false);
    f->report = (pp_suite_report){
        .tool_version = pp_text_of("0.1"),
        .started_unix_ms = 1700000000000,
        .suite = &f->suite,
        .suite_sha256 = SHA_A,
        .suite_content_sha256 = SHA_B,
        .endpoints = f->endpoints,
        .endpoint_count = 3,
        .has_reference = true,
        .reference = 0,
        .floor = {true, 0.5},
    };
}

/* Written to bytes and read back, as a stranger would have it. */
static pp_json *as_read(fixture *f, const pp_json *document)
{
    const pp_json *root = NULL;
    pp_error err = {0};
    pp_buf bytes;

    pp_buf_init(&bytes, PP_JSON_MAX_BYTES);
    assert_ok(pp_json_write(document, PP_JSON_FILE, &bytes, &err), err);
    assert_ok(pp_json_parse(&f->arena, "report", pp_buf_text(&bytes), bytes.size, &root, &err),
              err);
    pp_buf_done(&bytes);
    return (pp_json *)root; /* the tests alter it */
}

static pp_json *make_document(fixture *f)
{
    pp_json *document = NULL;
    pp_error err = {0};

    assert_ok(pp_suite_report_to_json(&f->arena, &f->report, &document, &err), err);
    return as_read(f, document);
}

/* "endpoints.1.score": the value there. */
static pp_json *at(pp_json *value, const char *path)
{
    while (*path != '\0') {
        size_t size = strcspn(path, ".");

        if (value->kind == PP_JSON_ARRAY) {
            size_t index = (size_t)(*path - '0');

            assert_true(index < value->array.count);
            value = value->array.items[index];
        } else {
            value = pp_json_find_text(value, (pp_text){path, size});
        }
        assert_non_null(value);
        path += size + (path[size] == '.');
    }
    return value;
}

static void the_document_is_what_its_table_says(void **state)
{
    fixture f;
    pp_json *document;
    pp_error err = {0};

    (void)state;
    make_fixture(&f);
    document = make_document(&f);
    assert_ok(pp_document_check(pp_document_kind_of(document), document, &err), err);
    assert_string_equal(pp_document_kind_of(document)->name, "suite-report");
    f.endpoints[2].origin = PP_ORIGIN_SYNTHETIC_WEIGHTS; /* the other gap */
    f.report.floor.known = f.report.has_reference = false;
    document = make_document(&f);
    assert_ok(pp_document_check(pp_document_kind_of(document), document, &err), err);
    assert_true(pp_text_is(at(document, "endpoints.2.score.gap")->text, "synthetic-weights"));
    pp_arena_done(&f.arena);
}

static const struct {
    const char *path;
    const char *want; /* compact JSON */
} figures[] = {
    {"run.pass_count", "2"},
    {"suite.case_count", "5"},
    {"suite.groups", "[{\"case_count\":2,\"group\":\"A\"},{\"case_count\":2,\"group\":\"B\"}]"},
    {"suite.system_prompt_sha256", "null"},
    {"reference", "\"reference\""},
    {"endpoints.0.score.score", "0.8"},
    {"endpoints.0.comparison", "null"},
    {"endpoints.1.passes.1.matched", "3"},
    {"endpoints.1.score.passed", "3"},
    {"endpoints.1.score.flipped", "1"},
    {"endpoints.1.score.score", "0.6"},
    {"endpoints.1.groups.1.passed", "1"},
    {"endpoints.1.flips",
     "[{\"answers\":[{\"answer\":\"yes 3\",\"outcome\":\"matched\",\"pass\":1},{\"answer\":\"no "
     "3\",\"outcome\":\"missed\",\"pass\":2}],\"case\":\"c3\"}]"},
    {"endpoints.1.changed", "1"},
    {"endpoints.1.speculation", "{\"accepted_tokens\":5,\"drafted_tokens\":7,\"seen\":true}"},
    {"endpoints.1.comparison.both", "2"},
    {"endpoints.1.comparison.only_reference", "[\"c2\",\"c3\"]"},
    {"endpoints.1.comparison.only_candidate", "[\"c4\"]"},
    {"endpoints.1.comparison.mcnemar_p", "1.0"},
    {"endpoints.1.comparison.difference", "-0.2"},
    {"endpoints.1.floor.met", "true"},
    {"endpoints.1.floor.certified", "false"},
    {"endpoints.1.floor.passes_needed", "5"}, /* 1/32 is below, 6/32 above 0.05 */
    {"endpoints.1.latency.count", "10"},
    {"endpoints.1.latency.ms_p50", "105.0"},
    {"endpoints.1.latency.ms_p95", "205.0"},
    {"endpoints.2.passes.0.outcomes_sha256", "null"},
    {"endpoints.2.score.score", "null"},
    {"endpoints.2.score.gap", "\"request-failed\""},
    {"endpoints.2.score.score_min", "0.8"},
    {"endpoints.2.score.score_max", "1.0"},
    {"endpoints.2.floor.met", "null"},
    {"endpoints.2.comparison.open", "1"},
    {"endpoints.2.comparison.retention", "null"},
};

static void figures_are_those_of_counting_by_hand(void **state)
{
    fixture f;
    pp_json *document;

    (void)state;
    make_fixture(&f);
    document = make_document(&f);
    for (size_t i = 0; i < PP_COUNT_OF(figures); i++) {
        pp_error err = {0};
        pp_buf text;

        pp_buf_init(&text, 4096);
        assert_ok(pp_json_write(at(document, figures[i].path), PP_JSON_COMPACT, &text, &err), err);
        if (strcmp(pp_buf_text(&text), figures[i].want) != 0)
            fail_msg("%s: expected %s, got %s", figures[i].path, figures[i].want,
                     pp_buf_text(&text));
        pp_buf_done(&text);
    }
    /* half of all outcomes of five coins */
    assert_true(fabs(at(document, "endpoints.1.floor.chance")->real - 0.5) < 1e-12);
    pp_arena_done(&f.arena);
}

/* The digest of capacity studies: (a, true, YES), (b, false, no answer). */
static void outcomes_have_the_published_digest(void **state)
{
    fixture f;
    pp_json *document;

    (void)state;
    make_fixture(&f);
    f.suite = make_suite(&f.arena, "..");
    f.suite.cases[0].id = pp_text_of("a");
    f.suite.cases[1].id = pp_text_of("b");
    f.endpoints[0] = make_endpoint(&f, "one", "+-", "+-");
    f.endpoints[0].results.results[0].matched_answer = pp_text_of("YES");
    f.report.endpoint_count = 1;
    document = make_document(&f);
    assert_true(pp_text_is(at(document, "endpoints.0.passes.0.outcomes_sha256")->text,
                           "0d32481c2255b4374aa8e526f5ee4960ca1bb78a67c7f0da2aa2cabc8c3c5171"));
    pp_arena_done(&f.arena);
}

/* ---- made again ----------------------------------------------------------------------------- */

static size_t differences_of(fixture *f, const pp_json *root, const pp_suite_source *source,
                             pp_text **ret_texts)
{
    size_t count = 0;
    pp_error err = {0};

    assert_ok(pp_suite_report_again(&f->arena, root, source, ret_texts, &count, &err), err);
    return count;
}

static void an_untouched_report_is_made_again(void **state)
{
    fixture f;
    pp_suite_source source;
    pp_text *texts;

    (void)state;
    make_fixture(&f);
    source = (pp_suite_source){&f.suite, SHA_A, SHA_B};
    assert_int_equal(differences_of(&f, make_document(&f), NULL, &texts), 0);
    assert_int_equal(differences_of(&f, make_document(&f), &source, &texts), 0);
    pp_arena_done(&f.arena);
}

/* A figure of another value, at each place that follows from the answers. */
static const char *const derived[] = {
    "suite.case_count",
    "suite.groups.0.case_count",
    "endpoints.0.passes.0.matched",
    "endpoints.0.passes.1.outcomes_sha256",
    "endpoints.0.score.total",
    "endpoints.0.score.passed",
    "endpoints.0.score.missed",
    "endpoints.0.score.open",
    "endpoints.0.score.flipped",
    "endpoints.0.score.failed_requests",
    "endpoints.0.score.score",
    "endpoints.0.score.lower",
    "endpoints.0.score.upper",
    "endpoints.0.score.score_min",
    "endpoints.0.score.score_max",
    "endpoints.0.groups.0.passed",
    "endpoints.1.flips.0.case",
    "endpoints.1.flips.0.answers.0.answer",
    "endpoints.0.changed",
    "endpoints.0.latency.count",
    "endpoints.0.latency.ms_p50",
    "endpoints.0.latency.ms_p95",
    "endpoints.0.floor.floor",
    "endpoints.0.floor.chance",
    "endpoints.0.floor.passes_needed",
    "endpoints.1.comparison.reference",
    "endpoints.1.comparison.both",
    "endpoints.1.comparison.neither",
    "endpoints.1.comparison.only_reference.0",
    "endpoints.1.comparison.mcnemar_p",
    "endpoints.1.comparison.difference",
    "endpoints.1.comparison.retention",
    "endpoints.1.speculation.drafted_tokens",
    "run.confidence",
};

static void alter(pp_json *value)
{
    if (value->kind == PP_JSON_INTEGER)
        value->integer++;
    else if (value->kind == PP_JSON_REAL)
        value->real = value->real / 2 + 0.015625;
    else
        value->text = pp_text_of(value->text.size == 64 ? SHA_A : "altered");
}

static void every_altered_figure_is_found(void **state)
{
    fixture f;

    (void)state;
    make_fixture(&f);
    for (size_t i = 0; i < PP_COUNT_OF(derived); i++) {
        pp_json *document = make_document(&f);
        char place[PP_JSON_PATH_MAX];
        pp_text *texts;

        alter(at(document, derived[i]));
        pp_json_path(at(document, derived[i]), place);
        if (differences_of(&f, document, NULL, &texts) != 1)
            fail_msg("%s: the altered figure was not found", derived[i]);
        if (strncmp(texts[0].data, place, strlen(place)) != 0)
            fail_msg("%s: expected %s, got %s", derived[i], place, texts[0].data);
    }
    pp_arena_done(&f.arena);
}

static void all_differences_are_listed(void **state)
{
    fixture f;
    pp_json *document;
    pp_text *texts;

    (void)state;
    make_fixture(&f);
    document = make_document(&f);
    alter(at(document, "endpoints.0.score.passed"));
    alter(at(document, "endpoints.1.score.passed"));
    alter(at(document, "endpoints.2.latency.ms_p50"));
    assert_int_equal(differences_of(&f, document, NULL, &texts), 3);
    pp_arena_done(&f.arena);
}

/* An answer was made to count: without the suite only the sums tell, and here they were altered,
 * too. */
static void a_false_match_is_found_with_the_suite(void **state)
{
    fixture f;
    pp_suite_source source;
    pp_json *document;
    pp_text *texts;

    (void)state;
    make_fixture(&f);
    source = (pp_suite_source){&f.suite, SHA_A, SHA_B};
    f.report.endpoint_count = 1;
    for (size_t pass = 0; pass < 2; pass++) {
        pp_case_result *r = &f.endpoints[0].results.results[pass * 5 + 3];

        r->outcome = PP_OUTCOME_MATCHED;
        r->matched_answer = pp_text_of("yes 4");
    }
    document = make_document(&f);
    assert_int_equal(differences_of(&f, document, NULL, &texts), 0);
    assert_true(differences_of(&f, document, &source, &texts) > 2);
    assert_contains(texts[0].data, "$.endpoints[0].");
    pp_arena_done(&f.arena);
}

static void another_suite_is_found(void **state)
{
    fixture f;
    pp_suite_source source;
    pp_suite other;
    pp_text *texts;

    (void)state;
    make_fixture(&f);
    source = (pp_suite_source){&f.suite, SHA_B, SHA_B};
    assert_int_equal(differences_of(&f, make_document(&f), &source, &texts), 1);
    assert_contains(texts[0].data, "$.suite.sha256: expected");
    other = make_suite(&f.arena, "AABB");
    source = (pp_suite_source){&other, SHA_A, SHA_B};
    assert_int_equal(differences_of(&f, make_document(&f), &source, &texts), 1);
    assert_contains(texts[0].data, "$.suite.cases: are not the cases of the suite");
    pp_arena_done(&f.arena);
}

/* ---- refused -------------------------------------------------------------------------------- */

static const struct {
    const char *path, *text; /* put there; NULL: null */
    const char *want;
} refused[] = {
    {"suite.cases.1.id", "c1", "$.suite.cases[1].id: stands there twice"},
    {"endpoints.1.name", "reference", "$.endpoints[1].name: stands there twice"},
    {"endpoints.1.url", "http://me:secret@host", "$.endpoints[1].url: expected an address without"},
    {"endpoints.1.url", "http://host/?key=1", "$.endpoints[1].url: expected an address without"},
    {"endpoints.1.origin", "guessed", "$.endpoints[1].origin"},
    {"reference", "nobody", "$.reference: expected the name of an endpoint"},
    {"endpoints.0.passes.0.results.0.case", "c2",
     "$.endpoints[0].passes[0].results[0].case: expected 'c1'"},
    {"endpoints.0.passes.0.results.0.outcome", "failed",
     "$.endpoints[0].passes[0].results[0].answer: expected null, as the outcome is 'failed'"},
    {"endpoints.0.passes.0.results.0.outcome", "missed",
     "$.endpoints[0].passes[0].results[0].matched_answer: expected null"},
    {"endpoints.0.passes.0.results.3.outcome", "matched",
     "$.endpoints[0].passes[0].results[3].matched_answer: expected a text"},
    {"endpoints.0.passes.0.results.0.answer", NULL,
     "$.endpoints[0].passes[0].results[0].answer: expected a text"},
};

static void what_does_not_belong_together_is_refused(void **state)
{
    fixture f;

    (void)state;
    make_fixture(&f);
    for (size_t i = 0; i < PP_COUNT_OF(refused); i++) {
        pp_json *document = make_document(&f);
        pp_json *value = at(document, refused[i].path);
        pp_suite_report report;
        pp_error err = {0};

        if (refused[i].text == NULL)
            value->kind = PP_JSON_NULL;
        else
            value->text = pp_text_of(refused[i].text);
        if (pp_suite_report_decode(&f.arena, document, &report, &err) != PP_ERR_SCHEMA)
            fail_msg("%s: was not refused", refused[i].path);
        assert_contains(err.text, refused[i].want);
    }
    pp_arena_done(&f.arena);
}

static void passes_that_are_missing_are_refused(void **state)
{
    fixture f;
    pp_json *document;
    pp_suite_report report;
    pp_error err = {0};

    (void)state;
    make_fixture(&f);
    document = make_document(&f);
    at(document, "endpoints.1.passes")->array.count = 1;
    assert_int_equal(pp_suite_report_decode(&f.arena, document, &report, &err), PP_ERR_SCHEMA);
    assert_string_equal(
        err.text, "$.endpoints[1].passes: expected 2 passes, as $.run.pass_count says, got 1");
    document = make_document(&f);
    memset(&err, 0, sizeof err);
    at(document, "endpoints.1.passes.1.results")->array.count = 4;
    assert_int_equal(pp_suite_report_decode(&f.arena, document, &report, &err), PP_ERR_SCHEMA);
    assert_contains(err.text,
                    "$.endpoints[1].passes[1].results: expected a result of each of the 5");
    pp_arena_done(&f.arena);
}

static void a_report_with_a_secret_is_not_made(void **state)
{
    fixture f;
    pp_json *document = NULL;
    pp_error err = {0};

    (void)state;
    make_fixture(&f);
    f.endpoints[1].url = pp_text_of("http://user:key@host/v1");
    assert_int_equal(pp_suite_report_to_json(&f.arena, &f.report, &document, &err), PP_ERR_DOMAIN);
    assert_null(strstr(err.text, "key"));
    f.endpoints[1].url = pp_text_of("http://host/v1/a@b");
    memset(&err, 0, sizeof err);
    assert_ok(pp_suite_report_to_json(&f.arena, &f.report, &document, &err), err);
    f.endpoints[1].name = f.endpoints[2].name;
    assert_int_equal(pp_suite_report_to_json(&f.arena, &f.report, &document, &err), PP_ERR_DOMAIN);
    assert_string_equal(err.text, "endpoint 3: the name 'broken' stands twice");
    pp_arena_done(&f.arena);
}

/* ---- memory, table -------------------------------------------------------------------------- */

static pp_status make_and_again(const void *context, pp_error *err)
{
    const fixture *f = context;
    pp_suite_source source = {&f->suite, SHA_A, SHA_B};
    pp_arena arena = {0};
    pp_json *document = NULL;
    pp_text *texts;
    size_t count;
    pp_status st = pp_suite_report_to_json(&arena, &f->report, &document, err);

    if (st == PP_OK)
        st = pp_suite_report_again(&arena, document, &source, &texts, &count, err);
    pp_arena_done(&arena);
    return st;
}

static void missing_memory_is_said(void **state)
{
    fixture f;

    (void)state;
    make_fixture(&f);
    assert_true(check_missing_memory(make_and_again, &f) > 5);
    pp_arena_done(&f.arena);
}

static void the_table_has_a_row_of_each_result(void **state)
{
    fixture f;
    pp_error err = {0};
    pp_buf csv;

    (void)state;
    make_fixture(&f);
    f.report.endpoint_count = 2;
    f.endpoints[0].results.results[0].answer = pp_text_of("=1+\"2\"\r\n,");
    pp_buf_init(&csv, 1 << 20);
    assert_ok(pp_suite_results_csv(&f.report, &csv, &err), err);
    assert_contains(pp_buf_text(&csv),
                    "endpoint,origin,pass,case,group,outcome,answer,matched_answer,failure,"
                    "finish_reason,prompt_tokens,cached_tokens,output_tokens,drafted_tokens,"
                    "accepted_tokens,latency_ms,case_passed,case_flipped\r\n"
                    "reference,measured,1,c1,A,matched,\"'=1+\"\"2\"\"\r\n,\",yes 1,,stop,10,,2,,,"
                    "101,true,false\r\n");
    assert_contains(pp_buf_text(&csv),
                    "\r\nsmall,measured,2,c3,B,missed,no 3,,,stop,10,,2,,,203,false,true\r\n");
    pp_buf_done(&csv);
    f.report.endpoint_count = 3;
    pp_buf_init(&csv, 1 << 20);
    assert_ok(pp_suite_results_csv(&f.report, &csv, &err), err);
    assert_contains(pp_buf_text(&csv),
                    "\r\nbroken,measured,1,c1,A,failed,,,connect: refused,,,,,,,101,,false\r\n");
    pp_buf_done(&csv);
    pp_arena_done(&f.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_document_is_what_its_table_says),
        cmocka_unit_test(figures_are_those_of_counting_by_hand),
        cmocka_unit_test(outcomes_have_the_published_digest),
        cmocka_unit_test(an_untouched_report_is_made_again),
        cmocka_unit_test(every_altered_figure_is_found),
        cmocka_unit_test(all_differences_are_listed),
        cmocka_unit_test(a_false_match_is_found_with_the_suite),
        cmocka_unit_test(another_suite_is_found),
        cmocka_unit_test(what_does_not_belong_together_is_refused),
        cmocka_unit_test(passes_that_are_missing_are_refused),
        cmocka_unit_test(a_report_with_a_secret_is_not_made),
        cmocka_unit_test(missing_memory_is_said),
        cmocka_unit_test(the_table_has_a_row_of_each_result),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
