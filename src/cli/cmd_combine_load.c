#include <stdio.h>

#include "capacity/load_check.h"
#include "capacity/load_evaluate.h"
#include "cli/inputs.h"
#include "cli/table.h"
#include "model/document.h"

#define NAME_COLUMNS 60

static const pp_option options[] = {
    {"input", 'i', PP_FILE("FILE"), NULL,
     "an evaluation of one candidate, docs/formats/load-evaluation.md; two to 32 of them", true,
     true},
    {"output", 'o', PP_FILE("FILE"), NULL, "write the combined evaluation; never replaces a file",
     true, false},
    {"json", 0, NULL, NULL, "print the document (ASCII JSON) instead of the table", false, false},
};

/* ---- reading --------------------------------------------------------------------------------- */

static pp_status read_one(pp_arena *arena, const char *path, pp_load_evaluation *ret_evaluation,
                          pp_error *err)
{
    char sha256[PP_SHA256_HEX_SIZE];
    const pp_json *root;
    pp_status st = pp_document_read(arena, path, &root, sha256, err);

    if (st == PP_OK)
        st = pp_load_evaluation_read(arena, root, ret_evaluation, err);
    return pp_wrap(err, st, "reading load evaluation '%s'", path);
}

static pp_status read_all(pp_arena *arena, const pp_args *args, pp_load_evaluation **ret_list,
                          size_t *ret_count, pp_error *err)
{
    pp_load_evaluation *list = PP_ARENA_NEW(arena, pp_load_evaluation, PP_LOAD_MAX_COMBINED);
    pp_status st = pp_arena_check(arena, err);
    const char *path;
    size_t count = 0;

    while (st == PP_OK && (path = pp_args_value_at(args, "input", count)) != NULL) {
        if (count == PP_LOAD_MAX_COMBINED)
            return pp_fail(err, PP_ERR_USAGE, "combine-load: --input: expected at most %d files",
                           PP_LOAD_MAX_COMBINED);
        st = read_one(arena, path, &list[count++], err);
    }
    *ret_list = list;
    *ret_count = count;
    return st;
}

/* ---- the table ------------------------------------------------------------------------------- */

static pp_status print_table(pp_arena *arena, const pp_combined_load_evaluation *combined,
                             pp_error *err)
{
    pp_table table;

    pp_table_init(&table, arena);
    pp_table_add_column(&table, "candidate", PP_ALIGN_LEFT);
    pp_table_add_column(&table, "most clients\nwithin the limits", PP_ALIGN_RIGHT);
    for (size_t i = 0; i < combined->count && pp_table_add_row(&table); i++) {
        const pp_load_evaluation *e = &combined->candidates[i];

        pp_table_set(&table, 0, pp_table_cell_text(arena, e->candidate_id, NAME_COLUMNS));
        pp_table_set(
            &table, 1,
            e->highest_slo_concurrency.known
                ? pp_arena_printf(arena, "%lld", (long long)e->highest_slo_concurrency.value)
                : "none");
    }
    if (!arena->failed)
        pp_table_print(&table, stdout);
    return pp_arena_check(arena, err);
}

/* ---- the command ----------------------------------------------------------------------------- */

/* A reader will compare every member; if it would not accept this document, nobody gets it. */
static pp_status make_document(pp_arena *arena, const pp_combined_load_evaluation *combined,
                               const pp_json **ret_document, pp_error *err)
{
    const pp_json *document = pp_combined_load_evaluation_to_json(arena, combined);
    pp_combined_load_evaluation again;
    pp_error why = {0};
    pp_status st = pp_arena_check(arena, err);

    if (st != PP_OK)
        return st;
    if (pp_combined_load_evaluation_read(arena, document, &again, &why) != PP_OK)
        return pp_fail(err, PP_ERR_BUG, "the combined evaluation does not hold: %s", why.text);
    *ret_document = document;
    return PP_OK;
}

static pp_status combine(const pp_args *args, pp_arena *arena, pp_error *err)
{
    pp_load_evaluation *list = NULL;
    pp_combined_load_evaluation combined;
    const pp_json *document = NULL;
    size_t count = 0;
    pp_status st = read_all(arena, args, &list, &count, err);

    if (st == PP_OK)
        st = pp_load_evaluations_combine(arena, list, count, &combined, err);
    if (st == PP_OK)
        st = make_document(arena, &combined, &document, err);
    if (st == PP_OK)
        st = pp_output_json(args, document, err);
    if (st != PP_OK || pp_args_has(args, "json"))
        return st;
    return print_table(arena, &combined, err);
}

static pp_status run(const pp_args *args, pp_exit *ret_exit, pp_error *err)
{
    (void)ret_exit; /* follows from the status */
    return pp_with_new_output(args, combine, err);
}

const pp_command pp_command_combine_load = {
    .group = "Measure",
    .name = "combine-load",
    .options = options,
    .n_options = PP_COUNT_OF(options),
    .summary = "put the load evaluations of several candidates together",
    .detail =
        "Reads what load --plan wrote for each candidate, or what the original tool wrote, and\n"
        "makes every figure again. All must be of one plan: the same methodology, limits and\n"
        "kind of figures, and all bound to a server or none. Rows come by candidate, then by\n"
        "number of clients.\n",
    .example = "paretopilot combine-load --input examples/load/small.json "
               "--input examples/load/large.json --output combined.json",
    .run = run,
};
