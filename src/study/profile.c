/* A command beside each server, when everything is measured: a profiler, a trace, a look into
 * /proc. Its files lie below context/, and no figure comes from that run: it is no step of the
 * study. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/files.h"
#include "evidence/checksums.h"
#include "evidence/layout.h"
#include "study/target.h"

#define INTERRUPT_GRACE_NS (10 * PP_NS_PER_S)
#define TERMINATE_GRACE_NS (5 * PP_NS_PER_S)

extern char **environ;

typedef struct profile_run {
    pp_study *study;
    const pp_plan_candidate *candidate;
    const char *folder;
    pp_study_target target;
    pp_load_source *source;
    pp_load_run load;
    pp_child *command;
    int64_t started_unix_ms;
    bool has_ended; /* the command did run */
    pp_child_exit ended;
} profile_run;

pp_status pp_study_check_profile(const pp_study *study, pp_error *err)
{
    const char *command = study->options->profile_command;

    if (command == NULL)
        return PP_OK;
    if (pp_text_strip(pp_text_of(command)).size == 0)
        return pp_fail(err, PP_ERR_USAGE, "--profile: expected a shell command, got '%s'", command);
    if (!pp_utf8_is_valid(command, strlen(command)))
        return pp_fail(err, PP_ERR_USAGE, "--profile: the command is not UTF-8, and is recorded");
    if (!study->plan.has_requests)
        return pp_fail(err, PP_ERR_DOMAIN,
                       "plan '%s': --profile runs beside requests: expected $.requests, which it "
                       "does not have",
                       study->options->plan_path);
    return PP_OK;
}

static char *path_of(const profile_run *run, const char *pattern)
{
    return pp_bundle_fill(run->study->arena, run->study->folder, pattern, run->candidate->id.data,
                          0);
}

/* ---- the command -------------------------------------------------------------------------------
 */

static bool is_ours(const char *variable)
{
    static const char *const names[] = {"PP_PID=", "PP_URL=", "PP_CANDIDATE=", "PP_OUTPUT="};

    for (size_t i = 0; i < PP_COUNT_OF(names); i++) {
        if (strncmp(variable, names[i], strlen(names[i])) == 0)
            return true;
    }
    return false;
}

/* Ours without keys, with four more. */
static const char *const *environment_of(const profile_run *run, const char *output)
{
    pp_arena *arena = run->study->arena;
    const char *const *keys = pp_study_key_variables(run->study);
    const char **variables;
    size_t count = 0;

    while (environ[count] != NULL)
        count++;
    variables = PP_ARENA_NEW(arena, const char *, count + 5);
    if (variables == NULL || keys == NULL)
        return NULL;
    count = 0;
    for (char **from = environ; *from != NULL; from++) {
        if (!is_ours(*from) && !pp_variable_is_secret(*from, keys))
            variables[count++] = *from;
    }
    variables[count++] = pp_arena_printf(arena, "PP_PID=%ld", (long)run->target.pid);
    variables[count++] = pp_arena_printf(arena, "PP_URL=%s", run->target.url);
    variables[count++] = pp_arena_printf(arena, "PP_CANDIDATE=%s", run->candidate->id.data);
    variables[count++] = pp_arena_printf(arena, "PP_OUTPUT=%s", output);
    variables[count] = NULL;
    return variables;
}

static pp_status start_command(profile_run *run, pp_error *err)
{
    const char *argv[] = {"/bin/sh", "-c", run->study->options->profile_command, NULL};
    char *output = realpath(run->folder, NULL);
    pp_child_options options = {.argv = argv};
    pp_status st;

    if (output == NULL)
        return pp_fail_errno(err, PP_ERR_IO, errno, "'%s'", run->folder);
    options.environment = environment_of(run, output);
    options.stdout_path = path_of(run, PP_BUNDLE_PROFILE_STDOUT);
    options.stderr_path = path_of(run, PP_BUNDLE_PROFILE_STDERR);
    free(output);
    st = pp_arena_check(run->study->arena, err);
    return st == PP_OK ? pp_child_start(&options, &run->command, err) : st;
}

