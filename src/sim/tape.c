#include "sim/tape.h"

#include <stdio.h>
#include <string.h>

#include "base/units.h"

typedef struct parser {
    pp_arena *arena;
    const char *name;
    pp_error *err;
    size_t line;          /* from 1 */
    const char *at, *end; /* the rest of the line */
    pp_buf sections, steps, bytes;
    pp_sim_tape_section open; /* without its steps */
    bool is_open;
    bool is_over; /* after close, reset, hold */
    size_t repeats[PP_SIM_TAPE_MAX_NESTING];
    size_t depth;
} parser;

#define FAIL(p, ...) pp_fail_line((p), __VA_ARGS__)

static pp_status pp_fail_line(parser *p, const char *format, ...) PP_PRINTF(2, 3);

static pp_status pp_fail_line(parser *p, const char *format, ...)
{
    char text[512];
    va_list list;

    va_start(list, format);
    (void)vsnprintf(text, sizeof text, format, list);
    va_end(list);
    return pp_fail(p->err, PP_ERR_SYNTAX, "%s: line %zu: %s", p->name, p->line, text);
}

static void skip_blanks(parser *p)
{
    while (p->at < p->end && (*p->at == ' ' || *p->at == '\t'))
        p->at++;
}

/* The next word of the line; empty at its end and in front of a comment. */
static pp_text next_word(parser *p)
{
    pp_text word;

    skip_blanks(p);
    word = (pp_text){p->at, 0};
    if (p->at < p->end && *p->at == '#')
        return word;
    while (p->at < p->end && *p->at != ' ' && *p->at != '\t')
        p->at++;
    word.size = (size_t)(p->at - word.data);
    return word;
}

static pp_status expect_end(parser *p)
{
    pp_text rest;

    skip_blanks(p);
    rest = (pp_text){p->at, (size_t)(p->end - p->at)};
    if (rest.size == 0 || rest.data[0] == '#')
        return PP_OK;
    return FAIL(p, "expected the end of the line, got '%.*s'",
                (int)(rest.size < 60 ? rest.size : 60), rest.data);
}

/* ---- strings --------------------------------------------------------------------------------- */

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

/* Behind a backslash. */
static pp_status escape(parser *p)
{
    static const char letters[] = "nrt0\\\"";
    static const char meanings[] = {'\n', '\r', '\t', '\0', '\\', '"'};
    const char *found;

    if (p->at == p->end)
        return FAIL(p, "the string has no end");
    if (*p->at == 'x') {
        int high = p->end - p->at > 2 ? hex_digit(p->at[1]) : -1;
        int low = high >= 0 ? hex_digit(p->at[2]) : -1;

        if (low < 0)
            return FAIL(p, "expected two hexadecimal digits behind \\x");
        pp_buf_append_char(&p->bytes, (char)(unsigned char)(high * 16 + low));
        p->at += 3;
        return PP_OK;
    }
    found = memchr(letters, *p->at, sizeof letters - 1);
    if (found == NULL)
        return FAIL(p, "there is no escape '\\%c'; expected \\n \\r \\t \\0 \\\\ \\\" or \\xHH",
                    *p->at);
    pp_buf_append_char(&p->bytes, meanings[found - letters]);
    p->at++;
    return PP_OK;
}

static pp_status string(parser *p)
{
    pp_status st = PP_OK;

    p->at++;
    while (st == PP_OK) {
        if (p->at == p->end)
            return FAIL(p, "the string has no end");
        if (*p->at == '"')
            break;
        if (*p->at == '\\') {
            p->at++;
            st = escape(p);
        } else {
            pp_buf_append_char(&p->bytes, *p->at++);
        }
    }
    p->at++;
    return st;
}

/* One string or more, joined in p->bytes. */
static pp_status strings(parser *p)
{
    pp_status st = PP_OK;

    pp_buf_clear(&p->bytes);
    skip_blanks(p);
    if (p->at == p->end || *p->at != '"')
        return FAIL(p, "expected a string in double quotes");
    while (st == PP_OK && p->at < p->end && *p->at == '"') {
        st = string(p);
        skip_blanks(p);
    }
    return st;
}

