#include <stdint.h>

#include "intake/bench_compare.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The settings with the switch set the other way; NULL when they have none. */
static const pp_json *other_settings(pp_arena *arena, const pp_json *settings)
{
    const pp_json *build = pp_json_find(settings, "build");
    const pp_json *value = pp_json_find(build, "kleidiai");
    pp_json *out = pp_json_new_object(arena);
    pp_json *other_build = pp_json_new_object(arena);

    if (value == NULL || value->kind != PP_JSON_BOOL)
        return NULL;
    for (size_t i = 0; i < build->object.count; i++) {
        const pp_json_member *member = &build->object.members[i];

        if (member->value != value)
            pp_json_set_text_key(arena, other_build, member->key, member->value);
    }
    pp_json_set_bool(arena, other_build, "kleidiai", !value->boolean);
    for (size_t i = 0; i < settings->object.count; i++) {
        const pp_json_member *member = &settings->object.members[i];

        pp_json_set_text_key(arena, out, member->key,
                             member->value == build ? other_build : member->value);
    }
    return out;
}

/* A summary never compares with itself, because the switch cannot be both; with its twin that
 * differs in the switch alone it does, and nothing has changed. */
static void compare(pp_arena *arena, const pp_bench_variant *variant)
{
    pp_bench_variant twin = *variant;
    const pp_bench_variant *generic = variant, *kleidiai = &twin;
    pp_error err = {0};
    pp_json *document;

    PP_ASSERT(pp_bench_compare(arena, variant, "", variant, "", &document, &err) != PP_OK);
    PP_ASSERT(err.text[0] != '\0');
    twin.settings = other_settings(arena, variant->settings);
    if (twin.settings == NULL)
        return;
    if (pp_json_find(pp_json_find(variant->settings, "build"), "kleidiai")->boolean) {
        generic = &twin;
        kleidiai = variant;
    }
    PP_ASSERT(pp_bench_compare(arena, generic, "", kleidiai, "", &document, &err) == PP_OK);
    for (size_t i = 0; i < pp_json_find(document, "tests")->object.count; i++) {
        const pp_json *test = pp_json_find(document, "tests")->object.members[i].value;

        PP_ASSERT(pp_json_find(test, "median_throughput_speedup")->real == 1.0);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    pp_arena arena = {0};
    pp_error err = {0};
    const pp_json *root;
    pp_bench_variant variant;

    if (pp_json_parse(&arena, "fuzz", (const char *)data, size, &root, &err) == PP_OK &&
        pp_bench_variant_decode(root, &variant, &err) == PP_OK)
        compare(&arena, &variant);
    else
        PP_ASSERT(err.text[0] != '\0');
    pp_arena_done(&arena);
    return 0;
}
