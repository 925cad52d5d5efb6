/* Prompts are judged by a tokenizer of the test's own, which the tape server offers: <s>, then one
 * token for each word of three letters or fewer and two for longer ones; a blank belongs to the
 * word behind it. The template puts 3 tokens in front and 2 behind. */
#include "load/source.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shared.h"
#include "tape_server.h"
#include "json/json.h"

/* ---- a server with a tokenizer -----------------------------------------------------------------
 */

static void reply_json(pp_buf *reply, const char *body, size_t size)
{
    pp_buf_printf(
        reply, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %zu\r\n\r\n",
        size);
    pp_buf_append(reply, body, size);
}

static void props(const char *request, pp_buf *reply)
{
    static const char body[] = "{\"default_generation_settings\":{\"n_ctx\":512}}";

    (void)request;
    reply_json(reply, body, sizeof body - 1);
}

static const char *body_of(const char *request)
{
    const char *body = strstr(request, "\r\n\r\n");

    return body == NULL ? "" : body + 4;
}

static void apply_template(const char *request, pp_buf *reply)
{
    pp_arena arena = {0};
    const pp_json *root = NULL;
    const char *body = body_of(request);
    pp_json *out = pp_json_new_object(&arena);
    pp_buf text, json;

    pp_buf_init(&text, 1 << 20);
    pp_buf_init(&json, 1 << 20);
    pp_buf_append_text(&text, "im user :");
    if (pp_json_parse(&arena, "request", body, strlen(body), &root, NULL) == PP_OK) {
        const pp_json *messages = pp_json_find(root, "messages");

        for (size_t i = 0; i < messages->array.count; i++) {
            pp_text content = pp_json_find(messages->array.items[i], "content")->text;

            pp_buf_append_char(&text, ' ');
            pp_buf_append(&text, content.data, content.size);
        }
    }
    pp_buf_append_text(&text, " end go");
    pp_json_set_text(&arena, out, "prompt", (pp_text){pp_buf_text(&text), text.size});
    pp_ignore(pp_json_write(out, PP_JSON_COMPACT, &json, NULL)); /* an empty reply fails the test */
    reply_json(reply, pp_buf_text(&json), json.size);
    pp_buf_done(&text);
    pp_buf_done(&json);
    pp_arena_done(&arena);
}

/* Ids: of a word's bytes, so that equal words are equal tokens. */
static size_t cut(pp_text text, int64_t *ids, size_t max)
{
    size_t n = 0, at = 0;

    ids[n++] = 1;
    while (at < text.size && n + 2 < max) {
        size_t end = at;
        int64_t hash = 17;

        while (end < text.size && text.data[end] == ' ')
            end++;
        at = end;
        while (end < text.size && text.data[end] != ' ')
            hash = (hash * 31 + (unsigned char)text.data[end++]) % 30000;
        if (end > at)
            ids[n++] = 100 + hash;
        if (end - at > 3)
            ids[n++] = 40000 + hash;
        at = end;
    }
    return n;
}

static void tokenize(const char *request, pp_buf *reply)
{
    static _Thread_local int64_t ids[100000];
    pp_arena arena = {0};
    const pp_json *root = NULL;
    const char *body = body_of(request);
    size_t n = 0;
    pp_buf json;

    if (pp_json_parse(&arena, "request", body, strlen(body), &root, NULL) == PP_OK)
        n = cut(pp_json_find(root, "content")->text, ids, PP_COUNT_OF(ids));
    pp_buf_init(&json, 1 << 24);
    for (size_t i = 0; i < n; i++)
        pp_buf_printf(&json, "%s%lld", i == 0 ? "{\"tokens\":[" : ",", (long long)ids[i]);
    pp_buf_append_text(&json, "]}");
    reply_json(reply, pp_buf_text(&json), json.size);
    pp_buf_done(&json);
    pp_arena_done(&arena);
}

/* Joins every two words: the number of tokens is no sum. */
static void joining(const char *request, pp_buf *reply)
{
    const char *content = strstr(body_of(request), "\"content\":\"");
    size_t words = 1;
    pp_buf json;

    for (content = content == NULL ? "" : content + 11; *content != '\0' && *content != '"';
         content++)
        words += *content == ' ' ? 1 : 0;
    pp_buf_init(&json, 1 << 20);
    pp_buf_append_text(&json, "{\"tokens\":[1");
    for (size_t i = 0; i < (words > 3 ? words / 2 : words); i++)
        pp_buf_append_text(&json, ",7");
    pp_buf_append_text(&json, "]}");
    reply_json(reply, pp_buf_text(&json), json.size);
    pp_buf_done(&json);
}

