#include "gateway/ask.h"

#include <string.h>

#include "shared.h"

static pp_bytes bytes_of(const char *text)
{
    return (pp_bytes){(const unsigned char *)text, strlen(text)};
}

#define M "\"messages\":[]"

static const struct {
    const char *name;
    const char *body;
    pp_endpoint endpoint;
    const char *model;
    bool stream, wants_usage, has_tools;
    int64_t max_tokens; /* -1: absent */
} rows[] = {
    {"the least of chat", "{" M "}", PP_ENDPOINT_CHAT, "", false, false, false, -1},
    {"the least of text", "{\"prompt\":\"\"}", PP_ENDPOINT_TEXT, "", false, false, false, -1},
    {"a list of prompts", "{\"prompt\":[1,2]}", PP_ENDPOINT_TEXT, "", false, false, false, -1},
    {"all of it",
     "{\"model\":\"q\\u0077en\"," M ",\"stream\":true,\"stream_options\":{\"include_usage\":true},"
     "\"tools\":[{}],\"max_tokens\":5}",
     PP_ENDPOINT_CHAT, "qwen", true, true, true, 5},
    {"null counts as absent",
     "{" M ",\"stream\":null,\"stream_options\":null,\"tools\":null,\"max_tokens\":null}",
     PP_ENDPOINT_CHAT, "", false, false, false, -1},
    {"null within the options",
     "{" M ",\"stream\":true,\"stream_options\":{\"include_usage\":null}}", PP_ENDPOINT_CHAT, "",
     true, false, false, -1},
    {"an empty list of tools", "{" M ",\"tools\":[]}", PP_ENDPOINT_CHAT, "", false, false, false,
     -1},
    {"functions, as tools were called", "{" M ",\"functions\":[{}]}", PP_ENDPOINT_CHAT, "", false,
     false, true, -1},
    {"the newer name of the limit wins", "{" M ",\"max_tokens\":5,\"max_completion_tokens\":7}",
     PP_ENDPOINT_CHAT, "", false, false, false, 7},
    {"a limit that is no count is the server's to judge", "{" M ",\"max_tokens\":\"many\"}",
     PP_ENDPOINT_CHAT, "", false, false, false, -1},
    {"E16 contents of every kind",
     "{\"messages\":[{\"content\":null},{\"content\":[{\"type\":\"text\"}]},{\"content\":\"x\"}]}",
     PP_ENDPOINT_CHAT, "", false, false, false, -1},
};

static void a_body_says_what_it_says(void **state)
{
    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(rows); i++) {
        pp_arena arena = {0};
        pp_ask ask;
        const char *param = NULL;
        pp_error err = {0};

        if (pp_ask_read(&arena, bytes_of(rows[i].body), rows[i].endpoint, &ask, &param, &err) !=
            PP_OK)
            fail_msg("%s: %s", rows[i].name, err.text);
        if (!pp_text_is(ask.model, rows[i].model) && (ask.model.size > 0 || rows[i].model[0]))
            fail_msg("%s: model '%.*s'", rows[i].name, (int)ask.model.size, ask.model.data);
        if (ask.stream != rows[i].stream || ask.wants_usage != rows[i].wants_usage ||
            ask.has_tools != rows[i].has_tools ||
            (ask.max_tokens.known ? ask.max_tokens.value : -1) != rows[i].max_tokens)
            fail_msg("%s: stream %d, usage %d, tools %d, limit %lld", rows[i].name, ask.stream,
                     ask.wants_usage, ask.has_tools,
                     (long long)(ask.max_tokens.known ? ask.max_tokens.value : -1));
        assert_string_equal(param, "");
        pp_arena_done(&arena);
    }
}

