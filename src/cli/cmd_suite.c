#include <stdlib.h>

#include "base/files.h"
#include "base/secret.h"
#include "cli/inputs.h"
#include "cli/signals.h"
#include "cli/suite_evaluation.h"
#include "cli/suite_fidelity.h"
#include "cli/suite_session.h"
#include "cli/suite_table.h"
#include "cli/table.h"

/* Every answer of every pass: some hundred bytes each. */
#define CSV_MAX_BYTES ((size_t)1 << 30)

static const char *const file_options[] = {"output", "csv", "evaluation"};

/* What follows from the answers; beside the endpoints of the report. */
typedef struct judged {
    pp_score *scores;
    pp_pairing *pairs;
    pp_agreement *agreements; /* NULL: contexts were not asked about */
} judged;

static pp_status judge(pp_arena *arena, const pp_suite_report *report, judged *out, pp_error *err)
{
    const pp_suite_endpoint *reference = &report->endpoints[report->reference];
    size_t n = report->endpoint_count;
    pp_status st;

    out->scores = PP_ARENA_NEW(arena, pp_score, n);
    out->pairs = PP_ARENA_NEW(arena, pp_pairing, n);
    st = pp_arena_check(arena, err);
    for (size_t i = 0; st == PP_OK && i < n; i++) {
        const pp_suite_endpoint *e = &report->endpoints[i];

        st = pp_score_of(arena, &e->results, e->origin, &out->scores[i], err);
        if (st == PP_OK && report->has_reference)
            st = pp_pairing_of(arena, &e->results, e->origin, &reference->results,
                               reference->origin, &out->pairs[i], err);
    }
    return st;
}

/* ---- the answer as an exit code -------------------------------------------------------------- */

static pp_exit worse(pp_exit a, pp_exit b)
{
    if (a == PP_EXIT_NO || b == PP_EXIT_NO)
        return PP_EXIT_NO;
    return a == PP_EXIT_YES ? b : a;
}

static pp_exit judge_floor(const pp_suite_command *c, const pp_score_part *whole)
{
    pp_floor_statement f;

    if (!whole->score.known)
        return PP_EXIT_COULD_NOT_TELL;
    if (!c->min_score.known)
        return PP_EXIT_YES;
    f = pp_floor_of(whole, c->min_score.value);
    if (!f.met.known)
        return PP_EXIT_COULD_NOT_TELL;
    if (!f.met.value)
        return PP_EXIT_NO;
    return c->certify && !(f.certified.known && f.certified.value) ? PP_EXIT_COULD_NOT_TELL
                                                                   : PP_EXIT_YES;
}

static pp_exit judge_retention(const pp_suite_command *c, const pp_pairing *pair)
{
    if (!c->min_retention.known)
        return PP_EXIT_YES;
    if (!pair->retention.known)
        return PP_EXIT_COULD_NOT_TELL;
    return pair->retention.value >= c->min_retention.value ? PP_EXIT_YES : PP_EXIT_NO;
}

static pp_exit exit_of(const pp_suite_session *s, const judged *j)
{
    pp_exit code = PP_EXIT_YES;

    if (s->interrupted)
        return pp_signals_exit();
    for (size_t i = 0; i < s->command.place_count; i++) {
        code = worse(code, judge_floor(&s->command, &j->scores[i].whole));
        if (i != s->command.reference)
            code = worse(code, judge_retention(&s->command, &j->pairs[i]));
    }
    return code;
}

/* ---- what is kept and shown ------------------------------------------------------------------ */

static pp_status write_csv(const char *path, const pp_suite_report *report, pp_error *err)
{
    pp_buf text;
    pp_status st;

    if (path == NULL)
        return PP_OK;
    pp_buf_init(&text, CSV_MAX_BYTES);
    st = pp_suite_results_csv(report, &text, err);
    if (st == PP_OK)
        st = pp_file_write_new(path, pp_buf_text(&text), text.size, err);
    pp_buf_done(&text);
    return st;
}

static void note_prompt(const pp_suite_command *c)
{
    const char *text;

    if (!c->suite.original)
        return;
    if (!c->prompt_given)
        text = "none was sent: the original sends one, which its suites do not hold "
               "(--system-prompt)";
    else if (pp_suite_prompt_is_the_originals(c->ask.voice.system_prompt))
        text = "the one that the original sends";
    else
        text = "not the one that the original sends, so scores do not compare with its own";
    pp_note_print("prompt", text, stdout);
}

