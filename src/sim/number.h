/* number.h - inside sim/ only: values of options, strictly read. */
#ifndef PP_SIM_NUMBER_H
#define PP_SIM_NUMBER_H

#include <stdint.h>

#include "base/error.h"

/** A decimal number such as 0.25, min to max, nothing around it. PP_ERR_USAGE naming `what`. */
PP_MUST_CHECK pp_status pp_sim_number_parse(const char *text, const char *what, double min,
                                            double max, double *ret_value, pp_error *err);

/** "10s:2s". */
PP_MUST_CHECK pp_status pp_sim_two_durations_parse(const char *text, const char *what,
                                                   int64_t *ret_first_ns, int64_t *ret_second_ns,
                                                   pp_error *err);

#endif
