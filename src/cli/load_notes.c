#include "cli/load_notes.h"

#include <string.h>

#include "capacity/slo_sequential.h"
#include "cli/table.h"

typedef struct writer {
    pp_arena *arena;
    const pp_load_report *report;
    FILE *out;
} writer;

const char *pp_load_level_text(pp_arena *arena, const pp_load_level *level)
{
    if (level->loop == PP_LOAD_CLOSED)
        return pp_arena_printf(arena, "%lld client%s", (long long)level->clients,
                               level->clients == 1 ? "" : "s");
    if (level->loop == PP_LOAD_TRACE)
        return "trace";
    return pp_arena_printf(arena, "%s/s", pp_number_text(arena, level->rate_per_second));
}

static const char *title(const writer *w, size_t level)
{
    return pp_load_level_text(w->arena, &w->report->levels[level].asked);
}

static const pp_level_summary *summary(const writer *w, size_t level)
{
    return &w->report->levels[level].summary;
}

/* "a, b" of a list that grows; NULL, once memory was short. */
static const char *joined(pp_arena *arena, const char *list, const char *next)
{
    if (list == NULL || next == NULL || list[0] == '\0')
        return list == NULL ? NULL : next;
    return pp_arena_printf(arena, "%s, %s", list, next);
}

static const char *percent_text(pp_arena *arena, pp_maybe_real percent)
{
    const char *number = percent.known ? pp_number_text(arena, percent.value) : "-";

    return number == NULL ? "" : number;
}

/* ---- demands -------------------------------------------------------------------------------- */

/* More are over than may be: what would decide is not a run of good ones. */
static bool looks_missed(const pp_slo_result *r)
{
    return r->slo->kind == PP_SLO_PERCENTILE && r->seen_percent.known &&
           r->seen_percent.value > 100 - r->slo->percent;
}

static const char *because(pp_arena *arena, const pp_slo_result *r)
{
    if (r->reason == PP_SLO_REASON_NONE)
        return "";
    if (r->reason == PP_SLO_REASON_TOO_FEW && looks_missed(r))
        return "; looks missed, and more requests would show it";
    if (r->reason == PP_SLO_REASON_NO_REQUESTS && r->undefined_count > 0)
        return pp_arena_printf(arena, "; %lld ended well, and none has this measure",
                               (long long)r->undefined_count);
    if (r->needed_more_count.known)
        return pp_arena_printf(arena, "; %lld requests would decide if %s is over",
                               (long long)(r->counted + r->needed_more_count.value),
                               r->violation_count == 0 ? "none" : "no other one");
    return pp_arena_printf(arena, "; %s", pp_slo_reason_name(r->reason));
}

static const char *dependent_text(pp_arena *arena, const pp_slo_result *r)
{
    if (!r->is_dependent)
        return "";
    return pp_arena_printf(arena, "; neighbours are alike (%s), worth %lld requests",
                           percent_text(arena, r->autocorrelation), (long long)r->effective_count);
}

static const char *result_text(pp_arena *arena, const pp_slo_result *r)
{
    const char *counted;

    if (r->slo->kind == PP_SLO_PERCENTILE)
        counted = pp_arena_printf(arena, "%lld of %lld over (%s %%)", (long long)r->violation_count,
                                  (long long)r->counted, percent_text(arena, r->seen_percent));
    else
        counted = pp_arena_printf(arena, "%s %% of %lld, not ruled out %s %%",
                                  percent_text(arena, r->seen_percent), (long long)r->counted,
                                  percent_text(arena, r->bound_percent));
    return pp_arena_printf(arena, "%s: %s%s%s", pp_slo_verdict_name(r->verdict),
                           counted == NULL ? "" : counted, dependent_text(arena, r),
                           because(arena, r));
}

static const pp_slo_result *result_of(const pp_level_summary *s, const pp_slo *slo)
{
    for (size_t i = 0; i < s->result_count; i++)
        if (pp_text_equal(s->results[i].slo->text, slo->text))
            return &s->results[i];
    return NULL;
}

