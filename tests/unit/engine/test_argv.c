#include <string.h>

#include "engine/argv.h"
#include "shared.h"

static const pp_settings settings = {
    .threads = 3,
    .threads_batch = 4,
    .batch_size = 512,
    .ubatch_size = 128,
    .context_size = 2048,
    .parallel = 2,
    .poll = 50,
    .cache_type_k = {"q8_0", 4},
    .cache_type_v = {"f16", 3},
    .flash_attention = {"on", 2},
    .load_mode = {"mmap", 4},
    .repack = false,
};

/* A help page that names the given words and nothing else. */
static pp_engine engine_with_help(const char *help)
{
    return (pp_engine){
        .server = {.path = "/opt/llama cpp/llama-server", .version = "version: 1", .help = help},
        .bench = {.path = "/opt/llama cpp/llama-bench", .version = "version: 1", .help = help},
    };
}

static const char everything[] =
    "--model --host --port --threads --threads-batch --ctx-size --batch-size --ubatch-size "
    "--parallel --no-kv-unified --poll --cache-type-k --cache-type-v --flash-attn --load-mode "
    "--repack --no-repack --device --gpu-layers --fit --cache-ram --ctx-checkpoints --cache-reuse "
    "--no-context-shift --warmup --spec-type --sleep-idle-seconds --offline --slots --no-webui "
    "--log-verbosity --log-colors --n-prompt --n-gen --repetitions --n-depth --n-gpu-layers "
    "--no-op-offload --verbose --output";

/* The value behind a flag; NULL when the flag is not there. */
static const char *value_of(const pp_argv *argv, const char *flag)
{
    for (size_t i = 0; i + 1 < argv->count; i++) {
        if (strcmp(argv->words[i], flag) == 0)
            return argv->words[i + 1];
    }
    return NULL;
}

static void every_setting_reaches_the_command_line(void **state)
{
    pp_engine engine = engine_with_help(everything);
    pp_arena arena = {0};
    pp_error err = {0};
    pp_argv argv = {0};

    (void)state;
    assert_ok(pp_argv_server(&arena, &engine, "m.gguf", &settings, NULL, 4242, &argv, &err), err);
    assert_string_equal(argv.words[0], engine.server.path);
    assert_string_equal(value_of(&argv, "--model"), "m.gguf");
    assert_string_equal(value_of(&argv, "--host"), "127.0.0.1");
    assert_string_equal(value_of(&argv, "--port"), "4242");
    assert_string_equal(value_of(&argv, "--threads"), "3");
    assert_string_equal(value_of(&argv, "--threads-batch"), "4");
    assert_string_equal(value_of(&argv, "--ctx-size"), "2048");
    assert_string_equal(value_of(&argv, "--parallel"), "2");
    assert_string_equal(value_of(&argv, "--ubatch-size"), "128");
    assert_string_equal(value_of(&argv, "--cache-type-k"), "q8_0");
    assert_string_equal(value_of(&argv, "--cache-ram"), "0");
    assert_null(value_of(&argv, "--repack"));
    assert_non_null(value_of(&argv, "--no-repack"));
    assert_null(argv.words[argv.count]);
    assert_ok(pp_argv_bench(&arena, &engine, "m.gguf", &settings, &(pp_bench_work){256, 32, 5},
                            &argv, &err),
              err);
    assert_string_equal(value_of(&argv, "--n-prompt"), "256");
    assert_string_equal(value_of(&argv, "--n-gen"), "32");
    assert_string_equal(value_of(&argv, "--repetitions"), "5");
    assert_string_equal(value_of(&argv, "--repack"), "0");
    assert_string_equal(value_of(&argv, "--output"), "jsonl");
    pp_arena_done(&arena);
}

static void a_flag_that_the_build_does_not_know_is_refused_by_name(void **state)
{
    /* "--load-mode-x" is another flag, and a mention inside a word is none */
    pp_engine engine = engine_with_help(
        "--model --host --port --threads --threads-batch --ctx-size --batch-size --ubatch-size "
        "--parallel --no-kv-unified --poll --cache-type-k --cache-type-v --flash-attn "
        "--load-mode-x x--load-mode");
    pp_arena arena = {0};
    pp_error err = {0};
    pp_argv argv = {0};

    (void)state;
    assert_int_equal(pp_argv_server(&arena, &engine, "m", &settings, NULL, 1, &argv, &err),
                     PP_ERR_PEER);
    assert_string_equal(err.text, "'/opt/llama cpp/llama-server' (version: 1) does not know the "
                                  "option '--load-mode'");
    pp_arena_done(&arena);
}

