#include <math.h>
#include <string.h>

#include "json/json.h"
#include "json/value.h"

pp_json *pp_json_new_value(pp_arena *arena, pp_json_kind kind)
{
    pp_json *value = PP_ARENA_NEW(arena, pp_json, 1);

    if (value != NULL)
        value->kind = kind;
    return value;
}

pp_json *pp_json_new_null(pp_arena *arena)
{
    return pp_json_new_value(arena, PP_JSON_NULL);
}

pp_json *pp_json_new_bool(pp_arena *arena, bool boolean)
{
    pp_json *value = pp_json_new_value(arena, PP_JSON_BOOL);

    if (value != NULL)
        value->boolean = boolean;
    return value;
}

pp_json *pp_json_new_int(pp_arena *arena, int64_t integer)
{
    pp_json *value = pp_json_new_value(arena, PP_JSON_INTEGER);

    if (value != NULL)
        value->integer = integer;
    return value;
}

pp_json *pp_json_new_real(pp_arena *arena, double real)
{
    pp_json *value = pp_json_new_value(arena, PP_JSON_REAL);

    if (value != NULL)
        value->real = real;
    return value;
}

pp_json *pp_json_new_finite(pp_arena *arena, double value)
{
    return isfinite(value) ? pp_json_new_real(arena, value) : pp_json_new_null(arena);
}

pp_json *pp_json_new_text(pp_arena *arena, pp_text text)
{
    pp_json *value = pp_json_new_value(arena, PP_JSON_STRING);

    if (value == NULL)
        return NULL;
    value->text = pp_text_dup(arena, text);
    value->broken = value->text.data == NULL;
    return value;
}

pp_json *pp_json_new_string(pp_arena *arena, const char *text)
{
    return text == NULL ? pp_json_new_null(arena) : pp_json_new_text(arena, pp_text_of(text));
}

pp_json *pp_json_new_array(pp_arena *arena)
{
    return pp_json_new_value(arena, PP_JSON_ARRAY);
}

pp_json *pp_json_new_object(pp_arena *arena)
{
    return pp_json_new_value(arena, PP_JSON_OBJECT);
}

/* A larger copy of a list of `item_size` things; NULL when memory is short. */
static void *grown(pp_arena *arena, const void *old, size_t count, size_t capacity,
                   size_t item_size)
{
    void *list = pp_arena_alloc(arena, capacity, item_size);

    if (list != NULL && count > 0)
        memcpy(list, old, count * item_size);
    return list;
}

void pp_json_reserve_items(pp_arena *arena, pp_json *array, size_t count)
{
    size_t capacity = array->array.count + count;
    pp_json **items;

    if (capacity <= array->array.capacity)
        return;
    items = grown(arena, array->array.items, array->array.count, capacity, sizeof *items);
    if (items == NULL) {
        array->broken = true;
        return;
    }
    array->array.items = items;
    array->array.capacity = capacity;
}

void pp_json_reserve_members(pp_arena *arena, pp_json *object, size_t count)
{
    size_t capacity = object->object.count + count;
    pp_json_member *members;

    if (capacity <= object->object.capacity)
        return;
    members = grown(arena, object->object.members, object->object.count, capacity, sizeof *members);
    if (members == NULL) {
        object->broken = true;
        return;
    }
    object->object.members = members;
    object->object.capacity = capacity;
}

void pp_json_add(pp_arena *arena, pp_json *array, const pp_json *value)
{
    pp_json *item = (pp_json *)value; /* only its place is noted, and only when it has none yet */

    if (array == NULL)
        return;
    PP_ASSERT(array->kind == PP_JSON_ARRAY);
    if (array->array.count == array->array.capacity)
        pp_json_reserve_items(arena, array, array->array.count == 0 ? 8 : array->array.count);
    if (item == NULL || item->broken)
        array->broken = true;
    if (item == NULL || array->array.count == array->array.capacity)
        return;
    if (item->parent == NULL) {
        item->parent = array;
        item->index = array->array.count;
    }
    array->array.items[array->array.count++] = item;
}

