#include <stdio.h>

#include "base/clock.h"
#include "base/files.h"
#include "cli/doctor.h"
#include "cli/inputs.h"
#include "engine/probe.h"

#define LOAD_NOW_NS      PP_NS_PER_S
#define LOAD_INTERVAL_NS (100 * PP_NS_PER_MS)

static const pp_option options[] = {
    {"bandwidth", 0, PP_SIZE("SIZE"), NULL,
     "measure reading SIZE of memory (400MiB; llc: half the last cache)", false, true},
    {"json", 0, NULL, NULL, "print the document of docs/formats/doctor.md instead of the table",
     false, false},
    {"llama-dir", 0, PP_FOLDER("DIR"), "PARETOPILOT_LLAMA_DIR, then PATH",
     "folder with llama-server and llama-bench", false, false},
    {"require-evidence-host", 0, NULL, NULL, "exit 3 unless measurements here can be evidence",
     false, false},
    {"root", 0, PP_FOLDER("DIR"), NULL,
     "read the files below DIR instead of /: collected on another machine", false, false},
    {"threads", 0, PP_NUMBER("N"), "all allowed CPUs", "threads that read for --bandwidth", false,
     false},
};

/* No llama.cpp is a fact about the machine, not a failure; one that does not answer is a warning.
 */
static void find_llama(pp_arena *arena, const pp_args *args, pp_doctor *doctor)
{
    pp_engine engine;
    pp_error probe_err = {0};

    if (pp_engine_find(arena, pp_args_value(args, "llama-dir"), &doctor->llama_folder, NULL) !=
        PP_OK)
        return;
    if (pp_engine_probe(arena, &(pp_engine_options){.folder = doctor->llama_folder}, &engine,
                        &probe_err) == PP_OK)
        doctor->llama_version = engine.server.version;
    else
        fprintf(stderr, "warning: %s\n", probe_err.text);
}

static pp_status measure_load(pp_doctor *doctor, pp_error *err)
{
    pp_watch_options watch_options;
    pp_watch *watch = NULL;
    pp_status st;

    pp_watch_options_default(&watch_options);
    watch_options.interval_ns = LOAD_INTERVAL_NS;
    watch_options.window_ns = LOAD_NOW_NS / 2;
    st = pp_watch_start(&watch_options, &watch, err);
    if (st != PP_OK)
        return st;
    pp_clock_sleep_until_ns(pp_clock_now_ns() + LOAD_NOW_NS);
    pp_watch_stop(watch, &doctor->load_now);
    doctor->has_load_now = true;
    return PP_OK;
}

static pp_status check_folder(const char *option, const char *path, pp_error *err)
{
    if (path != NULL && !pp_path_is_folder(path))
        return pp_fail(err, PP_ERR_USAGE, "doctor: --%s '%s': expected a folder", option, path);
    return PP_OK;
}

static pp_status examine(pp_arena *arena, const pp_args *args, pp_doctor *doctor, pp_error *err)
{
    const char *root = pp_args_value(args, "root");
    pp_host_options host_options = {.root = root == NULL ? "/" : root};
    pp_error load_err = {0};
    pp_status st = check_folder("root", root, err);

    if (st == PP_OK)
        st = check_folder("llama-dir", pp_args_value(args, "llama-dir"), err);
    if (st == PP_OK)
        st = pp_doctor_ask_bandwidth(args, &doctor->bandwidth, err);
    if (st != PP_OK)
        return st;
    pp_host_read(&host_options, &doctor->host);
    if (!doctor->host.recorded) {
        find_llama(arena, args, doctor);
        st = measure_load(doctor, &load_err);
        if (st != PP_OK) /* the rest is still worth reading */
            fprintf(stderr, "warning: the load now is not measured: %s\n", load_err.text);
    } else {
        doctor->llama_folder = pp_args_value(args, "llama-dir");
    }
    st = pp_doctor_measure_bandwidth(&doctor->bandwidth, err);
    pp_doctor_judge(doctor);
    return st;
}

static pp_status run(const pp_args *args, pp_exit *ret_exit, pp_error *err)
{
    pp_arena arena = {0};
    pp_doctor doctor = {0};
    pp_status st = examine(&arena, args, &doctor, err);

    if (st == PP_OK && pp_args_has(args, "json"))
        st = pp_print_json(pp_doctor_to_json(&arena, &doctor), err);
    else if (st == PP_OK)
        pp_doctor_print(&doctor);
    if (st == PP_OK && pp_args_has(args, "require-evidence-host") &&
        !(doctor.suitable.known && doctor.suitable.value)) {
        fprintf(stderr, "doctor: not a host of evidence: %s\n", doctor.suitable_reason);
        *ret_exit = PP_EXIT_COULD_NOT_TELL;
    }
    pp_arena_done(&arena);
    return st;
}

const pp_command pp_command_doctor = {
    .group = "Measure",
    .name = "doctor",
    .options = options,
    .n_options = PP_COUNT_OF(options),
    .summary = "what this machine can measure, and what stands in the way",
    .detail =
        "Reads the machine's own files, watches for one second what other programs use, and\n"
        "says in plain words what to change before measuring. Changes nothing.\n"
        "With --bandwidth it also measures how fast memory can be read: the roof of decoding.\n",
    .example = "paretopilot doctor",
    .run = run,
};
