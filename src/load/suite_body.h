/* suite_body.h - the bytes of the requests that a quality suite sends.
 *
 * As the original sends them (docs/method/suite-requests.md): compact, everything outside ASCII
 * escaped, members in a fixed order. A llama-server is also told to keep no prompts, because a
 * cached prompt may change a greedy answer (E25); a strict server gets no member that it might not
 * know. */
#ifndef PP_LOAD_SUITE_BODY_H
#define PP_LOAD_SUITE_BODY_H

#include "load/dialect.h"
#include "model/suite.h"

typedef struct pp_suite_voice {
    pp_server_kind kind;
    pp_text model; /* absent: the member is not sent */
    bool has_system_prompt;
    pp_text system_prompt; /* what is sent, whatever the suite says */
} pp_suite_voice;

/** Body for POST /v1/chat/completions that asks one case. Texts must be UTF-8. Lives in `arena`.
 * Fails with PP_ERR_MEMORY, PP_ERR_DOMAIN for texts that are not UTF-8. */
PP_MUST_CHECK pp_status pp_suite_body_of_case(pp_arena *arena, const pp_suite *suite, size_t number,
                                              const pp_suite_voice *voice, pp_bytes *ret_body,
                                              pp_error *err);

/** Body for POST /completion, the stream whose latency a 1.0 suite measures. As above. */
PP_MUST_CHECK pp_status pp_suite_body_of_performance(pp_arena *arena, const pp_suite *suite,
                                                     pp_bytes *ret_body, pp_error *err);

#endif
