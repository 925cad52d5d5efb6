#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/units.h"
#include "cli/inputs.h"
#include "engine/synth.h"
#include "json/json.h"

#define PROGRESS_EVERY_NS (PP_NS_PER_S / 5)

static const pp_option options[] = {
    {"shape", 0, "SHAPE", NULL, "dimensions to write; see the list above", false, false},
    {"table", 0, "FILE", NULL, "the next-token table to write (docs/formats/model-table.md)", false,
     false},
    {"type", 0, "TYPE", NULL, "f16, q8_0 or q4_0", true, false},
    {"output", 'o', "FILE", NULL, "the new file", true, false},
    {"seed", 0, "N", "1", "chooses the weights of a shape, 0 to 2^53", false, false},
    {"json", 0, NULL, NULL, "print a document instead of a line", false, false},
    {"quiet", 0, NULL, NULL, "no progress on a terminal", false, false},
};

static volatile sig_atomic_t stop_signal;

static void note_signal(int number)
{
    stop_signal = number;
}

static pp_status find_shape(const char *name, const pp_shape **ret_shape, pp_error *err)
{
    char names[256] = "";
    size_t count;
    const pp_shape *list = pp_shape_list(&count);

    *ret_shape = pp_shape_find(name);
    if (*ret_shape != NULL)
        return PP_OK;
    for (size_t i = 0; i < count; i++) {
        size_t used = strlen(names);

        (void)snprintf(names + used, sizeof names - used, "%s%s", i == 0 ? "" : ", ", list[i].name);
    }
    return pp_fail(err, PP_ERR_USAGE, "unknown shape '%s'; expected one of %s", name, names);
}

typedef struct progress {
    bool shown;
    int64_t start_ns;
    int64_t next_ns;
} progress;

static bool show_progress(void *context, int64_t done, int64_t all)
{
    progress *p = context;
    int64_t now_ns = pp_clock_now_ns();

    if (p->shown && now_ns >= p->next_ns) {
        double elapsed_s = (double)(now_ns - p->start_ns) / (double)PP_NS_PER_S;
        double share = (double)done / (double)all;

        fprintf(stderr, "\r%3.0f %%  %.1f s of about %.1f s ", 100 * share, elapsed_s,
                elapsed_s / share);
        p->next_ns = now_ns + PROGRESS_EVERY_NS;
    }
    return stop_signal == 0;
}

static double seconds_of(int64_t ns)
{
    return (double)ns / (double)PP_NS_PER_S;
}

static double weights_per_second(const pp_synth_result *r)
{
    return (double)r->parameter_count / seconds_of(r->synthesis_ns > 0 ? r->synthesis_ns : 1);
}

static void print_line(const char *path, const pp_synth_result *r)
{
    char shown[512];

    pp_text_escape_controls(path, strlen(path), shown, sizeof shown);
    printf("%s: %" PRId64 " parameters, %" PRId64 " bytes, SHA-256 %s, %.4g M weights/s\n", shown,
           r->parameter_count, r->size_bytes, r->sha256, weights_per_second(r) / 1e6);
}

static pp_status print_json(const char *path, const pp_synth_request *request,
                            const pp_synth_result *r, pp_error *err)
{
    pp_arena arena = {0};
    pp_json *doc = pp_json_new_object(&arena);
    pp_status st;

    pp_json_set_string(&arena, doc, "schema_version", "1.0");
    pp_json_set_string(&arena, doc, "document", "model-synth");
    pp_json_set_string(&arena, doc, "path", path);
    if (request->table != NULL)
        pp_json_set_text(&arena, doc, "table", request->table->name);
    else
        pp_json_set_string(&arena, doc, "shape", request->shape->name);
    pp_json_set_string(&arena, doc, "type", pp_synth_type_name(request->type));
    if (request->table == NULL)
        pp_json_set_int(&arena, doc, "seed", (int64_t)request->seed);
    pp_json_set_int(&arena, doc, "parameter_count", r->parameter_count);
    pp_json_set_int(&arena, doc, "size_bytes", r->size_bytes);
    pp_json_set_string(&arena, doc, "sha256", r->sha256);
    pp_json_set_real(&arena, doc, "synthesis_seconds", seconds_of(r->synthesis_ns));
    pp_json_set_real(&arena, doc, "digest_seconds", seconds_of(r->digest_ns));
    pp_json_set_real(&arena, doc, "commit_seconds", seconds_of(r->commit_ns));
    pp_json_set_real(&arena, doc, "weights_per_second", weights_per_second(r));
    st = pp_print_json(doc, err);
    pp_arena_done(&arena);
    return st;
}

