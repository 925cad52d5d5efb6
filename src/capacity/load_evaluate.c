#include "capacity/load_evaluate.h"

#include <stdlib.h>
#include <string.h>

#include "capacity/load_row.h"
#include "capacity/server_argv.h"
#include "capacity/server_url.h"

/* ---- deriving ---------------------------------------------------------------------------------
 */

pp_status pp_load_binding_derive(pp_arena *arena, pp_load_binding *binding, pp_error *err)
{
    pp_status st = pp_server_configuration_derive(&binding->server, err);

    if (st == PP_OK)
        st = pp_server_url_normalise(arena, binding->request_base_url, &binding->server.load,
                                     &binding->request_base_url, err);
    return st;
}

pp_status pp_load_rows_derive(pp_load_evaluation *e, pp_error *err)
{
    pp_status st = PP_OK;

    for (size_t i = 0; st == PP_OK && i < e->method.level_count; i++)
        st = pp_load_row_derive(&e->rows[i], &e->slo, err);
    if (st == PP_OK)
        e->highest_slo_concurrency =
            pp_load_highest_slo_concurrency(e->rows, e->method.level_count);
    return st;
}

/* ---- building ---------------------------------------------------------------------------------
 */

pp_status pp_load_candidate_id_check(pp_text id, pp_error *err)
{
    if (pp_text_is_blank(id))
        return pp_fail(err, PP_ERR_DOMAIN, "candidate id: blank");
    if (pp_text_character_count(id) > PP_LOAD_MAX_ID_CHARACTERS)
        return pp_fail(err, PP_ERR_DOMAIN, "candidate id: expected at most %d characters, got %zu",
                       PP_LOAD_MAX_ID_CHARACTERS, pp_text_character_count(id));
    return PP_OK;
}

static pp_status check_samples(const char *phase, const pp_load_method *method, int64_t concurrency,
                               const pp_load_sample *samples, size_t count, int64_t expected,
                               pp_error *err)
{
    if ((int64_t)count != expected)
        return pp_fail(err, PP_ERR_DOMAIN, "level %lld: expected %lld %s requests, got %zu",
                       (long long)concurrency, (long long)expected, phase, count);
    for (size_t i = 0; i < count; i++) {
        char text[PP_LOAD_FAULT_MAX];
        const char *key;
        const char *fault = pp_load_sample_fault(&samples[i], method->output_tokens, &key, text);

        if (fault != NULL)
            return pp_fail(err, PP_ERR_DOMAIN, "level %lld: %s request %zu: %s: %s",
                           (long long)concurrency, phase, i + 1, key, fault);
    }
    return PP_OK;
}

static pp_status check_warmup(const pp_load_method *method, const pp_measured_level *level,
                              pp_error *err)
{
    pp_status st = check_samples("warm-up", method, level->concurrency, level->warmup,
                                 level->warmup_count, method->warmup_count, err);

    for (size_t i = 0; st == PP_OK && i < level->warmup_count; i++) {
        if (!level->warmup[i].completed)
            st = pp_fail(err, PP_ERR_DOMAIN, "level %lld: warm-up request %zu failed: %.200s",
                         (long long)level->concurrency, i + 1, level->warmup[i].error.data);
    }
    return st;
}

static pp_status take_level(pp_arena *arena, const pp_measured_level *level, pp_load_row *row,
                            pp_error *err)
{
    row->concurrency = level->concurrency;
    row->peak_rss_mib = level->peak_rss_mib;
    row->sample_count = level->measured_count;
    row->samples = PP_ARENA_NEW(arena, pp_load_sample, row->sample_count);
    if (row->samples != NULL)
        memcpy(row->samples, level->measured, row->sample_count * sizeof *row->samples);
    return pp_arena_check(arena, err);
}

static pp_status build_level(pp_arena *arena, const pp_measured_level *level, pp_load_evaluation *e,
                             pp_error *err)
{
    size_t at = pp_load_method_find_level(&e->method, level->concurrency);
    pp_status st;

    if (at == e->method.level_count)
        return pp_fail(err, PP_ERR_DOMAIN, "execution order: level %lld is none of the plan",
                       (long long)level->concurrency);
    if (e->rows[at].samples != NULL)
        return pp_fail(err, PP_ERR_DOMAIN, "execution order: level %lld is there twice",
                       (long long)level->concurrency);
    if (level->peak_rss_mib.known && !(level->peak_rss_mib.value > 0))
        return pp_fail(err, PP_ERR_DOMAIN, "level %lld: expected a peak_rss_mib above 0, got %g",
                       (long long)level->concurrency, level->peak_rss_mib.value);
    st = check_warmup(&e->method, level, err);
    if (st == PP_OK)
        st = check_samples("measured", &e->method, level->concurrency, level->measured,
                           level->measured_count, e->method.measured_count, err);
    return st == PP_OK ? take_level(arena, level, &e->rows[at], err) : st;
}

