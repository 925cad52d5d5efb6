#include "model/serve_config.h"

#include <string.h>

#include "shared.h"

#define FIXTURE "documents/serve-config.json"

/* The least there can be. */
#define LEAST                                                                                      \
    "{\"schema_version\":\"1.0\",\"document\":\"serve-config\","                                   \
    "\"backends\":[{\"id\":\"a\",\"url\":\"http://127.0.0.1:8081\"}],"                             \
    "\"models\":[{\"name\":\"m\",\"backends\":[\"a\"]}]}"

static pp_status decode(pp_arena *arena, const char *text, pp_serve_config *ret, pp_error *err)
{
    const pp_json *root;
    pp_status st = pp_json_parse(arena, "c", text, strlen(text), &root, err);

    return st == PP_OK ? pp_serve_config_decode(arena, root, ret, err) : st;
}

/* ---- refusals ---------------------------------------------------------------------------------
 * Each row changes one place of the fixture. */

static const struct {
    const char *name;
    const char *find;
    const char *with;
    const char *says; /* NULL: accepted */
} rows[] = {
    {"nothing changed", "qwen-small", "qwen-small", NULL},
    {"an unknown member", "\"access_log\"", "\"acces_log\"", "unknown key 'acces_log'"},
    {"a port that is none", "\"port\": 0", "\"port\": 65536", "$.listen.port: expected an integer"},
    {"a negative port", "\"port\": 0", "\"port\": -1", "$.listen.port: expected an integer"},
    {"a host in brackets", "0.0.0.0", "[::1]", "$.listen.host: expected an address or a name"},
    /* engines and files */
    {"an engine twice", "\"id\": \"found\"", "\"id\": \"generic\"",
     "$.engines[1]: the id 'generic' is used twice"},
    {"an option in the environment", "OMP_PROC_BIND", "LLAMA_ARG_THREADS",
     "llama.cpp takes it for an option"},
    {"a secret in the environment", "OMP_PROC_BIND", "hf_token",
     "$.engines[0].environment.hf_token: a secret does not stand"},
    {"a file twice", "\"id\": \"tiny-q4\"", "\"id\": \"small-q4\"",
     "$.files[1]: the id 'small-q4' is used twice"},
    {"a digest that is none", "\"sha256\": \"0d", "\"sha256\": \"0D", "$.files[0].sha256"},
    {"a file without a byte", "1066226976", "0", "$.files[0].size_bytes"},
    /* back ends */
    {"an unknown engine", "\"engine\": \"generic\"", "\"engine\": \"fast\"",
     "$.backends[0].start.engine: expected the id of an item of $.engines, got 'fast'"},
    {"an unknown file", "\"model\": \"small-q4\"", "\"model\": \"big\"",
     "$.backends[0].start.model: expected the id of an item of $.files, got 'big'"},
    {"a setting missing", "\"poll\": 50,", "", "required key 'poll' is missing"},
    {"more micro than batch", "\"ubatch_size\": 512", "\"ubatch_size\": 4096",
     "ubatch_size 4096: expected at most"},
    {"a back end twice", "\"id\": \"remote-b\"", "\"id\": \"remote-a\"",
     "$.backends[2].id: the id 'remote-a' is used twice"},
    {"neither start nor url", "\"url\": \"http://10.0.0.5:8081\",", "",
     "$.backends[1]: expected \"start\" or \"url\""},
    {"start and url", "\"max_in_flight\": 4\n", "\"url\": \"http://a\"\n",
     "$.backends[0].url: beside \"start\""},
    {"start and a key", "\"max_in_flight\": 4\n", "\"api_key_env\": \"K\"\n",
     "$.backends[0].api_key_env: beside \"start\""},
    {"a url that is none", "http://10.0.0.5:8081", "10.0.0.5:8081",
     "$.backends[1].url: expected http"},
    {"a key in a url", "http://10.0.0.5:8081", "http://me:pw@10.0.0.5", "without '?', '#', '@'"},
    {"no request at once", "\"max_in_flight\": 32", "\"max_in_flight\": 0",
     "$.backends[2].max_in_flight"},
    {"two keys", "\"api_key_file\": null", "\"api_key_file\": \"k\"",
     "$.backends[1].api_key_file: the key comes from api_key_env"},
    /* speculation */
    {"a draft without a type", "\"type\": \"draft-simple\", ", "",
     "$.backends[0].start.draft: required key 'type' is missing"},
    {"a draft of type none", "\"draft-simple\"", "\"none\"",
     "$.backends[0].start.draft.type: expected one of \"draft-simple\""},
    {"a draft without a model", "\"model\": \"tiny-q4\", ", "",
     "$.backends[0].start.draft: 'draft-simple' needs a draft model"},
    {"an unknown draft model", "\"model\": \"tiny-q4\"", "\"model\": \"tin\"",
     "$.backends[0].start.draft.model: expected the id of an item of $.files, got 'tin'"},
    {"n-grams with a model", "\"draft-simple\"", "\"ngram-simple\"",
     "$.backends[0].start.draft.model: 'ngram-simple' drafts without a model"},
    {"n-grams with a length", "\"type\": \"draft-simple\", \"model\": \"tiny-q4\"",
     "\"type\": \"ngram-mod\"", "$.backends[0].start.draft.n_max: 'ngram-mod' has options"},
    {"n-grams alone", "\"type\": \"draft-simple\", \"model\": \"tiny-q4\", \"n_max\": 5",
     "\"type\": \"ngram-mod\"", NULL},
    {"heads of the model itself", "\"type\": \"draft-simple\", \"model\": \"tiny-q4\"",
     "\"type\": \"draft-mtp\"", NULL},
    {"a draft model by the side door", "--spec-draft-n-min", "--spec-draft-model",
     "$.backends[0].start.extra_arguments[0]: '--spec-draft-model' is given by \"draft\""},
    {"a setting by the side door", "--spec-draft-n-min", "--threads", "'--threads' is given"},
    {"a key on the command line", "--spec-draft-n-min", "--api-key", "'--api-key' is given"},
    /* models */
    {"a model without back ends", "\"backends\": [\"remote-b\"]", "\"backends\": []",
     "$.models[1].backends: expected 1 to 64 items, got 0"},
    {"an unknown back end", "[\"remote-b\"]", "[\"remote-c\"]",
     "$.models[1].backends[0]: expected the id of an item of $.backends, got 'remote-c'"},
    {"a back end twice in a model", "[\"small\", \"remote-a\"]", "[\"small\", \"small\"]",
     "$.models[0].backends[1]: 'small' is there twice"},
    {"a back end that nobody uses", "[\"small\", \"remote-a\"]", "[\"small\"]",
     "$.backends[1]: no item of $.models uses 'remote-a'"},
    {"a model twice", "\"name\": \"org/qwen big\"", "\"name\": \"qwen-small\"",
     "$.models[1].name: the name 'qwen-small' is used twice"},
    {"a model of two lines", "\"name\": \"org/qwen big\"", "\"name\": \"a\\nb\"",
     "$.models[1].name: expected a name without control characters"},
    {"chosen by lot", "least-busy", "random", "$.models[0].choose: expected \"order\" or"},
    /* rules */
    {"a rule for no model", "\"use\": \"qwen-small\"", "\"use\": \"qwen\"",
     "$.rules[2].use: expected the name of an item of $.models, got 'qwen'"},
    {"a rule without a model", "\"header\": null\n      },\n      \"use\": \"qwen-small\"",
     "\"header\": null\n      }", "$.rules[2]: required key 'use' is missing"},
    {"a rule twice", "\"name\": \"long\"", "\"name\": \"paid\"",
     "$.rules[1].name: the name 'paid' is used twice"},
    {"bounds swapped", "\"max_body_bytes\": 65536", "\"max_body_bytes\": 1023",
     "$.rules[0].when.max_body_bytes: expected more than min_body_bytes, 1024, got 1023"},
    {"bounds equal", "\"max_body_bytes\": 65536", "\"max_body_bytes\": 1024",
     "$.rules[0].when.max_body_bytes: expected more than min_body_bytes, 1024, got 1024"},
    {"a negative bound", "\"min_body_bytes\": 1024", "\"min_body_bytes\": -1",
     "$.rules[0].when.min_body_bytes: expected an integer from 0"},
    {"a bound that is no integer", "\"min_body_bytes\": 1024", "\"min_body_bytes\": 1024.0",
     "$.rules[0].when.min_body_bytes: expected an integer or null"},
    {"a bound that is no number", "\"min_body_bytes\": 1024", "\"min_body_bytes\": NaN",
     "line 82, column 29: not strict JSON"},
    {"tiers in the wrong order", "\"min_body_bytes\": 8192", "\"min_body_bytes\": null",
     "$.rules[2]: 'other' can never hold: 'long' before it takes all of its requests"},
    {"a header that is none", "X-Tier", "X Tier", "$.rules[0].when.header.name: expected the name"},
    {"a secret header", "X-Tier", "AUTHORIZATION",
     "$.rules[0].when.header.name: 'AUTHORIZATION' carries a secret"},
    {"a header of two lines", "\"high\"", "\"high\\r\\nX: y\"",
     "$.rules[0].when.header.value: expected a name without control"},
    {"an endpoint that is none", "\"endpoint\": \"chat\"", "\"endpoint\": \"chats\"",
     "$.rules[0].when.endpoint: expected \"chat\" or \"text\""},
    /* queue, timers, breaker, limits */
    {"a full line that says 450", "\"full_status\": 503", "\"full_status\": 450",
     "$.queue.full_status: expected 429 or 503, got 450"},
    {"waiting longer than all", "\"max_wait_ms\": 10000", "\"max_wait_ms\": 1800000",
     "$.queue.max_wait_ms: expected less than timeouts_ms.total, 1800000, got 1800000"},
    {"connecting longer than the first byte", "\"connect\": 1000", "\"connect\": 300001",
     "$.timeouts_ms.connect: expected less than timeouts_ms.first_byte, 300000, got 300001"},
    {"a first byte after the end", "\"first_byte\": 300000", "\"first_byte\": 1800000",
     "$.timeouts_ms.first_byte: expected less than timeouts_ms.total, 1800000, got 1800000"},
    {"silence longer than all", "\"between_bytes\": 60000", "\"between_bytes\": 1800001",
     "$.timeouts_ms.between_bytes: expected less than timeouts_ms.total"},
    {"a total below a default", "\"first_byte\": 300000,\n    \"between_bytes\": 60000,\n", "",
     NULL},
    {"no time at all", "\"hold\": 5000", "\"hold\": 0", "$.timeouts_ms.hold: expected an integer"},
    {"negative time", "\"drain\": 20000", "\"drain\": -1", "$.timeouts_ms.drain"},
    {"time as a real", "\"hold\": 5000", "\"hold\": 5e3",
     "$.timeouts_ms.hold: expected an integer"},
    {"no failure", "\"failures\": 3", "\"failures\": 0", "$.breaker.failures"},
    {"no probe", "\"probes\": 2", "\"probes\": 0", "$.breaker.probes"},
    {"a tiny body", "1048576", "1023", "$.limits.body_max_bytes"},
    {"pauses swapped", "[500, 30000]", "[30000, 500]",
     "$.supervise.backoff_ms[1]: expected more than the first pause, 30000, got 500"},
    {"pauses equal", "[500, 30000]", "[500, 500]", "$.supervise.backoff_ms[1]: expected more"},
    {"a pause missing", "[500, 30000]", "[500]", "$.supervise.backoff_ms: expected 2 items, got 1"},
    {"a negative pause", "[500, 30000]", "[-1, 30000]", "$.supervise.backoff_ms[0]"},
    /* access */
    {"an open door", "\"keys\": {\"file\": \"keys.txt\"}", "\"keys\": null",
     "$.listen.host: others reach '0.0.0.0', and there are no keys"},
    {"open with keys", "\"open\": false", "\"open\": true",
     "$.listen.open: clients need one of $.keys"},
    {"a key in place of its file", "{\"file\": \"keys.txt\"}", "{\"key\": \"sk-hidden\"}",
     "$.keys.key: a secret does not stand in a configuration: name a file"},
    {"a key of a back end", "\"api_key_env\": \"REMOTE_KEY\"", "\"api_key\": \"sk-hidden\"",
     "$.backends[1].api_key: a secret does not stand in a configuration: name a variable"},
    {"a key in place of its variable", "REMOTE_KEY", "sk-hidden",
     "$.backends[1].api_key_env: expected the name of a variable"},
    {"a rate of nothing", "\"per_second\": 2.5", "\"per_second\": 0",
     "$.rate.per_key.per_second: expected more than 0"},
    {"a negative rate", "\"per_second\": 2.5", "\"per_second\": -2.5",
     "$.rate.per_key.per_second: expected more than 0"},
    {"a rate that is no number", "\"per_second\": 2.5", "\"per_second\": NaN", "not strict JSON"},
    {"a rate without end", "\"per_second\": 2.5", "\"per_second\": 1e999", "real number overflow"},
    {"a burst missing", ", \"burst\": 10", "", "$.rate.per_key: required key 'burst' is missing"},
    {"no burst", "\"burst\": 10", "\"burst\": 0", "$.rate.per_key.burst"},
    {"a proxy by name", "2001:db8::1", "proxy.local",
     "$.rate.trusted_proxies[1]: expected a numeric IPv4 or IPv6 address, got 'proxy.local'"},
    {"an origin with a path", "https://app.example", "https://app.example/",
     "$.cors.origins[0]: expected \"*\", or an origin"},
    {"any origin", "https://app.example", "*", NULL},
    {"some of all origins", "https://app.example", "https://*.example", "$.cors.origins[0]"},
    {"more failures than are kept", "\"failures\": 3", "\"failures\": 65", "$.breaker.failures"},
    {"an origin in capitals", "https://app.example", "https://App.example",
     "$.cors.origins[0]: expected \"*\", or an origin"},
};

