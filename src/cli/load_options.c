#include "cli/load_options.h"

#include <float.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/units.h"
#include "cli/api_key.h"
#include "load/drive.h"

/* The rates a user can mean: one request in three hours to a million a second. */
#define RATE_MIN 1e-4
#define RATE_MAX 1e6

#define CLIENTS_MAX 1000000

/* As messages name an option. */
static const char *dashed(const char *name, char out[40])
{
    (void)snprintf(out, 40, "--%s", name);
    return out;
}

static pp_status parse_seconds(const pp_args *args, const char *name, int64_t *value, pp_error *err)
{
    const char *text = pp_args_value(args, name);
    char what[40];

    return text == NULL ? PP_OK : pp_parse_duration(text, dashed(name, what), value, err);
}

static pp_status parse_count(const pp_args *args, const char *name, int64_t min, int64_t max,
                             int64_t *value, pp_error *err)
{
    const char *text = pp_args_value(args, name);
    char what[40];

    return text == NULL ? PP_OK : pp_parse_int(text, dashed(name, what), min, max, value, err);
}

/* A part of a text as a decimal number; the caller's message says more than ours could. */
static bool read_decimal(const char *text, size_t size, double *ret_value)
{
    char copy[32];

    if (size >= sizeof copy)
        return false;
    memcpy(copy, text, size);
    copy[size] = '\0';
    return pp_parse_number(copy, "number", 0, DBL_MAX, ret_value, NULL) == PP_OK;
}

static pp_status parse_rate(const char *text, size_t size, const char *what, double *ret_rate,
                            pp_error *err)
{
    if (size < 3 || memcmp(text + size - 2, "/s", 2) != 0 ||
        !read_decimal(text, size - 2, ret_rate))
        return pp_fail(err, PP_ERR_USAGE, "--%s: expected a rate such as 5/s or 0.2/s, got '%.*s'",
                       what, (int)size, text);
    if (*ret_rate < RATE_MIN || *ret_rate > RATE_MAX)
        return pp_fail(err, PP_ERR_RANGE, "--%s: expected %g/s to %g/s, got '%.*s'", what, RATE_MIN,
                       RATE_MAX, (int)size, text);
    return PP_OK;
}

static pp_status parse_clients(const char *text, size_t size, const char *what, double *ret_clients,
                               pp_error *err)
{
    char copy[24];
    char name[40];
    int64_t count = 0;
    pp_status st;

    if (size >= sizeof copy)
        return pp_fail(err, PP_ERR_USAGE, "--%s: '%.*s' is no number of clients", what, (int)size,
                       text);
    memcpy(copy, text, size);
    copy[size] = '\0';
    st = pp_parse_int(copy, dashed(what, name), 1, CLIENTS_MAX, &count, err);
    *ret_clients = (double)count;
    return st;
}

typedef pp_status (*item_parser)(const char *text, size_t size, const char *what, double *ret_value,
                                 pp_error *err);

/* "1,2,4": each item once, in the order in which the levels will run. */
static pp_status parse_list(const char *text, const char *what, item_parser parse,
                            double values[PP_LOAD_COMMAND_MAX_LEVELS], size_t *ret_count,
                            pp_error *err)
{
    pp_status st = PP_OK;
    bool more = true;

    *ret_count = 0;
    while (more && st == PP_OK) {
        size_t size = strcspn(text, ",");

        if (*ret_count == PP_LOAD_COMMAND_MAX_LEVELS)
            return pp_fail(err, PP_ERR_LIMIT, "--%s: more than %d levels", what,
                           PP_LOAD_COMMAND_MAX_LEVELS);
        st = parse(text, size, what, &values[*ret_count], err);
        for (size_t i = 0; st == PP_OK && i < *ret_count; i++)
            if (values[i] == values[*ret_count])
                st = pp_fail(err, PP_ERR_USAGE, "--%s: '%.*s' stands there twice", what, (int)size,
                             text);
        (*ret_count)++;
        more = text[size] == ',';
        text += size + (more ? 1 : 0);
    }
    return st;
}

/* "LOW..HIGH" */
static pp_status parse_span(const char *text, const char *what, item_parser parse, double *ret_low,
                            double *ret_high, pp_error *err)
{
    const char *dots = strstr(text, "..");
    pp_status st;

    if (dots == NULL)
        return pp_fail(err, PP_ERR_USAGE, "--%s: expected LOW..HIGH, got '%s'", what, text);
    st = parse(text, (size_t)(dots - text), what, ret_low, err);
    if (st == PP_OK)
        st = parse(dots + 2, strlen(dots + 2), what, ret_high, err);
    if (st == PP_OK && *ret_low >= *ret_high)
        st = pp_fail(err, PP_ERR_USAGE, "--%s: expected the lower end first, got '%s'", what, text);
    return st;
}