static const struct {
    const char *name;
    const char *body;
    pp_endpoint endpoint;
    pp_status want;
    const char *param;
    const char *text;
} refused[] = {
    {"nothing", "", PP_ENDPOINT_CHAT, PP_ERR_SYNTAX, "", "line 1"},
    {"cut", "{\"model\":\"a\",\n \"x", PP_ENDPOINT_CHAT, PP_ERR_SYNTAX, "", "line 2"},
    {"E35 a key twice", "{" M ",\"stream\":true,\"stream\":false}", PP_ENDPOINT_CHAT, PP_ERR_SYNTAX,
     "", "duplicate"},
    {"E35 a key twice, one in disguise", "{" M ",\"model\":\"a\",\"m\\u006fdel\":\"b\"}",
     PP_ENDPOINT_CHAT, PP_ERR_SYNTAX, "", "duplicate"},
    {"E35 half a character", "{\"model\":\"\\ud800\"," M "}", PP_ENDPOINT_CHAT, PP_ERR_SYNTAX, "",
     "line 1"},
    {"E35 not UTF-8", "{\"model\":\"\xff\"," M "}", PP_ENDPOINT_CHAT, PP_ERR_SYNTAX, "", "JSON"},
    {"a list", "[]", PP_ENDPOINT_CHAT, PP_ERR_SCHEMA, "", "expected an object, got array"},
    {"model as a number", "{\"model\":3," M "}", PP_ENDPOINT_CHAT, PP_ERR_SCHEMA, "model",
     "$.model: expected the name of a model as a string, got integer"},
    {"model as null", "{\"model\":null," M "}", PP_ENDPOINT_CHAT, PP_ERR_SCHEMA, "model",
     "got null"},
    {"stream as a string", "{\"stream\":\"true\"," M "}", PP_ENDPOINT_CHAT, PP_ERR_SCHEMA, "stream",
     "$.stream: expected true or false, got string"},
    {"options as a list", "{\"stream_options\":[]," M "}", PP_ENDPOINT_CHAT, PP_ERR_SCHEMA,
     "stream_options", "$.stream_options"},
    {"usage as a number", "{\"stream_options\":{\"include_usage\":1}," M "}", PP_ENDPOINT_CHAT,
     PP_ERR_SCHEMA, "stream_options.include_usage", "$.stream_options.include_usage"},
    {"no messages", "{\"prompt\":\"x\"}", PP_ENDPOINT_CHAT, PP_ERR_SCHEMA, "messages",
     "'messages' is missing"},
    {"messages as a string", "{\"messages\":\"x\"}", PP_ENDPOINT_CHAT, PP_ERR_SCHEMA, "messages",
     "$.messages"},
    {"no prompt", "{" M "}", PP_ENDPOINT_TEXT, PP_ERR_SCHEMA, "prompt", "'prompt' is missing"},
    {"a prompt as an object", "{\"prompt\":{}}", PP_ENDPOINT_TEXT, PP_ERR_SCHEMA, "prompt",
     "$.prompt: expected a string or a list, got object"},
};

static void e35_what_is_wrong_is_named(void **state)
{
    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(refused); i++) {
        pp_arena arena = {0};
        pp_ask ask;
        const char *param = NULL;
        pp_error err = {0};
        pp_status st =
            pp_ask_read(&arena, bytes_of(refused[i].body), refused[i].endpoint, &ask, &param, &err);

        if (st != refused[i].want || strcmp(param, refused[i].param) != 0 ||
            strstr(err.text, refused[i].text) == NULL)
            fail_msg("%s: %s, param '%s', '%s'", refused[i].name, pp_status_name(st), param,
                     err.text);
        pp_arena_done(&arena);
    }
}

static void e35_depth_has_its_limit(void **state)
{
    pp_arena arena = {0};
    pp_ask ask;
    const char *param = NULL;
    pp_error err = {0};
    pp_buf body;

    (void)state;
    pp_buf_init(&body, 8192);
    pp_buf_append_text(&body, "{\"messages\":");
    for (size_t i = 0; i < 1500; i++)
        pp_buf_append_char(&body, '[');
    for (size_t i = 0; i < 1500; i++)
        pp_buf_append_char(&body, ']');
    pp_buf_append_char(&body, '}');
    assert_int_equal(
        pp_ask_read(&arena, bytes_of(pp_buf_text(&body)), PP_ENDPOINT_CHAT, &ask, &param, &err),
        PP_ERR_LIMIT);
    assert_contains(err.text, "nested deeper than 512");
    pp_buf_done(&body);
    pp_arena_done(&arena);
}

/* Odd on purpose: order, blanks, numbers, escapes and unknown members must come out as they went
 * in.
 */
#define ODD "\"seed\": 9007199254740993 , \"x\":1.50e+0,\"grammar\":\"root ::= \\u0041\""

