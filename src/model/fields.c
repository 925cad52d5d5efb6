#include "model/fields.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static pp_status check(const pp_json *value, const pp_field_type *type, bool *ret_misfit,
                       pp_error *err);

/* ---- texts ------------------------------------------------------------------------------------
 */

/* What pp_text_is_blank calls white space, for a character class. */
#define BLANKS                                                                                     \
    "\\u0009-\\u000d\\u001c-\\u0020\\u0085\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f"      \
    "\\u205f\\u3000"

static const struct {
    const char *name;
    const char *pattern;
    const char *expected;
} forms[PP_TEXT_FORM_COUNT] = {
    [PP_TEXT_ANY] = {"any text", NULL, NULL},
    [PP_TEXT_FILLED] = {"text", "[^" BLANKS "]", NULL},
    [PP_TEXT_PATH] = {"path", "^[^\\u0000]*[^\\u0000" BLANKS "][^\\u0000]*$", NULL},
    [PP_TEXT_SHA256] = {"SHA-256", "^[0-9a-f]{64}$", "64 lower-case hexadecimal digits"},
    [PP_TEXT_FILE_ID] = {"id that names a file", "^[a-z0-9_][a-z0-9._-]{0,63}$",
                         "1 to 64 of a-z, 0-9, '.', '_' and '-', beginning with a letter, a digit "
                         "or '_'"},
    [PP_TEXT_PROFILE_ID] = {"id of a profile", "^[a-z0-9][a-z0-9-]{0,63}$",
                            "1 to 64 of a-z, 0-9 and '-', beginning with a letter or a digit"},
};

const char *pp_text_form_pattern(pp_text_form form)
{
    return forms[form].pattern;
}

const char *pp_text_form_name(pp_text_form form)
{
    return forms[form].name;
}

static bool is_sha256(pp_text text)
{
    return text.size == 64 && strspn(text.data, "0123456789abcdef") == 64;
}

static bool is_file_id(pp_text text)
{
    return text.size >= 1 && text.size <= 64 && text.data[0] != '.' && text.data[0] != '-' &&
           strspn(text.data, "abcdefghijklmnopqrstuvwxyz0123456789._-") == text.size;
}

static bool is_profile_id(pp_text text)
{
    return text.size >= 1 && text.size <= 64 && text.data[0] != '-' &&
           strspn(text.data, "abcdefghijklmnopqrstuvwxyz0123456789-") == text.size;
}

static pp_status check_form(const pp_json *value, pp_text_form form, pp_error *err)
{
    pp_text text = value->text;
    bool fits = true;

    if (form == PP_TEXT_FILLED || form == PP_TEXT_PATH) {
        pp_status st = pp_json_get_filled_text(value, &text, err);

        if (st != PP_OK)
            return st;
    }
    if (form == PP_TEXT_PATH && memchr(text.data, '\0', text.size) != NULL)
        return pp_json_fail(value, err, "a path cannot hold a NUL");
    if (form == PP_TEXT_SHA256)
        fits = is_sha256(text);
    if (form == PP_TEXT_FILE_ID)
        fits = is_file_id(text);
    if (form == PP_TEXT_PROFILE_ID)
        fits = is_profile_id(text);
    if (!fits)
        return pp_json_fail(value, err, "expected %s, got \"%.80s\"", forms[form].expected,
                            text.data);
    return PP_OK;
}

static pp_status check_text(const pp_json *value, const pp_field_type *type, pp_error *err)
{
    size_t count;

    if (type->max_characters == 0)
        return check_form(value, type->form, err);
    count = pp_text_character_count(value->text);
    if (count > type->max_characters)
        return pp_json_fail(value, err, "expected at most %zu characters, got %zu",
                            type->max_characters, count);
    return check_form(value, type->form, err);
}

static size_t count_words(const char *const *words)
{
    size_t count = 0;

    while (words[count] != NULL)
        count++;
    return count;
}

static pp_status check_word(const pp_json *value, const char *const *words, pp_error *err)
{
    size_t count = count_words(words);
    pp_buf known;
    pp_status st;

    for (size_t i = 0; i < count; i++) {
        if (pp_text_is(value->text, words[i]))
            return PP_OK;
    }
    pp_buf_init(&known, 1024);
    for (size_t i = 0; i < count; i++)
        pp_buf_printf(&known, "%s\"%s\"", i == 0 ? "" : count == 2 ? " or " : ", ", words[i]);
    st = pp_json_fail(value, err, "expected %s%s, got \"%.80s\"", count > 2 ? "one of " : "",
                      pp_buf_text(&known), value->text.data);
    pp_buf_done(&known);
    return st;
}

