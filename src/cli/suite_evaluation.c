#include "cli/suite_evaluation.h"

#include <string.h>
#include <sys/stat.h>

#include "base/secret.h"
#include "intake/server_stream.h"
#include "model/document.h"
#include "quality/evaluation.h"
#include "quality/evaluation_check.h"

/* A reader will make every figure again; if it would not accept this document, nobody gets it. */
static pp_status make_document(pp_arena *arena, const pp_server_evaluation *evaluation,
                               pp_json **ret_document, pp_error *err)
{
    pp_json *document = pp_server_evaluation_to_json(arena, evaluation);
    pp_server_evaluation again;
    pp_error why = {0};
    pp_status st = pp_arena_check(arena, err);

    if (st != PP_OK)
        return st;
    if (pp_server_evaluation_read(arena, document, &again, &why) != PP_OK)
        return pp_fail(err, PP_ERR_BUG, "the evaluation does not hold: %s", why.text);
    *ret_document = document;
    return PP_OK;
}

/* ---- answers --------------------------------------------------------------------------------- */

static pp_status take_answers(pp_suite_session *s, pp_text **ret_answers, pp_error *err)
{
    const pp_suite *suite = &s->command.suite;
    pp_text *answers = PP_ARENA_NEW(&s->arena, pp_text, suite->case_count);
    pp_status st = pp_arena_check(&s->arena, err);

    for (size_t i = 0; st == PP_OK && i < suite->case_count; i++) {
        const pp_case_result *result = pp_result_of(&s->targets[0].results, 0, i);

        if (result->outcome == PP_OUTCOME_FAILED)
            return pp_fail(err, PP_ERR_PEER, "case '%.80s' got no answer: %.300s",
                           suite->cases[i].id.data, result->failure.data);
        answers[i] = result->answer;
    }
    *ret_answers = answers;
    return st;
}

/* ---- latencies ------------------------------------------------------------------------------- */

/* "[DONE]" is no object; only whole lines can be it, since strings of JSON hold no line ends. */
static bool ends_with_mark(pp_bytes reply)
{
    static const char mark[] = "\ndata: [DONE]";

    return memmem(reply.data, reply.size, mark, sizeof mark - 1) != NULL;
}

static pp_status check_stream(const pp_sample *sample, int64_t tokens, const char *what,
                              pp_error *err)
{
    if (!pp_sample_is_ok(sample))
        return pp_fail(err, PP_ERR_PEER, "%s failed: %s: %.300s", what,
                       pp_failure_name(sample->failure),
                       sample->failure_text.size > 0 ? sample->failure_text.data : "");
    if (!sample->generated_tokens.known || sample->token_source != PP_TOKEN_SOURCE_TIMINGS)
        return pp_fail(err, PP_ERR_PEER, "%s: the server's timings tell no predicted_n", what);
    if (sample->generated_tokens.value != tokens)
        return pp_fail(err, PP_ERR_PEER, "%s: expected %lld generated tokens, got %lld", what,
                       (long long)tokens, (long long)sample->generated_tokens.value);
    if (!sample->ttft_ns.known)
        return pp_fail(err, PP_ERR_PEER, "%s: the reply was no stream, so it has no first token",
                       what);
    if (!pp_utf8_is_valid(sample->text.data, sample->text.size))
        return pp_fail(err, PP_ERR_PEER,
                       "%s: the text is not UTF-8, and JSON can hold nothing else", what);
    return PP_OK;
}

static pp_status check_streams(pp_suite_session *s, const pp_load_run *run, pp_error *err)
{
    const pp_suite *suite = &s->command.suite;
    pp_status st = PP_OK;

    if (run->interrupted || run->sample_count < run->asked_count)
        return pp_fail(err, PP_ERR_INTERRUPTED, "interrupted, so there is no evaluation");
    for (size_t i = 0; st == PP_OK && i < run->sample_count; i++) {
        const pp_sample *sample = &run->samples[i];
        char what[64];

        (void)snprintf(what, sizeof what, "%s latency request %lld",
                       pp_phase_name(sample->id.phase), (long long)sample->id.index);
        st = check_stream(sample, suite->generation_tokens, what, err);
    }
    return st;
}

static pp_evaluation_sample *take_samples(pp_suite_session *s, const pp_load_run *run)
{
    const pp_suite *suite = &s->command.suite;
    size_t n = (size_t)suite->repetitions;
    pp_evaluation_sample *out = PP_ARENA_NEW(&s->arena, pp_evaluation_sample, n);

    for (size_t i = 0; out != NULL && i < n; i++) {
        size_t at = (size_t)suite->warmups + i;
        const pp_sample *sample = &run->samples[at];

        out[i] = (pp_evaluation_sample){
            .ttft_ms = (double)sample->ttft_ns.value / 1e6,
            .e2e_latency_ms = (double)sample->stream_end_ns / 1e6,
            .event_count = sample->event_count - (ends_with_mark(run->replies[at]) ? 1 : 0),
            .predicted_tokens = sample->generated_tokens.value,
            .content = pp_secret_remove(&s->arena, sample->text, s->command.key.key),
        };
    }
    return out;
}

