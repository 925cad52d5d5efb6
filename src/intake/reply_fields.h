/* reply_fields.h - what replies of servers have in common, streamed or not: counts, times, errors.
 *
 * Replies may hold members that nobody here knows; null counts as absent (F33). */
#ifndef PP_INTAKE_REPLY_FIELDS_H
#define PP_INTAKE_REPLY_FIELDS_H

#include "base/buffer.h"
#include "json/json.h"

/* Figures as the server told them; of several that tell the same one the last wins (F34). */
typedef struct pp_reply_counts {
    pp_maybe_int predicted_n; /* timings */
    pp_maybe_int prompt_n;    /* processed, without the cached part */
    pp_maybe_int cache_n;
    pp_maybe_real prompt_ms;
    pp_maybe_real predicted_ms;
    pp_maybe_int draft_n;
    pp_maybe_int draft_n_accepted;
    pp_maybe_int usage_completion_tokens; /* reasoning is inside, nothing is added (F42) */
    pp_maybe_int usage_prompt_tokens;
    pp_maybe_int usage_cached_tokens;
} pp_reply_counts;

/** Take what `timings` and `usage` of this object tell. */
void pp_reply_counts_take(const pp_json *root, pp_reply_counts *counts);

/** Tokens of the prompt, the cached ones included. */
pp_maybe_int pp_reply_prompt_tokens(const pp_reply_counts *counts);
pp_maybe_int pp_reply_cached_tokens(const pp_reply_counts *counts);

/** Read an event or a whole reply. Halves of characters, which servers cut at tokens, are no reason
 * to refuse it: their texts are then not the bytes that came, and serve only to see that there are
 * some. Fails with PP_ERR_SYNTAX, PP_ERR_LIMIT (nested too deeply) and PP_ERR_MEMORY, without a
 * sentence. */
PP_MUST_CHECK pp_status pp_reply_parse(pp_arena *arena, pp_bytes bytes, const pp_json **ret_root);

/** A member that is there and not null. */
static inline const pp_json *pp_reply_find(const pp_json *object, const char *key)
{
    const pp_json *value = pp_json_find(object, key);

    return value != NULL && value->kind != PP_JSON_NULL ? value : NULL;
}

/** The text of a string; absent for any other value and for NULL. */
pp_text pp_reply_text(const pp_json *value);

/** A count as an integer or as 12.0; anything else leaves `out` as it was. */
void pp_reply_take_count(const pp_json *object, const char *key, pp_maybe_int *out);

/** What an error says: {"message": ...}, a string, or the object with an error's fields itself. */
pp_text pp_reply_error_message(const pp_json *error);

/**
 * "HTTP status 400: " and the server's own message, or the first bytes of its page; free of control
 * characters.
 *
 * status_text   "HTTP status 400"; the answer where the page is empty
 */
pp_text pp_reply_error_page(pp_arena *arena, pp_text status_text, pp_bytes page);

#endif
