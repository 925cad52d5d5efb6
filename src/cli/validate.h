/* validate.h - what a file holds, and whether it holds what its kind demands. */
#ifndef PP_CLI_VALIDATE_H
#define PP_CLI_VALIDATE_H

#include "digest/sha256.h"
#include "intake/bench_evidence.h"
#include "model/document_kinds.h"
#include "model/sample.h"
#include "model/suite.h"

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
    bool was_made_again;      /* a load report, from samples */
    const char *difference;   /* where it is not what follows from them */
    bool was_made_of_answers; /* a suite's report, from its recorded answers */
    bool was_matched_again;   /* and these by the suite */
    pp_text *differences;     /* every place where it is not what follows from them */
    size_t difference_count;
    size_t issue_count;           /* what speaks against rows of llama-bench as evidence */
    const pp_json *llama_bench;   /* docs/formats/validation.md */
    const pp_json *benchmark_set; /* docs/formats/validation.md */
} pp_validated;

/* What files are held against. */
typedef struct pp_validate_options {
    pp_bench_expectation bench;
    bool has_load_samples; /* load reports are made again from these */
    const pp_sample *load_samples;
    size_t load_sample_count;
    bool has_suite; /* answers of suites' reports are matched by this one */
    pp_suite suite;
    char suite_sha256[PP_SHA256_HEX_SIZE], suite_content_sha256[PP_SHA256_HEX_SIZE];
} pp_validate_options;

/** The samples of a load, from a file of JSON Lines. Fails as pp_file_read and pp_samples_parse. */
PP_MUST_CHECK pp_status pp_validate_read_samples(pp_arena *arena, const char *path,
                                                 pp_validate_options *options, pp_error *err);

/** The suite of reports. Fails as pp_suite_load. */
PP_MUST_CHECK pp_status pp_validate_read_suite(pp_arena *arena, const char *path,
                                               pp_validate_options *options, pp_error *err);

/** Check one file. A file that is invalid is a result; fails only when memory is short. */
PP_MUST_CHECK pp_status pp_validate_file(pp_arena *arena, const char *path,
                                         const pp_validate_options *options,
                                         pp_validated *ret_validated, pp_error *err);

#endif
