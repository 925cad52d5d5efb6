/* shared.h - what unit tests need again and again. */
#ifndef PP_TESTS_SHARED_H
#define PP_TESTS_SHARED_H

/* cmocka wants these four before its own header. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/error.h"

/** Fail with the error's text unless st is PP_OK. */
#define assert_ok(st, err)                                                                         \
    do {                                                                                           \
        if ((st) != PP_OK)                                                                         \
            fail_msg("unexpected failure: %s", (err).text);                                        \
    } while (0)

/** Fail with both texts unless `needle` stands in `text`. */
void assert_contains(const char *text, const char *needle);

/**
 * Refuse the first allocation of `run`, then the second, until it asks for no more: the test fails
 * unless every refused one is said as PP_ERR_MEMORY and the last run is PP_OK. `run` leaves nothing
 * behind. Returns how many were refused.
 */
unsigned long check_missing_memory(pp_status (*run)(const void *context, pp_error *err),
                                   const void *context);

/**
 * Path of a file in the original's data (PARETOPILOT_SHARED, default ../shared beside the source
 * tree). Where it is absent the running test is skipped with its reason printed.
 */
const char *shared_path_or_skip(pp_arena *arena, const char *relative);

/** Path of a file below tests/fixtures. */
const char *fixture_path(pp_arena *arena, const char *relative);

/** Text of a file below tests/fixtures. */
const char *fixture_text(pp_arena *arena, const char *relative);

/** `text` with the first `find`, which must occur, replaced by `with`. */
const char *changed_text(pp_arena *arena, const char *text, const char *find, const char *with);

/** A new empty folder for this test; removed with everything in it by remove_folder. */
const char *make_temp_folder(pp_arena *arena);
void remove_folder(const char *path);

#endif
