#include <stdlib.h>

#include "base/secret.h"
#include "cli/api_key.h"
#include "cli/inputs.h"
#include "cli/load_output.h"
#include "cli/load_session.h"
#include "cli/load_table.h"
#include "cli/signals.h"

/* ---- the answer as an exit code -------------------------------------------------------------- */

/* A level that failed more than was allowed, or wholly (B055: never 0). */
static bool too_many_failed(const pp_load_session *s, const pp_level_summary *summary)
{
    if ((summary->notes & (PP_NOTE_HOPELESS | PP_NOTE_ALL_FAILED)) != 0)
        return true; /* given up in its warm-up, a level has no measured failure */
    return summary->error_percent.known &&
           summary->error_percent.value > s->command.max_error_percent;
}

static bool missed(const pp_load_session *s)
{
    for (size_t i = 0; i < s->level_count; i++) {
        const pp_level_summary *summary = &s->levels[i].summary;

        if (too_many_failed(s, summary))
            return true;
        if (s->command.search == PP_LOAD_SEARCH_NONE && summary->has_verdict &&
            summary->verdict == PP_SLO_FAIL)
            return true;
    }
    if (s->command.plan.is_on && s->command.plan.lost == NULL)
        return !s->command.plan.highest_slo_concurrency.known;
    return s->command.search != PP_LOAD_SEARCH_NONE && s->find_answer.end == PP_FIND_NEVER_PASSED;
}

/* Of a sweep over which the server changed, no level says what its load does. */
static bool may_have_drifted(const pp_load_session *s)
{
    const pp_load_done *first = &s->levels[0];
    const pp_load_done *last = &s->levels[s->command.level_count - 1];

    return s->command.repeat_first && s->level_count == s->command.level_count &&
           pp_drift_between(&first->level, &first->summary, &last->summary).verdict !=
               PP_DRIFT_NONE;
}

static bool could_not_tell(const pp_load_session *s)
{
    if (s->command.plan.lost != NULL)
        return true;
    if (s->command.search != PP_LOAD_SEARCH_NONE)
        return s->find_answer.end != PP_FIND_RESOLVED && s->find_answer.end != PP_FIND_NEVER_FAILED;
    for (size_t i = 0; i < s->level_count; i++) {
        const pp_level_summary *summary = &s->levels[i].summary;

        if (summary->doubts != 0 || (summary->has_verdict && summary->verdict == PP_SLO_UNDECIDED))
            return true;
    }
    return may_have_drifted(s);
}

static pp_exit exit_of(const pp_load_session *s)
{
    if (pp_load_session_was_interrupted(s))
        return pp_signals_exit();
    if (missed(s))
        return PP_EXIT_NO;
    return could_not_tell(s) ? PP_EXIT_COULD_NOT_TELL : PP_EXIT_YES;
}

/* ---- the command ----------------------------------------------------------------------------- */

static pp_status work(const pp_args *args, pp_load_session *s, pp_exit *ret_exit, pp_error *err)
{
    pp_status st = pp_load_output_check(args, err);

    if (st == PP_OK)
        st = pp_load_command_read(&s->arena, args, &s->command, err);
    if (st != PP_OK)
        return st;
    s->rules = pp_load_rules_default();
    s->rules.slos = s->command.slos;
    s->rules.slo_count = s->command.slo_count;
    s->rules.confidence = s->command.confidence;
    s->rules.stop_early = s->command.stop_early;
    s->rules.cold = s->command.source.reuse == PP_LOAD_COLD;
    s->stop = pp_signals_install();
    s->cut_now = pp_signals_second();
    pp_progress_init(&s->live.view, pp_args_has(args, "quiet"));
    st = pp_load_session_prepare(s, err);
    if (st == PP_OK)
        st = pp_load_session_run(s, err);
    if (st == PP_OK)
        st = pp_load_output_write(args, s, err);
    if (st == PP_OK && s->command.plan.is_on)
        st = pp_load_plan_mode_write(args, s, err);
    if (st == PP_OK)
        *ret_exit = exit_of(s);
    else if (st == PP_ERR_INTERRUPTED)
        *ret_exit = pp_signals_exit();
    return st;
}

static pp_status run(const pp_args *args, pp_exit *ret_exit, pp_error *err)
{
    pp_load_session *s = calloc(1, sizeof *s); /* some 100 KiB: too large for a stack frame */
    pp_status st;

    if (s == NULL)
        return pp_fail(err, PP_ERR_MEMORY, "out of memory");
    st = work(args, s, ret_exit, err);
    if (st != PP_OK)
        pp_secret_remove_from_error(err, s->command.key);
    pp_arena_done(&s->arena);
    free(s);
    return st;
}

