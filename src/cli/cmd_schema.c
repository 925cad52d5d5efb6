#include <stdio.h>

#include "cli/inputs.h"
#include "model/document_kinds.h"

static void print_list(void)
{
    size_t count;
    const pp_document_kind *kinds = pp_document_kinds(&count);

    for (size_t i = 0; i < count; i++)
        printf("%-22s%-14s%s\n", kinds[i].name, kinds[i].versions, kinds[i].title);
}

static pp_status fail_unknown(const char *name, pp_error *err)
{
    size_t count;
    const pp_document_kind *kinds = pp_document_kinds(&count);
    pp_buf names;
    pp_status st;

    pp_buf_init(&names, 4096);
    for (size_t i = 0; i < count; i++)
        pp_buf_printf(&names, "%s%s", i == 0 ? "" : ", ", kinds[i].name);
    st = pp_fail(err, PP_ERR_USAGE, "schema: unknown document '%s'; expected one of %s", name,
                 pp_buf_text(&names));
    pp_buf_done(&names);
    return st;
}

static pp_status print_schema(const char *name, pp_error *err)
{
    const pp_document_kind *kind = pp_document_kind_find(name);
    pp_arena arena = {0};
    pp_status st;

    if (kind == NULL)
        return fail_unknown(name, err);
    st = pp_print_json(pp_document_schema(&arena, kind), err);
    pp_arena_done(&arena);
    return st;
}

static pp_status run(const pp_args *args, pp_exit *ret_exit, pp_error *err)
{
    (void)ret_exit;
    if (pp_args_has(args, "list") && args->positional_count > 0)
        return pp_fail(err, PP_ERR_USAGE, "schema: expected a NAME or --list, got both");
    if (args->positional_count > 0)
        return print_schema(args->positionals[0], err);
    print_list();
    return PP_OK;
}

static const pp_option options[] = {
    {"list", 0, NULL, NULL, "list the documents with versions and titles, as without NAME", false,
     false},
};

const pp_command pp_command_schema = {
    .group = "Decide",
    .name = "schema",
    .positionals = "[NAME]",
    .max_positionals = 1,
    .options = options,
    .n_options = PP_COUNT_OF(options),
    .summary = "print the JSON Schema of a document",
    .detail = "Prints JSON Schema (draft 2020-12) of one kind of document that this program reads\n"
              "or writes, for editors and for checks by other programs; for JSON Lines, that of a\n"
              "line. Without NAME it lists the kinds. docs/formats describes them for people.\n",
    .example = "paretopilot schema study-plan",
    .run = run,
};
