/* doctor.h - what the doctor found, and what it makes of it. */
#ifndef PP_CLI_DOCTOR_H
#define PP_CLI_DOCTOR_H

#include "machine/host.h"
#include "machine/watch.h"
#include "json/json.h"

#define PP_DOCTOR_MAX_WARNINGS 16

typedef struct pp_doctor_warning {
    const char *code; /* stable, for programs */
    char text[200];   /* what was found */
    const char *next; /* what to do */
} pp_doctor_warning;

typedef struct pp_doctor {
    pp_host_facts host;
    bool has_load_now;
    pp_watch_result load_now;
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

#endif
