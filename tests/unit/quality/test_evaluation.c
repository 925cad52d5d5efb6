/* Evaluations are built, pooled and refused. */
#include "quality/evaluation.h"

#include <string.h>

#include "quality/evaluation_check.h"
#include "shared.h"

/* ---- building ---------------------------------------------------------------------------------
 */

typedef struct built {
    pp_suite suite;
    char sha256[PP_SHA256_HEX_SIZE];
    pp_text answers[3];
    pp_evaluation_sample samples[5];
    pp_evaluation_source source;
} built;

/* The parts of tests/fixtures/documents/server-evaluation.json. */
static void take_parts(pp_arena *arena, built *b)
{
    static const pp_evaluation_sample samples[] = {
        {12.5, 80.25, 9, 8, {"one", 3}},     {11.0, 79.5, 9, 8, {"two \xc3\xa9", 6}},
        {14.75, 90.0, 9, 8, {"three\n", 6}}, {13.0, 82.0, 9, 8, {"four", 4}},
        {12.0, 81.0, 9, 8, {"five", 4}},
    };
    char content[PP_SHA256_HEX_SIZE];
    pp_error err = {0};

    assert_ok(pp_suite_load(arena, fixture_path(arena, "quality/suite-1.0.json"), &b->suite,
                            b->sha256, content, &err),
              err);
    b->answers[0] = pp_text_of(" Light-house.\n");
    b->answers[1] = pp_text_of("K-7 ");
    b->answers[2] = pp_text_of("{\"n\": 4}");
    memcpy(b->samples, samples, sizeof samples);
    b->source = (pp_evaluation_source){
        .candidate_id = pp_text_of("lamp"),
        .origin = PP_ORIGIN_MEASURED,
        .suite = &b->suite,
        .suite_sha256 = b->sha256,
        .answers = b->answers,
        .answer_count = 3,
        .samples = b->samples,
        .sample_count = 5,
    };
}

static const pp_json *read_fixture(pp_arena *arena, const char *name)
{
    const pp_json *root;
    pp_error err = {0};

    assert_ok(pp_json_read_file(arena, fixture_path(arena, name), NULL, &root, &err), err);
    return root;
}

static void parts_give_the_document_that_another_program_wrote(void **state)
{
    pp_arena arena = {0};
    pp_error err = {0};
    pp_server_evaluation e;
    built b;

    (void)state;
    take_parts(&arena, &b);
    assert_ok(pp_evaluation_build(&arena, &b.source, &e, &err), err);
    assert_true(pp_json_equal(pp_server_evaluation_to_json(&arena, &e),
                              read_fixture(&arena, "documents/server-evaluation.json")));
    pp_arena_done(&arena);
}

static void what_was_not_measured_is_synthetic(void **state)
{
    static const pp_origin origins[] = {PP_ORIGIN_SIMULATED, PP_ORIGIN_CONSTRUCTED_WEIGHTS,
                                        PP_ORIGIN_EMULATED, PP_ORIGIN_UNKNOWN};
    pp_arena arena = {0};
    pp_error err = {0};
    pp_server_evaluation e;
    built b;

    (void)state;
    take_parts(&arena, &b);
    for (size_t i = 0; i < PP_COUNT_OF(origins); i++) {
        b.source.origin = origins[i];
        assert_ok(pp_evaluation_build(&arena, &b.source, &e, &err), err);
        assert_true(e.synthetic);
    }
    b.source.origin = PP_ORIGIN_SYNTHETIC_WEIGHTS;
    assert_int_equal(pp_evaluation_build(&arena, &b.source, &e, &err), PP_ERR_DOMAIN);
    assert_contains(err.text, "random weights");
    pp_arena_done(&arena);
}

static void lose_an_answer(built *b)
{
    b->source.answer_count = 2;
}

static void lose_a_sample(built *b)
{
    b->source.sample_count = 4;
}

static void make_ours(built *b)
{
    b->suite.original = false;
}

static void blank_the_id(built *b)
{
    b->source.candidate_id = pp_text_of(" \t");
}

