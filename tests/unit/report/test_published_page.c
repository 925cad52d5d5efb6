/* The page of the study that the original published, against the figures that its own page prints:
 * "published/study.json" and "published/load-sweep.json", read in place. */
#include "shared.h"

#include <math.h>
#include <string.h>

#include "capacity/load_evaluate.h"
#include "markup.h"
#include "published_load.h"
#include "published_study.h"
#include "report/html.h"

#define find published_load_find

typedef struct scene {
    published_load load;
    pp_combined_load_evaluation combined;
    const pp_json *figures; /* study.json */
    pp_benchmark_set set;
    pp_constraints constraints;
    pp_decision decision;
    pp_policy_set policies;
    pp_profiles profiles;
    pp_stability stability;
    pp_report_input input;
    pp_buf page, markdown;
    size_t compared;
} scene;

/* ---- the inputs ------------------------------------------------------------------------------ */

static double number_of(const pp_json *object, const char *key)
{
    double value;
    pp_error err = {0};

    assert_ok(pp_json_get_number(find(object, key), &value, &err), err);
    return value;
}

/* A score is a number of 24ths, whatever was printed of it. */
static pp_metric metric_of(const pp_json *row, const pp_json *values)
{
    pp_text name = find(row, "metric")->text;
    double value = number_of(values, "candidate_value");

    return (pp_metric){name,
                       pp_text_is(name, "quality_score") ? round(value * 24.0) / 24.0 : value};
}

/* A pass as far as its printed figures go: four decimals. */
static pp_benchmark_set pass_of(scene *s, size_t pass)
{
    pp_arena *arena = &s->load.arena;
    const pp_json *rows = find(find(s->figures, "repeat_stability"), "rows");
    pp_benchmark_set set = s->set;
    pp_error err = {0};

    set.candidates = PP_ARENA_NEW(arena, pp_candidate, set.candidate_count);
    for (size_t i = 0; i < set.candidate_count; i++) {
        pp_candidate *c = &set.candidates[i];

        *c = s->set.candidates[i];
        c->metrics = PP_ARENA_NEW(arena, pp_metric, rows->array.count);
        c->metric_count = 0;
        for (size_t j = 0; j < rows->array.count; j++) {
            const pp_json *row = rows->array.items[j];
            const pp_json *values = find(row, "pass_values")->array.items[pass];

            if (pp_text_equal(find(row, "candidate_id")->text, c->id))
                c->metrics[c->metric_count++] = metric_of(row, values);
        }
    }
    assert_ok(pp_benchmark_set_finish(arena, &set, &err), err);
    return set;
}

static void build_stability(scene *s)
{
    static const pp_direction min = PP_DIRECTION_MIN;
    static const pp_direction max = PP_DIRECTION_MAX;
    pp_benchmark_set first = pass_of(s, 0);
    pp_benchmark_set second = pass_of(s, 1);
    const pp_stability_pass passes[] = {{pp_text_of("pass-1"), &first, NULL},
                                        {pp_text_of("pass-2"), &second, NULL}};
    const pp_goal goals[] = {
        {pp_text_of("e2e_latency_ms_p95"), min}, {pp_text_of("generation_tps"), max},
        {pp_text_of("peak_rss_mib"), min},       {pp_text_of("prompt_tps"), max},
        {pp_text_of("quality_score"), max},      {pp_text_of("ttft_ms_p95"), min},
    };
    pp_error err = {0};

    assert_ok(pp_stability_make(&s->load.arena, passes, 2, goals, PP_COUNT_OF(goals), &s->stability,
                                &err),
              err);
}

static void decide(scene *s)
{
    pp_arena *arena = &s->load.arena;
    const char *policies = shared_path_or_skip(arena, "original/configs/policies.arm64.json");
    char hex[PP_SHA256_HEX_SIZE];
    pp_error err = {0};

    assert_ok(pp_json_read_file(arena, shared_path_or_skip(arena, "published/study.json"), NULL,
                                &s->figures, &err),
              err);
    assert_ok(pp_benchmark_set_load(arena, fixture_path(arena, "published/benchmark-set.json"),
                                    &s->set, hex, &err),
              err);
    assert_ok(pp_constraints_load(arena, fixture_path(arena, "published/constraints.json"),
                                  &s->constraints, hex, &err),
              err);
    assert_ok(pp_decide(arena, &s->set, &s->constraints, &s->decision, &err), err);
    assert_ok(pp_policy_set_load(arena, policies, &s->policies, hex, &err), err);
    assert_ok(pp_profiles_decide(arena, &s->set, &s->constraints, &s->policies, &s->profiles, &err),
              err);
}

