/* The tables themselves, what their checks say, and how documents are recognised. What the tables
 * accept and refuse is compared with an independent validator by tests/support/schemas.py. */
#include <string.h>

#include "base/files.h"
#include "model/document_kinds.h"
#include "model/origin.h"
#include "model/sample.h"
#include "model/tables.h"
#include "shared.h"

static const pp_json *parse(pp_arena *arena, const char *text)
{
    const pp_json *root;
    pp_error err = {0};

    assert_ok(pp_json_parse(arena, "text", text, strlen(text), &root, &err), err);
    return root;
}

/* ---- sentences --------------------------------------------------------------------------------
 */

static const char *const three_words[] = {"a", "b", "c", NULL};
static const char *const two_words[] = {"a", "b", NULL};
static const char *const one_word[] = {"a", NULL};
static const pp_field_type text_type = {.kind = PP_FIELD_TEXT};
static const pp_field inner_rows[] = {
    {.key = "x", .help = "x", .type = {.kind = PP_FIELD_INTEGER, .min_int = -2, .max_int = 7}},
    {.key = "y", .help = "y", .type = {.kind = PP_FIELD_BOOL}, .optional = true},
};
static const pp_fields inner = {
    .name = "inner", .help = "inner", .rows = inner_rows, .row_count = 2};
static const pp_fields open_inner = {
    .name = "open", .help = "open", .rows = inner_rows, .row_count = 2, .open = true};
static const pp_field document_rows[] = {
    {.key = "x", .help = "x", .type = {.kind = PP_FIELD_BOOL}},
    {.key = "document", .help = "what", .type = {.kind = PP_FIELD_WORD, .words = one_word}},
};
static const pp_fields document = {
    .name = "document", .help = "document", .rows = document_rows, .row_count = 2};
static const pp_field_choice choices[] = {{"v", "1", &inner}, {"v", NULL, &open_inner}, {0}};

