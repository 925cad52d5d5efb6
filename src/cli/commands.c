#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/nearest.h"

#define PP_COMMAND_ADDRESS(id) &pp_command_##id,

const pp_command *const pp_commands[] = {PP_COMMAND_LIST(PP_COMMAND_ADDRESS) NULL /* end */};

const char *const pp_command_groups[] = {"Measure", "Decide", "Prove", "Serve", NULL};

const pp_command *pp_command_find(int argc, char **argv, int *ret_words)
{
    for (size_t i = 0; argc > 0 && pp_commands[i] != NULL; i++) {
        const char *name = pp_commands[i]->name;
        const char *blank = strchr(name, ' ');
        size_t first = blank == NULL ? strlen(name) : (size_t)(blank - name);

        if (strlen(argv[0]) != first || memcmp(argv[0], name, first) != 0)
            continue;
        if (blank != NULL && (argc < 2 || strcmp(argv[1], blank + 1) != 0))
            continue;
        *ret_words = blank == NULL ? 1 : 2;
        return pp_commands[i];
    }
    return NULL;
}

bool pp_command_is_below(const pp_command *command, const char *word)
{
    size_t size = strlen(word);

    return strncmp(command->name, word, size) == 0 && command->name[size] == ' ';
}

/* ---- nearest -------------------------------------------------------------------------------- */

/* Both words against the names of two, the first alone against the others and against first words:
 * "study" for "studdy", but not for "study rnu". */
bool pp_command_nearest(int argc, char **argv, char *ret_meant, size_t size)
{
    char both[128] = "";
    char first[32];
    pp_nearest names = {.typed = both};
    pp_nearest words = {.typed = argv[0]};

    if (argc > 1)
        (void)snprintf(both, sizeof both, "%s %s", argv[0], argv[1]); /* if cut, then far anyway */
    pp_nearest_offer(&words, "help");
    for (size_t i = 0; pp_commands[i] != NULL; i++) {
        const char *name = pp_commands[i]->name;
        size_t first_size = strcspn(name, " ");

        pp_nearest_offer(name[first_size] == ' ' ? &names : &words, name);
    }
    if (names.word == NULL && words.word == NULL) {
        for (size_t i = 0; words.word == NULL && pp_commands[i] != NULL; i++) {
            (void)snprintf(first, sizeof first, "%.*s", (int)strcspn(pp_commands[i]->name, " "),
                           pp_commands[i]->name);
            pp_nearest_offer(&words, first);
        }
    }
    if (names.word == NULL && (words.word == NULL || words.edits == 0))
        return false;
    (void)snprintf(ret_meant, size, "%s", names.word != NULL ? names.word : words.word);
    return true;
}
