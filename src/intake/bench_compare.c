#include "intake/bench_compare.h"

#include <math.h>

#include "intake/bench_names.h"
#include "intake/bench_summary.h"
#include "model/document_kinds.h"

/* ---- reading ------------------------------------------------------------------------------- */

static pp_status decode_figures(const pp_json *test, const char *key, double *ret_median,
                                int64_t *ret_count, pp_error *err)
{
    const pp_json *figures = pp_checked_object(test, key);

    *ret_median = pp_checked_number(figures, "median");
    *ret_count = pp_checked_int(figures, "sample_count");
    if (!(*ret_median > 0))
        return pp_json_fail(pp_json_find(figures, "median"), err,
                            "expected a number above 0, got %g", *ret_median);
    return PP_OK;
}

static pp_status decode_test(const pp_json *json, pp_bench_kind kind, pp_bench_test *test,
                             pp_error *err)
{
    int64_t duration_count;
    bool fits;
    pp_status st;

    test->present = true;
    test->n_prompt = pp_checked_int(json, "n_prompt");
    test->n_gen = pp_checked_int(json, "n_gen");
    if (!pp_text_is(pp_checked_text(json, "test_kind"), pp_bench_kind_name(kind)))
        return pp_json_fail(pp_json_find(json, "test_kind"), err, "expected \"%s\" as the key says",
                            pp_bench_kind_name(kind));
    fits =
        (test->n_prompt > 0) == (kind != PP_BENCH_TG) && (test->n_gen > 0) == (kind != PP_BENCH_PP);
    if (!fits)
        return pp_json_fail(json, err, "n_prompt %lld and n_gen %lld are no test of kind %s",
                            (long long)test->n_prompt, (long long)test->n_gen,
                            pp_bench_kind_name(kind));
    st = decode_figures(json, "tokens_per_second", &test->tokens_per_second_median,
                        &test->sample_count, err);
    if (st == PP_OK)
        st = decode_figures(json, "duration_ns", &test->duration_ns_median, &duration_count, err);
    if (st == PP_OK && duration_count != test->sample_count)
        return pp_json_fail(json, err, "%lld rates, but %lld durations",
                            (long long)test->sample_count, (long long)duration_count);
    return st;
}

pp_status pp_bench_variant_decode(const pp_json *root, pp_bench_variant *ret_variant, pp_error *err)
{
    pp_bench_variant v = {0};
    const pp_json *tests;
    size_t count = 0;
    pp_status st = pp_document_check(pp_document_kind_find("llama-bench-summary"), root, err);

    if (st != PP_OK)
        return st;
    v.label = pp_checked_text(root, "label");
    v.build_commit = pp_checked_text(root, "build_commit");
    v.model_filename = pp_checked_text(root, "model_filename");
    v.synthetic_fixture = pp_checked_bool(root, "synthetic_fixture");
    v.settings = pp_checked_object(root, "settings");
    tests = pp_checked_object(root, "tests");
    for (int kind = PP_BENCH_PP; st == PP_OK && kind <= PP_BENCH_PG; kind++) {
        const pp_json *test = pp_json_find(tests, pp_bench_kind_name((pp_bench_kind)kind));

        if (test == NULL)
            continue;
        count++;
        st = decode_test(test, (pp_bench_kind)kind, &v.tests[kind], err);
    }
    if (st == PP_OK && count == 0)
        return pp_json_fail(tests, err, "expected at least one test");
    if (st == PP_OK)
        *ret_variant = v;
    return st;
}

/* ---- do they compare? ----------------------------------------------------------------------- */

static pp_status check_switch(const pp_bench_variant *v, const char *who, bool want, pp_error *err)
{
    const pp_json *build;
    bool value;
    pp_status st = pp_json_member_of(v->settings, "build", PP_JSON_OBJECT, &build, err);

    if (st == PP_OK)
        st = pp_json_member_bool(build, "kleidiai", &value, err);
    if (st == PP_OK && value != want)
        st = pp_fail(err, PP_ERR_DOMAIN, "settings.build.kleidiai is %s, expected %s",
                     value ? "true" : "false", want ? "true" : "false");
    return pp_wrap(err, st, "%s", who);
}