static pp_status measure(pp_suite_session *s, pp_evaluation_sample **ret_samples, pp_error *err)
{
    pp_suite_ask_options options = pp_suite_session_options(s, 0);
    pp_arena scratch = {0};
    pp_load_run run = {0};
    pp_status st;

    if (!s->view.quiet)
        fprintf(s->view.out, "latency: %lld warm-up and %lld measured requests of %lld tokens\n",
                (long long)s->command.suite.warmups, (long long)s->command.suite.repetitions,
                (long long)s->command.suite.generation_tokens);
    st = pp_suite_stream(&scratch, &s->command.suite, &options, pp_sample_of_exchange, s->stop,
                         &run, err);
    pp_arena_join(&s->arena, &scratch);
    if (st == PP_OK)
        st = check_streams(s, &run, err);
    if (st == PP_OK) {
        *ret_samples = take_samples(s, &run);
        st = pp_arena_check(&s->arena, err);
    }
    return st;
}

pp_status pp_suite_evaluation_make(pp_suite_session *s, pp_json **ret_document, pp_error *err)
{
    const pp_suite_command *c = &s->command;
    pp_evaluation_source source = {
        .candidate_id = pp_text_of(c->candidate),
        .origin = s->targets[0].origin,
        .suite = &c->suite,
        .suite_sha256 = c->suite_sha256,
        .answer_count = c->suite.case_count,
        .sample_count = (size_t)c->suite.repetitions,
    };
    pp_server_evaluation evaluation;
    pp_text *answers = NULL;
    pp_evaluation_sample *samples = NULL;
    pp_status st = take_answers(s, &answers, err);

    if (st == PP_OK)
        st = measure(s, &samples, err);
    source.answers = answers;
    source.samples = samples;
    if (st == PP_OK)
        st = pp_evaluation_build(&s->arena, &source, &evaluation, err);
    if (st == PP_OK)
        st = make_document(&s->arena, &evaluation, ret_document, err);
    return pp_wrap(err, st, "no evaluation");
}

/* ---- pooling --------------------------------------------------------------------------------- */

/* Two names of one file, links included. */
static pp_status check_distinct(const pp_args *args, size_t n, pp_error *err)
{
    struct stat facts[PP_EVALUATION_MAX_POOLED];

    for (size_t i = 0; i < n; i++) {
        const char *path = pp_args_value_at(args, "pool", i);

        if (stat(path, &facts[i]) != 0)
            memset(&facts[i], 0, sizeof facts[i]); /* reading it will say what is wrong */
        for (size_t j = 0; j < i; j++)
            if (facts[i].st_ino != 0 && facts[i].st_ino == facts[j].st_ino &&
                facts[i].st_dev == facts[j].st_dev)
                return pp_fail(err, PP_ERR_USAGE,
                               "--pool: '%s' and '%s' are the same file: a pass pooled with itself "
                               "says nothing new",
                               pp_args_value_at(args, "pool", j), path);
    }
    return PP_OK;
}

static pp_status read_one(pp_arena *arena, const char *path, pp_server_evaluation *ret_evaluation,
                          pp_error *err)
{
    char sha256[PP_SHA256_HEX_SIZE];
    const pp_json *root;
    pp_status st = pp_document_read(arena, path, &root, sha256, err);

    if (st == PP_OK)
        st = pp_server_evaluation_read(arena, root, ret_evaluation, err);
    return pp_wrap(err, st, "reading server evaluation '%s'", path);
}

pp_status pp_suite_evaluations_pool(pp_arena *arena, const pp_args *args, pp_json **ret_document,
                                    pp_error *err)
{
    pp_server_evaluation list[PP_EVALUATION_MAX_POOLED];
    const char *names[PP_EVALUATION_MAX_POOLED];
    pp_server_evaluation pooled;
    size_t n = 0;
    pp_status st;

    while (pp_args_value_at(args, "pool", n) != NULL)
        n++;
    if (n < PP_EVALUATION_MIN_POOLED || n > PP_EVALUATION_MAX_POOLED)
        return pp_fail(err, PP_ERR_USAGE, "--pool: expected %d to %d evaluations, got %zu",
                       PP_EVALUATION_MIN_POOLED, PP_EVALUATION_MAX_POOLED, n);
    st = check_distinct(args, n, err);
    for (size_t i = 0; st == PP_OK && i < n; i++) {
        names[i] = pp_args_value_at(args, "pool", i);
        st = read_one(arena, names[i], &list[i], err);
    }
    if (st == PP_OK)
        st = pp_evaluation_pool(arena, list, names, n, &pooled, err);
    return st == PP_OK ? make_document(arena, &pooled, ret_document, err) : st;
}
