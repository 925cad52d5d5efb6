#include "capacity/quality_binding.h"

#include <string.h>

#include "capacity/same.h"
#include "capacity/server_argv.h"
#include "capacity/server_url.h"
#include "model/document_kinds.h"
#include "quality/evaluation_check.h"

/* ---- deriving ---------------------------------------------------------------------------------
 */

static pp_status check_evaluation(const pp_quality_binding *b, pp_error *err)
{
    if (!pp_text_equal(b->evaluation.candidate_id, b->candidate_id))
        return pp_fail(err, PP_ERR_DOMAIN,
                       "$.evaluation.candidate_id: expected the binding's, \"%.200s\", got "
                       "\"%.200s\"",
                       b->candidate_id.data, b->evaluation.candidate_id.data);
    if (b->evaluation.synthetic)
        return pp_fail(err, PP_ERR_DOMAIN,
                       "$.evaluation.synthetic: expected an evaluation of a real model on a real "
                       "machine");
    if (b->server_parallel != 1 && b->server_parallel != 2 && b->server_parallel != 4)
        return pp_fail(err, PP_ERR_DOMAIN, "$.server_parallel: expected 1, 2 or 4, got %lld",
                       (long long)b->server_parallel);
    return PP_OK;
}

/* The server, and that the address reaches it. */
static pp_status derive_server(pp_arena *arena, pp_quality_binding *b, pp_error *err)
{
    pp_server_configuration server = {.load = {.argv = b->argv}, .canonical = {.argv = b->argv}};
    pp_status st = pp_wrap(err, pp_server_configuration_derive(&server, err), "$.server_argv");

    if (st == PP_OK && server.load.parallel != b->server_parallel)
        st = pp_fail(err, PP_ERR_DOMAIN,
                     "$.server_argv: expected --parallel %lld as server_parallel says, got %lld",
                     (long long)b->server_parallel, (long long)server.load.parallel);
    if (st == PP_OK)
        st = pp_wrap(err,
                     pp_server_url_normalise(arena, b->request_base_url, &server.load,
                                             &b->request_base_url, err),
                     "$.request_base_url");
    return st;
}

static pp_status derive_digests(pp_quality_binding *b, pp_error *err)
{
    pp_buf bytes;
    pp_status st;

    pp_buf_init(&bytes, PP_JSON_MAX_BYTES);
    st = pp_json_write(b->evaluation_json, PP_JSON_FILE, &bytes, err);
    if (st == PP_OK)
        st = pp_sha256_of(pp_buf_text(&bytes), bytes.size, b->evaluation_content_sha256, err);
    pp_buf_done(&bytes);
    if (st == PP_OK)
        st = pp_server_command_sha256(&b->argv, b->server_command_content_sha256, err);
    return st == PP_OK ? pp_server_argv_sha256(&b->argv, b->server_argv_sha256, err) : st;
}

static pp_status derive(pp_arena *arena, pp_quality_binding *b, pp_error *err)
{
    pp_status st = pp_server_evaluation_read(arena, b->evaluation_json, &b->evaluation, err);

    if (st == PP_OK)
        st = check_evaluation(b, err);
    if (st == PP_OK)
        st = derive_server(arena, b, err);
    return st == PP_OK ? derive_digests(b, err) : st;
}

/* ---- building ---------------------------------------------------------------------------------
 */

static void copy_sha256(char to[PP_SHA256_HEX_SIZE], const char *from)
{
    PP_ASSERT(strlen(from) == PP_SHA256_HEX_SIZE - 1);
    memcpy(to, from, PP_SHA256_HEX_SIZE);
}

pp_status pp_quality_binding_build(pp_arena *arena, const pp_quality_binding_source *source,
                                   pp_quality_binding *ret_binding, pp_error *err)
{
    pp_quality_binding b = {
        .candidate_id = source->candidate_id,
        .server_parallel = source->server_parallel,
        .run_id = source->run_id,
        .run_attempt = source->run_attempt,
        .request_base_url = source->request_base_url,
        .argv = source->argv,
        .evaluation_json = source->evaluation,
    };
    pp_status st = PP_OK;

    copy_sha256(b.evaluation_sha256, source->evaluation_sha256);
    copy_sha256(b.server_command_sha256, source->server_command_sha256);
    if (pp_text_is_blank(b.run_id))
        st = pp_fail(err, PP_ERR_DOMAIN, "run id: blank");
    else if (b.run_attempt < 1)
        st = pp_fail(err, PP_ERR_DOMAIN, "run attempt: expected at least 1, got %lld",
                     (long long)b.run_attempt);
    if (st == PP_OK)
        st = derive(arena, &b, err);
    if (st == PP_OK)
        *ret_binding = b;
    return pp_wrap(err, st, "binding an evaluation to its server");
}

/* ---- writing and reading ----------------------------------------------------------------------
 */

pp_json *pp_quality_binding_to_json(pp_arena *arena, const pp_quality_binding *b)
{
    pp_json *out = pp_json_new_object(arena);
    pp_json *argv = pp_json_new_array(arena);

    for (size_t i = 0; i < b->argv.count; i++)
        pp_json_add(arena, argv, pp_json_new_text(arena, b->argv.items[i]));
    pp_json_set_string(arena, out, "schema_version", "1.0");
    pp_json_set_string(arena, out, "classification", "capacity-quality-binding");
    pp_json_set_string(arena, out, "pass_id", "quality");
    pp_json_set_text(arena, out, "candidate_id", b->candidate_id);
    pp_json_set_int(arena, out, "server_parallel", b->server_parallel);
    pp_json_set_text(arena, out, "run_id", b->run_id);
    pp_json_set_int(arena, out, "run_attempt", b->run_attempt);
    pp_json_set_text(arena, out, "request_base_url", b->request_base_url);
    pp_json_set_string(arena, out, "evaluation_sha256", b->evaluation_sha256);
    pp_json_set_string(arena, out, "evaluation_content_sha256", b->evaluation_content_sha256);
    pp_json_set_string(arena, out, "server_command_sha256", b->server_command_sha256);
    pp_json_set_string(arena, out, "server_command_content_sha256",
                       b->server_command_content_sha256);
    pp_json_set_string(arena, out, "server_argv_sha256", b->server_argv_sha256);
    pp_json_set(arena, out, "server_argv", argv);
    pp_json_set(arena, out, "evaluation", b->evaluation_json);
    return out;
}