/* A copy of an object without one member. */
static pp_json *without(pp_arena *arena, const pp_json *object, const char *key)
{
    pp_json *out = pp_json_new_object(arena);

    for (size_t i = 0; i < object->object.count; i++) {
        if (!pp_text_is(object->object.members[i].key, key))
            pp_json_set_text_key(arena, out, object->object.members[i].key,
                                 object->object.members[i].value);
    }
    return out;
}

static pp_json *without_switch(pp_arena *arena, const pp_json *settings)
{
    pp_json *out = without(arena, settings, "build");

    pp_json_set(arena, out, "build", without(arena, pp_json_find(settings, "build"), "kleidiai"));
    return out;
}

static pp_status check_settings(pp_arena *arena, const pp_bench_variant *generic,
                                const pp_bench_variant *kleidiai, pp_error *err)
{
    const pp_json *a;
    const pp_json *b;
    pp_status st = check_switch(generic, "generic", false, err);

    if (st == PP_OK)
        st = check_switch(kleidiai, "kleidiai", true, err);
    if (st != PP_OK)
        return st;
    a = without_switch(arena, generic->settings);
    b = without_switch(arena, kleidiai->settings);
    st = pp_arena_check(arena, err);
    if (st == PP_OK && !pp_bench_values_equal(a, b))
        return pp_fail(err, PP_ERR_DOMAIN, "settings differ in more than build.kleidiai");
    return st;
}

static pp_status check_test(const pp_bench_test *a, const pp_bench_test *b, const char *kind,
                            pp_error *err)
{
    if (a->present != b->present)
        return pp_fail(err, PP_ERR_DOMAIN, "only one of the two has a test of kind %s", kind);
    if (a->n_prompt != b->n_prompt || a->n_gen != b->n_gen)
        return pp_fail(err, PP_ERR_DOMAIN,
                       "%s: %lld prompt and %lld generated tokens against %lld and %lld", kind,
                       (long long)a->n_prompt, (long long)a->n_gen, (long long)b->n_prompt,
                       (long long)b->n_gen);
    if (a->sample_count != b->sample_count)
        return pp_fail(err, PP_ERR_DOMAIN, "%s: %lld samples against %lld", kind,
                       (long long)a->sample_count, (long long)b->sample_count);
    return PP_OK;
}

static pp_status check_compatible(pp_arena *arena, const pp_bench_variant *generic,
                                  const pp_bench_variant *kleidiai, pp_error *err)
{
    pp_status st;

    if (!pp_text_equal(generic->build_commit, kleidiai->build_commit))
        return pp_fail(err, PP_ERR_DOMAIN, "build_commit differs: '%s' against '%s'",
                       generic->build_commit.data, kleidiai->build_commit.data);
    if (!pp_bench_same_name(arena, generic->model_filename, kleidiai->model_filename))
        return pp_fail(err, PP_ERR_DOMAIN, "model_filename differs: '%s' against '%s'",
                       generic->model_filename.data, kleidiai->model_filename.data);
    st = check_settings(arena, generic, kleidiai, err);
    if (st == PP_OK && generic->synthetic_fixture != kleidiai->synthetic_fixture)
        return pp_fail(err, PP_ERR_DOMAIN, "only one of the two is a made-up fixture");
    for (int kind = PP_BENCH_PP; st == PP_OK && kind <= PP_BENCH_PG; kind++)
        st = check_test(&generic->tests[kind], &kleidiai->tests[kind],
                        pp_bench_kind_name((pp_bench_kind)kind), err);
    return st;
}

/* ---- the document -------------------------------------------------------------------------- */

static pp_json *side_to_json(pp_arena *arena, const pp_bench_test *test)
{
    pp_json *out = pp_json_new_object(arena);

    pp_json_set_real(arena, out, "tokens_per_second_median", test->tokens_per_second_median);
    pp_json_set_int(arena, out, "tokens_per_second_sample_count", test->sample_count);
    pp_json_set_real(arena, out, "duration_ns_median", test->duration_ns_median);
    pp_json_set_int(arena, out, "duration_ns_sample_count", test->sample_count);
    return out;
}