/* A half-written model of gigabytes must not stay behind when somebody presses Ctrl-C. */
static void catch_signals(void)
{
    struct sigaction action = {0};

    action.sa_handler = note_signal;
    (void)sigaction(SIGINT, &action, NULL);  /* cannot fail for these numbers */
    (void)sigaction(SIGTERM, &action, NULL); /* the same */
}

static pp_status parse_shape(const pp_args *args, pp_synth_request *request, pp_error *err)
{
    const char *seed_text = pp_args_value(args, "seed");
    int64_t seed = 1;
    pp_status st = find_shape(pp_args_value(args, "shape"), &request->shape, err);

    if (st == PP_OK && seed_text != NULL)
        st = pp_parse_int(seed_text, "--seed", 0, (int64_t)1 << 53, &seed, err);
    request->seed = (uint64_t)seed;
    return st;
}

static pp_status parse_table(pp_arena *arena, const pp_args *args, pp_model_table *table,
                             pp_synth_request *request, pp_error *err)
{
    if (pp_args_has(args, "seed"))
        return pp_fail(err, PP_ERR_USAGE,
                       "--seed is for the random weights of --shape; a table has none");
    request->table = table;
    return pp_model_table_load(arena, pp_args_value(args, "table"), table, err);
}

static pp_status parse(pp_arena *arena, const pp_args *args, pp_model_table *table,
                       pp_synth_request *request, pp_error *err)
{
    bool by_shape = pp_args_has(args, "shape");
    bool by_table = pp_args_has(args, "table");
    pp_status st;

    if (by_shape == by_table)
        st = pp_fail(err, PP_ERR_USAGE, "expected exactly one of --shape and --table, got %s",
                     by_shape ? "both" : "neither");
    else
        st = pp_synth_type_parse(pp_args_value(args, "type"), &request->type, err);
    if (st == PP_OK)
        st = by_shape ? parse_shape(args, request, err)
                      : parse_table(arena, args, table, request, err);
    return pp_wrap(err, st, "model synth");
}

static pp_status write_model(const pp_args *args, pp_arena *arena, pp_exit *ret_exit, pp_error *err)
{
    const char *path = pp_args_value(args, "output");
    progress p = {.start_ns = pp_clock_now_ns(),
                  .shown = isatty(STDERR_FILENO) == 1 && !pp_args_has(args, "quiet")};
    pp_synth_request request = {.progress = show_progress, .context = &p};
    pp_model_table table;
    pp_synth_result result;
    pp_status st = parse(arena, args, &table, &request, err);

    if (st != PP_OK)
        return st;
    catch_signals();
    st = pp_synth_write(path, &request, &result, err);
    if (p.shown)
        fprintf(stderr, "\r%40s\r", "");
    if (st == PP_ERR_INTERRUPTED && stop_signal == SIGTERM)
        *ret_exit = PP_EXIT_TERMINATED;
    if (st != PP_OK)
        return st;
    if (pp_args_has(args, "json"))
        return print_json(path, &request, &result, err);
    print_line(path, &result);
    return PP_OK;
}

static pp_status run(const pp_args *args, pp_exit *ret_exit, pp_error *err)
{
    pp_arena arena = {0};
    pp_status st = write_model(args, &arena, ret_exit, err);

    pp_arena_done(&arena);
    return st;
}

const pp_command pp_command_model_synth = {
    .group = "Measure",
    .name = "model synth",
    .positionals = "",
    .options = options,
    .n_options = PP_COUNT_OF(options),
    .summary = "write a model of a known shape, or of known answers",
    .detail =
        "--shape writes a GGUF file with random weights and a made-up vocabulary. It is as fast\n"
        "and as large as the real model of that shape; what it answers means nothing.\n\n"
        "--table writes a GGUF file whose next-token probabilities are those of a table, so that\n"
        "the answers of a real server can be computed beforehand.\n\n"
        "shapes: tiny, qwen2.5-0.5b, llama-3.2-1b, qwen2.5-1.5b, qwen2.5-3b, llama-3.2-3b,\n"
        "        qwen2.5-7b, llama-3.1-8b\n",
    .example = "paretopilot model synth --shape tiny --type q8_0 -o tiny-q8_0.gguf",
    .run = run,
};
