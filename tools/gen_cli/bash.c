#include <stdio.h>
#include <string.h>

#include "gen.h"

/* ---- what stands where ---------------------------------------------------------------------- */

static void print_takes(const pp_value *value)
{
    printf(") takes='");
    switch (value->kind) {
    case PP_VALUE_FILE:
        printf("file");
        break;
    case PP_VALUE_FOLDER:
        printf("folder");
        break;
    case PP_VALUE_WORD:
        printf("word ");
        gen_words(value);
        break;
    case PP_VALUE_NUMBER:
    case PP_VALUE_DURATION:
    case PP_VALUE_SIZE:
    case PP_VALUE_TEXT:
        printf("other");
        break;
    }
    printf("' ;;\n");
}

static void print_places(const pp_command *command)
{
    for (size_t i = 0; i < command->n_options; i++) {
        const pp_option *row = &command->options[i];

        if (row->value == NULL)
            continue;
        printf("    '%s:--%s'", command->name, row->name);
        if (row->letter != 0)
            printf(" | '%s:-%c'", command->name, row->letter);
        print_takes(row->value);
    }
    for (size_t i = 0; i < command->n_positionals; i++) {
        const pp_positional *row = &command->positionals[i];

        if (row->repeats)
            printf("    '%s:'[1-9]*", command->name);
        else
            printf("    '%s:%zu'", command->name, i + 1);
        print_takes(row->value);
    }
}

/* ---- lists ---------------------------------------------------------------------------------- */

static void print_options(const pp_command *command)
{
    printf("    '%s') words='", command->name);
    for (size_t i = 0; i < command->n_options; i++)
        printf("--%s ", command->options[i].name);
    printf("--help' ;;\n");
}

static void print_below(const char *first)
{
    bool any = false;

    for (size_t i = 0; pp_commands[i] != NULL; i++) {
        if (pp_command_is_below(pp_commands[i], first)) {
            printf(any ? " " : "    %s) words='", first);
            printf("%s", gen_second_word(pp_commands[i]));
            any = true;
        }
    }
    if (any)
        printf("' ;;\n");
}

static void print_functions(void)
{
    char first[32];

    printf("# Sets takes: what stands behind an option or at a place (from 1).\n"
           "_paretopilot_takes() { # COMMAND OPTION-OR-PLACE\n"
           "    case $1:$2 in\n");
    for (size_t i = 0; pp_commands[i] != NULL; i++)
        print_places(pp_commands[i]);
    printf("    *) takes='' ;;\n"
           "    esac\n"
           "}\n\n"
           "_paretopilot_options() { # COMMAND\n"
           "    case $1 in\n");
    for (size_t i = 0; pp_commands[i] != NULL; i++)
        print_options(pp_commands[i]);
    printf("    *) words='' ;;\n"
           "    esac\n"
           "}\n\n"
           "# Sets words: what may follow the first word of a command of two.\n"
           "_paretopilot_below() { # FIRST-WORD\n"
           "    case $1 in\n");
    for (size_t i = 0; pp_commands[i] != NULL; i++) {
        if (gen_first_word(i, first, sizeof first))
            print_below(first);
    }
    printf("    *) words='' ;;\n"
           "    esac\n"
           "}\n\n"
           "_paretopilot_first='");
    for (size_t i = 0; pp_commands[i] != NULL; i++) {
        if (gen_first_word(i, first, sizeof first))
            printf("%s ", first);
    }
    printf("'\n\n");
}

/* "--type=q8_0" arrives as three words, because = breaks words in readline. */
static const char frame[] =
    "_paretopilot_reply() { # OPTION-OF-COMPGEN...\n"
    "    local line\n"
    "    while IFS= read -r line; do\n"
    "        COMPREPLY+=(\"$line\")\n"
    "    done < <(compgen \"$@\" -- \"$word\")\n"
    "}\n"
    "\n"
    "_paretopilot_reply_value() {\n"
    "    case $takes in\n"
    "    'word '*) _paretopilot_reply -W \"${takes#word }\" ;;\n"
    "    file | folder)\n"
    "        compopt -o filenames 2>/dev/null\n"
    "        if [[ $takes == file ]]; then _paretopilot_reply -f; else _paretopilot_reply -d; fi\n"
    "        ;;\n"
    "    esac\n"
    "}\n"
    "\n"
    "_paretopilot() {\n"
    "    local word=${COMP_WORDS[COMP_CWORD]} at=1 place=1 command takes words\n"
    "    COMPREPLY=()\n"
    "    if ((COMP_CWORD > 1)) && [[ ${COMP_WORDS[1]} == help ]]; then at=2; fi\n"
    "    if ((COMP_CWORD == at)); then\n"
    "        words=$_paretopilot_first\n"
    "        if ((at == 1)); then words=\"$words help --help --version\"; fi\n"
    "        _paretopilot_reply -W \"$words\"\n"
    "        return\n"
    "    fi\n"
    "    command=${COMP_WORDS[at]}\n"
    "    _paretopilot_below \"$command\"\n"
    "    at=$((at + 1))\n"
    "    if [[ -n $words ]]; then\n"
    "        if ((COMP_CWORD == at)); then\n"
    "            _paretopilot_reply -W \"$words\"\n"
    "            return\n"
    "        fi\n"
    "        command=\"$command ${COMP_WORDS[at]}\"\n"
    "        at=$((at + 1))\n"
    "    fi\n"
    "    if [[ ${COMP_WORDS[1]} == help ]]; then return; fi\n"
    "    while ((at < COMP_CWORD)); do\n"
    "        _paretopilot_takes \"$command\" \"${COMP_WORDS[at]}\"\n"
    "        if [[ ${COMP_WORDS[at]} != -* ]]; then\n"
    "            place=$((place + 1))\n"
    "        elif [[ -n $takes ]]; then\n"
    "            at=$((at + 1))\n"
    "            if [[ ${COMP_WORDS[at]} == = ]]; then\n"
    "                if ((at == COMP_CWORD)); then word=''; else at=$((at + 1)); fi\n"
    "            fi\n"
    "            if ((at == COMP_CWORD)); then\n"
    "                _paretopilot_reply_value\n"
    "                return\n"
    "            fi\n"
    "        fi\n"
    "        at=$((at + 1))\n"
    "    done\n"
    "    _paretopilot_takes \"$command\" \"$place\"\n"
    "    if [[ -n $takes && $word != -* ]]; then\n"
    "        _paretopilot_reply_value\n"
    "    else\n"
    "        _paretopilot_options \"$command\"\n"
    "        _paretopilot_reply -W \"$words\"\n"
    "    fi\n"
    "}\n"
    "\n"
    "complete -F _paretopilot paretopilot\n";

void gen_bash(void)
{
    printf("# shellcheck shell=bash\n"
           "# Completion of paretopilot for bash, made from its command table.\n\n");
    print_functions();
    printf("%s", frame);
}
