#include "cli/suite_table.h"

#include <string.h>

#include "cli/load_table.h"
#include "cli/table.h"

#define NAME_COLUMNS       20
#define GROUP_COLUMNS      20
#define ID_COLUMNS         24
#define GROUP_NAMES        6 /* endpoints beside each other in the table of groups */
#define GROUP_NAME_COLUMNS 11
/* Hundreds of misses help nobody; the report has them all. */
#define MAX_LISTED         40
/* "    said      " stands in front. */
#define SAID_COLUMNS       84

typedef struct printer {
    pp_arena *arena;
    const pp_suite_report *report;
    const pp_score *scores;
    const pp_pairing *pairs;
    FILE *out;
    bool marked_maximum;
} printer;

static const pp_suite_results *results_of(const printer *p, size_t endpoint)
{
    return &p->report->endpoints[endpoint].results;
}

static const char *name_of(const printer *p, size_t endpoint, size_t columns)
{
    return pp_table_cell_text(p->arena, p->report->endpoints[endpoint].name, columns);
}

static bool is_candidate(const printer *p, size_t endpoint)
{
    return p->report->has_reference && endpoint != p->report->reference;
}

/* Four digits behind the point: one case of 2,000 is 0.0005. */
static const char *share_text(const printer *p, pp_maybe_real share)
{
    return share.known ? pp_arena_printf(p->arena, "%.4f", share.value) : "-";
}

static const char *count_text(const printer *p, size_t count)
{
    return pp_arena_printf(p->arena, "%zu", count);
}

/* ---- scores ---------------------------------------------------------------------------------- */

static void set_pairing(printer *p, pp_table *table, size_t at, const pp_pairing *pair)
{
    pp_table_set(table, at, share_text(p, pair->retention));
    pp_table_set(table, at + 1,
                 pp_arena_printf(p->arena, "-%zu +%zu", pair->lost_count, pair->gained_count));
    pp_table_set(table, at + 2,
                 pair->mcnemar_p.known ? pp_number_text(p->arena, pair->mcnemar_p.value) : "-");
}

static void set_score(printer *p, pp_table *table, size_t endpoint)
{
    const pp_score_part *whole = &p->scores[endpoint].whole;
    size_t at = 4;

    pp_table_set(table, 0, name_of(p, endpoint, NAME_COLUMNS));
    pp_table_set(table, 1, share_text(p, whole->score));
    pp_table_set(
        table, 2,
        whole->lower.known && whole->upper.known
            ? pp_arena_printf(p->arena, "%.3f to %.3f", whole->lower.value, whole->upper.value)
            : "-");
    pp_table_set(table, 3, pp_arena_printf(p->arena, "%zu/%zu", whole->passed, whole->total));
    if (is_candidate(p, endpoint))
        set_pairing(p, table, at, &p->pairs[endpoint]);
    else if (p->report->has_reference)
        pp_table_set(table, at, "reference");
    at += p->report->has_reference ? 3 : 0;
    if (p->scores[endpoint].pass_count > 1)
        pp_table_set(table, at, count_text(p, whole->flipped));
}

static void print_scores(printer *p)
{
    pp_table table;

    pp_table_init(&table, p->arena);
    pp_table_add_column(&table, "endpoint", PP_ALIGN_LEFT);
    pp_table_add_column(&table, "score", PP_ALIGN_RIGHT);
    pp_table_add_column(&table, "95 % interval", PP_ALIGN_RIGHT);
    pp_table_add_column(&table, "passed", PP_ALIGN_RIGHT);
    if (p->report->has_reference) {
        pp_table_add_column(&table, "retention", PP_ALIGN_RIGHT);
        pp_table_add_column(&table, "lost, gained", PP_ALIGN_RIGHT);
        pp_table_add_column(&table, "McNemar p", PP_ALIGN_RIGHT);
    }
    if (p->scores[0].pass_count > 1)
        pp_table_add_column(&table, "flips", PP_ALIGN_RIGHT);
    for (size_t i = 0; i < p->report->endpoint_count && pp_table_add_row(&table); i++)
        set_score(p, &table, i);
    pp_table_print(&table, p->out);
}

/* ---- requests -------------------------------------------------------------------------------- */

static const char *time_text(printer *p, pp_maybe_real ms, bool is_maximum)
{
    if (!ms.known)
        return "-";
    p->marked_maximum = p->marked_maximum || is_maximum;
    return pp_arena_printf(p->arena, "%s%s", pp_load_time_text(p->arena, ms.value),
                           is_maximum ? "*" : "");
}

