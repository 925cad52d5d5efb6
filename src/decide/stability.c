#include "decide/stability.h"

#include <math.h>

#include "stats/close.h"
#include "stats/summary.h"

/* Values this close to 0 are no base for a percentage. */
#define ZERO_TOLERANCE   1e-12
#define CHANGE_TOLERANCE 1e-12 /* relative and absolute: closer values are no change */
#define SPREAD_TOLERANCE 1e-9  /* relative */

const char *pp_trend_name(pp_trend change)
{
    static const char *const names[] = {
        [PP_TREND_NONE] = "no change",
        [PP_TREND_IMPROVED] = "improved",
        [PP_TREND_REGRESSED] = "regressed",
        [PP_TREND_MIXED] = "mixed",
    };

    return names[change];
}

const char *pp_trend_consistency(pp_trend overall)
{
    switch (overall) {
    case PP_TREND_NONE:
        return "no change";
    case PP_TREND_IMPROVED:
    case PP_TREND_REGRESSED:
        return "consistent";
    case PP_TREND_MIXED:
        break;
    }
    return "mixed";
}

/* ---- arithmetic ---------------------------------------------------------------------------- */

/* A factor that takes differences and sums of such values away from the edge of the range. Scaling
 * by a power of two leaves every bit of a ratio as it was. */
static double scale_for(double largest)
{
    return largest > 0x1p1000 ? 0x1p-16 : 1.0;
}

static bool is_zero(double value)
{
    return pp_close(value, 0.0, 0.0, ZERO_TOLERANCE);
}

static double delta_percent(double candidate, double baseline, pp_direction direction)
{
    double scale = scale_for(fmax(fabs(candidate), fabs(baseline)));
    double difference = candidate * scale - baseline * scale;
    double percent = difference / fabs(baseline * scale) * 100.0;

    return direction == PP_DIRECTION_MIN ? -percent : percent;
}

void pp_stability_compare(pp_stability_value *value, pp_direction direction)
{
    bool is_lower = value->candidate < value->baseline;

    value->has_delta = true;
    value->delta_percent = 0.0;
    value->comparison = PP_TREND_NONE;
    if (pp_close(value->candidate, value->baseline, CHANGE_TOLERANCE, CHANGE_TOLERANCE))
        return;
    value->comparison =
        is_lower == (direction == PP_DIRECTION_MIN) ? PP_TREND_IMPROVED : PP_TREND_REGRESSED;
    if (!is_zero(value->baseline))
        value->delta_percent = delta_percent(value->candidate, value->baseline, direction);
    value->has_delta = !is_zero(value->baseline) && isfinite(value->delta_percent);
}

static pp_trend overall_of(const pp_stability_row *row, size_t n_passes)
{
    pp_trend overall = PP_TREND_NONE;

    for (size_t i = 0; i < n_passes; i++) {
        pp_trend change = row->values[i].comparison;

        if (change == PP_TREND_NONE || change == overall)
            continue;
        overall = overall == PP_TREND_NONE ? change : PP_TREND_MIXED;
        if (overall == PP_TREND_MIXED)
            break;
    }
    return overall;
}

/* Mean and spread of the candidate's values, times a power of two that is returned. */
static double measure_spread(const pp_stability_row *row, size_t n_passes, double *ret_mean,
                             double *ret_spread)
{
    double values[PP_STABILITY_MAX_PASSES] = {0};
    double low = INFINITY;
    double high = -INFINITY;
    double sum = 0.0;
    double scale;

    for (size_t i = 0; i < n_passes; i++) {
        low = fmin(low, row->values[i].candidate);
        high = fmax(high, row->values[i].candidate);
    }
    scale = scale_for(fmax(fabs(low), fabs(high)));
    for (size_t i = 0; i < n_passes; i++)
        values[i] = row->values[i].candidate * scale;
    PP_ASSERT(pp_exact_sum(values, n_passes, &sum, NULL) == PP_OK); /* finite, and scaled */
    *ret_mean = sum / (double)n_passes;
    *ret_spread = high * scale - low * scale;
    return scale;
}

