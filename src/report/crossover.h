/* crossover.h - for which lengths of prompt and answer one candidate is faster than another.
 *
 * A request of i prompt tokens and o output tokens takes i / prompt_tps + o / generation_tps. Of
 * two candidates, one may read prompts faster and the other generate faster; which one ends first
 * then depends on o / i alone. docs/method/crossover.md. Arithmetic only. */
#ifndef PP_REPORT_CROSSOVER_H
#define PP_REPORT_CROSSOVER_H

#include "decide/decision.h"

typedef enum pp_crossover_state {
    PP_CROSSOVER_FOUND,
    PP_CROSSOVER_NOT_MEASURED, /* no eligible candidate has both speeds */
    PP_CROSSOVER_BEST_IN_BOTH  /* one candidate is fastest in both */
} pp_crossover_state;

typedef struct pp_crossover {
    pp_crossover_state state;
    size_t generator; /* candidate that generates fastest; the only best one when best in both */
    size_t reader;    /* candidate that reads prompts fastest */
    pp_text prompt_metric, generation_metric;
    double generator_prompt, generator_generation; /* tokens per second */
    double reader_prompt, reader_generation;
    double saving_ms; /* per prompt token, that the reader is faster; > 0 */
    double loss_ms;   /* per output token, that the reader is slower; > 0 */
    double ratio;     /* the reader is faster while output tokens < ratio * prompt tokens */
    size_t third;     /* a candidate faster than both at this ratio, or PP_NOT_FOUND */
} pp_crossover;

/** Among the eligible candidates; of equally fast ones the other speed decides, then the id. */
pp_crossover pp_crossover_of(const pp_decision *decision);

#endif
