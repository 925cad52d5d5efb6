#include "model/exchange.h"

static const char *const failure_names[PP_FAILURE_COUNT] = {
    [PP_FAILURE_NONE] = "none",
    [PP_FAILURE_UNRESOLVED] = "unresolved",
    [PP_FAILURE_REFUSED] = "refused",
    [PP_FAILURE_CONNECT_TIMEOUT] = "connect-timeout",
    [PP_FAILURE_FIRST_BYTE_TIMEOUT] = "first-byte-timeout",
    [PP_FAILURE_IDLE_TIMEOUT] = "idle-timeout",
    [PP_FAILURE_TOTAL_TIMEOUT] = "total-timeout",
    [PP_FAILURE_RESET] = "reset",
    [PP_FAILURE_PREMATURE_END] = "premature-end",
    [PP_FAILURE_HTTP_STATUS] = "http-status",
    [PP_FAILURE_ENCODING] = "encoding",
    [PP_FAILURE_TOO_LARGE] = "too-large",
    [PP_FAILURE_PROTOCOL] = "protocol",
    [PP_FAILURE_CANCELLED] = "cancelled",
    [PP_FAILURE_STREAM_ERROR] = "stream-error",
    [PP_FAILURE_NOTHING_GENERATED] = "nothing-generated",
    [PP_FAILURE_CUT] = "cut",
};

static const char *const phase_names[] = {"warmup", "measured"};

static bool find_name(pp_text name, const char *const *names, size_t count, size_t *ret_index)
{
    for (size_t i = 0; i < count; i++) {
        if (pp_text_is(name, names[i])) {
            *ret_index = i;
            return true;
        }
    }
    return false;
}

const char *pp_failure_name(pp_failure failure)
{
    return (size_t)failure < PP_COUNT_OF(failure_names) ? failure_names[failure] : "unknown";
}

bool pp_failure_find(pp_text name, pp_failure *ret_failure)
{
    size_t index;

    if (!find_name(name, failure_names, PP_COUNT_OF(failure_names), &index))
        return false;
    *ret_failure = (pp_failure)index;
    return true;
}

const char *pp_phase_name(pp_phase phase)
{
    return (size_t)phase < PP_COUNT_OF(phase_names) ? phase_names[phase] : "unknown";
}

bool pp_phase_find(pp_text name, pp_phase *ret_phase)
{
    size_t index;

    if (!find_name(name, phase_names, PP_COUNT_OF(phase_names), &index))
        return false;
    *ret_phase = (pp_phase)index;
    return true;
}
