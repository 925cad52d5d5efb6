#include "load/suite_body.h"

#include <math.h>

/* A prompt of six bytes for each character, twice, and what stands around it. */
#define BODY_MAX_BYTES ((size_t)16 << 20)

typedef struct writer {
    pp_buf body;
    pp_status st; /* of a text that cannot be written */
    pp_error *err;
} writer;

static void add(writer *w, const char *text)
{
    pp_buf_append_text(&w->body, text);
}

static void add_value(writer *w, pp_arena *scratch, const pp_json *value)
{
    if (w->st == PP_OK)
        w->st = pp_json_write(value, PP_JSON_COMPACT_ASCII, &w->body, w->err);
    pp_arena_done(scratch);
}

static void add_text(writer *w, pp_text text)
{
    pp_arena scratch = {0};

    add_value(w, &scratch, pp_json_new_text(&scratch, text));
}

/* 0 and not 0.0, as people write it and the original sends it. */
static void add_number(writer *w, double value)
{
    pp_arena scratch = {0};
    bool whole = floor(value) == value && fabs(value) < 1e15;

    add_value(w, &scratch,
              whole ? pp_json_new_int(&scratch, (int64_t)value)
                    : pp_json_new_real(&scratch, value));
}

static void add_message(writer *w, const char *role, pp_text content)
{
    add(w, "{\"role\":\"");
    add(w, role);
    add(w, "\",\"content\":");
    add_text(w, content);
    add(w, "}");
}

static void begin(writer *w, pp_error *err)
{
    *w = (writer){.err = err};
    pp_buf_init(&w->body, BODY_MAX_BYTES);
}

static pp_status finish(writer *w, pp_arena *arena, pp_bytes *ret_body, pp_error *err)
{
    pp_status st = w->st == PP_OK ? pp_buf_check(&w->body, "request body", err) : w->st;

    if (st == PP_OK) {
        ret_body->data = (unsigned char *)pp_arena_dup(arena, pp_buf_text(&w->body), w->body.size);
        ret_body->size = w->body.size;
        st = pp_arena_check(arena, err);
    }
    pp_buf_done(&w->body);
    return st;
}

pp_status pp_suite_body_of_case(pp_arena *arena, const pp_suite *suite, size_t number,
                                const pp_suite_voice *voice, pp_bytes *ret_body, pp_error *err)
{
    const pp_suite_case *c = &suite->cases[number];
    writer w;

    begin(&w, err);
    add(&w, "{\"messages\":[");
    if (voice->has_system_prompt) {
        add_message(&w, "system", voice->system_prompt);
        add(&w, ",");
    }
    add_message(&w, "user", c->prompt);
    pp_buf_printf(&w.body,
                  "],\"max_tokens\":%lld,\"seed\":%lld,\"temperature\":", (long long)c->max_tokens,
                  (long long)suite->seed);
    add_number(&w, suite->temperature);
    add(&w, ",\"stream\":false");
    if (voice->kind == PP_SERVER_LLAMA_SERVER)
        add(&w, ",\"cache_prompt\":false");
    if (voice->model.size > 0) {
        add(&w, ",\"model\":");
        add_text(&w, voice->model);
    }
    add(&w, "}");
    return finish(&w, arena, ret_body, err);
}

pp_status pp_suite_body_of_performance(pp_arena *arena, const pp_suite *suite, pp_bytes *ret_body,
                                       pp_error *err)
{
    writer w;

    begin(&w, err);
    add(&w, "{\"prompt\":");
    add_text(&w, suite->performance_prompt);
    pp_buf_printf(&w.body, ",\"n_predict\":%lld,\"ignore_eos\":true,\"seed\":%lld,\"temperature\":",
                  (long long)suite->generation_tokens, (long long)suite->seed);
    add_number(&w, suite->temperature);
    add(&w, ",\"cache_prompt\":false,\"stream\":true,\"timings_per_token\":false}");
    return finish(&w, arena, ret_body, err);
}
