/* units.h - values that carry their unit: "30s", "4096MiB". One form is accepted, others refused.
 */
#ifndef PP_BASE_UNITS_H
#define PP_BASE_UNITS_H

#include <stdint.h>

#include "base/error.h"

/** "250ms", "30s", "5m", "1.5h" -> nanoseconds, >= 0. `what` names the value in the error. */
PP_MUST_CHECK pp_status pp_parse_duration(const char *text, const char *what, int64_t *ret_ns,
                                          pp_error *err);

/** "512B", "64KiB", "4096MiB", "4GiB" -> bytes, >= 0. Powers of 1,024 only. */
PP_MUST_CHECK pp_status pp_parse_size(const char *text, const char *what, int64_t *ret_bytes,
                                      pp_error *err);

/** A decimal integer, no sign before digits other than '-', nothing behind it, min to max. */
PP_MUST_CHECK pp_status pp_parse_int(const char *text, const char *what, int64_t min, int64_t max,
                                     int64_t *ret_value, pp_error *err);

/** A decimal number such as 3 or 0.25: no sign, exponent or blanks; min to max. */
PP_MUST_CHECK pp_status pp_parse_number(const char *text, const char *what, double min, double max,
                                        double *ret_value, pp_error *err);

/** "3%", "0.5%" -> percent, >= 0. */
PP_MUST_CHECK pp_status pp_parse_percent(const char *text, const char *what, double *ret_percent,
                                         pp_error *err);

#endif
