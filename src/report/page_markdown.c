/* The page as Markdown: its sections are written as they are for the browser and read again, so
 * that both say the same. Charts are left out; the table beside each has its values.
 *
 * Read is only our own markup, which is well formed and uses few elements (tests hold every page to
 * that); this is no reader of HTML. */
#include <string.h>

#include "report/markdown.h"
#include "report/page_sections.h"

typedef struct cells {
    pp_text *items;
    size_t count, room;
} cells;

typedef struct reader {
    pp_arena *arena;
    pp_buf *out;
    pp_buf text; /* of the block or cell that is open, decoded */
    const char *at, *end;
    size_t hidden; /* elements open whose text is not for Markdown */
    bool in_table; /* text between rows and cells is layout */
    bool in_cell;
    bool has_columns; /* of the open table */
    bool is_columns;  /* the open row is one of column titles */
    bool is_verbatim; /* inside <pre> */
    cells row;
} reader;

/* ---- text ------------------------------------------------------------------------------------ */

static size_t append_entity(reader *r)
{
    static const struct {
        const char *entity, *text;
    } rows[] = {
        {"&amp;", "&"},
        {"&lt;", "<"},
        {"&gt;", ">"},
        {"&quot;", "\""},
        {"&#39;", "'"},
        {"&#47;", "/"},
        {"&rarr;", "\xe2\x86\x92"},
        {"&middot;", "\xc2\xb7"},
        {"&nbsp;", " "},
    };

    for (size_t i = 0; i < PP_COUNT_OF(rows); i++) {
        size_t size = strlen(rows[i].entity);

        if ((size_t)(r->end - r->at) >= size && memcmp(r->at, rows[i].entity, size) == 0) {
            pp_buf_append_text(&r->text, rows[i].text);
            return size;
        }
    }
    pp_buf_append_char(&r->text, '&');
    return 1;
}

static void read_text(reader *r)
{
    while (r->at < r->end && *r->at != '<') {
        size_t step = 1;

        if (r->hidden > 0 || (r->in_table && !r->in_cell))
            ; /* layout, or not for Markdown */
        else if (*r->at == '&')
            step = append_entity(r);
        else
            pp_buf_append_char(&r->text, *r->at);
        r->at += step;
    }
}

static pp_text taken_text(reader *r)
{
    pp_text text = pp_text_collapse(r->arena, (pp_text){pp_buf_text(&r->text), r->text.size});

    pp_buf_clear(&r->text);
    return text;
}

/* Clauses of a cell end in "; ", the last one without. */
static pp_text taken_cell(reader *r)
{
    pp_text text = taken_text(r);

    if (text.size > 0 && text.data[text.size - 1] == ';')
        text.size--;
    return text;
}

/* ---- blocks ---------------------------------------------------------------------------------- */

static void end_block(reader *r, const char *before)
{
    pp_text text = taken_text(r);

    if (text.size == 0)
        return;
    pp_buf_append_text(r->out, before);
    pp_markdown_prose(r->arena, r->out, text);
    pp_buf_append_text(r->out, "\n\n");
}

/* Indented code: no line of it can end it. */
static void end_verbatim(reader *r)
{
    const char *at = pp_buf_text(&r->text);

    while (*at != '\0') {
        size_t size = strcspn(at, "\n");

        pp_buf_append_text(r->out, "    ");
        pp_buf_append(r->out, at, size);
        pp_buf_append_char(r->out, '\n');
        at += size + (at[size] == '\n');
    }
    pp_buf_append_char(r->out, '\n');
    pp_buf_clear(&r->text);
    r->is_verbatim = false;
}

static void end_cell(reader *r)
{
    if (r->row.count == r->row.room) {
        size_t room = r->row.room == 0 ? 16 : 2 * r->row.room;
        pp_text *items = PP_ARENA_NEW(r->arena, pp_text, room);

        if (items == NULL)
            return; /* the arena remembers */
        for (size_t i = 0; i < r->row.count; i++)
            items[i] = r->row.items[i];
        r->row.items = items;
        r->row.room = room;
    }
    r->row.items[r->row.count++] = taken_cell(r);
    r->in_cell = false;
}

static void put_columns_end(reader *r)
{
    for (size_t i = 0; i < r->row.count; i++)
        pp_buf_append_text(r->out, "| --- ");
    pp_buf_append_text(r->out, "|\n");
    r->has_columns = true;
}

/* A table of facts has no titles: Markdown wants some, so they are empty. */
static void end_row(reader *r)
{
    if (!r->has_columns && !r->is_columns) {
        for (size_t i = 0; i < r->row.count; i++)
            pp_buf_append_text(r->out, "| ");
        pp_buf_append_text(r->out, "|\n");
        put_columns_end(r);
    }
    for (size_t i = 0; i < r->row.count; i++) {
        pp_buf_append_text(r->out, "| ");
        pp_markdown_prose(r->arena, r->out, r->row.items[i]);
        pp_buf_append_char(r->out, ' ');
    }
    pp_buf_append_text(r->out, "|\n");
    if (r->is_columns)
        put_columns_end(r);
    r->row.count = 0;
}

/* ---- elements -------------------------------------------------------------------------------- */

typedef struct tag {
    char name[16];
    bool closes;
    bool is_whole; /* <path ... /> */
    pp_text attributes;
} tag;

static bool is_tag(const tag *t, const char *const *names)
{
    for (size_t i = 0; names[i] != NULL; i++) {
        if (strcmp(t->name, names[i]) == 0)
            return true;
    }
    return false;
}

