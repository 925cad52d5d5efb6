#include "intake/bench_import.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "intake/bench_groups.h"
#include "intake/bench_names.h"
#include "stats/percentile.h"
#include "stats/summary.h"

#define PROMPT_RATE     "prompt_tokens_per_second"
#define GENERATION_RATE "generation_tokens_per_second"

typedef struct importer {
    pp_arena *arena;
    const pp_bench_source *sources;
    size_t n;
    pp_bench_row *rows; /* of all sources */
    size_t row_count;
    pp_bench_pool *pools;
    size_t pool_count;
    pp_bench_group *groups; /* in the order of their first rows */
    size_t group_count;
    pp_bench_import *out;
} importer;

/* ---- rows and their places ------------------------------------------------------------------ */

static pp_status join_rows(importer *m, pp_error *err)
{
    for (size_t i = 0; i < m->n; i++)
        m->row_count += m->sources[i].rows.count;
    if (m->row_count == 0)
        return pp_fail(err, PP_ERR_SCHEMA, "no row of llama-bench in %zu file%s", m->n,
                       m->n == 1 ? "" : "s");
    if (m->row_count > PP_BENCH_MAX_ROWS)
        return pp_fail(err, PP_ERR_LIMIT, "%zu rows, expected at most %d", m->row_count,
                       PP_BENCH_MAX_ROWS);
    m->rows = PP_ARENA_NEW(m->arena, pp_bench_row, m->row_count);
    if (m->rows == NULL)
        return pp_arena_check(m->arena, err);
    for (size_t i = 0, at = 0; i < m->n; i++) {
        const pp_bench_rows *from = &m->sources[i].rows;

        if (from->count > 0)
            memcpy(m->rows + at, from->items, from->count * sizeof *from->items);
        at += from->count;
    }
    return PP_OK;
}

static const pp_bench_source *source_of(const importer *m, const pp_bench_row *row)
{
    size_t index = (size_t)(row - m->rows);
    size_t i = 0;

    while (index >= m->sources[i].rows.count)
        index -= m->sources[i++].rows.count;
    return &m->sources[i];
}

/* "a.jsonl:3" */
static const char *place_text(const importer *m, const pp_bench_row *row)
{
    char path[256];
    pp_text name = source_of(m, row)->path;

    pp_text_escape_controls(name.data, name.size, path, sizeof path);
    return pp_arena_printf(m->arena, "%s:%zu", path, row->line);
}

/* A pool of several rows is their samples; without samples nobody knows whether two rows are one
 * test measured twice or two that differ in what the format does not show. */
static pp_status check_pool(const importer *m, const pp_bench_pool *pool, pp_error *err)
{
    for (size_t i = 0; pool->row_count > 1 && i < pool->row_count; i++) {
        const char *first = place_text(m, pool->rows[0]);
        const char *second = place_text(m, pool->rows[i == 0 ? 1 : i]);

        if (pool->rows[i]->sample_count > 0)
            continue;
        if (first == NULL || second == NULL)
            return pp_arena_check(m->arena, err);
        return pp_fail(err, PP_ERR_DOMAIN,
                       "%s and %s cannot be told apart: same settings and test, and no samples to "
                       "pool; use -o jsonl",
                       first, second);
    }
    return PP_OK;
}

static pp_status check_samples(const importer *m, pp_error *err)
{
    size_t without = 0;
    pp_status st = PP_OK;

    for (size_t i = 0; st == PP_OK && i < m->pool_count; i++) {
        without += m->pools[i].sample_count == 0;
        st = check_pool(m, &m->pools[i], err);
    }
    m->out->from_means = without > 0;
    if (st == PP_OK && without > 0 && without < m->pool_count)
        return pp_fail(err, PP_ERR_DOMAIN,
                       "%zu tests have samples and %zu have only a mean: medians and means do not "
                       "compare; import them apart",
                       m->pool_count - without, without);
    return st;
}

/* ---- tests ---------------------------------------------------------------------------------- */

/* "pp512", "tg128_d4096", "pp512_tg128" */
static const char *test_name(const importer *m, const pp_bench_row *row)
{
    char depth[32] = "";
    long long prompt = (long long)row->n_prompt;
    long long generated = (long long)row->n_gen;

    if (row->n_depth > 0)
        (void)snprintf(depth, sizeof depth, "_d%lld", (long long)row->n_depth);
    switch (row->kind) {
    case PP_BENCH_PP:
        return pp_arena_printf(m->arena, "pp%lld%s", prompt, depth);
    case PP_BENCH_TG:
        return pp_arena_printf(m->arena, "tg%lld%s", generated, depth);
    default:
        return pp_arena_printf(m->arena, "pp%lld_tg%lld%s", prompt, generated, depth);
    }
}

