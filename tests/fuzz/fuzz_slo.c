#include <stdint.h>

#include "capacity/slo.h"
#include "stats/percents.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool is_sound(const pp_slo *slo)
{
    if (slo->kind == PP_SLO_ERROR_RATE || slo->kind == PP_SLO_COMPLETION)
        return slo->limit_percent >= 0 && slo->limit_percent <= 100;
    return slo->limit_ns > 0 &&
           (slo->kind == PP_SLO_EACH || (slo->percent >= 1 && slo->percent < 100));
}

static void read_percents(pp_arena *arena, const uint8_t *data, size_t size)
{
    const char *text = pp_arena_dup(arena, (const char *)data, size);
    pp_percents percents = {0};
    pp_error err = {0};

    if (text == NULL)
        return;
    if (pp_percents_parse(text, "fuzz", &percents, &err) != PP_OK) {
        PP_ASSERT(err.text[0] != '\0' && percents.count == 0);
        return;
    }
    for (size_t i = 0; i < percents.count; i++)
        PP_ASSERT(percents.values[i] >= 1 && percents.values[i] <= 100 &&
                  (i == 0 || percents.values[i] > percents.values[i - 1]));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    pp_arena arena = {0};
    pp_error err = {0};
    pp_slo slo;

    if (pp_slo_parse(&arena, (pp_text){(const char *)data, size}, &slo, &err) == PP_OK)
        PP_ASSERT(is_sound(&slo));
    else
        PP_ASSERT(err.text[0] != '\0');
    read_percents(&arena, data, size);
    pp_arena_done(&arena);
    return 0;
}
