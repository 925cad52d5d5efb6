#include "shared.h"

#include <string.h>

#include "markup.h"
#include "report/html.h"

#define VERSION "9.9.9"

/* The page of two documents; the caller ends the buffer. */
static void make_page(pp_arena *arena, const pp_benchmark_set *set, const char *constraints_path,
                      pp_buf *page)
{
    pp_error err = {0};
    pp_constraints constraints;
    pp_decision decision;
    char sha256[PP_SHA256_HEX_SIZE];
    pp_report_input input = {.set = set, .constraints = &constraints, .decision = &decision};

    input.tool_version = VERSION;
    assert_ok(pp_constraints_load(arena, constraints_path, &constraints, sha256, &err), err);
    assert_ok(pp_decide(arena, set, &constraints, &decision, &err), err);
    pp_buf_init(page, PP_REPORT_MAX_BYTES);
    assert_ok(pp_report_html(arena, &input, page, &err), err);
}

static void make_page_of(pp_arena *arena, const char *set_path, const char *constraints_path,
                         pp_buf *page)
{
    pp_error err = {0};
    pp_benchmark_set set;
    char sha256[PP_SHA256_HEX_SIZE];

    assert_ok(pp_benchmark_set_load(arena, set_path, &set, sha256, &err), err);
    make_page(arena, &set, constraints_path, page);
}

static void assert_harmless(const pp_buf *page)
{
    static const char *const refused[] = {"<script", "http://", "https://", "@import", "url(h"};
    const char *fault = markup_fault(page->data, page->size);

    if (fault != NULL)
        fail_msg("not well formed: %s", fault);
    for (size_t i = 0; i < PP_COUNT_OF(refused); i++) {
        if (strstr(pp_buf_text(page), refused[i]) != NULL)
            fail_msg("the page holds '%s'", refused[i]);
    }
}

static void every_page_is_well_formed_and_the_same_twice(void **state)
{
    static const char *const rows[][2] = {
        {"report/full-set.json", "report/full-constraints.json"},
        {"report/full-set.json", "report/none-constraints.json"},
        {"report/one-set.json", "report/one-constraints.json"},
        {"report/hostile-set.json", "report/hostile-constraints.json"},
    };

    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(rows); i++) {
        pp_arena arena = {0};
        pp_buf first, second;

        make_page_of(&arena, fixture_path(&arena, rows[i][0]), fixture_path(&arena, rows[i][1]),
                     &first);
        make_page_of(&arena, fixture_path(&arena, rows[i][0]), fixture_path(&arena, rows[i][1]),
                     &second);
        assert_harmless(&first);
        assert_int_equal(first.size, second.size);
        assert_memory_equal(first.data, second.data, first.size);
        pp_buf_done(&first);
        pp_buf_done(&second);
        pp_arena_done(&arena);
    }
}

static void public_example_makes_a_page(void **state)
{
    pp_arena arena = {0};
    const char *set = shared_path_or_skip(&arena, "original/examples/synthetic-results.json");
    const char *limits = shared_path_or_skip(&arena, "original/configs/constraints.example.json");
    pp_buf page;

    (void)state;
    make_page_of(&arena, set, limits, &page);
    assert_harmless(&page);
    assert_contains(pp_buf_text(&page), "35.4&nbsp;tok/s");
    assert_contains(pp_buf_text(&page), "The baseline itself misses 1 limit");
    pp_buf_done(&page);
    pp_arena_done(&arena);
}

