#include "cli/load_plan_mode.h"

#include <string.h>

#include "base/clock.h"
#include "base/units.h"
#include "capacity/load_check.h"
#include "capacity/load_samples.h"
#include "capacity/server_argv.h"
#include "cli/load_session.h"
#include "cli/load_table.h"
#include "model/document.h"

/* What the original sends with each request. */
#define SEED 4242

/* ---- options --------------------------------------------------------------------------------- */

static const char *const own_options[] = {"candidate", "evaluation", "execution-order",
                                          "load-command", "canonical-command"};

static const char *const said_by_plan[] = {"clients",
                                           "rate",
                                           "arrivals",
                                           "trace",
                                           "speed",
                                           "find-clients",
                                           "find-rate",
                                           "requests",
                                           "duration",
                                           "warm-up",
                                           "ramp",
                                           "repeat-first",
                                           "stop-early",
                                           "think-time",
                                           "api",
                                           "server",
                                           "model",
                                           "prompts",
                                           "prompt-tokens",
                                           "shared-prefix",
                                           "output-tokens",
                                           "free-length",
                                           "cold",
                                           "warm",
                                           "temperature",
                                           "no-usage",
                                           "max-completion-tokens",
                                           "seed",
                                           "keep-alive",
                                           "connect-timeout",
                                           "first-byte-timeout",
                                           "idle-timeout",
                                           "timeout"};

static pp_status check_own(const pp_args *args, pp_error *err)
{
    for (size_t i = 0; i < PP_COUNT_OF(said_by_plan); i++)
        if (pp_args_has(args, said_by_plan[i]))
            return pp_fail(err, PP_ERR_USAGE,
                           "--%s: the requests of a load by --plan are fixed, by the plan and by "
                           "docs/cli/load.md",
                           said_by_plan[i]);
    if (!pp_args_has(args, "candidate") || !pp_args_has(args, "evaluation"))
        return pp_fail(err, PP_ERR_USAGE, "--plan needs --candidate and --evaluation");
    if (pp_args_has(args, "load-command") != pp_args_has(args, "canonical-command"))
        return pp_fail(err, PP_ERR_USAGE,
                       "--load-command and --canonical-command belong together: an evaluation is "
                       "bound to both or to none");
    return PP_OK;
}

pp_status pp_load_plan_mode_check(const pp_args *args, bool *ret_is_on, pp_error *err)
{
    *ret_is_on = pp_args_has(args, "plan");
    if (*ret_is_on)
        return check_own(args, err);
    for (size_t i = 0; i < PP_COUNT_OF(own_options); i++)
        if (pp_args_has(args, own_options[i]))
            return pp_fail(err, PP_ERR_USAGE, "--%s has a meaning only with --plan",
                           own_options[i]);
    return PP_OK;
}

/* ---- candidate and order --------------------------------------------------------------------- */

static pp_status read_candidate(const pp_args *args, pp_load_plan_mode *mode, pp_error *err)
{
    mode->candidate_id = pp_text_of(pp_args_value(args, "candidate"));
    if (!pp_utf8_is_valid(mode->candidate_id.data, mode->candidate_id.size))
        return pp_fail(err, PP_ERR_USAGE, "--candidate is not UTF-8");
    return pp_wrap(err, pp_load_candidate_id_check(mode->candidate_id, err), "--candidate");
}

static const char *list_levels(pp_arena *arena, const pp_load_method *method)
{
    const char *list = "";

    for (size_t i = 0; i < method->level_count; i++)
        list = pp_arena_printf(arena, "%s%s%lld", list == NULL ? "" : list, i > 0 ? "," : "",
                               (long long)method->levels[i]);
    return list == NULL ? "" : list;
}

