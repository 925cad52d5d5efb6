/* lookup.h - reading the free content of a document (metadata, parameters) without demanding
 * anything: what is absent or of another kind is absent. */
#ifndef PP_REPORT_LOOKUP_H
#define PP_REPORT_LOOKUP_H

#include "json/json.h"

/** Member that is an object, else NULL. NULL objects are fine here and below. */
const pp_json *pp_lookup_object(const pp_json *object, const char *key);
const pp_json *pp_lookup_array(const pp_json *object, const char *key);

/** Member that is a filled text. */
bool pp_lookup_text(const pp_json *object, const char *key, pp_text *ret_text);

/** Member that is a finite number. */
bool pp_lookup_number(const pp_json *object, const char *key, double *ret_value);

/** Number of items of an array, 0 for NULL. */
size_t pp_lookup_count(const pp_json *array);

#endif