/* ---- numbers ----------------------------------------------------------------------------------
 */

static pp_status check_int(const pp_json *value, const pp_field_type *type, pp_error *err)
{
    if (value->integer >= type->min_int && value->integer <= type->max_int)
        return PP_OK;
    if (type->max_int == INT64_MAX)
        return pp_json_fail(value, err, "expected an integer of at least %lld, got %lld",
                            (long long)type->min_int, (long long)value->integer);
    return pp_json_fail(value, err, "expected an integer from %lld to %lld, got %lld",
                        (long long)type->min_int, (long long)type->max_int,
                        (long long)value->integer);
}

static pp_status check_number(const pp_json *value, const pp_field_type *type, pp_error *err)
{
    double number = pp_checked_real(value);
    bool high_enough = type->above_min ? number > type->min : number >= type->min;

    if (high_enough && number <= type->max)
        return PP_OK;
    if (isinf(type->max))
        return pp_json_fail(value, err, "expected %s %g, got %g",
                            type->above_min ? "more than" : "at least", type->min, number);
    if (type->above_min)
        return pp_json_fail(value, err, "expected more than %g and at most %g, got %g", type->min,
                            type->max, number);
    return pp_json_fail(value, err, "expected %g to %g, got %g", type->min, type->max, number);
}

/* ---- containers -------------------------------------------------------------------------------
 */

static pp_status check_count(const pp_json *value, const pp_field_type *type, size_t count,
                             pp_error *err)
{
    if (count >= type->min_count && (type->max_count == 0 || count <= type->max_count))
        return PP_OK;
    if (type->max_count == 0)
        return pp_json_fail(value, err, "expected at least %zu, got %s", type->min_count,
                            count == 0 ? "none" : "fewer");
    if (type->min_count == type->max_count)
        return pp_json_fail(value, err, "expected %zu items, got %zu", type->min_count, count);
    return pp_json_fail(value, err, "expected %zu to %zu items, got %zu", type->min_count,
                        type->max_count, count);
}

static pp_status check_list(const pp_json *value, const pp_field_type *type, pp_error *err)
{
    pp_status st = check_count(value, type, value->array.count, err);

    for (size_t i = 0; st == PP_OK && i < value->array.count; i++)
        st = pp_field_check(value->array.items[i], type->item, err);
    return st;
}

static pp_status check_map(const pp_json *value, const pp_field_type *type, pp_error *err)
{
    pp_status st = check_count(value, type, value->object.count, err);

    for (size_t i = 0; st == PP_OK && i < value->object.count; i++) {
        const pp_json_member *member = &value->object.members[i];

        if (member->key.size == 0)
            return pp_json_fail(member->value, err, "expected a name, got \"\"");
        st = pp_field_check(member->value, type->item, err);
    }
    return st;
}

/* ---- objects ----------------------------------------------------------------------------------
 */

static pp_status refuse_unknown(const pp_json *object, const pp_fields *fields, pp_error *err)
{
    const char *keys[128];

    PP_ASSERT(fields->row_count <= PP_COUNT_OF(keys));
    for (size_t i = 0; i < fields->row_count; i++)
        keys[i] = fields->rows[i].key;
    return pp_json_only_keys(object, keys, fields->row_count, err);
}

static size_t count_known(const pp_json *object, const pp_fields *fields)
{
    size_t count = 0;

    for (size_t i = 0; i < fields->row_count; i++)
        count += pp_json_find(object, fields->rows[i].key) != NULL;
    return count;
}

/* A document of another kind is told so before its members are called unknown. */
static pp_status check_identity(const pp_json *object, const pp_fields *fields, pp_error *err)
{
    for (size_t i = 0; i < fields->row_count; i++) {
        const pp_field *row = &fields->rows[i];
        const pp_json *member;
        pp_status st;

        if (strcmp(row->key, "document") != 0 || row->optional)
            continue;
        st = pp_json_require(object, row->key, &member, err);
        return st == PP_OK ? pp_field_check(member, &row->type, err) : st;
    }
    return PP_OK;
}

