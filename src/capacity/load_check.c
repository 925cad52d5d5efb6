#include "capacity/load_check.h"

#include <string.h>

#include "capacity/load_evaluate.h"
#include "capacity/same.h"
#include "capacity/server_argv.h"

/* ---- reading ----------------------------------------------------------------------------------
 */

static pp_status compare(pp_arena *arena, const pp_json *root, const pp_json *made, pp_error *err)
{
    pp_status st = pp_arena_check(arena, err);

    return st == PP_OK ? pp_json_same(root, made, "the rest", err) : st;
}

/* `bindings` is where the documents keep them. */
static pp_status derive(pp_arena *arena, const char *bindings, pp_load_evaluation *e, pp_error *err)
{
    pp_status st = pp_wrap(err, pp_load_rows_derive(e, err), "$.rows");

    if (st == PP_OK && e->is_bound)
        st = pp_wrap(err, pp_load_binding_derive(arena, &e->binding, err), "$.%s", bindings);
    return st;
}

/* The original may list both options in the order of their names; either is accepted. */
static void keep_order(const pp_json *server, pp_server_configuration *made)
{
    const pp_json *list = pp_json_find(server, "differing_binding_options");
    const char *first = made->differing[0];

    if (made->differing_count == 2 && list->array.count == 2 &&
        pp_text_is(list->array.items[0]->text, made->differing[1])) {
        made->differing[0] = made->differing[1];
        made->differing[1] = first;
    }
}

pp_status pp_load_evaluation_read(pp_arena *arena, const pp_json *root,
                                  pp_load_evaluation *ret_evaluation, pp_error *err)
{
    pp_load_evaluation e;
    pp_status st = pp_load_evaluation_decode(arena, root, &e, err);

    if (st == PP_OK)
        st = derive(arena, "evidence_binding", &e, err);
    if (st != PP_OK)
        return st;
    if (e.is_bound)
        keep_order(pp_json_find(pp_json_find(root, "evidence_binding"), "server_configuration"),
                   &e.binding.server);
    st = compare(arena, root, pp_load_evaluation_to_json(arena, &e), err);
    if (st == PP_OK)
        *ret_evaluation = e;
    return st;
}

static void keep_orders(const pp_json *root, pp_combined_load_evaluation *combined)
{
    const pp_json *bindings = pp_json_find(root, "evidence_bindings");
    const pp_json *servers = pp_json_find(bindings, "candidate_server_configurations");

    for (size_t i = 0; servers != NULL && i < combined->count; i++) {
        pp_load_evaluation *e = &combined->candidates[i];
        const pp_json *server = pp_json_find_text(servers, e->candidate_id);

        if (server != NULL)
            keep_order(server, &e->binding.server);
    }
}

pp_status pp_combined_load_evaluation_read(pp_arena *arena, const pp_json *root,
                                           pp_combined_load_evaluation *ret_combined, pp_error *err)
{
    pp_combined_load_evaluation combined;
    pp_status st = pp_combined_load_evaluation_decode(arena, root, &combined, err);

    for (size_t i = 0; st == PP_OK && i < combined.count; i++)
        st = pp_wrap(err, derive(arena, "evidence_bindings", &combined.candidates[i], err),
                     "candidate \"%.80s\"", combined.candidates[i].candidate_id.data);
    if (st != PP_OK)
        return st;
    keep_orders(root, &combined);
    st = compare(arena, root, pp_combined_load_evaluation_to_json(arena, &combined), err);
    if (st == PP_OK)
        *ret_combined = combined;
    return st;
}

/* ---- what the digests say ---------------------------------------------------------------------
 */

pp_status pp_load_binding_proves_argv(const pp_load_binding *binding, bool *ret_proves,
                                      pp_error *err)
{
    const pp_server_side *sides[] = {&binding->server.load, &binding->server.canonical};

    *ret_proves = true;
    for (size_t i = 0; i < PP_COUNT_OF(sides); i++) {
        char hex[PP_SHA256_HEX_SIZE];
        pp_status st = pp_server_command_sha256(&sides[i]->argv, hex, err);

        if (st != PP_OK)
            return st;
        *ret_proves = *ret_proves && strcmp(hex, sides[i]->command_sha256) == 0;
    }
    return PP_OK;
}
