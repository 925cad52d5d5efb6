/* Who may ask, from where, how often; and what does not belong into a configuration. */
#include "model/serve_config_parts.h"

#include <string.h>

#include "base/ip_address.h"
#include "model/fields.h"
#include "model/study_plan_parts.h"

static bool ends_with(pp_text text, const char *suffix)
{
    size_t size = strlen(suffix);

    if (text.size < size)
        return false;
    for (size_t i = 0; i < size; i++) {
        char c = text.data[text.size - size + i];

        if ((c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c) != suffix[i])
            return false;
    }
    return true;
}

/* ---- secrets (E33) ----------------------------------------------------------------------------
 * The text itself is never repeated. */

static pp_status refuse_member(const pp_json *object, const char *where, pp_error *err)
{
    static const char *const keys[] = {"api_key",  "api_keys",      "key",     "token",   "secret",
                                       "password", "authorization", "headers", "api-key", "apiKey"};

    for (size_t i = 0; object != NULL && i < PP_COUNT_OF(keys); i++) {
        const pp_json *member = pp_json_find(object, keys[i]);

        if (member != NULL)
            return pp_json_fail(member, err, "a secret does not stand in a configuration: %s",
                                where);
    }
    return PP_OK;
}

static pp_status refuse_variables(const pp_json *environment, pp_error *err)
{
    static const char *const endings[] = {"KEY", "TOKEN", "SECRET", "PASSWORD"};

    if (environment == NULL || environment->kind != PP_JSON_OBJECT)
        return PP_OK;
    for (size_t i = 0; i < environment->object.count; i++) {
        const pp_json_member *member = &environment->object.members[i];

        for (size_t j = 0; j < PP_COUNT_OF(endings); j++) {
            if (ends_with(member->key, endings[j]))
                return pp_json_fail(
                    member->value, err,
                    "a secret does not stand in a configuration: set the variable "
                    "where `serve` is started; servers inherit all but LLAMA_API_KEY "
                    "and HF_TOKEN, which they do not need");
        }
    }
    return PP_OK;
}

static pp_status refuse_in_list(const pp_json *root, const char *key, const char *where,
                                pp_error *err)
{
    const pp_json *list = pp_json_find(root, key);
    pp_status st = PP_OK;

    if (list == NULL || list->kind != PP_JSON_ARRAY)
        return PP_OK;
    for (size_t i = 0; st == PP_OK && i < list->array.count; i++) {
        const pp_json *item = list->array.items[i];

        st = refuse_member(item, where, err);
        if (st == PP_OK)
            st = refuse_variables(pp_json_find(item, "environment"), err);
    }
    return st;
}

pp_status pp_serve_refuse_secrets(const pp_json *root, pp_error *err)
{
    static const char of_clients[] = "name a file of keys, keys.file";
    pp_status st = refuse_member(root, of_clients, err);

    if (st == PP_OK)
        st = refuse_member(pp_json_find(root, "keys"), of_clients, err);
    if (st == PP_OK)
        st = refuse_in_list(root, "backends",
                            "name a variable, api_key_env, or a file, api_key_file", err);
    return st == PP_OK
               ? refuse_in_list(root, "engines", "set a variable where `serve` is started", err)
               : st;
}

/* ---- where clients come in --------------------------------------------------------------------
 */

static bool is_loopback(pp_text host)
{
    pp_ip_address address;

    return pp_text_is(host, "localhost") ||
           (pp_ip_address_parse(host, &address) && pp_ip_address_is_loopback(&address));
}

static pp_status check_host(const pp_json *at, pp_error *err)
{
    for (size_t i = 0; at != NULL && i < at->text.size; i++) {
        unsigned char c = (unsigned char)at->text.data[i];

        if (c <= ' ' || c >= 0x7f || c == '/' || c == '[' || c == ']')
            return pp_json_fail(at, err,
                                "expected an address or a name, IPv6 without brackets, "
                                "got '%s'",
                                at->text.data);
    }
    return PP_OK;
}

static pp_status decode_listen(const pp_json *root, pp_serve_config *config, pp_error *err)
{
    const pp_json *listen = pp_json_find(root, "listen");
    const pp_json *host = pp_json_find(listen, "host");
    const pp_json *port = pp_json_find(listen, "port");
    const pp_json *open = pp_json_find(listen, "open");

    config->host = host == NULL ? pp_text_of("127.0.0.1") : host->text;
    config->port = port == NULL ? 8080 : (uint16_t)port->integer;
    config->open = open != NULL && open->boolean;
    return check_host(host, err);
}

