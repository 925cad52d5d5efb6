#include "model/model_table.h"

#include <string.h>

#include "base/files.h"
#include "shared.h"

#define HEAD                                                                                       \
    "{\"schema_version\": \"1.0\", \"document\": \"model-table\", \"name\": \"t\", "               \
    "\"vocabulary\": [\"a\", \"b\", \"c\"], "

static pp_status decode(pp_arena *arena, const char *text, pp_model_table *ret_table, pp_error *err)
{
    const pp_json *root;
    pp_status st = pp_json_parse(arena, "test", text, strlen(text), &root, err);

    return st == PP_OK ? pp_model_table_decode(arena, root, ret_table, err) : st;
}

static void a_table_is_read_in_document_order(void **state)
{
    static const char text[] =
        HEAD "\"rows\": [{\"state\": \"c\", \"next\": {\"end\": 0.25, \"a\": 0, \"b\": 0.75}}, "
             "{\"state\": \"a\", \"next\": {\"end\": 1}}], \"otherwise\": {\"c\": 1.0}, "
             "\"chat_state\": \"c\"}";
    pp_arena arena = {0};
    pp_error err = {0};
    pp_model_table t;

    (void)state;
    assert_ok(decode(&arena, text, &t, &err), err);
    assert_string_equal(t.name.data, "t");
    assert_int_equal(t.token_count, 3);
    assert_string_equal(t.tokens[1].data, "b");
    assert_int_equal(t.state_count, 2);
    assert_int_equal(t.states[0].token, 2);
    assert_int_equal(t.states[0].row.next_count, 2); /* the zero is left out */
    assert_true(t.states[0].row.next[0].token == PP_TABLE_END);
    assert_true(t.states[0].row.next[0].probability == 0.25);
    assert_int_equal(t.states[0].row.next[1].token, 1);
    assert_int_equal(t.states[1].token, 0);
    assert_int_equal(t.otherwise.next[0].token, 2);
    assert_true(t.has_chat_state);
    assert_int_equal(t.chat_state, 2);
    assert_false(t.endless);
    pp_arena_done(&arena);
}

static void a_table_may_be_endless_when_it_says_so(void **state)
{
    static const char text[] = HEAD "\"rows\": [{\"state\": \"a\", \"next\": {\"a\": 1}}], "
                                    "\"otherwise\": {\"end\": 1}, \"endless\": true}";
    pp_arena arena = {0};
    pp_error err = {0};
    pp_model_table t;

    (void)state;
    assert_ok(decode(&arena, text, &t, &err), err);
    assert_true(t.endless);
    assert_false(t.has_chat_state);
    pp_arena_done(&arena);
}

