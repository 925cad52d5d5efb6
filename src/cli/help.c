#include "cli/help.h"

#include <stdio.h>
#include <string.h>

#define NAME_COLUMN 30

static void print_group(const pp_command *const *commands, const char *group)
{
    printf("\n%s\n", group);
    for (size_t i = 0; commands[i] != NULL; i++) {
        if (strcmp(commands[i]->group, group) == 0)
            printf("  %-16s %s\n", commands[i]->name, commands[i]->summary);
    }
}

void pp_help_overview(const pp_command *const *commands)
{
    static const char *const groups[] = {"Measure", "Decide", "Prove", "Serve"};

    printf("paretopilot measures configurations of LLM inference on this machine, decides which\n"
           "one to deploy within your limits, and keeps evidence that others can check.\n"
           "\n"
           "usage: paretopilot COMMAND [OPTIONS]\n"
           "       paretopilot COMMAND --help\n"
           "       paretopilot --version\n");
    for (size_t i = 0; i < PP_COUNT_OF(groups); i++) {
        for (size_t j = 0; commands[j] != NULL; j++) {
            if (strcmp(commands[j]->group, groups[i]) == 0) {
                print_group(commands, groups[i]);
                break;
            }
        }
    }
    printf("\nexit: 0 yes, 1 no, 2 wrong usage or input, 3 could not tell, 4 our bug,\n"
           "      130 or 143 interrupted\n");
}

static void print_option(const pp_option *row)
{
    char left[64];

    (void)snprintf(left, sizeof left, "%s%c%s--%s%s%s", row->letter != 0 ? "-" : "",
                   row->letter != 0 ? row->letter : ' ', row->letter != 0 ? ", " : "   ", row->name,
                   row->unit != NULL ? " " : "", row->unit != NULL ? row->unit : "");
    printf("  %-*s %s", NAME_COLUMN, left, row->help);
    if (row->required)
        printf(" (required)");
    if (row->repeats)
        printf(" (may be repeated)");
    if (row->standard != NULL)
        printf(" (default %s)", row->standard);
    printf("\n");
}

void pp_help_command(const pp_command *command)
{
    printf("paretopilot %s - %s\n\nusage: paretopilot %s", command->name, command->summary,
           command->name);
    if (command->positionals[0] != '\0')
        printf(" %s", command->positionals);
    printf(" [OPTIONS]\n");
    if (command->detail != NULL)
        printf("\n%s", command->detail);
    printf("\noptions:\n");
    for (size_t i = 0; i < command->n_options; i++)
        print_option(&command->options[i]);
    printf("  %-*s %s\n", NAME_COLUMN, "-h, --help", "this page");
    printf("\nexample:\n  %s\n", command->example);
}