static const struct {
    const char *name;
    const char *body;
    const char *model; /* upstream */
    bool ask_usage;
    const char *want; /* NULL: the body itself */
} writes[] = {
    {"nothing to change", "{ " M "," ODD ",\"stream\":true}\n", "", false, NULL},
    {"E9 the model alone", "{" ODD ", \"model\" : \"q\\u0077\" ," M " }", "up", false,
     "{" ODD ", \"model\" : \"up\" ," M " }"},
    {"a model that needs escapes", "{\"model\":\"a\"," M "}", "a\"\\\n\xc3\xa9", false,
     "{\"model\":\"a\\\"\\\\\\n\xc3\xa9\"," M "}"},
    {"no model is put in front", "{ " M "}", "up", false, "{\"model\":\"up\", " M "}"},
    {"an empty model is replaced", "{\"model\":\"\"," M "}", "up", false,
     "{\"model\":\"up\"," M "}"},
    {"a model in disguise is replaced", "{\"mod\\u0065l\":\"a\"," M "}", "up", false,
     "{\"mod\\u0065l\":\"up\"," M "}"},
    {"a model further down is none", "{\"metadata\":{\"model\":\"x\"},\"model\":\"a\"," M "}", "up",
     false, "{\"metadata\":{\"model\":\"x\"},\"model\":\"up\"," M "}"},
    {"E13 usage is asked of a stream", "{" M ",\"stream\":true}", "", true,
     "{\"stream_options\":{\"include_usage\":true}," M ",\"stream\":true}"},
    {"not of a plain reply", "{" M ",\"stream\":false}", "", true, NULL},
    {"usage that was asked for already",
     "{" M ",\"stream\":true,\"stream_options\":{ \"include_usage\" : true }}", "", true, NULL},
    {"usage that was refused",
     "{" M ",\"stream\":true,\"stream_options\":{ \"include_usage\" : false }}", "", true,
     "{" M ",\"stream\":true,\"stream_options\":{ \"include_usage\" : true }}"},
    {"options without usage", "{" M ",\"stream_options\":{\"x\":1},\"stream\":true}", "", true,
     "{" M ",\"stream_options\":{\"include_usage\":true,\"x\":1},\"stream\":true}"},
    {"empty options", "{" M ",\"stream_options\":{ },\"stream\":true}", "", true,
     "{" M ",\"stream_options\":{\"include_usage\":true },\"stream\":true}"},
    {"options of null", "{\"stream_options\":null," M ",\"stream\":true}", "", true,
     "{\"stream_options\":{\"include_usage\":true}," M ",\"stream\":true}"},
    {"all at once", "{" M ",\"stream\":true," ODD "}", "up", true,
     "{\"model\":\"up\",\"stream_options\":{\"include_usage\":true}," M ",\"stream\":true," ODD
     "}"},
    {"all at once, in place",
     "{\"stream_options\":{\"include_usage\":null},\"stream\":true," M ",\"model\":\"a\"}", "up",
     true, "{\"stream_options\":{\"include_usage\":true},\"stream\":true," M ",\"model\":\"up\"}"},
};

static void e9_e16_only_named_values_change(void **state)
{
    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(writes); i++) {
        pp_bytes body = bytes_of(writes[i].body);
        const char *want = writes[i].want == NULL ? writes[i].body : writes[i].want;
        pp_arena arena = {0};
        pp_ask ask;
        const char *param = NULL;
        pp_error err = {0};
        pp_buf out;

        pp_buf_init(&out, 4096);
        assert_ok(pp_ask_read(&arena, body, PP_ENDPOINT_CHAT, &ask, &param, &err), err);
        assert_ok(
            pp_ask_write(&ask, body, pp_text_of(writes[i].model), writes[i].ask_usage, &out, &err),
            err);
        if (strcmp(pp_buf_text(&out), want) != 0)
            fail_msg("%s:\n%s\nwanted\n%s", writes[i].name, pp_buf_text(&out), want);
        pp_buf_done(&out);
        pp_arena_done(&arena);
    }
}

static pp_status read_and_write(const void *context, pp_error *err)
{
    pp_bytes body = bytes_of(context);
    pp_arena arena = {0};
    pp_ask ask;
    const char *param;
    pp_buf out;
    pp_status st;

    pp_buf_init(&out, 4096);
    st = pp_ask_read(&arena, body, PP_ENDPOINT_CHAT, &ask, &param, err);
    if (st == PP_OK)
        st = pp_ask_write(&ask, body, pp_text_of("up"), true, &out, err);
    pp_buf_done(&out);
    pp_arena_done(&arena);
    return st;
}

static void missing_memory_is_said(void **state)
{
    (void)state;
    assert_true(check_missing_memory(read_and_write, "{" M ",\"stream\":true}") >= 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_body_says_what_it_says),
        cmocka_unit_test(e35_what_is_wrong_is_named),
        cmocka_unit_test(e35_depth_has_its_limit),
        cmocka_unit_test(e9_e16_only_named_values_change),
        cmocka_unit_test(missing_memory_is_said),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
