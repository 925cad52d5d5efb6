#include "evidence/case_result.h"

#include "intake/chat_reply.h"
#include "quality/match.h"

static void take_failure(pp_arena *arena, const pp_chat_reply *reply, pp_case_result *out)
{
    const char *text =
        pp_arena_printf(arena, "%s%s%.*s", pp_failure_name(reply->failure),
                        reply->failure_text.size > 0 ? ": " : "", (int)reply->failure_text.size,
                        reply->failure_text.size > 0 ? reply->failure_text.data : "");

    out->outcome = PP_OUTCOME_FAILED;
    out->failure = text == NULL ? (pp_text){0} : pp_text_of(text);
}

static pp_status take_answer(const pp_suite_case *c, const pp_chat_reply *reply,
                             pp_case_result *out, pp_error *err)
{
    pp_arena scratch = {0};
    pp_match match = {0};
    pp_status st = pp_match_answer(&scratch, c, reply->answer, &match, err);

    out->outcome = match.matched ? PP_OUTCOME_MATCHED : PP_OUTCOME_MISSED;
    out->answer = reply->answer;
    if (match.matched)
        out->matched_answer = match.matched_answer;
    out->finish_reason = reply->finish;
    pp_arena_done(&scratch);
    return st;
}

static void take_counts(const pp_chat_reply *reply, pp_case_result *out)
{
    out->prompt_tokens = pp_reply_prompt_tokens(&reply->counts);
    out->cached_tokens = pp_reply_cached_tokens(&reply->counts);
    out->output_tokens = pp_chat_reply_output_tokens(reply);
    out->drafted_tokens = reply->counts.draft_n;
    out->accepted_tokens = reply->counts.draft_n_accepted;
}

pp_status pp_case_result_of(pp_arena *arena, const pp_suite_case *c, const pp_exchange *exchange,
                            pp_case_result *ret_result, pp_error *err)
{
    pp_case_result out = {0};
    pp_chat_reply reply;
    pp_status st;

    if (exchange == NULL) {
        *ret_result = (pp_case_result){.outcome = PP_OUTCOME_FAILED,
                                       .failure = pp_text_of("cut: never asked")};
        return PP_OK;
    }
    st = pp_chat_reply_of_exchange(arena, exchange, &reply, err);
    if (st != PP_OK)
        return st;
    if (reply.failure == PP_FAILURE_NONE) {
        st = take_answer(c, &reply, &out, err);
        take_counts(&reply, &out);
    } else {
        take_failure(arena, &reply, &out);
    }
    if (exchange->ended_ns >= exchange->started_ns)
        out.latency_ns = pp_known_int(exchange->ended_ns - exchange->started_ns);
    if (st == PP_OK)
        st = pp_arena_check(arena, err);
    if (st == PP_OK)
        *ret_result = out;
    return st;
}