/* ---- the levels ------------------------------------------------------------------------------ */

static pp_status parse_arrivals(const char *text, pp_load_level *level, pp_error *err)
{
    size_t kind = 0;

    level->gamma_shape = 1;
    if (strncmp(text, "gamma:", 6) == 0) {
        level->arrivals = PP_ARRIVALS_GAMMA;
        if (!read_decimal(text + 6, strlen(text + 6), &level->gamma_shape) ||
            level->gamma_shape < 0.01 || level->gamma_shape > 1000)
            return pp_fail(err, PP_ERR_USAGE,
                           "--arrivals: expected gamma: and a shape from 0.01 to 1000, got '%s'",
                           text);
        return PP_OK;
    }
    while (pp_arrivals_name(kind) != NULL && strcmp(pp_arrivals_name(kind), text) != 0)
        kind++;
    if (pp_arrivals_name(kind) == NULL || kind == PP_ARRIVALS_GAMMA)
        return pp_fail(err, PP_ERR_USAGE,
                       "--arrivals: expected poisson, constant or gamma:SHAPE, got '%s'", text);
    level->arrivals = (pp_arrivals)kind;
    return PP_OK;
}

/* How long, how many: what all levels have in common. */
static pp_status read_pattern(const pp_args *args, uint64_t seed, pp_load_level *level,
                              pp_error *err)
{
    int64_t count = 0;
    int64_t duration_ns = 0;
    pp_status st = parse_count(args, "requests", 1, PP_WORKLOAD_MAX_REQUESTS, &count, err);

    *level = (pp_load_level){.number = 1, .seed = seed, .gamma_shape = 1};
    if (st == PP_OK)
        st = parse_seconds(args, "duration", &duration_ns, err);
    if (st == PP_OK && pp_args_has(args, "duration") && duration_ns == 0)
        st = pp_fail(err, PP_ERR_RANGE, "--duration: expected more than 0");
    if (st == PP_OK)
        st = parse_seconds(args, "ramp", &level->ramp_ns, err);
    if (st == PP_OK)
        st = parse_seconds(args, "think-time", &level->think_ns, err);
    if (st == PP_OK)
        st = parse_count(args, "warm-up", 0, PP_WORKLOAD_MAX_REQUESTS, &level->warmup_count, err);
    if (st == PP_OK)
        st = parse_arrivals(pp_args_has(args, "arrivals") ? pp_args_value(args, "arrivals")
                                                          : "poisson",
                            level, err);
    if (count > 0)
        level->request_count = pp_known_int(count);
    if (duration_ns > 0)
        level->duration_ns = pp_known_int(duration_ns);
    if (count == 0 && duration_ns == 0 && !pp_args_has(args, "trace"))
        level->duration_ns = pp_known_int(30 * PP_NS_PER_S);
    return st;
}

void pp_load_level_set_clients(pp_load_level *level, int64_t clients, bool keep_warmup)
{
    level->clients = clients;
    if (!keep_warmup)
        level->warmup_count = clients;
}

static void set_size(pp_load_level *level, double value, bool keep_warmup)
{
    if (!keep_warmup)
        level->warmup_count = 1;
    if (level->loop == PP_LOAD_CLOSED)
        pp_load_level_set_clients(level, (int64_t)value, keep_warmup);
    else if (level->loop == PP_LOAD_OPEN)
        level->rate_per_second = value;
}

static pp_status exclude(const pp_args *args, const char *const *names, size_t n, pp_error *err)
{
    const char *first = NULL;

    for (size_t i = 0; i < n; i++) {
        if (!pp_args_has(args, names[i]))
            continue;
        if (first != NULL)
            return pp_fail(err, PP_ERR_USAGE, "--%s and --%s exclude each other", first, names[i]);
        first = names[i];
    }
    return PP_OK;
}

static pp_status only_with(const pp_args *args, const char *name, bool holds, const char *with,
                           pp_error *err)
{
    if (!pp_args_has(args, name) || holds)
        return PP_OK;
    return pp_fail(err, PP_ERR_USAGE, "--%s has a meaning only with %s", name, with);
}

/* What differs between the two is what time did. */
static pp_status repeat_first(pp_load_command *c, double values[PP_LOAD_COMMAND_MAX_LEVELS],
                              pp_error *err)
{
    if (c->level_count == PP_LOAD_COMMAND_MAX_LEVELS)
        return pp_fail(err, PP_ERR_LIMIT, "--repeat-first: more than %d levels",
                       PP_LOAD_COMMAND_MAX_LEVELS);
    values[c->level_count++] = values[0];
    c->repeat_first = true;
    return PP_OK;
}