void pp_stability_sum_up(pp_stability_row *row, size_t n_passes)
{
    double mean, spread;
    double scale = measure_spread(row, n_passes, &mean, &spread);

    row->overall = overall_of(row, n_passes);
    row->spread_percent = 0.0;
    if (is_zero(mean / scale)) {
        row->has_spread = pp_close(spread / scale, 0.0, SPREAD_TOLERANCE, ZERO_TOLERANCE);
        return;
    }
    row->spread_percent = spread / fabs(mean) * 100.0;
    row->has_spread = isfinite(row->spread_percent);
}

/* ---- what passes must share ---------------------------------------------------------------- */

static size_t code_points_of(pp_text text)
{
    size_t count = 0;

    for (size_t i = 0; i < text.size; i++)
        count += ((unsigned char)text.data[i] & 0xc0) != 0x80;
    return count;
}

pp_status pp_stability_check_name(const char *what, pp_text name, pp_error *err)
{
    if (pp_text_is_blank(name))
        return pp_fail(err, PP_ERR_DOMAIN, "%s '%s': expected more than white space", what,
                       name.size == 0 ? "" : name.data);
    if (code_points_of(name) > PP_STABILITY_MAX_NAME)
        return pp_fail(err, PP_ERR_DOMAIN, "%s '%.60s...': expected at most %d characters, got %zu",
                       what, name.data, PP_STABILITY_MAX_NAME, code_points_of(name));
    return PP_OK;
}

typedef struct making {
    pp_arena *arena;
    const pp_stability_pass *passes;
    size_t n_passes;
} making;

static const pp_benchmark_set *first_set(const making *m)
{
    return m->passes[0].set;
}

static pp_status check_labels(const making *m, pp_error *err)
{
    if (m->n_passes < PP_STABILITY_MIN_PASSES || m->n_passes > PP_STABILITY_MAX_PASSES)
        return pp_fail(err, PP_ERR_DOMAIN, "expected %d to %d passes, got %zu",
                       PP_STABILITY_MIN_PASSES, PP_STABILITY_MAX_PASSES, m->n_passes);
    for (size_t i = 0; i < m->n_passes; i++) {
        pp_status st = pp_stability_check_name("label", m->passes[i].label, err);

        if (st != PP_OK)
            return st;
        for (size_t j = 0; j < i; j++) {
            if (pp_text_equal(m->passes[i].label, m->passes[j].label))
                return pp_fail(err, PP_ERR_DOMAIN, "passes %zu and %zu have the same label '%s'",
                               j + 1, i + 1, m->passes[i].label.data);
        }
    }
    return PP_OK;
}

static pp_status check_ids(const making *m, size_t pass, pp_error *err)
{
    const pp_benchmark_set *first = first_set(m);
    const pp_benchmark_set *set = m->passes[pass].set;

    for (size_t i = 0; i < first->candidate_count; i++) {
        if (pp_benchmark_set_find(set, first->candidates[i].id) == PP_NOT_FOUND)
            return pp_fail(err, PP_ERR_DOMAIN, "pass %zu ('%s') has no candidate '%s', pass 1 has",
                           pass + 1, m->passes[pass].label.data, first->candidates[i].id.data);
    }
    for (size_t i = 0; i < set->candidate_count; i++) {
        if (pp_benchmark_set_find(first, set->candidates[i].id) == PP_NOT_FOUND)
            return pp_fail(err, PP_ERR_DOMAIN, "pass %zu ('%s') has a candidate '%s', pass 1 not",
                           pass + 1, m->passes[pass].label.data, set->candidates[i].id.data);
    }
    return PP_OK;
}

static pp_status check_pass(const making *m, size_t pass, pp_error *err)
{
    const pp_benchmark_set *first = first_set(m);
    const pp_benchmark_set *set = m->passes[pass].set;

    if (!pp_text_equal(set->baseline_id, first->baseline_id))
        return pp_fail(err, PP_ERR_DOMAIN, "pass %zu ('%s') has the baseline '%s', pass 1 '%s'",
                       pass + 1, m->passes[pass].label.data, set->baseline_id.data,
                       first->baseline_id.data);
    if (set->synthetic != first->synthetic)
        return pp_fail(err, PP_ERR_DOMAIN, "pass %zu ('%s') is%s synthetic, pass 1 is%s", pass + 1,
                       m->passes[pass].label.data, set->synthetic ? "" : " not",
                       first->synthetic ? "" : " not");
    return check_ids(m, pass, err);
}