/* Absent as soon as one answer came without a count: a sum of some would look like one of all. */
static const char *tokens_text(printer *p, size_t endpoint, bool output)
{
    const pp_suite_results *results = results_of(p, endpoint);
    size_t n = results->pass_count * results->suite->case_count;
    int64_t sum = 0;
    bool any = false;

    for (size_t i = 0; i < n; i++) {
        const pp_case_result *result = &results->results[i];
        pp_maybe_int count = output ? result->output_tokens : result->prompt_tokens;

        if (result->outcome == PP_OUTCOME_FAILED)
            continue;
        if (!count.known || count.value > INT64_MAX - sum)
            return "-";
        sum += count.value;
        any = true;
    }
    return any ? pp_arena_printf(p->arena, "%lld", (long long)sum) : "-";
}

static pp_status set_requests(printer *p, pp_table *table, size_t endpoint, pp_error *err)
{
    const pp_suite_results *results = results_of(p, endpoint);
    pp_answer_latency latency;
    pp_status st = pp_answer_latency_of(p->arena, results, &latency, err);

    if (st != PP_OK)
        return st;
    pp_table_set(table, 0, name_of(p, endpoint, NAME_COLUMNS));
    pp_table_set(table, 1, count_text(p, latency.count));
    pp_table_set(table, 2, count_text(p, p->scores[endpoint].whole.failed_request_count));
    pp_table_set(table, 3, time_text(p, latency.ms_p50, false));
    pp_table_set(table, 4, time_text(p, latency.ms_p95, latency.p95_is_maximum));
    pp_table_set(table, 5, tokens_text(p, endpoint, false));
    pp_table_set(table, 6, tokens_text(p, endpoint, true));
    pp_table_set(table, 7, pp_origin_name(p->report->endpoints[endpoint].origin));
    return PP_OK;
}

static pp_status print_requests(printer *p, pp_error *err)
{
    static const char *const headers[] = {"\nendpoint",     "\nanswers",    "\nfailed",
                                          "latency\np50",   "latency\np95", "prompt\ntokens",
                                          "answer\ntokens", "\norigin"};
    pp_table table;
    pp_status st = PP_OK;

    pp_table_init(&table, p->arena);
    for (size_t i = 0; i < PP_COUNT_OF(headers); i++)
        pp_table_add_column(&table, headers[i], i == 0 || i == 7 ? PP_ALIGN_LEFT : PP_ALIGN_RIGHT);
    for (size_t i = 0; st == PP_OK && i < p->report->endpoint_count && pp_table_add_row(&table);
         i++)
        st = set_requests(p, &table, i, err);
    if (st != PP_OK)
        return st;
    fputc('\n', p->out);
    pp_table_print(&table, p->out);
    if (p->marked_maximum)
        pp_note_print("*", "the largest: so few answers do not support the percentile", p->out);
    return PP_OK;
}

/* ---- groups ---------------------------------------------------------------------------------- */

static void print_group_columns(printer *p, size_t first, size_t count)
{
    pp_table table;

    pp_table_init(&table, p->arena);
    pp_table_add_column(&table, "group", PP_ALIGN_LEFT);
    for (size_t i = 0; i < count; i++)
        pp_table_add_column(&table, name_of(p, first + i, GROUP_NAME_COLUMNS), PP_ALIGN_RIGHT);
    for (size_t g = 0; g < p->scores[0].group_count && pp_table_add_row(&table); g++) {
        pp_text group = p->scores[0].groups[g].group;

        pp_table_set(&table, 0,
                     group.size == 0 ? "(none)"
                                     : pp_table_cell_text(p->arena, group, GROUP_COLUMNS));
        for (size_t i = 0; i < count; i++) {
            const pp_score_part *part = &p->scores[first + i].groups[g];

            pp_table_set(&table, 1 + i,
                         pp_arena_printf(p->arena, "%zu/%zu", part->passed, part->total));
        }
    }
    fputc('\n', p->out);
    pp_table_print(&table, p->out);
}

static void print_groups(printer *p)
{
    size_t n = p->report->endpoint_count;

    if (p->scores[0].group_count == 0)
        return;
    for (size_t first = 0; first < n; first += GROUP_NAMES)
        print_group_columns(p, first, n - first < GROUP_NAMES ? n - first : GROUP_NAMES);
}

/* ---- cases one by one ------------------------------------------------------------------------ */

static void print_said(printer *p, const char *label, const pp_case_result *result)
{
    bool failed = result->outcome == PP_OUTCOME_FAILED;
    pp_text text = failed ? result->failure : result->answer;
    const char *shown =
        pp_table_cell_text(p->arena, text, failed ? SAID_COLUMNS : SAID_COLUMNS - 2);

    if (failed)
        fprintf(p->out, "    %-9s %s\n", label, shown);
    else if (text.size == 0)
        fprintf(p->out, "    %-9s nothing%s\n", label,
                pp_text_is(result->finish_reason, "length") ? " (its tokens ran out)" : "");
    else
        fprintf(p->out, "    %-9s \"%s\"\n", label, shown);
}

