/* Building, binding and combining where the recorded cases do not reach. The documents of
 * tests/fixtures/documents were calculated by another program. */
#include "capacity/load_evaluate.h"

#include <string.h>

#include "capacity/load_check.h"
#include "capacity/server_argv.h"
#include "shared.h"

static pp_load_evaluation read_fixture(pp_arena *arena)
{
    pp_load_evaluation e;
    const pp_json *root;
    pp_error err = {0};

    assert_ok(pp_json_read_file(arena, fixture_path(arena, "documents/load-evaluation.json"), NULL,
                                &root, &err),
              err);
    assert_ok(pp_load_evaluation_read(arena, root, &e, &err), err);
    return e;
}

static pp_measured_level level_of(const pp_load_evaluation *e, size_t i)
{
    return (pp_measured_level){
        .concurrency = e->rows[i].concurrency,
        .warmup = e->rows[1].samples, /* those of the second row all completed */
        .warmup_count = (size_t)e->method.warmup_count,
        .measured = e->rows[i].samples,
        .measured_count = e->rows[i].sample_count,
    };
}

static pp_status build(pp_arena *arena, const pp_load_evaluation *e,
                       const pp_measured_level *levels, size_t count,
                       pp_load_evaluation *ret_evaluation, pp_error *err)
{
    pp_load_plan plan = {e->method, e->slo, 30.0};

    return pp_load_evaluation_build(arena, &plan, e->candidate_id, e->synthetic, levels, count,
                                    ret_evaluation, err);
}

/* The fixture's levels ran as 2, 1. */
static void the_fixture_is_built_again(void **state)
{
    pp_arena arena = {0};
    pp_error err = {0};
    pp_load_evaluation want = read_fixture(&arena);
    pp_measured_level levels[] = {level_of(&want, 1), level_of(&want, 0)};
    const pp_server_configuration *server = &want.binding.server;
    pp_load_binding_source source = {
        .plan_sha256 = want.binding.plan_sha256,
        .request_base_url = pp_text_of("HTTP://Localhost:09002/"),
        .load_argv = server->load.argv,
        .load_command_sha256 = server->load.command_sha256,
        .canonical_argv = server->canonical.argv,
        .canonical_command_sha256 = server->canonical.command_sha256,
    };
    pp_load_evaluation e;

    (void)state;
    assert_ok(build(&arena, &want, levels, 2, &e, &err), err);
    assert_int_equal(e.execution_order[0], 2);
    assert_false(e.is_bound);
    assert_ok(pp_load_evaluation_bind(&arena, &source, &e, &err), err);
    assert_true(pp_json_equal(pp_load_evaluation_to_json(&arena, &want),
                              pp_load_evaluation_to_json(&arena, &e)));
    pp_arena_done(&arena);
}

typedef void spoil(pp_measured_level levels[2], pp_load_sample *sample);

static void no_spoil(pp_measured_level levels[2], pp_load_sample *sample)
{
    (void)levels;
    (void)sample;
}
static void other_level(pp_measured_level levels[2], pp_load_sample *sample)
{
    (void)sample;
    levels[1].concurrency = 4;
}
static void few_warmups(pp_measured_level levels[2], pp_load_sample *sample)
{
    (void)sample;
    levels[0].warmup_count = 0;
}
static void few_requests(pp_measured_level levels[2], pp_load_sample *sample)
{
    (void)sample;
    levels[1].measured_count = 3;
}
static void no_memory_used(pp_measured_level levels[2], pp_load_sample *sample)
{
    (void)sample;
    levels[1].peak_rss_mib = pp_known_real(0.0);
}
static void contradiction(pp_measured_level levels[2], pp_load_sample *sample)
{
    (void)levels;
    sample->generated_tokens--;
}

static void what_is_not_the_plan_s_is_refused(void **state)
{
    static const struct {
        spoil *spoil;
        size_t count;
        const char *says; /* NULL: accepted */
    } rows[] = {
        {no_spoil, 2, NULL},
        {no_spoil, 1, "execution order: expected each of 2 levels, got 1"},
        {other_level, 2, "level 4 is none of the plan"},
        {few_warmups, 2, "level 2: expected 1 warm-up requests, got 0"},
        {few_requests, 2, "level 1: expected 4 measured requests, got 3"},
        {no_memory_used, 2, "level 1: expected a peak_rss_mib above 0"},
        {contradiction, 2, "level 2: measured request 2: generated_tokens: expected 64 tokens"},
    };

    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(rows); i++) {
        pp_arena arena = {0};
        pp_error err = {0};
        pp_load_evaluation e = read_fixture(&arena);
        pp_measured_level levels[] = {level_of(&e, 1), level_of(&e, 0)};
        pp_load_evaluation made;
        pp_status st;

        rows[i].spoil(levels, &e.rows[1].samples[1]);
        st = build(&arena, &e, levels, rows[i].count, &made, &err);
        assert_int_equal(st, rows[i].says == NULL ? PP_OK : PP_ERR_DOMAIN);
        if (rows[i].says != NULL)
            assert_contains(err.text, rows[i].says);
        pp_arena_done(&arena);
    }
}