static pp_status check_sets(const making *m, pp_error *err)
{
    pp_status st = PP_OK;

    for (size_t i = 0; st == PP_OK && i < first_set(m)->candidate_count; i++)
        st = pp_stability_check_name("candidate", first_set(m)->candidates[i].id, err);
    for (size_t i = 1; st == PP_OK && i < m->n_passes; i++)
        st = check_pass(m, i, err);
    return st;
}

/* ---- configurations ------------------------------------------------------------------------ */

static pp_status fingerprint(pp_arena *arena, const pp_candidate *candidate, pp_text *ret_sha256,
                             pp_error *err)
{
    pp_json *configuration = pp_json_new_object(arena);
    char hex[PP_SHA256_HEX_SIZE];
    pp_buf text;
    pp_status st;

    pp_json_set_text(arena, configuration, "label", candidate->label);
    pp_json_set(arena, configuration, "parameters",
                candidate->parameters != NULL ? candidate->parameters : pp_json_new_object(arena));
    pp_buf_init(&text, PP_JSON_MAX_BYTES);
    st = pp_json_write(configuration, PP_JSON_COMPACT, &text, err);
    if (st == PP_OK)
        st = pp_sha256_of(pp_buf_text(&text), text.size, hex, err);
    if (st == PP_OK)
        *ret_sha256 = pp_text_dup(arena, pp_text_of(hex));
    pp_buf_done(&text);
    return st == PP_OK ? pp_arena_check(arena, err) : st;
}

static const pp_candidate *candidate_in(const making *m, size_t pass, pp_text id)
{
    const pp_benchmark_set *set = m->passes[pass].set;

    return &set->candidates[pp_benchmark_set_find(set, id)];
}

static pp_status fingerprint_passes(const making *m, pp_stability_candidate *candidate,
                                    pp_error *err)
{
    pp_status st =
        fingerprint(m->arena, candidate_in(m, 0, candidate->id), &candidate->sha256, err);

    for (size_t i = 1; st == PP_OK && i < m->n_passes; i++) {
        pp_text other;

        st = fingerprint(m->arena, candidate_in(m, i, candidate->id), &other, err);
        if (st == PP_OK && !pp_text_equal(other, candidate->sha256))
            st = pp_fail(err, PP_ERR_DOMAIN,
                         "pass %zu ('%s'): label or parameters of '%s' are not those of pass 1",
                         i + 1, m->passes[i].label.data, candidate->id.data);
    }
    return st;
}

static pp_status make_candidates(const making *m, pp_stability *s, pp_error *err)
{
    const pp_benchmark_set *first = first_set(m);
    pp_status st;

    s->candidate_count = first->candidate_count;
    s->candidates = PP_ARENA_NEW(m->arena, pp_stability_candidate, s->candidate_count);
    st = pp_arena_check(m->arena, err);
    for (size_t i = 0; st == PP_OK && i < s->candidate_count; i++) {
        s->candidates[i].id = first->by_id.entries[i].name;
        st = fingerprint_passes(m, &s->candidates[i], err);
    }
    return st;
}

/* ---- metrics and rows ---------------------------------------------------------------------- */

static pp_status make_goals(pp_arena *arena, const pp_goal *goals, size_t n_goals, pp_stability *s,
                            pp_error *err)
{
    pp_name_index names;
    pp_status st;

    if (n_goals < 1 || n_goals > PP_STABILITY_MAX_METRICS)
        return pp_fail(err, PP_ERR_DOMAIN, "expected 1 to %d metrics, got %zu",
                       PP_STABILITY_MAX_METRICS, n_goals);
    s->goal_count = n_goals;
    s->goals = PP_ARENA_NEW(arena, pp_goal, n_goals);
    st = pp_arena_check(arena, err);
    if (st == PP_OK)
        st = pp_name_index_init(arena, n_goals, &names, err);
    for (size_t i = 0; st == PP_OK && i < n_goals; i++) {
        names.entries[i] = (pp_name_entry){goals[i].metric, i};
        st = pp_stability_check_name("metric", goals[i].metric, err);
    }
    if (st != PP_OK)
        return st;
    pp_name_index_sort(&names);
    if (pp_name_index_duplicate(&names) != PP_NOT_FOUND)
        return pp_fail(err, PP_ERR_DOMAIN, "metric '%s' is given twice",
                       goals[pp_name_index_duplicate(&names)].metric.data);
    for (size_t i = 0; i < n_goals; i++)
        s->goals[i] = goals[names.entries[i].number];
    return PP_OK;
}