/* Titles of up to 9 characters fill the column of labels; one that fills it wholly needs a blank.
 */
static void print_under(const writer *w, const char *label, const char *text)
{
    if (label != NULL && strlen(label) == 10)
        label = pp_arena_printf(w->arena, "%s ", label);
    pp_note_print(label == NULL ? "" : label, text, w->out);
}

/* By which rule it was judged. */
static const char *demand_text(const writer *w, const pp_slo *slo)
{
    const char *text = pp_table_cell_text(w->arena, slo->text, 60);
    pp_sprt test;

    if (slo->kind != PP_SLO_PERCENTILE)
        return text;
    if (!w->report->rules.stop_early)
        return pp_arena_printf(w->arena, "%s, at %s %% confidence", text,
                               pp_number_text(w->arena, 100 * w->report->rules.confidence));
    test = pp_slo_sequential_test(slo);
    return pp_arena_printf(w->arena,
                           "%s, sequential test of %s %% over against %s %%, errors %s %% each",
                           text, pp_number_text(w->arena, 100 * test.bad_share),
                           pp_number_text(w->arena, 100 * test.good_share),
                           pp_number_text(w->arena, 100 * test.false_accept));
}

static void print_demand(const writer *w, const pp_slo *slo)
{
    pp_note_print("demand", demand_text(w, slo), w->out);
    for (size_t i = 0; i < w->report->level_count; i++) {
        const pp_slo_result *r = result_of(summary(w, i), slo);

        if (r != NULL)
            print_under(w, title(w, i), result_text(w->arena, r));
    }
}

/* Demands on each request have no verdict; they say what is good. */
static void print_goodput(const writer *w)
{
    const char *list = "";

    for (size_t i = 0; i < w->report->level_count; i++) {
        const pp_level_summary *s = summary(w, i);
        const pp_load_window *window = s->steady.known ? &s->steady : &s->whole;

        if (!window->known || !window->good_per_second.known)
            continue;
        list = joined(w->arena, list,
                      pp_arena_printf(w->arena, "%s %s of %s/s", title(w, i),
                                      pp_number_text(w->arena, window->good_per_second.value),
                                      pp_number_text(w->arena, window->requests_per_second)));
    }
    if (list == NULL || list[0] != '\0')
        pp_note_print("goodput",
                      list == NULL ? NULL
                                   : pp_arena_printf(w->arena, "within every limit: %s", list),
                      w->out);
}

static void print_demands(const writer *w)
{
    const pp_load_rules *rules = &w->report->rules;

    for (size_t i = 0; i < rules->slo_count; i++)
        if (rules->slos[i].kind != PP_SLO_EACH)
            print_demand(w, &rules->slos[i]);
    print_goodput(w);
}

/* ---- doubts and notes ----------------------------------------------------------------------- */

/* In the order of the bits. */
static const char *const doubt_sentences[] = {
    "the wall clock was set while measuring",
    "this program was stopped or starved",
    "requests began late",
    "this program woke late for what had arrived",
    "this program used nearly all the CPU it could",
    "more requests were in flight than asked",
    "fewer requests, or slower, than drawn",
    "cold prompts were asked, and some came from the server's cache",
    "the server still worked on something else when the level began",
};
static const char *const note_sentences[] = {
    "beginnings and ends did not balance; a longer run would",
    "there was no time when all clients were at work",
    "requests in flight grew over the run: there, latency has no limit",
    "several events came at once; gaps between them are withheld",
    "the server does not say what came from its cache",
    "the server does not count tokens of every reply; events were counted",
    "some answers are not as long as asked",
    "stopped by a signal; this is what was measured",
    "given up: the first requests all failed alike",
    "no request ended well",
    "a warm-up request failed, and all had to complete",
    "fewer drafted tokens were accepted than in the first level",
};
_Static_assert(PP_COUNT_OF(doubt_sentences) == PP_DOUBT_COUNT, "a doubt without a sentence");
_Static_assert(PP_COUNT_OF(note_sentences) == PP_NOTE_COUNT, "a note without a sentence");

