/* remake_evaluations - server evaluations and what is made of them, from files that the original
 * made of the same.
 *
 * remake_evaluations build OUT SUITE EVALUATION      the answers and samples of EVALUATION again
 * remake_evaluations pool OUT EVALUATION...          as one
 * remake_evaluations bind OUT EVALUATION COMMAND CANDIDATE PARALLEL RUN ATTEMPT URL
 * remake_evaluations checks OUT PLAN MANIFEST (WRAPPER LOAD-COMMAND LOAD-COMMAND)...
 *     {"checks": [...]}, every wrapper held before against plan, manifest and the command lines of
 *     the two servers under load
 *
 * Exit 2 with the reason when it cannot be made. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capacity/quality_binding.h"
#include "capacity/server_argv.h"
#include "model/document.h"
#include "model/fields.h"
#include "quality/evaluation.h"
#include "quality/evaluation_check.h"

#define MAX_FILES 24

typedef struct file {
    const pp_json *root;
    char sha256[PP_SHA256_HEX_SIZE];
} file;

static pp_status read_evaluation(pp_arena *arena, const char *path, pp_server_evaluation *ret,
                                 pp_error *err)
{
    file f;
    pp_status st = pp_document_read(arena, path, &f.root, f.sha256, err);

    return st == PP_OK ? pp_server_evaluation_read(arena, f.root, ret, err) : st;
}

static pp_status build(pp_arena *arena, char **paths, int count, pp_json **ret, pp_error *err)
{
    char sha256[PP_SHA256_HEX_SIZE];
    char content[PP_SHA256_HEX_SIZE];
    pp_server_evaluation from;
    pp_server_evaluation made;
    pp_suite suite;
    pp_evaluation_source source = {0};
    pp_text answers[PP_SUITE_1_0_MAX_CASES];
    pp_status st;

    if (count != 2)
        return pp_fail(err, PP_ERR_USAGE, "build OUT SUITE EVALUATION");
    st = pp_suite_load(arena, paths[0], &suite, sha256, content, err);
    if (st == PP_OK)
        st = read_evaluation(arena, paths[1], &from, err);
    if (st != PP_OK)
        return st;
    for (size_t i = 0; i < from.case_count; i++)
        answers[i] = from.cases[i].response;
    source = (pp_evaluation_source){
        from.candidate_id, PP_ORIGIN_MEASURED, &suite,       sha256,
        answers,           from.case_count,    from.samples, from.sample_count};
    st = pp_evaluation_build(arena, &source, &made, err);
    if (st == PP_OK)
        *ret = pp_server_evaluation_to_json(arena, &made);
    return st;
}

static pp_status pool(pp_arena *arena, char **paths, int count, pp_json **ret, pp_error *err)
{
    pp_server_evaluation passes[MAX_FILES];
    pp_server_evaluation pooled;
    pp_status st = PP_OK;

    for (int i = 0; st == PP_OK && i < count && i < MAX_FILES; i++)
        st = read_evaluation(arena, paths[i], &passes[i], err);
    if (st == PP_OK)
        st = pp_evaluation_pool(arena, passes, (const char *const *)paths, (size_t)count, &pooled,
                                err);
    if (st == PP_OK)
        *ret = pp_server_evaluation_to_json(arena, &pooled);
    return st;
}

static pp_status bind(pp_arena *arena, char **args, int count, pp_json **ret, pp_error *err)
{
    file evaluation;
    file command;
    pp_quality_binding_source source = {0};
    pp_quality_binding binding;
    pp_status st;

    if (count != 7)
        return pp_fail(err, PP_ERR_USAGE, "bind OUT EVALUATION COMMAND CANDIDATE PARALLEL ...");
    st = pp_document_read(arena, args[0], &evaluation.root, evaluation.sha256, err);
    if (st == PP_OK)
        st = pp_document_read(arena, args[1], &command.root, command.sha256, err);
    if (st == PP_OK)
        st = pp_server_command_decode(arena, command.root, &source.argv, err);
    if (st != PP_OK)
        return st;
    source.candidate_id = pp_text_of(args[2]);
    source.server_parallel = atoll(args[3]);
    source.run_id = pp_text_of(args[4]);
    source.run_attempt = atoll(args[5]);
    source.request_base_url = pp_text_of(args[6]);
    source.evaluation = evaluation.root;
    source.evaluation_sha256 = evaluation.sha256;
    source.server_command_sha256 = command.sha256;
    st = pp_quality_binding_build(arena, &source, &binding, err);
    if (st == PP_OK)
        *ret = pp_quality_binding_to_json(arena, &binding);
    return st;
}

/* ---- checks -----------------------------------------------------------------------------------
 */

