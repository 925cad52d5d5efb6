#include "model/serve_config_parts.h"

#include "model/document.h"
#include "model/tables.h"

const pp_json *pp_serve_given(const pp_json *object, const char *key)
{
    const pp_json *value = pp_json_find(object, key);

    return value == NULL || value->kind == PP_JSON_NULL ? NULL : value;
}

pp_text pp_serve_text(const pp_json *object, const char *key)
{
    const pp_json *value = pp_serve_given(object, key);

    return value == NULL ? pp_text_of("") : value->text;
}

pp_status pp_serve_config_decode(pp_arena *arena, const pp_json *root, pp_serve_config *ret_config,
                                 pp_error *err)
{
    pp_serve_config config = {0};
    pp_status st = pp_serve_refuse_secrets(root, err);

    if (st == PP_OK)
        st = pp_fields_check(root, &pp_serve_config_fields, err);
    if (st == PP_OK)
        st = pp_serve_decode_backends(arena, root, &config, err);
    if (st == PP_OK)
        st = pp_serve_decode_models(arena, root, &config, err);
    if (st == PP_OK)
        st = pp_serve_decode_access(arena, root, &config, err);
    if (st == PP_OK)
        st = pp_serve_decode_limits(root, &config, err);
    if (st == PP_OK)
        *ret_config = config;
    return st;
}

pp_status pp_serve_config_load(pp_arena *arena, const char *path, pp_serve_config *ret_config,
                               pp_error *err)
{
    const pp_json *root;
    char sha256[PP_SHA256_HEX_SIZE];
    pp_status st = pp_document_read(arena, path, &root, sha256, err);

    if (st == PP_OK)
        st = pp_serve_config_decode(arena, root, ret_config, err);
    return pp_wrap(err, st, "reading configuration '%s'", path);
}
