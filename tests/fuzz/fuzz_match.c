/* A digit for the mode, then the accepted answer, a line end, and the answer. */
#include <stdint.h>
#include <string.h>

#include "quality/match.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The accepted answer as decoding takes it; false where it refuses. */
static bool decode_case(pp_arena *arena, pp_match_mode mode, pp_text accepted, pp_suite *ret_suite)
{
    pp_json *root = pp_json_new_object(arena);
    pp_json *sampling = pp_json_new_object(arena);
    pp_json *cases = pp_json_new_array(arena);
    pp_json *one = pp_json_new_object(arena);
    pp_json *answers = pp_json_new_array(arena);

    pp_json_set_int(arena, sampling, "max_tokens", 1);
    pp_json_set_int(arena, sampling, "seed", 1);
    pp_json_set_int(arena, sampling, "temperature", 0);
    pp_json_add(arena, answers, pp_json_new_text(arena, accepted));
    pp_json_set_string(arena, one, "id", "a");
    pp_json_set_string(arena, one, "group", "g");
    pp_json_set_string(arena, one, "prompt", "p");
    pp_json_set_string(arena, one, "match_mode", pp_match_mode_name(mode));
    pp_json_set(arena, one, "accepted_answers", answers);
    pp_json_add(arena, cases, one);
    pp_json_set_string(arena, root, "schema_version", "2.0");
    pp_json_set_string(arena, root, "document", "quality-suite");
    pp_json_set_string(arena, root, "id", "s");
    pp_json_set_string(arena, root, "title", "S");
    pp_json_set_string(arena, root, "license", "l");
    pp_json_set_null(arena, root, "system_prompt");
    pp_json_set(arena, root, "sampling", sampling);
    pp_json_set(arena, root, "cases", cases);
    return pp_suite_decode(arena, root, ret_suite, NULL) == PP_OK;
}

static bool matches(pp_arena *arena, const pp_suite *suite, pp_text answer)
{
    pp_match match;
    pp_error err = {0};

    PP_ASSERT(pp_match_answer(arena, &suite->cases[0], answer, &match, &err) == PP_OK);
    PP_ASSERT(match.matched == (match.matched_answer.data != NULL));
    return match.matched;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;
    const char *end = size == 0 ? NULL : memchr(text, '\n', size);
    pp_arena arena = {0};
    pp_text accepted, answer;
    pp_match_mode mode;
    pp_suite suite;

    if (end == NULL || text[0] < '0' || text[0] >= '0' + PP_MATCH_MODE_COUNT || end == text)
        return 0;
    mode = (pp_match_mode)(text[0] - '0');
    accepted = (pp_text){text + 1, (size_t)(end - text) - 1};
    answer = (pp_text){end + 1, size - (size_t)(end - text) - 1};
    if (pp_utf8_is_valid(accepted.data, accepted.size) &&
        decode_case(&arena, mode, accepted, &suite)) {
        bool counts = matches(&arena, &suite, answer);

        PP_ASSERT(!matches(&arena, &suite, (pp_text){"", 0})); /* silence never counts */
        if (mode != PP_MATCH_REGEX)                            /* everything else matches itself */
            PP_ASSERT(matches(&arena, &suite, accepted));
        PP_ASSERT(counts == matches(&arena, &suite, answer));
    }
    pp_arena_done(&arena);
    return 0;
}