static void start_at_once(built *b)
{
    b->samples[3].ttft_ms = 0;
}

static void end_before_the_start(built *b)
{
    b->samples[3].e2e_latency_ms = 12.75;
}

static void say_too_little(built *b)
{
    b->samples[3].predicted_tokens = 7;
}

static void say_nothing(built *b)
{
    b->samples[3].content = pp_text_of("\xe2\x80\x83\n"); /* an em space */
}

static void send_no_event(built *b)
{
    b->samples[3].event_count = 0;
}

static void parts_that_make_no_evaluation_are_refused(void **state)
{
    static const struct {
        void (*change)(built *b);
        const char *says;
    } rows[] = {
        {lose_an_answer, "expected an answer to each of 3 cases, got 2"},
        {lose_a_sample, "expected 5 measured requests, as the suite says, got 4"},
        {make_ours, "expected one of schema 1.0"},
        {blank_the_id, "candidate id: blank"},
        {start_at_once, "measured request 4: ttft_ms: expected more than 0"},
        {end_before_the_start,
         "request 4: e2e_latency_ms: expected at least ttft_ms, 13, got 12.75"},
        {say_too_little, "request 4: predicted_tokens: expected 8 tokens, as asked, got 7"},
        {say_nothing, "request 4: content: expected text"},
        {send_no_event, "request 4: event_count: expected at least 1"},
    };

    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(rows); i++) {
        pp_arena arena = {0};
        pp_error err = {0};
        pp_server_evaluation e;
        built b;

        take_parts(&arena, &b);
        rows[i].change(&b);
        assert_int_equal(pp_evaluation_build(&arena, &b.source, &e, &err), PP_ERR_DOMAIN);
        assert_contains(err.text, rows[i].says);
        pp_arena_done(&arena);
    }
}

/* ---- pooling ----------------------------------------------------------------------------------
 */

static const char *const names[] = {"a.json", "b.json", "c.json"};

typedef struct pass {
    pp_server_evaluation e;
    pp_evaluation_case cases[2];
    pp_evaluation_sample samples[2];
} pass;

static pp_text accepted[] = {{"YES", 3}, {"yes", 3}};

/* Two cases, the first of which counts, and two requests. */
static void fill(pass *p, double first_ttft_ms, double second_ttft_ms)
{
    *p = (pass){
        .cases = {{.id = pp_text_of("a"),
                   .prompt = pp_text_of("?"),
                   .accepted = accepted,
                   .accepted_count = 2,
                   .response = pp_text_of("YES"),
                   .matched = true,
                   .matched_answer = accepted[0]},
                  {.id = pp_text_of("b"),
                   .prompt = pp_text_of("??"),
                   .accepted = accepted,
                   .accepted_count = 2,
                   .response = pp_text_of("NO")}},
        .samples = {{first_ttft_ms, 100 + first_ttft_ms, 3, 8, pp_text_of("x")},
                    {second_ttft_ms, 100 + second_ttft_ms, 3, 8, pp_text_of("y")}},
        .e = {.candidate_id = pp_text_of("lamp"),
              .suite_id = pp_text_of("s"),
              .suite_license = pp_text_of("l"),
              .suite_sha256 = "00",
              .repetitions = 2,
              .warmups = 1,
              .generation_tokens = 8,
              .case_count = 2,
              .sample_count = 2,
              .passed_count = 1,
              .score = 0.5},
    };
    p->e.cases = p->cases;
    p->e.samples = p->samples;
}

static pp_status pool(pp_arena *arena, const pass *passes, size_t count,
                      pp_server_evaluation *ret_pooled, pp_error *err)
{
    pp_server_evaluation e[3];

    for (size_t i = 0; i < count; i++)
        e[i] = passes[i].e;
    return pp_evaluation_pool(arena, e, names, count, ret_pooled, err);
}

