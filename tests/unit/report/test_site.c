/* Pages about several bundles: what stands together, what is never compared, and what a stranger's
 * texts may not do. Expected values stand in the rows; digests of names are those of sha256sum. */
#include "shared.h"

#include <stdio.h>
#include <string.h>

#include "markup.h"
#include "report/site.h"

#define VERSION     "9.9.9"
#define MAX_BUNDLES 8

/* A bundle by the few things that matter here. */
typedef struct draft {
    const char *name;
    const char *cpu; /* NULL: the machine is not recorded */
    const char *model;
    int prompt_tokens; /* 0: the work is not recorded */
    double best_ms;    /* of "q4"; "q8", the baseline, takes 200 ms */
    pp_site_evidence evidence;
    bool measured;
} draft;

typedef struct bundles {
    pp_arena arena;
    pp_benchmark_set sets[MAX_BUNDLES];
    pp_constraints constraints;
    pp_decision decisions[MAX_BUNDLES];
    pp_report_input inputs[MAX_BUNDLES];
    pp_site_bundle items[MAX_BUNDLES];
    size_t count;
    pp_site site;
} bundles;

static const char constraints_text[] =
    "{\"schema_version\":\"2.0\",\"quality\":\"not-measurable\","
    "\"objective\":{\"metric\":\"e2e_latency_ms_p50\",\"direction\":\"min\"},"
    "\"objective_tolerance_percent\":1.0,"
    "\"frontier_metrics\":{\"e2e_latency_ms_p50\":\"min\"},\"preference_order\":[\"q8\",\"q4\"]}";

static const pp_json *parse(pp_arena *arena, const char *text)
{
    const pp_json *root = NULL;
    pp_error err = {0};

    assert_non_null(text);
    assert_ok(pp_json_parse(arena, "draft", text, strlen(text), &root, &err), err);
    return root;
}

static const char *set_text(pp_arena *arena, const draft *d)
{
    const char *host =
        d->cpu == NULL ? ""
                       : pp_arena_printf(arena, ",\"host\":{\"cpu\":{\"model\":\"%s\"}}", d->cpu);
    const char *requests =
        d->prompt_tokens == 0
            ? ""
            : pp_arena_printf(arena, ",\"requests\":{\"prompt_tokens\":%d}", d->prompt_tokens);
    const char *kind = d->measured ? "" : ",\"synthetic_kind\":\"simulated\"";

    return pp_arena_printf(
        arena,
        "{\"schema_version\":\"1.0\",\"baseline_id\":\"q8\",\"synthetic\":%s,"
        "\"metadata\":{\"study\":{\"title\":\"Study %s\"%s}%s%s},\"candidates\":["
        "{\"id\":\"q8\",\"parameters\":{\"model\":{\"name\":\"%s\"}},"
        "\"metrics\":{\"e2e_latency_ms_p50\":200}},"
        "{\"id\":\"q4\",\"parameters\":{\"model\":{\"name\":\"%s\"}},"
        "\"metrics\":{\"e2e_latency_ms_p50\":%g}}]}",
        d->measured ? "false" : "true", d->name, requests, host, kind, d->model, d->model,
        d->best_ms);
}

static void add(bundles *b, const draft *d)
{
    size_t n = b->count++;
    pp_error err = {0};

    assert_true(n < MAX_BUNDLES);
    assert_ok(pp_benchmark_set_decode(&b->arena, parse(&b->arena, set_text(&b->arena, d)),
                                      &b->sets[n], &err),
              err);
    assert_ok(pp_decide(&b->arena, &b->sets[n], &b->constraints, &b->decisions[n], &err), err);
    b->inputs[n] = (pp_report_input){.set = &b->sets[n],
                                     .constraints = &b->constraints,
                                     .decision = &b->decisions[n],
                                     .tool_version = VERSION};
    b->items[n] = (pp_site_bundle){.name = pp_text_of(d->name),
                                   .page = "page.html",
                                   .evidence = d->evidence,
                                   .reason = d->evidence == PP_SITE_VERIFIED ? NULL : "because",
                                   .hashed_count = 12,
                                   .journal_line_count = 7,
                                   .derived_count = 3,
                                   .finding_count = d->evidence == PP_SITE_DIFFERS ? 2 : 0,
                                   .input = &b->inputs[n]};
}

