/* constraints.h - what a decision must respect and what it prefers.
 *
 * Reads docs/formats/constraints.md: schema 1.0, which carries no schema_version, and 2.0, which
 * may say that quality was not measurable. */
#ifndef PP_MODEL_CONSTRAINTS_H
#define PP_MODEL_CONSTRAINTS_H

#include "digest/sha256.h"
#include "model/name_index.h"
#include "json/json.h"

typedef enum pp_direction {
    PP_DIRECTION_MIN, /* less is better */
    PP_DIRECTION_MAX
} pp_direction;

typedef enum pp_constraints_schema { PP_CONSTRAINTS_1_0, PP_CONSTRAINTS_2_0 } pp_constraints_schema;

typedef struct pp_limit {
    pp_text metric;
    double value; /* in the metric's unit */
} pp_limit;

typedef struct pp_goal {
    pp_text metric;
    pp_direction direction;
} pp_goal;

typedef struct pp_constraints {
    pp_constraints_schema schema;
    bool quality_not_measurable;  /* 2.0 only; the two fields below then mean nothing */
    double min_quality_retention; /* 0 to 1, of the baseline's quality */
    pp_text quality_metric;
    pp_limit *max_values; /* document order, which the list of violations follows */
    size_t max_value_count;
    pp_limit *min_values;
    size_t min_value_count;
    pp_goal objective;
    pp_goal *frontier_metrics; /* document order, at least one; holds the objective */
    size_t frontier_metric_count;
    double objective_tolerance_percent; /* 0 to 100, of the best value */
    pp_text *preference_order;          /* candidate ids, best first */
    size_t preference_count;
} pp_constraints;

/** "min" or "max" */
const char *pp_direction_name(pp_direction direction);

/** Metric and direction of an object that its table has checked; the text is borrowed. */
pp_goal pp_goal_decode(const pp_json *from);

/** The frontier metric of this name, NULL when there is none. */
const pp_goal *pp_constraints_find_goal(const pp_constraints *constraints, pp_text metric);

/** Read a parsed document; texts are borrowed from it. Fails with PP_ERR_SCHEMA "$.path: ...". */
PP_MUST_CHECK pp_status pp_constraints_decode(pp_arena *arena, const pp_json *root,
                                              pp_constraints *ret_constraints, pp_error *err);

/** Read a file. ret_sha256 is the digest of the very bytes that were parsed. */
PP_MUST_CHECK pp_status pp_constraints_load(pp_arena *arena, const char *path,
                                            pp_constraints *ret_constraints,
                                            char ret_sha256[PP_SHA256_HEX_SIZE], pp_error *err);

/**
 * The document with every default filled in and values as reals, as a recommendation repeats it.
 * 2.0 also carries schema_version and quality; where quality is not measurable,
 * min_quality_retention and quality_metric are null.
 */
pp_json *pp_constraints_to_json(pp_arena *arena, const pp_constraints *constraints);

#endif