static pp_status read_levels(const pp_args *args, pp_load_command *c, pp_error *err)
{
    static const char *const loops[] = {"clients", "rate", "trace", "find-clients", "find-rate"};
    double values[PP_LOAD_COMMAND_MAX_LEVELS] = {1};
    pp_load_level pattern;
    pp_status st = exclude(args, loops, PP_COUNT_OF(loops), err);

    if (st == PP_OK)
        st = read_pattern(args, c->source.seed, &pattern, err);
    if (st != PP_OK)
        return st;
    c->level_count = 1;
    c->warmup_given = pp_args_has(args, "warm-up");
    if (pp_args_has(args, "trace")) {
        pattern.loop = PP_LOAD_TRACE;
    } else if (pp_args_has(args, "rate")) {
        pattern.loop = PP_LOAD_OPEN;
        st = parse_list(pp_args_value(args, "rate"), "rate", parse_rate, values, &c->level_count,
                        err);
    } else if (pp_args_has(args, "find-rate")) {
        pattern.loop = PP_LOAD_OPEN;
        c->search = PP_LOAD_SEARCH_RATE;
        st = parse_span(pp_args_value(args, "find-rate"), "find-rate", parse_rate, &c->search_low,
                        &c->search_high, err);
        values[0] = c->search_low;
    } else if (pp_args_has(args, "find-clients")) {
        c->search = PP_LOAD_SEARCH_CLIENTS;
        st = parse_span(pp_args_value(args, "find-clients"), "find-clients", parse_clients,
                        &c->search_low, &c->search_high, err);
        values[0] = c->search_low;
    } else if (pp_args_has(args, "clients")) {
        st = parse_list(pp_args_value(args, "clients"), "clients", parse_clients, values,
                        &c->level_count, err);
    }
    if (st == PP_OK)
        st = only_with(args, "repeat-first", c->search == PP_LOAD_SEARCH_NONE,
                       "--clients, --rate or --trace", err);
    if (st == PP_OK && pp_args_has(args, "repeat-first"))
        st = repeat_first(c, values, err);
    for (size_t i = 0; st == PP_OK && i < c->level_count; i++) {
        c->levels[i] = pattern;
        c->levels[i].number = (int64_t)i + 1;
        set_size(&c->levels[i], values[i], c->warmup_given);
    }
    if (st == PP_OK)
        st =
            only_with(args, "arrivals", pattern.loop == PP_LOAD_OPEN, "--rate or --find-rate", err);
    if (st == PP_OK)
        st = only_with(args, "think-time", pattern.loop == PP_LOAD_CLOSED, "--clients", err);
    if (st == PP_OK)
        st = only_with(args, "speed", pattern.loop == PP_LOAD_TRACE, "--trace", err);
    if (st == PP_OK && pattern.loop == PP_LOAD_TRACE)
        st = only_with(args, "ramp", false, "--clients or --rate", err);
    return st;
}

/* ---- what is sent ---------------------------------------------------------------------------- */

static pp_status read_dialect(const pp_args *args, pp_load_command *c, pp_error *err)
{
    pp_dialect *dialect = &c->source.dialect;
    const char *api = pp_args_value(args, "api");
    const char *kind = pp_args_value(args, "server");
    const char *temperature = pp_args_value(args, "temperature");

    if (api != NULL)
        PP_ASSERT(pp_endpoint_find(api, &dialect->endpoint)); /* the words of its row */
    if (kind != NULL && strcmp(kind, "auto") != 0) {
        PP_ASSERT(pp_server_kind_find(kind, &dialect->kind));
        c->kind_given = true;
    }
    if (pp_args_has(args, "model"))
        dialect->model = pp_text_of(pp_args_value(args, "model"));
    dialect->include_usage = !pp_args_has(args, "no-usage");
    dialect->max_completion_tokens = pp_args_has(args, "max-completion-tokens");
    dialect->free_length = pp_args_has(args, "free-length");
    dialect->seed = c->source.seed;
    if (temperature != NULL &&
        !read_decimal(temperature, strlen(temperature), &dialect->temperature))
        return pp_fail(err, PP_ERR_USAGE, "--temperature: expected 0 to 10, got '%s'", temperature);
    return PP_OK;
}