static void open_bundles(bundles *b, const draft *drafts, size_t count)
{
    pp_error err = {0};

    memset(b, 0, sizeof *b);
    assert_ok(
        pp_constraints_decode(&b->arena, parse(&b->arena, constraints_text), &b->constraints, &err),
        err);
    for (size_t i = 0; i < count; i++)
        add(b, &drafts[i]);
    assert_ok(pp_site_make(&b->arena, b->items, b->count, VERSION, &b->site, &err), err);
}

typedef pp_status page_function(pp_arena *arena, const pp_site *site, pp_buf *out, pp_error *err);

static const char *page_of(bundles *b, page_function *write)
{
    pp_buf out;
    pp_error err = {0};
    const char *text;
    const char *fault;

    pp_buf_init(&out, PP_SITE_MAX_BYTES);
    assert_ok(write(&b->arena, &b->site, &out, &err), err);
    fault = markup_fault_of_site(out.data, out.size);
    if (fault != NULL)
        fail_msg("not well formed: %s", fault);
    text = pp_arena_dup(&b->arena, out.data, out.size);
    pp_buf_done(&out);
    return text;
}

static void assert_absent(const char *text, const char *needle)
{
    if (strstr(text, needle) != NULL)
        fail_msg("the page says '%s'", needle);
}

/* "a b | c": groups in their order, with the names of their bundles */
static const char *groups_text(bundles *b)
{
    const char *text = "";

    for (size_t g = 0; g < b->site.group_count; g++) {
        text = pp_arena_printf(&b->arena, "%s%s", text, g > 0 ? " |" : "");
        for (size_t i = 0; i < b->site.groups[g].member_count; i++)
            text = pp_arena_printf(&b->arena, "%s%s%s", text, g + i > 0 ? " " : "",
                                   b->site.groups[g].members[i]->name.data);
    }
    return text;
}

/* ---- names of files -------------------------------------------------------------------------- */

static void names_are_safe_and_their_own(void **state)
{
    /* printf %s NAME | sha256sum */
    static const char *const rows[][2] = {
        {"first", "first-a7937b64b8caa58f.html"},
        {"old/arm", "old-arm-4f0e22842b4fab82.html"},
        {"", "bundle-e3b0c44298fc1c14.html"},
        {"../..", "bundle-0cfd1c96cbc0c0e0.html"},
        {"<script>", "script-5b63e5b2097fc690.html"},
        {"a\xe2\x80\xae"
         "b",
         "a-b-1f7a9d5e8e213a52.html"},
    };
    char name[PP_SITE_NAME_MAX];
    pp_error err = {0};

    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(rows); i++) {
        assert_ok(pp_site_page_name(pp_text_of(rows[i][0]), ".html", name, &err), err);
        assert_string_equal(name, rows[i][1]);
    }
}

static void long_names_stay_short_and_apart(void **state)
{
    char one[10001], other[10001], first[PP_SITE_NAME_MAX], second[PP_SITE_NAME_MAX];
    pp_error err = {0};

    (void)state;
    memset(one, 'X', 10000);
    one[10000] = '\0';
    memcpy(other, one, sizeof one);
    other[9999] = 'Y';
    assert_ok(pp_site_page_name(pp_text_of(one), ".html", first, &err), err);
    assert_ok(pp_site_page_name(pp_text_of(other), ".html", second, &err), err);
    assert_int_equal(strlen(first), 40 + 1 + 16 + 5);
    assert_int_equal(strspn(first, "x"), 40);
    assert_string_not_equal(first, second);
}

