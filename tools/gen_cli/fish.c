#include <stdio.h>
#include <string.h>

#include "gen.h"

/* fish knows two escapes in single quotes. */
static void print_quoted(const char *text)
{
    putchar('\'');
    gen_escaped(text, "'\\");
    putchar('\'');
}

static void print_line_start(const char *condition, const char *words)
{
    printf("complete -c paretopilot -n '__paretopilot_%s %s'", condition, words);
}

static void print_description(const char *text)
{
    printf(" -d ");
    print_quoted(text);
    printf("\n");
}

static void print_value(const pp_value *value)
{
    switch (value->kind) {
    case PP_VALUE_FILE:
        printf(" -r -F");
        break;
    case PP_VALUE_FOLDER:
        printf(" -x -a '(__fish_complete_directories)'");
        break;
    case PP_VALUE_WORD:
        printf(" -x -a '");
        gen_words(value);
        printf("'");
        break;
    case PP_VALUE_NUMBER:
    case PP_VALUE_DURATION:
    case PP_VALUE_SIZE:
    case PP_VALUE_TEXT:
        printf(" -x");
        break;
    }
}

static void print_command(const pp_command *command)
{
    printf("\n");
    for (size_t i = 0; i < command->n_options; i++) {
        const pp_option *row = &command->options[i];

        print_line_start("runs", command->name);
        printf(" -l %s", row->name);
        if (row->letter != 0)
            printf(" -s %c", row->letter);
        if (row->value != NULL)
            print_value(row->value);
        print_description(row->help);
    }
    print_line_start("runs", command->name);
    printf(" -s h -l help");
    print_description("the help page");
    for (size_t i = 0; i < command->n_positionals; i++) {
        const pp_value *value = command->positionals[i].value;

        print_line_start("runs", command->name);
        if (value->kind == PP_VALUE_FILE)
            printf(" -F"); /* -r would want an option */
        else
            print_value(value);
        print_description(command->positionals[i].help);
    }
}

static void print_word(const pp_command *command, const char *first)
{
    const char *second = gen_second_word(command);

    print_line_start("follows", second == NULL ? "" : first);
    printf(" -a %s", second == NULL ? command->name : second);
    print_description(command->summary);
}

void gen_fish(void)
{
    char first[32];

    printf("# Completion of paretopilot for fish, made from its command table.\n\n"
           "# The words before the cursor, without the program and a leading help.\n"
           "function __paretopilot_words\n"
           "    set -l words (commandline -opc)\n"
           "    set -e words[1]\n"
           "    if test \"$words[1]\" = help\n"
           "        set -e words[1]\n"
           "    end\n"
           "    printf '%%s\\n' $words\n"
           "end\n\n"
           "# The command starts with these words, and something follows.\n"
           "function __paretopilot_runs\n"
           "    set -l words (commandline -opc)\n"
           "    set -e words[1]\n"
           "    set -l size (count $argv)\n"
           "    test (count $words) -ge $size; and test \"$words[1..$size]\" = \"$argv\"\n"
           "end\n\n"
           "# The next word is the one behind these.\n"
           "function __paretopilot_follows\n"
           "    set -l words (__paretopilot_words)\n"
           "    test \"$words\" = \"$argv\"\n"
           "end\n\n"
           "complete -c paretopilot -f\n");
    for (size_t i = 0; pp_commands[i] != NULL; i++) {
        bool once = gen_first_word(i, first, sizeof first);

        if (once && gen_second_word(pp_commands[i]) != NULL) {
            print_line_start("follows", "");
            printf(" -a %s", first);
            print_description("commands below it");
        }
        print_word(pp_commands[i], first);
    }
    printf("complete -c paretopilot -n __fish_use_subcommand -a help");
    print_description("the help page of a command");
    printf("complete -c paretopilot -n __fish_use_subcommand -s h -l help");
    print_description("the overview");
    printf("complete -c paretopilot -n __fish_use_subcommand -l version");
    print_description("the version");
    for (size_t i = 0; pp_commands[i] != NULL; i++)
        print_command(pp_commands[i]);
}
