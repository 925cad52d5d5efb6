#include "quality/outcomes.h"

bool pp_case_outcome_equal(const pp_case_outcome *a, const pp_case_outcome *b)
{
    return pp_text_equal(a->case_id, b->case_id) && a->matched == b->matched &&
           (!a->matched || pp_text_equal(a->matched_answer, b->matched_answer));
}

bool pp_outcomes_equal(const pp_case_outcome *a, size_t a_count, const pp_case_outcome *b,
                       size_t b_count)
{
    if (a_count != b_count)
        return false;
    for (size_t i = 0; i < a_count; i++) {
        if (!pp_case_outcome_equal(&a[i], &b[i]))
            return false;
    }
    return true;
}

pp_status pp_outcomes_sha256(const pp_case_outcome *outcomes, size_t count,
                             char ret_hex[PP_SHA256_HEX_SIZE], pp_error *err)
{
    pp_sha256 *state = pp_sha256_new();

    if (state == NULL)
        return pp_fail(err, PP_ERR_MEMORY, "out of memory for a fingerprint of outcomes");
    for (size_t i = 0; i < count; i++) {
        const pp_case_outcome *o = &outcomes[i];

        if (i > 0)
            pp_sha256_update(state, "\n", 1);
        pp_sha256_update(state, o->case_id.data, o->case_id.size);
        pp_sha256_update(state, o->matched ? "\ttrue\t" : "\tfalse\t", o->matched ? 6 : 7);
        if (o->matched)
            pp_sha256_update(state, o->matched_answer.data, o->matched_answer.size);
    }
    pp_sha256_finish(state, ret_hex);
    pp_sha256_free(state);
    return PP_OK;
}

pp_case_outcome *pp_outcomes_of_evaluation(pp_arena *arena, const pp_server_evaluation *evaluation)
{
    pp_case_outcome *out = PP_ARENA_NEW(arena, pp_case_outcome, evaluation->case_count);

    for (size_t i = 0; out != NULL && i < evaluation->case_count; i++) {
        const pp_evaluation_case *c = &evaluation->cases[i];

        out[i] = (pp_case_outcome){c->id, c->matched, c->matched_answer};
    }
    return out;
}
