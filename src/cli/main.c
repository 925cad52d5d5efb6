#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "cli/command.h"
#include "cli/help.h"
#include "version.h"

#define PP_COMMAND_ADDRESS(id) &pp_command_##id,

static const pp_command *const commands[] = {PP_COMMAND_LIST(PP_COMMAND_ADDRESS) NULL /* end */};

/* The row whose one or two words stand at the front of argv; ret_words gets how many. */
static const pp_command *find_command(int argc, char **argv, int *ret_words)
{
    for (size_t i = 0; commands[i] != NULL; i++) {
        const char *name = commands[i]->name;
        const char *blank = strchr(name, ' ');
        size_t first = blank == NULL ? strlen(name) : (size_t)(blank - name);

        if (strlen(argv[0]) != first || memcmp(argv[0], name, first) != 0)
            continue;
        if (blank != NULL && (argc < 2 || strcmp(argv[1], blank + 1) != 0))
            continue;
        *ret_words = blank == NULL ? 1 : 2;
        return commands[i];
    }
    return NULL;
}

static bool asks_for_help(int argc, char **argv)
{
    for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
            return true;
    }
    return false;
}

/* A person who types "model" or "study" wants to know what may follow. */
static bool is_first_word(const char *word)
{
    for (size_t i = 0; commands[i] != NULL; i++) {
        size_t size = strlen(word);

        if (strncmp(commands[i]->name, word, size) == 0 && commands[i]->name[size] == ' ')
            return true;
    }
    return false;
}

static pp_exit refuse_command(const char *word)
{
    char shown[128];

    pp_text_escape_controls(word, strlen(word), shown, sizeof shown);
    if (!is_first_word(word)) {
        fprintf(stderr, "error: unknown command '%s'; see paretopilot --help\n", shown);
        return PP_EXIT_INVALID;
    }
    fprintf(stderr, "error: '%s' needs one of:\n", shown);
    for (size_t i = 0; commands[i] != NULL; i++) {
        size_t size = strlen(word);

        if (strncmp(commands[i]->name, word, size) == 0 && commands[i]->name[size] == ' ')
            fprintf(stderr, "  paretopilot %-14s %s\n", commands[i]->name, commands[i]->summary);
    }
    return PP_EXIT_INVALID;
}

static pp_exit run_command(const pp_command *command, int argc, char **argv)
{
    pp_error err = {0};
    pp_args args;
    pp_exit code = PP_EXIT_YES;
    pp_status st = pp_args_parse(command, argc, argv, &args, &err);

    if (st == PP_OK)
        st = command->run(&args, &code, &err);
    if (st == PP_OK && (fflush(stdout) != 0 || ferror(stdout)))
        st = pp_fail(&err, PP_ERR_IO, "writing to standard output failed");
    if (st == PP_OK)
        return code;
    fprintf(stderr, "error: %s\n", err.text);
    return code != PP_EXIT_YES ? code : pp_exit_of(st);
}

int main(int argc, char **argv)
{
    const pp_command *command;
    int words = 0;

    (void)signal(SIGPIPE, SIG_IGN); /* a closed pipe is a failed write, with its own message */
    if (argc < 2) {
        fprintf(stderr, "error: expected a command; see paretopilot --help\n");
        return PP_EXIT_INVALID;
    }
    if (strcmp(argv[1], "--version") == 0) {
        printf("paretopilot %s\n", PP_VERSION);
        return fflush(stdout) == 0 ? PP_EXIT_YES : PP_EXIT_INVALID;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
        strcmp(argv[1], "help") == 0) {
        pp_help_overview(commands);
        return PP_EXIT_YES;
    }
    command = find_command(argc - 1, argv + 1, &words);
    if (command == NULL)
        return refuse_command(argv[1]);
    if (asks_for_help(argc - 1 - words, argv + 1 + words)) {
        pp_help_command(command);
        return PP_EXIT_YES;
    }
    return run_command(command, argc - 1 - words, argv + 1 + words);
}