/* ---- what stands together -------------------------------------------------------------------- */

static void only_equal_facts_stand_together(void **state)
{
    static const draft rows[] = {
        {"a", "Z-CPU", "m", 24, 100, PP_SITE_VERIFIED, true},
        {"b", "A-CPU", "m", 24, 100, PP_SITE_VERIFIED, true},
        {"c", "Z-CPU", "m", 24, 90, PP_SITE_VERIFIED, true},
        {"d", "Z-CPU", "m", 48, 90, PP_SITE_VERIFIED, true},
        {"e", "Z-CPU", "n", 24, 90, PP_SITE_VERIFIED, true},
        {"f", NULL, "m", 24, 90, PP_SITE_VERIFIED, true},
        {"g", NULL, "m", 24, 90, PP_SITE_VERIFIED, true},
    };
    bundles b;
    const char *text;

    (void)state;
    open_bundles(&b, rows, PP_COUNT_OF(rows));
    text = groups_text(&b);
    /* f and g: in the order of digests, apart in any case */
    if (strcmp(text, "f | g | b | a c | d | e") != 0 &&
        strcmp(text, "g | f | b | a c | d | e") != 0 &&
        strcmp(text, "f | g | b | d | a c | e") != 0 &&
        strcmp(text, "g | f | b | d | a c | e") != 0)
        fail_msg("groups: %s", text);
    assert_int_equal(b.site.machine_count, 4);
    pp_arena_done(&b.arena);
}

static void unrecorded_work_stands_alone(void **state)
{
    static const draft rows[] = {
        {"a", "CPU", "m", 0, 100, PP_SITE_VERIFIED, true},
        {"b", "CPU", "m", 0, 100, PP_SITE_VERIFIED, true},
    };
    bundles b;

    (void)state;
    open_bundles(&b, rows, PP_COUNT_OF(rows));
    assert_int_equal(b.site.group_count, 2);
    assert_int_equal(b.site.machine_count, 1);
    assert_contains(page_of(&b, pp_site_index), "comparable with no other study");
    pp_arena_done(&b.arena);
}

/* ---- differences ----------------------------------------------------------------------------- */

static void a_pair_of_one_group_has_differences(void **state)
{
    static const draft rows[] = {
        {"a", "CPU", "m", 24, 125, PP_SITE_VERIFIED, true},
        {"b", "CPU", "m", 24, 100, PP_SITE_VERIFIED, true},
    };
    bundles b;
    const char *page;

    (void)state;
    open_bundles(&b, rows, PP_COUNT_OF(rows));
    page = page_of(&b, pp_site_side_by_side);
    /* (100 - 125) / 125 */
    assert_contains(page, "<td class=\"num\">125&nbsp;ms</td><td class=\"num\">100&nbsp;ms</td>"
                          "<td class=\"num\">-20&nbsp;%</td>");
    assert_absent(page, "Not compared with each other");
    pp_arena_done(&b.arena);
}

/* Each change of the second bundle takes the difference away, and the page says why. */
static void no_difference_where_none_may_be_taken(void **state)
{
    static const struct {
        draft second;
        const char *says;
    } rows[] = {
        {{"b", "Other", "m", 24, 100, PP_SITE_VERIFIED, true}, "Not compared with each other"},
        {{"b", "CPU", "n", 24, 100, PP_SITE_VERIFIED, true}, "Not compared with each other"},
        {{"b", "CPU", "m", 25, 100, PP_SITE_VERIFIED, true}, "Not compared with each other"},
        {{"b", NULL, "m", 24, 100, PP_SITE_VERIFIED, true}, "Not compared with each other"},
        {{"b", "CPU", "m", 24, 100, PP_SITE_VERIFIED, false}, "of different origin"},
        {{"b", "CPU", "m", 24, 100, PP_SITE_DIFFERS, true}, "a bundle is not what it says it is"},
    };

    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(rows); i++) {
        const draft pair[] = {{"a", "CPU", "m", 24, 125, PP_SITE_VERIFIED, true}, rows[i].second};
        bundles b;
        const char *page;

        open_bundles(&b, pair, PP_COUNT_OF(pair));
        page = page_of(&b, pp_site_side_by_side);
        assert_contains(page, rows[i].says);
        assert_absent(page, "-20&nbsp;%");
        assert_absent(page, "Difference</th>");
        pp_arena_done(&b.arena);
    }
}

