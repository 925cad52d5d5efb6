/* Bodies are written by hand here, as docs/method/load-requests.md lists their fields; prompts are
 * read back by the JSON reader, which knows nothing of the writer. */
#include "load/dialect.h"

#include <string.h>

#include "shared.h"
#include "json/json.h"

#define TEXT(literal)                                                                              \
    {                                                                                              \
        (literal), sizeof(literal) - 1                                                             \
    }

static void each_kind_of_server_gets_the_fields_it_knows(void **state)
{
    static const struct {
        const char *name;
        pp_dialect dialect;
        const char *want;
    } rows[] = {
        {"openai chat",
         {.endpoint = PP_ENDPOINT_CHAT, .kind = PP_SERVER_OPENAI, .model = TEXT("m"), .seed = 7},
         "{\"max_tokens\":5,\"messages\":[{\"content\":\"hi\",\"role\":\"user\"}],\"model\":\"m\","
         "\"seed\":7,\"stream\":true,\"temperature\":0.0}"},
        {"openai chat, newer name, usage, cache is no field",
         {.endpoint = PP_ENDPOINT_CHAT,
          .kind = PP_SERVER_OPENAI,
          .include_usage = true,
          .max_completion_tokens = true,
          .cache = PP_PROMPT_CACHE_OFF,
          .temperature = 0.5},
         "{\"max_completion_tokens\":5,\"messages\":[{\"content\":\"hi\",\"role\":\"user\"}],"
         "\"seed\":0,\"stream\":true,\"stream_options\":{\"include_usage\":true},"
         "\"temperature\":0.5}"},
        {"openai text",
         {.endpoint = PP_ENDPOINT_TEXT, .kind = PP_SERVER_OPENAI, .model = TEXT("a\"b")},
         "{\"max_tokens\":5,\"model\":\"a\\\"b\",\"prompt\":\"hi\",\"seed\":0,\"stream\":true,"
         "\"temperature\":0.0}"},
        {"vllm chat",
         {.endpoint = PP_ENDPOINT_CHAT, .kind = PP_SERVER_VLLM, .model = TEXT("m")},
         "{\"ignore_eos\":true,\"max_tokens\":5,\"messages\":[{\"content\":\"hi\",\"role\":"
         "\"user\"}],\"min_tokens\":5,\"model\":\"m\",\"seed\":0,\"stream\":true,"
         "\"temperature\":0.0}"},
        {"vllm text",
         {.endpoint = PP_ENDPOINT_TEXT, .kind = PP_SERVER_VLLM, .model = TEXT("m")},
         "{\"ignore_eos\":true,\"max_tokens\":5,\"min_tokens\":5,\"model\":\"m\",\"prompt\":\"hi\","
         "\"seed\":0,\"stream\":true,\"temperature\":0.0}"},
        {"vllm, free length",
         {.endpoint = PP_ENDPOINT_TEXT, .kind = PP_SERVER_VLLM, .free_length = true},
         "{\"max_tokens\":5,\"prompt\":\"hi\",\"seed\":0,\"stream\":true,\"temperature\":0.0}"},
        {"llama-server chat, cold",
         {.endpoint = PP_ENDPOINT_CHAT,
          .kind = PP_SERVER_LLAMA_SERVER,
          .cache = PP_PROMPT_CACHE_OFF},
         "{\"cache_prompt\":false,\"ignore_eos\":true,\"max_tokens\":5,\"messages\":[{\"content\":"
         "\"hi\",\"role\":\"user\"}],\"seed\":0,\"stream\":true,\"temperature\":0.0,"
         "\"timings_per_token\":false}"},
        {"llama-server completion, warm",
         {.endpoint = PP_ENDPOINT_COMPLETION,
          .kind = PP_SERVER_LLAMA_SERVER,
          .model = TEXT("not sent"),
          .include_usage = true,
          .cache = PP_PROMPT_CACHE_ON,
          .seed = 0x180000001},
         "{\"cache_prompt\":true,\"ignore_eos\":true,\"n_predict\":5,\"prompt\":\"hi\",\"seed\":1,"
         "\"stream\":true,\"temperature\":0.0,\"timings_per_token\":false}"},
    };

    (void)state;
    for (size_t r = 0; r < PP_COUNT_OF(rows); r++) {
        pp_arena arena = {0};
        const pp_json *root;
        pp_error err = {0};
        pp_buf body;

        pp_buf_init(&body, 4096);
        assert_ok(pp_dialect_check(&rows[r].dialect, &err), err);
        pp_dialect_begin(&rows[r].dialect, 5, &body);
        assert_ok(pp_dialect_write_text(&rows[r].dialect, pp_text_of("hi"), &body, &err), err);
        pp_dialect_end(&rows[r].dialect, 5, &body);
        if (strcmp(pp_buf_text(&body), rows[r].want) != 0)
            fail_msg("%s:\n%s\nexpected\n%s", rows[r].name, pp_buf_text(&body), rows[r].want);
        assert_ok(pp_json_parse(&arena, "body", pp_buf_text(&body), body.size, &root, &err), err);
        pp_buf_done(&body);
        pp_arena_done(&arena);
    }
}

