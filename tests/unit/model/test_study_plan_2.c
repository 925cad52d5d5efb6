/* Study plans of version 2.0: engines, kinds of candidates, stages, order. */
#include <string.h>

#include "model/study_plan.h"
#include "shared.h"

static pp_status decode_text(pp_arena *arena, const char *text, pp_study_plan *ret_plan,
                             pp_error *err)
{
    const pp_json *root;
    pp_status st = pp_json_parse(arena, "plan.json", text, strlen(text), &root, err);

    return st == PP_OK ? pp_study_plan_decode(arena, root, ret_plan, err) : st;
}

static pp_status decode_changed(pp_arena *arena, const char *find, const char *with,
                                pp_study_plan *ret_plan, pp_error *err)
{
    const char *text = fixture_text(arena, "study/plan-2.json");

    return decode_text(arena, changed_text(arena, text, find, with), ret_plan, err);
}

static void all_kinds_of_candidates_are_read(void **state)
{
    pp_arena arena = {0};
    pp_error err = {0};
    pp_study_plan plan;

    (void)state;
    assert_ok(decode_changed(&arena, "Three kinds", "3 kinds", &plan, &err), err);
    assert_int_equal(plan.schema, 2);
    assert_int_equal(plan.engine_count, 2);
    assert_true(plan.engines[0].has_path);
    assert_false(plan.engines[1].has_path);
    assert_string_equal(plan.engines[0].server.data, "llama-server");
    assert_string_equal(plan.engines[1].bench.data, "bin/llama-bench");
    assert_string_equal(plan.engines[1].environment[0].name.data, "OMP_NUM_THREADS");
    assert_string_equal(plan.engines[1].markers.required[0].data, "fast kernel");
    assert_string_equal(plan.models[0].family.data, "Test");
    assert_string_equal(plan.models[1].family.data, "");
    assert_int_equal(plan.candidates[0].kind, PP_CANDIDATE_MANAGED);
    assert_int_equal(plan.candidates[1].settings.ubatch_size, 64);
    assert_string_equal(plan.candidates[2].extra_arguments.words[0].data, "--mlock");
    assert_int_equal(plan.candidates[3].kind, PP_CANDIDATE_VERBATIM);
    assert_int_equal(plan.candidates[3].engine_index, 1);
    assert_int_equal(plan.candidates[3].throughput_argv.count, 0);
    assert_int_equal(plan.candidates[4].throughput_argv.count, 3);
    assert_string_equal(plan.candidates[4].working_directory.data, "models");
    assert_int_equal(plan.candidates[5].kind, PP_CANDIDATE_ENDPOINT);
    assert_string_equal(plan.candidates[5].endpoint.api_key_env.data, "KEY");
    assert_int_equal(plan.candidates[6].kind, PP_CANDIDATE_SERVE);
    assert_string_equal(plan.candidates[6].serve.path.data, "serve.json");
    assert_memory_equal(plan.candidates[6].serve.sha256.data, "11223344", 8);
    assert_string_equal(plan.candidates[6].endpoint.model.data, "small");
    assert_int_equal(plan.candidates[6].endpoint.api_key_env.size, 0);
    assert_string_equal(plan.candidates[7].endpoint.api_key_env.data, "GATEWAY_KEY");
    assert_false(pp_candidate_has_engine(&plan.candidates[5]));
    assert_false(pp_candidate_has_engine(&plan.candidates[6]));
    assert_true(pp_candidate_has_engine(&plan.candidates[3]));
    assert_false(plan.candidates[5].serve.present);
    pp_arena_done(&arena);
}

static void what_is_done_is_read(void **state)
{
    pp_arena arena = {0};
    pp_error err = {0};
    pp_study_plan plan;

    (void)state;
    assert_ok(decode_changed(&arena, "Three kinds", "3 kinds", &plan, &err), err);
    assert_int_equal(plan.order, PP_ORDER_WILLIAMS);
    assert_true(plan.waits_until_idle);
    assert_int_equal(plan.idle.max_wait_ms, 60000);
    assert_true(plan.suite.present);
    assert_false(plan.load_plan.present);
    assert_int_equal(plan.load.step_count, 2);
    assert_int_equal(plan.load.steps[0].clients, 2);
    assert_true(plan.load.steps[1].rate_per_second == 2.5);
    assert_string_equal(plan.load.steps[1].arrivals.data, "poisson");
    assert_int_equal(plan.noise.repeats, 2);
    assert_true(pp_study_plan_starts_servers(&plan));
    pp_arena_done(&arena);
}

