#include "load/prompts.h"

#include <string.h>

#include "shared.h"

#define TEXT(literal)                                                                              \
    {                                                                                              \
        (literal), sizeof(literal) - 1                                                             \
    }

static pp_status parse(pp_arena *arena, pp_text text, pp_prompts *ret_prompts, pp_error *err)
{
    return pp_prompts_parse(arena, "p.txt", (pp_bytes){(const unsigned char *)text.data, text.size},
                            ret_prompts, err);
}

static void text_is_split_at_line_feeds_only(void **state)
{
    static const struct {
        const char *name;
        pp_text file;
        size_t want_count;
        pp_text want[4];
        size_t want_duplicates;
    } rows[] = {
        {"two lines", TEXT("one\ntwo\n"), 2, {TEXT("one"), TEXT("two")}, 0},
        {"no line end at the end", TEXT("one\ntwo"), 2, {TEXT("one"), TEXT("two")}, 0},
        {"an empty line is an empty prompt",
         TEXT("a\n\nb\n"),
         3,
         {TEXT("a"), TEXT(""), TEXT("b")},
         0},
        {"only a line end", TEXT("\n"), 1, {TEXT("")}, 0},
        {"blanks stay", TEXT(" a \n\t\n"), 2, {TEXT(" a "), TEXT("\t")}, 0},
        {"CR stays", TEXT("a\r\nb\rc\n"), 2, {TEXT("a\r"), TEXT("b\rc")}, 0},
        {"other separators stay",
         TEXT("a\xE2\x80\xA8"
              "b\x0b\x0c\n"),
         1,
         {TEXT("a\xE2\x80\xA8"
               "b\x0b\x0c")},
         0},
        {"a byte order mark goes", TEXT("\xEF\xBB\xBFone\n"), 1, {TEXT("one")}, 0},
        {"NUL", TEXT("a\0b\nc\n"), 2, {TEXT("a\0b"), TEXT("c")}, 0},
        {"duplicates", TEXT("a\nb\na\na\n"), 4, {TEXT("a"), TEXT("b"), TEXT("a"), TEXT("a")}, 2},
        {"a bracket is no JSON Lines", TEXT("[a]\n[1]\n"), 2, {TEXT("[a]"), TEXT("[1]")}, 0},
    };

    (void)state;
    for (size_t r = 0; r < PP_COUNT_OF(rows); r++) {
        pp_arena arena = {0};
        pp_prompts prompts = {0};
        pp_error err = {0};

        assert_ok(parse(&arena, rows[r].file, &prompts, &err), err);
        assert_false(prompts.is_lines_of_json);
        if (prompts.count != rows[r].want_count ||
            prompts.duplicate_count != rows[r].want_duplicates)
            fail_msg("%s: %zu prompts, %zu duplicates", rows[r].name, prompts.count,
                     prompts.duplicate_count);
        for (size_t i = 0; i < prompts.count; i++) {
            if (!pp_text_equal(prompts.items[i].text, rows[r].want[i]))
                fail_msg("%s: prompt %zu is '%s'", rows[r].name, i, prompts.items[i].text.data);
            assert_non_null(prompts.items[i].text.data); /* empty is not absent */
            assert_null(prompts.items[i].messages.data);
        }
        pp_arena_done(&arena);
    }
}

static void b148_a_file_that_begins_with_a_brace_is_json_lines(void **state)
{
    static const char file[] =
        "{\"prompt\":\"a\\u0000\\n\"}\n"
        "{\"id\":\"q 2\",\"messages\":[{\"role\":\"system\",\"content\":\"be kind\"},"
        "{\"content\":\"\",\"role\":\"user\"}],\"output_tokens\":9}\n"
        "{\"prompt\":\"\",\"output_tokens\":0}\n"
        "{\"messages\":[{\"content\":\"be kind\",\"role\":\"system\"},"
        "{\"role\":\"user\",\"content\":\"\"}]}";
    pp_arena arena = {0};
    pp_prompts prompts = {0};
    pp_error err = {0};

    (void)state;
    assert_ok(parse(&arena, pp_text_of(file), &prompts, &err), err);
    assert_true(prompts.is_lines_of_json);
    assert_int_equal(prompts.count, 4);
    assert_int_equal(prompts.duplicate_count, 1); /* the order of keys does not matter */
    assert_true(pp_text_equal(prompts.items[0].text, (pp_text)TEXT("a\0\n")));
    assert_true(pp_text_is(prompts.items[0].id, "prompt-00001"));
    assert_false(prompts.items[0].output_tokens.known);
    assert_true(pp_text_is(prompts.items[1].id, "q 2"));
    assert_null(prompts.items[1].text.data);
    assert_true(pp_text_is(prompts.items[1].messages,
                           "[{\"content\":\"be kind\",\"role\":\"system\"},"
                           "{\"content\":\"\",\"role\":\"user\"}]"));
    assert_int_equal(prompts.items[1].output_tokens.value, 9);
    assert_true(prompts.items[2].output_tokens.known);
    assert_int_equal(prompts.items[2].output_tokens.value, 0);
    pp_arena_done(&arena);
}

