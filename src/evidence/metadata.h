/* metadata.h - inside evidence/ only: what a benchmark set says about its candidates beyond
 * metrics. */
#ifndef PP_EVIDENCE_METADATA_H
#define PP_EVIDENCE_METADATA_H

#include "evidence/figures.h"
#include "model/origin.h"

/* Documents that hold for the whole study. */
typedef struct pp_study_documents {
    const pp_json *host;
    const pp_json **engines;                /* one for each engine of the plan */
    const pp_json **models;                 /* one for each model of the plan */
    const struct pp_load_files *loads;      /* one for each candidate; NULL: the plan has none */
    const struct pp_load_files *plan_loads; /* the same by a load plan of the original */
    const pp_json *repeated_blocks;         /* [{block, rounds}], as the journal has them */
    char plan_sha256[PP_SHA256_HEX_SIZE];
} pp_study_documents;

/** Where figures of a model on this host come from: the worst of both. */
pp_origin pp_model_origin(const pp_json *model, const pp_json *host);

/** As it says of itself in a document "endpoint"; unknown where it says nothing, or is NULL. */
pp_origin pp_endpoint_origin(const pp_json *endpoint);

/**
 * Where figures of a candidate come from: by its model, or by what server or gateway said in all
 * passes; unknown where it never said anything.
 */
pp_origin pp_candidate_origin(const pp_study_plan *plan, const pp_study_documents *documents,
                              const pp_plan_candidate *candidate, const pp_pass_figures *passes);

/** The parameters object of a candidate. `passes` has plan->passes items, `all` their union. */
pp_json *pp_candidate_parameters(pp_arena *arena, const pp_study_plan *plan,
                                 const pp_study_documents *documents,
                                 const pp_plan_candidate *candidate, const pp_pass_figures *passes,
                                 const pp_figures *all);

/** The metadata object of the set. `passes` is candidate-major: [candidate * plan->passes +
 * pass-1]. */
pp_json *pp_set_metadata(pp_arena *arena, const pp_study_plan *plan,
                         const pp_study_documents *documents, const pp_pass_figures *passes,
                         pp_origin origin);

#endif
