#include <stdint.h>
#include <string.h>

#include "intake/bench_compare.h"
#include "intake/bench_evidence.h"
#include "intake/bench_import.h"
#include "intake/bench_summary.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void import(const char *bytes, size_t size, pp_bench_format format)
{
    pp_arena arena = {0};
    pp_error err = {0};
    pp_bench_source source = {.path = pp_text_of("fuzz")};
    pp_bench_import imported;

    if (pp_bench_read(&arena, "fuzz", bytes, size, format, PP_BENCH_TOLERANT, &source.rows, &err) !=
        PP_OK) {
        PP_ASSERT(err.text[0] != '\0');
    } else if (pp_bench_import_rows(&arena, &source, 1, NULL, &imported, &err) == PP_OK) {
        PP_ASSERT(imported.set.candidate_count > 0);
        PP_ASSERT(imported.set.candidate_count <= source.rows.count);
        PP_ASSERT(imported.set.origin == PP_ORIGIN_IMPORTED);
    } else {
        PP_ASSERT(err.text[0] != '\0');
    }
    pp_arena_done(&arena);
}

/* The same file as both passes of a variant; what becomes a summary reads back as one. */
static void summarize(pp_arena *arena, const pp_bench_records *records)
{
    pp_bench_artifact passes[] = {{.label = pp_text_of("a"), .path = pp_text_of("a.jsonl")},
                                  {.label = pp_text_of("b"), .path = pp_text_of("b.jsonl")}};
    pp_error err = {0};
    pp_bench_variant variant;
    pp_json *document;

    memset(passes[0].sha256, '0', PP_SHA256_HEX_SIZE - 1);
    memset(passes[1].sha256, '0', PP_SHA256_HEX_SIZE - 1);
    passes[0].records = passes[1].records = *records;
    if (pp_bench_summarize(arena, pp_text_of("fuzz"), passes, PP_COUNT_OF(passes),
                           pp_json_new_object(arena), passes[0].sha256, &document, &err) == PP_OK)
        PP_ASSERT(pp_bench_variant_decode(document, &variant, &err) == PP_OK);
    else
        PP_ASSERT(err.text[0] != '\0');
}

static void judge(const char *bytes, size_t size, pp_bench_format format)
{
    const pp_bench_expectation expected = {.commit = PP_BENCH_EVIDENCE_COMMIT};
    pp_arena arena = {0};
    pp_error err = {0};
    pp_bench_records records;
    pp_bench_evidence evidence;

    if (pp_bench_records_read(&arena, "fuzz", bytes, size, format, &records, &err) != PP_OK) {
        PP_ASSERT(err.text[0] != '\0');
    } else {
        PP_ASSERT(records.count > 0);
        PP_ASSERT(pp_bench_evidence_of(&arena, &records, &expected, &evidence, &err) == PP_OK);
        PP_ASSERT(pp_bench_validation_to_json(&arena, &records, &evidence, "") != NULL);
        summarize(&arena, &records);
    }
    pp_arena_done(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    for (int format = PP_BENCH_FORMAT_UNKNOWN; format <= PP_BENCH_FORMAT_MARKDOWN; format++) {
        import((const char *)data, size, (pp_bench_format)format);
        judge((const char *)data, size, (pp_bench_format)format);
    }
    return 0;
}
