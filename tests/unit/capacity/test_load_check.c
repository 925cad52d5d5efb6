/* A reader makes every member again: no number, text or boolean of a document can be changed
 * without being noticed, but for what was measured or declared. */
#include "capacity/load_check.h"

#include <string.h>

#include "shared.h"

static const pp_json *read_fixture(pp_arena *arena, const char *name)
{
    const pp_json *root;
    pp_error err = {0};

    assert_ok(pp_json_read_file(arena, fixture_path(arena, name), NULL, &root, &err), err);
    return root;
}

static pp_status read_one(pp_arena *arena, const pp_json *root, pp_error *err)
{
    pp_load_evaluation e;

    return pp_load_evaluation_read(arena, root, &e, err);
}

static pp_status read_all(pp_arena *arena, const pp_json *root, pp_error *err)
{
    pp_combined_load_evaluation c;

    return pp_combined_load_evaluation_read(arena, root, &c, err);
}

typedef struct alteration {
    pp_status (*read)(pp_arena *arena, const pp_json *root, pp_error *err);
    const pp_json *root;
    size_t refused;
    size_t accepted;
} alteration;

/* Members that nothing else in the document determines. Digests of files, because the files are
 * not there. */
static bool is_free(const pp_json *value)
{
    static const char *const keys[] = {
        "candidate_id",    "synthetic",
        "peak_rss_mib",    "plan_sha256",
        "output_tokens",   "warmup_requests_per_level",
        "ttft_ms",         "load_server_command_sha256",
        "error",           "canonical_server_command_sha256",
        "max_ttft_ms_p95", "max_e2e_latency_ms_p95",
    };

    for (size_t i = 0; i < PP_COUNT_OF(keys); i++) {
        if (pp_text_is(value->key, keys[i]))
            return true;
    }
    return false;
}

/* One change to a scalar, undone after reading. */
static void alter(alteration *a, pp_json *value)
{
    pp_json before = *value;
    pp_arena arena = {0};
    pp_error err = {0};
    char path[PP_JSON_PATH_MAX];
    char *text;

    switch (value->kind) {
    case PP_JSON_BOOL:
        value->boolean = !value->boolean;
        break;
    case PP_JSON_INTEGER:
        value->integer++;
        break;
    case PP_JSON_REAL:
        value->real = value->real * 1.5 + 1;
        break;
    case PP_JSON_STRING:
        text = pp_arena_dup(&arena, value->text.data, value->text.size);
        text[0] = text[0] == '0' ? '1' : '0';
        value->text.data = text;
        break;
    default:
        return;
    }
    if (a->read(&arena, a->root, &err) != PP_OK) {
        assert_true(err.text[0] != '\0');
        a->refused++;
    } else {
        if (!is_free(&before))
            fail_msg("%s can be changed", pp_json_path(value, path));
        a->accepted++;
    }
    *value = before;
    pp_arena_done(&arena);
}

static void alter_each(alteration *a, const pp_json *value)
{
    if (value->kind == PP_JSON_ARRAY) {
        for (size_t i = 0; i < value->array.count; i++)
            alter_each(a, value->array.items[i]);
    } else if (value->kind == PP_JSON_OBJECT) {
        for (size_t i = 0; i < value->object.count; i++)
            alter_each(a, value->object.members[i].value);
    } else {
        alter(a, (pp_json *)value);
    }
}

static void check_fixture(const char *name,
                          pp_status (*read)(pp_arena *, const pp_json *, pp_error *),
                          size_t least_refused)
{
    pp_arena arena = {0};
    pp_error err = {0};
    alteration a = {read, read_fixture(&arena, name), 0, 0};

    assert_ok(read(&arena, a.root, &err), err);
    alter_each(&a, a.root);
    print_message("# %s: %zu changes refused, %zu of measured and declared values not\n", name,
                  a.refused, a.accepted);
    assert_true(a.refused >= least_refused);
    pp_arena_done(&arena);
}

static void nothing_derived_can_be_changed(void **state)
{
    (void)state;
    check_fixture("documents/load-evaluation.json", read_one, 100);
    check_fixture("documents/combined-load.json", read_all, 200);
}

/* The document demands numbers, not their spelling. */
static void an_integer_may_stand_for_a_real(void **state)
{
    pp_arena arena = {0};
    pp_error err = {0};
    const pp_json *root = read_fixture(&arena, "documents/load-evaluation.json");
    pp_json *rate = pp_json_find(pp_json_find(root, "rows")->array.items[1], "completion_rate");

    (void)state;
    assert_true(rate->kind == PP_JSON_REAL && rate->real == 1.0);
    rate->kind = PP_JSON_INTEGER;
    rate->integer = 1;
    assert_ok(read_one(&arena, root, &err), err);
    rate->kind = PP_JSON_BOOL;
    rate->boolean = true;
    assert_int_equal(read_one(&arena, root, &err), PP_ERR_SCHEMA);
    pp_arena_done(&arena);
}

static pp_status read_within_memory(const void *context, pp_error *err)
{
    pp_arena arena = {0};
    pp_status st = read_all(&arena, context, err);

    pp_arena_done(&arena);
    return st;
}

static void missing_memory_is_said(void **state)
{
    pp_arena arena = {0};

    (void)state;
    assert_true(check_missing_memory(read_within_memory,
                                     read_fixture(&arena, "documents/combined-load.json")) > 5);
    pp_arena_done(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_derived_can_be_changed),
        cmocka_unit_test(an_integer_may_stand_for_a_real),
        cmocka_unit_test(missing_memory_is_said),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
