/* Every recorded pair of server commands of the original, for loads and for capacity studies:
 * configurations and addresses equal, refusals for the same class of reason. */
#include <stdio.h>
#include <string.h>

#include "capacity/server_argv.h"
#include "capacity/server_url.h"
#include "original_cases.h"
#include "shared.h"

/* What our refusal says where the original's has this code. */
static const original_class classes[] = {
    {"argument-count", {"expected 1 to 128 arguments"}},
    {"argument-too-long", {"expected at most 4096 characters"}},
    {"blank-argument", {"blank", "expected text", "expected a string"}},
    {"canonical-context", {"frozen argv: expected --ctx-size"}},
    {"canonical-parallel", {"frozen argv: expected --parallel 1"}},
    {"context", {"argv: expected --ctx-size"}},
    {"control-character", {"control character"}},
    {"length", {"expected as many arguments"}},
    {"material-difference", {"make different servers"}},
    {"not-decimal", {"expected decimal digits"}},
    {"option-count", {"once, got it"}},
    {"option-moved", {"stands elsewhere"}},
    {"option-value", {"has no value"}},
    {"out-of-range", {"expected 1 to 1024 for", "expected 1 to 65535 for"}},
    {"parallel-differs", {"expected the same --parallel", "argv: expected --parallel"}},
    {"surrounding-space", {"white space around"}},
    {"total-length", {"expected at most 32768 characters in all"}},
    {"url-form", {"expected http", "expected a host", "expected a port", "nothing behind"}},
    {"url-host", {"does not reach"}},
    {"url-port", {"expected the server's port"}},
};

typedef struct replay {
    size_t equal, refused;
} replay;

static pp_status read_argv(pp_arena *arena, const pp_json *row, const char *key,
                           pp_server_argv *ret_argv, pp_error *err)
{
    pp_json *command = pp_json_new_object(arena);

    pp_json_set_string(arena, command, "schema_version", "1.0");
    pp_json_set(arena, command, "argv", pp_json_find(row, key));
    return pp_server_command_decode(arena, command, ret_argv, err);
}

static bool check_refusal(replay *r, const char *id, const pp_json *row, pp_status st,
                          const pp_error *err)
{
    if (pp_json_find(row, "accepted")->boolean) {
        if (st != PP_OK)
            fail_msg("%s: refused: %s", id, err->text);
        r->equal++;
        return false;
    }
    if (st == PP_OK)
        fail_msg("%s: accepted, the original refuses it: %s", id,
                 pp_json_find(row, "error")->text.data);
    original_class_check(classes, PP_COUNT_OF(classes), id, pp_json_find(row, "error")->text.data,
                         err->text);
    r->refused++;
    return true;
}

static void check_options(const char *id, const pp_json *want, const char *const *got, size_t count)
{
    if (want->array.count != count)
        fail_msg("%s: %zu options differ, expected %zu", id, count, want->array.count);
    for (size_t i = 0; i < count; i++)
        assert_string_equal(got[i], want->array.items[i]->text.data);
}

/* ---- loads ----------------------------------------------------------------------------------- */

static void check_side(const pp_json *want, const char *side, const pp_server_side *got)
{
    char key[64];

#define KEY(name) (snprintf(key, sizeof key, "%s_" name, side), pp_json_find(want, key))
    assert_string_equal(got->runtime_path.data, KEY("runtime_path")->text.data);
    assert_string_equal(got->model_path.data, KEY("model_path")->text.data);
    assert_string_equal(got->host.data, KEY("host")->text.data);
    assert_int_equal(got->parallel, KEY("parallel")->integer);
    assert_int_equal(got->port, KEY("port")->integer);
#undef KEY
}

static void replay_load(replay *r, pp_arena *arena, const char *id, const pp_json *row)
{
    const pp_json *url = pp_json_find(row, "request_base_url");
    const pp_json *want = pp_json_find(row, "configuration");
    pp_server_configuration server = {0};
    pp_text normal = {0};
    pp_error err = {0};
    pp_status st = read_argv(arena, row, "load_argv", &server.load.argv, &err);

    if (st == PP_OK)
        st = read_argv(arena, row, "canonical_argv", &server.canonical.argv, &err);
    if (st == PP_OK)
        st = pp_server_configuration_derive(&server, &err);
    if (st == PP_OK && url != NULL)
        st = pp_server_url_normalise(arena, url->text, &server.load, &normal, &err);
    if (check_refusal(r, id, row, st, &err))
        return;
    check_side(want, "load", &server.load);
    check_side(want, "canonical", &server.canonical);
    check_options(id, pp_json_find(want, "differing_binding_options"), server.differing,
                  server.differing_count);
    assert_string_equal(normal.data, pp_json_find(row, "normalized_base_url")->text.data);
}

/* ---- capacity -------------------------------------------------------------------------------- */

static void replay_capacity(replay *r, pp_arena *arena, const char *id, const pp_json *row)
{
    pp_server_argv argv;
    pp_server_argv frozen;
    pp_capacity_argv got;
    pp_error err = {0};
    pp_status st = read_argv(arena, row, "capacity_argv", &argv, &err);

    if (st == PP_OK)
        st = read_argv(arena, row, "canonical_argv", &frozen, &err);
    if (st == PP_OK)
        st = pp_capacity_argv_check(&argv, &frozen, pp_json_find(row, "server_parallel")->integer,
                                    pp_json_find(row, "per_slot_context_tokens")->integer, &got,
                                    &err);
    if (check_refusal(r, id, row, st, &err))
        return;
    check_options(id, pp_json_find(row, "differing_options"), got.differing, got.differing_count);
}

/* ---------------------------------------------------------------------------------------------- */

static void replay_case(pp_arena *arena, const char *id, const pp_json *row, void *context)
{
    if (pp_text_is(pp_json_find(row, "kind")->text, "load"))
        replay_load(context, arena, id, row);
    else
        replay_capacity(context, arena, id, row);
}

static void every_recorded_pair_has_its_outcome(void **state)
{
    replay r = {0};

    (void)state;
    assert_int_equal(original_cases_each("argv-binding.jsonl", replay_case, &r), 173);
    print_message("# equal %zu, refused alike %zu, otherwise on purpose 0\n", r.equal, r.refused);
    assert_int_equal(r.equal + r.refused, 173);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_recorded_pair_has_its_outcome),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