/* After the keys: an open door on a public road is said to be wanted. */
static pp_status check_door(const pp_json *root, const pp_serve_config *config, pp_error *err)
{
    const pp_json *listen = pp_json_find(root, "listen");

    if (config->open && config->keys_file.size > 0)
        return pp_json_fail(pp_json_find(listen, "open"), err,
                            "clients need one of $.keys: expected false");
    if (config->keys_file.size > 0 || config->open || is_loopback(config->host))
        return PP_OK;
    return pp_json_fail(pp_json_find(listen, "host"), err,
                        "others reach '%s', and there are no keys: expected keys.file, or "
                        "\"open\": true beside it",
                        config->host.data);
}

/* ---- how often --------------------------------------------------------------------------------
 */

static pp_serve_rate decode_bucket(const pp_json *rate, const char *key)
{
    const pp_json *from = pp_serve_given(rate, key);

    if (from == NULL)
        return (pp_serve_rate){0};
    return (pp_serve_rate){true, pp_checked_number(from, "per_second"),
                           pp_checked_int(from, "burst")};
}

static pp_status decode_proxies(pp_arena *arena, const pp_json *list, pp_serve_config *config,
                                pp_error *err)
{
    pp_ip_address address;

    if (list == NULL)
        return PP_OK;
    for (size_t i = 0; i < list->array.count; i++) {
        if (!pp_ip_address_parse(list->array.items[i]->text, &address))
            return pp_json_fail(list->array.items[i], err,
                                "expected a numeric IPv4 or IPv6 address, got '%s'",
                                list->array.items[i]->text.data);
    }
    config->trusted_proxies = pp_plan_texts(arena, list, &config->trusted_proxy_count);
    return pp_arena_check(arena, err);
}

static pp_status decode_rate(pp_arena *arena, const pp_json *root, pp_serve_config *config,
                             pp_error *err)
{
    const pp_json *rate = pp_json_find(root, "rate");

    config->rate_per_key = decode_bucket(rate, "per_key");
    config->rate_per_address = decode_bucket(rate, "per_address");
    if (config->rate_per_key.present && config->keys_file.size == 0)
        return pp_json_fail(pp_json_find(rate, "per_key"), err,
                            "there are no keys: expected keys.file, or null");
    return decode_proxies(arena, pp_json_find(rate, "trusted_proxies"), config, err);
}

/* ---- whose pages ------------------------------------------------------------------------------
 */

/* As a browser writes it: scheme, host in lower case, a port where it is not the usual one. */
static bool is_origin(pp_text text)
{
    const char *rest = strncmp(text.data, "https://", 8) == 0  ? text.data + 8
                       : strncmp(text.data, "http://", 7) == 0 ? text.data + 7
                                                               : NULL;

    return rest != NULL && *rest != '\0' && strlen(text.data) == text.size &&
           strspn(rest, "abcdefghijklmnopqrstuvwxyz0123456789.-:[]") == strlen(rest);
}

static pp_status decode_origins(pp_arena *arena, const pp_json *root, pp_serve_config *config,
                                pp_error *err)
{
    const pp_json *list = pp_json_find(pp_json_find(root, "cors"), "origins");

    if (list == NULL)
        return PP_OK;
    for (size_t i = 0; i < list->array.count; i++) {
        if (!is_origin(list->array.items[i]->text) && !pp_text_is(list->array.items[i]->text, "*"))
            return pp_json_fail(
                list->array.items[i], err,
                "expected \"*\", or an origin such as https://app.example, in lower "
                "case and without a path, got '%s'",
                list->array.items[i]->text.data);
    }
    config->cors_origins = pp_plan_texts(arena, list, &config->cors_origin_count);
    return pp_arena_check(arena, err);
}

pp_status pp_serve_decode_access(pp_arena *arena, const pp_json *root, pp_serve_config *config,
                                 pp_error *err)
{
    pp_status st = decode_listen(root, config, err);

    config->keys_file = pp_serve_text(pp_serve_given(root, "keys"), "file");
    config->access_log = pp_serve_text(root, "access_log");
    if (st == PP_OK)
        st = check_door(root, config, err);
    if (st == PP_OK)
        st = decode_rate(arena, root, config, err);
    return st == PP_OK ? decode_origins(arena, root, config, err) : st;
}