static void shell_lines_quote_what_a_shell_would_split(void **state)
{
    const char *words[] = {"/opt/llama cpp/x", "--a=b", "it's", "", "$HOME", NULL};
    const pp_argv argv = {words, 5};
    pp_buf out;

    (void)state;
    pp_buf_init(&out, 1000);
    pp_argv_shell_line(&argv, &out);
    assert_string_equal(pp_buf_text(&out), "'/opt/llama cpp/x' --a=b 'it'\"'\"'s' '' '$HOME'");
    pp_buf_done(&out);
}

/* ---- speculation ------------------------------------------------------------------------------
 */

static size_t count_of(const pp_argv *argv, const char *word)
{
    size_t count = 0;

    for (size_t i = 0; i < argv->count; i++)
        count += strcmp(argv->words[i], word) == 0;
    return count;
}

/* E20: builds renamed these options and removed the old names. */
static const struct {
    const char *help;
    pp_draft draft;
    const char *want; /* the words, or what the refusal says */
    pp_status status;
} draft_rows[] = {
    {"--spec-type --spec-draft-model --spec-draft-n-max",
     {"draft-simple", "d.gguf", 3},
     "--spec-type draft-simple --spec-draft-model d.gguf --spec-draft-n-max 3 ",
     PP_OK},
    {"--spec-type --model-draft --draft-max",
     {"draft-simple", "d.gguf", 1},
     "--spec-type draft-simple --model-draft d.gguf --draft-max 1 ",
     PP_OK},
    {"--spec-type", {"ngram-simple", NULL, 0}, "--spec-type ngram-simple ", PP_OK},
    {"--model-draft --draft-max",
     {"draft-simple", "d.gguf", 3},
     "does not know the option '--spec-type'",
     PP_ERR_PEER},
    {"--spec-type",
     {"draft-simple", "d.gguf", 3},
     "does not know the option '--spec-draft-model'",
     PP_ERR_PEER},
};

static void e20_words_of_a_draft_are_those_that_the_build_knows(void **state)
{
    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(draft_rows); i++) {
        pp_engine engine = engine_with_help(draft_rows[i].help);
        pp_arena arena = {0};
        pp_error err = {0};
        pp_plan_words words = {0};
        pp_buf text;

        pp_buf_init(&text, 1024);
        assert_int_equal(pp_argv_draft(&arena, &engine, &draft_rows[i].draft, &words, &err),
                         draft_rows[i].status);
        for (size_t k = 0; k < words.count; k++)
            pp_buf_printf(&text, "%s ", words.words[k].data);
        if (draft_rows[i].status == PP_OK)
            assert_string_equal(pp_buf_text(&text), draft_rows[i].want);
        else
            assert_contains(err.text, draft_rows[i].want);
        pp_buf_done(&text);
        pp_arena_done(&arena);
    }
}

static void speculation_is_off_unless_a_word_switches_it_on(void **state)
{
    pp_engine engine = engine_with_help(everything);
    pp_text words[] = {pp_text_of("--spec-type"), pp_text_of("ngram-simple")};
    pp_plan_words further = {words, 2};
    pp_arena arena = {0};
    pp_error err = {0};
    pp_argv argv = {0};

    (void)state;
    assert_ok(pp_argv_server(&arena, &engine, "m.gguf", &settings, NULL, 1, &argv, &err), err);
    assert_string_equal(value_of(&argv, "--spec-type"), "none");
    assert_ok(pp_argv_server(&arena, &engine, "m.gguf", &settings, &further, 1, &argv, &err), err);
    assert_string_equal(value_of(&argv, "--spec-type"), "ngram-simple");
    assert_int_equal(count_of(&argv, "--spec-type"), 1);
    pp_arena_done(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_setting_reaches_the_command_line),
        cmocka_unit_test(a_flag_that_the_build_does_not_know_is_refused_by_name),
        cmocka_unit_test(shell_lines_quote_what_a_shell_would_split),
        cmocka_unit_test(e20_words_of_a_draft_are_those_that_the_build_knows),
        cmocka_unit_test(speculation_is_off_unless_a_word_switches_it_on),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
