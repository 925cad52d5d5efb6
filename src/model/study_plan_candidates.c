/* Candidates of a study plan: managed, verbatim, an endpoint, or a gateway. */
#include "model/study_plan_parts.h"

#include <string.h>

#include "model/fields.h"

/* ---- words of command lines -------------------------------------------------------------------
 */

static pp_plan_words decode_words(pp_arena *arena, const pp_json *list)
{
    pp_plan_words words = {0};

    if (list != NULL && list->kind != PP_JSON_NULL)
        words.words = pp_plan_texts(arena, list, &words.count);
    return words;
}

/* Words go to a program as they are: none may hold what would end or break its line. */
static pp_status check_words(const pp_json *list, pp_error *err)
{
    for (size_t i = 0; list != NULL && list->kind != PP_JSON_NULL && i < list->array.count; i++) {
        const pp_json *word = list->array.items[i];

        for (size_t at = 0; at < word->text.size; at++) {
            unsigned char c = (unsigned char)word->text.data[at];

            if (c == '\0' || c == '\n' || c == '\r')
                return pp_json_fail(word, err, "expected a word without NUL and line ends");
        }
    }
    return PP_OK;
}

/* Options that settings, or the study itself, give llama-server. */
static pp_status check_extra_arguments(const pp_json *list, pp_error *err)
{
    static const char *const owned[] = {
        "--model",
        "-m",
        "--host",
        "--port",
        "--threads",
        "-t",
        "--threads-batch",
        "-tb",
        "--ctx-size",
        "-c",
        "--batch-size",
        "-b",
        "--ubatch-size",
        "-ub",
        "--parallel",
        "-np",
        "--poll",
        "--cache-type-k",
        "-ctk",
        "--cache-type-v",
        "-ctv",
        "--flash-attn",
        "-fa",
        "--load-mode",
        "--repack",
        "--no-repack",
        "--api-key",
        "--api-key-file",
    };

    for (size_t i = 0; list != NULL && i < list->array.count; i++) {
        for (size_t j = 0; j < PP_COUNT_OF(owned); j++) {
            if (pp_text_is(list->array.items[i]->text, owned[j]))
                return pp_json_fail(list->array.items[i], err,
                                    "'%s' is given by the settings or by the study", owned[j]);
        }
    }
    return PP_OK;
}

/* 0 when it is none. */
static int port_of(pp_text word)
{
    int port = 0;

    for (size_t i = 0; i < word.size; i++) {
        if (word.data[i] < '0' || word.data[i] > '9' || port > 65535)
            return 0;
        port = 10 * port + (word.data[i] - '0');
    }
    return port > 65535 ? 0 : port;
}

/* One `--port`, and a value that is a port or "{port}". */
static pp_status check_port(const pp_json *argv, const pp_plan_words *words, pp_error *err)
{
    size_t found = 0;

    for (size_t i = 0; i < words->count; i++) {
        if (!pp_text_is(words->words[i], "--port"))
            continue;
        found++;
        if (i + 1 == words->count)
            return pp_json_fail(argv, err, "'--port' has no value");
        if (pp_text_is(words->words[i + 1], "{port}"))
            continue;
        if (port_of(words->words[i + 1]) == 0)
            return pp_json_fail(argv->array.items[i + 1], err,
                                "expected a port from 1 to 65535 or {port}, got '%s'",
                                words->words[i + 1].data);
    }
    return found == 1
               ? PP_OK
               : pp_json_fail(argv, err, "expected '--port' once, found it %zu times", found);
}

pp_status pp_plan_decode_extra_arguments(pp_arena *arena, const pp_json *list,
                                         pp_plan_words *ret_words, pp_error *err)
{
    pp_status st = check_words(list, err);

    *ret_words = decode_words(arena, list);
    return st == PP_OK ? check_extra_arguments(list, err) : st;
}

/* ---- the four kinds ---------------------------------------------------------------------------
 */

static pp_status decode_managed(pp_arena *arena, const pp_json *root, const pp_json *from,
                                pp_plan_candidate *candidate, pp_error *err)
{
    pp_status st =
        pp_settings_decode(pp_checked_object(root, "settings"), pp_checked_object(from, "settings"),
                           &candidate->settings, err);

    return st == PP_OK
               ? pp_plan_decode_extra_arguments(arena, pp_json_find(from, "extra_arguments"),
                                                &candidate->extra_arguments, err)
               : st;
}

static pp_status decode_verbatim(pp_arena *arena, const pp_json *from, pp_plan_candidate *candidate,
                                 pp_error *err)
{
    const pp_json *argv = pp_checked_object(from, "argv");
    const pp_json *server = pp_checked_list(argv, "server");
    const pp_json *throughput = pp_json_find(argv, "throughput");
    const pp_json *folder = pp_json_find(argv, "working_directory");
    pp_status st = check_words(server, err);

    candidate->server_argv = decode_words(arena, server);
    candidate->throughput_argv = decode_words(arena, throughput);
    candidate->working_directory = folder == NULL ? pp_text_of("") : folder->text;
    if (st == PP_OK)
        st = check_words(throughput, err);
    return st == PP_OK ? check_port(server, &candidate->server_argv, err) : st;
}

static bool begins_with(pp_text text, const char *prefix)
{
    size_t size = strlen(prefix);

    return text.size > size && memcmp(text.data, prefix, size) == 0;
}