/* ---- steps ----------------------------------------------------------------------------------- */

static size_t step_count(const parser *p)
{
    return p->steps.size / sizeof(pp_sim_tape_step);
}

static pp_sim_tape_step *step_at(parser *p, size_t n)
{
    return (pp_sim_tape_step *)(void *)p->steps.data + n;
}

static pp_status add_step(parser *p, pp_sim_tape_step step)
{
    if (p->is_over)
        return FAIL(p, "nothing can follow close, reset or hold");
    pp_buf_append(&p->steps, &step, sizeof step);
    return pp_buf_check(&p->steps, "steps of a tape", p->err);
}

static pp_status add_bytes(parser *p, const char *before, const char *behind)
{
    size_t size = strlen(before) + p->bytes.size + strlen(behind);
    char *all = pp_arena_alloc(p->arena, size + 1, 1);

    if (all == NULL)
        return pp_arena_check(p->arena, p->err);
    memcpy(all, before, strlen(before));
    if (p->bytes.size > 0)
        memcpy(all + strlen(before), p->bytes.data, p->bytes.size);
    memcpy(all + size - strlen(behind), behind, strlen(behind));
    return add_step(p, (pp_sim_tape_step){.act = PP_SIM_TAPE_SEND,
                                          .bytes = {(const unsigned char *)all, size}});
}

static pp_status read_send(parser *p)
{
    pp_status st = strings(p);

    if (st == PP_OK && p->bytes.size == 0)
        return FAIL(p, "expected at least one byte to send");
    return st == PP_OK ? add_bytes(p, "", "") : st;
}

static pp_status read_chunk(parser *p)
{
    char line[32];
    pp_status st = strings(p);

    if (st != PP_OK)
        return st;
    if (p->bytes.size == 0)
        return FAIL(p, "a chunk without bytes is the last one: write last-chunk");
    (void)snprintf(line, sizeof line, "%zx\r\n", p->bytes.size);
    return add_bytes(p, line, "\r\n");
}

static pp_status read_last_chunk(parser *p)
{
    pp_buf_clear(&p->bytes);
    return add_bytes(p, "0\r\n\r\n", "");
}

static pp_status read_number(parser *p, const char *what, int64_t max, int64_t *ret_value)
{
    char digits[24];
    pp_text word = next_word(p);
    pp_error err = {0};

    (void)snprintf(digits, sizeof digits, "%.*s", (int)word.size, word.data);
    if (pp_parse_int(digits, what, 1, max, ret_value, &err) != PP_OK)
        return FAIL(p, "%s", err.text);
    return PP_OK;
}

static pp_status read_pause(parser *p)
{
    char value[32];
    pp_text word = next_word(p);
    pp_sim_tape_step step = {.act = PP_SIM_TAPE_PAUSE};
    pp_error err = {0};

    (void)snprintf(value, sizeof value, "%.*s", (int)word.size, word.data);
    if (pp_parse_duration(value, "pause", &step.number, &err) != PP_OK)
        return FAIL(p, "%s", err.text);
    return add_step(p, step);
}

static pp_status read_repeat(parser *p)
{
    pp_sim_tape_step step = {.act = PP_SIM_TAPE_REPEAT};
    pp_status st = read_number(p, "repeat", PP_SIM_TAPE_REPEAT_MAX, &step.number);

    if (st != PP_OK)
        return st;
    if (p->depth == PP_SIM_TAPE_MAX_NESTING)
        return FAIL(p, "more than %d repeats in one another", PP_SIM_TAPE_MAX_NESTING);
    p->repeats[p->depth++] = step_count(p);
    return add_step(p, step);
}

