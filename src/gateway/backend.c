#include "gateway/backend.h"

const char *pp_backend_state_name(pp_backend_state state)
{
    static const char *const names[] = {[PP_BACKEND_STARTING] = "starting",
                                        [PP_BACKEND_READY] = "ready",
                                        [PP_BACKEND_DOWN] = "down"};

    return names[state];
}

/* What stands against asking this one. */
static pp_backend_choice judge_one(const pp_backend *b, int64_t now_ns)
{
    if (b->state == PP_BACKEND_STARTING)
        return PP_CHOICE_LOADING;
    if (b->state == PP_BACKEND_DOWN || b->root == NULL)
        return PP_CHOICE_NONE;
    if (!pp_breaker_would_allow(&b->breaker, now_ns))
        /* its probes are under way: they will tell soon */
        return pp_breaker_wait_ns(&b->breaker, now_ns) == 0 ? PP_CHOICE_WAIT : PP_CHOICE_NONE;
    return b->in_flight < b->in_flight_max ? PP_CHOICE_FOUND : PP_CHOICE_WAIT;
}

/* Under way as a share of what may be, compared without rounding. */
static bool is_less_busy(const pp_backend *a, const pp_backend *b)
{
    return a->in_flight * b->in_flight_max < b->in_flight * a->in_flight_max;
}

static void note_wait(const pp_backend *b, int64_t now_ns, int64_t *wait_ns)
{
    int64_t own_ns = pp_breaker_wait_ns(&b->breaker, now_ns);

    if (own_ns > 0 && (*wait_ns == 0 || own_ns < *wait_ns))
        *wait_ns = own_ns;
}

pp_backend_choice pp_backend_choose(const pp_serve_model *model, pp_backend *backends,
                                    uint64_t tried, int64_t now_ns, pp_backend_found *ret_found)
{
    pp_backend_choice best = PP_CHOICE_NONE;

    *ret_found = (pp_backend_found){0};
    for (size_t i = 0; i < model->backend_count; i++) {
        size_t index = model->backend_indices[i];
        const pp_backend *b = &backends[index];
        pp_backend_choice choice;

        if ((tried >> index & 1) != 0)
            continue;
        choice = judge_one(b, now_ns);
        note_wait(b, now_ns, &ret_found->wait_ns);
        if (choice > best)
            continue;
        if (choice == PP_CHOICE_FOUND && best == PP_CHOICE_FOUND &&
            !(model->least_busy && is_less_busy(b, &backends[ret_found->index])))
            continue;
        best = choice;
        ret_found->index = index;
    }
    if (best != PP_CHOICE_FOUND)
        return best;
    ret_found->is_probe =
        pp_breaker_state_of(&backends[ret_found->index].breaker, now_ns) != PP_BREAKER_CLOSED;
    if (!pp_breaker_allows(&backends[ret_found->index].breaker, now_ns, &ret_found->pass))
        return PP_CHOICE_WAIT; /* judge_one asked the same at the same instant */
    backends[ret_found->index].in_flight++;
    return best;
}

void pp_backend_judge(pp_backend *backend, pp_breaker_pass pass, pp_backend_outcome outcome,
                      int64_t now_ns, int64_t retry_after_ns)
{
    if (outcome == PP_OUTCOME_ANSWERED)
        pp_breaker_success(&backend->breaker, pass, now_ns);
    else if (outcome == PP_OUTCOME_FAILED)
        pp_breaker_failure(&backend->breaker, pass, now_ns, retry_after_ns);
    else
        pp_breaker_abandoned(&backend->breaker, pass);
}

void pp_backend_release(pp_backend *backend)
{
    PP_ASSERT(backend->in_flight > 0);
    backend->in_flight--;
}

bool pp_backend_any_usable(const pp_serve_model *model, const pp_backend *backends, int64_t now_ns)
{
    for (size_t i = 0; i < model->backend_count; i++)
        if (judge_one(&backends[model->backend_indices[i]], now_ns) <= PP_CHOICE_WAIT)
            return true;
    return false;
}
