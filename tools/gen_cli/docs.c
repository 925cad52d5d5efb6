#include <stdio.h>
#include <string.h>

#include "cli/help.h"
#include "gen.h"

#define FORMATS "docs/formats/"

/* A page of docs/formats becomes a link, and what would end a table's cell is escaped. */
static void print_cell(const char *text)
{
    while (*text != '\0') {
        if (strncmp(text, FORMATS, strlen(FORMATS)) == 0) {
            const char *name = text + strlen(FORMATS);
            int size = (int)strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-");

            printf("[%.*s](../formats/%.*s.md)", size, name, size, name);
            text = name + size + strlen(".md");
        } else {
            gen_escaped((char[]){*text++, '\0'}, "|<");
        }
    }
}

static void print_positional(const pp_positional *row)
{
    char meaning[PP_HELP_TEXT_MAX];

    pp_help_meaning(row->help, row->value, meaning, sizeof meaning);
    printf("| `");
    gen_escaped(row->value->unit, "|"); /* ends a cell inside of code, too */
    printf("` | %s | ", row->optional ? "" : "required");
    print_cell(meaning);
    printf("%s |\n", row->repeats ? "; may be repeated" : "");
}

static void print_option(const pp_option *row)
{
    char meaning[PP_HELP_TEXT_MAX];

    printf("| ");
    if (row->letter != 0)
        printf("`-%c`, ", row->letter);
    printf("`--%s%s", row->name, row->value != NULL ? " " : "");
    gen_escaped(row->value != NULL ? row->value->unit : "", "|");
    printf("` | ");
    if (row->required)
        printf("required");
    else if (row->standard != NULL)
        print_cell(row->standard);
    printf(" | ");
    pp_help_meaning(row->help, row->value, meaning, sizeof meaning);
    print_cell(meaning);
    printf("%s |\n", row->repeats ? "; may be repeated" : "");
}

static void print_block(const pp_command *command)
{
    char synopsis[PP_HELP_TEXT_MAX];

    printf("%%%% cli/");
    for (const char *c = command->name; *c != '\0'; c++)
        putchar(*c == ' ' ? '-' : *c);
    gen_synopsis(command, synopsis, sizeof synopsis);
    printf(" usage and options\n\n    ");
    pp_help_wrapped(synopsis, 4, "");
    printf("\n| argument or option | default | meaning |\n| --- | --- | --- |\n");
    for (size_t i = 0; i < command->n_positionals; i++)
        print_positional(&command->positionals[i]);
    for (size_t i = 0; i < command->n_options; i++)
        print_option(&command->options[i]);
    printf("| `-h`, `--help` |  | the help page |\n\n");
}

void gen_docs(void)
{
    for (size_t i = 0; pp_commands[i] != NULL; i++)
        print_block(pp_commands[i]);
}