/* While its server still runs: what it collects may need it. */
static void end_command(profile_run *run)
{
    if (run->command == NULL)
        return;
    pp_child_interrupt(run->command, INTERRUPT_GRACE_NS, TERMINATE_GRACE_NS, &run->ended);
    run->has_ended = true;
    pp_child_free(run->command);
    run->command = NULL;
}

/* A signal that we sent, also where the shell makes a code of it, is a good end. */
static pp_status check_end(const profile_run *run, pp_error *err)
{
    const pp_child_exit *ended = &run->ended;
    const int number = ended->by_signal ? ended->code : ended->code - 128;
    char text[64];

    if ((!ended->by_signal && ended->code == 0) || number == SIGINT || number == SIGTERM)
        return PP_OK;
    return pp_fail(err, PP_ERR_PEER, "the command ended with %s", pp_child_exit_text(ended, text));
}

/* A link, a socket or an unreadable file has no checksum, and one would spoil the whole bundle. */
static pp_status check_files(const profile_run *run, pp_error *err)
{
    pp_study *study = run->study;
    const char *const *paths = NULL;
    size_t count = 0;
    pp_status st = pp_bundle_list(study->arena, study->folder, &paths, &count, err);

    if (st == PP_OK && pp_path_exists(path_of(run, PP_BUNDLE_PROFILE_RUN)))
        return pp_fail(err, PP_ERR_PEER, "the command wrote profile.json, which is not its own");
    for (size_t i = 0; st == PP_OK && i < count; i++) {
        const char *path = pp_path_join(study->arena, study->folder, paths[i]);

        if (path == NULL)
            return pp_arena_check(study->arena, err);
        if (access(path, R_OK) != 0)
            st = pp_fail_errno(err, PP_ERR_IO, errno, "cannot read '%s'", path);
    }
    return st;
}

/* ---- one run -----------------------------------------------------------------------------------
 */

static pp_status send_beside_command(profile_run *run, pp_error *err)
{
    const pp_study_sending how = {.pass = 1};
    pp_study *study = run->study;
    pp_status st = pp_study_prepare_requests(study, &run->target, &run->source, err);

    if (st == PP_OK)
        st = start_command(run, err);
    if (st == PP_OK)
        st = pp_study_send_requests(study, &run->target, run->source, &how, &run->load, err);
    end_command(run);
    if (st == PP_OK && run->load.interrupted)
        st = pp_fail(err, PP_ERR_INTERRUPTED, "interrupted beside the profiling command");
    if (st == PP_OK)
        st = pp_study_target_check_alive(&run->target, err);
    return st == PP_OK ? check_end(run, err) : st;
}

static pp_status run_beside(profile_run *run, pp_error *err)
{
    const pp_target_files files = {
        .stdout_path = path_of(run, PP_BUNDLE_PROFILE_SERVER_OUT),
        .stderr_path = path_of(run, PP_BUNDLE_PROFILE_SERVER_ERR),
        .command = path_of(run, PP_BUNDLE_PROFILE_COMMAND),
        .gateway = path_of(run, PP_BUNDLE_PROFILE_GATEWAY),
    };
    pp_status st =
        pp_study_target_open(run->study, run->candidate, &files, NULL, &run->target, err);

    if (st == PP_OK)
        st = send_beside_command(run, err);
    pp_study_target_close(run->study, &run->target, NULL);
    return st;
}

static int64_t count_failed(const profile_run *run)
{
    int64_t count = 0;

    for (size_t i = 0; i < run->load.sample_count; i++)
        count += run->load.samples[i].failure != PP_FAILURE_NONE;
    return count;
}