/* Every test of this kind has the same shape. */
static bool one_shape(const importer *m, pp_bench_kind kind)
{
    const pp_bench_row *first = NULL;

    for (size_t i = 0; i < m->pool_count; i++) {
        const pp_bench_row *row = m->pools[i].first;

        if (row->kind != kind)
            continue;
        if (first != NULL &&
            (row->n_prompt != first->n_prompt || row->n_gen != first->n_gen ||
             (row->n_depth > 0 ? row->n_depth : 0) != (first->n_depth > 0 ? first->n_depth : 0)))
            return false;
        first = row;
    }
    return first != NULL;
}

static double pool_rate(const pp_bench_pool *pool)
{
    return pool->sample_count > 0 ? pool->tokens_per_second_median
                                  : pool->first->tokens_per_second_mean.value;
}

/* llama-bench squares nanoseconds in 64 bits, which is too few above about four seconds. */
static pp_status has_odd_deviation(const pp_bench_row *row, bool *ret_odd, pp_error *err)
{
    const pp_json *printed = pp_json_find(row->fields, "stddev_ns");
    double *samples;
    double value;
    double own;
    pp_error ignored = {0};
    pp_status st;

    *ret_odd = false;
    if (printed == NULL || row->sample_count < 2 ||
        pp_json_get_number(printed, &value, &ignored) != PP_OK)
        return PP_OK;
    samples = calloc(row->sample_count, sizeof *samples);
    if (samples == NULL)
        return pp_fail(err, PP_ERR_MEMORY, "out of memory for %zu samples", row->sample_count);
    for (size_t i = 0; i < row->sample_count; i++)
        samples[i] = (double)row->samples_ns[i];
    st = pp_sample_stdev(samples, row->sample_count, &own, err);
    *ret_odd = st == PP_OK && fabs(value - own) > 2.0 + 0.01 * own;
    free(samples);
    return st;
}

/* How much longer the first repetition of a row took than the median of the others, in percent. */
static pp_status first_repetition(const importer *m, const pp_bench_row *row, pp_json *test,
                                  pp_error *err)
{
    size_t n = row->sample_count > 0 ? row->sample_count - 1 : 0;
    double *others;
    double median;
    pp_status st;

    if (n < 2)
        return PP_OK;
    others = PP_ARENA_NEW(m->arena, double, n);
    if (others == NULL)
        return pp_arena_check(m->arena, err);
    for (size_t i = 0; i < n; i++)
        others[i] = (double)row->samples_ns[i + 1];
    pp_samples_sort(others, n);
    st = pp_percentile(others, n, 50.0, &median, err);
    if (st == PP_OK)
        pp_json_set_real(m->arena, test, "first_repetition_longer_percent",
                         ((double)row->samples_ns[0] / median - 1.0) * 100.0);
    return st;
}

static pp_status set_sample_figures(importer *m, const pp_bench_pool *pool, pp_json *test,
                                    pp_error *err)
{
    double *rates = PP_ARENA_NEW(m->arena, double, pool->sample_count);
    pp_summary figures;
    size_t at = 0;
    pp_status st = pp_arena_check(m->arena, err);

    for (size_t i = 0; st == PP_OK && i < pool->row_count; i++) {
        bool odd;

        for (size_t j = 0; j < pool->rows[i]->sample_count; j++)
            rates[at++] = pp_bench_rate(pool->rows[i], j);
        st = has_odd_deviation(pool->rows[i], &odd, err);
        m->out->odd_deviation_count += st == PP_OK && odd;
    }
    if (st == PP_OK)
        st = pp_summary_of(rates, at, &figures, err);
    if (st != PP_OK)
        return st;
    pp_json_set_int(m->arena, test, "sample_count", (int64_t)figures.sample_count);
    pp_json_set_real(m->arena, test, "tokens_per_second_mean", figures.mean);
    pp_json_set_real(m->arena, test, "tokens_per_second_median", figures.median);
    pp_json_set_real(m->arena, test, "tokens_per_second_stdev", figures.sample_stdev);
    pp_json_set_real(m->arena, test, "tokens_per_second_min", figures.min);
    pp_json_set_real(m->arena, test, "tokens_per_second_max", figures.max);
    return first_repetition(m, pool->rows[0], test, err);
}

static void set_printed_figures(importer *m, const pp_bench_pool *pool, pp_json *test)
{
    const pp_bench_row *row = pool->first;

    pp_json_set_null(m->arena, test, "sample_count"); /* the format does not say */
    pp_json_set_real(m->arena, test, "tokens_per_second_mean", row->tokens_per_second_mean.value);
    if (row->tokens_per_second_stdev.known)
        pp_json_set_real(m->arena, test, "tokens_per_second_stdev",
                         row->tokens_per_second_stdev.value);
}

