/* What a load is told to send: prompts and instants, a line each. */
#include "model/field_rows.h"
#include "model/tables.h"

/* load/lengths.h and load/trace.h have the same ceilings; a test compares them. */
#define MAX_TOKENS ((int64_t)1 << 20)
#define MAX_DUE_MS 2592000000.0

static const pp_field message_rows[] = {
    MEMBER("role", "who says it: `system`, `user`, `assistant` or what the model's template knows",
           FILLED),
    MEMBER("content", "what is said; may be empty", TEXT),
};
static const pp_fields message_fields = FIELDS("prompt-message", "one message", message_rows);
static const pp_field_type message_type = {OBJECT(message_fields)};

static const pp_field prompt_rows[] = {
    OPTION("id", "names it in samples; no other line has it; `prompt-00001` by its place else",
           NULL, FILLED),
    OPTION("prompt", "text, as it is sent; may be empty; this or `messages`", NULL, TEXT),
    OPTION("messages", "of a chat, in order; this or `prompt`", NULL, LIST(message_type),
           AT_LEAST_ONE),
    OPTION("output_tokens", "asked for this prompt; as the load says else", NULL,
           INT(0, MAX_TOKENS)),
};
const pp_fields pp_prompt_fields = FIELDS_AT("prompt", "one prompt", prompt_rows, "prompts");

static const pp_field trace_rows[] = {
    MEMBER("due_ms", "when the request is due, from the start of the measured part",
           NUMBER(0, MAX_DUE_MS)),
    OPTION("prompt_tokens", "length of a generated prompt; this or `prompt`", NULL,
           INT(1, MAX_TOKENS)),
    OPTION("prompt", "text, as it is sent; this or `prompt_tokens`", NULL, TEXT),
    OPTION("output_tokens", "asked; as the load says else", NULL, INT(0, MAX_TOKENS)),
};
const pp_fields pp_trace_fields = FIELDS_AT("trace-entry", "one request", trace_rows, "load-trace");
