/* A tape is refused with its line, or can be played to its end. */
#include <stdint.h>

#include "sim/tape.h"

/* Nested repeats can be long; what they repeat has been seen by then. */
#define STEPS_MAX 10000

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void play(const pp_sim_tape_section *section)
{
    pp_sim_tape_place place = {0};
    const pp_sim_tape_step *step;

    for (int i = 0; i < STEPS_MAX && (step = pp_sim_tape_next(section, &place)) != NULL; i++)
        PP_ASSERT(step->act != PP_SIM_TAPE_REPEAT && step->act != PP_SIM_TAPE_END &&
                  (step->act == PP_SIM_TAPE_SEND) == (step->bytes.size > 0));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    pp_arena arena = {0};
    pp_error err = {0};
    pp_sim_tape tape;

    if (pp_sim_tape_parse(&arena, "fuzz", (pp_text){(const char *)data, size}, &tape, &err) !=
        PP_OK) {
        PP_ASSERT(err.text[0] != '\0');
    } else {
        PP_ASSERT(tape.section_count > 0);
        for (size_t i = 0; i < tape.section_count; i++) {
            PP_ASSERT(tape.sections[i].step_count > 0);
            play(&tape.sections[i]);
        }
    }
    pp_arena_done(&arena);
    return 0;
}