static const char *server_word(size_t n)
{
    return n == 0 ? "auto" : pp_server_kind_name(n - 1);
}

static const pp_positional positionals[] = {
    {.value = PP_TEXT("URL"), .help = "http:// or https://, with or without /v1 at its end"},
};

static const pp_option options[] = {
    /* how much, and when */
    {"clients", 'c', PP_TEXT("LIST"), "1",
     "closed loop: so many requests in flight, a level for each number, as 1,2,4,8", false, false},
    {"rate", 'r', PP_TEXT("LIST"), NULL,
     "open loop: requests begin at this rate whatever is in flight, a level for each, as 2/s,5/s",
     false, false},
    {"arrivals", 0, PP_TEXT("KIND"), "poisson",
     "open loop: poisson, constant, or gamma:SHAPE (below 1 in bursts)", false, false},
    {"trace", 0, PP_FILE("FILE"), NULL, "requests as recorded, docs/formats/load-trace.md", false,
     false},
    {"speed", 0, PP_NUMBER("X"), "1", "plays a trace so many times faster", false, false},
    {"find-clients", 0, PP_TEXT("LOW..HIGH"), NULL,
     "search for the number of clients that every --slo carries", false, false},
    {"find-rate", 0, PP_TEXT("LOW..HIGH"), NULL, "the same for a rate, as 1/s..50/s", false, false},
    {"repeat-first", 0, NULL, NULL,
     "the first level once more at the end, to see whether the server changed meanwhile", false,
     false},
    {"requests", 'n', PP_NUMBER("N"), NULL, "requests of each level, the warm-up not counted",
     false, false},
    {"duration", 'd', PP_DURATION("TIME"), "30s, where --requests is not given",
     "of each level; requests in flight at its end are cut", false, false},
    {"warm-up", 0, PP_NUMBER("N"), "as many as clients, or 1",
     "requests in front of each level that do not count", false, false},
    {"ramp", 0, PP_DURATION("TIME"), "0s",
     "spreads the starts of the clients, or lets the rate rise; not part of the steady window",
     false, false},
    {"think-time", 0, PP_DURATION("TIME"), "0s", "closed loop: pause of a client between requests",
     false, false},
    /* what */
    {"api", 0, PP_WORD("API", pp_endpoint_name), "chat",
     "chat: /v1/chat/completions; text: /v1/completions; completion: llama-server's /completion",
     false, false},
    {"server", 0, PP_WORD("KIND", server_word), "auto",
     "which fields the server knows; auto asks whether it is a llama-server or vLLM", false, false},
    {"model", 'm', PP_TEXT("NAME"), "the first that the server lists", "model of the requests",
     false, false},
    {"prompts", 'p', PP_FILE("FILE"), NULL, "prompts, taken in turn, docs/formats/prompts.md",
     false, false},
    {"prompt-tokens", 0, PP_NUMBER("N"), "128",
     "generated prompts of this length in the server's tokens; needs a llama-server", false, false},
    {"shared-prefix", 0, PP_NUMBER("N"), "0",
     "generated prompts begin with the same so many tokens", false, false},
    {"output-tokens", 0, PP_TEXT("LENGTH"), "64", "64, uniform:32..128 or normal:100,20", false,
     false},
    {"free-length", 0, NULL, NULL, "the model may end an answer by itself", false, false},
    {"cold", 0, NULL, NULL,
     "no prompt may come from the server's cache; a level where one did is "
     "not valid",
     false, false},
    {"warm", 0, NULL, NULL, "one generated prompt for all requests", false, false},
    {"temperature", 0, PP_NUMBER("X"), "0", "0 takes the likeliest token", false, false},
    {"no-usage", 0, NULL, NULL, "do not ask for usage figures, for servers that refuse the field",
     false, false},
    {"max-completion-tokens", 0, NULL, NULL, "chat: the newer name of max_tokens", false, false},
    {"seed", 's', PP_NUMBER("N"), "1", "of prompts, lengths and arrivals", false, false},
    /* how */
    {"keep-alive", 'k', NULL, NULL, "use connections again; else each request makes its own", false,
     false},
    {"connect-timeout", 0, PP_DURATION("TIME"), "10s", "to get a connection", false, false},
    {"first-byte-timeout", 0, PP_DURATION("TIME"), "10m",
     "from the start of a request to its first data; keep-alives are none", false, false},
    {"idle-timeout", 0, PP_DURATION("TIME"), "2m", "between data", false, false},
    {"timeout", 't', PP_DURATION("TIME"), "1h", "of a whole request", false, false},
    {"drain", 0, PP_DURATION("TIME"), "10s",
     "patience with requests in flight after Ctrl-C and after the duration of an open level", false,
     false},
    {"idle-wait", 0, PP_DURATION("TIME"), "30s",
     "patience before each level with a llama-server or vLLM that still works; then the level is "
     "not valid",
     false, false},
    PP_API_KEY_OPTIONS,
    {"ca-file", 0, PP_FILE("FILE"), "the system's", "certificates that TLS trusts", false, false},
    {"insecure", 0, NULL, NULL, "TLS without looking at the certificate", false, false},
    {"workers", 'w', PP_NUMBER("N"), "1", "threads that send and receive", false, false},
    {"spin", 0, NULL, NULL, "never sleep: costs a core for each worker, wakes some 20 us earlier",
     false, false},
    {"pid", 0, PP_NUMBER("PID"), NULL, "the server's process here: memory and CPU are reported",
     false, false},
    /* what is demanded */
    {"slo", 0, PP_TEXT("DEMAND"), NULL,
     "ttft.p95<=2s, e2e.p99<=10s, tpot<=50ms, error-rate<=1%, ... docs/method/load-verdicts.md",
     false, true},
    {"stop-early", 0, NULL, NULL,
     "a level ends when its percentiles are decided, at --requests at the latest: a sequential "
     "test "
     "with errors of 5%",
     false, false},
    {"confidence", 0, PP_TEXT("PERCENT"), "95%", "of the verdicts", false, false},
    {"max-error-rate", 0, PP_TEXT("PERCENT"), "100%",
     "more failed requests in a level give exit code 1; when all fail it is 1 in any case", false,
     false},
    /* as the original tool does */
    {"plan", 0, PP_FILE("PLAN"), NULL,
     "levels, prompts and limits of docs/formats/load-plan.md; then most options above are refused",
     false, false},
    {"candidate", 0, PP_TEXT("ID"), NULL, "with --plan: what is measured", false, false},
    {"evaluation", 0, PP_FILE("FILE"), NULL,
     "with --plan: the evaluation, docs/formats/load-evaluation.md", false, false},
    {"execution-order", 0, PP_TEXT("LIST"), "as in the plan",
     "with --plan: its levels in another order, as 4,2,1", false, false},
    {"load-command", 0, PP_FILE("FILE"), NULL,
     "with --plan: the server's command line, to bind the evaluation to it", false, false},
    {"canonical-command", 0, PP_FILE("FILE"), NULL,
     "with --plan: the command line that a study measured; only --host and --port may differ",
     false, false},
    /* where to */
    {"output", 'o', PP_FILE("FILE"), NULL, "the report, docs/formats/load-report.md", false, false},
    {"samples", 0, PP_FILE("FILE"), NULL, "every request, docs/formats/samples.md", false, false},
    {"levels-csv", 0, PP_FILE("FILE"), NULL, "a row for each level", false, false},
    {"requests-csv", 0, PP_FILE("FILE"), NULL, "a row for each request", false, false},
    {"json", 0, NULL, NULL, "print the report instead of the table", false, false},
    {"quiet", 'q', NULL, NULL, "no progress on standard error", false, false},
};

const pp_command pp_command_load = {
    .group = "Measure",
    .name = "load",
    .positionals = positionals,
    .n_positionals = PP_COUNT_OF(positionals),
    .options = options,
    .n_options = PP_COUNT_OF(options),
    .summary = "drive one endpoint and record every request",
    .detail =
        "Sends streamed requests to an OpenAI-compatible server or a llama-server, with a fixed\n"
        "number in flight (closed loop), at a rate (open loop) or as recorded (trace), and keeps "
        "a\n"
        "sample of each: time to first token, gaps, end, tokens as the server counted them, and "
        "why\n"
        "it failed if it did. In open loop times count from the instant a request was due. "
        "Demands\n"
        "(--slo) are judged by an exact rule: pass, fail, or undecided with the requests that are\n"
        "missing. A level in which the client itself was disturbed is marked as not valid.\n"
        "Ctrl-C ends the level, waits for what is in flight, and reports what was measured; a "
        "second\n"
        "one does not wait.\n",
    .example = "paretopilot load http://127.0.0.1:8080 --clients 1,2,4 --requests 100 "
               "--slo 'ttft.p95<=2s'",
    .run = run,
};