/* "4,2,1": each level of the plan once. */
static bool parse_order(const char *text, pp_load_plan_mode *mode)
{
    const pp_load_method *method = &mode->plan.method;
    bool seen[PP_LOAD_MAX_LEVELS] = {false};

    for (size_t i = 0; i < method->level_count; i++) {
        size_t size = strcspn(text, ",");
        size_t at;

        if (size != 1 || text[0] < '0' || text[0] > '9')
            return false; /* levels are 1, 2 and 4 */
        at = pp_load_method_find_level(method, text[0] - '0');
        if (at == method->level_count || seen[at])
            return false;
        seen[at] = true;
        mode->order[i] = method->levels[at];
        if ((text[1] == ',') != (i + 1 < method->level_count))
            return false;
        text += size + 1;
    }
    return true;
}

static pp_status read_order(pp_arena *arena, const pp_args *args, pp_load_plan_mode *mode,
                            pp_error *err)
{
    const char *text = pp_args_value(args, "execution-order");

    memcpy(mode->order, mode->plan.method.levels, sizeof mode->order);
    if (text == NULL || parse_order(text, mode))
        return PP_OK;
    return pp_fail(err, PP_ERR_USAGE,
                   "--execution-order: expected each level of the plan (%s) once, got '%s'",
                   list_levels(arena, &mode->plan.method), text);
}

/* ---- the server it is bound to --------------------------------------------------------------- */

static pp_status read_command(pp_arena *arena, const char *path, pp_server_argv *ret_argv,
                              char ret_sha256[PP_SHA256_HEX_SIZE], pp_error *err)
{
    const pp_json *root;
    pp_status st = pp_document_read(arena, path, &root, ret_sha256, err);

    if (st == PP_OK)
        st = pp_wrap(err, pp_server_command_decode(arena, root, ret_argv, err), "%s", path);
    return pp_wrap(err, st, "reading a command line");
}

static pp_status read_binding(pp_arena *arena, const pp_args *args, const char *root,
                              pp_load_plan_mode *mode, pp_error *err)
{
    char load_sha256[PP_SHA256_HEX_SIZE];
    char canonical_sha256[PP_SHA256_HEX_SIZE];
    pp_load_evaluation bound = {0};
    pp_load_binding_source source = {
        .plan_sha256 = mode->plan_sha256,
        .request_base_url = pp_text_of(root),
        .load_command_sha256 = load_sha256,
        .canonical_command_sha256 = canonical_sha256,
    };
    pp_status st;

    if (!pp_args_has(args, "load-command"))
        return PP_OK;
    st = read_command(arena, pp_args_value(args, "load-command"), &source.load_argv, load_sha256,
                      err);
    if (st == PP_OK)
        st = read_command(arena, pp_args_value(args, "canonical-command"), &source.canonical_argv,
                          canonical_sha256, err);
    if (st == PP_OK)
        st = pp_load_evaluation_bind(arena, &source, &bound, err);
    mode->is_bound = bound.is_bound;
    mode->binding = bound.binding;
    return st;
}

/* ---- what the engine is told ----------------------------------------------------------------- */

static void set_levels(const pp_load_plan_mode *mode, pp_load_command *c)
{
    const pp_load_method *method = &mode->plan.method;

    c->warmup_given = true;
    c->level_count = method->level_count;
    for (size_t i = 0; i < method->level_count; i++)
        c->levels[i] = (pp_load_level){
            .number = (int64_t)i + 1,
            .loop = PP_LOAD_CLOSED,
            .clients = mode->order[i],
            .request_count = pp_known_int(method->measured_count),
            .warmup_count = method->warmup_count,
            .gamma_shape = 1,
            .seed = SEED,
        };
}

static pp_status set_requests(pp_arena *arena, const pp_load_plan_mode *mode, pp_load_command *c,
                              pp_error *err)
{
    const pp_load_method *method = &mode->plan.method;
    pp_prompt *items = PP_ARENA_NEW(arena, pp_prompt, method->prompt_count);

    for (size_t i = 0; items != NULL && i < method->prompt_count; i++) {
        items[i].id = pp_text_of(pp_arena_printf(arena, "prompt-%05zu", i + 1));
        items[i].text = method->prompts[i].text;
    }
    c->prompts = (pp_prompts){.items = items, .count = method->prompt_count};
    pp_load_source_options_default(&c->source);
    c->kind_given = true;
    c->source.dialect = (pp_dialect){
        .endpoint = PP_ENDPOINT_COMPLETION, .kind = PP_SERVER_LLAMA_SERVER, .seed = SEED};
    c->source.reuse = PP_LOAD_COLD; /* cache_prompt is false */
    c->source.seed = SEED;
    c->source.output = pp_lengths_fixed(method->output_tokens);
    c->source.prompts = &c->prompts;
    return pp_arena_check(arena, err);
}

