#include <stdint.h>

#include "model/benchmark_set.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What was read is written and reads back as the same document. */
static bool survives_round_trip(pp_arena *arena, const pp_benchmark_set *set)
{
    pp_json *document = pp_benchmark_set_to_json(arena, set);
    pp_benchmark_set again;
    pp_error err = {0};

    return pp_benchmark_set_decode(arena, document, &again, &err) == PP_OK &&
           pp_json_equal(document, pp_benchmark_set_to_json(arena, &again));
}

/* What `decide` relies on: ids and metrics are found, and finishing a whole set changes nothing. */
static bool is_sound(pp_arena *arena, pp_benchmark_set set)
{
    pp_origin origin = set.origin;
    pp_error err = {0};

    for (size_t i = 0; i < set.candidate_count; i++) {
        const pp_candidate *candidate = &set.candidates[i];

        if (pp_benchmark_set_find(&set, candidate->id) != i)
            return false;
        for (size_t j = 0; j < candidate->metric_count; j++) {
            if (pp_candidate_find_metric(candidate, candidate->metrics[j].name) !=
                &candidate->metrics[j].value)
                return false;
        }
    }
    return pp_benchmark_set_finish(arena, &set, &err) == PP_OK && set.origin == origin &&
           (!pp_benchmark_set_is_measured(&set) || origin == PP_ORIGIN_MEASURED);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    pp_arena arena = {0};
    pp_error err = {0};
    pp_benchmark_set set;
    const pp_json *root;

    if (pp_json_parse(&arena, "fuzz", (const char *)data, size, &root, &err) == PP_OK &&
        pp_benchmark_set_decode(&arena, root, &set, &err) == PP_OK)
        PP_ASSERT(survives_round_trip(&arena, &set) && is_sound(&arena, set));
    else
        PP_ASSERT(err.text[0] != '\0'); /* a refusal always explains itself */
    pp_arena_done(&arena);
    return 0;
}
