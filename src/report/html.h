/* html.h - one decision as one self-contained page.
 *
 * Works for any valid benchmark set: what is absent reads "not measured" or "not recorded", or its
 * section is left out. The page holds no script, no address and no date; the same input gives the
 * same bytes. What it shows: docs/formats/report.md. */
#ifndef PP_REPORT_HTML_H
#define PP_REPORT_HTML_H

#include "decide/decision.h"
#include "decide/recommendation.h"

/* 5,000 candidates with their parameters need about 30 MiB. */
#define PP_REPORT_MAX_BYTES ((size_t)128 << 20)

typedef struct pp_report_input { /* everything is borrowed */
    const pp_benchmark_set *set;
    const pp_constraints *constraints;
    const pp_decision *decision; /* of this set and these constraints */
    pp_fingerprints fingerprints;
    const char *tool_version; /* "1.2.3" */
} pp_report_input;

/**
 * Append the page to `out`. Fails with PP_ERR_MEMORY, PP_ERR_LIMIT when `out` is full, or
 * PP_ERR_DOMAIN when parameters hold a number that is not finite.
 */
PP_MUST_CHECK pp_status pp_report_html(pp_arena *arena, const pp_report_input *input, pp_buf *out,
                                       pp_error *err);

#endif
