#include "model/origin.h"

static const struct {
    const char *name;
    const char *meaning;
} rows[] = {
    [PP_ORIGIN_MEASURED] = {"measured", "measured on a real model"},
    [PP_ORIGIN_SYNTHETIC_WEIGHTS] = {"synthetic-weights",
                                     "speed and memory are real, answers mean nothing"},
    [PP_ORIGIN_CONSTRUCTED_WEIGHTS] = {"constructed-weights",
                                       "real program, weights made to give declared answers"},
    [PP_ORIGIN_SIMULATED] = {"simulated", "a simulated server answered, no model ran"},
    [PP_ORIGIN_EMULATED] = {"emulated",
                            "an emulated CPU ran it, speed says nothing about a real one"},
    [PP_ORIGIN_IMPORTED] = {"imported", "taken over from elsewhere, not checked here"},
    [PP_ORIGIN_UNKNOWN] = {"unknown", "nobody stated where the figures come from"},
};

const char *pp_origin_name(pp_origin origin)
{
    return rows[origin].name;
}

const char *pp_origin_meaning(pp_origin origin)
{
    return rows[origin].meaning;
}

bool pp_origin_find(pp_text name, pp_origin *ret_origin)
{
    for (size_t i = 0; i < PP_COUNT_OF(rows); i++) {
        if (pp_text_is(name, rows[i].name)) {
            *ret_origin = (pp_origin)i;
            return true;
        }
    }
    return false;
}

pp_status pp_origin_parse(pp_text name, pp_origin *ret_origin, pp_error *err)
{
    if (pp_origin_find(name, ret_origin))
        return PP_OK;
    return pp_fail(err, PP_ERR_SCHEMA,
                   "origin '%s': expected measured, synthetic-weights, constructed-weights, "
                   "simulated, emulated, imported or unknown",
                   name.data == NULL ? "" : name.data);
}

pp_origin pp_origin_of_weights(pp_text weights)
{
    if (weights.size == 0)
        return PP_ORIGIN_MEASURED;
    return pp_text_is(weights, "synthetic")     ? PP_ORIGIN_SYNTHETIC_WEIGHTS
           : pp_text_is(weights, "constructed") ? PP_ORIGIN_CONSTRUCTED_WEIGHTS
                                                : PP_ORIGIN_UNKNOWN;
}

pp_origin pp_origin_worst(pp_origin a, pp_origin b)
{
    return a > b ? a : b;
}
