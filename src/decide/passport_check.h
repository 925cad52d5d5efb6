/* passport_check.h - whether a passport says one thing throughout.
 *
 * A passport may come from a file. Before anything is printed from it, its arithmetic is done again
 * and every part is held against the others. What this cannot find is a passport that was made up
 * as a whole: only the inputs, whose digests it carries, can show that. */
#ifndef PP_DECIDE_PASSPORT_CHECK_H
#define PP_DECIDE_PASSPORT_CHECK_H

#include "json/json.h"

/* Numbers that are computed again may differ by this. */
#define PP_PASSPORT_RELATIVE_TOLERANCE 1e-9
#define PP_PASSPORT_ABSOLUTE_TOLERANCE 1e-9

/** Fails with PP_ERR_SCHEMA "$.path: ..." at the first thing that does not fit; PP_ERR_MEMORY. */
PP_MUST_CHECK pp_status pp_passport_check(const pp_json *passport, pp_error *err);

#endif