/* The original's limit holds for each wait on the socket; that of the whole request holds for
 * those, too. */
static void set_limits(const pp_load_plan_mode *mode, pp_load_command *c)
{
    double ns = mode->plan.timeout_seconds * 1e9;

    c->limits = (pp_http_limits){.total_ns = ns < 1 ? 1 : (int64_t)ns};
}

pp_status pp_load_plan_mode_read(pp_arena *arena, const pp_args *args, pp_load_command *command,
                                 pp_error *err)
{
    pp_load_plan_mode *mode = &command->plan;
    pp_status st =
        pp_load_plan_load(arena, pp_args_value(args, "plan"), &mode->plan, mode->plan_sha256, err);

    if (st == PP_OK)
        st = read_candidate(args, mode, err);
    if (st == PP_OK)
        st = read_order(arena, args, mode, err);
    if (st == PP_OK)
        st = read_binding(arena, args, command->root, mode, err);
    if (st != PP_OK)
        return st;
    mode->is_on = true;
    set_levels(mode, command);
    set_limits(mode, command);
    return set_requests(arena, mode, command, err);
}

/* ---- after a level --------------------------------------------------------------------------- */

/* Why the first failed warm-up request failed, as the document would say it; NULL: none did. One
 * that was cut, because another had failed, is no cause. */
static pp_status failed_warmup(pp_load_session *s, const pp_load_done *done, const char **ret_why,
                               pp_error *err)
{
    const pp_load_method *method = &s->command.plan.plan.method;

    *ret_why = NULL;
    for (size_t i = 0; i < done->result.sample_count; i++) {
        const pp_sample *sample = &done->result.samples[i];
        pp_load_sample judged;
        pp_status st;

        if (sample->id.phase != PP_PHASE_WARMUP || sample->failure == PP_FAILURE_CUT)
            continue;
        st = pp_load_sample_of(&s->arena, sample, method->output_tokens,
                               done->result.clock_start_ns, &judged, err);
        if (st != PP_OK)
            return st;
        if (judged.completed)
            continue;
        *ret_why =
            pp_arena_printf(&s->arena, "warm-up request %lld failed: %.*s",
                            (long long)sample->id.index, (int)judged.error.size, judged.error.data);
        return pp_arena_check(&s->arena, err);
    }
    return PP_OK;
}

static const char *early_end(pp_load_end end)
{
    switch (end) {
    case PP_LOAD_END_INTERRUPTED:
        return "it was interrupted";
    case PP_LOAD_END_HOPELESS:
        return "the server refused the first requests all alike";
    case PP_LOAD_END_WARMUP:
        return "a warm-up request failed";
    case PP_LOAD_END_REQUESTS:
    case PP_LOAD_END_DURATION:
    case PP_LOAD_END_TRACE:
    case PP_LOAD_END_DECIDED:
        break;
    }
    return NULL;
}

pp_status pp_load_plan_mode_judge(pp_load_session *session, pp_error *err)
{
    const pp_load_done *done = &session->levels[session->level_count - 1];
    const char *why = early_end(done->result.observed.ended_by);
    const char *warmup = NULL;
    pp_status st = PP_OK;

    if (done->result.observed.ended_by != PP_LOAD_END_INTERRUPTED)
        st = failed_warmup(session, done, &warmup, err);
    if (warmup != NULL)
        why = warmup;
    if (st != PP_OK || why == NULL)
        return st;
    session->command.plan.lost =
        pp_arena_printf(&session->arena, "level %lld, clients %lld: %s",
                        (long long)done->level.number, (long long)done->level.clients, why);
    return pp_arena_check(&session->arena, err);
}

