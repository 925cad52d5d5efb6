#include <stdint.h>

#include "model/suite.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What whoever asks and matches relies on. */
static bool is_sound(const pp_suite *suite)
{
    if (suite->case_count < 1 || suite->case_count > PP_SUITE_MAX_CASES ||
        suite->context_count > PP_SUITE_MAX_CONTEXTS || suite->max_tokens < 1)
        return false;
    for (size_t i = 0; i < suite->case_count; i++) {
        const pp_suite_case *c = &suite->cases[i];

        if (c->rule_count < 1 || c->rule_count > PP_SUITE_MAX_RULES || c->max_tokens < 1 ||
            c->prompt.size == 0 || c->group.data == NULL)
            return false;
        for (size_t r = 0; r < c->rule_count; r++) {
            const pp_match_rule *rule = &c->rules[r];

            if (rule->mode < 0 || rule->mode >= PP_MATCH_MODE_COUNT || rule->accepted_count < 1 ||
                !(rule->absolute_tolerance >= 0) || !(rule->relative_tolerance >= 0))
                return false;
        }
    }
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    pp_arena arena = {0};
    pp_error err = {0};
    pp_suite suite;
    const pp_json *root;

    if (pp_json_parse(&arena, "fuzz", (const char *)data, size, &root, &err) == PP_OK &&
        pp_suite_decode(&arena, root, &suite, &err) == PP_OK)
        PP_ASSERT(is_sound(&suite));
    else
        PP_ASSERT(err.text[0] != '\0'); /* a refusal always explains itself */
    pp_arena_done(&arena);
    return 0;
}
