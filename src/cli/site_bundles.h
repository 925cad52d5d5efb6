/* site_bundles.h - bundles as the pages about several of them need them: each verified, decided and
 * read in this call. What is wrong with one of them is said on the page and stops no other. */
#ifndef PP_CLI_SITE_BUNDLES_H
#define PP_CLI_SITE_BUNDLES_H

#include "cli/inputs.h"
#include "cli/site_scan.h"
#include "report/site.h"

typedef struct pp_site_source {
    pp_inputs inputs; /* the bundle's; has an arena of its own */
    pp_report_input page;
    char page_name[PP_SITE_NAME_MAX];
} pp_site_source;

typedef struct pp_site_bundles {
    pp_site_source *sources; /* must not move: the bundles point into it */
    pp_site_bundle *bundles;
    size_t count;
} pp_site_bundles;

/**
 * Load all of `found`. Fails only when memory is short or by a mistake of ours. The caller ends
 * it in any case.
 *
 * has_pages   give each that has a decision the name of its page
 */
PP_MUST_CHECK pp_status pp_site_bundles_load(pp_arena *arena, const pp_found_bundle *found,
                                             size_t count, bool has_pages,
                                             pp_site_bundles *ret_bundles, pp_error *err);
void pp_site_bundles_done(pp_site_bundles *bundles);

/** A line for each on standard output: its evidence, its name and its page. */
void pp_site_bundles_print(const pp_site_bundles *bundles);

/** PP_EXIT_NO when something in one of them differs or none has a decision, else
 * PP_EXIT_COULD_NOT_TELL when one could not be verified, else PP_EXIT_YES. */
pp_exit pp_site_bundles_exit(const pp_site_bundles *bundles);

#endif
