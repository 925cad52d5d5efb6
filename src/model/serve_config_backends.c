/* Engines, files and back ends of a configuration. */
#include "model/serve_config_parts.h"

#include <string.h>

#include "model/fields.h"
#include "model/study_plan_parts.h"

static bool begins_with(pp_text text, const char *prefix)
{
    size_t size = strlen(prefix);

    return text.size >= size && memcmp(text.data, prefix, size) == 0;
}

static bool is_one_of(pp_text text, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (pp_text_is(text, words[i]))
            return true;
    }
    return false;
}

/* ---- speculation (E20, G38) -------------------------------------------------------------------
 */

static pp_status check_draft_model(const pp_json *from, const pp_serve_draft *draft, pp_error *err)
{
    bool is_ngram = begins_with(draft->type, "ngram-");

    if (is_ngram && draft->has_model)
        return pp_json_fail(pp_json_find(from, "model"), err,
                            "'%s' drafts without a model: expected null", draft->type.data);
    if (is_ngram && pp_json_find(from, "n_max") != NULL)
        return pp_json_fail(pp_json_find(from, "n_max"), err,
                            "'%s' has options of its own: say them in extra_arguments",
                            draft->type.data);
    if (!is_ngram && !draft->has_model && !pp_text_is(draft->type, "draft-mtp"))
        return pp_json_fail(from, err, "'%s' needs a draft model: expected \"model\"",
                            draft->type.data);
    return PP_OK;
}

static pp_status decode_draft(const pp_json *from, const pp_serve_config *config,
                              pp_serve_draft *draft, pp_error *err)
{
    const pp_json *model = pp_serve_given(from, "model");
    const pp_json *n_max = pp_json_find(from, "n_max");
    pp_status st;

    *draft = (pp_serve_draft){
        .present = true, .has_model = model != NULL, .type = pp_checked_text(from, "type")};
    if (!begins_with(draft->type, "ngram-"))
        draft->n_max = n_max == NULL ? 3 : n_max->integer;
    st = check_draft_model(from, draft, err);
    if (st != PP_OK || model == NULL)
        return st;
    return pp_plan_find_model(config->files, config->file_count, "$.files", model,
                              &draft->file_index, err);
}

/* A draft model that comes in by the side door would be one without a type. */
static pp_status check_no_draft_words(const pp_json *list, pp_error *err)
{
    static const char *const owned[] = {
        "--spec-type",        "--spec-draft-model", "--model-draft", "-md",
        "--spec-draft-hf",    "--hf-repo-draft",    "-hfd",          "-hfrd",
        "--spec-draft-n-max", "--spec-default",     "--draft",       "--draft-n",
        "--draft-max",
    };

    for (size_t i = 0; list != NULL && i < list->array.count; i++) {
        const pp_json *word = list->array.items[i];

        if (is_one_of(word->text, owned, PP_COUNT_OF(owned)))
            return pp_json_fail(word, err, "'%s' is given by \"draft\"", word->text.data);
    }
    return PP_OK;
}

/* ---- back ends --------------------------------------------------------------------------------
 */

static pp_status decode_started(pp_arena *arena, const pp_json *from, const pp_serve_config *config,
                                pp_serve_backend *backend, pp_error *err)
{
    const pp_json *draft = pp_serve_given(from, "draft");
    const pp_json *extra = pp_json_find(from, "extra_arguments");
    pp_status st = pp_plan_find_engine(config->engines, config->engine_count,
                                       pp_json_find(from, "engine"), &backend->engine_index, err);

    backend->kind = PP_SERVE_STARTED;
    if (st == PP_OK)
        st = pp_plan_find_model(config->files, config->file_count, "$.files",
                                pp_json_find(from, "model"), &backend->file_index, err);
    if (st == PP_OK)
        st = pp_settings_decode(pp_checked_object(from, "settings"), NULL, &backend->settings, err);
    if (st == PP_OK && draft != NULL)
        st = decode_draft(draft, config, &backend->draft, err);
    if (st == PP_OK)
        st = pp_plan_decode_extra_arguments(arena, extra, &backend->extra_arguments, err);
    return st == PP_OK ? check_no_draft_words(extra, err) : st;
}

/* A letter or '_', then letters, digits and '_'. What is no name may be the key itself: it is not
 * repeated. */