static void build(scene *s)
{
    pp_error err = {0};

    *s = (scene){0};
    published_load_build(&s->load);
    assert_ok(pp_load_evaluations_combine(&s->load.arena, s->load.evaluations, s->load.count,
                                          &s->combined, &err),
              err);
    decide(s);
    build_stability(s);
    s->input = (pp_report_input){
        .set = &s->set,
        .constraints = &s->constraints,
        .decision = &s->decision,
        .tool_version = "9.9.9",
        .extras = {.profiles = &s->profiles, .load = &s->combined, .stability = &s->stability},
    };
    pp_buf_init(&s->page, PP_REPORT_MAX_BYTES);
    pp_buf_init(&s->markdown, PP_REPORT_MAX_BYTES);
    assert_ok(pp_report_html(&s->load.arena, &s->input, &s->page, &err), err);
    assert_ok(pp_report_markdown(&s->load.arena, &s->input, &s->markdown, &err), err);
}

static void done(scene *s)
{
    pp_buf_done(&s->page);
    pp_buf_done(&s->markdown);
    pp_arena_done(&s->load.arena);
}

/* ---- looking into the page ------------------------------------------------------------------- */

/* In place; units stand behind such a space. */
static char *with_plain_spaces(char *text)
{
    static const char entity[] = "&nbsp;";
    char *at;

    for (at = text; (at = strstr(at, entity)) != NULL; at++) {
        *at = ' ';
        memmove(at + 1, at + sizeof entity - 1, strlen(at + sizeof entity - 1) + 1);
    }
    return text;
}

/* What stands from `begin` to the next `end`, with plain spaces; fails when it is not there. */
static char *part_of(scene *s, const char *text, const char *begin, const char *end)
{
    const char *from = strstr(text, begin);
    const char *to = from == NULL ? NULL : strstr(from, end);

    if (to == NULL)
        fail_msg("the page has no '%s' before '%s'", begin, end);
    return with_plain_spaces(pp_arena_printf(&s->load.arena, "%.*s", (int)(to - from), from));
}

static char *section_of(scene *s, const char *id)
{
    const char *begin = pp_arena_printf(&s->load.arena, "<h2 id=\"%s\"", id);

    return part_of(s, pp_buf_text(&s->page), begin, "</section>");
}

/* "28.10% higher" of their page reads "28.10 % higher" here. */
static const char *ours(scene *s, pp_text printed)
{
    char *text = pp_arena_alloc(&s->load.arena, 2 * printed.size + 1, 1);
    size_t size = 0;
    bool has_zero = pp_text_is(printed, "+0.00%"); /* of equal values; ours has no sign there */

    for (size_t i = has_zero; i < printed.size; i++) {
        if (printed.data[i] == '%')
            text[size++] = ' ';
        text[size++] = printed.data[i];
    }
    text[size] = '\0';
    return text;
}

static void expect(scene *s, const char *part, const char *what, pp_text printed)
{
    const char *wanted = ours(s, printed);

    if (strstr(part, wanted) == NULL)
        fail_msg("%s: '%s' is not in: %.900s", what, wanted, part);
    s->compared++;
}

/* ---- section by section ---------------------------------------------------------------------- */

static void compare_candidates(scene *s)
{
    const pp_json *candidates = find(s->figures, "candidates");
    char *section = section_of(s, "comparison");

    for (size_t i = 0; i < candidates->array.count; i++) {
        const pp_json *c = candidates->array.items[i];
        const pp_json *printed = find(c, "metrics_printed");
        const char *id = find(c, "id")->text.data;
        char *row =
            part_of(s, section, pp_arena_printf(&s->load.arena, ">%s</code></th>", id), "</tr>");

        for (size_t j = 0; j < printed->object.count; j++)
            expect(s, row, id, printed->object.members[j].value->text);
    }
}

static const char *label_of(scene *s, pp_text id)
{
    return s->set.candidates[pp_benchmark_set_find(&s->set, id)].label.data;
}

