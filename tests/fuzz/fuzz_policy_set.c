#include <stdint.h>

#include "model/policy_set.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What `decide` relies on. */
static bool is_sound(const pp_policy_set *policies)
{
    if (policies->profile_count < 1 || policies->profile_count > PP_POLICY_MAX_PROFILES)
        return false;
    for (size_t i = 0; i < policies->profile_count; i++) {
        const pp_profile *profile = &policies->profiles[i];

        if ((profile->class == PP_PROFILE_CANONICAL) != (i == policies->canonical))
            return false;
        if (!(profile->objective_tolerance_percent >= 0 &&
              profile->objective_tolerance_percent <= 100))
            return false;
        if (profile->id.size < 1 || profile->id.size > 64 ||
            pp_text_is_blank(profile->objective.metric))
            return false;
        for (size_t j = 0; j < i; j++) {
            if (pp_text_equal(profile->id, policies->profiles[j].id))
                return false;
        }
    }
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    pp_arena arena = {0};
    pp_error err = {0};
    pp_policy_set policies;
    const pp_json *root;

    if (pp_json_parse(&arena, "fuzz", (const char *)data, size, &root, &err) == PP_OK &&
        pp_policy_set_decode(&arena, root, &policies, &err) == PP_OK)
        PP_ASSERT(is_sound(&policies));
    else
        PP_ASSERT(err.text[0] != '\0');
    pp_arena_done(&arena);
    return 0;
}
