/* trace.h - a load that was recorded or written down: due instants and lengths, as JSON Lines.
 *
 *     {"due_ms": 12.5, "prompt_tokens": 128, "output_tokens": 64}
 *
 * docs/formats/load-trace.md describes it. */
#ifndef PP_LOAD_TRACE_H
#define PP_LOAD_TRACE_H

#include "base/maybe.h"
#include "json/json.h"

#define PP_TRACE_MAX_BYTES ((size_t)256 << 20)
#define PP_TRACE_MAX_COUNT 1000000
/* 30 days: beyond it an instant is a time of day and no offset. */
#define PP_TRACE_MAX_MS    2592000000.0

typedef struct pp_trace_entry {
    int64_t due_ns;             /* from the start of the measured part, at the speed asked for */
    pp_maybe_int prompt_tokens; /* generated, this long as the server counts */
    pp_text prompt;             /* given; absent where prompt_tokens is known */
    pp_maybe_int output_tokens;
} pp_trace_entry;

typedef struct pp_trace {
    const pp_trace_entry *entries; /* ascending by due_ns; equal ones in the order of the file */
    size_t count;                  /* >= 1 */
    size_t moved_count;            /* lines that did not stand in order of time and were sorted */
} pp_trace;

/**
 * Read a trace; `name` opens messages, the line follows. Lines need not be in order of time: they
 * are sorted, equal instants keep their order. Everything lives in `arena`.
 *
 * speed   0.001 to 1000: 2 plays it in half its time; instants are divided by it
 *
 * Fails with PP_ERR_SYNTAX, PP_ERR_SCHEMA (no line, a blank line, an unknown member, a value out of
 * range, both or neither of prompt and prompt_tokens), PP_ERR_RANGE for the speed, PP_ERR_LIMIT.
 */
PP_MUST_CHECK pp_status pp_trace_parse(pp_arena *arena, const char *name, pp_bytes bytes,
                                       double speed, pp_trace *ret_trace, pp_error *err);

/** The rule of a line that its table does not say: exactly one of prompt_tokens and prompt. The
 * value has passed the check of the document "load-trace". */
PP_MUST_CHECK pp_status pp_trace_entry_check(const pp_json *root, pp_error *err);

PP_MUST_CHECK pp_status pp_trace_load(pp_arena *arena, const char *path, double speed,
                                      pp_trace *ret_trace, pp_error *err);

#endif
