/* argv.h - command lines of llama-server and llama-bench for given settings.
 *
 * Every setting that changes speed or memory is passed; nothing is left to a default (F44-F55). */
#ifndef PP_ENGINE_ARGV_H
#define PP_ENGINE_ARGV_H

#include "engine/probe.h"
#include "model/settings.h"
#include "model/study_plan.h"

typedef struct pp_argv {
    const char **words; /* NULL at the end; in the arena */
    size_t count;
} pp_argv;

/** llama-server on 127.0.0.1:port, with further words at the end. Without --spec-type among them
 * speculation is off. Fails with PP_ERR_PEER when the build does not know a flag. */
PP_MUST_CHECK pp_status pp_argv_server(pp_arena *arena, const pp_engine *engine,
                                       const char *model_path, const pp_settings *settings,
                                       const pp_plan_words *further, uint16_t port,
                                       pp_argv *ret_argv, pp_error *err);

typedef struct pp_draft {
    const char *type;       /* of --spec-type: "draft-simple", ... */
    const char *model_path; /* NULL for a type that needs none */
    int64_t n_max;          /* tokens per draft; 0: not said */
} pp_draft;

/** Further words that switch speculation on, in the spelling of this build (E20). Fails with
 * PP_ERR_PEER when it knows none. */
PP_MUST_CHECK pp_status pp_argv_draft(pp_arena *arena, const pp_engine *engine,
                                      const pp_draft *draft, pp_plan_words *ret_words,
                                      pp_error *err);

/** Words as they stand in a plan, "{port}" replaced. The build is not asked what it knows. */
PP_MUST_CHECK pp_status pp_argv_verbatim(pp_arena *arena, const pp_plan_words *words, uint16_t port,
                                         pp_argv *ret_argv, pp_error *err);

/** "NAME=value" of a plan's engine, for pp_engine_options; NULL at the end, and when memory is
 * short. */
const char *const *pp_plan_engine_variables(pp_arena *arena, const pp_plan_engine *engine);

/** The value behind the first of an option's two spellings; NULL when the line has none. */
const char *pp_words_option(const pp_plan_words *words, const char *long_name,
                            const char *short_name);

typedef struct pp_bench_work {
    int64_t prompt_tokens;
    int64_t generation_tokens;
    int64_t repetitions;
} pp_bench_work;

/** llama-bench with JSON lines on standard output. */
PP_MUST_CHECK pp_status pp_argv_bench(pp_arena *arena, const pp_engine *engine,
                                      const char *model_path, const pp_settings *settings,
                                      const pp_bench_work *work, pp_argv *ret_argv, pp_error *err);

/** As an array of strings. */
pp_json *pp_argv_encode(pp_arena *arena, const pp_argv *argv);

/** One line for a shell: words of [A-Za-z0-9_@%+=:,./-] stay bare, others are quoted. */
void pp_argv_shell_line(const pp_argv *argv, pp_buf *out);

#endif
