/* published_load.h - the load sweep that the original published, rebuilt from the samples that its
 * page prints.
 *
 * Read in place from "published/load-sweep.json"; the running test is skipped where that is absent.
 * Plan and command lines are proven by the digests that were published. */
#ifndef PP_TESTS_PUBLISHED_LOAD_H
#define PP_TESTS_PUBLISHED_LOAD_H

#include "model/load_evaluation.h"

typedef struct published_load {
    pp_arena arena;
    const pp_json *figures; /* load-sweep.json */
    pp_load_plan plan;
    pp_load_evaluation evaluations[4];
    size_t count;
} published_load;

/** Ended by pp_arena_done(&load->arena). */
void published_load_build(published_load *load);

/** A member of the fixture, which must be there. */
const pp_json *published_load_find(const pp_json *object, const char *key);

#endif
