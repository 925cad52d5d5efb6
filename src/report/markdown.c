#include "report/markdown.h"

#include <string.h>

static void append_character(pp_buf *out, char c)
{
    switch (c) {
    case '&':
        pp_buf_append_text(out, "&amp;");
        return;
    case '<':
        pp_buf_append_text(out, "&lt;");
        return;
    case '>':
        pp_buf_append_text(out, "&gt;");
        return;
    default:
        break;
    }
    if (strchr("\\`*_[]{}()#+-.!|~", c) != NULL)
        pp_buf_append_char(out, '\\');
    pp_buf_append_char(out, c);
}

void pp_markdown_text(pp_arena *arena, pp_buf *out, pp_text text)
{
    pp_text line = pp_text_collapse(arena, text);
    size_t room = line.size * 6 + 8; /* a byte becomes at most "\u001b" */
    char *shown = pp_arena_alloc(arena, room, 1);

    if (shown == NULL || line.data == NULL)
        return; /* the arena remembers */
    if (line.size == 0) {
        pp_buf_append_text(out, "(blank)");
        return;
    }
    pp_text_escape_controls(line.data, line.size, shown, room);
    for (const char *c = shown; *c != '\0'; c++)
        append_character(out, *c);
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* A list begins with a sign, or with digits and a point or bracket; a heading with #. */
static bool begins_a_block(const char *text, const char *at)
{
    if (at == text)
        return strchr("#+-=", *at) != NULL;
    for (const char *c = text; c < at; c++) {
        if (!is_digit(*c))
            return false;
    }
    return (*at == '.' || *at == ')') && (at[1] == ' ' || at[1] == '\0');
}

/* A point inside a name, a colon before a slash, an at-sign: what addresses are made of. */
static bool is_of_an_address(const char *text, const char *at)
{
    bool inside = at > text && at[-1] != ' ' && at[1] != ' ' && at[1] != '\0';

    return *at == '@' || (*at == ':' && at[1] == '/') ||
           (*at == '.' && inside && !(is_digit(at[-1]) && is_digit(at[1])));
}

void pp_markdown_prose(pp_arena *arena, pp_buf *out, pp_text text)
{
    pp_text line = pp_text_collapse(arena, text);
    size_t room = line.size * 6 + 8; /* as above */
    char *shown = pp_arena_alloc(arena, room, 1);

    if (shown == NULL || line.data == NULL)
        return; /* the arena remembers */
    pp_text_escape_controls(line.data, line.size, shown, room);
    for (const char *c = shown; *c != '\0'; c++) {
        if (strchr("\\`*_[]|~<>&", *c) != NULL) {
            append_character(out, *c);
            continue;
        }
        if (begins_a_block(shown, c) || is_of_an_address(shown, c))
            pp_buf_append_char(out, '\\');
        pp_buf_append_char(out, *c);
    }
}

void pp_markdown_heading(pp_buf *out, int level, const char *title)
{
    pp_buf_printf(out, "%.*s %s\n\n", level, "######", title);
}

void pp_markdown_row(pp_buf *out, const char *const *cells)
{
    for (size_t i = 0; cells[i] != NULL; i++) {
        pp_buf_append_text(out, i == 0 ? "| " : " | ");
        pp_buf_append_text(out, cells[i]);
    }
    pp_buf_append_text(out, " |\n");
}

void pp_markdown_columns(pp_buf *out, const char *const *columns)
{
    pp_markdown_row(out, columns);
    for (size_t i = 0; columns[i] != NULL; i++)
        pp_buf_append_text(out, i == 0 ? "| ---" : " | ---");
    pp_buf_append_text(out, " |\n");
}