static void page_says_what_it_must(void **state)
{
    static const struct {
        const char *set;
        const char *constraints;
        const char *want;
    } rows[] = {
        {"full-set", "full-constraints", "Quality not judged."},
        {"full-set", "full-constraints", "1 of 36 runs disturbed."},
        {"full-set", "full-constraints", "reached 38.25&nbsp;% (limit 5&nbsp;%)"},
        {"full-set", "full-constraints", "simulated"},
        {"full-set", "full-constraints", "not measured"},
        /* 36 * 0.95 = 34.2, so rank 35 */
        {"full-set", "full-constraints", "sample 35 of 36, 1 lies above"},
        /* 38.1103 * 0.279 */
        {"full-set", "full-constraints", "10.63 GB/s"},
        {"full-set", "full-constraints", "Memory of the server by phase"},
        {"full-set", "full-constraints", "<td>after the warm-up</td><td class=\"num\">470.25</td>"},
        {"full-set", "full-constraints",
         "<td class=\"num\">940.25</td><td class=\"num\"><span class=\"absent\">not recorded</span>"
         "</td></tr>"},
        {"full-set", "full-constraints", "&#39;models/shape 0.5b-q4_0.gguf&#39;"},
        {"full-set", "none-constraints", "Nothing is eligible"},
        /* the walk through the decision */
        {"full-set", "full-constraints", "at least 36 requests for each candidate, fewer than"},
        {"full-set", "full-constraints", "<li><code>threads</code> 4 &rarr; 2</li>"},
        {"full-set", "full-constraints", "<td>selected, within tolerance</td>"},
        {"full-set", "full-constraints", "No alternative is named for figures that are not"},
        {"full-set", "full-constraints", "No policy set was given"},
        {"full-set", "full-constraints", "<code>paretopilot report SET --constraints C --load "},
        {"full-set", "full-constraints", "No stability document was given"},
        {"full-set", "full-constraints", "<code>paretopilot verify BUNDLE</code>"},
        {"full-set", "none-constraints", "Nothing is eligible, so there is no passport"},
        {"full-set", "none-constraints", "Nothing is eligible, so there is no alternative"},
        {"one-set", "one-constraints", "number of passes not recorded"},
        {"one-set", "one-constraints", "Keep the baseline"},
        {"one-set", "one-constraints", "There was no other candidate."},
        {"one-set", "one-constraints", "not recorded"},
        {"hostile-set", "hostile-constraints", "\\u202eevil\\u2066 label\\u0000"},
        {"hostile-set", "hostile-constraints", "origin of the figures: <strong>unknown"},
    };

    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(rows); i++) {
        pp_arena arena = {0};
        pp_buf page;

        make_page_of(
            &arena, fixture_path(&arena, pp_arena_printf(&arena, "report/%s.json", rows[i].set)),
            fixture_path(&arena, pp_arena_printf(&arena, "report/%s.json", rows[i].constraints)),
            &page);
        if (strstr(pp_buf_text(&page), rows[i].want) == NULL)
            fail_msg("%s: the page does not hold '%s'", rows[i].set, rows[i].want);
        pp_buf_done(&page);
        pp_arena_done(&arena);
    }
}

/* The page of the whole set, with this text before the first candidate's "request_count". */
static void make_page_with(pp_arena *arena, const char *members, pp_buf *page)
{
    const char *text =
        changed_text(arena, fixture_text(arena, "report/full-set.json"), "\"measurement\": {",
                     pp_arena_printf(arena, "\"measurement\": {%s", members));
    const pp_json *root = NULL;
    pp_benchmark_set set;
    pp_error err = {0};

    assert_ok(pp_json_parse(arena, "set", text, strlen(text), &root, &err), err);
    assert_ok(pp_benchmark_set_decode(arena, root, &set, &err), err);
    make_page(arena, &set, fixture_path(arena, "report/full-constraints.json"), page);
    assert_harmless(page);
}

static void client_and_server_that_contradict_each_other_are_named(void **state)
{
    pp_arena arena = {0};
    pp_buf page;

    (void)state;
    make_page_with(&arena,
                   "\"cross_checks\":{\"checked\":108,\"contradicted\":2,\"first\":\"measured "
                   "request 3: <script> 8 tokens\"},",
                   &page);
    assert_contains(pp_buf_text(&page),
                    ": what client and server say of a request contradicts each other in 2 of 108 "
                    "comparisons. The first: measured request 3: &lt;script&gt; 8 tokens.</p>");
    pp_buf_done(&page);
    make_page_with(&arena, "\"cross_checks\":{\"checked\":108,\"contradicted\":0,\"first\":null},",
                   &page);
    assert_true(strstr(pp_buf_text(&page), "contradicts each other") == NULL);
    pp_buf_done(&page);
    pp_arena_done(&arena);
}

