#include "sim/fault.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "sim/random.h"

typedef enum kind { SWITCH, COUNT, COUNT_PLUS_1, SIGNED, TIME, WORD, TEXT } kind;

typedef struct row {
    const char *name;
    kind kind;
    const char *words; /* WORD: "a|b"; a value is its place, from 1 */
    size_t offset;
    pp_sim_scope scope;
    int64_t min, max;
    const char *help, *bugs;
} row;

#define AT(field) offsetof(pp_sim_quirks, field)
#define MANY      1000000
#define ON(name, field, help, bugs)                                                                \
    {                                                                                              \
        name, SWITCH, NULL, AT(field), PP_SIM_SCOPE_ANSWERS, 0, 0, help, bugs                      \
    }
#define N(name, field, min, max, help, bugs)                                                       \
    {                                                                                              \
        name, COUNT, NULL, AT(field), PP_SIM_SCOPE_ANSWERS, min, max, help, bugs                   \
    }
#define N1(name, field, max, help, bugs)                                                           \
    {                                                                                              \
        name, COUNT_PLUS_1, NULL, AT(field), PP_SIM_SCOPE_ANSWERS, 0, max, help, bugs              \
    }
#define LASTS(name, field, help, bugs)                                                             \
    {                                                                                              \
        name, TIME, NULL, AT(field), PP_SIM_SCOPE_ANSWERS, 0, 0, help, bugs                        \
    }
#define ONE_OF(name, field, words, scope, help, bugs)                                              \
    {                                                                                              \
        name, WORD, words, AT(field), scope, 0, 0, help, bugs                                      \
    }
#define SAYS(name, field, help, bugs)                                                              \
    {                                                                                              \
        name, TEXT, NULL, AT(field), PP_SIM_SCOPE_ANSWERS, 0, 0, help, bugs                        \
    }

