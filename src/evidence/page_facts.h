/* page_facts.h - what a page shows of a bundle beside its documents: its plan, and every attempt at
 * a measuring step with its samples and its noise. */
#ifndef PP_EVIDENCE_PAGE_FACTS_H
#define PP_EVIDENCE_PAGE_FACTS_H

#include "evidence/verify.h"
#include "report/bundle.h"

/**
 * Read the plan and the runs of the bundle in `folder`. Everything lives in `arena`.
 *
 * folder         without a slash at its end
 * verification   of the same folder, in the same call; borrowed by the result
 * name           of the folder, as commands on the page write it
 *
 * What cannot be read is left out and named in `unread`: whether the bundle is sound is the
 * verification's business. Fails with PP_ERR_MEMORY alone.
 */
PP_MUST_CHECK pp_status pp_page_facts_read(pp_arena *arena, const char *folder, pp_text name,
                                           const pp_verification *verification,
                                           pp_report_bundle *ret_bundle, pp_error *err);

#endif
