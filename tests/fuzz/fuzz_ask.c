/* Any body is refused with a reason, or what is written of it says the same but for the model and
 * the usage that was asked for. */
#include <stdint.h>
#include <string.h>

#include "gateway/ask.h"
#include "json/json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* All members but these two are equal, and the same as many. */
static void check_others(const pp_json *before, const pp_json *after)
{
    for (size_t i = 0; i < before->object.count; i++) {
        const pp_json_member *member = &before->object.members[i];

        if (!pp_text_is(member->key, "model") && !pp_text_is(member->key, "stream_options"))
            PP_ASSERT(pp_json_equal(member->value, pp_json_find_text(after, member->key)));
    }
    PP_ASSERT(after->object.count - before->object.count <= 2);
}

static void check_written(pp_arena *arena, const pp_ask *ask, pp_bytes body, pp_endpoint endpoint)
{
    const pp_json *before = NULL, *after = NULL;
    const char *param = NULL;
    pp_error err = {0};
    pp_ask again;
    pp_buf out;
    pp_status st;

    pp_buf_init(&out, body.size + 256);
    st = pp_ask_write(ask, body, pp_text_of("up\"stream"), true, &out, &err);
    PP_ASSERT(st == PP_OK);
    st = pp_ask_read(arena, (pp_bytes){(unsigned char *)out.data, out.size}, endpoint, &again,
                     &param, &err);
    PP_ASSERT(st == PP_OK);
    PP_ASSERT(pp_text_is(again.model, "up\"stream"));
    PP_ASSERT(again.stream == ask->stream && again.has_tools == ask->has_tools);
    PP_ASSERT(again.wants_usage == (ask->wants_usage || ask->stream));
    PP_ASSERT(again.max_tokens.known == ask->max_tokens.known);
    if (pp_json_parse(arena, "before", (const char *)body.data, body.size, &before, NULL) ==
            PP_OK &&
        pp_json_parse(arena, "after", out.data, out.size, &after, NULL) == PP_OK)
        check_others(before, after);
    pp_buf_done(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const pp_endpoint endpoints[] = {PP_ENDPOINT_CHAT, PP_ENDPOINT_TEXT};
    pp_bytes body = {data, size};

    for (size_t i = 0; i < PP_COUNT_OF(endpoints); i++) {
        pp_arena arena = {0};
        const char *param = NULL;
        pp_error err = {0};
        pp_ask ask;

        if (pp_ask_read(&arena, body, endpoints[i], &ask, &param, &err) == PP_OK)
            check_written(&arena, &ask, body, endpoints[i]);
        else
            PP_ASSERT(err.text[0] != '\0' && param != NULL);
        pp_arena_done(&arena);
    }
    return 0;
}
