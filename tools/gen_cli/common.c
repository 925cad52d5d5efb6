#include <stdio.h>
#include <string.h>

#include "cli/help.h"
#include "gen.h"

static void append(char *out, size_t size, const char *text)
{
    size_t used = strlen(out);

    PP_ASSERT(used + strlen(text) < size); /* the table is ours */
    memcpy(out + used, text, strlen(text) + 1);
}

static void append_option(const pp_option *row, char *out, size_t size)
{
    append(out, size, row->required ? " --" : " [--");
    append(out, size, row->name);
    if (row->value != NULL) {
        append(out, size, " ");
        append(out, size, row->value->unit);
    }
    append(out, size, row->required ? "" : "]");
    append(out, size, row->repeats ? "..." : "");
}

void gen_synopsis(const pp_command *command, char *out, size_t size)
{
    char positional[64];

    out[0] = '\0';
    append(out, size, "paretopilot ");
    append(out, size, command->name);
    for (size_t i = 0; i < command->n_positionals; i++) {
        pp_help_positional(&command->positionals[i], positional, sizeof positional);
        append(out, size, " ");
        append(out, size, positional);
    }
    for (size_t i = 0; i < command->n_options; i++) {
        if (command->options[i].required)
            append_option(&command->options[i], out, size);
    }
    for (size_t i = 0; i < command->n_options; i++) {
        if (!command->options[i].required)
            append_option(&command->options[i], out, size);
    }
}

bool gen_first_word(size_t i, char *out, size_t size)
{
    const char *name = pp_commands[i]->name;
    size_t first = strcspn(name, " ");

    (void)snprintf(out, size, "%.*s", (int)first, name);
    for (size_t j = 0; j < i; j++) {
        if (strcspn(pp_commands[j]->name, " ") == first &&
            memcmp(pp_commands[j]->name, name, first) == 0)
            return false;
    }
    return true;
}

const char *gen_second_word(const pp_command *command)
{
    const char *blank = strchr(command->name, ' ');

    return blank == NULL ? NULL : blank + 1;
}

void gen_escaped(const char *text, const char *special)
{
    for (; *text != '\0'; text++) {
        if (strchr(special, *text) != NULL)
            putchar('\\');
        putchar(*text);
    }
}

void gen_quoted(const char *text, const char *special)
{
    putchar('\'');
    for (; *text != '\0'; text++) {
        if (*text == '\'')
            printf("'\\''");
        else if (strchr(special, *text) != NULL)
            printf("\\%c", *text);
        else
            putchar(*text);
    }
    putchar('\'');
}

void gen_words(const pp_value *value)
{
    for (size_t n = 0; value->word(n) != NULL; n++)
        printf("%s%s", n == 0 ? "" : " ", value->word(n));
}