static pp_json *places(const importer *m, const pp_bench_pool *pool)
{
    pp_json *out = pp_json_new_array(m->arena);

    for (size_t i = 0; i < pool->row_count; i++) {
        pp_json *place = pp_json_new_object(m->arena);

        pp_json_set_text(m->arena, place, "path", source_of(m, pool->rows[i])->path);
        pp_json_set_int(m->arena, place, "line", (int64_t)pool->rows[i]->line);
        pp_json_add(m->arena, out, place);
    }
    return out;
}

static pp_status set_test(importer *m, const pp_bench_pool *pool, const char *name, pp_json *tests,
                          pp_error *err)
{
    const pp_bench_row *row = pool->first;
    pp_json *test = pp_json_new_object(m->arena);
    pp_status st = PP_OK;

    pp_json_set_int(m->arena, test, "n_prompt", row->n_prompt);
    pp_json_set_int(m->arena, test, "n_gen", row->n_gen);
    if (row->n_depth == PP_BENCH_UNKNOWN)
        pp_json_set_null(m->arena, test, "n_depth");
    else
        pp_json_set_int(m->arena, test, "n_depth", row->n_depth);
    if (pool->sample_count > 0)
        st = set_sample_figures(m, pool, test, err);
    else
        set_printed_figures(m, pool, test);
    pp_json_set(m->arena, test, "rows", places(m, pool));
    pp_json_set(m->arena, tests, name, test);
    return st;
}

/* ---- candidates ------------------------------------------------------------------------------ */

static void add_metric(pp_candidate *candidate, const char *name, double value)
{
    candidate->metrics[candidate->metric_count++] = (pp_metric){pp_text_of(name), value};
}

static pp_status add_pool(importer *m, const pp_bench_pool *pool, pp_candidate *candidate,
                          pp_json *tests, pp_error *err)
{
    const char *name = test_name(m, pool->first);
    const char *metric =
        name == NULL ? NULL : pp_arena_printf(m->arena, "%s_tokens_per_second", name);

    if (metric == NULL)
        return pp_arena_check(m->arena, err);
    if (pp_json_find(tests, name) != NULL) {
        const char *place = place_text(m, pool->first);

        return pp_fail(err, PP_ERR_DOMAIN,
                       "%s: %s stands here without a depth and elsewhere at depth 0: they cannot "
                       "be told apart",
                       place == NULL ? "" : place, name);
    }
    add_metric(candidate, metric, pool_rate(pool));
    if (m->out->has_prompt_rate && pool->first->kind == PP_BENCH_PP)
        add_metric(candidate, PROMPT_RATE, pool_rate(pool));
    if (m->out->has_generation_rate && pool->first->kind == PP_BENCH_TG)
        add_metric(candidate, GENERATION_RATE, pool_rate(pool));
    return set_test(m, pool, name, tests, err);
}

static pp_json *set_up_of(const importer *m, const pp_bench_row *row)
{
    pp_json *out = pp_json_new_object(m->arena);

    for (size_t i = 0; i < row->fields->object.count; i++) {
        const pp_json_member *member = &row->fields->object.members[i];

        if (pp_bench_is_set_up(member->key))
            pp_json_set_text_key(m->arena, out, member->key, member->value);
    }
    return out;
}

static void set_known(importer *m, pp_json *object, const char *key, int64_t value)
{
    if (value != PP_BENCH_UNKNOWN)
        pp_json_set_int(m->arena, object, key, value);
}

static pp_status make_candidate(importer *m, const pp_bench_group *g, pp_text id,
                                pp_candidate *candidate, pp_error *err)
{
    const pp_bench_row *row = g->pools[0]->first;
    pp_json *parameters = pp_json_new_object(m->arena);
    pp_json *tests = pp_json_new_object(m->arena);
    pp_status st = PP_OK;

    candidate->id = id;
    candidate->label = id;
    candidate->metrics = PP_ARENA_NEW(m->arena, pp_metric, 3 * g->pool_count);
    if (candidate->metrics == NULL)
        return pp_arena_check(m->arena, err);
    for (size_t i = 0; st == PP_OK && i < g->pool_count; i++)
        st = add_pool(m, g->pools[i], candidate, tests, err);
    set_known(m, parameters, "threads", row->n_threads);
    set_known(m, parameters, "batch_size", row->n_batch);
    set_known(m, parameters, "ubatch_size", row->n_ubatch);
    pp_json_set(m->arena, parameters, "llama_bench", set_up_of(m, row));
    pp_json_set(m->arena, parameters, "tests", tests);
    candidate->parameters = parameters;
    return st;
}