static void append_accepted(pp_buf *list, const pp_match_rule *rule)
{
    for (size_t i = 0; i < rule->accepted_count; i++) {
        pp_buf_append_text(list, list->size == 0 ? "" : " or ");
        pp_buf_append(list, rule->accepted[i].data, rule->accepted[i].size);
        pp_buf_printf(list, " (%s)", pp_match_mode_name(rule->mode));
    }
}

static void print_expected(printer *p, const pp_suite_case *c)
{
    pp_buf list;

    pp_buf_init(&list, PP_JSON_MAX_BYTES);
    for (size_t r = 0; r < c->rule_count; r++)
        append_accepted(&list, &c->rules[r]);
    if (list.status != PP_OK)
        p->arena->failed = true; /* a suite's limits leave only missing memory */
    fprintf(p->out, "    %-9s %s\n", "expected",
            pp_table_cell_text(p->arena, (pp_text){pp_buf_text(&list), list.size}, SAID_COLUMNS));
    pp_buf_done(&list);
}

/* The first pass in which the case did not match. */
static const pp_case_result *worst_of(const pp_suite_results *results, size_t number)
{
    for (size_t pass = 0; pass < results->pass_count; pass++) {
        const pp_case_result *result = pp_result_of(results, pass, number);

        if (result->outcome == PP_OUTCOME_MISSED)
            return result;
    }
    for (size_t pass = 0; pass < results->pass_count; pass++) {
        const pp_case_result *result = pp_result_of(results, pass, number);

        if (result->outcome == PP_OUTCOME_FAILED)
            return result;
    }
    return pp_result_of(results, 0, number);
}

static void print_case_id(printer *p, size_t number)
{
    fprintf(p->out, "  %s\n",
            pp_table_cell_text(p->arena, p->report->suite->cases[number].id, SAID_COLUMNS));
}

static void print_rest(printer *p, size_t count)
{
    if (count > MAX_LISTED)
        fprintf(p->out, "  and %zu more, which --json and --output hold\n", count - MAX_LISTED);
}

static void print_misses(printer *p, size_t endpoint)
{
    const pp_suite_results *results = results_of(p, endpoint);
    const pp_score_part *whole = &p->scores[endpoint].whole;
    size_t listed = 0;

    if (whole->missed + whole->open == 0)
        return;
    fprintf(p->out, "\nnot passed by %s: %zu of %zu\n", name_of(p, endpoint, NAME_COLUMNS),
            whole->missed + whole->open, whole->total);
    for (size_t i = 0; i < whole->total && listed < MAX_LISTED; i++) {
        if (pp_case_state_of(results, i) == PP_CASE_PASSED)
            continue;
        listed++;
        print_case_id(p, i);
        print_said(p, worst_of(results, i)->outcome == PP_OUTCOME_FAILED ? "failed" : "said",
                   worst_of(results, i));
        print_expected(p, &p->report->suite->cases[i]);
    }
    print_rest(p, whole->missed + whole->open);
}

/* Between two endpoints. */
static void print_pair_flips(printer *p, size_t endpoint, const size_t *numbers, size_t count,
                             const char *what)
{
    size_t reference = p->report->reference;

    if (count == 0)
        return;
    fprintf(p->out, "\n%s by %s against %s: %zu\n", what, name_of(p, endpoint, NAME_COLUMNS),
            name_of(p, reference, NAME_COLUMNS), count);
    for (size_t i = 0; i < count && i < MAX_LISTED; i++) {
        print_case_id(p, numbers[i]);
        print_said(p, "reference", worst_of(results_of(p, reference), numbers[i]));
        print_said(p, "here", worst_of(results_of(p, endpoint), numbers[i]));
    }
    print_rest(p, count);
}

/* Between passes of one endpoint. */
static void print_pass_flips(printer *p, size_t endpoint)
{
    const pp_score *score = &p->scores[endpoint];
    const pp_suite_results *results = results_of(p, endpoint);

    if (score->whole.flipped == 0)
        return;
    fprintf(p->out, "\nflipped between passes of %s: %zu\n", name_of(p, endpoint, NAME_COLUMNS),
            score->whole.flipped);
    for (size_t i = 0; i < score->whole.flipped && i < MAX_LISTED; i++) {
        print_case_id(p, score->flipped[i]);
        for (size_t pass = 0; pass < results->pass_count && pass < MAX_LISTED; pass++)
            print_said(p, pp_arena_printf(p->arena, "pass %zu", pass + 1),
                       pp_result_of(results, pass, score->flipped[i]));
    }
    print_rest(p, score->whole.flipped);
}