static const tape tapes[] = {
    {"/props", NULL, 0, TAPE_KEEP, props},
    {"/tokenize", NULL, 0, TAPE_KEEP, tokenize},
    {"/apply-template", NULL, 0, TAPE_KEEP, apply_template},
};
static const tape joining_tapes[] = {
    {"/props", NULL, 0, TAPE_KEEP, props},
    {"/tokenize", NULL, 0, TAPE_KEEP, joining},
};
static const tape_piece not_found[] = {
    {0, "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n", 0}};
static const tape other_tapes[] = {TAPE(not_found, TAPE_CLOSE)};

typedef struct setting {
    pp_arena arena;
    tape_server *server;
    pp_http_loop *loop;
    pp_load_source_options options;
    pp_load_source *source;
    char base[128];
    pp_error err;
    pp_buf body;
} setting;

static void set_up(setting *s, const tape *from, size_t n)
{
    memset(s, 0, sizeof *s);
    s->server = tape_server_start(from, n);
    snprintf(s->base, sizeof s->base, "%s/v1/", tape_server_url(s->server, ""));
    assert_ok(pp_http_loop_new(NULL, &s->loop, &s->err), s->err);
    pp_load_source_options_default(&s->options);
    s->options.base_url = s->base;
    s->options.output = pp_lengths_fixed(8);
    pp_buf_init(&s->body, PP_LOAD_BODY_MAX_BYTES);
}

static void tear_down(setting *s)
{
    pp_http_loop_free(s->loop);
    tape_server_stop(s->server);
    pp_buf_done(&s->body);
    pp_arena_done(&s->arena);
}

static pp_status prepare(setting *s)
{
    return pp_load_source_prepare(&s->arena, s->loop, &s->options, &s->source, &s->err);
}

/* The prompt as the server will cut it: parsed from the body, rendered and cut by the rules above.
 */
static size_t ids_of(setting *s, int64_t level, pp_phase phase, int64_t index, int64_t *ids)
{
    pp_load_item item;
    const pp_json *root = NULL, *messages, *prompt;
    pp_buf text;
    size_t n = 0;

    assert_ok(pp_load_source_make(s->source, level, phase, index, &s->body, &item, &s->err),
              s->err);
    assert_ok(pp_json_parse(&s->arena, "body", (const char *)item.body.data, item.body.size, &root,
                            &s->err),
              s->err);
    messages = pp_json_find(root, "messages");
    prompt = pp_json_find(root, "prompt");
    pp_buf_init(&text, 1 << 20);
    if (messages != NULL) {
        pp_text content = pp_json_find(messages->array.items[0], "content")->text;

        pp_buf_append_text(&text, "im user : ");
        pp_buf_append(&text, content.data, content.size);
        pp_buf_append_text(&text, " end go");
        n = cut((pp_text){pp_buf_text(&text), text.size}, ids, 1000);
    } else if (prompt->kind == PP_JSON_STRING) {
        n = cut(prompt->text, ids, 1000);
    } else {
        for (; n < prompt->array.count; n++)
            ids[n] = prompt->array.items[n]->integer;
    }
    pp_buf_done(&text);
    return n;
}

/* ---- generated prompts ----------------------------------------------------------------------- */

static void b107_generated_prompts_have_the_asked_length(void **state)
{
    static const int64_t lengths[] = {9, 10, 17, 100, 500};
    static const pp_endpoint endpoints[] = {PP_ENDPOINT_CHAT, PP_ENDPOINT_TEXT,
                                            PP_ENDPOINT_COMPLETION};

    (void)state;
    for (size_t e = 0; e < 3; e++) {
        for (size_t l = 0; l < PP_COUNT_OF(lengths); l++) {
            setting s;
            int64_t ids[1000];
            pp_load_source_facts facts;

            set_up(&s, tapes, PP_COUNT_OF(tapes));
            s.options.dialect.endpoint = endpoints[e];
            s.options.prompt_tokens = lengths[l];
            assert_ok(prepare(&s), s.err);
            for (int64_t i = 1; i <= 100; i++)
                assert_int_equal(ids_of(&s, 1 + i % 3, PP_PHASE_MEASURED, i, ids), lengths[l]);
            assert_int_equal(ids_of(&s, 1, PP_PHASE_WARMUP, 1, ids), lengths[l]);
            pp_load_source_get_facts(s.source, &facts);
            assert_int_equal(facts.context_tokens.value, 512);
            assert_int_equal(facts.verified_count, e == 2 ? 0 : 8);
            tear_down(&s);
        }
    }
}

