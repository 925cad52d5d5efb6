#include "model/benchmark_set.h"

#include "model/document.h"
#include "model/tables.h"

#include <math.h>
#include <stdlib.h>

#define SCHEMA_VERSION "1.0"

static int compare_metrics(const void *a, const void *b)
{
    return pp_text_compare(((const pp_metric *)a)->name, ((const pp_metric *)b)->name);
}

static void sort_metrics(pp_candidate *candidate)
{
    if (candidate->metric_count > 1)
        qsort(candidate->metrics, candidate->metric_count, sizeof *candidate->metrics,
              compare_metrics);
}

const double *pp_candidate_find_metric(const pp_candidate *candidate, pp_text name)
{
    size_t low = 0;
    size_t high = candidate->metric_count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = pp_text_compare(candidate->metrics[middle].name, name);

        if (order == 0)
            return &candidate->metrics[middle].value;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

size_t pp_benchmark_set_find(const pp_benchmark_set *set, pp_text id)
{
    return pp_name_index_find(&set->by_id, id);
}

/* ---- reading ------------------------------------------------------------------------------- */

static void decode_metrics(pp_arena *arena, const pp_json *metrics, pp_candidate *candidate)
{
    candidate->metrics = PP_ARENA_NEW(arena, pp_metric, metrics->object.count);
    if (candidate->metrics == NULL)
        return;
    candidate->metric_count = metrics->object.count;
    for (size_t i = 0; i < candidate->metric_count; i++) {
        const pp_json_member *member = &metrics->object.members[i];

        candidate->metrics[i] = (pp_metric){member->key, pp_checked_real(member->value)};
    }
    sort_metrics(candidate);
}

static void decode_candidate(pp_arena *arena, const pp_json *from, pp_candidate *candidate)
{
    const pp_json *label = pp_json_find(from, "label");

    candidate->id = pp_checked_text(from, "id");
    candidate->label = label == NULL ? candidate->id : label->text;
    candidate->parameters = pp_json_find(from, "parameters");
    decode_metrics(arena, pp_checked_object(from, "metrics"), candidate);
}

static pp_status decode_candidates(pp_arena *arena, const pp_json *list, pp_benchmark_set *set,
                                   pp_error *err)
{
    set->candidate_count = list->array.count;
    set->candidates = PP_ARENA_NEW(arena, pp_candidate, set->candidate_count);
    for (size_t i = 0; set->candidates != NULL && i < set->candidate_count; i++)
        decode_candidate(arena, list->array.items[i], &set->candidates[i]);
    return pp_arena_check(arena, err);
}

static pp_status index_candidates(pp_arena *arena, pp_benchmark_set *set, pp_error *err)
{
    pp_status st = pp_name_index_init(arena, set->candidate_count, &set->by_id, err);
    size_t twice;

    if (st != PP_OK)
        return st;
    for (size_t i = 0; i < set->candidate_count; i++)
        set->by_id.entries[i] = (pp_name_entry){set->candidates[i].id, i};
    pp_name_index_sort(&set->by_id);
    twice = pp_name_index_duplicate(&set->by_id);
    if (twice != PP_NOT_FOUND)
        return pp_fail(err, PP_ERR_SCHEMA, "$.candidates[%zu].id: '%s' is taken already", twice,
                       set->candidates[twice].id.data);
    set->baseline_index = pp_benchmark_set_find(set, set->baseline_id);
    if (set->baseline_index == PP_NOT_FOUND)
        return pp_fail(err, PP_ERR_SCHEMA, "$.baseline_id: no candidate has the id '%s'",
                       set->baseline_id.data);
    return PP_OK;
}

/* What the flag and the kind beside it say together. */
static pp_origin stated_origin(const pp_benchmark_set *set)
{
    const pp_json *kind = pp_json_find(set->metadata, "synthetic_kind");
    pp_origin origin = set->synthetic ? PP_ORIGIN_UNKNOWN : PP_ORIGIN_MEASURED;
    pp_origin stated;

    if (kind == NULL || kind->kind != PP_JSON_STRING || !pp_origin_find(kind->text, &stated))
        return origin;
    if (set->synthetic && stated == PP_ORIGIN_MEASURED)
        return origin; /* contradicts itself */
    return stated;
}

/* A candidate may say where its model's weights came from; no word of ours says nothing. */
static pp_origin candidate_origin(const pp_candidate *candidate)
{
    const pp_json *model = pp_json_find(candidate->parameters, "model");
    const pp_json *word = pp_json_find(model, "origin");
    pp_origin origin = PP_ORIGIN_MEASURED;

    if (word != NULL && word->kind == PP_JSON_STRING)
        (void)pp_origin_find(word->text, &origin); /* stays as it is for a foreign word */
    return origin;
}

static pp_origin origin_of(const pp_benchmark_set *set)
{
    const pp_json *platform = pp_json_find(pp_json_find(set->metadata, "host"), "platform");
    const pp_json *emulated = pp_json_find(platform, "emulated");
    pp_origin origin = stated_origin(set);

    for (size_t i = 0; i < set->candidate_count; i++)
        origin = pp_origin_worst(origin, candidate_origin(&set->candidates[i]));
    if (emulated != NULL && emulated->kind == PP_JSON_BOOL && emulated->boolean)
        origin = pp_origin_worst(origin, PP_ORIGIN_EMULATED);
    return origin;
}

bool pp_benchmark_set_is_measured(const pp_benchmark_set *set)
{
    return !set->synthetic && set->origin == PP_ORIGIN_MEASURED;
}

pp_status pp_benchmark_set_decode(pp_arena *arena, const pp_json *root, pp_benchmark_set *ret_set,
                                  pp_error *err)
{
    pp_benchmark_set set = {0};
    pp_status st = pp_fields_check(root, &pp_benchmark_set_fields, err);

    if (st != PP_OK)
        return st;
    set.baseline_id = pp_checked_text(root, "baseline_id");
    set.metadata = pp_json_find(root, "metadata");
    set.synthetic = pp_checked_bool(root, "synthetic");
    st = decode_candidates(arena, pp_checked_list(root, "candidates"), &set, err);
    if (st == PP_OK)
        st = index_candidates(arena, &set, err);
    if (st != PP_OK)
        return st;
    set.origin = origin_of(&set);
    *ret_set = set;
    return PP_OK;
}

pp_status pp_benchmark_set_load(pp_arena *arena, const char *path, pp_benchmark_set *ret_set,
                                char ret_sha256[PP_SHA256_HEX_SIZE], pp_error *err)
{
    const pp_json *root;
    pp_status st = pp_document_read(arena, path, &root, ret_sha256, err);

    if (st == PP_OK)
        st = pp_benchmark_set_decode(arena, root, ret_set, err);
    return pp_wrap(err, st, "reading benchmark set '%s'", path);
}

/* ---- building ------------------------------------------------------------------------------ */

static pp_status finish_candidate(pp_candidate *candidate, size_t number, pp_error *err)
{
    if (pp_text_is_blank(candidate->id))
        return pp_fail(err, PP_ERR_SCHEMA, "$.candidates[%zu].id: expected text", number);
    if (candidate->label.data == NULL)
        candidate->label = candidate->id;
    if (pp_text_is_blank(candidate->label))
        return pp_fail(err, PP_ERR_SCHEMA, "$.candidates[%zu].label: expected text", number);
    if (candidate->metric_count == 0)
        return pp_fail(err, PP_ERR_SCHEMA, "candidate '%s': expected at least one metric",
                       candidate->id.data);
    sort_metrics(candidate);
    for (size_t i = 0; i < candidate->metric_count; i++) {
        const pp_metric *metric = &candidate->metrics[i];

        if (metric->name.size == 0 || !isfinite(metric->value))
            return pp_fail(err, PP_ERR_SCHEMA,
                           "candidate '%s': metric '%s' is %g, expected a name and a finite number",
                           candidate->id.data, metric->name.size == 0 ? "" : metric->name.data,
                           metric->value);
        if (i > 0 && pp_text_equal(metric->name, metric[-1].name))
            return pp_fail(err, PP_ERR_SCHEMA, "candidate '%s': metric '%s' is there twice",
                           candidate->id.data, metric->name.data);
    }
    return PP_OK;
}

pp_status pp_benchmark_set_finish(pp_arena *arena, pp_benchmark_set *set, pp_error *err)
{
    pp_status st = PP_OK;

    if (set->candidate_count == 0)
        return pp_fail(err, PP_ERR_SCHEMA, "$.candidates: expected at least one candidate");
    for (size_t i = 0; st == PP_OK && i < set->candidate_count; i++)
        st = finish_candidate(&set->candidates[i], i, err);
    if (st == PP_OK)
        st = index_candidates(arena, set, err);
    if (st == PP_OK)
        set->origin = origin_of(set);
    return st;
}

static const pp_json *object_or_empty(pp_arena *arena, const pp_json *value)
{
    return value != NULL ? value : pp_json_new_object(arena);
}

static pp_json *candidate_to_json(pp_arena *arena, const pp_candidate *candidate)
{
    pp_json *out = pp_json_new_object(arena);
    pp_json *metrics = pp_json_new_object(arena);

    for (size_t i = 0; i < candidate->metric_count; i++)
        pp_json_set_text_key(arena, metrics, candidate->metrics[i].name,
                             pp_json_new_real(arena, candidate->metrics[i].value));
    pp_json_set_text(arena, out, "id", candidate->id);
    pp_json_set_text(arena, out, "label", candidate->label);
    pp_json_set(arena, out, "metrics", metrics);
    pp_json_set(arena, out, "parameters", object_or_empty(arena, candidate->parameters));
    return out;
}

pp_json *pp_benchmark_set_to_json(pp_arena *arena, const pp_benchmark_set *set)
{
    pp_json *out = pp_json_new_object(arena);
    pp_json *candidates = pp_json_new_array(arena);

    for (size_t i = 0; i < set->candidate_count; i++)
        pp_json_add(arena, candidates, candidate_to_json(arena, &set->candidates[i]));
    pp_json_set_string(arena, out, "schema_version", SCHEMA_VERSION);
    pp_json_set_text(arena, out, "baseline_id", set->baseline_id);
    pp_json_set(arena, out, "candidates", candidates);
    pp_json_set(arena, out, "metadata", object_or_empty(arena, set->metadata));
    pp_json_set_bool(arena, out, "synthetic", set->synthetic);
    return out;
}