static pp_status check_members(const pp_json *object, const pp_fields *fields, bool all_optional,
                               pp_error *err)
{
    pp_status st = check_identity(object, fields, err);

    if (st != PP_OK)
        return st;
    if (!fields->open && count_known(object, fields) != object->object.count)
        return refuse_unknown(object, fields, err);
    for (size_t i = 0; st == PP_OK && i < fields->row_count; i++) {
        const pp_field *row = &fields->rows[i];
        const pp_json *member = pp_json_find(object, row->key);

        if (member != NULL)
            st = pp_field_check(member, &row->type, err);
        else if (!row->optional && !all_optional)
            st = pp_json_fail(object, err, "required key '%s' is missing", row->key);
    }
    return st;
}

static bool choice_fits(const pp_field_choice *choice, const pp_json *object)
{
    const pp_json *member = pp_json_find(object, choice->key);

    if (choice->word == NULL)
        return member == NULL;
    return member != NULL && member->kind == PP_JSON_STRING &&
           pp_text_is(member->text, choice->word);
}

const pp_fields *pp_field_choice_of(const pp_field_choice *choices, const pp_json *object)
{
    while (choices[1].fields != NULL && !choice_fits(choices, object))
        choices++;
    return choices->fields;
}

static pp_status fail_choice(const pp_json *member, const pp_field_choice *choices, pp_error *err)
{
    bool may_be_absent = false;
    pp_buf known;
    pp_status st;

    pp_buf_init(&known, 1024);
    for (size_t i = 0; choices[i].fields != NULL; i++) {
        if (choices[i].word != NULL)
            pp_buf_printf(&known, "%s\"%s\"", known.size == 0 ? "" : " or ", choices[i].word);
        may_be_absent = may_be_absent || choices[i].word == NULL;
    }
    if (may_be_absent)
        pp_buf_append_text(&known, " or no such member");
    st = pp_json_fail(member, err, "expected %s, got \"%.80s\"", pp_buf_text(&known),
                      member->text.data);
    pp_buf_done(&known);
    return st;
}

static pp_status check_choice(const pp_json *object, const pp_field_choice *choices, pp_error *err)
{
    const pp_json *member = pp_json_find(object, choices->key);
    bool fits = false;

    for (size_t i = 0; choices[i].fields != NULL && !fits; i++)
        fits = choice_fits(&choices[i], object);
    if (!fits && member != NULL && member->kind == PP_JSON_STRING)
        return fail_choice(member, choices, err);
    return check_members(object, pp_field_choice_of(choices, object), false, err);
}

/* ---- any value --------------------------------------------------------------------------------
 */

static const char *expected_kind(pp_field_kind kind)
{
    switch (kind) {
    case PP_FIELD_TEXT:
    case PP_FIELD_WORD:
        return "a string";
    case PP_FIELD_INTEGER:
        return "an integer";
    case PP_FIELD_NUMBER:
        return "a number";
    case PP_FIELD_BOOL:
        return "true or false";
    case PP_FIELD_LIST:
        return "array";
    case PP_FIELD_OBJECT:
    case PP_FIELD_CHOICE:
    case PP_FIELD_MAP:
        return "object";
    case PP_FIELD_ANY:
        break;
    }
    return "anything";
}

/* ret_misfit: the value is of another kind, which the caller reports. */
static pp_status check(const pp_json *value, const pp_field_type *type, bool *ret_misfit,
                       pp_error *err)
{
    pp_json_kind kind = value->kind;

    switch (type->kind) {
    case PP_FIELD_ANY:
        return PP_OK;
    case PP_FIELD_TEXT:
        *ret_misfit = kind != PP_JSON_STRING;
        return *ret_misfit ? PP_OK : check_text(value, type, err);
    case PP_FIELD_WORD:
        *ret_misfit = kind != PP_JSON_STRING;
        return *ret_misfit ? PP_OK : check_word(value, type->words, err);
    case PP_FIELD_INTEGER:
        *ret_misfit = kind != PP_JSON_INTEGER;
        return *ret_misfit ? PP_OK : check_int(value, type, err);
    case PP_FIELD_NUMBER:
        *ret_misfit = kind != PP_JSON_INTEGER && kind != PP_JSON_REAL;
        return *ret_misfit ? PP_OK : check_number(value, type, err);
    case PP_FIELD_BOOL:
        *ret_misfit = kind != PP_JSON_BOOL;
        return PP_OK;
    case PP_FIELD_LIST:
        *ret_misfit = kind != PP_JSON_ARRAY;
        return *ret_misfit ? PP_OK : check_list(value, type, err);
    case PP_FIELD_OBJECT:
        *ret_misfit = kind != PP_JSON_OBJECT;
        return *ret_misfit || type->fields == NULL
                   ? PP_OK
                   : check_members(value, type->fields, type->all_optional, err);
    case PP_FIELD_CHOICE:
        *ret_misfit = kind != PP_JSON_OBJECT;
        return *ret_misfit ? PP_OK : check_choice(value, type->choices, err);
    case PP_FIELD_MAP:
        *ret_misfit = kind != PP_JSON_OBJECT;
        return *ret_misfit ? PP_OK : check_map(value, type, err);
    }
    return PP_OK;
}

