#include "original_cases.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mask.h"
#include "shared.h"

static FILE *open_lines(pp_arena *arena, const char *name)
{
    const char *path =
        shared_path_or_skip(arena, pp_arena_printf(arena, "original/cases/%s", name));
    size_t size = strlen(name);
    bool packed = size > 3 && strcmp(name + size - 3, ".gz") == 0;

    return popen(pp_arena_printf(arena, "%s '%s'", packed ? "gzip -dc" : "cat", path), "r");
}

/* Rows without an id are named by their place. */
static const char *name_of(pp_arena *arena, const pp_json *row, size_t number)
{
    const pp_json *id = pp_json_find(row, "id");

    return id == NULL ? pp_arena_printf(arena, "line %zu", number) : id->text.data;
}

static void visit(const char *line, size_t size, size_t number, original_case_fn *each,
                  void *context)
{
    pp_arena arena = {0};
    pp_error err = {0};
    const pp_json *row;

    assert_ok(pp_json_parse(&arena, "case", line, size, &row, &err), err);
    each(&arena, name_of(&arena, row, number), row, context);
    pp_arena_done(&arena);
}

size_t original_cases_each(const char *name, original_case_fn *each, void *context)
{
    pp_arena names = {0};
    FILE *lines = open_lines(&names, name);
    char *line = NULL;
    size_t room = 0;
    size_t count = 0;
    ssize_t size;

    assert_non_null(lines);
    while ((size = getline(&line, &room, lines)) > 0) {
        visit(line, (size_t)size, ++count, each, context);
    }
    free(line);
    assert_int_equal(pclose(lines), 0);
    pp_arena_done(&names);
    return count;
}

pp_status original_case_parse(pp_arena *arena, const pp_json *row, const char *input,
                              pp_text *ret_bytes, const pp_json **ret_root, pp_error *err)
{
    const pp_json *from = pp_json_find(pp_json_find(row, "inputs"), input);

    assert_true(case_input(arena, from, ret_bytes));
    return pp_json_parse(arena, input, ret_bytes->data, ret_bytes->size, ret_root, err);
}

void original_class_check(const original_class *classes, size_t n_classes, const char *id,
                          const char *code, const char *text)
{
    size_t i = 0;

    while (i < n_classes && strcmp(classes[i].code, code) != 0)
        i++;
    if (i == n_classes)
        fail_msg("%s: unknown class '%s'; ours says: %s", id, code, text);
    for (size_t j = 0; j < PP_COUNT_OF(classes[i].says) && classes[i].says[j] != NULL; j++) {
        if (strstr(text, classes[i].says[j]) != NULL)
            return;
    }
    fail_msg("%s: refused for another reason than '%s': %s", id, code, text);
}
