#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/files.h"
#include "base/new_folder.h"
#include "cli/inputs.h"
#include "cli/starter.h"
#include "cli/table.h"
#include "report/launch_command.h"

static const pp_positional positionals[] = {
    {.value = PP_FOLDER("DIR"), .help = "the new folder; nothing may stand there yet"},
};

static const pp_option options[] = {
    {"action-ref", 0, PP_TEXT("OWNER/REPO@SHA"), NULL,
     "the action that the workflow uses; without it the workflow calls an installed paretopilot",
     false, false},
    {"json", 0, NULL, NULL,
     "print the document of docs/formats/init.md instead of the next command", false, false},
};

/* ---- the folder ------------------------------------------------------------------------------ */

static pp_status check_folder(pp_arena *arena, const char *path, pp_error *err)
{
    size_t size = strlen(path);
    const char *plain, *parent;
    struct stat info;

    while (size > 1 && path[size - 1] == '/')
        size--;
    plain = pp_arena_dup(arena, path, size);
    parent = plain == NULL ? NULL : pp_path_folder(arena, plain);
    if (parent == NULL)
        return pp_arena_check(arena, err);
    if (!pp_utf8_is_valid(path, strlen(path)))
        return pp_fail(err, PP_ERR_USAGE, "init: '%s': expected UTF-8", path);
    if (pp_path_exists(plain))
        return pp_fail(err, PP_ERR_EXISTS, "init: '%s' exists already; nothing is overwritten",
                       path);
    if (lstat(parent, &info) != 0)
        return pp_fail_errno(err, PP_ERR_IO, errno, "init: the folder '%s' for it", parent);
    if (!S_ISDIR(info.st_mode))
        return pp_fail(err, PP_ERR_IO, "init: '%s' is no folder (a link is not followed)", parent);
    return pp_new_folder_check(path, err);
}

/* ---- the files ------------------------------------------------------------------------------- */

static const char *text_of(const pp_starter_file *files, const char *name)
{
    for (size_t i = 0; i < PP_STARTER_FILE_COUNT; i++) {
        if (strcmp(files[i].name, name) == 0)
            return files[i].text;
    }
    return "";
}

static pp_status decide(pp_inputs *inputs, const char *benchmarks, const char *constraints,
                        pp_error *err)
{
    pp_arena *arena = &inputs->arena;
    const pp_json *root;
    pp_status st =
        pp_json_parse(arena, PP_STARTER_BENCHMARKS, benchmarks, strlen(benchmarks), &root, err);

    if (st == PP_OK)
        st = pp_benchmark_set_decode(arena, root, &inputs->set, err);
    if (st == PP_OK)
        st = pp_json_parse(arena, PP_STARTER_CONSTRAINTS, constraints, strlen(constraints), &root,
                           err);
    if (st == PP_OK)
        st = pp_constraints_decode(arena, root, &inputs->constraints, err);
    if (st == PP_OK)
        st = pp_decide(arena, &inputs->set, &inputs->constraints, &inputs->decision, err);
    return st;
}

/* Nothing is created from files that do not do what they say. */
static pp_status check_files(pp_inputs *inputs, const pp_starter_file *files, pp_error *err)
{
    const pp_decision *d = &inputs->decision;
    pp_status st = decide(inputs, text_of(files, PP_STARTER_BENCHMARKS),
                          text_of(files, PP_STARTER_CONSTRAINTS), err);

    if (st == PP_OK && (!inputs->set.synthetic || !d->has_winner ||
                        !pp_text_is(inputs->set.candidates[d->selected].id, PP_STARTER_SELECTED)))
        return pp_fail(err, PP_ERR_BUG, "init: the example does not decide for '%s'",
                       PP_STARTER_SELECTED);
    return st == PP_OK || st == PP_ERR_MEMORY ? st : PP_ERR_BUG;
}

static pp_status write_files(pp_arena *arena, const char *path, const pp_starter_file *files,
                             pp_error *err)
{
    pp_new_folder folder = {0};
    pp_status st = pp_new_folder_open(arena, path, &folder, err);

    for (size_t i = 0; st == PP_OK && i < PP_STARTER_FILE_COUNT; i++)
        st = pp_new_folder_write(arena, &folder, files[i].name, files[i].text,
                                 strlen(files[i].text), err);
    if (st == PP_OK)
        st = pp_new_folder_commit(&folder, err);
    pp_new_folder_abandon(&folder);
    return st;
}

