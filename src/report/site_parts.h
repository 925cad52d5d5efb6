/* site_parts.h - inside report/ only: what the pages about several bundles write alike.
 *
 * A page of several decisions has a view without one: only the functions of view.h that write
 * texts, numbers and tables work on it; pp_site_view gives the view of one bundle for the others.
 */
#ifndef PP_REPORT_SITE_PARTS_H
#define PP_REPORT_SITE_PARTS_H

#include "report/site.h"
#include "report/view.h"

/* Foreign texts in these pages are cut: one name must not push all others off the page. */
#define PP_SITE_TEXT_CHARACTERS 160

/** A view of one bundle that writes to the same page. */
pp_view pp_site_view(const pp_view *page, const pp_site_bundle *bundle);

/** Foreign text, cut, apart from the direction of what stands beside it. */
void pp_site_put_text(const pp_view *v, pp_text text);

/** Title of the study, or the name of the bundle. */
pp_text pp_site_title(const pp_site_bundle *bundle);

/** <th scope="row"> with the title, linked where there is a page, and the name as code. */
void pp_site_put_head_cell(const pp_view *v, const pp_site_bundle *bundle);

/** What was selected, and whether it is the baseline; or that nothing is eligible. */
void pp_site_put_choice(const pp_view *v, const pp_site_bundle *bundle);

/** "verified: 12 files hashed, ..." or why not. */
void pp_site_put_evidence(const pp_view *v, const pp_site_bundle *bundle);

/** "AMD EPYC", or that the machine is not recorded. */
void pp_site_put_machine(const pp_view *v, const pp_site_place *place);

/** <dl> of facts; a sentence when there are none. */
void pp_site_put_facts(const pp_view *v, const pp_site_fact *facts, size_t count,
                       const char *absent);

/** May figures of this bundle stand beside others? Not when something in it differs. */
bool pp_site_has_figures(const pp_site_bundle *bundle);

/** The section of one group: what is alike, choices, settings, figures, the change of a pair.
 * `number` keeps ids and captions apart unless the group is alone on its page. */
PP_MUST_CHECK pp_status pp_site_put_group(const pp_view *v, const pp_site_group *group,
                                          size_t number, bool is_alone, pp_error *err);

#endif
