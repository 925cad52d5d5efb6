#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/files.h"
#include "engine/probe.h"
#include "shared.h"

static void write_program(pp_arena *arena, const char *folder, const char *name, const char *script)
{
    const char *path = pp_path_join(arena, folder, name);
    pp_error err = {0};

    assert_ok(pp_file_write_new(path, script, strlen(script), &err), err);
    assert_int_equal(chmod(path, 0755), 0);
}

#define GOOD                                                                                       \
    "#!/bin/sh\nif [ \"$1\" = --version ]; then echo 'noise'; echo 'version: 7 (abc)' >&2; else "  \
    "echo '-t, --threads N   number'; fi\n"

static const struct {
    const char *name;
    const char *server;
    const char *want;
} rows[] = {
    {"no such program", NULL, "expected an executable 'llama-server' in it"},
    {"no --version", "#!/bin/sh\necho 'unknown option' >&2; exit 1\n",
     "--version': expected exit code 0, got exit code 1; it said: unknown option"},
    {"a version that is none", "#!/bin/sh\necho hello\n",
     "expected a line 'version: ...', got: hello"},
    {"no options", "#!/bin/sh\necho 'version: 7'\n", "got no '--threads'"},
    {"a crash", "#!/bin/sh\nkill -SEGV $$\n", "got signal 11"},
};

static void what_is_no_llama_cpp_is_refused_with_what_it_said(void **state)
{
    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(rows); i++) {
        pp_arena arena = {0};
        pp_error err = {0};
        const char *folder = make_temp_folder(&arena);
        pp_engine engine;

        if (rows[i].server != NULL)
            write_program(&arena, folder, "llama-server", rows[i].server);
        write_program(&arena, folder, "llama-bench", GOOD);
        if (pp_engine_probe(&arena, &(pp_engine_options){.folder = folder}, &engine, &err) == PP_OK)
            fail_msg("%s: accepted", rows[i].name);
        assert_contains(err.text, rows[i].want);
        remove_folder(folder);
        pp_arena_done(&arena);
    }
}

static void b178_an_engine_tells_version_pin_and_the_variables_taken_out(void **state)
{
    pp_arena arena = {0};
    pp_error err = {0};
    const char *folder = make_temp_folder(&arena);
    pp_engine engine;

    (void)state;
    write_program(&arena, folder, "llama-server", GOOD);
    write_program(&arena, folder, "llama-bench", GOOD);
    assert_ok(pp_file_write_new(pp_path_join(&arena, folder, "PIN"), "pinned\n", 7, &err), err);
    assert_int_equal(setenv("LLAMA_ARG_CTX_SIZE", "99", 1), 0);
    assert_ok(pp_engine_probe(&arena, &(pp_engine_options){.folder = folder}, &engine, &err), err);
    assert_string_equal(engine.server.version, "version: 7 (abc)");
    assert_string_equal(engine.pin, "pinned");
    assert_string_equal(engine.cleared[0], "LLAMA_ARG_CTX_SIZE");
    assert_null(engine.cleared[1]);
    for (size_t i = 0; engine.environment[i] != NULL; i++)
        assert_null(strstr(engine.environment[i], "LLAMA_ARG_"));
    assert_true(pp_program_knows(&engine.server, "--threads"));
    assert_false(pp_program_knows(&engine.server, "--thread"));
    remove_folder(folder);
    pp_arena_done(&arena);
}

/* A program that prints its environment sees nothing of it. */
static void b178_programs_do_not_see_the_variables_taken_out(void **state)
{
    static const char script[] = "#!/bin/sh\n"
                                 "if [ \"$1\" = --version ]; then\n"
                                 "echo \"version: ${LLAMA_ARG_CTX_SIZE-unset} "
                                 "$(env | grep -c LLAMA_ARG) ${LLAMA_KEPT-unset}\"\n"
                                 "else echo '--threads N'; fi\n";
    pp_arena arena = {0};
    pp_error err = {0};
    const char *folder = make_temp_folder(&arena);
    pp_engine engine;

    (void)state;
    write_program(&arena, folder, "llama-server", script);
    write_program(&arena, folder, "llama-bench", script);
    assert_int_equal(setenv("LLAMA_ARG_CTX_SIZE", "99", 1), 0);
    assert_int_equal(setenv("LLAMA_ARG_N_PARALLEL", "2", 1), 0);
    assert_int_equal(setenv("LLAMA_KEPT", "kept", 1), 0);
    assert_ok(pp_engine_probe(&arena, &(pp_engine_options){.folder = folder}, &engine, &err), err);
    assert_string_equal(engine.server.version, "version: unset 0 kept");
    assert_string_equal(engine.bench.version, "version: unset 0 kept");
    (void)unsetenv("LLAMA_ARG_N_PARALLEL");
    (void)unsetenv("LLAMA_KEPT");
    remove_folder(folder);
    pp_arena_done(&arena);
}

