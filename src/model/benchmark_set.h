/* benchmark_set.h - the candidates of one decision and what was measured of each.
 *
 * Reads and writes docs/formats/benchmark-set.md. The order of candidates is the document's; ids
 * are found through an index, so that thousands of candidates cost no more than a sort. */
#ifndef PP_MODEL_BENCHMARK_SET_H
#define PP_MODEL_BENCHMARK_SET_H

#include "digest/sha256.h"
#include "model/name_index.h"
#include "model/origin.h"
#include "json/json.h"

typedef struct pp_metric {
    pp_text name; /* not empty; its suffix names the unit */
    double value; /* finite */
} pp_metric;

typedef struct pp_candidate {
    pp_text id;
    pp_text label;             /* the id when the document gives none */
    const pp_json *parameters; /* free content, carried verbatim; NULL means {} */
    pp_metric *metrics;        /* sorted by name, unique, at least one */
    size_t metric_count;
} pp_candidate;

typedef struct pp_benchmark_set {
    pp_text baseline_id;
    pp_candidate *candidates; /* document order, at least one */
    size_t candidate_count;
    const pp_json *metadata; /* free content, carried verbatim; NULL means {} */
    bool synthetic;

    /* filled by pp_benchmark_set_finish and by reading */
    pp_name_index by_id;
    size_t baseline_index;
    /* The worst of what the document says: measured when not synthetic, else
     * metadata.synthetic_kind (unknown when that is none of our words); parameters.model.origin of
     * each candidate; emulated when metadata.host.platform says so */
    pp_origin origin;
} pp_benchmark_set;

/** Read a parsed document; names and values are borrowed from its arena, which must be `arena` or
 * outlive it. Fails with PP_ERR_SCHEMA "$.path: ...". */
PP_MUST_CHECK pp_status pp_benchmark_set_decode(pp_arena *arena, const pp_json *root,
                                                pp_benchmark_set *ret_set, pp_error *err);

/** Read a file. ret_sha256 is the digest of the very bytes that were parsed. */
PP_MUST_CHECK pp_status pp_benchmark_set_load(pp_arena *arena, const char *path,
                                              pp_benchmark_set *ret_set,
                                              char ret_sha256[PP_SHA256_HEX_SIZE], pp_error *err);

/**
 * Complete a set that a program has put together: fill in everything above the line in the struct,
 * metrics in any order, labels may be absent. Sorts the metrics in place and applies the rules of
 * the format; fails with PP_ERR_SCHEMA naming the candidate.
 */
PP_MUST_CHECK pp_status pp_benchmark_set_finish(pp_arena *arena, pp_benchmark_set *set,
                                                pp_error *err);

/** The document, metric values as reals. NULL when memory is short (the writer reports it). */
pp_json *pp_benchmark_set_to_json(pp_arena *arena, const pp_benchmark_set *set);

/** Real models on a real machine, by all that the set says of itself; anything else is synthetic in
 * the sense of the documents that have one flag for it. */
bool pp_benchmark_set_is_measured(const pp_benchmark_set *set);

/** Index of a candidate, PP_NOT_FOUND when there is none of this id. */
size_t pp_benchmark_set_find(const pp_benchmark_set *set, pp_text id);

/** Value of a metric, NULL when the candidate has none of this name. */
const double *pp_candidate_find_metric(const pp_candidate *candidate, pp_text name);

#endif
