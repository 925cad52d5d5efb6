#include "intake/reply_fields.h"

#include <math.h>

#include "intake/loose_json.h"

pp_status pp_reply_parse(pp_arena *arena, pp_bytes bytes, const pp_json **ret_root)
{
    bool lifted;

    if (bytes.size == 0)
        return PP_ERR_SYNTAX;
    return pp_loose_json_parse(arena, "reply", bytes, ret_root, &lifted, NULL);
}

pp_text pp_reply_text(const pp_json *value)
{
    return value != NULL && value->kind == PP_JSON_STRING ? value->text : (pp_text){0};
}

void pp_reply_take_count(const pp_json *object, const char *key, pp_maybe_int *out)
{
    const pp_json *value = pp_reply_find(object, key);

    if (value == NULL)
        return;
    if (value->kind == PP_JSON_INTEGER && value->integer >= 0)
        *out = pp_known_int(value->integer);
    else if (value->kind == PP_JSON_REAL && value->real >= 0 && value->real < 9e15 &&
             floor(value->real) == value->real)
        *out = pp_known_int((int64_t)value->real);
}

static void take_ms(const pp_json *object, const char *key, pp_maybe_real *out)
{
    const pp_json *value = pp_reply_find(object, key);

    if (value != NULL && value->kind == PP_JSON_REAL && value->real >= 0)
        *out = pp_known_real(value->real);
    else if (value != NULL && value->kind == PP_JSON_INTEGER && value->integer >= 0)
        *out = pp_known_real((double)value->integer);
}

static void take_timings(const pp_json *timings, pp_reply_counts *out)
{
    if (timings == NULL) /* all events of a stream but one */
        return;
    pp_reply_take_count(timings, "predicted_n", &out->predicted_n);
    pp_reply_take_count(timings, "prompt_n", &out->prompt_n);
    pp_reply_take_count(timings, "cache_n", &out->cache_n);
    take_ms(timings, "prompt_ms", &out->prompt_ms);
    take_ms(timings, "predicted_ms", &out->predicted_ms);
    pp_reply_take_count(timings, "draft_n", &out->draft_n);
    pp_reply_take_count(timings, "draft_n_accepted", &out->draft_n_accepted);
}

static void take_usage(const pp_json *usage, pp_reply_counts *out)
{
    if (usage == NULL)
        return;
    pp_reply_take_count(usage, "completion_tokens", &out->usage_completion_tokens);
    pp_reply_take_count(usage, "prompt_tokens", &out->usage_prompt_tokens);
    pp_reply_take_count(pp_reply_find(usage, "prompt_tokens_details"), "cached_tokens",
                        &out->usage_cached_tokens);
}

void pp_reply_counts_take(const pp_json *root, pp_reply_counts *counts)
{
    take_timings(pp_reply_find(root, "timings"), counts);
    take_usage(pp_reply_find(root, "usage"), counts);
}

pp_maybe_int pp_reply_cached_tokens(const pp_reply_counts *counts)
{
    return counts->cache_n.known ? counts->cache_n : counts->usage_cached_tokens;
}

/* Both are bounded by what a reply can hold as text, yet a hostile one may add up to more. */
pp_maybe_int pp_reply_prompt_tokens(const pp_reply_counts *counts)
{
    int64_t cached = counts->cache_n.known ? counts->cache_n.value : 0;

    if (!counts->prompt_n.known)
        return counts->usage_prompt_tokens;
    if (counts->prompt_n.value > INT64_MAX - cached)
        return (pp_maybe_int){0};
    return pp_known_int(counts->prompt_n.value + cached);
}

pp_text pp_reply_error_message(const pp_json *error)
{
    pp_text text = pp_reply_text(error);

    if (text.size == 0)
        text = pp_reply_text(pp_reply_find(error, "message"));
    if (text.size == 0)
        text = pp_reply_text(pp_reply_find(error, "type"));
    return text.size == 0 ? pp_text_of("the server reported an error without a message") : text;
}

pp_text pp_reply_error_page(pp_arena *arena, pp_text status_text, pp_bytes page)
{
    char shown[300];
    pp_arena scratch = {0};
    const pp_json *root = NULL;
    const pp_json *error;
    pp_text said = {(const char *)page.data, page.size};
    pp_error why = {0};
    const char *text;
    bool lifted;

    if (page.size == 0)
        return status_text;
    if (pp_loose_json_parse(&scratch, "reply", page, &root, &lifted, &why) == PP_OK) {
        error = pp_json_find(root, "error");
        if (error != NULL && error->kind == PP_JSON_OBJECT)
            error = pp_json_find(error, "message");
        if (error != NULL && error->kind == PP_JSON_STRING)
            said = error->text;
    }
    pp_text_escape_controls(said.data, said.size, shown, sizeof shown);
    text = pp_arena_printf(arena, "%.*s: %s", (int)status_text.size, status_text.data, shown);
    pp_arena_done(&scratch);
    return text == NULL ? (pp_text){0} : pp_text_of(text);
}
