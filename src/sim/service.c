#include "sim/service.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "sim/random.h"
#include "stats/random.h"

/* A year: sums of declared times stay far from the end of 64 bits. */
#define LONGEST_NS ((int64_t)31536000 * 1000000000)

static const struct {
    const char *name;
    pp_sim_jitter kind;
    double max; /* of the value; 0: there is none */
} jitters[] = {
    {"none", PP_SIM_JITTER_NONE, 0},           {"uniform", PP_SIM_JITTER_UNIFORM, 1},
    {"normal", PP_SIM_JITTER_NORMAL, 1},       {"exponential", PP_SIM_JITTER_EXPONENTIAL, 0},
    {"lognormal", PP_SIM_JITTER_LOGNORMAL, 3},
};

pp_status pp_sim_jitter_parse(const char *text, pp_sim_service *service, pp_error *err)
{
    size_t length = strcspn(text, ":");

    for (size_t i = 0; i < PP_COUNT_OF(jitters); i++) {
        if (strlen(jitters[i].name) != length || strncmp(jitters[i].name, text, length) != 0)
            continue;
        if ((jitters[i].max > 0) != (text[length] == ':'))
            break;
        service->jitter = jitters[i].kind;
        service->jitter_value = 0;
        if (jitters[i].max == 0)
            return PP_OK;
        return pp_parse_number(text + length + 1, "--jitter", 0, jitters[i].max,
                               &service->jitter_value, err);
    }
    return pp_fail(err, PP_ERR_USAGE,
                   "--jitter: expected none, uniform:P, normal:P, exponential or lognormal:SIGMA, "
                   "got '%s'",
                   text);
}

pp_status pp_sim_speculation_parse(const char *text, pp_sim_service *service, pp_error *err)
{
    char share[32];
    size_t length = strcspn(text, "/");
    pp_status st = PP_OK;

    if (length >= sizeof share)
        return pp_fail(err, PP_ERR_USAGE, "--speculation: expected SHARE or SHARE/N, got '%s'",
                       text);
    memcpy(share, text, length);
    share[length] = '\0';
    service->draft_tokens = 3;
    if (text[length] == '/')
        st = pp_parse_int(text + length + 1, "--speculation: draft tokens", 1, 64,
                          &service->draft_tokens, err);
    if (st == PP_OK)
        st = pp_parse_number(share, "--speculation", 0, 1, &service->acceptance, err);
    return st;
}

/* "10s:2s" */
static pp_status parse_stall(const char *text, pp_sim_stall *ret_stall, pp_error *err)
{
    char first[32];
    size_t length = strcspn(text, ":");
    pp_status st;

    if (length >= sizeof first || text[length] != ':')
        return pp_fail(err, PP_ERR_USAGE, "--stall: expected two times such as 10s:2s, got '%s'",
                       text);
    memcpy(first, text, length);
    first[length] = '\0';
    st = pp_parse_duration(first, "--stall", &ret_stall->at_ns, err);
    return st == PP_OK ? pp_parse_duration(text + length + 1, "--stall", &ret_stall->for_ns, err)
                       : st;
}

pp_status pp_sim_stall_parse(const char *text, pp_sim_service *service, pp_error *err)
{
    pp_sim_stall stall;
    int64_t free_from_ns = 0;
    pp_status st = parse_stall(text, &stall, err);

    if (st != PP_OK)
        return st;
    if (service->stall_count == PP_SIM_STALL_MAX)
        return pp_fail(err, PP_ERR_USAGE, "--stall: at most %d", PP_SIM_STALL_MAX);
    if (service->stall_count > 0) {
        const pp_sim_stall *last = &service->stalls[service->stall_count - 1];

        free_from_ns = last->at_ns + last->for_ns;
    }
    if (stall.at_ns > LONGEST_NS || stall.for_ns > LONGEST_NS || stall.at_ns < free_from_ns)
        return pp_fail(err, PP_ERR_USAGE,
                       "--stall '%s': expected ascending times that do not overlap", text);
    service->stalls[service->stall_count++] = stall;
    return PP_OK;
}

/* Factor on a time; its mean is 1 (of the normal one as long as 0 is some deviations away). */
static double jitter_factor(const pp_sim_service *s, uint64_t request, uint64_t step)
{
    uint64_t state = pp_sim_random(s->seed, PP_SIM_STREAM_STEP, request, step);

    switch (s->jitter) {
    case PP_SIM_JITTER_UNIFORM:
        return 1.0 + s->jitter_value * (2.0 * pp_random_uniform(&state) - 1.0);
    case PP_SIM_JITTER_NORMAL:
        return fmax(0, 1.0 + s->jitter_value * pp_random_normal(&state));
    case PP_SIM_JITTER_EXPONENTIAL:
        return pp_random_exponential(&state);
    case PP_SIM_JITTER_LOGNORMAL:
        return exp(s->jitter_value * pp_random_normal(&state) -
                   s->jitter_value * s->jitter_value / 2);
    case PP_SIM_JITTER_NONE:
        break;
    }
    return 1.0;
}

static int64_t within_reason(double ns)
{
    return ns < (double)LONGEST_NS ? llround(ns) : LONGEST_NS;
}

int64_t pp_sim_prefill_ns(const pp_sim_service *service, int64_t prompt_count)
{
    return within_reason((double)service->prefill_ns * (double)prompt_count);
}

int64_t pp_sim_step_ns(const pp_sim_service *service, uint64_t request, int64_t step)
{
    if (service->jitter == PP_SIM_JITTER_NONE)
        return service->token_ns;
    return within_reason((double)service->token_ns *
                         jitter_factor(service, request, (uint64_t)step));
}

int64_t pp_sim_accepted(const pp_sim_service *service, double acceptance, uint64_t request,
                        int64_t step)
{
    int64_t n = 0;

    while (n < service->draft_tokens &&
           pp_sim_uniform(service->seed, PP_SIM_STREAM_DRAFT, request,
                          (uint64_t)(step * service->draft_tokens + n)) < acceptance)
        n++;
    return n;
}

int64_t pp_sim_done_at_ns(const pp_sim_service *service, int64_t zero_ns, int64_t from_ns,
                          int64_t work_ns)
{
    int64_t at_ns = from_ns;

    for (size_t i = 0; i < service->stall_count; i++) {
        int64_t begin_ns = zero_ns + service->stalls[i].at_ns;
        int64_t end_ns = begin_ns + service->stalls[i].for_ns;

        if (end_ns <= at_ns)
            continue;
        if (at_ns + work_ns < begin_ns)
            break;
        if (at_ns < begin_ns)
            work_ns -= begin_ns - at_ns;
        at_ns = end_ns;
    }
    return at_ns + work_ns;
}