static pp_status read_frozen(pp_arena *arena, const pp_json *manifest, pp_text candidate_id,
                             pp_server_argv *ret_argv, pp_error *err)
{
    const pp_json *commands = pp_json_find(manifest, "canonical_commands");
    pp_json *command = pp_json_new_object(arena);

    pp_json_set_string(arena, command, "schema_version", "1.0");
    pp_json_set(arena, command, "argv",
                pp_json_find(pp_json_find_text(commands, candidate_id), "argv"));
    return pp_server_command_decode(arena, command, ret_argv, err);
}

static pp_status read_load(pp_arena *arena, const char *path, pp_server_argv *ret_argv,
                           pp_error *err)
{
    file f;
    pp_status st = pp_document_read(arena, path, &f.root, f.sha256, err);

    return st == PP_OK ? pp_server_command_decode(arena, f.root, ret_argv, err) : st;
}

/* paths: wrapper and two load commands */
static pp_status take_wrapper(pp_arena *arena, char **paths, const file *plan, const file *manifest,
                              pp_quality_source *ret_source, pp_error *err)
{
    pp_server_argv loads[2];
    const pp_json *source = pp_json_find(manifest->root, "source");
    pp_quality_binding *binding = PP_ARENA_NEW(arena, pp_quality_binding, 1);
    file *wrapper = PP_ARENA_NEW(arena, file, 1);
    pp_quality_binding_study study = {
        .run_id = pp_checked_text(source, "run_id"),
        .run_attempt = pp_checked_int(source, "run_attempt"),
        .suite_sha256 =
            pp_checked_text(pp_json_find(plan->root, "pins"), "evaluation_suite_sha256").data,
        .slot_context_tokens = pp_checked_int(plan->root, "per_slot_context_tokens"),
        .loads = loads,
        .load_count = 2,
    };
    pp_status st = pp_document_read(arena, paths[0], &wrapper->root, wrapper->sha256, err);

    for (int i = 0; st == PP_OK && i < 2; i++)
        st = read_load(arena, paths[1 + i], &loads[i], err);
    if (st == PP_OK)
        st = pp_quality_binding_read(arena, wrapper->root, binding, err);
    if (st == PP_OK)
        st = read_frozen(arena, manifest->root, binding->candidate_id, &study.frozen, err);
    if (st == PP_OK)
        st = pp_quality_binding_check(binding, &study, err);
    if (st == PP_OK) /* the wrappers are canonical, so content and file have one digest */
        *ret_source =
            pp_quality_source_of_binding(arena, binding, wrapper->sha256, wrapper->sha256);
    return st;
}

static pp_status checks(pp_arena *arena, char **paths, int count, pp_json **ret, pp_error *err)
{
    file plan;
    file manifest;
    pp_quality_source sources[MAX_FILES];
    pp_quality_check *made;
    const pp_json *from;
    pp_json *list = pp_json_new_array(arena);
    pp_quality_gate gate;
    size_t n = (size_t)(count - 2) / 3;
    pp_status st;

    if (count < 5 || count > MAX_FILES || (count - 2) % 3 != 0)
        return pp_fail(err, PP_ERR_USAGE, "checks OUT PLAN MANIFEST (WRAPPER LOAD LOAD)...");
    st = pp_document_read(arena, paths[0], &plan.root, plan.sha256, err);
    if (st == PP_OK)
        st = pp_document_read(arena, paths[1], &manifest.root, manifest.sha256, err);
    for (size_t i = 0; st == PP_OK && i < n; i++)
        st = take_wrapper(arena, paths + 2 + 3 * i, &plan, &manifest, &sources[i], err);
    if (st != PP_OK)
        return st;
    from = pp_json_find(plan.root, "quality_gate");
    gate = (pp_quality_gate){pp_checked_number(from, "minimum_score"),
                             pp_checked_number(from, "minimum_retention_vs_reference"),
                             pp_checked_text(from, "reference_candidate_id")};
    st = pp_quality_checks(arena, &gate, sources, n, &made, err);
    for (size_t i = 0; st == PP_OK && i < n; i++)
        pp_json_add(arena, list, pp_quality_check_to_json(arena, &made[i]));
    *ret = pp_json_new_object(arena);
    pp_json_set(arena, *ret, "checks", list);
    return st;
}

/* ---------------------------------------------------------------------------------------------- */

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        pp_status (*make)(pp_arena *arena, char **args, int count, pp_json **ret, pp_error *err);
    } makers[] = {{"build", build}, {"pool", pool}, {"bind", bind}, {"checks", checks}};
    pp_arena arena = {0};
    pp_error err = {0};
    pp_json *made = NULL;
    pp_status st = PP_ERR_USAGE;

    for (size_t i = 0; argc > 3 && i < PP_COUNT_OF(makers); i++) {
        if (strcmp(argv[1], makers[i].name) == 0)
            st = makers[i].make(&arena, argv + 3, argc - 3, &made, &err);
    }
    if (st == PP_OK)
        st = pp_json_save_new(made, argv[2], &err);
    if (st != PP_OK)
        fprintf(stderr, "remake_evaluations: %s\n", err.text);
    pp_arena_done(&arena);
    return st == PP_OK ? 0 : 2;
}
