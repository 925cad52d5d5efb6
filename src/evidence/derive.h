/* derive.h - from the raw files of a bundle to everything that is derived from them.
 *
 * The same code makes these documents when a study ends and makes them again when somebody checks
 * the bundle, so they can be compared byte by byte. Needs no network, no engine and no clock;
 * figures come from raw rows and samples, never from a summary that somebody wrote. */
#ifndef PP_EVIDENCE_DERIVE_H
#define PP_EVIDENCE_DERIVE_H

#include "decide/recommendation.h"
#include "model/study_plan.h"

/* Raised whenever the same raw files would give other documents. */
#define PP_DERIVATION_VERSION "6"

typedef struct pp_derived {
    pp_study_plan plan;
    const struct pp_load_files *loads;      /* one for each candidate; NULL: the plan has none */
    const struct pp_load_files *plan_loads; /* the same by a load plan of the original */
    const struct pp_load_evaluations *evaluations; /* of these */
    pp_benchmark_set set;
    pp_decision decision; /* has_winner may be false */
    pp_json *benchmark_set;
    pp_json *recommendation; /* NULL when nothing is eligible */
    pp_json *details;
    pp_json *quality_report; /* NULL without a suite */
    pp_json *passport;       /* NULL when nothing is eligible, as the receipt */
    const char *receipt;
    size_t receipt_size;
    pp_json *profiles; /* NULL without policies, or when `no_profiles` says why not */
    const char *no_profiles;
    pp_json **pass_sets; /* one for each pass */
    pp_json *stability;  /* NULL unless there are 2 to 8 passes and a metric that all have */
    pp_fingerprints fingerprints;
    char benchmarks_sha256[PP_SHA256_HEX_SIZE];
    char constraints_sha256[PP_SHA256_HEX_SIZE];
} pp_derived;

/**
 * Derive from the bundle in `folder`. Everything lives in `arena`; ret_derived must not move
 * afterwards (its decision points into it).
 *
 * A file of a run that failed or was never made is absent, and so are the figures that need it.
 * Fails with PP_ERR_IO, PP_ERR_SYNTAX, PP_ERR_SCHEMA or PP_ERR_DOMAIN naming the file.
 */
PP_MUST_CHECK pp_status pp_derive(pp_arena *arena, const char *folder, const char *tool_version,
                                  pp_derived *ret_derived, pp_error *err);

#endif