static void b110_any_characters_survive_as_json(void **state)
{
    static const struct {
        const char *name;
        pp_text text;
    } rows[] = {
        {"empty", TEXT("")},
        {"a blank", TEXT(" ")},
        {"a line end only", TEXT("\n")},
        {"NUL", TEXT("a\0b")},
        {"control characters", TEXT("\x01\x02\x1f\x7f\b\t\r\n\f\x1b[31m")},
        {"quotes and slashes", TEXT("\"\\/'</script>")},
        {"astral", TEXT("\xF0\x9F\x98\x80\xF4\x8F\xBF\xBF")},
        {"right to left", TEXT("\xD7\xA9\xD7\x9C\xE2\x80\xAE x \xE2\x80\xAC")},
        {"line separators", TEXT("\xE2\x80\xA8\xE2\x80\xA9\xC2\x85")},
        {"no characters", TEXT("\xEF\xBF\xBE\xEF\xBB\xBF")},
    };
    pp_dialect chat = {.endpoint = PP_ENDPOINT_CHAT};
    pp_dialect text = {.endpoint = PP_ENDPOINT_TEXT};

    (void)state;
    for (size_t r = 0; r < PP_COUNT_OF(rows); r++) {
        for (int kind = 0; kind < 2; kind++) {
            pp_arena arena = {0};
            const pp_json *root, *content;
            pp_error err = {0};
            pp_buf body;

            pp_buf_init(&body, 4096);
            pp_buf_append_text(&body, "{\"p\":");
            assert_ok(pp_dialect_write_text(kind == 0 ? &chat : &text, rows[r].text, &body, &err),
                      err);
            pp_buf_append_char(&body, '}');
            assert_ok(
                pp_json_parse(&arena, rows[r].name, pp_buf_text(&body), body.size, &root, &err),
                err);
            content = pp_json_find(root, "p");
            if (kind == 0) {
                assert_int_equal(content->array.count, 1);
                assert_true(
                    pp_text_is(pp_json_find(content->array.items[0], "role")->text, "user"));
                content = pp_json_find(content->array.items[0], "content");
            }
            if (!pp_text_equal(content->text, rows[r].text))
                fail_msg("%s: another text came back", rows[r].name);
            pp_buf_done(&body);
            pp_arena_done(&arena);
        }
    }
}

/* All bytes one after another (B146): the first that is not UTF-8 is 0x80, byte 129. */
static void b146_bytes_that_are_no_text_are_refused(void **state)
{
    pp_dialect dialect = {0};
    pp_error err = {0};
    char bytes[256];
    pp_buf body;

    (void)state;
    for (int i = 0; i < 256; i++)
        bytes[i] = (char)i;
    pp_buf_init(&body, 4096);
    assert_int_equal(pp_dialect_write_text(&dialect, (pp_text){bytes, 256}, &body, &err),
                     PP_ERR_SYNTAX);
    assert_contains(err.text, "byte 129");
    assert_int_equal(body.size, 0);
    pp_buf_done(&body);
}

