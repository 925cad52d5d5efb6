#include "report/escape.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* Shown as a code, because the character itself is invisible or changes what stands around it. */
static bool is_hidden(long code)
{
    return code < 0x20 || (code >= 0x7f && code <= 0x9f) || code == 0xad || code == 0x61c ||
           code == 0x180e || (code >= 0x200b && code <= 0x200c) || code == 0x200e ||
           code == 0x200f || (code >= 0x2028 && code <= 0x202e) ||
           (code >= 0x2060 && code <= 0x206f) || code == 0xfeff ||
           (code >= 0xfff0 && code <= 0xfffb) || (code & 0xfffe) == 0xfffe ||
           (code >= 0xfdd0 && code <= 0xfdef) || (code >= 0xe0000 && code <= 0xe0fff);
}

static const char *entity_of(long code, bool behind_colon)
{
    switch (code) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    case '/':
        return behind_colon ? "&#47;" : NULL;
    default:
        return NULL;
    }
}

/* One character of a text: how it is written, and how many characters a reader sees. */
typedef struct piece {
    const char *bytes;
    size_t size;
    size_t shown;
    char code[16];
} piece;

static size_t next_piece(pp_text text, size_t at, bool keep_lines, piece *ret)
{
    size_t step;
    long code = pp_utf8_next(text.data + at, text.size - at, &step);
    const char *entity = entity_of(code, at > 0 && text.data[at - 1] == ':');

    ret->bytes = text.data + at;
    ret->size = step;
    ret->shown = 1;
    if (code < 0 || (is_hidden(code) && !(code == '\n' && keep_lines))) {
        ret->size = (size_t)(code < 0 ? snprintf(ret->code, sizeof ret->code, "\\x%02x",
                                                 (unsigned char)text.data[at])
                                      : snprintf(ret->code, sizeof ret->code, "\\u%04lx",
                                                 (unsigned long)code));
        ret->bytes = ret->code;
        ret->shown = ret->size;
    } else if (entity != NULL) {
        ret->bytes = entity;
        ret->size = strlen(entity);
    }
    return step;
}

static void append(pp_buf *out, pp_text text, bool keep_lines, size_t max_chars)
{
    size_t shown = 0;
    piece p;

    for (size_t at = 0; at < text.size;) {
        at += next_piece(text, at, keep_lines, &p);
        if (shown + p.shown + (at < text.size ? 1 : 0) > max_chars) {
            pp_buf_append_text(out, "\xe2\x80\xa6"); /* U+2026 */
            return;
        }
        pp_buf_append(out, p.bytes, p.size);
        shown += p.shown;
    }
}

void pp_html_text(pp_buf *out, pp_text text)
{
    append(out, text, false, SIZE_MAX);
}

void pp_html_string(pp_buf *out, const char *text)
{
    if (text != NULL)
        append(out, pp_text_of(text), false, SIZE_MAX);
}

void pp_html_lines(pp_buf *out, pp_text text)
{
    append(out, text, true, SIZE_MAX);
}

void pp_html_cut(pp_buf *out, pp_text text, size_t max_chars)
{
    append(out, text, false, max_chars);
}

size_t pp_html_shown_chars(pp_text text)
{
    size_t shown = 0;
    piece p;

    for (size_t at = 0; at < text.size;) {
        at += next_piece(text, at, false, &p);
        shown += p.shown;
    }
    return shown;
}
