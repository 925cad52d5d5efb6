/* An earlier decision, as `ci-gate --against` reads it, compared with a fixed one. */
#include <stdint.h>
#include <string.h>

#include "decide/regression.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char set_text[] =
    "{\"schema_version\":\"1.0\",\"baseline_id\":\"a\",\"synthetic\":true,\"candidates\":["
    "{\"id\":\"a\",\"metrics\":{\"lat\":10,\"mem\":20,\"quality_score\":1}}]}";
static const char constraints_text[] =
    "{\"max_values\":{\"mem\":30},\"objective\":{\"metric\":\"lat\",\"direction\":\"min\"},"
    "\"frontier_metrics\":{\"lat\":\"min\"}}";

static const pp_json *parse(pp_arena *arena, const char *text)
{
    const pp_json *root = NULL;

    PP_ASSERT(pp_json_parse(arena, "fixed", text, strlen(text), &root, NULL) == PP_OK);
    return root;
}

static pp_status compare(pp_arena *arena, const pp_json *root, pp_regressions *ret_found,
                         pp_error *err)
{
    pp_benchmark_set set;
    pp_constraints constraints;
    pp_decision decision;
    pp_earlier earlier;
    pp_status st = pp_earlier_decode(root, &earlier, err);

    PP_ASSERT(pp_benchmark_set_decode(arena, parse(arena, set_text), &set, NULL) == PP_OK);
    PP_ASSERT(pp_constraints_decode(arena, parse(arena, constraints_text), &constraints, NULL) ==
              PP_OK);
    PP_ASSERT(pp_decide(arena, &set, &constraints, &decision, NULL) == PP_OK);
    if (st == PP_OK)
        st = pp_regressions_find(arena, &decision, &earlier, 3.0, ret_found, err);
    return st;
}

/* Every row has a value, and what is counted is marked. */
static bool is_consistent(pp_arena *arena, const pp_regressions *found)
{
    size_t missed = 0;

    for (size_t i = 0; i < found->count; i++) {
        const pp_regression *r = &found->items[i];

        missed += r->is_missed;
        if ((!r->has_earlier && !r->has_now) || pp_regression_to_json(arena, r) == NULL)
            return false;
    }
    return missed == found->missed_count;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    pp_arena arena = {0};
    pp_error err = {0};
    pp_regressions found = {0};
    const pp_json *root;

    if (pp_json_parse(&arena, "fuzz", (const char *)data, size, &root, &err) == PP_OK &&
        compare(&arena, root, &found, &err) == PP_OK)
        PP_ASSERT(is_consistent(&arena, &found));
    else
        PP_ASSERT(err.text[0] != '\0');
    pp_arena_done(&arena);
    return 0;
}