static void compare_load(scene *s)
{
    const pp_json *levels = find(s->load.figures, "levels");
    char *table =
        part_of(s, section_of(s, "load"), "Every level of every candidate</caption>", "</table>");

    for (size_t i = 0; i < levels->array.count; i++) {
        const pp_json *level = levels->array.items[i];
        const pp_json *printed = find(level, "printed");
        const char *head = pp_arena_printf(&s->load.arena, "%s</bdi></th><td class=\"num\">%d</td>",
                                           label_of(s, find(level, "candidate_id")->text),
                                           (int)find(level, "concurrency")->integer);
        char *row = part_of(s, table, head, "</tr>");

        for (size_t j = 0; j < printed->object.count; j++) {
            if (!pp_text_is(printed->object.members[j].key, "slo_status"))
                expect(s, row, head, printed->object.members[j].value->text);
        }
        assert_int_equal(pp_text_is(find(printed, "slo_status")->text, "Met"),
                         strstr(row, ">Met<") != NULL);
    }
}

static void compare_ladder(scene *s)
{
    const pp_json *ladder = find(s->figures, "ladder_printed");
    char *section = section_of(s, "steps");

    for (size_t i = 0; i < ladder->array.count; i++) {
        const pp_json *stage = ladder->array.items[i];
        const pp_json *changes = find(stage, "changes");
        const char *id = find(stage, "id")->text.data;
        char *row = part_of(s, section, pp_arena_printf(&s->load.arena, "<code>%s</code></th>", id),
                            "</tr>");

        for (size_t j = 0; j < changes->array.count; j++) {
            const pp_json *change = changes->array.items[j];
            bool better = pp_text_is(change->array.items[2]->text, "improvement");
            const char *words = pp_arena_printf(
                &s->load.arena, "%s <span class=\"effect %s", ours(s, change->array.items[1]->text),
                better ? "improved\">Better" : "regressed\">Tradeoff");

            expect(s, row, id, change->array.items[1]->text);
            if (strstr(row, words) == NULL)
                fail_msg("%s: '%s' is not in: %s", id, words, row);
        }
    }
}

static void compare_tradeoffs(scene *s)
{
    const pp_json *rows = find(s->figures, "tradeoffs_printed");
    char *section = section_of(s, "tradeoffs");

    for (size_t i = 0; i < rows->array.count; i++) {
        static const char *const keys[] = {"baseline", "alternative", "delta", "effect"};
        const pp_json *printed = rows->array.items[i];
        char *row = part_of(s, section,
                            pp_arena_printf(&s->load.arena, "<td class=\"num\">%s</td>",
                                            find(printed, "baseline")->text.data),
                            "</tr>");

        for (size_t j = 0; j < PP_COUNT_OF(keys); j++)
            expect(s, row, find(printed, "metric")->text.data, find(printed, keys[j])->text);
    }
}

static void compare_decision(scene *s)
{
    const pp_json *decision = find(s->figures, "decision");
    char *section = section_of(s, "rule");

    expect(s, section, "best", find(decision, "numeric_best_printed")->text);
    expect(s, section, "cutoff", find(decision, "cutoff_printed")->array.items[1]->text);
    assert_contains(section, "misses it by 45.2021 ms"); /* printed rounded, "45.2 ms" */
    assert_contains(section, "inside by 22.3193 ms");    /* printed "22.3 ms" */
    assert_contains(section_of(s, "brief"),
                    label_of(s, find(decision, "resource_alternative_id")->text));
}

/* Values of four decimals went in: what follows from them agrees to the printed two. */
static void compare_passes(scene *s)
{
    const pp_json *rows = find(find(s->figures, "repeat_stability"), "rows");
    char *section = section_of(s, "repeatability");
    const char *at = section;

    for (size_t i = 0; i < rows->array.count; i++) {
        const pp_json *row = rows->array.items[i];
        const pp_json *values = find(row, "pass_values");
        const char *head = pp_arena_printf(&s->load.arena, "%s</bdi></th><td>",
                                           label_of(s, find(row, "candidate_id")->text));
        char *ours_row = part_of(s, at, head, "</tr>");

        for (size_t j = 0; j < values->array.count; j++)
            expect(s, ours_row, head, find(values->array.items[j], "relative_delta_printed")->text);
        if (!pp_text_is(find(row, "relative_spread_printed")->text, "0.00%"))
            expect(s, ours_row, head, find(row, "relative_spread_printed")->text);
        /* else, unless nothing differs: ours never shows a zero for what is none */
        expect(s, ours_row, head, find(row, "consistency")->text);
        at = strstr(strstr(at, head), "</tr>"); /* rows of a candidate follow one another */
        if (i % 6 == 5)
            at = section;
    }
}