static void note_evaluation(const pp_suite_session *s)
{
    if (s->command.evaluation != NULL && s->interrupted)
        pp_note_print("evaluation", "none was written: interrupted", stdout);
}

static pp_status show(const pp_args *args, pp_suite_session *s, const pp_suite_report *report,
                      const judged *j, pp_error *err)
{
    pp_status st;

    if (pp_args_has(args, "json"))
        return PP_OK; /* printed with the report */
    st = pp_suite_table_print(&s->arena, report, j->scores, j->pairs, stdout, err);
    if (st == PP_OK && j->agreements != NULL)
        st = pp_suite_fidelity_print(&s->arena, j->agreements, report, stdout, err);
    if (st == PP_OK) {
        note_prompt(&s->command);
        note_evaluation(s);
    }
    return st;
}

/* The evaluation comes first: where there is none although one was wanted, nothing is written. */
static pp_status finish(const pp_args *args, pp_suite_session *s, judged *j, pp_error *err)
{
    const char *path = s->command.evaluation;
    pp_suite_report report;
    pp_json *document = NULL;
    pp_json *evaluation = NULL;
    pp_status st = PP_OK;

    if (path != NULL && !s->interrupted)
        st = pp_suite_evaluation_make(s, &evaluation, err);
    if (st == PP_OK)
        st = pp_suite_session_report(s, &report, err);
    if (st == PP_OK)
        st = judge(&s->arena, &report, j, err);
    if (st == PP_OK && j->agreements != NULL)
        st = pp_suite_fidelity_put(&s->arena, j->agreements, &report, err);
    if (st == PP_OK)
        st = pp_suite_report_to_json(&s->arena, &report, &document, err);
    if (st == PP_OK && evaluation != NULL)
        st = pp_json_save_new(evaluation, path, err);
    if (st == PP_OK)
        st = write_csv(pp_args_value(args, "csv"), &report, err);
    if (st == PP_OK)
        st = pp_output_json(args, document, err);
    return st == PP_OK ? show(args, s, &report, j, err) : st;
}

/* ---- the command ----------------------------------------------------------------------------- */

static pp_status pool(const pp_args *args, pp_suite_session *s, pp_error *err)
{
    pp_json *document = NULL;
    pp_status st = pp_suite_evaluations_pool(&s->arena, args, &document, err);

    if (st == PP_OK)
        st = pp_json_save_new(document, s->command.evaluation, err);
    if (st == PP_OK && pp_args_has(args, "json"))
        st = pp_print_json(document, err);
    else if (st == PP_OK)
        printf("pooled %zu evaluations into %s\n", s->command.pool_count,
               pp_table_cell_text(&s->arena, pp_text_of(s->command.evaluation), 80));
    return st;
}

/* A signal leaves the answers to the cases as they are. */
static pp_status ask_contexts(pp_suite_session *s, judged *j, pp_error *err)
{
    pp_error why = {0};
    pp_status st = pp_suite_fidelity_ask(s, &j->agreements, &why);

    if (st == PP_ERR_INTERRUPTED) {
        s->interrupted = true;
        return PP_OK;
    }
    if (st != PP_OK)
        *err = why;
    return st;
}

static pp_status work(const pp_args *args, pp_suite_session *s, pp_exit *ret_exit, pp_error *err)
{
    judged j = {0};
    pp_status st = pp_outputs_check(args, "suite", file_options, PP_COUNT_OF(file_options), err);

    if (st == PP_OK)
        st = pp_wrap(err, pp_suite_command_read(&s->arena, args, &s->command, err), "suite");
    if (st != PP_OK)
        return st;
    if (s->command.pool_count > 0)
        return pool(args, s, err);
    s->stop = pp_signals_install();
    s->cut_now = pp_signals_second();
    pp_progress_init(&s->view, pp_args_has(args, "quiet"));
    st = pp_suite_session_prepare(s, err);
    if (st == PP_OK)
        st = pp_suite_session_run(s, err);
    if (st == PP_OK && s->command.fidelity && !s->interrupted)
        st = ask_contexts(s, &j, err);
    if (st == PP_OK)
        st = finish(args, s, &j, err);
    if (st == PP_OK)
        *ret_exit = exit_of(s, &j);
    else if (st == PP_ERR_INTERRUPTED)
        *ret_exit = pp_signals_exit();
    return st;
}

