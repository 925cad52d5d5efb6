/* quality_binding.h - which server of a capacity study gave which answers: the original's wrapper
 * around a server evaluation, `capacity-quality-binding`.
 *
 * Pure. docs/formats/capacity-quality-binding.md describes the document. */
#ifndef PP_CAPACITY_QUALITY_BINDING_H
#define PP_CAPACITY_QUALITY_BINDING_H

#include "model/load_evaluation.h"
#include "quality/quality_gate.h"

typedef struct pp_quality_binding {
    pp_text candidate_id;
    int64_t server_parallel; /* slots: 1, 2 or 4 */
    pp_text run_id;          /* of the study */
    int64_t run_attempt;
    pp_text request_base_url;
    pp_server_argv argv;
    /* Of the files: nothing in the document proves them. */
    char evaluation_sha256[PP_SHA256_HEX_SIZE];
    char server_command_sha256[PP_SHA256_HEX_SIZE];
    const pp_json *evaluation_json; /* as it was read; borrowed */

    /* These follow from the ones above. */
    pp_server_evaluation evaluation;
    char evaluation_content_sha256[PP_SHA256_HEX_SIZE];
    char server_command_content_sha256[PP_SHA256_HEX_SIZE];
    char server_argv_sha256[PP_SHA256_HEX_SIZE];
} pp_quality_binding;

/* What is bound; borrowed, and so is what the binding holds. */
typedef struct pp_quality_binding_source {
    pp_text candidate_id;
    int64_t server_parallel;
    pp_text run_id;
    int64_t run_attempt;
    pp_text request_base_url;  /* as it was given */
    const pp_json *evaluation; /* the parsed file */
    const char *evaluation_sha256;
    pp_server_argv argv;               /* from a file that holds schema_version and argv alone */
    const char *server_command_sha256; /* of that file */
} pp_quality_binding_source;

/**
 * Bind an evaluation to the server that answered.
 *
 * Fails with PP_ERR_SCHEMA as pp_server_evaluation_read; with PP_ERR_DOMAIN when the evaluation is
 * of another candidate or synthetic, --parallel is not server_parallel, or the address is none of
 * this server.
 */
PP_MUST_CHECK pp_status pp_quality_binding_build(pp_arena *arena,
                                                 const pp_quality_binding_source *source,
                                                 pp_quality_binding *ret_binding, pp_error *err);

/** The document. NULL when memory is short (the writer reports it). */
pp_json *pp_quality_binding_to_json(pp_arena *arena, const pp_quality_binding *binding);

/**
 * Read a parsed document and make again what follows from the rest. Texts are borrowed from `root`.
 * Fails with PP_ERR_SCHEMA "$.path: expected ..., got ...", or as pp_quality_binding_build.
 */
PP_MUST_CHECK pp_status pp_quality_binding_read(pp_arena *arena, const pp_json *root,
                                                pp_quality_binding *ret_binding, pp_error *err);

/**
 * Whether evaluation and command line are what the two bound files hold, as far as the digests
 * tell: an unequal one may also mean that a file was laid out otherwise.
 */
bool pp_quality_binding_proves_files(const pp_quality_binding *binding);

/* What a capacity study says about every one of its bindings; borrowed. */
typedef struct pp_quality_binding_study {
    pp_text run_id;
    int64_t run_attempt;
    const char *suite_sha256; /* as the plan pins it */
    int64_t slot_context_tokens;
    pp_server_argv frozen;       /* the candidate's command line with one slot */
    const pp_server_argv *loads; /* of this candidate with as many slots, one for each pass */
    size_t load_count;
} pp_quality_binding_study;

/**
 * Whether a binding is of this study: its run, its suite, its context for every slot, and a server
 * that ran as those under load did, but for the port. Fails with PP_ERR_DOMAIN.
 */
PP_MUST_CHECK pp_status pp_quality_binding_check(const pp_quality_binding *binding,
                                                 const pp_quality_binding_study *study,
                                                 pp_error *err);

/**
 * What pp_quality_checks judges of a binding.
 * input_sha256, content_sha256    of the wrapper's file, and in canonical form
 * Lives in `arena` and borrows from the binding; arena->failed when memory is short.
 */
pp_quality_source pp_quality_source_of_binding(pp_arena *arena, const pp_quality_binding *binding,
                                               const char *input_sha256,
                                               const char *content_sha256);

#endif