/* The worked example: 10, 20 and 30, 40 ms have the median 25 and, at n = 4, the maximum as p95. */
static void percentiles_are_those_of_all_samples(void **state)
{
    pp_arena arena = {0};
    pp_error err = {0};
    pp_server_evaluation pooled;
    pass passes[2];

    (void)state;
    fill(&passes[0], 10, 20);
    fill(&passes[1], 30, 40);
    assert_ok(pool(&arena, passes, 2, &pooled, &err), err);
    assert_true(pooled.ttft_ms_p50 == 25);
    assert_true(pooled.ttft_ms_p95 == 40);
    assert_true(pooled.e2e_latency_ms_p50 == 125);
    assert_true(pooled.e2e_latency_ms_p95 == 140);
    assert_int_equal(pooled.repetitions, 4);
    assert_int_equal(pooled.warmups, 2);
    assert_int_equal(pooled.sample_count, 4);
    assert_true(pooled.samples[2].ttft_ms == 30);
    assert_int_equal(pooled.passed_count, 1);
    pp_arena_done(&arena);
}

static void every_flip_is_named_with_what_each_pass_gave(void **state)
{
    pp_arena arena = {0};
    pp_error err = {0};
    pp_server_evaluation pooled;
    pass passes[3];

    (void)state;
    for (size_t i = 0; i < 3; i++)
        fill(&passes[i], 10, 20);
    passes[1].cases[0].matched_answer = accepted[1]; /* counts, but by another answer */
    passes[2].cases[1].response = pp_text_of("\x1b[31mYES");
    passes[2].cases[1].matched = true;
    passes[2].cases[1].matched_answer = accepted[0];
    passes[0].cases[1].response = pp_text_of("\x1b[31m");
    assert_int_equal(pool(&arena, passes, 3, &pooled, &err), PP_ERR_DOMAIN);
    assert_string_equal(err.text,
                        "pooling evaluations: 2 cases do not come out alike in every pass: "
                        "\"a\" (a.json: matched \"YES\", b.json: matched \"yes\", c.json: matched "
                        "\"YES\"); \"b\" (a.json: no match in \"\\u001b[31m\", b.json: no match in "
                        "\"NO\", c.json: matched \"YES\")");
    pp_arena_done(&arena);
}

/* Answers that differ and count alike are no flip. */
static void another_wording_is_no_flip(void **state)
{
    pp_arena arena = {0};
    pp_error err = {0};
    pp_server_evaluation pooled;
    pass passes[2];

    (void)state;
    fill(&passes[0], 10, 20);
    fill(&passes[1], 10, 20);
    passes[1].cases[0].response = pp_text_of(" YES\n");
    passes[1].cases[1].response = pp_text_of("MAYBE");
    assert_ok(pool(&arena, passes, 2, &pooled, &err), err);
    assert_string_equal(pooled.cases[1].response.data, "NO"); /* the first pass's */
    pp_arena_done(&arena);
}

static void change_candidate(pass *p)
{
    p->e.candidate_id = pp_text_of("torch");
}

static void change_synthetic(pass *p)
{
    p->e.synthetic = true;
}

static void change_suite(pass *p)
{
    p->e.suite_sha256[0] = '1';
}

static void change_suite_id(pass *p)
{
    p->e.suite_id = pp_text_of("t");
}

static void change_license(pass *p)
{
    p->e.suite_license = pp_text_of("m");
}

static void change_repetitions(pass *p)
{
    p->e.repetitions = 3;
}

static void change_tokens(pass *p)
{
    p->e.generation_tokens = 9;
}

static void change_warmups(pass *p)
{
    p->e.warmups = 2;
}

static void lose_a_case(pass *p)
{
    p->e.case_count = 1;
}

static void change_prompt(pass *p)
{
    p->cases[1].prompt = pp_text_of("???");
}

static void change_mode(pass *p)
{
    p->cases[1].match_mode = PP_MATCH_JSON_EXACT;
}

static void change_answers(pass *p)
{
    p->cases[1].accepted_count = 1;
}

static void change_an_answer(pass *p)
{
    static pp_text others[] = {{"YES", 3}, {"yea", 3}};

    p->cases[1].accepted = others;
}

