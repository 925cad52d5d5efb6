#include "study/suite_phase.h"

#include "base/clock.h"
#include "base/files.h"
#include "base/secret.h"
#include "load/fidelity_ask.h"
#include "load/suite_ask.h"
#include "model/suite_exchange.h"

pp_status pp_study_check_baseline(const pp_study *study, pp_error *err)
{
    const pp_study_plan *plan = &study->plan;
    size_t i = 0;

    if (!plan->suite.present || plan->constraints.quality_not_measurable)
        return PP_OK;
    while (!pp_text_equal(plan->candidates[i].id, plan->baseline_id))
        i++;
    if (!pp_candidate_has_engine(&plan->candidates[i]) ||
        pp_origin_of_weights(study->models[plan->candidates[i].model_index].weights) !=
            PP_ORIGIN_SYNTHETIC_WEIGHTS)
        return PP_OK;
    return pp_fail(err, PP_ERR_DOMAIN,
                   "plan '%s': $.constraints: the baseline '%s' has random weights, whose answers "
                   "mean nothing: expected another baseline, or \"quality\": \"not-measurable\"",
                   study->options->plan_path, plan->baseline_id.data);
}

/* ---- asking -----------------------------------------------------------------------------------
 */

/* One run of the suite: lines as they come, written at its end. */
typedef struct asking {
    pp_study *study;
    const pp_study_target *target;
    pp_arena arena; /* replies, until they are written */
    pp_buf lines;
    pp_suite_tally tally;
    bool interrupted;
} asking;

static pp_http_limits limits_of(const pp_study *study)
{
    int64_t limit_ns = study->plan.deadlines.request_ms * PP_NS_PER_MS;

    return (pp_http_limits){
        .connect_ns = limit_ns, .first_byte_ns = limit_ns, .total_ns = limit_ns};
}

static pp_status add_line(asking *a, pp_suite_subject of, pp_text id, pp_bytes request,
                          const pp_exchange *exchange, pp_error *err)
{
    const pp_suite_exchange line = {.of = of, .id = id, .request = request, .exchange = *exchange};

    if (of != PP_SUITE_ASKED_PROPS) {
        bool ok = exchange->failure == PP_FAILURE_NONE && exchange->http_status.known &&
                  exchange->http_status.value == 200;

        a->tally.asked_count++;
        a->tally.failed_count += !ok;
    }
    return pp_suite_exchange_write(&line, &a->lines, err);
}

/* As the candidate will be deployed: all its slots are there, one request is in flight. */
static pp_status ask_cases(asking *a, pp_error *err)
{
    const pp_dialect dialect = pp_study_target_dialect(a->target);
    const pp_suite *suite = &a->study->suite;
    pp_suite_ask_options options;
    pp_suite_asked asked = {0};
    pp_status st;

    pp_suite_ask_options_default(&options);
    options.base_url = a->target->url;
    options.headers = a->target->headers;
    options.header_count = a->target->header_count;
    options.limits = limits_of(a->study);
    options.cut_now = a->study->options->stop; /* the step is made again as a whole */
    options.voice = (pp_suite_voice){
        .kind = dialect.kind,
        .model = dialect.model,
        .has_system_prompt = suite->has_system_prompt,
        .system_prompt = suite->system_prompt,
    };
    st = pp_suite_ask(&a->arena, suite, &options, a->study->options->stop, &asked, err);
    a->interrupted = st == PP_OK && asked.interrupted;
    for (size_t i = 0; st == PP_OK && i < suite->case_count; i++) {
        const pp_suite_reply *reply = &asked.replies[i];

        if (reply->asked)
            st = add_line(a, PP_SUITE_ASKED_CASE, suite->cases[i].id, reply->request,
                          &reply->exchange, err);
    }
    return st;
}

static pp_status add_answers(asking *a, const pp_fidelity_answers *answers, pp_error *err)
{
    const pp_suite *suite = &a->study->suite;
    pp_status st = PP_OK;

    if (answers->props.asked)
        st = add_line(a, PP_SUITE_ASKED_PROPS, pp_text_of(""), answers->props.request,
                      &answers->props.exchange, err);
    for (size_t i = 0; st == PP_OK && i < answers->count; i++) {
        const pp_fidelity_reply *reply = &answers->replies[i];

        if (reply->asked)
            st = add_line(a, PP_SUITE_ASKED_CONTEXT, suite->contexts[i].id, reply->request,
                          &reply->exchange, err);
    }
    return st;
}

static pp_status ask_contexts(asking *a, pp_error *err)
{
    const pp_dialect dialect = pp_study_target_dialect(a->target);
    const pp_suite *suite = &a->study->suite;
    pp_fidelity_ask_options options;
    pp_fidelity_answers answers = {0};
    pp_status st;

    if (a->interrupted || suite->context_count == 0)
        return PP_OK;
    pp_fidelity_ask_options_default(&options);
    options.root = a->target->url;
    options.headers = a->target->headers;
    options.header_count = a->target->header_count;
    options.kind = dialect.kind;
    options.model = dialect.model;
    options.limits = limits_of(a->study);
    st = pp_fidelity_ask(&a->arena, a->study->loop, &options, suite->contexts, suite->context_count,
                         &answers, err);
    a->interrupted = st == PP_OK && answers.interrupted;
    return st == PP_OK ? add_answers(a, &answers, err) : st;
}

/* A server may quote the key that it was sent; no file does. */
static pp_status save(asking *a, const char *path, pp_error *err)
{
    pp_text lines = {pp_buf_text(&a->lines), a->lines.size};
    pp_status st = pp_study_ensure_folder(a->study, path, err);

    if (a->target->key.size > 0)
        lines = pp_secret_remove(&a->arena, lines, a->target->key);
    if (st == PP_OK)
        st = pp_arena_check(&a->arena, err);
    return st == PP_OK ? pp_file_write_new(path, lines.data, lines.size, err) : st;
}

pp_status pp_study_ask_suite(pp_study *study, const pp_study_target *target, const char *path,
                             pp_suite_tally *ret_tally, pp_error *err)
{
    asking a = {.study = study, .target = target};
    pp_status st;

    pp_buf_init(&a.lines, PP_SUITE_EXCHANGES_MAX_BYTES);
    st = ask_cases(&a, err);
    if (st == PP_OK)
        st = ask_contexts(&a, err);
    if (st == PP_OK)
        st = save(&a, path, err);
    if (st == PP_OK && a.interrupted)
        st = pp_fail(err, PP_ERR_INTERRUPTED, "interrupted after %zu of %zu requests of the suite",
                     a.tally.asked_count, study->suite.case_count + study->suite.context_count);
    *ret_tally = a.tally;
    pp_buf_done(&a.lines);
    pp_arena_done(&a.arena);
    return pp_wrap(err, st, "asking the suite");
}