static void read_sha256(const pp_json *root, const char *key, char to[PP_SHA256_HEX_SIZE])
{
    memcpy(to, pp_checked_text(root, key).data, PP_SHA256_HEX_SIZE - 1);
    to[PP_SHA256_HEX_SIZE - 1] = '\0';
}

static pp_status decode(pp_arena *arena, const pp_json *root, pp_quality_binding *b, pp_error *err)
{
    const pp_json *argv;
    pp_status st = pp_document_check(pp_document_kind_find("capacity-quality-binding"), root, err);

    if (st != PP_OK)
        return st;
    argv = pp_checked_list(root, "server_argv");
    *b = (pp_quality_binding){
        .candidate_id = pp_checked_text(root, "candidate_id"),
        .server_parallel = pp_checked_int(root, "server_parallel"),
        .run_id = pp_checked_text(root, "run_id"),
        .run_attempt = pp_checked_int(root, "run_attempt"),
        .request_base_url = pp_checked_text(root, "request_base_url"),
        .argv = {PP_ARENA_NEW(arena, pp_text, argv->array.count), argv->array.count},
        .evaluation_json = pp_checked_object(root, "evaluation"),
    };
    read_sha256(root, "evaluation_sha256", b->evaluation_sha256);
    read_sha256(root, "server_command_sha256", b->server_command_sha256);
    for (size_t i = 0; b->argv.items != NULL && i < b->argv.count; i++)
        b->argv.items[i] = argv->array.items[i]->text;
    return pp_arena_check(arena, err);
}

pp_status pp_quality_binding_read(pp_arena *arena, const pp_json *root,
                                  pp_quality_binding *ret_binding, pp_error *err)
{
    pp_quality_binding b;
    pp_json *made;
    pp_status st = decode(arena, root, &b, err);

    if (st == PP_OK)
        st = derive(arena, &b, err);
    if (st != PP_OK)
        return st;
    made = pp_quality_binding_to_json(arena, &b);
    st = pp_arena_check(arena, err);
    if (st == PP_OK)
        st = pp_json_same(root, made, "the rest", err);
    if (st == PP_OK)
        *ret_binding = b;
    return st;
}

bool pp_quality_binding_proves_files(const pp_quality_binding *binding)
{
    return strcmp(binding->evaluation_sha256, binding->evaluation_content_sha256) == 0 &&
           strcmp(binding->server_command_sha256, binding->server_command_content_sha256) == 0;
}

/* ---- within a study ---------------------------------------------------------------------------
 */

static pp_status check_run(const pp_quality_binding *b, const pp_quality_binding_study *study,
                           pp_error *err)
{
    if (!pp_text_equal(b->run_id, study->run_id))
        return pp_fail(err, PP_ERR_DOMAIN,
                       "$.run_id: expected the study's, \"%.80s\", got \"%.80s\"",
                       study->run_id.data, b->run_id.data);
    if (b->run_attempt != study->run_attempt)
        return pp_fail(err, PP_ERR_DOMAIN, "$.run_attempt: expected the study's, %lld, got %lld",
                       (long long)study->run_attempt, (long long)b->run_attempt);
    if (strcmp(b->evaluation.suite_sha256, study->suite_sha256) != 0)
        return pp_fail(err, PP_ERR_DOMAIN,
                       "$.evaluation.suite.sha256: expected the suite of the plan, %s, got %s",
                       study->suite_sha256, b->evaluation.suite_sha256);
    return PP_OK;
}

pp_status pp_quality_binding_check(const pp_quality_binding *binding,
                                   const pp_quality_binding_study *study, pp_error *err)
{
    pp_capacity_argv differences;
    pp_status st = check_run(binding, study, err);

    if (st == PP_OK)
        st =
            pp_wrap(err,
                    pp_capacity_argv_check(&binding->argv, &study->frozen, binding->server_parallel,
                                           study->slot_context_tokens, &differences, err),
                    "$.server_argv");
    for (size_t i = 0; st == PP_OK && i < study->load_count; i++) {
        if (!pp_server_argv_same_but_port(&binding->argv, &study->loads[i]))
            st = pp_fail(err, PP_ERR_DOMAIN,
                         "$.server_argv: expected the command line of load pass %zu but for --port",
                         i + 1);
    }
    return st;
}

pp_quality_source pp_quality_source_of_binding(pp_arena *arena, const pp_quality_binding *binding,
                                               const char *input_sha256, const char *content_sha256)
{
    return (pp_quality_source){
        .candidate_id = binding->candidate_id,
        .server_parallel = binding->server_parallel,
        .suite_id = binding->evaluation.suite_id,
        .suite_sha256 = binding->evaluation.suite_sha256,
        .outcomes = pp_outcomes_of_evaluation(arena, &binding->evaluation),
        .outcome_count = binding->evaluation.case_count,
        .input_sha256 = input_sha256,
        .source_content_sha256 = content_sha256,
        .evaluation_sha256 = binding->evaluation_sha256,
    };
}