static void what_is_not_done_is_null(void **state)
{
    pp_arena arena = {0};
    pp_error err = {0};
    pp_study_plan plan;

    (void)state;
    assert_ok(decode_changed(&arena,
                             "\"throughput\": {\"prompt_tokens\": 16, \"generation_tokens\": 8, "
                             "\"repetitions\": 2}",
                             "\"throughput\": null", &plan, &err),
              err);
    assert_false(plan.has_throughput);
    assert_true(plan.has_requests);
    pp_arena_done(&arena);
}

static const struct {
    const char *name;
    const char *find, *with;
    const char *want;
} refused[] = {
    {"1.0 does not know engines", "\"schema_version\": \"2.0\",\n  \"document\"",
     "\"schema_version\": \"1.0\",\n  \"document\"", "$: unknown key"},
    {"version nobody knows", "\"schema_version\": \"2.0\",\n  \"document\"",
     "\"schema_version\": \"3.0\",\n  \"document\"", "$.schema_version: expected"},
    {"kind nobody knows", "\"kind\": \"endpoint\"", "\"kind\": \"remote\"",
     "$.candidates[5].kind: expected"},
    {"engine nobody has", "\"engine\": \"fast\"", "\"engine\": \"faster\"",
     "$.candidates[3].engine: expected the id of an item of $.engines, got 'faster'"},
    {"engine twice", "\"id\": \"fast\"", "\"id\": \"plain\"", "the id 'plain' is used twice"},
    {"option in the environment (B178)", "\"OMP_NUM_THREADS\"", "\"LLAMA_ARG_THREADS\"",
     "$.engines[1].environment.LLAMA_ARG_THREADS: llama.cpp takes it for an option"},
    {"variable with an equals sign", "\"OMP_NUM_THREADS\"", "\"A=B\"", "without '='"},
    {"extra argument that a setting stands for", "\"--mlock\"", "\"-ub\"",
     "$.candidates[2].extra_arguments[0]: '-ub' is given by the settings or by the study"},
    {"secret on a command line", "\"--mlock\"", "\"--api-key\"",
     "'--api-key' is given by the settings or by the study"},
    {"line end in a word", "\"--mlock\"", "\"--a\\nb\"", "expected a word without NUL"},
    {"no port", "\"--port\", \"18081\"", "\"--por\", \"18081\"",
     "$.candidates[4].argv.server: expected '--port' once, found it 0 times"},
    {"two ports", "\"-t\", \"2\", \"-ub\", \"64\", \"--port\", \"18081\"",
     "\"--port\", \"1\", \"-ub\", \"64\", \"--port\", \"18081\"", "found it 2 times"},
    {"port that is none", "\"18081\"", "\"65536\"", "expected a port from 1 to 65535 or {port}"},
    {"port in words", "\"18081\"", "\"http\"", "got 'http'"},
    {"key in an address", "8080/v1", "8080/v1?key=a", "keys come from a variable"},
    {"password in an address", "http://127", "http://me:secret@127", "without '?', '#', '@'"},
    {"address of something else", "http://127", "ftp://127", "expected http:// or https://"},
    {"stage that changes more than it says", "\"candidate\": \"b\", \"against\": \"a\"",
     "\"candidate\": \"c\", \"against\": \"a\"",
     "'c' and 'a' differ in model, settings.ubatch_size, extra_arguments; expected a difference in "
     "settings.ubatch_size alone"},
    {"stage that changes something else", "\"changes\": \"settings.ubatch_size\"",
     "\"changes\": \"settings.threads\"",
     "'b' and 'a' differ in settings.ubatch_size; expected a difference in settings.threads alone"},
    {"stage without a change", "\"against\": \"a\"", "\"against\": \"b\"",
     "expected another candidate than 'b'"},
    {"stage of a stranger", "\"against\": \"a\"", "\"against\": \"z\"",
     "$.stages[0].against: expected the id of an item of $.candidates, got 'z'"},
    {"stage across kinds", "\"candidate\": \"b\", \"against\": \"a\"",
     "\"candidate\": \"f\", \"against\": \"a\"", "'f' and 'a' differ in kind"},
    {"stage of a server against a gateway", "\"candidate\": \"b\", \"against\": \"a\"",
     "\"candidate\": \"g\", \"against\": \"f\"", "'g' and 'f' differ in kind"},
    {"stage of another served model", "\"candidate\": \"b\", \"against\": \"a\"",
     "\"candidate\": \"h\", \"against\": \"g\"", "'h' and 'g' differ in model;"},
    {"gateway without a digest", "\"sha256\": \"112233445566778899aabbccddeeff00",
     "\"sha257\": \"112233445566778899aabbccddeeff00", "$.candidates[6].serve: "},
    {"gateway with settings", "\"label\": \"G\"", "\"label\": \"G\", \"settings\": {}",
     "$.candidates[6]: unknown key 'settings'"},
    {"gateway of no model", "\"model\": \"large\"", "\"model\": \"\"",
     "$.candidates[7].serve.model: "},
    {"more clients than requests", "\"clients\": 2", "\"clients\": 5",
     "$.load.steps[0].measured: 5 clients need at least as many requests, got 4"},
    {"load that does not fit (B129)", "\"rate_per_second\": 2.5, \"arrivals\": \"poisson\"",
     "\"rate_per_second\": 0, \"arrivals\": \"poisson\"", "expected more than 0"},
    {"arrivals of a closed loop", "\"clients\": 2", "\"clients\": 2, \"arrivals\": \"poisson\"",
     "$.load.steps[0]: unknown key 'arrivals'"},
    {"pause of both kinds", "\"kind\": \"idle\"", "\"kind\": \"settle\"", "$.pause: unknown key"},
    {"order nobody knows", "\"williams\"", "\"random\"", "$.order.kind: expected one of"},
    {"passes without end", "\"passes\": 6", "\"passes\": 201", "from 1 to 200, got 201"},
};

