#include "model/settings.h"

#include <stddef.h>

#include "model/tables.h"

typedef struct setting_row {
    const char *key;
    size_t offset;
} setting_row;

static const setting_row integers[] = {
    {"threads", offsetof(pp_settings, threads)},
    {"threads_batch", offsetof(pp_settings, threads_batch)},
    {"batch_size", offsetof(pp_settings, batch_size)},
    {"ubatch_size", offsetof(pp_settings, ubatch_size)},
    {"context_size", offsetof(pp_settings, context_size)},
    {"parallel", offsetof(pp_settings, parallel)},
    {"poll", offsetof(pp_settings, poll)},
};

static const setting_row words[] = {
    {"cache_type_k", offsetof(pp_settings, cache_type_k)},
    {"cache_type_v", offsetof(pp_settings, cache_type_v)},
    {"flash_attention", offsetof(pp_settings, flash_attention)},
    {"load_mode", offsetof(pp_settings, load_mode)},
};

/* The value that holds for `key`; fails when neither document has it. */
static pp_status pick(const pp_json *base, const pp_json *override, const char *key,
                      const pp_json **ret_value, pp_error *err)
{
    *ret_value = pp_json_find(override, key);
    return *ret_value != NULL ? PP_OK : pp_json_require(base, key, ret_value, err);
}

static pp_status decode_fields(const pp_json *base, const pp_json *override, pp_settings *settings,
                               pp_error *err)
{
    unsigned char *fields = (unsigned char *)settings;
    const pp_json *value;
    pp_status st = PP_OK;

    for (size_t i = 0; st == PP_OK && i < PP_COUNT_OF(integers); i++) {
        st = pick(base, override, integers[i].key, &value, err);
        if (st == PP_OK)
            *(int64_t *)(void *)(fields + integers[i].offset) = value->integer;
    }
    for (size_t i = 0; st == PP_OK && i < PP_COUNT_OF(words); i++) {
        st = pick(base, override, words[i].key, &value, err);
        if (st == PP_OK)
            *(pp_text *)(void *)(fields + words[i].offset) = value->text;
    }
    if (st == PP_OK)
        st = pick(base, override, "repack", &value, err);
    if (st == PP_OK)
        settings->repack = value->boolean;
    return st;
}

pp_status pp_settings_decode(const pp_json *base, const pp_json *override,
                             pp_settings *ret_settings, pp_error *err)
{
    static const pp_field_type part = {
        .kind = PP_FIELD_OBJECT, .fields = &pp_settings_fields, .all_optional = true};
    pp_settings settings = {0};
    pp_status st = pp_field_check(base, &part, err);

    if (st == PP_OK && override != NULL)
        st = pp_field_check(override, &part, err);
    if (st == PP_OK)
        st = decode_fields(base, override, &settings, err);
    if (st == PP_OK && settings.ubatch_size > settings.batch_size)
        st = pp_json_fail(override != NULL ? override : base, err,
                          "ubatch_size %lld: expected at most batch_size %lld",
                          (long long)settings.ubatch_size, (long long)settings.batch_size);
    if (st == PP_OK && settings.context_size % settings.parallel != 0)
        st = pp_json_fail(override != NULL ? override : base, err,
                          "context_size %lld: expected a multiple of parallel %lld, because each "
                          "slot gets an equal share",
                          (long long)settings.context_size, (long long)settings.parallel);
    if (st == PP_OK)
        *ret_settings = settings;
    return st;
}

pp_json *pp_settings_encode(pp_arena *arena, const pp_settings *settings)
{
    const unsigned char *fields = (const unsigned char *)settings;
    pp_json *object = pp_json_new_object(arena);

    for (size_t i = 0; i < PP_COUNT_OF(integers); i++)
        pp_json_set_int(arena, object, integers[i].key,
                        *(const int64_t *)(const void *)(fields + integers[i].offset));
    for (size_t i = 0; i < PP_COUNT_OF(words); i++)
        pp_json_set_text(arena, object, words[i].key,
                         *(const pp_text *)(const void *)(fields + words[i].offset));
    pp_json_set_bool(arena, object, "repack", settings->repack);
    return object;
}
