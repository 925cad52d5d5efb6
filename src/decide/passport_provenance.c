/* What the metadata of a set says about machine, run, sources, runtime, model and suite. */
#include "decide/passport_parts.h"

#include <stdio.h>
#include <string.h>

typedef enum value_form {
    FORM_TEXT,
    FORM_ARCHITECTURE, /* folded, the spellings of Arm64 as one */
    FORM_COUNT,        /* a whole number above 0, written as an integer */
    FORM_IDENTIFIER,   /* text, or an integer from 0 on, which becomes text */
    FORM_SHA256
} value_form;

#define RECOGNIZED_ARCHITECTURE "arm64"

/* Rows of a section stand together; their order is that of the issues. */
static const struct {
    const char *section;
    const char *key;
    const char *path; /* below metadata */
    value_form form;
    bool silent; /* its absence is no issue */
} rows[] = {
    {"runner", "architecture", "source.runner.architecture", FORM_ARCHITECTURE, false},
    {"runner", "reported_architecture", "source.runner.architecture", FORM_TEXT, true},
    {"runner", "cpu", "source.runner.cpu", FORM_TEXT, false},
    {"runner", "os", "source.runner.os", FORM_TEXT, false},
    {"runner", "cpu_count", "source.runner.cpu_count", FORM_COUNT, false},
    {"run", "id", "source.run_id", FORM_IDENTIFIER, false},
    {"run", "attempt", "source.run_attempt", FORM_COUNT, false},
    {"source", "repository", "source.repository", FORM_TEXT, false},
    {"source", "revision", "source.revision", FORM_TEXT, false},
    {"source", "workflow", "source.workflow", FORM_TEXT, false},
    {"runtime", "name", "runtime.name", FORM_TEXT, false},
    {"runtime", "repository", "runtime.repository", FORM_TEXT, false},
    {"runtime", "revision", "runtime.revision", FORM_TEXT, false},
    {"model", "name", "model_family.name", FORM_TEXT, false},
    {"model", "repository", "model_family.repository", FORM_TEXT, false},
    {"model", "revision", "model_family.revision", FORM_TEXT, false},
    {"evaluation_suite", "id", "evaluation_suite.id", FORM_TEXT, false},
    {"evaluation_suite", "sha256", "evaluation_suite.sha256", FORM_SHA256, false},
};

/* ---- values ---------------------------------------------------------------------------------- */

/* "a.b.c": where something on the way is no object, nothing is there. */
static const pp_json *find_at(const pp_json *object, const char *path)
{
    while (object != NULL && *path != '\0') {
        char key[32];
        size_t size = strcspn(path, ".");

        PP_ASSERT(size < sizeof key);
        memcpy(key, path, size);
        key[size] = '\0';
        object = pp_json_find(object, key);
        path += size + (path[size] == '.');
    }
    return object;
}

/* Text without outer white space; empty when the value is none. */
static pp_text text_of(const pp_json *value)
{
    if (value == NULL || value->kind != PP_JSON_STRING)
        return (pp_text){"", 0};
    return pp_text_strip(value->text);
}

static pp_text architecture_of(pp_arena *arena, const pp_json *value)
{
    pp_text folded = pp_text_fold_case(arena, text_of(value));

    if (pp_text_is(folded, "aarch64"))
        return pp_text_of(RECOGNIZED_ARCHITECTURE);
    return folded;
}

static pp_text sha256_of(pp_arena *arena, const pp_json *value)
{
    pp_text text = text_of(value);
    char *lower;

    if (text.size != 64)
        return (pp_text){"", 0};
    lower = pp_arena_dup(arena, text.data, text.size);
    for (size_t i = 0; lower != NULL && i < text.size; i++) {
        if (lower[i] >= 'A' && lower[i] <= 'F')
            lower[i] = (char)(lower[i] - 'A' + 'a');
    }
    if (lower == NULL || strspn(lower, "0123456789abcdef") != text.size)
        return (pp_text){"", 0};
    return (pp_text){lower, text.size};
}

static pp_json *text_or_null(pp_arena *arena, pp_text text)
{
    return text.size == 0 ? pp_json_new_null(arena) : pp_json_new_text(arena, text);
}

