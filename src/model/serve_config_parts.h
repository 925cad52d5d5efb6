/* serve_config_parts.h - inside model/ only: the parts of a configuration of `serve`, each decoded
 * in a file of its own. All expect that the table has been checked. */
#ifndef PP_MODEL_SERVE_CONFIG_PARTS_H
#define PP_MODEL_SERVE_CONFIG_PARTS_H

#include "model/serve_config.h"

/** NULL where it is absent or null. */
const pp_json *pp_serve_given(const pp_json *object, const char *key);
/** Empty where it is absent or null. */
pp_text pp_serve_text(const pp_json *object, const char *key);

/* serve_config_limits.c: every number that has a default */
PP_MUST_CHECK pp_status pp_serve_decode_limits(const pp_json *root, pp_serve_config *config,
                                               pp_error *err);
void pp_serve_encode_limits(pp_arena *arena, const pp_serve_config *config, pp_json *root);

/* serve_config_backends.c: engines, files, back ends */
PP_MUST_CHECK pp_status pp_serve_decode_backends(pp_arena *arena, const pp_json *root,
                                                 pp_serve_config *config, pp_error *err);

/* serve_config_models.c: models and rules, after back ends */
PP_MUST_CHECK pp_status pp_serve_decode_models(pp_arena *arena, const pp_json *root,
                                               pp_serve_config *config, pp_error *err);

/* serve_config_access.c: who may ask, from where, how often */
PP_MUST_CHECK pp_status pp_serve_decode_access(pp_arena *arena, const pp_json *root,
                                               pp_serve_config *config, pp_error *err);
/** Members that would hold a secret get an answer of their own, before they are called unknown. */
PP_MUST_CHECK pp_status pp_serve_refuse_secrets(const pp_json *root, pp_error *err);

#endif
