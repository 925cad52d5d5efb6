#include "gateway/breaker.h"

#include "base/error.h"

void pp_breaker_init(pp_breaker *breaker, const pp_breaker_options *options)
{
    PP_ASSERT(options->failure_count >= 1 && options->failure_count <= PP_BREAKER_FAILURE_MAX);
    PP_ASSERT(options->window_ns > 0 && options->open_ns > 0 && options->probe_count >= 1);
    *breaker = (pp_breaker){.options = *options, .open_factor = 1};
}

static int64_t later(int64_t now_ns, int64_t by_ns)
{
    return by_ns > INT64_MAX - now_ns ? INT64_MAX : now_ns + by_ns;
}

static int64_t blocked_until_ns(const pp_breaker *b)
{
    if (b->state == PP_BREAKER_OPEN && b->open_until_ns > b->paused_until_ns)
        return b->open_until_ns;
    return b->paused_until_ns;
}

int64_t pp_breaker_wait_ns(const pp_breaker *breaker, int64_t now_ns)
{
    const int64_t until_ns = blocked_until_ns(breaker);

    return until_ns > now_ns ? until_ns - now_ns : 0;
}

pp_breaker_state pp_breaker_state_of(const pp_breaker *breaker, int64_t now_ns)
{
    if (pp_breaker_wait_ns(breaker, now_ns) > 0)
        return PP_BREAKER_OPEN;
    return breaker->state == PP_BREAKER_CLOSED ? PP_BREAKER_CLOSED : PP_BREAKER_HALF_OPEN;
}

const char *pp_breaker_state_name(pp_breaker_state state)
{
    static const char *const names[] = {"closed", "half-open", "open"};

    return names[state];
}

static void become(pp_breaker *b, pp_breaker_state state)
{
    b->state = state;
    b->generation++;
    b->probes = 0;
    b->failed_count = 0;
    b->failed_next = 0;
}

void pp_breaker_forget(pp_breaker *breaker)
{
    become(breaker, PP_BREAKER_CLOSED);
    breaker->open_factor = 1;
    breaker->paused_until_ns = 0;
}

bool pp_breaker_would_allow(const pp_breaker *breaker, int64_t now_ns)
{
    switch (pp_breaker_state_of(breaker, now_ns)) {
    case PP_BREAKER_CLOSED:
        return true;
    case PP_BREAKER_HALF_OPEN:
        return breaker->state == PP_BREAKER_OPEN || breaker->probes < breaker->options.probe_count;
    case PP_BREAKER_OPEN:
        break;
    }
    return false;
}

bool pp_breaker_allows(pp_breaker *breaker, int64_t now_ns, pp_breaker_pass *ret_pass)
{
    if (!pp_breaker_would_allow(breaker, now_ns))
        return false;
    if (breaker->state == PP_BREAKER_OPEN) /* its time is over */
        become(breaker, PP_BREAKER_HALF_OPEN);
    if (breaker->state == PP_BREAKER_HALF_OPEN)
        breaker->probes++;
    ret_pass->generation = breaker->generation;
    return true;
}

static void open_for(pp_breaker *b, int64_t now_ns, int64_t factor)
{
    const int64_t open_ns =
        b->options.open_ns > INT64_MAX / factor ? INT64_MAX : b->options.open_ns * factor;

    become(b, PP_BREAKER_OPEN);
    b->open_factor = factor;
    b->open_until_ns = later(now_ns, open_ns);
    b->opened_count++;
}

static void open_again(pp_breaker *b, int64_t now_ns)
{
    const int64_t factor = b->open_factor * 2;

    open_for(b, now_ns, factor > PP_BREAKER_OPEN_FACTOR_MAX ? PP_BREAKER_OPEN_FACTOR_MAX : factor);
}

/* Note the failure; true when the last failure_count ones lie within the window. */
static bool too_many_failures(pp_breaker *b, int64_t now_ns)
{
    const int64_t n = b->options.failure_count;
    int64_t oldest_ns;

    b->failed_at_ns[b->failed_next] = now_ns;
    b->failed_next = (b->failed_next + 1) % n;
    if (b->failed_count < n)
        b->failed_count++;
    oldest_ns = b->failed_at_ns[b->failed_next]; /* the ring is full where it is read */
    return b->failed_count == n && now_ns - oldest_ns <= b->options.window_ns;
}

void pp_breaker_success(pp_breaker *breaker, pp_breaker_pass pass, int64_t now_ns)
{
    (void)now_ns; /* for symmetry: a success has no time to remember */
    if (pass.generation != breaker->generation || breaker->state != PP_BREAKER_HALF_OPEN)
        return;
    become(breaker, PP_BREAKER_CLOSED);
    breaker->open_factor = 1;
}

void pp_breaker_failure(pp_breaker *breaker, pp_breaker_pass pass, int64_t now_ns,
                        int64_t retry_after_ns)
{
    if (retry_after_ns > PP_BREAKER_PAUSE_MAX_NS)
        retry_after_ns = PP_BREAKER_PAUSE_MAX_NS;
    if (retry_after_ns > 0 && later(now_ns, retry_after_ns) > breaker->paused_until_ns)
        breaker->paused_until_ns = later(now_ns, retry_after_ns);
    if (pass.generation != breaker->generation)
        return;
    if (breaker->state == PP_BREAKER_HALF_OPEN)
        open_again(breaker, now_ns);
    else if (too_many_failures(breaker, now_ns))
        open_for(breaker, now_ns, 1);
}

void pp_breaker_abandoned(pp_breaker *breaker, pp_breaker_pass pass)
{
    if (pass.generation == breaker->generation && breaker->state == PP_BREAKER_HALF_OPEN)
        breaker->probes--;
}
