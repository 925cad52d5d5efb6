#include "capacity/slo.h"

#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "stats/percents.h"

static const char *const metric_names[PP_METRIC_COUNT] = {"ttft", "first-answer", "e2e",
                                                          "tpot", "gap",          "lateness"};
static const char *const kind_names[] = {"percentile", "each", "error-rate", "completion"};

const char *pp_load_metric_name(pp_load_metric metric)
{
    return (size_t)metric < PP_METRIC_COUNT ? metric_names[metric] : "unknown";
}

const char *pp_slo_kind_name(pp_slo_kind kind)
{
    return (size_t)kind < PP_COUNT_OF(kind_names) ? kind_names[kind] : "unknown";
}

/* ---- what a request took -------------------------------------------------------------------- */

static bool known_from(pp_maybe_int ns, const pp_sample *sample, bool from_due, double *ret_ns)
{
    double late = from_due ? (double)sample->started_ns - (double)sample->scheduled_ns : 0.0;

    *ret_ns = (double)ns.value + late;
    return ns.known;
}

static bool largest_gap(const pp_sample *sample, double *ret_ns)
{
    int64_t largest = 0;

    for (size_t i = 0; i < sample->gap_count; i++)
        largest = sample->gaps_ns[i] > largest ? sample->gaps_ns[i] : largest;
    *ret_ns = (double)largest;
    return sample->gap_count > 0;
}

bool pp_load_metric_ns(const pp_sample *sample, pp_load_metric metric, bool from_due,
                       double *ret_ns)
{
    pp_maybe_real each;

    switch (metric) {
    case PP_METRIC_TTFT:
        return known_from(sample->ttft_ns, sample, from_due, ret_ns);
    case PP_METRIC_FIRST_ANSWER:
        return known_from(sample->first_answer_ns, sample, from_due, ret_ns);
    case PP_METRIC_E2E: /* the last text of a request that was cut is not its end */
        return pp_sample_is_ok(sample) && known_from(sample->e2e_ns, sample, from_due, ret_ns);
    case PP_METRIC_TPOT:
        each = pp_sample_time_per_token_ns(sample);
        *ret_ns = each.value;
        return each.known;
    case PP_METRIC_GAP:
        return largest_gap(sample, ret_ns);
    default:
        return known_from(pp_known_int(0), sample, true, ret_ns);
    }
}

/* ---- the text ------------------------------------------------------------------------------- */

typedef struct reader {
    const char *start, *at;
    pp_error *err;
} reader;

static pp_status expected(const reader *r, const char *what)
{
    if (*r->at == '\0')
        return pp_fail(r->err, PP_ERR_USAGE, "'%s': expected %s at the end", r->start, what);
    return pp_fail(r->err, PP_ERR_USAGE, "'%s': expected %s at byte %d, got '%s'", r->start, what,
                   (int)(r->at - r->start) + 1, r->at);
}

static bool takes(reader *r, const char *word)
{
    size_t size = strlen(word);

    if (strncmp(r->at, word, size) != 0)
        return false;
    r->at += size;
    return true;
}

/* A name ends where no letter, digit or '-' follows. */
static bool takes_name(reader *r, const char *name)
{
    const char *begin = r->at;

    if (takes(r, name) && strchr(".<>=", *r->at) != NULL)
        return true;
    r->at = begin;
    return false;
}

static pp_status read_metric(reader *r, pp_slo *slo)
{
    for (int i = 0; i < PP_METRIC_COUNT; i++) {
        if (takes_name(r, metric_names[i])) {
            slo->metric = (pp_load_metric)i;
            return PP_OK;
        }
    }
    return expected(r, "ttft, first-answer, e2e, tpot, gap, lateness, error-rate or completion");
}

/* ".p95" or nothing. */
static pp_status read_percentile(reader *r, pp_slo *slo)
{
    char text[16];
    size_t size;
    pp_status st;

    slo->kind = PP_SLO_EACH;
    if (*r->at != '.')
        return PP_OK;
    if (!takes(r, ".p"))
        return expected(r, "a percentile such as .p95");
    size = strcspn(r->at, "<>=");
    if (size == 0 || size >= sizeof text)
        return expected(r, "a percentile such as 95 or 99.9");
    memcpy(text, r->at, size);
    text[size] = '\0';
    st = pp_percent_parse(text, "percentile", &slo->percent, r->err);
    if (st != PP_OK)
        return pp_wrap(r->err, st, "'%s': at byte %d", r->start, (int)(r->at - r->start) + 1);
    if (slo->percent == 100)
        return expected(r, "a percentile below 100, because no number of requests shows that "
                           "none will ever be over the limit");
    slo->kind = PP_SLO_PERCENTILE;
    r->at += size;
    return PP_OK;
}

