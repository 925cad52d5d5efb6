/* load_plan_mode.h - `load --plan`: the levels of a load plan, which is the original tool's
 * document, and the evaluation that follows from what was measured.
 *
 * The plan says everything about the requests, so options that say the same are refused. Whatever
 * can be wrong about the evaluation without a measurement (its candidate, the order, the server it
 * is bound to) is refused before the first request. */
#ifndef PP_CLI_LOAD_PLAN_MODE_H
#define PP_CLI_LOAD_PLAN_MODE_H

#include "capacity/load_evaluate.h"
#include "cli/command.h"

typedef struct pp_load_command pp_load_command;
typedef struct pp_load_session pp_load_session;

typedef struct pp_load_plan_mode {
    bool is_on;
    pp_load_plan plan;
    char plan_sha256[PP_SHA256_HEX_SIZE];
    pp_text candidate_id;
    int64_t order[PP_LOAD_MAX_LEVELS]; /* plan.method.level_count of them, as they will run */
    bool is_bound;
    pp_load_binding binding;
    const char *lost; /* why there can be no evaluation; NULL so far. Holds words of the server */
    pp_maybe_int highest_slo_concurrency; /* of the evaluation, once it is made */
} pp_load_plan_mode;

/**
 * Whether --plan is given. Fails with PP_ERR_USAGE when it is and another option says what the plan
 * says, or when it is not and an option of it is.
 */
PP_MUST_CHECK pp_status pp_load_plan_mode_check(const pp_args *args, bool *ret_is_on,
                                                pp_error *err);

/**
 * Read plan, candidate, order and command lines, and make levels, requests and limits of them.
 * command->root is there already. Fails with PP_ERR_USAGE, PP_ERR_DOMAIN, and as reading the files
 * does.
 */
PP_MUST_CHECK pp_status pp_load_plan_mode_read(pp_arena *arena, const pp_args *args,
                                               pp_load_command *command, pp_error *err);

/** After each level: sets `lost` when it is none that an evaluation could hold. */
PP_MUST_CHECK pp_status pp_load_plan_mode_judge(pp_load_session *session, pp_error *err);

/** Write the evaluation and say on standard output which levels kept to the limits (not with
 * --json); or say on standard error why there is none. */
PP_MUST_CHECK pp_status pp_load_plan_mode_write(const pp_args *args, pp_load_session *session,
                                                pp_error *err);

#endif
