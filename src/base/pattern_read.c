/* The grammar of expressions. Where POSIX says "undefined", the answer here is no: an author who
 * meant another dialect should hear of it. */
#include <string.h>

#include "base/pattern_parts.h"

typedef struct reader {
    pp_arena *arena;
    pp_text source;
    size_t at;
    int depth;
    pp_error *err;
} reader;

static pp_status read_alternatives(reader *r, const pattern_node **ret_node);

static pp_status fail_at(reader *r, size_t at, const char *what)
{
    return pp_fail(r->err, PP_ERR_SYNTAX, "byte %zu: %s", at + 1, what);
}

static bool at_end(const reader *r)
{
    return r->at == r->source.size;
}

static bool is_at(const reader *r, char wanted)
{
    return !at_end(r) && r->source.data[r->at] == wanted;
}

static bool take(reader *r, char wanted)
{
    bool there = is_at(r, wanted);

    r->at += there;
    return there;
}

static pattern_node *new_node(reader *r, pattern_kind kind)
{
    pattern_node *node = PP_ARENA_NEW(r->arena, pattern_node, 1);

    if (node != NULL)
        node->kind = kind;
    return node;
}

static long take_character(reader *r)
{
    size_t step;
    long code = pp_utf8_next(r->source.data + r->at, r->source.size - r->at, &step);

    r->at += step;
    return code;
}

/* ---- one character -----------------------------------------------------------------------------
 */

static pp_status set_range(reader *r, long first, long last, const pattern_node **ret_node)
{
    pattern_node *node = new_node(r, PATTERN_SET);
    pattern_range *range = PP_ARENA_NEW(r->arena, pattern_range, 1);

    if (node == NULL || range == NULL)
        return pp_arena_check(r->arena, r->err);
    *range = (pattern_range){first, last};
    node->set = (pattern_set){range, 1, false};
    *ret_node = node;
    return PP_OK;
}

static bool is_punctuation(char c)
{
    return c > ' ' && c < 0x7f && !(c >= '0' && c <= '9') && !(c >= 'A' && c <= 'Z') &&
           !(c >= 'a' && c <= 'z');
}

static pp_status read_escape(reader *r, const pattern_node **ret_node)
{
    size_t start = r->at++;
    char c = at_end(r) ? '\0' : r->source.data[r->at];

    if (c >= '0' && c <= '9')
        return fail_at(r, start, "back-references are not known here");
    if (!is_punctuation(c))
        return fail_at(r, start,
                       "a backslash stands before punctuation only (write [0-9] for a digit, "
                       "[[:alpha:]] for a letter, [[:space:]] for white space)");
    r->at++;
    return set_range(r, c, c, ret_node);
}

/* ---- brackets ----------------------------------------------------------------------------------
 */

static const struct class
{
    const char *name;
    pattern_range ranges[4];
    size_t count;
} classes[] = {
    {"alnum", {{'0', '9'}, {'A', 'Z'}, {'a', 'z'}}, 3},
    {"alpha", {{'A', 'Z'}, {'a', 'z'}}, 2},
    {"blank", {{' ', ' '}, {'\t', '\t'}}, 2},
    {"cntrl", {{0, 0x1f}, {0x7f, 0x7f}}, 2},
    {"digit", {{'0', '9'}}, 1},
    {"graph", {{'!', '~'}}, 1},
    {"lower", {{'a', 'z'}}, 1},
    {"print", {{' ', '~'}}, 1},
    {"punct", {{'!', '/'}, {':', '@'}, {'[', '`'}, {'{', '~'}}, 4},
    {"space", {{'\t', '\r'}, {' ', ' '}}, 2},
    {"upper", {{'A', 'Z'}}, 1},
    {"xdigit", {{'0', '9'}, {'A', 'F'}, {'a', 'f'}}, 3},
};

/* The reader stands behind "[:". */
static pp_status read_class(reader *r, pattern_set *set)
{
    pp_text rest = {r->source.data + r->at, r->source.size - r->at};

    for (size_t i = 0; i < PP_COUNT_OF(classes); i++) {
        size_t size = strlen(classes[i].name);

        if (rest.size < size + 2 || memcmp(rest.data, classes[i].name, size) != 0 ||
            memcmp(rest.data + size, ":]", 2) != 0)
            continue;
        memcpy(set->ranges + set->count, classes[i].ranges,
               classes[i].count * sizeof set->ranges[0]);
        set->count += classes[i].count;
        r->at += size + 2;
        return PP_OK;
    }
    return fail_at(r, r->at, "expected the name of a class such as alpha:]");
}