/* Not a token more and not one less (F86): every prompt has the same first n, neighbours part
 * there.
 */
static void a_shared_beginning_is_exact(void **state)
{
    static const int64_t shared[] = {7, 20, 63};

    (void)state;
    for (int e = 0; e < 3; e++) {
        for (size_t l = 0; l < PP_COUNT_OF(shared); l++) {
            setting s;
            int64_t first[1000], ids[1000], before = 0;

            set_up(&s, tapes, PP_COUNT_OF(tapes));
            s.options.dialect.endpoint = (pp_endpoint)e;
            s.options.prompt_tokens = 80;
            s.options.shared_prefix_tokens = shared[l];
            s.options.reuse = PP_LOAD_UNSAID;
            assert_ok(prepare(&s), s.err);
            assert_int_equal(ids_of(&s, 1, PP_PHASE_MEASURED, 1, first), 80);
            before = first[shared[l]];
            for (int64_t i = 2; i <= 30; i++) {
                assert_int_equal(ids_of(&s, 1, PP_PHASE_MEASURED, i, ids), 80);
                assert_memory_equal(ids, first, (size_t)shared[l] * sizeof *ids);
                assert_true(ids[shared[l]] != before);
                before = ids[shared[l]];
            }
            tear_down(&s);
        }
    }
}

typedef struct drawer {
    const pp_load_source *source;
    int64_t first, step, count;
    char (*bodies)[600];
} drawer;

static void *draw(void *user)
{
    drawer *d = user;
    pp_buf body;

    pp_buf_init(&body, PP_LOAD_BODY_MAX_BYTES);
    for (int64_t i = d->first; i <= d->count; i += d->step) {
        pp_load_item item;
        pp_error err = {0};

        if (pp_load_source_make(d->source, 1, PP_PHASE_MEASURED, i, &body, &item, &err) == PP_OK &&
            item.body.size < sizeof d->bodies[0])
            memcpy(d->bodies[i - 1], item.body.data, item.body.size);
    }
    pp_buf_done(&body);
    return NULL;
}

static int compare_bodies(const void *left, const void *right)
{
    return strcmp(left, right);
}

/* B106 */
static void b106_threads_draw_the_same_prompts_and_none_twice(void **state)
{
    enum { COUNT = 1000, THREADS = 8 };
    setting s;
    char(*alone)[600] = calloc(COUNT, sizeof *alone);
    char(*together)[600] = calloc(COUNT, sizeof *together);
    pthread_t threads[THREADS];
    drawer drawers[THREADS];
    drawer one;

    (void)state;
    assert_true(alone != NULL && together != NULL);
    set_up(&s, tapes, PP_COUNT_OF(tapes));
    s.options.prompt_tokens = 12;
    s.options.output = (pp_lengths){.kind = PP_LENGTHS_UNIFORM, .low = 1, .high = 100};
    assert_ok(prepare(&s), s.err);
    one = (drawer){s.source, 1, 1, COUNT, alone};
    draw(&one);
    for (int t = 0; t < THREADS; t++) {
        drawers[t] = (drawer){s.source, t + 1, THREADS, COUNT, together};
        assert_int_equal(pthread_create(&threads[t], NULL, draw, &drawers[t]), 0);
    }
    for (int t = 0; t < THREADS; t++)
        pthread_join(threads[t], NULL);
    assert_memory_equal(alone, together, COUNT * sizeof *alone);
    for (int i = 0; i < COUNT; i++) { /* keep the prompt only: lengths of answers repeat */
        char *at = strstr(alone[i], "\"content\":\"");

        assert_non_null(at);
        memmove(alone[i], at, strlen(at) + 1);
        *strstr(alone[i], "\",\"role\"") = '\0';
    }
    qsort(alone, COUNT, sizeof *alone, compare_bodies);
    for (int i = 1; i < COUNT; i++)
        assert_string_not_equal(alone[i], alone[i - 1]);
    free(alone);
    free(together);
    tear_down(&s);
}

