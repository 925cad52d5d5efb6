/* A journal that is read without its last line is read too, and no more steps are known of. */
#include <stdint.h>
#include <string.h>

#include "evidence/step_log.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Two candidates q8 and q4 in one pass, as the corpus has them. */
static pp_study_plan plan_of_corpus(pp_plan_candidate candidates[2])
{
    candidates[0] = (pp_plan_candidate){.id = pp_text_of("q8")};
    candidates[1] = (pp_plan_candidate){.id = pp_text_of("q4")};
    return (pp_study_plan){.candidates = candidates, .candidate_count = 2, .passes = 1};
}

static bool reads(pp_arena *arena, const char *bytes, size_t size, int64_t *ret_attempts)
{
    pp_plan_candidate candidates[2];
    pp_study_plan plan = plan_of_corpus(candidates);
    pp_study_steps steps;
    pp_step_log log;
    pp_error err = {0};
    pp_status st = pp_study_steps_list(arena, &plan, &steps, &err);

    PP_ASSERT(st == PP_OK);
    st = pp_step_log_read(arena, bytes, size, &steps, &log, &err);
    PP_ASSERT(st == PP_OK || err.text[0] != '\0');
    *ret_attempts = 0;
    for (size_t i = 0; st == PP_OK && i < steps.count; i++)
        *ret_attempts += log.states[i].attempt_count;
    PP_ASSERT(st != PP_OK || pp_step_log_done_count(&steps, &log) <= steps.count);
    return st == PP_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;
    pp_arena arena = {0};
    int64_t all = 0;
    int64_t fewer = 0;

    if (reads(&arena, text, size, &all)) {
        size_t whole = pp_journal_whole_size(text, size - 1);

        PP_ASSERT(whole == 0 || reads(&arena, text, whole, &fewer));
        PP_ASSERT(fewer <= all);
    }
    pp_arena_done(&arena);
    return 0;
}
