#include "model/document.h"

pp_status pp_document_read(pp_arena *arena, const char *path, const pp_json **ret_root,
                           char ret_sha256[PP_SHA256_HEX_SIZE], pp_error *err)
{
    pp_buf bytes;
    pp_status st;

    pp_buf_init(&bytes, PP_JSON_MAX_BYTES);
    st = pp_json_read_file(arena, path, &bytes, ret_root, err);
    if (st == PP_OK)
        st = pp_sha256_of(pp_buf_text(&bytes), bytes.size, ret_sha256, err);
    pp_buf_done(&bytes);
    return st;
}
