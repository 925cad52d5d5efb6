/* A reader of evaluations and of bindings makes every member again: nothing that follows from the
 * rest can be changed without being noticed. And what ties a binding to its study. */
#include "capacity/quality_binding.h"

#include <string.h>

#include "capacity/server_argv.h"
#include "original_cases.h"
#include "quality/evaluation_check.h"
#include "shared.h"

static const pp_json *read_fixture(pp_arena *arena, const char *name)
{
    const pp_json *root;
    pp_error err = {0};

    assert_ok(pp_json_read_file(arena, fixture_path(arena, name), NULL, &root, &err), err);
    return root;
}

/* ---- alterations ------------------------------------------------------------------------------
 */

typedef struct alteration {
    pp_status (*read)(pp_arena *arena, const pp_json *root, pp_error *err);
    const pp_json *root;
    size_t refused, accepted;
} alteration;

static pp_status read_evaluation(pp_arena *arena, const pp_json *root, pp_error *err)
{
    pp_server_evaluation e;

    return pp_server_evaluation_read(arena, root, &e, err);
}

static pp_status read_binding(pp_arena *arena, const pp_json *root, pp_error *err)
{
    pp_quality_binding b;

    return pp_quality_binding_read(arena, root, &b, err);
}

/* What was measured or declared, and nothing else in an evaluation determines. */
static bool is_free_in_evaluation(const pp_json *value)
{
    static const char *const keys[] = {
        "candidate_id", "synthetic",           "license", "sha256",           "id",       "prompt",
        "event_count",  "performance_warmups", "content", "accepted_answers", "response",
    };
    pp_text key = value->key.data == NULL ? value->parent->key : value->key;

    for (size_t i = 0; i < PP_COUNT_OF(keys); i++) {
        if (pp_text_is(key, keys[i]))
            return true;
    }
    return false;
}

/* In a binding, the evaluation's content digest determines these. */
static bool is_free_in_binding(const pp_json *value)
{
    static const char *const keys[] = {"run_id", "run_attempt", "evaluation_sha256",
                                       "server_command_sha256"};

    for (size_t i = 0; i < PP_COUNT_OF(keys); i++) {
        if (pp_text_is(value->key, keys[i]))
            return true;
    }
    return false;
}

static void change(pp_arena *arena, pp_json *value)
{
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
        text = pp_arena_dup(arena, value->text.data, value->text.size);
        text[0] = text[0] == '0' ? '1' : '0';
        value->text.data = text;
        break;
    default:
        break;
    }
}

