#include "cli/inputs.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/files.h"
#include "cli/decision_table.h"
#include "decide/details.h"
#include "report/html.h"
#include "version.h"

static pp_status load_files(const char *set, const char *constraints, pp_inputs *inputs,
                            pp_error *err)
{
    pp_arena *arena = &inputs->arena;
    pp_status st = pp_benchmark_set_load(arena, set, &inputs->set, inputs->benchmarks_sha256, err);

    inputs->set_path = set;
    if (st == PP_OK)
        st = pp_constraints_load(arena, constraints, &inputs->constraints,
                                 inputs->constraints_sha256, err);
    return st;
}

pp_status pp_inputs_load(const pp_args *args, pp_inputs *inputs, pp_error *err)
{
    return load_files(args->positionals[0], pp_args_value(args, "constraints"), inputs, err);
}

static pp_status decide(pp_inputs *inputs, pp_error *err)
{
    return pp_wrap(
        err, pp_decide(&inputs->arena, &inputs->set, &inputs->constraints, &inputs->decision, err),
        "deciding");
}

pp_status pp_inputs_decide_files(const char *set, const char *constraints, pp_inputs *inputs,
                                 pp_error *err)
{
    pp_status st = load_files(set, constraints, inputs, err);

    return st == PP_OK ? decide(inputs, err) : st;
}

pp_status pp_inputs_decide(const pp_args *args, pp_inputs *inputs, pp_error *err)
{
    pp_status st = pp_inputs_load(args, inputs, err);

    return st == PP_OK ? decide(inputs, err) : st;
}

void pp_inputs_done(pp_inputs *inputs)
{
    pp_arena_done(&inputs->arena);
}

pp_status pp_inputs_fail_no_winner(const pp_args *args, pp_inputs *inputs, pp_error *err)
{
    pp_status st;

    if (pp_args_has(args, "json"))
        st = pp_print_json(pp_decision_details_to_json(&inputs->arena, &inputs->decision,
                                                       PP_VERSION, pp_inputs_fingerprints(inputs)),
                           err);
    else
        st = pp_decision_table_print(&inputs->arena, &inputs->decision, stdout, err);
    return st == PP_OK ? pp_inputs_no_winner(inputs, err) : st;
}

pp_status pp_inputs_no_winner(const pp_inputs *inputs, pp_error *err)
{
    return pp_fail(err, PP_ERR_NO_WINNER,
                   "no candidate is eligible: all %zu violate a limit; nothing was written",
                   inputs->set.candidate_count);
}

pp_fingerprints pp_inputs_fingerprints(const pp_inputs *inputs)
{
    return (pp_fingerprints){inputs->benchmarks_sha256, inputs->constraints_sha256, NULL};
}

pp_report_input pp_inputs_report(const pp_inputs *inputs)
{
    return (pp_report_input){
        .set = &inputs->set,
        .constraints = &inputs->constraints,
        .decision = &inputs->decision,
        .fingerprints = pp_inputs_fingerprints(inputs),
        .tool_version = PP_VERSION,
    };
}

pp_status pp_inputs_page(pp_inputs *inputs, pp_buf *out, pp_error *err)
{
    pp_report_input input = pp_inputs_report(inputs);

    return pp_report_html(&inputs->arena, &input, out, err);
}

pp_status pp_pair_split(pp_arena *arena, const char *what, const char *form, const char *given,
                        pp_text *ret_name, pp_text *ret_value, pp_error *err)
{
    size_t at = strcspn(given, "=");
    pp_text name = pp_text_strip((pp_text){given, at});
    pp_text value = pp_text_strip(pp_text_of(given + at + (given[at] == '=')));

    if (!pp_utf8_is_valid(given, strlen(given)))
        return pp_fail(err, PP_ERR_USAGE, "%s '%s' is not UTF-8", what, given);
    if (given[at] != '=' || name.size == 0 || value.size == 0)
        return pp_fail(err, PP_ERR_USAGE, "%s: expected %s, got '%s'", what, form, given);
    *ret_name = pp_text_dup(arena, name);
    *ret_value = pp_text_dup(arena, value);
    return pp_arena_check(arena, err);
}

pp_status pp_output_check_free(const char *path, pp_error *err)
{
    if (path != NULL && pp_path_exists(path))
        return pp_fail(err, PP_ERR_EXISTS, "'%s' exists already; nothing is overwritten", path);
    return PP_OK;
}

static pp_status check_folder(const char *path, const char *command, const char *option,
                              pp_error *err)
{
    pp_arena arena = {0};
    const char *folder = pp_path_folder(&arena, path);
    pp_status st = pp_arena_check(&arena, err);

    if (st == PP_OK && !pp_path_is_folder(folder))
        st = pp_fail(err, PP_ERR_USAGE, "%s: --%s: there is no folder '%s'", command, option,
                     folder);
    else if (st == PP_OK && access(folder, W_OK) != 0)
        st = pp_fail(err, PP_ERR_USAGE, "%s: --%s: nothing can be written in '%s': %s", command,
                     option, folder, strerror(errno));
    pp_arena_done(&arena);
    return st;
}

pp_status pp_outputs_check(const pp_args *args, const char *command, const char *const *options,
                           size_t n, pp_error *err)
{
    pp_status st = PP_OK;

    for (size_t i = 0; st == PP_OK && i < n; i++) {
        const char *path = pp_args_value(args, options[i]);

        for (size_t j = 0; path != NULL && j < i; j++) {
            const char *other = pp_args_value(args, options[j]);

            if (other != NULL && strcmp(path, other) == 0)
                return pp_fail(err, PP_ERR_USAGE, "%s: --%s and --%s name the same file", command,
                               options[j], options[i]);
        }
        st = pp_output_check_free(path, err);
        if (st == PP_OK && path != NULL)
            st = check_folder(path, command, options[i], err);
    }
    return st;
}

pp_status pp_with_new_output(const pp_args *args,
                             pp_status (*work)(const pp_args *args, pp_arena *arena, pp_error *err),
                             pp_error *err)
{
    pp_arena arena = {0};
    pp_status st = pp_output_check_free(pp_args_value(args, "output"), err);

    if (st == PP_OK)
        st = work(args, &arena, err);
    pp_arena_done(&arena);
    return st;
}

pp_status pp_print_json(const pp_json *document, pp_error *err)
{
    pp_buf text;
    pp_status st;

    pp_buf_init(&text, PP_JSON_MAX_BYTES);
    st = pp_json_write(document, PP_JSON_ASCII, &text, err);
    if (st == PP_OK)
        (void)fwrite(text.data, 1, text.size, stdout); /* main asks ferror */
    pp_buf_done(&text);
    return st;
}

pp_status pp_output_json(const pp_args *args, const pp_json *document, pp_error *err)
{
    const char *output = pp_args_value(args, "output");
    pp_status st = output == NULL ? PP_OK : pp_json_save_new(document, output, err);

    return st == PP_OK && pp_args_has(args, "json") ? pp_print_json(document, err) : st;
}
