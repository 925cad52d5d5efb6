#include "json/splice.h"

#include <string.h>

#include "shared.h"
#include "json/json.h"

static pp_bytes bytes_of(const char *text)
{
    return (pp_bytes){(const unsigned char *)text, strlen(text)};
}

static const struct {
    const char *name;
    const char *text;
    const char *key;
    const char *want; /* NULL: none */
} members[] = {
    {"a string", "{\"a\":\"x\"}", "a", "\"x\""},
    {"a string with quotes in it", "{\"a\":\"x\\\"},\\\\\",\"b\":1}", "a", "\"x\\\"},\\\\\""},
    {"a number as it was written", "{\"b\":0,\"a\": 1.50e+0 }", "a", "1.50e+0"},
    {"blanks are outside", "{ \"a\" \n:\t[ 1 , 2 ] \r\n}", "a", "[ 1 , 2 ]"},
    {"the last one", "{\"b\":{\"a\":1},\"c\":[{\"a\":2}],\"a\":null}", "a", "null"},
    {"only of the top", "{\"b\":{\"a\":1},\"c\":[{\"a\":2}]}", "a", NULL},
    {"brackets in strings", "{\"b\":{\"c\":\"]}\\\"}{\"},\"a\":true}", "a", "true"},
    {"a key with an escape", "{\"\\u006dod\\u0065l\":7}", "model", "7"},
    {"a key with an escape of a capital digit", "{\"\\u006DODEL\":7}", "mODEL", "7"},
    {"a key with a short escape", "{\"a\\/b\":7}", "a/b", "7"},
    {"a key that only begins so", "{\"ab\":1,\"\":2}", "a", NULL},
    {"a key that is only begun", "{\"a\":1}", "ab", NULL},
    {"an escape that is another character", "{\"\\u0461\":1}", "a", NULL},
    {"a value is no key", "{\"b\":\"a\"}", "a", NULL},
    {"an empty object", "{}", "a", NULL},
    {"no object", "[\"a\",1]", "a", NULL},
    {"behind blanks", " \n{\"a\":1}\n", "a", "1"},
};

static void the_span_of_a_member_is_that_of_its_value(void **state)
{
    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(members); i++) {
        pp_bytes text = bytes_of(members[i].text);
        pp_json_span at = pp_json_span_member(text, pp_json_span_root(text), members[i].key);
        const char *want = members[i].want == NULL ? "" : members[i].want;
        pp_arena arena = {0};
        const pp_json *root = NULL;
        pp_error err = {0};

        assert_ok(pp_json_parse(&arena, "row", members[i].text, text.size, &root, &err), err);
        if (at.end - at.begin != strlen(want) ||
            memcmp(members[i].text + at.begin, want, strlen(want)) != 0)
            fail_msg("%s: '%.*s'", members[i].name, (int)(at.end - at.begin),
                     members[i].text + at.begin);
        pp_arena_done(&arena);
    }
}

/* Whatever is asked of bytes that are no JSON, the answer lies within them. */
static void broken_bytes_give_nothing_outside(void **state)
{
    static const char whole[] = " {\"a\\\":\\u12\":{\"b\":[\"\\\\\",1]},\"model\":\"x\"}";

    (void)state;
    for (size_t size = 0; size < sizeof whole; size++) {
        for (size_t from = 0; from <= size; from++) {
            pp_bytes text = {(const unsigned char *)whole + from, size - from};
            pp_json_span root = pp_json_span_root(text);
            pp_json_span at = pp_json_span_member(text, root, "model");

            assert_true(root.begin <= root.end && root.end <= text.size);
            assert_true(at.begin <= at.end && at.end <= text.size);
        }
    }
}

static void edits_leave_all_other_bytes(void **state)
{
    static const char text[] = "{ \"n\":1.0,\n\"b\":{ },\"a\" : \"old\" ,\"z\":[1e5]}\n";
    pp_bytes bytes = bytes_of(text);
    pp_json_span root = pp_json_span_root(bytes);
    pp_json_edit edits[] = {
        pp_json_edit_replace(pp_json_span_member(bytes, root, "a"), pp_text_of("\"new\"")),
        pp_json_edit_insert(bytes, root, pp_text_of("\"m\":0")),
        pp_json_edit_insert(bytes, pp_json_span_member(bytes, root, "b"), pp_text_of("\"c\":1")),
    };
    pp_buf out;

    (void)state;
    pp_buf_init(&out, 1024);
    pp_json_splice(bytes, edits, 3, &out);
    assert_string_equal(pp_buf_text(&out),
                        "{\"m\":0, \"n\":1.0,\n\"b\":{\"c\":1 },\"a\" : \"new\" ,\"z\":[1e5]}\n");
    pp_buf_clear(&out);
    pp_json_splice(bytes, NULL, 0, &out);
    assert_string_equal(pp_buf_text(&out), text);
    pp_buf_done(&out);
    pp_buf_init(&out, 10);
    pp_json_splice(bytes, edits, 3, &out);
    assert_int_equal(out.status, PP_ERR_LIMIT);
    pp_buf_done(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_span_of_a_member_is_that_of_its_value),
        cmocka_unit_test(broken_bytes_give_nothing_outside),
        cmocka_unit_test(edits_leave_all_other_bytes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
