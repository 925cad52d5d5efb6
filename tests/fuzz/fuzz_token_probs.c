/* Any reply gives a distribution that is one, or a refusal that explains itself. */
#include <stdint.h>

#include "intake/token_probs.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_distribution(const pp_token_distribution *d)
{
    PP_ASSERT(d->count >= 2 && d->count <= PP_TOKENS_TOLD_MAX);
    PP_ASSERT(d->rest >= 0 && d->rest <= 1);
    for (size_t i = 0; i < d->count; i++) {
        PP_ASSERT(d->tokens[i].logprob <= 0);
        PP_ASSERT(i == 0 || d->tokens[i].logprob <= d->tokens[i - 1].logprob);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    pp_arena arena = {0};
    pp_next_token token;
    pp_error err = {0};
    pp_status st = pp_token_probs_read(&arena, (pp_bytes){data, size}, &token, &err);

    PP_ASSERT(st == PP_OK);
    if (token.refusal == PP_TOKENS_TOLD)
        check_distribution(&token.told);
    else
        PP_ASSERT(token.why.size > 0 && pp_token_refusal_name(token.refusal) != NULL);
    (void)pp_props_speculation(&arena, (pp_bytes){data, size});
    pp_arena_done(&arena);
    return 0;
}