/* "1, 2, 4 clients": those whose bit is set. */
static const char *levels_with(const writer *w, unsigned bit, bool doubts)
{
    const char *list = "";
    const char *last = "";

    for (size_t i = 0; i < w->report->level_count; i++) {
        const pp_load_level *asked = &w->report->levels[i].asked;
        unsigned bits = doubts ? summary(w, i)->doubts : summary(w, i)->notes;

        if ((bits & bit) == 0)
            continue;
        if (asked->loop != PP_LOAD_CLOSED) {
            list = joined(w->arena, list, title(w, i));
            continue;
        }
        list = joined(w->arena, list, pp_arena_printf(w->arena, "%lld", (long long)asked->clients));
        last = list != NULL && strcmp(list, "1") == 0 ? " client" : " clients";
    }
    return list == NULL ? NULL : pp_arena_printf(w->arena, "%s%s", list, last);
}

static void print_bits(const writer *w, bool doubts)
{
    const char *(*name)(size_t n) = doubts ? pp_load_doubt_name : pp_load_note_name;

    for (size_t n = 0; name(n) != NULL; n++) {
        const char *levels = levels_with(w, 1u << n, doubts);

        if (levels != NULL && levels[0] == '\0')
            continue;
        pp_note_print(doubts ? "not valid" : "note",
                      pp_arena_printf(w->arena, "%s: %s (%s)", levels == NULL ? "" : levels,
                                      doubts ? doubt_sentences[n] : note_sentences[n], name(n)),
                      w->out);
    }
}

/* ---- failures, cuts, server ----------------------------------------------------------------- */

static const char *failures_text(const writer *w, const pp_level_summary *s)
{
    const char *list = "";

    for (size_t i = 0; i < PP_FAILURE_COUNT; i++)
        if (i != PP_FAILURE_NONE && i != PP_FAILURE_CUT && s->failures[i] > 0)
            list = joined(w->arena, list,
                          pp_arena_printf(w->arena, "%lld %s", (long long)s->failures[i],
                                          pp_failure_name((pp_failure)i)));
    return list;
}

static void print_failures(const writer *w)
{
    for (size_t i = 0; i < w->report->level_count; i++)
        if (summary(w, i)->failed_count > 0)
            pp_note_print(
                "failed",
                pp_arena_printf(w->arena, "%s: %s", title(w, i), failures_text(w, summary(w, i))),
                w->out);
}

static void print_cuts(const writer *w)
{
    const char *list = "";

    for (size_t i = 0; i < w->report->level_count; i++)
        if (summary(w, i)->cut_count > 0)
            list = joined(w->arena, list,
                          pp_arena_printf(w->arena, "%s %lld", title(w, i),
                                          (long long)summary(w, i)->cut_count));
    if (list == NULL || list[0] != '\0')
        pp_note_print("cut",
                      pp_arena_printf(w->arena, "in flight when the level ended: %s",
                                      list == NULL ? "" : list),
                      w->out);
}

static void print_cache(const writer *w)
{
    const char *list = "";

    for (size_t i = 0; i < w->report->level_count; i++) {
        const pp_load_cache *cache = &summary(w, i)->cache;

        if (cache->cached_tokens > 0 && cache->cached_percent.known)
            list = joined(w->arena, list,
                          pp_arena_printf(w->arena, "%s %s %%", title(w, i),
                                          percent_text(w->arena, cache->cached_percent)));
    }
    if (list == NULL || list[0] != '\0')
        pp_note_print("cache",
                      pp_arena_printf(w->arena, "tokens of prompts that came from it: %s",
                                      list == NULL ? "" : list),
                      w->out);
}