/* ---- the set -------------------------------------------------------------------------------- */

static pp_json *file_to_json(const importer *m, const pp_bench_source *source)
{
    pp_json *out = pp_json_new_object(m->arena);

    pp_json_set_text(m->arena, out, "path", source->path);
    pp_json_set_string(m->arena, out, "sha256", source->sha256);
    pp_json_set_string(m->arena, out, "format", pp_bench_format_name(source->rows.format));
    pp_json_set_int(m->arena, out, "row_count", (int64_t)source->rows.count);
    pp_json_set_int(m->arena, out, "other_line_count", (int64_t)source->rows.other_line_count);
    pp_json_set_bool(m->arena, out, "truncated", source->rows.truncated);
    return out;
}

static pp_json *make_metadata(const importer *m)
{
    pp_json *out = pp_json_new_object(m->arena);
    pp_json *import = pp_json_new_object(m->arena);
    pp_json *files = pp_json_new_array(m->arena);

    for (size_t i = 0; i < m->n; i++)
        pp_json_add(m->arena, files, file_to_json(m, &m->sources[i]));
    pp_json_set_string(m->arena, import, "program", "llama-bench");
    pp_json_set_string(m->arena, import, "statistic", m->out->from_means ? "mean" : "median");
    pp_json_set_int(m->arena, import, "odd_deviation_count", (int64_t)m->out->odd_deviation_count);
    pp_json_set(m->arena, import, "files", files);
    pp_json_set_string(m->arena, out, "synthetic_kind", pp_origin_name(PP_ORIGIN_IMPORTED));
    pp_json_set(m->arena, out, "import", import);
    return out;
}

static pp_status check_baseline(const pp_benchmark_set *set, pp_error *err)
{
    char shown[128];

    for (size_t i = 0; i < set->candidate_count; i++) {
        if (pp_text_equal(set->candidates[i].id, set->baseline_id))
            return PP_OK;
    }
    pp_text_escape_controls(set->candidates[0].id.data, set->candidates[0].id.size, shown,
                            sizeof shown);
    return pp_fail(err, PP_ERR_DOMAIN, "no candidate '%s'; the first is '%s'",
                   set->baseline_id.data, shown);
}

static pp_status make_set(importer *m, const char *baseline_id, pp_error *err)
{
    pp_benchmark_set *set = &m->out->set;
    size_t key_count;
    const pp_text *keys = pp_bench_list_varying(m->arena, m->groups, m->group_count, &key_count);
    pp_status st;

    set->candidates = PP_ARENA_NEW(m->arena, pp_candidate, m->group_count);
    st = pp_arena_check(m->arena, err);
    for (size_t i = 0; st == PP_OK && i < m->group_count; i++) {
        set->candidate_count = i + 1;
        st = make_candidate(m, &m->groups[i],
                            pp_bench_group_id(m->arena, &m->groups[i], keys, key_count),
                            &set->candidates[i], err);
    }
    if (st != PP_OK)
        return st;
    set->baseline_id = baseline_id == NULL ? set->candidates[0].id : pp_text_of(baseline_id);
    set->metadata = make_metadata(m);
    set->synthetic = true;
    st = check_baseline(set, err);
    if (st == PP_OK)
        st = pp_arena_check(m->arena, err);
    return st == PP_OK ? pp_benchmark_set_finish(m->arena, set, err) : st;
}

pp_status pp_bench_import_rows(pp_arena *arena, const pp_bench_source *sources, size_t n,
                               const char *baseline_id, pp_bench_import *ret_import, pp_error *err)
{
    importer m = {.arena = arena, .sources = sources, .n = n, .out = ret_import};
    pp_status st;

    *ret_import = (pp_bench_import){0};
    st = join_rows(&m, err);
    if (st == PP_OK)
        st = pp_bench_settle_names(arena, m.rows, m.row_count, err);
    if (st == PP_OK)
        st = pp_bench_pool_rows(arena, m.rows, m.row_count, &m.pools, &m.pool_count, err);
    if (st == PP_OK)
        st = check_samples(&m, err);
    if (st != PP_OK)
        return st;
    ret_import->has_prompt_rate = one_shape(&m, PP_BENCH_PP);
    ret_import->has_generation_rate = one_shape(&m, PP_BENCH_TG);
    st = pp_bench_group_pools(arena, m.pools, m.pool_count, &m.groups, &m.group_count, err);
    return st == PP_OK ? make_set(&m, baseline_id, err) : st;
}