static void levels_phases_and_seeds_have_prompts_of_their_own(void **state)
{
    setting s;
    int64_t ids[4][1000];

    (void)state;
    set_up(&s, tapes, PP_COUNT_OF(tapes));
    s.options.dialect.endpoint = PP_ENDPOINT_COMPLETION;
    s.options.prompt_tokens = 30;
    assert_ok(prepare(&s), s.err);
    ids_of(&s, 1, PP_PHASE_MEASURED, 1, ids[0]);
    ids_of(&s, 2, PP_PHASE_MEASURED, 1, ids[1]);
    ids_of(&s, 1, PP_PHASE_WARMUP, 1, ids[2]);
    s.options.seed = 2;
    assert_ok(prepare(&s), s.err);
    ids_of(&s, 1, PP_PHASE_MEASURED, 1, ids[3]);
    for (int a = 0; a < 4; a++) {
        for (int b = 0; b < a; b++)
            assert_memory_not_equal(ids[a], ids[b], 30 * sizeof ids[0][0]);
    }
    tear_down(&s);
}

static void a_warm_load_repeats_one_prompt_and_says_so(void **state)
{
    setting s;
    pp_load_item item;
    char *first;

    (void)state;
    set_up(&s, tapes, PP_COUNT_OF(tapes));
    s.options.prompt_tokens = 30;
    s.options.reuse = PP_LOAD_WARM;
    assert_ok(prepare(&s), s.err);
    assert_ok(pp_load_source_make(s.source, 1, PP_PHASE_WARMUP, 1, &s.body, &item, &s.err), s.err);
    assert_contains(pp_buf_text(&s.body), "\"cache_prompt\":true");
    assert_true(pp_text_is(item.prompt_id, "warm"));
    first = pp_arena_dup(&s.arena, (const char *)item.body.data, item.body.size);
    assert_ok(pp_load_source_make(s.source, 3, PP_PHASE_MEASURED, 99, &s.body, &item, &s.err),
              s.err);
    assert_int_equal(item.body.size, strlen(first));
    assert_memory_equal(item.body.data, first, item.body.size);
    tear_down(&s);
}

static void what_no_server_can_promise_is_refused(void **state)
{
    static const struct {
        const char *name;
        const tape *tapes;
        size_t tape_count;
        pp_server_kind kind;
        pp_endpoint endpoint;
        int64_t prompt_tokens, shared_tokens;
        pp_load_reuse reuse;
        pp_status want;
        const char *says;
    } rows[] = {
        {"too long for the context", tapes, 3, PP_SERVER_LLAMA_SERVER, 0, 505, 0, 0, PP_ERR_DOMAIN,
         "512 tokens per slot"},
        {"shorter than the template", tapes, 3, PP_SERVER_LLAMA_SERVER, 0, 6, 0, 0, PP_ERR_RANGE,
         "8 or more"},
        {"no tokenizer", tapes, 3, PP_SERVER_OPENAI, 0, 50, 0, 0, PP_ERR_USAGE, "prompts file"},
        {"no llama-server", other_tapes, 1, PP_SERVER_LLAMA_SERVER, 0, 50, 0, 0, PP_ERR_PEER,
         "404"},
        {"a tokenizer that joins words", joining_tapes, 2, PP_SERVER_LLAMA_SERVER, PP_ENDPOINT_TEXT,
         50, 0, 0, PP_ERR_PEER, "prompts file"},
        {"all is shared", tapes, 3, PP_SERVER_LLAMA_SERVER, 0, 50, 50, PP_LOAD_UNSAID, PP_ERR_RANGE,
         "fewer than 48 of the 50"},
        {"cold and shared", tapes, 3, PP_SERVER_LLAMA_SERVER, 0, 50, 20, PP_LOAD_COLD, PP_ERR_USAGE,
         "neither cold"},
        {"below 0", tapes, 3, PP_SERVER_LLAMA_SERVER, 0, -1, 0, 0, PP_ERR_RANGE, "-1"},
        {"nothing", tapes, 3, PP_SERVER_LLAMA_SERVER, 0, 0, 0, 0, PP_ERR_USAGE, "got 0"},
    };

    (void)state;
    for (size_t r = 0; r < PP_COUNT_OF(rows); r++) {
        setting s;
        pp_status st;

        set_up(&s, rows[r].tapes, rows[r].tape_count);
        s.options.dialect.kind = rows[r].kind;
        s.options.dialect.endpoint = rows[r].endpoint;
        s.options.prompt_tokens = rows[r].prompt_tokens;
        s.options.shared_prefix_tokens = rows[r].shared_tokens;
        s.options.reuse = rows[r].reuse;
        st = prepare(&s);
        if (st != rows[r].want || strstr(s.err.text, rows[r].says) == NULL)
            fail_msg("%s: %s '%s'", rows[r].name, pp_status_name(st), s.err.text);
        tear_down(&s);
    }
}

