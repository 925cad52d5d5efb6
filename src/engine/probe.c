#include "engine/probe.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/files.h"
#include "proc/capture.h"

#define PROBE_SECONDS   60
#define PROBE_MAX_BYTES ((size_t)1 << 20) /* a help page has 60 KiB */
#define CLEARED_PREFIX  "LLAMA_ARG_"
#define PIN_MAX_BYTES   64

extern char **environ;

/* ---- finding --------------------------------------------------------------------------------- */

static bool is_executable(pp_arena *arena, const char *folder, const char *name)
{
    const char *path = pp_path_join(arena, folder, name);

    return path != NULL && access(path, X_OK) == 0 && !pp_path_is_folder(path);
}

/* The folder of PATH that holds llama-server; NULL when none does. */
static const char *search_path(pp_arena *arena)
{
    const char *list = getenv("PATH");

    while (list != NULL && *list != '\0') {
        size_t size = strcspn(list, ":");
        const char *folder = pp_arena_dup(arena, list, size);

        if (size > 0 && folder != NULL && is_executable(arena, folder, "llama-server"))
            return folder;
        list += size + (list[size] == ':' ? 1 : 0);
    }
    return NULL;
}

pp_status pp_engine_find(pp_arena *arena, const char *folder, const char **ret_folder,
                         pp_error *err)
{
    if (folder == NULL)
        folder = getenv("PARETOPILOT_LLAMA_DIR");
    if (folder == NULL || folder[0] == '\0')
        folder = search_path(arena);
    if (folder == NULL)
        return pp_fail(err, PP_ERR_UNAVAILABLE,
                       "no llama.cpp found: give --llama-dir, set PARETOPILOT_LLAMA_DIR, put "
                       "llama-server on PATH, or run tools/llama.sh, which fetches it");
    *ret_folder = folder;
    return PP_OK;
}

/* ---- environment ------------------------------------------------------------------------------
 */

static bool is_given(const pp_engine *engine, const char *variable)
{
    const size_t name_size = strcspn(variable, "=") + 1;

    for (const char *const *given = engine->variables; *given != NULL; given++) {
        if (strncmp(*given, variable, name_size) == 0)
            return true;
    }
    return false;
}

/* A server that finds the first demands it of every request; the second opens other people's
 * models. Neither is for what is measured here. */
static const char *const known_secrets[] = {"LLAMA_API_KEY", "HF_TOKEN", NULL};

static bool is_named(const char *variable, const char *const *names)
{
    for (; names != NULL && *names != NULL; names++) {
        const size_t size = strlen(*names);

        if (strncmp(*names, variable, size) == 0 && variable[size] == '=')
            return true;
    }
    return false;
}

bool pp_variable_is_secret(const char *variable, const char *const *names)
{
    return is_named(variable, known_secrets) || is_named(variable, names);
}

/* LLAMA_ARG_* change settings behind the command line (F55). */
static bool is_kept_from(const char *variable, const char *const *secrets)
{
    return strncmp(variable, CLEARED_PREFIX, sizeof CLEARED_PREFIX - 1) == 0 ||
           pp_variable_is_secret(variable, secrets);
}

static void split_environment(pp_arena *arena, const char *const *secrets, pp_engine *engine)
{
    size_t count = 0;
    size_t given_count = 0;
    size_t kept_count = 0;
    size_t cleared_count = 0;
    const char **kept;
    const char **cleared;

    while (environ[count] != NULL)
        count++;
    while (engine->variables[given_count] != NULL)
        given_count++;
    kept = PP_ARENA_NEW(arena, const char *, count + given_count + 1);
    cleared = PP_ARENA_NEW(arena, const char *, count + 1);
    for (size_t i = 0; kept != NULL && cleared != NULL && i < count; i++) {
        if (is_kept_from(environ[i], secrets))
            cleared[cleared_count++] = pp_arena_dup(arena, environ[i], strcspn(environ[i], "="));
        else if (!is_given(engine, environ[i]))
            kept[kept_count++] = environ[i];
    }
    for (size_t i = 0; kept != NULL && i < given_count; i++)
        kept[kept_count++] = engine->variables[i];
    engine->environment = kept;
    engine->cleared = cleared;
}

/* ---- asking -----------------------------------------------------------------------------------
 */

/* The first line that begins with "version:", trimmed; NULL when there is none. */
static const char *find_version_line(pp_arena *arena, const char *text)
{
    const char *line = text;

    while (line != NULL && strncmp(line, "version:", 8) != 0) {
        line = strchr(line, '\n');
        line = line == NULL ? NULL : line + 1;
    }
    return line == NULL ? NULL : pp_arena_dup(arena, line, strcspn(line, "\r\n"));
}

static pp_status ask(const pp_engine *engine, const char *path, const char *question,
                     pp_buf *output, pp_error *err)
{
    const char *const argv[] = {path, question, NULL};
    pp_child_exit ended;
    char how[64];
    pp_status st = pp_capture(argv, engine->environment,
                              pp_clock_now_ns() + PROBE_SECONDS * PP_NS_PER_S, output, &ended, err);

    if (st == PP_OK && (ended.by_signal || ended.code != 0))
        st = pp_fail(err, PP_ERR_PEER, "expected exit code 0, got %s; it said: %.200s",
                     pp_child_exit_text(&ended, how), pp_buf_text(output));
    return pp_wrap(err, st, "'%s %s'", path, question);
}

