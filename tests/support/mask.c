#include "mask.h"

#include <string.h>

#include "digest/sha256.h"
#include "shared.h"

static pp_json *mask_texts(pp_arena *arena, const pp_json *rejected)
{
    pp_json *out = pp_json_new_object(arena);

    for (size_t i = 0; i < rejected->object.count; i++) {
        pp_json *texts = pp_json_new_array(arena);

        for (size_t j = 0; j < rejected->object.members[i].value->array.count; j++)
            pp_json_add(arena, texts, pp_json_new_string(arena, ""));
        pp_json_set_text_key(arena, out, rejected->object.members[i].key, texts);
    }
    return out;
}

static pp_json *mask_member(pp_arena *arena, const pp_json *object, const char *key)
{
    pp_json *out = pp_json_new_object(arena);

    for (size_t i = 0; i < object->object.count; i++) {
        const pp_json_member *member = &object->object.members[i];

        pp_json_set_text_key(arena, out, member->key,
                             pp_text_is(member->key, key) ? pp_json_new_string(arena, "")
                                                          : member->value);
    }
    return out;
}

pp_json *mask_recommendation(pp_arena *arena, const pp_json *document, bool keep_fingerprints)
{
    pp_json *out = pp_json_new_object(arena);

    for (size_t i = 0; i < document->object.count; i++) {
        const pp_json_member *member = &document->object.members[i];
        const pp_json *value = member->value;

        if (pp_text_is(member->key, "input_fingerprints") && !keep_fingerprints)
            continue;
        if (pp_text_is(member->key, "paretopilot_version"))
            value = pp_json_new_string(arena, "");
        else if (pp_text_is(member->key, "selection"))
            value = mask_member(arena, value, "reason");
        else if (pp_text_is(member->key, "rejected"))
            value = mask_texts(arena, value);
        pp_json_set_text_key(arena, out, member->key, value);
    }
    return out;
}

static pp_json *mask_profile(pp_arena *arena, const pp_json *profile)
{
    pp_json *out = pp_json_new_object(arena);

    for (size_t i = 0; i < profile->object.count; i++) {
        const pp_json_member *member = &profile->object.members[i];
        const pp_json *value = member->value;

        if (pp_text_is(member->key, "scenario_notice"))
            value = pp_json_new_string(arena, "");
        else if (pp_text_is(member->key, "recommendation"))
            value = mask_recommendation(arena, value, true);
        pp_json_set_text_key(arena, out, member->key, value);
    }
    return out;
}

pp_json *mask_profiles(pp_arena *arena, const pp_json *document, bool keep_fingerprints)
{
    pp_json *out = pp_json_new_object(arena);
    pp_json *profiles = pp_json_new_array(arena);
    const pp_json *from = pp_json_find(document, "profiles");

    for (size_t i = 0; i < from->array.count; i++)
        pp_json_add(arena, profiles, mask_profile(arena, from->array.items[i]));
    for (size_t i = 0; i < document->object.count; i++) {
        const pp_json_member *member = &document->object.members[i];

        if (pp_text_is(member->key, "input_fingerprints") && !keep_fingerprints)
            continue;
        pp_json_set_text_key(arena, out, member->key,
                             pp_text_is(member->key, "profiles") ? profiles : member->value);
    }
    return out;
}

static pp_json *empty_texts(pp_arena *arena, const pp_json *list)
{
    pp_json *out = pp_json_new_array(arena);

    for (size_t i = 0; i < list->array.count; i++)
        pp_json_add(arena, out, pp_json_new_string(arena, ""));
    return out;
}

static const pp_json *mask_value(pp_arena *arena, const pp_json *value);

/* Members with these names hold prose wherever they stand in a passport; a list keeps its length.
 */
