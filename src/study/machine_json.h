/* machine_json.h - what the machine said, as JSON: the parts of docs/formats/doctor.md.
 *
 * Absent facts are null. Field names are those of the structs. Knows no file and no clock. */
#ifndef PP_STUDY_MACHINE_JSON_H
#define PP_STUDY_MACHINE_JSON_H

#include "machine/energy.h"
#include "machine/host.h"
#include "machine/process_memory.h"
#include "machine/watch.h"
#include "json/json.h"

/* Values live in the arena; NULL when memory is short, as everywhere in json/. */

/** The object `host`. */
pp_json *pp_host_facts_to_json(pp_arena *arena, const pp_host_facts *facts);

/** The object `load_now` of the doctor, and the noise of a run. */
pp_json *pp_watch_result_to_json(pp_arena *arena, const pp_watch_result *result);

/** One object of bytes by kind. */
pp_json *pp_process_memory_to_json(pp_arena *arena, const pp_process_memory *memory);

/** The object `energy` of a resource measurement. */
pp_json *pp_energy_use_to_json(pp_arena *arena, const pp_energy_use *use);

#endif