/* A character of a bracket that may begin or end a range. */
static pp_status read_bound(reader *r, long *ret_code)
{
    if (at_end(r))
        return fail_at(r, r->at, "expected ], the expression ends");
    if (is_at(r, '\\'))
        return fail_at(r, r->at,
                       "a backslash between [ and ] is a plain character to POSIX and an escape "
                       "elsewhere: write \\\\ outside of brackets");
    if (is_at(r, '[') && r->at + 1 < r->source.size &&
        memchr(".=:", r->source.data[r->at + 1], 3) != NULL)
        return fail_at(r, r->at, "expected a character");
    *ret_code = take_character(r);
    return PP_OK;
}

/* A character or a range. */
static pp_status read_item(reader *r, pattern_set *set)
{
    size_t start = r->at;
    pattern_range range;
    pp_status st = read_bound(r, &range.first);

    if (st != PP_OK)
        return st;
    range.last = range.first;
    if (is_at(r, '-') && r->at + 1 < r->source.size && r->source.data[r->at + 1] != ']') {
        r->at++;
        st = read_bound(r, &range.last);
        if (st == PP_OK && range.last < range.first)
            st = fail_at(r, start, "the range ends before it begins");
        if (st == PP_OK && is_at(r, '-') && r->at + 1 < r->source.size &&
            r->source.data[r->at + 1] != ']')
            st = fail_at(r, r->at, "a range begins where one has just ended");
    }
    set->ranges[set->count++] = range;
    return st;
}

static bool takes_class(reader *r)
{
    if (!is_at(r, '[') || r->at + 1 == r->source.size || r->source.data[r->at + 1] != ':')
        return false;
    r->at += 2;
    return true;
}

static pp_status read_bracket(reader *r, const pattern_node **ret_node)
{
    pattern_node *node = new_node(r, PATTERN_SET);
    pp_status st = PP_OK;
    bool first = true;

    r->at++;
    if (node != NULL) /* an item takes a byte or more, a class more than its ranges */
        node->set.ranges = PP_ARENA_NEW(r->arena, pattern_range, r->source.size - r->at + 1);
    if (node == NULL || node->set.ranges == NULL)
        return pp_arena_check(r->arena, r->err);
    node->set.negated = take(r, '^');
    for (; st == PP_OK && (first || !is_at(r, ']')); first = false)
        st = takes_class(r) ? read_class(r, &node->set) : read_item(r, &node->set);
    r->at++;
    *ret_node = node;
    return st;
}

/* ---- repetition --------------------------------------------------------------------------------
 */

static pp_status read_count(reader *r, int *ret_count)
{
    size_t start = r->at;
    int count = 0;

    while (!at_end(r) && r->source.data[r->at] >= '0' && r->source.data[r->at] <= '9') {
        count = 10 * count + (r->source.data[r->at++] - '0');
        if (count > PP_PATTERN_MAX_REPEAT)
            return pp_fail(r->err, PP_ERR_LIMIT, "byte %zu: a count is at most %d", start + 1,
                           PP_PATTERN_MAX_REPEAT);
    }
    *ret_count = count;
    return r->at > start ? PP_OK : fail_at(r, start, "expected a count between { and }");
}

static pp_status read_counts(reader *r, pattern_node *repeat)
{
    size_t start = r->at++;
    pp_status st = read_count(r, &repeat->least);

    repeat->most = repeat->least;
    if (st == PP_OK && take(r, ',')) {
        repeat->most = PATTERN_NO_CEILING;
        if (!is_at(r, '}'))
            st = read_count(r, &repeat->most);
    }
    if (st != PP_OK)
        return st;
    if (!take(r, '}'))
        return fail_at(r, r->at, "expected }");
    if (repeat->most == 0)
        return fail_at(r, start, "nothing is left of what is repeated 0 times");
    if (repeat->most != PATTERN_NO_CEILING && repeat->most < repeat->least)
        return fail_at(r, start, "the second count is below the first");
    return PP_OK;
}

static bool at_repeat(const reader *r)
{
    return is_at(r, '*') || is_at(r, '+') || is_at(r, '?') || is_at(r, '{');
}