static void three_have_no_differences(void **state)
{
    static const draft rows[] = {
        {"a", "CPU", "m", 24, 125, PP_SITE_VERIFIED, true},
        {"b", "CPU", "m", 24, 100, PP_SITE_VERIFIED, true},
        {"c", "CPU", "m", 24, 50, PP_SITE_VERIFIED, true},
    };
    bundles b;
    const char *page;

    (void)state;
    open_bundles(&b, rows, PP_COUNT_OF(rows));
    page = page_of(&b, pp_site_side_by_side);
    assert_contains(page, "for two bundles alone");
    assert_absent(page, "Difference</th>");
    pp_arena_done(&b.arena);
}

/* ---- evidence -------------------------------------------------------------------------------- */

static void each_line_says_what_its_evidence_is(void **state)
{
    static const draft rows[] = {
        {"a", "CPU", "m", 24, 125, PP_SITE_VERIFIED, true},
        {"b", "CPU", "m", 24, 101, PP_SITE_DIFFERS, true},
        {"c", "CPU", "m", 24, 102, PP_SITE_UNDECIDED, true},
        {"d", "CPU", "m", 24, 103, PP_SITE_UNCHECKED, false},
    };
    static const char *const says[] = {
        "<span class=\"tag best\">verified</span> 12 files hashed, 7 journal lines, 3 files made "
        "again</td>",
        "<span class=\"tag over\">differs</span> 12 files hashed, 7 journal lines, 3 files made "
        "again; 2 findings, the first: <bdi>because</bdi></td>",
        "<span class=\"tag\">not verified</span> 12 files hashed, 7 journal lines, 3 files made "
        "again: <bdi>because</bdi></td>",
        "<span class=\"tag\">not verified</span> <bdi>because</bdi></td>",
        "4 bundles &middot; 1 machine &middot; 1 verified when this page was made",
        "1 bundle is not what it says it is.",
        "1 bundle holds figures that no machine measured",
        "<strong>125&nbsp;ms</strong>",
        "<strong>103&nbsp;ms</strong>",
    };
    bundles b;
    const char *page;

    (void)state;
    open_bundles(&b, rows, PP_COUNT_OF(rows));
    page = page_of(&b, pp_site_index);
    for (size_t i = 0; i < PP_COUNT_OF(says); i++)
        assert_contains(page, says[i]);
    /* figures of a bundle that differs stand in no table of several */
    assert_absent(page, "101&nbsp;ms");
    assert_absent(page_of(&b, pp_site_side_by_side), "101&nbsp;ms");
    pp_arena_done(&b.arena);
}

static void a_bundle_without_a_decision_says_why(void **state)
{
    static const draft rows[] = {{"a", "CPU", "m", 24, 125, PP_SITE_VERIFIED, true}};
    bundles b;
    const char *page;
    pp_error err = {0};

    (void)state;
    open_bundles(&b, rows, PP_COUNT_OF(rows));
    b.items[b.count++] = (pp_site_bundle){.name = pp_text_of("stopped"),
                                          .absent = "it did not end",
                                          .reason = "the study did not end"};
    assert_ok(pp_site_make(&b.arena, b.items, b.count, VERSION, &b.site, &err), err);
    page = page_of(&b, pp_site_index);
    assert_contains(page, "<th scope=\"row\"><bdi>stopped</bdi></th>");
    assert_contains(page, "<bdi>it did not end</bdi>");
    assert_absent(page, "<a href=\"\">");
    pp_arena_done(&b.arena);
}