void pp_json_take_member(pp_arena *arena, pp_json *object, pp_text own_key, const pp_json *value)
{
    pp_json *child = (pp_json *)value; /* as above */

    if (object == NULL)
        return;
    PP_ASSERT(object->kind == PP_JSON_OBJECT);
    if (object->object.count == object->object.capacity)
        pp_json_reserve_members(arena, object,
                                object->object.count == 0 ? 8 : object->object.count);
    if (child == NULL || child->broken || own_key.data == NULL)
        object->broken = true;
    if (child == NULL || own_key.data == NULL || object->object.count == object->object.capacity)
        return;
    if (child->parent == NULL) {
        child->parent = object;
        child->key = own_key;
    }
    object->object.members[object->object.count++] = (pp_json_member){own_key, child};
}

void pp_json_append_member(pp_arena *arena, pp_json *object, pp_text key, const pp_json *value)
{
    pp_json_take_member(arena, object, pp_text_dup(arena, key), value);
}

void pp_json_set_text_key(pp_arena *arena, pp_json *object, pp_text key, const pp_json *value)
{
    pp_json_append_member(arena, object, key, value);
}

void pp_json_set(pp_arena *arena, pp_json *object, const char *key, const pp_json *value)
{
    PP_ASSERT(pp_json_find(object, key) == NULL);
    pp_json_append_member(arena, object, pp_text_of(key), value);
}

void pp_json_set_bool(pp_arena *arena, pp_json *object, const char *key, bool value)
{
    pp_json_set(arena, object, key, pp_json_new_bool(arena, value));
}

void pp_json_set_int(pp_arena *arena, pp_json *object, const char *key, int64_t value)
{
    pp_json_set(arena, object, key, pp_json_new_int(arena, value));
}

void pp_json_set_real(pp_arena *arena, pp_json *object, const char *key, double value)
{
    pp_json_set(arena, object, key, pp_json_new_real(arena, value));
}

void pp_json_set_string(pp_arena *arena, pp_json *object, const char *key, const char *value)
{
    pp_json_set(arena, object, key, pp_json_new_string(arena, value));
}

void pp_json_set_text(pp_arena *arena, pp_json *object, const char *key, pp_text value)
{
    pp_json_set(arena, object, key, pp_json_new_text(arena, value));
}

void pp_json_set_null(pp_arena *arena, pp_json *object, const char *key)
{
    pp_json_set(arena, object, key, pp_json_new_null(arena));
}

void pp_json_set_maybe_bool(pp_arena *arena, pp_json *object, const char *key, pp_maybe_bool value)
{
    pp_json_set(arena, object, key,
                value.known ? pp_json_new_bool(arena, value.value) : pp_json_new_null(arena));
}

void pp_json_set_maybe_int(pp_arena *arena, pp_json *object, const char *key, pp_maybe_int value)
{
    pp_json_set(arena, object, key,
                value.known ? pp_json_new_int(arena, value.value) : pp_json_new_null(arena));
}

void pp_json_set_maybe_real(pp_arena *arena, pp_json *object, const char *key, pp_maybe_real value)
{
    pp_json_set(arena, object, key,
                value.known ? pp_json_new_real(arena, value.value) : pp_json_new_null(arena));
}

void pp_json_set_maybe_text(pp_arena *arena, pp_json *object, const char *key, pp_text value)
{
    pp_json_set(arena, object, key,
                value.size > 0 ? pp_json_new_text(arena, value) : pp_json_new_null(arena));
}

static bool objects_equal(const pp_json *a, const pp_json *b)
{
    if (a->object.count != b->object.count)
        return false;
    for (size_t i = 0; i < a->object.count; i++) {
        const pp_json_member *member = &a->object.members[i];

        if (!pp_json_equal(member->value, pp_json_find_text(b, member->key)))
            return false;
    }
    return true;
}

bool pp_json_equal(const pp_json *a, const pp_json *b)
{
    if (a == NULL || b == NULL || a->kind != b->kind)
        return a == b;
    switch (a->kind) {
    case PP_JSON_NULL:
        return true;
    case PP_JSON_BOOL:
        return a->boolean == b->boolean;
    case PP_JSON_INTEGER:
        return a->integer == b->integer;
    case PP_JSON_REAL:
        return a->real == b->real;
    case PP_JSON_STRING:
        return pp_text_equal(a->text, b->text);
    case PP_JSON_ARRAY:
        if (a->array.count != b->array.count)
            return false;
        for (size_t i = 0; i < a->array.count; i++) {
            if (!pp_json_equal(a->array.items[i], b->array.items[i]))
                return false;
        }
        return true;
    case PP_JSON_OBJECT:
        return objects_equal(a, b);
    }
    return false;
}
