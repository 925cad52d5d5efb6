/* An expression becomes a program of few kinds of steps; a text is run through all states that the
 * program can be in at once, so no choice is ever taken back (Thompson 1968). */
#include "base/pattern.h"

#include <string.h>

#include "base/pattern_parts.h"

/* ---- making the program ------------------------------------------------------------------------
 */

typedef struct maker {
    pp_pattern *program;
    bool full;
} maker;

/* Where the step stands; after the ceiling, steps are lost and `full` says so. */
static size_t put(maker *m, pattern_op op, const pattern_set *set)
{
    if (m->program->count == PP_PATTERN_MAX_STATES) {
        m->full = true;
        return 0;
    }
    m->program->steps[m->program->count] = (pattern_step){.op = op, .set = set};
    return m->program->count++;
}

static void emit(maker *m, const pattern_node *node);

static void emit_alternative(maker *m, const pattern_node *node)
{
    size_t split = put(m, PATTERN_OP_SPLIT, NULL);
    size_t jump;

    emit(m, node->left);
    jump = put(m, PATTERN_OP_JUMP, NULL);
    m->program->steps[split].a = split + 1;
    m->program->steps[split].b = m->program->count;
    emit(m, node->right);
    m->program->steps[jump].a = m->program->count;
}

static void emit_optional(maker *m, const pattern_node *node)
{
    size_t split = put(m, PATTERN_OP_SPLIT, NULL);

    emit(m, node);
    m->program->steps[split].a = split + 1;
    m->program->steps[split].b = m->program->count;
}

static void emit_any_number(maker *m, const pattern_node *node)
{
    size_t split = put(m, PATTERN_OP_SPLIT, NULL);
    size_t jump;

    emit(m, node);
    jump = put(m, PATTERN_OP_JUMP, NULL);
    m->program->steps[jump].a = split;
    m->program->steps[split].a = split + 1;
    m->program->steps[split].b = m->program->count;
}

/* Every node makes a step, so the ceiling of steps bounds the time as well. */
static void emit_repeat(maker *m, const pattern_node *node)
{
    int i = 0;

    for (; i < node->least && !m->full; i++)
        emit(m, node->left);
    if (node->most == PATTERN_NO_CEILING)
        emit_any_number(m, node->left);
    for (; i < node->most && !m->full; i++)
        emit_optional(m, node->left);
}

static void emit(maker *m, const pattern_node *node)
{
    if (m->full)
        return;
    switch (node->kind) {
    case PATTERN_SET:
        (void)put(m, PATTERN_OP_SET, &node->set);
        return;
    case PATTERN_BEGIN:
        (void)put(m, PATTERN_OP_BEGIN, NULL);
        return;
    case PATTERN_END:
        (void)put(m, PATTERN_OP_END, NULL);
        return;
    case PATTERN_SEQUENCE:
        emit(m, node->left);
        emit(m, node->right);
        return;
    case PATTERN_ALTERNATIVE:
        emit_alternative(m, node);
        return;
    case PATTERN_REPEAT:
        emit_repeat(m, node);
        return;
    }
}

pp_status pp_pattern_compile(pp_arena *arena, pp_text source, const pp_pattern **ret_pattern,
                             pp_error *err)
{
    const pattern_node *root;
    pp_status st = pattern_read(arena, source, &root, err);
    maker m = {0};

    if (st != PP_OK)
        return st;
    m.program = PP_ARENA_NEW(arena, pp_pattern, 1);
    if (m.program == NULL)
        return pp_arena_check(arena, err);
    emit(&m, root);
    (void)put(&m, PATTERN_OP_DONE, NULL);
    if (m.full)
        return pp_fail(err, PP_ERR_LIMIT,
                       "byte 1: its repetitions multiply to more than %d places of a character",
                       PP_PATTERN_MAX_STATES);
    *ret_pattern = m.program;
    return PP_OK;
}

/* ---- running it --------------------------------------------------------------------------------
 */

typedef struct states {
    size_t at[PP_PATTERN_MAX_STATES];
    size_t count;
} states;

typedef struct machine {
    const pp_pattern *program;
    states lists[2];
    size_t todo[2 * PP_PATTERN_MAX_STATES]; /* a step puts two in its place, once a round */
    size_t seen[PP_PATTERN_MAX_STATES];     /* round in which a step was reached last */
    size_t round;
    bool begins, ends; /* of the text, at this place */
    bool done;
} machine;

static void reach(machine *m, states *list, size_t first)
{
    size_t n = 0;

    m->todo[n++] = first;
    while (n > 0) {
        size_t at = m->todo[--n];
        const pattern_step *step = &m->program->steps[at];

        if (m->seen[at] == m->round)
            continue;
        m->seen[at] = m->round;
        if (step->op == PATTERN_OP_SET) {
            list->at[list->count++] = at;
        } else if (step->op == PATTERN_OP_SPLIT) {
            m->todo[n++] = step->b;
            m->todo[n++] = step->a;
        } else if (step->op == PATTERN_OP_JUMP) {
            m->todo[n++] = step->a;
        } else if (step->op == PATTERN_OP_DONE) {
            m->done = m->ends;
        } else if (step->op == PATTERN_OP_BEGIN ? m->begins : m->ends) {
            m->todo[n++] = at + 1;
        }
    }
}

static bool takes(const pattern_set *set, long code)
{
    for (size_t i = 0; i < set->count; i++) {
        if (code >= set->ranges[i].first && code <= set->ranges[i].last)
            return !set->negated;
    }
    return set->negated;
}

static bool run(machine *m, pp_text text)
{
    states *now = &m->lists[0];
    states *next = &m->lists[1];
    size_t step;

    m->round = 1;
    m->begins = true;
    m->ends = text.size == 0;
    reach(m, now, 0);
    m->begins = false;
    for (size_t at = 0; at < text.size && now->count > 0; at += step) {
        long code = pp_utf8_next(text.data + at, text.size - at, &step);
        states *spent = now;

        m->round++;
        m->ends = at + step == text.size;
        next->count = 0;
        for (size_t i = 0; code >= 0 && i < now->count; i++) {
            if (takes(m->program->steps[now->at[i]].set, code))
                reach(m, next, now->at[i] + 1);
        }
        now = next;
        next = spent;
    }
    return m->done;
}

pp_status pp_pattern_match(pp_arena *arena, const pp_pattern *pattern, pp_text text,
                           bool *ret_matches, pp_error *err)
{
    machine *m = PP_ARENA_NEW(arena, machine, 1);

    if (m == NULL)
        return pp_arena_check(arena, err);
    m->program = pattern;
    *ret_matches = run(m, text);
    return PP_OK;
}
