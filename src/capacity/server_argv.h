/* server_argv.h - whether two command lines of llama-server start the same server, but for what may
 * differ.
 *
 * Pure. Options are compared where they stand: a moved option, one more or one fewer is another
 * server. */
#ifndef PP_CAPACITY_SERVER_ARGV_H
#define PP_CAPACITY_SERVER_ARGV_H

#include "model/load_evaluation.h"

/** Fill what follows from server->load.argv and server->canonical.argv: only the values of --host
 * and --port may differ. Texts are borrowed. Fails with PP_ERR_DOMAIN. */
PP_MUST_CHECK pp_status pp_server_configuration_derive(pp_server_configuration *server,
                                                       pp_error *err);

/* Whose values differ, in the order of the command line. */
typedef struct pp_capacity_argv {
    const char *differing[3]; /* "--ctx-size", "--parallel", "--port" */
    size_t differing_count;
} pp_capacity_argv;

/**
 * The rule of a capacity study: the frozen command serves one slot of `slot_context_tokens`, the
 * other one `parallel` such slots with a context that holds them all; only the values of
 * --ctx-size, --parallel and --port may differ. Fails with PP_ERR_DOMAIN.
 */
PP_MUST_CHECK pp_status pp_capacity_argv_check(const pp_server_argv *argv,
                                               const pp_server_argv *frozen, int64_t parallel,
                                               int64_t slot_context_tokens,
                                               pp_capacity_argv *ret_argv, pp_error *err);

/** Read a file {"schema_version": "1.0", "argv": [...]}, as the original keeps command lines, or a
 * `server-command` of a bundle. ret_argv borrows from `root`. */
PP_MUST_CHECK pp_status pp_server_command_decode(pp_arena *arena, const pp_json *root,
                                                 pp_server_argv *ret_argv, pp_error *err);

/** SHA-256 of the file in which the original keeps this command line. */
PP_MUST_CHECK pp_status pp_server_command_sha256(const pp_server_argv *argv,
                                                 char ret_hex[PP_SHA256_HEX_SIZE], pp_error *err);

/** SHA-256 of this command line as compact JSON, ["a","b"], as the original pins it. */
PP_MUST_CHECK pp_status pp_server_argv_sha256(const pp_server_argv *argv,
                                              char ret_hex[PP_SHA256_HEX_SIZE], pp_error *err);

/** Whether two command lines are the same but for the value of --port. */
bool pp_server_argv_same_but_port(const pp_server_argv *a, const pp_server_argv *b);

#endif