static bool is_prose(pp_text key)
{
    static const char *const keys[] = {"paretopilot_version",
                                       "reason",
                                       "constraint_violations",
                                       "verification_scope",
                                       "issues",
                                       "selection",
                                       "ladder_order",
                                       "current_boundary_caveat"};

    for (size_t i = 0; i < PP_COUNT_OF(keys); i++) {
        if (pp_text_is(key, keys[i]))
            return true;
    }
    return false;
}

static const pp_json *mask_named(pp_arena *arena, const pp_json_member *member)
{
    bool is_text = member->value->kind == PP_JSON_STRING;

    /* the alternative is an object, its description in `method` a text */
    if (is_text && (is_prose(member->key) || pp_text_is(member->key, "resource_alternative")))
        return pp_json_new_string(arena, "");
    if (member->value->kind == PP_JSON_ARRAY && is_prose(member->key))
        return empty_texts(arena, member->value);
    return mask_value(arena, member->value);
}

static const pp_json *mask_value(pp_arena *arena, const pp_json *value)
{
    pp_json *out =
        value->kind == PP_JSON_OBJECT ? pp_json_new_object(arena) : pp_json_new_array(arena);

    if (value->kind == PP_JSON_OBJECT) {
        for (size_t i = 0; i < value->object.count; i++)
            pp_json_set_text_key(arena, out, value->object.members[i].key,
                                 mask_named(arena, &value->object.members[i]));
    } else if (value->kind == PP_JSON_ARRAY) {
        for (size_t i = 0; i < value->array.count; i++)
            pp_json_add(arena, out, mask_value(arena, value->array.items[i]));
    } else {
        return value;
    }
    return out;
}

pp_json *mask_passport(pp_arena *arena, const pp_json *document, bool keep_fingerprints)
{
    pp_json *out = pp_json_new_object(arena);

    for (size_t i = 0; i < document->object.count; i++) {
        const pp_json_member *member = &document->object.members[i];

        if (keep_fingerprints || !pp_text_is(member->key, "input_fingerprints"))
            pp_json_set_text_key(arena, out, member->key, mask_named(arena, member));
    }
    return out;
}

size_t canonical_size(const pp_json *document)
{
    pp_error err = {0};
    pp_buf text;
    size_t size;

    pp_buf_init(&text, PP_JSON_MAX_BYTES);
    assert_ok(pp_json_write(document, PP_JSON_FILE, &text, &err), err);
    size = text.size;
    pp_buf_done(&text);
    return size;
}

const char *canonical_sha256(pp_arena *arena, const pp_json *document)
{
    char hex[PP_SHA256_HEX_SIZE];
    pp_error err = {0};
    pp_buf text;

    pp_buf_init(&text, PP_JSON_MAX_BYTES);
    assert_ok(pp_json_write(document, PP_JSON_FILE, &text, &err), err);
    assert_ok(pp_sha256_of(text.data, text.size, hex, &err), err);
    pp_buf_done(&text);
    return pp_arena_dup(arena, hex, strlen(hex));
}

static int base64_digit(char c)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *at = c == '\0' ? NULL : strchr(digits, c);

    return at == NULL ? -1 : (int)(at - digits);
}

static pp_text from_base64(pp_arena *arena, pp_text text)
{
    char *out = PP_ARENA_NEW(arena, char, text.size + 1);
    size_t size = 0;
    unsigned bits = 0;
    int count = 0;

    for (size_t i = 0; i < text.size && base64_digit(text.data[i]) >= 0; i++) {
        bits = bits << 6 | (unsigned)base64_digit(text.data[i]);
        count += 6;
        if (count >= 8) {
            count -= 8;
            out[size++] = (char)(bits >> count & 0xff);
        }
    }
    return (pp_text){out, size};
}

bool case_input(pp_arena *arena, const pp_json *input, pp_text *ret_bytes)
{
    const pp_json *text = pp_json_find(input, "text");
    const pp_json *base64 = pp_json_find(input, "base64");

    if (text != NULL)
        *ret_bytes = text->text;
    else if (base64 != NULL)
        *ret_bytes = from_base64(arena, base64->text);
    return text != NULL || base64 != NULL;
}
