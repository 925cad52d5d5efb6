/* page_facts.h - what a page shows of a bundle beside its documents: its plan, and every attempt at
 * a measuring step with its samples and its noise. */
#ifndef PP_EVIDENCE_PAGE_FACTS_H
#define PP_EVIDENCE_PAGE_FACTS_H

#include "evidence/verify.h"
#include "report/bundle.h"

/**
 * Read the plan and the runs of a bundle. Everything lives in `arena`.
 *
 * name           of the folder, as commands on the page write it
 * verification   of the same call, its folder without a slash at its end; borrowed by the result
 *
 * What cannot be read is left out and named in `unread`: whether the bundle is sound is the
 * verification's business. Fails with PP_ERR_DOMAIN when a file is no longer the one that was
 * hashed, else with PP_ERR_MEMORY alone.
 */
PP_MUST_CHECK pp_status pp_page_facts_read(pp_arena *arena, pp_text name,
                                           const pp_verification *verification,
                                           pp_report_bundle *ret_bundle, pp_error *err);

#endif
