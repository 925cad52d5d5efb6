/* What people see of a run whose figures are known. */
#include <stdlib.h>
#include <string.h>

#include "cli/load_notes.h"
#include "cli/load_table.h"
#include "cli/table.h"
#include "load_maker.h"
#include "shared.h"

typedef struct fixture {
    pp_arena arena;
    pp_load_report report;
    pp_load_report_level levels[3];
    pp_slo slos[2];
    pp_sample samples[200];
    size_t n;
} fixture;

/* In step, 2 s each, first text after 0.25 s. */
static void add_level(fixture *f, int64_t clients, int64_t requests)
{
    pp_load_report_level *level = &f->levels[f->report.level_count];

    level->asked = make_closed(clients, requests);
    level->asked.number = (int64_t)++f->report.level_count;
    for (int64_t i = 0; i < requests; i++) {
        f->samples[f->n] =
            make_sample(&f->arena, i + 1, i / clients * 2 * S, 0, 250 * MS, 2 * S, 8);
        f->samples[f->n++].id.level.value = level->asked.number;
    }
    level->observed = make_observed(&level->asked, requests / clients * 2 * S);
}

static void summarise(fixture *f)
{
    pp_error err = {0};

    for (size_t i = 0; i < f->report.level_count; i++)
        assert_ok(pp_load_summarise(&f->arena, &f->levels[i].asked, &f->levels[i].observed,
                                    f->samples, f->n, &f->report.rules, &f->levels[i].summary,
                                    &err),
                  err);
}

static void make_fixture(fixture *f)
{
    static const char *const texts[] = {"ttft.p95<=1s", "error-rate<=5%"};
    pp_error err = {0};

    memset(f, 0, sizeof *f);
    f->report.rules = pp_load_rules_default();
    for (size_t i = 0; i < 2; i++)
        assert_ok(pp_slo_parse(&f->arena, pp_text_of(texts[i]), &f->slos[i], &err), err);
    f->report.rules.slos = f->slos;
    f->report.rules.slo_count = 2;
    f->report.levels = f->levels;
    add_level(f, 1, 8);
    add_level(f, 2, 60);
    add_level(f, 4, 100);
    for (size_t i = f->n - 65; i < f->n; i++)
        fail_sample(&f->samples[i], PP_FAILURE_RESET, 2 * S);
}

/* The text, checked to be no wider than a terminal. */
static char *printed(fixture *f)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    pp_error err = {0};

    assert_non_null(out);
    assert_ok(pp_load_table_print(&f->arena, &f->report, "such as this one", out, &err), err);
    assert_int_equal(fclose(out), 0);
    for (const char *line = text; *line != '\0'; line += strcspn(line, "\n") + 1) {
        size_t columns = strcspn(line, "\n");

        if (columns > PP_TERMINAL_COLUMNS)
            fail_msg("%zu columns: %.*s", columns, (int)columns, line);
    }
    return text;
}

static void the_table_is_what_it_says(void **state)
{
    /* 8 requests of 2 s by one client: 0.5/s, 8 tokens each, 1.75 s for the last seven */
    static const char head[] =
        "clients                                 TTFT    TTFT     E2E    TPOT\n"
        "or rate  ok    failed   req/s  tok/s     p50     p95     p95     p50  verdict\n"
        "      1   8         0     0.5      4   250ms  250ms*     2s*   250ms  undecided\n"
        "      2  60         0       1      8   250ms   250ms      2s   250ms  pass\n";
    fixture f;
    char *text;

    (void)state;
    make_fixture(&f);
    summarise(&f);
    text = printed(&f);
    if (strncmp(text, head, strlen(head)) != 0)
        fail_msg("got:\n%s", text);
    assert_contains(text, "65 (65%)");
    assert_contains(text, "failed    4 clients: 65 reset\n          such as this one\n");
    assert_contains(text, "*         the largest: so few requests");
    assert_contains(text, "demand    ttft.p95<=1s, at 95 % confidence\n1 client  undecided: 0 of 8 "
                          "over (0 %); 59 requests would "
                          "decide if none is over\n");
    assert_contains(text, "2 clients pass: 0 of 60 over (0 %)");
    assert_contains(text, "4 clients fail: 65 of 100 over (65 %)");
    assert_contains(text, "4 clients fail: 65 % of 100");
    assert_contains(text, "saturated first to gain under 10 % on the level before it: ");
    assert_contains(text, "knee of the fitted curve: cannot tell (too-few-levels)");
    free(text);
    pp_arena_done(&f.arena);
}

static void doubts_and_searches_are_shown(void **state)
{
    pp_find_options options = pp_find_options_default(true);
    fixture f;
    char *text;

    (void)state;
    make_fixture(&f);
    f.report.find = &options;
    f.levels[0].observed.stall_ns_max = 2 * S;
    summarise(&f);
    text = printed(&f);
    assert_contains(text, "not valid");
    assert_contains(text, "not valid 1 client: this program was stopped or starved (stalled)");
    assert_contains(
        text,
        "search    highest that passed: 2 clients; lowest that failed: 4 clients; undecided: 1\n");
    free(text);
    pp_arena_done(&f.arena);
}

