#include "load/count_answers.h"

#include "load/server_tokens.h"

static bool is_uncounted(const pp_sample *s)
{
    return s->text.size > 0 &&
           (s->token_source == PP_TOKEN_SOURCE_NONE || s->token_source == PP_TOKEN_SOURCE_EVENTS);
}

static pp_status count_all(pp_server_tokens *server, pp_sample *samples, size_t n, pp_error *err)
{
    for (size_t i = 0; i < n; i++) {
        pp_sample *s = &samples[i];
        int64_t count = 0;
        pp_status st;

        if (!is_uncounted(s) || !pp_utf8_is_valid(s->text.data, s->text.size))
            continue;
        st = pp_server_count(server, s->text, &count, err);
        if (st != PP_OK)
            return st;
        pp_sample_set_generated(s, count, PP_TOKEN_SOURCE_TOKENIZED);
    }
    return PP_OK;
}

pp_status pp_load_count_answers(pp_http_loop *loop, const char *root, const char *const *headers,
                                size_t header_count, const pp_dialect *dialect, pp_sample *samples,
                                size_t n, pp_error *err)
{
    pp_server_tokens server;
    pp_error why = {0};
    pp_status st;

    if (dialect->kind == PP_SERVER_OPENAI)
        return PP_OK;
    st = pp_server_tokens_init(&server, loop, root, headers, header_count, &why);
    server.is_vllm = dialect->kind == PP_SERVER_VLLM;
    server.model = dialect->model;

    if (st == PP_OK)
        st = count_all(&server, samples, n, &why);
    pp_server_tokens_done(&server);
    if (st != PP_ERR_MEMORY)
        return PP_OK; /* an estimate, flagged as one, is what is left */
    if (err != NULL)
        *err = why;
    return st;
}