static void print_cases(printer *p)
{
    for (size_t i = 0; i < p->report->endpoint_count; i++) {
        print_misses(p, i);
        print_pass_flips(p, i);
        if (!is_candidate(p, i))
            continue;
        print_pair_flips(p, i, p->pairs[i].lost, p->pairs[i].lost_count, "lost");
        print_pair_flips(p, i, p->pairs[i].gained, p->pairs[i].gained_count, "gained");
    }
}

/* ---- notes ----------------------------------------------------------------------------------- */

static void note_gap(printer *p, size_t endpoint)
{
    const pp_score_part *whole = &p->scores[endpoint].whole;
    const char *range = "";

    if (whole->gap == PP_SCORE_THERE)
        return;
    if (whole->score_min.known && whole->score_max.known)
        range = pp_arena_printf(p->arena, "; it is between %.4f and %.4f", whole->score_min.value,
                                whole->score_max.value);
    pp_note_print("no score",
                  pp_arena_printf(p->arena, "%s: %s%s", name_of(p, endpoint, NAME_COLUMNS),
                                  pp_score_gap_meaning(whole->gap), range),
                  p->out);
}

static const char *floor_needs(printer *p, const pp_floor_statement *f, const pp_score_part *whole)
{
    const char *passes =
        f->passes_needed.known
            ? pp_arena_printf(p->arena, "%lld of %zu cases would do",
                              (long long)f->passes_needed.value, whole->total)
            : pp_arena_printf(p->arena, "no number of passes of %zu would do", whole->total);

    if (!f->cases_needed.known)
        return passes;
    return pp_arena_printf(p->arena, "%s, or %lld cases with the same share of passed ones", passes,
                           (long long)f->cases_needed.value);
}

static void note_floor(printer *p, size_t endpoint)
{
    const pp_score_part *whole = &p->scores[endpoint].whole;
    pp_floor_statement f;
    const char *text;

    if (!p->report->floor.known)
        return;
    f = pp_floor_of(whole, p->report->floor.value);
    if (!f.met.known)
        text = "not judged, for there is no score";
    else if (!f.met.value)
        text = "missed";
    else if (f.certified.known && f.certified.value)
        text = "met, and certified at 95 %";
    else
        text = pp_arena_printf(p->arena, "met, but not certified at 95 %%: %s",
                               floor_needs(p, &f, whole));
    pp_note_print("floor",
                  pp_arena_printf(p->arena, "%s: %g is %s", name_of(p, endpoint, NAME_COLUMNS),
                                  f.floor, text == NULL ? "" : text),
                  p->out);
}

static void note_changes(printer *p, size_t endpoint)
{
    const pp_score *score = &p->scores[endpoint];

    if (score->pass_count > 1 && score->changed_count > 0)
        pp_note_print("passes",
                      pp_arena_printf(
                          p->arena, "%s: %zu of %zu cases got different texts in different passes",
                          name_of(p, endpoint, NAME_COLUMNS), score->changed_count,
                          score->whole.total),
                      p->out);
}

static void note_origin(printer *p, size_t endpoint)
{
    const pp_suite_endpoint *e = &p->report->endpoints[endpoint];

    if (e->origin != PP_ORIGIN_MEASURED)
        pp_note_print("origin",
                      pp_arena_printf(p->arena, "%s: %s: %s", name_of(p, endpoint, NAME_COLUMNS),
                                      pp_origin_name(e->origin), pp_origin_meaning(e->origin)),
                      p->out);
}

static void print_notes(printer *p)
{
    fputc('\n', p->out);
    if (p->report->is_partial)
        pp_note_print("partial", "interrupted: not all that was to be asked was asked", p->out);
    for (size_t i = 0; i < p->report->endpoint_count; i++) {
        note_gap(p, i);
        note_floor(p, i);
        note_changes(p, i);
        note_origin(p, i);
    }
    pp_note_print("suite",
                  pp_arena_printf(p->arena, "%s, SHA-256 %s",
                                  pp_table_cell_text(p->arena, p->report->suite->id, NAME_COLUMNS),
                                  p->report->suite_sha256),
                  p->out);
}

pp_status pp_suite_table_print(pp_arena *arena, const pp_suite_report *report,
                               const pp_score *scores, const pp_pairing *pairs, FILE *out,
                               pp_error *err)
{
    printer p = {.arena = arena, .report = report, .scores = scores, .pairs = pairs, .out = out};
    pp_status st;

    print_scores(&p);
    st = print_requests(&p, err);
    if (st != PP_OK)
        return st;
    print_groups(&p);
    print_cases(&p);
    print_notes(&p);
    return pp_arena_check(arena, err);
}
