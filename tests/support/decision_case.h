/* decision_case.h - the recorded decisions of the original, read and decided by us.
 *
 * For tests that link decide. A case is one line of original/cases/decision.jsonl.gz. */
#ifndef PP_TESTS_DECISION_CASE_H
#define PP_TESTS_DECISION_CASE_H

#include "decide/decision.h"

typedef struct decision_case {
    pp_arena *arena; /* ends with the case */
    const char *id;
    const pp_json *row;                        /* the whole line */
    const pp_json *expected;                   /* of the command that is asked about */
    bool readable;                             /* both inputs are files that can be read */
    pp_text benchmarks_text, constraints_text; /* when readable */
    pp_benchmark_set set;
    pp_constraints constraints;
    pp_decision decision;
    pp_status status; /* of reading and deciding; PP_ERR_NO_WINNER when nothing is eligible */
    pp_error err;
} decision_case;

/**
 * Read every case, decide it, and call `check` with it. Skips the running test when the file is
 * absent. `command` names the run that `expected` shows: "recommend", "passport", ...
 * Returns the number of cases.
 */
size_t each_decision_case(const char *command, void (*check)(decision_case *c, void *context),
                          void *context);

/* What a test does with the cases that we decide. Both fail the test that runs. */
typedef struct case_replay {
    const char *command;
    void (*compare)(decision_case *c); /* the original accepts the case, too */
    void (*make)(decision_case *c);    /* the original refuses it: only that ours can be made */
} case_replay;

/**
 * Hold every case against what the original did, skip as above. Each case may end in one way: as
 * the original's did, or, where the tables of decision_case.c say so, as those say; a refusal is
 * for the same class of reason and with a word about it. Prints how many ended in which way.
 */
void replay_decision_cases(const case_replay *replay);

/** Digests of both inputs, in the case's arena. */
void case_fingerprints(decision_case *c, const char **ret_benchmarks, const char **ret_constraints);

#endif
