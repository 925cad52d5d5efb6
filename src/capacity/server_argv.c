#include "capacity/server_argv.h"

#include <string.h>

/* ---- arguments --------------------------------------------------------------------------------
 */

static pp_status check_argument(const char *whose, size_t i, pp_text text, pp_error *err)
{
    if (pp_text_is_blank(text))
        return pp_fail(err, PP_ERR_DOMAIN, "%s argv[%zu]: blank", whose, i);
    if (pp_text_character_count(text) > PP_SERVER_ARGV_MAX_CHARACTERS)
        return pp_fail(err, PP_ERR_DOMAIN, "%s argv[%zu]: expected at most %d characters, got %zu",
                       whose, i, PP_SERVER_ARGV_MAX_CHARACTERS, pp_text_character_count(text));
    if (pp_text_strip(text).size != text.size)
        return pp_fail(err, PP_ERR_DOMAIN, "%s argv[%zu]: white space around \"%.80s\"", whose, i,
                       text.data);
    for (size_t at = 0; at < text.size; at++) {
        unsigned char c = (unsigned char)text.data[at];

        if (c < 0x20 || c == 0x7f)
            return pp_fail(err, PP_ERR_DOMAIN, "%s argv[%zu]: control character 0x%02x", whose, i,
                           c);
    }
    return PP_OK;
}

static pp_status check_arguments(const char *whose, const pp_server_argv *argv, pp_error *err)
{
    size_t total = 0;
    pp_status st = PP_OK;

    if (argv->count < 1 || argv->count > PP_SERVER_ARGV_MAX_COUNT)
        return pp_fail(err, PP_ERR_DOMAIN, "%s argv: expected 1 to %d arguments, got %zu", whose,
                       PP_SERVER_ARGV_MAX_COUNT, argv->count);
    for (size_t i = 0; st == PP_OK && i < argv->count; i++) {
        st = check_argument(whose, i, argv->items[i], err);
        total += pp_text_character_count(argv->items[i]);
    }
    if (st == PP_OK && total > PP_SERVER_ARGV_MAX_TOTAL_CHARACTERS)
        return pp_fail(err, PP_ERR_DOMAIN,
                       "%s argv: expected at most %d characters in all, got %zu", whose,
                       PP_SERVER_ARGV_MAX_TOTAL_CHARACTERS, total);
    return st;
}

/* ---- options ----------------------------------------------------------------------------------
 */

/* Position of the value of an option that must be there once. */
static pp_status find_value(const char *whose, const pp_server_argv *argv, const char *option,
                            size_t *ret_at, pp_error *err)
{
    size_t count = 0;
    size_t at = 0;

    for (size_t i = 0; i < argv->count; i++) {
        if (pp_text_is(argv->items[i], option)) {
            count++;
            at = i + 1;
        }
    }
    if (count != 1)
        return pp_fail(err, PP_ERR_DOMAIN, "%s argv: expected %s once, got it %zu times", whose,
                       option, count);
    if (at == argv->count)
        return pp_fail(err, PP_ERR_DOMAIN, "%s argv: %s has no value", whose, option);
    if (strncmp(argv->items[at].data, "--", 2) == 0)
        return pp_fail(err, PP_ERR_DOMAIN, "%s argv: %s has no value, an option follows: \"%.80s\"",
                       whose, option, argv->items[at].data);
    *ret_at = at;
    return PP_OK;
}

/* Decimal digits only; leading zeros count for nothing. */
static pp_status parse_number(const char *whose, const char *option, pp_text text, int64_t most,
                              int64_t *ret_value, pp_error *err)
{
    int64_t value = 0;

    if (strspn(text.data, "0123456789") != text.size)
        return pp_fail(err, PP_ERR_DOMAIN, "%s argv: expected decimal digits for %s, got \"%.80s\"",
                       whose, option, text.data);
    for (size_t i = 0; i < text.size && value <= most; i++)
        value = value * 10 + (text.data[i] - '0');
    if (value < 1 || value > most)
        return pp_fail(err, PP_ERR_DOMAIN, "%s argv: expected 1 to %lld for %s, got \"%.80s\"",
                       whose, (long long)most, option, text.data);
    *ret_value = value;
    return PP_OK;
}

static pp_status find_number(const char *whose, const pp_server_argv *argv, const char *option,
                             int64_t most, int64_t *ret_value, pp_error *err)
{
    size_t at;
    pp_status st = find_value(whose, argv, option, &at, err);

    return st == PP_OK ? parse_number(whose, option, argv->items[at], most, ret_value, err) : st;
}

static pp_status find_text(const char *whose, const pp_server_argv *argv, const char *option,
                           pp_text *ret_text, pp_error *err)
{
    size_t at;
    pp_status st = find_value(whose, argv, option, &at, err);

    if (st == PP_OK)
        *ret_text = argv->items[at];
    return st;
}

/* ---- comparing --------------------------------------------------------------------------------
 */

static pp_status check_length(const pp_server_argv *a, const pp_server_argv *b, pp_error *err)
{
    if (a->count == b->count)
        return PP_OK;
    return pp_fail(err, PP_ERR_DOMAIN,
                   "argv: expected as many arguments as the other, %zu, got %zu", b->count,
                   a->count);
}