static void a_refusal_names_place_found_and_expected(void **state)
{
#define ROWS(rows) HEAD "\"rows\": [" rows "], \"otherwise\": {\"end\": 1}}"
#define NEXT(next) ROWS("{\"state\": \"a\", \"next\": {" next "}}")
#define VOCABULARY(items)                                                                          \
    "{\"schema_version\": \"1.0\", \"document\": \"model-table\", \"name\": \"t\", "               \
    "\"vocabulary\": [" items                                                                      \
    "], \"rows\": [{\"state\": \"a\", \"next\": {\"end\": 1}}], \"otherwise\": {\"end\": 1}}"
    static const struct {
        const char *text;
        const char *want;
    } rows[] = {
        {"[]", "$: expected object, got array"},
        {"{\"document\": \"plan\"}", "$.document: expected \"model-table\", got \"plan\""},
        {"{\"document\": \"model-table\", \"schema_version\": \"2.0\"}",
         "$.schema_version: expected \"1.0\", got \"2.0\""},
        {HEAD "\"row\": []}", "$: unknown key 'row'"},
        {HEAD "\"otherwise\": {\"end\": 1}}", "$: required key 'rows' is missing"},
        {HEAD "\"rows\": [{\"state\": \"a\", \"next\": {\"end\": 1}}]}",
         "$: required key 'otherwise' is missing"},
        {ROWS(""), "$.rows: expected 1 to 511 items, got 0"},
        {ROWS("7"), "$.rows[0]: expected object, got integer"},
        {ROWS("{\"state\": \"d\", \"next\": {\"end\": 1}}"),
         "$.rows[0].state: expected a text of $.vocabulary, got \"d\""},
        {ROWS("{\"state\": \"a\", \"next\": {\"end\": 1}, \"p\": 1}"),
         "$.rows[0]: unknown key 'p'"},
        {ROWS("{\"state\": \"a\", \"next\": {\"end\": 1}}, {\"state\": \"a\", \"next\": {\"end\": "
              "1}}"),
         "$.rows[1].state: the state \"a\" has a row already: $.rows[0]"},
        {ROWS("{\"state\": \"end\", \"next\": {\"end\": 1}}"),
         "$.rows[0].state: expected a text of $.vocabulary, got \"end\""},
        {NEXT(""), "$.rows[0].next: expected probabilities that sum to 1 within 1e-06, got 0"},
        {NEXT("\"end\": 0.5, \"b\": 0.499998"),
         "$.rows[0].next: expected probabilities that sum to 1 within 1e-06, got 0.999998"},
        {NEXT("\"d\": 1"), "$.rows[0].next.d: expected a text of $.vocabulary, got \"d\""},
        {NEXT("\"end\": -0.5"), "$.rows[0].next.end: expected 0 to 1, got -0.5"},
        {NEXT("\"end\": 1.5"), "$.rows[0].next.end: expected 0 to 1, got 1.5"},
        {NEXT("\"end\": 9e-7"), "$.rows[0].next.end: expected 0, or 1e-06 to 1, got 9e-07"},
        {NEXT("\"end\": \"1\""), "$.rows[0].next.end: expected a number"},
        {NEXT("\"b\": 1"), NULL}, /* b has no row and ends */
        {NEXT("\"a\": 1"), "$.rows[0]: the end cannot be reached from here"},
        {ROWS("{\"state\": \"a\", \"next\": {\"b\": 1}}, {\"state\": \"b\", \"next\": {\"a\": 0.5, "
              "\"b\": 0.5, \"end\": 0}}, {\"state\": \"c\", \"next\": {\"end\": 0.5, \"a\": 0.5}}"),
         "$.rows[0]: the end cannot be reached from here; expected a way to \"end\", or "
         "\"endless\": true"},
        {HEAD "\"rows\": [{\"state\": \"a\", \"next\": {\"end\": 1}}], \"otherwise\": {\"b\": 1}}",
         "$.otherwise: the end cannot be reached from here"},
        {HEAD "\"rows\": [{\"state\": \"a\", \"next\": {\"end\": 1}}], \"otherwise\": {\"end\": "
              "1}, \"chat_state\": \"end\"}",
         "$.chat_state: expected a text of $.vocabulary, got \"end\""},
        {HEAD "\"rows\": [{\"state\": \"a\", \"next\": {\"end\": 1}}], \"otherwise\": {\"end\": "
              "1}, \"endless\": 1}",
         "$.endless: expected true or false, got integer"},
        {VOCABULARY(""), "$.vocabulary: expected 1 to 2048 items, got 0"},
        {VOCABULARY("\"a\", \"b\", \"a\""), "$.vocabulary[2]: the text \"a\" is there already"},
        {VOCABULARY("\"\""), "$.vocabulary[0]: expected 1 to 256 bytes of text, got 0"},
        {VOCABULARY("\"a\", \"end\""), "$.vocabulary[1]: the text \"end\" is reserved"},
        {VOCABULARY("\"\\u2581\""), "$.vocabulary[0]: the text U+2581 is reserved"},
        {VOCABULARY("\"<|im_end|>\""), "$.vocabulary[0]: expected no text with '<' and '>'"},
        {VOCABULARY("\"[EOS]\""), "$.vocabulary[0]: expected no text with '<' and '>'"},
        {VOCABULARY("\"a\\u0000b\""), "$.vocabulary[0]: expected no control characters"},
        {VOCABULARY("7"), "$.vocabulary[0]: expected a string"},
    };

    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(rows); i++) {
        pp_arena arena = {0};
        pp_error err = {0};
        pp_model_table t;
        pp_status st = decode(&arena, rows[i].text, &t, &err);

        if (rows[i].want == NULL) {
            assert_ok(st, err);
        } else {
            assert_int_not_equal(st, PP_OK);
            assert_contains(err.text, rows[i].want);
        }
        pp_arena_done(&arena);
    }
}

static void a_name_is_short_and_a_file_is_named(void **state)
{
    static const char text[] =
        "{\"schema_version\": \"1.0\", \"document\": \"model-table\", \"name\": "
        "\"12345678901234567890123456789012345678901234567890123456789012345\", "
        "\"vocabulary\": [\"a\"], \"rows\": [{\"state\": \"a\", \"next\": {\"end\": 1}}], "
        "\"otherwise\": {\"end\": 1}}";
    pp_arena arena = {0};
    pp_error err = {0};
    const char *folder = make_temp_folder(&arena);
    const char *path = pp_path_join(&arena, folder, "long.json");
    pp_model_table t;

    (void)state;
    assert_ok(pp_file_write_new(path, text, strlen(text), &err), err);
    assert_int_equal(pp_model_table_load(&arena, path, &t, &err), PP_ERR_SCHEMA);
    assert_contains(err.text, "long.json': $.name: expected at most 64 bytes");
    remove_folder(folder);
    pp_arena_done(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_table_is_read_in_document_order),
        cmocka_unit_test(a_table_may_be_endless_when_it_says_so),
        cmocka_unit_test(a_refusal_names_place_found_and_expected),
        cmocka_unit_test(a_name_is_short_and_a_file_is_named),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
