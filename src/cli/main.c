#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "cli/command.h"
#include "cli/help.h"
#include "version.h"

static bool is_help_option(const char *word)
{
    return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
}

static bool asks_for_help(int argc, char **argv)
{
    for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (is_help_option(argv[i]))
            return true;
    }
    return false;
}

/* A person who types "model" or "study" wants to know what may follow. */
static bool list_below(const char *word)
{
    bool any = false;

    for (size_t i = 0; pp_commands[i] != NULL; i++) {
        if (!pp_command_is_below(pp_commands[i], word))
            continue;
        if (!any)
            fprintf(stderr, "error: '%s' needs one of:\n", word);
        fprintf(stderr, "  paretopilot %-14s %s\n", pp_commands[i]->name, pp_commands[i]->summary);
        any = true;
    }
    return any;
}

static pp_exit refuse_command(int argc, char **argv)
{
    char shown[128];
    char shown_second[128] = "";
    char meant[64];

    pp_text_escape_controls(argv[0], strlen(argv[0]), shown, sizeof shown);
    if (argc > 1)
        pp_text_escape_controls(argv[1], strlen(argv[1]), shown_second, sizeof shown_second);
    if (pp_command_nearest(argc, argv, meant, sizeof meant))
        fprintf(stderr,
                "error: unknown command '%s%s%s', did you mean '%s'? See paretopilot --help\n",
                shown, strchr(meant, ' ') == NULL ? "" : " ",
                strchr(meant, ' ') == NULL ? "" : shown_second, meant);
    else if (!list_below(argv[0]))
        fprintf(stderr, "error: unknown command '%s'; see paretopilot --help\n", shown);
    return PP_EXIT_INVALID;
}

static pp_status flush_output(pp_error *err)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return PP_OK;
    return pp_fail(err, PP_ERR_IO, "writing to standard output failed");
}

/* Exit code of what only prints: help and version. */
static pp_exit printed(void)
{
    pp_error err = {0};
    pp_status st = flush_output(&err);

    if (st != PP_OK)
        fprintf(stderr, "error: %s\n", err.text);
    return pp_exit_of(st);
}

static pp_exit run_command(const pp_command *command, int argc, char **argv)
{
    pp_error err = {0};
    pp_args args;
    pp_exit code = PP_EXIT_YES;
    pp_status st = pp_args_parse(command, argc, argv, &args, &err);

    if (st == PP_OK)
        st = command->run(&args, &code, &err);
    if (st == PP_OK)
        st = flush_output(&err);
    if (st == PP_OK)
        return code;
    fprintf(stderr, "error: %s\n", err.text);
    return code != PP_EXIT_YES ? code : pp_exit_of(st);
}

/* argv: the words behind "help". */
static pp_exit run_help(int argc, char **argv)
{
    int words = 0;
    const pp_command *command = pp_command_find(argc, argv, &words);

    if (argc == 0) {
        pp_help_overview();
        return printed();
    }
    if (command == NULL)
        return refuse_command(argc, argv);
    if (argc > words) {
        fprintf(stderr, "error: help: expected one command; see paretopilot --help\n");
        return PP_EXIT_INVALID;
    }
    pp_help_command(command);
    return printed();
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
        return printed();
    }
    if (is_help_option(argv[1]))
        return run_help(0, NULL);
    if (strcmp(argv[1], "help") == 0)
        return run_help(argc - 2, argv + 2);
    command = pp_command_find(argc - 1, argv + 1, &words);
    if (command == NULL)
        return refuse_command(argc - 1, argv + 1);
    if (asks_for_help(argc - 1 - words, argv + 1 + words)) {
        pp_help_command(command);
        return printed();
    }
    return run_command(command, argc - 1 - words, argv + 1 + words);
}