static void each_rule_has_a_refusal(void **state)
{
    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(rows); i++) {
        pp_arena arena = {0};
        pp_error err = {0};
        pp_serve_config config;
        const char *text = fixture_text(&arena, FIXTURE);
        pp_status st =
            decode(&arena, changed_text(&arena, text, rows[i].find, rows[i].with), &config, &err);

        if ((st == PP_OK) != (rows[i].says == NULL))
            fail_msg("%s: %s", rows[i].name, st == PP_OK ? "accepted" : err.text);
        if (rows[i].says != NULL && strstr(err.text, rows[i].says) == NULL)
            fail_msg("%s: '%s' does not say '%s'", rows[i].name, err.text, rows[i].says);
        assert_null(strstr(err.text, "hidden")); /* the secret of three rows */
        pp_arena_done(&arena);
    }
}

/* The same of the least configuration, where one of two values is a default. */
static void a_default_can_contradict_what_is_written(void **state)
{
    static const struct {
        const char *timeouts;
        const char *says;
    } shorts[] = {
        {"{\"total\":60000}", "$.timeouts_ms.total: expected more than timeouts_ms.first_byte, "
                              "600000 by default, got 60000"},
        {"{\"connect\":600000}", "$.timeouts_ms.connect: expected less than "
                                 "timeouts_ms.first_byte, 600000 by default, got 600000"},
        {"{\"total\":20000,\"first_byte\":1000,\"between_bytes\":1000,\"connect\":999}",
         "$.timeouts_ms.total: expected more than queue.max_wait_ms, 30000 by default"},
    };

    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(shorts); i++) {
        pp_arena arena = {0};
        pp_error err = {0};
        pp_serve_config config;
        const char *text = changed_text(
            &arena, LEAST, "\"backends\"",
            pp_arena_printf(&arena, "\"timeouts_ms\":%s,\"backends\"", shorts[i].timeouts));

        assert_int_equal(decode(&arena, text, &config, &err), PP_ERR_SCHEMA);
        assert_contains(err.text, shorts[i].says);
        pp_arena_done(&arena);
    }
}