static void a_plan_that_contradicts_itself_is_refused_by_path(void **state)
{
    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(refused); i++) {
        pp_arena arena = {0};
        pp_error err = {0};
        pp_study_plan plan;

        if (decode_changed(&arena, refused[i].find, refused[i].with, &plan, &err) == PP_OK)
            fail_msg("%s: accepted", refused[i].name);
        if (strstr(err.text, refused[i].want) == NULL)
            fail_msg("%s: expected '%s', got '%s'", refused[i].name, refused[i].want, err.text);
        pp_arena_done(&arena);
    }
}

/* A stage over candidates d and e, whose command lines are given word for word. */
static const struct {
    const char *name;
    const char *server_of_e; /* in place of "-ub", "64", */
    const char *want;        /* NULL: they differ in the model alone */
} lines[] = {
    {"program, model and port are said elsewhere", "\"-ub\", \"64\", ", NULL},
    {"an option that a setting stands for has its name", "\"-ub\", \"128\", ",
     "'d' and 'e' differ in model, settings.ubatch_size;"},
    {"another spelling is another option", "\"--ubatch-size\", \"64\", ",
     "'d' and 'e' differ in model, settings.ubatch_size;"},
    {"an option more", "\"-ub\", \"64\", \"--mlock\", ",
     "'d' and 'e' differ in model, argv.--mlock;"},
    {"an option less", "", "'d' and 'e' differ in model, settings.ubatch_size;"},
    {"an option twice", "\"-ub\", \"64\", \"-ub\", \"64\", ",
     "'d' and 'e' differ in model, settings.ubatch_size;"},
    {"a word more", "\"-ub\", \"64\", \"more\", ", "'d' and 'e' differ in model, argv;"},
};

static void a_stage_over_given_command_lines_compares_their_options(void **state)
{
    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(lines); i++) {
        pp_arena arena = {0};
        pp_error err = {0};
        pp_study_plan plan;
        const char *text = fixture_text(&arena, "study/plan-2.json");
        pp_status st;

        text = changed_text(&arena, text, "\"candidate\": \"b\", \"against\": \"a\"",
                            "\"candidate\": \"d\", \"against\": \"e\"");
        text = changed_text(&arena, text, "\"changes\": \"settings.ubatch_size\"",
                            "\"changes\": \"model\"");
        text = changed_text(&arena, text, "[\"../engines/fast/llama-bench\", \"-m\", \"m.gguf\"]",
                            "null");
        text = changed_text(&arena, text, ",\n        \"working_directory\": \"models\"", "");
        text =
            changed_text(&arena, text, "\"-ub\", \"64\", \"--port\", \"18081\"",
                         pp_arena_printf(&arena, "%s\"--port\", \"18081\"", lines[i].server_of_e));
        st = decode_text(&arena, text, &plan, &err);
        if (lines[i].want == NULL)
            assert_ok(st, err);
        else if (st == PP_OK || strstr(err.text, lines[i].want) == NULL)
            fail_msg("%s: expected '%s', got '%s'", lines[i].name, lines[i].want, err.text);
        pp_arena_done(&arena);
    }
}

