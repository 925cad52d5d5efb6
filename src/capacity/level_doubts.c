/* Whether the figures of a level may be believed, and what a reader should know of them. */
#include "capacity/level_parts.h"

static const char *const doubt_names[] = {
    "clock-set",       "stalled",           "late",     "client-lag", "client-cpu",
    "in-flight-above", "schedule-not-kept", "not-cold", "polluted",
};
static const char *const note_names[] = {
    "not-steady",     "no-steady-window", "overloaded",     "gathered",
    "cold-not-shown", "tokens-estimated", "wrong-length",   "interrupted",
    "hopeless",       "all-failed",       "warm-up-failed", "draft-acceptance-fell",
};
_Static_assert(PP_COUNT_OF(doubt_names) == PP_DOUBT_COUNT, "a doubt without a name");
_Static_assert(PP_COUNT_OF(note_names) == PP_NOTE_COUNT, "a note without a name");

const char *pp_load_doubt_name(size_t n)
{
    return n < PP_DOUBT_COUNT ? doubt_names[n] : NULL;
}

const char *pp_load_note_name(size_t n)
{
    return n < PP_NOTE_COUNT ? note_names[n] : NULL;
}

static void set_if(unsigned *bits, unsigned bit, bool condition)
{
    if (condition)
        *bits |= bit;
}

/* ---- the client ----------------------------------------------------------------------------- */

/* The percentiles of the rules need not hold 99. */
static double lateness_ms_p99(const pp_level_view *view)
{
    for (size_t i = 0; i < view->judged_count; i++)
        view->values[i] =
            ((double)view->judged[i]->started_ns - (double)view->judged[i]->scheduled_ns) / 1e6;
    pp_samples_sort(view->values, view->judged_count);
    return pp_tail_of(view->values, view->judged_count, 99).value;
}

static double client_lag_ms_p99(const pp_level_view *view)
{
    size_t count = 0;

    for (size_t i = 0; i < view->judged_count; i++)
        if (view->judged[i]->client_lag_ns_p99.known)
            view->values[count++] = (double)view->judged[i]->client_lag_ns_p99.value / 1e6;
    pp_samples_sort(view->values, count);
    return pp_tail_of(view->values, count, 99).value;
}

static pp_maybe_real cpu_share_of(const pp_load_observed *o)
{
    double seconds = ((double)o->ended_at_ns - (double)o->measured_at_ns) / 1e9;

    if (!(seconds > 0) || o->worker_count < 1)
        return (pp_maybe_real){0};
    return pp_known_real(o->client_cpu_seconds / seconds / (double)o->worker_count);
}

/* Stopped on purpose, or because nothing answers: then the schedule was not there to be kept. */
static bool was_given_up(const pp_load_observed *o)
{
    return o->ended_by == PP_LOAD_END_INTERRUPTED || o->ended_by == PP_LOAD_END_HOPELESS ||
           o->ended_by == PP_LOAD_END_WARMUP;
}

static bool schedule_not_kept(const pp_level_view *view, const pp_level_summary *s)
{
    const pp_load_rate *rate = &s->rate;

    if (view->level->loop == PP_LOAD_CLOSED)
        return false;
    if (!was_given_up(view->observed) && view->observed->planned_count.known &&
        s->issued_count < view->observed->planned_count.value)
        return true;
    return rate->drawn_per_second.known &&
           (!rate->delivered_per_second.known ||
            rate->delivered_per_second.value <
                view->rules->delivered_share_min * rate->drawn_per_second.value);
}

static int64_t flagged(const pp_level_summary *s, pp_sample_flag flag)
{
    size_t i = 0;

    while (1u << i != (unsigned)flag)
        i++;
    return s->flags[i];
}

/* ---- the prompts ---------------------------------------------------------------------------- */

