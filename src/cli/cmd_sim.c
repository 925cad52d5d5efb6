#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "base/clock.h"
#include "base/files.h"
#include "base/units.h"
#include "cli/inputs.h"
#include "cli/signals.h"
#include "cli/table.h"
#include "sim/sim.h"

/* Open files that are no connections: log, epoll set, standard streams, a few to spare. */
#define OTHER_FILES 32

static const char *queue_full_word(size_t n)
{
    static const char *const words[] = {"503", "429", NULL};

    return words[n];
}

static const pp_option options[] = {
    {"answer-tokens", 0, PP_NUMBER("N"), "128", "length of an answer whose request names no limit",
     false, false},
    {"answers", 0, PP_FILE("FILE"), "words by rule",
     "answers by prompt, docs/formats/sim-answers.md", false, false},
    {"api-key-file", 0, PP_FILE("FILE"), NULL,
     "require the key in FILE as Bearer token, except for /health and /v1/models", false, false},
    {"cache-n", 0, PP_TEXT("N|repeat"), "0",
     "prompt tokens that count as cached: N of each, or all but one of a prompt seen before", false,
     false},
    {"ctx-size", 'c', PP_NUMBER("N"), "4096", "context of each slot, in tokens", false, false},
    {"fault", 0, PP_TEXT("NAME[:VALUE][@WHICH]"), NULL,
     "depart from good behaviour: see --list-faults", false, true},
    {"for", 0, PP_DURATION("TIME"), "until stopped", "end after TIME, with exit code 0", false,
     false},
    {"host", 0, PP_TEXT("HOST"), "127.0.0.1", "address to listen on", false, false},
    {"jitter", 0, PP_TEXT("KIND"), "none",
     "of the token time: none, uniform:P, normal:P, exponential or lognormal:SIGMA, mean 1", false,
     false},
    {"list-faults", 0, NULL, NULL, "print the faults and the public reports they serve", false,
     false},
    {"loading", 0, PP_DURATION("TIME"), "0s", "answer 503 for TIME after the start", false, false},
    {"log", 0, PP_FILE("FILE"), NULL,
     "new file for the instants at which events were handed to the kernel, docs/formats/sim-log.md",
     false, false},
    {"model", 0, PP_TEXT("NAME"), "simulated", "name that the model goes by", false, false},
    {"null", 0, NULL, NULL, "answer every request at once with one constant reply", false, false},
    {"port", 'p', PP_NUMBER("N"), "0", "port to listen on; 0: a free one, which is printed", false,
     false},
    {"port-file", 0, PP_FILE("FILE"), NULL, "new file for the port", false, false},
    {"prefill", 0, PP_DURATION("TIME"), "0.2ms", "time of each prompt token that is not cached",
     false, false},
    {"profile", 0, PP_WORD("SERVER", pp_sim_profile_name), "llama-server",
     "which server it passes for", false, false},
    {"queue-full", 0, PP_WORD("STATUS", queue_full_word), "503",
     "status for a request that finds the queue full", false, false},
    {"queue-max", 0, PP_NUMBER("N"), "1000000", "requests that may wait for a slot", false, false},
    {"seed", 0, PP_NUMBER("N"), "1", "chooses words, jitter, acceptance, and requests of a share",
     false, false},
    {"slots", 'n', PP_NUMBER("N"), "1", "requests that are served at once", false, false},
    {"speculation", 0, PP_TEXT("SHARE[/N]"), NULL,
     "each step drafts N (3) tokens, each accepted with this chance", false, false},
    {"stall", 0, PP_TEXT("AT:TIME"), NULL,
     "do nothing for TIME, AT after the first request for an answer came", false, true},
    {"tape", 0, PP_FILE("FILE"), NULL, "answer with the bytes and pauses of docs/formats/tape.md",
     false, false},
    {"token-time", 0, PP_DURATION("TIME"), "20ms", "time of each step after the first token", false,
     false},
};

/* What the command owns beside the options of the server. */
typedef struct setup {
    pp_arena arena;
    pp_sim_options sim;
    pp_sim_answers answers;
    pp_sim_tape tape;
    int64_t for_ns; /* 0: until stopped */
} setup;

/* ---- reading the options ----------------------------------------------------------------------
 */

