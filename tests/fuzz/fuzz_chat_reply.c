/* Any body is an answer in UTF-8, or a failure that explains itself. */
#include <stdint.h>

#include "intake/chat_reply.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    pp_arena arena = {0};
    pp_exchange x = {.content_type = pp_text_of("text/plain"), .body = {data, size}};
    pp_chat_reply reply;
    pp_error err = {0};
    pp_status st = pp_chat_reply_of_exchange(&arena, &x, &reply, &err);

    PP_ASSERT(st == PP_OK);
    PP_ASSERT((reply.failure == PP_FAILURE_NONE) == (reply.failure_text.size == 0));
    PP_ASSERT(pp_utf8_is_valid(reply.answer.data, reply.answer.size));
    PP_ASSERT(pp_utf8_is_valid(reply.failure_text.data, reply.failure_text.size));
    PP_ASSERT(reply.failure == PP_FAILURE_NONE || reply.answer.size == 0);
    x.failure = PP_FAILURE_HTTP_STATUS; /* the same bytes as an error page */
    x.failure_text = pp_text_of("HTTP status 500");
    st = pp_chat_reply_of_exchange(&arena, &x, &reply, &err);
    PP_ASSERT(st == PP_OK && reply.failure == PP_FAILURE_HTTP_STATUS);
    PP_ASSERT(reply.failure_text.size >= x.failure_text.size);
    pp_arena_done(&arena);
    return 0;
}
