/* Command lines of a candidate: made of settings, or as they stand in the plan. */
#include "study/command.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/files.h"

bool pp_study_is_verbatim(const pp_plan_candidate *candidate)
{
    return candidate->kind == PP_CANDIDATE_VERBATIM;
}

/* Lines that are given run where the plan stands, llama-bench perhaps in a folder of its own. */
static const char *bench_folder(pp_study *study, const pp_plan_candidate *candidate)
{
    if (candidate->working_directory.size == 0)
        return study->plan_folder;
    return pp_path_join(study->arena, study->plan_folder, candidate->working_directory.data);
}

pp_status pp_study_bench_command(pp_study *study, const pp_plan_candidate *candidate,
                                 pp_study_bench *ret_bench, pp_error *err)
{
    const pp_engine *engine = pp_study_engine(study, candidate);
    const pp_bench_work work = {
        .prompt_tokens = study->plan.throughput.prompt_tokens,
        .generation_tokens = study->plan.throughput.generation_tokens,
        .repetitions = study->plan.throughput.repetitions,
    };

    *ret_bench = (pp_study_bench){.environment = engine->environment};
    if (!pp_study_is_verbatim(candidate))
        return pp_argv_bench(study->arena, engine, pp_study_model_path(study, candidate),
                             &candidate->settings, &work, &ret_bench->argv, err);
    ret_bench->folder = bench_folder(study, candidate);
    return pp_argv_verbatim(study->arena, &candidate->throughput_argv, 0, &ret_bench->argv, err);
}

pp_server_options pp_study_server_options(pp_study *study, const pp_plan_candidate *candidate)
{
    pp_server_options options = {
        .engine = pp_study_engine(study, candidate),
        .model_path = pp_study_model_path(study, candidate),
        .start_timeout_ns = study->plan.deadlines.start_ms * PP_NS_PER_MS,
        .loop = study->loop,
        .stop = study->options->stop,
    };

    if (pp_study_is_verbatim(candidate)) {
        options.words = &candidate->server_argv;
        options.folder = study->plan_folder;
    } else {
        options.settings = &candidate->settings;
        options.further = &candidate->extra_arguments;
    }
    return options;
}

static void set_folder(pp_study *study, pp_json *object, const char *folder)
{
    if (folder != NULL)
        pp_json_set_string(study->arena, object, "working_directory", folder);
}

pp_json *pp_study_server_command(pp_study *study, const pp_plan_candidate *candidate,
                                 const pp_server *server)
{
    pp_arena *arena = study->arena;
    pp_json *object = pp_json_new_object(arena);

    pp_json_set(arena, object, "argv", pp_argv_encode(arena, pp_server_words(server)));
    pp_json_set_string(arena, object, "url", pp_server_url(server));
    pp_json_set_real(arena, object, "startup_ms", pp_server_startup_ms(server));
    pp_json_set(arena, object, "readback", pp_server_readback(server));
    set_folder(study, object, pp_study_is_verbatim(candidate) ? study->plan_folder : NULL);
    return object;
}

pp_json *pp_study_bench_document(pp_study *study, const pp_study_bench *bench)
{
    pp_json *object = pp_json_new_object(study->arena);

    pp_json_set(study->arena, object, "argv", pp_argv_encode(study->arena, &bench->argv));
    set_folder(study, object, bench->folder);
    return object;
}

/* ---- given lines against what the plan says beside them ----------------------------------------
 */

/* By file, not by name: a link to the program is the program. */
static pp_status check_same_file(pp_study *study, const char *folder, const char *word,
                                 const char *what, const char *want, pp_error *err)
{
    const char *path = pp_path_join(study->arena, folder, word);
    struct stat found;
    struct stat wanted;

    if (path == NULL)
        return pp_arena_check(study->arena, err);
    if (stat(path, &found) != 0)
        return pp_fail_errno(err, PP_ERR_IO, errno, "'%s' of the command line", path);
    if (stat(want, &wanted) != 0)
        return pp_fail_errno(err, PP_ERR_IO, errno, "'%s'", want);
    if (found.st_dev == wanted.st_dev && found.st_ino == wanted.st_ino)
        return PP_OK;
    return pp_fail(err, PP_ERR_DOMAIN, "the command line has '%s' as its %s; the plan says '%s'",
                   path, what, want);
}

static pp_status check_line(pp_study *study, const pp_plan_candidate *candidate,
                            const pp_plan_words *words, const char *folder, const char *program,
                            pp_error *err)
{
    const char *model = pp_words_option(words, "--model", "-m");
    pp_status st = check_same_file(study, folder, words->words[0].data, "program", program, err);

    if (st == PP_OK && model == NULL)
        return pp_fail(err, PP_ERR_DOMAIN,
                       "the command line of '%s' names no model: expected --model or -m",
                       words->words[0].data);
    if (st == PP_OK)
        st = check_same_file(study, folder, model, "model", pp_study_model_path(study, candidate),
                             err);
    return st;
}

static pp_status check_candidate(pp_study *study, const pp_plan_candidate *candidate, pp_error *err)
{
    const pp_engine *engine = pp_study_engine(study, candidate);
    const char *folder = bench_folder(study, candidate);
    pp_status st = folder == NULL ? pp_arena_check(study->arena, err)
                                  : check_line(study, candidate, &candidate->server_argv,
                                               study->plan_folder, engine->server.path, err);

    if (st == PP_OK && candidate->throughput_argv.count > 0)
        st = check_line(study, candidate, &candidate->throughput_argv, folder, engine->bench.path,
                        err);
    return pp_wrap(err, st, "candidate '%s'", candidate->id.data);
}

pp_status pp_study_check_lines(pp_study *study, pp_error *err)
{
    pp_status st = PP_OK;

    for (size_t i = 0; st == PP_OK && i < study->plan.candidate_count; i++) {
        if (pp_study_is_verbatim(&study->plan.candidates[i]))
            st = check_candidate(study, &study->plan.candidates[i], err);
    }
    return st;
}
