/* From tables to JSON Schema, draft 2020-12. */
#include <math.h>

#include "model/document_kinds.h"

typedef struct schema_writer {
    pp_arena *arena;
    pp_json *definitions; /* name -> schema, of every table but the root's */
} schema_writer;

static pp_json *schema_of(schema_writer *w, const pp_field_type *type);
static pp_json *schema_of_fields(schema_writer *w, const pp_fields *fields, bool all_optional);

static void set_strings(schema_writer *w, pp_json *schema, const char *key, const char *a,
                        const char *b)
{
    pp_json *list = pp_json_new_array(w->arena);

    pp_json_add(w->arena, list, pp_json_new_string(w->arena, a));
    pp_json_add(w->arena, list, pp_json_new_string(w->arena, b));
    pp_json_set(w->arena, schema, key, list);
}

static pp_json *typed(schema_writer *w, const char *name, bool nullable)
{
    pp_json *schema = pp_json_new_object(w->arena);

    if (nullable)
        set_strings(w, schema, "type", name, "null");
    else
        pp_json_set_string(w->arena, schema, "type", name);
    return schema;
}

static pp_json *schema_of_text(schema_writer *w, const pp_field_type *type)
{
    pp_json *schema = typed(w, "string", type->nullable);
    const char *pattern = pp_text_form_pattern(type->form);

    if (pattern != NULL)
        pp_json_set_string(w->arena, schema, "pattern", pattern);
    if (type->max_characters > 0)
        pp_json_set_int(w->arena, schema, "maxLength", (int64_t)type->max_characters);
    return schema;
}

static pp_json *schema_of_words(schema_writer *w, const pp_field_type *type)
{
    pp_json *schema = pp_json_new_object(w->arena);
    pp_json *words = pp_json_new_array(w->arena);

    if (type->words[1] == NULL && !type->nullable) {
        pp_json_set_string(w->arena, schema, "const", type->words[0]);
        return schema;
    }
    for (size_t i = 0; type->words[i] != NULL; i++)
        pp_json_add(w->arena, words, pp_json_new_string(w->arena, type->words[i]));
    if (type->nullable)
        pp_json_add(w->arena, words, pp_json_new_null(w->arena));
    pp_json_set(w->arena, schema, "enum", words);
    return schema;
}

static pp_json *schema_of_int(schema_writer *w, const pp_field_type *type)
{
    pp_json *schema = typed(w, "integer", type->nullable);

    if (type->min_int != INT64_MIN)
        pp_json_set_int(w->arena, schema, "minimum", type->min_int);
    if (type->max_int != INT64_MAX)
        pp_json_set_int(w->arena, schema, "maximum", type->max_int);
    return schema;
}

static pp_json *bound(schema_writer *w, double value)
{
    return value == floor(value) && fabs(value) < 1e15 ? pp_json_new_int(w->arena, (int64_t)value)
                                                       : pp_json_new_real(w->arena, value);
}

static pp_json *schema_of_number(schema_writer *w, const pp_field_type *type)
{
    pp_json *schema = typed(w, "number", type->nullable);

    if (isfinite(type->min))
        pp_json_set(w->arena, schema, type->above_min ? "exclusiveMinimum" : "minimum",
                    bound(w, type->min));
    if (isfinite(type->max))
        pp_json_set(w->arena, schema, "maximum", bound(w, type->max));
    return schema;
}

static void set_counts(schema_writer *w, pp_json *schema, const pp_field_type *type,
                       const char *min_key, const char *max_key)
{
    if (type->min_count > 0)
        pp_json_set_int(w->arena, schema, min_key, (int64_t)type->min_count);
    if (type->max_count > 0)
        pp_json_set_int(w->arena, schema, max_key, (int64_t)type->max_count);
}

static pp_json *schema_of_list(schema_writer *w, const pp_field_type *type)
{
    pp_json *schema = typed(w, "array", type->nullable);

    pp_json_set(w->arena, schema, "items", schema_of(w, type->item));
    set_counts(w, schema, type, "minItems", "maxItems");
    return schema;
}

static pp_json *schema_of_map(schema_writer *w, const pp_field_type *type)
{
    pp_json *schema = typed(w, "object", type->nullable);
    pp_json *names = pp_json_new_object(w->arena);

    pp_json_set_int(w->arena, names, "minLength", 1);
    pp_json_set(w->arena, schema, "propertyNames", names);
    pp_json_set(w->arena, schema, "additionalProperties", schema_of(w, type->item));
    set_counts(w, schema, type, "minProperties", "maxProperties");
    return schema;
}

/* ---- objects ----------------------------------------------------------------------------------
 */

/* Tables stand once each in $defs, whoever uses them. */
static pp_json *reference(schema_writer *w, const pp_fields *fields, bool all_optional)
{
    const char *name = pp_arena_printf(w->arena, "%s%s", fields->name, all_optional ? "-part" : "");
    pp_json *schema = pp_json_new_object(w->arena);

    if (name == NULL)
        return NULL;
    if (pp_json_find(w->definitions, name) == NULL)
        pp_json_set(w->arena, w->definitions, name, schema_of_fields(w, fields, all_optional));
    pp_json_set_string(w->arena, schema, "$ref", pp_arena_printf(w->arena, "#/$defs/%s", name));
    return schema;
}