static pp_status read_end(parser *p)
{
    pp_sim_tape_step step = {.act = PP_SIM_TAPE_END};

    if (p->depth == 0)
        return FAIL(p, "'end' without a repeat");
    step.partner = p->repeats[--p->depth];
    if (step.partner + 1 == step_count(p))
        return FAIL(p, "nothing to repeat");
    step_at(p, step.partner)->partner = step_count(p);
    return add_step(p, step);
}

static pp_status read_last_act(parser *p, pp_sim_tape_act act)
{
    pp_status st;

    if (p->depth > 0)
        return FAIL(p, "close, reset and hold cannot be repeated");
    st = add_step(p, (pp_sim_tape_step){.act = act});
    p->is_over = true;
    return st;
}

static pp_status read_close(parser *p)
{
    return read_last_act(p, PP_SIM_TAPE_CLOSE);
}

static pp_status read_reset(parser *p)
{
    return read_last_act(p, PP_SIM_TAPE_RESET);
}

static pp_status read_hold(parser *p)
{
    return read_last_act(p, PP_SIM_TAPE_HOLD);
}

/* ---- sections -------------------------------------------------------------------------------- */

static pp_status close_section(parser *p)
{
    size_t n = step_count(p);

    if (!p->is_open)
        return PP_OK;
    if (p->depth > 0)
        return FAIL(p, "a repeat without its end");
    if (n == 0)
        return FAIL(p, "a section without any step");
    p->open.steps = PP_ARENA_NEW(p->arena, pp_sim_tape_step, n);
    if (p->open.steps == NULL)
        return pp_arena_check(p->arena, p->err);
    memcpy(p->open.steps, p->steps.data, n * sizeof(pp_sim_tape_step));
    p->open.step_count = n;
    pp_buf_append(&p->sections, &p->open, sizeof p->open);
    pp_buf_clear(&p->steps);
    p->is_open = false;
    return pp_buf_check(&p->sections, "sections of a tape", p->err);
}

static pp_status open_section(parser *p, pp_sim_tape_section section)
{
    const pp_sim_tape_section *before = (const pp_sim_tape_section *)(const void *)p->sections.data;

    for (size_t i = 0; i < p->sections.size / sizeof section; i++) {
        if (before[i].request == section.request && pp_text_equal(before[i].path, section.path))
            return FAIL(p, "there is a section for this already");
    }
    p->open = section;
    p->is_open = true;
    p->is_over = false;
    return PP_OK;
}

/* "each request", "request 3", "path /x", "path /x request 3" */
static pp_status read_for(parser *p)
{
    pp_sim_tape_section section = {0};
    pp_status st = close_section(p);
    pp_text word = next_word(p);

    if (st == PP_OK && pp_text_is(word, "path")) {
        word = next_word(p);
        if (word.size == 0 || word.data[0] != '/')
            return FAIL(p, "expected a path that begins with '/'");
        section.path = pp_text_dup(p->arena, word);
        word = next_word(p);
        if (word.size == 0)
            return open_section(p, section);
    }
    if (st == PP_OK && pp_text_is(word, "request"))
        st = read_number(p, "request", INT64_MAX, &section.request);
    else if (st == PP_OK && !(pp_text_is(word, "each") && pp_text_is(next_word(p), "request")))
        st = FAIL(p, "expected 'for each request', 'for request N' or 'for path /PATH'");
    return st == PP_OK ? open_section(p, section) : st;
}

static const struct {
    const char *word;
    pp_status (*read)(parser *p);
} verbs[] = {
    {"send", read_send},   {"chunk", read_chunk},   {"last-chunk", read_last_chunk},
    {"pause", read_pause}, {"repeat", read_repeat}, {"end", read_end},
    {"close", read_close}, {"reset", read_reset},   {"hold", read_hold},
};

