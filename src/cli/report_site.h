/* report_site.h - `report --index`: a static site over every bundle below a folder.
 *
 * An index by machine, models and work, a page for each bundle, and a page with the bundles of one
 * group side by side (report/site.h). Each bundle is verified in the same call. */
#ifndef PP_CLI_REPORT_SITE_H
#define PP_CLI_REPORT_SITE_H

#include "cli/command.h"

/**
 * Find the bundles below `folder`, verify each and write the site as the new folder `output`, as a
 * whole or not at all. Prints a line for each bundle.
 *
 * ret_exit   that of pp_site_bundles_exit; the site is written whatever it is
 *
 * Fails with PP_ERR_IO when there is no such folder, and with PP_ERR_EXISTS when `output` is there
 * and not an empty folder; both before anything is read.
 */
PP_MUST_CHECK pp_status pp_report_site(const char *folder, const char *output, bool is_shown,
                                       pp_exit *ret_exit, pp_error *err);

#endif
