#include "quality/results.h"

static const char *const outcome_names[PP_OUTCOME_COUNT] = {"matched", "missed", "failed"};

const char *pp_outcome_name(pp_outcome outcome)
{
    return outcome_names[outcome];
}

bool pp_outcome_find(pp_text name, pp_outcome *ret_outcome)
{
    for (size_t i = 0; i < PP_OUTCOME_COUNT; i++) {
        if (!pp_text_is(name, outcome_names[i]))
            continue;
        *ret_outcome = (pp_outcome)i;
        return true;
    }
    return false;
}

const pp_case_result *pp_result_of(const pp_suite_results *results, size_t pass, size_t number)
{
    return &results->results[pass * results->suite->case_count + number];
}

static size_t count_outcome(const pp_suite_results *results, size_t number, pp_outcome outcome)
{
    size_t count = 0;

    for (size_t pass = 0; pass < results->pass_count; pass++)
        count += pp_result_of(results, pass, number)->outcome == outcome;
    return count;
}

pp_case_state pp_case_state_of(const pp_suite_results *results, size_t number)
{
    if (count_outcome(results, number, PP_OUTCOME_MISSED) > 0)
        return PP_CASE_MISSED;
    if (count_outcome(results, number, PP_OUTCOME_FAILED) > 0)
        return PP_CASE_OPEN;
    return PP_CASE_PASSED;
}

bool pp_case_flipped(const pp_suite_results *results, size_t number)
{
    return count_outcome(results, number, PP_OUTCOME_MATCHED) > 0 &&
           count_outcome(results, number, PP_OUTCOME_MISSED) > 0;
}

bool pp_case_answers_differ(const pp_suite_results *results, size_t number)
{
    const pp_case_result *first = NULL;

    for (size_t pass = 0; pass < results->pass_count; pass++) {
        const pp_case_result *result = pp_result_of(results, pass, number);

        if (result->outcome == PP_OUTCOME_FAILED)
            continue;
        if (first != NULL && !pp_text_equal(first->answer, result->answer))
            return true;
        first = result;
    }
    return false;
}
