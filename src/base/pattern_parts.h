/* pattern_parts.h - inside base/pattern*.c only: an expression as a tree and as a program. */
#ifndef PP_BASE_PATTERN_PARTS_H
#define PP_BASE_PATTERN_PARTS_H

#include "base/pattern.h"

typedef struct pattern_range {
    long first, last; /* code points; both count */
} pattern_range;

/* Which characters one place takes. */
typedef struct pattern_set {
    pattern_range *ranges;
    size_t count;
    bool negated;
} pattern_set;

typedef enum pattern_kind {
    PATTERN_SET,
    PATTERN_BEGIN,
    PATTERN_END,
    PATTERN_SEQUENCE,    /* left, then right */
    PATTERN_ALTERNATIVE, /* left or right */
    PATTERN_REPEAT       /* left, least to most times */
} pattern_kind;

#define PATTERN_NO_CEILING (-1)

typedef struct pattern_node {
    pattern_kind kind;
    pattern_set set;
    const struct pattern_node *left, *right;
    int least, most;
} pattern_node;

typedef enum pattern_op {
    PATTERN_OP_SET,   /* take a character, go on at the next step */
    PATTERN_OP_BEGIN, /* go on at the next step where the text begins */
    PATTERN_OP_END,
    PATTERN_OP_SPLIT, /* go on at both */
    PATTERN_OP_JUMP,  /* go on at `a` */
    PATTERN_OP_DONE
} pattern_op;

typedef struct pattern_step {
    pattern_op op;
    const pattern_set *set;
    size_t a, b;
} pattern_step;

struct pp_pattern {
    pattern_step steps[PP_PATTERN_MAX_STATES];
    size_t count;
};

/** pattern_read.c: the tree of an expression. */
PP_MUST_CHECK pp_status pattern_read(pp_arena *arena, pp_text source, const pattern_node **ret_root,
                                     pp_error *err);

#endif
