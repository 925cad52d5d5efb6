/* fault.h - the named faults: which there are, how they are asked for, which requests they take.
 *
 *     NAME[:VALUE][@WHICH...]
 *
 *     @all      every request (the default)       @first:N   the first N
 *     @N        the N-th only                     @after:N   those behind the N-th
 *     @every:N  the N-th, the 2N-th ...           @share:P   each with chance P, by the seed
 *     @/path    requests for this path; without it, those of the fault's own kind
 *
 * Several selectors must all agree. Requests are counted for each fault: those that its path
 * (or kind) takes. */
#ifndef PP_SIM_FAULT_H
#define PP_SIM_FAULT_H

#include "base/text.h"
#include "sim/quirks.h"

typedef enum pp_sim_scope {
    PP_SIM_SCOPE_ANSWERS, /* the three end points that generate */
    PP_SIM_SCOPE_METRICS,
    PP_SIM_SCOPE_SLOTS,
    PP_SIM_SCOPE_PROPS, /* and /slots, which tells the same */
    PP_SIM_SCOPE_OTHER  /* no fault's own; reached by @/path only */
} pp_sim_scope;

/* What a fault is, for lists. */
typedef struct pp_sim_fault_info {
    const char *name;
    const char *value; /* "N", "TIME", "json|html|empty"; NULL: it has none */
    const char *help;
    const char *bugs; /* public reports that need it; "" for none */
} pp_sim_fault_info;

/** The n-th row (from 0) of the table; false behind the last. */
bool pp_sim_fault_info_at(size_t n, pp_sim_fault_info *ret_info);

typedef struct pp_sim_fault {
    size_t row;
    int64_t number;                    /* of the value: count, nanoseconds, word */
    const char *text;                  /* of the value, where it is text */
    pp_text path;                      /* empty: the scope of the row */
    int64_t first, after, every, only; /* 0: not given */
    double share;                      /* only when has_share */
    bool has_share;
    int64_t seen_count; /* requests looked at */
    int64_t hit_count;  /* of these, taken */
} pp_sim_fault;

/** Parse one; text values live in `arena`. PP_ERR_USAGE says what was expected. */
PP_MUST_CHECK pp_status pp_sim_fault_parse(pp_arena *arena, const char *text,
                                           pp_sim_fault *ret_fault, pp_error *err);

/** Count a request and enter into `quirks` what takes it. index: of the fault among all given. */
void pp_sim_fault_apply(pp_sim_fault *fault, size_t index, uint64_t seed, pp_sim_scope scope,
                        pp_text path, pp_sim_quirks *quirks);

#endif
