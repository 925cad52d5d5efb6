/* load_session.h - the levels of one `load`, run one after another, or found by a search. */
#ifndef PP_CLI_LOAD_SESSION_H
#define PP_CLI_LOAD_SESSION_H

#include <pthread.h>

#include "capacity/find.h"
#include "capacity/level_summary.h"
#include "capacity/slo_sequential.h"
#include "cli/load_endpoint.h"
#include "cli/load_live.h"
#include "cli/load_options.h"

typedef struct pp_load_done {
    pp_load_level level;
    pp_load_result result;
    pp_level_summary summary;
} pp_load_done;

/* Must not move while it is in use. */
struct pp_load_session {
    pp_arena arena;
    pp_load_command command;
    pp_load_endpoint endpoint;
    pp_load_recognised recognised; /* zeroed where the command line names the kind */
    pp_load_source *source;
    pp_load_rules rules;
    const volatile sig_atomic_t *stop, *cut_now;
    pp_load_live_view live;
    pp_slo_watch watch; /* of the level that runs, with --stop-early */
    pthread_mutex_t watch_lock;

    pp_load_done levels[PP_LOAD_COMMAND_MAX_LEVELS];
    size_t level_count; /* that were run */
    pp_find_options find_options;
    pp_find_probe probes[PP_LOAD_COMMAND_MAX_LEVELS];
    pp_find_answer find_answer; /* of a search */
    int64_t started_unix_ms;
};

/** Ask the endpoint and prepare the requests; nothing is measured. Fails as those do. */
PP_MUST_CHECK pp_status pp_load_session_prepare(pp_load_session *session, pp_error *err);

/**
 * Run the levels. A level that was interrupted or hopeless ends the session; it stands among the
 * levels, and its observations say so. Each level that has ended is told on standard error.
 */
PP_MUST_CHECK pp_status pp_load_session_run(pp_load_session *session, pp_error *err);

/** The last level was stopped by a signal. */
bool pp_load_session_was_interrupted(const pp_load_session *session);

#endif