/* "31.0 % of 4096 drafted tokens (28.1 to 34.0)". */
static const char *acceptance_text(pp_arena *arena, const pp_load_speculation *s)
{
    const char *text =
        pp_arena_printf(arena, "%.1f %% of %lld drafted tokens", 100 * s->acceptance_ratio.value,
                        (long long)s->drafted_tokens);

    if (!s->low_ratio.known || text == NULL)
        return text;
    return pp_arena_printf(arena, "%s (%.1f to %.1f)", text, 100 * s->low_ratio.value,
                           100 * s->high_ratio.value);
}

static void print_drafts(const writer *w)
{
    bool first = true;

    for (size_t i = 0; i < w->report->level_count; i++) {
        const pp_load_speculation *s = &summary(w, i)->speculation;

        if (!s->acceptance_ratio.known)
            continue;
        if (first)
            pp_note_print("drafts", "what was accepted of them", w->out);
        print_under(w, title(w, i), acceptance_text(w->arena, s));
        first = false;
    }
}

/* "4 clients: 31.0 % of 4096 drafted tokens (28.1 to 34.0)"; NULL: memory was short. */
static const char *acceptance_of_level(pp_arena *arena, const pp_load_report_level *level)
{
    const char *name = pp_load_level_text(arena, &level->asked);
    const char *text = acceptance_text(arena, &level->summary.speculation);

    return name == NULL || text == NULL ? NULL : pp_arena_printf(arena, "%s: %s", name, text);
}

void pp_load_warnings_print(pp_arena *arena, const pp_load_report *report, FILE *out)
{
    const pp_load_report_level *first = pp_load_report_first_drafting(report);

    for (size_t i = 0; first != NULL && i < report->level_count; i++) {
        const pp_load_report_level *level = &report->levels[i];
        const char *there, *here;

        if ((level->summary.notes & PP_NOTE_DRAFT_ACCEPTANCE_FELL) == 0)
            continue;
        here = acceptance_of_level(arena, level);
        there = acceptance_of_level(arena, first);
        if (here != NULL && there != NULL)
            fprintf(out, "note: accepted with %s; with %s (draft-acceptance-fell)\n", here, there);
    }
}

#define MIB (1024.0 * 1024.0)

static const char *cores_text(const writer *w)
{
    const char *list = "";

    for (size_t i = 0; i < w->report->level_count; i++) {
        const pp_load_observed *o = &w->report->levels[i].observed;
        double seconds = ((double)o->ended_at_ns - (double)o->measured_at_ns) / 1e9;

        if (o->server.cpu_seconds.known && seconds > 0)
            list = joined(
                w->arena, list,
                pp_arena_printf(w->arena, "%s %s", title(w, i),
                                pp_number_text(w->arena, o->server.cpu_seconds.value / seconds)));
    }
    return list;
}

static int64_t issued_in_all(const writer *w)
{
    int64_t count = 0;

    for (size_t i = 0; i < w->report->level_count; i++)
        count += w->report->levels[i].summary.issued_count;
    return count;
}

/* Growth has its share of a request beside it, since caches of prompts grow so (B134); the highest
 * figure may be of the time before the first request (B136, B137). */
static void print_memory(const writer *w, const pp_load_server_use *first,
                         const pp_load_server_use *last)
{
    double start = (double)first->rss_start_bytes.value / MIB;
    double end = (double)last->rss_end_bytes.value / MIB;
    int64_t count = issued_in_all(w);
    const char *text =
        pp_arena_printf(w->arena, "of the server: %s MiB when measuring began, %s MiB at the end",
                        pp_number_text(w->arena, start), pp_number_text(w->arena, end));

    if (count > 0 && text != NULL)
        text = pp_arena_printf(w->arena, "%s (%+.2f MiB a request)", text,
                               (end - start) / (double)count);
    if (last->rss_peak_bytes.known && text != NULL)
        text = pp_arena_printf(w->arena, "%s; highest since it started %s MiB", text,
                               pp_number_text(w->arena, (double)last->rss_peak_bytes.value / MIB));
    pp_note_print("memory", text, w->out);
}

