#include <stdio.h>
#include <string.h>

#include "gen.h"

#define IN_DESCRIPTION "[]:\\"

static void print_action(const pp_value *value)
{
    switch (value->kind) {
    case PP_VALUE_FILE:
        printf("_files");
        break;
    case PP_VALUE_FOLDER:
        printf("_files -/");
        break;
    case PP_VALUE_WORD:
        printf("(");
        gen_words(value);
        printf(")");
        break;
    case PP_VALUE_NUMBER:
    case PP_VALUE_DURATION:
    case PP_VALUE_SIZE:
    case PP_VALUE_TEXT:
        break; /* nothing to offer: the unit is shown */
    }
}

static void print_value(const pp_value *value)
{
    if (value == NULL)
        return;
    printf("':");
    gen_escaped(value->unit, ":");
    printf(":");
    print_action(value);
    printf("'");
}

static void print_spelling(const pp_option *row, const char *dashes, const char *name)
{
    printf(" \\\n            ");
    if (row->repeats)
        printf("'*'");
    else if (row->letter != 0)
        printf("'(-%c --%s)'", row->letter, row->name);
    printf("%s%s%s", dashes, name, row->value != NULL && dashes[1] != '\0' ? "=" : "");
    printf("'['");
    gen_quoted(row->help, IN_DESCRIPTION);
    printf("']'");
    print_value(row->value);
}

static void print_command(const pp_command *command)
{
    printf("    '%s')\n        _arguments -s -S", command->name);
    for (size_t i = 0; i < command->n_options; i++) {
        const pp_option *row = &command->options[i];

        if (row->letter != 0)
            print_spelling(row, "-", (char[]){row->letter, '\0'});
        print_spelling(row, "--", row->name);
    }
    printf(" \\\n            '(-h --help)'{-h,--help}'[the help page]'");
    for (size_t i = 0; i < command->n_positionals; i++) {
        const pp_positional *row = &command->positionals[i];

        if (row->repeats)
            printf(" \\\n            '*'");
        else
            printf(" \\\n            '%zu%s'", i + 1, row->optional ? ":" : "");
        print_value(row->value);
    }
    printf("\n        ;;\n");
}

static void print_item(const char *word, const char *text)
{
    printf("            ");
    gen_quoted(word, ":");
    printf("':'");
    gen_quoted(text, "");
    printf("\n");
}

static void print_first_words(void)
{
    char first[32];

    for (size_t i = 0; pp_commands[i] != NULL; i++) {
        bool one = gen_second_word(pp_commands[i]) == NULL;

        if (gen_first_word(i, first, sizeof first))
            print_item(first, one ? pp_commands[i]->summary : "commands below it");
    }
}

static void print_below(const char *first)
{
    bool any = false;

    for (size_t i = 0; pp_commands[i] != NULL; i++) {
        if (!pp_command_is_below(pp_commands[i], first))
            continue;
        if (!any)
            printf("    %s)\n        below=(\n", first);
        print_item(gen_second_word(pp_commands[i]), pp_commands[i]->summary);
        any = true;
    }
    if (any)
        printf("        )\n        ;;\n");
}

void gen_zsh(void)
{
    char first[32];

    printf("#compdef paretopilot\n"
           "# Completion of paretopilot for zsh, made from its command table.\n\n"
           "_paretopilot() {\n"
           "    local command helping=no\n"
           "    local -a below\n"
           "    if (( CURRENT > 2 )) && [[ $words[2] == help ]]; then\n"
           "        helping=yes\n"
           "        shift words\n"
           "        (( CURRENT-- ))\n"
           "    fi\n"
           "    if (( CURRENT == 2 )); then\n"
           "        below=(\n");
    print_first_words();
    printf("        )\n"
           "        [[ $helping == yes ]] || below+=('help':'the help page of a command')\n"
           "        _describe -t commands command below\n"
           "        [[ $helping == yes ]] || _arguments '--help[the overview]' "
           "'--version[the version]'\n"
           "        return\n"
           "    fi\n"
           "    command=$words[2]\n"
           "    shift words\n"
           "    (( CURRENT-- ))\n"
           "    case $command in\n");
    for (size_t i = 0; pp_commands[i] != NULL; i++) {
        if (gen_first_word(i, first, sizeof first))
            print_below(first);
    }
    printf("    esac\n"
           "    if (( $#below > 0 )); then\n"
           "        if (( CURRENT == 2 )); then\n"
           "            _describe -t commands command below\n"
           "            return\n"
           "        fi\n"
           "        command=\"$command $words[2]\"\n"
           "        shift words\n"
           "        (( CURRENT-- ))\n"
           "    fi\n"
           "    [[ $helping == no ]] || return\n"
           "    case $command in\n");
    for (size_t i = 0; pp_commands[i] != NULL; i++)
        print_command(pp_commands[i]);
    printf("    esac\n"
           "}\n\n"
           "_paretopilot \"$@\"\n");
}
