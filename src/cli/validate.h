/* validate.h - what a file holds, and whether it holds what its kind demands. */
#ifndef PP_CLI_VALIDATE_H
#define PP_CLI_VALIDATE_H

#include "digest/sha256.h"
#include "intake/bench_evidence.h"
#include "model/document_kinds.h"

/* Texts are in the arena; NULL where there is nothing to say. */
typedef struct pp_validated {
    const char *path;
    bool valid;
    const char *kind; /* name of the document, or "llama-bench" */
    const char *version;
    const char *holds;   /* in a few words; only when valid */
    const char *problem; /* only when invalid */
    bool has_sha256;     /* of the bytes that were checked */
    char sha256[PP_SHA256_HEX_SIZE];
    size_t issue_count;           /* what speaks against rows of llama-bench as evidence */
    const pp_json *llama_bench;   /* docs/formats/validation.md */
    const pp_json *benchmark_set; /* docs/formats/validation.md */
} pp_validated;

/** Check one file. A file that is invalid is a result; fails only when memory is short. */
PP_MUST_CHECK pp_status pp_validate_file(pp_arena *arena, const char *path,
                                         const pp_bench_expectation *expected,
                                         pp_validated *ret_validated, pp_error *err);

#endif