static pp_status read_prompts(pp_arena *arena, const pp_args *args, pp_load_command *c,
                              pp_error *err)
{
    static const char *const kinds[] = {"prompts", "prompt-tokens", "trace"};
    const char *speed_text = pp_args_value(args, "speed");
    double speed = 1;
    pp_status st = exclude(args, kinds, PP_COUNT_OF(kinds), err);

    if (st != PP_OK)
        return st;
    if (speed_text != NULL && !read_decimal(speed_text, strlen(speed_text), &speed))
        return pp_fail(err, PP_ERR_USAGE, "--speed: expected 0.001 to 1000, got '%s'", speed_text);
    if (pp_args_has(args, "prompts")) {
        st = pp_prompts_load(arena, pp_args_value(args, "prompts"), &c->prompts, err);
        c->source.prompts = &c->prompts;
    } else if (pp_args_has(args, "trace")) {
        st = pp_trace_load(arena, pp_args_value(args, "trace"), speed, &c->trace, err);
        c->source.trace = &c->trace;
    } else {
        c->source.prompt_tokens = 128;
        st = parse_count(args, "prompt-tokens", 1, PP_WORKLOAD_MAX_PROMPT_TOKENS,
                         &c->source.prompt_tokens, err);
    }
    if (st == PP_OK)
        st = parse_count(args, "shared-prefix", 0, PP_WORKLOAD_MAX_PROMPT_TOKENS,
                         &c->source.shared_prefix_tokens, err);
    return st;
}

static pp_status read_source(pp_arena *arena, const pp_args *args, pp_load_command *c,
                             pp_error *err)
{
    static const char *const reuse[] = {"cold", "warm"};
    int64_t seed = 1;
    pp_status st = exclude(args, reuse, PP_COUNT_OF(reuse), err);

    pp_load_source_options_default(&c->source);
    c->source.reuse = pp_args_has(args, "warm")   ? PP_LOAD_WARM
                      : pp_args_has(args, "cold") ? PP_LOAD_COLD
                                                  : PP_LOAD_UNSAID;
    if (st == PP_OK)
        st = parse_count(args, "seed", 0, INT64_MAX, &seed, err);
    c->source.seed = (uint64_t)seed;
    if (st == PP_OK)
        st = read_dialect(args, c, err);
    if (st == PP_OK)
        st = read_prompts(arena, args, c, err);
    if (st == PP_OK)
        st = pp_lengths_parse(
            pp_args_has(args, "output-tokens") ? pp_args_value(args, "output-tokens") : "64",
            "--output-tokens", &c->source.output, err);
    return st;
}

/* ---- how it is sent -------------------------------------------------------------------------- */

static pp_status read_key(pp_arena *arena, const pp_args *args, pp_load_command *c, pp_error *err)
{
    pp_api_key key;
    pp_status st = pp_api_key_read(arena, args, &key, err);

    if (st == PP_OK && key.header_count > 0) {
        c->headers[0] = key.headers[0];
        c->header_count = key.header_count;
        c->key = key.key;
    }
    return st;
}

static pp_status read_limits(const pp_args *args, pp_load_command *c, pp_error *err)
{
    pp_load_setup standard;
    const struct {
        const char *name;
        int64_t *value;
    } rows[] = {
        {"connect-timeout", &c->limits.connect_ns},
        {"first-byte-timeout", &c->limits.first_byte_ns},
        {"idle-timeout", &c->limits.idle_ns},
        {"timeout", &c->limits.total_ns},
        {"drain", &c->drain_ns},
        {"idle-wait", &c->idle_wait_ns},
    };
    pp_status st = PP_OK;

    pp_load_setup_default(&standard);
    c->limits = standard.limits;
    c->drain_ns = 10 * PP_NS_PER_S;
    c->idle_wait_ns = 30 * PP_NS_PER_S;
    for (size_t i = 0; st == PP_OK && i < PP_COUNT_OF(rows); i++)
        st = parse_seconds(args, rows[i].name, rows[i].value, err);
    return st;
}

static pp_status read_transport(pp_arena *arena, const pp_args *args, pp_load_command *c,
                                pp_error *err)
{
    int64_t pid = 0;
    pp_status st = read_limits(args, c, err);

    c->worker_count = 1;
    c->keep_alive = pp_args_has(args, "keep-alive");
    c->transport.ca_file = pp_args_value(args, "ca-file");
    c->transport.insecure = pp_args_has(args, "insecure");
    c->transport.spin = pp_args_has(args, "spin");
    if (st == PP_OK)
        st = parse_count(args, "workers", 1, 64, &c->worker_count, err);
    if (st == PP_OK)
        st = parse_count(args, "pid", 1, INT32_MAX, &pid, err);
    if (st == PP_OK && pid > 0)
        c->server_pid = pp_known_int(pid);
    return st == PP_OK ? read_key(arena, args, c, err) : st;
}

