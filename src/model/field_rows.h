/* field_rows.h - for the files that hold tables of fields only: short names for rows and types.
 *
 *     static const pp_field run_rows[] = {
 *         MEMBER("pass", "number of the pass", INT(1, INT64_MAX)),
 *         MEMBER("failure", "why it failed", TEXT, OR_NULL),
 *         OPTION("label", "for people", NULL, FILLED),
 *     };
 *     const pp_fields pp_run_fields = FIELDS("run", "one run", run_rows);
 */
#ifndef PP_MODEL_FIELD_ROWS_H
#define PP_MODEL_FIELD_ROWS_H

#include <math.h>

#include "model/fields.h"

#define MEMBER(name, meaning, ...)                                                                 \
    {                                                                                              \
        .key = (name), .help = (meaning), .type = { __VA_ARGS__ }                                  \
    }
/* `otherwise` is the JSON text of what an absent one counts as, or NULL. */
#define OPTION(name, meaning, otherwise, ...)                                                      \
    {                                                                                              \
        .key = (name), .help = (meaning), .optional = true, .standard = (otherwise), .type = {     \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }
#define FIELDS(fields_name, meaning, table)                                                        \
    {                                                                                              \
        .name = (fields_name), .help = (meaning), .rows = (table), .row_count = PP_COUNT_OF(table) \
    }
#define FIELDS_AT(fields_name, meaning, table, home)                                               \
    {                                                                                              \
        .name = (fields_name), .help = (meaning), .rows = (table),                                 \
        .row_count = PP_COUNT_OF(table), .page = (home)                                            \
    }

#define ANY         .kind = PP_FIELD_ANY
#define TEXT        .kind = PP_FIELD_TEXT
#define FILLED      .kind = PP_FIELD_TEXT, .form = PP_TEXT_FILLED
#define PATH        .kind = PP_FIELD_TEXT, .form = PP_TEXT_PATH
#define SHA256      .kind = PP_FIELD_TEXT, .form = PP_TEXT_SHA256
#define FILE_ID     .kind = PP_FIELD_TEXT, .form = PP_TEXT_FILE_ID
#define PROFILE_ID  .kind = PP_FIELD_TEXT, .form = PP_TEXT_PROFILE_ID
#define WORDS(list) .kind = PP_FIELD_WORD, .words = (list)
#define BOOL        .kind = PP_FIELD_BOOL
#define FREE        .kind = PP_FIELD_OBJECT
#define OBJECT(of)  .kind = PP_FIELD_OBJECT, .fields = &(of)
#define CHOICE(of)  .kind = PP_FIELD_CHOICE, .choices = (of)
#define LIST(of)    .kind = PP_FIELD_LIST, .item = &(of)
#define MAP(of)     .kind = PP_FIELD_MAP, .item = &(of)

#define INT(low, high)    .kind = PP_FIELD_INTEGER, .min_int = (low), .max_int = (high)
#define COUNT             INT(0, INT64_MAX)
#define NUMBER(low, high) .kind = PP_FIELD_NUMBER, .min = (low), .max = (high)
#define REAL              NUMBER(-INFINITY, INFINITY)
#define POSITIVE_REAL     NUMBER(0, INFINITY) /* 0 too */

#define OR_NULL               .nullable = true
#define UNIT(word)            .unit = (word)
#define ITEMS(least, most)    .min_count = (least), .max_count = (most)
#define MAX_CHARACTERS(most)  .max_characters = (most)
#define AT_LEAST_ONE          .min_count = 1
#define WORD(variable, text_) static const char *const variable[] = {text_, NULL}

#endif