static pp_status read_repeat(reader *r, const pattern_node **node)
{
    pattern_node *repeat;
    pp_status st = PP_OK;

    if (!at_repeat(r))
        return PP_OK;
    if ((*node)->kind == PATTERN_BEGIN || (*node)->kind == PATTERN_END)
        return fail_at(r, r->at, "an anchor is not repeated");
    repeat = new_node(r, PATTERN_REPEAT);
    if (repeat == NULL)
        return pp_arena_check(r->arena, r->err);
    repeat->left = *node;
    repeat->least = is_at(r, '+');
    repeat->most = is_at(r, '?') ? 1 : PATTERN_NO_CEILING;
    if (is_at(r, '{'))
        st = read_counts(r, repeat);
    else
        r->at++;
    *node = repeat;
    if (st == PP_OK && at_repeat(r))
        st = fail_at(r, r->at, "a repetition is not repeated (use a group)");
    return st;
}

/* ---- the tree ----------------------------------------------------------------------------------
 */

static pp_status read_group(reader *r, const pattern_node **ret_node)
{
    size_t start = r->at++;
    pp_status st;

    if (r->depth == PP_PATTERN_MAX_DEPTH)
        return pp_fail(r->err, PP_ERR_LIMIT, "byte %zu: groups nest at most %d deep", start + 1,
                       PP_PATTERN_MAX_DEPTH);
    r->depth++;
    st = read_alternatives(r, ret_node);
    r->depth--;
    if (st == PP_OK && !take(r, ')'))
        st = fail_at(r, start, "this ( is not closed");
    return st;
}

static pp_status read_anchor(reader *r, pattern_kind kind, const pattern_node **ret_node)
{
    r->at++;
    *ret_node = new_node(r, kind);
    return pp_arena_check(r->arena, r->err);
}

static pp_status read_atom(reader *r, const pattern_node **ret_node)
{
    long code;

    if (at_repeat(r))
        return fail_at(r, r->at, "nothing stands before this to be repeated");
    if (is_at(r, '('))
        return read_group(r, ret_node);
    if (is_at(r, '['))
        return read_bracket(r, ret_node);
    if (is_at(r, '\\'))
        return read_escape(r, ret_node);
    if (is_at(r, '^'))
        return read_anchor(r, PATTERN_BEGIN, ret_node);
    if (is_at(r, '$'))
        return read_anchor(r, PATTERN_END, ret_node);
    code = take_character(r);
    return code == '.' ? set_range(r, 0, 0x10ffff, ret_node) : set_range(r, code, code, ret_node);
}

/* `*node` is NULL for the first part. */
static pp_status join(reader *r, pattern_kind kind, const pattern_node *part,
                      const pattern_node **node)
{
    pattern_node *both = *node == NULL ? NULL : new_node(r, kind);

    if (both != NULL) {
        both->left = *node;
        both->right = part;
    }
    *node = both == NULL ? part : both;
    return pp_arena_check(r->arena, r->err);
}

static pp_status read_sequence(reader *r, const pattern_node **ret_node)
{
    pp_status st = PP_OK;

    *ret_node = NULL;
    while (st == PP_OK && !at_end(r) && !is_at(r, '|') && !is_at(r, ')')) {
        const pattern_node *part = NULL;

        st = read_atom(r, &part);
        if (st == PP_OK)
            st = read_repeat(r, &part);
        if (st == PP_OK)
            st = join(r, PATTERN_SEQUENCE, part, ret_node);
    }
    if (st == PP_OK && *ret_node == NULL)
        st = fail_at(r, r->at, "expected something to match, found nothing");
    return st;
}

static pp_status read_alternatives(reader *r, const pattern_node **ret_node)
{
    pp_status st;

    *ret_node = NULL;
    do {
        const pattern_node *part = NULL;

        st = read_sequence(r, &part);
        if (st == PP_OK)
            st = join(r, PATTERN_ALTERNATIVE, part, ret_node);
    } while (st == PP_OK && take(r, '|'));
    return st;
}

pp_status pattern_read(pp_arena *arena, pp_text source, const pattern_node **ret_root,
                       pp_error *err)
{
    reader r = {.arena = arena, .source = source, .err = err};
    pp_status st;

    if (source.size > PP_PATTERN_MAX_BYTES)
        return pp_fail(err, PP_ERR_LIMIT, "byte %d: expressions are at most %d bytes long",
                       PP_PATTERN_MAX_BYTES + 1, PP_PATTERN_MAX_BYTES);
    if (!pp_utf8_is_valid(source.data, source.size))
        return pp_fail(err, PP_ERR_SYNTAX, "byte 1: not valid UTF-8");
    st = read_alternatives(&r, ret_root);
    if (st == PP_OK && !at_end(&r))
        st = fail_at(&r, r.at, "this ) closes nothing");
    return st;
}
