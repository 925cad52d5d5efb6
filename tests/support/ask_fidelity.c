/* ask_fidelity - the part `fidelity` of two real servers, for tests that compute it by other means.
 *
 * ask_fidelity REFERENCE_URL CANDIDATE_URL CONTEXTS ORIGIN [chat|openai]
 *
 * CONTEXTS is a JSON list of {"id", "prompt"}; ORIGIN is that of both. With `chat` both are asked
 * as llama-servers for chats, with `openai` with standard fields only. Prints the document; exit 2
 * with the reason when there is none, 4 for a wrong call or a document that does not follow from
 * itself. */
#include <stdio.h>
#include <string.h>

#include "intake/token_probs.h"
#include "load/fidelity_ask.h"
#include "quality/agreement.h"

typedef struct question {
    pp_suite_context *contexts;
    size_t count;
    pp_origin origin;
    const char *how; /* NULL: /completion */
} question;

static pp_status read_contexts(pp_arena *arena, const char *path, question *q, pp_error *err)
{
    const pp_json *root = NULL;
    pp_status st = pp_json_read_file(arena, path, NULL, &root, err);

    if (st == PP_OK)
        st = pp_json_expect(root, PP_JSON_ARRAY, err);
    if (st != PP_OK)
        return st;
    q->count = root->array.count;
    q->contexts = PP_ARENA_NEW(arena, pp_suite_context, q->count);
    st = pp_arena_check(arena, err);
    for (size_t i = 0; i < q->count && st == PP_OK; i++) {
        const pp_json *prompt = NULL;

        st = pp_json_member_filled_text(root->array.items[i], "id", &q->contexts[i].id, err);
        if (st == PP_OK)
            st = pp_json_require(root->array.items[i], "prompt", &prompt, err);
        if (st == PP_OK)
            st = pp_json_get_text(prompt, &q->contexts[i].prompt, err);
    }
    return st;
}

static pp_status ask_side(pp_arena *arena, pp_http_loop *loop, const char *url, const question *q,
                          pp_agreement_side *out, pp_error *err)
{
    pp_next_token *tokens = PP_ARENA_NEW(arena, pp_next_token, q->count);
    pp_fidelity_ask_options options;
    pp_fidelity_answers answers;
    pp_status st;

    pp_fidelity_ask_options_default(&options);
    options.chat = q->how != NULL && strcmp(q->how, "chat") == 0;
    if (q->how != NULL && strcmp(q->how, "openai") == 0)
        options.kind = PP_SERVER_OPENAI;
    st = pp_server_root(arena, url, &options.root, err);
    if (st == PP_OK)
        st = pp_fidelity_ask(arena, loop, &options, q->contexts, q->count, &answers, err);
    for (size_t i = 0; st == PP_OK && i < q->count; i++)
        st = pp_token_probs_of_exchange(arena, &answers.replies[i].exchange, &tokens[i], err);
    if (st == PP_OK)
        *out = (pp_agreement_side){
            .name = pp_text_of("reference"),
            .origin = q->origin,
            .speculation = pp_props_speculation(arena, answers.props.exchange.body),
            .answers = tokens,
        };
    return st;
}

/* Written, and read again: what was printed follows from what it records. */
static pp_status print(pp_arena *arena, const pp_agreement *agreement, pp_error *err)
{
    pp_text *differences = NULL;
    const pp_json *root = NULL;
    size_t count = 0;
    pp_buf text;
    pp_status st;

    pp_buf_init(&text, PP_JSON_MAX_BYTES);
    st = pp_json_write(pp_agreement_to_json(arena, agreement), PP_JSON_FILE, &text, err);
    if (st == PP_OK)
        st = pp_json_parse(arena, "fidelity", text.data, text.size, &root, err);
    if (st == PP_OK)
        st = pp_agreement_again(arena, root, &differences, &count, err);
    if (st == PP_OK && count > 0)
        st = pp_fail(err, PP_ERR_BUG, "%s", differences[0].data);
    if (st == PP_OK)
        printf("%s", pp_buf_text(&text));
    pp_buf_done(&text);
    return st;
}

static pp_status run(pp_arena *arena, char **argv, pp_error *err)
{
    pp_agreement_side sides[2];
    question q = {.how = argv[5]};
    pp_http_loop *loop = NULL;
    pp_agreement agreement;
    pp_status st = pp_origin_parse(pp_text_of(argv[4]), &q.origin, err);

    if (st == PP_OK)
        st = read_contexts(arena, argv[3], &q, err);
    if (st == PP_OK)
        st = pp_http_loop_new(NULL, &loop, err);
    for (int i = 0; i < 2 && st == PP_OK; i++)
        st = ask_side(arena, loop, argv[1 + i], &q, &sides[i], err);
    pp_http_loop_free(loop);
    if (st == PP_OK)
        st = pp_agreement_of(arena, q.contexts, q.count, &sides[0], &sides[1], &agreement, err);
    return st == PP_OK ? print(arena, &agreement, err) : st;
}

int main(int argc, char **argv)
{
    pp_arena arena = {0};
    pp_error err = {0};
    pp_status st;

    if (argc < 5 || argc > 6)
        return 4;
    st = run(&arena, argv, &err);
    if (st != PP_OK)
        fprintf(stderr, "ask_fidelity: %s\n", err.text);
    pp_arena_done(&arena);
    return st == PP_OK ? 0 : st == PP_ERR_BUG ? 4 : 2;
}
