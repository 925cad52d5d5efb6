/* Who asks, and whether they may now. */
#include "gateway/parts.h"

#include <string.h>

#include "base/clock.h"
#include "gateway/client_address.h"

/* ---- rates ----------------------------------------------------------------------------------- */

static const char from_address[] = "from this address";

void pp_admit_note_address(pp_exchange *x)
{
    const pp_serve_config *c = x->gateway->config;
    pp_text peer = pp_text_of(pp_http_call_address(x->call));

    x->from_proxy = pp_is_trusted_proxy(peer, c->trusted_proxies, c->trusted_proxy_count);
    x->address = pp_client_address(x->request->headers, x->request->header_count, peer,
                                   c->trusted_proxies, c->trusted_proxy_count);
}

static int64_t wait_for_key(pp_exchange *x, int64_t now_ns)
{
    pp_rate_key key = pp_rate_key_of_index(x->key_index);

    if (x->gateway->rate_keys == NULL || !x->has_key)
        return 0;
    return pp_rate_limit_take(x->gateway->rate_keys, &key, now_ns);
}

static int64_t wait_for_address(pp_exchange *x, int64_t now_ns)
{
    pp_rate_key key;

    if (x->gateway->rate_addresses == NULL || !pp_rate_key_of_address(x->address, &key))
        return 0;
    return pp_rate_limit_take(x->gateway->rate_addresses, &key, now_ns);
}

static void refuse_rate(pp_exchange *x, int64_t wait_ns, const char *detail)
{
    const pp_problem_report report = {
        .problem = PP_PROBLEM_RATE,
        .detail = detail,
        .retry_after_s = pp_known_int(pp_retry_after_of_ns(wait_ns)),
    };

    pp_reply_problem(x, &report);
}

bool pp_admit_rate(pp_exchange *x)
{
    int64_t now_ns = pp_clock_now_ns();
    int64_t wait_ns = wait_for_address(x, now_ns);

    if (wait_ns > 0) {
        refuse_rate(x, wait_ns, from_address);
        return false;
    }
    wait_ns = wait_for_key(x, now_ns);
    if (wait_ns > 0)
        refuse_rate(x, wait_ns, "with this key");
    return wait_ns == 0;
}

/* ---- keys ------------------------------------------------------------------------------------ */

/* A try with a wrong key counts as a request of its address, so that keys cannot be guessed fast.
 */
static void refuse_key(pp_exchange *x, const pp_key_answer *answer)
{
    pp_problem_report report = {.problem = PP_PROBLEM_NO_KEY};
    int64_t wait_ns = wait_for_address(x, pp_clock_now_ns());

    if (wait_ns > 0) {
        refuse_rate(x, wait_ns, from_address);
        return;
    }
    if (answer->verdict == PP_KEY_REJECTED) {
        report.problem = PP_PROBLEM_BAD_KEY;
        memcpy(x->key_fingerprint, answer->fingerprint, sizeof x->key_fingerprint);
        report.detail = pp_arena_printf(&x->arena, "SHA-256 begins with %s", answer->fingerprint);
    }
    pp_reply_problem(x, &report);
}

bool pp_admit_key(pp_exchange *x)
{
    const pp_key_ring *ring = x->gateway->options.keys;
    const pp_http_request_view *r = x->request;
    const pp_problem_report no_memory = {.problem = PP_PROBLEM_MEMORY};
    pp_key_answer answer;

    if (ring == NULL)
        return true;
    if (pp_key_ring_find(ring, pp_http_header_find(r->headers, r->header_count, "Authorization"),
                         &answer, NULL) != PP_OK) {
        pp_reply_problem(x, &no_memory);
        return false;
    }
    if (answer.verdict != PP_KEY_ACCEPTED) {
        refuse_key(x, &answer);
        return false;
    }
    x->has_key = true;
    x->key_index = answer.index;
    x->key_name = ring->entries[answer.index].name;
    return true;
}
