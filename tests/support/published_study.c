#include "published_study.h"

#include <stdlib.h>
#include <string.h>

#include "mask.h"
#include "shared.h"

static void copy(pp_arena *arena, const pp_json *from, const char *key, pp_json *to,
                 const char *new_key)
{
    const pp_json *value = pp_json_find(from, key);

    if (value == NULL)
        fail_msg("study.json: '%s' is missing", key);
    pp_json_set(arena, to, new_key, value);
}

/* What manifest and benchmark set both say about the whole study. */
static void copy_study(pp_arena *arena, const pp_json *figures, pp_json *to)
{
    static const char *const keys[] = {"classification",      "evaluation_suite", "experiment_id",
                                       "model_family",        "runtime",          "source",
                                       "optimization_library"};

    for (size_t i = 0; i < PP_COUNT_OF(keys); i++)
        copy(arena, figures, keys[i], to, keys[i]);
}

/* ---- manifest ------------------------------------------------------------------------------ */

static pp_json *declared_candidate(pp_arena *arena, const pp_json *from)
{
    static const char *const keys[] = {"id", "label", "model", "deployment_argv", "artifacts"};
    pp_json *out = pp_json_new_object(arena);

    for (size_t i = 0; i < PP_COUNT_OF(keys); i++)
        copy(arena, from, keys[i], out, keys[i]);
    copy(arena, from, "configuration", out, "parameters");
    return out;
}

static pp_json *manifest(pp_arena *arena, const pp_json *figures)
{
    const pp_json *from = pp_json_find(figures, "candidates");
    pp_json *out = pp_json_new_object(arena);
    pp_json *candidates = pp_json_new_array(arena);

    for (size_t i = 0; i < from->array.count; i++)
        pp_json_add(arena, candidates, declared_candidate(arena, from->array.items[i]));
    copy_study(arena, figures, out);
    copy(arena, figures, "baseline_id", out, "baseline_id");
    pp_json_set_string(arena, out, "schema_version", "1.0");
    pp_json_set_string(arena, out, "evaluation_suite_path", "evaluation-suite.json");
    pp_json_set_bool(arena, out, "synthetic", false);
    pp_json_set(arena, out, "candidates", candidates);
    return out;
}

/* ---- benchmark set ------------------------------------------------------------------------- */

static pp_json *measured_candidate(pp_arena *arena, const pp_json *figures, const pp_json *from)
{
    pp_json *out = pp_json_new_object(arena);
    pp_json *parameters = pp_json_new_object(arena);

    copy(arena, from, "configuration", parameters, "configuration");
    copy(arena, from, "deployment_argv", parameters, "deployment_argv");
    copy(arena, from, "model", parameters, "model");
    copy(arena, figures, "runtime", parameters, "runtime");
    copy(arena, from, "id", out, "id");
    copy(arena, from, "label", out, "label");
    copy(arena, from, "metrics_exact", out, "metrics");
    pp_json_set(arena, out, "parameters", parameters);
    return out;
}

static pp_json *evidence(pp_arena *arena, const pp_json *figures, const pp_json *from)
{
    pp_json *out = pp_json_new_object(arena);

    copy(arena, from, "artifacts", out, "artifacts");
    copy(arena, from, "model", out, "model");
    copy(arena, figures, "metric_sources", out, "metric_sources");
    return out;
}

static int compare_ids(const void *a, const void *b)
{
    return pp_text_compare(pp_json_find(*(pp_json *const *)a, "id")->text,
                           pp_json_find(*(pp_json *const *)b, "id")->text);
}

static pp_json *metadata(pp_arena *arena, const pp_json *figures, const char *manifest_sha256)
{
    const pp_json *from = pp_json_find(figures, "candidates");
    pp_json *out = pp_json_new_object(arena);
    pp_json *file = pp_json_new_object(arena);
    pp_json *all = pp_json_new_object(arena);

    for (size_t i = 0; i < from->array.count; i++) {
        const pp_json *candidate = from->array.items[i];

        pp_json_set_text_key(arena, all, pp_json_find(candidate, "id")->text,
                             evidence(arena, figures, candidate));
    }
    pp_json_set_string(arena, file, "filename", "manifest.json");
    pp_json_set_string(arena, file, "sha256", manifest_sha256);
    copy_study(arena, figures, out);
    pp_json_set(arena, out, "manifest", file);
    pp_json_set(arena, out, "candidate_evidence", all);
    return out;
}

static pp_json *benchmark_set(pp_arena *arena, const pp_json *figures, const char *manifest_sha256)
{
    const pp_json *from = pp_json_find(figures, "candidates");
    size_t count = from->array.count;
    pp_json **sorted = PP_ARENA_NEW(arena, pp_json *, count);
    pp_json *out = pp_json_new_object(arena);
    pp_json *candidates = pp_json_new_array(arena);

    memcpy(sorted, from->array.items, count * sizeof(pp_json *));
    qsort(sorted, count, sizeof(pp_json *), compare_ids);
    for (size_t i = 0; i < count; i++)
        pp_json_add(arena, candidates, measured_candidate(arena, figures, sorted[i]));
    pp_json_set_string(arena, out, "schema_version", "1.0");
    copy(arena, figures, "baseline_id", out, "baseline_id");
    pp_json_set_bool(arena, out, "synthetic", false);
    pp_json_set(arena, out, "metadata", metadata(arena, figures, manifest_sha256));
    pp_json_set(arena, out, "candidates", candidates);
    return out;
}

void published_study_build(pp_arena *arena, published_study *ret_study)
{
    const char *path = shared_path_or_skip(arena, "published/study.json");
    pp_error err = {0};

    assert_ok(pp_json_read_file(arena, path, NULL, &ret_study->figures, &err), err);
    ret_study->manifest = manifest(arena, ret_study->figures);
    ret_study->benchmark_set =
        benchmark_set(arena, ret_study->figures, canonical_sha256(arena, ret_study->manifest));
    ret_study->constraints = pp_json_find(ret_study->figures, "constraints_text")->text;
}
