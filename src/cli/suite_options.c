#include "cli/suite_options.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/files.h"
#include "base/units.h"

/* Longer ones fit no context that a suite is for. */
#define PROMPT_MAX_BYTES ((size_t)1 << 20)
#define NAME_MAX_BYTES   64

static const char original_prompt_sha256[] =
    "b8fab5a77dd57574d973c75dee01b6a005f05fe7cad4807b0554acda311ee0f1";

bool pp_suite_prompt_is_the_originals(pp_text prompt)
{
    char hex[PP_SHA256_HEX_SIZE];

    return pp_sha256_of(prompt.data, prompt.size, hex, NULL) == PP_OK &&
           strcmp(hex, original_prompt_sha256) == 0;
}

/* ---- endpoints ------------------------------------------------------------------------------- */

static bool is_name(pp_text name)
{
    if (name.size == 0 || name.size > NAME_MAX_BYTES)
        return false;
    for (size_t i = 0; i < name.size; i++)
        if (name.data[i] <= ' ' || name.data[i] > '~' || strchr("/:?#@\"\\", name.data[i]) != NULL)
            return false;
    return true;
}

/* "NAME=URL": a '=' in front of "://" ends a name; another one belongs to the address. */
static const char *split_name(const char *given, pp_text *ret_name)
{
    const char *equals = strchr(given, '=');
    const char *scheme = strstr(given, "://");

    *ret_name = (pp_text){0};
    if (equals == NULL || (scheme != NULL && scheme < equals))
        return given;
    *ret_name = (pp_text){given, (size_t)(equals - given)};
    return equals + 1;
}

static pp_status check_name(const pp_suite_command *c, pp_text name, pp_error *err)
{
    if (!is_name(name))
        return pp_fail(err, PP_ERR_USAGE,
                       "endpoint '%.*s': expected a name of 1 to %d printable ASCII characters "
                       "without blanks and /:?#@\"\\",
                       (int)(name.size < 80 ? name.size : 80), name.data, NAME_MAX_BYTES);
    for (size_t i = 0; i < c->place_count; i++)
        if (pp_text_equal(c->places[i].name, name))
            return pp_fail(err, PP_ERR_USAGE, "two endpoints are called '%.*s'", (int)name.size,
                           name.data);
    return PP_OK;
}

static pp_status read_place(pp_arena *arena, const char *given, pp_suite_command *c, pp_error *err)
{
    pp_suite_place *place = &c->places[c->place_count];
    pp_text name;
    const char *url = split_name(given, &name);
    pp_status st;

    if (name.data == NULL) {
        const char *text = pp_arena_printf(arena, "url-%zu", c->place_count + 1);

        name = text == NULL ? (pp_text){0} : pp_text_of(text);
    } else {
        name = pp_text_dup(arena, name);
    }
    st = pp_arena_check(arena, err);
    if (st == PP_OK)
        st = check_name(c, name, err);
    if (st == PP_OK)
        st = pp_server_root(arena, url, &place->root, err);
    place->name = name;
    c->place_count++;
    return st;
}

static pp_status find_place(const pp_suite_command *c, const char *option, pp_text name,
                            size_t *ret_place, pp_error *err)
{
    for (size_t i = 0; i < c->place_count; i++) {
        if (pp_text_equal(c->places[i].name, name)) {
            *ret_place = i;
            return PP_OK;
        }
    }
    return pp_fail(err, PP_ERR_USAGE, "--%s: no endpoint is called '%.*s'", option,
                   (int)(name.size < 80 ? name.size : 80), name.data);
}

static pp_status read_model_file(const char *given, pp_suite_command *c, pp_error *err)
{
    const char *equals = strchr(given, '=');
    size_t place = 0;
    pp_status st;

    if (equals == NULL) {
        for (size_t i = 0; i < c->place_count; i++)
            c->places[i].model_file = given;
        return PP_OK;
    }
    st = find_place(c, "model-file", (pp_text){given, (size_t)(equals - given)}, &place, err);
    if (st == PP_OK)
        c->places[place].model_file = equals + 1;
    return st;
}

static pp_status read_places(pp_arena *arena, const pp_args *args, pp_suite_command *c,
                             pp_error *err)
{
    const char *reference = pp_args_value(args, "reference");
    const char *file;
    pp_status st = PP_OK;

    if (args->positional_count == 0)
        return pp_fail(err, PP_ERR_USAGE, "expected the URL of a server");
    if (args->positional_count > PP_SUITE_ENDPOINTS_MAX)
        return pp_fail(err, PP_ERR_LIMIT, "expected at most %d endpoints, got %zu",
                       PP_SUITE_ENDPOINTS_MAX, args->positional_count);
    for (size_t i = 0; st == PP_OK && i < args->positional_count; i++)
        st = read_place(arena, args->positionals[i], c, err);
    if (st == PP_OK && reference != NULL)
        st = find_place(c, "reference", pp_text_of(reference), &c->reference, err);
    for (size_t i = 0; st == PP_OK && (file = pp_args_value_at(args, "model-file", i)) != NULL; i++)
        st = read_model_file(file, c, err);
    return st;
}