static void alter(alteration *a, pp_json *value)
{
    bool is_free =
        a->read == read_evaluation ? is_free_in_evaluation(value) : is_free_in_binding(value);
    pp_json before = *value;
    pp_arena arena = {0};
    pp_error err = {0};
    char path[PP_JSON_PATH_MAX];

    change(&arena, value);
    if (value->kind == PP_JSON_NULL) {
        /* nothing to change it into here; a golden case does */
    } else if (a->read(&arena, a->root, &err) != PP_OK) {
        assert_contains(err.text, "$");
        a->refused++;
    } else {
        if (!is_free)
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

static void check_alterations(const char *name,
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
    check_alterations("documents/server-evaluation.json", read_evaluation, 40);
    check_alterations("documents/capacity-quality-binding.json", read_binding, 70);
}

/* ---- all differences --------------------------------------------------------------------------
 */

static void every_difference_is_listed_with_its_place(void **state)
{
    pp_arena arena = {0};
    pp_error err = {0};
    const pp_json *root = read_fixture(&arena, "documents/server-evaluation.json");
    const pp_json *samples = pp_json_find(pp_json_find(root, "latency"), "samples");
    pp_evaluation_differences d;
    pp_server_evaluation e;

    (void)state;
    pp_json_find(pp_json_find(root, "quality"), "score")->real = 0.25;
    for (size_t i = 0; i < 5; i++)
        pp_json_find(samples->array.items[i], "index")->integer += 20;
    for (size_t i = 0; i < 5; i++)
        pp_json_find(samples->array.items[i], "predicted_tokens")->integer = 11;
    assert_ok(pp_server_evaluation_check(&arena, root, &e, &d, &err), err);
    assert_int_equal(d.count, 11);
    assert_string_equal(d.items[0].path, "$.quality.score");
    assert_string_equal(d.items[0].expected, "0.6666666666666666");
    assert_string_equal(d.items[0].found, "0.25");
    assert_string_equal(d.items[10].path, "$.latency.samples[4].predicted_tokens");
    assert_string_equal(d.items[10].expected, "8");
    assert_string_equal(d.items[10].found, "11");
    pp_arena_done(&arena);
}

/* ---- binding and study ------------------------------------------------------------------------
 */

typedef struct bound {
    pp_quality_binding binding;
    pp_server_argv load;
    pp_quality_binding_study study;
} bound;

static pp_server_argv argv_of(pp_arena *arena, const char *const *words, size_t count)
{
    pp_server_argv argv = {PP_ARENA_NEW(arena, pp_text, count), count};

    for (size_t i = 0; i < count; i++)
        argv.items[i] = pp_text_of(words[i]);
    return argv;
}

static void take_bound(pp_arena *arena, bound *b)
{
    static const char *const frozen[] = {"./llama-server", "--model",    "lamp.gguf", "--ctx-size",
                                         "2048",           "--parallel", "1",         "--host",
                                         "127.0.0.1",      "--port",     "18081"};
    static const char *const load[] = {"./llama-server", "--model",    "lamp.gguf", "--ctx-size",
                                       "4096",           "--parallel", "2",         "--host",
                                       "127.0.0.1",      "--port",     "19002"};
    pp_error err = {0};

    assert_ok(pp_quality_binding_read(
                  arena, read_fixture(arena, "documents/capacity-quality-binding.json"),
                  &b->binding, &err),
              err);
    b->load = argv_of(arena, load, PP_COUNT_OF(load));
    b->study = (pp_quality_binding_study){
        .run_id = pp_text_of("77"),
        .run_attempt = 1,
        .suite_sha256 = b->binding.evaluation.suite_sha256,
        .slot_context_tokens = 2048,
        .frozen = argv_of(arena, frozen, PP_COUNT_OF(frozen)),
        .loads = &b->load,
        .load_count = 1,
    };
}

static void another_run(bound *b)
{
    b->study.run_id = pp_text_of("78");
}

static void another_attempt(bound *b)
{
    b->study.run_attempt = 2;
}

static void another_suite(bound *b)
{
    b->study.suite_sha256 = b->binding.server_argv_sha256;
}

static void another_context(bound *b)
{
    b->study.slot_context_tokens = 1024;
    b->study.frozen.items[4] = pp_text_of("1024");
}

static void another_model(bound *b)
{
    b->study.frozen.items[2] = pp_text_of("torch.gguf");
}

static void another_load(bound *b)
{
    b->load.items[8] = pp_text_of("0.0.0.0");
}

static void a_binding_of_another_study_is_refused(void **state)
{
    static const struct {
        void (*change)(bound *b);
        const char *says;
    } rows[] = {
        {NULL, NULL},
        {another_run, "$.run_id: expected the study's, \"78\", got \"77\""},
        {another_attempt, "$.run_attempt: expected the study's, 2, got 1"},
        {another_suite, "$.evaluation.suite.sha256: expected the suite of the plan"},
        {another_context, "expected --ctx-size of 2 slots of 1024, got 4096"},
        {another_model, "$.server_argv: argv[2]"},
        {another_load, "$.server_argv: expected the command line of load pass 1 but for --port"},
    };

    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(rows); i++) {
        pp_arena arena = {0};
        pp_error err = {0};
        bound b;

        take_bound(&arena, &b);
        if (rows[i].change == NULL) {
            assert_ok(pp_quality_binding_check(&b.binding, &b.study, &err), err);
        } else {
            rows[i].change(&b);
            assert_int_equal(pp_quality_binding_check(&b.binding, &b.study, &err), PP_ERR_DOMAIN);
            assert_contains(err.text, rows[i].says);
        }
        pp_arena_done(&arena);
    }
}

/* ---- command lines as they are pinned ---------------------------------------------------------
 */

static void replay_argv_hash(pp_arena *arena, const char *id, const pp_json *row, void *context)
{
    const pp_json *list = pp_json_find(row, "argv");
    size_t *count = context;
    char hex[PP_SHA256_HEX_SIZE];
    pp_error err = {0};
    pp_server_argv argv;

    if (!pp_text_is(pp_json_find(row, "kind")->text, "argv-hash"))
        return;
    argv = (pp_server_argv){PP_ARENA_NEW(arena, pp_text, list->array.count), list->array.count};
    for (size_t i = 0; i < argv.count; i++)
        argv.items[i] = list->array.items[i]->text;
    assert_ok(pp_server_argv_sha256(&argv, hex, &err), err);
    if (!pp_text_is(pp_json_find(row, "sha256")->text, hex))
        fail_msg("%s: got %s", id, hex);
    ++*count;
}

static void every_recorded_command_line_has_its_digest(void **state)
{
    size_t count = 0;

    (void)state;
    assert_int_equal(original_cases_each("capacity.jsonl", replay_argv_hash, &count), 279);
    assert_int_equal(count, 4);
}

/* ---------------------------------------------------------------------------------------------- */

static pp_status read_within_memory(const void *context, pp_error *err)
{
    pp_arena arena = {0};
    pp_status st = read_binding(&arena, context, err);

    pp_arena_done(&arena);
    return st;
}

static void missing_memory_is_said(void **state)
{
    pp_arena arena = {0};

    (void)state;
    assert_true(
        check_missing_memory(read_within_memory,
                             read_fixture(&arena, "documents/capacity-quality-binding.json")) > 3);
    pp_arena_done(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_derived_can_be_changed),
        cmocka_unit_test(every_difference_is_listed_with_its_place),
        cmocka_unit_test(a_binding_of_another_study_is_refused),
        cmocka_unit_test(every_recorded_command_line_has_its_digest),
        cmocka_unit_test(missing_memory_is_said),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
