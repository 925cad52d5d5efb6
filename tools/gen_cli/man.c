#include <stdio.h>
#include <string.h>

#include "cli/help.h"
#include "gen.h"
#include "version.h"

/* A hyphen is typed on a command line, so it must stay one; a point or an apostrophe at the start
 * of a line would be a request. */
static void print_text(const char *text)
{
    bool line_start = true;

    for (; *text != '\0'; text++) {
        if (line_start && (*text == '.' || *text == '\''))
            printf("\\&");
        if (*text == '-')
            printf("\\-");
        else if (*text == '\\')
            printf("\\e");
        else
            putchar(*text);
        line_start = *text == '\n';
    }
}

static void print_bold(const char *text)
{
    printf("\\fB");
    print_text(text);
    printf("\\fR");
}

static void print_italic(const char *text)
{
    printf("\\fI");
    print_text(text);
    printf("\\fR");
}

/* ---- one command ---------------------------------------------------------------------------- */

static void print_paragraphs(const char *text)
{
    while (*text != '\0') {
        const char *end = strstr(text, "\n\n");
        size_t size = end == NULL ? strlen(text) : (size_t)(end + 1 - text);
        char paragraph[2048];

        PP_ASSERT(size < sizeof paragraph);
        memcpy(paragraph, text, size);
        paragraph[size] = '\0';
        printf(".PP\n");
        print_text(paragraph);
        text += size + strspn(text + size, "\n");
    }
}

static void print_option(const pp_option *row)
{
    char meaning[PP_HELP_TEXT_MAX];

    printf(".TP\n");
    if (row->letter != 0) {
        print_bold((char[]){'-', row->letter, '\0'});
        printf(", ");
    }
    printf("\\fB\\-\\-");
    print_text(row->name);
    printf("\\fR");
    if (row->value != NULL) {
        printf(" ");
        print_italic(row->value->unit);
    }
    printf("\n");
    pp_help_meaning(row->help, row->value, meaning, sizeof meaning);
    print_text(meaning);
    printf("%s%s", row->required ? " (required)" : "", row->repeats ? " (may be repeated)" : "");
    if (row->standard != NULL) {
        printf(" (default ");
        print_text(row->standard);
        printf(")");
    }
    printf("\n");
}

static void print_positional(const pp_positional *row)
{
    char meaning[PP_HELP_TEXT_MAX];

    printf(".TP\n");
    print_italic(row->value->unit);
    printf("\n");
    pp_help_meaning(row->help, row->value, meaning, sizeof meaning);
    print_text(meaning);
    printf("%s\n", row->repeats ? " (may be repeated)" : "");
}

/* What stands in brackets is not broken over two lines. */
static void print_synopsis(const char *text)
{
    bool inside = false;

    printf("\\fB");
    for (; *text != '\0'; text++) {
        inside = *text == '[' || (inside && *text != ']');
        if (*text == ' ' && inside)
            printf("\\ ");
        else
            print_text((char[]){*text, '\0'});
    }
    printf("\\fR");
}

static void print_command(const pp_command *command)
{
    char synopsis[PP_HELP_TEXT_MAX];

    printf(".SS ");
    print_text(command->name);
    printf("\n");
    print_text(command->summary);
    printf("\n.PP\n");
    gen_synopsis(command, synopsis, sizeof synopsis);
    print_synopsis(synopsis);
    printf("\n");
    if (command->detail != NULL)
        print_paragraphs(command->detail);
    for (size_t i = 0; i < command->n_positionals; i++)
        print_positional(&command->positionals[i]);
    for (size_t i = 0; i < command->n_options; i++)
        print_option(&command->options[i]);
}

/* ---- sections ------------------------------------------------------------------------------- */

static void print_start(void)
{
    printf(
        ".\\\" Made from the command table of paretopilot.\n"
        ".TH PARETOPILOT 1 \"\" \"paretopilot %s\" \"User Commands\"\n"
        ".SH NAME\n"
        "paretopilot \\- measure LLM inference on this machine and decide what to deploy\n"
        ".SH SYNOPSIS\n"
        "\\fBparetopilot\\fR \\fICOMMAND\\fR [\\fIOPTIONS\\fR]\n"
        ".br\n"
        "\\fBparetopilot help\\fR [\\fICOMMAND\\fR]\n"
        ".br\n"
        "\\fBparetopilot \\-\\-version\\fR\n"
        ".SH DESCRIPTION\n"
        "Measures configurations of LLM inference with llama.cpp on this machine, decides which\n"
        "one to deploy within your limits, and keeps evidence that others can check.\n"
        ".PP\n"
        "Results go to standard output, everything else to standard error. Every command knows\n"
        "\\fB\\-h\\fR and \\fB\\-\\-help\\fR, which print its page. An option's value stands "
        "behind\n"
        "it or is joined to its long name by an equals sign; \\fB\\-\\-\\fR ends the options.\n"
        "Documents whose formats are named below are described in the project's folder\n"
        "\\fIdocs/formats\\fR.\n",
        PP_VERSION);
}

static void print_commands(void)
{
    for (size_t g = 0; pp_command_groups[g] != NULL; g++) {
        bool any = false;

        for (size_t i = 0; pp_commands[i] != NULL; i++) {
            if (strcmp(pp_commands[i]->group, pp_command_groups[g]) != 0)
                continue;
            if (!any) {
                printf(".SH COMMANDS: ");
                for (const char *c = pp_command_groups[g]; *c != '\0'; c++)
                    putchar(*c >= 'a' && *c <= 'z' ? *c - 'a' + 'A' : *c);
                printf("\n");
            }
            print_command(pp_commands[i]);
            any = true;
        }
    }
}

static void print_exits(void)
{
    printf(".SH EXIT STATUS\n");
    for (const pp_help_exit *row = pp_help_exits; row->code != NULL; row++)
        printf(".TP\n\\fB%s\\fR\n%s\n", row->code, row->when);
}

static const struct {
    const char *name;
    const char *meaning;
} variables[] = {
    {"PARETOPILOT_LLAMA_DIR",
     "folder with llama-server and llama-bench, where --llama-dir is not given"},
    {"PATH", "searched for llama-server where neither is given"},
    {"LLAMA_ARG_*", "taken out of the environment of llama.cpp's programs, because they change "
                    "settings behind the command line; what a study took out is recorded"},
    {"TMPDIR", "where outputs that are read at once are kept meanwhile (default /tmp)"},
    {"NO_COLOR, TERM", "when NO_COLOR is set, or TERM is not or is dumb, progress is one line per "
                       "step"},
};

static void print_variables(void)
{
    printf(".SH ENVIRONMENT\n");
    for (size_t i = 0; i < PP_COUNT_OF(variables); i++) {
        printf(".TP\n");
        print_bold(variables[i].name);
        printf("\n");
        print_text(variables[i].meaning);
        printf("\n");
    }
}

static void print_end(void)
{
    printf(".SH FILES\n"
           "There is no configuration file, and nothing is kept between two calls. Commands write\n"
           "only what an output option names, never replace a file, and leave a file complete or\n"
           "not at all.\n"
           ".SH EXAMPLES\n"
           "In the project's folder:\n"
           ".PP\n"
           ".nf\n");
    for (size_t i = 0; pp_commands[i] != NULL; i++) {
        print_text(pp_commands[i]->example);
        printf("\n");
    }
    printf(".fi\n");
}

void gen_man(void)
{
    print_start();
    print_commands();
    print_exits();
    print_variables();
    print_end();
}