static pp_status read_numbers(const pp_args *args, setup *s, pp_error *err)
{
    int64_t port = 0, seed = 1, status = 503;
    const struct {
        const char *name;
        int64_t min, max;
        int64_t *value;
    } numbers[] = {
        {"answer-tokens", 0, 1000000, &s->sim.answer_tokens},
        {"ctx-size", 1, 100000000, &s->sim.n_ctx},
        {"port", 0, 65535, &port},
        {"queue-full", 429, 503, &status},
        {"queue-max", 0, PP_SIM_QUEUE_MAX, &s->sim.queue_max},
        {"seed", 0, INT64_MAX, &seed},
        {"slots", 1, PP_SIM_SLOT_MAX, &s->sim.slot_count},
    };
    pp_status st = PP_OK;

    for (size_t i = 0; st == PP_OK && i < PP_COUNT_OF(numbers); i++) {
        const char *text = pp_args_value(args, numbers[i].name);
        char what[32];

        (void)snprintf(what, sizeof what, "sim: --%s", numbers[i].name);
        if (text != NULL)
            st = pp_parse_int(text, what, numbers[i].min, numbers[i].max, numbers[i].value, err);
    }
    s->sim.port = (uint16_t)port;
    s->sim.service.seed = (uint64_t)seed;
    s->sim.queue_full_status = (int)status;
    return st;
}

static pp_status read_times(const pp_args *args, setup *s, pp_error *err)
{
    const struct {
        const char *name;
        int64_t *ns;
    } times[] = {{"for", &s->for_ns},
                 {"loading", &s->sim.loading_ns},
                 {"prefill", &s->sim.service.prefill_ns},
                 {"token-time", &s->sim.service.token_ns}};
    pp_status st = PP_OK;

    for (size_t i = 0; st == PP_OK && i < PP_COUNT_OF(times); i++) {
        const char *text = pp_args_value(args, times[i].name);
        char what[32];

        (void)snprintf(what, sizeof what, "sim: --%s", times[i].name);
        if (text != NULL)
            st = pp_parse_duration(text, what, times[i].ns, err);
        if (st == PP_OK && *times[i].ns > 86400 * PP_NS_PER_S)
            st = pp_fail(err, PP_ERR_USAGE, "%s: at most 24h, got '%s'", what, text);
    }
    return st;
}

static pp_status read_cache(const pp_args *args, setup *s, pp_error *err)
{
    const char *text = pp_args_value(args, "cache-n");

    if (text == NULL)
        return PP_OK;
    if (strcmp(text, "repeat") == 0) {
        s->sim.cache = PP_SIM_CACHE_REPEAT;
        return PP_OK;
    }
    return pp_parse_int(text, "sim: --cache-n: neither 'repeat' nor a number", 0, INT32_MAX,
                        &s->sim.cached_tokens, err);
}

static pp_status read_service(const pp_args *args, setup *s, pp_error *err)
{
    const char *jitter = pp_args_value(args, "jitter");
    const char *speculation = pp_args_value(args, "speculation");
    const char *stall;
    pp_status st = PP_OK;

    if (jitter != NULL)
        st = pp_sim_jitter_parse(jitter, &s->sim.service, err);
    if (st == PP_OK && speculation != NULL)
        st = pp_sim_speculation_parse(speculation, &s->sim.service, err);
    for (size_t i = 0; st == PP_OK && (stall = pp_args_value_at(args, "stall", i)) != NULL; i++)
        st = pp_sim_stall_parse(stall, &s->sim.service, err);
    return st;
}

static pp_status read_faults(const pp_args *args, setup *s, pp_error *err)
{
    size_t n = 0;
    pp_status st = PP_OK;

    while (pp_args_value_at(args, "fault", n) != NULL)
        n++;
    s->sim.faults = PP_ARENA_NEW(&s->arena, pp_sim_fault, n);
    if (s->sim.faults == NULL)
        return pp_arena_check(&s->arena, err);
    s->sim.fault_count = n;
    for (size_t i = 0; st == PP_OK && i < n; i++)
        st = pp_sim_fault_parse(&s->arena, pp_args_value_at(args, "fault", i), &s->sim.faults[i],
                                err);
    return pp_wrap(err, st, "sim");
}

static pp_status read_text_file(setup *s, const char *path, size_t max_bytes, pp_text *ret_text,
                                pp_error *err)
{
    pp_buf buf;
    pp_status st;

    pp_buf_init(&buf, max_bytes);
    st = pp_file_read(path, &buf, err);
    if (st == PP_OK) {
        *ret_text = pp_text_dup(&s->arena, (pp_text){pp_buf_text(&buf), buf.size});
        st = pp_arena_check(&s->arena, err);
    }
    pp_buf_done(&buf);
    return st;
}