static void no_bundle_is_a_page_as_well(void **state)
{
    bundles b;

    (void)state;
    open_bundles(&b, NULL, 0);
    assert_contains(page_of(&b, pp_site_index), "No study yet");
    pp_arena_done(&b.arena);
}

/* ---- a stranger's texts ---------------------------------------------------------------------- */

static void foreign_texts_stay_texts(void **state)
{
    static const char *const texts[] = {
        "</h2><script>alert(1)</script>", "' onmouseover='x",       "\xe2\x80\xaegpj.exe",
        "\xf0\x9f\xa6\x80 crab",          "https://host.example/x", "&lt;b&gt;",
    };

    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(texts); i++) {
        const draft rows[] = {
            {texts[i], texts[i], texts[i], 24, 125, PP_SITE_VERIFIED, true},
            {"plain", texts[i], texts[i], 24, 100, PP_SITE_VERIFIED, true},
        };
        bundles b;

        open_bundles(&b, rows, PP_COUNT_OF(rows));
        for (int p = 0; p < 2; p++) {
            const char *page = page_of(&b, p == 0 ? pp_site_index : pp_site_side_by_side);

            assert_absent(page, "<script");
            assert_absent(page, "\xe2\x80\xae");
            assert_absent(page, "://");
            assert_absent(page, "' onmouseover");
        }
        pp_arena_done(&b.arena);
    }
}

static void one_name_does_not_fill_the_page(void **state)
{
    char name[10001];
    draft row = {name, "CPU", "m", 24, 125, PP_SITE_VERIFIED, true};
    bundles b;
    const char *page;
    char run[162];

    (void)state;
    memset(name, 'X', 10000);
    name[10000] = '\0';
    memset(run, 'X', 161);
    run[161] = '\0';
    open_bundles(&b, &row, 1);
    page = page_of(&b, pp_site_index);
    assert_absent(page, run);
    assert_contains(page, run + 1 + 6); /* "Study " stands before it in the title */
    pp_arena_done(&b.arena);
}

static pp_status make_both_pages(const void *context, pp_error *err)
{
    const bundles *b = context;
    pp_arena arena = {0};
    pp_site site;
    pp_buf out;
    pp_status st = pp_site_make(&arena, b->items, b->count, VERSION, &site, err);

    pp_buf_init(&out, PP_SITE_MAX_BYTES);
    if (st == PP_OK)
        st = pp_site_index(&arena, &site, &out, err);
    if (st == PP_OK)
        st = pp_site_side_by_side(&arena, &site, &out, err);
    pp_buf_done(&out);
    pp_arena_done(&arena);
    return st;
}

static void missing_memory_is_said(void **state)
{
    static const draft rows[] = {
        {"a", "CPU", "m", 24, 125, PP_SITE_VERIFIED, true},
        {"b", "CPU", "m", 24, 100, PP_SITE_VERIFIED, true},
    };
    bundles b;

    (void)state;
    open_bundles(&b, rows, PP_COUNT_OF(rows));
    assert_true(check_missing_memory(make_both_pages, &b) > 3);
    pp_arena_done(&b.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_safe_and_their_own),
        cmocka_unit_test(long_names_stay_short_and_apart),
        cmocka_unit_test(only_equal_facts_stand_together),
        cmocka_unit_test(unrecorded_work_stands_alone),
        cmocka_unit_test(a_pair_of_one_group_has_differences),
        cmocka_unit_test(no_difference_where_none_may_be_taken),
        cmocka_unit_test(three_have_no_differences),
        cmocka_unit_test(each_line_says_what_its_evidence_is),
        cmocka_unit_test(a_bundle_without_a_decision_says_why),
        cmocka_unit_test(no_bundle_is_a_page_as_well),
        cmocka_unit_test(foreign_texts_stay_texts),
        cmocka_unit_test(one_name_does_not_fill_the_page),
        cmocka_unit_test(missing_memory_is_said),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
