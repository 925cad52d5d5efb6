/* Models that are offered, and rules that send requests to them. */
#include "model/serve_config_parts.h"

#include <string.h>

#include "model/fields.h"

/* ---- models -----------------------------------------------------------------------------------
 */

/* Names go into logs, headers and pages. */
static pp_status check_name(const pp_json *at, pp_error *err)
{
    for (size_t i = 0; at != NULL && i < at->text.size; i++) {
        unsigned char c = (unsigned char)at->text.data[i];

        if (c < ' ' || c == 0x7f)
            return pp_json_fail(at, err, "expected a name without control characters");
    }
    return PP_OK;
}

static pp_status find_backend(const pp_serve_config *config, const pp_json *at, size_t *ret_index,
                              pp_error *err)
{
    for (size_t i = 0; i < config->backend_count; i++) {
        if (pp_text_equal(config->backends[i].id, at->text)) {
            *ret_index = i;
            return PP_OK;
        }
    }
    return pp_json_fail(at, err, "expected the id of an item of $.backends, got '%s'",
                        at->text.data);
}

static pp_status decode_indices(pp_arena *arena, const pp_json *list, const pp_serve_config *config,
                                pp_serve_model *model, pp_error *err)
{
    pp_status st = PP_OK;

    model->backend_indices = PP_ARENA_NEW(arena, size_t, list->array.count);
    if (model->backend_indices == NULL)
        return pp_arena_check(arena, err);
    for (size_t i = 0; st == PP_OK && i < list->array.count; i++) {
        const pp_json *at = list->array.items[i];

        st = find_backend(config, at, &model->backend_indices[i], err);
        for (size_t j = 0; st == PP_OK && j < i; j++) {
            if (model->backend_indices[i] == model->backend_indices[j])
                st = pp_json_fail(at, err, "'%s' is there twice", at->text.data);
        }
        model->backend_count++;
    }
    return st;
}

static pp_status decode_model(pp_arena *arena, const pp_json *from, pp_serve_config *config,
                              pp_serve_model *model, pp_error *err)
{
    const pp_json *choose = pp_json_find(from, "choose");
    pp_status st = check_name(pp_json_find(from, "name"), err);

    model->name = pp_checked_text(from, "name");
    model->least_busy = choose != NULL && pp_text_is(choose->text, "least-busy");
    if (st == PP_OK)
        st = decode_indices(arena, pp_checked_list(from, "backends"), config, model, err);
    for (size_t j = 0; st == PP_OK && j < config->model_count; j++) {
        if (pp_text_equal(model->name, config->models[j].name))
            st = pp_json_fail(pp_json_find(from, "name"), err, "the name '%s' is used twice",
                              model->name.data);
    }
    return st;
}

static bool uses(const pp_serve_model *model, size_t backend_index)
{
    for (size_t i = 0; i < model->backend_count; i++) {
        if (model->backend_indices[i] == backend_index)
            return true;
    }
    return false;
}

/* One that nobody uses is a slip of the pen, and a started one would hold its memory for nothing.
 */
static pp_status check_all_used(const pp_json *root, const pp_serve_config *config, pp_error *err)
{
    const pp_json *list = pp_checked_list(root, "backends");

    for (size_t i = 0; i < config->backend_count; i++) {
        bool used = false;

        for (size_t j = 0; j < config->model_count && !used; j++)
            used = uses(&config->models[j], i);
        if (!used)
            return pp_json_fail(list->array.items[i], err, "no item of $.models uses '%s'",
                                config->backends[i].id.data);
    }
    return PP_OK;
}

/* ---- rules ------------------------------------------------------------------------------------
 */

/* A configuration would show what these carry (E33). */
static bool carries_a_secret(pp_text name)
{
    static const char *const secret[] = {"authorization", "proxy-authorization", "cookie",
                                         "x-api-key", "api-key"};

    for (size_t i = 0; i < PP_COUNT_OF(secret); i++) {
        if (pp_text_equal_ascii_case(name, pp_text_of(secret[i])))
            return true;
    }
    return false;
}

