#include "model/load_level.h"

static const char *const loop_names[] = {"closed", "open", "trace"};
static const char *const arrivals_names[] = {"constant", "poisson", "gamma"};
static const char *const end_names[] = {"requests", "duration", "trace",  "interrupted",
                                        "hopeless", "warm-up",  "decided"};

const char *pp_load_loop_name(pp_load_loop loop)
{
    return (size_t)loop < PP_COUNT_OF(loop_names) ? loop_names[loop] : "unknown";
}

const char *pp_arrivals_name(size_t arrivals)
{
    return arrivals < PP_COUNT_OF(arrivals_names) ? arrivals_names[arrivals] : NULL;
}

const char *pp_load_end_name(pp_load_end end)
{
    return (size_t)end < PP_COUNT_OF(end_names) ? end_names[end] : "unknown";
}