/* ---- numbers --------------------------------------------------------------------------------- */

static pp_status read_count(const pp_args *args, const char *name, const char *what, int64_t max,
                            size_t *value, pp_error *err)
{
    const char *text = pp_args_value(args, name);
    int64_t count = 0;
    pp_status st = text == NULL ? PP_OK : pp_parse_int(text, what, 1, max, &count, err);

    if (st == PP_OK && text != NULL)
        *value = (size_t)count;
    return st;
}

static pp_status read_share(const pp_args *args, const char *name, const char *what, double max,
                            pp_maybe_real *value, pp_error *err)
{
    const char *text = pp_args_value(args, name);
    pp_status st = PP_OK;

    if (text == NULL)
        return PP_OK;
    st = pp_parse_number(text, what, 0, max, &value->value, err);
    value->known = st == PP_OK;
    return st;
}

/* Every score is at least 0, and no number of cases certifies 1. */
static pp_status check_floor(const pp_suite_command *c, pp_error *err)
{
    if (c->min_score.known && (c->min_score.value <= 0 || c->min_score.value >= 1))
        return pp_fail(err, PP_ERR_RANGE, "--min-score: expected above 0 and below 1, got %g",
                       c->min_score.value);
    if (c->certify && !c->min_score.known)
        return pp_fail(err, PP_ERR_USAGE, "--certify has a meaning only with --min-score");
    if (c->min_retention.known && c->place_count < 2)
        return pp_fail(err, PP_ERR_USAGE,
                       "--min-retention compares endpoints: expected two or more, got 1");
    return PP_OK;
}

static pp_status read_numbers(const pp_args *args, pp_suite_command *c, pp_error *err)
{
    const char *timeout = pp_args_value(args, "timeout");
    pp_status st =
        read_count(args, "passes", "--passes", PP_SUITE_PASSES_MAX, &c->ask.pass_count, err);

    if (st == PP_OK)
        st = read_count(args, "clients", "--clients", PP_SUITE_CLIENTS_MAX, &c->ask.client_count,
                        err);
    if (st == PP_OK)
        st = read_share(args, "min-score", "--min-score", 1, &c->min_score, err);
    if (st == PP_OK)
        st = read_share(args, "min-retention", "--min-retention", 10, &c->min_retention, err);
    if (st == PP_OK && timeout != NULL) {
        st = pp_parse_duration(timeout, "--timeout", &c->ask.limits.total_ns, err);
        if (st == PP_OK && c->ask.limits.total_ns == 0)
            st = pp_fail(err, PP_ERR_RANGE, "--timeout: expected more than 0");
        c->ask.limits.first_byte_ns = c->ask.limits.total_ns;
    }
    return st == PP_OK ? check_floor(c, err) : st;
}

/* ---- the system prompt ----------------------------------------------------------------------- */

/* One line end that ends a file is none of the prompt. */
static pp_status read_prompt_file(pp_arena *arena, const char *path, pp_text *ret_prompt,
                                  pp_error *err)
{
    pp_buf bytes;
    pp_status st;
    size_t size;

    pp_buf_init(&bytes, PROMPT_MAX_BYTES);
    st = pp_file_read(path, &bytes, err);
    size = bytes.size;
    if (st == PP_OK && size > 0 && bytes.data[size - 1] == '\n')
        size--;
    if (st == PP_OK)
        *ret_prompt = pp_text_dup(arena, (pp_text){pp_buf_text(&bytes), size});
    pp_buf_done(&bytes);
    return st == PP_OK ? pp_arena_check(arena, err) : st;
}

static pp_status read_prompt(pp_arena *arena, const pp_args *args, pp_suite_command *c,
                             pp_error *err)
{
    const char *given = pp_args_value(args, "system-prompt");
    pp_suite_voice *voice = &c->ask.voice;
    pp_status st = PP_OK;

    voice->has_system_prompt = c->suite.has_system_prompt || given != NULL;
    voice->system_prompt = c->suite.system_prompt;
    if (given == NULL)
        return PP_OK;
    if (!c->suite.original)
        return pp_fail(err, PP_ERR_USAGE,
                       "--system-prompt is for suites of schema 1.0; '%s' holds its own, which its "
                       "digest covers",
                       c->suite_path);
    c->prompt_given = true;
    voice->system_prompt = pp_text_of(given);
    if (given[0] == '@')
        st = pp_wrap(err, read_prompt_file(arena, given + 1, &voice->system_prompt, err),
                     "--system-prompt");
    if (st == PP_OK && !pp_utf8_is_valid(voice->system_prompt.data, voice->system_prompt.size))
        st = pp_fail(err, PP_ERR_USAGE, "--system-prompt: expected UTF-8");
    return st;
}