static bool is_token(pp_text text)
{
    return text.size > 0 && strlen(text.data) == text.size &&
           strspn(text.data, "!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                             "abcdefghijklmnopqrstuvwxyz") == text.size;
}

static pp_status decode_header(const pp_json *from, pp_route_rule_row *rule, pp_error *err)
{
    const pp_json *name = pp_json_find(from, "name");
    pp_status st = check_name(pp_json_find(from, "value"), err);

    rule->header_name = name->text;
    rule->header_value = pp_checked_text(from, "value");
    if (st == PP_OK && !is_token(name->text))
        st = pp_json_fail(name, err, "expected the name of a header, got '%s'", name->text.data);
    if (st == PP_OK && carries_a_secret(name->text))
        st = pp_json_fail(name, err, "'%s' carries a secret, which does not stand here",
                          name->text.data);
    return st;
}

static pp_maybe_int given_int(const pp_json *object, const char *key)
{
    const pp_json *value = pp_serve_given(object, key);

    return value == NULL ? (pp_maybe_int){0} : pp_known_int(value->integer);
}

static pp_maybe_bool given_bool(const pp_json *object, const char *key)
{
    const pp_json *value = pp_serve_given(object, key);

    return value == NULL ? (pp_maybe_bool){0} : pp_known_bool(value->boolean);
}

static pp_status decode_when(const pp_json *from, pp_route_rule_row *rule, pp_error *err)
{
    const pp_json *header = pp_serve_given(from, "header");

    rule->model = pp_serve_text(from, "model");
    rule->endpoint = pp_serve_text(from, "endpoint");
    rule->min_body_bytes = given_int(from, "min_body_bytes");
    rule->max_body_bytes = given_int(from, "max_body_bytes");
    rule->has_tools = given_bool(from, "has_tools");
    rule->stream = given_bool(from, "stream");
    if (rule->min_body_bytes.known && rule->max_body_bytes.known &&
        rule->min_body_bytes.value >= rule->max_body_bytes.value)
        return pp_json_fail(pp_json_find(from, "max_body_bytes"), err,
                            "expected more than min_body_bytes, %lld, got %lld",
                            (long long)rule->min_body_bytes.value,
                            (long long)rule->max_body_bytes.value);
    return header == NULL ? PP_OK : decode_header(header, rule, err);
}

static pp_status find_use(const pp_serve_config *config, const pp_json *at, size_t *ret_index,
                          pp_error *err)
{
    for (size_t i = 0; i < config->model_count; i++) {
        if (pp_text_equal(config->models[i].name, at->text)) {
            *ret_index = i;
            return PP_OK;
        }
    }
    return pp_json_fail(at, err, "expected the name of an item of $.models, got '%s'",
                        at->text.data);
}

/* An empty text asks nothing. */
static bool covers_text(pp_text first, pp_text second)
{
    return first.size == 0 || pp_text_equal(first, second);
}

static bool covers_bool(pp_maybe_bool first, pp_maybe_bool second)
{
    return !first.known || (second.known && first.value == second.value);
}

bool pp_route_rule_covers(const pp_route_rule_row *first, const pp_route_rule_row *second)
{
    bool min = !first->min_body_bytes.known || first->min_body_bytes.value == 0 ||
               (second->min_body_bytes.known &&
                first->min_body_bytes.value <= second->min_body_bytes.value);
    bool max = !first->max_body_bytes.known ||
               (second->max_body_bytes.known &&
                first->max_body_bytes.value >= second->max_body_bytes.value);
    bool header = first->header_name.size == 0 ||
                  (pp_text_equal_ascii_case(first->header_name, second->header_name) &&
                   pp_text_equal(first->header_value, second->header_value));

    return min && max && header && covers_text(first->model, second->model) &&
           covers_text(first->endpoint, second->endpoint) &&
           covers_bool(first->has_tools, second->has_tools) &&
           covers_bool(first->stream, second->stream);
}

/* G49: tiers in the wrong order, or the same one twice. */
static pp_status check_against_earlier(const pp_json *from, const pp_serve_config *config,
                                       const pp_route_rule_row *rule, pp_error *err)
{
    for (size_t i = 0; i < config->rule_count; i++) {
        const pp_route_rule_row *earlier = &config->rules[i];

        if (pp_text_equal(rule->name, earlier->name))
            return pp_json_fail(pp_json_find(from, "name"), err, "the name '%s' is used twice",
                                rule->name.data);
        if (pp_route_rule_covers(earlier, rule))
            return pp_json_fail(from, err,
                                "'%s' can never hold: '%s' before it takes all of its requests",
                                rule->name.data, earlier->name.data);
    }
    return PP_OK;
}

static pp_status decode_rules(pp_arena *arena, const pp_json *list, pp_serve_config *config,
                              pp_error *err)
{
    pp_status st = PP_OK;

    config->rules = PP_ARENA_NEW(arena, pp_route_rule_row, list->array.count);
    for (size_t i = 0; st == PP_OK && config->rules != NULL && i < list->array.count; i++) {
        const pp_json *from = list->array.items[i];
        pp_route_rule_row *rule = &config->rules[i];

        rule->name = pp_checked_text(from, "name");
        st = decode_when(pp_checked_object(from, "when"), rule, err);
        if (st == PP_OK)
            st = find_use(config, pp_json_find(from, "use"), &rule->model_index, err);
        if (st == PP_OK)
            st = check_against_earlier(from, config, rule, err);
        config->rule_count++;
    }
    return st == PP_OK ? pp_arena_check(arena, err) : st;
}

pp_status pp_serve_decode_models(pp_arena *arena, const pp_json *root, pp_serve_config *config,
                                 pp_error *err)
{
    const pp_json *list = pp_checked_list(root, "models");
    const pp_json *rules = pp_json_find(root, "rules");
    pp_status st = PP_OK;

    config->models = PP_ARENA_NEW(arena, pp_serve_model, list->array.count);
    for (size_t i = 0; st == PP_OK && config->models != NULL && i < list->array.count; i++) {
        st = decode_model(arena, list->array.items[i], config, &config->models[i], err);
        config->model_count++;
    }
    if (st == PP_OK)
        st = pp_arena_check(arena, err);
    if (st == PP_OK)
        st = check_all_used(root, config, err);
    return st == PP_OK && rules != NULL ? decode_rules(arena, rules, config, err) : st;
}