/* An argument may differ only behind one of `options` at the same position in both. */
static pp_status find_differences(const pp_server_argv *argv, const pp_server_argv *other,
                                  const char *const *options, size_t n_options,
                                  const char **differing, size_t *ret_count, pp_error *err)
{
    size_t count = 0;

    for (size_t i = 0; i < argv->count; i++) {
        size_t at = 0;

        if (pp_text_equal(argv->items[i], other->items[i]))
            continue;
        while (i > 0 && at < n_options &&
               !(pp_text_is(argv->items[i - 1], options[at]) &&
                 pp_text_is(other->items[i - 1], options[at])))
            at++;
        if (i == 0 || at == n_options)
            return pp_fail(err, PP_ERR_DOMAIN,
                           "argv[%zu]: \"%.80s\" and \"%.80s\" make different servers", i,
                           argv->items[i].data, other->items[i].data);
        differing[count++] = options[at];
    }
    *ret_count = count;
    return PP_OK;
}

/* ---- load -------------------------------------------------------------------------------------
 */

static pp_status derive_side(const char *whose, pp_server_side *side, pp_error *err)
{
    pp_status st = find_text(whose, &side->argv, "--model", &side->model_path, err);

    if (st == PP_OK)
        st = find_number(whose, &side->argv, "--parallel", 1024, &side->parallel, err);
    if (st == PP_OK)
        st = find_text(whose, &side->argv, "--host", &side->host, err);
    if (st == PP_OK)
        st = find_number(whose, &side->argv, "--port", 65535, &side->port, err);
    side->runtime_path = side->argv.items[0];
    return st;
}

pp_status pp_server_configuration_derive(pp_server_configuration *server, pp_error *err)
{
    static const char *const options[] = {"--host", "--port"};
    pp_server_side *load = &server->load;
    pp_server_side *canonical = &server->canonical;
    pp_status st = check_arguments("load", &load->argv, err);

    if (st == PP_OK)
        st = check_arguments("canonical", &canonical->argv, err);
    if (st == PP_OK)
        st = check_length(&load->argv, &canonical->argv, err);
    if (st == PP_OK)
        st = derive_side("load", load, err);
    if (st == PP_OK)
        st = derive_side("canonical", canonical, err);
    if (st == PP_OK && load->parallel != canonical->parallel)
        return pp_fail(err, PP_ERR_DOMAIN, "argv: expected the same --parallel, got %lld and %lld",
                       (long long)load->parallel, (long long)canonical->parallel);
    if (st == PP_OK)
        st = find_differences(&load->argv, &canonical->argv, options, PP_COUNT_OF(options),
                              server->differing, &server->differing_count, err);
    return st;
}

/* ---- capacity ---------------------------------------------------------------------------------
 */

typedef struct slots {
    int64_t parallel, context_tokens, port;
} slots;

/* The largest context that any model declares fits many times. */
#define MAX_CONTEXT_TOKENS ((int64_t)1 << 40)

static pp_status find_slots(const char *whose, const pp_server_argv *argv, slots *ret_slots,
                            pp_error *err)
{
    pp_status st =
        find_number(whose, argv, "--ctx-size", MAX_CONTEXT_TOKENS, &ret_slots->context_tokens, err);

    if (st == PP_OK)
        st = find_number(whose, argv, "--parallel", 1024, &ret_slots->parallel, err);
    if (st == PP_OK)
        st = find_number(whose, argv, "--port", 65535, &ret_slots->port, err);
    return st;
}

static pp_status check_slots(const slots *got, const slots *frozen, int64_t parallel,
                             int64_t slot_context_tokens, pp_error *err)
{
    if (frozen->parallel != 1)
        return pp_fail(err, PP_ERR_DOMAIN, "frozen argv: expected --parallel 1, got %lld",
                       (long long)frozen->parallel);
    if (frozen->context_tokens != slot_context_tokens)
        return pp_fail(err, PP_ERR_DOMAIN,
                       "frozen argv: expected --ctx-size of one slot, %lld, got %lld",
                       (long long)slot_context_tokens, (long long)frozen->context_tokens);
    if (got->parallel != parallel)
        return pp_fail(err, PP_ERR_DOMAIN, "argv: expected --parallel %lld, got %lld",
                       (long long)parallel, (long long)got->parallel);
    if (got->context_tokens != parallel * slot_context_tokens)
        return pp_fail(
            err, PP_ERR_DOMAIN, "argv: expected --ctx-size of %lld slots of %lld, got %lld",
            (long long)parallel, (long long)slot_context_tokens, (long long)got->context_tokens);
    return PP_OK;
}

/* All options stand where they stand in the other. */
static pp_status check_places(const pp_server_argv *argv, const pp_server_argv *frozen,
                              const char *const *options, size_t n_options, pp_error *err)
{
    for (size_t i = 0; i < argv->count; i++) {
        for (size_t at = 0; at < n_options; at++) {
            if (pp_text_is(argv->items[i], options[at]) !=
                pp_text_is(frozen->items[i], options[at]))
                return pp_fail(err, PP_ERR_DOMAIN, "argv[%zu]: %s stands elsewhere in the other", i,
                               options[at]);
        }
    }
    return PP_OK;
}

