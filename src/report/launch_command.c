#include "report/launch_command.h"

#include <string.h>

static bool is_bare(pp_text word)
{
    static const char safe[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                               "_@%+=:,./-";

    for (size_t i = 0; i < word.size; i++) {
        if (memchr(safe, word.data[i], sizeof safe - 1) == NULL)
            return false;
    }
    return word.size > 0;
}

void pp_launch_quote(pp_text word, pp_buf *out)
{
    if (is_bare(word)) {
        pp_buf_append(out, word.data, word.size);
        return;
    }
    pp_buf_append_char(out, '\'');
    for (size_t i = 0; i < word.size; i++) {
        if (word.data[i] == '\'')
            pp_buf_append_text(out, "'\"'\"'");
        else
            pp_buf_append_char(out, word.data[i]);
    }
    pp_buf_append_char(out, '\'');
}

/* NULL when the word is fit to be shown as part of a command. */
static const char *fault_of(const pp_json *word, size_t *total_chars)
{
    size_t chars = 0;
    size_t step;

    if (word->kind != PP_JSON_STRING)
        return "The recorded command holds something that is no text.";
    for (size_t at = 0; at < word->text.size; at += step, chars++) {
        long code = pp_utf8_next(word->text.data + at, word->text.size - at, &step);

        if (code < 32 || code == 127)
            return "The recorded command holds control characters.";
    }
    *total_chars += chars;
    if (chars == 0)
        return "The recorded command holds an empty word.";
    if (chars > PP_LAUNCH_MAX_WORD_CHARS || *total_chars > PP_LAUNCH_MAX_CHARS)
        return "The recorded command is too long.";
    return NULL;
}

static const char *fault_of_all(const pp_json *argv)
{
    size_t total_chars = 0;
    const char *fault = NULL;

    if (argv == NULL)
        return "No launch command was recorded for this candidate.";
    if (argv->kind != PP_JSON_ARRAY || argv->array.count == 0)
        return "The recorded command is not a list of words.";
    if (argv->array.count > PP_LAUNCH_MAX_WORDS)
        return "The recorded command has too many words.";
    for (size_t i = 0; fault == NULL && i < argv->array.count; i++)
        fault = fault_of(argv->array.items[i], &total_chars);
    return fault;
}

/* -m and --model, but not -1 */
static bool is_option(pp_text word)
{
    return word.size > 1 && word.data[0] == '-' && (word.data[1] < '0' || word.data[1] > '9');
}

const char *pp_launch_command(const pp_json *parameters, pp_buf *out)
{
    const pp_json *argv = parameters == NULL ? NULL : pp_json_find(parameters, "deployment_argv");
    const char *fault = fault_of_all(argv);

    if (fault != NULL)
        return fault;
    for (size_t i = 0; i < argv->array.count; i++) {
        pp_text word = argv->array.items[i]->text;

        if (i > 0)
            pp_buf_append_text(out, is_option(word) ? " \\\n    " : " ");
        pp_launch_quote(word, out);
    }
    return NULL;
}
