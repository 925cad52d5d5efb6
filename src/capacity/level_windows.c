/* Rates over windows, Little's law, and whether the server kept up. */
#include <math.h>

#include "capacity/level_parts.h"

static const char *const steady_names[] = {"known", "no-requests", "never-all-running",
                                           "no-length"};

const char *pp_steady_name(pp_steady steady)
{
    return (size_t)steady < PP_COUNT_OF(steady_names) ? steady_names[steady] : "unknown";
}

typedef struct span {
    double from_ns, to_ns;
} span;

/* ---- goodput -------------------------------------------------------------------------------- */

static bool has_limits(const pp_load_rules *rules)
{
    for (size_t i = 0; i < rules->slo_count; i++)
        if (rules->slos[i].kind <= PP_SLO_EACH)
            return true;
    return false;
}

/* Ended well, within the limit of every metric that has one. What is undefined breaks no limit. */
static bool is_good(const pp_level_view *view, const pp_sample *sample)
{
    for (int i = 0; i < PP_METRIC_COUNT; i++) {
        const pp_slo *limit =
            pp_slo_limit_of_each(view->rules->slos, view->rules->slo_count, (pp_load_metric)i);
        double ns;

        if (limit != NULL && pp_load_metric_ns(sample, (pp_load_metric)i, view->from_due, &ns) &&
            ns > (double)limit->limit_ns)
            return false;
    }
    return true;
}

/* ---- windows -------------------------------------------------------------------------------- */

static int64_t tokens_of(const pp_sample *sample)
{
    return sample->generated_tokens.known ? sample->generated_tokens.value : 0;
}

static void put_rates(const pp_level_view *view, pp_load_window *w)
{
    double seconds = (w->to_ms - w->from_ms) / 1e3;

    w->known = seconds > 0;
    if (!w->known)
        return;
    w->requests_per_second = (double)w->ended_count / seconds;
    w->tokens_per_second = (double)w->generated_tokens / seconds;
    if (has_limits(view->rules))
        w->good_per_second = pp_known_real((double)w->good_count / seconds);
}

/* As the original counts: every sample makes the window longer, and its tokens count. */
static void put_whole(const pp_level_view *view, pp_load_window *w)
{
    span all = {INFINITY, -INFINITY};

    for (size_t i = 0; i < view->issued_count; i++) {
        const pp_sample *s = view->issued[i];

        all.from_ns = fmin(all.from_ns, (double)s->started_ns);
        all.to_ns = fmax(all.to_ns, pp_sample_end_ns(s));
        w->generated_tokens += tokens_of(s);
        w->ended_count += pp_sample_is_ok(s);
        w->good_count += pp_sample_is_ok(s) && is_good(view, s);
    }
    if (view->issued_count == 0)
        return;
    w->from_ms = all.from_ns / 1e6;
    w->to_ms = all.to_ns / 1e6;
    put_rates(view, w);
}

/* From the instant when every client has begun and the ramp is over to the last start: from then on
 * clients fall idle. Open loop and trace: from the end of the ramp, likewise to the last start. */
static pp_steady steady_span(const pp_level_view *view, span *ret_span)
{
    size_t clients = view->level->loop == PP_LOAD_CLOSED ? (size_t)view->level->clients : 1;

    if (view->issued_count == 0)
        return PP_STEADY_NO_REQUESTS;
    if (clients == 0 || view->issued_count < clients)
        return PP_STEADY_NEVER_ALL_RUNNING;
    ret_span->from_ns = fmax((double)view->issued[clients - 1]->started_ns, view->ramp_end_ns);
    ret_span->to_ns = (double)view->issued[view->issued_count - 1]->started_ns;
    return ret_span->to_ns > ret_span->from_ns ? PP_STEADY_KNOWN : PP_STEADY_NO_LENGTH;
}

static void put_steady(const pp_level_view *view, pp_level_summary *out)
{
    pp_load_window *w = &out->steady;
    span steady;

    out->steady_state = steady_span(view, &steady);
    if (out->steady_state != PP_STEADY_KNOWN)
        return;
    w->from_ms = steady.from_ns / 1e6;
    w->to_ms = steady.to_ns / 1e6;
    for (size_t i = 0; i < view->issued_count; i++) {
        const pp_sample *s = view->issued[i];
        double end_ns = pp_sample_last_text_ns(s);

        if (!pp_sample_is_ok(s) || end_ns <= steady.from_ns || end_ns > steady.to_ns)
            continue;
        w->ended_count++;
        w->good_count += is_good(view, s);
        w->generated_tokens += tokens_of(s);
    }
    put_rates(view, w);
}

