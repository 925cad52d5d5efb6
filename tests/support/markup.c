#include "markup.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define MAX_DEPTH 64
#define MAX_NAME  32

typedef struct reader {
    const char *at;
    const char *end;
    char open[MAX_DEPTH][MAX_NAME];
    size_t depth;
    bool has_neighbours; /* links may lead to pages beside this one */
    char fault[256];
} reader;

static bool fail_at(reader *r, const char *what)
{
    snprintf(r->fault, sizeof r->fault, "%s near '%.60s'", what, r->at);
    return false;
}

static bool is_one_of(const char *name, const char *const *list)
{
    for (size_t i = 0; list[i] != NULL; i++) {
        if (strcasecmp(name, list[i]) == 0)
            return true;
    }
    return false;
}

static bool is_void(const char *name)
{
    static const char *const names[] = {"meta", "br", "input", NULL};

    return is_one_of(name, names);
}

static bool take_name(reader *r, char name[MAX_NAME])
{
    size_t size = 0;

    while (r->at < r->end && (isalnum((unsigned char)*r->at) || *r->at == '-')) {
        if (size + 1 >= MAX_NAME)
            return fail_at(r, "long name");
        name[size++] = *r->at++;
    }
    name[size] = '\0';
    return size > 0 || fail_at(r, "expected a name");
}

/* "name-0f.html": lower-case letters, digits and '-' alone. */
static bool is_page_beside(const char *value, size_t size)
{
    static const char end[] = ".html";
    size_t name = size < sizeof end ? 0 : size - (sizeof end - 1);

    for (size_t i = 0; i < name; i++) {
        if (!islower((unsigned char)value[i]) && !isdigit((unsigned char)value[i]) &&
            value[i] != '-')
            return false;
    }
    return name > 0 && memcmp(value + name, end, sizeof end - 1) == 0;
}

static bool check_attribute(reader *r, const char *name, const char *value, size_t size)
{
    static const char *const refused[] = {"src", "style", "srcset", "action", "formaction", NULL};

    if (strncasecmp(name, "on", 2) == 0 || is_one_of(name, refused))
        return fail_at(r, "attribute that acts or loads");
    if (strcasecmp(name, "href") == 0 && (size == 0 || value[0] != '#') &&
        !(r->has_neighbours && is_page_beside(value, size)))
        return fail_at(r, "link out of the page");
    if (memchr(value, '<', size) != NULL)
        return fail_at(r, "raw < in an attribute");
    return true;
}

static bool take_attributes(reader *r, bool *ret_empty)
{
    char name[MAX_NAME];

    *ret_empty = false;
    for (;;) {
        const char *value;

        while (r->at < r->end && isspace((unsigned char)*r->at))
            r->at++;
        if (r->at < r->end && *r->at == '/') {
            *ret_empty = true;
            r->at++;
        }
        if (r->at < r->end && *r->at == '>') {
            r->at++;
            return true;
        }
        if (!take_name(r, name))
            return false;
        if (r->end - r->at < 2 || r->at[0] != '=' || r->at[1] != '"')
            return fail_at(r, "attribute without a quoted value");
        value = r->at += 2;
        while (r->at < r->end && *r->at != '"')
            r->at++;
        if (r->at == r->end)
            return fail_at(r, "open attribute");
        if (!check_attribute(r, name, value, (size_t)(r->at - value)))
            return false;
        r->at++;
    }
}

static bool take_open_tag(reader *r)
{
    static const char *const refused[] = {"script", "iframe", "object", "embed", "link",
                                          "img",    "base",   "form",   NULL};
    char name[MAX_NAME];
    bool empty;

    if (!take_name(r, name) || !take_attributes(r, &empty))
        return false;
    if (is_one_of(name, refused))
        return fail_at(r, "element that acts or loads");
    if (empty || is_void(name))
        return true;
    if (r->depth == MAX_DEPTH)
        return fail_at(r, "too deep");
    memcpy(r->open[r->depth++], name, MAX_NAME);
    return true;
}

static bool take_close_tag(reader *r)
{
    char name[MAX_NAME];

    if (!take_name(r, name))
        return false;
    if (r->at == r->end || *r->at != '>')
        return fail_at(r, "closing tag with more than a name");
    r->at++;
    if (r->depth == 0 || strcmp(r->open[r->depth - 1], name) != 0)
        return fail_at(r, "closes what is not open");
    r->depth--;
    return true;
}

static bool take_entity(reader *r)
{
    static const char *const entities[] = {"&amp;", "&lt;",   "&gt;",     "&quot;", "&#39;",
                                           "&#47;", "&rarr;", "&middot;", "&nbsp;", NULL};

    for (size_t i = 0; entities[i] != NULL; i++) {
        if (strncmp(r->at, entities[i], strlen(entities[i])) == 0) {
            r->at += strlen(entities[i]);
            return true;
        }
    }
    return fail_at(r, "unknown entity");
}

static bool take_piece(reader *r)
{
    if (*r->at == '&')
        return take_entity(r);
    if (*r->at == '>' && !(r->depth > 0 && strcmp(r->open[r->depth - 1], "style") == 0))
        return fail_at(r, "raw >");
    if (*r->at == '\0')
        return fail_at(r, "NUL");
    if (*r->at++ != '<')
        return true;
    if (r->at < r->end && *r->at == '/') {
        r->at++;
        return take_close_tag(r);
    }
    return take_open_tag(r);
}

static const char *find_fault(const char *page, size_t size, bool has_neighbours)
{
    static const char doctype[] = "<!DOCTYPE html>";
    static reader r;

    r = (reader){.at = page, .end = page + size, .has_neighbours = has_neighbours};
    if (size < sizeof doctype || memcmp(page, doctype, sizeof doctype - 1) != 0)
        return "no doctype";
    r.at += sizeof doctype - 1;
    while (r.at < r.end) {
        if (!take_piece(&r))
            return r.fault;
    }
    return r.depth == 0 ? NULL : "an element stays open";
}

const char *markup_fault(const char *page, size_t size)
{
    return find_fault(page, size, false);
}

const char *markup_fault_of_site(const char *page, size_t size)
{
    return find_fault(page, size, true);
}