static pp_json *null_or(schema_writer *w, const char *key, pp_json *alternatives, bool nullable)
{
    pp_json *schema = pp_json_new_object(w->arena);

    if (nullable)
        pp_json_add(w->arena, alternatives, typed(w, "null", false));
    pp_json_set(w->arena, schema, key, alternatives);
    return schema;
}

static pp_json *schema_of_object(schema_writer *w, const pp_field_type *type)
{
    pp_json *alternatives;

    if (type->fields == NULL)
        return typed(w, "object", type->nullable);
    if (!type->nullable)
        return reference(w, type->fields, type->all_optional);
    alternatives = pp_json_new_array(w->arena);
    pp_json_add(w->arena, alternatives, reference(w, type->fields, type->all_optional));
    return null_or(w, "anyOf", alternatives, true);
}

static pp_json *schema_of_choice(schema_writer *w, const pp_field_type *type)
{
    pp_json *alternatives = pp_json_new_array(w->arena);

    for (size_t i = 0; type->choices[i].fields != NULL; i++)
        pp_json_add(w->arena, alternatives, reference(w, type->choices[i].fields, false));
    return null_or(w, "oneOf", alternatives, type->nullable);
}

static pp_json *schema_of(schema_writer *w, const pp_field_type *type)
{
    switch (type->kind) {
    case PP_FIELD_ANY:
        break;
    case PP_FIELD_TEXT:
        return schema_of_text(w, type);
    case PP_FIELD_WORD:
        return schema_of_words(w, type);
    case PP_FIELD_INTEGER:
        return schema_of_int(w, type);
    case PP_FIELD_NUMBER:
        return schema_of_number(w, type);
    case PP_FIELD_BOOL:
        return typed(w, "boolean", type->nullable);
    case PP_FIELD_OBJECT:
        return schema_of_object(w, type);
    case PP_FIELD_CHOICE:
        return schema_of_choice(w, type);
    case PP_FIELD_LIST:
        return schema_of_list(w, type);
    case PP_FIELD_MAP:
        return schema_of_map(w, type);
    }
    return pp_json_new_object(w->arena);
}

static pp_json *schema_of_row(schema_writer *w, const pp_field *row)
{
    pp_json *schema = schema_of(w, &row->type);
    const char *unit = pp_field_unit(row);
    const pp_json *standard = NULL;

    pp_json_set_string(w->arena, schema, "description",
                       unit == NULL ? row->help
                                    : pp_arena_printf(w->arena, "%s (%s)", row->help, unit));
    if (row->standard == NULL)
        return schema;
    if (pp_json_parse(w->arena, row->key, row->standard, pp_text_of(row->standard).size, &standard,
                      NULL) == PP_OK)
        pp_json_set(w->arena, schema, "default", standard);
    return schema;
}

/* properties, required and additionalProperties of a table, put into a schema */
static void put_members(schema_writer *w, pp_json *schema, const pp_fields *fields,
                        bool all_optional)
{
    pp_json *properties = pp_json_new_object(w->arena);
    pp_json *required = pp_json_new_array(w->arena);

    for (size_t i = 0; i < fields->row_count; i++) {
        const pp_field *row = &fields->rows[i];

        pp_json_set(w->arena, properties, row->key, schema_of_row(w, row));
        if (!row->optional && !all_optional)
            pp_json_add(w->arena, required, pp_json_new_string(w->arena, row->key));
    }
    pp_json_set_string(w->arena, schema, "type", "object");
    pp_json_set(w->arena, schema, "properties", properties);
    pp_json_set(w->arena, schema, "required", required);
    pp_json_set_bool(w->arena, schema, "additionalProperties", fields->open);
}

static pp_json *schema_of_fields(schema_writer *w, const pp_fields *fields, bool all_optional)
{
    pp_json *schema = pp_json_new_object(w->arena);

    pp_json_set_string(w->arena, schema, "description", fields->help);
    put_members(w, schema, fields, all_optional);
    return schema;
}

pp_json *pp_document_schema(pp_arena *arena, const pp_document_kind *kind)
{
    schema_writer w = {arena, pp_json_new_object(arena)};
    pp_json *schema;

    if (kind->root.kind == PP_FIELD_OBJECT) {
        schema = pp_json_new_object(arena);
        put_members(&w, schema, kind->root.fields, kind->root.all_optional);
    } else {
        schema = schema_of(&w, &kind->root);
    }
    pp_json_set_string(arena, schema, "$schema", "https://json-schema.org/draft/2020-12/schema");
    pp_json_set_string(arena, schema, "title", kind->title);
    pp_json_set_string(
        arena, schema, "description",
        pp_arena_printf(arena, "%s, schema %s: %s", kind->name, kind->versions, kind->origin));
    if (w.definitions != NULL && w.definitions->object.count > 0)
        pp_json_set(arena, schema, "$defs", w.definitions);
    return schema;
}