/* ---- what is printed ------------------------------------------------------------------------- */

static const char *quoted(pp_arena *arena, const char *word)
{
    pp_buf out;
    const char *text;

    pp_buf_init(&out, 5 * strlen(word) + 16);
    pp_launch_quote(pp_text_of(word), &out);
    text = pp_arena_dup(arena, pp_buf_text(&out), out.size);
    pp_buf_done(&out);
    return text;
}

static pp_json *document(pp_arena *arena, const char *folder, const char *action_ref,
                         const pp_starter_file *files)
{
    pp_json *out = pp_json_new_object(arena);
    pp_json *names = pp_json_new_array(arena);

    for (size_t i = 0; i < PP_STARTER_FILE_COUNT; i++)
        pp_json_add(arena, names, pp_json_new_string(arena, files[i].name));
    pp_json_set_string(arena, out, "schema_version", "1.0");
    pp_json_set_bool(arena, out, "valid", true);
    pp_json_set_string(arena, out, "classification", "synthetic-launch-kit");
    pp_json_set_bool(arena, out, "synthetic_source", true);
    pp_json_set_string(arena, out, "selected_id", PP_STARTER_SELECTED);
    pp_json_set_string(arena, out, "action_ref", action_ref);
    pp_json_set_string(arena, out, "output_directory", folder);
    pp_json_set_string(arena, out, "working_directory", folder);
    pp_json_set(arena, out, "files", names);
    pp_json_set_string(arena, out, "next_command", PP_STARTER_COMMAND);
    return out;
}

static pp_status print(pp_arena *arena, const pp_args *args, const pp_starter_file *files,
                       pp_error *err)
{
    const char *path = args->positionals[0];
    char *folder = realpath(path, NULL);
    const char *word = quoted(arena, path);
    pp_status st = PP_OK;

    if (folder == NULL)
        st = pp_fail_errno(err, PP_ERR_IO, errno, "'%s'", path);
    else if (pp_args_has(args, "json"))
        st = pp_print_json(document(arena, folder, pp_args_value(args, "action-ref"), files), err);
    else if (word != NULL)
        printf("%d files; the figures in them are made up. Next:\n\n  cd %s%s\n  %s\n",
               PP_STARTER_FILE_COUNT, path[0] == '-' ? "-- " : "", word, PP_STARTER_COMMAND);
    free(folder);
    return st == PP_OK ? pp_arena_check(arena, err) : st;
}

static pp_status run_init(const pp_args *args, pp_exit *ret_exit, pp_error *err)
{
    const char *path = args->positionals[0];
    const char *action_ref = pp_args_value(args, "action-ref");
    pp_starter_file files[PP_STARTER_FILE_COUNT];
    pp_inputs inputs = {0};
    pp_status st = action_ref == NULL ? PP_OK : pp_starter_check_action(action_ref, err);

    (void)ret_exit; /* follows from the status */
    if (st == PP_OK)
        st = check_folder(&inputs.arena, path, err);
    if (st == PP_OK)
        st = pp_starter_make(&inputs.arena, action_ref, files, err);
    if (st == PP_OK)
        st = check_files(&inputs, files, err);
    if (st == PP_OK)
        st = write_files(&inputs.arena, path, files, err);
    if (st == PP_OK)
        st = print(&inputs.arena, args, files, err);
    pp_inputs_done(&inputs);
    return st;
}

const pp_command pp_command_init = {
    .group = "Decide",
    .name = "init",
    .positionals = positionals,
    .n_positionals = PP_COUNT_OF(positionals),
    .options = options,
    .n_options = PP_COUNT_OF(options),
    .summary = "write a small project whose decision is checked in CI",
    .detail =
        "Writes an example with made-up figures, limits, a README and a GitHub workflow, and\n"
        "prints the command that decides with them. Replace the figures by your own.\n",
    .example = "paretopilot init my-decision",
    .run = run_init,
};