pp_status pp_load_evaluation_build(pp_arena *arena, const pp_load_plan *plan, pp_text candidate_id,
                                   bool synthetic, const pp_measured_level *levels,
                                   size_t level_count, pp_load_evaluation *ret_evaluation,
                                   pp_error *err)
{
    pp_load_evaluation e = {
        .candidate_id = candidate_id,
        .synthetic = synthetic,
        .method = plan->method,
        .slo = plan->slo,
    };
    pp_status st = pp_load_candidate_id_check(candidate_id, err);

    if (st == PP_OK && level_count != plan->method.level_count)
        st = pp_fail(err, PP_ERR_DOMAIN, "execution order: expected each of %zu levels, got %zu",
                     plan->method.level_count, level_count);
    for (size_t i = 0; st == PP_OK && i < level_count; i++) {
        e.execution_order[i] = levels[i].concurrency;
        st = build_level(arena, &levels[i], &e, err);
    }
    if (st == PP_OK)
        st = pp_load_rows_derive(&e, err);
    if (st == PP_OK)
        *ret_evaluation = e;
    return pp_wrap(err, st, "evaluating a load");
}

/* ---- binding ----------------------------------------------------------------------------------
 */

static void copy_sha256(char to[PP_SHA256_HEX_SIZE], const char *from)
{
    PP_ASSERT(strlen(from) == PP_SHA256_HEX_SIZE - 1);
    memcpy(to, from, PP_SHA256_HEX_SIZE);
}

pp_status pp_load_evaluation_bind(pp_arena *arena, const pp_load_binding_source *source,
                                  pp_load_evaluation *evaluation, pp_error *err)
{
    pp_load_binding binding = {
        .request_base_url = source->request_base_url,
        .server = {.load = {.argv = source->load_argv},
                   .canonical = {.argv = source->canonical_argv}},
    };
    pp_status st;

    copy_sha256(binding.plan_sha256, source->plan_sha256);
    copy_sha256(binding.server.load.command_sha256, source->load_command_sha256);
    copy_sha256(binding.server.canonical.command_sha256, source->canonical_command_sha256);
    st = pp_load_binding_derive(arena, &binding, err);
    if (st == PP_OK) {
        evaluation->is_bound = true;
        evaluation->binding = binding;
    }
    return pp_wrap(err, st, "binding a load to its server");
}

/* ---- combining --------------------------------------------------------------------------------
 */

static const char *difference(const pp_load_evaluation *a, const pp_load_evaluation *b)
{
    if (!pp_load_method_equal(&a->method, &b->method))
        return "methodology";
    if (!pp_load_slo_equal(&a->slo, &b->slo))
        return "limits (slo)";
    if (a->synthetic != b->synthetic)
        return "synthetic";
    if (a->is_bound != b->is_bound)
        return "whether they are bound to a server";
    if (a->is_bound && strcmp(a->binding.plan_sha256, b->binding.plan_sha256) != 0)
        return "the plan they are bound to";
    return NULL;
}

static int compare_ids(const void *a, const void *b)
{
    return pp_text_compare(((const pp_load_evaluation *)a)->candidate_id,
                           ((const pp_load_evaluation *)b)->candidate_id);
}

static pp_status check_alike(const pp_load_evaluation *candidates, size_t count, pp_error *err)
{
    for (size_t i = 1; i < count; i++) {
        const char *what = difference(&candidates[0], &candidates[i]);

        if (compare_ids(&candidates[i - 1], &candidates[i]) == 0)
            return pp_fail(err, PP_ERR_DOMAIN, "candidate \"%.200s\" is there twice",
                           candidates[i].candidate_id.data);
        if (what != NULL)
            return pp_fail(err, PP_ERR_DOMAIN, "candidates \"%.200s\" and \"%.200s\" differ in %s",
                           candidates[0].candidate_id.data, candidates[i].candidate_id.data, what);
    }
    return PP_OK;
}

pp_status pp_load_evaluations_combine(pp_arena *arena, const pp_load_evaluation *evaluations,
                                      size_t count, pp_combined_load_evaluation *ret_combined,
                                      pp_error *err)
{
    pp_load_evaluation *sorted;
    pp_status st = PP_OK;

    if (count < PP_LOAD_MIN_COMBINED || count > PP_LOAD_MAX_COMBINED)
        return pp_fail(err, PP_ERR_DOMAIN,
                       "combining loads: expected %d to %d evaluations, got %zu",
                       PP_LOAD_MIN_COMBINED, PP_LOAD_MAX_COMBINED, count);
    sorted = PP_ARENA_NEW(arena, pp_load_evaluation, count);
    st = pp_arena_check(arena, err);
    if (st == PP_OK) {
        memcpy(sorted, evaluations, count * sizeof *sorted);
        qsort(sorted, count, sizeof *sorted, compare_ids);
        st = check_alike(sorted, count, err);
    }
    if (st == PP_OK)
        *ret_combined = (pp_combined_load_evaluation){sorted, count};
    return pp_wrap(err, st, "combining loads");
}