/* ---- the original's evaluations ---------------------------------------------------------------
 */

static pp_status only_with(const pp_args *args, const char *name, bool holds, const char *with,
                           pp_error *err)
{
    if (!pp_args_has(args, name) || holds)
        return PP_OK;
    return pp_fail(err, PP_ERR_USAGE, "--%s has a meaning only with %s", name, with);
}

static pp_status check_fidelity(const pp_suite_command *c, pp_error *err)
{
    if (!c->fidelity)
        return PP_OK;
    if (c->place_count < 2)
        return pp_fail(err, PP_ERR_USAGE,
                       "--fidelity compares endpoints: expected two or more, got 1");
    if (c->suite.context_count == 0)
        return pp_fail(err, PP_ERR_USAGE, "--fidelity wants a suite with contexts; '%s' has none",
                       c->suite_path);
    return PP_OK;
}

static pp_status check_evaluation(const pp_suite_command *c, pp_error *err)
{
    if (c->evaluation == NULL)
        return PP_OK;
    if (c->candidate == NULL)
        return pp_fail(err, PP_ERR_USAGE, "--evaluation wants --candidate: what was measured");
    if (!c->suite.has_performance)
        return pp_fail(err, PP_ERR_USAGE,
                       "--evaluation wants a suite of schema 1.0 with its part 'performance'; '%s' "
                       "has none",
                       c->suite_path);
    if (c->place_count != 1 || c->ask.pass_count != 1 || c->ask.client_count != 1)
        return pp_fail(err, PP_ERR_USAGE,
                       "--evaluation is of one endpoint, one pass and one client");
    return PP_OK;
}

/* Evaluations in place of servers: what asks a server has no meaning. */
static pp_status read_pool(const pp_args *args, pp_suite_command *c, pp_error *err)
{
    while (pp_args_value_at(args, "pool", c->pool_count) != NULL)
        c->pool_count++;
    if (c->pool_count == 0)
        return PP_OK;
    for (size_t i = 0; i < args->given_count; i++) {
        const char *name = args->given_rows[i]->name;

        if (strcmp(name, "pool") != 0 && strcmp(name, "evaluation") != 0 &&
            strcmp(name, "json") != 0 && strcmp(name, "quiet") != 0)
            return pp_fail(err, PP_ERR_USAGE, "--%s has no meaning with --pool, which asks nobody",
                           name);
    }
    if (args->positional_count > 0)
        return pp_fail(err, PP_ERR_USAGE, "--pool asks nobody: expected no URL");
    if (c->evaluation == NULL)
        return pp_fail(err, PP_ERR_USAGE, "--pool wants --evaluation: where the pooled one goes");
    return PP_OK;
}

/* ---- the whole ------------------------------------------------------------------------------- */

static pp_status read_suite(pp_arena *arena, const pp_args *args, pp_suite_command *c,
                            pp_error *err)
{
    c->suite_path = pp_args_value(args, "suite");
    if (c->suite_path == NULL)
        return pp_fail(err, PP_ERR_USAGE, "expected --suite FILE");
    return pp_suite_load(arena, c->suite_path, &c->suite, c->suite_sha256, c->suite_content_sha256,
                         err);
}

pp_status pp_suite_command_read(pp_arena *arena, const pp_args *args, pp_suite_command *ret_command,
                                pp_error *err)
{
    pp_suite_command *c = ret_command;
    pp_status st;

    pp_suite_ask_options_default(&c->ask);
    c->certify = pp_args_has(args, "certify");
    c->fidelity = pp_args_has(args, "fidelity");
    c->evaluation = pp_args_value(args, "evaluation");
    c->candidate = pp_args_value(args, "candidate");
    if (pp_args_has(args, "model"))
        c->model = pp_text_of(pp_args_value(args, "model"));
    c->ask.ca_file = pp_args_value(args, "ca-file");
    c->ask.insecure_tls = pp_args_has(args, "insecure");
    st = read_pool(args, c, err);
    if (st != PP_OK || c->pool_count > 0)
        return st;
    st = read_places(arena, args, c, err);
    if (st == PP_OK)
        st = read_numbers(args, c, err);
    if (st == PP_OK)
        st = only_with(args, "candidate", c->evaluation != NULL, "--evaluation", err);
    if (st == PP_OK && !pp_utf8_is_valid(c->model.data, c->model.size))
        st = pp_fail(err, PP_ERR_USAGE, "--model: expected UTF-8");
    if (st == PP_OK)
        st = read_suite(arena, args, c, err);
    if (st == PP_OK)
        st = read_prompt(arena, args, c, err);
    if (st == PP_OK)
        st = check_evaluation(c, err);
    if (st == PP_OK)
        st = check_fidelity(c, err);
    return st == PP_OK ? pp_api_key_read(arena, args, &c->key, err) : st;
}