static pp_status read_duration(reader *r, pp_slo *slo)
{
    pp_status st;

    if (!takes(r, "<="))
        return expected(r, "'<='");
    st = pp_parse_duration(r->at, "limit", &slo->limit_ns, r->err);
    if (st == PP_OK && slo->limit_ns == 0)
        return expected(r, "a duration above 0");
    return pp_wrap(r->err, st, "'%s': at byte %d", r->start, (int)(r->at - r->start) + 1);
}

static pp_status read_share(reader *r, const char *sign, pp_slo *slo)
{
    char what[64];
    pp_status st;

    (void)snprintf(what, sizeof what, "'%s'", sign);
    if (!takes(r, sign))
        return expected(r, what);
    st = pp_parse_percent(r->at, "limit", &slo->limit_percent, r->err);
    if (st == PP_OK && slo->limit_percent > 100)
        return expected(r, "0% to 100%");
    return pp_wrap(r->err, st, "'%s': at byte %d", r->start, (int)(r->at - r->start) + 1);
}

static pp_status read_slo(reader *r, pp_slo *slo)
{
    pp_status st;

    if (takes_name(r, "error-rate")) {
        slo->kind = PP_SLO_ERROR_RATE;
        return read_share(r, "<=", slo);
    }
    if (takes_name(r, "completion")) {
        slo->kind = PP_SLO_COMPLETION;
        return read_share(r, ">=", slo);
    }
    st = read_metric(r, slo);
    if (st == PP_OK)
        st = read_percentile(r, slo);
    return st == PP_OK ? read_duration(r, slo) : st;
}

pp_status pp_slo_parse(pp_arena *arena, pp_text text, pp_slo *ret_slo, pp_error *err)
{
    pp_slo slo = {.text = pp_text_dup(arena, text)};
    reader r = {slo.text.data, slo.text.data, err};
    pp_status st = pp_arena_check(arena, err);

    if (st == PP_OK && strlen(r.start) != text.size)
        st = pp_fail(err, PP_ERR_USAGE, "'%s': holds a NUL", r.start);
    if (st == PP_OK)
        st = read_slo(&r, &slo);
    if (st == PP_OK)
        *ret_slo = slo;
    return pp_wrap(err, st, "SLO");
}

static bool same_subject(const pp_slo *a, const pp_slo *b)
{
    if (a->kind != b->kind)
        return false;
    if (a->kind == PP_SLO_ERROR_RATE || a->kind == PP_SLO_COMPLETION)
        return true;
    return a->metric == b->metric && (a->kind == PP_SLO_EACH || a->percent == b->percent);
}

pp_status pp_slo_add(pp_slo *slos, size_t *count, const pp_slo *slo, pp_error *err)
{
    for (size_t i = 0; i < *count; i++) {
        if (!same_subject(&slos[i], slo))
            continue;
        if (slos[i].limit_ns == slo->limit_ns && slos[i].limit_percent == slo->limit_percent)
            return PP_OK;
        return pp_fail(err, PP_ERR_USAGE, "SLO: '%s' and '%s' limit the same thing",
                       slos[i].text.data, slo->text.data);
    }
    if (*count == PP_SLO_MAX)
        return pp_fail(err, PP_ERR_USAGE, "SLO: more than %d", PP_SLO_MAX);
    slos[(*count)++] = *slo;
    return PP_OK;
}

const pp_slo *pp_slo_limit_of_each(const pp_slo *slos, size_t count, pp_load_metric metric)
{
    const pp_slo *found = NULL;

    for (size_t i = 0; i < count; i++) {
        if (slos[i].kind > PP_SLO_EACH || slos[i].metric != metric)
            continue;
        if (slos[i].kind == PP_SLO_EACH)
            return &slos[i];
        if (found == NULL || slos[i].percent > found->percent)
            found = &slos[i];
    }
    return found;
}