static pp_json *test_to_json(pp_arena *arena, const char *kind, const pp_bench_test *generic,
                             const pp_bench_test *kleidiai)
{
    pp_json *out = pp_json_new_object(arena);
    double speedup = kleidiai->tokens_per_second_median / generic->tokens_per_second_median;
    double longer = kleidiai->duration_ns_median / generic->duration_ns_median;

    pp_json_set_string(arena, out, "test_kind", kind);
    pp_json_set_int(arena, out, "n_prompt", generic->n_prompt);
    pp_json_set_int(arena, out, "n_gen", generic->n_gen);
    pp_json_set(arena, out, "generic", side_to_json(arena, generic));
    pp_json_set(arena, out, "kleidiai", side_to_json(arena, kleidiai));
    pp_json_set_real(arena, out, "median_throughput_speedup", speedup);
    /* subtract first: the last digits are the original's */
    pp_json_set_real(arena, out, "median_throughput_percent_change", (speedup - 1.0) * 100.0);
    pp_json_set_real(arena, out, "median_duration_percent_change", (longer - 1.0) * 100.0);
    return out;
}

static pp_json *tests_to_json(pp_arena *arena, const pp_bench_variant *generic,
                              const pp_bench_variant *kleidiai)
{
    pp_json *out = pp_json_new_object(arena);

    for (int kind = PP_BENCH_PP; kind <= PP_BENCH_PG; kind++) {
        const char *name = pp_bench_kind_name((pp_bench_kind)kind);

        if (generic->tests[kind].present)
            pp_json_set(arena, out, name,
                        test_to_json(arena, name, &generic->tests[kind], &kleidiai->tests[kind]));
    }
    return out;
}

static pp_json *compatibility(pp_arena *arena)
{
    static const char *const flags[] = {"validated",
                                        "same_build_commit",
                                        "same_model_filename",
                                        "same_benchmark_settings_except_kleidiai",
                                        "same_workload_shapes",
                                        "same_sample_counts",
                                        "same_synthetic_status"};
    pp_json *out = pp_json_new_object(arena);

    for (size_t i = 0; i < PP_COUNT_OF(flags); i++)
        pp_json_set_bool(arena, out, flags[i], true);
    return out;
}

static pp_json *variant_to_json(pp_arena *arena, const pp_bench_variant *variant)
{
    pp_json *out = pp_json_new_object(arena);

    pp_json_set_text(arena, out, "label", variant->label);
    return out;
}

pp_status pp_bench_compare(pp_arena *arena, const pp_bench_variant *generic,
                           const char *generic_sha256, const pp_bench_variant *kleidiai,
                           const char *kleidiai_sha256, pp_json **ret_document, pp_error *err)
{
    pp_json *out = pp_json_new_object(arena);
    pp_json *variants = pp_json_new_object(arena);
    pp_json *fingerprints = pp_json_new_object(arena);
    pp_status st = check_compatible(arena, generic, kleidiai, err);

    if (st != PP_OK)
        return st;
    pp_json_set(arena, variants, "generic", variant_to_json(arena, generic));
    pp_json_set(arena, variants, "kleidiai", variant_to_json(arena, kleidiai));
    pp_json_set_string(arena, fingerprints, "generic_summary_sha256", generic_sha256);
    pp_json_set_string(arena, fingerprints, "kleidiai_summary_sha256", kleidiai_sha256);
    pp_json_set_string(arena, out, "schema_version", "1.0");
    pp_json_set_string(arena, out, "comparison_type", "generic-vs-kleidiai");
    pp_json_set_text(arena, out, "build_commit", generic->build_commit);
    pp_json_set_text(arena, out, "model_filename", generic->model_filename);
    pp_json_set_bool(arena, out, "synthetic_fixture", generic->synthetic_fixture);
    pp_json_set(arena, out, "compatibility", compatibility(arena));
    pp_json_set(arena, out, "variants", variants);
    pp_json_set(arena, out, "tests", tests_to_json(arena, generic, kleidiai));
    pp_json_set(arena, out, "input_fingerprints", fingerprints);
    *ret_document = out;
    return pp_arena_check(arena, err);
}