static void each_doubt_and_note_has_a_sentence(void **state)
{
    fixture f;
    char *text;

    (void)state;
    make_fixture(&f);
    summarise(&f);
    f.levels[0].summary.doubts = (1u << PP_DOUBT_COUNT) - 1;
    f.levels[0].summary.notes = (1u << PP_NOTE_COUNT) - 1;
    text = printed(&f);
    assert_null(strstr(text, "(null)"));
    assert_contains(
        text, ": the server still worked on something else when the level began (polluted)\n");
    assert_contains(text, ": a warm-up request failed, and all had to complete (warm-up-failed)\n");
    free(text);
    pp_arena_done(&f.arena);
}

/* No number of requests of one token has a time between tokens. */
static void a_measure_that_no_request_has_is_not_promised(void **state)
{
    pp_error err = {0};
    fixture f;
    char *text;

    (void)state;
    make_fixture(&f);
    f.report.level_count = 2;
    assert_ok(pp_slo_parse(&f.arena, pp_text_of("tpot.p95<=1s"), &f.slos[0], &err), err);
    for (size_t i = 0; i < f.n; i++)
        f.samples[i].generated_tokens = pp_known_int(1);
    summarise(&f);
    text = printed(&f);
    assert_contains(text, "; 60 ended well, and none has this measure\n");
    assert_null(strstr(text, "would decide"));
    free(text);
    pp_arena_done(&f.arena);
}

static char *warnings(fixture *f)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);

    assert_non_null(out);
    pp_load_warnings_print(&f->arena, &f->report, out);
    assert_int_equal(fclose(out), 0);
    return text;
}

/* All of 8 answers, 0.025^(1/8) = 63.1 % and more; none of 60: 1 - 0.025^(1/60) = 6 % and less. */
static void g39_acceptance_stands_there_when_tokens_were_drafted(void **state)
{
    fixture f;
    char *text;

    (void)state;
    make_fixture(&f);
    f.report.level_count = 2;
    summarise(&f);
    pp_load_report_compare(&f.report);
    text = printed(&f);
    assert_null(strstr(text, "draft"));
    free(text);
    text = warnings(&f);
    assert_string_equal(text, "");
    free(text);
    for (size_t i = 0; i < 68; i++) {
        f.samples[i].draft_tokens = pp_known_int(10);
        f.samples[i].draft_accepted_tokens = pp_known_int(i < 8 ? 10 : 0);
    }
    summarise(&f);
    pp_load_report_compare(&f.report);
    text = printed(&f);
    assert_contains(text, "1 client  100.0 % of 80 drafted tokens (63.1 to 100.0)\n");
    assert_contains(text, "2 clients 0.0 % of 600 drafted tokens (0.0 to 6.0)\n");
    assert_contains(text,
                    "note      2 clients: fewer drafted tokens were accepted than in the first "
                    "level\n          (draft-acceptance-fell)\n");
    free(text);
    text = warnings(&f);
    assert_string_equal(
        text, "note: accepted with 2 clients: 0.0 % of 600 drafted tokens (0.0 to 6.0); with 1 "
              "client: 100.0 % of 80 drafted tokens (63.1 to 100.0) (draft-acceptance-fell)\n");
    free(text);
    pp_arena_done(&f.arena);
}

static void an_empty_report_has_a_table(void **state)
{
    fixture f;
    char *text;

    (void)state;
    make_fixture(&f);
    f.n = 0;
    summarise(&f);
    text = printed(&f);
    assert_contains(text, "no-requests");
    free(text);
    f.report.level_count = 0;
    text = printed(&f);
    assert_contains(text, "verdict");
    free(text);
    pp_arena_done(&f.arena);
}

static const struct {
    double ms;
    const char *want;
} times[] = {
    {0, "0ms"},         {0.12, "120us"}, {1, "1ms"},         {812.44, "812.4ms"},
    {999.9, "999.9ms"}, {999.99, "1s"},  {1234.5, "1.234s"}, {1e7, "10000s"},
};

static void times_carry_their_unit(void **state)
{
    pp_arena arena = {0};

    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(times); i++)
        assert_string_equal(pp_load_time_text(&arena, times[i].ms), times[i].want);
    pp_arena_done(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_table_is_what_it_says),
        cmocka_unit_test(doubts_and_searches_are_shown),
        cmocka_unit_test(each_doubt_and_note_has_a_sentence),
        cmocka_unit_test(a_measure_that_no_request_has_is_not_promised),
        cmocka_unit_test(g39_acceptance_stands_there_when_tokens_were_drafted),
        cmocka_unit_test(an_empty_report_has_a_table),
        cmocka_unit_test(times_carry_their_unit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