static void contradictions_are_refused(void **state)
{
    static const struct {
        pp_dialect dialect;
        pp_status want;
    } rows[] = {
        {{.endpoint = PP_ENDPOINT_COMPLETION, .kind = PP_SERVER_OPENAI}, PP_ERR_USAGE},
        {{.endpoint = PP_ENDPOINT_COMPLETION, .kind = PP_SERVER_VLLM}, PP_ERR_USAGE},
        {{.endpoint = PP_ENDPOINT_TEXT, .max_completion_tokens = true}, PP_ERR_USAGE},
        {{.temperature = -1}, PP_ERR_RANGE},
        {{.temperature = 1e9}, PP_ERR_RANGE},
        {{.model = TEXT("\xFF")}, PP_ERR_SYNTAX},
    };

    (void)state;
    for (size_t r = 0; r < PP_COUNT_OF(rows); r++) {
        pp_error err = {0};

        assert_int_equal(pp_dialect_check(&rows[r].dialect, &err), rows[r].want);
        assert_true(err.text[0] != '\0');
    }
}

static void a_base_url_is_taken_as_people_write_it(void **state)
{
    static const struct {
        const char *url;
        const char *want; /* NULL: refused */
    } rows[] = {
        {"http://127.0.0.1:8080", "http://127.0.0.1:8080"},
        {"http://127.0.0.1:8080/", "http://127.0.0.1:8080"},
        {"http://127.0.0.1:8080/v1", "http://127.0.0.1:8080"},
        {"http://127.0.0.1:8080/v1/", "http://127.0.0.1:8080"},
        {"http://127.0.0.1:8080//v1//", "http://127.0.0.1:8080"},
        {"https://host/api/v1", "https://host/api"},
        {"https://host/api/v10", "https://host/api/v10"},
        {"https://[::1]:8080/v1", "https://[::1]:8080"},
        {"http://v1", "http://v1"},
        {"127.0.0.1:8080", NULL},
        {"ftp://host", NULL},
        {"http://", NULL},
        {"http:///v1", NULL},
        {"http://host/?key=abc", NULL},
        {"http://host/#a", NULL},
        {"http://ho st", NULL},
        {"http://host\n", NULL},
        {"", NULL},
    };

    (void)state;
    for (size_t r = 0; r < PP_COUNT_OF(rows); r++) {
        pp_arena arena = {0};
        pp_error err = {0};
        const char *root = NULL;
        pp_status st = pp_server_root(&arena, rows[r].url, &root, &err);

        if ((st == PP_OK) != (rows[r].want != NULL))
            fail_msg("'%s': %s", rows[r].url, err.text);
        if (st == PP_OK)
            assert_string_equal(root, rows[r].want);
        else
            assert_null(strstr(err.text, "abc")); /* a key stays out of messages */
        pp_arena_done(&arena);
    }
}

static void names_are_found_again(void **state)
{
    pp_endpoint endpoint;
    pp_server_kind kind;
    size_t i;

    (void)state;
    for (i = 0; pp_endpoint_name(i) != NULL; i++) {
        assert_true(pp_endpoint_find(pp_endpoint_name(i), &endpoint));
        assert_int_equal(endpoint, i);
    }
    assert_int_equal(i, 3);
    for (i = 0; pp_server_kind_name(i) != NULL; i++) {
        assert_true(pp_server_kind_find(pp_server_kind_name(i), &kind));
        assert_int_equal(kind, i);
    }
    assert_int_equal(i, 3);
    assert_false(pp_endpoint_find("Chat", &endpoint));
    assert_false(pp_server_kind_find("", &kind));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_kind_of_server_gets_the_fields_it_knows),
        cmocka_unit_test(b110_any_characters_survive_as_json),
        cmocka_unit_test(b146_bytes_that_are_no_text_are_refused),
        cmocka_unit_test(contradictions_are_refused),
        cmocka_unit_test(a_base_url_is_taken_as_people_write_it),
        cmocka_unit_test(names_are_found_again),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