/* Last of all: where it stands, the run is over. */
static pp_status save(profile_run *run, const char *failure, pp_error *err)
{
    pp_arena *arena = run->study->arena;
    pp_json *object = pp_json_new_object(arena);

    pp_json_set_text(arena, object, "candidate_id", run->candidate->id);
    pp_json_set_string(arena, object, "command", run->study->options->profile_command);
    pp_json_set_int(arena, object, "started_unix_ms", run->started_unix_ms);
    pp_json_set_int(arena, object, "request_count", (int64_t)run->load.sample_count);
    pp_json_set_int(arena, object, "failed_request_count", count_failed(run));
    pp_json_set(arena, object, "exit",
                run->has_ended ? pp_study_exit_to_json(arena, &run->ended)
                               : pp_json_new_null(arena));
    pp_json_set_string(arena, object, "failure", failure);
    return pp_study_save_document(run->study, path_of(run, PP_BUNDLE_PROFILE_RUN), "profile-run",
                                  object, err);
}

/* What is left of a run that was cut off goes where attempts at steps go. */
static pp_status set_aside(const profile_run *run, pp_error *err)
{
    pp_study *study = run->study;
    const char *id = run->candidate->id.data;
    const char *to;
    long long number = 0;
    pp_status st;

    if (!pp_path_exists(run->folder))
        return PP_OK;
    do {
        to = pp_bundle_path(study->arena, study->folder, PP_BUNDLE_CONTEXT_ATTEMPT, id, ++number,
                            id);
    } while (to != NULL && pp_path_exists(to));
    st = pp_study_ensure_folder(study, to, err);
    if (st == PP_OK && rename(run->folder, to) != 0)
        st = pp_fail_errno(err, PP_ERR_IO, errno, "cannot move '%s' to '%s'", run->folder, to);
    return st;
}

/* What the server or the command did wrong is written down; what we did wrong is returned. */
static pp_status judge(profile_run *run, pp_status st, pp_error *failure, pp_error *err)
{
    pp_study *study = run->study;
    pp_error unfit = {0};
    const char *said;

    if (st != PP_OK && (st == PP_ERR_INTERRUPTED || pp_study_is_our_failure(study, failure))) {
        if (err != NULL)
            *err = *failure;
        return failure->status;
    }
    if (check_files(run, &unfit) != PP_OK) {
        (void)pp_wrap(&unfit, unfit.status, "what the command left was removed");
        pp_folder_remove(run->folder);
        *failure = unfit;
        st = unfit.status;
    }
    said = st == PP_OK ? NULL : failure->text;
    st = save(run, said, err);
    if (st == PP_OK)
        pp_study_report(study, study->phase, run->candidate->id.data,
                        said == NULL ? "profiled, unmeasured"
                                     : pp_arena_printf(study->arena, "profiling: %s", said));
    return st;
}

static pp_status profile(pp_study *study, const pp_plan_candidate *candidate, pp_error *err)
{
    profile_run run = {.study = study, .candidate = candidate};
    pp_error failure = {0};
    pp_status st;

    run.folder = path_of(&run, PP_BUNDLE_CONTEXT);
    st = pp_arena_check(study->arena, err);
    if (st != PP_OK || pp_path_exists(path_of(&run, PP_BUNDLE_PROFILE_RUN)))
        return st;
    st = set_aside(&run, err);
    if (st == PP_OK)
        st = pp_study_check_stop(study, err);
    if (st != PP_OK)
        return st;
    run.started_unix_ms = pp_clock_unix_ms();
    st = run_beside(&run, &failure);
    return pp_wrap(err, judge(&run, st, &failure, err), "profiling '%s'", candidate->id.data);
}

pp_status pp_study_profile(pp_study *study, pp_error *err)
{
    pp_status st = PP_OK;

    if (study->options->profile_command == NULL)
        return PP_OK;
    study->is_beside_steps = true;
    for (size_t i = 0; st == PP_OK && i < study->plan.candidate_count; i++) {
        if (study->plan.candidates[i].kind != PP_CANDIDATE_ENDPOINT)
            st = profile(study, &study->plan.candidates[i], err);
    }
    study->is_beside_steps = false;
    return st;
}