static void only_loopback_is_open_without_being_asked(void **state)
{
    static const struct {
        const char *listen;
        bool fits;
    } doors[] = {
        {"{}", true},
        {"{\"host\":\"localhost\"}", true},
        {"{\"host\":\"127.0.0.2\"}", true},
        {"{\"host\":\"::1\"}", true},
        {"{\"host\":\"::ffff:127.0.0.1\"}", true},
        {"{\"host\":\"0.0.0.0\"}", false},
        {"{\"host\":\"::\"}", false},
        {"{\"host\":\"192.168.1.7\"}", false},
        {"{\"host\":\"gateway.example\"}", false},
        {"{\"host\":\"0.0.0.0\",\"open\":true}", true},
    };

    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(doors); i++) {
        pp_arena arena = {0};
        pp_error err = {0};
        pp_serve_config config;
        const char *text =
            changed_text(&arena, LEAST, "\"backends\"",
                         pp_arena_printf(&arena, "\"listen\":%s,\"backends\"", doors[i].listen));

        if ((decode(&arena, text, &config, &err) == PP_OK) != doors[i].fits)
            fail_msg("%s: %s", doors[i].listen, doors[i].fits ? err.text : "accepted");
        pp_arena_done(&arena);
    }
}

static void a_limit_per_key_needs_keys(void **state)
{
    pp_arena arena = {0};
    pp_error err = {0};
    pp_serve_config config;
    const char *text =
        changed_text(&arena, LEAST, "\"backends\"",
                     "\"rate\":{\"per_key\":{\"per_second\":1,\"burst\":1}},\"backends\"");

    (void)state;
    assert_int_equal(decode(&arena, text, &config, &err), PP_ERR_SCHEMA);
    assert_contains(err.text, "$.rate.per_key: there are no keys");
    pp_arena_done(&arena);
}