static bool has_class(const tag *t, const char *word)
{
    static const char begin[] = "class=\"";
    size_t size = strlen(word);
    bool inside = false;

    for (size_t i = 0; i < t->attributes.size; i++) {
        const char *at = t->attributes.data + i;
        size_t left = t->attributes.size - i;

        if (left >= sizeof begin - 1 && memcmp(at, begin, sizeof begin - 1) == 0) {
            inside = true;
            i += sizeof begin - 2;
        } else if (*at == '"') {
            inside = false;
        } else if (inside && left >= size && memcmp(at, word, size) == 0) {
            return true;
        }
    }
    return false;
}

static const char *const hidden_names[] = {"svg", "label", "legend", "nav", NULL};
static const char *const apart_names[] = {"small", "li", "h3", "dt", NULL};

static void open_tag(reader *r, const tag *t)
{
    static const char *const cell_names[] = {"td", "th", NULL};

    if (is_tag(t, hidden_names)) {
        r->hidden += t->is_whole ? 0 : 1;
    } else if (strcmp(t->name, "table") == 0) {
        r->in_table = true;
        r->has_columns = false;
    } else if (strcmp(t->name, "thead") == 0) {
        r->is_columns = true;
    } else if (strcmp(t->name, "tbody") == 0) {
        r->is_columns = false;
    } else if (is_tag(t, cell_names) || strcmp(t->name, "caption") == 0) {
        r->in_cell = true;
    } else if (strcmp(t->name, "pre") == 0) {
        r->is_verbatim = true;
        pp_buf_clear(&r->text);
    } else if (is_tag(t, apart_names) || has_class(t, "change") || has_class(t, "tag") ||
               has_class(t, "below")) {
        pp_buf_append_char(&r->text, ' '); /* stands on a line of its own in the browser */
    } else if (strcmp(t->name, "br") == 0) {
        pp_buf_append_text(&r->text, "; ");
    }
}

/* Items of a list inside a cell become clauses; outside they are items. */
static void close_item(reader *r)
{
    if (r->in_cell)
        pp_buf_append_text(&r->text, "; ");
    else
        end_block(r, "- ");
}

static void close_block(reader *r, const tag *t)
{
    static const struct {
        const char *name, *before;
    } rows[] = {
        {"p", ""},          {"h2", "## "}, {"h3", "### "}, {"summary", ""},
        {"figcaption", ""}, {"div", ""},   {"dd", "- "},   {"h1", "# "},
    };

    if (strcmp(t->name, "dt") == 0)
        pp_buf_append_text(&r->text, ": ");
    for (size_t i = 0; !r->in_cell && i < PP_COUNT_OF(rows); i++) {
        if (strcmp(t->name, rows[i].name) == 0)
            end_block(r, rows[i].before);
    }
}

static void close_tag(reader *r, const tag *t)
{
    if (is_tag(t, hidden_names)) {
        r->hidden--;
    } else if (strcmp(t->name, "caption") == 0) {
        r->in_cell = false;
        end_block(r, "");
    } else if (strcmp(t->name, "td") == 0 || strcmp(t->name, "th") == 0) {
        end_cell(r);
    } else if (strcmp(t->name, "tr") == 0) {
        end_row(r);
    } else if (strcmp(t->name, "table") == 0) {
        r->in_table = false;
        pp_buf_append_char(r->out, '\n');
    } else if (strcmp(t->name, "pre") == 0) {
        end_verbatim(r);
    } else if (strcmp(t->name, "li") == 0) {
        close_item(r);
    } else {
        close_block(r, t);
    }
}

/* At '<'. */
static tag take_tag(reader *r)
{
    tag t = {0};
    const char *end = memchr(r->at, '>', (size_t)(r->end - r->at));
    size_t size = 0;

    PP_ASSERT(end != NULL); /* our own markup */
    r->at++;
    t.closes = *r->at == '/';
    r->at += t.closes;
    while (r->at + size < end && strchr(" />\n", r->at[size]) == NULL && size + 1 < sizeof t.name) {
        t.name[size] = r->at[size];
        size++;
    }
    t.attributes = (pp_text){r->at + size, (size_t)(end - r->at) - size};
    t.is_whole = end[-1] == '/';
    r->at = end + 1;
    return t;
}

static void read_page(reader *r)
{
    while (r->at < r->end) {
        tag t;

        if (*r->at != '<') {
            read_text(r);
            continue;
        }
        t = take_tag(r);
        if (t.closes)
            close_tag(r, &t);
        else if (r->hidden == 0 || is_tag(&t, hidden_names))
            open_tag(r, &t);
    }
}

/* ---- the page -------------------------------------------------------------------------------- */

static pp_status convert(pp_arena *arena, const pp_buf *page, pp_buf *out, pp_error *err)
{
    reader r = {.arena = arena, .out = out};
    pp_status st;

    pp_buf_init(&r.text, PP_REPORT_MAX_BYTES);
    r.at = pp_buf_text(page);
    r.end = r.at + page->size;
    read_page(&r);
    st = pp_buf_check(&r.text, "a block of the page", err);
    pp_buf_done(&r.text);
    if (st == PP_OK)
        st = pp_arena_check(arena, err);
    return st == PP_OK ? pp_buf_check(out, "the page", err) : st;
}

pp_status pp_report_markdown(pp_arena *arena, const pp_report_input *input, pp_buf *out,
                             pp_error *err)
{
    pp_buf page;
    pp_status st;

    pp_buf_init(&page, PP_REPORT_MAX_BYTES);
    st = pp_page_put_body(arena, input, &page, err);
    if (st == PP_OK)
        st = convert(arena, &page, out, err);
    pp_buf_done(&page);
    return pp_wrap(err, st, "writing the report");
}
