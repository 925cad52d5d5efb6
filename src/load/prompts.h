/* prompts.h - prompts from a file: lines of text, or JSON Lines.
 *
 * The content decides which of the two it is, not the name (B148): a file that begins with '{' is
 * JSON Lines. docs/formats/prompts.md describes both. */
#ifndef PP_LOAD_PROMPTS_H
#define PP_LOAD_PROMPTS_H

#include "base/maybe.h"
#include "json/json.h"

/* A million prompts of a few hundred bytes. */
#define PP_PROMPTS_MAX_BYTES ((size_t)256 << 20)
#define PP_PROMPTS_MAX_COUNT 1000000
/* Longer than the largest context holds. */
#define PP_PROMPT_MAX_BYTES  ((size_t)16 << 20)

typedef struct pp_prompt {
    pp_text id;       /* given, or "prompt-00001" by its place */
    pp_text text;     /* UTF-8, any character, may be empty; absent where it has messages */
    pp_text messages; /* JSON list of {"content", "role"}, canonical; absent where it has text */
    pp_maybe_int output_tokens; /* its own length */
} pp_prompt;

typedef struct pp_prompts {
    const pp_prompt *items;
    size_t count;           /* >= 1 */
    size_t duplicate_count; /* prompts with the text or messages of an earlier one */
    bool is_lines_of_json;
} pp_prompts;

/**
 * Read prompts; `name` opens messages, the line follows. Everything lives in `arena`.
 *
 * Text: one prompt for each line, split at LF only and otherwise as it stands, an empty one too; a
 * byte order mark in front of the file is dropped. Fails with PP_ERR_SYNTAX for bytes that are not
 * UTF-8 (a request body could not hold them), PP_ERR_SCHEMA for an empty file, an unknown member,
 * an id that occurs twice; PP_ERR_LIMIT.
 */
PP_MUST_CHECK pp_status pp_prompts_parse(pp_arena *arena, const char *name, pp_bytes bytes,
                                         pp_prompts *ret_prompts, pp_error *err);

/** The rule of a line that its table does not say: exactly one of prompt and messages. The value
 * has passed the check of the document "prompts". */
PP_MUST_CHECK pp_status pp_prompt_check(const pp_json *root, pp_error *err);

PP_MUST_CHECK pp_status pp_prompts_load(pp_arena *arena, const char *path, pp_prompts *ret_prompts,
                                        pp_error *err);

#endif