static const row rows[] = {
    /* connection and head */
    ON("silent", silent, "accepts, and never answers", "B045 B143 G13"),
    ON("head-only", head_only, "sends the head of the reply, then nothing", "B019 G3"),
    LASTS("wait", wait_ns, "holds the whole reply back", "B042 B177 G12 G32"),
    ON("early-head", early_head, "sends the head when the request comes, not with the first event",
       "B013 G12"),
    N("status", status, 200, 599, "answers with this status and an error", "B042 B043 B044 B049"),
    ONE_OF("body", body, "json|html|empty", PP_SIM_SCOPE_ANSWERS, "body of `status`", "B043"),
    SAYS("retry-after", retry_after, "Retry-After header of `status`, any text", "B044 B057 G35"),
    N("interim", interim, 100, 103, "an interim reply (100, 102, 103) before the real one", "B163"),
    N("huge-head", huge_head_bytes, 1, 16777216, "a header of N bytes", ""),
    ON("close", close, "says Connection: close and closes after the reply", "B165"),
    ON("gzip", raw_gzip, "compresses the body though nobody asked for it", "B019"),
    SAYS("content-type", content_type, "another Content-Type", "B174"),
    {"wrong-length", SIGNED, NULL, AT(length_off), PP_SIM_SCOPE_ANSWERS, -MANY, MANY,
     "Content-Length is off by N (-1, 1); of a reply that is no stream", "G22"},
    N("stream-length", stream_length, 1, INT64_MAX, "an event stream with Content-Length N", "G21"),
    ON("read-to-close", read_to_close, "no length, no chunks: the close ends the body", ""),
    ON("odd-chunks", odd_chunks, "chunk sizes in upper-case hex with extensions, and trailers",
       "B175"),
    N("chunk-size", chunk_size, 1, MANY, "chunks of N bytes, wherever events end", "B175"),
    ON("no-last-chunk", no_last_chunk, "closes without the last chunk", "B175 G15"),
    N("write-size", write_size, 1, MANY, "hands the bytes over in pieces of N", "B175 G56"),
    N("gather", gather, 2, 1000, "N events in one write", "B015 G26"),
    N1("reset-after", reset_after, MANY, "resets the connection after N events", "B012 G16"),
    N1("close-after", close_after, MANY, "closes the connection after N events, without an end",
       "G15 G16"),
    ON("not-streamed", not_streamed, "one JSON object although a stream was asked for", "B174"),
    ON("strict", strict,
       "400 for any field that is not in the OpenAI API: n_predict, ignore_eos, cache_prompt ...",
       "B054"),
    /* lines of the event stream */
    ON("no-blank", no_blank, "no blank behind 'data:'", "B002"),
    ONE_OF("line-end", line_end, "crlf|cr|mixed", PP_SIM_SCOPE_ANSWERS, "line ends of the stream",
           "B002"),
    ON("multi-line", multi_line, "each event over several data lines", "B017"),
    ON("comments", comments, "comments, event:, id: and retry: fields and empty data in between",
       "B004 B007"),
    ON("comments-only", comments_only, "ten comments and an end, no event", "B007"),
    ON("byte-order-mark", byte_order_mark, "a byte order mark at the front", ""),
    LASTS("ping", ping_ns, "a comment line each TIME in which nothing else is sent",
          "B005 G12 G60"),
    ON("no-done", no_done, "no [DONE] at the end", "B009"),
    ON("done-no-end", done_no_end, "[DONE] without a line end behind it", "B008"),
    ON("cut-character", cut_character, "closes inside a character of four bytes, in the last event",
       "G16"),
    /* what is said */
    ON("early-role", early_role, "the role of a chat comes when the request has its slot", "G60"),
    ON("cumulative", cumulative, "each event repeats the whole text so far", "B009"),
    ONE_OF("error", error, "data|field|done|event|text", PP_SIM_SCOPE_ANSWERS,
           "an error inside a reply of status 200, in this form", "B010 B011 G17 G36"),
    N1("error-after", error_after, MANY, "tokens before `error` (1)", "B011 G17"),
    ON("nothing", nothing, "an answer without any text", "B051"),
    ON("bad-json", bad_json, "the second event is cut JSON", ""),
    ON("nulls", nulls, "optional members are null, and events with null content come in between",
       "B008 B029 B030"),
    ON("tool-calls", tool_calls, "the text comes as arguments of a tool call", "B029"),
    N1("reasoning", reasoning, MANY, "the first N tokens are reasoning", "B022 B033 B040"),
    ONE_OF("reasoning-name", reasoning_name, "reasoning_content|reasoning|both",
           PP_SIM_SCOPE_ANSWERS, "the member that holds it", "B022"),
    ONE_OF("usage", usage,
           "always|never|with-text|every-event|nulls|floats|null-choices|no-choices|full-choices|"
           "not-last",
           PP_SIM_SCOPE_ANSWERS, "when and how usage comes", "B028 B030 B031 G4 G5"),
    LASTS("usage-pause", usage_pause_ns, "a pause between the finish reason and the rest", "B032"),
    N("tokens-per-event", tokens_per_event, 2, 1000, "N tokens in each event", "B035"),
    ON("draft-fields", draft_fields, "draft_n and draft_n_accepted without speculation", "B035"),
    ON("split-emoji", split_emoji, "each answer begins with a character cut over two events, 2 + 2",
       "B036"),
    ON("lone-surrogate", lone_surrogate, "each answer begins with half a surrogate pair", "B036"),
    ON("zero-logprobs", zero_logprobs, "each log-probability is 0", "G37"),
    N("extra-tokens", extra_tokens, 1, 1000, "N tokens more than asked for", ""),
    N("short-answer", short_answer, 1, MANY, "stops after N tokens", ""),
    N("cached", cached, 1, INT64_MAX, "says that N prompt tokens came from the cache",
      "B103 B105 B130"),
    N("progress", progress, 1, 1000, "N progress events before the first token", "B179"),
    N("long-event", long_event_bytes, 1, 33554432, "the first event is N bytes longer", ""),
    /* time */
    N("grow", grow_bytes, 1, (int64_t)1 << 30, "the server keeps N bytes more memory from then on",
      "B134 B136"),
    LASTS("slow", slow_ns, "the first token comes so much later", "B066 B177"),
    LASTS("cold", cold_ns, "the same, for the first request of each connection", "G62"),
    ON("falling-acceptance", acceptance_falls,
       "acceptance of drafts is divided by the number of busy slots", "G39"),
    ON("ignore-cancel", ignore_cancel, "goes on generating when the client has left", "B050"),
    LASTS("busy-after", busy_after_ns, "the slot stays busy so long after the client has left",
          "B050"),
    /* other end points */
    ONE_OF("metrics", metrics, "string|renamed|nan|reset|off", PP_SIM_SCOPE_METRICS,
           "form of /metrics", "B123 B125 B127"),
    ONE_OF("slots", slots, "501|404|busy", PP_SIM_SCOPE_SLOTS, "form of /slots", "B050"),
    {"n-ctx", COUNT, NULL, AT(n_ctx), PP_SIM_SCOPE_PROPS, 1, INT64_MAX,
     "/props and /slots tell this context", "B129"},
    {"total-slots", COUNT, NULL, AT(total_slots), PP_SIM_SCOPE_PROPS, 1, INT64_MAX,
     "/props tells this number of slots", "B129"},
    {"sleeping", SWITCH, NULL, AT(sleeping), PP_SIM_SCOPE_PROPS, 0, 0, "/props says is_sleeping",
     "B177"},
    {"foreign", SWITCH, NULL, AT(foreign), PP_SIM_SCOPE_PROPS, 0, 0,
     "/props is that of some other program", "B131"},
};

