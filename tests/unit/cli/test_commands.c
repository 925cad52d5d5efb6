/* Every row of the command table is complete, and says what help, the man page and completion can
 * show. */
#include <ctype.h>
#include <string.h>

#include "cli/command.h"
#include "shared.h"

#define CHECK(command, condition, ...)                                                             \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            print_error("%s: %s\n", (command)->name, #condition);                                  \
            fail_msg(__VA_ARGS__);                                                                 \
        }                                                                                          \
    } while (0)

/* Completion writes words into single quotes and splits them at blanks. */
static bool is_plain(const char *word)
{
    return word[0] != '\0' && word[0] != '-' &&
           strspn(word, "abcdefghijklmnopqrstuvwxyz0123456789._-") == strlen(word);
}

static void check_value(const pp_command *command, const pp_value *value)
{
    CHECK(command, value->unit != NULL && value->unit[0] != '\0', "a value has no name");
    CHECK(command, (value->kind == PP_VALUE_WORD) == (value->word != NULL),
          "%s: words belong to the kind PP_VALUE_WORD", value->unit);
    if (value->word == NULL)
        return;
    CHECK(command, value->word(0) != NULL, "%s: no words", value->unit);
    for (size_t n = 0; value->word(n) != NULL; n++)
        CHECK(command, is_plain(value->word(n)), "%s: '%s'", value->unit, value->word(n));
}

static void check_help(const pp_command *command, const char *help)
{
    size_t size = strlen(help);

    CHECK(command, size > 0 && help[size - 1] != '.', "'%s': no full stop at the end", help);
    CHECK(command, strpbrk(help, "\n\t") == NULL, "'%s': one line", help);
}

static void check_option(const pp_command *command, size_t i)
{
    const pp_option *row = &command->options[i];

    CHECK(command, is_plain(row->name), "option '%s'", row->name);
    CHECK(command, strcmp(row->name, "help") != 0 && row->letter != 'h', "--help is there anyway");
    CHECK(command, row->letter == 0 || isalnum((unsigned char)row->letter), "--%s", row->name);
    CHECK(command, row->value != NULL || (!row->required && row->standard == NULL),
          "--%s: a switch is neither required nor has it a default", row->name);
    CHECK(command, !row->required || row->standard == NULL, "--%s: required, so no default",
          row->name);
    check_help(command, row->help);
    if (row->value != NULL)
        check_value(command, row->value);
    for (size_t j = 0; j < i; j++) {
        const pp_option *other = &command->options[j];

        CHECK(command, strcmp(other->name, row->name) != 0, "--%s stands there twice", row->name);
        CHECK(command, row->letter == 0 || other->letter != row->letter, "-%c stands there twice",
              row->letter);
    }
}

static void check_positional(const pp_command *command, size_t i)
{
    const pp_positional *row = &command->positionals[i];
    bool last = i + 1 == command->n_positionals;

    check_value(command, row->value);
    check_help(command, row->help);
    CHECK(command, last || !row->repeats, "%s: only the last may repeat", row->value->unit);
    CHECK(command, last || !row->optional || command->positionals[i + 1].optional,
          "%s: what follows an optional argument is optional", row->value->unit);
}

static bool group_is_known(const char *group)
{
    for (size_t i = 0; pp_command_groups[i] != NULL; i++) {
        if (strcmp(pp_command_groups[i], group) == 0)
            return true;
    }
    return false;
}

static void every_row_is_complete(void **state)
{
    (void)state;
    for (size_t i = 0; pp_commands[i] != NULL; i++) {
        const pp_command *command = pp_commands[i];
        size_t size = strlen(command->name);

        CHECK(command, group_is_known(command->group), "group '%s'", command->group);
        CHECK(command, !isupper((unsigned char)command->summary[0]), "no capital");
        check_help(command, command->summary);
        CHECK(command, command->run != NULL, "it does nothing");
        CHECK(command,
              strncmp(command->example, "paretopilot ", 12) == 0 &&
                  strncmp(command->example + 12, command->name, size) == 0,
              "its example calls another");
        for (size_t j = 0; j < command->n_options; j++)
            check_option(command, j);
        for (size_t j = 0; j < command->n_positionals; j++)
            check_positional(command, j);
    }
}

/* "study" alone cannot be a command beside "study run": it lists what may follow. */
static void names_do_not_hide_each_other(void **state)
{
    (void)state;
    for (size_t i = 0; pp_commands[i] != NULL; i++) {
        for (size_t j = 0; pp_commands[j] != NULL; j++) {
            CHECK(pp_commands[i], i == j || strcmp(pp_commands[i]->name, pp_commands[j]->name) != 0,
                  "twice");
            CHECK(pp_commands[i], !pp_command_is_below(pp_commands[j], pp_commands[i]->name),
                  "a command and a first word of '%s'", pp_commands[j]->name);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_is_complete),
        cmocka_unit_test(names_do_not_hide_each_other),
    };

    return cmocka_run_group_tests_name("cli/commands", tests, NULL, NULL);
}
