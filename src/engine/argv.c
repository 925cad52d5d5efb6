#include "engine/argv.h"

#include <string.h>

#define MAX_WORDS (96 + PP_STUDY_MAX_WORDS)

/* Grows a command line; the first flag that the build does not know stops it. */
typedef struct builder {
    pp_arena *arena;
    const pp_program *program;
    pp_argv argv;
    pp_status st;
    pp_error *err;
} builder;

static void add_word(builder *b, const char *word)
{
    PP_ASSERT(b->argv.count < MAX_WORDS);
    if (b->argv.words != NULL)
        b->argv.words[b->argv.count++] = word;
}

static void begin(builder *b)
{
    b->argv.words = PP_ARENA_NEW(b->arena, const char *, MAX_WORDS + 1);
    add_word(b, b->program->path);
}

static void add_flag(builder *b, const char *flag)
{
    if (b->st != PP_OK)
        return;
    if (!pp_program_knows(b->program, flag))
        b->st = pp_fail(b->err, PP_ERR_PEER, "'%s' (%s) does not know the option '%s'",
                        b->program->path, b->program->version, flag);
    add_word(b, flag);
}

static void add_text(builder *b, const char *flag, const char *value)
{
    add_flag(b, flag);
    add_word(b, value);
}

static void add_int(builder *b, const char *flag, int64_t value)
{
    add_text(b, flag, pp_arena_printf(b->arena, "%lld", (long long)value));
}

static pp_status finish(builder *b, pp_argv *ret_argv)
{
    if (b->st == PP_OK)
        b->st = pp_arena_check(b->arena, b->err);
    if (b->st == PP_OK)
        *ret_argv = b->argv;
    return b->st;
}

static void add_server_settings(builder *b, const pp_settings *s)
{
    add_int(b, "--threads", s->threads);
    add_int(b, "--threads-batch", s->threads_batch);
    add_int(b, "--ctx-size", s->context_size);
    add_int(b, "--batch-size", s->batch_size);
    add_int(b, "--ubatch-size", s->ubatch_size);
    add_int(b, "--parallel", s->parallel);
    add_flag(b, "--no-kv-unified"); /* each slot has its equal share of the context (F44) */
    add_int(b, "--poll", s->poll);
    add_text(b, "--cache-type-k", s->cache_type_k.data);
    add_text(b, "--cache-type-v", s->cache_type_v.data);
    add_text(b, "--flash-attn", s->flash_attention.data);
    add_text(b, "--load-mode", s->load_mode.data);
    add_flag(b, s->repack ? "--repack" : "--no-repack");
}

/* What is the same for all candidates: no device but the CPU, no hidden caches (F45, F46), nothing
 * that adapts to the machine behind our back, and a log that names the buffers. */
static void add_server_constants(builder *b, bool speculates)
{
    add_text(b, "--device", "none");
    add_int(b, "--gpu-layers", 0);
    add_text(b, "--fit", "off");
    add_int(b, "--cache-ram", 0);
    add_int(b, "--ctx-checkpoints", 0);
    add_int(b, "--cache-reuse", 0);
    add_flag(b, "--no-context-shift");
    add_flag(b, "--warmup");
    if (!speculates)
        add_text(b, "--spec-type", "none");
    add_int(b, "--sleep-idle-seconds", -1);
    add_flag(b, "--offline");
    add_flag(b, "--slots");
    add_flag(b, "--no-webui");
    add_int(b, "--log-verbosity", 4);
    add_text(b, "--log-colors", "off");
}

static bool has_word(const pp_plan_words *words, const char *word)
{
    for (size_t i = 0; words != NULL && i < words->count; i++) {
        if (pp_text_is(words->words[i], word))
            return true;
    }
    return false;
}

static bool is_flag(pp_text word)
{
    return word.size > 1 && word.data[0] == '-' && !(word.data[1] >= '0' && word.data[1] <= '9');
}

static void add_further(builder *b, const pp_plan_words *further)
{
    for (size_t i = 0; further != NULL && i < further->count; i++) {
        if (is_flag(further->words[i]))
            add_flag(b, further->words[i].data);
        else
            add_word(b, further->words[i].data);
    }
}

pp_status pp_argv_server(pp_arena *arena, const pp_engine *engine, const char *model_path,
                         const pp_settings *settings, const pp_plan_words *further, uint16_t port,
                         pp_argv *ret_argv, pp_error *err)
{
    builder b = {.arena = arena, .program = &engine->server, .err = err};

    begin(&b);
    add_text(&b, "--model", model_path);
    add_text(&b, "--host", "127.0.0.1");
    add_int(&b, "--port", port);
    add_server_settings(&b, settings);
    add_server_constants(&b, has_word(further, "--spec-type"));
    add_further(&b, further);
    return finish(&b, ret_argv);
}

/* The first spelling that this build knows: the names of these options have changed (E20). */
static pp_status add_known(const pp_program *program, const char *const *spellings,
                           const char *value, pp_plan_words *words, pp_error *err)
{
    for (const char *const *flag = spellings; *flag != NULL; flag++) {
        if (!pp_program_knows(program, *flag))
            continue;
        words->words[words->count++] = pp_text_of(*flag);
        words->words[words->count++] = pp_text_of(value);
        return PP_OK;
    }
    return pp_fail(err, PP_ERR_PEER, "'%s' (%s) does not know the option '%s'", program->path,
                   program->version, spellings[0]);
}