static const char *value_name(const row *r)
{
    switch (r->kind) {
    case SWITCH:
        return NULL;
    case COUNT:
    case COUNT_PLUS_1:
    case SIGNED:
        return "N";
    case TIME:
        return "TIME";
    case WORD:
        return r->words;
    case TEXT:
        break;
    }
    return "TEXT";
}

bool pp_sim_fault_info_at(size_t n, pp_sim_fault_info *ret_info)
{
    if (n >= PP_COUNT_OF(rows))
        return false;
    *ret_info = (pp_sim_fault_info){rows[n].name, value_name(&rows[n]), rows[n].help, rows[n].bugs};
    return true;
}

/* ---- parsing --------------------------------------------------------------------------------- */

static pp_status parse_word(const row *r, const char *value, pp_sim_fault *fault, pp_error *err)
{
    size_t size = strlen(value);
    int64_t place = 1;

    for (const char *at = r->words; size > 0; at += strcspn(at, "|") + 1, place++) {
        if (strcspn(at, "|") == size && strncmp(at, value, size) == 0) {
            fault->number = place;
            return PP_OK;
        }
        if (at[strcspn(at, "|")] == '\0')
            break;
    }
    return pp_fail(err, PP_ERR_USAGE, "--fault %s: expected one of %s, got '%s'", r->name, r->words,
                   value);
}

static pp_status parse_value(pp_arena *arena, const row *r, const char *value, pp_sim_fault *fault,
                             pp_error *err)
{
    char what[64];
    pp_status st;

    (void)snprintf(what, sizeof what, "--fault %s", r->name);
    switch (r->kind) {
    case SWITCH:
        fault->number = 1;
        return PP_OK;
    case TIME:
        return pp_parse_duration(value, what, &fault->number, err);
    case WORD:
        return parse_word(r, value, fault, err);
    case TEXT:
        for (const char *c = value; *c != '\0'; c++) {
            if ((unsigned char)*c < 0x20 || *c == 0x7f)
                return pp_fail(err, PP_ERR_USAGE, "%s: a control character in its text", what);
        }
        fault->text = pp_arena_dup(arena, value, strlen(value));
        return pp_arena_check(arena, err);
    case COUNT:
    case COUNT_PLUS_1:
    case SIGNED:
        break;
    }
    st = pp_parse_int(value, what, r->min, r->max, &fault->number, err);
    if (st == PP_OK && r->kind == COUNT_PLUS_1)
        fault->number++;
    return st;
}

static pp_status parse_which(pp_arena *arena, const char *which, pp_sim_fault *fault, pp_error *err)
{
    const struct {
        const char *prefix;
        int64_t *number;
    } counts[] = {{"first:", &fault->first}, {"after:", &fault->after}, {"every:", &fault->every}};

    if (strcmp(which, "all") == 0)
        return PP_OK;
    if (which[0] == '/') {
        fault->path = pp_text_dup(arena, pp_text_of(which));
        return pp_arena_check(arena, err);
    }
    for (size_t i = 0; i < PP_COUNT_OF(counts); i++) {
        size_t n = strlen(counts[i].prefix);

        if (strncmp(which, counts[i].prefix, n) == 0)
            return pp_parse_int(which + n, "--fault: @first, @after, @every", 1, INT64_MAX,
                                counts[i].number, err);
    }
    if (strncmp(which, "share:", 6) == 0) {
        fault->has_share = true;
        return pp_parse_number(which + 6, "--fault: @share", 0, 1, &fault->share, err);
    }
    if (which[0] >= '0' && which[0] <= '9')
        return pp_parse_int(which, "--fault: @N", 1, INT64_MAX, &fault->only, err);
    return pp_fail(err, PP_ERR_USAGE,
                   "--fault: expected @all, @N, @first:N, @after:N, @every:N, @share:P or @/path, "
                   "got '@%s'",
                   which);
}

