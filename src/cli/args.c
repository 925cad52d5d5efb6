#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/nearest.h"

#define WORD_LIST_SIZE 1024

static const pp_option *find_long(const pp_command *command, const char *name, size_t size)
{
    for (size_t i = 0; i < command->n_options; i++) {
        if (strlen(command->options[i].name) == size &&
            memcmp(command->options[i].name, name, size) == 0)
            return &command->options[i];
    }
    return NULL;
}

static const pp_option *find_letter(const pp_command *command, char letter)
{
    for (size_t i = 0; i < command->n_options; i++) {
        if (command->options[i].letter != 0 && command->options[i].letter == letter)
            return &command->options[i];
    }
    return NULL;
}

void pp_value_words(const pp_value *value, char *out, size_t size)
{
    size_t used = 0;

    out[0] = '\0';
    for (size_t n = 0; used < size && value->word(n) != NULL; n++)
        used +=
            (size_t)snprintf(out + used, size - used, "%s%s", n == 0 ? "" : ", ", value->word(n));
}

/* `what` is the option with its dashes, or the positional's name. */
static pp_status check_word(const pp_command *command, const char *what, const pp_value *value,
                            const char *text, pp_error *err)
{
    char words[WORD_LIST_SIZE];

    if (value == NULL || value->kind != PP_VALUE_WORD)
        return PP_OK;
    for (size_t n = 0; value->word(n) != NULL; n++) {
        if (strcmp(value->word(n), text) == 0)
            return PP_OK;
    }
    pp_value_words(value, words, sizeof words);
    return pp_fail(err, PP_ERR_USAGE, "%s: %s: unknown '%s'; expected one of %s", command->name,
                   what, text, words);
}

static pp_status add_option(const pp_command *command, const pp_option *row, const char *value,
                            pp_args *args, pp_error *err)
{
    char what[64];

    if (!row->repeats && pp_args_has(args, row->name))
        return pp_fail(err, PP_ERR_USAGE, "%s: --%s was given twice", command->name, row->name);
    if (args->given_count == PP_ARGS_MAX_OPTIONS)
        return pp_fail(err, PP_ERR_USAGE, "%s: more than %d options", command->name,
                       PP_ARGS_MAX_OPTIONS);
    (void)snprintf(what, sizeof what, "--%s", row->name);
    args->given_rows[args->given_count] = row;
    args->given_values[args->given_count] = value;
    args->given_count++;
    return check_word(command, what, row->value, value, err);
}

/* The row of the n-th positional; NULL behind the last. */
static const pp_positional *find_positional(const pp_command *command, size_t n)
{
    if (n < command->n_positionals)
        return &command->positionals[n];
    if (command->n_positionals > 0 && command->positionals[command->n_positionals - 1].repeats)
        return &command->positionals[command->n_positionals - 1];
    return NULL;
}

static pp_status refuse_positional(const pp_command *command, const char *text, pp_error *err)
{
    if (command->n_positionals == 0)
        return pp_fail(err, PP_ERR_USAGE, "%s: unexpected argument '%s'; expected none",
                       command->name, text);
    return pp_fail(err, PP_ERR_USAGE, "%s: unexpected argument '%s' behind %s", command->name, text,
                   command->positionals[command->n_positionals - 1].value->unit);
}

static pp_status add_positional(const pp_command *command, const char *text, pp_args *args,
                                pp_error *err)
{
    const pp_positional *row = find_positional(command, args->positional_count);

    if (row == NULL)
        return refuse_positional(command, text, err);
    if (args->positional_count == PP_ARGS_MAX_POSITIONALS)
        return pp_fail(err, PP_ERR_USAGE, "%s: more than %d arguments", command->name,
                       PP_ARGS_MAX_POSITIONALS);
    args->positionals[args->positional_count++] = text;
    return check_word(command, row->value->unit, row->value, text, err);
}

/* Splits one option word into its row and the value joined to it ("--a=b"), NULL when there is
 * none. */
static const pp_option *match_option(const pp_command *command, const char *word,
                                     const char **ret_joined)
{
    const char *equals;

    *ret_joined = NULL;
    if (word[1] != '-')
        return word[2] == '\0' ? find_letter(command, word[1]) : NULL;
    equals = strchr(word + 2, '=');
    if (equals == NULL)
        return find_long(command, word + 2, strlen(word + 2));
    *ret_joined = equals + 1;
    return find_long(command, word + 2, (size_t)(equals - word - 2));
}