/* Of the process that --pid named. */
static void print_server(const writer *w)
{
    size_t n = w->report->level_count;
    const pp_load_server_use *first = n == 0 ? NULL : &w->report->levels[0].observed.server;
    const pp_load_server_use *last = n == 0 ? NULL : &w->report->levels[n - 1].observed.server;
    const char *cores = cores_text(w);

    if (first != NULL && first->rss_start_bytes.known && last->rss_end_bytes.known)
        print_memory(w, first, last);
    if (cores == NULL || cores[0] != '\0')
        pp_note_print(
            "CPU",
            pp_arena_printf(w->arena, "cores that the server used: %s", cores == NULL ? "" : cores),
            w->out);
}

/* ---- saturation and search ------------------------------------------------------------------ */

static const char *load_text(pp_arena *arena, double load, bool whole)
{
    return whole ? pp_arena_printf(arena, "%s client%s", pp_number_text(arena, load),
                                   load == 1 ? "" : "s")
                 : pp_arena_printf(arena, "%s/s", pp_number_text(arena, load));
}

static const char *clients_at(pp_arena *arena, const pp_report_saturation *s, pp_maybe_int level)
{
    return level.known ? load_text(arena, s->points[level.value].clients, true) : "no level";
}

static const char *knee_text(pp_arena *arena, const pp_scalability *curve)
{
    if (curve->state != PP_KNEE_KNOWN)
        return pp_arena_printf(arena, "cannot tell (%s)", pp_knee_state_name(curve->state));
    return pp_arena_printf(
        arena, "%s clients, 95 %% interval %s to %s", pp_number_text(arena, curve->knee_clients),
        pp_number_text(arena, curve->knee_low), pp_number_text(arena, curve->knee_high));
}

static void print_saturation(const writer *w, const pp_report_saturation *s)
{
    if (!s->known)
        return;
    pp_note_print("saturated",
                  pp_arena_printf(w->arena,
                                  "first to gain under 10 %% on the level before it: %s (%s/s, %s)",
                                  clients_at(w->arena, s, s->result.gain_level),
                                  s->of_tokens ? "tokens" : "requests",
                                  s->of_steady ? "steady windows" : "whole runs"),
                  w->out);
    pp_note_print("",
                  pp_arena_printf(w->arena, "first within 5 %% of the peak: %s",
                                  clients_at(w->arena, s, s->result.near_level)),
                  w->out);
    pp_note_print("",
                  pp_arena_printf(w->arena, "knee of the fitted curve: %s",
                                  knee_text(w->arena, &s->result.curve)),
                  w->out);
}

/* No "-0.0" of what rounds to nothing. */
static double shown_percent(double percent)
{
    return percent > -0.05 && percent < 0.05 ? 0 : percent;
}

/* "ttft +52 % (50 to 54)" */
static const char *change_text(pp_arena *arena, size_t measure, const pp_drift_change *c)
{
    const char *name = pp_drift_measure_name(measure);

    if (!c->percent.known)
        return "";
    if (!c->low_percent.known || !c->high_percent.known)
        return pp_arena_printf(arena, "%s %+.1f %%, of too few requests", name,
                               shown_percent(c->percent.value));
    return pp_arena_printf(arena, "%s %+.1f %% (%+.1f to %+.1f)", name,
                           shown_percent(c->percent.value), shown_percent(c->low_percent.value),
                           shown_percent(c->high_percent.value));
}

static const char *drift_text(pp_drift_verdict verdict)
{
    switch (verdict) {
    case PP_DRIFT_NONE:
        return "none that matters: the levels may be compared";
    case PP_DRIFT_SEEN:
        return "SEEN: the server changed while the levels ran, so they must not be compared";
    case PP_DRIFT_UNDECIDED:
        break;
    }
    return "undecided: more requests in each level would tell, where the levels are valid";
}