/* ---- prompts of a file ----------------------------------------------------------------------- */

static pp_prompts prompts_of(setting *s, const char *file)
{
    pp_prompts prompts = {0};

    assert_ok(pp_prompts_parse(&s->arena, "p",
                               (pp_bytes){(const unsigned char *)file, strlen(file)}, &prompts,
                               &s->err),
              s->err);
    return prompts;
}

/* B069: 1 and 3 prompts for 10 requests. */
static void few_prompts_are_taken_in_turn(void **state)
{
    static const struct {
        const char *file;
        const char *want[3];
        int n;
    } rows[] = {{"only\n", {"\"prompt\":\"only\""}, 1},
                {"a\n\nc\n", {"\"prompt\":\"a\"", "\"prompt\":\"\"", "\"prompt\":\"c\""}, 3}};

    (void)state;
    for (size_t r = 0; r < PP_COUNT_OF(rows); r++) {
        setting s;
        pp_prompts prompts;

        set_up(&s, tapes, PP_COUNT_OF(tapes));
        prompts = prompts_of(&s, rows[r].file);
        s.options.dialect.endpoint = PP_ENDPOINT_TEXT;
        s.options.prompts = &prompts;
        assert_ok(prepare(&s), s.err);
        for (int64_t i = 1; i <= 10; i++) {
            pp_load_item item;

            assert_ok(
                pp_load_source_make(s.source, 1, PP_PHASE_MEASURED, i, &s.body, &item, &s.err),
                s.err);
            assert_contains(pp_buf_text(&s.body), rows[r].want[(i - 1) % rows[r].n]);
            assert_true(pp_text_equal(item.prompt_id, prompts.items[(i - 1) % rows[r].n].id));
            assert_int_equal(item.output_tokens, 8);
            assert_int_equal(item.body.data[item.body.size - 1], '}');
        }
        tear_down(&s);
    }
}

static void prompts_that_do_not_fit_are_counted_before_the_start(void **state)
{
    setting s;
    pp_prompts prompts;
    pp_buf file;

    (void)state;
    set_up(&s, tapes, PP_COUNT_OF(tapes));
    pp_buf_init(&file, 1 << 20);
    pp_buf_append_text(&file, "short\n");
    for (int line = 0; line < 2; line++) { /* 1 + 600 tokens */
        for (int i = 0; i < 600; i++)
            pp_buf_append_text(&file, i == 0 ? "a" : " a");
        pp_buf_append_char(&file, '\n');
    }
    for (int i = 0; i < 503; i++) /* 1 + 503 and 8 fill 512 exactly */
        pp_buf_append_text(&file, i == 0 ? "b" : " b");
    prompts = prompts_of(&s, pp_buf_text(&file));
    s.options.dialect.endpoint = PP_ENDPOINT_TEXT;
    s.options.prompts = &prompts;
    assert_int_equal(prepare(&s), PP_ERR_DOMAIN);
    assert_contains(s.err.text, "prompt 'prompt-00002'");
    assert_contains(s.err.text, "601 prompt");
    assert_contains(s.err.text, "2 of 4 do not");
    pp_buf_done(&file);
    tear_down(&s);
}

