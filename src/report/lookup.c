#include "report/lookup.h"

#include <math.h>

static const pp_json *find_kind(const pp_json *object, const char *key, pp_json_kind kind)
{
    const pp_json *value = object == NULL ? NULL : pp_json_find(object, key);

    return value != NULL && value->kind == kind ? value : NULL;
}

const pp_json *pp_lookup_object(const pp_json *object, const char *key)
{
    return find_kind(object, key, PP_JSON_OBJECT);
}

const pp_json *pp_lookup_array(const pp_json *object, const char *key)
{
    return find_kind(object, key, PP_JSON_ARRAY);
}

bool pp_lookup_text(const pp_json *object, const char *key, pp_text *ret_text)
{
    const pp_json *value = find_kind(object, key, PP_JSON_STRING);

    if (value == NULL || pp_text_is_blank(value->text))
        return false;
    *ret_text = value->text;
    return true;
}

bool pp_lookup_number(const pp_json *object, const char *key, double *ret_value)
{
    const pp_json *value = object == NULL ? NULL : pp_json_find(object, key);

    if (value == NULL || (value->kind != PP_JSON_INTEGER && value->kind != PP_JSON_REAL))
        return false;
    *ret_value = value->kind == PP_JSON_INTEGER ? (double)value->integer : value->real;
    return isfinite(*ret_value);
}

size_t pp_lookup_count(const pp_json *array)
{
    return array == NULL ? 0 : array->array.count;
}