/* ---- reading ----------------------------------------------------------------------------------
 */

static void a_whole_configuration_is_read(void **state)
{
    pp_arena arena = {0};
    pp_error err = {0};
    pp_serve_config c;

    (void)state;
    assert_ok(decode(&arena, fixture_text(&arena, FIXTURE), &c, &err), err);
    assert_string_equal(c.host.data, "0.0.0.0");
    assert_int_equal(c.engine_count, 2);
    assert_string_equal(c.engines[1].server.data, "bin/llama-server");
    assert_int_equal(c.file_count, 2);
    assert_int_equal(c.files[0].size_bytes, 1066226976);
    assert_int_equal(c.files[1].sha256.size, 0);
    assert_int_equal(c.backends[0].kind, PP_SERVE_STARTED);
    assert_int_equal(c.backends[0].settings.parallel, 4);
    assert_true(c.backends[0].draft.present && c.backends[0].draft.has_model);
    assert_int_equal(c.backends[0].draft.file_index, 1);
    assert_int_equal(c.backends[0].draft.n_max, 5);
    assert_int_equal(c.backends[0].extra_arguments.count, 2);
    assert_int_equal(c.backends[1].kind, PP_SERVE_ENDPOINT);
    assert_false(c.backends[1].max_in_flight.known);
    assert_string_equal(c.backends[1].endpoint.api_key_env.data, "REMOTE_KEY");
    assert_string_equal(c.backends[2].api_key_file.data, "remote.key");
    assert_int_equal(c.models[0].backend_count, 2);
    assert_int_equal(c.models[0].backend_indices[1], 1);
    assert_true(c.models[0].least_busy);
    assert_false(c.models[1].least_busy);
    assert_int_equal(c.rule_count, 3);
    assert_int_equal(c.rules[0].model_index, 1);
    assert_true(c.rules[0].has_tools.known && !c.rules[0].has_tools.value);
    assert_int_equal(c.rules[2].model_index, 0);
    assert_int_equal(c.queue_full_status, 503);
    assert_int_equal(c.client_send_ms, 30000);
    assert_int_equal(c.breaker_probes, 2);
    assert_int_equal(c.stream_buffer_bytes, 262144);
    assert_true(c.rate_per_key.present && c.rate_per_key.per_second == 2.5);
    assert_int_equal(c.trusted_proxy_count, 2);
    assert_int_equal(c.cors_origin_count, 2);
    assert_int_equal(c.backoff_max_ms, 30000);
    pp_arena_done(&arena);
}