/* ---- the evaluation -------------------------------------------------------------------------- */

static pp_status take_level(pp_load_session *s, const pp_load_done *done,
                            pp_measured_level *ret_level, pp_error *err)
{
    pp_maybe_int rss = done->result.observed.server.rss_peak_bytes;
    pp_status st = pp_measured_level_of(&s->arena, &s->command.plan.plan, done->level.clients,
                                        done->result.samples, done->result.sample_count,
                                        done->result.clock_start_ns, ret_level, err);

    if (st == PP_OK && rss.known && rss.value > 0)
        ret_level->peak_rss_mib = pp_known_real((double)rss.value / (double)(1 << 20));
    return st;
}

static pp_status build(pp_load_session *s, pp_load_evaluation *ret_evaluation, pp_error *err)
{
    const pp_load_plan_mode *mode = &s->command.plan;
    pp_measured_level levels[PP_LOAD_MAX_LEVELS];
    pp_status st = PP_OK;

    for (size_t i = 0; st == PP_OK && i < s->level_count; i++)
        st = take_level(s, &s->levels[i], &levels[i], err);
    if (st == PP_OK)
        st = pp_load_evaluation_build(&s->arena, &mode->plan, mode->candidate_id,
                                      s->endpoint.origin != PP_ORIGIN_MEASURED, levels,
                                      s->level_count, ret_evaluation, err);
    if (st != PP_OK)
        return st;
    ret_evaluation->is_bound = mode->is_bound;
    ret_evaluation->binding = mode->binding;
    return PP_OK;
}

/* A reader will make every figure again; if it would not accept the document, nobody gets it. */
static pp_status save(pp_load_session *s, const pp_load_evaluation *evaluation, const char *path,
                      pp_error *err)
{
    pp_json *document = pp_load_evaluation_to_json(&s->arena, evaluation);
    pp_load_evaluation again;
    pp_error why = {0};
    pp_status st = pp_arena_check(&s->arena, err);

    if (st != PP_OK)
        return st;
    if (pp_load_evaluation_read(&s->arena, document, &again, &why) != PP_OK)
        return pp_fail(err, PP_ERR_BUG, "the evaluation does not hold: %s", why.text);
    return pp_json_save_new(document, path, err);
}

static void print_rows(const pp_load_evaluation *evaluation, const char *path)
{
    printf("\nlimits of the plan, by the evaluation in %s\n", path);
    for (size_t i = 0; i < evaluation->method.level_count; i++) {
        const pp_load_row *row = &evaluation->rows[i];

        printf("  clients %lld: %s", (long long)row->concurrency,
               row->slo_failure_count == 0 ? "met" : "missed");
        for (size_t k = 0; k < row->slo_failure_count; k++)
            printf("%s %s", k == 0 ? ":" : ",", pp_load_slo_failure_name(row->slo_failures[k]));
        printf("\n");
    }
}

static void say_lost(const char *lost)
{
    char shown[1024];

    pp_text_escape_controls(lost, strlen(lost), shown, sizeof shown);
    fprintf(stderr, "no evaluation was written: %s\n", shown);
}

pp_status pp_load_plan_mode_write(const pp_args *args, pp_load_session *session, pp_error *err)
{
    pp_load_plan_mode *mode = &session->command.plan;
    const char *path = pp_args_value(args, "evaluation");
    pp_load_evaluation evaluation;
    pp_status st;

    if (mode->lost != NULL) {
        say_lost(mode->lost);
        return PP_OK;
    }
    st = build(session, &evaluation, err);
    if (st == PP_OK)
        st = save(session, &evaluation, path, err);
    if (st != PP_OK)
        return st;
    mode->highest_slo_concurrency = evaluation.highest_slo_concurrency;
    if (!pp_args_has(args, "json"))
        print_rows(&evaluation, path);
    return PP_OK;
}
