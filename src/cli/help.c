#include "cli/help.h"

#include <stdio.h>
#include <string.h>

#define NAME_COLUMN 30
#define TEXT_COLUMN (NAME_COLUMN + 3)

const pp_help_exit pp_help_exits[] = {
    {"0", "yes"},
    {"1", "no"},
    {"2", "wrong usage or input"},
    {"3", "could not tell"},
    {"4", "our bug"},
    {"130 or 143", "interrupted"},
    {NULL, NULL},
};

/* ---- layout --------------------------------------------------------------------------------- */

/* A word; an option and its value stay together, and so does what stands in brackets. */
static size_t unit_size(const char *text)
{
    size_t size = strcspn(text, text[0] == '[' ? "]" : " ");

    if (text[size] == ']')
        size += strcspn(text + size, " ");
    if (text[0] == '-' && text[size] == ' ' && text[size + 1] != '-')
        size += 1 + strcspn(text + size + 1, " ");
    return size;
}

void pp_help_wrapped(const char *text, size_t indent, const char *more)
{
    size_t at = indent;

    while (*text != '\0') {
        size_t size = unit_size(text);

        if (at > indent && at + 1 + size + strlen(more) > PP_HELP_COLUMNS) {
            printf("%s\n%*s", more, (int)indent, "");
            at = indent;
        } else if (at > indent) {
            printf(" ");
            at++;
        }
        printf("%.*s", (int)size, text);
        at += size;
        text += size + strspn(text + size, " ");
    }
    printf("\n");
}

static void print_row(const char *left, const char *text)
{
    if (strlen(left) > NAME_COLUMN)
        printf("  %s\n%*s", left, TEXT_COLUMN, "");
    else
        printf("  %-*s ", NAME_COLUMN, left);
    pp_help_wrapped(text, TEXT_COLUMN, "");
}

/* ---- pieces --------------------------------------------------------------------------------- */

void pp_help_positional(const pp_positional *row, char *out, size_t size)
{
    (void)snprintf(out, size, "%s%s%s%s", row->optional ? "[" : "", row->value->unit,
                   row->repeats ? "..." : "", row->optional ? "]" : "");
}

void pp_help_meaning(const char *help, const pp_value *value, char *out, size_t size)
{
    bool has_words = value != NULL && value->kind == PP_VALUE_WORD;
    size_t used = (size_t)snprintf(out, size, "%s%s", help, has_words ? ": " : "");

    if (has_words && used < size)
        pp_value_words(value, out + used, size - used);
}

/* ---- pages ---------------------------------------------------------------------------------- */

static int widest_name(void)
{
    size_t widest = 0;

    for (size_t i = 0; pp_commands[i] != NULL; i++) {
        size_t size = strlen(pp_commands[i]->name);

        widest = size > widest ? size : widest;
    }
    return (int)widest;
}

static void print_group(const char *group)
{
    bool any = false;

    for (size_t i = 0; pp_commands[i] != NULL; i++) {
        if (strcmp(pp_commands[i]->group, group) != 0)
            continue;
        if (!any)
            printf("\n%s\n", group);
        printf("  %-*s  %s\n", widest_name(), pp_commands[i]->name, pp_commands[i]->summary);
        any = true;
    }
}

void pp_help_overview(void)
{
    char text[PP_HELP_TEXT_MAX] = "exit:";
    size_t used = strlen(text);

    printf("paretopilot measures configurations of LLM inference on this machine, decides which\n"
           "one to deploy within your limits, and keeps evidence that others can check.\n"
           "\n"
           "usage: paretopilot COMMAND [OPTIONS]\n"
           "       paretopilot COMMAND --help, or paretopilot help COMMAND\n"
           "       paretopilot --version\n");
    for (size_t i = 0; pp_command_groups[i] != NULL; i++)
        print_group(pp_command_groups[i]);
    for (const pp_help_exit *row = pp_help_exits; row->code != NULL; row++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s %s %s",
                                 row == pp_help_exits ? "" : ",", row->code, row->when);
    printf("\n");
    pp_help_wrapped(text, 0, "");
}

static void print_option(const pp_option *row)
{
    char left[96];
    char text[PP_HELP_TEXT_MAX];
    size_t used;

    (void)snprintf(left, sizeof left, "%s%c%s--%s%s%s", row->letter != 0 ? "-" : "",
                   row->letter != 0 ? row->letter : ' ', row->letter != 0 ? ", " : "   ", row->name,
                   row->value != NULL ? " " : "", row->value != NULL ? row->value->unit : "");
    pp_help_meaning(row->help, row->value, text, sizeof text);
    used = strlen(text);
    (void)snprintf(text + used, sizeof text - used, "%s%s%s%s%s",
                   row->required ? " (required)" : "", row->repeats ? " (may be repeated)" : "",
                   row->standard != NULL ? " (default " : "",
                   row->standard != NULL ? row->standard : "", row->standard != NULL ? ")" : "");
    print_row(left, text);
}

static void print_positionals(const pp_command *command)
{
    char text[PP_HELP_TEXT_MAX];

    if (command->n_positionals > 0)
        printf("\narguments:\n");
    for (size_t i = 0; i < command->n_positionals; i++) {
        const pp_positional *row = &command->positionals[i];

        pp_help_meaning(row->help, row->value, text, sizeof text);
        print_row(row->value->unit, text);
    }
}

void pp_help_command(const pp_command *command)
{
    char positional[64];

    printf("paretopilot %s - %s\n\nusage: paretopilot %s", command->name, command->summary,
           command->name);
    for (size_t i = 0; i < command->n_positionals; i++) {
        pp_help_positional(&command->positionals[i], positional, sizeof positional);
        printf(" %s", positional);
    }
    printf(" [OPTIONS]\n");
    if (command->detail != NULL)
        printf("\n%s", command->detail);
    print_positionals(command);
    printf("\noptions:\n");
    for (size_t i = 0; i < command->n_options; i++)
        print_option(&command->options[i]);
    print_row("-h, --help", "this page");
    printf("\nexample:\n  ");
    pp_help_wrapped(command->example, 2, " \\");
}