pp_status pp_argv_draft(pp_arena *arena, const pp_engine *engine, const pp_draft *draft,
                        pp_plan_words *ret_words, pp_error *err)
{
    static const char *const type[] = {"--spec-type", NULL};
    static const char *const model[] = {"--spec-draft-model", "--model-draft", NULL};
    static const char *const n_max[] = {"--spec-draft-n-max", "--draft-max", NULL};
    pp_plan_words words = {PP_ARENA_NEW(arena, pp_text, 6), 0};
    const char *count = pp_arena_printf(arena, "%lld", (long long)draft->n_max);
    pp_status st = pp_arena_check(arena, err);

    if (st == PP_OK)
        st = add_known(&engine->server, type, draft->type, &words, err);
    if (st == PP_OK && draft->model_path != NULL)
        st = add_known(&engine->server, model, draft->model_path, &words, err);
    if (st == PP_OK && draft->n_max > 0)
        st = add_known(&engine->server, n_max, count, &words, err);
    if (st == PP_OK)
        *ret_words = words;
    return st;
}

pp_status pp_argv_verbatim(pp_arena *arena, const pp_plan_words *words, uint16_t port,
                           pp_argv *ret_argv, pp_error *err)
{
    pp_argv argv = {PP_ARENA_NEW(arena, const char *, words->count + 1), 0};

    for (size_t i = 0; argv.words != NULL && i < words->count; i++)
        argv.words[argv.count++] = pp_text_is(words->words[i], "{port}")
                                       ? pp_arena_printf(arena, "%u", port)
                                       : words->words[i].data;
    *ret_argv = argv;
    return pp_arena_check(arena, err);
}

const char *const *pp_plan_engine_variables(pp_arena *arena, const pp_plan_engine *engine)
{
    const char **list = PP_ARENA_NEW(arena, const char *, engine->environment_count + 1);

    for (size_t i = 0; list != NULL && i < engine->environment_count; i++)
        list[i] = pp_arena_printf(arena, "%s=%s", engine->environment[i].name.data,
                                  engine->environment[i].value.data);
    return list;
}

const char *pp_words_option(const pp_plan_words *words, const char *long_name,
                            const char *short_name)
{
    for (size_t i = 1; i + 1 < words->count; i++) {
        if (pp_text_is(words->words[i], long_name) ||
            (short_name != NULL && pp_text_is(words->words[i], short_name)))
            return words->words[i + 1].data;
    }
    return NULL;
}

pp_status pp_argv_bench(pp_arena *arena, const pp_engine *engine, const char *model_path,
                        const pp_settings *settings, const pp_bench_work *work, pp_argv *ret_argv,
                        pp_error *err)
{
    builder b = {.arena = arena, .program = &engine->bench, .err = err};

    begin(&b);
    add_text(&b, "--model", model_path);
    add_int(&b, "--n-prompt", work->prompt_tokens);
    add_int(&b, "--n-gen", work->generation_tokens);
    add_int(&b, "--repetitions", work->repetitions);
    add_int(&b, "--n-depth", 0);
    add_int(&b, "--threads", settings->threads);
    add_int(&b, "--batch-size", settings->batch_size);
    add_int(&b, "--ubatch-size", settings->ubatch_size);
    add_int(&b, "--poll", settings->poll);
    add_text(&b, "--cache-type-k", settings->cache_type_k.data);
    add_text(&b, "--cache-type-v", settings->cache_type_v.data);
    add_text(&b, "--flash-attn", settings->flash_attention.data);
    add_text(&b, "--load-mode", settings->load_mode.data);
    add_int(&b, "--repack", settings->repack ? 1 : 0);
    add_text(&b, "--device", "none");
    add_int(&b, "--n-gpu-layers", 0);
    add_int(&b, "--no-op-offload", 1);
    add_flag(&b, "--offline");
    add_flag(&b, "--verbose"); /* the buffers are named on standard error */
    add_text(&b, "--output", "jsonl");
    return finish(&b, ret_argv);
}

pp_json *pp_argv_encode(pp_arena *arena, const pp_argv *argv)
{
    pp_json *array = pp_json_new_array(arena);

    for (size_t i = 0; i < argv->count; i++)
        pp_json_add(arena, array, pp_json_new_string(arena, argv->words[i]));
    return array;
}

static bool is_bare(const char *word)
{
    static const char bare[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
                               "_@%+=:,./-";

    return word[0] != '\0' && word[strspn(word, bare)] == '\0';
}

static void append_quoted(const char *word, pp_buf *out)
{
    pp_buf_append_char(out, '\'');
    for (const char *at = word; *at != '\0'; at++) {
        if (*at == '\'')
            pp_buf_append_text(out, "'\"'\"'");
        else
            pp_buf_append_char(out, *at);
    }
    pp_buf_append_char(out, '\'');
}

void pp_argv_shell_line(const pp_argv *argv, pp_buf *out)
{
    for (size_t i = 0; i < argv->count; i++) {
        if (i > 0)
            pp_buf_append_char(out, ' ');
        if (is_bare(argv->words[i]))
            pp_buf_append_text(out, argv->words[i]);
        else
            append_quoted(argv->words[i], out);
    }
}
