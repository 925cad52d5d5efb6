/* serve_keys.h - the keys of back ends that a configuration names: from variables and files, never
 * shown. */
#ifndef PP_CLI_SERVE_KEYS_H
#define PP_CLI_SERVE_KEYS_H

#include "model/serve_config.h"

/**
 * The key of each back end, in order; empty where none is named. Lives in `arena`.
 *
 * folder    of the configuration, which paths are relative to
 * Fails with PP_ERR_USAGE naming back end and variable or file when the variable is not set, or
 * holds no key that a header can carry; as pp_file_read.
 */
PP_MUST_CHECK pp_status pp_serve_keys_read(pp_arena *arena, const pp_serve_config *config,
                                           const char *folder, const pp_text **ret_keys,
                                           pp_error *err);

/** A path of the configuration as seen from here. NULL when memory is short. */
const char *pp_serve_path(pp_arena *arena, const char *folder, pp_text path);

#endif