static pp_status read_line(parser *p)
{
    pp_text word = next_word(p);
    pp_status st = PP_OK;

    if (word.size == 0)
        return PP_OK;
    if (pp_text_is(word, "for")) {
        st = read_for(p);
        return st == PP_OK ? expect_end(p) : st;
    }
    if (!p->is_open) /* steps in front of the first section */
        st = open_section(p, (pp_sim_tape_section){0});
    for (size_t i = 0; st == PP_OK && i < PP_COUNT_OF(verbs); i++) {
        if (pp_text_is(word, verbs[i].word)) {
            st = verbs[i].read(p);
            return st == PP_OK ? expect_end(p) : st;
        }
    }
    if (st != PP_OK)
        return st;
    return FAIL(p,
                "expected send, chunk, last-chunk, pause, repeat, end, close, reset, hold or for, "
                "got '%.*s'",
                (int)(word.size < 60 ? word.size : 60), word.data);
}

static pp_status read_lines(parser *p, pp_text text)
{
    pp_status st = PP_OK;
    const char *next = text.data;
    const char *last = text.data + text.size;

    while (st == PP_OK && next < last) {
        const char *lf = memchr(next, '\n', (size_t)(last - next));

        p->line++;
        p->at = next;
        p->end = lf == NULL ? last : lf;
        next = lf == NULL ? last : lf + 1;
        if (p->end > p->at && p->end[-1] == '\r')
            p->end--;
        st = read_line(p);
    }
    return st;
}

pp_status pp_sim_tape_parse(pp_arena *arena, const char *name, pp_text text, pp_sim_tape *ret_tape,
                            pp_error *err)
{
    parser p = {.arena = arena, .name = name, .err = err};
    pp_status st;

    pp_buf_init(&p.sections, PP_SIM_TAPE_MAX_BYTES);
    pp_buf_init(&p.steps, PP_SIM_TAPE_MAX_BYTES * 4);
    pp_buf_init(&p.bytes, PP_SIM_TAPE_MAX_BYTES);
    st = read_lines(&p, text);
    if (st == PP_OK)
        st = close_section(&p);
    if (st == PP_OK)
        st = pp_buf_check(&p.bytes, "strings of a tape", err);
    if (st == PP_OK && p.sections.size == 0)
        st = pp_fail(err, PP_ERR_SYNTAX, "%s: no step in it", name);
    if (st == PP_OK) {
        ret_tape->section_count = p.sections.size / sizeof(pp_sim_tape_section);
        ret_tape->sections = PP_ARENA_NEW(arena, pp_sim_tape_section, ret_tape->section_count);
        if (ret_tape->sections != NULL)
            memcpy(ret_tape->sections, p.sections.data, p.sections.size);
        st = pp_arena_check(arena, err);
    }
    pp_buf_done(&p.sections);
    pp_buf_done(&p.steps);
    pp_buf_done(&p.bytes);
    return st;
}

/* ---- playing --------------------------------------------------------------------------------- */

const pp_sim_tape_section *pp_sim_tape_find(const pp_sim_tape *tape, pp_text path, bool is_answer,
                                            int64_t request)
{
    const pp_sim_tape_section *found = NULL;
    int best = 0; /* a path counts more than a number, and a number more than none */

    for (size_t i = 0; i < tape->section_count; i++) {
        const pp_sim_tape_section *s = &tape->sections[i];
        int rank = 1 + (s->path.size > 0 ? 2 : 0) + (s->request > 0 ? 1 : 0);

        if (s->path.size > 0 ? !pp_text_equal(s->path, path) : !is_answer)
            continue;
        if ((s->request == 0 || s->request == request) && rank > best) {
            found = s;
            best = rank;
        }
    }
    return found;
}

const pp_sim_tape_step *pp_sim_tape_next(const pp_sim_tape_section *section,
                                         pp_sim_tape_place *place)
{
    while (place->step < section->step_count) {
        const pp_sim_tape_step *step = &section->steps[place->step++];

        if (step->act == PP_SIM_TAPE_REPEAT)
            place->left[place->depth++] = step->number - 1;
        else if (step->act != PP_SIM_TAPE_END)
            return step;
        else if (place->left[place->depth - 1]-- > 0)
            place->step = step->partner + 1;
        else
            place->depth--;
    }
    return NULL;
}