/* What a plan gives stands in front of what we were started with, and is told. */
static void b178_given_variables_reach_the_programs_and_are_recorded(void **state)
{
    static const char script[] = "#!/bin/sh\n"
                                 "if [ \"$1\" = --version ]; then\n"
                                 "echo \"version: ${GIVEN-unset} ${LLAMA_KEPT-unset}\"\n"
                                 "else echo '--threads N'; fi\n";
    static const char *const variables[] = {"GIVEN=a=b", NULL};
    pp_arena arena = {0};
    pp_error err = {0};
    const char *folder = make_temp_folder(&arena);
    const pp_engine_options options = {
        .folder = folder, .server = "serve", .bench = "measure", .variables = variables};
    const pp_json *given;
    pp_engine engine;

    (void)state;
    write_program(&arena, folder, "serve", script);
    write_program(&arena, folder, "measure", script);
    assert_int_equal(setenv("GIVEN", "ours", 1), 0);
    assert_int_equal(setenv("LLAMA_KEPT", "kept", 1), 0);
    assert_ok(pp_engine_probe(&arena, &options, &engine, &err), err);
    assert_string_equal(engine.server.version, "version: a=b kept");
    assert_string_equal(engine.bench.version, "version: a=b kept");
    given = pp_json_find(pp_engine_encode(&arena, &engine), "environment");
    assert_int_equal(given->object.count, 1);
    assert_string_equal(pp_json_find(given, "GIVEN")->text.data, "a=b");
    (void)unsetenv("GIVEN");
    (void)unsetenv("LLAMA_KEPT");
    remove_folder(folder);
    pp_arena_done(&arena);
}

/* A server that finds LLAMA_API_KEY would refuse our requests; a key of somebody else's server is
 * no business of a program that we start. */
static void b145_programs_do_not_see_keys(void **state)
{
    static const char script[] = "#!/bin/sh\n"
                                 "if [ \"$1\" = --version ]; then\n"
                                 "echo \"version: ${LLAMA_API_KEY-unset} ${HF_TOKEN-unset} "
                                 "${MY_KEY-unset} ${MY_KEYS-unset}\"\n"
                                 "else echo '--threads N'; fi\n";
    static const char *const secrets[] = {"MY_KEY", NULL};
    static const char *const names[] = {"LLAMA_API_KEY", "HF_TOKEN", "MY_KEY", "MY_KEYS"};
    pp_arena arena = {0};
    pp_error err = {0};
    const char *folder = make_temp_folder(&arena);
    pp_engine engine;
    size_t count = 0;

    (void)state;
    write_program(&arena, folder, "llama-server", script);
    write_program(&arena, folder, "llama-bench", script);
    (void)unsetenv("LLAMA_ARG_CTX_SIZE");
    for (size_t i = 0; i < PP_COUNT_OF(names); i++)
        assert_int_equal(setenv(names[i], "sk-value", 1), 0);
    assert_ok(pp_engine_probe(&arena, &(pp_engine_options){.folder = folder, .secrets = secrets},
                              &engine, &err),
              err);
    assert_string_equal(engine.server.version, "version: unset unset unset sk-value");
    while (engine.cleared[count] != NULL)
        assert_null(strstr(engine.cleared[count++], "sk-value")); /* names only */
    assert_int_equal(count, 3);
    for (size_t i = 0; i < PP_COUNT_OF(names); i++)
        (void)unsetenv(names[i]);
    remove_folder(folder);
    pp_arena_done(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_no_llama_cpp_is_refused_with_what_it_said),
        cmocka_unit_test(b178_an_engine_tells_version_pin_and_the_variables_taken_out),
        cmocka_unit_test(b178_programs_do_not_see_the_variables_taken_out),
        cmocka_unit_test(b145_programs_do_not_see_keys),
        cmocka_unit_test(b178_given_variables_reach_the_programs_and_are_recorded),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