static pp_status run(const pp_args *args, pp_exit *ret_exit, pp_error *err)
{
    pp_suite_session *s = calloc(1, sizeof *s); /* too large for a stack frame */
    pp_status st;

    if (s == NULL)
        return pp_fail(err, PP_ERR_MEMORY, "out of memory");
    st = work(args, s, ret_exit, err);
    if (st != PP_OK)
        pp_secret_remove_from_error(err, s->command.key.key);
    pp_arena_done(&s->arena);
    free(s);
    return st;
}

static const pp_positional positionals[] = {
    {.value = PP_TEXT("URL"),
     .help = "http:// or https://, with or without /v1 at its end; NAME=URL gives it a name, else "
             "it is url-1, url-2 and so on",
     .optional = true,
     .repeats = true},
};

static const pp_option options[] = {
    {"suite", 's', PP_FILE("FILE"), NULL, "what is asked, docs/formats/quality-suite.md", false,
     false},
    {"reference", 0, PP_TEXT("NAME"), "the first of several", "what the others are compared with",
     false, false},
    {"passes", 0, PP_NUMBER("N"), "1",
     "ask all cases so many times; a case passes when it matches "
     "in every pass",
     false, false},
    {"clients", 'c', PP_NUMBER("N"), "1",
     "requests in flight: a greedy answer may depend on it, so take what will be deployed", false,
     false},
    {"model", 'm', PP_TEXT("NAME"), "the first that the server lists", "model of the requests",
     false, false},
    {"timeout", 't', PP_DURATION("TIME"), "2m", "of a whole request", false, false},
    PP_API_KEY_OPTIONS,
    {"ca-file", 0, PP_FILE("FILE"), "the system's", "certificates that TLS trusts", false, false},
    {"insecure", 0, NULL, NULL, "TLS without looking at the certificate", false, false},
    {"model-file", 0, PP_FILE("[NAME=]FILE"), NULL,
     "the model file that a server runs: tells synthetic weights from real ones where the server "
     "does not say which file it is",
     false, true},
    {"fidelity", 0, NULL, NULL,
     "ask about the contexts of the suite, too: how close next-token distributions are to the "
     "reference's",
     false, false},
    /* what is demanded */
    {"min-score", 0, PP_NUMBER("S"), NULL,
     "the least score of every endpoint, above 0 and below 1; a lower one gives exit code 1", false,
     false},
    {"certify", 0, NULL, NULL,
     "with --min-score: exit code 0 only when the passes certify it at 95%, else 3", false, false},
    {"min-retention", 0, PP_NUMBER("R"), NULL,
     "the least share of the reference's score that the others keep; less gives exit code 1", false,
     false},
    /* as the original tool does */
    {"system-prompt", 0, PP_TEXT("TEXT"), NULL,
     "what a suite of schema 1.0 does not hold: the prompt in front of every case, or @FILE", false,
     false},
    {"evaluation", 0, PP_FILE("FILE"), NULL,
     "schema 1.0: measure latencies, too, and write docs/formats/server-evaluation.md", false,
     false},
    {"candidate", 0, PP_TEXT("ID"), NULL, "with --evaluation: what was measured", false, false},
    {"pool", 0, PP_FILE("FILE"), NULL,
     "an evaluation to pool with others into --evaluation; asks no server", false, true},
    /* where to */
    {"output", 'o', PP_FILE("FILE"), NULL, "the report, docs/formats/suite-report.md", false,
     false},
    {"csv", 0, PP_FILE("FILE"), NULL, "a row for each endpoint, pass and case", false, false},
    {"json", 0, NULL, NULL, "print the report instead of the tables", false, false},
    {"quiet", 'q', NULL, NULL, "no progress on standard error", false, false},
};

const pp_command pp_command_suite = {
    .group = "Measure",
    .name = "suite",
    .positionals = positionals,
    .n_positionals = PP_COUNT_OF(positionals),
    .options = options,
    .n_options = PP_COUNT_OF(options),
    .summary = "ask endpoints a fixed suite of questions and compare their answers",
    .detail =
        "Asks every case of the suite, one after the other, of one endpoint after the other, and\n"
        "counts the answers that the suite accepts: a score with its exact interval, what failed,\n"
        "and for several endpoints which cases only one of them gets right. A request that fails\n"
        "is counted as failed and leaves the score open. Answers of a model with random weights\n"
        "are not judged. Ctrl-C ends the asking and reports what was answered.\n",
    .example = "paretopilot suite q8=http://127.0.0.1:8080 q4=http://127.0.0.1:8081 "
               "--suite suite.json --min-score 0.8",
    .run = run,
};
