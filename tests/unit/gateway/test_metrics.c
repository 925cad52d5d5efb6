/* The text is read by metrics_text.py; here is what a text does not show. */
#include "gateway/metrics.h"

#include "shared.h"

static void g59_two_rates_and_neither_without_its_figures(void **state)
{
    static const struct {
        const char *name;
        pp_maybe_int tokens, text_ns;
        int64_t total_ns;
        double decode, whole; /* 0: absent */
    } rows[] = {
        {"2 s of prefill are in one of them",
         {true, 101},
         {true, 2000000000},
         4000000000,
         50,
         25.25},
        {"one token has no gap", {true, 1}, {true, 1}, 500000000, 0, 2},
        {"no token has no rate", {true, 0}, {true, 1}, 500000000, 0, 0},
        {"all text at once", {true, 9}, {true, 0}, 500000000, 0, 18},
        {"a plain answer", {true, 9}, {false, 0}, 500000000, 0, 18},
        {"no count", {false, 0}, {true, 1000}, 500000000, 0, 0},
        {"no time", {true, 9}, {true, 1000000000}, 0, 8, 0},
    };

    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(rows); i++) {
        const pp_maybe_real decode = pp_decode_tokens_per_second(rows[i].tokens, rows[i].text_ns);
        const pp_maybe_real whole =
            pp_end_to_end_tokens_per_second(rows[i].tokens, rows[i].total_ns);

        print_message("# %s\n", rows[i].name);
        assert_int_equal(decode.known, rows[i].decode > 0);
        assert_int_equal(whole.known, rows[i].whole > 0);
        assert_true(!decode.known || decode.value == rows[i].decode);
        assert_true(!whole.known || whole.value == rows[i].whole);
    }
}

static pp_status make(const void *context, pp_error *err)
{
    static const pp_text names[] = {{"a", 1}, {"b", 1}};
    pp_metrics *m = NULL;
    pp_status st = pp_metrics_new(names, 2, names, 1, &m, err);

    (void)context;
    if (st == PP_OK)
        pp_metrics_free(m);
    return st;
}

static void missing_memory_is_said(void **state)
{
    (void)state;
    assert_true(check_missing_memory(make, NULL) > 0);
    pp_metrics_free(NULL);
}

/* A ceiling that is met is said by the buffer; half a text is never taken for a whole one. */
static void a_text_above_its_ceiling_is_none(void **state)
{
    const pp_metrics_now now = {0};
    pp_metrics *m = NULL;
    pp_error err = {0};
    pp_buf out;

    (void)state;
    assert_ok(pp_metrics_new(NULL, 0, NULL, 0, &m, &err), err);
    pp_buf_init(&out, 1000);
    pp_metrics_write(m, &now, &out);
    assert_int_equal(pp_buf_check(&out, "metrics", &err), PP_ERR_LIMIT);
    pp_buf_done(&out);
    pp_metrics_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(g59_two_rates_and_neither_without_its_figures),
        cmocka_unit_test(missing_memory_is_said),
        cmocka_unit_test(a_text_above_its_ceiling_is_none),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
