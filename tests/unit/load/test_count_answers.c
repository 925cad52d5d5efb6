/* Counted by a tokenizer of the test's own: <s> where special tokens are asked for (as where
 * nothing is said), one token for each word, and three for the mark "<|end|>" where marks are text.
 */
#include "load/count_answers.h"

#include <string.h>

#include "shared.h"
#include "tape_server.h"
#include "json/json.h"

/* ---- a server with a tokenizer --------------------------------------------------------------- */

static bool says_no(const pp_json *question, const char *key)
{
    const pp_json *value = pp_json_find(question, key);

    return value != NULL && value->kind == PP_JSON_BOOL && !value->boolean;
}

static size_t words_of(pp_text text, bool marks_are_text)
{
    size_t count = 0;

    for (size_t at = 0; at < text.size; at++) {
        size_t left = text.size - at;

        if (text.data[at] != ' ' && (at == 0 || text.data[at - 1] == ' '))
            count +=
                marks_are_text && left >= 7 && memcmp(text.data + at, "<|end|>", 7) == 0 ? 3 : 1;
    }
    return count;
}

static void tokenize(const char *request, pp_buf *reply)
{
    pp_arena arena = {0};
    const pp_json *root = NULL;
    const char *body = strstr(request, "\r\n\r\n");
    size_t count = 0;
    pp_buf json;

    pp_buf_init(&json, 1 << 20);
    if (body != NULL &&
        pp_json_parse(&arena, "request", body + 4, strlen(body + 4), &root, NULL) == PP_OK)
        count = words_of(pp_json_find(root, "content")->text, says_no(root, "parse_special")) +
                (says_no(root, "add_special") ? 0 : 1);
    pp_buf_append_text(&json, "{\"tokens\":[");
    for (size_t i = 0; i < count; i++)
        pp_buf_append_text(&json, i == 0 ? "7" : ",7");
    pp_buf_append_text(&json, "]}");
    pp_buf_printf(reply, "HTTP/1.1 200 OK\r\nContent-Length: %zu\r\n\r\n", json.size);
    pp_buf_append(reply, pp_buf_text(&json), json.size);
    pp_buf_done(&json);
    pp_arena_done(&arena);
}

static const tape tokenizer[] = {{"/tokenize", NULL, 0, TAPE_KEEP, tokenize}};
static const tape_piece not_found[] = {{0, "HTTP/1.1 404 No\r\nContent-Length: 0\r\n\r\n", 0}};
static const tape without[] = {TAPE(not_found, TAPE_KEEP)};

static void count_by(const tape *tapes, const pp_dialect *dialect, volatile sig_atomic_t *stop,
                     pp_sample *samples, size_t n, size_t *ret_asked)
{
    tape_server *server = tape_server_start(tapes, 1);
    pp_http_loop *loop = NULL;
    pp_error err = {0};

    assert_ok(pp_http_loop_new(stop, &loop, &err), err);
    assert_ok(pp_load_count_answers(loop, tape_server_url(server, ""), NULL, 0, dialect, samples, n,
                                    &err),
              err);
    *ret_asked = tape_server_request_count(server);
    pp_http_loop_free(loop);
    tape_server_stop(server);
}

static void count_with(const tape *tapes, volatile sig_atomic_t *stop, pp_sample *samples, size_t n,
                       size_t *ret_asked)
{
    const pp_dialect llama = {.kind = PP_SERVER_LLAMA_SERVER};

    count_by(tapes, &llama, stop, samples, n, ret_asked);
}

/* ---- which are counted, and how -------------------------------------------------------------- */

#define ESTIMATED PP_SAMPLE_TOKENS_ESTIMATED

static const struct {
    const char *name;
    const char *text;
    pp_token_source source;
    int64_t count; /* -1: not known */
    pp_failure failure;
    int64_t asked;
    pp_token_source want;
    int64_t want_count;
    unsigned want_flags;
} rows[] = {
    {"B027 the whole text, without a begin-of-text token", "one two three", PP_TOKEN_SOURCE_EVENTS,
     13, PP_FAILURE_NONE, 3, PP_TOKEN_SOURCE_TOKENIZED, 3, 0},
    {"nothing was known", "one two", PP_TOKEN_SOURCE_NONE, -1, PP_FAILURE_NONE, 2,
     PP_TOKEN_SOURCE_TOKENIZED, 2, 0},
    {"a mark is text", "one <|end|>", PP_TOKEN_SOURCE_EVENTS, 2, PP_FAILURE_NONE, 4,
     PP_TOKEN_SOURCE_TOKENIZED, 4, 0},
    {"F40 shorter than asked", "one two", PP_TOKEN_SOURCE_EVENTS, 2, PP_FAILURE_NONE, 9,
     PP_TOKEN_SOURCE_TOKENIZED, 2, PP_SAMPLE_WRONG_LENGTH},
    {"F43 a little longer", "one two", PP_TOKEN_SOURCE_EVENTS, 2, PP_FAILURE_NONE, 1,
     PP_TOKEN_SOURCE_TOKENIZED, 2, PP_SAMPLE_OVER_LENGTH},
    {"of a failed one what came", "one two", PP_TOKEN_SOURCE_EVENTS, 2, PP_FAILURE_RESET, 9,
     PP_TOKEN_SOURCE_TOKENIZED, 2, 0},
    {"the server's own count stays", "one two", PP_TOKEN_SOURCE_USAGE, 5, PP_FAILURE_NONE, 5,
     PP_TOKEN_SOURCE_USAGE, 5, 0},
    {"no text, no count", "", PP_TOKEN_SOURCE_NONE, -1, PP_FAILURE_RESET, 5, PP_TOKEN_SOURCE_NONE,
     -1, 0},
    {"JSON cannot hold it", "one \xff", PP_TOKEN_SOURCE_EVENTS, 2, PP_FAILURE_NONE, 2,
     PP_TOKEN_SOURCE_EVENTS, 2, ESTIMATED},
    {"text behind it is counted", "one", PP_TOKEN_SOURCE_EVENTS, 3, PP_FAILURE_NONE, 1,
     PP_TOKEN_SOURCE_TOKENIZED, 1, 0},
};