static void what_is_wrong_is_named_with_its_line(void **state)
{
    static const struct {
        const char *name;
        pp_text file;
        pp_status want;
        const char *says[3];
    } rows[] = {
        {"no file", TEXT(""), PP_ERR_SCHEMA, {"p.txt", "empty file"}},
        {"a mark and nothing", TEXT("\xEF\xBB\xBF"), PP_ERR_SCHEMA, {"empty file"}},
        {"not UTF-8", TEXT("a\nb\xC3(\n"), PP_ERR_SYNTAX, {"p.txt: line 2", "byte 2", "0xC3"}},
        {"Latin-1 in JSON", TEXT("{\"prompt\":\"\xE9\"}\n"), PP_ERR_SYNTAX, {"line 1"}},
        {"unknown member",
         TEXT("{\"prompt\":\"a\"}\n{\"prompt\":\"b\",\"promt\":1}\n"),
         PP_ERR_SCHEMA,
         {"line 2", "promt"}},
        {"neither", TEXT("{\"id\":\"a\"}\n"), PP_ERR_SCHEMA, {"line 1", "neither"}},
        {"both",
         TEXT("{\"prompt\":\"\",\"messages\":[{\"role\":\"user\",\"content\":\"\"}]}\n"),
         PP_ERR_SCHEMA,
         {"line 1", "both"}},
        {"no messages", TEXT("{\"messages\":[]}\n"), PP_ERR_SCHEMA, {"line 1", "$.messages"}},
        {"a message without role",
         TEXT("{\"messages\":[{\"content\":\"a\"}]}\n"),
         PP_ERR_SCHEMA,
         {"$.messages[0]", "role"}},
        {"a prompt of another kind", TEXT("{\"prompt\":[1]}\n"), PP_ERR_SCHEMA, {"$.prompt"}},
        {"output below 0",
         TEXT("{\"prompt\":\"\",\"output_tokens\":-1}\n"),
         PP_ERR_SCHEMA,
         {"$.output_tokens"}},
        {"an id twice",
         TEXT("{\"prompt\":\"a\",\"id\":\"x\"}\n{\"prompt\":\"b\"}\n{\"prompt\":\"c\",\"id\":\"x\"}"
              "\n"),
         PP_ERR_SCHEMA,
         {"line 3", "'x'"}},
        {"an id that a place has",
         TEXT("{\"prompt\":\"a\",\"id\":\"prompt-00002\"}\n{\"prompt\":\"b\"}\n"),
         PP_ERR_SCHEMA,
         {"line 2"}},
        {"a blank line", TEXT("{\"prompt\":\"a\"}\n\n"), PP_ERR_SCHEMA, {"line 2", "blank"}},
        {"text behind JSON", TEXT("{\"prompt\":\"a\"}\nb\n"), PP_ERR_SYNTAX, {"line 2"}},
        {"text that looks like JSON",
         TEXT("{name} writes\n"),
         PP_ERR_SYNTAX,
         {"line 1", "JSON Lines"}},
        {"one list", TEXT("[{\"prompt\":\"a\"}]\n"), PP_ERR_SCHEMA, {"JSON list"}},
        {"one list over lines",
         TEXT("[\n  {\"prompt\": \"a\"}\n]\n"),
         PP_ERR_SCHEMA,
         {"JSON list"}},
    };

    (void)state;
    for (size_t r = 0; r < PP_COUNT_OF(rows); r++) {
        pp_arena arena = {0};
        pp_prompts prompts = {0};
        pp_error err = {0};
        pp_status st = parse(&arena, rows[r].file, &prompts, &err);

        if (st != rows[r].want)
            fail_msg("%s: %s '%s'", rows[r].name, pp_status_name(st), err.text);
        for (size_t i = 0; i < 3 && rows[r].says[i] != NULL; i++)
            assert_contains(err.text, rows[r].says[i]);
        assert_int_equal(prompts.count, 0);
        pp_arena_done(&arena);
    }
}

static pp_status parse_once(const void *context, pp_error *err)
{
    pp_arena arena = {0};
    pp_prompts prompts;
    pp_status st = parse(&arena, pp_text_of(context), &prompts, err);

    pp_arena_done(&arena);
    return st;
}

static void missing_memory_is_said(void **state)
{
    (void)state;
    assert_true(check_missing_memory(parse_once, "one\ntwo\n") > 2);
    assert_true(check_missing_memory(parse_once,
                                     "{\"messages\":[{\"role\":\"u\",\"content\":\"\"}]}\n"
                                     "{\"prompt\":\"b\",\"id\":\"c\"}\n") > 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_is_split_at_line_feeds_only),
        cmocka_unit_test(b148_a_file_that_begins_with_a_brace_is_json_lines),
        cmocka_unit_test(what_is_wrong_is_named_with_its_line),
        cmocka_unit_test(missing_memory_is_said),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
