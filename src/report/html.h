/* html.h - one decision as one self-contained page.
 *
 * Works for any valid benchmark set: what is absent reads "not measured" or "not recorded", or its
 * section is left out. The page holds no script, no address and no date; the same input gives the
 * same bytes. What it shows: docs/formats/report.md. */
#ifndef PP_REPORT_HTML_H
#define PP_REPORT_HTML_H

#include "decide/decision.h"
#include "decide/profiles.h"
#include "decide/recommendation.h"
#include "decide/stability.h"
#include "model/load_evaluation.h"
#include "report/bundle.h"

/* 400 candidates with parameters of 64 KiB each still fit. */
#define PP_REPORT_MAX_BYTES ((size_t)128 << 20)

/* Candidates that tables and charts name at most; of more, those that matter most to the decision
 * are shown. */
#define PP_REPORT_MAX_SHOWN 400

#define PP_REPORT_MAX_LOADS PP_STUDY_MAX_CANDIDATES /* one of each */

typedef struct pp_load_document { /* a load report that was checked */
    pp_text name;                 /* for people: model and endpoint */
    const pp_json *root;
    const char *sha256; /* of the file; NULL when not known */
} pp_load_document;

/* What may stand beside a decision. NULL: not given; its section then says what would bring it. */
typedef struct pp_report_extras {
    const pp_profiles *profiles;             /* of the same set and constraints */
    const pp_combined_load_evaluation *load; /* of candidates of the set; one is enough here */
    const char *load_sha256;                 /* of the file; NULL when not known */
    const pp_load_document *load_documents;  /* at most PP_REPORT_MAX_LOADS */
    size_t load_document_count;
    const pp_stability *stability;
    const char *stability_sha256;
    const char *policies_sha256;
    const pp_report_bundle *bundle; /* NULL: a page about documents alone, which verified nothing */
} pp_report_extras;

typedef struct pp_report_input { /* everything is borrowed */
    const pp_benchmark_set *set;
    const pp_constraints *constraints;
    const pp_decision *decision; /* of this set and these constraints */
    pp_fingerprints fingerprints;
    const char *tool_version; /* "1.2.3" */
    const char *index_page;   /* file beside the page that leads to others; ours; NULL: none */
    pp_report_extras extras;
} pp_report_input;

/**
 * Append the page to `out`. Fails with PP_ERR_MEMORY, PP_ERR_LIMIT when `out` is full, or
 * PP_ERR_DOMAIN when parameters hold a number that is not finite.
 */
PP_MUST_CHECK pp_status pp_report_html(pp_arena *arena, const pp_report_input *input, pp_buf *out,
                                       pp_error *err);

/** The same sections, texts and tables as Markdown; charts are left to the page. */
PP_MUST_CHECK pp_status pp_report_markdown(pp_arena *arena, const pp_report_input *input,
                                           pp_buf *out, pp_error *err);

#endif