static const struct {
    const char *name;
    pp_field_type type;
    const char *text;
    const char *want; /* NULL: accepted */
} rows[] = {
    {"anything", {.kind = PP_FIELD_ANY}, "[null]", NULL},
    {"empty text", {.kind = PP_FIELD_TEXT}, "\"\"", NULL},
    {"text of another kind", {.kind = PP_FIELD_TEXT}, "7", "$: expected a string, got integer"},
    {"nothing where text must be", {.kind = PP_FIELD_TEXT}, "null", "expected a string, got null"},
    {"null where it may be", {.kind = PP_FIELD_TEXT, .nullable = true}, "null", NULL},
    {"a misfit where null may be",
     {.kind = PP_FIELD_TEXT, .nullable = true},
     "true",
     "$: expected a string or null, got boolean"},
    {"no-break space alone",
     {.kind = PP_FIELD_TEXT, .form = PP_TEXT_FILLED},
     "\"\\u00a0\"",
     "expected text, got only white space"},
    {"path with a NUL",
     {.kind = PP_FIELD_TEXT, .form = PP_TEXT_PATH},
     "\"a\\u0000b\"",
     "a path cannot hold a NUL"},
    {"digest in capitals",
     {.kind = PP_FIELD_TEXT, .form = PP_TEXT_SHA256},
     "\"AB\"",
     "expected 64 lower-case hexadecimal digits, got \"AB\""},
    {"id that leaves its folder",
     {.kind = PP_FIELD_TEXT, .form = PP_TEXT_FILE_ID},
     "\"../b\"",
     "expected 1 to 64 of a-z"},
    {"id with a NUL",
     {.kind = PP_FIELD_TEXT, .form = PP_TEXT_FILE_ID},
     "\"b\\u0000\"",
     "expected 1 to 64 of a-z"},
    {"one word", {.kind = PP_FIELD_WORD, .words = one_word}, "\"x\"", "expected \"a\", got \"x\""},
    {"two words",
     {.kind = PP_FIELD_WORD, .words = two_words},
     "\"x\"",
     "expected \"a\" or \"b\", got \"x\""},
    {"three words",
     {.kind = PP_FIELD_WORD, .words = three_words},
     "\"x\"",
     "expected one of \"a\", \"b\", \"c\", got \"x\""},
    {"word with a NUL behind it",
     {.kind = PP_FIELD_WORD, .words = one_word},
     "\"a\\u0000\"",
     "expected \"a\""},
    {"real where an integer must be",
     {.kind = PP_FIELD_INTEGER, .max_int = INT64_MAX},
     "4.0",
     "expected an integer, got number"},
    {"integer at its bound", {.kind = PP_FIELD_INTEGER, .min_int = 1, .max_int = 4}, "4", NULL},
    {"integer above",
     {.kind = PP_FIELD_INTEGER, .min_int = 1, .max_int = 4},
     "5",
     "expected an integer from 1 to 4, got 5"},
    {"integer below",
     {.kind = PP_FIELD_INTEGER, .min_int = 1, .max_int = INT64_MAX},
     "0",
     "expected an integer of at least 1, got 0"},
    {"largest integer",
     {.kind = PP_FIELD_INTEGER, .min_int = 0, .max_int = INT64_MAX},
     "9223372036854775807",
     NULL},
    {"boolean is no number",
     {.kind = PP_FIELD_NUMBER, .max = 1},
     "true",
     "expected a number, got boolean"},
    {"number at its bound", {.kind = PP_FIELD_NUMBER, .max = 1}, "1", NULL},
    {"number above", {.kind = PP_FIELD_NUMBER, .max = 1}, "1.4", "expected 0 to 1, got 1.4"},
    {"lower bound that does not count",
     {.kind = PP_FIELD_NUMBER, .max = 1, .above_min = true},
     "0",
     "expected more than 0 and at most 1, got 0"},
    {"list too short",
     {.kind = PP_FIELD_LIST, .item = &text_type, .min_count = 1},
     "[]",
     "expected at least 1, got none"},
    {"list too long",
     {.kind = PP_FIELD_LIST, .item = &text_type, .max_count = 1},
     "[\"a\",\"b\"]",
     "expected 0 to 1 items, got 2"},
    {"wrong item",
     {.kind = PP_FIELD_LIST, .item = &text_type},
     "[\"a\",1]",
     "$[1]: expected a string, got integer"},
    {"map without a name",
     {.kind = PP_FIELD_MAP, .item = &text_type},
     "{\"\":\"a\"}",
     "expected a name, got \"\""},
    {"wrong value in a map",
     {.kind = PP_FIELD_MAP, .item = &text_type},
     "{\"k\":1}",
     "$.k: expected a string, got integer"},
    {"any object", {.kind = PP_FIELD_OBJECT}, "{\"\":1}", NULL},
    {"missing member",
     {.kind = PP_FIELD_OBJECT, .fields = &inner},
     "{\"y\":true}",
     "$: required key 'x' is missing"},
    {"missing member of a part",
     {.kind = PP_FIELD_OBJECT, .fields = &inner, .all_optional = true},
     "{}",
     NULL},
    {"unknown before missing",
     {.kind = PP_FIELD_OBJECT, .fields = &inner},
     "{\"X\":1,\"a\":1}",
     "$: unknown key 'X', 'a'; expected only: x, y"},
    {"unknown where it may be",
     {.kind = PP_FIELD_OBJECT, .fields = &open_inner},
     "{\"x\":7,\"a\":1}",
     NULL},
    {"wrong member",
     {.kind = PP_FIELD_OBJECT, .fields = &inner},
     "{\"x\":8}",
     "$.x: expected an integer from -2 to 7, got 8"},
    {"another document before its unknown keys",
     {.kind = PP_FIELD_OBJECT, .fields = &document},
     "{\"y\":1,\"document\":\"b\"}",
     "$.document: expected \"a\", got \"b\""},
    {"no document before its unknown keys",
     {.kind = PP_FIELD_OBJECT, .fields = &document},
     "{\"y\":1}",
     "$: required key 'document' is missing"},
    {"choice by absence", {.kind = PP_FIELD_CHOICE, .choices = choices}, "{\"x\":7,\"a\":1}", NULL},
    {"choice by word",
     {.kind = PP_FIELD_CHOICE, .choices = choices},
     "{\"v\":\"1\",\"x\":1}",
     "$: unknown key 'v'; expected only: x, y"},
    {"choice nobody offers",
     {.kind = PP_FIELD_CHOICE, .choices = choices},
     "{\"v\":\"3\"}",
     "$.v: expected \"1\" or no such member, got \"3\""},
    {"choice of another kind",
     {.kind = PP_FIELD_CHOICE, .choices = choices},
     "[]",
     "$: expected object, got array"},
};