/* Candidates g and h, of one configuration until something of h is changed. */
static const struct {
    const char *name;
    bool same_model, other_file;
    const char *changes;
    const char *want; /* NULL: accepted */
} gateways[] = {
    {"the model that is asked for", false, false, "model", NULL},
    {"nothing at all", true, false, "serve", "'h' and 'g' differ in nothing;"},
    {"another configuration", true, true, "serve", NULL},
    {"both", false, true, "serve", "'h' and 'g' differ in serve, model;"},
};

static const char *other_file(pp_arena *arena, const char *text)
{
    const char *at = strstr(strstr(text, "\"id\": \"h\""), "serve.json");

    return pp_arena_printf(arena, "%.*sother.json%s", (int)(at - text), text,
                           at + strlen("serve.json"));
}

static void a_stage_over_gateways_compares_configuration_and_model(void **state)
{
    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(gateways); i++) {
        pp_arena arena = {0};
        pp_error err = {0};
        pp_study_plan plan;
        const char *text = fixture_text(&arena, "study/plan-2.json");
        pp_status st;

        text = changed_text(&arena, text, "\"candidate\": \"b\", \"against\": \"a\"",
                            "\"candidate\": \"h\", \"against\": \"g\"");
        text = changed_text(&arena, text, "\"changes\": \"settings.ubatch_size\"",
                            pp_arena_printf(&arena, "\"changes\": \"%s\"", gateways[i].changes));
        if (gateways[i].other_file)
            text = other_file(&arena, text);
        if (gateways[i].same_model)
            text = changed_text(&arena, text, "\"model\": \"large\"", "\"model\": \"small\"");
        st = decode_text(&arena, text, &plan, &err);
        if (gateways[i].want == NULL)
            assert_ok(st, err);
        else if (st == PP_OK || strstr(err.text, gateways[i].want) == NULL)
            fail_msg("%s: expected '%s', got '%s'", gateways[i].name, gateways[i].want, err.text);
        pp_arena_done(&arena);
    }
}

/* What a plan does, taken away one after the other. */
static void a_study_of_nothing_is_refused(void **state)
{
    static const char *const parts[][2] = {
        {"{\"prompt_tokens\": 16, \"generation_tokens\": 8, \"repetitions\": 2}", "null"},
        {"{\"path\": \"suite.json\", \"sha256\": "
         "\"00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff\"}",
         "null"},
        {"{\"prompt_tokens\": 16, \"output_tokens\": 8, \"warmup\": 1, \"measured\": 3, \"seed\": "
         "1}",
         "null"},
    };
    pp_arena arena = {0};
    pp_error err = {0};
    pp_study_plan plan;
    const char *text = fixture_text(&arena, "study/plan-2.json");
    const char *end;

    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(parts); i++) {
        text = changed_text(&arena, text, parts[i][0], parts[i][1]);
        assert_ok(decode_text(&arena, text, &plan, &err), err);
    }
    assert_false(plan.has_throughput || plan.has_requests || plan.suite.present);
    end = strstr(text, "  \"policies\"");
    text = pp_arena_printf(&arena, "%.*s\"load\": null,\n%s",
                           (int)(strstr(text, "\"load\":") - text), text, end);
    assert_int_equal(decode_text(&arena, text, &plan, &err), PP_ERR_SCHEMA);
    assert_contains(err.text, "nothing is measured: throughput, requests, suite, load and");
    pp_arena_done(&arena);
}

static pp_status decode_root(const void *context, pp_error *err)
{
    pp_arena arena = {0};
    pp_study_plan plan;
    pp_status st = pp_study_plan_decode(&arena, context, &plan, err);

    pp_arena_done(&arena);
    return st;
}

static void missing_memory_is_an_error_and_not_a_crash(void **state)
{
    pp_arena document = {0};
    pp_error err = {0};
    const pp_json *root;

    (void)state;
    assert_ok(pp_json_read_file(&document, fixture_path(&document, "study/plan-2.json"), NULL,
                                &root, &err),
              err);
    assert_true(check_missing_memory(decode_root, root) > 0);
    pp_arena_done(&document);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_kinds_of_candidates_are_read),
        cmocka_unit_test(what_is_done_is_read),
        cmocka_unit_test(what_is_not_done_is_null),
        cmocka_unit_test(a_plan_that_contradicts_itself_is_refused_by_path),
        cmocka_unit_test(a_stage_over_given_command_lines_compares_their_options),
        cmocka_unit_test(a_stage_over_gateways_compares_configuration_and_model),
        cmocka_unit_test(a_study_of_nothing_is_refused),
        cmocka_unit_test(missing_memory_is_an_error_and_not_a_crash),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