/* A key in a URL would stand in every document of the bundle. */
pp_status pp_plan_check_url(const pp_json *url, pp_error *err)
{
    pp_text text = url->text;

    if (!(begins_with(text, "http://") || begins_with(text, "https://")))
        return pp_json_fail(url, err, "expected http:// or https://");
    for (size_t i = 0; i < text.size; i++) {
        unsigned char c = (unsigned char)text.data[i];

        if (c <= ' ' || c == 0x7f || c == '?' || c == '#' || c == '@')
            return pp_json_fail(url, err,
                                "expected an address without '?', '#', '@', blanks and control "
                                "characters; keys come from a variable, api_key_env");
    }
    return PP_OK;
}

static pp_status decode_endpoint(const pp_json *from, pp_plan_candidate *candidate, pp_error *err)
{
    const pp_json *endpoint = pp_checked_object(from, "endpoint");
    const pp_json *model = pp_json_find(endpoint, "model");
    const pp_json *key = pp_json_find(endpoint, "api_key_env");

    candidate->endpoint = (pp_plan_endpoint){
        .url = pp_checked_text(endpoint, "url"),
        .server = pp_checked_text(endpoint, "server"),
        .model = model == NULL ? pp_text_of("") : model->text,
        .api_key_env = key == NULL ? pp_text_of("") : key->text,
    };
    return pp_plan_check_url(pp_json_find(endpoint, "url"), err);
}

/* What the configuration holds is not looked at here: the plan fixes its bytes. */
static void decode_serve(const pp_json *from, pp_plan_candidate *candidate)
{
    const pp_json *serve = pp_checked_object(from, "serve");
    const pp_json *key = pp_json_find(serve, "api_key_env");

    candidate->serve = (pp_plan_file){
        .present = true,
        .path = pp_checked_text(serve, "config"),
        .sha256 = pp_checked_text(serve, "sha256"),
    };
    candidate->endpoint = (pp_plan_endpoint){
        .url = pp_text_of(""),
        .server = pp_text_of("openai"),
        .model = pp_checked_text(serve, "model"),
        .api_key_env = key == NULL ? pp_text_of("") : key->text,
    };
}

/* 1.0 knows one kind, and does not name it. */
static pp_candidate_kind kind_of(const pp_json *from)
{
    static const char *const names[] = {
        [PP_CANDIDATE_VERBATIM] = "verbatim",
        [PP_CANDIDATE_ENDPOINT] = "endpoint",
        [PP_CANDIDATE_SERVE] = "serve",
    };
    const pp_json *kind = pp_json_find(from, "kind");

    for (size_t i = PP_CANDIDATE_VERBATIM; kind != NULL && i < PP_COUNT_OF(names); i++) {
        if (pp_text_is(kind->text, names[i]))
            return (pp_candidate_kind)i;
    }
    return PP_CANDIDATE_MANAGED;
}

static pp_status decode_candidate(pp_arena *arena, const pp_json *root, const pp_json *from,
                                  const pp_study_plan *plan, pp_plan_candidate *candidate,
                                  pp_error *err)
{
    pp_status st = PP_OK;

    candidate->id = pp_checked_text(from, "id");
    candidate->label = pp_checked_text(from, "label");
    candidate->kind = kind_of(from);
    if (candidate->kind == PP_CANDIDATE_ENDPOINT)
        return decode_endpoint(from, candidate, err);
    if (candidate->kind == PP_CANDIDATE_SERVE) {
        decode_serve(from, candidate);
        return PP_OK;
    }
    if (plan->schema != 1) /* 1.0 has one engine */
        st = pp_plan_find_engine(plan->engines, plan->engine_count, pp_json_find(from, "engine"),
                                 &candidate->engine_index, err);
    if (st == PP_OK)
        st = pp_plan_find_model(plan->models, plan->model_count, "$.models",
                                pp_json_find(from, "model"), &candidate->model_index, err);
    if (st != PP_OK)
        return st;
    return candidate->kind == PP_CANDIDATE_VERBATIM
               ? decode_verbatim(arena, from, candidate, err)
               : decode_managed(arena, root, from, candidate, err);
}

pp_status pp_plan_decode_candidates(pp_arena *arena, const pp_json *root, pp_study_plan *plan,
                                    pp_error *err)
{
    const pp_json *list = pp_checked_list(root, "candidates");
    bool has_baseline = false;

    plan->candidates = PP_ARENA_NEW(arena, pp_plan_candidate, list->array.count);
    for (size_t i = 0; plan->candidates != NULL && i < list->array.count; i++) {
        pp_plan_candidate *candidate = &plan->candidates[i];
        pp_status st = decode_candidate(arena, root, list->array.items[i], plan, candidate, err);

        if (st != PP_OK)
            return st;
        for (size_t j = 0; j < i; j++) {
            if (pp_text_equal(candidate->id, plan->candidates[j].id))
                return pp_json_fail(list->array.items[i], err, "the id '%s' is used twice",
                                    candidate->id.data);
        }
        has_baseline = has_baseline || pp_text_equal(candidate->id, plan->baseline_id);
        plan->candidate_count++;
    }
    if (!has_baseline && !arena->failed)
        return pp_json_fail(pp_json_find(root, "baseline_id"), err,
                            "expected the id of an item of $.candidates, got '%s'",
                            plan->baseline_id.data);
    return pp_arena_check(arena, err);
}