static void a_refusal_says_where_what_was_expected_and_what_was_found(void **state)
{
    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(rows); i++) {
        pp_arena arena = {0};
        pp_error err = {0};
        pp_status st = pp_field_check(parse(&arena, rows[i].text), &rows[i].type, &err);

        if (st == PP_OK && rows[i].want != NULL)
            fail_msg("%s: accepted", rows[i].name);
        if (st != PP_OK && rows[i].want == NULL)
            fail_msg("%s: %s", rows[i].name, err.text);
        if (rows[i].want != NULL && strstr(err.text, rows[i].want) == NULL)
            fail_msg("%s: '%s' does not say '%s'", rows[i].name, err.text, rows[i].want);
        pp_arena_done(&arena);
    }
}

/* ---- tables -----------------------------------------------------------------------------------
 */

#define MAX_TABLES 320

typedef struct census {
    const pp_fields *tables[MAX_TABLES];
    size_t count;
} census;

static void visit_fields(census *c, const pp_fields *fields);

static void visit_type(census *c, const pp_field_type *type, const char *where)
{
    bool complete = true;

    if (type->kind == PP_FIELD_OBJECT && type->fields != NULL)
        visit_fields(c, type->fields);
    if (type->kind == PP_FIELD_WORD)
        complete = type->words != NULL && type->words[0] != NULL;
    if (type->kind == PP_FIELD_INTEGER)
        complete = type->min_int < type->max_int;
    if (type->kind == PP_FIELD_NUMBER)
        complete = type->min < type->max;
    if (type->kind == PP_FIELD_LIST || type->kind == PP_FIELD_MAP)
        complete = type->item != NULL;
    if (type->kind == PP_FIELD_CHOICE)
        complete = type->choices != NULL && type->choices[0].fields != NULL;
    if (!complete)
        fail_msg("%s: a type that nothing can be, or that is not finished", where);
    if (type->kind == PP_FIELD_LIST || type->kind == PP_FIELD_MAP)
        visit_type(c, type->item, where);
    for (size_t i = 0; type->kind == PP_FIELD_CHOICE && type->choices[i].fields != NULL; i++) {
        assert_string_equal(type->choices[i].key, type->choices[0].key);
        visit_fields(c, type->choices[i].fields);
    }
}

static void visit_fields(census *c, const pp_fields *fields)
{
    for (size_t i = 0; i < c->count; i++) {
        if (c->tables[i] == fields)
            return;
        if (strcmp(c->tables[i]->name, fields->name) == 0)
            fail_msg("two tables are called '%s'", fields->name);
    }
    assert_true(c->count < MAX_TABLES);
    c->tables[c->count++] = fields;
    for (size_t i = 0; i < fields->row_count; i++) {
        const pp_field *row = &fields->rows[i];
        char where[128];

        (void)snprintf(where, sizeof where, "%s.%s", fields->name, row->key);
        if (row->help == NULL || row->help[0] == '\0' || strchr(row->help, '|') != NULL ||
            strchr(row->help, '\n') != NULL || row->help[strlen(row->help) - 1] == '.')
            fail_msg("%s: expected one line of help without '|' and full stop", where);
        for (size_t j = 0; j < i; j++) {
            if (strcmp(row->key, fields->rows[j].key) == 0)
                fail_msg("%s: there twice", where);
        }
        visit_type(c, &row->type, where);
        if (row->standard != NULL) {
            pp_arena arena = {0};
            pp_error err = {0};

            assert_true(row->optional);
            if (pp_field_check(parse(&arena, row->standard), &row->type, &err) != PP_OK)
                fail_msg("%s: its default is refused: %s", where, err.text);
            pp_arena_done(&arena);
        }
    }
}