static pp_json *encode_text(pp_arena *arena, const char *text)
{
    pp_error err = {0};
    pp_serve_config config;

    assert_ok(decode(arena, text, &config, &err), err);
    return pp_serve_config_encode(arena, &config);
}

static const pp_json *parse(pp_arena *arena, const char *text)
{
    pp_error err = {0};
    const pp_json *root;

    assert_ok(pp_json_parse(arena, "t", text, strlen(text), &root, &err), err);
    return root;
}

/* The fixture says everything, so nothing may be added, lost or changed. */
static void what_is_read_is_what_is_written(void **state)
{
    pp_arena arena = {0};
    const char *text = fixture_text(&arena, FIXTURE);

    (void)state;
    assert_true(pp_json_equal(encode_text(&arena, text), parse(&arena, text)));
    pp_arena_done(&arena);
}

static void defaults_are_written_out(void **state)
{
    static const char want[] =
        "{\"schema_version\":\"1.0\",\"document\":\"serve-config\","
        "\"listen\":{\"host\":\"127.0.0.1\",\"port\":8080,\"open\":false},"
        "\"engines\":[],\"files\":[],"
        "\"backends\":[{\"id\":\"a\",\"url\":\"http://127.0.0.1:8081\",\"server\":\"openai\","
        "\"model\":null,\"api_key_env\":null,\"api_key_file\":null,\"max_in_flight\":null}],"
        "\"models\":[{\"name\":\"m\",\"backends\":[\"a\"],\"choose\":\"order\"}],\"rules\":[],"
        "\"queue\":{\"max_waiting\":64,\"max_wait_ms\":30000,\"full_status\":429},"
        "\"timeouts_ms\":{\"connect\":2000,\"first_byte\":600000,\"between_bytes\":120000,"
        "\"total\":3600000,\"hold\":10000,\"keep_alive_comment\":15000,\"drain\":30000,"
        "\"client_send\":60000},"
        "\"breaker\":{\"failures\":5,\"window_ms\":10000,\"open_ms\":5000,\"probes\":1},"
        "\"limits\":{\"body_max_bytes\":16777216,\"head_max_bytes\":32768,\"connections\":1024,"
        "\"stream_buffer_bytes\":1048576},\"keys\":null,"
        "\"rate\":{\"per_key\":null,\"per_address\":null,\"trusted_proxies\":[]},"
        "\"cors\":{\"origins\":[]},\"access_log\":null,\"log_max_bytes_per_minute\":67108864,"
        "\"supervise\":{\"start_timeout_ms\":120000,\"backoff_ms\":[1000,60000]}}";
    pp_arena arena = {0};

    (void)state;
    assert_true(pp_json_equal(encode_text(&arena, LEAST), parse(&arena, want)));
    pp_arena_done(&arena);
}

