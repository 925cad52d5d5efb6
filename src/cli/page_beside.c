#include "cli/page_beside.h"

#include <string.h>

#include "base/files.h"
#include "decide/details.h"
#include "version.h"

static const char *const ends[] = {
    [PP_BESIDE_SET] = "benchmark-set.json",
    [PP_BESIDE_DETAILS] = "decision-details.json",
};

static void name_files(pp_arena *arena, const char *page_path, pp_page_beside *beside)
{
    const char *slash = strrchr(page_path, '/');
    const char *dot = strrchr(slash == NULL ? page_path : slash, '.');
    size_t size = dot == NULL ? strlen(page_path) : (size_t)(dot - page_path);

    for (int i = 0; i < PP_BESIDE_COUNT; i++)
        beside->paths[i] = pp_arena_printf(arena, "%.*s.%s", (int)size, page_path, ends[i]);
}

/* The bytes that were read, or none: the page shows their digest. */
static pp_status read_set(const pp_inputs *inputs, pp_buf *text, pp_error *err)
{
    char sha256[PP_SHA256_HEX_SIZE];
    pp_status st = pp_file_read(inputs->set_path, text, err);

    if (st == PP_OK)
        st = pp_sha256_of(text->data, text->size, sha256, err);
    if (st == PP_OK && strcmp(sha256, inputs->benchmarks_sha256) != 0)
        st = pp_fail(err, PP_ERR_DOMAIN, "'%s' was changed while the page was made",
                     inputs->set_path);
    return st;
}

pp_status pp_page_beside_make(pp_inputs *inputs, const char *page_path, pp_page_beside *ret_beside,
                              pp_error *err)
{
    pp_arena *arena = &inputs->arena;
    pp_json *details;
    pp_status st;

    *ret_beside = (pp_page_beside){.is_needed = inputs->set.candidate_count > PP_REPORT_MAX_SHOWN};
    for (int i = 0; i < PP_BESIDE_COUNT; i++)
        pp_buf_init(&ret_beside->texts[i], PP_JSON_MAX_BYTES);
    if (!ret_beside->is_needed)
        return PP_OK;
    name_files(arena, page_path, ret_beside);
    st = read_set(inputs, &ret_beside->texts[PP_BESIDE_SET], err);
    if (st != PP_OK)
        return st;
    details = pp_decision_details_to_json(arena, &inputs->decision, PP_VERSION,
                                          pp_inputs_fingerprints(inputs));
    st = pp_arena_check(arena, err);
    return st == PP_OK
               ? pp_json_write(details, PP_JSON_FILE, &ret_beside->texts[PP_BESIDE_DETAILS], err)
               : st;
}

void pp_page_beside_done(pp_page_beside *beside)
{
    for (int i = 0; i < PP_BESIDE_COUNT; i++)
        pp_buf_done(&beside->texts[i]);
}

pp_status pp_page_beside_write(const pp_page_beside *beside, pp_error *err)
{
    pp_status st = PP_OK;

    for (int i = 0; st == PP_OK && beside->is_needed && i < PP_BESIDE_COUNT; i++)
        st = pp_output_check_free(beside->paths[i], err);
    for (int i = 0; st == PP_OK && beside->is_needed && i < PP_BESIDE_COUNT; i++)
        st = pp_file_write_new(beside->paths[i], beside->texts[i].data, beside->texts[i].size, err);
    return st;
}