static void tables_are_complete_and_names_are_unique(void **state)
{
    census c = {0};
    size_t count;
    const pp_document_kind *kinds = pp_document_kinds(&count);

    (void)state;
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            assert_true(strcmp(kinds[i - 1].name, kinds[i].name) < 0);
        visit_type(&c, &kinds[i].root, kinds[i].name);
    }
    assert_true(c.count > 40);
}

static const char *const *words_at(const pp_fields *fields, const char *key)
{
    for (size_t i = 0; i < fields->row_count; i++) {
        const pp_field_type *type = &fields->rows[i].type;

        if (strcmp(fields->rows[i].key, key) == 0)
            return type->kind == PP_FIELD_LIST ? type->item->words : type->words;
    }
    fail_msg("%s has no '%s'", fields->name, key);
    return NULL;
}

static const pp_fields *table_at(const pp_fields *fields, const char *key)
{
    for (size_t i = 0; i < fields->row_count; i++) {
        if (strcmp(fields->rows[i].key, key) == 0)
            return fields->rows[i].type.fields;
    }
    fail_msg("%s has no '%s'", fields->name, key);
    return NULL;
}

static void the_words_of_a_sample_are_those_of_its_enums(void **state)
{
    const char *const *flags = words_at(&pp_sample_fields, "flags");
    const char *const *sources = words_at(table_at(&pp_sample_fields, "tokens"), "source");
    const char *const *phases = words_at(&pp_sample_fields, "phase");
    const char *const *failures = words_at(table_at(&pp_sample_fields, "failure"), "class");

    (void)state;
    for (size_t i = 0; i < PP_SAMPLE_FLAG_COUNT; i++)
        assert_string_equal(flags[i], pp_sample_flag_name(i));
    assert_null(flags[PP_SAMPLE_FLAG_COUNT]);
    for (int i = 0; i <= PP_PHASE_MEASURED; i++)
        assert_string_equal(phases[i], pp_phase_name((pp_phase)i));
    assert_null(phases[PP_PHASE_MEASURED + 1]);
    for (int i = 0; i <= PP_TOKEN_SOURCE_EVENTS; i++)
        assert_string_equal(sources[i], pp_token_source_name((pp_token_source)i));
    assert_null(sources[PP_TOKEN_SOURCE_EVENTS + 1]);
    for (int i = 1; i < PP_FAILURE_COUNT; i++)
        assert_string_equal(failures[i - 1], pp_failure_name((pp_failure)i));
    assert_null(failures[PP_FAILURE_COUNT - 1]);
    for (int i = 0; i <= PP_ORIGIN_UNKNOWN; i++)
        assert_string_equal(pp_words_origin[i], pp_origin_name((pp_origin)i));
    assert_null(pp_words_origin[PP_ORIGIN_UNKNOWN + 1]);
}