static pp_json *value_of(pp_arena *arena, value_form form, const pp_json *value)
{
    bool is_integer = value != NULL && value->kind == PP_JSON_INTEGER;

    switch (form) {
    case FORM_TEXT:
        break;
    case FORM_ARCHITECTURE:
        return text_or_null(arena, architecture_of(arena, value));
    case FORM_COUNT:
        if (is_integer && value->integer > 0)
            return pp_json_new_int(arena, value->integer);
        return pp_json_new_null(arena);
    case FORM_IDENTIFIER:
        if (is_integer && value->integer >= 0)
            return pp_json_new_string(arena,
                                      pp_arena_printf(arena, "%lld", (long long)value->integer));
        break;
    case FORM_SHA256:
        return text_or_null(arena, sha256_of(arena, value));
    }
    return text_or_null(arena, text_of(value));
}

/* ---- issues ---------------------------------------------------------------------------------- */

static void add_issue(pp_arena *arena, pp_json *issues, const char *text)
{
    pp_json_add(arena, issues, pp_json_new_string(arena, text));
}

static void judge(pp_arena *arena, size_t row, const pp_json *value, pp_json *issues)
{
    if (rows[row].silent || value == NULL)
        return;
    if (value->kind == PP_JSON_NULL)
        add_issue(arena, issues,
                  pp_arena_printf(arena, "metadata.%s is missing or invalid", rows[row].path));
    else if (rows[row].form == FORM_ARCHITECTURE &&
             !pp_text_is(value->text, RECOGNIZED_ARCHITECTURE))
        add_issue(
            arena, issues,
            pp_arena_printf(arena, "metadata.%s is not a recognized Arm64 name", rows[row].path));
}

static void judge_origin(pp_arena *arena, const pp_benchmark_set *set, pp_json *issues)
{
    if (set->origin != PP_ORIGIN_MEASURED && set->origin != PP_ORIGIN_UNKNOWN)
        add_issue(arena, issues,
                  pp_arena_printf(arena, "the figures are not measured: their origin is %s",
                                  pp_origin_name(set->origin)));
    else if (!pp_benchmark_set_is_measured(set))
        add_issue(arena, issues, "the set says that its figures are synthetic");
}

/* Sets that were made here carry what was found on the machine; it must say the same. */
static void judge_host(pp_arena *arena, const pp_json *metadata, const pp_json *provenance,
                       pp_json *issues)
{
    const pp_json *host = find_at(metadata, "host.architecture");
    const pp_json *runner = find_at(provenance, "runner.architecture");
    pp_text found = architecture_of(arena, host);

    if (found.size > 0 && runner != NULL && runner->kind == PP_JSON_STRING &&
        !pp_text_equal(found, runner->text))
        add_issue(arena, issues,
                  "metadata.source.runner.architecture contradicts metadata.host.architecture");
}

/* ---- the section ----------------------------------------------------------------------------- */

static void put_rows(pp_arena *arena, const pp_json *metadata, pp_json *out, pp_json *issues)
{
    pp_json *section = NULL;

    for (size_t i = 0; i < PP_COUNT_OF(rows); i++) {
        pp_json *value = value_of(arena, rows[i].form, find_at(metadata, rows[i].path));

        if (i == 0 || strcmp(rows[i].section, rows[i - 1].section) != 0) {
            section = pp_json_new_object(arena);
            pp_json_set(arena, out, rows[i].section, section);
        }
        pp_json_set(arena, section, rows[i].key, value);
        judge(arena, i, value, issues);
    }
}

pp_json *pp_passport_provenance(pp_arena *arena, const pp_benchmark_set *set, pp_grade *ret_grade)
{
    bool synthetic = !pp_benchmark_set_is_measured(set);
    pp_json *out = pp_json_new_object(arena);
    pp_json *issues = pp_json_new_array(arena);
    bool complete;

    if (synthetic)
        judge_origin(arena, set, issues);
    put_rows(arena, set->metadata, out, issues);
    judge_host(arena, set->metadata, out, issues);
    complete = issues != NULL && issues->array.count == 0;
    pp_json_set(arena, out, "classification",
                text_or_null(arena, text_of(find_at(set->metadata, "classification"))));
    pp_json_set_bool(arena, out, "attribution_complete", complete);
    pp_json_set(arena, out, "issues", issues);
    pp_json_set_string(arena, out, "verification_scope",
                       "The grade says that the metadata is present and well formed. Whether it "
                       "is true was not checked: no source, run or machine was contacted.");
    *ret_grade = synthetic  ? PP_GRADE_SYNTHETIC
                 : complete ? PP_GRADE_ARM64_ATTRIBUTED
                            : PP_GRADE_MEASURED_UNATTRIBUTED;
    return out;
}