static void put_cache(const pp_level_view *view, pp_level_summary *out)
{
    pp_load_cache *cache = &out->cache;
    int64_t untold = 0;

    for (size_t i = 0; i < view->issued_count; i++) {
        const pp_sample *s = view->issued[i];

        if (!s->cached_tokens.known || !s->prompt_tokens.known) {
            untold += pp_sample_is_ok(s) && (s->flags & PP_SAMPLE_PROMPT_CACHED) == 0;
            cache->cached_request_count += (s->flags & PP_SAMPLE_PROMPT_CACHED) != 0;
            continue;
        }
        cache->told_count++;
        cache->cached_request_count += s->cached_tokens.value > 0;
        cache->prompt_tokens += s->prompt_tokens.value;
        cache->cached_tokens += s->cached_tokens.value;
    }
    if (cache->prompt_tokens > 0)
        cache->cached_percent =
            pp_known_real(100.0 * (double)cache->cached_tokens / (double)cache->prompt_tokens);
    if (cache->cached_request_count > 0)
        cache->is_cold = pp_known_bool(false);
    else if (untold == 0 && cache->told_count > 0)
        cache->is_cold = pp_known_bool(true);
}

/* ---- all of it ------------------------------------------------------------------------------ */

static void put_notes(const pp_level_view *view, pp_level_summary *out)
{
    unsigned *notes = &out->notes;
    pp_load_end end = view->observed->ended_by;

    set_if(notes, PP_NOTE_NOT_STEADY, out->little.known && !out->little.is_steady);
    set_if(notes, PP_NOTE_NO_STEADY_WINDOW, out->steady_state != PP_STEADY_KNOWN);
    set_if(notes, PP_NOTE_OVERLOADED, out->rate.is_overloaded);
    set_if(notes, PP_NOTE_GATHERED, out->gaps_withheld);
    set_if(notes, PP_NOTE_COLD_NOT_SHOWN, view->rules->cold && !out->cache.is_cold.known);
    set_if(notes, PP_NOTE_INTERRUPTED, end == PP_LOAD_END_INTERRUPTED);
    set_if(notes, PP_NOTE_HOPELESS, end == PP_LOAD_END_HOPELESS);
    set_if(notes, PP_NOTE_ALL_FAILED, out->failed_count > 0 && out->ok_count == 0);
    set_if(notes, PP_NOTE_WARMUP_FAILED, end == PP_LOAD_END_WARMUP);
    set_if(notes, PP_NOTE_TOKENS_ESTIMATED, flagged(out, PP_SAMPLE_TOKENS_ESTIMATED) > 0);
    set_if(notes, PP_NOTE_WRONG_LENGTH, flagged(out, PP_SAMPLE_WRONG_LENGTH) > 0);
}

void pp_level_put_doubts(const pp_level_view *view, pp_level_summary *out)
{
    const pp_load_rules *rules = view->rules;
    const pp_load_observed *o = view->observed;
    unsigned *doubts = &out->doubts;

    put_cache(view, out);
    out->client_cpu_share = cpu_share_of(o);
    set_if(doubts, PP_DOUBT_CLOCK_SET,
           o->clock_was_set || flagged(out, PP_SAMPLE_CLOCK_WAS_SET) > 0);
    set_if(doubts, PP_DOUBT_STALLED, (double)o->stall_ns_max / 1e6 > rules->stall_ms_max);
    set_if(doubts, PP_DOUBT_LATE, lateness_ms_p99(view) > rules->lateness_ms_p99_max);
    set_if(doubts, PP_DOUBT_CLIENT_LAG, client_lag_ms_p99(view) > rules->client_lag_ms_p99_max);
    set_if(doubts, PP_DOUBT_CLIENT_CPU, out->client_cpu_share.value > rules->client_cpu_share_max);
    set_if(doubts, PP_DOUBT_IN_FLIGHT,
           view->level->loop == PP_LOAD_CLOSED && o->in_flight_max > view->level->clients);
    set_if(doubts, PP_DOUBT_SCHEDULE_NOT_KEPT, schedule_not_kept(view, out));
    set_if(doubts, PP_DOUBT_NOT_COLD,
           rules->cold && out->cache.is_cold.known && !out->cache.is_cold.value);
    set_if(doubts, PP_DOUBT_POLLUTED, o->server_was_idle.known && !o->server_was_idle.value);
    put_notes(view, out);
}
