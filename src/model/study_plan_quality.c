/* Does a study measure the quality that its constraints judge? To find out hours later would be a
 * pity. */
#include "model/study_plan_parts.h"

static bool is_agreement(pp_text metric)
{
    return pp_text_is(metric, PP_METRIC_TOP1_AGREEMENT) ||
           pp_text_is(metric, PP_METRIC_KL_NATS_MEAN);
}

/* What only a suite gives. */
static bool is_quality(pp_text metric)
{
    return pp_text_is(metric, PP_METRIC_QUALITY_SCORE) || is_agreement(metric);
}

/* ---- metrics that constraints name ------------------------------------------------------------
 */

typedef struct naming {
    const pp_json *at; /* the member that names it */
    pp_text metric;
} naming;

static bool find_goal(const pp_goal *goals, size_t count, bool (*wanted)(pp_text),
                      pp_text *ret_metric)
{
    for (size_t i = 0; i < count; i++) {
        *ret_metric = goals[i].metric;
        if (wanted(*ret_metric))
            return true;
    }
    return false;
}

static bool find_limit(const pp_limit *limits, size_t count, bool (*wanted)(pp_text),
                       pp_text *ret_metric)
{
    for (size_t i = 0; i < count; i++) {
        *ret_metric = limits[i].metric;
        if (wanted(*ret_metric))
            return true;
    }
    return false;
}

static const pp_json *member_of(const pp_study_plan *plan, const char *key)
{
    const pp_json *member = pp_json_find(plan->constraints_json, key);

    return member == NULL ? plan->constraints_json : member;
}

/* The first wanted one; false when the constraints name none. */
static bool find_named(const pp_study_plan *plan, bool (*wanted)(pp_text), naming *ret_naming)
{
    const pp_constraints *c = &plan->constraints;
    const char *key = NULL;

    ret_naming->metric = c->quality_metric;
    if (!c->quality_not_measurable && wanted(c->quality_metric))
        key = "quality_metric";
    else if (find_goal(&c->objective, 1, wanted, &ret_naming->metric))
        key = "objective";
    else if (find_goal(c->frontier_metrics, c->frontier_metric_count, wanted, &ret_naming->metric))
        key = "frontier_metrics";
    else if (find_limit(c->max_values, c->max_value_count, wanted, &ret_naming->metric))
        key = "max_values";
    else if (find_limit(c->min_values, c->min_value_count, wanted, &ret_naming->metric))
        key = "min_values";
    ret_naming->at = key == NULL ? NULL : member_of(plan, key);
    return key != NULL;
}

bool pp_study_plan_names_agreement(const pp_study_plan *plan)
{
    naming unused;

    return find_named(plan, is_agreement, &unused);
}

/* ---- the plan ---------------------------------------------------------------------------------
 */

static pp_status check_without_suite(const pp_study_plan *plan, pp_error *err)
{
    naming named;

    if (!plan->constraints.quality_not_measurable)
        named = (naming){member_of(plan, "quality_metric"), plan->constraints.quality_metric};
    else if (!find_named(plan, is_quality, &named))
        return PP_OK;
    return pp_json_fail(named.at, err, "nothing measures %s: the plan has no suite",
                        named.metric.data);
}

pp_status pp_plan_check_quality(const pp_study_plan *plan, pp_error *err)
{
    const pp_constraints *c = &plan->constraints;
    naming named;

    if (!plan->suite.present)
        return check_without_suite(plan, err);
    if (!c->quality_not_measurable && !pp_text_is(c->quality_metric, PP_METRIC_QUALITY_SCORE) &&
        !pp_text_is(c->quality_metric, PP_METRIC_TOP1_AGREEMENT))
        return pp_json_fail(member_of(plan, "quality_metric"), err,
                            "expected %s or %s, the qualities that a study measures, got '%s'",
                            PP_METRIC_QUALITY_SCORE, PP_METRIC_TOP1_AGREEMENT,
                            c->quality_metric.data);
    /* The baseline is held against its own first pass: with one pass it would be never eligible. */
    if (plan->passes == 1 && find_named(plan, is_agreement, &named))
        return pp_json_fail(named.at, err,
                            "%s of the baseline is that of its later passes with its first one: "
                            "expected at least 2 passes, got 1",
                            named.metric.data);
    return PP_OK;
}
