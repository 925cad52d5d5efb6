/* The original's documents of a load, from the samples and the command lines of a bundle. */
#include "base/files.h"
#include "capacity/load_evaluate.h"
#include "capacity/load_report.h"
#include "capacity/load_samples.h"
#include "capacity/server_argv.h"
#include "evidence/layout.h"
#include "evidence/load_files.h"
#include "model/document.h"
#include "model/load_plan.h"

typedef struct maker {
    pp_arena *arena;
    const char *folder;
    const pp_study_plan *plan;
    pp_load_plan load_plan;
    char load_plan_sha256[PP_SHA256_HEX_SIZE];
    pp_load_evaluation *evaluations; /* those of complete loads */
    size_t *candidates;              /* whose each of them is */
    size_t count;
} maker;

/* ---- figures -----------------------------------------------------------------------------------
 */

/* Samples of a level stand together, in the order of the levels. */
static size_t count_of_level(const pp_load_files *files, size_t first, int64_t number)
{
    size_t n = first;

    while (n < files->sample_count && files->samples[n].id.level.known &&
           files->samples[n].id.level.value == number)
        n++;
    return n - first;
}

/* The clock of a level began with it; one clock for all of them counts from the first, to the
 * millisecond that the report tells. */
static pp_status make_level(maker *m, const pp_load_report *report, size_t index,
                            const pp_load_files *files, size_t *first, pp_measured_level *ret_level,
                            pp_error *err)
{
    const pp_load_report_level *level = &report->levels[index];
    const size_t n = count_of_level(files, *first, level->asked.number);
    const int64_t since_first_ms =
        level->observed.started_unix_ms - report->levels[0].observed.started_unix_ms;
    pp_maybe_int rss = level->observed.server.rss_peak_bytes;
    pp_status st =
        pp_measured_level_of(m->arena, &m->load_plan, level->asked.clients, files->samples + *first,
                             n, since_first_ms > 0 ? since_first_ms * 1000000 : 0, ret_level, err);

    *first += n;
    if (st == PP_OK && rss.known && rss.value > 0)
        ret_level->peak_rss_mib = pp_known_real((double)rss.value / (double)(1 << 20));
    return st;
}

static pp_status make_evaluation(maker *m, size_t candidate, const pp_load_files *files,
                                 bool synthetic, pp_error *err)
{
    pp_load_evaluation *evaluation = &m->evaluations[m->count];
    pp_measured_level levels[PP_LOAD_MAX_LEVELS];
    pp_load_report report;
    size_t first = 0;
    pp_status st = pp_load_report_decode(m->arena, files->report, &report, err);

    if (st == PP_OK && report.level_count > PP_LOAD_MAX_LEVELS)
        st = pp_fail(err, PP_ERR_DOMAIN, "expected at most %d levels, got %zu", PP_LOAD_MAX_LEVELS,
                     report.level_count);
    for (size_t i = 0; st == PP_OK && i < report.level_count; i++)
        st = make_level(m, &report, i, files, &first, &levels[i], err);
    if (st == PP_OK)
        st = pp_load_evaluation_build(m->arena, &m->load_plan, m->plan->candidates[candidate].id,
                                      synthetic, levels, report.level_count, evaluation, err);
    if (st == PP_OK)
        m->candidates[m->count++] = candidate;
    return pp_wrap(err, st, "'%s'", files->report_path);
}

/* ---- the servers they are bound to -------------------------------------------------------------
 */

static pp_status read_command(maker *m, const char *path, pp_server_argv *ret_argv,
                              char ret_sha256[PP_SHA256_HEX_SIZE], const pp_json **ret_root,
                              pp_error *err)
{
    pp_status st = path == NULL ? pp_arena_check(m->arena, err)
                                : pp_document_read(m->arena, path, ret_root, ret_sha256, err);

    return st == PP_OK ? pp_server_command_decode(m->arena, *ret_root, ret_argv, err) : st;
}

/* The line of the load against that of the preflight, which the plan made as well. */
static pp_status bind_one(maker *m, size_t index, pp_error *err)
{
    const char *id = m->plan->candidates[m->candidates[index]].id.data;
    char load_sha256[PP_SHA256_HEX_SIZE];
    char canonical_sha256[PP_SHA256_HEX_SIZE];
    const pp_json *load = NULL;
    const pp_json *canonical = NULL;
    pp_load_binding_source source = {
        .plan_sha256 = m->load_plan_sha256,
        .load_command_sha256 = load_sha256,
        .canonical_command_sha256 = canonical_sha256,
    };
    pp_status st = read_command(m, pp_bundle_path(m->arena, m->folder, PP_BUNDLE_PLAN_COMMAND, id),
                                &source.load_argv, load_sha256, &load, err);

    if (st == PP_OK)
        st = read_command(m, pp_bundle_path(m->arena, m->folder, PP_BUNDLE_PREFLIGHT_COMMAND, id),
                          &source.canonical_argv, canonical_sha256, &canonical, err);
    if (st == PP_OK)
        st = pp_json_member_filled_text(load, "url", &source.request_base_url, err);
    return st == PP_OK ? pp_load_evaluation_bind(m->arena, &source, &m->evaluations[index], err)
                       : st;
}

/* A reader refuses evaluations of which some are bound and some are not. */
static void bind_all_or_none(maker *m)
{
    bool all = true;

    for (size_t i = 0; all && i < m->count; i++)
        all = bind_one(m, i, NULL) == PP_OK;
    for (size_t i = 0; !all && i < m->count; i++)
        m->evaluations[i].is_bound = false;
}

/* ---- all ---------------------------------------------------------------------------------------
 */

static pp_status encode(maker *m, pp_load_evaluations *out, pp_error *err)
{
    pp_combined_load_evaluation combined;
    pp_status st = PP_OK;

    for (size_t i = 0; i < m->count; i++)
        out->of_candidates[m->candidates[i]] =
            pp_load_evaluation_to_json(m->arena, &m->evaluations[i]);
    if (m->count >= 2) {
        st = pp_load_evaluations_combine(m->arena, m->evaluations, m->count, &combined, err);
        if (st == PP_OK)
            out->combined = pp_combined_load_evaluation_to_json(m->arena, &combined);
    }
    return st == PP_OK ? pp_arena_check(m->arena, err) : st;
}

pp_status pp_load_evaluations_make(pp_arena *arena, const char *folder, const pp_study_plan *plan,
                                   const pp_load_files *files, const bool *synthetic,
                                   pp_load_evaluations *ret_evaluations, pp_error *err)
{
    maker m = {.arena = arena, .folder = folder, .plan = plan};
    const char *path = pp_bundle_path(arena, folder, PP_BUNDLE_LOAD_PLAN);
    pp_status st;

    *ret_evaluations = (pp_load_evaluations){
        .of_candidates = PP_ARENA_NEW(arena, pp_json *, plan->candidate_count)};
    m.evaluations = PP_ARENA_NEW(arena, pp_load_evaluation, plan->candidate_count);
    m.candidates = PP_ARENA_NEW(arena, size_t, plan->candidate_count);
    st = pp_arena_check(arena, err);
    if (st == PP_OK)
        st = pp_load_plan_load(arena, path, &m.load_plan, m.load_plan_sha256, err);
    for (size_t i = 0; st == PP_OK && i < plan->candidate_count; i++) {
        if (files[i].is_complete)
            st = make_evaluation(&m, i, &files[i], synthetic[i], err);
    }
    if (st != PP_OK)
        return st;
    bind_all_or_none(&m);
    return encode(&m, ret_evaluations, err);
}