static void three_hundred_candidates_fit(void **state)
{
    pp_arena arena = {0};
    pp_error err = {0};
    pp_benchmark_set set = {.candidate_count = 300, .synthetic = true};
    pp_buf page;

    (void)state;
    set.candidates = PP_ARENA_NEW(&arena, pp_candidate, set.candidate_count);
    for (size_t i = 0; i < set.candidate_count; i++) {
        pp_candidate *c = &set.candidates[i];

        c->id = pp_text_of(pp_arena_printf(&arena, "c%03zu", i));
        c->metrics = PP_ARENA_NEW(&arena, pp_metric, 1);
        c->metrics[0] = (pp_metric){pp_text_of("generation_tokens_per_second"), (double)(i + 1)};
        c->metric_count = 1;
    }
    set.baseline_id = set.candidates[7].id;
    assert_ok(pp_benchmark_set_finish(&arena, &set, &err), err);
    make_page(&arena, &set, fixture_path(&arena, "report/one-constraints.json"), &page);
    assert_contains(pp_buf_text(&page), "Nothing is eligible"); /* the limits need other metrics */
    assert_contains(pp_buf_text(&page), "of 300 candidates.");
    assert_harmless(&page);
    pp_buf_done(&page);
    pp_arena_done(&arena);
}

#define EVIL "<script>alert(1)</script>\x1b[31m\xe2\x80\xae\" onload=\"x"

/* Whatever stands in the documents beside the decision: it is shown, and acts in neither form. */
static void documents_beside_the_decision_are_escaped(void **state)
{
    pp_text evil = pp_text_of(EVIL);
    pp_text words[] = {evil, pp_text_of("--port")};
    pp_load_prompt prompt = {.text = evil};
    pp_load_sample samples[2] = {{.completed = true, .ttft_ms = {true, 5.0}, .e2e_latency_ms = 9.0},
                                 {.error = evil, .e2e_latency_ms = 3.0}};
    pp_load_evaluation e = {
        .candidate_id = evil,
        .method = {.prompts = &prompt, .prompt_count = 1, .level_count = 1, .levels = {1}},
        .rows = {{.concurrency = 1,
                  .samples = samples,
                  .sample_count = 2,
                  .slo_failures = {PP_LOAD_SLO_E2E},
                  .slo_failure_count = 1}},
        .is_bound = true,
        .binding = {.request_base_url = evil,
                    .server = {.load = {.argv = {words, 2}}, .canonical = {.argv = {words, 2}}}},
    };
    pp_combined_load_evaluation load = {&e, 1};
    pp_stability_value values[2] = {{.candidate = 1.0, .baseline = 2.0}};
    pp_stability_row row = {.values = values, .overall = PP_TREND_MIXED};
    pp_stability_candidate candidate = {.id = evil};
    pp_goal goal = {.metric = evil};
    pp_text labels[2] = {evil, evil};
    pp_stability stability = {.pass_labels = labels,
                              .pass_sha256 = labels,
                              .pass_count = 2,
                              .goals = &goal,
                              .goal_count = 1,
                              .candidates = &candidate,
                              .candidate_count = 1,
                              .rows = &row};
    pp_profile profile = {.id = evil, .label = evil, .description = evil, .objective = goal};
    pp_policy_set policies = {.profiles = &profile, .profile_count = 1};
    pp_profile_decision item = {.profile = &profile};
    pp_arena arena = {0};
    pp_error err = {0};
    pp_benchmark_set set;
    pp_constraints constraints;
    pp_decision decision;
    char hex[PP_SHA256_HEX_SIZE];
    pp_profiles profiles = {.set = &set, .policies = &policies, .items = &item, .count = 1};
    pp_report_input input = {
        .set = &set,
        .constraints = &constraints,
        .decision = &decision,
        .tool_version = VERSION,
        .extras = {.profiles = &profiles, .load = &load, .stability = &stability},
    };
    pp_buf page, markdown;

    (void)state;
    assert_ok(pp_benchmark_set_load(&arena, fixture_path(&arena, "report/hostile-set.json"), &set,
                                    hex, &err),
              err);
    assert_ok(pp_constraints_load(&arena, fixture_path(&arena, "report/hostile-constraints.json"),
                                  &constraints, hex, &err),
              err);
    assert_ok(pp_decide(&arena, &set, &constraints, &decision, &err), err);
    item.decision = decision;
    item.constraints = &constraints;
    pp_buf_init(&page, PP_REPORT_MAX_BYTES);
    pp_buf_init(&markdown, PP_REPORT_MAX_BYTES);
    assert_ok(pp_report_html(&arena, &input, &page, &err), err);
    assert_ok(pp_report_markdown(&arena, &input, &markdown, &err), err);
    assert_harmless(&page);
    assert_contains(pp_buf_text(&page), "&lt;script&gt;alert(1)&lt;/script&gt;\\u001b[31m\\u202e");
    assert_contains(pp_buf_text(&page), "Missed: end to end too long");
    assert_true(strstr(pp_buf_text(&markdown), "\n| <") == NULL);
    for (size_t i = 0; i < markdown.size; i++)
        assert_true(markdown.data[i] == '\n' || (unsigned char)markdown.data[i] >= 0x20);
    pp_buf_done(&page);
    pp_buf_done(&markdown);
    pp_arena_done(&arena);
}