/* ---- what is demanded ------------------------------------------------------------------------ */

/* Demands on each request say what is good and decide nothing. */
static bool any_decides(const pp_load_command *c)
{
    for (size_t i = 0; i < c->slo_count; i++)
        if (c->slos[i].kind != PP_SLO_EACH)
            return true;
    return false;
}

/* The test looks after each request, so the number of them only says when it gives up. */
static pp_status read_stop_early(const pp_args *args, pp_load_command *c, pp_error *err)
{
    bool has_percentile = false;

    c->stop_early = pp_args_has(args, "stop-early");
    if (!c->stop_early)
        return PP_OK;
    for (size_t i = 0; i < c->slo_count; i++)
        has_percentile = has_percentile || c->slos[i].kind == PP_SLO_PERCENTILE;
    if (!has_percentile)
        return pp_fail(err, PP_ERR_USAGE,
                       "--stop-early needs a --slo on a percentile, such as "
                       "ttft.p95<=2s");
    if (!pp_args_has(args, "requests"))
        return pp_fail(err, PP_ERR_USAGE,
                       "--stop-early needs --requests: at so many it gives up, undecided");
    if (pp_args_has(args, "confidence"))
        return pp_fail(err, PP_ERR_USAGE,
                       "--confidence is of the rule for a number of requests fixed before looking; "
                       "the errors of --stop-early are 5 %%");
    if (pp_args_has(args, "ramp"))
        return pp_fail(err, PP_ERR_USAGE,
                       "--stop-early and --ramp exclude each other: requests of "
                       "a ramp are not judged");
    return PP_OK;
}

static pp_status read_demands(pp_arena *arena, const pp_args *args, pp_load_command *c,
                              pp_error *err)
{
    const char *confidence = pp_args_value(args, "confidence");
    const char *errors = pp_args_value(args, "max-error-rate");
    const char *text;
    double percent = 95;
    pp_status st = PP_OK;

    for (size_t i = 0; st == PP_OK && (text = pp_args_value_at(args, "slo", i)) != NULL; i++) {
        pp_slo slo;

        st = pp_slo_parse(arena, pp_text_of(text), &slo, err);
        if (st == PP_OK)
            st = pp_slo_add(c->slos, &c->slo_count, &slo, err);
    }
    if (st == PP_OK && confidence != NULL)
        st = pp_parse_percent(confidence, "--confidence", &percent, err);
    if (st == PP_OK && (percent < 50 || percent > 99.99))
        st = pp_fail(err, PP_ERR_RANGE, "--confidence: expected 50%% to 99.99%%, got '%s'",
                     confidence);
    c->confidence = percent / 100;
    c->max_error_percent = 100;
    if (st == PP_OK && errors != NULL)
        st = pp_parse_percent(errors, "--max-error-rate", &c->max_error_percent, err);
    if (st == PP_OK && c->max_error_percent > 100)
        st =
            pp_fail(err, PP_ERR_RANGE, "--max-error-rate: expected 0%% to 100%%, got '%s'", errors);
    if (st == PP_OK)
        st = read_stop_early(args, c, err);
    if (st == PP_OK && c->search != PP_LOAD_SEARCH_NONE && !any_decides(c))
        st = pp_fail(err, PP_ERR_USAGE, "%s needs at least one --slo that decides",
                     c->search == PP_LOAD_SEARCH_RATE ? "--find-rate" : "--find-clients");
    return st;
}

pp_status pp_load_command_read(pp_arena *arena, const pp_args *args, pp_load_command *ret_command,
                               pp_error *err)
{
    pp_load_command *c = ret_command;
    bool by_plan = false;
    pp_status st;

    memset(c, 0, sizeof *c);
    st = pp_server_root(arena, args->positionals[0], &c->root, err);
    if (st == PP_OK)
        st = pp_load_plan_mode_check(args, &by_plan, err);
    if (st == PP_OK && !by_plan)
        st = read_source(arena, args, c, err);
    if (st == PP_OK && !by_plan)
        st = read_levels(args, c, err);
    if (st == PP_OK)
        st = read_transport(arena, args, c, err);
    if (st == PP_OK && by_plan)
        st = pp_load_plan_mode_read(arena, args, c, err);
    if (st == PP_OK)
        st = read_demands(arena, args, c, err);
    c->source.base_url = c->root;
    c->source.headers = c->headers;
    c->source.header_count = c->header_count;
    return st;
}
