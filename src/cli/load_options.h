/* load_options.h - the command line of `load`, as the load engine takes it.
 *
 * Everything is checked before the first request: values, units, files, and options that exclude
 * each other. */
#ifndef PP_CLI_LOAD_OPTIONS_H
#define PP_CLI_LOAD_OPTIONS_H

#include "capacity/slo.h"
#include "cli/command.h"
#include "cli/load_plan_mode.h"
#include "load/source.h"

#define PP_LOAD_COMMAND_MAX_LEVELS 64

/* What is searched for, if anything. */
typedef enum pp_load_search {
    PP_LOAD_SEARCH_NONE,
    PP_LOAD_SEARCH_CLIENTS,
    PP_LOAD_SEARCH_RATE
} pp_load_search;

struct pp_load_command {
    const char *root; /* of the server, without "/v1" */
    bool kind_given;  /* --server names a kind; else the server is asked */
    pp_load_source_options source;
    pp_prompts prompts;
    pp_trace trace;

    pp_load_level levels[PP_LOAD_COMMAND_MAX_LEVELS]; /* of a search: the first one, as a pattern */
    size_t level_count;
    bool repeat_first; /* the last level is the first one again */
    bool warmup_given; /* else a level has as many warm-up requests as clients, or one */
    pp_load_search search;
    double search_low, search_high; /* clients or requests a second */

    pp_http_limits limits;
    pp_http_loop_options transport;
    bool keep_alive;
    int64_t worker_count;
    int64_t drain_ns;
    int64_t idle_wait_ns; /* patience before a level with a server that still works */
    pp_maybe_int server_pid;
    const char *headers[1]; /* authorisation: never printed */
    size_t header_count;
    pp_text key; /* in headers[0]; empty without one */

    pp_slo slos[PP_SLO_MAX];
    size_t slo_count;
    double confidence;        /* 0.5 to 0.9999 */
    bool stop_early;          /* a level ends when its percentiles are decided */
    double max_error_percent; /* of failed requests, above which the exit code is 1 */
    pp_load_plan_mode plan;
};

/**
 * Read the options; prompts and trace are loaded. Texts live in `arena` or in argv.
 * Fails with PP_ERR_USAGE, PP_ERR_RANGE, and what reading a file gives.
 */
PP_MUST_CHECK pp_status pp_load_command_read(pp_arena *arena, const pp_args *args,
                                             pp_load_command *ret_command, pp_error *err);

/** Another number of clients for a closed level; its warm-up follows, so that each client has begun
 * once (G62), unless it was given. */
void pp_load_level_set_clients(pp_load_level *level, int64_t clients, bool keep_warmup);

#endif
