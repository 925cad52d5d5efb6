#include "model/token_distribution.h"

#include "base/error.h"

static const char *const names[] = {NULL,       "request-failed", "malformed",       "speculation",
                                    "all-zero", "too-few",        "other-vocabulary"};
_Static_assert(PP_COUNT_OF(names) == PP_TOKEN_REFUSAL_COUNT, "a name for each refusal");

const char *pp_token_refusal_name(pp_token_refusal refusal)
{
    return refusal < PP_TOKEN_REFUSAL_COUNT ? names[refusal] : NULL;
}

bool pp_token_refusal_find(pp_text name, pp_token_refusal *ret_refusal)
{
    for (size_t i = 1; i < PP_COUNT_OF(names); i++) {
        if (pp_text_is(name, names[i])) {
            *ret_refusal = (pp_token_refusal)i;
            return true;
        }
    }
    return false;
}
