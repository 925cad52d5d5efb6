/* page_beside.h - the whole of what a page of very many candidates leaves out, as documents beside
 * it: the set as it was read, and what became of each candidate. docs/cli/report.md. */
#ifndef PP_CLI_PAGE_BESIDE_H
#define PP_CLI_PAGE_BESIDE_H

#include "cli/inputs.h"

typedef enum pp_beside { PP_BESIDE_SET, PP_BESIDE_DETAILS, PP_BESIDE_COUNT } pp_beside;

typedef struct pp_page_beside {
    bool is_needed; /* false: the page names every candidate, and nothing of this is filled */
    const char *paths[PP_BESIDE_COUNT];
    pp_buf texts[PP_BESIDE_COUNT];
} pp_page_beside;

/**
 * Make them for the page at `page_path`, whose end they replace ("report.html" gives
 * "report.benchmark-set.json"). Writes nothing. The caller ends it in any case.
 *
 * Fails with PP_ERR_IO, or PP_ERR_DOMAIN when the set is no longer the file that was read.
 */
PP_MUST_CHECK pp_status pp_page_beside_make(pp_inputs *inputs, const char *page_path,
                                            pp_page_beside *ret_beside, pp_error *err);
void pp_page_beside_done(pp_page_beside *beside);

/** Write them as new files, both or, when a name is taken, none. */
PP_MUST_CHECK pp_status pp_page_beside_write(const pp_page_beside *beside, pp_error *err);

#endif