static pp_status refuse_option(const pp_command *command, const char *word, pp_error *err)
{
    char typed[80];
    pp_nearest nearest = {.typed = typed};

    if (word[1] == '-') {
        (void)snprintf(typed, sizeof typed, "%.*s", (int)strcspn(word + 2, "="), word + 2);
        for (size_t i = 0; i < command->n_options; i++)
            pp_nearest_offer(&nearest, command->options[i].name);
    }
    if (nearest.word != NULL)
        return pp_fail(err, PP_ERR_USAGE,
                       "%s: unknown option '%s', did you mean --%s? See paretopilot %s --help",
                       command->name, word, nearest.word, command->name);
    return pp_fail(err, PP_ERR_USAGE, "%s: unknown option '%s'; see paretopilot %s --help",
                   command->name, word, command->name);
}

static pp_status parse_option(const pp_command *command, int argc, char **argv, int *at,
                              pp_args *args, pp_error *err)
{
    const char *word = argv[*at];
    const char *value;
    const pp_option *row = match_option(command, word, &value);

    if (row == NULL)
        return refuse_option(command, word, err);
    if (row->value == NULL && value != NULL)
        return pp_fail(err, PP_ERR_USAGE, "%s: --%s takes no value", command->name, row->name);
    if (row->value == NULL)
        return add_option(command, row, "", args, err);
    if (value == NULL && *at + 1 < argc)
        value = argv[++*at];
    if (value == NULL)
        return pp_fail(err, PP_ERR_USAGE, "%s: --%s needs a value: %s", command->name, row->name,
                       row->value->unit);
    return add_option(command, row, value, args, err);
}

static pp_status check_complete(const pp_command *command, const pp_args *args, pp_error *err)
{
    for (size_t i = 0; i < command->n_options; i++) {
        const pp_option *row = &command->options[i];

        if (row->required && !pp_args_has(args, row->name))
            return pp_fail(err, PP_ERR_USAGE, "%s: --%s %s is required", command->name, row->name,
                           row->value->unit);
    }
    if (args->positional_count < command->n_positionals &&
        !command->positionals[args->positional_count].optional)
        return pp_fail(err, PP_ERR_USAGE, "%s: expected %s", command->name,
                       command->positionals[args->positional_count].value->unit);
    return PP_OK;
}

pp_status pp_args_parse(const pp_command *command, int argc, char **argv, pp_args *ret_args,
                        pp_error *err)
{
    bool options_end = false;
    pp_status st = PP_OK;

    memset(ret_args, 0, sizeof *ret_args);
    for (int i = 0; st == PP_OK && i < argc; i++) {
        if (!options_end && strcmp(argv[i], "--") == 0)
            options_end = true;
        else if (!options_end && argv[i][0] == '-' && argv[i][1] != '\0')
            st = parse_option(command, argc, argv, &i, ret_args, err);
        else
            st = add_positional(command, argv[i], ret_args, err);
    }
    return st == PP_OK ? check_complete(command, ret_args, err) : st;
}

const char *pp_args_value_at(const pp_args *args, const char *name, size_t n)
{
    for (size_t i = 0; i < args->given_count; i++) {
        if (strcmp(args->given_rows[i]->name, name) == 0 && n-- == 0)
            return args->given_values[i];
    }
    return NULL;
}

const char *pp_args_value(const pp_args *args, const char *name)
{
    return pp_args_value_at(args, name, 0);
}

bool pp_args_has(const pp_args *args, const char *name)
{
    return pp_args_value(args, name) != NULL;
}

pp_exit pp_exit_of(pp_status st)
{
    switch (st) {
    case PP_OK:
        return PP_EXIT_YES;
    case PP_ERR_NO_WINNER:
        return PP_EXIT_NO;
    case PP_ERR_USAGE:
    case PP_ERR_IO:
    case PP_ERR_SYNTAX:
    case PP_ERR_SCHEMA:
    case PP_ERR_DOMAIN:
    case PP_ERR_RANGE:
    case PP_ERR_LIMIT:
    case PP_ERR_EXISTS:
    case PP_ERR_PEER:
        return PP_EXIT_INVALID;
    case PP_ERR_UNAVAILABLE:
    case PP_ERR_TIMEOUT:
    case PP_ERR_MEMORY:
        return PP_EXIT_COULD_NOT_TELL;
    case PP_ERR_INTERRUPTED:
        return PP_EXIT_INTERRUPTED;
    case PP_ERR_BUG:
        break;
    }
    return PP_EXIT_BUG;
}
