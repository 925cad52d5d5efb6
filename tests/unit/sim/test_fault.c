#include "shared.h"
#include "sim/fault.h"

#include <string.h>

static pp_sim_fault parse(pp_arena *arena, const char *text)
{
    pp_sim_fault fault;
    pp_error err = {0};

    assert_ok(pp_sim_fault_parse(arena, text, &fault, &err), err);
    return fault;
}

static void values_reach_the_quirks(void **state)
{
    static const char *const given[] = {
        "silent",       "slow:1.5s",     "status:429",    "retry-after:Wed, 21 Oct 2015",
        "usage:floats", "reset-after:0", "error-after:2", "wrong-length:-1",
        "no-blank",     "body:html",     "metrics:off@/x"};
    pp_arena arena = {0};
    pp_sim_quirks q = {0};

    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(given); i++) {
        pp_sim_fault fault = parse(&arena, given[i]);

        pp_sim_fault_apply(&fault, i, 1, PP_SIM_SCOPE_ANSWERS, pp_text_of("/completion"), &q);
    }
    assert_true(q.silent && q.no_blank);
    assert_int_equal(q.slow_ns, 1500000000);
    assert_int_equal(q.status, 429);
    assert_string_equal(q.retry_after, "Wed, 21 Oct 2015");
    assert_int_equal(q.usage, PP_SIM_USAGE_FLOATS);
    assert_int_equal(q.reset_after, 1);
    assert_int_equal(q.error_after, 3);
    assert_int_equal(q.length_off, -1);
    assert_int_equal(q.body, PP_SIM_BODY_HTML);
    assert_int_equal(q.metrics, 0); /* another path */
    pp_arena_done(&arena);
}

/* Of ten requests. */
static const struct {
    const char *text, *want;
} selections[] = {
    {"silent", "1111111111"},
    {"silent@all", "1111111111"},
    {"silent@3", "0010000000"},
    {"silent@first:2", "1100000000"},
    {"silent@after:8", "0000000011"},
    {"silent@every:4", "0001000100"},
    {"silent@first:9@every:3", "0010010010"},
    {"silent@after:2@first:4", "0011000000"},
    {"silent@share:1", "1111111111"},
    {"silent@share:0", "0000000000"},
    {"silent@/completion@3", "0010000000"},
    {"silent@/other", "0000000000"},
};

static void selectors_choose_requests(void **state)
{
    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(selections); i++) {
        pp_arena arena = {0};
        pp_sim_fault fault = parse(&arena, selections[i].text);
        char got[11] = "";

        for (size_t n = 0; n < 10; n++) {
            pp_sim_quirks q = {0};

            pp_sim_fault_apply(&fault, 0, 1, PP_SIM_SCOPE_ANSWERS, pp_text_of("/completion"), &q);
            got[n] = q.silent ? '1' : '0';
        }
        if (strcmp(got, selections[i].want) != 0)
            fail_msg("%s: %s, expected %s", selections[i].text, got, selections[i].want);
        pp_arena_done(&arena);
    }
}

static void a_share_is_kept_and_follows_the_seed(void **state)
{
    const int n = 10000;
    int hits[2] = {0}, differ = 0;
    pp_arena arena = {0};
    pp_sim_fault faults[2];

    (void)state;
    faults[0] = parse(&arena, "silent@share:0.35");
    faults[1] = parse(&arena, "silent@share:0.35");
    for (int i = 0; i < n; i++) {
        bool took[2];

        for (uint64_t seed = 0; seed < 2; seed++) {
            pp_sim_quirks q = {0};

            pp_sim_fault_apply(&faults[seed], 0, seed, PP_SIM_SCOPE_ANSWERS, (pp_text){0}, &q);
            took[seed] = q.silent;
            hits[seed] += q.silent;
        }
        differ += took[0] != took[1];
    }
    assert_in_range(hits[0], 3300, 3700); /* 4 deviations of sqrt(n p (1 - p)) = 48 */
    assert_in_range(hits[1], 3300, 3700);
    assert_in_range(differ, 4000, 5100); /* 2 p (1 - p) n = 4,550 for independent ones */
    pp_arena_done(&arena);
}

/* /slots tells what /props tells, so faults of /props take it as well. */
static void a_fault_takes_the_end_points_it_is_for(void **state)
{
    pp_arena arena = {0};
    pp_sim_fault context = parse(&arena, "n-ctx:512");
    pp_sim_fault metrics = parse(&arena, "metrics:nan");
    pp_sim_scope scopes[] = {PP_SIM_SCOPE_ANSWERS, PP_SIM_SCOPE_METRICS, PP_SIM_SCOPE_SLOTS,
                             PP_SIM_SCOPE_PROPS, PP_SIM_SCOPE_OTHER};
    static const bool want_context[] = {false, false, true, true, false};
    static const bool want_metrics[] = {false, true, false, false, false};

    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(scopes); i++) {
        pp_sim_quirks q = {0};

        pp_sim_fault_apply(&context, 0, 1, scopes[i], (pp_text){0}, &q);
        pp_sim_fault_apply(&metrics, 1, 1, scopes[i], (pp_text){0}, &q);
        assert_int_equal(q.n_ctx > 0, want_context[i]);
        assert_int_equal(q.metrics != 0, want_metrics[i]);
    }
    pp_arena_done(&arena);
}

static const struct {
    const char *text, *needle;
} refusals[] = {
    {"", "there is no fault ''"},
    {"slient", "there is no fault 'slient'; --list-faults shows them"},
    {"silent:1", "silent without a value"},
    {"slow", "expected slow:VALUE"},
    {"slow:1", "expected a number with its unit"},
    {"status:199", "200"},
    {"body:xml", "expected one of json|html|empty, got 'xml'"},
    {"body:", "expected one of json|html|empty, got ''"},
    {"body:json|html", "expected one of"},
    {"retry-after:a\nb", "control character"},
    {"silent@", "expected @all"},
    {"silent@some", "expected @all"},
    {"silent@first:0", "@first"},
    {"silent@0", "@N"},
    {"silent@share:2", "@share"},
};

static void what_is_no_fault_is_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(refusals); i++) {
        pp_arena arena = {0};
        pp_sim_fault fault;
        pp_error err = {0};

        assert_int_equal(pp_sim_fault_parse(&arena, refusals[i].text, &fault, &err), PP_ERR_USAGE);
        assert_contains(err.text, refusals[i].needle);
        pp_arena_done(&arena);
    }
}

/* A name that stands twice would hide a row; each needs a sentence. */
static void the_list_names_each_fault_once(void **state)
{
    pp_sim_fault_info a, b;

    (void)state;
    for (size_t i = 0; pp_sim_fault_info_at(i, &a); i++) {
        assert_true(strlen(a.help) > 10);
        for (size_t k = 0; k < i && pp_sim_fault_info_at(k, &b); k++)
            assert_string_not_equal(a.name, b.name);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_reach_the_quirks),
        cmocka_unit_test(selectors_choose_requests),
        cmocka_unit_test(a_share_is_kept_and_follows_the_seed),
        cmocka_unit_test(a_fault_takes_the_end_points_it_is_for),
        cmocka_unit_test(what_is_no_fault_is_refused),
        cmocka_unit_test(the_list_names_each_fault_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
