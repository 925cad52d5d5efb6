/* ask.h - what a request asks for: the body of a request of any of the dialects, read strictly
 * enough to answer it, with a message for the client where it cannot be.
 *
 * Unknown fields are ignored, as llama-server does, or refused with `strict`. */
#ifndef PP_SIM_ASK_H
#define PP_SIM_ASK_H

#include "sim/quirks.h"
#include "json/json.h"

typedef enum pp_sim_dialect {
    PP_SIM_DIALECT_LLAMA,     /* /completion */
    PP_SIM_DIALECT_CHAT,      /* /v1/chat/completions */
    PP_SIM_DIALECT_COMPLETION /* /v1/completions */
} pp_sim_dialect;

typedef struct pp_sim_ask {
    pp_sim_dialect dialect;
    bool stream;
    bool include_usage;
    bool ignore_eos;
    bool cache_prompt;
    bool return_tokens;
    bool timings_per_token;
    bool return_progress;
    int64_t token_max; /* -1: not given */
    int64_t n_probs;   /* 0: no log-probabilities */
    pp_text prompt;    /* text, chat template applied; token ids as the bytes they stand for */
    int64_t prompt_tokens;
    uint64_t prompt_hash; /* of the tokens' bytes */
} pp_sim_ask;

/** Read a request. Everything lives in `arena`. Fails with PP_ERR_SYNTAX or PP_ERR_SCHEMA; the text
 * is for the client. */
PP_MUST_CHECK pp_status pp_sim_ask_read(pp_arena *arena, pp_sim_dialect dialect, pp_bytes body,
                                        bool strict, pp_sim_ask *ret_ask, pp_error *err);

/** The body of /apply-template: the prompt that these messages give. */
PP_MUST_CHECK pp_status pp_sim_template_read(pp_arena *arena, pp_bytes body, pp_text *ret_prompt,
                                             pp_error *err);

/** The body of /tokenize. */
PP_MUST_CHECK pp_status pp_sim_tokenize_read(pp_arena *arena, pp_bytes body, pp_text *ret_content,
                                             bool *ret_with_pieces, pp_error *err);

/** The body of vLLM's /tokenize: `prompt`; a `model` that is not the one served is refused. */
PP_MUST_CHECK pp_status pp_sim_vllm_tokenize_read(pp_arena *arena, pp_bytes body, const char *model,
                                                  pp_text *ret_prompt, pp_error *err);

/** The body of /detokenize: the text of its tokens, which need not be UTF-8. */
PP_MUST_CHECK pp_status pp_sim_detokenize_read(pp_arena *arena, pp_bytes body, pp_text *ret_content,
                                               pp_error *err);

#endif
