#include "report/view.h"

/* The host document is shown as it is, one row for each leaf, because a reader who compares two
 * machines wants all of it. "memory.total_bytes" reads "memory / total bytes". */
typedef struct place {
    const struct place *outer;
    pp_text key;
} place;

#define MAX_DEPTH 6

static void put_words(const pp_view *v, pp_text key)
{
    for (size_t start = 0, at = 0; at <= key.size; at++) {
        if (at < key.size && key.data[at] != '_')
            continue;
        pp_put(v, start > 0 ? " " : "");
        pp_put_text(v, (pp_text){key.data + start, at - start});
        start = at + 1;
    }
}

static void put_place(const pp_view *v, const place *where)
{
    if (where->outer != NULL) {
        put_place(v, where->outer);
        pp_put(v, " / ");
    }
    put_words(v, where->key);
}

static bool ends_in_bytes(pp_text key)
{
    return pp_text_equal(pp_text_of(pp_report_unit(key)), pp_text_of(" bytes"));
}

static void put_leaf(const pp_view *v, pp_text key, const pp_json *value)
{
    double number = value->kind == PP_JSON_INTEGER ? (double)value->integer
                    : value->kind == PP_JSON_REAL  ? value->real
                                                   : 0.0;

    switch (value->kind) {
    case PP_JSON_BOOL:
        pp_put(v, value->boolean ? "yes" : "no");
        return;
    case PP_JSON_STRING:
        pp_put_text(v, value->text);
        return;
    case PP_JSON_INTEGER:
    case PP_JSON_REAL:
        if (ends_in_bytes(key) && number >= 1048576.0) {
            char text[PP_FIGURE_TEXT_MAX];

            pp_put_string(v, pp_figure_fixed(number / 1048576.0, 1, text));
            pp_put(v, " MiB");
            return;
        }
        pp_put_value(v, key, &number);
        return;
    case PP_JSON_NULL:
    case PP_JSON_ARRAY:
    case PP_JSON_OBJECT:
        pp_put(v, "<span class=\"absent\">not recorded</span>");
        return;
    }
}

static bool is_plain_list(const pp_json *value)
{
    for (size_t i = 0; i < value->array.count; i++) {
        pp_json_kind kind = value->array.items[i]->kind;

        if (kind == PP_JSON_ARRAY || kind == PP_JSON_OBJECT)
            return false;
    }
    return true;
}

static void put_plain_list(const pp_view *v, pp_text key, const pp_json *list)
{
    if (list->array.count == 0)
        pp_put(v, "none");
    for (size_t i = 0; i < list->array.count; i++) {
        pp_put(v, i > 0 ? ", " : "");
        put_leaf(v, key, list->array.items[i]);
    }
}

static void put_tree(const pp_view *v, const pp_json *value, const place *where, int depth)
{
    if (depth > MAX_DEPTH)
        return;
    if (value->kind == PP_JSON_OBJECT) {
        for (size_t i = 0; i < value->object.count; i++) {
            place inner = {where, value->object.members[i].key};

            put_tree(v, value->object.members[i].value, &inner, depth + 1);
        }
        return;
    }
    if (value->kind == PP_JSON_ARRAY && !is_plain_list(value)) {
        for (size_t i = 0; i < value->array.count; i++)
            put_tree(v, value->array.items[i], where, depth + 1);
        return;
    }
    if (where == NULL)
        return;
    pp_put(v, "<tr><th scope=\"row\">");
    put_place(v, where);
    pp_put(v, "</th><td>");
    if (value->kind == PP_JSON_ARRAY)
        put_plain_list(v, where->key, value);
    else
        put_leaf(v, where->key, value);
    pp_put_row_close(v);
}

static void put_object(const pp_view *v, const pp_json *object, const char *caption)
{
    if (object == NULL) {
        pp_put(v, "<p>");
        pp_put(v, caption);
        pp_put(v, ": <span class=\"absent\">not recorded</span></p>\n");
        return;
    }
    pp_put_table_open(v, caption, "facts-table");
    pp_put(v, "<tbody>\n");
    put_tree(v, object, NULL, 0);
    pp_put(v, "</tbody>\n");
    pp_put_table_close(v);
}

void pp_section_machine(const pp_view *v)
{
    const pp_json *source = pp_lookup_object(v->metadata, "source");
    const pp_json *host = pp_lookup_object(v->metadata, "host");
    const pp_json *runner = pp_lookup_object(source, "runner");

    pp_put_section_open(v, "machine", "Machine and runtime");
    if (runner != NULL || host == NULL)
        put_object(v, runner, "Machine");
    put_object(v, pp_lookup_object(v->metadata, "runtime"), "Runtime");
    if (host != NULL) {
        pp_put(v, "<details><summary>Everything that was read about the machine</summary>\n");
        put_object(v, host, "Host");
        pp_put(v, "</details>\n");
    }
    pp_put_section_close(v);
}