static void messages_belong_to_chat_and_own_lengths_win(void **state)
{
    static const char file[] = "{\"messages\":[{\"role\":\"system\",\"content\":\"s\"},"
                               "{\"role\":\"user\",\"content\":\"u\"}],\"output_tokens\":3}\n"
                               "{\"prompt\":\"p\"}\n";
    setting s;
    pp_prompts prompts;
    pp_load_item item;

    (void)state;
    set_up(&s, tapes, PP_COUNT_OF(tapes));
    prompts = prompts_of(&s, file);
    s.options.prompts = &prompts;
    assert_ok(prepare(&s), s.err);
    assert_ok(pp_load_source_make(s.source, 1, PP_PHASE_MEASURED, 1, &s.body, &item, &s.err),
              s.err);
    assert_contains(pp_buf_text(&s.body), "\"messages\":[{\"content\":\"s\",\"role\":\"system\"},"
                                          "{\"content\":\"u\",\"role\":\"user\"}]");
    assert_contains(pp_buf_text(&s.body), "\"max_tokens\":3,");
    assert_int_equal(item.output_tokens, 3);
    assert_string_equal(pp_load_source_path(s.source), "/v1/chat/completions");
    assert_ok(pp_load_source_make(s.source, 1, PP_PHASE_MEASURED, 2, &s.body, &item, &s.err),
              s.err);
    assert_int_equal(item.output_tokens, 8);
    s.options.dialect.endpoint = PP_ENDPOINT_TEXT;
    assert_int_equal(prepare(&s), PP_ERR_DOMAIN);
    assert_contains(s.err.text, "prompt 'prompt-00001'");
    tear_down(&s);
}

/* ---- traces ---------------------------------------------------------------------------------- */

static void a_trace_gives_lengths_texts_and_instants(void **state)
{
    static const char file[] = "{\"due_ms\":0,\"prompt_tokens\":30,\"output_tokens\":4}\n"
                               "{\"due_ms\":5,\"prompt\":\"text\"}\n"
                               "{\"due_ms\":7,\"prompt_tokens\":40}\n";
    setting s;
    pp_trace trace;
    pp_load_item item;
    int64_t ids[1000], *due_ns;
    size_t count;
    pp_load_level level = {.number = 1, .loop = PP_LOAD_TRACE};

    (void)state;
    set_up(&s, tapes, PP_COUNT_OF(tapes));
    assert_ok(pp_trace_parse(&s.arena, "t",
                             (pp_bytes){(const unsigned char *)file, sizeof file - 1}, 1, &trace,
                             &s.err),
              s.err);
    s.options.trace = &trace;
    assert_ok(prepare(&s), s.err);
    assert_int_equal(ids_of(&s, 1, PP_PHASE_MEASURED, 1, ids), 30);
    assert_contains(pp_buf_text(&s.body), "\"max_tokens\":4,");
    ids_of(&s, 1, PP_PHASE_MEASURED, 2, ids);
    assert_contains(pp_buf_text(&s.body), "\"content\":\"text\"");
    assert_int_equal(ids_of(&s, 1, PP_PHASE_MEASURED, 3, ids), 40);
    assert_int_equal(ids_of(&s, 1, PP_PHASE_WARMUP, 4, ids), 30); /* in turn */
    assert_int_equal(pp_load_source_make(s.source, 1, PP_PHASE_MEASURED, 4, &s.body, &item, &s.err),
                     PP_ERR_RANGE);
    assert_ok(pp_load_source_schedule(s.source, &s.arena, &level, &due_ns, &count, &s.err), s.err);
    assert_int_equal(count, 3);
    assert_int_equal(due_ns[2], 7000000);
    level.duration_ns = pp_known_int(7000000);
    assert_ok(pp_load_source_schedule(s.source, &s.arena, &level, &due_ns, &count, &s.err), s.err);
    assert_int_equal(count, 2);
    level.request_count = pp_known_int(1);
    assert_ok(pp_load_source_schedule(s.source, &s.arena, &level, &due_ns, &count, &s.err), s.err);
    assert_int_equal(count, 1);
    tear_down(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(b107_generated_prompts_have_the_asked_length),
        cmocka_unit_test(a_shared_beginning_is_exact),
        cmocka_unit_test(b106_threads_draw_the_same_prompts_and_none_twice),
        cmocka_unit_test(levels_phases_and_seeds_have_prompts_of_their_own),
        cmocka_unit_test(a_warm_load_repeats_one_prompt_and_says_so),
        cmocka_unit_test(what_no_server_can_promise_is_refused),
        cmocka_unit_test(few_prompts_are_taken_in_turn),
        cmocka_unit_test(prompts_that_do_not_fit_are_counted_before_the_start),
        cmocka_unit_test(messages_belong_to_chat_and_own_lengths_win),
        cmocka_unit_test(a_trace_gives_lengths_texts_and_instants),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