static void compare_profiles(scene *s)
{
    const pp_json *policies = find(s->figures, "policies");

    for (size_t i = 0; i < policies->array.count; i++) {
        char *panel = part_of(s, section_of(s, "priorities"),
                              pp_arena_printf(&s->load.arena, "<div class=\"panel panel-%zu\">", i),
                              "</table>");

        expect(s, panel, "profile", find(policies->array.items[i], "selected_id")->text);
    }
}

static void the_page_shows_what_the_published_page_prints(void **state)
{
    scene s;

    (void)state;
    build(&s);
    if (markup_fault(s.page.data, s.page.size) != NULL)
        fail_msg("%s", markup_fault(s.page.data, s.page.size));
    compare_candidates(&s);
    compare_load(&s);
    compare_ladder(&s);
    compare_tradeoffs(&s);
    compare_decision(&s);
    compare_passes(&s);
    compare_profiles(&s);
    print_message("# %zu printed figures compared, the page is %zu bytes\n", s.compared,
                  s.page.size);
    assert_true(s.compared >= 120);
    assert_true(s.page.size <= 400 * 1000);
    done(&s);
}

/* The crossover is no figure of their page: 1/102.6185 - 1/131.4565 and 1/35.0959 - 1/38.72645. */
static void the_page_shows_the_crossover(void **state)
{
    scene s;
    char *section;

    (void)state;
    build(&s);
    section = section_of(&s, "crossover");
    assert_contains(section, "saves 2.1378 ms on each prompt token");
    assert_contains(section, "loses 2.6712 ms on each output token");
    assert_contains(section, "output tokens &lt; 0.800 &middot; prompt tokens");
    done(&s);
}

static void every_sample_and_both_commands_are_there(void **state)
{
    scene s;
    char *section;
    size_t samples = 0;

    (void)state;
    build(&s);
    section = section_of(&s, "load");
    for (const char *at = strstr(section, "<td>completed</td>"); at != NULL;
         at = strstr(at + 1, "<td>completed</td>"))
        samples++;
    assert_int_equal(samples, 96);
    for (size_t i = 0; i < s.combined.count; i++) {
        const pp_server_configuration *server = &s.combined.candidates[i].binding.server;

        assert_contains(section, server->load.command_sha256);
        assert_contains(section, server->canonical.command_sha256);
    }
    assert_contains(section, "<td>the same</td>");
    done(&s);
}

/* One page in two forms: what is printed there stands in the Markdown as well. */
static void the_markdown_says_the_same(void **state)
{
    static const char *const wanted[] = {
        "## 00 Configurations step by step",
        "| 2 | Q4 generic quantization q4-generic | quantization |",
        "## 04 Behaviour under load",
        "| Q4 with KleidiAI | 4 | 8 | 0 | 100.00 % | 0.00 % | 15.568 s | 0.5139 req/s | 32.8879 "
        "tok/s | 5,945.6177 ms | 6,008.9782 ms | 7,745.128 ms | 7,807.2995 ms | not measured |",
        "| Prompt speed | 102.6185 tok/s | 131.4565 tok/s | 28.10 % higher | Changed |",
        "    paretopilot verify BUNDLE",
    };
    scene s;

    (void)state;
    build(&s);
    for (size_t i = 0; i < PP_COUNT_OF(wanted); i++)
        assert_contains(pp_buf_text(&s.markdown), wanted[i]);
    assert_true(strstr(pp_buf_text(&s.markdown), "<svg") == NULL);
    done(&s);
}

/* A page is made from documents; only `verify` looks at what they follow from. */
static void the_page_says_that_nothing_was_verified_and_how_to(void **state)
{
    static const char *const wanted[] = {"<strong>Not verified.</strong>",
                                         "<code>paretopilot verify BUNDLE</code>"};
    scene s;

    (void)state;
    build(&s);
    assert_contains(section_of(&s, "brief"), "not verified");
    for (size_t i = 0; i < PP_COUNT_OF(wanted); i++)
        assert_contains(section_of(&s, "verification"), wanted[i]);
    assert_true(strstr(pp_buf_text(&s.page), "Verified") == NULL);
    done(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_page_shows_what_the_published_page_prints),
        cmocka_unit_test(the_page_shows_the_crossover),
        cmocka_unit_test(every_sample_and_both_commands_are_there),
        cmocka_unit_test(the_markdown_says_the_same),
        cmocka_unit_test(the_page_says_that_nothing_was_verified_and_how_to),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