static pp_status check_variable(const pp_json *at, pp_error *err)
{
    bool fits = true;

    for (size_t i = 0; at != NULL && i < at->text.size; i++) {
        char c = at->text.data[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';

        fits = fits && (letter || (i > 0 && c >= '0' && c <= '9'));
    }
    return fits ? PP_OK
                : pp_json_fail(at, err,
                               "expected the name of a variable, of letters, digits and '_'; the "
                               "key itself does not stand here");
}

static pp_status decode_endpoint(const pp_json *from, pp_serve_backend *backend, pp_error *err)
{
    const pp_json *server = pp_json_find(from, "server");
    const pp_json *variable = pp_serve_given(from, "api_key_env");
    const pp_json *file = pp_serve_given(from, "api_key_file");
    pp_status st = check_variable(variable, err);

    backend->kind = PP_SERVE_ENDPOINT;
    backend->endpoint = (pp_plan_endpoint){
        .url = pp_checked_text(from, "url"),
        .server = server == NULL ? pp_text_of("openai") : server->text,
        .model = pp_serve_text(from, "model"),
        .api_key_env = pp_serve_text(from, "api_key_env"),
    };
    backend->api_key_file = pp_serve_text(from, "api_key_file");
    if (st == PP_OK && variable != NULL && file != NULL)
        st = pp_json_fail(file, err, "the key comes from api_key_env: expected one of the two");
    return st == PP_OK ? pp_plan_check_url(pp_json_find(from, "url"), err) : st;
}

/* Exactly one of "start" and "url", and beside "start" nothing that belongs to "url". */
static pp_status check_kind(const pp_json *from, pp_error *err)
{
    static const char *const of_url[] = {"server", "model", "api_key_env", "api_key_file"};
    const pp_json *start = pp_json_find(from, "start");
    const pp_json *url = pp_json_find(from, "url");

    if (start == NULL && url == NULL)
        return pp_json_fail(from, err, "expected \"start\" or \"url\"");
    if (start != NULL && url != NULL)
        return pp_json_fail(url, err, "beside \"start\": expected one of the two");
    for (size_t i = 0; start != NULL && i < PP_COUNT_OF(of_url); i++) {
        if (pp_serve_given(from, of_url[i]) != NULL)
            return pp_json_fail(pp_json_find(from, of_url[i]), err,
                                "beside \"start\": belongs to a back end with \"url\"");
    }
    return PP_OK;
}

static pp_status decode_backend(pp_arena *arena, const pp_json *from, const pp_serve_config *config,
                                pp_serve_backend *backend, pp_error *err)
{
    const pp_json *start = pp_json_find(from, "start");
    const pp_json *in_flight = pp_serve_given(from, "max_in_flight");
    pp_status st = check_kind(from, err);

    backend->id = pp_checked_text(from, "id");
    if (in_flight != NULL)
        backend->max_in_flight = pp_known_int(in_flight->integer);
    if (st != PP_OK)
        return st;
    return start != NULL ? decode_started(arena, start, config, backend, err)
                         : decode_endpoint(from, backend, err);
}

static pp_status decode_list(pp_arena *arena, const pp_json *list, pp_serve_config *config,
                             pp_error *err)
{
    pp_status st = PP_OK;

    config->backends = PP_ARENA_NEW(arena, pp_serve_backend, list->array.count);
    for (size_t i = 0; st == PP_OK && config->backends != NULL && i < list->array.count; i++) {
        const pp_json *from = list->array.items[i];
        pp_serve_backend *backend = &config->backends[i];

        st = decode_backend(arena, from, config, backend, err);
        for (size_t j = 0; st == PP_OK && j < i; j++) {
            if (pp_text_equal(backend->id, config->backends[j].id))
                st = pp_json_fail(pp_json_find(from, "id"), err, "the id '%s' is used twice",
                                  backend->id.data);
        }
        config->backend_count++;
    }
    return st == PP_OK ? pp_arena_check(arena, err) : st;
}

pp_status pp_serve_decode_backends(pp_arena *arena, const pp_json *root, pp_serve_config *config,
                                   pp_error *err)
{
    const pp_json *engines = pp_json_find(root, "engines");
    const pp_json *files = pp_json_find(root, "files");
    pp_status st = PP_OK;

    if (engines != NULL)
        st = pp_plan_decode_engine_list(arena, engines, &config->engines, &config->engine_count,
                                        err);
    if (st == PP_OK && files != NULL)
        st = pp_plan_decode_model_list(arena, files, &config->files, &config->file_count, err);
    return st == PP_OK ? decode_list(arena, pp_checked_list(root, "backends"), config, err) : st;
}
