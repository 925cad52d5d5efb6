/* gen_formats.c - the tables of docs/formats, from the tables of fields.
 *
 * Prints for each kind of document a line "%% formats/<page> fields of <kind>" and behind it the
 * block that stands in docs/formats/<page>.md. tools/docs.sh puts the blocks into the pages, and
 * checks them. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/document_kinds.h"

#define MAX_TABLES 64

/* The tables of one block, in the order in which they are met. */
typedef struct block {
    const char *page;
    const pp_fields *tables[MAX_TABLES];
    size_t count;
} block;

/* ---- what a value is --------------------------------------------------------------------------
 */

static void print_type(const block *b, const pp_field_type *type, const char *unit);

/* A constant as it stands in the document; of several words only the words. */
static void print_words(const char *const *words)
{
    const char *quote = words[1] == NULL ? "\"" : "";

    for (size_t i = 0; words[i] != NULL; i++)
        printf("%s`%s%s%s`",
               i == 0                 ? ""
               : words[i + 1] == NULL ? " or "
                                      : ", ",
               quote, words[i], quote);
}

static void print_int(const pp_field_type *type)
{
    if (type->min_int == INT64_MIN)
        printf("integer");
    else if (type->max_int == INT64_MAX)
        printf("integer, at least %" PRId64, type->min_int);
    else
        printf("integer, %" PRId64 " to %" PRId64, type->min_int, type->max_int);
}

static void print_number(const pp_field_type *type)
{
    if (isinf(type->min) && isinf(type->max))
        printf("number");
    else if (isinf(type->max))
        printf("number, %s %g", type->above_min ? "above" : "at least", type->min);
    else
        printf("number, %s%g to %g", type->above_min ? "above " : "", type->min, type->max);
}

static void print_table_name(const block *b, const pp_fields *fields)
{
    if (fields->page != NULL && strcmp(fields->page, b->page) != 0)
        printf("[%s](%s.md)", fields->name, fields->page);
    else
        printf("*%s*", fields->name);
}

static void print_choices(const block *b, const pp_field_choice *choices)
{
    for (size_t i = 0; choices[i].fields != NULL; i++) {
        printf("%s", i == 0 ? "" : " or ");
        print_table_name(b, choices[i].fields);
    }
}

static void print_items(const block *b, const char *what, const pp_field_type *type)
{
    printf("%s ", what);
    print_type(b, type->item, type->item->unit);
    if (type->max_count > 0)
        printf("; %zu to %zu items", type->min_count, type->max_count);
    else if (type->min_count > 0)
        printf("; at least %zu", type->min_count);
}

static void print_type(const block *b, const pp_field_type *type, const char *unit)
{
    switch (type->kind) {
    case PP_FIELD_ANY:
        printf("anything");
        break;
    case PP_FIELD_TEXT:
        printf("%s", pp_text_form_name(type->form));
        if (type->max_characters > 0)
            printf(" of at most %zu characters", type->max_characters);
        break;
    case PP_FIELD_WORD:
        print_words(type->words);
        break;
    case PP_FIELD_INTEGER:
        print_int(type);
        break;
    case PP_FIELD_NUMBER:
        print_number(type);
        break;
    case PP_FIELD_BOOL:
        printf("true or false");
        break;
    case PP_FIELD_OBJECT:
        if (type->fields == NULL)
            printf("any object");
        else
            print_table_name(b, type->fields);
        if (type->all_optional)
            printf(", or a part of it");
        break;
    case PP_FIELD_CHOICE:
        print_choices(b, type->choices);
        break;
    case PP_FIELD_LIST:
        print_items(b, "list of", type);
        break;
    case PP_FIELD_MAP:
        print_items(b, "names to", type);
        break;
    }
    if (unit != NULL)
        printf(", %s", unit);
    if (type->nullable)
        printf("; or null");
}

/* ---- tables -----------------------------------------------------------------------------------
 */

static void add_table(block *b, const pp_fields *fields);

static void add_tables_of(block *b, const pp_field_type *type)
{
    if (type->kind == PP_FIELD_OBJECT && type->fields != NULL)
        add_table(b, type->fields);
    for (size_t i = 0; type->kind == PP_FIELD_CHOICE && type->choices[i].fields != NULL; i++)
        add_table(b, type->choices[i].fields);
    if (type->kind == PP_FIELD_LIST || type->kind == PP_FIELD_MAP)
        add_tables_of(b, type->item);
}

/* Each table once, and not where its home is another page. */
static void add_table(block *b, const pp_fields *fields)
{
    if (fields->page != NULL && strcmp(fields->page, b->page) != 0)
        return;
    for (size_t i = 0; i < b->count; i++) {
        if (b->tables[i] == fields)
            return;
    }
    PP_ASSERT(b->count < MAX_TABLES);
    b->tables[b->count++] = fields;
    for (size_t i = 0; i < fields->row_count; i++)
        add_tables_of(b, &fields->rows[i].type);
}

static void print_required(const pp_field *row)
{
    if (!row->optional)
        printf("yes");
    else if (row->standard != NULL)
        printf("no, `%s`", row->standard);
    else
        printf("no");
}

static void print_table(const block *b, const pp_fields *fields)
{
    printf("\n**%s**: %s%s\n\n| member | value | required | meaning |\n| --- | --- | --- | --- |\n",
           fields->name, fields->help, fields->open ? "; other members are accepted" : "");
    for (size_t i = 0; i < fields->row_count; i++) {
        const pp_field *row = &fields->rows[i];

        printf("| `%s` | ", row->key);
        print_type(b, &row->type, pp_field_unit(row));
        printf(" | ");
        print_required(row);
        printf(" | %s |\n", row->help);
    }
}

static void print_block(const pp_document_kind *kind)
{
    block b = {.page = kind->page};

    printf("%%%% formats/%s fields of %s\n\n`%s`, schema %s%s: %s.\n", kind->page, kind->name,
           kind->name, kind->versions, kind->is_lines ? ", one object a line" : "", kind->origin);
    add_tables_of(&b, &kind->root);
    for (size_t i = 0; i < b.count; i++)
        print_table(&b, b.tables[i]);
    printf("\n");
}

int main(void)
{
    size_t count;
    const pp_document_kind *kinds = pp_document_kinds(&count);

    for (size_t i = 0; i < count; i++)
        print_block(&kinds[i]);
    return fflush(stdout) == 0 && ferror(stdout) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