/* ---- combining ------------------------------------------------------------------------------- */

static void make_synthetic_differ(pp_load_evaluation *e)
{
    e->synthetic = !e->synthetic;
}
static void unbind(pp_load_evaluation *e)
{
    e->is_bound = false;
}
static void bind_to_another_plan(pp_load_evaluation *e)
{
    memset(e->binding.plan_sha256, '0', PP_SHA256_HEX_SIZE - 1);
}
static void ask_for_more(pp_load_evaluation *e)
{
    e->method.output_tokens++;
}
static void allow_more(pp_load_evaluation *e)
{
    e->slo.max_ttft_ms_p95 = (pp_maybe_real){0};
}
static void rename_alike(pp_load_evaluation *e)
{
    e->candidate_id = pp_text_of("b");
}

static void only_what_is_alike_is_combined(void **state)
{
    static const struct {
        void (*change)(pp_load_evaluation *e);
        const char *says;
    } rows[] = {
        {make_synthetic_differ, "\"a\" and \"b\" differ in synthetic"},
        {unbind, "differ in whether they are bound"},
        {bind_to_another_plan, "differ in the plan they are bound to"},
        {ask_for_more, "differ in methodology"},
        {allow_more, "differ in limits"},
        {rename_alike, "\"b\" is there twice"},
    };

    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(rows); i++) {
        pp_arena arena = {0};
        pp_error err = {0};
        pp_combined_load_evaluation combined;
        pp_load_evaluation list[2] = {read_fixture(&arena), read_fixture(&arena)};

        list[1].candidate_id = pp_text_of("a");
        rows[i].change(&list[1]);
        assert_int_equal(pp_load_evaluations_combine(&arena, list, 2, &combined, &err),
                         PP_ERR_DOMAIN);
        assert_contains(err.text, rows[i].says);
        pp_arena_done(&arena);
    }
}

static void at_most_32_are_combined(void **state)
{
    pp_arena arena = {0};
    pp_error err = {0};
    pp_combined_load_evaluation combined;
    pp_load_evaluation list[33];

    (void)state;
    for (size_t i = 0; i < 33; i++) {
        list[i] = read_fixture(&arena);
        list[i].candidate_id = pp_text_of(pp_arena_printf(&arena, "c%02zu", 32 - i));
    }
    assert_int_equal(pp_load_evaluations_combine(&arena, list, 33, &combined, &err), PP_ERR_DOMAIN);
    assert_ok(pp_load_evaluations_combine(&arena, list, 32, &combined, &err), err);
    assert_int_equal(combined.count, 32);
    assert_string_equal(combined.candidates[0].candidate_id.data, "c01");
    assert_string_equal(combined.candidates[31].candidate_id.data, "c32");
    pp_arena_done(&arena);
}

/* ---- command files --------------------------------------------------------------------------- */

static void a_command_is_read_from_a_file_of_either_program(void **state)
{
    static const struct {
        const char *text;
        const char *says; /* NULL: accepted */
    } rows[] = {
        {"{\"schema_version\":\"1.0\",\"argv\":[\"a\",\"b\"]}", NULL},
        {"{\"schema_version\":\"1.0\",\"document\":\"server-command\",\"argv\":[\"a\",\"b\"],"
         "\"url\":\"http://127.0.0.1:1\"}",
         NULL},
        {"{\"schema_version\":\"1.0\",\"argv\":[\"a\"],\"url\":\"u\"}", "unknown key 'url'"},
        {"{\"schema_version\":\"1.1\",\"argv\":[\"a\"]}", "$.schema_version"},
        {"{\"schema_version\":\"1.0\",\"document\":\"bench-command\",\"argv\":[\"a\"]}",
         "expected \"server-command\""},
        {"{\"argv\":[\"a\"]}", "schema_version"},
        {"{\"schema_version\":\"1.0\",\"argv\":[\"a\",5]}", "$.argv[1]"},
        {"{\"schema_version\":\"1.0\",\"argv\":\"a\"}", "$.argv"},
    };

    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(rows); i++) {
        pp_arena arena = {0};
        pp_error err = {0};
        const pp_json *root;
        pp_server_argv argv;
        pp_status st;

        assert_ok(pp_json_parse(&arena, "c", rows[i].text, strlen(rows[i].text), &root, &err), err);
        st = pp_server_command_decode(&arena, root, &argv, &err);
        assert_int_equal(st == PP_OK, rows[i].says == NULL);
        if (rows[i].says != NULL)
            assert_contains(err.text, rows[i].says);
        else
            assert_string_equal(argv.items[1].data, "b");
        pp_arena_done(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_fixture_is_built_again),
        cmocka_unit_test(what_is_not_the_plan_s_is_refused),
        cmocka_unit_test(only_what_is_alike_is_combined),
        cmocka_unit_test(at_most_32_are_combined),
        cmocka_unit_test(a_command_is_read_from_a_file_of_either_program),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