pp_status pp_capacity_argv_check(const pp_server_argv *argv, const pp_server_argv *frozen,
                                 int64_t parallel, int64_t slot_context_tokens,
                                 pp_capacity_argv *ret_argv, pp_error *err)
{
    static const char *const options[] = {"--ctx-size", "--parallel", "--port"};
    slots got;
    slots base;
    pp_status st = check_arguments("capacity", argv, err);

    if (st == PP_OK)
        st = check_arguments("frozen", frozen, err);
    if (st == PP_OK)
        st = check_length(argv, frozen, err);
    if (st == PP_OK)
        st = find_slots("capacity", argv, &got, err);
    if (st == PP_OK)
        st = find_slots("frozen", frozen, &base, err);
    if (st == PP_OK)
        st = check_slots(&got, &base, parallel, slot_context_tokens, err);
    if (st == PP_OK)
        st = check_places(argv, frozen, options, PP_COUNT_OF(options), err);
    if (st == PP_OK)
        st = find_differences(argv, frozen, options, PP_COUNT_OF(options), ret_argv->differing,
                              &ret_argv->differing_count, err);
    return st;
}

/* ---- files ------------------------------------------------------------------------------------
 */

pp_status pp_server_command_decode(pp_arena *arena, const pp_json *root, pp_server_argv *ret_argv,
                                   pp_error *err)
{
    static const char *const keys[] = {"schema_version", "argv"};
    const pp_json *document = pp_json_find(root, "document");
    const pp_json *version;
    const pp_json *list;
    pp_server_argv argv = {0};
    pp_status st = PP_OK;

    if (document != NULL &&
        !(document->kind == PP_JSON_STRING && pp_text_is(document->text, "server-command")))
        st = pp_json_fail(document, err, "expected \"server-command\" or no such member");
    else if (document == NULL)
        st = pp_json_only_keys(root, keys, PP_COUNT_OF(keys), err);
    if (st == PP_OK)
        st = pp_json_member_of(root, "schema_version", PP_JSON_STRING, &version, err);
    if (st == PP_OK && !pp_text_is(version->text, "1.0"))
        st = pp_json_fail(version, err, "expected \"1.0\", got \"%.80s\"", version->text.data);
    if (st == PP_OK)
        st = pp_json_member_of(root, "argv", PP_JSON_ARRAY, &list, err);
    if (st != PP_OK)
        return st;
    argv.items = PP_ARENA_NEW(arena, pp_text, list->array.count);
    st = pp_arena_check(arena, err);
    for (; st == PP_OK && argv.count < list->array.count; argv.count++)
        st = pp_json_get_filled_text(list->array.items[argv.count], &argv.items[argv.count], err);
    if (st == PP_OK)
        *ret_argv = argv;
    return st;
}

static pp_json *argv_to_json(pp_arena *arena, const pp_server_argv *argv)
{
    pp_json *list = pp_json_new_array(arena);

    for (size_t i = 0; i < argv->count; i++)
        pp_json_add(arena, list, pp_json_new_text(arena, argv->items[i]));
    return list;
}

static pp_status sha256_of_json(const pp_json *value, pp_json_form form,
                                char ret_hex[PP_SHA256_HEX_SIZE], pp_error *err)
{
    pp_buf bytes;
    pp_status st;

    pp_buf_init(&bytes, PP_JSON_MAX_BYTES);
    st = pp_json_write(value, form, &bytes, err);
    if (st == PP_OK)
        st = pp_sha256_of(pp_buf_text(&bytes), bytes.size, ret_hex, err);
    pp_buf_done(&bytes);
    return st;
}

pp_status pp_server_command_sha256(const pp_server_argv *argv, char ret_hex[PP_SHA256_HEX_SIZE],
                                   pp_error *err)
{
    pp_arena arena = {0};
    pp_json *root = pp_json_new_object(&arena);
    pp_status st;

    pp_json_set_string(&arena, root, "schema_version", "1.0");
    pp_json_set(&arena, root, "argv", argv_to_json(&arena, argv));
    st = sha256_of_json(root, PP_JSON_FILE, ret_hex, err);
    pp_arena_done(&arena);
    return st;
}

pp_status pp_server_argv_sha256(const pp_server_argv *argv, char ret_hex[PP_SHA256_HEX_SIZE],
                                pp_error *err)
{
    pp_arena arena = {0};
    pp_status st = sha256_of_json(argv_to_json(&arena, argv), PP_JSON_COMPACT, ret_hex, err);

    pp_arena_done(&arena);
    return st;
}

bool pp_server_argv_same_but_port(const pp_server_argv *a, const pp_server_argv *b)
{
    if (a->count != b->count)
        return false;
    for (size_t i = 0; i < a->count; i++) {
        bool is_port = i > 0 && pp_text_is(a->items[i - 1], "--port");

        if (!is_port && !pp_text_equal(a->items[i], b->items[i]))
            return false;
    }
    return true;
}
