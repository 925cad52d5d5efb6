/* site.h - several studies as a few pages: an index by machine, and bundles side by side.
 *
 * Bundles of one machine, the same models and the same work form a group. Figures stand beside each
 * other inside a group only: nothing is ranked, and nothing subtracted between machines. Pure as
 * all of report/: the same bundles give the same bytes. docs/cli/report.md. */
#ifndef PP_REPORT_SITE_H
#define PP_REPORT_SITE_H

#include "report/html.h"

#define PP_SITE_MAX_BYTES ((size_t)32 << 20) /* of one page */
#define PP_SITE_INDEX     "index.html"
#define PP_SITE_NAME_MAX  80 /* of a file name, with its end and a NUL */

typedef enum pp_site_evidence {
    PP_SITE_UNCHECKED, /* could not be checked */
    PP_SITE_UNDECIDED, /* nothing differs, but not all could be made again */
    PP_SITE_DIFFERS,   /* something in the bundle is not what it says it is */
    PP_SITE_VERIFIED
} pp_site_evidence;

/** "verified", "differs", "not verified" */
const char *pp_site_evidence_name(pp_site_evidence evidence);

typedef struct pp_site_bundle { /* everything is borrowed */
    pp_text name;               /* where it was found, below the folder that was read */
    const char *page;           /* file beside the index that shows it; ours; NULL: none */
    pp_site_evidence evidence;
    const char *reason;                      /* why it is not verified; NULL when it is */
    size_t hashed_count, journal_line_count; /* what the check looked at */
    size_t derived_count, finding_count;
    const char *sums_sha256;      /* names the whole bundle; NULL: not known */
    const pp_report_input *input; /* its decision; NULL: it has none, and `absent` says why */
    const char *absent;
} pp_site_bundle;

typedef struct pp_site_fact {
    const char *name; /* ours: "CPU" */
    pp_text text;     /* of the bundle */
} pp_site_fact;

#define PP_SITE_MAX_FACTS 16

/* Where and on what a bundle's figures were made. */
typedef struct pp_site_place {
    pp_site_fact machine[PP_SITE_MAX_FACTS]; /* no facts: not recorded */
    size_t machine_count;
    pp_text models; /* "Qwen2.5-1.5B-Instruct", several with ", " between */
    pp_site_fact work[PP_SITE_MAX_FACTS];
    size_t work_count;
    const char *machine_key; /* equal for equal machines alone; a SHA-256 */
    const char *key;         /* equal for bundles of one group alone; a SHA-256 */
} pp_site_place;

/**
 * Read from the metadata of a set. What is not recorded is equal to nothing: a bundle that does not
 * say its machine or its work is in a group of its own, for which `name` stands.
 */
PP_MUST_CHECK pp_status pp_site_place_of(pp_arena *arena, const pp_benchmark_set *set, pp_text name,
                                         pp_site_place *ret_place, pp_error *err);

typedef struct pp_site_group {
    pp_site_place place;
    const pp_site_bundle **members; /* in the order of the site */
    size_t member_count;
    char page[PP_SITE_NAME_MAX]; /* "group-<16 digits of its key>.html" */
} pp_site_group;

typedef struct pp_site {
    const pp_site_bundle *bundles; /* in the order in which they are shown */
    size_t bundle_count;
    const char *tool_version;
    pp_site_group *groups; /* by machine, then models and work */
    size_t group_count, machine_count;
} pp_site;

/** Groups of the bundles that have a decision. The bundles stay the caller's. */
PP_MUST_CHECK pp_status pp_site_make(pp_arena *arena, const pp_site_bundle *bundles, size_t count,
                                     const char *tool_version, pp_site *ret_site, pp_error *err);

/**
 * File name of a bundle's page: letters, digits and '-' of its name, in lower case and at most 40
 * of them, then '-', 16 digits of the SHA-256 of the whole name, and `end` (".html"). Other names
 * give other file names, and none needs escaping anywhere.
 */
PP_MUST_CHECK pp_status pp_site_page_name(pp_text name, const char *end,
                                          char ret_name[PP_SITE_NAME_MAX], pp_error *err);

/** The page that leads to all others. */
PP_MUST_CHECK pp_status pp_site_index(pp_arena *arena, const pp_site *site, pp_buf *out,
                                      pp_error *err);

/** The bundles of one group side by side, with a link back to the index. */
PP_MUST_CHECK pp_status pp_site_group_page(pp_arena *arena, const pp_site *site,
                                           const pp_site_group *group, pp_buf *out, pp_error *err);

/** All groups of a site on one page without links; says why they stand apart where there are
 * several. */
PP_MUST_CHECK pp_status pp_site_side_by_side(pp_arena *arena, const pp_site *site, pp_buf *out,
                                             pp_error *err);

#endif
