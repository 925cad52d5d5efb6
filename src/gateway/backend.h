/* backend.h - one back end: how many requests it has and may have, and whether it is to be asked at
 * all; and the choice between the back ends of a served model.
 *
 * No socket and no clock: instants are given. The cap on requests under way is the gateway's own
 * (G65), so that a server's unbounded list of waiting requests stays empty (E24). */
#ifndef PP_GATEWAY_BACKEND_H
#define PP_GATEWAY_BACKEND_H

#include "base/text.h"
#include "gateway/backend_status.h"
#include "gateway/breaker.h"
#include "model/serve_config.h"

/* Which back ends of a configuration were tried is a set of bits. */
#define PP_BACKEND_MAX 64
_Static_assert(PP_SERVE_MAX_BACKENDS <= PP_BACKEND_MAX, "a request notes whom it tried in 64 bits");

typedef struct pp_backend {
    const pp_serve_backend *row;
    pp_backend_state state;       /* an endpoint is always ready; its breaker knows more */
    char url[PP_BACKEND_URL_MAX]; /* of a started one, while it is ready */
    const char *root;             /* what paths are appended to; NULL while there is none */
    pp_text api_key;              /* empty: it wants none. Never printed. */
    int64_t in_flight;
    int64_t in_flight_max;
    pp_breaker breaker;
    bool origin_known;
    pp_origin origin; /* of its answers, as far as it said */
    uint64_t restarts;
    bool speculation_asked;
    bool speculation_seen; /* an answer told of drafted tokens: nothing else proves it (E21) */
} pp_backend;

/* What came of choosing. */
typedef enum pp_backend_choice {
    PP_CHOICE_FOUND,
    PP_CHOICE_WAIT,    /* one could be asked, but has as many requests as it may */
    PP_CHOICE_LOADING, /* one is starting, the others cannot be asked */
    PP_CHOICE_NONE     /* none can be asked now */
} pp_backend_choice;

typedef struct pp_backend_found {
    size_t index;         /* FOUND */
    pp_breaker_pass pass; /* FOUND: hand it back with the outcome */
    bool is_probe;        /* FOUND: its breaker lets this one find out */
    int64_t wait_ns;      /* NONE: until the first may be tried again; 0: nobody knows */
} pp_backend_found;

/**
 * Choose a back end of the model for a request, and count the request there when one is found.
 *
 * In order: the first that can; least busy: the one with the smallest share of its cap under way,
 * of equal ones the first. One that fails fast looks idle, which is what the breaker is for (G33).
 *
 * tried    bit i: back end i is not to be asked again
 */
pp_backend_choice pp_backend_choose(const pp_serve_model *model, pp_backend *backends,
                                    uint64_t tried, int64_t now_ns, pp_backend_found *ret_found);

typedef enum pp_backend_outcome {
    PP_OUTCOME_ANSWERED, /* be it with a fault of the request (4xx) */
    PP_OUTCOME_FAILED,
    PP_OUTCOME_ABANDONED /* the client left: says nothing */
} pp_backend_outcome;

/** Tell the breaker; exactly once for each choice that was FOUND. retry_after_ns: 0 = not said. */
void pp_backend_judge(pp_backend *backend, pp_breaker_pass pass, pp_backend_outcome outcome,
                      int64_t now_ns, int64_t retry_after_ns);

/** The request is no longer under way there. */
void pp_backend_release(pp_backend *backend);

/** Some back end of the model can take a request now, or could but for its cap. */
bool pp_backend_any_usable(const pp_serve_model *model, const pp_backend *backends, int64_t now_ns);

#endif
