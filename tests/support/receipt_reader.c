#include "receipt_reader.h"

#include <string.h>

#include "shared.h"

/* "| a | b |" */
static void cut_cells(pp_arena *arena, receipt_line *line)
{
    const char *at = line->text;
    const char *start;

    if (at[0] != '|' || at[1] != ' ')
        return;
    at += 2;
    while (*at != '\0') {
        start = at;
        while (*at != '\0' && *at != '|')
            at += at[0] == '\\' && at[1] != '\0' ? 2 : 1;
        if (*at != '|' || line->cell_count == RECEIPT_MAX_CELLS)
            fail_msg("not a row of a table: %s", line->text);
        line->cells[line->cell_count++] =
            pp_arena_dup(arena, start, at == start ? 0 : (size_t)(at - start) - 1);
        at += at[1] == ' ' ? 2 : 1;
    }
}

static void check_printable(const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        if ((unsigned char)text[i] < 0x20 || text[i] == 0x7f)
            fail_msg("a control character in the receipt: %.80s", text);
    }
}

receipt_page receipt_read(pp_arena *arena, const char *markdown, size_t size)
{
    receipt_page page = {0};
    const char *end = markdown + size;
    size_t lines = 0;

    for (const char *c = markdown; c < end; c++)
        lines += *c == '\n';
    assert_true(size > 2 && end[-1] == '\n' && end[-2] != '\n');
    page.lines = PP_ARENA_NEW(arena, receipt_line, lines);
    for (const char *at = markdown; at < end;) {
        size_t length = (size_t)((const char *)memchr(at, '\n', (size_t)(end - at)) - at);
        receipt_line *line = &page.lines[page.count++];

        check_printable(at, length);
        line->text = pp_arena_dup(arena, at, length);
        cut_cells(arena, line);
        at += length + 1;
    }
    return page;
}

size_t receipt_find(const receipt_page *page, size_t at, const char *text)
{
    while (at < page->count && strcmp(page->lines[at].text, text) != 0)
        at++;
    if (at == page->count)
        fail_msg("the receipt has no line '%s'", text);
    return at;
}

static size_t section_end(const receipt_page *page, size_t at)
{
    do
        at++;
    while (at < page->count && page->lines[at].text[0] != '#');
    return at;
}

const char *receipt_item(const receipt_page *page, size_t at, const char *name)
{
    size_t end = section_end(page, at);

    for (; at < end; at++) {
        const receipt_line *line = &page->lines[at];

        if (line->cell_count == 2 && strcmp(line->cells[0], name) == 0)
            return line->cells[1];
    }
    return NULL;
}

size_t receipt_change(const receipt_page *page, size_t at, size_t n)
{
    size_t end = section_end(page, at);

    while (at < end && page->lines[at].cell_count != 7)
        at++;
    at += 2 + n; /* behind the names and the rule */
    return at < end && page->lines[at].cell_count == 7 ? at : page->count;
}

const char *receipt_plain(pp_arena *arena, const char *markdown)
{
    static const struct {
        const char *entity;
        char character;
    } entities[] = {{"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}};
    char *out = pp_arena_dup(arena, markdown, strlen(markdown));
    size_t size = 0;

    while (*markdown != '\0') {
        size_t step = 1;

        out[size] = *markdown;
        for (size_t i = 0; i < PP_COUNT_OF(entities); i++) {
            if (strncmp(markdown, entities[i].entity, strlen(entities[i].entity)) == 0) {
                out[size] = entities[i].character;
                step = strlen(entities[i].entity);
            }
        }
        if (markdown[0] == '\\' && markdown[1] != '\0') {
            out[size] = markdown[1];
            step = 2;
        }
        size++;
        markdown += step;
    }
    out[size] = '\0';
    return out;
}