void pp_level_put_windows(const pp_level_view *view, pp_level_summary *out)
{
    put_whole(view, &out->whole);
    put_steady(view, out);
}

/* ---- Little's law --------------------------------------------------------------------------- */

/* How much of [from, to] lies in the span. */
static double shared_ns(double from_ns, double to_ns, span window)
{
    double shared = fmin(to_ns, window.to_ns) - fmax(from_ns, window.from_ns);

    return shared > 0 ? shared : 0;
}

void pp_level_put_little(const pp_level_view *view, pp_level_summary *out)
{
    pp_little *little = &out->little;
    span window;
    double busy_ns = 0;
    double residence_ns = 0;
    size_t ended = 0;

    if (steady_span(view, &window) != PP_STEADY_KNOWN)
        return;
    for (size_t i = 0; i < view->issued_count; i++) {
        const pp_sample *s = view->issued[i];
        double end_ns = pp_sample_end_ns(s);

        busy_ns += shared_ns((double)s->started_ns, end_ns, window);
        if (end_ns > window.from_ns && end_ns <= window.to_ns) {
            residence_ns += (double)s->stream_end_ns;
            ended++;
        }
    }
    if (ended == 0 || busy_ns <= 0)
        return;
    little->known = true;
    little->in_flight_mean = busy_ns / (window.to_ns - window.from_ns);
    little->ended_per_second = (double)ended * 1e9 / (window.to_ns - window.from_ns);
    little->residence_ms_mean = residence_ns / (double)ended / 1e6;
    little->deviation_percent = 100.0 * fabs(residence_ns - busy_ns) / busy_ns;
    little->is_steady = little->deviation_percent <= view->rules->steady_deviation_percent_max;
}

/* ---- open loop ------------------------------------------------------------------------------ */

/* n - 1 intervals of a list that spans so much. */
static pp_maybe_real rate_of(size_t n, double span_ns)
{
    if (n < 2 || !(span_ns > 0))
        return (pp_maybe_real){0};
    return pp_known_real((double)(n - 1) * 1e9 / span_ns);
}

static span due_span(const pp_level_view *view)
{
    span due = {INFINITY, -INFINITY};

    for (size_t i = 0; i < view->issued_count; i++) {
        due.from_ns = fmin(due.from_ns, (double)view->issued[i]->scheduled_ns);
        due.to_ns = fmax(due.to_ns, (double)view->issued[i]->scheduled_ns);
    }
    return due;
}

static double mean_waiting(const pp_level_view *view, span window)
{
    double busy_ns = 0;

    for (size_t i = 0; i < view->issued_count; i++)
        busy_ns += shared_ns((double)view->issued[i]->scheduled_ns,
                             pp_sample_end_ns(view->issued[i]), window);
    return busy_ns / (window.to_ns - window.from_ns);
}

/* A server that keeps up has as many in flight in the last third as in the one before, but for
 * chance, which for n arrivals is of the order of sqrt(n). */
static bool has_grown(const double thirds[3], double arrivals_of_third)
{
    return thirds[1] > 1.25 * thirds[0] && thirds[2] > 1.25 * thirds[1] &&
           thirds[2] - thirds[1] > sqrt(arrivals_of_third);
}

static void put_overload(const pp_level_view *view, span due, pp_load_rate *rate)
{
    double from_ns = fmax(due.from_ns, view->ramp_end_ns);
    double third_ns = (due.to_ns - from_ns) / 3;

    if (!(third_ns > 0))
        return;
    for (int i = 0; i < 3; i++)
        rate->in_flight_thirds[i] =
            mean_waiting(view, (span){from_ns + i * third_ns, from_ns + (i + 1) * third_ns});
    rate->in_flight_known = true;
    rate->is_overloaded = has_grown(rate->in_flight_thirds, (double)view->judged_count / 3);
}

void pp_level_put_rate(const pp_level_view *view, pp_level_summary *out)
{
    size_t n = view->issued_count;
    span due;

    if (view->level->loop == PP_LOAD_CLOSED)
        return;
    if (view->level->loop == PP_LOAD_OPEN)
        out->rate.asked_per_second = pp_known_real(view->level->rate_per_second);
    if (n == 0)
        return;
    due = due_span(view);
    out->rate.drawn_per_second = rate_of(n, due.to_ns - due.from_ns);
    out->rate.delivered_per_second =
        rate_of(n, (double)view->issued[n - 1]->started_ns - (double)view->issued[0]->started_ns);
    put_overload(view, due, &out->rate);
}