static pp_status ask_version(pp_arena *arena, const pp_engine *engine, pp_program *program,
                             pp_error *err)
{
    pp_buf output;
    pp_status st;

    pp_buf_init(&output, PROBE_MAX_BYTES);
    st = ask(engine, program->path, "--version", &output, err);
    if (st == PP_OK) {
        program->version = find_version_line(arena, pp_buf_text(&output));
        if (program->version == NULL)
            st = pp_fail(err, PP_ERR_PEER,
                         "'%s --version': expected a line 'version: ...', got: %.200s",
                         program->path, output.size == 0 ? "nothing" : pp_buf_text(&output));
    }
    pp_buf_done(&output);
    return st;
}

static pp_status ask_help(pp_arena *arena, const pp_engine *engine, pp_program *program,
                          pp_error *err)
{
    pp_buf output;
    pp_status st;

    pp_buf_init(&output, PROBE_MAX_BYTES);
    st = ask(engine, program->path, "--help", &output, err);
    if (st == PP_OK) {
        program->help = pp_arena_dup(arena, pp_buf_text(&output), output.size);
        if (program->help == NULL)
            st = pp_arena_check(arena, err);
        else if (!pp_program_knows(program, "--threads"))
            st = pp_fail(err, PP_ERR_PEER,
                         "'%s --help': expected the options of llama.cpp, got no '--threads'",
                         program->path);
    }
    pp_buf_done(&output);
    return st;
}

static pp_status probe_program(pp_arena *arena, const pp_engine *engine, const char *name,
                               pp_program *program, pp_error *err)
{
    pp_status st;

    if (!is_executable(arena, engine->folder, name))
        return pp_fail(err, PP_ERR_IO, "'%s': expected an executable '%s' in it", engine->folder,
                       name);
    program->path = pp_path_join(arena, engine->folder, name);
    st = pp_arena_check(arena, err);
    if (st == PP_OK)
        st = ask_version(arena, engine, program, err);
    if (st == PP_OK)
        st = ask_help(arena, engine, program, err);
    if (st == PP_OK)
        st = pp_sha256_file(program->path, program->sha256, NULL, err);
    return st;
}

static void read_pin(pp_arena *arena, pp_engine *engine)
{
    const char *path = pp_path_join(arena, engine->folder, "PIN");
    pp_buf text;

    pp_buf_init(&text, PIN_MAX_BYTES);
    if (path != NULL && pp_path_exists(path) && pp_file_read(path, &text, NULL) == PP_OK)
        engine->pin = pp_arena_dup(arena, pp_buf_text(&text), strcspn(pp_buf_text(&text), "\r\n"));
    pp_buf_done(&text);
}

static const char *or_else(const char *name, const char *standard)
{
    return name != NULL ? name : standard;
}

pp_status pp_engine_probe(pp_arena *arena, const pp_engine_options *options, pp_engine *ret_engine,
                          pp_error *err)
{
    static const char *const none[] = {NULL};
    pp_engine engine = {.folder = options->folder,
                        .variables = options->variables != NULL ? options->variables : none};
    pp_status st;

    if (!pp_path_is_folder(engine.folder))
        return pp_fail(err, PP_ERR_IO, "llama.cpp folder '%s': expected a folder", engine.folder);
    split_environment(arena, options->secrets, &engine);
    st = pp_arena_check(arena, err);
    if (st == PP_OK)
        st = probe_program(arena, &engine, or_else(options->server, "llama-server"), &engine.server,
                           err);
    if (st == PP_OK && !options->server_only)
        st = probe_program(arena, &engine, or_else(options->bench, "llama-bench"), &engine.bench,
                           err);
    if (st == PP_OK)
        read_pin(arena, &engine);
    if (st == PP_OK)
        *ret_engine = engine;
    return pp_wrap(err, st, "probing llama.cpp");
}

bool pp_program_knows(const pp_program *program, const char *flag)
{
    size_t size = strlen(flag);

    for (const char *at = strstr(program->help, flag); at != NULL; at = strstr(at + 1, flag)) {
        char before = at == program->help ? ' ' : at[-1];
        char after = at[size];

        if (strchr(" ,\n\t", before) != NULL && strchr(" ,\n\t\r", after) != NULL)
            return true; /* strchr finds the NUL at the end of the help, too */
    }
    return false;
}

static pp_json *encode_program(pp_arena *arena, const pp_program *program)
{
    pp_json *object = pp_json_new_object(arena);

    pp_json_set_string(arena, object, "path", program->path);
    pp_json_set_string(arena, object, "version", program->version);
    pp_json_set_string(arena, object, "sha256", program->sha256);
    return object;
}

/* "NAME=value" becomes a member. */
static pp_json *encode_variables(pp_arena *arena, const pp_engine *engine)
{
    pp_json *object = pp_json_new_object(arena);

    for (const char *const *at = engine->variables; *at != NULL; at++) {
        const size_t name_size = strcspn(*at, "=");
        const char *name = pp_arena_dup(arena, *at, name_size);

        if (name != NULL)
            pp_json_set_string(arena, object, name, *at + name_size + 1);
    }
    return object;
}

pp_json *pp_engine_encode(pp_arena *arena, const pp_engine *engine)
{
    pp_json *object = pp_json_new_object(arena);
    pp_json *cleared = pp_json_new_array(arena);

    for (size_t i = 0; engine->cleared[i] != NULL; i++)
        pp_json_add(arena, cleared, pp_json_new_string(arena, engine->cleared[i]));
    pp_json_set_string(arena, object, "folder", engine->folder);
    pp_json_set_string(arena, object, "pin", engine->pin);
    pp_json_set(arena, object, "server", encode_program(arena, &engine->server));
    pp_json_set(arena, object, "bench", encode_program(arena, &engine->bench));
    pp_json_set(arena, object, "cleared_environment", cleared);
    pp_json_set(arena, object, "environment", encode_variables(arena, engine));
    return object;
}
