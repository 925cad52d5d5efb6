#include "report/crossover.h"

#include <math.h>

static const char *const pairs[][2] = {
    {"prompt_tokens_per_second", "generation_tokens_per_second"},
    {"prompt_tps", "generation_tps"},
};

/* Both speeds of an eligible candidate, above zero; false when one is absent. */
static bool speeds_of(const pp_decision *d, size_t candidate, const char *const *pair,
                      double *ret_prompt, double *ret_generation)
{
    const pp_candidate *c = &d->set->candidates[candidate];
    const double *prompt = pp_candidate_find_metric(c, pp_text_of(pair[0]));
    const double *generation = pp_candidate_find_metric(c, pp_text_of(pair[1]));

    if (prompt == NULL || generation == NULL || !(*prompt > 0.0) || !(*generation > 0.0))
        return false;
    *ret_prompt = *prompt;
    *ret_generation = *generation;
    return true;
}

/* Lists of a decision are sorted by id, so the first of equals has the smallest. */
static bool find_fastest(const pp_decision *d, const char *const *pair, pp_crossover *c)
{
    double prompt, generation;
    bool found = false;

    for (size_t i = 0; i < d->eligible.count; i++) {
        size_t candidate = d->eligible.items[i];

        if (!speeds_of(d, candidate, pair, &prompt, &generation))
            continue;
        if (!found || generation > c->generator_generation ||
            (generation == c->generator_generation && prompt > c->generator_prompt)) {
            c->generator = candidate;
            c->generator_prompt = prompt;
            c->generator_generation = generation;
        }
        if (!found || prompt > c->reader_prompt ||
            (prompt == c->reader_prompt && generation > c->reader_generation)) {
            c->reader = candidate;
            c->reader_prompt = prompt;
            c->reader_generation = generation;
        }
        found = true;
    }
    return found;
}

/* Milliseconds of one prompt token and `ratio` output tokens. */
static double time_of(double prompt, double generation, double ratio)
{
    return 1000.0 / prompt + ratio * 1000.0 / generation;
}

/* Where two are equally fast, somebody who is second in both may be faster. */
static size_t find_third(const pp_decision *d, const char *const *pair, const pp_crossover *c)
{
    double best = time_of(c->reader_prompt, c->reader_generation, c->ratio) * (1.0 - 1e-9);
    size_t third = PP_NOT_FOUND;
    double prompt, generation;

    for (size_t i = 0; i < d->eligible.count; i++) {
        size_t candidate = d->eligible.items[i];

        if (!speeds_of(d, candidate, pair, &prompt, &generation) ||
            time_of(prompt, generation, c->ratio) >= best)
            continue;
        best = time_of(prompt, generation, c->ratio);
        third = candidate;
    }
    return third;
}

static void work_out(const pp_decision *d, const char *const *pair, pp_crossover *c)
{
    c->prompt_metric = pp_text_of(pair[0]);
    c->generation_metric = pp_text_of(pair[1]);
    c->saving_ms = 1000.0 / c->generator_prompt - 1000.0 / c->reader_prompt;
    c->loss_ms = 1000.0 / c->reader_generation - 1000.0 / c->generator_generation;
    if (c->generator == c->reader || !(c->saving_ms > 0.0) || !(c->loss_ms > 0.0)) {
        c->state = PP_CROSSOVER_BEST_IN_BOTH;
        return;
    }
    c->state = PP_CROSSOVER_FOUND;
    c->ratio = c->saving_ms / c->loss_ms;
    c->third = find_third(d, pair, c);
}

pp_crossover pp_crossover_of(const pp_decision *decision)
{
    pp_crossover c = {.state = PP_CROSSOVER_NOT_MEASURED, .third = PP_NOT_FOUND};

    for (size_t i = 0; i < PP_COUNT_OF(pairs); i++) {
        if (find_fastest(decision, pairs[i], &c)) {
            work_out(decision, pairs[i], &c);
            break;
        }
    }
    return c;
}