static void make_samples(pp_sample *samples)
{
    for (size_t i = 0; i < PP_COUNT_OF(rows); i++) {
        samples[i] = (pp_sample){.text = pp_text_of(rows[i].text),
                                 .failure = rows[i].failure,
                                 .asked_tokens = rows[i].asked};
        if (rows[i].count >= 0)
            pp_sample_set_generated(&samples[i], rows[i].count, rows[i].source);
    }
}

static void answers_without_a_count_are_counted(void **state)
{
    pp_sample samples[PP_COUNT_OF(rows)];
    size_t asked = 0;

    (void)state;
    make_samples(samples);
    count_with(tokenizer, NULL, samples, PP_COUNT_OF(samples), &asked);
    for (size_t i = 0; i < PP_COUNT_OF(rows); i++) {
        const pp_sample *s = &samples[i];
        int64_t count = s->generated_tokens.known ? s->generated_tokens.value : -1;

        if (s->token_source != rows[i].want || count != rows[i].want_count ||
            s->flags != rows[i].want_flags)
            fail_msg("%s: got %lld by %s, flags %x", rows[i].name, (long long)count,
                     pp_token_source_name(s->token_source), s->flags);
    }
    assert_int_equal(asked, 7); /* those that became "tokenized" */
}

static void assert_untouched(const pp_sample *samples)
{
    pp_sample before[PP_COUNT_OF(rows)];

    make_samples(before);
    for (size_t i = 0; i < PP_COUNT_OF(rows); i++) {
        assert_int_equal(samples[i].token_source, before[i].token_source);
        assert_int_equal(samples[i].generated_tokens.value, before[i].generated_tokens.value);
        assert_int_equal(samples[i].flags, before[i].flags);
    }
}

static void a_server_that_refuses_is_asked_once(void **state)
{
    pp_sample samples[PP_COUNT_OF(rows)];
    size_t asked = 0;

    (void)state;
    make_samples(samples);
    count_with(without, NULL, samples, PP_COUNT_OF(samples), &asked);
    assert_int_equal(asked, 1);
    assert_untouched(samples);
}

static void a_signal_leaves_estimates(void **state)
{
    volatile sig_atomic_t stop = 1;
    pp_sample samples[PP_COUNT_OF(rows)];
    size_t asked = 0;

    (void)state;
    make_samples(samples);
    count_with(tokenizer, &stop, samples, PP_COUNT_OF(samples), &asked);
    assert_untouched(samples);
}

/* Another question and another answer than llama-server's; what it counts is what it says. */
static void vllm_reply(const char *request, pp_buf *reply)
{
    static const char right[] =
        "\r\n\r\n{\"add_special_tokens\":false,\"model\":\"m\",\"prompt\":\"one two\"}";
    const char *said =
        strstr(request, right) != NULL
            ? "{\"count\":42,\"max_model_len\":64,\"tokens\":[1,2],\"token_strs\":null}"
            : "{}";

    pp_buf_printf(reply, "HTTP/1.1 200 OK\r\nContent-Length: %zu\r\n\r\n%s", strlen(said), said);
}

static void vllm_is_asked_in_its_own_way(void **state)
{
    static const tape vllm[] = {{"/tokenize", NULL, 0, TAPE_KEEP, vllm_reply}};
    const pp_dialect dialect = {.kind = PP_SERVER_VLLM, .model = {"m", 1}};
    const pp_dialect other = {.kind = PP_SERVER_OPENAI, .model = {"m", 1}};
    pp_sample sample = {.text = pp_text_of("one two"), .asked_tokens = 42};
    size_t asked = 0;

    (void)state;
    count_by(vllm, &other, NULL, &sample, 1, &asked);
    assert_int_equal(asked, 0);
    assert_false(sample.generated_tokens.known);
    count_by(vllm, &dialect, NULL, &sample, 1, &asked);
    assert_int_equal(asked, 1);
    assert_int_equal(sample.token_source, PP_TOKEN_SOURCE_TOKENIZED);
    assert_int_equal(sample.generated_tokens.value, 42);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_without_a_count_are_counted),
        cmocka_unit_test(a_server_that_refuses_is_asked_once),
        cmocka_unit_test(a_signal_leaves_estimates),
        cmocka_unit_test(vllm_is_asked_in_its_own_way),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