pp_status pp_field_check(const pp_json *value, const pp_field_type *type, pp_error *err)
{
    bool misfit = false;
    pp_status st;

    if (type->nullable && value->kind == PP_JSON_NULL)
        return PP_OK;
    st = check(value, type, &misfit, err);
    if (!misfit)
        return st;
    return pp_json_fail(value, err, "expected %s%s, got %s", expected_kind(type->kind),
                        type->nullable ? " or null" : "", pp_json_kind_name(value));
}

pp_status pp_fields_check(const pp_json *value, const pp_fields *fields, pp_error *err)
{
    const pp_field_type type = {.kind = PP_FIELD_OBJECT, .fields = fields};

    return pp_field_check(value, &type, err);
}

/* ---- units ------------------------------------------------------------------------------------
 */

static bool ends_with(const char *text, const char *suffix)
{
    size_t size = strlen(text);
    size_t suffix_size = strlen(suffix);

    return size > suffix_size && strcmp(text + size - suffix_size, suffix) == 0;
}

/* The unit may be followed by a statistic: "client_lag_ns_p99". */
static bool has_unit(const char *key, const char *unit)
{
    static const char *const statistics[] = {"",     "_p50",  "_p95",  "_p99",   "_min",
                                             "_max", "_mean", "_peak", "_median"};

    for (size_t i = 0; i < PP_COUNT_OF(statistics); i++) {
        char suffix[32];

        (void)snprintf(suffix, sizeof suffix, "_%s%s", unit, statistics[i]);
        if (ends_with(key, suffix))
            return true;
    }
    return false;
}

const char *pp_field_unit(const pp_field *row)
{
    static const struct {
        const char *suffix, *unit;
    } units[] = {
        {"bytes", "bytes"}, {"ns", "ns"},           {"us", "µs"},           {"ms", "ms"},
        {"khz", "kHz"},     {"percent", "percent"}, {"seconds", "seconds"}, {"cores", "cores"},
    };

    if (row->type.unit != NULL)
        return row->type.unit;
    if (row->type.kind != PP_FIELD_INTEGER && row->type.kind != PP_FIELD_NUMBER)
        return NULL;
    for (size_t i = 0; i < PP_COUNT_OF(units); i++) {
        if (has_unit(row->key, units[i].suffix))
            return units[i].unit;
    }
    return NULL;
}

/* ---- reading what was checked -----------------------------------------------------------------
 */

static const pp_json *checked(const pp_json *object, const char *key, pp_json_kind kind)
{
    const pp_json *value = pp_json_find(object, key);

    PP_ASSERT(value != NULL && value->kind == kind);
    return value;
}

double pp_checked_real(const pp_json *value)
{
    PP_ASSERT(value->kind == PP_JSON_INTEGER || value->kind == PP_JSON_REAL);
    return value->kind == PP_JSON_INTEGER ? (double)value->integer : value->real;
}

pp_text pp_checked_text(const pp_json *object, const char *key)
{
    return checked(object, key, PP_JSON_STRING)->text;
}

int64_t pp_checked_int(const pp_json *object, const char *key)
{
    return checked(object, key, PP_JSON_INTEGER)->integer;
}

double pp_checked_number(const pp_json *object, const char *key)
{
    const pp_json *value = pp_json_find(object, key);

    PP_ASSERT(value != NULL);
    return pp_checked_real(value);
}

bool pp_checked_bool(const pp_json *object, const char *key)
{
    return checked(object, key, PP_JSON_BOOL)->boolean;
}

const pp_json *pp_checked_object(const pp_json *object, const char *key)
{
    return checked(object, key, PP_JSON_OBJECT);
}

const pp_json *pp_checked_list(const pp_json *object, const char *key)
{
    return checked(object, key, PP_JSON_ARRAY);
}
