/* suite_maker.h - suites and results for tests, written as marks: one character for each case of a
 * pass, '+' matched, '-' missed, '?' no answer. */
#ifndef PP_TESTS_SUITE_MAKER_H
#define PP_TESTS_SUITE_MAKER_H

#include "quality/results.h"

/** As many cases as `groups` has characters: c1, c2, ... in groups "A", "B", ... as its letters
 * say;
 * '.' for none. The accepted answer of case n is "yes n". */
pp_suite make_suite(pp_arena *arena, const char *groups);

/** Results of each pass, in marks; NULL ends. Answers are "yes n" or "no n"; case n of pass p took
 * 100 p + n milliseconds. */
pp_suite_results make_results(pp_arena *arena, const pp_suite *suite, const char *const *passes);

#endif