static pp_status find_row(const char *name, size_t *ret_row, pp_error *err)
{
    for (size_t i = 0; i < PP_COUNT_OF(rows); i++) {
        if (strcmp(rows[i].name, name) == 0) {
            *ret_row = i;
            return PP_OK;
        }
    }
    return pp_fail(err, PP_ERR_USAGE, "--fault: there is no fault '%s'; --list-faults shows them",
                   name);
}

/* NAME[:VALUE] in a text of its own. */
static pp_status parse_head(pp_arena *arena, char *head, pp_sim_fault *fault, pp_error *err)
{
    char *colon = strchr(head, ':');
    const row *r;
    pp_status st;

    if (colon != NULL)
        *colon = '\0';
    st = find_row(head, &fault->row, err);
    if (st != PP_OK)
        return st;
    r = &rows[fault->row];
    if ((colon == NULL) != (r->kind == SWITCH))
        return pp_fail(err, PP_ERR_USAGE, "--fault %s: expected %s%s", r->name, r->name,
                       r->kind == SWITCH ? " without a value" : ":VALUE");
    return parse_value(arena, r, colon == NULL ? "" : colon + 1, fault, err);
}

pp_status pp_sim_fault_parse(pp_arena *arena, const char *text, pp_sim_fault *ret_fault,
                             pp_error *err)
{
    char *copy = pp_arena_dup(arena, text, strlen(text));
    char *which;
    pp_status st;

    memset(ret_fault, 0, sizeof *ret_fault);
    if (copy == NULL)
        return pp_arena_check(arena, err);
    which = strchr(copy, '@');
    if (which != NULL)
        *which++ = '\0';
    st = parse_head(arena, copy, ret_fault, err);
    while (st == PP_OK && which != NULL) {
        char *next = strchr(which, '@');

        if (next != NULL)
            *next++ = '\0';
        st = parse_which(arena, which, ret_fault, err);
        which = next;
    }
    return st;
}

/* ---- applying -------------------------------------------------------------------------------- */

static bool takes(pp_sim_fault *fault, size_t index, uint64_t seed)
{
    int64_t n = ++fault->seen_count;

    return (fault->only == 0 || n == fault->only) && (fault->first == 0 || n <= fault->first) &&
           n > fault->after && (fault->every == 0 || n % fault->every == 0) &&
           (!fault->has_share ||
            pp_sim_uniform(seed, PP_SIM_STREAM_FAULT, index, (uint64_t)n) < fault->share);
}

static bool concerns(const pp_sim_fault *fault, pp_sim_scope scope, pp_text path)
{
    pp_sim_scope own = rows[fault->row].scope;

    if (fault->path.size > 0)
        return pp_text_equal(fault->path, path);
    return own == scope || (own == PP_SIM_SCOPE_PROPS && scope == PP_SIM_SCOPE_SLOTS);
}

static void enter(const pp_sim_fault *fault, pp_sim_quirks *quirks)
{
    const row *r = &rows[fault->row];
    char *at = (char *)quirks + r->offset;
    int word = (int)fault->number;

    switch (r->kind) {
    case SWITCH:
        *(bool *)at = true;
        break;
    case WORD: /* enums of this struct, all of the size of an int */
        memcpy(at, &word, sizeof word);
        break;
    case TEXT:
        memcpy(at, (const void *)&fault->text, sizeof fault->text);
        break;
    case COUNT:
    case COUNT_PLUS_1:
    case SIGNED:
    case TIME:
        memcpy(at, &fault->number, sizeof fault->number);
        break;
    }
}

_Static_assert(sizeof(pp_sim_body) == sizeof(int) && sizeof(pp_sim_error_form) == sizeof(int) &&
                   sizeof(pp_sim_usage_form) == sizeof(int) &&
                   sizeof(pp_sim_reasoning_name) == sizeof(int) &&
                   sizeof(pp_sim_metrics_form) == sizeof(int) &&
                   sizeof(pp_sim_slots_form) == sizeof(int) &&
                   sizeof(pp_sim_line_end) == sizeof(int),
               "enter() writes words as int");

void pp_sim_fault_apply(pp_sim_fault *fault, size_t index, uint64_t seed, pp_sim_scope scope,
                        pp_text path, pp_sim_quirks *quirks)
{
    if (!concerns(fault, scope, path) || !takes(fault, index, seed))
        return;
    fault->hit_count++;
    enter(fault, quirks);
}
