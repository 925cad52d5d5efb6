#include <stdio.h>

#include "cli/inputs.h"
#include "model/document_kinds.h"

static void print_list(void)
{
    size_t count;
    const pp_document_kind *kinds = pp_document_kinds(&count);

    for (size_t i = 0; i < count; i++)
        printf("%-26s%-14s%s\n", kinds[i].name, kinds[i].versions, kinds[i].title);
}

static pp_status print_schema(const char *name, pp_error *err)
{
    pp_arena arena = {0};
    pp_status st = pp_print_json(pp_document_schema(&arena, pp_document_kind_find(name)), err);

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

static const char *kind_word(size_t n)
{
    size_t count;
    const pp_document_kind *kinds = pp_document_kinds(&count);

    return n < count ? kinds[n].name : NULL;
}

static const pp_positional positionals[] = {
    {.value = PP_WORD("NAME", kind_word), .help = "a document of the list", .optional = true},
};

static const pp_option options[] = {
    {"list", 0, NULL, NULL, "list the documents with versions and titles, as without NAME", false,
     false},
};

const pp_command pp_command_schema = {
    .group = "Decide",
    .name = "schema",
    .positionals = positionals,
    .n_positionals = PP_COUNT_OF(positionals),
    .options = options,
    .n_options = PP_COUNT_OF(options),
    .summary = "print the JSON Schema of a document",
    .detail = "Prints JSON Schema (draft 2020-12) of one kind of document that this program reads\n"
              "or writes, for editors and for checks by other programs; for JSON Lines, that of a\n"
              "line. Without NAME it lists the kinds. docs/formats describes them for people.\n",
    .example = "paretopilot schema study-plan",
    .run = run,
};