static pp_status take_value(const making *m, size_t pass, pp_text id, pp_text metric,
                            double *ret_value, pp_error *err)
{
    const double *value = pp_candidate_find_metric(candidate_in(m, pass, id), metric);

    if (value == NULL)
        return pp_fail(err, PP_ERR_DOMAIN, "pass %zu ('%s'): candidate '%s' has no metric '%s'",
                       pass + 1, m->passes[pass].label.data, id.data, metric.data);
    *ret_value = *value;
    return PP_OK;
}

static pp_status make_row(const making *m, const pp_stability *s, pp_text id, const pp_goal *goal,
                          pp_stability_row *row, pp_error *err)
{
    pp_status st;

    row->values = PP_ARENA_NEW(m->arena, pp_stability_value, m->n_passes);
    st = pp_arena_check(m->arena, err);
    for (size_t i = 0; st == PP_OK && i < m->n_passes; i++) {
        st = take_value(m, i, id, goal->metric, &row->values[i].candidate, err);
        if (st == PP_OK)
            st = take_value(m, i, s->baseline_id, goal->metric, &row->values[i].baseline, err);
        if (st == PP_OK)
            pp_stability_compare(&row->values[i], goal->direction);
    }
    if (st == PP_OK)
        pp_stability_sum_up(row, m->n_passes);
    return st;
}

static pp_status make_rows(const making *m, pp_stability *s, pp_error *err)
{
    pp_status st;

    s->rows = pp_arena_alloc(m->arena, s->candidate_count, s->goal_count * sizeof *s->rows);
    st = pp_arena_check(m->arena, err);
    for (size_t i = 0; st == PP_OK && i < s->candidate_count * s->goal_count; i++)
        st = make_row(m, s, s->candidates[i / s->goal_count].id, &s->goals[i % s->goal_count],
                      &s->rows[i], err);
    return st;
}

static pp_status make_passes(const making *m, pp_stability *s, pp_error *err)
{
    s->pass_count = m->n_passes;
    s->pass_labels = PP_ARENA_NEW(m->arena, pp_text, m->n_passes);
    if (m->passes[0].sha256 != NULL)
        s->pass_sha256 = PP_ARENA_NEW(m->arena, pp_text, m->n_passes);
    for (size_t i = 0; !m->arena->failed && i < m->n_passes; i++) {
        s->pass_labels[i] = m->passes[i].label;
        if (s->pass_sha256 != NULL)
            s->pass_sha256[i] = pp_text_of(m->passes[i].sha256);
    }
    return pp_arena_check(m->arena, err);
}

/* Not measured when any pass says so. */
static bool is_synthetic(const making *m)
{
    bool synthetic = false;

    for (size_t i = 0; i < m->n_passes; i++)
        synthetic = synthetic || !pp_benchmark_set_is_measured(m->passes[i].set);
    return synthetic;
}

pp_status pp_stability_make(pp_arena *arena, const pp_stability_pass *passes, size_t n_passes,
                            const pp_goal *goals, size_t n_goals, pp_stability *ret_stability,
                            pp_error *err)
{
    const making m = {arena, passes, n_passes};
    pp_stability s = {0};
    pp_status st = check_labels(&m, err);

    if (st == PP_OK)
        st = make_goals(arena, goals, n_goals, &s, err);
    if (st == PP_OK)
        st = check_sets(&m, err);
    if (st == PP_OK)
        st = make_candidates(&m, &s, err);
    if (st != PP_OK)
        return st;
    s.baseline_id = first_set(&m)->baseline_id;
    s.synthetic = is_synthetic(&m);
    st = make_passes(&m, &s, err);
    if (st == PP_OK)
        st = make_rows(&m, &s, err);
    if (st == PP_OK)
        *ret_stability = s;
    return st;
}
