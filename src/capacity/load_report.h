/* load_report.h - the document `load-report`: what was asked, what was seen, what follows.
 *
 * Everything that follows is computed anew from the samples by pp_load_report_again, so that a
 * report that was edited is found. docs/formats/load-report.md. */
#ifndef PP_CAPACITY_LOAD_REPORT_H
#define PP_CAPACITY_LOAD_REPORT_H

#include "capacity/drift.h"
#include "capacity/find.h"
#include "capacity/level_summary.h"
#include "capacity/saturation.h"
#include "model/origin.h"

/* Limits that were in force; absent where there was none. */
typedef struct pp_load_limits {
    pp_maybe_int connect_ns, first_token_ns, idle_ns, total_ns;
    pp_maybe_int body_bytes_max;
    pp_maybe_int drain_ns, idle_wait_ns; /* of a level */
} pp_load_limits;

typedef struct pp_load_report_run {
    pp_text tool_version;
    pp_text endpoint; /* written without user, password, query and fragment */
    pp_text dialect;  /* what the server speaks, "openai-chat" */
    pp_text model;    /* as asked for; empty: none was named */
    pp_text profile;  /* of the workload, "chat"; empty: none */
    pp_origin origin;
    uint64_t seed; /* below 2^63 */
    int64_t started_unix_ms;
    bool keep_alive;
    bool server_was_sleeping;     /* as it said before the load (B177) */
    pp_text server_recognised_by; /* what showed which dialect it speaks; empty: that was said */
    pp_load_limits limits;
} pp_load_report_run;

typedef struct pp_load_report_level {
    pp_load_level asked;
    pp_load_observed observed;
    pp_level_summary summary;
} pp_load_report_level;

typedef struct pp_load_report {
    pp_load_report_run run;
    pp_load_rules rules;
    pp_load_report_level *levels; /* in the order in which they ran; numbers ascend */
    size_t level_count;
    const pp_find_options *find; /* a search: each level is a probe of it; else NULL */
    bool is_partial; /* not all that was asked was done; an interrupted level says so as well */
} pp_load_report;

/** The part of an address that may be shown: scheme, host, port and path. In the arena. */
pp_text pp_endpoint_without_secrets(pp_arena *arena, pp_text endpoint);

/**
 * Saturation over the closed-loop levels that are valid and have a rate, in order of clients;
 * levels of equally many clients are averaged. ret_known is false when there are fewer than two.
 */
typedef struct pp_report_saturation {
    bool known;
    bool of_tokens;              /* rates are tokens per second, else requests per second */
    bool of_steady;              /* over steady windows, else over whole runs */
    pp_saturation_point *points; /* in the arena */
    size_t point_count;
    pp_saturation result;
} pp_report_saturation;

PP_MUST_CHECK pp_status pp_load_report_saturation(pp_arena *arena, const pp_load_report *report,
                                                  pp_report_saturation *ret_saturation,
                                                  pp_error *err);

/** The level that others' acceptance of drafts is held against: the first that has an interval for
 * it; NULL: none. */
const pp_load_report_level *pp_load_report_first_drafting(const pp_load_report *report);

/** Sets the notes that a level has because of another one: PP_NOTE_DRAFT_ACCEPTANCE_FELL where the
 * whole interval is below that of the first. Called once all levels are summarised. */
void pp_load_report_compare(pp_load_report *report);

/** Whether the last level asks what the first one asked, and what differs then; of no search. */
bool pp_load_report_drift(const pp_load_report *report, pp_drift *ret_drift);

/** What the levels of a search say; report->find must not be NULL. Fails with PP_ERR_DOMAIN when a
 * level has no verdict or there are more than PP_FIND_PROBES_MAX. */
PP_MUST_CHECK pp_status pp_load_report_find(const pp_load_report *report,
                                            pp_find_answer *ret_answer, pp_error *err);

/** The document. Fails with PP_ERR_DOMAIN for a seed of 2^63 or more, level numbers that do not
 * ascend, and as the two above; PP_ERR_MEMORY. */
PP_MUST_CHECK pp_status pp_load_report_make(pp_arena *arena, const pp_load_report *report,
                                            pp_json **ret_document, pp_error *err);

/**
 * What was asked and observed, without the summaries. Texts are borrowed from `root`.
 * Fails with PP_ERR_SCHEMA "$.path: ...", also where a demand does not say what its text says, and
 * where the counts of a level do not add up.
 */
PP_MUST_CHECK pp_status pp_load_report_decode(pp_arena *arena, const pp_json *root,
                                              pp_load_report *ret_report, pp_error *err);

/**
 * The document made again from a report's own statements of what was asked and observed, and from
 * the samples. Equal to `root` as JSON value when every figure and verdict follows from them.
 */
PP_MUST_CHECK pp_status pp_load_report_again(pp_arena *arena, const pp_json *root,
                                             const pp_sample *samples, size_t n,
                                             pp_json **ret_again, pp_error *err);

/** One level, as it stands in the document; NULL when memory is short. */
pp_json *pp_load_report_level_json(pp_arena *arena, const pp_load_report_level *level);

#endif
