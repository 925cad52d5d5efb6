/* doctor.h - what the doctor found, and what it makes of it. */
#ifndef PP_CLI_DOCTOR_H
#define PP_CLI_DOCTOR_H

#include "cli/command.h"
#include "machine/bandwidth.h"
#include "machine/host.h"
#include "machine/watch.h"
#include "json/json.h"

#define PP_DOCTOR_MAX_WARNINGS 16
#define PP_DOCTOR_MAX_PROBES   8
#define PP_DOCTOR_LABEL_COLUMN 14

typedef struct pp_doctor_warning {
    const char *code; /* stable, for programs */
    char text[200];   /* what was found */
    const char *next; /* what to do */
} pp_doctor_warning;

typedef struct pp_doctor_bandwidth {
    pp_maybe_int last_level_cache_bytes;
    pp_bandwidth_options asked[PP_DOCTOR_MAX_PROBES];
    size_t asked_count;
    pp_bandwidth probes[PP_DOCTOR_MAX_PROBES];
    size_t probe_count;
    bool has_watch;
    pp_watch_result watch; /* over all probes */
} pp_doctor_bandwidth;

typedef struct pp_doctor {
    pp_host_facts host;
    bool has_load_now;
    pp_watch_result load_now;
    pp_doctor_bandwidth bandwidth;
    const char *llama_folder;  /* borrowed; NULL when none was named */
    const char *llama_version; /* NULL: not asked */
    pp_doctor_warning warnings[PP_DOCTOR_MAX_WARNINGS];
    size_t warning_count;
    pp_maybe_bool suitable; /* as a host of evidence; absent: cannot tell, which is not suitable */
    char suitable_reason[200];
} pp_doctor;

/** Fill warnings and suitability from the rest. */
void pp_doctor_judge(pp_doctor *doctor);

/** The document of docs/formats/doctor.md. */
pp_json *pp_doctor_to_json(pp_arena *arena, const pp_doctor *doctor);

/** The table for people, on standard output. */
void pp_doctor_print(const pp_doctor *doctor);

/* doctor_bandwidth.c */

/** Read --bandwidth and --threads. Fails with PP_ERR_USAGE, or PP_ERR_UNAVAILABLE for an unknown
 * cache. */
PP_MUST_CHECK pp_status pp_doctor_ask_bandwidth(const pp_args *args, pp_doctor_bandwidth *bandwidth,
                                                pp_error *err);

/** Measure what was asked for, nothing when nothing was. Fails as pp_bandwidth_measure does. */
PP_MUST_CHECK pp_status pp_doctor_measure_bandwidth(pp_doctor_bandwidth *bandwidth, pp_error *err);
pp_json *pp_doctor_bandwidth_to_json(pp_arena *arena, const pp_doctor *doctor);
void pp_doctor_print_bandwidth(const pp_doctor *doctor);

#endif
