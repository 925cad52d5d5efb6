/* rules.h - which served model a request goes to: by declared rules, then by the name it asks for.
 *
 * Pure: the same configuration and the same request give the same choice. The first rule that holds
 * wins; else the model of that name; a request that names none gets the first model. */
#ifndef PP_ROUTE_RULES_H
#define PP_ROUTE_RULES_H

#include "base/buffer.h"
#include "model/serve_config.h"

typedef struct pp_route_pair {
    pp_text name, value;
} pp_route_pair;

/* What is known of a request before anybody answers it; borrowed. */
typedef struct pp_route_ask {
    pp_text model;    /* empty: none named */
    pp_text endpoint; /* "chat" or "text" */
    uint64_t body_bytes;
    bool stream;
    bool has_tools;
    const pp_route_pair *headers;
    size_t header_count;
} pp_route_ask;

typedef struct pp_route_choice {
    bool found;         /* false: no model of that name, and no rule holds: 404 */
    size_t model_index; /* into the configuration's models */
    bool by_rule;
    size_t rule_index; /* into its rules */
} pp_route_choice;

void pp_route_choose(const pp_serve_config *config, const pp_route_ask *ask,
                     pp_route_choice *ret_choice);

/**
 * "rule=long; model=qwen-big", or "model=qwen-big" where no rule held; "model=?" where nothing was
 * found. The value of a header may begin with it: what is no token is a quoted string, and bytes
 * outside of printable ASCII, '"', '\' and '%' are written as %XX in it.
 */
void pp_route_trace(const pp_serve_config *config, const pp_route_choice *choice, pp_buf *out);

#endif