/* Every one on the frontier, with parameters: tables name some, and say so. */
static void five_thousand_candidates_stay_small(void **state)
{
    static const char parameters[] =
        "{\"configuration\":{\"threads\":4,\"batch_size\":512,\"flash_attention\":\"on\"},"
        "\"model\":{\"filename\":\"some-model-of-a-usual-length-q4_0.gguf\",\"size_bytes\":1000000}"
        ","
        "\"measurement\":{\"request_count\":36,\"throughput_sample_count\":15}}";
    pp_arena arena = {0};
    pp_error err = {0};
    pp_benchmark_set set = {.candidate_count = 5000, .synthetic = true};
    const pp_json *free_content;
    pp_buf page;

    (void)state;
    assert_ok(
        pp_json_parse(&arena, "parameters", parameters, sizeof parameters - 1, &free_content, &err),
        err);
    set.candidates = PP_ARENA_NEW(&arena, pp_candidate, set.candidate_count);
    for (size_t i = 0; i < set.candidate_count; i++) {
        pp_candidate *c = &set.candidates[i];
        double x = (double)i;

        c->id = pp_text_of(pp_arena_printf(&arena, "c%04zu", i));
        c->parameters = free_content;
        c->metrics = PP_ARENA_NEW(&arena, pp_metric, 3);
        c->metrics[0] = (pp_metric){pp_text_of("e2e_latency_ms_p95"), 1000.0 + x / 10.0};
        c->metrics[1] = (pp_metric){pp_text_of("generation_tokens_per_second"), 10.0 + x / 100.0};
        c->metrics[2] = (pp_metric){pp_text_of("peak_rss_mib"), 100.0 + x / 10.0};
        c->metric_count = 3;
    }
    set.baseline_id = set.candidates[2500].id;
    assert_ok(pp_benchmark_set_finish(&arena, &set, &err), err);
    make_page(&arena, &set, fixture_path(&arena, "report/many-constraints.json"), &page);
    assert_contains(pp_buf_text(&page), "Shown are 400 of 5,000 candidates");
    assert_contains(pp_buf_text(&page), ">c4999<"); /* the best */
    assert_contains(pp_buf_text(&page), ">c2500<"); /* the baseline */
    assert_true(strstr(pp_buf_text(&page), ">c0001<") == NULL);
    assert_true(page.size <= (size_t)20 * 1000 * 1000);
    assert_harmless(&page);
    print_message("# the page is %zu bytes\n", page.size);
    pp_buf_done(&page);
    pp_arena_done(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_page_is_well_formed_and_the_same_twice),
        cmocka_unit_test(public_example_makes_a_page),
        cmocka_unit_test(page_says_what_it_must),
        cmocka_unit_test(client_and_server_that_contradict_each_other_are_named),
        cmocka_unit_test(three_hundred_candidates_fit),
        cmocka_unit_test(documents_beside_the_decision_are_escaped),
        cmocka_unit_test(five_thousand_candidates_stay_small),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
