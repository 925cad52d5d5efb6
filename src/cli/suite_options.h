/* suite_options.h - the command line of `suite`, checked before the first request. */
#ifndef PP_CLI_SUITE_OPTIONS_H
#define PP_CLI_SUITE_OPTIONS_H

#include "cli/api_key.h"
#include "load/suite_ask.h"
#include "quality/results.h"

typedef struct pp_suite_place {
    pp_text name;           /* unique */
    const char *root;       /* of the server, without "/v1" */
    const char *model_file; /* NULL: the server says itself what it is */
} pp_suite_place;

typedef struct pp_suite_command {
    const char *suite_path;
    pp_suite suite;
    char suite_sha256[PP_SHA256_HEX_SIZE];
    char suite_content_sha256[PP_SHA256_HEX_SIZE];

    pp_suite_place places[PP_SUITE_ENDPOINTS_MAX];
    size_t place_count;
    size_t reference; /* which of several the others are compared with */

    pp_suite_ask_options ask; /* without what belongs to one endpoint */
    bool prompt_given;        /* --system-prompt */
    pp_api_key key;
    pp_text model; /* absent: none was named */

    pp_maybe_real min_score; /* above 0, below 1 */
    bool certify;
    pp_maybe_real min_retention;
    bool fidelity;

    const char *evaluation; /* NULL: none is written */
    const char *candidate;
    size_t pool_count; /* evaluations to pool: then no server is asked */
} pp_suite_command;

/** Read the options; suite, key and system prompt are loaded. Lives in `arena` and argv. Fails with
 * PP_ERR_USAGE, PP_ERR_RANGE, and what reading a file gives. */
PP_MUST_CHECK pp_status pp_suite_command_read(pp_arena *arena, const pp_args *args,
                                              pp_suite_command *ret_command, pp_error *err);

/** The one system prompt with which the original asked; only its digest is known here. */
bool pp_suite_prompt_is_the_originals(pp_text prompt);

#endif