static void a_draft_has_three_tokens_by_default(void **state)
{
    pp_arena arena = {0};
    pp_error err = {0};
    pp_serve_config c;

    (void)state;
    assert_ok(decode(&arena,
                     changed_text(&arena, fixture_text(&arena, FIXTURE), ", \"n_max\": 5", ""), &c,
                     &err),
              err);
    assert_int_equal(c.backends[0].draft.n_max, 3);
    pp_arena_done(&arena);
}

/* ---- memory -----------------------------------------------------------------------------------
 */

static pp_status decode_and_encode(const void *context, pp_error *err)
{
    pp_arena arena = {0};
    pp_serve_config config;
    pp_status st = decode(&arena, context, &config, err);

    if (st == PP_OK) {
        (void)pp_serve_config_encode(&arena, &config);
        st = pp_arena_check(&arena, err);
    }
    pp_arena_done(&arena);
    return st;
}

static void missing_memory_is_said(void **state)
{
    pp_arena arena = {0};

    (void)state;
    assert_true(check_missing_memory(decode_and_encode, fixture_text(&arena, FIXTURE)) > 0);
    pp_arena_done(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_rule_has_a_refusal),
        cmocka_unit_test(a_default_can_contradict_what_is_written),
        cmocka_unit_test(only_loopback_is_open_without_being_asked),
        cmocka_unit_test(a_limit_per_key_needs_keys),
        cmocka_unit_test(a_whole_configuration_is_read),
        cmocka_unit_test(what_is_read_is_what_is_written),
        cmocka_unit_test(defaults_are_written_out),
        cmocka_unit_test(a_draft_has_three_tokens_by_default),
        cmocka_unit_test(missing_memory_is_said),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
