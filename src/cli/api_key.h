/* api_key.h - the key that a server wants, from a file or an environment variable; never from the
 * command line, never shown (base/secret.h). */
#ifndef PP_CLI_API_KEY_H
#define PP_CLI_API_KEY_H

#include "base/text.h"
#include "cli/command.h"

/* Rows of options; PP_API_KEY_OPTIONS belongs into the options of a command that reads one. */
#define PP_API_KEY_OPTIONS                                                                         \
    {                                                                                              \
        "api-key-file", 0,    PP_FILE("FILE"), NULL, "sent as a bearer token; never shown",        \
        false,          false},                                                                    \
    {                                                                                              \
        "api-key-env", 0, PP_TEXT("NAME"), NULL, "the same from an environment variable", false,   \
            false                                                                                  \
    }

typedef struct pp_api_key {
    const char *headers[1]; /* the authorisation: never printed */
    size_t header_count;    /* 0 without a key */
    pp_text key;            /* in headers[0]; empty without one */
} pp_api_key;

/** Read --api-key-file or --api-key-env. Lives in `arena`. Fails with PP_ERR_USAGE for both, an
 * unset variable, or a key that no header can carry, and as pp_file_read. */
PP_MUST_CHECK pp_status pp_api_key_read(pp_arena *arena, const pp_args *args, pp_api_key *ret_key,
                                        pp_error *err);

/** The key alone, out of a file or a variable. Fails as pp_api_key_read. */
PP_MUST_CHECK pp_status pp_api_key_from_file(pp_arena *arena, const char *path, pp_text *ret_key,
                                             pp_error *err);
PP_MUST_CHECK pp_status pp_api_key_from_variable(pp_arena *arena, const char *name,
                                                 pp_text *ret_key, pp_error *err);

#endif