static void print_drift(const writer *w)
{
    const char *list = "";
    pp_drift drift;

    if (!pp_load_report_drift(w->report, &drift))
        return;
    for (size_t i = 0; i < PP_DRIFT_MEASURE_COUNT; i++) {
        const char *text = change_text(w->arena, i, &drift.changes[i]);

        if (text != NULL && text[0] != '\0')
            list = joined(w->arena, list, text);
    }
    pp_note_print("drift", drift_text(drift.verdict), w->out);
    if (list != NULL && list[0] != '\0')
        print_under(w, NULL, pp_arena_printf(w->arena, "last level against the first: %s", list));
}

static const char *find_end_text(pp_find_end end)
{
    switch (end) {
    case PP_FIND_GOES_ON:
        return "the search was not finished";
    case PP_FIND_RESOLVED:
        return "nothing between them is left to try";
    case PP_FIND_UNDECIDED:
        return "what is between them needs more requests in each level (--requests, --duration)";
    case PP_FIND_NEVER_FAILED:
        return "nothing that was to be tried failed";
    case PP_FIND_NEVER_PASSED:
        return "nothing that was to be tried passed";
    case PP_FIND_PROBES_SPENT:
        break;
    }
    return "all levels that a search may try are spent";
}

static const char *undecided_text(pp_arena *arena, const pp_find_options *options,
                                  const pp_find_answer *a)
{
    const char *list = "";

    for (size_t i = 0; i < a->undecided_count; i++)
        list = joined(arena, list, pp_number_text(arena, a->undecided[i]));
    if (list == NULL || list[0] == '\0')
        return "";
    return pp_arena_printf(arena, "; undecided: %s%s", list, options->whole ? "" : " (/s)");
}

static const char *maybe_load(pp_arena *arena, pp_maybe_real load, bool whole)
{
    const char *text = load.known ? load_text(arena, load.value, whole) : "none";

    return text == NULL ? "" : text;
}

static void print_find(const writer *w, const pp_find_options *options, const pp_find_answer *a)
{
    pp_note_print("search",
                  pp_arena_printf(w->arena, "highest that passed: %s; lowest that failed: %s%s",
                                  maybe_load(w->arena, a->highest_pass, options->whole),
                                  maybe_load(w->arena, a->lowest_fail, options->whole),
                                  undecided_text(w->arena, options, a)),
                  w->out);
    pp_note_print("", find_end_text(a->end), w->out);
    if (a->is_contradictory)
        pp_note_print("", "a load above one that failed passed: there is not one limit", w->out);
}

/* ---- all of it ------------------------------------------------------------------------------ */

static void print_origin(const writer *w)
{
    pp_origin origin = w->report->run.origin;

    pp_note_print(
        "origin",
        pp_arena_printf(w->arena, "%s: %s", pp_origin_name(origin), pp_origin_meaning(origin)),
        w->out);
}

pp_status pp_load_notes_print(pp_arena *arena, const pp_load_report *report, const char *failure,
                              FILE *out, pp_error *err)
{
    writer w = {arena, report, out};
    pp_report_saturation saturation;
    pp_find_answer answer;
    pp_status st = pp_load_report_saturation(arena, report, &saturation, err);

    if (st == PP_OK && report->find != NULL)
        st = pp_load_report_find(report, &answer, err);
    if (st != PP_OK)
        return st;
    print_demands(&w);
    print_bits(&w, true);
    print_failures(&w);
    if (failure != NULL)
        pp_note_print("", failure, out);
    print_cuts(&w);
    print_bits(&w, false);
    print_cache(&w);
    print_drafts(&w);
    print_server(&w);
    print_saturation(&w, &saturation);
    print_drift(&w);
    if (report->find != NULL)
        print_find(&w, report->find, &answer);
    if (report->is_partial)
        pp_note_print("partial", "not all that was asked was done", out);
    print_origin(&w);
    return pp_arena_check(arena, err);
}