static void change_id(pass *p)
{
    p->cases[0].id = pp_text_of("A");
}

static void passes_that_differ_are_not_pooled(void **state)
{
    static const struct {
        void (*change)(pass *p);
        const char *says;
    } rows[] = {
        {change_candidate, "'a.json' and 'b.json' differ in $.candidate_id"},
        {change_synthetic, "differ in $.synthetic"},
        {change_suite, "differ in $.suite.sha256"},
        {change_suite_id, "differ in $.suite.id"},
        {change_license, "differ in $.suite.license"},
        {change_repetitions, "differ in $.suite.performance_repetitions"},
        {change_tokens, "differ in $.suite.generation_tokens"},
        {change_warmups, "differ in $.suite.performance_warmups"},
        {lose_a_case, "differ in $.suite.quality_case_count"},
        {change_prompt, "differ in $.quality.cases[1].prompt"},
        {change_mode, "differ in $.quality.cases[1].match_mode"},
        {change_answers, "differ in $.quality.cases[1].accepted_answers"},
        {change_an_answer, "differ in $.quality.cases[1].accepted_answers"},
        {change_id, "differ in $.quality.cases[0].id"},
    };

    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(rows); i++) {
        pp_arena arena = {0};
        pp_error err = {0};
        pp_server_evaluation pooled;
        pass passes[2];

        fill(&passes[0], 10, 20);
        fill(&passes[1], 10, 20);
        rows[i].change(&passes[1]);
        assert_int_equal(pool(&arena, passes, 2, &pooled, &err), PP_ERR_DOMAIN);
        assert_contains(err.text, rows[i].says);
        pp_arena_done(&arena);
    }
}

static void one_pass_and_too_many_requests_are_not_pooled(void **state)
{
    pp_arena arena = {0};
    pp_error err = {0};
    pp_error other = {0};
    pp_server_evaluation pooled;
    pass passes[2];

    (void)state;
    fill(&passes[0], 10, 20);
    fill(&passes[1], 10, 20);
    assert_int_equal(pool(&arena, passes, 1, &pooled, &err), PP_ERR_DOMAIN);
    assert_contains(err.text, "expected 2 to 8 evaluations, got 1");
    passes[0].e.repetitions = passes[1].e.repetitions = 300;
    assert_int_equal(pool(&arena, passes, 2, &pooled, &other), PP_ERR_DOMAIN);
    assert_contains(other.text, "expected at most 400 measured requests in all, got 2 times 300");
    pp_arena_done(&arena);
}

/* ---- missing memory ---------------------------------------------------------------------------
 */

static pp_status build_and_pool(const void *context, pp_error *err)
{
    const built *b = context;
    pp_arena arena = {0};
    pp_server_evaluation e[2];
    pp_server_evaluation pooled;
    pp_status st = pp_evaluation_build(&arena, &b->source, &e[0], err);

    e[1] = e[0];
    if (st == PP_OK)
        st = pp_evaluation_pool(&arena, e, names, 2, &pooled, err);
    pp_arena_done(&arena);
    return st;
}

static void missing_memory_is_said(void **state)
{
    pp_arena arena = {0};
    built b;

    (void)state;
    take_parts(&arena, &b);
    assert_true(check_missing_memory(build_and_pool, &b) > 0);
    pp_arena_done(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_give_the_document_that_another_program_wrote),
        cmocka_unit_test(what_was_not_measured_is_synthetic),
        cmocka_unit_test(parts_that_make_no_evaluation_are_refused),
        cmocka_unit_test(percentiles_are_those_of_all_samples),
        cmocka_unit_test(every_flip_is_named_with_what_each_pass_gave),
        cmocka_unit_test(another_wording_is_no_flip),
        cmocka_unit_test(passes_that_differ_are_not_pooled),
        cmocka_unit_test(one_pass_and_too_many_requests_are_not_pooled),
        cmocka_unit_test(missing_memory_is_said),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
