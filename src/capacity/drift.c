#include "capacity/drift.h"

const char *pp_drift_verdict_name(size_t verdict)
{
    static const char *const names[] = {"none", "seen", "undecided"};

    return verdict < PP_COUNT_OF(names) ? names[verdict] : NULL;
}

const char *pp_drift_measure_name(size_t measure)
{
    static const char *const names[] = {"ttft", "tpot", "e2e"};

    return measure < PP_COUNT_OF(names) ? names[measure] : NULL;
}

static bool same_int(pp_maybe_int a, pp_maybe_int b)
{
    return a.known == b.known && (!a.known || a.value == b.value);
}

bool pp_drift_is_repeat(const pp_load_level *earlier, const pp_load_level *later)
{
    return earlier->loop == later->loop && earlier->clients == later->clients &&
           earlier->rate_per_second == later->rate_per_second &&
           earlier->arrivals == later->arrivals && earlier->gamma_shape == later->gamma_shape &&
           same_int(earlier->request_count, later->request_count) &&
           same_int(earlier->duration_ns, later->duration_ns) &&
           earlier->warmup_count == later->warmup_count && earlier->ramp_ns == later->ramp_ns &&
           earlier->think_ns == later->think_ns;
}

static const pp_load_figures *figures_of(const pp_load_level *level, const pp_level_summary *s,
                                         pp_drift_measure measure)
{
    bool closed = level->loop == PP_LOAD_CLOSED;

    switch (measure) {
    case PP_DRIFT_TTFT:
        return closed ? &s->ttft.ok : &s->ttft_due.ok;
    case PP_DRIFT_TPOT:
        return &s->tpot.ok;
    default:
        return closed ? &s->e2e.ok : &s->e2e_due.ok;
    }
}

/* NULL where the rules show no median, or there is none. */
static const pp_load_tail *median_of(const pp_load_figures *figures)
{
    for (size_t i = 0; i < figures->tail_count; i++)
        if (figures->tails[i].at.percent == 50 && figures->tails[i].at.rank > 0)
            return &figures->tails[i];
    return NULL;
}

/* Percent by which `later` is above `earlier`; absent where one is, and above nothing. */
static pp_maybe_real percent_above(pp_maybe_real later, pp_maybe_real earlier)
{
    if (!later.known || !earlier.known || !(earlier.value > 0))
        return (pp_maybe_real){0};
    return pp_known_real(100 * (later.value - earlier.value) / earlier.value);
}

/* Apart is where even the nearest ends of the intervals differ in one direction. */
static pp_drift_verdict judge(const pp_drift_change *c)
{
    double size = c->percent.value < 0 ? -c->percent.value : c->percent.value;

    if (!c->percent.known || !c->low_percent.known || !c->high_percent.known)
        return PP_DRIFT_UNDECIDED;
    if ((c->low_percent.value > 0 || c->high_percent.value < 0) && size >= PP_DRIFT_MIN_PERCENT)
        return PP_DRIFT_SEEN;
    if (c->low_percent.value >= -PP_DRIFT_NONE_PERCENT &&
        c->high_percent.value <= PP_DRIFT_NONE_PERCENT)
        return PP_DRIFT_NONE;
    return PP_DRIFT_UNDECIDED;
}

static pp_drift_change change_of(const pp_load_tail *first, const pp_load_tail *again, bool valid)
{
    pp_drift_change c = {.verdict = PP_DRIFT_UNDECIDED};

    if (first != NULL)
        c.first_ms_p50 = pp_known_real(first->at.value);
    if (again != NULL)
        c.again_ms_p50 = pp_known_real(again->at.value);
    c.percent = percent_above(c.again_ms_p50, c.first_ms_p50);
    if (first != NULL && again != NULL) {
        c.low_percent = percent_above(again->low, first->high);
        c.high_percent = percent_above(again->high, first->low);
    }
    if (valid)
        c.verdict = judge(&c);
    return c;
}

pp_drift pp_drift_between(const pp_load_level *level, const pp_level_summary *first,
                          const pp_level_summary *again)
{
    bool valid = first->doubts == 0 && again->doubts == 0;
    bool any = false, seen = false, undecided = false;
    pp_drift drift = {.verdict = PP_DRIFT_UNDECIDED};

    for (size_t i = 0; i < PP_DRIFT_MEASURE_COUNT; i++) {
        const pp_load_tail *a = median_of(figures_of(level, first, (pp_drift_measure)i));
        const pp_load_tail *b = median_of(figures_of(level, again, (pp_drift_measure)i));

        drift.changes[i] = change_of(a, b, valid);
        if (a == NULL && b == NULL)
            continue; /* answers of one token have no time for each further one */
        any = true;
        seen = seen || drift.changes[i].verdict == PP_DRIFT_SEEN;
        undecided = undecided || drift.changes[i].verdict == PP_DRIFT_UNDECIDED;
    }
    if (seen)
        drift.verdict = PP_DRIFT_SEEN;
    else if (any && !undecided)
        drift.verdict = PP_DRIFT_NONE;
    return drift;
}
