/* report_bundle.h - a page about a whole bundle: verified in the same call, every document of it
 * read without being named. */
#ifndef PP_CLI_REPORT_BUNDLE_H
#define PP_CLI_REPORT_BUNDLE_H

#include "cli/report_extras.h"
#include "evidence/verify.h"

/* Must not move: `documents` points into it. */
typedef struct pp_bundle_page {
    const char *folder; /* as it was given, without a slash at its end */
    pp_verification verification;
    pp_report_bundle bundle;
    pp_report_documents documents;
} pp_bundle_page;

/** Name the folder and verify it. Everything lives in the arena of `inputs`. Fails as pp_verify. */
PP_MUST_CHECK pp_status pp_bundle_page_verify(const char *folder, pp_inputs *inputs,
                                              pp_bundle_page *ret_page, pp_error *err);

/**
 * Decide as the documents of a bundle that was checked say, and read what stands beside them.
 *
 * Fails with PP_ERR_UNAVAILABLE when its study has not come to a decision; with the reader's status
 * when a document cannot be read.
 */
PP_MUST_CHECK pp_status pp_bundle_page_read(pp_bundle_page *page, pp_inputs *inputs, pp_error *err);

/** Both, one after the other. */
PP_MUST_CHECK pp_status pp_bundle_page_load(const char *folder, pp_inputs *inputs,
                                            pp_bundle_page *ret_page, pp_error *err);

/** PP_OK when it was verified; else a failure with the verdict and the first finding in words. For
 * after the page was written. */
pp_status pp_bundle_page_verdict(const pp_bundle_page *page, pp_error *err);

#endif
