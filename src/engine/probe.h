/* probe.h - a llama.cpp installation: where it is, which build, which flags it knows.
 *
 * An engine is a folder with llama-server and llama-bench. Both are asked for --version and --help
 * before use, because flags and defaults change between builds; a flag that the build does not know
 * is refused by name before anything is measured. */
#ifndef PP_ENGINE_PROBE_H
#define PP_ENGINE_PROBE_H

#include "base/arena.h"
#include "digest/sha256.h"
#include "json/json.h"

typedef struct pp_program {
    const char *path;
    const char *version; /* what --version printed, trimmed, one line: "version: 11669 (...)" */
    const char *help;    /* what --help printed */
    char sha256[PP_SHA256_HEX_SIZE]; /* of the file at `path`, which may be a wrapper */
} pp_program;

/* Which programs of which folder, and what they find in their environment. */
typedef struct pp_engine_options {
    const char *folder;
    const char *server; /* paths within the folder; NULL: llama-server, llama-bench */
    const char *bench;
    bool server_only;             /* llama-bench is not looked for; `bench` stays empty */
    const char *const *variables; /* "NAME=value" beside ours and before ours; NULL at the end;
                                     may be NULL */
    const char *const *secrets;   /* names of variables of ours that no program needs; NULL at the
                                     end; may be NULL */
} pp_engine_options;

typedef struct pp_engine {
    const char *folder;
    pp_program server;
    pp_program bench;
    const char *pin; /* "pinned" or "unpinned" as tools/llama.sh left it; NULL when unknown */
    const char *const *environment; /* ours without LLAMA_ARG_* and secrets, and the given ones;
                                       NULL at the end */
    const char *const *variables;   /* the given ones; NULL at the end */
    const char *const *cleared;     /* names of the variables taken out; NULL at the end */
} pp_engine;

/**
 * The folder to use: `folder` when not NULL, else PARETOPILOT_LLAMA_DIR, else where llama-server
 * stands on PATH. Fails with PP_ERR_UNAVAILABLE when there is none.
 */
PP_MUST_CHECK pp_status pp_engine_find(pp_arena *arena, const char *folder, const char **ret_folder,
                                       pp_error *err);

/**
 * Ask both programs. Everything lives in the arena; texts of the options are borrowed.
 * Fails with PP_ERR_IO when a program is missing or cannot start, PP_ERR_PEER when it does not
 * answer
 * --version or --help as llama.cpp does; the program, what was found and what was expected are
 * named.
 */
PP_MUST_CHECK pp_status pp_engine_probe(pp_arena *arena, const pp_engine_options *options,
                                        pp_engine *ret_engine, pp_error *err);

/** Whether "NAME=value" is a key that programs which we start do not need: one of `names` (NULL at
 * the end; may be NULL), or one that llama.cpp looks for by itself. */
bool pp_variable_is_secret(const char *variable, const char *const *names);

/** Does the help text name this flag ("--ctx-size") as a word of its own? */
bool pp_program_knows(const pp_program *program, const char *flag);

/** {folder, pin, server {path, version, sha256}, bench {...}, cleared_environment [...],
 * environment {...}}. */
pp_json *pp_engine_encode(pp_arena *arena, const pp_engine *engine);

#endif
