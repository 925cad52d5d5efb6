#include "model/settings.h"

#include <string.h>

typedef struct integer_row {
    const char *key;
    size_t offset;
    int64_t min, max;
} integer_row;

static const integer_row integers[] = {
    {"threads", offsetof(pp_settings, threads), 1, 4096},
    {"threads_batch", offsetof(pp_settings, threads_batch), 1, 4096},
    {"batch_size", offsetof(pp_settings, batch_size), 1, 1048576},
    {"ubatch_size", offsetof(pp_settings, ubatch_size), 1, 1048576},
    {"context_size", offsetof(pp_settings, context_size), 1, 16777216},
    {"parallel", offsetof(pp_settings, parallel), 1, 1024},
    {"poll", offsetof(pp_settings, poll), 0, 100},
};

typedef struct word_row {
    const char *key;
    size_t offset;
    const char *words[16]; /* NULL at the end */
} word_row;

#define CACHE_TYPES                                                                                \
    {                                                                                              \
        "f32", "f16", "bf16", "q8_0", "q4_0", "q4_1", "iq4_nl", "q5_0", "q5_1", NULL               \
    }

static const word_row words[] = {
    {"cache_type_k", offsetof(pp_settings, cache_type_k), CACHE_TYPES},
    {"cache_type_v", offsetof(pp_settings, cache_type_v), CACHE_TYPES},
    {"flash_attention", offsetof(pp_settings, flash_attention), {"on", "off", "auto", NULL}},
    {"load_mode",
     offsetof(pp_settings, load_mode),
     {"auto", "none", "mmap", "mlock", "mmap+mlock", "dio", NULL}},
};

static const char *const all_keys[] = {
    "threads", "threads_batch", "batch_size",   "ubatch_size",     "context_size", "parallel",
    "poll",    "cache_type_k",  "cache_type_v", "flash_attention", "load_mode",    "repack",
};

/* The value that holds for `key`; fails when neither document has it. */
static pp_status pick(const pp_json *base, const pp_json *override, const char *key,
                      const pp_json **ret_value, pp_error *err)
{
    *ret_value = pp_json_find(override, key);
    return *ret_value != NULL ? PP_OK : pp_json_require(base, key, ret_value, err);
}

static pp_status fail_word(const pp_json *value, const word_row *row, pp_error *err)
{
    pp_buf known;
    pp_status st;

    pp_buf_init(&known, 256);
    for (size_t i = 0; row->words[i] != NULL; i++)
        pp_buf_printf(&known, "%s%s", i == 0 ? "" : ", ", row->words[i]);
    st = pp_json_fail(value, err, "expected one of %s, got '%s'", pp_buf_text(&known),
                      value->text.data);
    pp_buf_done(&known);
    return st;
}

static pp_status decode_word(const pp_json *value, const word_row *row, pp_text *ret_text,
                             pp_error *err)
{
    pp_status st = pp_json_get_text(value, ret_text, err);

    for (size_t i = 0; st == PP_OK && row->words[i] != NULL; i++) {
        if (pp_text_is(*ret_text, row->words[i]))
            return PP_OK;
    }
    return st == PP_OK ? fail_word(value, row, err) : st;
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
            st = pp_json_get_int(value, integers[i].min, integers[i].max,
                                 (int64_t *)(void *)(fields + integers[i].offset), err);
    }
    for (size_t i = 0; st == PP_OK && i < PP_COUNT_OF(words); i++) {
        st = pick(base, override, words[i].key, &value, err);
        if (st == PP_OK)
            st = decode_word(value, &words[i], (pp_text *)(void *)(fields + words[i].offset), err);
    }
    if (st == PP_OK)
        st = pick(base, override, "repack", &value, err);
    return st == PP_OK ? pp_json_get_bool(value, &settings->repack, err) : st;
}

pp_status pp_settings_decode(const pp_json *base, const pp_json *override,
                             pp_settings *ret_settings, pp_error *err)
{
    pp_settings settings = {0};
    pp_status st = pp_json_only_keys(base, all_keys, PP_COUNT_OF(all_keys), err);

    if (st == PP_OK && override != NULL)
        st = pp_json_only_keys(override, all_keys, PP_COUNT_OF(all_keys), err);
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