static pp_status read_tape(const pp_args *args, setup *s, pp_error *err)
{
    const char *path = pp_args_value(args, "tape");
    pp_text text;
    pp_status st;

    if (path == NULL)
        return PP_OK;
    st = read_text_file(s, path, PP_SIM_TAPE_MAX_BYTES, &text, err);
    if (st == PP_OK)
        st = pp_sim_tape_parse(&s->arena, path, text, &s->tape, err);
    s->sim.tape = &s->tape;
    return st;
}

static pp_status read_answers(const pp_args *args, setup *s, pp_error *err)
{
    const char *path = pp_args_value(args, "answers");
    const pp_json *root;
    pp_status st;

    if (path == NULL)
        return PP_OK;
    st = pp_json_read_file(&s->arena, path, NULL, &root, err);
    if (st == PP_OK)
        st = pp_wrap(err, pp_sim_answers_read(&s->arena, root, &s->answers, err), "reading '%s'",
                     path);
    s->sim.answers = &s->answers;
    return st;
}

/* The key stays out of every message. */
static pp_status read_key(const pp_args *args, setup *s, pp_error *err)
{
    const char *path = pp_args_value(args, "api-key-file");
    pp_text text;
    pp_status st;

    if (path == NULL)
        return PP_OK;
    st = read_text_file(s, path, 4096, &text, err);
    if (st != PP_OK)
        return st;
    s->sim.api_key = pp_text_strip(text);
    if (s->sim.api_key.size == 0)
        return pp_fail(err, PP_ERR_DOMAIN, "'%s': expected a key, found nothing", path);
    return PP_OK;
}

static pp_status read_options(const pp_args *args, setup *s, pp_error *err)
{
    static pp_status (*const readers[])(const pp_args *, setup *, pp_error *) = {
        read_numbers, read_times, read_cache,   read_service,
        read_faults,  read_tape,  read_answers, read_key};
    const char *host = pp_args_value(args, "host");
    const char *model = pp_args_value(args, "model");
    const char *profile = pp_args_value(args, "profile");
    pp_status st = PP_OK;

    pp_sim_options_default(&s->sim);
    if (host != NULL)
        s->sim.host = host;
    if (model != NULL)
        s->sim.model = model;
    for (size_t i = 0; profile != NULL && pp_sim_profile_name(i) != NULL; i++)
        if (strcmp(profile, pp_sim_profile_name(i)) == 0)
            s->sim.profile = (pp_sim_profile)i;
    s->sim.is_null = pp_args_has(args, "null");
    s->sim.log_path = pp_args_value(args, "log");
    for (size_t i = 0; st == PP_OK && i < PP_COUNT_OF(readers); i++)
        st = readers[i](args, s, err);
    if (st == PP_OK && model != NULL && !pp_utf8_is_valid(model, strlen(model)))
        st = pp_fail(err, PP_ERR_USAGE, "sim: --model: expected UTF-8");
    return st;
}

static pp_status check_outputs(const pp_args *args, pp_error *err)
{
    const char *log = pp_args_value(args, "log");
    const char *port_file = pp_args_value(args, "port-file");
    pp_status st = pp_output_check_free(log, err);

    if (st == PP_OK)
        st = pp_output_check_free(port_file, err);
    if (st == PP_OK && log != NULL && port_file != NULL && strcmp(log, port_file) == 0)
        st = pp_fail(err, PP_ERR_USAGE, "sim: --log and --port-file name the same file");
    return st;
}

/* ---- serving ----------------------------------------------------------------------------------
 */

/* Connections that the limit of open files leaves room for, after it was raised as far as it goes.
 */
static size_t connection_limit(size_t wanted)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return wanted;
    if (limit.rlim_cur < limit.rlim_max && limit.rlim_cur < wanted + OTHER_FILES) {
        limit.rlim_cur =
            wanted + OTHER_FILES < limit.rlim_max ? wanted + OTHER_FILES : limit.rlim_max;
        (void)setrlimit(RLIMIT_NOFILE, &limit); /* then it stays as it was, and is read again */
        (void)getrlimit(RLIMIT_NOFILE, &limit);
    }
    if (limit.rlim_cur >= wanted + OTHER_FILES)
        return wanted;
    return limit.rlim_cur > 2 * OTHER_FILES ? (size_t)limit.rlim_cur - OTHER_FILES : OTHER_FILES;
}