static void the_unit_follows_from_the_suffix(void **state)
{
    static const struct {
        const char *key;
        pp_field_kind kind;
        const char *unit;
    } keys[] = {
        {"size_bytes", PP_FIELD_INTEGER, "bytes"},
        {"client_lag_ns_p99", PP_FIELD_INTEGER, "ns"},
        {"frequency_now_min_khz", PP_FIELD_INTEGER, "kHz"},
        {"steal_percent", PP_FIELD_NUMBER, "percent"},
        {"foreign_percent_peak", PP_FIELD_NUMBER, "percent"},
        {"run_count", PP_FIELD_INTEGER, NULL},
        {"step_ns", PP_FIELD_OBJECT, NULL},
    };

    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(keys); i++) {
        const pp_field row = {.key = keys[i].key, .type = {.kind = keys[i].kind}};
        const char *unit = pp_field_unit(&row);

        if (unit == NULL ? keys[i].unit != NULL
                         : keys[i].unit == NULL || strcmp(unit, keys[i].unit) != 0)
            fail_msg("%s: %s", keys[i].key, unit == NULL ? "none" : unit);
    }
}

/* ---- recognising ------------------------------------------------------------------------------
 */

static void documents_are_recognised_by_what_they_say_or_by_their_keys(void **state)
{
    static const struct {
        const char *text;
        const char *kind; /* NULL: none of ours */
    } documents[] = {
        {"{\"document\":\"study-plan\"}", "study-plan"},
        {"{\"document\":\"study-plan\",\"schema_version\":\"9\"}", "study-plan"},
        {"{\"document\":\"something-else\",\"status\":1,\"valid_evidence\":1}", NULL},
        {"{\"baseline_id\":\"a\",\"candidates\":[]}", "benchmark-set"},
        {"{\"document\":\"study-plan\",\"baseline_id\":\"a\",\"candidates\":[]}", "study-plan"},
        {"{\"objective\":{},\"frontier_metrics\":{}}", "constraints"},
        {"{\"selected_id\":\"a\",\"deltas_vs_baseline\":{}}", "recommendation"},
        {"{\"document\":\"study-run\"}", "study-run"},
        {"{\"document\":\"study-run\",\"seq\":1,\"event\":\"run\",\"previous_sha256\":null}",
         "journal"},
        {"{\"seq\":1,\"event\":\"run\"}", NULL},
        {"{\"prompt\":\"a\"}", "prompts"},
        {"{\"messages\":[]}", "prompts"},
        {"{\"due_ms\":1,\"prompt\":\"a\"}", "load-trace"},
        {"{\"document\":7}", NULL},
        {"{}", NULL},
        {"[\"document\"]", NULL},
    };

    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(documents); i++) {
        pp_arena arena = {0};
        const pp_document_kind *kind = pp_document_kind_of(parse(&arena, documents[i].text));

        if (kind == NULL ? documents[i].kind != NULL
                         : documents[i].kind == NULL || strcmp(kind->name, documents[i].kind) != 0)
            fail_msg("%s: %s", documents[i].text, kind == NULL ? "none" : kind->name);
        pp_arena_done(&arena);
    }
}

/* A kind is known by its "document", which its own table demands, or by keys that it demands. */
static void every_kind_can_be_recognised(void **state)
{
    size_t count;
    const pp_document_kind *kinds = pp_document_kinds(&count);

    (void)state;
    for (size_t i = 0; i < count; i++) {
        const pp_document_kind *kind = &kinds[i];

        assert_ptr_equal(pp_document_kind_find(kind->name), kind);
        if (kind->signature[0] != NULL)
            continue;
        assert_int_equal(kind->root.kind, PP_FIELD_OBJECT);
        assert_string_equal(words_at(kind->root.fields, "document")[0], kind->name);
    }
    assert_null(pp_document_kind_find("study"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_refusal_says_where_what_was_expected_and_what_was_found),
        cmocka_unit_test(tables_are_complete_and_names_are_unique),
        cmocka_unit_test(the_words_of_a_sample_are_those_of_its_enums),
        cmocka_unit_test(the_unit_follows_from_the_suffix),
        cmocka_unit_test(documents_are_recognised_by_what_they_say_or_by_their_keys),
        cmocka_unit_test(every_kind_can_be_recognised),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
