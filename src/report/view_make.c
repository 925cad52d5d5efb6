/* What sections share, worked out once: metrics, the candidates that tables name, the passport. */
#include <math.h>
#include <stdlib.h>

#include "decide/passport.h"
#include "report/view.h"

/* ---- which candidates tables name --------------------------------------------------------------
 */

typedef struct ranked {
    size_t candidate;
    int rank;    /* 0 comes first */
    double cost; /* the objective, turned so that less is better; endless when not measured */
} ranked;

static int by_importance(const void *left, const void *right)
{
    const ranked *a = left;
    const ranked *b = right;

    if (a->rank != b->rank)
        return a->rank - b->rank;
    if (a->cost != b->cost)
        return a->cost < b->cost ? -1 : 1;
    return a->candidate < b->candidate ? -1 : a->candidate > b->candidate;
}

static int rank_of(const pp_view *v, size_t candidate)
{
    const pp_decision *d = v->decision;

    if (candidate == v->set->baseline_index || candidate == v->alternative ||
        (d->has_winner &&
         (candidate == d->selected || candidate == d->numeric_best || candidate == d->near_miss)))
        return 0;
    switch (d->verdicts[candidate].standing) {
    case PP_STANDING_SELECTED:
    case PP_STANDING_SHORTLIST:
        return 1;
    case PP_STANDING_FRONTIER:
        return 2;
    case PP_STANDING_DOMINATED:
        return 3;
    case PP_STANDING_REJECTED:
        return 4;
    }
    return 4;
}

static int by_index(const void *left, const void *right)
{
    size_t a = *(const size_t *)left;
    size_t b = *(const size_t *)right;

    return (a > b) - (a < b);
}

static void choose_shown(pp_view *v)
{
    const pp_goal *goal = &v->constraints->objective;
    size_t n = v->set->candidate_count;
    ranked *all = PP_ARENA_NEW(v->arena, ranked, n);

    v->shown_count = n < PP_REPORT_MAX_SHOWN ? n : PP_REPORT_MAX_SHOWN;
    v->shown = PP_ARENA_NEW(v->arena, size_t, n);
    if (all == NULL || v->shown == NULL)
        return; /* the arena remembers */
    for (size_t i = 0; i < n; i++) {
        const double *value = pp_view_value(v, i, goal->metric);

        all[i] = (ranked){i, rank_of(v, i),
                          value == NULL                         ? HUGE_VAL
                          : goal->direction == PP_DIRECTION_MIN ? *value
                                                                : -*value};
    }
    qsort(all, n, sizeof *all, by_importance);
    for (size_t i = 0; i < v->shown_count; i++)
        v->shown[i] = all[i].candidate;
    qsort(v->shown, v->shown_count, sizeof *v->shown, by_index);
}

/* ---- passport ----------------------------------------------------------------------------------
 */

static pp_status make_passport(pp_view *v, pp_error *err)
{
    pp_json *passport = NULL;
    const pp_json *alternative;
    pp_text id;
    pp_status st;

    v->alternative = PP_NOT_FOUND;
    if (!v->decision->has_winner)
        return PP_OK;
    st = pp_passport_make(v->arena, v->decision, v->input->tool_version, v->input->fingerprints,
                          &passport, err);
    if (st != PP_OK)
        return st;
    v->passport = passport;
    alternative = pp_lookup_object(passport, "resource_alternative");
    if (pp_lookup_text(alternative, "candidate_id", &id))
        v->alternative = pp_benchmark_set_find(v->set, id);
    return PP_OK;
}

pp_status pp_view_make(pp_arena *arena, const pp_report_input *input, pp_buf *out,
                       pp_view *ret_view, pp_error *err)
{
    pp_view v = {
        .arena = arena,
        .out = out,
        .input = input,
        .set = input->set,
        .constraints = input->constraints,
        .decision = input->decision,
        .metadata = input->set->metadata,
        .study = pp_lookup_object(input->set->metadata, "study"),
    };
    pp_status st = pp_metric_list(arena, v.set, v.constraints, &v.metrics, &v.metric_count, err);

    if (st == PP_OK)
        st = make_passport(&v, err);
    if (st == PP_OK) {
        choose_shown(&v);
        st = pp_arena_check(arena, err);
    }
    *ret_view = v;
    return st;
}
