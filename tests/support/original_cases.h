/* original_cases.h - the recorded runs of the original, line by line, read in place. */
#ifndef PP_TESTS_ORIGINAL_CASES_H
#define PP_TESTS_ORIGINAL_CASES_H

#include "json/json.h"

/** One case; the arena and everything in it ends after the call. */
typedef void original_case_fn(pp_arena *arena, const char *id, const pp_json *row, void *context);

/**
 * Call `each` for every line of a file below "original/cases"; ".gz" is unpacked. Skips the running
 * test where the file is absent. Returns the number of lines.
 */
size_t original_cases_each(const char *name, original_case_fn *each, void *context);

/** Parse one input of a case; fails as pp_json_parse. The case must hold it as text or bytes. */
PP_MUST_CHECK pp_status original_case_parse(pp_arena *arena, const pp_json *row, const char *input,
                                            pp_text *ret_bytes, const pp_json **ret_root,
                                            pp_error *err);

/* What our refusal says where the original's has this code; one of the texts will do. */
typedef struct original_class {
    const char *code;
    const char *says[4];
} original_class;

/** Fail the running test unless `text`, our refusal, is one of the class `code`. */
void original_class_check(const original_class *classes, size_t n_classes, const char *id,
                          const char *code, const char *text);

#endif