static pp_status announce(const pp_args *args, const setup *s, const pp_sim *sim, pp_error *err)
{
    const char *path = pp_args_value(args, "port-file");
    bool is_v6 = strchr(s->sim.host, ':') != NULL;
    char port[16];

    printf("http://%s%s%s:%u\n", is_v6 ? "[" : "", s->sim.host, is_v6 ? "]" : "", pp_sim_port(sim));
    (void)fflush(stdout); /* main checks the stream at the end */
    if (path == NULL)
        return PP_OK;
    (void)snprintf(port, sizeof port, "%u\n", pp_sim_port(sim));
    return pp_file_write_new(path, port, strlen(port), err);
}

static void print_totals(const pp_sim_totals *t)
{
    fprintf(stderr,
            "sim: %lld requests, at most %lld at once; %lld connections, at most %lld at once; "
            "%lld prompt and %lld generated tokens\n",
            (long long)t->requests, (long long)t->open_requests_max, (long long)t->connections,
            (long long)t->open_connections_max, (long long)t->prompt_tokens,
            (long long)t->predicted_tokens);
    if (t->has_log)
        fprintf(stderr, "sim: log: %llu lines, %llu dropped\n", (unsigned long long)t->log_written,
                (unsigned long long)t->log_dropped);
}

static pp_status serve(const pp_args *args, setup *s, pp_error *err)
{
    pp_sim *sim = NULL;
    pp_sim_totals totals;
    pp_error finish_err = {0};
    pp_status st, finished;

    s->sim.connection_max_count = connection_limit(s->sim.connection_max_count);
    st = pp_sim_new(&s->sim, &sim, err);
    if (st != PP_OK)
        return st;
    st = announce(args, s, sim, err);
    if (st == PP_OK)
        st = pp_sim_run(sim, s->for_ns == 0 ? 0 : pp_clock_now_ns() + s->for_ns, err);
    finished = pp_sim_finish(sim, &totals, &finish_err);
    print_totals(&totals);
    if (st == PP_OK && finished != PP_OK)
        st = pp_fail(err, finished, "%s", finish_err.text);
    return st;
}

/* ---- the list ---------------------------------------------------------------------------------
 */

static void print_faults(void)
{
    pp_sim_fault_info info;

    for (size_t i = 0; pp_sim_fault_info_at(i, &info); i++) {
        printf("%s%s%s\n    %s", info.name, info.value == NULL ? "" : ":",
               info.value == NULL ? "" : info.value, info.help);
        printf(info.bugs[0] == '\0' ? "\n" : " [%s]\n", info.bugs);
    }
}

static pp_status run(const pp_args *args, pp_exit *ret_exit, pp_error *err)
{
    setup s = {0};
    pp_status st;

    if (pp_args_has(args, "list-faults")) {
        print_faults();
        return PP_OK;
    }
    st = check_outputs(args, err);
    if (st == PP_OK)
        st = read_options(args, &s, err);
    if (st == PP_OK) {
        s.sim.stop = pp_signals_install();
        st = serve(args, &s, err);
        if (st == PP_OK && *s.sim.stop != 0)
            *ret_exit = pp_signals_exit();
    }
    pp_arena_done(&s.arena);
    return st;
}

const pp_command pp_command_sim = {
    .group = "Measure",
    .name = "sim",
    .options = options,
    .n_options = PP_COUNT_OF(options),
    .summary = "a simulated llama-server with known timing and named faults",
    .detail =
        "Answers /completion, /v1/chat/completions and /v1/completions as llama-server does, with\n"
        "declared times instead of a model, and /tokenize, /detokenize, /apply-template, /health,\n"
        "/props, /slots, /metrics and /v1/models. A request that gets its slot at S has its first\n"
        "token at S + prompt tokens x --prefill, and one more each --token-time. Its address is\n"
        "printed; it serves until it is stopped (exit 130 or 143) or --for is over.\n"
        "Everything it says is marked as simulated; its words mean nothing.\n"
        "\n"
        "--fault NAME[:VALUE][@WHICH]: @first:N, @after:N, @every:N, @N, @share:P and @/path "
        "choose\n"
        "requests; without them it is all for an answer. Several agree: --fault "
        "status:500@first:9@every:3\n",
    .example = "paretopilot sim --slots 2 --token-time 5ms --fault slow:1s@every:8 --for 100ms",
    .run = run,
};
